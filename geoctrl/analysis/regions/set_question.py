"""The question of a set about an equilibrium, as all searches are given it, written as data once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import sympy as sp

from geoctrl import checker, decisions
from geoctrl._checks import nearest
from geoctrl._scalars import exact, shown
from geoctrl._scalars.arithmetic.magnitudes import binary, magnitudes
from geoctrl.analysis.proofs.equilibria_in_boxes import box_at_rest
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.question.table import Stored
from geoctrl.analysis.set_witnesses.sublevel_witnesses import in_balls
from geoctrl.errors import InputError, ParameterError
from geoctrl.systems import Equilibrium, ReducedSystem
from geoctrl.systems.contract.scales import Scales
from geoctrl.systems.contract.torque_speed import TorqueSpeed
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.parts.angles import ExactAngle, angles_at
from geoctrl.systems.parts.friction import lost_power

__all__ = [
    "ENERGY",
    "SetQuestion",
    "bounds_of_file",
    "has_torque_speed_lines",
    "kept_functions",
    "positive_numbers",
]

ENERGY = "energy"


class _Sizes(NamedTuple):
    """Of states by label, and of functions by name."""

    states: dict[str, Fraction]
    functions: dict[str, Fraction]


class _Conserved(NamedTuple):
    """Names of the invariants that are conserved; whether all of them are so in exact numbers; and words
    about others of which it is not known.
    """

    names: list[str]
    exact: bool
    omitted: list[str]


@dataclass(frozen=True, eq=False)
class SetQuestion:
    """Which set about an equilibrium is searched for.

    Attributes
    ----------
    limits : dict of output -> bound
        Within which outputs are to stay.
    widths : dict of name -> half width
        Of the levels of what is held, where they are given.
    lyapunov : expression, optional
        The function whose set is asked for.
    """

    system: ReducedSystem
    point: Equilibrium
    limits: Mapping[str, Fraction]
    widths: Mapping[str, Fraction]
    lyapunov: sp.Expr | None = None

    @cached_property
    def problem(self) -> Problem | None:
        """The question of stability; None where no equations can be written down."""
        return Problem.of(self.system.seen_from(self.point.spin), self.point)

    @property
    def has_leaf(self) -> bool:
        """Whether states are bound by relations."""
        return self.problem is not None and bool(self.problem.motion.leaf)

    @cached_property
    def scales(self) -> Scales:
        """Sizes at the point."""
        return self.system.scales(self.point)

    @cached_property
    def sizes(self) -> _Sizes:
        """Those of states, and the magnitudes that functions have with them, as powers of two."""
        system, point, problem = self.system, self.point, self._known_problem
        motion, functions = problem.motion, problem.invariants | problem.others
        column = system.seen_from(point.spin).scales(point.x, point.u, dict(point.params)).column
        pairs = zip(motion.states.values(), map(float, problem.point), strict=True)
        values = dict(pairs) | dict(zip(motion.inputs.values(), map(float, problem.input_point), strict=True))
        values |= {node: float(problem.numbers[k]) for k, node in motion.parameters.items()}
        sizes = dict(zip(motion.states.values(), map(float, column), strict=True))
        _, found = magnitudes(motion.graph, list(functions.values()), values, sizes)
        return _Sizes(
            dict(zip(motion.states, map(_power, column), strict=True)),
            dict(zip(functions, map(_power, found), strict=True)),
        )

    @cached_property
    def angles(self) -> Mapping[int, ExactAngle]:
        """Of the point, from which its file measures states."""
        return angles_at(self.point.exact)

    @cached_property
    def equations(self) -> tuple[Stored, dict[str, Any]] | None:
        """The problem at the point itself, `with_sides`; None where no equations can be written down."""
        return None if self.problem is None else self.with_sides(self.problem, self.problem.question())[:2]

    @cached_property
    def at_rest(self) -> tuple[Problem, Stored]:
        """The problem at its point; with a box that holds an equilibrium where that has no exact numbers."""
        problem = self._known_problem
        stored = problem.question(others=True)
        try:
            decisions.Question(stored.read, exact=True).require_equilibrium()
            return problem, stored
        except (decisions.NotEquilibrium, decisions.NotExact) as reason:
            known = problem.question().read
            names = [k for k in _conserved_in_balls(known) if k != ENERGY]
            found = box_at_rest(problem, names)
            if found is None:
                raise reason
            boxed = replace(problem, point=[Fraction(str(v)) for v in found.read["states"].values()])
            return boxed, boxed.question(others=True).with_box(found.data["box"])

    @cached_property
    def invariants(self) -> _Conserved:
        """What is known of the invariants at rest."""
        _, stored = self.at_rest
        if "box" in stored.data:
            return _Conserved(_conserved_in_balls(stored.read), False, [])
        q, near = decisions.Question(stored.read, exact=True), None
        names, exact, omitted = list[str](), True, list[str]()
        for name in stored.read["invariants"]:
            try:
                kept = q.conserved(name)
            except decisions.NotExact:  # values at the point are no exact numbers
                near = near or in_balls(stored.read)
                kept = _is_conserved(near, name)
                exact &= not kept
            except checker.Refusal as refusal:
                kept = False
                omitted.append(f"{name} is not held, for {refusal}")
            names += [name] * kept
        return _Conserved(names, exact, omitted)

    @property
    def _known_problem(self) -> Problem:
        assert self.problem is not None
        return self.problem

    def with_sides(
        self, problem: Problem, stored: Stored
    ) -> tuple[Stored, dict[str, Any], list[dict[str, int]]]:
        """A problem with the margins of the domain, limited outputs and the squares by which friction
        takes energy away in its table, and where they are.
        """
        system, motion = self.system, problem.motion
        margins = [system.expression(side.margin) for side in system.domain.values()]
        outputs = [system.expression(system.mechanism.outputs[k]) for k in self.limits]
        functions = problem.invariants | problem.others
        data, table = motion.equations_data(functions, {}, {}, further="consequences" in stored.data)
        lost = [[system.expression(e) for e in pair] for pair in _lost_by_friction(system.mechanism)]
        own = [] if self.lyapunov is None else [system.expression(self.lyapunov)]
        places = [table.places([motion.image(n) for n in nodes]) for nodes in (margins, outputs, own, *lost)]
        domain, inputs, function = places[:3]
        squares = [{"factor": a, "square": b} for a, b in places[3:]]
        numbers = {
            part: stored.data[part]
            for part in ("states", "inputs", "parameters", "roots", "box")
            if part in stored.data
        }
        bounds = zip(self.limits.items(), inputs, strict=True)
        limits = {k: {"input": p, "bound": str(b)} for (k, b), p in bounds}
        made = Stored.of(data | {"nodes": table.rows} | numbers)
        asked = {"domain": domain, "limits": limits}
        return made, asked | ({"lyapunov": function} if function else {}), squares


def _lost_by_friction(mechanism: Mechanism) -> list[tuple[sp.Expr, sp.Expr]]:
    """Factors and squares of what friction takes, where it is dry; else rates are polynomials, which tell."""
    if all(f.scale is None for f in mechanism.friction):
        return []
    return lost_power(mechanism.friction, mechanism.algebra.xi, mechanism.rotors)


def _power(size: float) -> Fraction:
    """The nearest power of two; one for what has no size."""
    return Fraction(float(binary(size)) or 1.0)


def kept_functions(stored: Stored) -> list[str]:
    """Names of the invariants that are proved to be conserved, but for the energy."""
    q = decisions.Question(stored.read, exact=True)
    return [name for name in stored.read["invariants"] if name != ENERGY and _is_conserved(q, name)]


def _conserved_in_balls(read: dict[str, Any]) -> list[str]:
    q = in_balls(read)
    return [name for name in read["invariants"] if _is_conserved(q, name)]


def _is_conserved(q: decisions.Question, name: str) -> bool:
    try:
        return q.conserved(name)
    except checker.Refusal:
        return False


def bounds_of_file(limits: Mapping[str, tuple[float, float]], outputs: Sequence[str]) -> dict[str, float]:
    """Bounds of outputs by the limits of a model file, which must have zero in their middle."""
    found = {}
    for label, (low, high) in limits.items():
        if label in outputs:
            if low != -high:
                raise InputError(
                    f"the file's limits of {label!r}, {low:g} to {high:g}, are not those of a size: give "
                    "limits={output: bound}, or limits={} for none"
                )
            found[label] = high
    return found


def has_torque_speed_lines(limits: Any) -> bool:
    """Whether torque-speed lines are among limits; outputs that these bound by numbers have to be made."""
    return isinstance(limits, Mapping) and any(isinstance(b, TorqueSpeed) for b in limits.values())


def positive_numbers(name: str, given: Any, known: Any, what: str) -> dict[str, Fraction]:
    """Positive numbers by names that are known."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{name} must be a dict of {what} -> number, got {shown(given)}")
    found = {}
    for key, value in given.items():
        if key not in known:
            raise ParameterError(f"no {what} {shown(key)}{nearest(key, known)}")
        found[key] = exact(value, f"{name}[{key!r}]", InputError)
        if not found[key] > 0:
            raise InputError(f"{name}[{key!r}] must be positive, got {shown(value)}")
    return found
