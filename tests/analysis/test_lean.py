"""Files of Lean say what is true: every definition and statement is read back and evaluated in rationals."""

import re
from fractions import Fraction
from random import Random

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import CertificateError

TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|[-+*/^()])")


class Reader:
    """Expressions of Lean in rationals: numbers, names, applications, + - * / ^ and parentheses."""

    def __init__(self, text, values, functions):
        self.tokens, place = [], 0
        while place < len(text.rstrip()):
            found = TOKEN.match(text, place)
            assert found, f"no token of an expression at {text[place : place + 30]!r}"
            self.tokens.append(found[1])
            place = found.end()
        self.values, self.functions = values, functions

    def value(self):
        result = self.sum()
        assert not self.tokens, f"left over: {self.tokens[:5]}"
        return result

    def next(self):
        return self.tokens[0] if self.tokens else None

    def sum(self):
        result = -self.product() if self.take("-") else self.product()
        while self.next() in ("+", "-"):
            result += self.product() if self.tokens.pop(0) == "+" else -self.product()
        return result

    def take(self, token):
        if self.next() == token:
            self.tokens.pop(0)
            return True
        return False

    def product(self):
        result = self.power()
        while self.next() in ("*", "/"):
            result = result * self.power() if self.tokens.pop(0) == "*" else result / self.power()
        return result

    def power(self):
        result = self.application()
        return result ** int(self.tokens.pop(0)) if self.take("^") else result

    def application(self):
        name = self.next()
        if name in self.functions:
            self.tokens.pop(0)
            count, function = self.functions[name]
            return function(*(self.atom() for _ in range(count)))
        return self.atom()

    def atom(self):
        token = self.tokens.pop(0)
        if token == "(":
            result = self.sum()
            assert self.take(")"), "a parenthesis is not closed"
            return result
        if token.isdigit():
            return Fraction(int(token))
        assert token in self.values, f"{token} is not declared"
        return self.values[token]


def declared(text):
    """Functions by name: how many arguments they take, and what evaluates them."""
    functions = {}
    for name, letters, body in re.findall(r"^def (\w+) \((.*?) : ℝ\) : ℝ :=\n  (.*)$", text, re.M):
        names = letters.split()

        def function(*given, names=names, body=body, known=functions):
            return Reader(body, dict(zip(names, given, strict=True)), known).value()

        functions[name] = len(names), function
    return functions


def theorems(text):
    """Name, letters, hypotheses by name, statement and proof of each."""
    pattern = r"^theorem (\w+) \(([^:()]*) : ℝ\)(.*?) :\n    (.*?) := by\n((?:  .*\n)+)"
    for name, letters, given, said, proof in re.findall(pattern, text, re.M):
        hypotheses = dict(re.findall(r"\((h\d+) : (.*?) = 0\)", given))
        yield name, letters.split(), hypotheses, said, proof


def checked(text, seed=0):
    """Names of the theorems whose statements were evaluated; AssertionError where one is false."""
    functions, rng, found = declared(text), Random(seed), []
    for name, letters, hypotheses, said, proof in theorems(text):
        for _ in range(3):
            values = {v: Fraction(rng.randint(-9, 9), rng.randint(1, 5)) for v in letters}
            value = lambda words, at=values: Reader(words, at, functions).value()  # noqa: E731
            if name == "critical" or name.startswith("gradient_") or name == "squares":
                left, right = said.split(" = ")
                assert value(left) == value(right), f"{name} is false"
            elif name.startswith("kernel_"):
                left, right = said.split(" = ")
                held = {h: value(words) for h, words in hypotheses.items()}
                (sum_,) = re.findall(r"linear_combination (.*)", proof)
                assert value(left) - value(right) == value(sum_, values | held), f"{name} does not follow"
            elif name == "definite":
                assert value(re.fullmatch(r"0 < (.*)", said)[1]) > 0 or not any(values.values()), name
        found.append(name)
    return found


def proved(name, family, params=None, **symbols):
    system = gc.models.get(name)().reduce()
    point = system.equilibrium(family, params=params, **symbols)
    return system, point, gc.certify(system, point)


CASES = {
    "skate": ("pendulum-skate", "spinning", None, {"Omega0": 9}),
    "sleeping top": ("heavy-top", "sleeping", {"I2": 0.5, "I1": 0.5}, {"Omega0": 30}),
    "free body": ("free-rigid-body", "about1", None, {"Omega0": 2}),
    "dual spin": ("body-with-rotor", "dual-spin", None, {"Omega0": 2, "rate0": 60}),
}


@pytest.mark.parametrize("case", CASES)
def test_everything_in_the_file_is_true(case):
    name, family, params, symbols = CASES[case]
    system, point, certificate = proved(name, family, params, **symbols)
    assert certificate.method == "energy-Casimir"
    text = certificate.to_lean()
    found = checked(text)
    n = system.nstates
    assert {"critical", "squares", "definite", "positive"} <= set(found)
    dimension = len(certificate.evidence["kernel"])
    assert sum(name.startswith("kernel_") for name in found) == n - dimension
    assert "NOT CHECKED BY LEAN" in text
    assert text.count("(") == text.count(")")
    # The functions are those of the system: the energy, at states that nothing was written at.
    (label,) = re.findall(r"(F\d+) = energy", text)
    _, energy = declared(text)[label]
    rng = np.random.default_rng(2)
    for _ in range(5):
        x = rng.normal(size=n)
        expected = system.energy(x, dict(point.params))
        assert float(energy(*map(Fraction, x.tolist()))) == pytest.approx(expected, rel=1e-12)


def test_a_wrong_sign_anywhere_is_noticed():
    text = proved("pendulum-skate", "spinning", Omega0=9)[2].to_lean()
    lines = text.splitlines()
    written = re.compile(r"  (?:  )?(?!simp|rw|have|exact|d\.|energy|\(∀|0 <|V \(|F\d+ \()\S")
    places = [i for i, line in enumerate(lines) if written.match(line) and re.search(r"\(-\(| \+ ", line)]
    assert len(places) > 12
    for i in places:
        changed = lines[i].replace(" + ", " - ", 1) if " + " in lines[i] else lines[i].replace("(-(", "((", 1)
        with pytest.raises(AssertionError):
            checked("\n".join([*lines[:i], changed, *lines[i + 1 :]]) + "\n")
            pytest.fail(f"unnoticed: {lines[i]}")


def test_it_is_written_to_a_path(tmp_path):
    certificate = proved("pendulum-skate", "spinning", Omega0=9)[2]
    text = certificate.to_lean(tmp_path / "skate.lean")
    assert (tmp_path / "skate.lean").read_text(encoding="utf-8") == text
    with pytest.raises(TypeError, match="path"):
        certificate.to_lean(3)


def test_what_is_no_such_proof_is_refused():
    with pytest.raises(CertificateError, match="PROVED_UNSTABLE by spectrum"):
        proved("pendulum-skate", "spinning", Omega0=1)[2].to_lean()
    phi = gc.Coordinate("phi", angle=True)
    pendulum = gc.EulerPoincare(
        algebra=None, shape=[phi], inertia=[[2]], potential=-3 * sp.cos(phi.symbol), name="pendulum"
    ).reduce()
    with pytest.raises(CertificateError, match="no rational function"):
        gc.certify(pendulum, pendulum.state()).to_lean()
