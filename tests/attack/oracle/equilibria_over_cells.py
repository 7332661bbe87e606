"""What is false in a file of equilibria over cells, in floats: by Newton's steps and differences."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from tests.attack.oracle.tables import Table

POINTS, STEP, SLACK, NEWTON = 20, 1e-6, 1e-5, 12
"""Places in the range; of differences; what these leave of an inequality; steps to an equilibrium."""
ROUNDING = 1e-9
"""Of an equilibrium by differences."""


def falsehood_over_cells(content: Mapping[str, Any], rng: np.random.Generator) -> str:
    """What is false; nothing where the file is true as far as numbers tell."""
    theorem = content["theorem"]
    parts = [(content["problem"], cell) for cell in theorem["cells"]]
    for part in theorem.get("further", ()):
        parts += [(part["problem"], cell) for cell in part["cells"]]
    low, high = map(Fraction, theorem["range"])
    for share in (0.0, 1.0, *rng.random(POINTS)):
        s = low + (high - low) * Fraction(share)
        holding = [(p, c) for p, c in parts if Fraction(c["range"][0]) <= s <= Fraction(c["range"][1])]
        if not holding:
            return f"no cell holds {float(s)}"
        for problem, cell in holding:
            if fault := _fault_at(problem, cell, theorem["along"], float(s)):
                return f"{fault} at {float(s)}"
    return ""


def _fault_at(problem: Mapping[str, Any], cell: Mapping[str, Any], along: str, s: float) -> str:
    if problem["inputs"]:
        return "a loop with inputs"
    table, labels = Table(problem), [*problem["states"]]
    place, others = labels.index(along), [i for i, k in enumerate(labels) if k != along]
    leaf = [*problem["leaf"].values()]
    away = s - float(sum(map(Fraction, cell["range"]))) / 2
    x = np.array([s if k == along else _number(cell["states"], k) for k in labels])
    x += [0.0 if k == along else away * _number(cell["slopes"], k) for k in labels]
    middle, radii = x[others], np.array([float(Fraction(r)) for r in cell["radii"]])

    def equations(y: np.ndarray) -> np.ndarray:
        return np.array([*table.in_floats(problem["field"], y), *(table.in_floats(leaf, y) if leaf else ())])

    def slopes(y: np.ndarray) -> np.ndarray:
        steps = STEP * np.eye(len(y))[others]
        return np.array([(equations(y + h) - equations(y - h)) / (2 * STEP) for h in steps]).T

    for _ in range(NEWTON):
        step = np.linalg.lstsq(slopes(x), equations(x), rcond=None)[0]
        x[others] -= step
        if np.all(np.abs(step) <= SLACK * radii):
            break
    values = equations(x)
    if abs(values[place]) > 0 or np.max(np.abs(values)) > SLACK:
        return "nothing that rests"
    if np.any(np.abs(x[others] - middle) > radii * (1 + SLACK) + ROUNDING * (1 + np.abs(middle))):
        return "an equilibrium beside its box"
    J = slopes(x)
    A, D = J[others], J[len(labels) :]
    tangents = np.linalg.svd(D)[2][np.linalg.matrix_rank(D, tol=SLACK) :].T if leaf else np.eye(len(others))
    if not tangents.size or np.max(np.linalg.eigvals(tangents.T @ A @ tangents).real) > SLACK:
        return "a loop that is not attracted"
    return ""


def _number(numbers: Mapping[str, str], label: str) -> float:
    return float(Fraction(numbers[label]))
