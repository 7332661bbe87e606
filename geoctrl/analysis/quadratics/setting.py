"""Equations of motion as polynomials in deviations from a point, as a search is given them.

What vanishes along motions and what bounds functions is told in `geoctrl.checker.squares.polynomial_motion`,
which multiplies out. Here relations are divided by each other, so that they are of low degrees, and variables
are found that a relation holds still: of both the search gives the combinations to its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from flint import fmpq

from geoctrl.analysis.quadratics.ring import (
    Polynomial,
    Vanishing,
    constant,
    name_of_function,
    occurring,
    reduced,
    shifted,
    value_at,
    value_of_function,
)
from geoctrl.analysis.quadratics.states_that_matter import states_that_matter
from geoctrl.checker.squares.polynomial_motion import is_least_at_zero
from geoctrl.checker.words.texts import told
from geoctrl.decisions.functions.identities_by_division import Ratio
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.reading.problem_reader import Refusal


class Setting:
    """The polynomials of a problem, of low degrees.

    Parameters
    ----------
    problem : as read, with its keys "levels", "domain" and "limits"; perhaps "lyapunov", and "explicit" where
        unknowns stand for quotients in rates alone

    Attributes
    ----------
    question : Question
    variables, all : list of int
        Numbers of the generators that occur, in the order of the ring: states first, then unknowns, then
        functions; with those that are still or not needed.
    names : list of str
        Of the variables.
    states, unknowns : list of int
        Generators of all of them.
    measured : list of int
        Of these the generators of which the Lyapunov function is made: states, sines and cosines.
    relations, bounds : list of polynomials
        What vanishes along motions, and what is not negative.
    equations : list of polynomials
        What vanishes as it is written: rows, the leaf, circles of sines and cosines, roots, levels.
    vanishing : list of Vanishing
        The relations, as combinations of the equations and of the rates of what is still, in turn.
    still : list of (int, polynomial, Vanishing)
        Generators that are at their values at the point all along, with what a relation is their multiple by.
    first_order : list of polynomials
        What vanishes along motions up to third order.
    free : list of str
        States that nothing of the motion of the others depends on.
    turned : list of str
        States that occur in sines and cosines alone.
    given : polynomial, optional
        Whose set is asked for.
    """

    def __init__(self, problem: dict[str, Any]) -> None:
        self.question = q = Question(problem, exact=True)
        self.problem = problem
        q.require_equilibrium()
        if any(node[0] == "fun" and node[1] == "select" for node in q.table):
            raise Refusal("the equations switch, and are no polynomials", "problem.nodes")
        q.require_kept(list(problem["levels"]))
        self._field = F = q.functions
        self._gens = list(F.gens)
        self._number = {str(g): i for i, g in enumerate(self._gens)}
        n = len(q.labels)
        places = [self._number[str(x.top)] for x in F.variables]
        self.states, self.unknowns = places[:n], places[n:]
        rows = [row.top for row in q.defects]
        leaf = [ratio.top for ratio in q.ratios(list(problem["leaf"].values()))]
        levels = [self._polynomial(q.ratios([problem["invariants"][k]])[0], k) for k in problem["levels"]]
        inputs = {k: q.ratios([row["input"]])[0] for k, row in problem["limits"].items()}
        self._limits = {k: self._polynomial(ratio, k) for k, ratio in inputs.items()}
        self._rates = q.ratios(problem["field"])
        self._domain = q.ratios(list(problem["domain"]))
        moved = states_that_matter(F, self.states, self._rates, rows)
        moved = moved if problem.get("explicit", not self.unknowns) else []
        rates = [self._polynomial(self._rates[k], f"the rate of {q.labels[k]}") for k in moved]
        own = [self._polynomial(q.ratios([p])[0], "lyapunov") for p in problem.get("lyapunov", [])]
        self._read([*rows, *leaf, *levels, *self._limits.values(), *rates, *own])
        self._values = self._point()
        relations = self._vanishing(rows, leaf, [self._without_constant(p) for p in levels])
        self.vanishing = reduced([v for v in relations if v.polynomial], F.rest)
        self.still: list[tuple[int, Polynomial, Vanishing]] = []
        self._settle()
        self.first_order: list[Polynomial] = []
        self.bounds = self._bounds()
        self.given = self._settled(self.shifted(own[0])) if own else None

    # -- what occurs --------------------------------------------------------------------------------

    def _arguments(self, generator: int) -> tuple[str, tuple[Ratio, ...]] | None:
        return self._field.made.get(generator)

    def _read(self, polynomials: list[Polynomial]) -> None:
        """Generators and states that the motion of what matters is made of."""
        moving: set[int] = set()
        states: set[int] = set()
        pending = list(polynomials)
        while pending:
            new = occurring(pending.pop()) - moving
            moving |= new
            for i in new:
                if (made := self._arguments(i)) is None:
                    reached = {i} & set(self.states)
                else:
                    moving |= self._partner(i)
                    if made[0] not in ("sin", "cos", "quadrature", "sqrt"):
                        raise Refusal(
                            f"{made[0]} is no polynomial, and not bounded by any here", "problem.nodes"
                        )
                    reached = {j for ratio in made[1] for j in occurring(ratio.top)}
                    if any(ratio.below for ratio in made[1]) or not reached <= set(self.states):
                        raise Refusal(f"{made[0]} is one of no polynomial in the states", "problem.nodes")
                for j in reached - states:
                    states.add(j)
                    k = self.states.index(j)
                    pending.append(self._polynomial(self._rates[k], f"the rate of {self.question.labels[k]}"))
        labels = dict(zip(self.states, self.question.labels, strict=True))
        self._moving = moving
        self.variables = [i for i in [*self.states, *self.unknowns] if i in moving]
        self.variables += sorted((i for i in moving if i in self._field.made), reverse=True)
        self.free = [k for i, k in labels.items() if i not in states]
        self.turned = [k for i, k in labels.items() if i in states and i not in moving]
        angles = [i for i in self.variables if self._name(i) in ("sin", "cos")]
        self.measured = [i for i in self.states if i in moving] + angles
        self._require_turned(labels)
        self._require_slow()
        words = [*self.question.labels, *self.question.problem["unknowns"]]
        titles = dict(zip([*self.states, *self.unknowns], map(told, words), strict=True))
        named = titles | {i: name_of_function(*made, labels) for i, made in self._field.made.items()}
        self.names = [named[i] for i in self.variables]

    def _name(self, i: int) -> str:
        made = self._arguments(i)
        return made[0] if made else ""

    def _partner(self, i: int) -> set[int]:
        """The cosine of a sine, and the sine of a cosine."""
        name, ratios = self._field.made[i]
        other = {"sin": "cos", "cos": "sin"}.get(name)
        if other is None:
            return set()
        return {self._number[str(self._field.function(other, *ratios).top)]}

    def _require_turned(self, labels: dict[int, str]) -> None:
        """What occurs in functions alone is known by its sine and cosine, and a whole turn changes
        nothing.
        """
        for i, label in labels.items():
            if label not in self.turned:
                continue
            x, own = self._gens[i], False
            margins = {j for ratio in self._domain for j in self._within(ratio)}
            if i in margins:
                raise Refusal(f"the domain does not hold {label} up to whole turns", "problem.domain")
            for j, (name, ratios) in self._field.made.items():
                if j not in self._moving | margins or all(i not in occurring(r.top) for r in ratios):
                    continue
                top = ratios[0].top
                whole = all(c.q == 1 for c in top.coeffs()) and top.total_degree() == 1
                if name not in ("sin", "cos") or not whole:
                    raise Refusal(f"{label} is no angle, and is known by functions alone", "problem.nodes")
                own = own or (j in self._moving and top in (x, -x))
            if not own:
                raise Refusal(f"{label} is not told by its sine and cosine", "problem.nodes")

    def _require_slow(self) -> None:
        """What is free grows no faster than exponentially: its rates are linear in it, but for sines and
        cosines.
        """
        free = {self.states[self.question.labels.index(k)] for k in self.free}
        for i in free:
            k = self.states.index(i)
            rate = self._rates[k]
            powers = (sum(exponents[j] for j in free) for exponents, _ in rate.top.terms())
            hidden = self._below(rate) | self._unbounded(rate)
            if max(powers, default=0) > 1 or hidden & free:
                raise Refusal(
                    f"{self.question.labels[k]} may grow without bound in finite time", "problem.field"
                )

    def _unbounded(self, ratio: Ratio) -> set[int]:
        """Generators within functions that are no sines or cosines, however deep."""
        found: set[int] = set()
        for j in self._within(ratio) & set(self._field.made):
            name, ratios = self._field.made[j]
            if name not in ("sin", "cos"):
                found |= {m for r in ratios for m in self._within(r) | self._unbounded(r)}
        return found

    def _below(self, ratio: Ratio) -> set[int]:
        """Generators in a denominator."""
        return {i for k in ratio.below for i in occurring(self._field.factors[k].top)}

    def _within(self, ratio: Ratio) -> set[int]:
        """Generators of a ratio."""
        return occurring(ratio.top) | self._below(ratio)

    def _polynomial(self, ratio: Ratio, name: str) -> Polynomial:
        if ratio.below:
            raise Refusal(f"{name[:80]} is divided by a function of the state, and no polynomial", "problem")
        return ratio.top

    # -- deviations ---------------------------------------------------------------------------------

    def _point(self) -> list[fmpq]:
        """Values of all generators at the point."""
        values = [fmpq(0)] * len(self._gens)
        found = self.question.values_at_point()
        for i, value in zip([*self.states, *self.unknowns], found, strict=True):
            if i in self.variables or i in self.states:
                if not isinstance(value, fmpq):
                    raise Refusal("the point is not rational", "problem.states")
                values[i] = value
        for i in self.variables:
            if (made := self._arguments(i)) is None:
                continue
            name, ratios = made
            known = value_of_function(name, value_at(ratios[-1].top, values))
            if known is None:
                raise Refusal(f"{name} is not rational at the point", "problem.states")
            values[i] = known
        return values

    def shifted(self, p: Polynomial) -> Polynomial:
        """A polynomial in the deviations of its generators."""
        return shifted(p, self._gens, self._values)

    def _vanishing(
        self, rows: list[Polynomial], leaf: list[Polynomial], levels: list[Polynomial]
    ) -> list[Vanishing]:
        """Relations as combinations of the equations."""
        F, one = self._field, self._gens[0] ** 0
        sines = [i for i in self.variables if self._name(i) == "sin"]
        circles = [self._gens[i] ** 2 + self._gens[j] ** 2 - 1 for i in sines for j in self._partner(i)]
        roots = [i for i in self.variables if self._name(i) == "sqrt"]
        squares = [self._gens[i] ** 2 - self._field.made[i][1][0].top for i in roots]
        written = [*rows, *leaf, *circles, *squares]
        self.equations = [*map(self.shifted, written), *levels]
        further = [Vanishing(p, {k: one}) for k, p in enumerate(written) if k >= len(rows)]
        further += self._consequences(len(rows))
        known = []
        for r in F.relations:
            if occurring(r) <= self._moving:
                found = [v for v in further if v.polynomial == r]
                if not found:
                    raise Refusal("a relation is none of the equations", "problem")
                known.append(found[0])
        about = [v.image(self.shifted) for v in known]
        about += [Vanishing(self.equations[k], {k: one}) for k in range(len(rows))]
        return about + [Vanishing(p, {len(written) + k: one}) for k, p in enumerate(levels)]

    def _consequences(self, first: int) -> Iterator[Vanishing]:
        """Combinations of the relations of the leaf that the problem has found to vanish with them."""
        q, F = self.question, self._field
        ratios = dict(zip(self.problem["leaf"], q.ratios(list(self.problem["leaf"].values())), strict=True))
        for row in self.problem.get("consequences", []):
            parts = {name: q.ratios([p])[0] for name, p in row.items()}
            total = sum((p * ratios[name] for name, p in parts.items()), F.number(fmpq(0)))
            terms = {}
            for name, p in parts.items():
                own = (p * ratios[name]).below
                missing = {k: e - own.get(k, 0) for k, e in total.below.items()}
                terms[first + list(ratios).index(name)] = F.scaled(p, missing).top
            yield Vanishing(total.top, terms)

    @property
    def relations(self) -> list[Polynomial]:
        """What vanishes along motions."""
        return [v.polynomial for v in self.vanishing]

    @property
    def _still_ones(self) -> set[int]:
        """Generators that are still."""
        return {i for i, *_ in self.still}

    def _settle(self) -> None:
        """What is at its value at the point all along, as a relation says that is a multiple of it: so is its
        rate.
        """
        equations = len(self.equations)
        while True:
            found = ((v, i) for v in self.vanishing if (i := self._alone(v.polynomial)) is not None)
            first = next(found, None)
            if first is None:
                break
            v, i = first
            self.still.append((i, v.polynomial / self._gens[i], v))
            new = []
            if i in self.states:
                rate = self.shifted(self._rates[self.states.index(i)].top)
                new = [Vanishing(rate, {equations: self._gens[0] ** 0})]
                equations += 1
            relations = [v.image(self._settled) for v in self.vanishing + new]
            self.vanishing = reduced([v for v in relations if v.polynomial], self._field.rest)
        self.all = list(self.variables)
        self.measured = [i for i in self.measured if i not in self._still_ones]
        needed = set(self.measured)
        for p in [*self.relations, *self.rates]:
            needed |= occurring(p)
        kept = [k for k, i in enumerate(self.variables) if i in needed]
        self.variables, self.names = [self.variables[k] for k in kept], [self.names[k] for k in kept]

    def _alone(self, p: Polynomial) -> int | None:
        """A state or unknown that a relation is a multiple of, by a function of other things measured that
        does not vanish at the point.
        """
        for i in occurring(p):
            if i not in self.states and i not in self.unknowns:
                continue
            quotient, rest = divmod(p, self._gens[i])
            others = occurring(quotient)
            if not rest and constant(quotient) and others <= set(self.measured) - {i, *self._still_ones}:
                return i
        return None

    def _settled(self, p: Polynomial) -> Polynomial:
        """A polynomial with what is still put in."""
        if not occurring(p) & self._still_ones:
            return p
        return p.compose(*(g * (i not in self._still_ones) for i, g in enumerate(self._gens)))

    def _without_constant(self, p: Polynomial) -> Polynomial:
        moved = self.shifted(p)
        return moved - constant(moved)

    def generator(self, variable: int) -> Polynomial:
        """The deviation of a generator."""
        return self._gens[variable]

    def polynomial(self, terms: dict[tuple[tuple[int, int], ...], fmpq]) -> Polynomial:
        """A polynomial from its coefficients by monomials, pairs of the place of a variable and a power."""
        found: dict[tuple[int, ...], fmpq] = {}
        for powers, c in terms.items():
            exponents = [0] * len(self._gens)
            for k, e in powers:
                exponents[self.variables[k]] += e
            key = tuple(exponents)
            found[key] = found.get(key, fmpq(0)) + c
        return self._gens[0].context().from_dict(found)

    # -- bounds of functions, and rates ---------------------------------------------------------------

    def _bounds(self) -> list[Polynomial]:
        """What is not negative, of functions whose arguments are among the variables."""
        found: list[Polynomial] = []
        for i in self.variables:
            if (made := self._arguments(i)) is None:
                continue
            name, ratios = made
            if any(not occurring(r.top) <= set(self.variables) for r in ratios):
                continue
            x, y = self._settled(self.shifted(ratios[-1].top)), self._gens[i]
            if name == "sin":
                self.first_order.append(x - y)
                found.append((x - y) * (y - x + x * x * x * fmpq(1, 6)))
            elif name == "cos":
                found.append(-y * (y + x * x * fmpq(1, 2)))
            elif name == "sqrt":
                if not is_least_at_zero(x):
                    raise Refusal("a root that is not least at the point is not bounded", "problem.nodes")
                found.append(y)
            else:
                a, b = ratios[0].top, ratios[1].top
                if not (a.is_constant() and b.is_constant()):
                    raise Refusal("a quadrature has coefficients that vary", "problem.nodes")
                a, b = constant(a), constant(b)
                if not (a >= 0 and b > 0):
                    raise Refusal("a quadrature is not bounded by polynomials here", "problem.nodes")
                line = x * (1 / b)
                self.first_order.append(line - y)
                found.append((line - y) * (y - line + x * x * x * (a / (3 * b * b))))
        return found

    @cached_property
    def rates(self) -> list[Polynomial]:
        """Rates of the measured generators."""
        of = dict(zip(self.states, self._rates, strict=True))
        found = []
        for i in self.measured:
            if (made := self._arguments(i)) is None:
                found.append(self._settled(self.shifted(of[i].top)))
                continue
            name, (ratio,) = made
            turn = ratio.top * 0
            for j in occurring(ratio.top):
                turn += ratio.top.derivative(j) * of[j].top
            (partner,) = self._partner(i)
            other = self._gens[partner]
            found.append(self._settled(self.shifted(other * turn if name == "sin" else -other * turn)))
        return found

    def value_of_root(self, i: int) -> fmpq | None:
        """At the point; None of what is no root."""
        return self._values[i] if self._name(i) == "sqrt" else None

    def argument_of_quadrature(self, i: int) -> tuple[Polynomial, fmpq] | None:
        """s, in deviations, and b of a generator that is int_0^s dt/(a t^2 + b); None of another one."""
        name, ratios = self._field.made.get(i, ("", ()))
        if name != "quadrature":
            return None
        return self.shifted(ratios[2].top), constant(ratios[1].top)

    @cached_property
    def limits(self) -> dict[str, tuple[fmpq, list[fmpq]]]:
        """Limited functions: the value at the point, and the slopes along what is measured."""
        found = {}
        for name, p in self._limits.items():
            if (line := self._line(p)) is None:
                raise Refusal(f"{name[:80]!r} is limited, and not linear in the states", "problem.limits")
            found[name] = line
        return found

    @cached_property
    def margins(self) -> list[tuple[fmpq, list[fmpq]]]:
        """The same of what is positive in the domain, where that is linear."""
        lines = [self._line(ratio.top) for ratio in self._domain if not ratio.below]
        return [line for line in lines if line is not None]

    def _line(self, p: Polynomial) -> tuple[fmpq, list[fmpq]] | None:
        """Value at the point and slopes along what is measured; None where a polynomial is not linear in
        it.
        """
        moved = self._settled(self.shifted(p))
        if (moved and moved.total_degree() > 1) or not occurring(moved) <= set(self.measured):
            return None
        slopes = [fmpq(0)] * len(self.measured)
        for exponents, c in moved.terms():
            for k, i in enumerate(self.measured):
                if exponents[i]:
                    slopes[k] = c
        return constant(moved), slopes
