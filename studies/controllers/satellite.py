"""A satellite that turns about its middle axis: a wheel holds it there, within its torque and speed."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import geoctrl as gc

from .compared import Law, Signal, Task, draw, held, report

RATE = 20.0
"""Commands a second."""
TORQUE, SPEED = 0.25, 1.0
"""What the wheel can do: N m, rad/s."""
WOBBLE = 0.1
"""Rates across the spin at the start, rad/s."""


def across(run: gc.Trajectory) -> np.ndarray:
    """Rate across the spin."""
    return np.hypot(run["Omega1"], run["Omega3"])


def task_of(plant: gc.ReducedSystem) -> Task:
    """Spinning at 1 rad/s about the axis of the middle moment of inertia, the wheel about the third."""
    signals = (
        Signal("rate across", "rad/s", across),
        Signal("torque", "N m", lambda run: run["u_theta"], TORQUE),
        Signal("wheel speed", "rad/s", lambda run: run["theta_dot"], SPEED),
    )
    return Task(
        plant=plant,
        equilibrium=plant.equilibrium("about2", Omega0=1.0),
        start=plant.state(Omega1=WOBBLE, Omega2=1.0, Omega3=WOBBLE),
        rate=RATE,
        span=60.0,
        signals=signals,
        settled={across: 0.01},
        stays={"Omega1": 0.5, "Omega3": 0.5},
        returns={"Omega1": WOBBLE, "Omega3": WOBBLE},
        uncertain=("I1", "I2", "I3", "J"),
        starts=lambda across: plant.state(Omega1=across, Omega2=1.0, Omega3=across),
        farthest=(0.5, "rad/s"),
        leans=lambda across: {"Omega1": across, "Omega3": across},
    )


def laws(task: Task) -> list[Law]:
    """Without damping, with gains for the wheel, and linear.

    None for the hold: two gains cannot place the three multipliers, the third of which is the wheel's.
    """
    plant, eq = task.plant, task.equilibrium
    matching = gc.match(plant.mechanism)
    found = matching.design(eq).recommend(
        limits={"u_theta": TORQUE}, speeds={"theta_dot": SPEED}, rate=RATE, starts=task.start
    )
    print(found)
    cost = np.diag([1.0, 0.0, 1.0, (WOBBLE / SPEED) ** 2]), [[(WOBBLE / TORQUE) ** 2]]
    undamped, linear = matching.law(sigma=found["sigma"]), gc.lqr(plant, eq, *cost)

    def loop(law: Any) -> tuple[gc.ReducedSystem, Any]:
        closed = law.closed_loop()
        return closed, closed.equilibrium("about2", Omega0=1.0)

    return [
        Law("matched, undamped", undamped.sampled(RATE), loop=loop(undamped)),
        Law("matched for the wheel", found.law.sampled(RATE), loop=loop(found.law)),
        Law("LQR", linear.sampled(RATE), loop=loop(linear)),
        Law("LQR for the hold", gc.lqr(plant, eq, *cost, rate=RATE).sampled(RATE)),
    ]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A law for the wheel of a satellite.")
    parser.add_argument("--out", type=Path, default=Path("results/satellite-controller"), help="folder")
    args = parser.parse_args(argv)
    task = task_of(gc.models.get("body-with-rotor")(axis=3).reduce())
    chosen = laws(task)
    by_name = {law.name: law for law in chosen}

    def runs(*names: str) -> dict[str, gc.Trajectory]:
        return {name: held(task, by_name[name], 40.0) for name in names}

    figures = {
        "1_the_hold": draw(task, runs("matched, undamped"), "Proved stable without a hold; held it swells"),
        "2_the_wheel": draw(
            task, runs("matched for the wheel"), "Gains that are found for the wheel keep its limits (dashed)"
        ),
        "3_other_laws": draw(
            task, runs("matched for the wheel", "LQR"), "The linear law from the same start"
        ),
    }
    report(task, chosen, figures, args.out)
