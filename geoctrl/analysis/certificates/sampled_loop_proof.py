"""The search for a proof about a sampled loop, which `geoctrl.decisions.theorems.held_decision` decides.

The commands, which rest between samples, are states of the problem, and so is the output of an actuator that
lags. What is looked for are functions that no command changes, families of fixed points and, from a
linearisation that the checker itself encloses, P of :math:`P - M^T P M = 1`, or a multiplier outside.

A point at which the loop of a sampled controller rests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, arb_mat, ctx, fmpq

from geoctrl import checker, decisions
from geoctrl._scalars import STATE, Graph, Node, exact
from geoctrl._scalars.arithmetic.ball_matrices import middles
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.certificates.law_on_plant import LawAtRest, law_on_plant
from geoctrl.analysis.certificates.recorded_loop import recorded_loop
from geoctrl.analysis.certificates.rest_relations import rows_of_rest
from geoctrl.analysis.linear.subspaces import kernel, pivot_columns
from geoctrl.analysis.proofs.declared_families import declared_families
from geoctrl.analysis.proofs.equilibria_in_boxes import BITS, Moment, exponents_of, refined_middle
from geoctrl.analysis.proofs.equilibrium_family import family_through, flat_family
from geoctrl.analysis.proofs.proof import Outcome
from geoctrl.analysis.question.generators import NotSolved, independent_invariants
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.eliminations import nullspace
from geoctrl.decisions.arithmetic.tower import middle
from geoctrl.decisions.functions.ball_jets import Balls
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION, Box
from geoctrl.decisions.theorems.held_decision import multiplied
from geoctrl.errors import CertificateError, EquilibriumError, InputError
from geoctrl.sampling import SampledController
from geoctrl.systems import Equilibrium, Family, System
from geoctrl.systems.contract.points import resolve_equilibrium
from geoctrl.systems.contract.tolerances import INDEPENDENT, RESIDUAL
from geoctrl.systems.contract.torque_speed import TorqueSpeed

__all__ = ["first_proof", "held_outcome", "loop_point"]


def loop_point(system: System, controller: Any, eq: Any, params: Mapping[str, float] | None) -> Equilibrium:
    """An equilibrium of the plant at which the law asks for the torque that holds it, up to rounding."""
    if not isinstance(controller, SampledController):
        raise TypeError(f"controller must be made by law.sampled(...), got {type(controller).__name__}")
    _ = system.recording  # of functions there are no equations: refused before any work
    if controller.offset:
        raise InputError(
            f"{', '.join(controller.offset)} are measured with a constant error, which moves the point of "
            "rest; leave offset out"
        )
    controller.require_plant(system.state_labels, system.input_labels)
    point = resolve_equilibrium(system, eq, params)
    if np.any(point.spin):
        raise EquilibriumError("the point rests in axes that turn, and a law does not turn with them")
    _require_at_rest(controller, system, point)
    return point


def _require_at_rest(controller: SampledController, system: System, point: Equilibrium) -> None:
    """Refuse a point at which the law asks for another torque, or its own states move."""
    plant, recorded, place = recorded_loop(system, controller, point)
    law, scales = (
        LawAtRest(plant, recorded, place),
        plant.seen_from(None).scales(place.x, place.u, place.params),
    )
    for label, (asked, held, size) in law.inputs_asked_for(scales.column, scales.input).items():
        if not abs(asked - held) <= RESIDUAL * max(size, abs(held)):
            raise EquilibriumError(
                f"the law asks for {label} = {asked:.9g} at this point, which rests at {held:.9g}"
            )
    for label, (rate, size) in law.rates_of_own(scales.column, scales.input).items():
        if not abs(rate) <= RESIDUAL * size:
            raise EquilibriumError(
                f"the controller's state {label} does not rest here: its rate is {rate:.9g}"
            )


_BITS, _DOUBLINGS = 30, 60
"""Size of a power of M that counts as none, and the powers that are tried: those of two."""


def held_outcome(system: System, controller: SampledController, point: Equilibrium) -> Outcome:
    """What is proved of the loop at a point of `loop_point`."""
    states = dict(zip(system.state_labels, point.x.tolist(), strict=True))
    _require_smooth(controller, states | dict(zip(system.input_labels, point.u.tolist(), strict=True)))
    plant, recorded, place = recorded_loop(system, controller, point)
    problem = Problem.of(plant.seen_from(None), place)
    if problem is None:
        raise CertificateError("there are no equations of this system that a certificate could hold")
    try:
        return problem.with_needed_roots(lambda asked: first_proof(_candidates(asked, plant, recorded)))
    except checker.Refusal as refusal:
        if (rounded := _outcome_in_box(problem, plant, recorded)) is not None:
            return rounded
        raise CertificateError(
            f"no certificate of this loop can be made: {refusal}. Doubles are the binary numbers they are: a "
            "hold is proved at a point that is exact (a member of a declared family, with its roots and "
            "angles), and with a law that gives exactly the inputs that hold it, as u_e - K (x - x_e) of "
            "gc.lqr does; next to another point, in a box in which the loop rests once, and none is found "
            "here; gc.linearize_held tells the multipliers in floats",
            key="held-not-exact",
        ) from None


def _outcome_in_box(problem: Problem, system: System, controller: SampledController) -> Outcome | None:
    """What is proved of the point next to the given one at which a loop rests, of a law that is rounded."""
    try:
        outcome = _outcome(*_Loop(problem, system, controller).loop_in_box())
    except (checker.Refusal, NotSolved, np.linalg.LinAlgError, ZeroDivisionError):
        return None
    return outcome if outcome.verdict.proved else None


def _candidates(
    problem: Problem, system: System, controller: SampledController
) -> Iterator[tuple[Stored, list[str]]]:
    """Problems, and invariants on whose level sets they are asked: what says more before what says less."""
    loop = _Loop(problem, system, controller)
    held, resting, names = loop.loop_at_rest()
    yield held, names
    with suppress(checker.Refusal):  # rates of an estimate are long
        if rows := rows_of_rest(held, resting, names):
            yield rows, names
    for family in _named_families(loop.declaring, resting):
        yield Stored.of(held.data | {part: family.data[part] for part in ("family", "nodes")}), []


def _named_families(declaring: Problem, resting: Stored) -> Iterator[Stored]:
    """Equations that rest where the loop does, with families of solutions as functions of symbols."""
    q = decisions.Question(resting.read, exact=True)
    tangents = nullspace([*q.linearisation, *q.leaf[0]], len(q.labels))
    searches = (
        lambda: flat_family(resting, q, tangents),
        lambda: family_through(resting, decisions.Question(resting.read, exact=True), len(tangents)),
    )
    for search in searches if tangents else ():
        try:
            yield search()
        except (NotSolved, checker.Refusal):
            continue
    yield from declared_families(declaring, resting, q, len(tangents))


def first_proof(candidates: Iterator[tuple[Stored, list[str]]]) -> Outcome:
    """The first proof, or that there is none."""
    undecided = []
    for outcome in (_outcome(stored, names) for stored, names in candidates):
        if outcome.verdict.proved:
            return outcome
        undecided.append(outcome)
    return undecided[0]


def _require_smooth(controller: SampledController, rest: dict[str, float]) -> None:
    """Refuse what the linearisation of one hold knows nothing of."""
    for name in ("noise", "quantisation"):
        if getattr(controller, name):
            raise InputError(f"{name} leaves a bound, not a point: certify the controller without it")
    for label, bound in controller.limits.items():
        low, high = bound.interval(rest[bound.rate or ""]) if isinstance(bound, TorqueSpeed) else bound
        if not low < rest[label] < high:
            raise InputError(
                f"the torque at rest, {label} = {rest[label]:.9g}, is at its limit [{low:g}, {high:g}]"
            )


class _Loop:
    """The problem of a loop, in the graph of its plant, from the problem of that."""

    def __init__(self, problem: Problem, system: System, controller: SampledController) -> None:
        self._problem, self._controller = problem, controller
        motion, law, graph = problem.motion, controller.feedback, problem.motion.graph
        self._functions = problem.invariants | problem.others
        known = {str(node.payload): node for node in motion.states.values()}
        self._acting = {label: motion.inputs[label] for label in law.inputs}
        self._commands = dict(self._acting)
        rates = dict.fromkeys(self._acting.values(), graph.zero)
        states = {**motion.states, **self._acting}
        if controller.lag:
            lag = graph.number(exact(controller.lag))
            self._commands = {
                f"{label}_commanded": graph.symbol(f"{label} commanded", STATE) for label in law.inputs
            }
            for command, acting in zip(self._commands.values(), self._acting.values(), strict=True):
                rates |= {acting: (command - acting) / lag, command: graph.zero}
            states |= self._commands
        sent = dict(zip(law.inputs, self._commands.values(), strict=True))
        computed = law_on_plant(system, controller, known, sent)

        def sums(part: Mapping[str, list[Node]]) -> list[list[tuple[Fraction, Node]]]:
            return [_terms(graph, [motion.image(node) for node in nodes]) for nodes in part.values()]

        self._own, self._at_rest = computed.own, computed.rest
        self._laws = dict(zip(self._commands, sums(computed.terms), strict=True))
        self._rates = dict(zip(computed.rates, sums(computed.rates), strict=True))
        rates |= dict.fromkeys(self._own.values(), graph.zero)
        self._motion = replace(
            motion,
            states=states | self._own,
            inputs={k: node for k, node in motion.inputs.items() if k not in law.inputs},
            rates={**motion.rates, **rates},
            _written={},
        )

    @property
    def _numbers(self) -> dict[str, Any]:
        problem = self._problem
        held = dict(zip(problem.motion.inputs, problem.input_point, strict=True))
        numbers = problem.numbers | held | dict(zip(problem.motion.states, problem.point, strict=True))
        at = dict(zip(problem.motion.states.values(), problem.point, strict=True))
        at |= {problem.motion.inputs[k]: v for k, v in held.items()}
        numbers |= {k: self._value(node, at) for k, node in self._at_rest.items()}
        return numbers | {k: held[u] for k, u in zip(self._commands, self._acting, strict=True)}

    @property
    def declaring(self) -> Problem:
        """The question about the loop, with the families of the plant and what the controller has there."""
        labels, numbers = [*self._motion.states], self._numbers
        families = tuple(map(self._in_loop, self._problem.families))
        point = [numbers[k] for k in labels]
        return replace(self._problem, motion=self._motion, point=point, families=families)

    def _in_loop(self, family: Family) -> Family:
        """A family of the plant with the inputs and the states of the controller along it."""
        held = {k: family.inputs.get(k, 0) for k in self._acting}
        states = {**family.states, **held, **dict(zip(self._commands, held.values(), strict=True))}
        inputs = {node: label for label, node in self._acting.items()}
        states |= {k: held[inputs[node]] for k, node in self._at_rest.items() if node in inputs}
        for k, e in self._controller.feedback.estimates.items():
            states[k] = e.xreplace({s: family.states.get(str(s), sp.S.Zero) for s in e.free_symbols})
        return Family(states, family.symbols, {}, family.relations)

    def _value(self, node: Node, at: Mapping[Node, Any]) -> Any:
        """Where a state of the controller rests, a multiple of what the plant has."""
        number, factors = self._problem.motion.graph.factors(node)
        return math.prod((at[f] ** e for f, e in factors.items()), start=number)

    def loop_at_rest(self) -> tuple[Stored, Stored, list[str]]:
        """The loop, equations that rest where it does, and independent functions that no command changes."""
        held, resting = self._loop_and_rest(further=False)
        names = self._unchanged_functions(held)
        if len(names) < len(self._functions) and self._motion.consequences():
            held, resting = self._loop_and_rest(further=True)
            names = self._unchanged_functions(held)
        return held, resting, names

    def loop_in_box(self) -> tuple[Stored, list[str]]:
        """The loop with a box that holds a point of rest, and the functions on whose levels it is asked."""
        held, _ = self._loop_and_rest(further=bool(self._motion.consequences()))
        labels = list(held.read["states"])
        with ctx.workprec(PRECISION):
            q = decisions.Question(held.read, exact=True, numbers=Balls([fmpq(0)] * len(labels)))
            slopes = self._slopes_of_rest(q)
            sizes = self._sizes(slopes, labels)
            leaf = _unit_gradients(q, list(q.problem["leaf"]), sizes)
            gradients, names = leaf, list[str]()
            for name in self._kept_functions(q):
                more = np.vstack([gradients, _unit_gradients(q, [name], sizes)])
                if np.linalg.matrix_rank(more, tol=INDEPENDENT) == len(more):
                    gradients, names = more, [*names, name]
            family = kernel(_unit_rows(np.vstack([slopes * sizes, leaf])), INDEPENDENT)
            if family.shape[1] != len(names):
                raise checker.Refusal("the points at which the loop rests are not those of the invariants")
            plant = [k not in {*self._commands, *self._own} for k in labels]
            box: dict[str, Any] = {
                "held": [labels[i] for i in pivot_columns(family.T * plant)],
                "omitted": [labels[i] for i in pivot_columns(gradients)],
                "bits": exponents_of(sizes, BITS[0]),
            }

            def moment(x: list[Fraction], _: list[Fraction]) -> Moment:
                numbers = self._numbers | dict(zip(labels, x, strict=True))
                stored = held.with_numbers(numbers).with_box(box)
                return stored, *Box(stored.read, names, whole=False).rest()

            free = [i for i, k in enumerate(labels) if k not in box["held"]]
            point = [self._numbers[k] for k in labels]
            stored, _ = refined_middle(point, moment, free, sizes, [], BITS[0])
        return stored, names

    def _slopes_of_rest(self, q: decisions.Question) -> np.ndarray:
        """Slopes of the rates, and of what the laws give beyond the commands, by states."""
        places = dict(zip(q.labels, q.problem["field"], strict=True))
        places |= q.problem["held"]["commands"] | q.problem["held"]["own"]
        slopes = middles([q.gradient(jet) for jet in q.jets(list(places.values()))])
        return slopes - np.diag([float(k in self._commands) for k in q.labels])

    def _sizes(self, slopes: np.ndarray, labels: list[str]) -> np.ndarray:
        """Powers of two next to the sizes of the states: of commands as the plant's states make them, of the
        controller's states by their change in one hold.
        """
        scales = self._problem.scales
        own = np.ones(len(self._problem.motion.states)) if scales is None else scales().unit
        sizes = dict(zip(self._problem.motion.states, own.tolist(), strict=True))
        known = np.array([sizes.get(k, 0.0) for k in labels])
        change = np.abs(slopes) @ known
        for k, acting in zip(self._commands, self._acting, strict=True):
            sizes[k] = sizes[acting] = change[labels.index(k)]
        sizes |= {k: change[labels.index(k)] * self._controller.hold for k in self._own}
        return binary(np.array([sizes[k] or 1.0 for k in labels]))

    def _unchanged_functions(self, stored: Stored) -> list[str]:
        """Independent functions that no command changes."""
        question = decisions.Question(stored.read, exact=True)
        return independent_invariants(question, self._kept_functions(question))

    def _kept_functions(self, question: decisions.Question) -> list[str]:
        """Functions that no command changes."""
        kept = []
        for name in self._functions:
            try:
                if question.conserved(name):
                    question.function(name)
                    kept.append(name)
            except checker.Refusal:
                continue
        return kept

    def _loop_and_rest(self, further: bool) -> tuple[Stored, Stored]:
        """The loop, and equations that rest where it does."""
        controller, motion = self._controller, self._motion
        data, table = motion.equations_data(self._functions, {}, {}, further)
        laws, rates = ([table.total(terms) for terms in part.values()] for part in (self._laws, self._rates))
        late, part = _late(controller)
        held: dict[str, Any] = {
            "hold": str(1 / exact(controller.rate)),
            "late": late,
            "part": str(part),
            "commands": dict(zip(self._commands, laws, strict=True)),
            "own": dict(zip(self._own, rates, strict=True)),
            "rest": [],
        }
        moved = {k: _sum(motion.graph, law) - self._commands[k] for k, law in self._laws.items()}
        moved |= {label: _sum(motion.graph, rate) for label, rate in self._rates.items()}
        field = dict(zip(motion.states, data["field"], strict=True))
        field |= dict(zip(moved, table.places(list(moved.values())), strict=True))
        resting = data | {"field": list(field.values())}
        return self._stored_at(data | {"kind": "held", "held": held}), self._stored_at(resting)

    def _stored_at(self, data: dict[str, Any]) -> Stored:
        stored, field = Stored.of(data).with_numbers(self._numbers), self._problem.field
        return stored.with_roots(field) if field.roots else stored


def _terms(graph: Graph, parts: Sequence[Node]) -> list[tuple[Fraction, Node]]:
    """Numbers and nodes of a sum, term by term: with common factors taken out nobody can read the numbers.

    What is measured from an exact angle leaves its arctangent in two terms, which cancel.
    """
    found: dict[Node, Fraction] = {}
    pending = [(Fraction(1), node) for node in parts]
    while pending:
        scale, node = pending.pop(0)
        number, factors = graph.factors(node)
        rest = graph.monomial(Fraction(1), factors)
        if rest.kind == "sum":
            pending[:0] = [(scale * number, c * mono) for c, mono in rest.payload]
        else:
            found[rest] = found.get(rest, Fraction(0)) + scale * number
    return [(c, node) for node, c in found.items() if c]


def _sum(graph: Graph, terms: list[tuple[Fraction, Node]]) -> Node:
    return graph.add([graph.number(c) * node for c, node in terms])


def _unit_gradients(q: decisions.Question, names: list[str], sizes: np.ndarray) -> np.ndarray:
    """Gradients of functions by states in their sizes, of length one."""
    return _unit_rows(middles([q.function(name)[1] for name in names]).reshape(-1, len(sizes)) * sizes)


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    """Rows of length one, but for those of zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def _late(controller: SampledController) -> tuple[int, Fraction]:
    """`SampledController.holds_late`, exactly."""
    whole, part = controller.holds_late
    late = exact(controller.delay) * exact(controller.rate)
    return whole, late - whole if part else Fraction(0)


def _outcome(stored: Stored, names: list[str]) -> Outcome:
    """With a matrix or a multiplier, as the middle of M suggests."""
    with ctx.workprec(PRECISION):
        M, _ = multiplied(stored.read, names)
        middles = M.mid()
    roots = np.linalg.eigvals(np.array([[float(c) for c in row] for row in middles.tolist()]))
    root = complex(roots[int(np.argmax(np.abs(roots)))])
    proposal: dict[str, Any] = {"conserved": names}
    attempts: list[Callable[[], dict[str, Any]]] = [
        lambda: {"lyapunov": _lyapunov(middles)} if abs(root) < 1 else {},
        lambda: {"multiplier": [root.real, root.imag]} if abs(root) > 1 else {},
    ]
    for attempt in attempts:
        try:
            outcome = Outcome(stored, *decisions.decide(stored.read, proposal | attempt()))
        except (checker.Refusal, NotSolved, ZeroDivisionError):
            continue
        if outcome.verdict.proved:
            return outcome
    return Outcome(stored, *decisions.decide(stored.read, proposal))


def _lyapunov(M: arb_mat) -> list[list[str]]:
    """P of P - M' P M = 1, by doubling, rounded to a grid that the inequality does not feel."""
    n = M.nrows()
    with ctx.workprec(PRECISION):
        P, power = arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)]), M
        for _ in range(_DOUBLINGS):
            P, power = (P + power.transpose() * P * power).mid(), (power * power).mid()
            if all(abs(c) < fmpq(1, 1 << _BITS) for c in power.entries()):
                break
        else:
            raise NotSolved("powers of M do not vanish")
        size = int(middle(sum((c * c for c in M.entries()), arb(1)))) + 1
        unit = fmpq(1, 16 * n * size)
        grid = [[(middle(c) / unit).floor() * unit for c in row] for row in P.tolist()]
    return [[str(grid[max(i, j)][min(i, j)]) for j in range(n)] for i in range(n)]
