"""From a certificate to a file for Rocq, whose last theorem is the verdict in plain real numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import copy_context
from itertools import zip_longest
from typing import Any

from geoctrl.checker.limits import Refusal
from geoctrl.errors import CertificateError
from geoctrl.rocq.terms.certified import content_of
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.text.identifiers import PLACEHOLDER, Identifiers, comment, words_in
from geoctrl.rocq.text.rest_text import rest_theorem
from geoctrl.rocq.text.statement import Statement
from geoctrl.rocq.theorems.asymptotic_theorem import asymptotic_theorem
from geoctrl.rocq.theorems.drift_theorem import drift_theorem
from geoctrl.rocq.theorems.energy_casimir_theorem import energy_casimir_theorem
from geoctrl.rocq.theorems.instability_theorem import instability_theorem
from geoctrl.rocq.theorems.level_theorem import level_theorem
from geoctrl.rocq.theorems.written import Written

THEOREMS: dict[tuple[str, str], Callable[[ProblemInTerms], Written]] = {
    ("PROVED_STABLE", "energy-Casimir"): energy_casimir_theorem,
    ("PROVED_STABLE", "spectrum"): energy_casimir_theorem,
    ("PROVED_STABLE", "spectrum on the level sets of the invariants"): level_theorem,
    ("PROVED_ASYMPTOTICALLY_STABLE", "spectrum"): asymptotic_theorem,
    ("PROVED_UNSTABLE", "spectrum"): instability_theorem,
    ("PROVED_UNSTABLE", "drift"): drift_theorem,
}
"""By verdict and method.

By the spectrum alone a point is stable where functions that are kept leave nothing else near by: squares of
these are the energy-Casimir combination, with multipliers zero.
"""

MODULES_OF_ALL = (
    "OneDimension",
    "Expressions",
    "Derivative",
    "Fields",
    "Identities",
    "Jets",
    "Definite",
    "Motions",
    "Rest",
)
"""Files of the library that every theorem names."""


def rocq_text(data: Mapping[str, Any]) -> str:
    """The text of the file for the content of a certificate's file."""
    try:
        return copy_context().run(_text, data)  # in which the numbers of the file are read
    except (CertificateError, Refusal) as error:
        raise CertificateError(f"there is no theorem of Rocq for this proof: {error}") from None
    except RecursionError:
        raise CertificateError(
            "there is no theorem of Rocq for this proof: a term in its equations is nested too deeply"
        ) from None


def _text(data: Mapping[str, Any]) -> str:
    equations = ProblemInTerms(content_of(data))
    written = _theorem_of(equations)
    taken = words_in("\n".join(_lines(equations, written, Identifiers())))
    words = {word for word in taken if not word.startswith(PLACEHOLDER)}
    return "\n".join(_lines(equations, written, Identifiers(words))) + "\n"


def _theorem_of(equations: ProblemInTerms) -> Written:
    proved = equations.proved
    theorem = THEOREMS.get((proved.verdict, proved.method))
    if theorem is None:
        raise CertificateError(f"the library has none for {proved.verdict} by {proved.method}")
    return theorem(equations)


def _lines(equations: ProblemInTerms, written: Written, identifiers: Identifiers) -> list[str]:
    statement = Statement(equations, identifiers)
    modules = " ".join([*MODULES_OF_ALL, *written.modules])
    theorem = written.theorem(statement)
    name = next(line for line in theorem if line.startswith("Theorem ")).split()[1]
    return [
        *comment(equations.proved.claim),
        "",
        "From Coq Require Import Reals QArith List Lia.",
        f"From Geoctrl Require Import {modules}.",
        "Import ListNotations.",
        "",
        "(* data, and its check *)",
        "Local Open Scope Q_scope.",
        *written.data,
        f"Lemma ok : {written.check} = true.",
        "Proof. vm_cast_no_check (eq_refl true). Qed.",
        "",
        "(* the mechanism in real numbers *)",
        "Local Open Scope R_scope.",
        *statement.definitions(),
        *rest_theorem(equations, statement),
        *comment(written.unsaid, OF_THE_EQUATIONS),
        *theorem,
        f"Print Assumptions {name}.",
    ]


OF_THE_EQUATIONS = (
    "The equations are those printed here; that they are those of the mechanism is another question "
    "(geoctrl verify --rebuild)."
)


def difference_of_texts(given: str, data: Mapping[str, Any]) -> str:
    """Where a file differs from the one that a certificate gives, in words; empty where it does not."""
    expected = rocq_text(data)
    if given == expected:
        return ""
    rows = zip_longest(given.splitlines(), expected.splitlines(), fillvalue="nothing")
    for i, (own, other) in enumerate(rows, 1):
        if own != other:
            return f"line {i} is {own.strip()[:60]!r}, the certificate gives {other.strip()[:60]!r}"
    return "the ends of its lines differ"
