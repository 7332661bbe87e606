"""Pendulum on a cart: from the description to a law that holds it up and brings the cart home, beside LQR.

Matches the cart with kinetic and potential shaping, chooses gains by the frequencies of the loop and the
damping by its margin, proves the loop asymptotically stable, and draws two figures (PNG): a run from a lean,
and where each of the two laws brings the pendulum up and the cart home.

    python studies/cart_pendulum.py --out results/cart-pendulum

A. M. Bloch, N. E. Leonard, J. E. Marsden, IEEE Trans. Autom. Control 45 (2000), with D. E. Chang 46 (2001).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import sympy as sp
from matplotlib.figure import Figure
from scipy.linalg import solve_continuous_are

import geoctrl as gc
from geoctrl.synthesis import ShapedLaw
from geoctrl.viz.style import COLOURS, quiet

FREQUENCIES = (1.5, 4.0)
"""Of the undamped loop, rad/s: the slow one carries the cart, the fast one the pendulum."""
DAMPINGS = np.geomspace(0.02, 20.0, 61)
MOST = 1.4
"""Largest lean that is asked of, rad."""
HOME = 0.02
"""Distance from the upright rest, in every state, that counts as home."""


def matched() -> tuple[ShapedLaw, dict[str, float], float]:
    """The law with the damping of the largest margin, its gains, and that damping."""
    matching = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
    gains = matching.design("upright").recommend(frequencies=FREQUENCIES)
    law = matching.law(**gains)
    loop = law.with_damping(k=1.0).closed_loop()

    def margin(k: float) -> float:
        eq = loop.equilibrium("upright", params={"k": k})
        return -float(gc.linearize(loop, eq, {"k": k}).eigenvalues.real.max())

    best = max(DAMPINGS, key=margin)
    return law.with_damping(k=float(best)), gains, margin(best)


def lqr(weight: float = 1.0) -> gc.ReducedSystem:
    """The cart with the linear quadratic regulator of its linearisation, its place among the states."""
    cart = gc.models.get("cart-pendulum")()
    speed = cart.algebra.xi[0]
    plant = cart.replace(quasicoordinates=[gc.Quasicoordinate("x", speed, "m", "place of the cart")])
    system = plant.reduce()
    linear = gc.linearize(system, system.state())
    P = solve_continuous_are(linear.A, linear.B, np.diag([0.1, 0.1, 1.0, 1.0]), np.array([[weight]]))
    gain = (linear.B.T @ P / weight)[0]
    force = -sum(sp.Float(k) * s for k, s in zip(gain, system.states, strict=True))
    return plant.replace(feedback={"u": force}, outputs={"u": force}).reduce()


def place_of(system: gc.ReducedSystem, law: ShapedLaw | None, phi: float, x: float) -> float:
    """The regulated place where the cart is at x and the pendulum at phi: z = x + C (k's integral)."""
    if law is None:
        return x
    p = system.params
    C = (1 + p["kappa"]) - 1 / p["rho"]
    return x + C * p["m"] * p["l"] / (p["M"] + p["m"]) * np.sin(phi)


def cart_at(system: gc.ReducedSystem, law: ShapedLaw | None, run: gc.Trajectory) -> np.ndarray:
    """Place of the cart along a run."""
    if law is None:
        return run["x"]
    return run["z"] - np.array([place_of(system, law, phi, 0.0) for phi in run["phi"]])


def start(system: gc.ReducedSystem, law: ShapedLaw | None, phi: float, x: float) -> np.ndarray:
    return system.state(**{"phi": phi, ("x" if law is None else "z"): place_of(system, law, phi, x)})


def edge(params: dict[str, float]) -> float:
    """Lean at which the law is singular: (1 + kappa) m cos^2 = M + m."""
    return float(np.arccos(np.sqrt((params["M"] + params["m"]) / ((1 + params["kappa"]) * params["m"]))))


def comes_home(system: gc.ReducedSystem, law: ShapedLaw | None, phi: float, x: float, span: float) -> bool:
    """Whether a run from rest reaches the upright rest; one that lies down has not."""
    lean = sp.Symbol("phi", real=True)
    stop = sp.pi / 2 if law is None else sp.Float(0.999 * edge(system.params))
    down = {"down": gc.Event(sp.Abs(lean) - stop, terminal=True)}
    try:
        run = gc.simulate(system, np.linspace(0, span, 61), start(system, law, phi, x), events=down)
    except (gc.SimulationError, gc.InputError):  # beyond where the law is regular
        return False
    return run.time[-1] >= span and bool(np.max(np.abs(run.states[:, -1])) < HOME)


def draw_run(pairs: dict, phi: float, x: float, span: float) -> Figure:
    """Lean, place of the cart and force of both laws from one start."""
    figure = Figure(figsize=(7.2, 6.0), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    for colour, (name, (system, law)) in zip(COLOURS, pairs.items(), strict=False):
        run = gc.simulate(system, np.linspace(0, span, 1201), start(system, law, phi, x))
        force = run.outputs[run.output_labels.index("u")]
        for ax, values in zip(axes, (np.degrees(run["phi"]), cart_at(system, law, run), force), strict=True):
            ax.plot(run.time, values, color=colour, linewidth=1.2, label=name)
    for ax, label in zip(axes, ("lean (degrees)", "cart (m)", "force (N)"), strict=True):
        quiet(ax, ylabel=label, xlabel="time (s)" if ax is axes[-1] else "")
    axes[0].legend(frameon=False)
    p = next(iter(pairs.values()))[0].params
    told = f"M = {p['M']:g} kg, m = {p['m']:g} kg, l = {p['l']:g} m, no limit of the force"
    words = f"From a lean of {np.degrees(phi):.0f} degrees, the cart {x:g} m from home"
    figure.suptitle(f"{words}\n{told}", fontsize=10)
    return figure


def largest_lean(
    system: gc.ReducedSystem, law: ShapedLaw | None, most: float, x: float, span: float, halvings: int
) -> float:
    """How far to one side the pendulum may lean at rest, from upright on, for the cart at x to come home."""
    low, high = 0.0, most
    if not comes_home(system, law, low, x, span):
        return 0.0
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if comes_home(system, law, middle, x, span) else (low, middle)
    return low


def region(
    system: gc.ReducedSystem, law: ShapedLaw | None, places: np.ndarray, span: float, halvings: int
) -> np.ndarray:
    """Leans to both sides up to which starts from rest come home: (places, 2)."""
    sides = (-MOST, MOST)
    return np.array([[largest_lean(system, law, s, x, span, halvings) for s in sides] for x in places])


def share(edges: np.ndarray) -> float:
    """Part of the leans within MOST that come home."""
    return float(np.mean(edges[:, 1] - edges[:, 0]) / (2 * MOST))


def draw_regions(found: dict, places: np.ndarray, loop: gc.ReducedSystem) -> Figure:
    """The edges of `region`, with the lean at which the matched law is singular."""
    singular = edge(loop.params)
    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    axes = figure.subplots(1, len(found), sharey=True)
    for ax, colour, (name, edges) in zip(axes, COLOURS, found.items(), strict=False):
        low, high = np.degrees(edges).T
        ax.fill_betweenx(places, low, high, color=colour, alpha=0.35, linewidth=0)
        ax.plot(low, places, color=colour, linewidth=1.2)
        ax.plot(high, places, color=colour, linewidth=1.2)
        ax.set_xlim(-np.degrees(MOST), np.degrees(MOST))
        if name != "LQR":
            for side in (-1, 1):
                ax.axvline(side * np.degrees(singular), color="black", linewidth=0.8, linestyle="--")
        quiet(ax, title=f"{name}: {share(edges):.0%} of the starts", xlabel="lean at the start (degrees)")
    axes[0].set_ylabel("cart at the start (m)")
    p = loop.params
    told = (
        f"M = {p['M']:g} kg, m = {p['m']:g} kg, l = {p['l']:g} m; dashed: where the matched law is singular"
    )
    figure.suptitle(f"Starts from rest that come home\n{told}", fontsize=10)
    return figure


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=Path("results/cart-pendulum"), help="folder for the figures"
    )
    parser.add_argument("--quick", action="store_true", help="a coarse map")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)

    law, gains, margin = matched()
    loop, linear = law.closed_loop(), lqr()
    told = ", ".join(f"{k} = {v:.4g}" for k, v in gains.items())
    damping = next(p.default for p in loop.mechanism.parameters if p.name == "k")
    print(f"matched law: {told}, damping k = {damping:.3g}, margin {margin:.3g} 1/s")
    print(f"singular at a lean of {np.degrees(edge(loop.params)):.1f} degrees")
    for name, system in (("matched", loop), ("LQR", linear)):
        eq = system.equilibrium("upright")
        slowest = -gc.linearize(system, eq).eigenvalues.real.max()
        print(f"{name:<8} {gc.certify(system, eq).verdict}, slowest decay {slowest:.3g} 1/s")
    pairs = {"matched law": (loop, law), "LQR": (linear, None)}
    n, halvings = (7, 4) if args.quick else (31, 8)
    places, span = np.linspace(-1.5, 1.5, n), 90.0
    found = {name: region(*pair, places, span, halvings) for name, pair in pairs.items()}
    for name, edges in found.items():
        print(f"{name:<12} brings {share(edges):.0%} of the starts home in {span:g} s")
    for name, figure in (
        ("run", draw_run(pairs, 0.35, 0.3, 12.0)),
        ("region", draw_regions(found, places, loop)),
    ):
        figure.savefig(args.out / f"{name}.png", dpi=160)
    print(f"figures in {args.out}")


if __name__ == "__main__":
    main()
