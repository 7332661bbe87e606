"""Symbolic stability conditions of random families, at random numbers, against exact spectra.

Relations are evaluated by sympy, and asked once more by ``evaluate``, which must say the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing import SHAPED
from tests.attack.draw.mechanism import Mechanism
from tests.attack.oracle.oracle import Oracle, OracleError, Spectrum
from tests.attack.oracle.polynomials import Polynomial, add, constant, multiply, scale, variable
from tests.attack.outcome import Outcome, refusal
from tests.attack.parts import conditions_shape

POINTS = 150
"""Random sets of numbers for each family; one takes hundredths of a second, the conditions take seconds."""
SPIN = "W"
ANSWERS = {1: "stable", -1: "unstable", 0: "open"}
POSITIVE = ("I1", "I2", "I3", "m", "d")


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def family(dice: Dice) -> tuple[Mechanism, int]:
    """A body spinning about the vertical, which is its third axis, the place of its spin; all are parameters.

    Variables: Omega, [rotor], Gamma, then the parameters in the order of their names.
    """
    s = int(dice.chance(0.3))
    up = Fraction(dice.pick([1, -1]))
    m = Mechanism(
        ["so3"], [(0, (Fraction(0), Fraction(0), Fraction(1)))], [], [[Fraction(0)] * s for _ in range(3)],
        [[Fraction(1)] * s for _ in range(s)], [constant(0)] * 3, {}, [constant(0)] * 3, [], None, [], {}, [],
    )  # fmt: skip
    size = m.size
    names = ["I1", "I2", "I3", "k", "a", "b"]
    damping = dice.pick(["", "full", "partial"]) if dice.chance(0.5) else ""
    names += ["d"] if damping else []
    names += ["c"] if dice.chance(0.3) else []
    m.parameters = [(name, Fraction(1), Fraction(1)) for name in names]
    p = {name: variable(size + i) for i, name in enumerate(names)}
    if dice.chance(0.3):
        p["I2"] = p["I1"]  # a symmetric body
    blank: Polynomial = {}
    m.inertia = [[p[f"I{i + 1}"] if i == j else blank for j in range(3)] for i in range(3)]
    if s:
        m.coupling[2][0] = Fraction(1)
        m.inertia[2][2] = add(m.inertia[2][2], constant(1))
    g = [variable(m.place(0) + i) for i in range(3)]
    m.potential = add(
        multiply(p["k"], g[2]), multiply(p["a"], multiply(g[0], g[0])), multiply(p["b"], multiply(g[1], g[1]))
    )
    if "c" in p:
        m.gyroscopic = [constant(0), constant(0), p["c"]]
    if damping:
        # Relative to the spin nothing is lost at the point itself: only the transverse rates are damped.
        rows = range(2) if damping == "full" else range(1)
        m.forces = [scale(-1, multiply(p["d"], variable(i))) if i in rows else constant(0) for i in range(3)]
    m.point = [Fraction(0)] * (3 + s) + [Fraction(0), Fraction(0), up]
    m.traits = [
        w for w in ("rotor" if s else "", damping and f"{damping} damping", "gyroscopic" * ("c" in p)) if w
    ]
    return m, 2


def numbers(m: Mechanism, dice: Dice, place: int | None) -> tuple[Mechanism, dict[str, Fraction]]:
    """The same mechanism at other numbers, often equal ones and zeros, with its spin, if it has one."""
    given = {name: dice.positive() if name in POSITIVE else dice.small(0.2) for name, _, _ in m.parameters}
    if dice.chance(0.2) and "I3" in given:
        given["I1"] = given["I3"]
    parameters = [(name, given[name], default) for name, _, default in m.parameters]
    point = [*m.point]
    if place is not None:
        point[place] = given[SPIN] = dice.small(0.15) * dice.pick([1, 2, 5])
    return replace(m, parameters=parameters, point=point), given


def parameters_of(m: Mechanism) -> list[gc.Parameter]:
    return [gc.Parameter(name, 1.0, positive=name in POSITIVE) for name, _, _ in m.parameters]


def described(m: Mechanism) -> Any:
    """The body in geoctrl's words."""
    algebra, Gamma = gc.so3(), gc.AdvectedVector("Gamma")
    parameters = parameters_of(m)
    rotors = gc.Rotors(coupling=[0, 0, 1], inertia=1) if m.s else None
    symbols = [
        *algebra.xi,
        *(rotors.rates if rotors else ()),
        *Gamma.symbols,
        *(p.symbol for p in parameters),
    ]

    def written(p: Polynomial) -> sp.Expr:
        terms = (
            sp.Mul(sp.Rational(c.numerator, c.denominator), *(symbols[i] ** e for i, e in k))
            for k, c in p.items()
        )
        return sp.Add(*terms)

    W = sp.Symbol(SPIN, real=True)
    up = int(m.point[-1])
    return gc.EulerPoincare(
        algebra=algebra,
        advected=[Gamma],
        inertia=sp.Matrix([[written(e) for e in row] for row in m.inertia]),
        potential=written(m.potential),
        gyroscopic=[written(e) for e in m.gyroscopic] if any(m.gyroscopic) else None,
        forces=[written(e) for e in m.forces] if any(m.forces) else None,
        rotors=rotors,
        parameters=parameters,
        equilibria={"spinning": gc.Family({"Omega3": W, "Gamma3": up}, symbols=[W])},
    ).reduce()


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    shaped = Dice(seed + SHAPED, index)
    if shaped.chance(0.4):
        m, place = conditions_shape.family(shaped)
        spin = None if place is None else sp.Symbol(SPIN, real=True)
        return judged(
            m, place, shaped, "shape", lambda: conditions_shape.system_of(m, parameters_of(m), spin).reduce()
        )
    dice = Dice(seed + 7919, index)
    m, place = family(dice)
    return judged(m, place, dice, "spinning body", lambda: described(m))


def judged(m: Mechanism, place: int | None, dice: Dice, kind: str, system: Callable[[], Any]) -> Outcome:
    """The conditions of a family at random numbers against the exact spectrum there."""
    begun = time.process_time()
    try:
        found = gc.stability_conditions(system(), "spinning")
    except Exception as error:
        outcome = refusal(kind, error)
        outcome.seconds = time.process_time() - begun
        return outcome
    seconds = time.process_time() - begun
    counts = {"stable": 0, "unstable": 0, "open": 0}
    draws = [numbers(m, dice, place) for _ in range(POINTS)]
    names = {s.name for s in found.symbols}
    columns = {k: [given[k] for _, given in draws] for k in draws[0][1] if k in names}
    try:
        asked = [ANSWERS[int(v)] for v in found.evaluate(**columns)]
    except Exception as error:
        return refusal(f"{kind} at numbers", error)
    for (drawn, given), said in zip(draws, asked, strict=True):
        at = ", ".join(f"{k} = {v}" for k, v in given.items())
        read = answer(found, given)
        if read not in (said, "open"):
            return Outcome(kind, "contradiction", f"evaluate says {said}, relations {read} at {at}", seconds)
        try:
            spectrum = Oracle(drawn).spectrum(drawn.point)
        except OracleError:
            continue
        counts[said] += 1
        if wrong := contradicted(said, spectrum):
            return Outcome(kind, "contradiction", f"{wrong} at {at}", seconds)
    result = "proved" if counts["stable"] or counts["unstable"] else "held"
    return Outcome(kind, result, "", seconds, detail={"answers": counts, "traits": m.traits})


def answer(found: Any, given: dict[str, Fraction]) -> str:
    """What the conditions say at these numbers."""
    table = {
        s: sp.Rational(given[s.name].numerator, given[s.name].denominator)
        for s in found.symbols
        if s.name in given
    }

    def holds(relation: Any) -> bool:
        return bool(sp.sympify(relation).xreplace(table) == sp.true)

    if any(sp.sympify(e).xreplace(table) == 0 for e in found.assuming):
        return "open"
    if any(holds(r) for r in found.unstable):
        return "unstable"
    return "stable" if found.stable and all(holds(r) for r in found.stable) else "open"


def contradicted(said: str, spectrum: Spectrum) -> str:
    if said == "stable" and spectrum.growing:
        return f"said to be stable, but an eigenvalue has the real part {spectrum.abscissa:.3g}"
    if said == "unstable" and not spectrum.growing:
        return f"said to be unstable, but the greatest real part is {spectrum.abscissa:.3g}"
    return ""
