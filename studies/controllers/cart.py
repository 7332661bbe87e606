"""The cart-pendulum: the matched law that brings the cart home, held, beside the linear law."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

import geoctrl as gc
from geoctrl.sampling import SampledController

from .compared import Law, Signal, Task, draw, held, report

RATE = 100.0
"""Commands a second."""
FORCE, TRACK = 2.0, 0.5
"""What there is: N, m to each side."""
LEAN = 0.1
"""At the start, rad."""
FREQUENCIES = (1.5, 4.0)
"""Of the undamped loop, rad/s: the slow one carries the cart, the fast one the pendulum."""


def lean(run: gc.Trajectory) -> np.ndarray:
    """In degrees."""
    return np.degrees(run["phi"])


def place(run: gc.Trajectory) -> np.ndarray:
    """Of the cart."""
    return run["x"]


def task_of(mechanism: gc.EulerPoincare) -> Task:
    """The pendulum leans at the start, the cart at home; its place is a state of the plant."""
    speed = mechanism.algebra.xi[0]
    with_place = gc.Quasicoordinate("x", speed, "m", "place of the cart")
    plant = mechanism.replace(quasicoordinates=[with_place]).reduce()
    signals = (
        Signal("lean", "degrees", lean),
        Signal("force", "N", lambda run: run["u"], FORCE),
        Signal("place", "m", place, TRACK),
    )
    return Task(
        plant=plant,
        equilibrium=plant.state(),
        start=plant.state(phi=LEAN),
        rate=RATE,
        span=60.0,
        signals=signals,
        settled={lean: 0.5, place: 0.02},
        stays={"phi": 1.2},
        returns={"phi": LEAN},
        uncertain=("M", "m", "l"),
        starts=lambda lean: plant.state(phi=lean),
        farthest=(1.2, "rad"),
        leans=lambda lean: {"phi": lean},
    )


def at_home(gains: dict[str, float], params: dict[str, float], lean: float) -> dict[str, float]:
    """What the law sums, with the cart at home: z = x + C k(phi).

    C = 1 + kappa - 1/rho and k = m l sin(phi)/(M + m), the integral of the coupling.
    """
    C = 1 + gains["kappa"] - 1 / gains["rho"]
    return {"z": C * params["m"] * params["l"] / (params["M"] + params["m"]) * np.sin(lean)}


def laws(task: Task) -> list[Law]:
    """Without damping, with the best one, for the hold, and linear."""
    plant, params = task.plant, task.plant.params
    mechanism = gc.models.get("cart-pendulum")()
    matching = gc.match(mechanism, shaping="both")
    design = matching.design("upright")
    gains = design.recommend(frequencies=FREQUENCIES)
    law = matching.law(**gains).with_damping(k=1.0)
    undamped = {**gains, "k": 0.0}
    best = {**gains, "k": design.best_damping(**gains)}
    print({name: float(f"{value:.4g}") for name, value in best.items()})
    bare = mechanism.reduce()
    upright = bare.equilibrium("upright")
    named = {
        "matched, undamped": undamped,
        "matched, damped": best,
        "compensated for the hold": law.compensated(RATE, upright, params=best),
    }

    def matched(name: str, gains: dict[str, float]) -> Law:
        begin = partial(at_home, gains, params)
        held = SampledController(replace(law.feedback(gains), begin=begin(LEAN)), rate=RATE)
        k = gains["k"]
        others = {name: value for name, value in gains.items() if name != "k"}
        own = matching.law(**others)
        loop = (own.with_damping(k=k) if k else own).closed_loop()
        # It does not read the place.
        return Law(name, held, (bare, upright), (loop, loop.equilibrium("upright")), begin)

    cost = np.diag([0.1, 0.1, 1.0, 1.0]), [[1.0]]
    linear, for_hold = (gc.lqr(plant, task.equilibrium, *cost, rate=rate) for rate in (None, RATE))
    loop = linear.closed_loop()
    return [
        *(matched(name, gains) for name, gains in named.items()),
        Law("LQR", linear.sampled(RATE), loop=(loop, loop.equilibrium("held"))),
        Law("LQR for the hold", for_hold.sampled(RATE)),
    ]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="The cart-pendulum's law on a computer.")
    parser.add_argument("--out", type=Path, default=Path("results/cart-controller"), help="folder")
    args = parser.parse_args(argv)
    task = task_of(gc.models.get("cart-pendulum")())
    chosen = laws(task)
    by_name = {law.name: law for law in chosen}

    def runs(*names: str) -> dict[str, gc.Trajectory]:
        return {name: held(task, by_name[name], 30.0) for name in names}

    figures = {
        "1_the_hold": draw(
            task, runs("matched, undamped", "matched, damped"), "Held at 100 Hz: without damping it swells"
        ),
        "2_other_laws": draw(task, runs("matched, damped", "LQR"), "The linear law from the same start"),
    }
    report(task, chosen, figures, args.out)
