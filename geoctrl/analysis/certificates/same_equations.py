"""Whether the equations in a certificate are those of a system: derived anew, and compared as functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any

from geoctrl import checker, decisions
from geoctrl._scalars import STATE
from geoctrl._scalars.algebra.surds import exact_with_roots
from geoctrl.analysis.certificates.questions import KINDS
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.problem import Problem, motion_of, with_still_state
from geoctrl.decisions.functions.derivatives import Jet, evaluate, reachable
from geoctrl.errors import CertificateError, GeoctrlError, InputError
from geoctrl.systems import System
from geoctrl.systems.parts.angles import ExactAngle, angle_in_label

__all__ = [
    "compare_problems",
    "motion_of_labels",
    "problem_in_file",
    "require_same_equations",
    "require_same_problem",
]


def require_same_equations(system: System, content: Mapping[str, Any]) -> None:
    """Compare the equations in a certificate's file, or in a report, with those of a system: see
    `require_same_problem`.
    """
    require_same_problem(system, problem_in_file(content) if "theorem" in content else content["problem"])


def require_same_problem(system: System, stored: Mapping[str, Any]) -> None:
    """Compare a problem with the equations of a system, at the numbers of the certificate.

    Matrix, right side, field, leaf and invariants are compared one by one as rational functions of the
    states (and of roots and other functions), so that the order in which they are written makes no
    difference. A parameter may stand among the states, with a rate of zero.
    Of a sampled loop the plant is compared, in its recorded equations; its law is what the file says.

    Parameters
    ----------
    system : ReducedSystem, SphereSystem or RotationSystem
    stored : mapping
        The problem, ready for JSON.
    """
    kind, loop = KINDS.get(str(stored.get("kind"))), "held" in stored
    if kind is None or not kind.derived:
        raise CertificateError("a certificate of matrices holds no equations that could be derived anew")
    system = system.recording if loop else system
    still = [k for k in stored["states"] if k in system.params and k not in system.state_labels]
    _same("parameters", sorted([*stored["parameters"], *still]), sorted(system.params))
    numbers = {
        k: Fraction(v) for k, v in (stored["parameters"] | {k: stored["states"][k] for k in still}).items()
    }
    try:
        seen = system.seen_from(stored.get("spin"))
    except GeoctrlError as error:
        raise CertificateError(f"the system is not seen from the axes of the file: {error}") from None
    given = decisions.read_problem(dict(stored))
    held = [exact_with_roots(q) for q in given["inputs"].values()]
    found = motion_of(seen, [] if loop else held, numbers)
    if found is None:
        raise CertificateError(f"{system.name or 'the system'} has no equations that could be derived anew")
    motion, candidates = found
    motion = motion_of_labels(motion, stored["states"])
    candidates = {name: motion.image(node) for name, node in candidates.items()}
    for name in still:  # what a curve of equilibria goes along
        motion = with_still_state(motion, name)
    own = len(motion.states)
    if loop:
        motion = _with_commands(motion, [k for k in stored["states"] if k not in motion.states])
    _same("states", list(stored["states"]), list(motion.states))
    _same("inputs", list(stored["inputs"]), list(motion.inputs))
    _same("invariants", list(stored["invariants"]), [k for k in stored["invariants"] if k in candidates])
    problem = Problem(
        motion=motion,
        invariants={name: candidates[name] for name in stored["invariants"]},
        numbers=numbers,
        point=[exact_with_roots(q) for q in given["states"].values()],
        input_point=held,
        field=given["roots"],
    )
    rebuilt = problem.question(motion.shape() if "shape" in stored else None)
    compare_problems(given, rebuilt.read, own)


def problem_in_file(content: Mapping[str, Any]) -> dict[str, Any]:
    """The problem of a file as the search writes it, and what is asked for over a set: rows of the table to
    which witnesses alone refer are no part of it.
    """
    theorem, problem = content["theorem"], content["problem"]
    found = {"kind": "equations", **problem, "roots": content.get("roots", [])}
    if "spin" in content:
        found["spin"] = [float(Fraction(rate)) for rate in content["spin"]]
    places = [*problem["field"], *problem["right"], *(p for *_, p in problem["matrix"])]
    places += [*problem["leaf"].values(), *problem["invariants"].values(), *theorem.get("domain", ())]
    if shape := theorem.get("shape"):
        found["shape"] = {k: shape[k] for k in ("velocity", "slopes", "rates")}
        places += [*shape["slopes"].values(), *chain(*shape["rates"].values())]
    if family := theorem.get("family"):
        found["family"] = {k: family[k] for k in ("symbols", "states", "unknowns")}
        places += [*family["states"], *family["unknowns"]]
    if loop := theorem.get("loop"):
        held = {k: loop[k] for k in ("hold", "late", "part", "commands", "own")}
        found |= {"kind": "held", "held": held | {"rest": []}}
        places += [*loop["commands"].values(), *loop["own"].values()]
    used = {*reachable(problem["nodes"], places)}
    nodes = [row if i in used or row[0] == "sym" else ["num", "0"] for i, row in enumerate(problem["nodes"])]
    return found | {"nodes": nodes}


def motion_of_labels(motion: EquationsOfMotion, labels: Iterable[str]) -> EquationsOfMotion:
    """The motion with the angles that labels of states measure from others."""
    angles = dict(filter(None, map(_angle_in_label, labels)))
    turned = motion.with_angles(angles) if angles else motion
    if turned is None:
        raise CertificateError(f"the system holds {', '.join(angles)} not in sines and cosines alone")
    return turned


def _with_commands(motion: EquationsOfMotion, labels: Sequence[str]) -> EquationsOfMotion:
    """The motion with inputs, and what else a controller has, as states; these move as the file says."""
    graph = motion.graph
    nodes = {k: motion.inputs[k] if k in motion.inputs else graph.symbol(k, STATE) for k in labels}
    return replace(
        motion,
        states={**motion.states, **nodes},
        inputs={k: node for k, node in motion.inputs.items() if k not in nodes},
        rates={**motion.rates, **dict.fromkeys(nodes.values(), graph.zero)},
        _written={},
    )


def _angle_in_label(label: str) -> tuple[str, ExactAngle] | None:
    """The angle from which a state is measured that is labelled so."""
    try:
        return angle_in_label(label)
    except InputError as error:
        raise CertificateError(f"the state {label!r} is measured from no angle: {error}") from None


def _same(part: str, given: list[str], found: list[str]) -> None:
    """CertificateError unless the names of a part of the file are those of the system."""
    if given != found:
        has = f"the file has the {part} {', '.join(given)}; the system has {', '.join(found) or 'none'}"
        raise CertificateError(has)


def compare_problems(stored: dict[str, Any], rebuilt: dict[str, Any], own: int) -> None:
    """Compare two problems as read part by part, of the field the rates of the ``own`` first states."""
    functions = decisions.Question(stored, exact=False).functions
    try:
        given, found = (_Parts(problem, functions) for problem in (stored, rebuilt))
        for part in ("matrix", "field", "right", "leaf", "invariants"):
            a, b = (
                {k: v for k, v in parts.functions_of(part).items() if part != "field" or k < own}
                for parts in (given, found)
            )
            if list(a) != list(b):
                raise CertificateError(f"the {part} of the file has other entries than that of the system")
            for name in a:
                if functions.remainder(a[name] - b[name]):
                    raise CertificateError(f"{part} {name} of the file is not that of the system")
    except checker.Refusal as refusal:
        raise CertificateError(f"the equations cannot be compared: {refusal}") from None


class _Parts:
    """The parts of a problem as rational functions of its states and unknowns, in order."""

    def __init__(self, problem: dict[str, Any], functions: Any) -> None:
        self._problem, self._functions = problem, functions
        variables = dict(zip([*problem["states"], *problem["unknowns"]], functions.variables, strict=True))
        numbers = problem["inputs"] | problem["parameters"]
        self._jets = {
            place: Jet(variables[node[1]] if node[1] in variables else functions.number(numbers[node[1]]))
            for place, node in enumerate(problem["nodes"])
            if node[0] == "sym" and node[2] != "family"  # of which the equations know nothing
        }

    def functions_of(self, part: str) -> dict[Any, Any]:
        """Functions of a part by what they are in it."""
        held = self._problem[part]
        if part == "matrix":
            held = {(i, j): place for i, j, place in held}
        places = held if isinstance(held, dict) else dict(enumerate(held))
        jets = evaluate(self._problem["nodes"], list(places.values()), self._jets, self._functions, 1)
        return {name: jet.value for name, jet in zip(places, jets, strict=True)}
