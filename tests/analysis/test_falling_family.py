"""Conditions by an energy that falls under friction of any odd degree: with their counterexamples."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict

x, y = gc.Coordinate("x"), gc.Coordinate("y")
X, Y, U, V = x.symbol, y.symbol, x.rate, y.rate
a, b, c, d = (
    gc.Parameter(name, value, positive=True) for name, value in zip("abcd", (2.0, 3.0, 0.7, 1.3), strict=True)
)
e = gc.Parameter("e", 0.4)
A, B, C, D, E = (p.symbol for p in (a, b, c, d, e))
SPRINGS = C * X**2 / 2 + D * Y**2 / 2 + X * Y


def carts(forces, potential=SPRINGS):
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=sp.diag(A, 2),
        potential=potential,
        forces=forces,
        parameters=[a, b, c, d, e],
        equilibria={"rest": gc.Family({})},
    ).reduce()


@pytest.mark.parametrize(
    ("forces", "expected"),
    [
        ([-A * U**3, -B * V**3], []),
        ([-B * U**5 - E * U**3, -(V**3)], [E > 0]),
        ([-E * U**3, 0], [E > 0]),
        ([-E * (U + V) ** 3, -E * (U + V) ** 3], [E > 0]),
        ([-E * U**3 / sp.sqrt(U**2 + B**2), 0], [E > 0]),
        ([-(X**2) * U, -(Y**2) * V**3], []),
        ([E * V**2 * U - U**3, -E * U**2 * V - V**3], []),
    ],
    ids=[
        "each",
        "two degrees",
        "one alone",
        "between them",
        "rounded",
        "where they are",
        "with what does no work",
    ],
)
def test_springs_with_friction_of_higher_order(forces, expected):
    """The potential has a minimum where c d > 1; a force without work may be of either sign."""
    found = gc.stability_conditions(carts(forces), "rest")
    assert set(found.stable) == {*expected, C * D - 1 > 0}
    assert found.unstable == [-C * D + 1 > 0]


@pytest.mark.parametrize(
    "forces",
    [
        [-(U**3), V**3],  # one pushes
        [-(U**2), 0],  # of even degree
        [-(U**3) * X, 0],  # of a sign that changes at the point
        [-E * U**3 + (U + V) ** 3, -(V**3) + (U + V) ** 3],
    ],
    ids=["pushed", "even", "changing", "pushed together"],
)
def test_what_need_not_fall_gives_no_condition(forces):
    found = gc.stability_conditions(carts(forces), "rest")
    assert found.stable == []
    assert "multipliers" in found.note or found.unstable


def test_with_an_invariant_the_energy_needs_a_minimum_on_its_levels_alone():
    """A cubic drag about the axes across: Pi3 is kept. At the top a spin does not help, below it need not."""
    top = gc.models.get("heavy-top")()
    w = top.algebra.xi
    k = gc.Parameter("k", 0.3)
    forces = [-k.symbol * w[0] ** 3, -k.symbol * w[1] ** 3, 0]
    slowed = top.replace(forces=forces, parameters=[*top.parameters, k]).reduce()
    hanging = gc.stability_conditions(slowed, "hanging", params={"I2": "I1"})
    spin = next(s for s in hanging.symbols if s.name == "Omega0")
    # E - Omega0 Pi3: its second variation at fixed Pi3 is I1 w^2 + m g l Gamma^2 but for k > 0.
    assert hanging.stable == [k.symbol > 0]
    assert spin in hanging.symbols
    assert not gc.stability_conditions(slowed, "sleeping", params={"I2": "I1"}).stable
    proved = gc.certify(slowed, slowed.equilibrium("hanging", Omega0=3, params={"I2": 0.9}))
    assert proved.verdict in (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE)


def test_they_agree_with_proofs_at_numbers():
    """Frictions drawn at random, with either sign, and springs with either sign."""
    rng, seen = np.random.default_rng(8), set()
    for _ in range(12):
        n = rng.integers(-2, 3, size=6).tolist()
        forces = [-n[0] * E * U**3 - n[1] * (U - V) ** 3, -n[2] * V**3 + n[1] * (U - V) ** 3 - n[3] * V**5]
        system = carts(forces, n[4] * C * X**2 / 2 + D * Y**2 / 2 + n[5] * X * Y / 2)
        found = gc.stability_conditions(system, "rest")
        for _ in range(2):
            params = {
                "c": float(rng.uniform(0.3, 3)),
                "d": float(rng.uniform(0.3, 3)),
                "e": float(rng.normal()),
            }
            mine = found.evaluate(params=params)
            verdict = gc.certify(system, system.equilibrium("rest", params=params)).verdict
            assert not (mine == 1 and verdict == Verdict.PROVED_UNSTABLE)
            assert not (
                mine == -1 and verdict.name.endswith("STABLE") and "UN" not in verdict.name.split("_")[1]
            )
            seen.add((int(mine), verdict))
    assert {m for m, _ in seen} == {1, 0, -1}
