"""A quadrotor with a load on a cable: held at hover, and brought to rest by two laws.

The linear-quadratic regulator of the linearisation on the tangent space holds the hover; a geometric law
steers the load by the direction of the cable, the cable by the thrust and the thrust by the attitude. Both
bring the load to rest, also from starts in which the quadrotor is upside down; the regulator does so sooner
and with less thrust, though only its linearisation at hover says that it should.

    python studies/quadrotor_load.py --out results/quadrotor_load

[LSK13] is T. Lee, K. Sreenath, V. Kumar, IEEE Conf. Decision and Control (2013), of which the law is that for
a fixed goal.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from matplotlib.figure import Figure
from scipy.linalg import solve_continuous_are
from scipy.spatial.transform import Rotation

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

MASS, LOAD, LENGTH, G = 0.5, 0.1, 0.4, 9.81
INERTIA = np.diag([0.00557, 0.00557, 0.0105])
E1, _, E3 = np.eye(3)


def drone() -> gc.manifolds.ProductSystem:
    return gc.manifolds.quadrotor_with_cable(1, MASS, INERTIA, LOAD, LENGTH, gravity=(0.0, 0.0, -G))


def hover(system: gc.manifolds.ProductSystem) -> gc.Equilibrium:
    """At rest at the origin."""
    return system.equilibrium("hover", x0=0, y0=0, z0=0)


def disturbed(size: float) -> dict[str, tuple]:
    """A start beside the goal, tilted, the cable swung out and moving, by 80 degrees each at size 1."""
    swing = Rotation.from_rotvec([0.0, -1.4 * size, 0.0]).apply([0.0, 0.0, -1.0])
    turn = np.array([1.0, 0.6, 2.0]) * size
    return {
        "x": (size * np.array([1.5, -1.0, 0.5]), np.zeros(3)),
        "R": (Rotation.from_rotvec([1.2 * size, 0.6 * size, 0.3 * size]).as_matrix(), turn),
        "q1": (swing, np.cross(swing, [0.0, 3.0 * size, 0.0])),
    }


STARTS = {"mild": disturbed(0.3), "wild": disturbed(1.0), "upside down": disturbed(2.0)}


# -- the regulator ----------------------------------------------------------------------------------


def regulator(system: gc.manifolds.ProductSystem) -> np.ndarray:
    """Inputs per state (4, 18): u = u0 - matrix (x - x0), from the Riccati equation on the tangent space."""
    lin = gc.linearize(system, hover(system))
    weight = lin.basis.T @ np.diag(_weights(system)) @ lin.basis
    effort = np.diag([1.0, 100.0, 100.0, 100.0])
    P = solve_continuous_are(lin.A_leaf, lin.B_leaf, weight, effort)
    return np.linalg.solve(effort, lin.B_leaf.T @ P) @ lin.basis.T


def _weights(system: gc.manifolds.ProductSystem) -> np.ndarray:
    """Of the squares of all states: places before velocities."""
    return np.array([10.0 if k < system.split else 1.0 for k in range(system.size)])


def regulated(system: gc.manifolds.ProductSystem) -> gc.manifolds.ProductSystem:
    rest = hover(system)
    away = sp.Matrix(system.states) - sp.Matrix(rest.x)
    return system.closed_loop(list(sp.Matrix(rest.u) - sp.Matrix(regulator(system)) * away))


# -- the geometric law ------------------------------------------------------------------------------


class Gains(NamedTuple):
    """Of the load's place and velocity (N/m, N s/m), of the cable and the attitude (1/s^2, 1/s)."""

    place: float = 1.2
    velocity: float = 1.6
    cable: float = 40.0
    swing: float = 11.0
    attitude: float = 900.0
    turn: float = 45.0


def geometric(gains: Gains = Gains()) -> Callable:  # noqa: B008
    """Thrust and moment of [LSK13] for a load to rest under the origin."""
    goal = -LENGTH * E3

    def law(_t: float, x: np.ndarray, _params: Any) -> np.ndarray:
        place, R, q, v, Omega, omega = np.split(x, [3, 12, 15, 18, 21])
        R = R.reshape(3, 3)
        load, rate = place + LENGTH * q, v + LENGTH * np.cross(omega, q)
        wanted = -gains.place * (load - goal) - gains.velocity * rate + (MASS + LOAD) * G * E3
        along = (wanted @ q - MASS * LENGTH * (omega @ omega)) * q
        hang = -wanted / np.linalg.norm(wanted)
        across = MASS * LENGTH * np.cross(q, gains.cable * np.cross(q, hang) - gains.swing * omega)
        force = along + across
        third = force / np.linalg.norm(force)
        second = np.cross(third, E1)
        second = second / np.linalg.norm(second)
        command = np.column_stack((np.cross(second, third), second, third))
        skew = (command.T @ R - R.T @ command) / 2
        error = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
        moment = -INERTIA @ (gains.attitude * error + gains.turn * Omega) + np.cross(Omega, INERTIA @ Omega)
        return np.array([np.sum(force * R[:, 2]), moment[0], moment[1], moment[2]])

    return law


# -- runs -------------------------------------------------------------------------------------------


class Rest(NamedTuple):
    """A run of a loop: times, places of quadrotor and load (m), swing and tilt (deg), inputs (m, nt)."""

    name: str
    time: np.ndarray
    place: np.ndarray
    load: np.ndarray
    swing: np.ndarray
    tilt: np.ndarray
    inputs: np.ndarray

    @property
    def distance(self) -> np.ndarray:
        return np.linalg.norm(self.load + LENGTH * E3, axis=1)

    @property
    def came_to_rest(self) -> bool:
        """Whether the whole span was run and the load is within a centimetre at its end."""
        return bool(self.distance[-1] < 0.01)


def brought_to_rest(
    name: str, loop: gc.manifolds.ProductSystem, law: Callable, start: dict, span: float = 10.0
) -> Rest:
    times = np.linspace(0.0, span, round(100 * span) + 1)
    run = gc.simulate(loop, times, start, engine="scipy", rtol=1e-8, throw=False)
    place, q, R = run["x"], run["q1"], run["R"]
    x = run.states
    inputs = np.array([law(float(t), column, {}) for t, column in zip(run.time, x.T, strict=True)]).T
    swing, tilt = (np.degrees(np.arccos(np.clip(c, -1, 1))) for c in (-q[:, 2], R[:, 2, 2]))
    return Rest(name, run.time, place, place + LENGTH * q, swing, tilt, inputs)


def by_the_regulator(start: dict[str, tuple]) -> Rest:
    system = drone()
    rest, matrix = hover(system), regulator(system)

    def linear(_t: float, x: np.ndarray, _params: Any) -> np.ndarray:
        return rest.u - matrix @ (x - rest.x)

    return brought_to_rest("regulator", regulated(system), linear, start)


def by_the_geometric_law(start: dict[str, tuple]) -> Rest:
    steering = geometric()
    return brought_to_rest("geometric law", drone().closed_loop(steering), steering, start)


def report(name: str) -> list[Rest]:
    found = [by_the_regulator(STARTS[name]), by_the_geometric_law(STARTS[name])]
    first = found[0]
    print(f"\n{name}: load {first.distance[0]:.2f} m off, cable {first.swing[0]:.0f} deg out")
    print(f"{'':<16}{'within 1 cm from':>18}{'largest swing':>15}{'largest tilt':>14}{'thrust':>16}")
    for run in found:
        outside = np.flatnonzero(run.distance > 0.01)
        settled = f"{run.time[outside[-1]]:.2f} s" if run.came_to_rest and outside.size else "never"
        thrust = f"{run.inputs[0].min():.1f} to {run.inputs[0].max():.1f} N"
        print(
            f"{run.name:<16}{settled:>18}{run.swing.max():>11.0f} deg{run.tilt.max():>10.0f} deg{thrust:>16}"
        )
    return found


def draw(found: list[Rest]) -> Figure:
    """The ways of quadrotor and load from the side, swing and tilt, the thrust."""
    figure = Figure(figsize=(11.5, 5.6), layout="constrained")
    grid = figure.add_gridspec(3, 2, width_ratios=[1.3, 2])
    side = figure.add_subplot(grid[:, 0])
    rows = [figure.add_subplot(grid[k, 1]) for k in range(3)]
    for colour, run in zip(COLOURS, found, strict=False):
        side.plot(run.place[:, 0], run.place[:, 2], color=colour, linewidth=1.6, label=run.name)
        side.plot(run.load[:, 0], run.load[:, 2], color=colour, linewidth=0.9, linestyle="--")
        for k in range(0, min(160, len(run.time)), 20):
            ends = np.array([run.place[k], run.load[k]])
            side.plot(ends[:, 0], ends[:, 2], color=colour, linewidth=0.5, alpha=0.6)
        for axis, values in zip(rows, (run.distance, run.tilt, run.inputs[0]), strict=True):
            axis.plot(run.time, values, color=colour, linewidth=1.2)
    side.plot(0, -LENGTH, "k+", markersize=12)
    side.set(aspect="equal")
    quiet(side, title="From the side; the load dashed", xlabel="sideways (m)", ylabel="height (m)")
    side.legend(frameon=False)
    for axis, label in zip(rows, ("load off goal (m)", "tilt (degrees)", "thrust (N)"), strict=True):
        quiet(axis, ylabel=label)
        axis.set_xlim(0, found[-1].time[-1])
    rows[2].set_xlabel("time (s)")
    first, moments = found[0], ", ".join(f"{J:g}" for J in np.diag(INERTIA))
    swing, tilt = (f"{values[0]:.0f}°" for values in (first.swing, first.tilt))
    words = f"From {first.distance[0]:.1f} m off, the cable {swing} out, tilted by {tilt}"
    told = f"{MASS:g} kg with moments {moments} kg m², {LOAD:g} kg on {LENGTH:g} m of cable, g = {G:g} m/s²"
    figure.suptitle(f"{words}\n{told}", fontsize=10)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/quadrotor_load"), help="for the figures")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    system = drone()
    loop = regulated(system)
    open_loop, closed = gc.linearize(system, hover(system)), gc.linearize(loop, hover(system).x)
    print(f"eigenvalues at hover: {np.abs(open_loop.eigenvalues).max():.2f} rad/s the largest, none damped;")
    print(f"with the regulator the slowest decays with {-closed.eigenvalues.real.max():.2f} 1/s")
    print(f"the loop at hover: {gc.certify(loop, closed.equilibrium).verdict.name}")
    for name in STARTS:
        draw(report(name)).savefig(args.out / f"{name}.png".replace(" ", "_"), dpi=160)
    print(f"\nfigures in {args.out}")


if __name__ == "__main__":
    main()
