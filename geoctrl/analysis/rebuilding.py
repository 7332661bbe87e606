"""Whether the equations in a certificate are those of a system: derived anew, and compared as functions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from geoctrl import checker
from geoctrl.analysis.motion import Motion
from geoctrl.analysis.problem import Problem
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.errors import CertificateError
from geoctrl.systems import ReducedSystem

__all__ = ["require_same_equations"]


def require_same_equations(system: ReducedSystem, stored: Mapping[str, Any]) -> None:
    """Compare the problem of a certificate with the equations of a system, at the numbers of the certificate.

    Matrix, right side, field, leaf and invariants are compared one by one as rational functions of the
    states (and of roots and other functions), so that the order in which they are written makes no
    difference.

    Parameters
    ----------
    system : ReducedSystem
    stored : mapping
        The problem of a certificate, as in its file.

    Raises
    ------
    CertificateError
        Naming the first part that differs.
    """
    if stored.get("kind") != "equations":
        raise CertificateError("a certificate of matrices holds no equations that could be derived anew")
    for part, given, found in (
        ("states", list(stored["states"]), list(system.state_labels)),
        ("inputs", list(stored["inputs"]), list(system.input_labels)),
        ("parameters", sorted(stored["parameters"]), sorted(system.params)),
    ):
        if given != found:
            raise CertificateError(
                f"the file has the {part} {', '.join(given)}; the system has {', '.join(found)}"
            )
    _compare(checker.read_problem(dict(stored)), _anew(system, stored))


def _anew(system: ReducedSystem, stored: Mapping[str, Any]) -> dict[str, Any]:
    motion = Motion.of(system)
    candidates = system.conservation.nodes
    for name in stored["invariants"]:
        if name not in candidates:
            raise CertificateError(f"the system has no invariant {name!r}")
    problem = Problem(
        motion=motion,
        invariants={name: candidates[name] for name in stored["invariants"]},
        numbers={k: Fraction(v) for k, v in stored["parameters"].items()},
        point=[Fraction(v) for v in stored["states"].values()],
        input_point=[Fraction(v) for v in stored["inputs"].values()],
    )
    return problem.question(motion.shape() if "shape" in stored else None).read


def _compare(stored: dict[str, Any], rebuilt: dict[str, Any]) -> None:
    functions = checker.Question(stored, exact=False).functions
    try:
        given, found = (_Parts(problem, functions) for problem in (stored, rebuilt))
        for part in ("matrix", "field", "right", "leaf", "invariants"):
            a, b = given.named(part), found.named(part)
            if list(a) != list(b):
                raise CertificateError(f"the {part} of the file has other entries than that of the system")
            for name in a:
                if functions.remainder(a[name] - b[name]):
                    raise CertificateError(f"{part} {name} of the file is not that of the system")
    except checker.Refusal as refusal:
        raise CertificateError(f"the equations cannot be compared: {refusal}") from refusal


class _Parts:
    """The parts of a problem as rational functions of its states and unknowns, in order."""

    def __init__(self, problem: dict[str, Any], functions: Any) -> None:
        self._problem, self._functions = problem, functions
        variables = dict(zip([*problem["states"], *problem["unknowns"]], functions.variables, strict=True))
        numbers = problem["inputs"] | problem["parameters"]
        self._jets = {
            place: Jet(variables[node[1]] if node[1] in variables else functions.number(numbers[node[1]]))
            for place, node in enumerate(problem["nodes"])
            if node[0] == "sym"
        }

    def named(self, part: str) -> dict[Any, Any]:
        """Functions of a part by what they are in it."""
        held = self._problem[part]
        if part == "matrix":
            held = {(i, j): place for i, j, place in held}
        places = held if isinstance(held, dict) else dict(enumerate(held))
        jets = evaluate(self._problem["nodes"], list(places.values()), self._jets, self._functions, 1)
        return {name: jet.value for name, jet in zip(places, jets, strict=True)}
