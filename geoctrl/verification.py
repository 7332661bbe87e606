"""Verdicts, and the check of certificate files by `geoctrl.checker`: needs nothing but the standard library
and python-flint, so that a certificate can be checked where nothing else is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from geoctrl import checker
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.errors import CertificateError, InputError

__all__ = ["Verdict", "VerificationReport", "verify"]

P = ParamSpec("P")
R = TypeVar("R")


class Verdict(Enum):
    """What is known about stability; proofs and numerical evidence are never merged."""

    PROVED_STABLE = "PROVED_STABLE"
    PROVED_ASYMPTOTICALLY_STABLE = "PROVED_ASYMPTOTICALLY_STABLE"
    PROVED_STABLE_MODULO = "PROVED_STABLE_MODULO"
    PROVED_UNSTABLE = "PROVED_UNSTABLE"
    NUMERICALLY_STABLE = "NUMERICALLY_STABLE"
    NUMERICALLY_UNSTABLE = "NUMERICALLY_UNSTABLE"
    SPECTRALLY_STABLE_ONLY = "SPECTRALLY_STABLE_ONLY"
    UNDECIDED = "UNDECIDED"
    PROVED_BY_CELLS = "PROVED_BY_CELLS"
    PROVED_INVARIANT = "PROVED_INVARIANT"
    PROVED_ATTRACTED = "PROVED_ATTRACTED"
    PROVED_ATTRACTED_TO_FAMILY = "PROVED_ATTRACTED_TO_FAMILY"
    PROVED_TURNING_POINT = "PROVED_TURNING_POINT"
    PROVED_BOUNDED = "PROVED_BOUNDED"

    @property
    def proved(self) -> bool:
        """Whether it rests on exact arithmetic."""
        return self.value.startswith("PROVED")

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class VerificationReport:
    """What `verify` confirmed.

    Attributes
    ----------
    verdict : Verdict
    claim : str
        System, parameters, inputs, leaf and equilibrium, and what holds there.
    checks : tuple of str
        What was proved or computed for it, in words.
    """

    verdict: Verdict
    claim: str
    checks: tuple[str, ...]

    def _lines(self) -> list[str]:
        return [f"{self.verdict}: {self.claim}", *(f"  confirmed: {c}" for c in self.checks)]

    full = full_text
    __repr__ = short_form


def _as_long_call(check: Callable[P, R]) -> Callable[P, R]:
    """The check with its line and its time; where numpy is not installed, as it is."""

    @wraps(check)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            from geoctrl._calls.long_calls import long_call
        except ImportError:
            if kwargs.get("progress") or kwargs.get("seconds") is not None:
                raise InputError(
                    "progress and seconds need numpy and sympy, which are not installed here; leave them "
                    "out: the checker bounds its time by itself"
                ) from None
            return check(*args, **kwargs)
        return long_call(check)(*args, **kwargs)

    return wrapper


@_as_long_call
def verify(
    path: str | Path,
    *,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> VerificationReport:
    """Check a certificate file: its claim must follow from the equations in it.

    Parameters
    ----------
    path : str or Path
        A file written by ``Certificate.to_json``.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    seconds : float, optional
        Time for the check; `BudgetError` where it is not finished, which confirms nothing.

    Returns
    -------
    VerificationReport

    Raises
    ------
    CertificateError
        If the file is malformed, was changed, or its claim does not follow from its equations; with the
        place of the first fault.
    TypeError
        If this is no path.
    FileNotFoundError
        If there is no such file.

    Notes
    -----
    The file is data: nothing of it is executed, and its size and the time of the check are bounded. That its
    equations are those of the mechanism that it names is another question: `geoctrl verify --rebuild`
    derives a mechanism of the catalogue anew and compares.
    """
    if not isinstance(path, (str, Path)):
        raise TypeError(
            f"verify takes the path of a file, got {type(path).__name__}; "
            "certificate.to_json(path) writes one"
        )
    try:
        report = checker.check_file(path)
    except checker.Refusal as refusal:
        raise CertificateError(f"{path} is refused: {refusal}") from None
    return VerificationReport(Verdict(report.verdict), report.claim, report.checks)
