"""What a theorem writes into its file, apart from names."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from geoctrl.rocq.terms.expression import constant
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.text.data_text import DataText
from geoctrl.rocq.text.statement import Statement

AS_LONG_AS_IT_LASTS = (
    "The theorem does not say that there are motions: it speaks of every motion, as long as it lasts."
)


class Written(NamedTuple):
    """The data of a theorem, and its text for given names.

    Attributes
    ----------
    modules : list of str
        Files of the library that it needs besides those of all.
    data : list of str
        Definitions.
    check : str
        The check of the data, which has to be true.
    theorem : callable
        Its lines for a `Statement`.
    unsaid : str
        What it does not say.
    """

    modules: list[str]
    data: list[str]
    check: str
    theorem: Callable[[Statement], list[str]]
    unsaid: str


def plain_data(equations: ProblemInTerms, data: DataText) -> list[str]:
    """Field, equations, leaf, point without unknowns and with them, and the field of numbers."""
    radicands = map(constant, equations.proved.radicands)
    return [
        f"Definition F_ : list expr := {data.list_of(equations.field)}.",
        f"Definition E_ : list expr := {data.list_of(equations.equations)}.",
        f"Definition G_ : list expr := {data.list_of(equations.leaf.values())}.",
        f"Definition P_ : list expr := {data.list_of(map(constant, equations.point))}.",
        f"Definition Z_ : list expr := {data.list_of(map(constant, equations.whole_point))}.",
        f"Definition A_ : field := field_of rationals {data.list_of(radicands)}.",
    ]
