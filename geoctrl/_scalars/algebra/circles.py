"""Rational functions of sines and cosines, in the shortest form that is equal on the circles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from geoctrl._scalars.algebra.factoring import generators, product_of_factors, quotient_of
from geoctrl._scalars.algebra.quotients import Quotient

__all__ = ["on_circles", "single_angles"]


def single_angles(e: sp.Expr) -> sp.Expr:
    """Sines and cosines of sums with whole coefficients in those of the single angles.

    What is equal is then equal by the relations of sine and cosine. Other sums are only multiplied out.
    """
    waves = {}
    for wave in e.atoms(sp.sin, sp.cos):
        argument = sp.expand(wave.args[0])
        pairs = [term.as_coeff_Mul() for term in sp.Add.make_args(argument)]
        whole = all(number.is_Integer and angle.is_Symbol for number, angle in pairs)
        waves[wave] = sp.expand_trig(wave.func(argument)) if whole else wave.func(argument)
    return e.xreplace(waves)


def on_circles(e: sp.Expr) -> sp.Expr:
    r"""The shortest factored quotient found that equals an expression where :math:`\sin^2 a + \cos^2 a = 1`.

    Even powers of cosines, or of sines, are eliminated, and the denominator is freed of odd ones too if that
    is shorter. What vanishes on the circles comes out as zero. Roots and other functions count as symbols.
    Raises DivisionError where a denominator is zero.
    """
    e = single_angles(e.xreplace({f: _in_waves(f) for f in e.atoms(sp.tan, sp.cot, sp.sec, sp.csc)}))
    atoms = generators(e)
    angles = sorted({f.args[0] for f in atoms if isinstance(f, (sp.sin, sp.cos))}, key=sp.default_sort_key)
    waves = [wave for a in angles for wave in (sp.sin(a), sp.cos(a))]
    atoms_in_order = [*waves, *sorted(atoms - set(waves), key=sp.default_sort_key)]
    quotient = quotient_of(e, atoms_in_order)
    forms = [product_of_factors(form, atoms_in_order) for form in _forms(quotient, len(angles))]
    return min(forms, key=lambda form: (sp.count_ops(form), sp.default_sort_key(form)))


def _in_waves(f: sp.Expr) -> sp.Expr:
    s, c = sp.sin(f.args[0]), sp.cos(f.args[0])
    return {sp.tan: s / c, sp.cot: c / s, sp.sec: 1 / c, sp.csc: 1 / s}[f.func]


def _forms(quotient: Quotient, angles: int) -> Iterator[Quotient]:
    """The quotient with squares of all cosines, or of all sines, replaced; sine and cosine lead the ring."""
    if not angles:
        yield quotient
        return
    for gone in (1, 0):
        top, below = quotient.top, quotient.below
        for a in range(angles):
            top, below = (_linear(p, 2 * a + gone, 2 * a + 1 - gone) for p in (top, below))
        yield Quotient.of(top, below)
        for a in range(angles):
            pair = 2 * a + gone, 2 * a + 1 - gone
            even, odd = _parts(below, pair[0])
            if odd:
                conjugate = even - odd * below.context().gens()[pair[0]]
                top, below = _linear(top * conjugate, *pair), _linear(below * conjugate, *pair)
        yield Quotient.of(top, below)


def _linear(p: Any, gone: int, kept: int) -> Any:
    """A polynomial with the squares of one variable replaced by 1 minus those of another."""
    ring = p.context()
    x, other = ring.gens()[gone], 1 - ring.gens()[kept] ** 2
    found = ring.constant(0)
    for power, part in _by_power(p, gone).items():
        found += part * other ** (power // 2) * x ** (power % 2)
    return found


def _parts(p: Any, gone: int) -> tuple[Any, Any]:
    """a and b of a + b x, of a polynomial of degree one in x."""
    parts, zero = _by_power(p, gone), p.context().constant(0)
    return parts.get(0, zero), parts.get(1, zero)


def _by_power(p: Any, gone: int) -> dict[int, Any]:
    """Coefficients by powers of one variable."""
    parts: dict[int, dict[tuple[int, ...], Any]] = {}
    for powers, c in p.terms():
        rest = (*powers[:gone], 0, *powers[gone + 1 :])
        parts.setdefault(int(powers[gone]), {})[rest] = c
    return {power: p.context().from_dict(terms) for power, terms in parts.items()}
