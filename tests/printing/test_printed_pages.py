"""One standard of printing: 79 columns, 12 lines, no rounding, and `full` for what is left out."""

import enum
import inspect
import random
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._printing.printed_lines import LINES, WIDTH, on_one_page, short_form
from geoctrl._printing.record_lines import value_text
from geoctrl.synthesis.contract.law import Law
from tests.attack.parts.calls import MADE_BY_THE_PACKAGE
from tests.test_rooms import documented

CHATTER = re.compile(r"\d\.\d*(0{9}|9{9})\d+|(?<![\w.])-0(\.0*)?(?![\w.])|\d\.\d{16,}")
"""Digits that rounding leaves, and zeros with a sign."""

OWN_WORDS = {"EulerPoincare": "a summary, and a page by print", "FailedPoint": "a named tuple"}
OWN_WORDS["VectorField"] = OWN_WORDS["EulerPoincare"]
OWN_WORDS["ManifoldLaw"] = "a page as those of other laws, of which `full` is the loop"
"""Classes that do not print by their `_lines` alone, and why."""


def require_page(thing):
    """What an object prints is a page, and all of it is in its whole text."""
    for text in (repr(thing), str(thing)):
        lines = text.split("\n")
        assert len(lines) <= LINES, text
        assert max(map(len, lines)) <= WIDTH, text
        assert not CHATTER.search(text), text
    if callable(getattr(type(thing), "full", None)) and not isinstance(thing, Law):
        whole = thing.full()
        for line in str(thing).split("\n"):
            if ".full() prints the rest" not in line:
                begin = " ".join(line.removesuffix(" ...").split())
                assert begin in " ".join(whole.split())
        if max(map(len, whole.split("\n"))) <= WIDTH and whole.count("\n") < LINES:
            assert str(thing) == whole
    return str(thing)


def test_every_public_class_prints_by_the_standard():
    classes = {c for c in documented() if inspect.isclass(c) and not issubclass(c, BaseException)}
    classes |= {getattr(gc, name) for name in MADE_BY_THE_PACKAGE if inspect.isclass(getattr(gc, name, None))}
    assert len(classes) > 100
    others = {
        c.__name__
        for c in classes
        if c.__repr__ is not short_form and not issubclass(c, Law | enum.Enum) and c.__name__ not in OWN_WORDS
    }
    assert others == set()


@pytest.mark.parametrize("seed", range(40))
def test_any_facts_fit_a_page(seed):
    draw = random.Random(seed)
    facts = []
    for k in range(draw.choice([1, 3, 8, 30, 200])):
        longest = draw.choice([3, 9, 30, 200])
        words = ["w" * draw.randint(1, longest) + str(k) for _ in range(draw.choice([1, 10, 40, 2000]))]
        separator = draw.choice([" ", " ", "\n", ", ", " = "])
        facts.append(draw.choice(["", "  ", "  name: ", "  x = "]) + separator.join(words))
    lines = on_one_page(facts).split("\n")
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= WIDTH
    told = "".join("".join(facts).split())
    shown = "".join(" ".join(lines).split())
    cut = lines[-1] == "  ... .full() prints the rest"
    assert (shown == told) != cut


def test_long_facts_give_way_to_short_ones():
    claim = "The equilibrium " + "p = 1, " * 400
    lines = on_one_page(["<Title>", f"  {claim}", "  method: spectrum", "  modes: none"]).split("\n")
    assert lines[0] == "<Title>"
    assert lines[-3:] == ["  method: spectrum", "  modes: none", "  ... .full() prints the rest"]
    assert lines[-4].endswith(" ...")


def test_values_are_told_without_their_rounding():
    assert value_text([0.1 + 0.2, -0.0, 1 / 3]) == "[0.3, 0, 0.333333333333]"
    assert value_text(np.array([1.0, 1e-17])) == "[1, 0]"
    assert value_text({"a": (1,), "b": None, "c": True}) == "{'a': (1,), 'b': None, 'c': True}"
    assert value_text(np.zeros((3, 100))) == "array of shape (3, 100)"


# -- objects, small and large --------------------------------------------------------------------------


@cache
def large():
    """Twenty coordinates with long names, coupled in a row, of which the middle one is driven."""
    q = [gc.Coordinate(f"deflection_of_mass_{k + 1}", unit="m") for k in range(10)]
    ends = [0, *(c.symbol for c in q), 0]
    stiff = gc.Parameter("stiffness_of_every_spring_in_the_row", 3.0, "N/m", "the same " * 20)
    mass = gc.Parameter("m", 0.3, "kg")
    potential = sum(stiff.symbol * (a - b) ** 2 / 2 for a, b in pairwise(ends))
    push = sp.Symbol("push", real=True)
    return gc.EulerPoincare(
        algebra=None, shape=q, inertia=mass.symbol * sp.eye(10), potential=potential,
        parameters=[stiff, mass], inputs=["push"], name="row of masses",
        forces=[push if k == 5 else 0 for k in range(10)], equilibria={"rest": gc.Family({})},
    )  # fmt: skip


@cache
def skate():
    return gc.models.get("pendulum-skate-rotor")().reduce()


@cache
def cart():
    return gc.models.get("cart-pendulum")().reduce()


def test_a_large_mechanism_and_what_is_made_of_it():
    system = large().reduce()
    point = system.equilibrium("rest")
    require_page(large())
    page = large().full()
    assert all(c.name in page for c in large().shape)
    assert max(map(len, page.split("\n"))) <= WIDTH
    assert " kg" in page
    for thing in (system, system.equations(), system.leaf, system.scales(point), point):
        require_page(thing)
    run = gc.simulate(system, np.linspace(0, 1, 5), point.x + 1e-3)
    require_page(run)
    assert "deflection_of_mass_10_dot" in run.full()
    for thing in (gc.linearize(system, point), gc.certify(system, point), gc.lqr(system, point)):
        require_page(thing)


def test_results_of_a_loop():
    eq = cart().equilibrium("upright")
    law = gc.lqr(cart(), eq)
    held = law.sampled(rate=100, limits={"u": 5.0}, offset={"phi": 0.1 + 0.2})
    lin = gc.linearize(cart(), eq)
    run = gc.simulate(cart(), np.linspace(0, 1, 9), eq.x + 0.01, controller=held)
    for thing in (
        law, held, lin, run, lin.controllable(), lin.observable("phi"), cart().mechanism, cart().equations(),
        cart().scales(eq), gc.certify(law.closed_loop(), law.equilibrium), gc.Event(cart().states[0]),
        gc.discover_invariants(skate(), max_degree=1), gc.match(skate().mechanism),
        gc.stability_conditions(skate(), "sliding"), skate().leaf, skate().mechanism.rotors,
    ):  # fmt: skip
        require_page(thing)
    assert "phi=0.0" not in repr(eq)
    assert "m/s^2" in repr(cart())


def test_parts_of_descriptions():
    x = sp.Symbol("x", real=True)
    long = sum(sp.Symbol(f"a_long_name_{k}", real=True) ** k for k in range(60))
    for thing in (
        gc.Coordinate("q", "m", description="words " * 99), gc.Parameter("k", 0.1 + 0.2, "N/m"),
        gc.AdvectedVector("Gamma"), gc.Family({"q": long}), gc.Friction([1, 0], viscous=long),
        gc.Motor(constant=0.1 + 0.2, resistance=2), gc.TorqueSpeed(stall=1.0, no_load=3.0),
        gc.so3(), gc.rn(40), gc.Hinge("a", axis=(0, 0, 1)), gc.Block((1, 2, 3)), gc.Disk(0.1 + 0.2),
        gc.Quasicoordinate("s", long * x),
    ):  # fmt: skip
        require_page(thing)


def test_many_at_once():
    ens = gc.simulate_ensemble(cart(), np.linspace(0, 1, 5), np.full((4, 3), 0.01))
    for thing in (
        ens,
        gc.spheres.chain_pendulum([1.0] * 12, [0.1] * 12),
        gc.Draws(np.random.default_rng, 3, 1),
    ):
        require_page(thing)
    found = gc.sweep(lambda a: {f"value_{k}": a for k in range(30)}, {"a": [0.1 + 0.2, 1.0]})
    require_page(found)
    assert "value_29" in found.full()
