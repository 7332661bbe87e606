r"""Primitives in closed form, in functions whose derivatives are exact.

Matching asks for functions with a given derivative. What is looked for is built from powers, sines and
cosines, logarithms and :math:`\int_0^u ds/(a s^2 + b)`, which is real for both signs of ab and has a rational
derivative; only where that does not do it is sympy asked, for a while.

Factored forms of expressions, in which roots, exponentials and integrals stay as they are written.

What is proved later compares roots by what stands under them: a root must not come in two forms.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import sympy as sp
from sympy.simplify.fu import TR8

from geoctrl._calls.budget import Budget
from geoctrl._scalars.algebra import factoring

__all__ = ["as_fraction", "primitive"]


def as_fraction(e: sp.Expr) -> sp.Expr:
    """The expression as one factored fraction."""
    masks: dict[sp.Expr, sp.Symbol] = {}

    def mask(base: sp.Expr) -> sp.Symbol:
        return masks.setdefault(base, sp.Dummy(positive=True))

    hidden = {f: mask(f) for f in e.atoms(sp.exp, sp.log, sp.Integral)}
    plain = e.xreplace(hidden)
    roots = {
        power: mask(sp.sqrt(power.base)) ** (2 * power.exp)
        for power in plain.atoms(sp.Pow)
        if power.exp.is_Rational and power.exp.q == 2
    }
    back = {symbol: written for written, symbol in masks.items()}
    return (
        factoring.factorisation(plain.xreplace(roots)).xreplace(back).xreplace(back)
    )  # roots of what was masked


_SECONDS = 5.0
"""For sympy's own integration, which may take a millisecond or a year."""

_CLOSED = (sp.sin, sp.cos, sp.tan, sp.exp, sp.log, sp.atan, sp.asin, sp.sinh, sp.cosh, sp.tanh, sp.asinh)
_SAMPLES = 3


def primitive(integrand: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """The function of x with this derivative that vanishes at x = 0, verified; None where none is found."""
    for method in (_by_substitution, _trigonometric, _root, _by_sympy):
        found = method(integrand, x)
        if found is None:
            continue
        found = found - _at_zero(found, x)
        if _is_primitive(found, integrand, x):
            return found
    return None


def _at_zero(f: sp.Expr, x: sp.Symbol) -> sp.Expr:
    """f(0); sympy leaves an integral from zero to zero as it is."""
    empty = {q: sp.Integer(0) for q in f.atoms(sp.Integral) if q.limits[0][2].subs(x, 0) == 0}
    return f.xreplace(empty).subs(x, 0)


def _trigonometric(integrand: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """Polynomials in x, and those in sines and cosines of arguments linear in x: products become sums."""
    terms = sp.Add.make_args(sp.expand(TR8(sp.expand(integrand))))
    total: dict[sp.Expr, sp.Expr] = {}
    for term in terms:
        factor, rest = term.as_independent(x, as_Add=False)
        if rest.is_polynomial(x):
            power = sp.Poly(rest, x).integrate(x).as_expr()
            total[power] = total.get(power, 0) + factor
            continue
        if rest.func not in (sp.sin, sp.cos):
            return None
        phase = sp.expand(rest.args[0])
        frequency = phase.coeff(x, 1)
        if sp.expand(phase - frequency * x).has(x) or frequency == 0:
            return None
        wave = -sp.cos(phase) if rest.func is sp.sin else sp.sin(phase)
        total[wave] = total.get(wave, 0) + factor / frequency
    return sp.Add(*(as_fraction(factor) * function for function, factor in total.items()))


def _by_substitution(integrand: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """R(sin x) cos x, R(cos x) sin x and R(x), R rational."""
    s, c = sp.Dummy("s", real=True), sp.Dummy("c", real=True)
    plain = integrand.xreplace({sp.sin(x): s, sp.cos(x): c})
    if plain == integrand:
        return _rational(plain, x, sp.Integer(0))
    if plain.has(x):
        return None
    for u, v, value, sign in ((s, c, sp.sin(x), 1), (c, s, sp.cos(x), -1)):
        over = sp.cancel(plain / v)
        if not all(e.is_polynomial(v) for e in sp.fraction(over)):
            continue
        numerator, denominator = (sp.Poly(e, v) for e in sp.fraction(over))
        square = v**2, 1 - u**2
        if any(m % 2 for poly in (numerator, denominator) for (m,) in poly.monoms()):
            continue
        even = over.subs(*square) if over.has(v) else over
        found = _rational(sp.cancel(even), u, value.subs(x, 0))
        if found is not None:
            return sign * found.subs(u, value)
    return None


def _rational(integrand: sp.Expr, u: sp.Symbol, start: sp.Expr) -> sp.Expr | None:
    """Polynomial + (p u + q)/(a u^2 + b): a logarithm, zero at the start, and a quadrature."""
    numerator, denominator = sp.fraction(sp.together(integrand))
    if not (numerator.is_polynomial(u) and denominator.is_polynomial(u)):
        return None
    whole, rest = sp.div(sp.Poly(numerator, u), sp.Poly(denominator, u))
    below = sp.Poly(denominator, u)
    if below.degree() > 2 or (below.degree() == 2 and below.coeff_monomial(u) != 0):
        return None
    found = whole.integrate(u).as_expr()
    if rest.is_zero:
        return found
    a, b = below.coeff_monomial(u**2), below.coeff_monomial(1)
    first = below.as_expr().subs(u, start)
    if b == 0 or first == 0:
        return None
    logarithm = sp.log(as_fraction(below.as_expr()) / first)
    if below.degree() == 1:
        return found + rest.as_expr() / below.coeff_monomial(u) * logarithm
    p, q = rest.coeff_monomial(u), rest.coeff_monomial(1)
    return found + p / (2 * a) * logarithm + q * _quadrature(a, b, u)


def _quadrature(a: sp.Expr, b: sp.Expr, u: sp.Expr) -> sp.Expr:
    s = sp.Dummy("s", real=True)
    return sp.Integral(1 / (a * s**2 + b), (s, 0, u)) if u != 0 else sp.Integer(0)


def _root(integrand: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    r"""c/sqrt(a x^2 + b): by u = x/sqrt(a x^2 + b), dx/sqrt(a x^2 + b) = du/(1 - a u^2)."""
    roots = [e for e in integrand.atoms(sp.Pow) if e.exp.is_Rational and e.exp.q == 2 and e.has(x)]
    bases = {e.base for e in roots}
    if len(bases) != 1:
        return None
    (base,) = bases
    root = sp.sqrt(base)
    scale = sp.cancel(integrand * root)
    if scale.has(x) or not base.is_polynomial(x):
        return None
    poly = sp.Poly(base, x)
    if poly.degree() != 2 or poly.coeff_monomial(x) != 0:
        return None
    return scale * _quadrature(-poly.coeff_monomial(x**2), sp.Integer(1), x / root)


def _by_sympy(integrand: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """What sympy finds, where all of its functions and powers are known to be differentiated exactly."""
    try:
        found = Budget(_SECONDS).attempt(
            "a primitive", partial(sp.integrate, integrand, x, meijerg=False), None
        )
    except (NotImplementedError, ValueError, TypeError, AttributeError, ZeroDivisionError):
        return None  # sympy's integration fails in many ways; a primitive is then not known
    if found is None or found.has(sp.I, sp.Integral, sp.Piecewise, sp.nan, sp.zoo):
        return None
    if any(not isinstance(f, _CLOSED) for f in found.atoms(sp.Function)):
        return None
    powers = (e.exp for e in found.atoms(sp.Pow) if e.base is not sp.E)
    return found if all((2 * e).is_Integer for e in powers) else None


def _is_primitive(found: sp.Expr, integrand: sp.Expr, x: sp.Symbol) -> bool:
    """Whether the derivative is the integrand and the value at zero is zero, at points of thirty digits.

    Points at which a root or logarithm is not real say nothing; what none says anything of is not accepted.
    """
    difference = sp.diff(found, x) - integrand
    symbols = sorted(difference.free_symbols | integrand.free_symbols, key=str)
    seen = 0
    for k in range(4 * _SAMPLES):
        point = {s: _sample(i + len(symbols) * k) for i, s in enumerate(symbols)}
        value, size = (sp.N(e.subs(point), 30) for e in (difference, integrand))
        if not (value.is_real and size.is_real and value.is_finite):
            continue
        if abs(value) > sp.Float("1e-20") * (1 + abs(size)):
            return False
        seen += 1
        if seen == _SAMPLES:
            return True
    return False


def _sample(k: int) -> sp.Rational:
    """Rational numbers between 0 and 2 without relations between them."""
    spread = Fraction(2 * ((k * k * 7919 + k * 104729 + 1543) % 9973) + 1, 9973)
    return sp.Rational(spread.numerator, spread.denominator)
