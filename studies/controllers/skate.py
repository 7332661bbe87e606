"""The skate: the paper's law falls at 100 Hz, damped it asks too much, gains for the motor do."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import geoctrl as gc

from .compared import Law, Signal, Task, draw, held, report

RATE = 100.0
"""Commands a second."""
TORQUE, SPEED = 8.0, 360.0
"""What the motor can do: N m, rad/s."""
TILT = 0.1
"""Lean at the start, rad, beside the rates of the paper's."""
UNCERTAIN = ("m", "l", "I1", "I2", "J1")
STANDING = 1.2
"""A lean that counts as fallen, rad."""
SETTLED = 0.02
"""Distance from where it ends that counts as settled, rad."""


def start(plant: gc.ReducedSystem, tilt: float = TILT) -> np.ndarray:
    """The start of the paper: a small perturbation of sliding at 1 m/s."""
    omega = (0.1, 0.1 * np.tan(tilt), 0.1)
    return plant.project([*omega, 1, 0, 0], {"Gamma": (0, np.sin(tilt), np.cos(tilt))})


def laws(task: Task, found: Any) -> list[Law]:
    """Matched (the paper's, damped, for the motor, for the hold) and linear, at the same equilibrium."""
    plant, eq = task.plant, task.equilibrium
    matching = gc.match(plant.mechanism)
    # Bryson's rule from what the motor can do and the lean at the start.
    place = plant.state_labels.index
    weights = np.zeros(plant.nstates)
    weights[[place("v1"), place("theta_dot"), place("Gamma2")]] = 1.0, 1 / SPEED**2, 1 / TILT**2
    cost = np.diag(weights), [[1 / TORQUE**2]]
    named = {
        "matched, the paper's": matching.law(sigma=-1e-5),
        "the paper's, damped": matching.law(sigma=-1e-5).with_damping(k=2.7),
        "matched for the motor": found.law,
        "LQR": gc.lqr(plant, eq, *cost),
        "LQR for the hold": gc.lqr(plant, eq, *cost, rate=RATE),
    }
    loops = {name: law.closed_loop() for name, law in named.items() if name != "LQR for the hold"}
    controllers = {name: law.sampled(rate=RATE) for name, law in named.items()}
    gains = found.law.compensated(RATE, eq)
    controllers["compensated for the hold"] = found.law.sampled(rate=RATE, params=gains)
    at = {name: (loop, loop.equilibrium("sliding", Y0=1.0)) for name, loop in loops.items()}
    return [Law(name, controller, loop=at.get(name)) for name, controller in controllers.items()]


def lean(run: gc.Trajectory) -> np.ndarray:
    """In degrees."""
    return np.degrees(np.arcsin(np.clip(run["Gamma2"], -1, 1)))


def task_of(plant: gc.ReducedSystem) -> Task:
    """From the paper's start, to where it falls if it does."""
    signals = (
        Signal("lean", "degrees", lean),
        Signal("torque", "N m", lambda run: run["u_theta"], TORQUE),
        Signal("rotor speed", "rad/s", lambda run: run["theta_dot"], SPEED),
    )
    return Task(
        plant=plant,
        equilibrium=plant.equilibrium("sliding", Y0=1.0),
        start=start(plant),
        rate=RATE,
        span=20.0,
        signals=signals,
        settled={lean: np.degrees(SETTLED)},
        stays={"Gamma2": np.sin(STANDING)},
        returns={"Gamma2": TILT},
        uncertain=UNCERTAIN,
        starts=partial(start, plant),
        farthest=(STANDING, "rad"),
        leans=lambda lean: {"v1": 0.0, "Gamma2": np.sin(lean), "Gamma3": np.cos(lean)},
    )


def steps(task: Task, chosen: list[Law]) -> dict[str, Figure]:
    """The figures, one for each step."""
    by_name = {law.name: law for law in chosen}
    paper = gc.match(task.plant.mechanism).law(sigma=-1e-5)
    grid = np.linspace(0, 12, 1201)
    continuous = gc.simulate(task.plant, grid, task.start, controller=paper)
    return {
        "1_the_hold": draw(
            task,
            {
                "at every instant": continuous,
                "held at 100 Hz": held(task, by_name["matched, the paper's"], 12.0),
            },
            "The law of the paper falls when it is held at 100 Hz",
        ),
        "2_damping": draw(
            task,
            {"damped, held at 100 Hz": held(task, by_name["the paper's, damped"], 5.0)},
            "Damping holds it; the motor cannot do it (dashed: its limits)",
        ),
        "3_the_motor": draw(
            task,
            {"gains for the motor, 100 Hz": held(task, by_name["matched for the motor"], 5.0)},
            "Gains that are found for the motor keep its limits (dashed)",
        ),
        "4_other_laws": draw(
            task,
            {name: held(task, by_name[name], 5.0) for name in ("matched for the motor", "LQR")},
            "The linear law from the same start",
        ),
    }


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="From the paper's law to a controller.")
    parser.add_argument("--out", type=Path, default=Path("results/skate-controller"), help="folder")
    args = parser.parse_args(argv)
    mechanism = gc.models.get("pendulum-skate-rotor")()
    task = task_of(mechanism.reduce())
    found = (
        gc.match(mechanism)
        .design(task.equilibrium)
        .recommend(limits={"u_theta": TORQUE}, speeds={"theta_dot": SPEED}, rate=RATE, starts=task.start)
    )
    print(found)
    chosen = laws(task, found)
    report(task, chosen, steps(task, chosen), args.out)
