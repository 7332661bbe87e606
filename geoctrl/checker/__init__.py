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
from geoctrl.checker.maps.file import MAP_FORMAT, check_map
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


_OTHERS = {
    MAP_FORMAT: check_map,
}
"""Checks of files that are no certificates of a point, by their formats."""


def check_file(path: str | Path) -> Report:
    """Read a certificate's file and check it; raises Refusal where it is not one or proves nothing."""
    return check(load(path))


def check(data: Any) -> Report:
    """What a file proves: nothing is searched for, and nothing that it says of itself is believed."""
    if not (isinstance(data, dict) and (other := _OTHERS.get(str(data.get("format"))))):
        return witnesses.check(data)
    if data.get("digest") != digest_of(data):
        raise Refusal("it was changed after it was written: its digest does not fit its content")
    try:
        with limited():
            verdict, words, checks = other(data)
            return Report(verdict, "", words, checks)
    except RecursionError:
        raise Refusal("it is nested too deeply") from None
    except OverflowError:
        raise Refusal("a number in it is too large") from None
    except MemoryError:
        raise Refusal("its check takes too much memory") from None
