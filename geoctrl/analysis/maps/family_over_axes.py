r"""The question of stability of a family's members, with axes as indeterminates.

States are functions of the axes: parameters, and symbols of the family. Field, leaf, invariants, their first
and second derivatives and the unknowns are rational functions of the axes and of roots, sines and other
functions of them; the identities C1 and C3 hold for all values of the axes. All that follows is a sign of
such a function, decided on the cells of a region (`geoctrl.checker.maps.region`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.analysis.maps.map_quotients import (
    MapQuotient,
    Quotients,
    blocks,
    characteristic,
    product,
    solved,
)
from geoctrl.decisions.arithmetic.tower import Surds
from geoctrl.decisions.functions.derivatives import Jet, evaluate
from geoctrl.decisions.functions.identities_by_division import generators_of
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.questions.shape_structure import integrals_along, slopes_of_shape
from geoctrl.decisions.reading.problem_reader import EQUATIONS, Refusal, one_of

Rows = list[list[MapQuotient]]
TERMS = 400_000
"""Terms of a product in identities, at most: axes are variables besides. The checker takes more."""

_schema: Any = EQUATIONS
_place, _rational = (_schema[part][...] for part in ("leaf", "parameters"))


REGION = {
    **{k: EQUATIONS[k] for k in ("nodes", "unknowns", "matrix", "right", "field", "leaf", "invariants")},
    **{k: EQUATIONS[k] for k in ("weights", "consequences?")},
    "kind": one_of("region"),
    "shape?": EQUATIONS["shape?"],
    "states": {...: _place},
    "inputs": {...: _place},
    "domain": [_place],
    "parameters": {...: _rational},
    "symbols": {...: _rational},
    "axes": {...: (_rational, _rational)},
}


class Kernel(NamedTuple):
    """The common kernel of some gradients: where ``minor`` does not vanish, these are independent.

    ``basis`` has a one for each state that is not omitted.
    """

    basis: Rows
    minor: MapQuotient
    free: list[int]


class FamilyOverAxes:
    """A problem of the kind "region", as read, with what is proved about it.

    Parameters
    ----------
    problem : dict

    Attributes
    ----------
    question : Question
        In the arithmetic of quotients of the axes.
    field : Quotients
    labels : list of str
        Of the states.
    leaf, invariants : dict of name -> place
    domain : list of Quotient
        Positive within the domain of the model.
    is_about_numbers : bool
        Whether symbols move about numbers: what vanishes at these need not vanish identically.
    along : str or None
        Of a shape over which integrals exist, the state by which these are developed.
    integrals : dict of name -> Jet
        These, by their derivatives at the members.
    """

    def __init__(self, problem: dict[str, Any]) -> None:
        self.region, self._axes = problem, problem["axes"]
        nodes, symbols, axes = problem["nodes"], list(problem["symbols"]), self._axes
        held = {row[1]: row[2] for row in nodes if row[0] == "sym" and row[1] in axes}
        if set(held) != set(axes) or not set(held.values()) <= {"parameter", "family"}:
            raise Refusal("axes are parameters, or symbols of the family", "problem.axes")
        if set(axes) & {*problem["parameters"], *symbols}:
            raise Refusal("an axis has a value besides", "problem.axes")
        self._open = [k for k, role in held.items() if role == "parameter"]
        # Those that have numbers come before axes, as in the file.
        moving = sorted((k for k in axes if held[k] == "family"), key=lambda k: axes[k][0] < axes[k][1])
        self._symbols = [*symbols, *moving]
        self.is_about_numbers = any(low == high for low, high in axes.values())
        self._functions = generators_of(nodes)
        self.field = Quotients(list(axes), self._functions, [(a + b) / 2 for a, b in axes.values()])
        self.labels, self.leaf, self.invariants = (
            list(problem["states"]),
            problem["leaf"],
            problem["invariants"],
        )
        asked = problem | {
            "states": dict.fromkeys(problem["states"]),
            "inputs": dict.fromkeys(problem["inputs"]),
            "parameters": problem["parameters"] | dict.fromkeys(self._open),
            "roots": Surds.of([]),
            "family": {
                "symbols": dict.fromkeys(self._symbols),
                "states": list(problem["states"].values()),
                "inputs": list(problem["inputs"].values()),
                "domain": problem["domain"],
            },
        }
        self.question = Question(asked, True, self.field, self._along)
        self.question.functions.largest = TERMS
        jets = self.question.jets(problem["domain"])
        self.domain = [self.field.of(jet.value) for jet in jets]
        self.along: str | None = None
        self.integrals: dict[str, Jet] = {}

    def develop_integrals(self) -> None:
        """Integrals over the shape of the problem, by a geometric state that moves; Refusal without one."""
        if "shape" not in self.region:
            return
        slopes = {k: self.field.of(v) for k, v in slopes_of_shape(self.question).items()}
        moving = [k for k, slope in slopes.items() if slope]
        if len(self.leaf) != len(slopes) - 1 or not moving:
            raise Refusal("the shape is no curve along which it can move", "problem.shape")
        self.along = min(moving, key=lambda k: (not slopes[k].is_constant, slopes[k].size))
        self.integrals = {
            name: Jet(None, {i: c for i, c in enumerate(gradient) if c}, second)
            for name, gradient, second in integrals_along(self.question, self.along)
        }

    @property
    def table(self) -> list[tuple]:
        """The nodes of the file."""
        return self.region["nodes"]

    def axes(self) -> dict[str, MapQuotient]:
        """The axes by name."""
        return dict(zip(self._axes, self.field.variables, strict=True))

    def _along(self, question: Question) -> tuple[dict[int, Jet], dict[int, fmpq], list[int]]:
        """Jets of all symbols at the members; inputs and parameters that move along the axes may be any
        numbers in identities.
        """
        at = self.symbols_as(question.place, self.field, self.axes())
        values = []
        for part in ("inputs", "states"):
            jets = evaluate(self.table, list(self.region[part].values()), dict(at), self.field, 1)
            values.append([self.field.of(jet.value) for jet in jets])
        places = [question.place["input", k] for k in self.region["inputs"]]
        at |= {p: Jet(value, {}, {}) for p, value in zip(places, values[0], strict=True)}
        states = zip(question.moving_places, values[1], strict=False)
        at |= {p: Jet(value, {i: self.field.one}, {}) for i, (p, value) in enumerate(states)}
        still = {p: q.number for p, q in zip(places, values[0], strict=True) if q.is_constant}
        moving = [question.place["parameter", k] for k in self._open]
        return at, still, [*(p for p in places if p not in still), *moving]

    def symbols_as(
        self, place: dict[tuple[str, str], int], field: Quotients, given: dict[str, MapQuotient]
    ) -> dict[int, Jet]:
        """Parameters and symbols of the family by their places: numbers, or quotients by name."""
        numbers = {("parameter", k): q for k, q in self.region["parameters"].items()}
        numbers |= {("family", k): q for k, q in self.region["symbols"].items()}
        found = {
            place[key]: Jet(field.number(q), {}, {}) for key, q in numbers.items() if key[1] not in given
        }
        for name, value in given.items():
            role = "parameter" if ("parameter", name) in place else "family"
            found[place[role, name]] = Jet(value, {}, {})
        return found

    @cached_property
    def linearisation(self) -> Rows:
        """Df at the members."""
        return [self._gradient(jet) for jet in self.question.jets(self.region["field"])]

    def _gradient(self, jet: Jet) -> list[MapQuotient]:
        return [self.field.of(c) for c in self.question.gradient(jet)]

    def require_members(self) -> None:
        """C0 and C1, identically in the axes."""
        nodes = [*self.region["field"], *self.leaf.values()]
        for name, jet in zip([*self.labels, *self.leaf], self.question.jets(nodes), strict=True):
            if self.field.of(jet.value):
                raise Refusal(
                    f"the members are no equilibria on the leaf: {name[:80]} does not vanish", "problem"
                )
        self.question.require_kept([])

    def _function(self, name: str) -> Jet:
        """Value and derivatives of a relation, or of an invariant that is proved to be one."""
        known = self.leaf | self.invariants
        if name in self.integrals:
            return self.integrals[name]
        if name not in known:
            raise Refusal(f"there is no function {name[:80]!r}", "proofs")
        if name not in self.leaf:
            self.question.require_kept([name])
        (jet,) = self.question.jets([known[name]])
        if jet.second is None:
            raise Refusal(f"{name[:80]!r} depends on unknowns", "problem")
        return jet

    def gradients(self, names: Sequence[str]) -> Rows:
        """Gradients of relations and invariants, which are proved to be kept by the motion."""
        return [self._gradient(self._function(name)) for name in names]

    def kernel(self, rows: Rows, omitted: Sequence[int]) -> Kernel:
        """The common kernel of some gradients, from their columns at the states omitted."""
        if len(set(omitted)) != len(rows):
            raise Refusal("one state is omitted for each gradient", "proofs")
        n, F = range(len(self.labels)), self.field
        free = [i for i in n if i not in omitted]
        dependent, minor = solved(
            F, [[row[j] for j in omitted] for row in rows], [[-row[j] for j in free] for row in rows]
        )
        basis = []
        for k, i in enumerate(free):
            vector = [F.zero] * len(n)
            vector[i] = F.one
            for j, row in zip(omitted, dependent, strict=True):
                vector[j] = row[k]
            basis.append(vector)
        return Kernel(basis, minor, free)

    def matrix(self) -> Rows:
        """K at the members."""
        k = len(self.region["unknowns"])
        K = [[self.field.zero] * k for _ in range(k)]
        for i, j, p in self.region["matrix"]:
            K[i][j] = self.field.of(self.question.jets([p])[0].value)
        return K

    def roots(self) -> list[tuple[int, MapQuotient]]:
        """Values of roots by their places, as far as they occur at the members."""
        found = []
        for i, node in enumerate(self.table):
            if node[:2] == ("fun", "sqrt"):
                with suppress(Refusal):
                    found.append((i, self.field.of(self.question.jets([i])[0].value)))
        return found

    def motion(self, kernel: Kernel) -> Rows:
        """The linearisation on a kernel that it keeps, by the states that are not omitted."""
        if not kernel.free:
            return []
        F, W = self.field, [list(column) for column in zip(*kernel.basis, strict=True)]
        image = product(F, self.linearisation, W)
        B = [image[i] for i in kernel.free]
        if any(
            e - f for r, s in zip(image, product(F, W, B), strict=True) for e, f in zip(r, s, strict=True)
        ):
            raise Refusal("the linearisation does not keep the tangent space", "problem")
        return B

    def polynomials(self, kernel: Kernel) -> list[list[MapQuotient]]:
        """Characteristic polynomials of the blocks of the linearisation on a kernel."""
        B = self.motion(kernel)
        return [characteristic(self.field, [[B[i][j] for j in block] for i in block]) for block in blocks(B)]

    def critical(self, multipliers: dict[str, MapQuotient]) -> dict[tuple[int, int], MapQuotient]:
        """Second derivatives of a combination of functions, refused where it is not critical."""
        zero, names = self.field.zero, [name for name, y in multipliers.items() if y]
        for column in zip(*self.gradients(names), strict=True):
            if sum((multipliers[k] * g for k, g in zip(names, column, strict=True)), zero):
                raise Refusal("the combination is not critical at the members", "proofs")
        H: dict[tuple[int, int], MapQuotient] = {}
        for name in names:
            for pair, value in (self._function(name).second or {}).items():
                H[pair] = H.get(pair, zero) + multipliers[name] * value
        return H

    def restricted(self, H: dict[tuple[int, int], MapQuotient], kernel: Kernel) -> Rows:
        """W^T H W."""
        n, F = len(self.labels), self.field
        rows = [[F.zero] * n for _ in range(n)]
        for (i, j), value in H.items():
            rows[i][j] = rows[j][i] = value
        W = [list(column) for column in zip(*kernel.basis, strict=True)]
        return product(F, kernel.basis, product(F, rows, W))

    def velocity(self, axis: str) -> list[MapQuotient]:
        """Derivatives of the states by a parameter that is an axis."""
        place, axes = self.question.place, self.axes()
        near = {p: Jet(jet.value) for p, jet in self.symbols_as(place, self.field, axes).items()}
        moving = place["parameter", axis]
        near[moving] = Jet(near[moving].value, {0: self.field.one})
        jets = evaluate(self.table, list(self.region["states"].values()), near, self.field, 1)
        return [self.field.of(j.first.get(0, self.field.zero)) for j in jets]

    def moving_symbols(self) -> list[str]:
        """Symbols of the family, in the order of `family_tangents`."""
        return list(self._symbols)

    def family_tangents(self) -> Rows:
        """Derivatives of the states by the symbols of the family at the members, a row for each symbol;
        refused where members near by are not proved to be equilibria under the same inputs.
        """
        place, given, axes = self.question.place, self.region, self.axes()
        names = [*axes, *(s for s in self._symbols if s not in axes)]
        middle = [(a + b) / 2 for a, b in self._axes.values()]
        middle += [given["symbols"][k] for k in names[len(axes) :]]
        F = Quotients(names, self._functions, middle)
        self._require_all_at_rest(F, dict(zip(names, F.variables, strict=True)))
        near = {p: Jet(jet.value) for p, jet in self.symbols_as(place, self.field, axes).items()}
        for i, s in enumerate(self._symbols):
            near[place["family", s]] = Jet(near[place["family", s]].value, {i: self.field.one})
        if any(j.first for j in evaluate(self.table, list(given["inputs"].values()), near, self.field, 1)):
            raise Refusal("members are not held by the same inputs", "problem.inputs")
        jets = evaluate(self.table, list(given["states"].values()), near, self.field, 1)
        zero = self.field.zero
        return [[self.field.of(j.first.get(i, zero)) for j in jets] for i in range(len(self._symbols))]

    def _require_all_at_rest(self, F: Quotients, variables: dict[str, MapQuotient]) -> None:
        """Members are equilibria whatever the symbols of the family are."""
        q, given = self.question, self.region
        at = self.symbols_as(q.place, F, variables)
        places = [*(q.place["input", k] for k in given["inputs"]), *q.moving_places[: len(self.labels)]]
        nodes = [*given["inputs"].values(), *given["states"].values()]
        values = evaluate(self.table, nodes, dict(at), F, 1)
        at |= {p: Jet(jet.value) for p, jet in zip(places, values, strict=True)}
        if k := len(given["unknowns"]):
            K = [[F.zero] * k for _ in range(k)]
            for i, j, p in given["matrix"]:
                K[i][j] = F.of(evaluate(self.table, [p], at, F, 1)[0].value)
            right = [[jet.value] for jet in evaluate(self.table, given["right"], at, F, 1)]
            z = q.moving_places[len(self.labels) :]
            at |= {p: Jet(row[0]) for p, row in zip(z, F.solve(K, right), strict=True)}
        nodes = [*given["field"], *self.leaf.values()]
        if any(F.of(jet.value) for jet in evaluate(self.table, nodes, at, F, 1)):
            raise Refusal("members near by are not proved to be equilibria", "problem")
