r"""The question of stability of xdot = f(x, z) on a leaf g = 0, with unknowns z that solve K(x) z = b(x).

Proved before any verdict (e is the point, <g> the ideal of the leaf; identities hold near e on the leaf):

C0  f(e) = 0, g(e) = 0, K(e) is invertible, and nothing switches at e
C1  the leaf is kept: g' = Dg f vanishes modulo <g>
C2  the leaf is regular at e, gradients of g are independent there (for verdicts by the spectrum, which take
    ker Dg for the tangent space)
C3  an invariant is conserved: C' = DC f vanishes modulo <g>

In C1 and C3 the file gives weights w that eliminate the unknowns: C' + w.(b - K z) vanishes for all x and z.

Over a set of points C1 and C3 hold where all nodes of `Question.nodes_of_identities` have values: what
vanishes there is a numerator, over divisors of these nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from flint import fmpq

from geoctrl.decisions.arithmetic.eliminations import Rows, Span
from geoctrl.decisions.functions.derivatives import Jet, NotExact, Numbers, evaluate
from geoctrl.decisions.functions.identities_by_division import Functions, Ratio, generators_of
from geoctrl.decisions.reading.problem_reader import Refusal

STATES = 128
_EQUATIONS = ("states", "inputs", "parameters", "roots", "unknowns", "matrix", "right", "field", "leaf")
"""Parts that equations and point consist of."""


def places_of_fall(falling: dict[str, Any]) -> list[int]:
    """Places of all functions in what shows that a function falls, and that nothing stays where it rests."""
    places = [falling["function"], *falling["weights"]]
    for row in falling["squares"]:
        places += [row[k] for k in row if k not in ("power", "parts")]
        places += [p for part in row.get("parts", []) for p in part.values()]
    for step in falling.get("chain", []):
        places += [step["function"], step["unit"], *step["weights"]]
        places += [p for part in ("terms", "rates") for _, p in step[part]]
    return places


def places_of_growth(growing: dict[str, Any]) -> list[int]:
    """The same in what shows that a function grows."""
    places = [growing["function"], growing["factor"], *growing["weights"]]
    places += [p for row in growing["squares"] for p in row.values()]
    return [*places, *(p for row in growing["rising"] if "fall" in row for p in places_of_fall(row["fall"]))]


def standing(question: Question) -> tuple[dict[int, Jet], dict[int, fmpq], list[int]]:
    """For a `Question` of values alone: its symbols at the point, along nothing."""
    values = question.numbers_of("input", "parameter")
    states = zip(question.problem["states"], question.problem["states"].values(), strict=True)
    values |= {question.place["state", k]: q for k, q in states}
    return {p: Jet(question.numbers.settled(Jet(q)).value, {}, {}) for p, q in values.items()}, {}, []


class NotEquilibrium(Refusal):
    """The field or a leaf relation does not vanish at the point."""


class Question:
    """A problem of the kind "equations", as read, with what is proved about it.

    Parameters
    ----------
    problem : dict
    exact : bool
        False: values at the point are rounded to doubles. Identities are proved all the same; nothing else
        that rests on such a question is.
    numbers : Balls or Quotients, optional
        The arithmetic for values and derivatives at the point where they are not exact numbers.
    along : callable, optional
        Where the question is asked of many points at once: gives the jets of symbols by their places, the
        inputs that are numbers there, and the places of inputs and parameters that are none.
    earlier : Question, optional
        One in exact numbers, of which what is found is taken over as far as it is about the same equations
        at the same point.
    """

    def __init__(
        self,
        problem: dict[str, Any],
        exact: bool,
        numbers: Any = None,
        along: Callable[[Question], tuple[dict[int, Jet], dict[int, fmpq], list[int]]] | None = None,
        earlier: Question | None = None,
    ) -> None:
        self.problem, self.exact, self.table = problem, exact, problem["nodes"]
        self.labels, self._kept = list(problem["states"]), dict[str, bool]()
        self.remembered: dict[Any, Any] = {}
        self.numbers = numbers or Numbers(exact, problem["roots"])
        self._bind()
        self._at: dict[int, Jet] = {}
        if along is None:
            self._at = {p: Jet(self.numbers.settled(Jet(q)).value, {}, {}) for p, q in self._values.items()}
            for i, p in enumerate(self._states):
                self._at[p] = Jet(self.numbers.around(i, self._at[p].value), {i: fmpq(1)}, {})
        else:
            self._at, numbers_there, moving = along(self)
            self._values |= numbers_there
            self.variables += moving
        if earlier is not None:
            self._take_over(earlier)
        self._solve_unknowns()

    def _take_over(self, earlier: Question) -> None:
        """Values of nodes and proofs of an earlier question, where equations and point are the same."""
        ours, theirs = self.problem, earlier.problem
        if any(ours[part] != theirs[part] for part in _EQUATIONS):
            return
        pairs = enumerate(zip(self.table, earlier.table, strict=False))
        shared = next((k for k, (a, b) in pairs if a != b), min(len(self.table), len(earlier.table)))
        places = [*ours["field"], *ours["right"], *(p for *_, p in ours["matrix"]), *ours["leaf"].values()]
        if max(*places, *self.moving_places, *self._values) >= shared:
            return
        self._at |= {p: jet for p, jet in earlier._at.items() if p < shared}
        if shared == len(earlier.table):
            self.remembered = earlier.remembered
        if theirs.get("consequences", []) in ([], ours.get("consequences", [])):
            functions, before = (part["leaf"] | part["invariants"] for part in (ours, theirs))
            kept = [name for name, kept in earlier._kept.items() if kept]
            self._kept |= {name: True for name in kept if functions.get(name) == before[name] < shared}

    def _bind(self) -> None:
        """Each symbol of the table has one name of its role, and every name a symbol; parts fit each
        other.
        """
        problem, unknowns = self.problem, self.problem["unknowns"]
        values = {("state", k): q for k, q in problem["states"].items()}
        values |= {(role, k): q for role in ("input", "parameter") for k, q in problem[f"{role}s"].items()}
        place = {(node[2], node[1]): i for i, node in enumerate(self.table) if node[0] == "sym"}
        named = [*values, *(("unknown", k) for k in unknowns)]
        named += [("family", k) for k in problem.get("family", {}).get("symbols", {})]
        if set(place) != set(named) or len(set(named)) != len(named):
            raise Refusal(
                "its symbols are not those of states, inputs, parameters, unknowns and a family",
                "problem.nodes",
            )
        if set(problem["leaf"]) & set(problem["invariants"]):
            raise Refusal("a relation and an invariant have one name", "problem")
        if max(map(len, (self.labels, unknowns, problem["leaf"], problem["invariants"]))) > STATES:
            raise Refusal(f"more than {STATES} states, unknowns, relations or invariants", "problem")
        cells, k = [(i, j) for i, j, _ in problem["matrix"]], len(unknowns)
        columns = [problem["right"], *problem["weights"].values()]
        if (
            any(len(c) != k for c in columns)
            or any(max(c) >= k for c in cells)
            or len(set(cells)) != len(cells)
        ):
            raise Refusal("matrix, right side and weights do not fit the unknowns", "problem")
        if len(problem["field"]) != len(self.labels) or not self.labels:
            raise Refusal("one rate is needed for each state", "problem.field")
        consequences = problem.get("consequences", [])
        used = [problem["field"], problem["leaf"].values(), problem["invariants"].values(), *columns]
        used += [[p for _, _, p in problem["matrix"]], *(row.values() for row in consequences)]
        used += [part for name, part in problem.get("family", {}).items() if name != "symbols"]
        if held := problem.get("held"):
            used += [held["commands"].values(), held["own"].values()]
            used += [places for row in held["rest"] for places in row]
        if "drift" in problem:
            used += [[problem["drift"]["slope"]]]
        if falling := problem.get("falling"):
            used += [places_of_fall(falling)]
        if growing := problem.get("growing"):
            used += [places_of_growth(growing)]
        if any(p >= len(self.table) for part in used for p in part) or any(
            name not in problem["leaf"] for row in consequences for name in row
        ):
            raise Refusal("a node or a relation is referred to that does not exist", "problem")
        self.place = place
        self._states = [place["state", k] for k in problem["states"]]
        self._values = {place[key]: q for key, q in values.items()}
        self._unknowns = [place["unknown", k] for k in unknowns]
        self.variables = [*self._states, *self._unknowns]  # of identities: the rest are numbers

    def numbers_of(self, *roles: str) -> dict[int, fmpq]:
        """Values of the inputs or parameters by their places in the table."""
        return {self.place[role, k]: v for role in roles for k, v in self.problem[f"{role}s"].items()}

    @property
    def moving_places(self) -> list[int]:
        """Places of states and unknowns in the table, in order."""
        return [*self._states, *self._unknowns]

    def values_at_point(self) -> list[fmpq]:
        """States and unknowns at the point."""
        return [jet.value for jet in self.jets(self.moving_places)]

    # -- at the point ---------------------------------------------------------------------------

    def jets(self, nodes: list[int]) -> list[Jet]:
        """Values and derivatives at the point."""
        return evaluate(self.table, nodes, self._at, self.numbers, 2)

    @cached_property
    def _slopes(self) -> dict[int, Jet]:
        """What is known of nodes in first order, of which more are asked than in second."""
        return {p: Jet(jet.value, jet.first) for p, jet in self._at.items()}

    def _first_order(self, nodes: list[int]) -> list[Jet]:
        """Values and first derivatives at the point."""
        return evaluate(self.table, nodes, self._slopes, self.numbers, 1)

    def gradient(self, jet: Jet) -> list[fmpq]:
        """All first derivatives."""
        return [jet.first.get(i, fmpq(0)) for i in range(len(self.labels))]

    def function(self, name: str) -> tuple[str, list[fmpq], dict[tuple[int, int], fmpq]]:
        """Name, gradient and second derivatives (pairs i <= j) of a relation or an invariant."""
        return self.function_at(name, (self.problem["leaf"] | self.problem["invariants"])[name])

    def function_at(self, name: str, place: int) -> tuple[str, list[fmpq], dict[tuple[int, int], fmpq]]:
        """The same of the function at a place of the table."""
        (jet,) = self.jets([place])
        if jet.second is None:
            raise Refusal(f"{name[:80]!r} depends on unknowns", "problem")
        return name, self.gradient(jet), jet.second

    def _solve_unknowns(self) -> None:
        """z = K^-1 b at the point, and Dz = K^-1 (Db - DK z)."""
        if not self._unknowns or all(p in self._at for p in self._unknowns):
            return
        entries = [(i, j, self._first_order([p])[0]) for i, j, p in self.problem["matrix"]]
        right = self._first_order(self.problem["right"])
        jets = [*(jet for *_, jet in entries), *right]
        if any(jet.value is None for jet in jets):
            raise NotExact("the unknowns are not rational at the point")
        K, along = self.matrix(), sorted({m for jet in jets for m in jet.first})
        z = [row[0] for row in self.numbers.solve(K, [[jet.value] for jet in right])]
        columns = [{m: jet.first.get(m, fmpq(0)) for m in along} for jet in right]
        for i, j, jet in entries:
            for m, slope in jet.first.items():
                columns[i][m] -= slope * z[j]
        slopes = self.numbers.solve(K, [[*row.values()] for row in columns]) if along else [[]] * len(z)
        for place, value, row in zip(self._unknowns, z, slopes, strict=True):
            first = {m: c for m, c in zip(along, row, strict=True) if c}
            self._at[place] = self.numbers.settled(Jet(value, first))

    def matrix(self) -> Rows:
        """K at the point."""
        k = len(self.problem["unknowns"])
        K = [[fmpq(0)] * k for _ in range(k)]
        for i, j, p in self.problem["matrix"]:
            K[i][j] = self._first_order([p])[0].value
        return K

    @cached_property
    def linearisation(self) -> Rows:
        """Df at the point."""
        return [self.gradient(jet) for jet in self.jets(self.problem["field"])]

    def require_equilibrium(self) -> None:
        """C0."""
        rates = zip(self.labels, self.jets(self.problem["field"]), strict=True)
        relations = ((name, self.jets([p])[0]) for name, p in self.problem["leaf"].items())
        for name, jet in [*rates, *relations]:
            if jet.value is None or jet.value:
                raise NotEquilibrium(f"no equilibrium on the leaf: {name[:80]} does not vanish at the point")

    # -- identities -----------------------------------------------------------------------------

    @cached_property
    def functions(self) -> Functions:
        """Rational functions of what has no number, modulo the leaf."""
        F = Functions(len(self.variables), self.count_of_functions, self.sign, self.numbers.deadline)
        self.still = {p: Jet(F.number(q)) for p, q in self._values.items() if p not in self.variables}
        self.still |= {p: Jet(x) for p, x in zip(self.variables, F.variables, strict=True)}
        return F

    @property
    def count_of_functions(self) -> int:
        """The largest number of generators that stand for functions in identities."""
        return generators_of(self.table) + len(self.problem["roots"].roots)

    def sign(self, place: int, _: Any = None) -> int:
        """The sign of a switch at the point."""
        return self.numbers.sign(place, self.jets([place])[0].value)

    @cached_property
    def _moving(self) -> dict[int, Jet]:
        """Symbols with their rates; what a motion needs to keep is known from then on."""
        F = self.functions
        relations = {name: self.ratios([p])[0] for name, p in self.problem["leaf"].items()}
        for relation in relations.values():
            F.require_relation(relation)
        for row in self.problem.get("consequences", []):
            self.jets(list(row.values()))  # nothing divides by zero at the point
            F.require_relation(
                sum((self.ratios([p])[0] * relations[name] for name, p in row.items()), F.number(fmpq(0)))
            )
        rates = zip(self._states, self.ratios(self.problem["field"]), strict=True)
        moving = {p: Jet(self.still[p].value, {0: rate} if rate else {}) for p, rate in rates}
        # All but the unknowns, on which neither leaf nor invariants may depend.
        return {p: self.still[p] for p in self._values} | moving

    @cached_property
    def defects(self) -> list[Ratio]:
        """b - K z."""
        defects = self.ratios(self.problem["right"])
        for i, j, p in self.problem["matrix"]:
            defects[i] = defects[i] - self.ratios([p])[0] * self.still[self._unknowns[j]].value
        return defects

    def ratios(self, nodes: list[int]) -> list[Ratio]:
        """Rational functions of nodes."""
        F = self.functions  # knows the symbols from then on
        return [jet.value for jet in evaluate(self.table, nodes, self.still, F, 1)]

    def remainder(self, name: str) -> Any:
        """What is left of the rate of a relation or an invariant modulo the leaf: zero by C1 or C3."""
        place = (self.problem["leaf"] | self.problem["invariants"])[name]
        return self.functions.remainder(self.rate([place, *self.problem["weights"].get(name, [])]))

    def rate(self, nodes: list[int]) -> Ratio:
        """C' + w.(b - K z) from the places of C and w, which has the value of C' whatever the weights w are.

        What depends on coordinates alone has no weights, and its rate needs no accelerations.
        """
        self.jets(nodes)  # nothing divides by zero at the point
        place, *weights = nodes
        if len(weights) not in (0, len(self._unknowns)):
            raise Refusal("weights do not fit the unknowns", "problem")
        F = self.functions
        rate = evaluate(self.table, [place], self._moving, F, 1)[0].first.get(0, F.number(fmpq(0)))
        terms = zip(self.ratios(weights), self.defects if weights else (), strict=True)
        return sum((w * d for w, d in terms), rate)

    def conserved(self, name: str) -> bool:
        """Whether a relation or an invariant is proved to be kept by the motion."""
        if name not in self._kept:
            self._kept[name] = not self.remainder(name)
        return self._kept[name]

    def require_kept(self, invariants: list[str]) -> None:
        """C1 for all relations, C3 for some invariants."""
        if unknown := [name for name in invariants if name not in self.problem["invariants"]]:
            raise Refusal(f"there is no invariant {unknown[0][:80]!r}", "evidence.conserved")
        for name in [*self.problem["leaf"], *invariants]:
            if not self.conserved(name):
                raise Refusal(f"it is not proved that the motion keeps {name[:80]!r}", "problem")

    def nodes_of_identities(self, invariants: Iterable[str]) -> list[int]:
        """Places of all functions in C1, in C3 for some invariants, and in what shows that a function falls.

        A theorem over a set of points needs more than the identities, which are proved about the point alone.
        Where nothing that these nodes are made of divides by zero, no radicand or argument of a logarithm
        is zero or negative, and every choice has the sign that it has at the point, they hold on the leaf at
        each point of the set. A theorem may ask for values of more nodes there, never of fewer.
        """
        problem = self.problem
        used = list(invariants)
        places = [*problem["field"], *problem["right"], *(p for *_, p in problem["matrix"])]
        places += problem["leaf"].values()
        places += [problem["invariants"][name] for name in used]
        places += [p for name in (*problem["leaf"], *used) for p in problem["weights"].get(name, [])]
        places += [p for row in problem.get("consequences", []) for p in row.values()]
        if falling := problem.get("falling"):
            places += places_of_fall(falling)
        return list(dict.fromkeys(places))

    @cached_property
    def leaf(self) -> tuple[Rows, bool]:
        """Independent gradients of the leaf at the point; and C2, whether they are all."""
        rows = Span(self.function(name)[1] for name in self.problem["leaf"]).rows
        return rows, len(rows) == len(self.problem["leaf"])
