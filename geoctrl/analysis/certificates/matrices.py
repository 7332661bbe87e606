"""The question that numbers alone answer: a linearisation, and the stiffness where there are no forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from geoctrl.analysis.linear.linearization import linearized
from geoctrl.analysis.proofs.numerical import judged_matrices
from geoctrl.analysis.proofs.proof import Outcome
from geoctrl.analysis.question.motion import Stored
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
    """What numbers say of matrices: a report, and no proof."""
    stiffness = np.array(data["stiffness"]) if "stiffness" in data else None
    A = np.array(data["linearisation"], dtype=float).reshape(len(data["linearisation"]), -1)
    found = judged_matrices(A, stiffness)
    return Outcome(Stored(data, data), found.verdict, found.method, found.evidence, in_floats=True)
