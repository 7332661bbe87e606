"""The question that numbers alone answer: a linearisation, and the stiffness where there are no forces."""

from __future__ import annotations

from typing import Any

from geoctrl import checker
from geoctrl.analysis.linearization import linearized
from geoctrl.analysis.motion import Stored
from geoctrl.analysis.proof import Outcome
from geoctrl.errors import CertificateError
from geoctrl.systems import Equilibrium, Seen

__all__ = ["judge_matrices", "matrices_at"]


def matrices_at(seen: Seen, point: Equilibrium) -> dict[str, Any]:
    """The linearisation (d, d) on the leaf, and the second variation of the (amended) potential (k, k)."""
    stiffness = seen.stiffness(point.x, point.u, point.params)
    data: dict[str, Any] = {
        "kind": "matrices",
        "states": dict(zip(point.labels, map(float, point.x), strict=True)),
        "linearisation": linearized(seen, point).A_leaf.tolist(),
        "spin": list(map(float, seen.spin)),
    }
    if stiffness is not None:
        data["stiffness"] = ((stiffness + stiffness.T) / 2).tolist()
    if seen.functions:
        data["functions"] = seen.functions
    return data


def judge_matrices(data: dict[str, Any]) -> Outcome:
    """What the checker says of matrices.

    Raises
    ------
    CertificateError
        If they are larger than the checker takes.
    """
    try:
        problem = Stored.of(data)
        return Outcome(problem, *checker.decide(problem.read, {}, exact=False))
    except checker.Refusal as refusal:
        raise CertificateError(f"no certificate of this point can be made: {refusal}") from None
