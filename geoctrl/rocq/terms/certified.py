"""What a certificate says, as the theorems need it: the only file here that knows how it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from geoctrl.checker import read_problem
from geoctrl.checker.surds import Number


@dataclass(frozen=True)
class Certified:
    """A verdict with what it was proved of.

    Attributes
    ----------
    claim, verdict, method : str
    problem : dict
        The problem as the checker reads it.
    multipliers : dict
        Of the energy-Casimir combination, by the names of functions; empty for other methods.
    levels : list of str
        Conserved functions that force eigenvalues to be zero.
    integrals : list of str
        Integrals over a shape that the proof uses.
    """

    claim: str
    verdict: str
    method: str
    problem: dict[str, Any]
    multipliers: dict[str, Number]
    levels: list[str]
    integrals: list[str]


def content_of(data: Mapping[str, Any]) -> Certified:
    """The content of a certificate's file."""
    problem, evidence = read_problem(data["problem"]), data["evidence"]
    return Certified(
        data["claim"],
        data["verdict"],
        data["method"],
        problem,
        {k: problem["roots"].read(v) for k, v in evidence.get("multipliers", {}).items()},
        evidence.get("zero_modes", []),
        evidence.get("shape_integrals", []),
    )
