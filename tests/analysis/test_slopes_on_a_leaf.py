"""Sets by slopes on a leaf, and on levels of what is conserved: closed forms, runs and changed files."""

import copy
from functools import cache

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker


@cache
def circle(radius=1, sense=1):
    """An angle with theta' = -sense sin(theta), told by its cosine and sine; (-radius, 0) rests too."""
    x, y = sp.symbols("x y", real=True)
    rates = [sense * y**2 / radius, -sense * x * y / radius]
    return gc.VectorField([x, y], rates, leaf=[x**2 + y**2 - radius**2], name="circle").reduce()


@cache
def circle_set(radius=1):
    return gc.region_of_attraction(circle(radius), [radius, 0], by="slopes", seconds=60)  # ends in three


def on_circle(angle, radius=1):
    return radius * np.array([np.cos(angle), np.sin(angle)])


def largest_angle(roa, radius=1):
    angles = np.linspace(0, np.pi, 2001)
    return angles[roa.contains(on_circle(angles, radius))].max()


def test_a_set_on_a_circle_keeps_away_from_the_other_point_of_rest():
    roa = circle_set()
    assert roa.verdict is gc.Verdict.PROVED_ATTRACTED
    assert 0.9 < largest_angle(roa) < np.pi
    assert "a leaf of dimension 1 at the equilibrium" in roa.claim
    assert not roa.contains(np.array([1.01, 0.0]))  # beside the leaf nothing is claimed
    run = gc.simulate(circle(), np.linspace(0, 30, 31), on_circle(largest_angle(roa)))
    V = roa.value(run.states)
    assert np.all(np.diff(V[V > 1e-12]) < 0)
    assert V[-1] < 1e-9


def test_it_is_as_large_in_other_units():
    assert 0.9 < largest_angle(circle_set(4096), 4096) < np.pi


def test_what_is_left_has_none():
    with pytest.raises(gc.CertificateError, match="does not decay"):
        gc.region_of_attraction(circle(1, -1), [1, 0], by="slopes", seconds=1)


@cache
def frozen_set():
    """x' = -x + c x^2 y + y c, y' = -y, c' = 0: about the point on the level c = 0 alone."""
    x, y, c = sp.symbols("x y c", real=True)
    rates = [-x + x**2 * y + c, -y, 0]
    field = gc.VectorField([x, y, c], rates, invariants={"C": c}, name="frozen").reduce()
    return field, gc.region_of_attraction(field, [0, 0, 0], by="slopes", seconds=0.6)


def test_levels_are_held_where_the_leaf_alone_does_not_decay():
    field, roa = frozen_set()
    assert roa.levels == ("C",)
    assert "with C as at the equilibrium" in roa.claim
    assert roa.contains([0.1, 0.1, 0.0])
    assert not roa.contains([0.1, 0.1, 1e-3])
    assert np.abs(gc.simulate(field, [0, 30], [0.1, 0.1, 1e-3]).states[0, -1]) > 5e-4


def rewritten(roa, change):
    body = copy.deepcopy({k: v for k, v in roa.to_dict().items() if k != "digest"})
    change(body["theorem"])
    return body | {"digest": checker.digest_of(body)}


def times(row, by):
    return [str(fmpq(c) * by) for c in row]


MUTANTS = {
    "no multipliers": lambda t: t.pop("multipliers"),
    "multipliers of zero": lambda t: t.update(multipliers=[times(r, 0) for r in t["multipliers"]]),
    "multipliers of the other sign": lambda t: t.update(multipliers=[times(r, -1) for r in t["multipliers"]]),
    "large multipliers": lambda t: t.update(multipliers=[times(r, 64) for r in t["multipliers"]]),
    "a multiplier too many": lambda t: t["multipliers"].append(t["multipliers"][0]),
    "short multipliers": lambda t: [row.pop() for row in t["multipliers"]],
    "a larger level": lambda t: t.update(level="3", cells="."),
    "no dimension of the leaf": lambda t: t["leaf"].update(rows=[], free=["x"]),
    "a level that is none": lambda t: t.update(levels=["C"], multipliers=t["multipliers"] * 2),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_changed_files_are_refused(name):
    assert checker.check(circle_set().to_dict()).verdict == "PROVED_ATTRACTED"
    with pytest.raises(checker.Refusal):
        checker.check(rewritten(circle_set(), MUTANTS[name]))


def test_a_level_that_is_not_held_is_refused():
    _, roa = frozen_set()

    def without(theorem):
        del theorem["levels"], theorem["multipliers"]

    with pytest.raises(checker.Refusal, match="falls"):
        checker.check(rewritten(roa, without))


@pytest.mark.long(reason="a cube with three wheels: nine states on a leaf and a level")
def test_starts_of_a_cube_on_its_corner_come_home():
    wheel, side = sp.eye(3) / 2000, sp.ones(3, 1) * sp.Rational(3, 40)
    up = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    inertia = sp.Rational(27, 4000) * (sp.Rational(11, 3) * sp.eye(3) - sp.ones(3, 3)) + wheel
    cube = gc.EulerPoincare(
        name="cube",
        algebra=gc.so3(),
        advected=[up],
        inertia=inertia,
        potential=12 * side.dot(sp.Matrix(up.symbols)),
        rotors=gc.Rotors(coupling=wheel, inertia=wheel, names=["w1", "w2", "w3"]),
        equilibria={"corner": gc.Family({f"Gamma{k}": 1 / sp.sqrt(3) for k in (1, 2, 3)})},
    ).reduce()
    weights = {f"Gamma{k}": 100 for k in (1, 2, 3)} | {f"w{k}_dot": 0.001 for k in (1, 2, 3)}
    law = gc.lqr(cube, cube.equilibrium("corner"), Q=weights | {f"Omega{k}": 1 for k in (1, 2, 3)}, R=1000)
    loop = law.closed_loop()
    eq = loop.equilibrium("corner")
    roa = gc.region_of_attraction(loop, eq, seconds=15)
    assert roa.method == "slopes"
    (name,) = roa.levels
    rng, W = np.random.default_rng(1), np.linalg.inv(np.linalg.cholesky(roa.matrix)).T
    for _ in range(12):
        way, length = W @ rng.normal(size=len(eq.x)), 1.0
        while not roa.contains(start := near(loop, eq.x + length * way, name)):
            length *= 0.8
        run = gc.simulate(loop, np.linspace(0, 12, 49), start)
        V = roa.value(run.states)
        assert V[0] > 0.3
        assert np.all(np.diff(V[V > 1e-9]) < 0)
        assert V[-1] < 1e-9


def near(loop, x, name):
    """A state of the cube on its leaf, with the momentum about the vertical that it has at rest."""
    x[6:] /= np.linalg.norm(x[6:])
    return loop.on_levels(x, {name: 0.0})
