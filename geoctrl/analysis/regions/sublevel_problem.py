"""The question of a sublevel set, as the data that its file holds: which function, what is held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, fmpq

from geoctrl import checker
from geoctrl._scalars.arithmetic.magnitudes import binary, magnitudes
from geoctrl.analysis.certificates.same_equations import compare_problems, require_same_equations
from geoctrl.analysis.proofs.energy_casimir import exact_multipliers
from geoctrl.analysis.proofs.equilibria_in_boxes import box_at_rest
from geoctrl.analysis.proofs.falling_function import falling_functions
from geoctrl.analysis.question.appended_rows import Appended
from geoctrl.analysis.question.motion import EquationsOfMotion, Stored
from geoctrl.analysis.question.problem import Problem
from geoctrl.checker.jets import reachable, to_float
from geoctrl.checker.matrices import independent
from geoctrl.checker.sublevels.energy import in_balls
from geoctrl.checker.sublevels.file import SUBLEVEL
from geoctrl.errors import CertificateError
from geoctrl.systems import Equilibrium, ReducedSystem

__all__ = ["SublevelQuestion", "kept_functions", "questions", "require_same_sublevel", "with_sides"]

ENERGY = "energy"
_KEYS = [key.removesuffix("?") for key in SUBLEVEL]
_PARTS = ("sublevel", "domain", "limits", "falling", "levels")
_WIDTH = Fraction(1, 2**24)
"""Of the levels of what is held, beside the size of the function at the point."""


@dataclass(frozen=True)
class SublevelQuestion:
    """A problem but for its box.

    Attributes
    ----------
    data : dict
    shapes : dict of label -> bound
        Of shapes that relations of the leaf hold within bounds, the bound; of the others None.
    middles : dict of label -> Fraction
        Of the box along these others: the point, a double next to it where it has roots.
    sizes : dict of label -> Fraction
        Of these others.
    step : Fraction
        The size of the function, by which levels are looked for at first.
    omitted : dict of name -> str
        Invariants that might be held, and why it is not known that they are conserved.
    """

    data: dict[str, Any]
    shapes: dict[str, Fraction | None]
    middles: dict[str, Fraction]
    sizes: dict[str, Fraction]
    step: Fraction
    omitted: dict[str, str]


class _Sizes(NamedTuple):
    """Sizes at the point, powers of two: of states by label, and of functions by name."""

    states: dict[str, Fraction]
    functions: dict[str, Fraction]

    @classmethod
    def of(cls, system: ReducedSystem, point: Equilibrium, problem: Problem) -> _Sizes:
        """By the sizes of states, and the magnitudes that functions have with them."""
        motion, functions = problem.motion, problem.invariants | problem.others
        column = system.seen_from(point.spin).scales(point.x, point.u, dict(point.params)).column
        pairs = zip(motion.states.values(), map(float, problem.point), strict=True)
        values = dict(pairs) | dict(zip(motion.inputs.values(), map(float, problem.input_point), strict=True))
        values |= {node: float(problem.numbers[k]) for k, node in motion.parameters.items()}
        sizes = dict(zip(motion.states.values(), map(float, column), strict=True))
        _, found = magnitudes(motion.graph, list(functions.values()), values, sizes)
        return cls(
            dict(zip(motion.states, map(_power, column), strict=True)),
            dict(zip(functions, map(_power, found), strict=True)),
        )


def _power(size: float) -> Fraction:
    """The nearest power of two; one for what has no size."""
    return Fraction(float(binary(size)) or 1.0)


def questions(
    system: ReducedSystem,
    point: Equilibrium,
    limits: Mapping[str, Fraction],
    widths: Mapping[str, Fraction],
) -> Iterator[SublevelQuestion]:
    """Problems with the functions that may have a sublevel set about an equilibrium, the best ones first.

    With the invariants that are linear in the velocities held, where these are independent of each other at
    the point; then with their multipliers in the function.
    """
    problem = Problem.of(system.seen_from(point.spin), point)
    if problem is None:
        return
    sizes = _Sizes.of(system, point, problem)
    problem, stored = _at_rest(problem)
    conserved, left, omitted = _kept(stored)
    exact = not left and "box" not in stored.data
    velocities = [k for k, node in problem.motion.states.items() if node in problem.motion.velocities]
    stored, parts = with_sides(system, problem, stored, limits)
    kept = [k for k in conserved if k != ENERGY]
    others = [k for k in stored.read["invariants"] if k not in conserved]
    for asked, energy, sense in _functions(stored, conserved, kept, others):
        q = checker.Question(asked.read, exact=True) if exact else in_balls(asked.read)
        for held, multipliers in _held(q, energy, sense, kept, velocities, exact):
            given = {
                "energy": energy,
                "sense": sense,
                "multipliers": {k: str(v) for k, v in multipliers.items()},
                "velocities": velocities,
            }
            yield replace(_question(q, asked, given, held, widths, parts, sizes), omitted=omitted)


def _at_rest(problem: Problem) -> tuple[Problem, Stored]:
    """The problem at its point, or with a box that holds an equilibrium where that has no exact numbers."""
    stored = problem.question(others=True)
    try:
        checker.Question(stored.read, exact=True).require_equilibrium()
        return problem, stored
    except (checker.NotEquilibrium, checker.NotExact) as reason:
        known = problem.question().read
        names = [k for k in _kept_in_balls(known) if k != ENERGY]
        found = box_at_rest(problem, names)
        if found is None:
            raise reason
        boxed = replace(problem, point=[Fraction(str(v)) for v in found.read["states"].values()])
        return boxed, boxed.question(others=True).with_box(found.data["box"])


def _kept(stored: Stored) -> tuple[list[str], list[str], dict[str, str]]:
    """Names of the invariants that are conserved; of those of them that are so in balls alone, for their
    values at the point are no exact numbers; and why of others that is not known.
    """
    if "box" in stored.data:
        return _kept_in_balls(stored.read), [], {}
    q, near = checker.Question(stored.read, exact=True), None
    conserved, left, omitted = list[str](), list[str](), dict[str, str]()
    for name in stored.read["invariants"]:
        try:
            kept = q.conserved(name)
        except checker.NotExact:
            near = near or in_balls(stored.read)
            kept = _conserved(near, name)
            left += [name] * kept
        except checker.Refusal as refusal:
            kept, omitted[name] = False, str(refusal)
        conserved += [name] * kept
    return conserved, left, omitted


def _kept_in_balls(read: dict[str, Any]) -> list[str]:
    q = in_balls(read)
    return [name for name in read["invariants"] if _conserved(q, name)]


def require_same_sublevel(system: ReducedSystem, stored: Mapping[str, Any]) -> None:
    """Compare the problem of a region's file with the equations and the domain of a system."""
    sides = [side.margin for side in system.domain.values()]
    if stored["limits"]:
        raise CertificateError("outputs within limits are those of a law, which a file does not hold")
    if len(stored["domain"]) != len(sides):
        raise CertificateError("the domain of the file has other sides than that of the system")
    own = {k: v for k, v in stored.items() if k not in _PARTS}
    require_same_equations(system, own | {"kind": "equations"})
    # Sides of the domain are compared like invariants, as functions.
    named = {f"side {k}": place for k, place in enumerate(stored["domain"])}
    point = checker.read_problem(own | {"kind": "equations", "invariants": named, "weights": {}})
    motion = EquationsOfMotion.of(system)
    functions = {f"side {k}": system.expression(margin) for k, margin in enumerate(sides)}
    numbers = {k: Fraction(v) for part in ("states", "inputs", "parameters") for k, v in stored[part].items()}
    compare_problems(point, motion.question(numbers, functions).read, len(motion.states))


def kept_functions(stored: Stored) -> list[str]:
    """Names of the invariants that are proved to be conserved, but for the energy."""
    q = checker.Question(stored.read, exact=True)
    return [name for name in stored.read["invariants"] if name != ENERGY and _conserved(q, name)]


def _conserved(q: checker.Question, name: str) -> bool:
    try:
        return q.conserved(name)
    except checker.Refusal:
        return False


def with_sides(
    system: ReducedSystem, problem: Problem, stored: Stored, limits: Mapping[str, Fraction]
) -> tuple[Stored, dict[str, Any]]:
    """The problem with the margins of the domain and limited outputs in its table, and where they are."""
    extra = [
        ("domain", [system.expression(side.margin) for side in system.domain.values()]),
        ("limits", [system.expression(system.mechanism.outputs[k]) for k in limits]),
    ]
    stored, places = _appended(problem, stored, extra)
    bounds = zip(limits.items(), places["limits"], strict=True)
    return stored, {
        "domain": places["domain"],
        "limits": {k: {"input": p, "bound": str(b)} for (k, b), p in bounds},
    }


def _appended(problem: Problem, stored: Stored, extra: Sequence[tuple[str, list]]) -> tuple[Stored, dict]:
    """The problem with further nodes in its table, and their places."""
    motion = problem.motion
    functions = problem.invariants | problem.others
    data, table = motion.equations_data(functions, {}, {}, further="consequences" in stored.data)
    places = {part: table.places([motion.image(n) for n in nodes]) for part, nodes in extra}
    numbers = {
        part: stored.data[part]
        for part in ("states", "inputs", "parameters", "roots", "box")
        if part in stored.data
    }
    return Stored.of(data | {"nodes": table.rows} | numbers), places


def _functions(
    stored: Stored, conserved: Sequence[str], kept: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[Stored, str, int]]:
    """Problems with the name of a function and the sense in which it does not grow: the energy where it is
    conserved, else what falls, with the squares that show it.
    """
    if ENERGY in conserved:
        yield stored, ENERGY, 1
        yield stored, ENERGY, -1
        return
    seen = set()
    for name in others:
        for found, _ in falling_functions(stored, kept, [name], apart=True):
            falling = found.data["falling"]
            if (name, falling["sense"]) in seen:
                continue
            seen.add((name, falling["sense"]))
            squares = [{k: row[k] for k in ("factor", "square")} for row in falling["squares"]]
            falling = {k: falling[k] for k in ("function", "weights", "sense")} | {"squares": squares}
            yield found.with_parts(falling=falling), name, falling["sense"]


def _held(
    q: checker.Question,
    energy: str,
    sense: int,
    kept: Sequence[str],
    velocities: Sequence[str],
    exact: bool,
) -> Iterator[tuple[list[str], dict[str, fmpq]]]:
    """Invariants to be held, and multipliers of others."""
    linear = [k for k in kept if _linear(q, k, velocities)]
    places = [q.labels.index(k) for k in velocities]
    rows: list[list] = []
    for name in linear:
        row = [q.function(name)[1][i] for i in places]
        if not exact:  # the checker asks again, over cells
            row = [c.mid().fmpq() if isinstance(c, arb) else c for c in row]
        if independent(rows, row):
            rows.append(row)
    if len(rows) == len(linear):
        yield linear, {}
    if not exact:
        return
    functions = [q.function_at(energy, q.problem["invariants"][energy]), *map(q.function, kept)]
    functions += map(q.function, q.problem["leaf"])
    found = exact_multipliers(functions)
    if found is not None and found[0] and kept:
        yield [], {k: sense * c / found[0] for k, c in zip(kept, found[1:], strict=False)}


def _linear(q: checker.Question, name: str, velocities: Sequence[str]) -> bool:
    """Whether second derivatives by velocities vanish at the point, and not all first ones."""
    _, gradient, second = q.function(name)
    places = {q.labels.index(k) for k in velocities}
    return any(gradient[i] for i in places) and not any(
        c for pair, c in second.items() if places.issuperset(pair)
    )


def _question(
    q: checker.Question,
    stored: Stored,
    given: dict[str, Any],
    held: Sequence[str],
    widths: Mapping[str, Fraction],
    parts: dict[str, Any],
    sizes: _Sizes,
) -> SublevelQuestion:
    """The problem with its functions written as polynomials, in which terms cancel that do."""
    table, known = Appended(stored), stored.read["invariants"]
    V = q.ratios([known[given["energy"]]])[0] * fmpq(given["sense"])
    for name, factor in given["multipliers"].items():
        V = V + q.ratios([known[name]])[0] * fmpq(factor)
    writer = _Writer(q, table)
    function = writer(V)
    functions = {name: writer(q.ratios([known[name]])[0]) for name in held}
    levels = {name: widths.get(name) or _WIDTH * sizes.functions[name] for name in held}
    given = given | {
        "function": function,
        "held": {k: {"function": p, "width": str(levels[k])} for k, p in functions.items()},
    }
    asked = table.with_parts().data
    data = {k: v for k, v in asked.items() if k in _KEYS} | {"kind": "sublevel", "sublevel": given} | parts
    related = {k for p in stored.data["leaf"].values() for k in _symbols(stored.read["nodes"], p)}
    at = {k: v for k, v in stored.read["states"].items() if k in related}
    size = sum((float(v) ** 2 for v in at.values()), 0.0) ** 0.5
    bound = Fraction(f"{size:.3g}")
    shapes = {k: bound if k in related else None for k in q.labels if k not in given["velocities"]}
    middles = {
        k: Fraction(to_float(v)) if isinstance(v, checker.Surd) else Fraction(str(v))
        for k, v in stored.read["states"].items()
    }
    return SublevelQuestion(data, shapes, middles, sizes.states, sizes.functions[given["energy"]], {})


def _symbols(nodes: Sequence[tuple], place: int) -> set[str]:
    return {nodes[i][1] for i in reachable(nodes, [place]) if nodes[i][0] == "sym"}


class _Writer:
    """Writes rational functions of a question into a table."""

    def __init__(self, q: checker.Question, table: Appended) -> None:
        self._q, self._table = q, table
        F = q.functions
        number = {str(g): i for i, g in enumerate(F.gens)}
        self._places = {number[str(x.top)]: p for x, p in zip(F.variables, q.moving_places, strict=True)}
        for place, node in enumerate(q.table):
            if node[0] == "fun" and node[1] != "select":
                (result,) = q.ratios([place])
                if not result.below and str(result.top) in number:
                    self._places.setdefault(number[str(result.top)], place)

    def __call__(self, ratio: Any) -> int:
        """The place of a function, divided by the relations where that makes it shorter."""
        F = self._q.functions
        top = ratio.top
        rest = F.divided(top)
        top = min((top, rest), key=len) if rest else top
        factors = [(self._polynomial(F.factors[k].top), -e) for k, e in ratio.below.items()]
        return self._table.product((self._polynomial(top), 1), *factors)

    def _polynomial(self, p: Any) -> int:
        return self._table.polynomial(p, self._places)
