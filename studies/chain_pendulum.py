"""The chain pendulum: equations, modes of the hanging chain, balance on its tip by torque at the base.

Prints the equations of two links, and that the system solves them; the frequencies of n equal masses on
equal links against the zeros of Laguerre's polynomials, and how they come close to those of a heavy string,
which are zeros of J0 (D. Bernoulli, 1738), as n grows; which links may stand on end if only the base has a
motor; and two inverted links held up by that motor, with a linear-quadratic law on the tangent space,
simulated on the manifold by two methods.

    python studies/chain_pendulum.py --out results/chain_pendulum

[LLM15] is T. Lee, M. Leok, N. H. McClamroch, Int. J. Robust Nonlinear Control (2015).
"""

from __future__ import annotations

import argparse
import itertools
import math
from pathlib import Path
from typing import Any, NamedTuple

import control
import numpy as np
import sympy as sp
from matplotlib import colormaps
from matplotlib.figure import Figure
from scipy.special import j0, jn_zeros, roots_laguerre

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

G, LENGTH = 9.81, 1.0
UP, DOWN = 1, -1


def uniform(n: int) -> gc.spheres.SphereSystem:
    """A chain of length 1 m and mass 1 kg."""
    return gc.spheres.chain_pendulum(np.full(n, 1 / n), np.full(n, LENGTH / n))


def vertical(system: gc.spheres.SphereSystem, signs: tuple[int, ...]) -> gc.Linearization:
    """Linearisation where every link stands or hangs."""
    q = np.outer(signs, [0.0, 0.0, 1.0])
    return gc.linearize(system, system.pack(q, 0 * q))


# -- equations --------------------------------------------------------------------------------------

TWO_LINKS = """\
(I - q1 q1^T) { (m1 + m2) l1^2 q1'' + m2 l1 l2 q2'' - (m1 + m2) l1 g - l1 d - tau x q1 } = 0
(I - q2 q2^T) {       m2 l1 l2 q1'' +      m2 l2^2 q2''    -    m2 l2 g - l2 d           } = 0
qi' = omega_i x q_i;  g: gravity, tau: couple at the base, d: force at the tip"""


def defect(system: gc.spheres.SphereSystem, m: np.ndarray, l: np.ndarray) -> float:  # noqa: E741
    """How far the system's accelerations are from solving `TWO_LINKS` at a random state, relative."""
    rng = np.random.default_rng(5)
    q, omega = gc.spheres.project(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))
    u = rng.normal(size=6)
    alpha = system.rhs(0.0, system.pack(q, omega), u)[6:].reshape(2, 3)
    a = np.cross(alpha, q) + np.cross(omega, np.cross(omega, q))
    gravity, total = np.array([0, 0, -G]), m.sum()
    sums = [
        [
            total * l[0] ** 2 * a[0],
            m[1] * l[0] * l[1] * a[1],
            -total * l[0] * gravity,
            -l[0] * u[3:],
            -np.cross(u[:3], q[0]),
        ],
        [m[1] * l[0] * l[1] * a[0], m[1] * l[1] ** 2 * a[1], -m[1] * l[1] * gravity, -l[1] * u[3:]],
    ]
    rest = [np.linalg.norm(sum(terms) - v * (v @ sum(terms))) for v, terms in zip(q, sums, strict=True)]
    return max(rest) / max(np.linalg.norm(term) for terms in sums for term in terms)


def equations() -> None:
    m, l = np.array([1.2, 0.7]), np.array([0.5, 0.4])  # noqa: E741
    system = gc.spheres.chain_pendulum(m, l)
    heading("Equations of two links, [LLM15]")
    print(TWO_LINKS)
    print(f"at m = {m}, l = {l} the system solves them to {defect(system, m, l):.0e}")


# -- modes ------------------------------------------------------------------------------------------


class Modes(NamedTuple):
    """Frequencies (rad/s) and displacements of the masses in the slowest modes of a hanging chain."""

    n: int
    frequencies: np.ndarray
    shapes: list[np.ndarray]


def modes(n: int, count: int = 3) -> Modes:
    lin = vertical(uniform(n), (DOWN,) * n)
    values, vectors = np.linalg.eig(lin.A_leaf)
    # Each frequency is there twice, for the two horizontal directions.
    slowest = [k for k in np.argsort(values.imag) if values[k].imag > 0][: 2 * count : 2]
    shapes = []
    for k in slowest:
        links = (lin.basis @ vectors[:, k])[: 3 * n].reshape(n, 3)
        moved = np.cumsum(links, axis=0) * LENGTH / n
        # The mode is a real shape times one complex horizontal direction.
        shape = np.linalg.svd(moved)[0][:, 0]
        shape = (shape / shape[-1]).real
        shapes.append(np.concatenate([[0.0], shape]))
    return Modes(n, values.imag[slowest], shapes)


def string(count: int) -> np.ndarray:
    """Frequencies of a heavy string: j_{0,k}/2 sqrt(g/L)."""
    return jn_zeros(0, count) / 2 * math.sqrt(G / LENGTH)


def laguerre(n: int, count: int) -> np.ndarray:
    """Frequencies of n equal masses on equal links: n g/L times the zeros of the n-th Laguerre polynomial."""
    return np.sqrt(roots_laguerre(n)[0][:count] * n * G / LENGTH)


def hanging(sizes: tuple[int, ...]) -> list[Modes]:
    found = [modes(n) for n in sizes]
    limit = string(3)
    heading("Modes of the hanging chain: n equal masses and links, 1 m in all")
    print(f"{'n':>6}    omega_1   omega_2   omega_3    Laguerre      string    rate")
    last = None
    for n, frequencies, _ in found:
        cells = "".join(f"{w:>10.6f}" for w in frequencies) + " " * 10 * (3 - len(frequencies))
        exact = np.max(np.abs(frequencies / laguerre(n, 3)[: len(frequencies)] - 1))
        away = frequencies[0] / limit[0] - 1
        rate = "" if last is None else f"{math.log(last / away) / math.log(2):.3f}"
        print(f"{n:>6}  {cells}  {exact:>10.0e}  {away:>10.2e}  {rate:>6}")
        last = away
    print(f"string  {''.join(f'{w:>10.6f}' for w in limit)}")
    print(
        "Laguerre: largest relative difference from the closed form; string: relative difference of omega_1"
    )
    print("from j_{0,1}/2 sqrt(g/L), which tends to -1/(4 n); rate: of its decay, with doubled n.")
    return found


def draw_modes(found: list[Modes]) -> Figure:
    """Shapes of the longest chain on those of the string; frequencies against n."""
    figure = Figure(figsize=(10.5, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    height = np.linspace(0, LENGTH, 200)
    chosen = found[-1]
    for k, shape in enumerate(chosen.shapes):
        wave = j0(jn_zeros(0, 3)[k] * np.sqrt(height / LENGTH))
        left.plot(wave + 2.2 * k, height - LENGTH, color="#999999", linewidth=1.6, zorder=1)
        ends = -LENGTH * np.arange(chosen.n + 1) / chosen.n
        left.plot(shape + 2.2 * k, ends, "o-", color=COLOURS[k], linewidth=0.8, markersize=3.5, zorder=2)
        left.annotate(rf"$\omega_{k + 1}$", (2.2 * k, 0.04), ha="center")
    quiet(left, title=f"{chosen.n} links and the heavy string (grey)", ylabel="height (m)")
    left.set_xticks([])
    left.set_xlabel("displacement, scaled to 1 at the tip")
    left.set_ylim(None, 0.12)
    sizes = np.array([m.n for m in found if m.n >= 4])
    for k in range(3):
        away = [(m.n, 1 - m.frequencies[k] / string(3)[k]) for m in found if m.n >= 4]
        right.loglog(*zip(*away, strict=True), "o-", color=COLOURS[k], label=rf"$\omega_{k + 1}$")
    right.loglog(sizes, 0.25 / sizes, "--", color="#888888", linewidth=1.0, label=r"$1/(4n)$")
    right.set_xticks(sizes, [str(n) for n in sizes], minor=False)
    right.set_xticks([], minor=True)
    quiet(right, title="How much slower than the string", xlabel="links", ylabel="relative difference")
    right.legend(frameon=False)
    told = f"a chain of {LENGTH:g} m and 1 kg in equal links, each with its mass at its end, g = {G:g} m/s²"
    figure.suptitle(f"Slowest modes of a hanging chain\n{told}", fontsize=10)
    return figure


# -- torque at the base -----------------------------------------------------------------------------


def horizontal(lin: gc.Linearization) -> tuple[np.ndarray, np.ndarray]:
    """The leaf pair with two horizontal torques as inputs; the third does nothing to a vertical link."""
    return lin.A_leaf, lin.B_leaf[:, :2]


def uncontrollable(A: np.ndarray, B: np.ndarray) -> float:
    """Least singular value of [A - s I, B] over the eigenvalues s of A: 0 if the pair is not controllable."""
    tests = (np.hstack([A - s * np.eye(len(A)), B]) for s in np.linalg.eigvals(A))
    return min(float(np.linalg.svd(M)[1][-1]) for M in tests)


def gain(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Of the regulator with cost |x|^2 + EFFORT |u|^2."""
    return np.asarray(control.lqr(A, B, np.eye(len(A)), EFFORT * np.eye(2))[0])


def stabilisable(n: int) -> None:
    heading(f"Torque at the base alone: all equilibria, n = {n}")
    print(f"{'links':<14}{'growth, 1/s':>12}{'least s.v.':>12}{'slowest closed, 1/s':>21}")
    for signs in itertools.product((DOWN, UP), repeat=n):
        lin = vertical(uniform(n), signs)
        A, B = horizontal(lin)
        closed = np.linalg.eigvals(A - B @ gain(A, B)).real.max()
        name = " ".join("up" if s == UP else "down" for s in signs)
        growth = max(0.0, round(float(lin.eigenvalues.real.max()), 6))
        print(f"{name:<14}{growth:>12.3f}{uncontrollable(A, B):>12.3f}{closed:>21.3f}")


CONTROLLABLE = """\
growth: largest real part of the eigenvalues without control; least s.v.: least singular value of [A - s I, B]
over these eigenvalues s, zero where the pair is not controllable; slowest closed: largest real part with
linear-quadratic control.
All are controllable, whatever hangs or stands. The mass matrix has m_2j = +-(l2/l1) m_1j for j > 1. In a mode
with the first link at rest, (K - s^2 M) v = 0 and v_1 = 0, the first row is s^2 sum m_1j v_j = 0, so the
second is K_2 v_2 = 0: the second link is at rest too, and so on down the chain."""


MASS, LINK, EFFORT = 1.0, 0.5, 0.1
"""Of each inverted link: kg, m; and the weight of a squared torque beside the squared states."""


class Balance(NamedTuple):
    """Two links balanced on end: closed loop, run, torques in time, difference from a second method."""

    loop: gc.spheres.SphereSystem
    run: gc.spheres.SphereTrajectory
    torque: np.ndarray
    difference: float


def regulated(system: gc.spheres.SphereSystem, lin: gc.Linearization) -> tuple[Any, np.ndarray]:
    """Closed loop, and torques (2, 6n) per state: linear in the tangent coordinates of the state."""
    matrix = -gain(*horizontal(lin)) @ lin.basis.T
    away = sp.Matrix(system.states) - sp.Matrix(lin.equilibrium.x)
    return system.closed_loop([*(sp.Matrix(matrix) * away), 0, 0, 0, 0]), matrix


def balance(tilt: float = 0.3, span: float = 6.0, h: float = 1e-3) -> Balance:
    system = gc.spheres.chain_pendulum([MASS, MASS], [LINK, LINK])
    lin = vertical(system, (UP, UP))
    loop, matrix = regulated(system, lin)
    lean = [[math.sin(tilt), 0, math.cos(tilt)], [0, math.sin(tilt), math.cos(tilt)]]
    start = gc.spheres.project(lean, np.zeros((2, 3)))
    run = gc.spheres.integrate(loop, *start, h, round(span / h), record=10)
    other = gc.simulate(loop, run.time, start)
    torque = (matrix @ (run.states - lin.equilibrium.x[:, None])).T
    return Balance(loop, run, torque, float(np.abs(run.q - other.q).max()))


def inverted(quick: bool) -> Balance:
    heading("Two inverted links of 0.5 m and 1 kg, torque at the base alone")
    print(f"{'tilt':>6}  largest angle  largest torque  angle at the end  methods differ by")
    for tilt in (0.3,) if quick else (0.1, 0.2, 0.3):
        found = balance(tilt)
        angles = np.arccos(np.clip(found.run.q[:, :, 2], -1, 1))
        most = np.linalg.norm(found.torque, axis=1).max()
        print(
            f"{tilt:>6.2f}  {angles.max():>9.3f} rad  {most:>10.1f} N m"
            f"  {angles[-1].max():>12.0e} rad  {found.difference:>17.0e}"
        )
    print("First link tilted to one side, second to the other; variational steps of 1 ms against DOP853.")
    certificate = gc.certify(found.loop, vertical(found.loop, (UP, UP)).equilibrium)
    print(f"The closed loop is again a system on spheres: {certificate.verdict.name} ({certificate.method}).")
    return found


def draw_balance(found: Balance) -> Figure:
    """The links from the side in the first two seconds, their angles from the vertical, the torques."""
    run = found.run
    figure = Figure(figsize=(11.5, 4.4), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[1, 2.1])
    side, top, bottom = (figure.add_subplot(cell) for cell in (grid[:, 0], grid[0, 1], grid[1, 1]))
    joints = np.concatenate([np.zeros((len(run), 1, 3)), np.cumsum(LINK * run.q, axis=1)], axis=1)
    across = joints @ [math.sqrt(0.5), math.sqrt(0.5), 0.0]
    shown = range(0, 201, 8)
    colours = colormaps["viridis"](np.linspace(0, 0.93, len(shown)))
    for k, colour in zip(shown, colours, strict=True):
        ends = k in (shown[0], shown[-1])
        side.plot(across[k], joints[k, :, 2], color=colour, linewidth=2.6 if ends else 1.0, zorder=2 + ends)
        side.scatter(across[k, 1:], joints[k, 1:, 2], color=[colour], s=36 if ends else 9, zorder=2 + ends)
    side.plot(0, 0, "s", color="#444444", markersize=10, zorder=5)
    for k, name in ((shown[0], "start"), (shown[-1], f"{run.time[shown[-1]]:g} s")):
        side.annotate(name, (across[k, 2], joints[k, 2, 2]), (0, 8), textcoords="offset points", ha="center")
    side.set(aspect="equal", xlim=(-0.25, 0.55), ylim=(-0.05, 1.12))
    quiet(side, title="Every 80 ms, from the side", xlabel="along the diagonal (m)", ylabel="height (m)")
    angles = np.degrees(np.arccos(np.clip(run.q[:, :, 2], -1, 1)))
    for i in range(2):
        top.plot(run.time, angles[:, i], color=COLOURS[i], label=f"link {i + 1}")
        bottom.plot(run.time, found.torque[:, i], color=COLOURS[i], label=rf"$\tau_{i + 1}$")
    for axis, label in ((top, "lean (degrees)"), (bottom, "torque (N m)")):
        quiet(axis, ylabel=label)
        axis.set_xlim(0, run.time[-1])
        axis.legend(frameon=False)
    bottom.set_xlabel("time (s)")
    told = f"{MASS:g} kg at the end of each link of {LINK:g} m, g = {G:g} m/s², cost |x|² + {EFFORT:g} |τ|²"
    words = f"Two links leant {angles[0].max():.0f}° to two sides, held up by torque at the base alone"
    figure.suptitle(f"{words}\n{told}", fontsize=10)
    return figure


def heading(title: str) -> None:
    print(f"\n{title}\n{'=' * len(title)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=Path("results/chain_pendulum"), help="folder for the figures"
    )
    parser.add_argument("--quick", action="store_true", help="shorter chains, one initial tilt")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    equations()
    found = hanging((1, 2, 4, 8) if args.quick else (1, 2, 4, 8, 16, 32))
    draw_modes(found).savefig(args.out / "modes.png", dpi=160)
    for n in (2,) if args.quick else (1, 2, 3):
        stabilisable(n)
    print(CONTROLLABLE)
    draw_balance(inverted(args.quick)).savefig(args.out / "balance.png", dpi=160)
    print(f"\nfigures in {args.out}")


if __name__ == "__main__":
    main()
