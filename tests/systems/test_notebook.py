"""What a notebook shows: a displayed formula, in time, and never a traceback."""

import re
import time

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.systems.typesetting import notebook
from geoctrl.systems.typesetting.notebook import displayed_formula, words

NAMED = ["pendulum-skate-rotor", "rolling-disk", "underwater-vehicle", "coupled-bodies", "free-rigid-body"]


def require_latex(text):
    """Displayed, with groups and environments closed in order, and nothing in text that ends it."""
    assert text.startswith("$\\displaystyle ")
    assert text.endswith("$")
    body = text[1:-1].replace(r"\$", "")
    assert "$" not in body
    open_ = []
    for token in re.findall(r"\\begin\{\w+\}|\\end\{\w+\}|\\[a-zA-Z]+|\\.|[{}]", body):
        if token.startswith(r"\begin") or token == "{":
            open_.append(token)
        elif token == "}":
            assert open_.pop() == "{"
        elif token.startswith(r"\end"):
            assert open_.pop() == token.replace("end", "begin")
    assert not open_
    for plain in re.findall(r"\\text\{((?:[^{}\\]|\\.)*)\}", body):
        assert not re.search(r"(?<!\\)[_^#%&$~]", plain), plain
    return body


@pytest.mark.parametrize("name", NAMED)
def test_mechanisms_and_systems_show_their_formulas(name, monkeypatch):
    monkeypatch.setattr(notebook, "SECONDS", 300.0)  # the formulas, whatever else the machine does
    mechanism = gc.models.get(name)()
    body = require_latex(mechanism._repr_latex_())
    assert body.count(r"\ell &=") == 1
    count = 0 if mechanism.constraints is None else mechanism.constraints.rows
    assert len(re.findall(r"= 0(?!\.)", body)) == count
    motion = require_latex(mechanism.reduce()._repr_latex_())
    assert r"\dot{\Omega}_{1}" in motion or r"\dot{v}_{1}" in motion


def test_laws_show_their_torques():
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5)
    for each in (law, law.with_damping(k=2.7)):
        body = require_latex(each._repr_latex_())
        assert r"u_{\theta} &=" in body
        assert r"\sigma" in body
    assert r"v_{2}" in body


def test_conditions_show_both_sides():
    skate = gc.models.get("pendulum-skate")().reduce()
    spinning = require_latex(gc.stability_conditions(skate, "spinning")._repr_latex_())
    assert r"\Omega_{0}^{2} > " in spinning
    sliding = require_latex(gc.stability_conditions(skate, "sliding")._repr_latex_())
    assert r"\text{always}" in sliding


def test_what_takes_too_long_says_so_in_time():
    def endless(_):
        while True:
            sp.Integer(1) + 1

    start = time.process_time()
    body = require_latex(displayed_formula(endless, 0.2))
    assert time.process_time() - start < 2.0  # the alarm rings again every half second until it is heard
    assert "not typeset within 0.2 s" in body


@pytest.mark.long(reason="above what takes too long is asked for its words after a fifth of a second")
def test_a_law_that_takes_minutes_to_cancel_says_so():
    matching = gc.match(gc.models.get("body-with-rotors")())
    body = require_latex(matching.law(matching.sigma)._repr_latex_())
    assert "not typeset within 3 s" in body


def test_what_cannot_be_derived_is_shown_in_words():
    mechanism = gc.EulerPoincare(algebra=gc.so3(), inertia=sp.diag(1, 2, -3))
    assert "DescriptionError: the inertia is not positive semidefinite" in require_latex(
        mechanism._repr_latex_()
    )


def test_every_character_of_a_text_is_printed():
    text = words("50 % of {a_b} & c#1, $x^2 ~ y, C:\\path")
    require_latex(f"$\\displaystyle {text}$")


def test_the_reader_of_these_tests_sees_what_is_wrong():
    """Negative control."""
    for wrong in (r"\text{a_b}", r"\frac{1}{2", r"\begin{aligned} 1 \end{array}", r"a $ b"):
        with pytest.raises((AssertionError, IndexError)):
            require_latex(f"$\\displaystyle {wrong}$")
