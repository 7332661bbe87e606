"""Check of a certificate file by `geoctrl.checker`, which shares nothing with the search that made it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from geoctrl import checker
from geoctrl.analysis.proof import Verdict
from geoctrl.errors import CertificateError

__all__ = ["VerificationReport", "verify"]


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

    def __str__(self) -> str:
        return "\n".join([f"{self.verdict}: {self.claim}", *(f"  confirmed: {c}" for c in self.checks)])


def verify(path: str | Path) -> VerificationReport:
    """Check a certificate file: its claim must follow from the equations in it.

    Parameters
    ----------
    path : str or Path
        A file written by ``Certificate.to_json``.

    Returns
    -------
    VerificationReport

    Raises
    ------
    CertificateError
        If the file is malformed, was changed, or its claim does not follow from its equations; with the
        place of the first fault.
    FileNotFoundError
        If there is no such file.
    """
    try:
        report = checker.check_file(path)
    except checker.Refusal as refusal:
        raise CertificateError(f"{path} is refused: {refusal}") from refusal
    return VerificationReport(Verdict(report.verdict), report.claim, report.checks)
