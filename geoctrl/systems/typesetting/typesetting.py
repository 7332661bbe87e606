r"""Expressions as a person writes them, in LaTeX.

sympy prints factors in alphabetical order and sums as they come. Here factors stand in the order in which a
mechanism declares them (parameters, advected components, velocities: ``m g l \Gamma_{2}``), terms are drawn
together by what they share, and long lines are broken. What is too large for a normal form is printed as it
was recorded, so that the time is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl._scalars import expression
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl.systems.typesetting.decimal_printing import is_long

__all__ = ["Piece", "Typesetter", "aligned_equations", "plain_text", "symbol_name", "width"]

Piece = tuple[int, str]

_WIDTHS = {
    **dict.fromkeys((*"+-", r"\pm"), 1.22),
    **dict.fromkeys((*"=<>", r"\ge", r"\le", r"\ne"), 1.33),
    **dict.fromkeys((*"()[]", r"\;"), 0.36),
    **dict.fromkeys((r"\text", r"\mathrm", r"\dot", r"\ddot", r"\left", r"\right", r"\bigl", r"\bigr"), 0.0),
    **{r"\quad": 1.0, r"\qquad": 2.0, r"\,": 0.17, r"\sqrt": 0.85, r"\int": 1.0, "m": 0.88, "&": 0.0},
}
"""Widths in em; other capital available are about 3/4, small ones 1/2."""
LARGE = 600
"""Operations from which an expression is not expanded."""
LONG = 150
"""Operations from which a fraction is left as it is."""
LINE = 30.0
"""Width in em that a single term may take before a longer form is preferred that can be broken."""
ENDLESS = 2000.0
"""Width in em from which the shortest form is taken, whether it can be broken or not."""
MANY, FEW = 12, 8
"""Terms and symbols up to which a sum is factored; beyond, common factors are drawn out."""

_SPECIAL = {"\\": r"\backslash ", "~": r"\sim ", "^": r"{\wedge}", "<": r"\lt ", ">": r"\gt "}
_RELATIONS = {
    sp.StrictGreaterThan: ">",
    sp.GreaterThan: r"\ge",
    sp.StrictLessThan: "<",
    sp.LessThan: r"\le",
    sp.Equality: "=",
    sp.Unequality: r"\ne",
}
_TURNED = {">": "<", r"\ge": r"\le", "<": ">", r"\le": r"\ge"}


def _read(expr: Any) -> sp.Expr:
    """What is written, with the decimals that it holds."""
    return expr if isinstance(expr, sp.Expr) else expression(expr, "what is written")


def _decimal(size: sp.Rational) -> str:
    """A long rational as the digits that a double keeps."""
    digits, _, power = f"{float(size):.15g}".partition("e")
    return rf"{digits}\cdot 10^{{{int(power)}}}" if power else digits


def symbol_name(name: str) -> str:
    r"""A label in LaTeX: ``Omega1_2`` is ``\Omega_{1,2}``, ``Omega1_dot`` is ``\dot{\Omega}_{1}``.

    Names of several words stay words.
    """
    match = re.fullmatch(r"([A-Za-z]+?)(\d*)((?:_[A-Za-z0-9]+)*)", name)
    if match is None:
        return _product_name(name)
    head, index = match[1], [match[2]] if match[2] else []
    suffixes = [part for part in match[3].split("_") if part]
    dots = suffixes.count("dot")
    letter = sp.latex(sp.Symbol(head))
    if len(head) == 2 and not letter.startswith("\\"):
        letter, index = head[0], [head[1], *index]
    elif len(head) > 1 and not letter.startswith("\\"):
        if any(part.isalpha() and part != "dot" for part in suffixes):
            words = " ".join([head, *index, *(part for part in suffixes if part != "dot")])
            return rf"\{'d' * dots}ot{{\text{{{words}}}}}" if dots else rf"\text{{{words}}}"
        letter = rf"\mathrm{{{head}}}"
    if dots:
        letter = rf"\{'d' * dots}ot{{{letter}}}"
    index += [symbol_name(part) if part[0].isalpha() else part for part in suffixes if part != "dot"]
    return f"{letter}_{{{','.join(index)}}}" if index else letter


def _product_name(name: str) -> str:
    r"""``K.Gamma`` is ``K \cdot \Gamma``, ``|K|^2`` is a square; anything else stays text."""
    if square := re.fullmatch(r"\|(\w+)\|\^2", name):
        return f"|{symbol_name(square[1])}|^{{2}}"
    if product := re.fullmatch(r"(\w+)\.(\w+)", name):
        return rf"{symbol_name(product[1])} \cdot {symbol_name(product[2])}"
    return plain_text(name)


def plain_text(line: str) -> str:
    """One line of plain text; characters that text has no escape for are set between its pieces."""
    pieces = []
    for part in re.split(r"([\\~^<>])", line):
        if part in _SPECIAL:
            pieces.append(_SPECIAL[part])
        elif part:
            pieces.append(r"\text{" + re.sub(r"([#$%&_{}])", r"\\\1", part) + "}")
    return "".join(pieces)


class Typesetter:
    """Sums and products in the order of declaration.

    Parameters
    ----------
    order : sequence of sympy.Symbol
        Factors come in this order; symbols that are not in it come last.
    moving : sequence of sympy.Symbol
        By monomials of these the terms of an equation are told apart (velocities, say).
    relations : sequence of polynomials that are zero
        Their multiples are taken off where this leaves fewer terms.
    fixed : sequence of sympy.Symbol
        Parameters: they make the coefficients of a sum.
    """

    def __init__(
        self,
        order: Sequence[sp.Symbol],
        moving: Iterable[sp.Symbol] = (),
        relations: Sequence[sp.Expr] = (),
        fixed: Iterable[sp.Symbol] = (),
    ) -> None:
        self.rank = {s: i for i, s in enumerate(order)}
        self.moving = frozenset(moving)
        self.relations = tuple(relations)
        self.fixed = frozenset(fixed)
        self._parts = [
            (e, sorted(e.free_symbols, key=lambda s: self.rank.get(s, -1)), [*map(_factors_of, e.args)])
            for e in self.relations
            if e.is_Add
        ]
        self._turning = True
        self._texts: dict[sp.Expr, str] = {}
        self._fractions: dict[sp.Expr, sp.Expr] = {}

    # -- forms ----------------------------------------------------------------------------------

    def pieces(self, expr: sp.Expr) -> list[Piece]:
        """Signs and bodies of the terms of a sum: one for each monomial of what moves, and the rest."""
        terms = self._shared_coefficients(_read(expr), self.moving)
        moving = [self._product(c, monomial) for c, monomial in terms if not monomial.is_number]
        return moving + [piece for c, sign in terms if sign.is_number for piece in self._best(sign * c)]

    def text(self, expr: sp.Expr) -> str:
        """A sum on one line, in the form that is shortest."""
        expr = _read(expr)
        if expr not in self._texts:
            self._texts[expr] = sum_line(self._best(expr))
        return self._texts[expr]

    def _best(self, expr: sp.Expr) -> list[Piece]:
        """The shortest of: as it is, factored, expanded, gathered by what varies, gathered by parameters."""
        same = dict.fromkeys([expr, self._fraction(expr)])
        if sp.count_ops(expr) < LARGE:
            same[sp.expand(expr)] = None
        forms = [[self._product(t) for t in self._sorted_terms(e)] for e in same]
        varying = expr.free_symbols - self.fixed
        for by in (varying, expr.free_symbols - varying):
            terms = self._shared_coefficients(expr, by) if by else []
            if len(terms) > 1:
                forms.append([self._product(c, monomial) for c, monomial in terms])

        def cost(pieces: list[Piece]) -> tuple[float, float]:
            # A term that does not fit a line cannot be broken.
            longest, total = max((width(body) for _, body in pieces), default=0.0), width(sum_line(pieces))
            return (max(longest, LINE) if total < ENDLESS else total), total

        return min(forms, key=cost)

    def _shared_coefficients(self, expr: sp.Expr, by: Iterable[sp.Symbol]) -> list[tuple[sp.Expr, sp.Expr]]:
        """Pairs (coefficient, sum of monomials), equal coefficients drawn together, in order."""
        expanded = sp.expand(expr) if sp.count_ops(expr) < LARGE else expr
        found: dict[sp.Expr, sp.Expr] = {}
        for term in sp.Add.make_args(expanded):
            coefficient, monomial = term.as_independent(*by, as_Add=False)
            found[monomial] = found.get(monomial, sp.Integer(0)) + coefficient
        shared: dict[sp.Expr, sp.Expr] = {}
        for monomial, coefficient in found.items():
            short = self._fraction(coefficient)
            sign = -1 if short.could_extract_minus_sign() else 1
            key = next((k for k in shared if sp.expand(k - sign * short) == 0), sign * short)
            shared[key] = shared.get(key, sp.Integer(0)) + sign * monomial
        return sorted(((c, m) for c, m in shared.items() if c != 0 and m != 0), key=self._place)

    def _fraction(self, expr: sp.Expr) -> sp.Expr:
        """One factored fraction."""
        if not expr.has(sp.Add) or sp.count_ops(expr) >= LONG:
            return expr
        if expr not in self._fractions:
            together = sp.together(expr) if _has_denominators(expr) else expr
            numerator, denominator = sp.fraction(together)
            if denominator.is_number:
                numerator, denominator = sp.expand(together), sp.Integer(1)
            else:
                numerator, denominator = sp.fraction(sp.cancel(together))
            numerator = self._modulo_relations(sp.expand(numerator))
            forms = [sp.factor_terms(numerator) / factorisation(denominator)]
            if len(numerator.args) <= MANY and len(numerator.free_symbols) <= FEW:
                forms.insert(0, factorisation(numerator / denominator))
            self._fractions[expr] = min(forms, key=sp.count_ops)
        return self._fractions[expr]

    def _modulo_relations(self, polynomial: sp.Expr) -> sp.Expr:
        """The polynomial less multiples of the relations, where that leaves fewer terms."""
        if not polynomial.is_Add:
            return polynomial
        terms = [_factors_of(term) for term in polynomial.args]
        for relation, symbols, parts in self._parts:
            if _shares_two_terms(terms, parts, {*symbols}) and polynomial.is_polynomial(*symbols):
                rest = sp.expand(sp.reduced(polynomial, [relation], *symbols)[1])
                if len(sp.Add.make_args(rest)) < len(sp.Add.make_args(polynomial)):
                    polynomial, terms = rest, [_factors_of(term) for term in sp.Add.make_args(rest)]
        return polynomial

    # -- order ----------------------------------------------------------------------------------

    def _place(self, term: tuple[sp.Expr, sp.Expr]) -> tuple:
        coefficient, monomials = term
        first = self._sorted_terms(monomials)[0] if monomials.is_Add else monomials
        degree = sum(e for s, e in first.as_powers_dict().items() if s in self.moving and e.is_number)
        negative = coefficient.could_extract_minus_sign() != first.could_extract_minus_sign()
        ranks = sorted(self.rank.get(s, len(self.rank)) for s in (coefficient * first).free_symbols)
        return -degree, negative, ranks, str(first)

    def _sorted_terms(self, expr: sp.Expr) -> list[sp.Expr]:
        return sorted(sp.Add.make_args(expr), key=lambda t: self._place((sp.Integer(1), t)))

    def _factor_place(self, item: tuple[sp.Expr, sp.Expr]) -> tuple:
        ranks = [self.rank.get(s, len(self.rank)) for s in item[0].free_symbols]
        return max(ranks, default=-1), item[0].is_Add, str(item[0])

    # -- printing -------------------------------------------------------------------------------

    def _product(self, *parts: sp.Expr) -> Piece:
        """Sign and body of a product, its number and its denominator apart."""
        number = sp.Integer(1)
        sides: tuple[dict[sp.Expr, sp.Expr], dict[sp.Expr, sp.Expr]] = {}, {}
        for factor in self._flat(parts):
            if factor.is_Rational:
                number *= factor
                continue
            if factor.is_Float and factor < 0:
                number, factor = -number, -factor
            base, exponent = factor.as_base_exp()
            if base.is_Add and exponent.is_odd and self._sorted_terms(base)[0].could_extract_minus_sign():
                number, base = -number, -base
            below = exponent.is_Rational and exponent < 0
            side = sides[1] if below else sides[0]
            side[base] = side.get(base, sp.Integer(0)) + (-exponent if below else exponent)
        if number < 0 and self._turning:
            # (I3 - I1) rather than -(I1 - I3)
            turned = next((b for b, e in sides[0].items() if e == 1 and _is_difference(b)), None)
            if turned is not None:
                number = -number
                sides[0][-turned] = sides[0].pop(turned)
        size, sign = abs(number), (-1 if number < 0 else 1)
        above, below = (sorted(side.items(), key=self._factor_place) for side in sides)
        p, q = (_decimal(size), 1) if is_long(size) else (size.p, size.q)
        if below:
            return sign, rf"\frac{{{self._factors(above, p)}}}{{{self._factors(below, q)}}}"
        if q == 1:
            return sign, self._factors(above, p, bare=sign > 0)
        return sign, rf"\tfrac{{{p}}}{{{q}}} {self._factors(above, 1, False) if above else ''}".strip()

    def _flat(self, parts: Iterable[sp.Expr]) -> Iterator[sp.Expr]:
        """Factors; a sum that is a product or a fraction comes in its parts."""
        for factor in (f for part in parts for f in sp.Mul.make_args(part)):
            short = self._fraction(factor) if factor.is_Add else factor
            yield from (factor,) if short.is_Add else sp.Mul.make_args(short)

    def _factors(
        self, factors: Sequence[tuple[sp.Expr, sp.Expr]], number: int | str, bare: bool = True
    ) -> str:
        texts = [str(number)] if number != 1 or not factors else []
        alone = bare and len(factors) == 1 and not texts
        return " ".join([*texts, *(self._power(base, e, alone) for base, e in factors)])

    def _power(self, base: sp.Expr, exponent: sp.Expr, alone: bool) -> str:
        if exponent == sp.Rational(1, 2):
            return rf"\sqrt{{{self.text(base)}}}"
        if base.is_Symbol:
            body = symbol_name(base.name)
        elif base.is_Add:
            body = self.text(base)
            if not (alone and exponent == 1):
                nested = "(" in body or "frac" in body
                body = rf"\bigl({body}\bigr)" if nested else f"({body})"
        elif isinstance(base, sp.Integral) and len(base.limits) == 1:
            (variable, low, high), integrand = base.limits[0], self.text(base.function)
            body = rf"\int_{{{self.text(low)}}}^{{{self.text(high)}}} {integrand}\, d{self.text(variable)}"
        else:
            body = sp.latex(base, symbol_names={s: symbol_name(s.name) for s in base.free_symbols})
            body = body if exponent == 1 else rf"\left({body}\right)"
        return body if exponent == 1 else f"{body}^{{{sp.latex(exponent)}}}"

    def relation(self, condition: Boolean) -> str:
        """A relation with the negative terms of a sum on the other side; combinations of such."""
        if condition in (sp.S.true, sp.S.false):
            return r"\text{always}" if condition == sp.S.true else r"\text{never}"
        if isinstance(condition, (sp.And, sp.Or)):
            word = "and" if isinstance(condition, sp.And) else "or"
            parts = (
                rf"\bigl({self.relation(c)}\bigr)" if isinstance(c, (sp.And, sp.Or)) else self.relation(c)
                for c in sorted(condition.args, key=sp.default_sort_key)
            )
            return rf" \;\text{{ {word} }}\; ".join(parts)
        sign = _RELATIONS[condition.func]
        if condition.rhs != 0:
            return f"{self.text(condition.lhs)} {sign} {self.text(condition.rhs)}"
        # A negative term goes to the other side as it is.
        self._turning = False
        pieces = self._best(condition.lhs)
        self._turning = True
        left, right = ([(1, body) for s, body in pieces if s == side] for side in (1, -1))
        if not left:
            left, right, sign = right, left, _TURNED.get(sign, sign)
        return f"{sum_line(left)} {sign} {sum_line(right)}"


Product = tuple[sp.Expr, dict[sp.Expr, sp.Expr]]
"""A number, and powers by their bases."""


def _factors_of(term: sp.Expr) -> Product:
    number, rest = term.as_coeff_Mul()
    return number, dict(f.as_base_exp() for f in sp.Mul.make_args(rest) if f != 1)


def _shares_two_terms(terms: Sequence[Product], parts: Sequence[Product], symbols: set[sp.Symbol]) -> bool:
    """Whether a multiple of a relation has two terms in common with a polynomial; else it grows.

    Both by their terms; the multiple is a polynomial in the symbols of the relation.
    """
    if not any(symbols & powers.keys() for _, powers in terms):
        return False
    seen: set[tuple[sp.Expr, frozenset]] = set()
    for number, powers in terms:
        whole = set()
        for c, below in parts:
            left = powers | {base: powers.get(base, 0) - e for base, e in below.items()}
            if all(left[base] >= 0 for base in below if base in symbols):
                whole.add((number / c, frozenset(item for item in left.items() if item[1])))
        if whole & seen:
            return True
        seen |= whole
    return False


def _has_denominators(expr: sp.Expr) -> bool:
    return any(not p.exp.is_positive for p in expr.atoms(sp.Pow))


def _is_difference(expr: sp.Expr) -> bool:
    return expr.is_Add and len({t.could_extract_minus_sign() for t in expr.args}) == 2


def sum_line(pieces: Sequence[Piece]) -> str:
    """The terms of a sum in one line."""
    if not pieces:
        return "0"
    text = ("-" if pieces[0][0] < 0 else "") + pieces[0][1]
    return text + "".join(f" {'-' if sign < 0 else '+'} {body}" for sign, body in pieces[1:])


def width(text: str) -> float:
    """About how wide a formula is set, in em."""
    return _tokens_width(re.findall(r"\\[A-Za-z]+|\\.|\S", text)[::-1], None)


def _tokens_width(tokens: list[str], end: str | None) -> float:
    """Width of tokens, the next one last, up to a brace; an index and a power share their place."""
    total = index = 0.0
    while tokens and tokens[-1] != end:
        token = tokens.pop()
        if token in "_^":
            script = 0.7 * _argument(tokens)
            total += max(script - index, 0.0)
            index = max(script, index)
            continue
        index = 0.0
        if token == "{":
            total += _tokens_width(tokens, "}")
            tokens.pop()
        elif token in (r"\frac", r"\tfrac"):
            parts = _argument(tokens), _argument(tokens)
            total += max(parts) * (1.0 if token == r"\frac" else 0.7) + 0.25
        elif token[0] == "\\":
            total += _WIDTHS.get(token, 0.7 if token[1].isupper() else 0.55)
        else:
            total += _WIDTHS.get(token, 0.75 if token.isupper() else 0.52)
    return total


def _argument(tokens: list[str]) -> float:
    if tokens[-1] != "{":
        return _tokens_width([tokens.pop()], None)
    tokens.pop()
    size = _tokens_width(tokens, "}")
    tokens.pop()
    return size


def sum_lines(pieces: Sequence[Piece], available: float) -> list[str]:
    """The terms of a sum in as many lines as they need."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        if lines[-1] and width(sum_line([*lines[-1], piece])) > available:
            lines.append([])
        lines[-1].append(piece)
    texts = [sum_line(line) for line in lines]
    # The empty group makes a sign at the beginning of a line one between two terms.
    return [texts[0], *("{} " + (text if text.startswith("-") else "+ " + text) for text in texts[1:])]


def aligned_equations(equations: Iterable[tuple[Sequence[Piece], Sequence[Piece]]], available: float) -> str:
    r"""Equations (left, right) below one another in an ``aligned`` environment, long ones on several lines.

    They are aligned at their equals signs; if a left-hand side takes over half a line, at their beginning.
    """
    pairs = [(list(left), list(right)) for left, right in equations]
    wide = max((width(sum_line(left)) for left, _ in pairs), default=0)
    rows = []
    for left, right in pairs:
        if wide <= available / 2:
            first, *more = sum_lines(right, available - wide - 1.5)
            rows.append(rf"{sum_line(left)} &= {first}")
            rows += [rf"&\quad {line}" for line in more]
        elif width(sum_line(left)) + width(sum_line(right)) < available:
            rows.append(rf"&{sum_line(left)} = {sum_line(right)}")
        else:
            first, *more = sum_lines(left, available)
            rows += [f"&{first}", *(rf"&\quad {line}" for line in more)]
            first, *more = sum_lines(right, available - 4)
            rows += [rf"&\qquad = {first}", *(rf"&\qquad\quad {line}" for line in more)]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"
