r"""Equations of motion as polynomials in deviations from a point.

States x, unknowns z and functions of states, as :math:`\sin\alpha` and roots :math:`r = \sqrt p`, are
variables of one ring, each measured from its value at the point. Along motions on the leaf and on the levels
of held invariants through the point vanish

.. math:: b(x) - K(x)\, z, \qquad g_j(x), \qquad s^2 + c^2 - 1, \qquad r^2 - p(x), \qquad C_i(x) - C_i(e),

and functions are bounded by polynomials: for all real :math:`\alpha`, and for a >= 0 < b and all s,

.. math::
    (\alpha - \sin\alpha)\,(\sin\alpha - \alpha + \tfrac16\alpha^3) \ge 0, \qquad
    (1 - \cos\alpha)\,(\cos\alpha - 1 + \tfrac12\alpha^2) \ge 0, \qquad
    (\tfrac{s}{b} - y)\,(y - \tfrac{s}{b} + \tfrac{a s^3}{3 b^2}) \ge 0, \quad
    y = \int_0^s \frac{dt}{a t^2 + b},

since both factors have the sign of :math:`\alpha` or s, or none is negative. Where p is a quadratic form in
deviations and a constant, and the form is nowhere negative, :math:`r \ge r(e)`.

Of a variable that keeps its value, for a multiple of it by what does not vanish over the set is a combination
of relations, a file says so; zero is put in for it then, and its rate vanishes as well.
"""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any

from flint import arb, fmpq

from geoctrl.checker.enclosures.definite_over_cells import positive_semidefinite
from geoctrl.checker.enclosures.degrees import ONE, degrees_in
from geoctrl.checker.enclosures.sets import nodes_of_identities
from geoctrl.checker.enclosures.turns import is_turned
from geoctrl.checker.identities import FEW, LONG, PARTNERS, Ratio, length
from geoctrl.checker.limits import WORDS, require, spend
from geoctrl.checker.question import Question, defects
from geoctrl.checker.words.texts import combination, symbol, told

Polynomial = Any
"""A polynomial of python-flint."""
Terms = list[tuple[list[list[int]], fmpq]]
"""Coefficients by monomials, these as pairs of the number of a variable and a power."""
SHIFTED = 1_000_000
"""Terms of a polynomial about the point before equal ones are put together, at most."""


class PolynomialMotion:
    """The polynomials of a problem.

    Parameters
    ----------
    problem, witness : as read
    given : dict
        With the keys "variables", "still", "levels", "domain" and "limits".

    Attributes
    ----------
    question : Question
    identities : list of int
        Places of all that is said of motions, over a set as at the point.
    variables : list of int
        Numbers of generators: states, unknowns and functions, in the order of the file. States come first
        among all generators.
    made : dict of int -> (str, list of polynomials)
        Of those that are functions, their names and arguments.
    measured : list of int
        What the Lyapunov function is made of: states, sines and cosines that may move.
    relations, bounds : list of polynomials
        What vanishes along motions, and what is not negative.
    still : list of int
        Variables that are at their values at the point all along.
    cofactors : list of polynomials
        What must not vanish, so that they are.
    turned, free : list of str
        States that occur in sines and cosines alone, and those on which nothing of the others depends.
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> None:
        self.question, self.given = Question(problem, witness), given
        q = self.question
        q.require_rest()
        require(
            all(node[:2] != ("fun", "select") for node in q.table),
            "the equations switch, and are no polynomials",
            "problem.nodes",
        )
        q.require_kept(given["levels"])
        self.identities = [*nodes_of_identities(q), *(row["input"] for row in given["limits"].values())]
        self.gens, n = list(q.still.functions.gens), len(q.labels)
        self._read(given["variables"])
        self._rates = dict(enumerate(q.still.ratios(problem["field"])))
        held = {i for _, arguments in self.made.values() for p in arguments for i in occurring(p)}
        self.turned = [q.labels[i] for i in sorted(held - {*self.variables})]
        self.free = [k for i, k in enumerate(q.labels) if i not in held | {*self.variables}]
        self._require_turned()
        self._require_slow()
        self.still: list[int] = []
        self.cofactors: list[Polynomial] = []
        self.relations = self._equations()
        for row in given["still"]:
            self._settle(row)
        # Unknowns come behind the states, and of quadratures no function is made.
        self.measured = [
            i
            for i in self.variables
            if (i < n or (i in self.made and self.made[i][0] in PARTNERS)) and i not in self.still
        ]
        require(
            self._within([*self.cofactors, *(self.gens[i] for i in self.measured)]).isdisjoint(self.still),
            "what is measured depends on what keeps its value",
            "theorem.still",
        )
        self.bounds = self._bounds()

    # -- what the file names ------------------------------------------------------------------------

    def _read(self, places: list[int]) -> None:
        """The variables, with their values at the point."""
        q = self.question
        self.variables = [self.gens.index(ratio.top) for ratio in q.still.ratios(places)]
        require(
            len(set(places)) == len(places) and len(set(self.variables)) == len(places),
            "a variable is named twice",
            "theorem.variables",
        )
        self.made: dict[int, tuple[str, list[Polynomial]]] = {}
        self._values = [fmpq(0)] * len(self.gens)
        for i, p, jet in zip(self.variables, places, q.jets(places), strict=True):
            kind, name, *rest = q.table[p]
            self._values[i] = value = jet.value
            require(isinstance(value, fmpq), "the point is not rational", "problem.states")
            if kind == "sym":
                continue
            require(
                kind == "fun" and name in (*PARTNERS, "quadrature", "sqrt"),
                f"{name} is no polynomial, and not bounded by any here",
                "problem.nodes",
            )
            arguments = q.still.ratios(rest[0])
            require(
                all(not r.below and occurring(r.top) <= {*range(len(q.labels))} for r in arguments),
                f"{name} is one of no polynomial in the states",
                "problem.nodes",
            )
            plain = name == "sqrt" or value == (name == "cos")
            require(plain, f"{name} is not rational at the point", "problem.states")
            self.made[i] = name, [r.top for r in arguments]

    def partner(self, i: int) -> int:
        """The cosine of a sine, and the sine of a cosine."""
        name, arguments = self.made[i]
        wanted = PARTNERS[name], arguments
        found = [j for j, made in self.made.items() if made == wanted]
        require(found, "a sine has no cosine, or a cosine no sine", "theorem.variables")
        return found[0]

    def _require_turned(self) -> None:
        """What occurs in functions alone is told by sine and cosine, and a whole turn changes nothing."""
        q, used = self.question, [*self.identities, *self.given["domain"]]
        for label in self.turned:
            x = self.gens[q.labels.index(label)]
            require(
                any(name == "sin" and arguments[0] in (x, -x) for name, arguments in self.made.values()),
                f"{label} is not told by its sine and cosine",
                "problem.nodes",
            )
            require(
                is_turned(q, q.labels.index(label), used),
                f"the motion, or its domain, does not hold {label} up to whole turns",
                "problem",
            )

    def _require_slow(self) -> None:
        """What is free grows no faster than exponentially: its rates are linear in it, but for sines and
        cosines.
        """
        q = self.question
        degrees = degrees_in(q.table, {q.states[q.labels.index(k)]: ONE for k in self.free}, PARTNERS)
        for k in self.free:
            degree = degrees[q.problem["field"][q.labels.index(k)]]
            require(
                degree is not None and degree[1] <= 1,
                f"{k} may grow without bound in finite time",
                "problem.field",
            )

    # -- polynomials in deviations ------------------------------------------------------------------

    def about_point(self, p: Polynomial) -> Polynomial:
        """A polynomial in deviations of variables, with zero for what is still."""
        require(
            occurring(p) <= {*self.variables},
            "a function depends on what is no variable",
            "theorem.variables",
        )
        moved = [i for i in occurring(p) if self._values[i]]
        require(
            sum(prod(int(m[i]) + 1 for i in moved) for m in p.monoms()) <= SHIFTED,
            "the equations about the point are too large to be checked",
        )
        if moved:
            p = p.compose(*(g + v for g, v in zip(self.gens, self._values, strict=True)))
        return self._without_still(p)

    def function_about_point(self, place: int, name: str) -> Polynomial:
        """That of a node which is a polynomial."""
        return self.about_point(whole(self.question.still.ratios([place])[0], name))

    def _without_still(self, p: Polynomial) -> Polynomial:
        if not occurring(p) & {*self.still}:
            return p
        return p.compose(*(g * (i not in self.still) for i, g in enumerate(self.gens)))

    def polynomial(self, terms: Terms) -> Polynomial:
        """A polynomial from its coefficients."""
        found: dict[tuple[int, ...], fmpq] = {}
        for powers, c in terms:
            exponents = [0] * len(self.gens)
            for k, e in powers:
                exponents[self.variables[k]] += e
            found[tuple(exponents)] = found.get(tuple(exponents), fmpq(0)) + c
        return self.gens[0].context().from_dict(found)

    def combination(self, rows: list[tuple[int, Terms]]) -> Polynomial:
        """A sum of multiples of relations."""
        terms = (product_of(self.polynomial(terms), self.relations[k]) for k, terms in rows)
        return sum(terms, self.gens[0] * 0)

    def _equations(self) -> list[Polynomial]:
        """What vanishes along motions: rows, the leaf, circles, roots, levels."""
        q, still = self.question, self.question.still
        zeros = defects(q.problem, still, still.ratios(q.unknowns))
        zeros += still.ratios(list(q.problem["leaf"].values()))
        found = [self.about_point(r.top) for r in zeros]
        for i in (i for i, (name, _) in self.made.items() if name == "sin"):
            s, c = self.gens[i], self.gens[self.partner(i)]
            found.append(s * s + c * c + 2 * c)  # c is beyond one
        roots = ((self.gens[i], made[1][0]) for i, made in self.made.items() if made[0] == "sqrt")
        found += [self.about_point(product_of(r, r) - p) for r, p in roots]
        for name in self.given["levels"]:
            level = self.function_about_point(q.problem["invariants"][name], name)
            found.append(level - constant(level))
        return found

    def _settle(self, row: dict[str, Any]) -> None:
        """A variable is at its value all along, as a multiple of it vanishes."""
        i, cofactor = self.variables[row["variable"]], self.polynomial(row["cofactor"])
        require(
            i not in self.made and product_of(self.gens[i], cofactor) == self.combination(row["terms"]),
            "it is not proved that a variable keeps its value",
            "theorem.still",
        )
        self.cofactors.append(cofactor)
        self.still.append(i)
        rates = [self.rate(i)] if i < len(self.question.labels) else []
        self.relations = [self._without_still(p) for p in self.relations] + rates

    # -- bounds of functions, and rates -------------------------------------------------------------

    def _bounds(self) -> list[Polynomial]:
        """What is not negative, of functions whose arguments are among the variables."""
        found: list[Polynomial] = []
        for i, (name, arguments) in self.made.items():
            if not all(occurring(p) <= {*self.variables} for p in arguments):
                continue
            *numbers, x = map(self.about_point, arguments)
            y = self.gens[i]
            if name == "sin":
                found.append((x - y) * (y - x + x * x * x * fmpq(1, 6)))
            elif name == "cos":
                found.append(-y * (y + x * x * fmpq(1, 2)))
            elif name == "sqrt":
                require(
                    is_least_at_zero(x),
                    "a root that is not least at the point is not bounded",
                    "problem.nodes",
                )
                found.append(y)
            else:
                a, b = map(constant, numbers)
                require(
                    all(p.is_constant() for p in numbers) and a >= 0 and b > 0,
                    "a quadrature is not bounded by polynomials here",
                    "problem.nodes",
                )
                line = x * (1 / b)
                found.append((line - y) * (y - line + x * x * x * (a / (3 * b * b))))
        return found

    def rate(self, i: int) -> Polynomial:
        """The rate of a state, a sine or a cosine."""
        if i not in self.made:
            return self.about_point(self._rate_of_state(i))
        name, (argument,) = self.made[i]
        terms = (product_of(argument.derivative(j), self._rate_of_state(j)) for j in occurring(argument))
        turn = sum(terms, self.gens[0] * 0)
        return self.about_point(product_of(self.gens[self.partner(i)], turn if name == "sin" else -turn))

    def _rate_of_state(self, i: int) -> Polynomial:
        return whole(self._rates[i], f"the rate of {self.question.labels[i]}")

    @cached_property
    def limits(self) -> dict[str, tuple[fmpq, list[fmpq]]]:
        """Limited functions: the value at the point, and the slopes along what is measured."""
        found = {}
        for name, row in self.given["limits"].items():
            p = self.function_about_point(row["input"], name)
            require(
                (not p or p.total_degree() <= 1) and occurring(p) <= {*self.measured},
                f"{name[:80]!r} is limited, and not linear in the states",
                "theorem.limits",
            )
            found[name] = constant(p), [constant(p.derivative(i)) for i in self.measured]
        return found

    # -- in words, and in balls ---------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """Of what is measured: labels of states, functions with their arguments."""
        return [self._name(i) for i in self.measured]

    def _name(self, i: int) -> str:
        labels = self.question.labels
        if i not in self.made:
            return told(labels[i])
        name, (argument,) = self.made[i]
        terms = [
            (c, [symbol(labels[j]) + (f"^{e}" if e > 1 else "") for j, e in enumerate(m) if e])
            for m, c in argument.terms()
        ]
        return f"{name}({combination(terms)})"

    def _within(self, polynomials: list[Polynomial]) -> set[int]:
        """Generators of polynomials, those of arguments of functions included."""
        found = {i for p in polynomials for i in occurring(p)}
        return found | {j for i in found & {*self.made} for p in self.made[i][1] for j in occurring(p)}

    def labels_of(self, polynomials: list[Polynomial]) -> set[str]:
        """Labels of the states that polynomials depend on, by themselves or within functions."""
        labels = self.question.labels
        return {labels[i] for i in self._within(polynomials) if i < len(labels)}

    def angle(self, i: int, values: dict[str, arb]) -> tuple[arb, dict[str, arb]] | None:
        """The deviation of a sine or cosine at balls of states, with its slopes along these; None where it
        depends on others.
        """
        name, (argument,) = self.made[i]
        labels = self.question.labels
        known = {j: values[labels[j]] for j in occurring(argument) if labels[j] in values}
        if len(known) < len(occurring(argument)):
            return None
        total = at(argument, known)
        s, c = total.sin(), total.cos()
        value, slope = (s, c) if name == "sin" else (c - 1, -s)
        return value, {labels[j]: slope * at(argument.derivative(j), known) for j in known}


# -- polynomials of python-flint --------------------------------------------------------------------------


def whole(ratio: Ratio, name: str) -> Polynomial:
    """The numerator of a function without a denominator."""
    require(
        not ratio.below, f"{name[:80]} is divided by a function of the state, and no polynomial", "problem"
    )
    return ratio.top


def product_of(p: Polynomial, q: Polynomial) -> Polynomial:
    """A product, refused where it is too large."""
    size, words = len(p) * len(q), 2 + p.context().nvars() // 8
    short = size <= FEW or size * (length(p) + length(q)) <= LONG
    require(size * words <= WORDS and short, "an identity is too large to be checked")
    found = p * q
    spend(words * len(found))
    return found


def occurring(p: Polynomial) -> set[int]:
    """Numbers of the generators that occur."""
    return {i for i, d in enumerate(p.degrees()) if d} if p else set()


def at(p: Polynomial, values: dict[int, arb]) -> arb:
    """A polynomial at balls of its generators. Powers are products: those of a ball around zero are not
    numbers.
    """
    factors = ((c, (i for i, e in enumerate(m) for _ in range(int(e)))) for m, c in p.terms())
    return sum((prod((values[i] for i in places), start=arb(c)) for c, places in factors), arb(0))


def constant(p: Polynomial) -> fmpq:
    """The constant term."""
    return sum((c for m, c in p.terms() if not any(m)), fmpq(0))


def is_least_at_zero(p: Polynomial) -> bool:
    """Whether a polynomial is a constant and a quadratic form that is nowhere negative."""
    own = sorted(occurring(p))
    form = [[constant(p.derivative(i).derivative(j)) for j in own] for i in own]
    return {sum(m) for m in p.monoms()} <= {0, 2} and positive_semidefinite(form)
