r"""The question of stability of a family's members, with axes as indeterminates.

States are functions of the axes: parameters, and symbols of the family. Field, leaf, invariants, their first
and second derivatives and the unknowns are rational functions of the axes and of roots, sines and other
functions of them; the identities C1 and C3 of `geoctrl.checker.question` hold for all values of the axes. All
that follows is a sign of such a function, decided on the cells of a region (`geoctrl.checker.region`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from flint import fmpq

from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.question import Question
from geoctrl.checker.quotients import (
    Quotient,
    Quotients,
    blocks,
    characteristic,
    product,
    solved,
)
from geoctrl.checker.reading import Refusal
from geoctrl.checker.surds import Surds

Rows = list[list[Quotient]]


class Kernel(NamedTuple):
    """The common kernel of some gradients: where ``minor`` does not vanish, these are independent.

    ``basis`` has a one for each state that is not omitted.
    """

    basis: Rows
    minor: Quotient
    free: list[int]


class Members(Question):
    """A problem of the kind "region", as read, with what is proved about it.

    Parameters
    ----------
    problem : dict
    """

    def __init__(self, problem: dict[str, Any]) -> None:
        self.region, axes = problem, problem["axes"]
        nodes, symbols = problem["nodes"], list(problem["symbols"])
        held = {row[1]: row[2] for row in nodes if row[0] == "sym" and row[1] in axes}
        if set(held) != set(axes) or not set(held.values()) <= {"parameter", "family"}:
            raise Refusal("axes are parameters, or symbols of the family", "problem.axes")
        if set(axes) & {*problem["parameters"], *symbols}:
            raise Refusal("an axis has a value besides", "problem.axes")
        open_ = {k for k, role in held.items() if role == "parameter"}
        self.problem = problem | {
            "states": dict.fromkeys(problem["states"]),
            "inputs": dict.fromkeys(problem["inputs"]),
            "parameters": problem["parameters"] | dict.fromkeys(open_),
            "roots": Surds.of([]),
            "family": {
                "symbols": dict.fromkeys([*symbols, *(k for k in axes if k not in open_)]),
                "states": list(problem["states"].values()),
                "inputs": list(problem["inputs"].values()),
                "domain": problem["domain"],
            },
        }
        self.exact, self.table, self.labels = True, nodes, list(problem["states"])
        self._kept: dict[str, bool] = {}
        self._bind()
        self.field = Quotients(list(axes), self.count_of_functions, [(a + b) / 2 for a, b in axes.values()])
        self.numbers: Any = self.field
        self._at = self.symbols_as(self.field, dict(zip(axes, self.field.variables, strict=True)))
        self._inputs = evaluate(self.table, list(problem["inputs"].values()), self._at, self.field, 2)
        members = evaluate(self.table, list(problem["states"].values()), self._at, self.field, 2)
        known = {self.place["input", k]: jet for k, jet in zip(problem["inputs"], self._inputs, strict=True)}
        one = self.field.one
        known |= {
            p: Jet(jet.value, {i: one}, {})
            for i, (p, jet) in enumerate(zip(self._states, members, strict=True))
        }
        self.domain = [
            jet.value for jet in evaluate(self.table, problem["domain"], self._at | known, self.field, 2)
        ]
        self._at = {p: jet for p, jet in self._at.items() if self.table[p][0] == "sym"} | known
        # What is no number may be any number in identities.
        moving = [p for p, jet in known.items() if p not in self._states and not jet.value.is_constant]
        self.variables += [*moving, *(self.place["parameter", k] for k in axes if k in open_)]
        self._values |= {
            p: jet.value.top.leading_coefficient() if jet.value else fmpq(0)
            for p, jet in known.items()
            if p not in self._states and p not in moving
        }
        self._solve_unknowns()

    def symbols_as(self, field: Quotients, given: dict[str, Quotient]) -> dict[int, Jet]:
        """Parameters and symbols of the family by their places: numbers, or quotients by name."""
        numbers = {("parameter", k): q for k, q in self.region["parameters"].items()}
        numbers |= {("family", k): q for k, q in self.region["symbols"].items()}
        found = {
            self.place[key]: Jet(field.number(q), {}, {}) for key, q in numbers.items() if key[1] not in given
        }
        for name, value in given.items():
            role = "parameter" if ("parameter", name) in self.place else "family"
            found[self.place[role, name]] = Jet(value, {}, {})
        return found

    def gradient(self, jet: Jet) -> list[Any]:
        """All first derivatives."""
        return [self.field.of(jet.first.get(i, self.field.zero)) for i in range(len(self.labels))]

    def sign(self, place: int, _: Any = None) -> int:
        """The sign of a switch at the members."""
        return self.field.sign(place, self.jets([place])[0].value)

    def _solve_unknowns(self) -> None:
        k, F = len(self._unknowns), self.field
        self.invertible = F.one
        if not k:
            return
        K = [[F.zero] * k for _ in range(k)]
        entries = [(i, j, self.jets([p])[0]) for i, j, p in self.problem["matrix"]]
        columns = [[F.of(jet.value), *self.gradient(jet)] for jet in self.jets(self.problem["right"])]
        for i, j, jet in entries:
            K[i][j] = F.of(jet.value)
        z = [row[0] for row in solved(F, K, [row[:1] for row in columns])[0]]
        for i, j, jet in entries:
            for m, slope in jet.first.items():
                columns[i][m + 1] = columns[i][m + 1] - slope * z[j]
        rows, self.invertible = solved(F, K, columns)
        for place, row in zip(self._unknowns, rows, strict=True):
            self._at[place] = Jet(row[0], {m: c for m, c in enumerate(row[1:]) if c})

    @cached_property
    def linearisation(self) -> Rows:
        """Df at the members."""
        return [self.gradient(jet) for jet in self.jets(self.problem["field"])]

    def require_equilibrium(self) -> None:
        """C0, identically in the axes."""
        nodes = [*self.problem["field"], *self.problem["leaf"].values()]
        for name, jet in zip([*self.labels, *self.problem["leaf"]], self.jets(nodes), strict=True):
            if self.field.of(jet.value):
                raise Refusal(
                    f"the members are no equilibria on the leaf: {name[:80]} does not vanish", "problem"
                )

    def function_at(self, name: str, place: int) -> tuple[str, list[Any], dict[tuple[int, int], Any]]:
        """Name, gradient and second derivatives of a relation or an invariant."""
        (jet,) = self.jets([place])
        if jet.second is None:
            raise Refusal(f"{name[:80]!r} depends on unknowns", "problem")
        return name, self.gradient(jet), jet.second

    def gradients(self, names: Sequence[str]) -> Rows:
        """Gradients of relations and invariants, which are proved to be kept by the motion."""
        known = self.problem["leaf"] | self.problem["invariants"]
        if unknown := [name for name in names if name not in known]:
            raise Refusal(f"there is no function {unknown[0][:80]!r}", "evidence")
        self.require_kept([name for name in names if name in self.problem["invariants"]])
        return [self.function(name)[1] for name in names]

    def kernel(self, rows: Rows, omitted: Sequence[int]) -> Kernel:
        """The common kernel of some gradients, from their columns at the states omitted."""
        if len(set(omitted)) != len(rows):
            raise Refusal("one state is omitted for each gradient", "evidence")
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

    def polynomials(self, kernel: Kernel) -> list[list[Quotient]]:
        """Characteristic polynomials of the blocks of the linearisation on a kernel that it keeps."""
        F, W = self.field, [list(column) for column in zip(*kernel.basis, strict=True)]
        image = product(F, self.linearisation, W)
        B = [image[i] for i in kernel.free]
        if any(
            e - f for r, s in zip(image, product(F, W, B), strict=True) for e, f in zip(r, s, strict=True)
        ):
            raise Refusal("the linearisation does not keep the tangent space", "problem")
        return [characteristic(F, [[B[i][j] for j in block] for i in block]) for block in blocks(B)]

    def critical(self, multipliers: dict[str, Quotient]) -> dict[tuple[int, int], Quotient]:
        """Second derivatives of a combination of functions, refused where it is not critical."""
        zero, names = self.field.zero, [name for name, y in multipliers.items() if y]
        for column in zip(*self.gradients(names), strict=True):
            if sum((multipliers[k] * g for k, g in zip(names, column, strict=True)), zero):
                raise Refusal("the combination is not critical at the members", "evidence.proofs")
        H: dict[tuple[int, int], Quotient] = {}
        for name in names:
            for pair, value in self.function(name)[2].items():
                H[pair] = H.get(pair, zero) + multipliers[name] * value
        return H

    def restricted(self, H: dict[tuple[int, int], Quotient], kernel: Kernel) -> Rows:
        """W^T H W."""
        n, F = len(self.labels), self.field
        rows = [[F.zero] * n for _ in range(n)]
        for (i, j), value in H.items():
            rows[i][j] = rows[j][i] = value
        W = [list(column) for column in zip(*kernel.basis, strict=True)]
        return product(F, kernel.basis, product(F, rows, W))

    def family_tangents(self) -> Rows:
        """Derivatives of the states by the symbols of the family at the members, a row for each symbol;
        refused where members near by are not proved to be equilibria under the same inputs.
        """
        symbols = list(self.problem["family"]["symbols"])
        axes = list(self.region["axes"])
        names = [*axes, *(s for s in symbols if s not in axes)]
        middle = [
            *((a + b) / 2 for a, b in self.region["axes"].values()),
            *(self.region["symbols"][k] for k in names[len(axes) :]),
        ]
        F = Quotients(names, self.count_of_functions, middle)
        variables = dict(zip(names, F.variables, strict=True))
        self._require_all_at_rest(F, variables)
        near = {
            p: Jet(jet.value)
            for p, jet in self.symbols_as(
                self.field, dict(zip(axes, self.field.variables, strict=True))
            ).items()
        }
        for i, s in enumerate(symbols):
            p = self.place["family", s]
            near[p] = Jet(near[p].value, {i: self.field.one})
        moved = evaluate(self.table, self.problem["family"]["inputs"], near, self.field, 1)
        if any(jet.first for jet in moved):
            raise Refusal("members are not held by the same inputs", "problem.inputs")
        jets = evaluate(self.table, self.problem["family"]["states"], near, self.field, 1)
        return [
            [self.field.of(jet.first.get(i, self.field.zero)) for jet in jets] for i in range(len(symbols))
        ]

    def _require_all_at_rest(self, F: Quotients, variables: dict[str, Quotient]) -> None:
        """Members are equilibria whatever the symbols of the family are."""
        at = self.symbols_as(F, variables)
        given = self.problem["family"]
        places = [*(self.place["input", k] for k in self.region["inputs"]), *self._states]
        values = evaluate(self.table, [*given["inputs"], *given["states"]], dict(at), F, 1)
        at |= {p: Jet(jet.value) for p, jet in zip(places, values, strict=True)}
        if k := len(self._unknowns):
            K = [[F.zero] * k for _ in range(k)]
            for i, j, p in self.problem["matrix"]:
                K[i][j] = F.of(evaluate(self.table, [p], at, F, 1)[0].value)
            right = [[F.of(jet.value)] for jet in evaluate(self.table, self.problem["right"], at, F, 1)]
            at |= {p: Jet(z) for p, (z,) in zip(self._unknowns, solved(F, K, right)[0], strict=True)}
        nodes = [*self.problem["field"], *self.problem["leaf"].values()]
        if any(F.of(jet.value) for jet in evaluate(self.table, nodes, at, F, 1)):
            raise Refusal("members near by are not proved to be equilibria", "problem")
