"""A problem's equations at its point and along the motion: what is proved of them.

Motions are those x(t) with x' = f(x, z), for unknowns z (accelerations, multipliers) with K(x) z = b(x), on
the leaf g(x) = 0. Nothing is solved for: an inverse of K at the point is given and multiplied out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from flint import fmpq

from geoctrl.checker.identities import Along, Functions, Ratio
from geoctrl.checker.jets import Jet, Numbers, evaluate
from geoctrl.checker.limits import Refusal

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
    squares : callable
        Makes what puts in squares in identities, or nothing.
    """

    def __init__(
        self,
        problem: dict[str, Any],
        witness: dict[str, Any],
        numbers: Any = None,
        squares: Callable[[], Any] = lambda: None,
    ) -> None:
        self.problem, self.witness, self.table = problem, witness, problem["nodes"]
        self._squares = squares
        self.numbers = numbers or Numbers(dict(witness["roots"]))
        self.functions_by_name = problem["leaf"] | problem["invariants"]
        parts: list[Collection[str]] = [problem[f"{role}s"] for role in ROLES]
        named = [(role, k) for role, part in zip(ROLES, parts, strict=True) for k in part]
        places = {(node[2], node[1]): i for i, node in enumerate(self.table) if node[0] == "sym"}
        self.family = {k: places.pop((role, k)) for role, k in [*places] if role == "family"}
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
        number, state_value = self.numbers.number, self.numbers.state_value
        self.at = {p: Jet({(): number(q)}, 2) for p, q in self.values.items()}
        for i, p in enumerate(self.states):
            self.at[p] = Jet({(): state_value(i, self.values[p]), (i,): fmpq(1)}, 2)
        self._kept: set[str] = set()
        self._used: dict[int, None] = {}
        self._solve()

    def _solve(self) -> None:
        """K z = b, K Dz = Db - DK z."""
        k, n = len(self.unknowns), len(self.labels)
        right, K = self.jets(self.problem["right"]), [[Jet({(): fmpq(0)}, 2)] * k for _ in range(k)]
        for i, j, p in self.problem["matrix"]:
            K[i][j] = self.jets([p])[0]
        if any(jet.value is None for jet in chain(right, *K)):
            raise Refusal("the unknowns are no numbers of the field")
        values = [[jet.value for jet in row] for row in K]
        solve = self.numbers.solver(values, self.witness["inverse"], "witness.inverse")
        z = solve([[jet.value] for jet in right])
        constant = [Jet({(): value}, 2) for (value,) in z]
        left = [sum(map(Jet.__mul__, row, constant), Jet({(): fmpq(0)}, 2)) for row in K]
        slopes = [(b + c * Jet({(): fmpq(-1)}, 2)).gradient(n) for b, c in zip(right, left, strict=True)]
        for p, value, row in zip(self.unknowns, constant, solve(slopes), strict=True):
            # No function that is kept depends on it: its second derivatives are not asked for.
            slope = Jet({(i,): c for i, c in enumerate(row) if c} | {(): fmpq(0)}, 2)
            self.at[p] = self.numbers.count(value + slope)

    # -- at the point ---------------------------------------------------------------------------

    def jets(self, nodes: Sequence[int]) -> list[Jet]:
        """Values and derivatives at the point."""
        return evaluate(self.table, nodes, self.at, self.numbers)

    def function(self, name: str) -> Jet:
        """A relation or an invariant, with its derivatives."""
        return self.jets([self.functions_by_name[name]])[0]

    def know(self, name: str, jet: Jet) -> None:
        """A further function, which is proved to be kept, by its derivatives at the point."""
        if name in self.functions_by_name:
            raise Refusal(f"the name {name[:80]!r} stands twice", "problem")
        place = len(self.table) + len(self.functions_by_name)
        self.functions_by_name = self.functions_by_name | {name: place}
        self.at[place] = jet
        self._kept.add(name)

    def require_rest(self) -> None:
        """C0: field and leaf vanish at the point."""
        places = [*self._rates, *self.problem["leaf"].values()]
        for name, jet in zip([*self.labels, *self.problem["leaf"]], self.jets(places), strict=True):
            if jet.value is None or jet.value != 0:
                raise Refusal(f"no equilibrium on the leaf: {name[:80]} does not vanish at the point")

    # -- identities -----------------------------------------------------------------------------

    def functions_of(self, variables: int, jets: Callable[[Sequence[int]], list[Jet]]) -> Functions:
        """Rational functions, with choices by their signs at the point."""
        made = [node for node in self.table if node[0] == "fun"]
        return Functions(
            variables,
            4 + 2 * len(made),
            lambda p, _: self.numbers.sign(p, jets(self.table[p][2][:1])[0].value),
            self._squares(),
        )

    @cached_property
    def still(self) -> Along:
        """States and unknowns as variables, and so is what has no number."""
        free = (p for p, q in self.values.items() if isinstance(q, Ratio))
        moving = list(dict.fromkeys([*self.states, *self.unknowns, *free]))
        F = self.functions_of(len(moving), self.jets)
        known = {p: Jet({(): F.number(q)}, 1) for p, q in self.values.items()}
        known |= {p: Jet({(): x}, 1) for p, x in zip(moving, F.variables, strict=True)}
        return Along(self.table, F, known, self._used_jets)

    @cached_property
    def _moving(self) -> Along:
        """Symbols with their rates: all but the unknowns, on which no function that is kept depends."""
        known = {p: self.still.known[p] for p in self.values}
        for p, rate in zip(self.states, self.still.ratios(self._rates), strict=True):
            known[p] = Jet({(): known[p].value, (0,): rate}, 1)
        return Along(self.table, self.still.functions, known, self._used_jets)

    def _used_jets(self, nodes: Sequence[int]) -> list[Jet]:
        """Values at the point of nodes of an identity, which are noted."""
        self._used |= dict.fromkeys(nodes)
        return self.jets(nodes)

    @property
    def nodes_of_identities(self) -> list[int]:
        """Nodes of the equations, and of all identities that were asked for so far.

        An identity is proved about the point. Where all that these nodes are made of have values, roots and
        logarithms of what is positive alone, and choices the signs that they have at the point, it holds on
        the leaf at each point of a set. A theorem may ask for values of more nodes there, never of fewer.
        """
        own = [*self._rates, *self.problem["right"], *(p for *_, p in self.problem["matrix"])]
        return list(dict.fromkeys([*own, *self.problem["leaf"].values(), *self._used]))

    @cached_property
    def _defects(self) -> list[Ratio]:
        """b - K z."""
        return defects(self.problem, self.still, self.still.ratios(self.unknowns))

    def rate(self, name: str) -> Ratio:
        """That of a relation or an invariant."""
        return self.rate_of(self.functions_by_name[name], self.problem["weights"].get(name, []))

    def rate_of(self, function: int, eliminating: Sequence[int]) -> Ratio:
        """F' + w.(b - K z), which is the rate of F along motions whatever the weights w are."""
        weights = self.still.ratios(eliminating)
        (jet,) = self._moving.jets([function])
        terms = [w * d for w, d in zip(weights, self._defects if weights else (), strict=True)]
        return sum(terms, jet.terms.get((0,), self.still.functions.number(0)))

    def require_kept(self, names: Iterable[str]) -> None:
        """C1 for all relations, C3 for some invariants: each rate is sum q r, with cofactors q as given."""
        for name in {*self.problem["leaf"], *names} - self._kept:
            self.function(name)
            rows = self.witness["cofactors"].get(name, [])
            if self.rate(name) != self.still.combination(rows, self.problem["leaf"]):
                raise Refusal(f"it is not proved that the motion keeps {name[:80]!r}", "witness.cofactors")
            self._kept.add(name)


def defects(problem: dict[str, Any], along: Along, unknowns: Sequence[Ratio]) -> list[Ratio]:
    """b - K z."""
    found = along.ratios(problem["right"])
    for i, j, p in problem["matrix"]:
        found[i] = found[i] - along.ratios([p])[0] * unknowns[j]
    return found
