"""Gaits of the snakeboard: where they go, what momentum they gather, and how far each of them is worth it.

Drives a board by its rotor and its wheels in step, by the connection and the momentum equation alone, and
draws three figures (PNG): the ways of the centre in three gaits with the momentum along the board; the
displacement of one cycle over the two amplitudes; and the curvature of the connection with loops of gaits.

    python studies/snakeboard.py --out results/snakeboard

J. P. Ostrowski, A. D. Lewis, R. M. Murray, J. W. Burdick, IEEE Conf. Robotics and Automation (1994);
A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden, R. M. Murray, Arch. Rational Mech. Anal. 136 (1996).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sympy as sp
from matplotlib.figure import Figure

import geoctrl as gc
from geoctrl.systems.connections.connection import Connection
from geoctrl.viz.style import COLOURS, parameter_text, quiet

GAITS = {"drive, 1:1": (1, 1), "rotate, 2:1": (2, 1), "park, 3:2": (3, 2)}
"""Frequencies of rotor and wheels."""
PERIOD = 2 * np.pi
ROTOR, WHEELS = 0.7, 0.6
"""Amplitudes (rad) of the gaits whose ways and loops are drawn."""


def connection() -> Connection:
    """That of the board, with the momentum of the literature."""
    phi, l = sp.Symbol("phi", real=True), sp.Symbol("l", positive=True)  # noqa: E741 - the length's name
    board = gc.models.get("snakeboard")().reduce()
    return board.connection(basis=[[sp.sin(2 * phi), -2 * l * sp.cos(phi) ** 2, 0]])


def gait(frequencies: tuple[int, int], rotor: float = ROTOR, wheels: float = WHEELS) -> dict[str, sp.Expr]:
    """Sines of rotor and wheels with whole frequencies."""
    first, second = frequencies
    return {"psi": -rotor * sp.sin(first * gc.time), "phi": wheels * sp.sin(second * gc.time)}


def told(board: Connection) -> str:
    """Gaits and parameters in words, for below a title."""
    swings = f"rotor ±{np.degrees(ROTOR):.0f}°, wheels ±{np.degrees(WHEELS):.0f}°, a cycle in {PERIOD:.2f} s"
    return f"{swings}\n{parameter_text(board.mechanism)}"


class Way(NamedTuple):
    """Places (nt, 2), headings (nt,) in radians and momenta (nt,) along a gait."""

    time: np.ndarray
    place: np.ndarray
    heading: np.ndarray
    momentum: np.ndarray


def way(board: Connection, moves: dict[str, sp.Expr], cycles: int, samples: int = 60) -> Way:
    """The way of the board's centre."""
    times = np.linspace(0.0, cycles * PERIOD, cycles * samples + 1)
    g, p = board.path(moves, times)
    return Way(times, g[:, :2, 2], np.unwrap(np.arctan2(g[:, 1, 0], g[:, 0, 0])), p[0])


def draw_ways(board: Connection, ways: dict[str, Way]) -> Figure:
    """Ways in the plane, and momenta over time."""
    figure = Figure(figsize=(8.4, 7.2), layout="constrained")
    axes = figure.subplots(2, len(ways), squeeze=False)
    for column, (name, found) in enumerate(ways.items()):
        upper, lower = axes[:, column]
        upper.plot(*found.place.T, color=COLOURS[column], linewidth=1.2)
        upper.plot(*found.place[0], "o", color="black", markersize=4)
        upper.plot(*found.place[-1], "s", color=COLOURS[column], markersize=5)
        upper.set_aspect("equal", adjustable="datalim")
        quiet(upper, title=name, xlabel="x (m)", ylabel="y (m)" if not column else "")
        lower.plot(found.time, found.momentum, color=COLOURS[column], linewidth=1.0)
        quiet(lower, xlabel="time (s)", ylabel="momentum p (kg m²/s)" if not column else "")
    words = "Four cycles of the board's centre, from the dot to the square, and the momentum gathered"
    figure.suptitle(f"{words}\n{told(board)}", fontsize=10)
    return figure


def amplitudes(board: Connection, rotors: np.ndarray, wheels: np.ndarray) -> np.ndarray:
    """Sideways displacement (m) of one cycle of parking over the amplitudes: (wheels, rotors)."""
    ahead = [[board.displacement(gait((3, 2), r, w), PERIOD).g[1, 2] for r in rotors] for w in wheels]
    return np.array(ahead)


def draw_amplitudes(board: Connection, rotors: np.ndarray, wheels: np.ndarray, aside: np.ndarray) -> Figure:
    """The map of `amplitudes`."""
    figure = Figure(figsize=(6.6, 4.6), layout="constrained")
    ax = figure.subplots()
    image = ax.contourf(np.degrees(rotors), np.degrees(wheels), 100 * aside, levels=12, cmap="Blues_r")
    figure.colorbar(image, ax=ax, label="sideways in one cycle (cm)")
    quiet(
        ax,
        xlabel="amplitude of the rotor (degrees)",
        ylabel="amplitude of the wheels (degrees)",
    )
    ax.grid(False)
    words = "Parking: three swings of the rotor to two of the wheels move the board aside"
    figure.suptitle(f"{words}\n{parameter_text(board.mechanism, 80)}", fontsize=10)
    return figure


def draw_curvature(board: Connection) -> Figure:
    """Curvature ahead and of the heading over the shape, with the loops of driving and rotating."""
    figure = Figure(figsize=(10.4, 4.4), layout="constrained")
    loops = {name: gait(pair) for name, pair in GAITS.items() if name != "drive, 1:1"}
    for ax, velocity in zip(figure.subplots(1, 2), ("Y1", "Omega"), strict=True):
        gc.viz.curvature(board, velocity, {"psi": (-1.0, 1.0), "phi": (-1.0, 1.0)}, loops, PERIOD, ax=ax)
    figure.suptitle(f"Curvature of the connection, and what the gaits go round\n{told(board)}", fontsize=10)
    return figure


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("results/snakeboard"), help="folder for the figures")
    parser.add_argument("--quick", action="store_true", help="a coarse map")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)

    board = connection()
    print("momentum equation: d/dt p =", board.momentum_equation[0])
    ways = {name: way(board, gait(pair), 4) for name, pair in GAITS.items()}
    for name, found in ways.items():
        x, y = found.place[-1]
        turned = np.degrees(found.heading[-1])
        print(
            f"{name:<12} {x:+.4f} m ahead, {y:+.4f} m aside, turned by {turned:+.3f} degrees in four cycles"
        )
    n = 5 if args.quick else 17
    rotors, wheels = np.linspace(0.1, 1.2, n), np.linspace(0.1, 1.0, n)
    for name, figure in (
        ("ways", draw_ways(board, ways)),
        ("amplitudes", draw_amplitudes(board, rotors, wheels, amplitudes(board, rotors, wheels))),
        ("curvature", draw_curvature(board)),
    ):
        figure.savefig(args.out / f"{name}.png", dpi=160)
    print(f"figures in {args.out}")


if __name__ == "__main__":
    main()
