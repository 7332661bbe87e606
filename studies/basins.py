"""How much of a basin is proved: starts on a grid are run, and those in proved sets are counted among those
that come home.

Fields and loops are asked by functions of rising degree. Of each set are told the share of the starts that
come home, and how many of its own starts, and of starts at its edge, do not: there may be none. Where an
output has a limit, a start that leaves it does not come home. Files are written and checked, and a picture
shows the sets of five of them in a plane through the equilibrium.

    python studies/basins.py --out basins --edge 1000
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import process_time
from types import MappingProxyType
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sympy as sp

import geoctrl as gc

NEAR = 1e-2
"""Of the box of starts, how near to the equilibrium a run has come home."""
FAR = 1e3
"""Of the same, where a run is given up."""
EDGE, SCAN, HALVINGS = 1 - 1e-6, 400, 40
"""Of the way to the edge, at which starts lie; steps along a ray, and halvings of the one that passes it."""
COARSE, FINE = 81, 201
"""Of the side of a plane, starts that are run, and points at which functions are drawn."""
SLOPES = 0
"""In place of a degree: the set by slopes."""
QUICKLY, SECONDS = 5.0, 60.0
"""For a set by slopes, and for one by squares unless others are asked for."""
X, Y, Z = sp.symbols("x y z", real=True)


class Case(NamedTuple):
    """A system with its point and limits of outputs; half the box of starts about the point, with how many
    of them a side; when a run has to be home, and its step; degrees of functions; angles that are at home
    after whole turns, too.
    """

    system: gc.ReducedSystem
    point: Any
    box: dict[str, float]
    count: int
    end: float
    step: float
    degrees: Sequence[int]
    limits: Mapping[str, float] = MappingProxyType({})
    turned: Sequence[str] = ()

    @property
    def home(self) -> np.ndarray:
        """The equilibrium as a state."""
        return np.array(self.point if isinstance(self.point, list) else self.point.x, dtype=float)

    def proved(self, degree: int, seconds: float = SECONDS) -> gc.AttractedSet:
        """The set of a function of a degree, or by slopes."""
        how: dict[str, Any] = {"by": "slopes"} if degree == SLOPES else {"by": "squares"}
        if degree > 2:
            how = {"degree": degree}
        if degree == SLOPES:
            seconds = QUICKLY
        return gc.region_of_attraction(self.system, self.point, limits=self.limits, seconds=seconds, **how)


def field(
    name: str, rates: Sequence[sp.Expr], box: dict[str, float], point: Sequence[int] = (), **more: Any
) -> Case:
    """A field of two or three states."""
    states = [X, Y, Z][: len(rates)]
    system = gc.VectorField(states, [sp.expand(f) for f in rates], name=name).reduce()
    options = {"count": 101, "end": 60.0, "step": 0.02, "degrees": (2, 4, 6)} | more
    return Case(system, list(point) or [0] * len(states), box, **options)


def generator() -> Case:
    """A machine at an infinite bus that turns at sin = 3/5: beyond the other rest it falls out of step."""
    states = [gc.Coordinate("x", angle=True), "w"]
    x, w = states[0].symbol, sp.Symbol("w", real=True)
    rates = {"x": w, "w": sp.Rational(3, 5) * (1 - sp.cos(x)) - sp.Rational(4, 5) * sp.sin(x) - w / 2}
    system = gc.VectorField(states, rates, name="machine at a bus").reduce()
    return Case(system, [0, 0], {"x": np.pi, "w": 3.0}, 101, 80.0, 0.04, (2, 4), turned=("x",))


def pendulum() -> Case:
    """Upright, held by a motor that may do no more than half of what its weight does lying down."""
    phi, u = gc.Coordinate("phi", angle=True), sp.Symbol("u", real=True)
    plant = gc.EulerPoincare(
        algebra=None, shape=[phi], inertia=[[1]], potential=sp.cos(phi.symbol), forces=[u], inputs=["u"],
        outputs={}, equilibria={"upright": gc.Family({})}, name="pendulum",
    ).reduce()  # fmt: skip
    loop = gc.lqr(plant, plant.equilibrium("upright")).closed_loop()
    box = {"phi": 0.8, "phi_dot": 0.8}
    return Case(loop, loop.equilibrium("upright"), box, 101, 40.0, 0.02, (SLOPES, 2, 4), {"u": 0.5})


def cart() -> Case:
    """The cart with its pendulum and a regulator of unit weights."""
    plant = gc.models.get("cart-pendulum")().reduce()
    loop = gc.lqr(plant, plant.equilibrium("upright")).closed_loop()
    box = {"x_dot": 6.0, "phi_dot": 12.0, "phi": 1.6}
    return Case(loop, loop.equilibrium("upright"), box, 31, 30.0, 0.01, (SLOPES, 2))


WHEELS = {
    "M": 35, "m": 4, "R": 0.25, "d": 0.3, "l": 0.9, "Ix": 3, "Iy": 2.5, "Iz": 1.2, "Jw": 0.12, "Jd": 0.07,
}  # fmt: skip
"""Of the body and a wheel: masses, radius, half the track, height, moments of inertia."""


def two_wheels() -> tuple[gc.ReducedSystem, gc.Equilibrium, np.ndarray]:
    """A body on two wheels that roll, upright: yaw rate, speed of the axle, pitch, a motor at each wheel."""
    parameters = [gc.Parameter(k, value, positive=True) for k, value in {**WHEELS, "g": 9.81}.items()]
    M, m, R, d, length, Ix, Iy, Iz, Jw, Jd, g = (p.symbol for p in parameters)
    se2, pitch = gc.se2(), gc.Coordinate("pitch", angle=True)
    (om, vx, vy), a, rate = se2.xi, pitch.symbol, pitch.rate
    s, c = sp.sin(a), sp.cos(a)
    v = sp.Matrix([vx + length * c * rate, vy + om * length * s, -length * s * rate])
    w = sp.Matrix([-om * s, rate, om * c])
    T = M * v.dot(v) / 2 + (Ix * w[0] ** 2 + Iy * w[1] ** 2 + Iz * w[2] ** 2) / 2
    for side in (1, -1):
        wheel = vx - side * d * om
        T += m * (wheel**2 + vy**2) / 2 + Jw * (wheel / R) ** 2 / 2 + Jd * om**2 / 2
    left, right = sp.symbols("u_l u_r", real=True)
    plant = gc.EulerPoincare(
        name="two wheels", algebra=se2, shape=[pitch], lagrangian=T - M * g * length * c,
        constraints={"side": [0, 0, 1, 0]}, inputs=["u_l", "u_r"], parameters=parameters,
        forces=[-(left - right) * d / R, (left + right) / R, 0, -(left + right)],
        equilibria={"upright": gc.Family({})},
    ).reduce()  # fmt: skip
    law = gc.lqr(plant, plant.equilibrium("upright"), R={"u_l": 0.01, "u_r": 0.01})
    loop = law.closed_loop()
    return loop, loop.equilibrium("upright"), np.array(law.K)


def wheels() -> Case:
    """The body on two wheels with its regulator."""
    loop, upright, _ = two_wheels()
    box = {"Omega": 1.0, "Y1": 0.5, "pitch_dot": 0.5, "pitch": 0.1}
    return Case(loop, upright, box, 13, 15.0, 0.01, (SLOPES,))


CASES: dict[str, Callable[[], Case]] = {
    "cycle": lambda: field(
        "van der Pol, reversed", [-Y, X - (1 - X**2) * Y], {"x": 2.2, "y": 2.9}, degrees=(2, 4, 6, 8)
    ),
    "hyperbolas": lambda: field("up to xy = 1", [-X + 2 * X**2 * Y, -Y], {"x": 4.0, "y": 4.0}),
    "saddles": lambda: field("between two saddles", [Y, -X + X**3 - Y], {"x": 1.5, "y": 2.0}),
    "species": lambda: field(
        "two species", [X * (1 - X - 2 * Y), Y * (1 - Y - 2 * X)], {"x": 1.5, "y": 1.5}, (1, 0)
    ),
    "generator": generator,
    "lorenz": lambda: field(
        "Lorenz, one of two", [10 * (Y - X), 9 * X - Y - X * Z, X * Y - 2 * Z],
        {"x": 10.0, "y": 14.0, "z": 12.0}, (4, 4, 8), count=15, step=0.01, end=25.0, degrees=(2, 4),
    ),
    "pendulum": pendulum,
    "cart": cart,
    "two-wheels": wheels,
}  # fmt: skip


# -- runs ---------------------------------------------------------------------------------------------------


def grid(case: Case) -> np.ndarray:
    """Starts (n, N): all combinations of numbers along the sides of the box."""
    sides = [
        case.home[k] + np.linspace(-1, 1, case.count) * case.box[label]
        for k, label in enumerate(case.system.state_labels)
    ]
    return np.array(np.meshgrid(*sides, indexing="ij")).reshape(len(sides), -1)


def come_home(case: Case, starts: np.ndarray) -> np.ndarray:
    """Which starts end at the equilibrium, outputs within their limits, by Runge and Kutta's steps."""
    sizes = np.array([case.box[k] for k in case.system.state_labels])[:, None]
    x, home, h = starts.copy(), case.home[:, None], case.step
    left = np.ones(x.shape[1], dtype=bool)
    places = [case.system.output_labels.index(k) for k in case.limits]
    bounds = np.array(list(case.limits.values()))[:, None]
    for _ in range(round(case.end / h)):
        now = np.flatnonzero(left)
        if not len(now):
            break
        y = x[:, now]
        if places:
            outputs = np.reshape(case.system.outputs(0.0, y), (len(case.system.output_labels), -1))
            left[now] &= np.all(np.abs(outputs[places]) <= bounds * (1 + 1e-9), axis=0)
        a = case.system.rhs(0.0, y)
        b = case.system.rhs(0.0, y + h / 2 * a)
        c = case.system.rhs(0.0, y + h / 2 * b)
        d = case.system.rhs(0.0, y + h * c)
        x[:, now] = y = y + h / 6 * (a + 2 * b + 2 * c + d)
        left[now] &= np.all(np.abs(y - home) < FAR * sizes, axis=0)
    away = x - home
    for k in (case.system.state_labels.index(label) for label in case.turned):
        away[k] = np.remainder(away[k] + np.pi, 2 * np.pi) - np.pi
    return left & np.all(np.abs(away) < NEAR * sizes, axis=0)


def edge(case: Case, roa: gc.AttractedSet, count: int) -> np.ndarray:
    """Starts just within the edge on random rays from the point, where V first has its level."""
    home = case.home[:, None]
    sizes = [max(abs(end - roa.point[k]) for end in roa.extent[k]) for k in case.system.state_labels]
    ways = np.random.default_rng(23).normal(size=(len(sizes), count))
    ways *= np.array(sizes)[:, None] / np.linalg.norm(ways, axis=0)
    radii = np.linspace(0, 1.01 * np.sqrt(len(sizes)), SCAN + 1)[1:]  # beyond the box that holds the set
    above = np.array([roa.value(home + r * ways) > roa.level for r in radii])
    high = radii[np.argmax(above, axis=0)]
    low = high - radii[0]
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        out = roa.value(home + middle * ways) > roa.level
        low, high = np.where(out, low, middle), np.where(out, middle, high)
    return home + EDGE * low * ways


# -- the study ----------------------------------------------------------------------------------------------


def counts(
    case: Case, starts: np.ndarray, home: np.ndarray, roa: gc.AttractedSet, count: int
) -> dict[str, Any]:
    """The share of the starts that come home which a set holds, and how many of its own and of so many at its
    edge do not.
    """
    inside = roa.value(starts) < roa.level
    return {
        "share": round(float((inside & home).sum() / home.sum()), 4),
        "away": int((inside & ~home).sum()),
        "edge": count,
        "edge_away": int((~come_home(case, edge(case, roa, count))).sum()),
    }


def row_of(
    name: str, out: Path, count: int, seconds: float = SECONDS
) -> tuple[dict[str, Any], list[gc.AttractedSet]]:
    """What is found of one case; its files are written and checked."""
    case = CASES[name]()
    starts = grid(case)
    home = come_home(case, starts)
    row: dict[str, Any] = {"starts": starts.shape[1], "home": int(home.sum()), "sets": {}}
    sets = []
    for degree in case.degrees:
        begun = process_time()
        roa = case.proved(degree, seconds)
        taken = process_time() - begun
        sets.append(roa)
        told = "slopes" if degree == SLOPES else str(degree)
        path = out / f"{name}-{told}.json"
        roa.to_json(path)
        gc.verify(path)
        extent = {k: [round(v, 4) for v in ends] for k, ends in roa.extent.items()}
        own = {"seconds": round(taken, 1), "extent": extent, "reason": roa.reason}
        row["sets"][told] = counts(case, starts, home, roa, count) | own
    return row, sets


def draw(ax: Any, name: str, sets: Sequence[gc.AttractedSet]) -> None:
    """Starts in the plane of two states that come home, and edges of sets there."""
    case = CASES[name]()
    labels = list(case.system.state_labels)
    x, y = list(case.box)[:2] if len(labels) == 2 else ("phi", "phi_dot")
    places = labels.index(x), labels.index(y)
    low, high = ([case.home[k] + sign * case.box[labels[k]] for k in places] for sign in (-1, 1))

    def plane(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        across, up = np.meshgrid(*(np.linspace(a, b, count) for a, b in zip(low, high, strict=True)))
        states = np.tile(case.home[:, None], across.size)
        states[places[0]], states[places[1]] = across.ravel(), up.ravel()
        return across, up, states

    across, up, states = plane(COARSE)
    home = come_home(case, states).reshape(across.shape)
    ax.contourf(across, up, home.astype(float), levels=[0.5, 1.5], colors=["#e3e3e3"])
    across, up, states = plane(FINE)
    for roa, degree, colour in zip(sets, case.degrees, ("C0", "C1", "C2", "C3"), strict=False):
        V = roa.value(states).reshape(across.shape) / roa.level
        ax.contour(across, up, V, levels=[1.0], colors=[colour], linewidths=1.3)
        told = "slopes" if degree == SLOPES else f"degree {degree}"
        ax.plot([], [], color=colour, label=told)
    ax.plot(*case.home[list(places)], "k.", ms=4)
    ax.set(xlabel=x, ylabel=y, title=case.system.mechanism.name)
    ax.legend(fontsize=7, frameon=False, loc="upper right")


def picture(out: Path, found: dict[str, list[gc.AttractedSet]]) -> None:
    """The planes of the cases of which there is one."""
    shown = [k for k in found if k not in ("lorenz", "two-wheels")][:6]
    if not shown:
        return
    columns = min(len(shown), 3)
    rows = -(-len(shown) // columns)
    fig, axes = plt.subplots(
        rows, columns, figsize=(3.7 * columns, 3.2 * rows), layout="constrained", squeeze=False
    )
    for ax, name in zip(axes.ravel(), shown, strict=False):
        draw(ax, name, found[name])
    for ax in axes.ravel()[len(shown) :]:
        ax.set_visible(False)
    fig.savefig(out / "basins.png", dpi=130)
    plt.close(fig)


def main() -> None:
    """Ask, check, run, tell, draw."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("basins"))
    parser.add_argument("--edge", type=int, default=1000, help="starts at each edge (default 1000)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of each search (default 60)")
    parser.add_argument("--only", nargs="+", choices=CASES, default=list(CASES))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows, found = {}, {}
    for name in args.only:
        rows[name], found[name] = row_of(name, args.out, args.edge, args.seconds)
        told = [
            f"{k}: {r['share']} ({r['away']} of its starts, {r['edge_away']} of {r['edge']} at its edge "
            f"away), {r['seconds']} s"
            for k, r in rows[name]["sets"].items()
        ]
        print(f"{name}, {rows[name]['home']} of {rows[name]['starts']} home; " + "; ".join(told), flush=True)
    (args.out / "basins.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    picture(args.out, found)


if __name__ == "__main__":
    main()
