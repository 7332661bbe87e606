"""Sets of fields that are drawn, with basins in closed form; and what every set has: a way that is told, a
file, a picture, words where there is no theorem of it.
"""

import copy
import pickle
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.rocq import rocq_text
from tests.attack.forge.files_over_sets import falling_back, swinging

X, Y = sp.symbols("x y", real=True)


def drawn(seed, bend):
    """r' = -a r (1 - b r^2) with a turn, seen from X = x + c y, Y = y + s X^2; b r^2 of points, and pi/b.

    What comes home is all with r^2 < 1/b.
    """
    a, b, turn, s = (sp.Rational(int(v), 4) for v in np.random.default_rng(seed).integers(1, 9, 4))
    c, s = b - turn, s / 4 * bend
    r2 = X**2 + Y**2
    f, g = -a * X * (1 - b * r2) - turn * Y, -a * Y * (1 - b * r2) + turn * X
    f, g = (rate.subs(X, X - c * Y) for rate in (f + c * g, g))
    f, g = (sp.expand(rate.subs(Y, Y - s * X**2)) for rate in (f, g + 2 * s * X * f))

    def part(x):
        y = x[1] - float(s) * x[0] ** 2
        return float(b) * ((x[0] - float(c) * y) ** 2 + y**2)

    return gc.VectorField([X, Y], [f, g]).reduce(), part, float(sp.pi / b)


@pytest.mark.parametrize(
    ("seed", "bend", "degree", "least"),
    [
        (3, 0, 2, 0.95),
        *(
            pytest.param(seed, 1, 4, 0.3, marks=pytest.mark.long(reason="five seconds each, of the same"))
            for seed in range(5)
        ),
    ],
)
def test_a_set_lies_in_the_basin_and_holds_most_of_it(seed, bend, degree, least):
    system, part, area = drawn(seed, bend)
    found = gc.region_of_attraction(system, [0, 0], degree=degree, seconds=20)
    assert (found.method, found.verdict) == ("squares", gc.Verdict.PROVED_ATTRACTED)
    sides = [np.linspace(*map(float, ends), 301) for ends in found.extent.values()]
    grid = np.array(np.meshgrid(*sides)).reshape(2, -1)
    held = grid[:, found.value(grid) <= found.level]
    assert part(held).max() < 1
    cell = np.prod([side[1] - side[0] for side in sides])
    assert least * area < held.shape[1] * cell < area * 1.02


# -- every way ----------------------------------------------------------------------------------------------


@cache
def sets():
    """A set by each way, of one field and of one mechanism, and one of a function that is given."""
    field, pendulum = falling_back(), swinging()
    return {
        "slopes": gc.region_of_attraction(field, [0], by="slopes"),
        "squares": gc.region_of_attraction(field, [0], by="squares"),
        "energy": gc.region_of_attraction(pendulum, [0, 0], by="energy"),
        "given": gc.region_of_attraction(field, [0], lyapunov=X**2 + X**4),
    }


def test_the_way_is_told():
    assert {name: found.method for name, found in sets().items()} == {
        "slopes": "slopes",
        "squares": "squares",
        "energy": "energy",
        "given": "squares",
    }
    for degree in (1, 3, 5, 7, 9):
        with pytest.raises(gc.InputError, match="2, 4, 6 or 8"):
            gc.region_of_attraction(falling_back(), [0], degree=degree)


def test_a_function_that_is_given_is_proved_as_one_that_is_found():
    """x' = x^3 - x: all of |x| < 1, where x^2 + x^4 = 2. Its file has the same parts, and no other number."""
    given, found = sets()["given"], sets()["squares"]
    assert 1.99 < given.level <= 2
    data = given.to_dict()
    assert {*found.to_dict()["theorem"]} <= {*data["theorem"]}
    assert checker.check(data).verdict == "PROVED_ATTRACTED"
    refused = 0
    for path in numbers(data["theorem"]):
        for factor in (Fraction(-1), Fraction(1001, 1000)):
            changed = copy.deepcopy({k: v for k, v in data.items() if k != "digest"})
            holder = changed["theorem"]
            for key in path[:-1]:
                holder = holder[key]
            if Fraction(holder[path[-1]]) == 0:
                continue
            holder[path[-1]] = str(Fraction(holder[path[-1]]) * factor)
            with pytest.raises(checker.Refusal):
                checker.prove(changed)
            refused += 1
    assert refused > 10


def numbers(tree, path=()):
    """Places of texts that are rational numbers."""
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in children:
        yield from numbers(child, (*path, key))
    if isinstance(tree, str) and tree.lstrip("-").replace("/", "", 1).isdigit():
        yield path


@pytest.mark.parametrize("way", ["slopes", "squares", "energy", "given"])
def test_a_set_is_printed_pickled_saved_drawn_and_no_theorem_of_rocq(way, tmp_path):
    import matplotlib.pyplot as plt

    found = sets()[way]
    assert max(map(len, repr(found).splitlines())) <= 79
    again = pickle.loads(pickle.dumps(found))
    assert (repr(again), again.to_dict()) == (repr(found), found.to_dict())
    assert again.contains(np.zeros(len(found.point)))
    found.to_json(tmp_path / "set.json")
    read = gc.verify(tmp_path / "set.json")
    assert (read.verdict, read.claim) == (found.verdict, found.claim)
    with pytest.raises(gc.CertificateError, match="of which the library has no theorem"):
        rocq_text(found.to_dict())
    if len(found.point) == 2:
        plt.switch_backend("Agg")
        found.plot()
        plt.close("all")
