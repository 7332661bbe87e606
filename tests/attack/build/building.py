"""What was drawn, built with geoctrl's public names, and its rates held against the oracle's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from scipy.linalg import null_space

import geoctrl as gc

from tests.attack.build.building_products import expression, rates_on_products, system_of, told
from tests.attack.build.building_shape import (
    as_rate,
    as_state,
    coordinates_of,
    heights_of,
    moved,
    standing_for,
    told_exactly,
    written_sides,
    written_slips,
)
from tests.attack.draw.mechanism import Mechanism, Products, Spheres
from tests.attack.oracle.oracle import Oracle, OracleError
from tests.attack.oracle.polynomials import Polynomial

ALGEBRAS = {
    "so3": gc.so3, "se3": gc.se3, "se2": gc.se2, "so2": gc.so2, "r1": lambda: gc.rn(1),
    "r2": lambda: gc.rn(2),
}  # fmt: skip


@dataclass
class Built:
    """A system of geoctrl's, the point in the form that `certify` takes, and its numbers.

    Attributes
    ----------
    system, place : the system; makes its equilibrium at parameters given
    exact : whether geoctrl is told the point in exact numbers
    """

    system: Any
    place: Callable[[dict], Any]
    exact: bool


def number_types(q: Fraction) -> list[Any]:
    """Equal numbers of many types."""
    found: list[Any] = [q, sp.Rational(q.numerator, q.denominator)]
    if q.denominator & (q.denominator - 1) == 0:
        found += [
            float(q),
            np.float64(float(q)),
            np.array(float(q)),
            Decimal(float(q)),
            np.longdouble(float(q)),
        ]
        if np.float32(float(q)) == q:
            found += [np.float32(float(q)), np.float16(float(q))]
    if q.denominator == 1:
        n = int(q)
        found += [n, np.int64(n), np.int32(n), np.int8(n), sp.Integer(n), Decimal(n), np.array(n)]
        found += [np.uint8(n), np.uint64(n)] if n >= 0 else []
        found += [True, np.bool_(True)] if n == 1 else []
    return found


def build(drawn: Mechanism | Spheres | Products) -> Built:
    parameters = [gc.Parameter(name, default, positive=default > 0) for name, _, default in drawn.parameters]
    if isinstance(drawn, Products):
        system, x = system_of(drawn, parameters), np.array([float(v) for v in told(drawn)])
        return Built(system, lambda _: x, False)
    if isinstance(drawn, Spheres):
        return _spheres(drawn, parameters)
    return _rotations(drawn, parameters) if drawn.kind == "rotations" else _group(drawn, parameters)


def parameters_of(drawn: Mechanism | Spheres | Products) -> dict[str, Any]:
    """The numbers of a draw, exact where a float would not be."""
    return {name: value for name, value, _ in drawn.parameters}


def _group(m: Mechanism, parameters: list) -> Built:
    mechanism = described(m, parameters)
    places = state_places(m, mechanism)
    family = gc.Family({k: told_exactly(m, i) for k, i in places.items()})
    system = mechanism.replace(equilibria={"drawn": family}).reduce()
    return Built(system, lambda params: system.equilibrium("drawn", params=params), True)


def described(m: Mechanism, parameters: list) -> gc.EulerPoincare:
    """A mechanism on a group, with coordinates or without, in geoctrl's words."""
    algebras = [ALGEBRAS[g]() for g in m.groups]
    algebra = None if not algebras else gc.product(*algebras) if len(algebras) > 1 else algebras[0]
    vectors = [
        gc.AdvectedVector(f"Ga{v + 1}_", reference=reference, of=factor + 1)
        for v, (factor, reference) in enumerate(m.vectors)
    ]
    heights, coordinates = heights_of(m, vectors), coordinates_of(m)
    rotors = None
    if m.s:
        rotors = gc.Rotors(coupling=_numbers(m.coupling), inertia=_numbers(m.rotor_inertia))
    symbols = [*(algebra.xi if algebra else ()), *(r.rate for r in coordinates)]
    symbols += [*(rotors.rates if rotors else ()), *(s for v in vectors for s in v.symbols)]
    symbols += [*(h.symbol for h in heights), *standing_for(m), *(p.symbol for p in parameters)]

    def matrix(rows: Sequence[Sequence[Polynomial]]) -> sp.Matrix:
        return sp.Matrix([[expression(e, symbols) for e in row] for row in rows])

    rows: Any = matrix(m.constraints).tolist() if m.constraints else None
    if rows and m.shape:
        rows = {f"row{a + 1}": row for a, row in enumerate(rows)}
    return gc.EulerPoincare(
        algebra=algebra,
        shape=coordinates,
        advected=[*vectors, *heights],
        inertia=matrix(m.inertia),
        potential=expression(m.potential, symbols),
        gyroscopic=[expression(e, symbols) for e in m.gyroscopic] if any(m.gyroscopic) else None,
        constraints=rows,
        reactions={f"along{k + 1}": [_number(c) for c in eta] for k, eta in enumerate(m.along)},
        leaf={f"loop{k + 1}": expression(p, symbols) for k, p in enumerate(m.closures)},
        frame=matrix(m.frame) if m.frame else None,
        rotors=rotors,
        forces=[expression(e, symbols) for e in m.forces] if any(m.forces) else None,
        friction=written_slips(m, symbols),
        domain=written_sides(m, symbols),
        invariants={name: expression(p, symbols) for name, p in m.invariants.items()},
        parameters=parameters,
        name="drawn",
    )


def _numbers(rows: Sequence[Sequence[Fraction]]) -> sp.Matrix:
    return sp.Matrix([[_number(v) for v in row] for row in rows])


def _number(q: Fraction) -> sp.Rational:
    return sp.Rational(q.numerator, q.denominator)


def state_places(m: Mechanism, mechanism: gc.EulerPoincare) -> dict[str, int]:
    """Variables of the oracle that geoctrl's states are; of an angle that of its cosine."""
    names = {label: i for i, label in enumerate(mechanism.velocity_labels)}
    names |= {str(s): m.n + m.s + i for i, s in enumerate(mechanism.advected_symbols)}
    names |= {r.name: m.held(k) for k, r in enumerate(mechanism.shape)}
    if m.frame:
        # A frame's columns are unit vectors but for the row that was solved for.
        kept = [i for i in range(m.n) if i != m.solved]
        names = {f"v{j + 1}": i for j, i in enumerate(kept)} | {k: i for k, i in names.items() if i >= m.n}
    elif m.constraints:
        # Which velocities, and which heights, are left is known once the system is reduced.
        names = {label: names[label] for label in mechanism.reduce().state_labels}
    return names


def _rotations(m: Mechanism, parameters: list) -> Built:
    bodies = len(m.groups)
    R, Omega = gc.rotations.symbols(bodies)
    symbols = [s for w in Omega for s in w] + [s for rows in R for s in rows] + [p.symbol for p in parameters]

    def vectors(rows: Sequence[Polynomial]) -> list[sp.Matrix]:
        return [sp.Matrix([expression(e, symbols) for e in rows[3 * b : 3 * b + 3]]) for b in range(bodies)]

    inertias = [
        sp.Matrix(
            [[expression(m.inertia[3 * b + i][3 * b + j], symbols) for j in range(3)] for i in range(3)]
        )
        for b in range(bodies)
    ]
    system = gc.rotations.RotationSystem(
        inertias=inertias,
        potential=expression(m.potential, symbols),
        linear=vectors(m.gyroscopic) if any(m.gyroscopic) else None,
        forces=vectors(m.forces) if any(m.forces) else None,
        invariants={name: expression(p, symbols) for name, p in m.invariants.items()},
        parameters=parameters,
    )
    x = np.array([float(v) for v in [*m.point[m.n :], *m.point[: m.n]]])
    return Built(system, lambda _: x, False)


def _spheres(drawn: Spheres, parameters: list) -> Built:
    n = drawn.n
    q, omega = gc.spheres.symbols(n)
    flat = [s for v in q for s in v]
    # Rates qdot = omega x q enter the forces.
    rates = [s for a, w in zip(q, omega, strict=True) for s in w.cross(a)]
    symbols = [*flat, *rates, *(p.symbol for p in parameters)]
    forces = [sp.Matrix([expression(f, symbols) for f in drawn.forces[3 * j : 3 * j + 3]]) for j in range(n)]
    system = gc.spheres.SphereSystem(
        mass=sp.Matrix([[expression(e, symbols) for e in row] for row in drawn.mass]),
        potential=expression(drawn.potential, symbols),
        forces=forces if any(drawn.forces) else None,
        parameters=parameters,
    )
    x = np.array([float(v) for v in drawn.point])
    return Built(system, lambda _: x, False)


def exactly_told(drawn: Mechanism | Spheres | Products, built: Built) -> bool:
    """Whether geoctrl was given the oracle's point to the last digit."""
    point = told(drawn) if isinstance(drawn, Products) else drawn.point
    return built.exact or all(Fraction(float(v)) == v for v in point)


def difference(
    drawn: Mechanism | Spheres | Products, built: Built, oracle: Oracle, rng: np.random.Generator
) -> float:
    """Greatest difference of geoctrl's rates from the oracle's at a random state, relative to its allowance.

    Allowed are 1e-9 of the greatest rate, and what rounding does where the mass is ill-conditioned.
    """
    params = {name: float(value) for name, value, _ in drawn.parameters}
    on = RATES[type(drawn)]
    ours, theirs, condition = on(drawn, built, oracle, rng, params)
    allowed = (1e-9 + np.finfo(float).eps * condition) * np.max(np.abs(ours), initial=1.0)
    return float(np.max(np.abs(ours - theirs), initial=0.0) / allowed)


def _rates_on_spheres(drawn: Spheres, built: Built, oracle: Oracle, rng: Any, params: dict) -> tuple:
    n = drawn.n
    q = rng.normal(size=(n, 3))
    q /= np.linalg.norm(q, axis=1)[:, None]
    omega = np.cross(q, rng.normal(size=(n, 3)))
    state = [*q.ravel(), *np.cross(omega, q).ravel()]
    first, second = oracle.rate_at(state).reshape(2, n, 3)
    ours = np.concatenate([first.ravel(), np.cross(q, second).ravel()])
    theirs = built.system.rhs(0.0, np.concatenate([q.ravel(), omega.ravel()]), None, params)
    return ours, theirs, np.linalg.cond(oracle.mass(state))


def _rates_on_groups(m: Mechanism, built: Built, oracle: Oracle, rng: Any, params: dict) -> tuple:
    state = turned(m, oracle, rng)
    rate = oracle.rate_at(state)
    order = order_of(m, built)
    ours = built.system.rhs(0.0, as_state(m, order, state), None, params)
    return as_rate(m, order, state, rate), ours, condition(oracle, state, [i for i in order if i < m.n])


def order_of(m: Mechanism, built: Built) -> list[int]:
    """The oracle's variables in the order of geoctrl's states."""
    if m.kind == "rotations":
        return [*range(m.n, m.size), *range(m.n)]
    return list(state_places(m, built.system.mechanism).values())


def condition(oracle: Oracle, state: np.ndarray, kept: Sequence[int]) -> float:
    """Condition of the mass that accelerations of the velocities kept are solved with, bounded from above.

    Constraints give xi = E v, and the mass of v is E^T G E: its condition is up to cond(G) cond(E)^2. With an
    orthonormal basis N of what the constraints admit, E is N over its rows of the velocities kept.
    """
    mass = oracle.mass(state)
    rows = rows_at(oracle, state)
    if not rows.size:
        return float(np.linalg.cond(mass))
    N = null_space(rows)
    return float(np.linalg.cond(mass) / np.linalg.svd(N[list(kept)], compute_uv=False)[-1] ** 2)


RATES: dict[type, Callable] = {
    Mechanism: _rates_on_groups,
    Spheres: _rates_on_spheres,
    Products: rates_on_products,
}


def turned(m: Mechanism, oracle: Oracle, rng: np.random.Generator) -> np.ndarray:
    """A random state that the motion can reach: each factor turned, velocities that obey the constraints."""
    state = _displaced(m, rng)
    if m.closures:
        state = _closed(m, oracle, state, rng)
    # Only velocities have to be moved onto the constraints, in which they are linear.
    rows, xi = rows_at(oracle, state), state[: m.n]
    state[: m.n] = xi - np.linalg.pinv(rows) @ (rows @ xi)
    return state


def rows_at(oracle: Oracle, state: np.ndarray) -> np.ndarray:
    """Rows of the constraints (r, n) at a state."""
    rows = np.array([[oracle.floats.at(e, state) for e in row] for row in oracle.floats.rows])
    return rows.reshape(-1, oracle.system.n)


def _displaced(m: Mechanism, rng: np.random.Generator) -> np.ndarray:
    state, turns = np.array([float(v) for v in m.point]), random_turns(m, rng)
    for v, (factor, _) in enumerate(m.vectors):
        state[m.place(v) : m.place(v) + 3] = turns[factor] @ state[m.place(v) : m.place(v) + 3]
    state[: m.n + m.s] += rng.normal(size=m.n + m.s)
    return moved(m, state, rng) if m.shape else state


def _closed(m: Mechanism, oracle: Oracle, state: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A state with its loops closed; where Newton's method gets nowhere, one near the point."""
    for size in (0.0, 0.0, 0.0, 0.3, 0.1, 0.01):
        near = oracle.nearby(m.point, size, rng) if size else oracle.retracted(state)
        arrived = oracle.off_leaf(near) < 1e-12 * max(1.0, float(np.max(np.abs(near)))) ** 2
        # Where rows are dependent or vanish velocities may be anything: Newton's method likes to end there.
        if arrived and np.linalg.svd(rows_at(oracle, near), compute_uv=False)[-1] > 1e-3:
            return near
        state = _displaced(m, rng)
    raise OracleError("no state on the leaf was found near the point")


def random_turns(m: Mechanism, rng: np.random.Generator) -> list[np.ndarray]:
    """A random rotation for each factor of a mechanism, about the third axis for groups of the plane."""
    found = []
    for group in m.groups:
        a = rng.normal(size=3) * ([0, 0, 1] if group in ("so2", "se2") else 1)
        angle = float(np.linalg.norm(a))
        a = a / angle
        K = np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
        found.append(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)
    return found
