"""`print(mechanism)` gives one readable page; the command line shows the same."""

import re

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.cli import main

NAMED = ["pendulum-skate-rotor", "rolling-disk", "underwater-vehicle", "body-with-rotors", "rattleback"]


@pytest.mark.parametrize("name", NAMED)
def test_a_page_tells_what_the_description_holds(name):
    mechanism = gc.models.get(name)()
    text = mechanism.full()
    lines, words = text.splitlines(), " ".join(text.split())
    assert str(mechanism).splitlines()[:11] == lines[:11]
    assert lines[0] == f"{name}  [{mechanism.algebra.name}]"
    assert " object at 0x" not in text
    assert max(map(len, lines)) <= 79
    assert len(lines) <= 60
    for p in mechanism.parameters:
        (row,) = [line for line in lines if line.startswith(f"{p.name} ")]
        assert p.description in words
        assert p.unit in row
        assert f"{float(p.default):g}" in row
    for family in mechanism.equilibria:
        assert f"{family}(" in text
    for rotor in mechanism.rotors.names if mechanism.rotors else ():
        assert re.search(rf"\n  rotors .*\b{rotor}\b", text)
    for vector in mechanism.advected:
        assert f"{vector.name} = ({', '.join(map(str, vector.reference))})" in text
    count = 0 if mechanism.constraints is None else mechanism.constraints.rows
    assert text.count("\n  constraints ") == (count > 0)
    assert mechanism.source in words


def test_the_page_of_the_command_line_is_that_of_print(capsys):
    assert main(["models", "pendulum-skate-rotor"]) == 0
    out = capsys.readouterr().out
    mechanism = gc.models.get("pendulum-skate-rotor")()
    assert {w for w in mechanism.full().split() if set(w) != {"-"}} <= set(out.split())
    assert "conserved   energy, C1, C2" in out


def test_the_short_form_stays_short():
    for name in NAMED:
        facts = [line for line in repr(gc.models.get(name)()).splitlines() if not line.startswith("   ")]
        assert len(facts) == 4


def test_a_description_without_anything_has_a_page():
    text = str(gc.EulerPoincare(algebra=gc.so3(), inertia=sp.diag(1, 2, 2)))
    assert text.splitlines()[0] == "unnamed mechanism  [so3]"
    assert "parameter" not in text


def test_long_expressions_are_told_by_their_length():
    g = gc.AdvectedVector("Gamma")
    long = sp.Add(*(sp.Symbol("Gamma3", real=True) ** k / (k + 1) for k in range(1, 40)))
    text = gc.EulerPoincare(algebra=gc.so3(), inertia=sp.diag(1, 2, 2), advected=[g], potential=long).full()
    assert f"an expression of {len(str(long))} characters" in text


def test_a_page_names_the_space_in_words(capsys):
    for name, words in (
        ("whipple-bicycle", "se2 x R2 with phi, theta, delta"),
        ("acrobot", "q1, q2"),
        ("cart-pendulum", "R1 with phi"),
        ("coupled-bodies", "so3 x so3 x so3"),
    ):
        mechanism = gc.models.get(name)()
        assert str(mechanism).splitlines()[0] == f"{name}  [{words}]"
        assert f" on {words}: " in repr(mechanism)
        assert main(["models", name]) == 0
        assert f"[{words}]" in capsys.readouterr().out
    assert "  constraints blade: Y2 = 0" in str(gc.models.get("chaplygin-sleigh")())
