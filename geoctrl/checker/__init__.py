"""Certificates of stability, read and proved again: all that a proof of geoctrl has to be trusted for.

The package imports nothing else of geoctrl, nothing but the standard library and python-flint, and shares
no code with the search for proofs. Read in this order: `reading` (what a file may hold), `clock` (the time it
may take), `surds` (square roots), `jets` (derivatives), `polynomials` (identities), `over_surds` and
`matrices` (linear algebra, roots), `question` (what is proved of the equations), `shape` (one kind of
integrals), `verdicts` (what follows), `balls` and `boxes` (points known up
to a radius), `words` (claims), `kinds` (of problems); then `theorems`, in any order; then `maps`,
`sublevels`, `squares` and `slopes`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from geoctrl.checker import witnesses
from geoctrl.checker.clock import limited
from geoctrl.checker.jets import NotExact
from geoctrl.checker.kinds import decide, read_problem
from geoctrl.checker.question import STATES, NotEquilibrium, Question
from geoctrl.checker.reading import Refusal, load
from geoctrl.checker.shape import shape_integrals
from geoctrl.checker.surds import Surd
from geoctrl.checker.verdicts import judge
from geoctrl.checker.witnesses import Report
from geoctrl.checker.witnesses.reader import FORMAT, VERSION, digest_of
from geoctrl.checker.words.texts import short

__all__ = [
    "FORMAT",
    "STATES",
    "VERSION",
    "NotEquilibrium",
    "NotExact",
    "Question",
    "Refusal",
    "Report",
    "Surd",
    "check",
    "check_file",
    "decide",
    "digest_of",
    "judge",
    "read_problem",
    "shape_integrals",
    "short",
    "witnesses",
]


def check_file(path: str | Path) -> Report:
    """Read a certificate's file and check it; raises Refusal where it is not one or proves nothing."""
    return witnesses.check_file(path)


check = witnesses.check
