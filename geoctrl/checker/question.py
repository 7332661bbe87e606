"""A problem's equations at its point and along the motion: what is proved of them.

Motions are those x(t) with x' = f(x, z), for unknowns z (accelerations, multipliers) with K(x) z = b(x), on
the leaf g(x) = 0. Nothing is solved for: an inverse of K at the point is given and multiplied out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from flint import fmpq

from geoctrl.checker.definite import product
from geoctrl.checker.identities import Along, Functions, Ratio
from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.reader import require_table

STATES = 128
"""Of states, unknowns and functions, the largest number of each."""
ROLES = "state", "input", "parameter", "unknown"


class Question:
    """A problem as read, with its witness.

    Parameters
    ----------
    problem : dict
    witness : dict
        ``roots`` of nodes, the ``inverse`` of K, ``cofactors`` by functions.
    numbers : optional
        The arithmetic at the point.
    functions : type
        The arithmetic along the motion.

    Attributes
    ----------
    kept : set of str
        Names of the functions that are proved to be kept.
    variables : list of int
        Symbols that are variables in identities.
    """

    def __init__(
        self,
        problem: dict[str, Any],
        witness: dict[str, Any],
        numbers: Any = None,
        functions: Any = Functions,
    ) -> None:
        self.problem, self.witness, self.table = problem, witness, problem["nodes"]
        self._functions = functions
        self.numbers = numbers or Numbers(dict(witness["roots"]))
        self.functions_by_name = problem["leaf"] | problem["invariants"]
        self.labels, self.kept = list(problem["states"]), set[str]()
        require_table(self.table)
        named = [(role, k) for role in ROLES for k in problem[f"{role}s"]]
        places = {(x[2], x[1]): i for i, x in enumerate(self.table) if x[0] == "sym" and x[2] != "family"}
        lists = (
            [(i, j) for i, j, _ in problem["matrix"]],
            [x[1] for x in self.table if x[0] == "sym"],
            [*problem["leaf"], *problem["invariants"]],
        )
        twice = any(len({*part}) < len(part) for part in lists)
        most = max(map(len, (self.functions_by_name, *(problem[f"{role}s"] for role in ROLES))))
        if twice or sorted(named) != sorted(places) or most > STATES:
            raise Refusal(f"a name stands twice, or for nothing, or there are more than {STATES}", "problem")
        self.states = [places["state", k] for k in problem["states"]]
        self.unknowns = [places["unknown", k] for k in problem["unknowns"]]
        self.variables = [*self.states, *self.unknowns]
        self.values = {places[role, k]: problem[f"{role}s"][k] for role, k in named if role != "unknown"}
        self.at = {p: Jet({(): self.numbers.number(q)}, 2) for p, q in self.values.items()}
        for i, p in enumerate(self.states):
            self.at[p] = Jet({(): self.numbers.number(self.values[p], i), (i,): fmpq(1)}, 2)
        self._solve()

    def _solve(self) -> None:
        """K z = b; and as b - K z vanishes with z as it is there, K Dz = D(b - K z)."""
        places, left = {(i, j): p for i, j, p in self.problem["matrix"]}, self.jets(self.problem["right"])
        entries = dict(zip(places, self.jets([*places.values()]), strict=True))
        if any(jet.value is None for jet in (*left, *entries.values())):
            raise Refusal("the unknowns are no numbers of the field")
        K = [[fmpq(0) for _ in self.unknowns] for _ in left]
        for (i, j), entry in entries.items():
            K[i][j] = entry.value
        inverse = self.numbers.inverse(K, self.witness["inverse"], "witness.inverse")
        z = product(inverse, [[jet.value] for jet in left])
        for (i, j), entry in entries.items():
            left[i] += entry * Jet({(): -z[j][0]}, 2)
        slopes = product(inverse, [jet.gradient(len(self.labels)) for jet in left])
        for p, (value,), row in zip(self.unknowns, z, slopes, strict=True):
            # No function that is kept depends on it: its second derivatives are not asked for.
            self.at[p] = self.numbers.count(Jet({(): value} | {(i,): c for i, c in enumerate(row) if c}, 2))

    # -- at the point ---------------------------------------------------------------------------

    def jets(self, nodes: Sequence[int]) -> list[Jet]:
        """Values and derivatives at the point."""
        return evaluate(self.table, nodes, self.at, self.numbers)

    def function(self, name: str) -> Jet:
        """A relation or an invariant, with its derivatives."""
        return self.jets([self.functions_by_name[name]])[0]

    def require_rest(self) -> None:
        """C0: field and leaf vanish at the point. C1: the motion keeps the leaf."""
        self.require_kept([])
        jets = self.jets([*self.problem["field"], *self.problem["leaf"].values()])
        for name, jet in zip([*self.labels, *self.problem["leaf"]], jets, strict=True):
            require(
                jet.value is not None and jet.value == 0,
                f"no equilibrium on the leaf: {name[:80]} does not vanish at the point",
            )

    # -- identities -----------------------------------------------------------------------------

    def functions_of(self, variables: int, jets: Callable[[Sequence[int]], list[Jet]]) -> Functions:
        """Rational functions, with choices by their signs at the point, where nodes have some jets."""
        return self._functions(
            variables,
            self.table,
            lambda p, _: self.numbers.sign(p, jets(self.table[p][2][:1])[0].value),
        )

    @cached_property
    def still(self) -> Along:
        """Symbols as they are."""
        F = self.functions_of(len(self.variables), self.jets)
        return Along(self.table, F, self.symbols_in(F), self.jets)

    def symbols_in(self, F: Functions) -> dict[int, Jet]:
        """What symbols are among some functions: variables, and numbers."""
        known = {p: Jet({(): F.number(q)}, 1) for p, q in self.values.items() if p not in self.variables}
        return known | {p: Jet({(): x}, 1) for p, x in zip(self.variables, F.variables, strict=True)}

    @cached_property
    def moving(self) -> Along:
        """Symbols with their rates: all but the unknowns, on which no function that is kept depends."""
        known = {p: self.still.known[p] for p in self.values}
        rates = zip(self.states, self.still.ratios(self.problem["field"]), strict=True)
        known |= {p: Jet({(): known[p].value, (0,): rate}, 1) for p, rate in rates}
        return Along(self.table, self.still.functions, known, self.jets)

    def rate_of(self, function: int, eliminating: Sequence[int]) -> Ratio:
        """F' + w.(b - K z), which is the rate of F along motions whatever the weights w are."""
        weights, (jet,) = self.still.ratios(eliminating), self.moving.jets([function])
        zeros = defects(self.problem, self.still, self.still.ratios(self.unknowns)) if weights else []
        rate = jet.terms.get((0,), self.still.functions.number(0))
        return sum((w * d for w, d in zip(weights, zeros, strict=True)), rate)

    def require_kept(self, names: Iterable[str]) -> None:
        """C1 for all relations, C3 for some invariants: each rate is sum q r, with cofactors q as given."""
        for name in {*self.problem["leaf"], *names} - self.kept:
            rate = self.rate_of(self.functions_by_name[name], self.problem["weights"].get(name, []))
            require(
                rate == self.still.combination(self.witness["cofactors"].get(name, []), self.problem["leaf"]),
                f"it is not proved that the motion keeps {name[:80]!r}",
                "witness.cofactors",
            )
            self.kept.add(name)


def defects(problem: dict[str, Any], along: Along, unknowns: Sequence[Ratio]) -> list[Ratio]:
    """b - K z."""
    found = along.ratios(problem["right"])
    for i, j, p in problem["matrix"]:
        found[i] = found[i] - along.ratios([p])[0] * unknowns[j]
    return found
