"""A problem's equations at its point and along the motion: what is proved of them.

Motions are those x(t) with x' = f(x, z), for unknowns z (accelerations, multipliers) with K(x) z = b(x), on
the leaf g(x) = 0. Nothing is solved for: an inverse of K at the point is given and multiplied out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import chain
from typing import Any

from flint import fmpq

from geoctrl.checker.witnesses.definite import product, require_inverse
from geoctrl.checker.witnesses.identities import Functions, Ratio
from geoctrl.checker.witnesses.jets import Jet, Numbers, evaluate
from geoctrl.checker.witnesses.limits import Refusal

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
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], numbers: Any = None) -> None:
        self.problem, self.witness, self.table = problem, witness, problem["nodes"]
        self.numbers = numbers or Numbers(dict(witness["roots"]))
        self.functions_by_name = problem["leaf"] | problem["invariants"]
        parts: list[Collection[str]] = [problem[f"{role}s"] for role in ROLES]
        named = [(role, k) for role, part in zip(ROLES, parts, strict=True) for k in part]
        places = {(node[2], node[1]): i for i, node in enumerate(self.table) if node[0] == "sym"}
        self.labels, self._rates = list(problem["states"]), problem["field"]
        cells = [(i, j) for i, j, _ in problem["matrix"]]
        alone = all(
            len(set(part)) == len(part) for part in (named, cells, [*problem["leaf"], *problem["invariants"]])
        )
        parts += [self.functions_by_name]
        if not alone or set(places) != set(named) or max(map(len, parts)) > STATES:
            raise Refusal(f"a name stands twice, or for nothing, or there are more than {STATES}", "problem")
        self.states, _, _, self.unknowns = (
            [places[role, k] for k in part] for role, part in zip(ROLES, parts, strict=False)
        )
        self.values = {places[role, k]: problem[f"{role}s"][k] for role, k in named if role != "unknown"}
        self.at = {p: Jet({(): q}, 2) for p, q in self.values.items()}
        self.at |= {p: Jet({(): self.values[p], (i,): fmpq(1)}, 2) for i, p in enumerate(self.states)}
        self._kept: set[str] = set()
        self._solve()

    def _solve(self) -> None:
        """With K N = 1: z = N b, Dz = N (Db - DK z)."""
        k, n = len(self.unknowns), len(self.labels)
        right, K = self.jets(self.problem["right"]), [[Jet({(): fmpq(0)}, 2)] * k for _ in range(k)]
        for i, j, p in self.problem["matrix"]:
            K[i][j] = self.jets([p])[0]
        if any(jet.value is None for jet in chain(right, *K)):
            raise Refusal("the unknowns are no numbers of the field")
        values = [[jet.value for jet in row] for row in K]
        N = require_inverse(values, self.witness["inverse"], "witness.inverse")
        z = product(N, [[jet.value] for jet in right])
        constant = [Jet({(): value}, 2) for (value,) in z]
        left = [sum(map(Jet.__mul__, row, constant), Jet({(): fmpq(0)}, 2)) for row in K]
        slopes = [(b + c * Jet({(): fmpq(-1)}, 2)).gradient(n) for b, c in zip(right, left, strict=True)]
        for p, value, row in zip(self.unknowns, constant, product(N, slopes), strict=True):
            # No function that is kept depends on it: its second derivatives are not asked for.
            slope = Jet({(i,): c for i, c in enumerate(row) if c != 0} | {(): fmpq(0)}, 2)
            self.at[p] = self.numbers.count(value + slope)

    # -- at the point ---------------------------------------------------------------------------

    def jets(self, nodes: list[int]) -> list[Jet]:
        """Values and derivatives at the point."""
        return evaluate(self.table, nodes, self.at, self.numbers)

    def function(self, name: str) -> Jet:
        """A relation or an invariant, with its derivatives."""
        return self.jets([self.functions_by_name[name]])[0]

    def require_rest(self) -> None:
        """C0: field and leaf vanish at the point."""
        places = [*self._rates, *self.problem["leaf"].values()]
        for name, jet in zip([*self.labels, *self.problem["leaf"]], self.jets(places), strict=True):
            if jet.value is None or jet.value != 0:
                raise Refusal(f"no equilibrium on the leaf: {name[:80]} does not vanish at the point")

    # -- identities -----------------------------------------------------------------------------

    @cached_property
    def functions(self) -> Functions:
        """Rational functions of states and unknowns."""
        count = 4 + sum(2 for node in self.table if node[0] == "fun")
        moving = [*self.states, *self.unknowns]
        F = Functions(
            len(moving), count, lambda p, _: self.numbers.sign(p, self.jets(self.table[p][2][:1])[0].value)
        )
        self._still = {p: Jet({(): F.number(q)}, 1) for p, q in self.values.items()}
        self._still |= {p: Jet({(): x}, 1) for p, x in zip(moving, F.variables, strict=True)}
        return F

    def ratios(self, nodes: list[int]) -> list[Ratio]:
        """Rational functions of nodes, of which no divisor vanishes at the point."""
        F = self.functions
        self.jets(nodes)
        return [jet.value for jet in evaluate(self.table, nodes, self._still, F)]

    @cached_property
    def _moving(self) -> dict[int, Jet]:
        """Symbols with their rates: all but the unknowns, on which no function that is kept depends."""
        rates = dict(zip(self.states, self.ratios(self._rates), strict=True))
        known = {p: self._still[p].value for p in self.values}
        return {p: Jet({(): x} | ({(0,): rates[p]} if p in rates else {}), 1) for p, x in known.items()}

    @cached_property
    def _defects(self) -> list[Ratio]:
        """b - K z."""
        defects = self.ratios(self.problem["right"])
        for i, j, p in self.problem["matrix"]:
            defects[i] = (
                defects[i] - self.ratios([p, self.unknowns[j]])[0] * self.ratios([self.unknowns[j]])[0]
            )
        return defects

    def rate(self, name: str) -> Ratio:
        """F' + w.(b - K z), which is the rate of F along motions whatever the weights w are."""
        place, F = self.functions_by_name[name], self.functions
        self.jets([place])
        weights = self.ratios(self.problem["weights"].get(name, []))
        (jet,) = evaluate(self.table, [place], self._moving, F)
        terms = [w * d for w, d in zip(weights, self._defects if weights else (), strict=True)]
        return sum(terms, jet.terms.get((0,), F.number(0)))

    def require_kept(self, names: Iterable[str]) -> None:
        """C1 for all relations, C3 for some invariants: each rate is sum q r, with cofactors q as given."""
        for name in {*self.problem["leaf"], *names} - self._kept:
            self.function(name)
            if self.rate(name) != self.combination(self.witness["cofactors"].get(name, [])):
                raise Refusal(f"it is not proved that the motion keeps {name[:80]!r}", "witness.cofactors")
            self._kept.add(name)

    def combination(self, rows: list[tuple[str | int, int]]) -> Ratio:
        """sum q r of relations r: those of the leaf by their names, those of functions by their places."""
        total, leaf, functions = self.functions.number(0), self.problem["leaf"], self.functions.relations
        for relation, place in rows:
            if isinstance(relation, str):
                vanishing = self.ratios([leaf[relation]])[0]
            else:
                self.ratios([relation] if relation >= 0 else [])
                vanishing = functions[relation]
            total = total + self.ratios([place])[0] * vanishing
        return total
