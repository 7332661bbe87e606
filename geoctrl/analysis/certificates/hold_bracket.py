"""The hold at which stability ends, between two certificates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.certificates.certificates import Certificate
from geoctrl.errors import CertificateError, InputError
from geoctrl.verification import Verdict

__all__ = ["HoldBracket", "hold_bracket"]

_FINEST = 1e-12
"""Part of a hold from which on floats tell where to look."""
_STABLE = (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE)


@dataclass(frozen=True, eq=False)
class HoldBracket:
    """A hold that is proved stable and one next to it that is proved unstable.

    Stability changes somewhere between them; of shorter and longer holds they say nothing.

    Attributes
    ----------
    stable, unstable : Certificate
    """

    stable: Certificate
    unstable: Certificate

    @property
    def holds(self) -> tuple[float, float]:
        """The two holds (s), rounded to doubles."""
        return float(_hold(self.stable)), float(_hold(self.unstable))

    @property
    def width(self) -> float:
        """The distance between them (s)."""
        return abs(float(_hold(self.unstable) - _hold(self.stable)))

    def _lines(self) -> list[str]:
        low, high = self.holds
        return [f"<HoldBracket: proved stable at {low:.15g} s, unstable at {high:.15g} s>"]

    full = full_text
    __repr__ = short_form


def hold_bracket(at: Callable[[float], Certificate], edge: float, width: float) -> HoldBracket:
    """Certificates on both sides of an edge, as near to each other as can be proved.

    Parameters
    ----------
    at : callable
        The certificate of a hold.
    edge : float
        Where stability ends, in floats.
    width : float
        The largest distance.
    """
    margin = 2 * _FINEST * edge
    if not width > margin:
        raise InputError(f"width must be more than {margin:.3g} s, got {width!r}")
    while margin < width / 2:
        stable, unstable = at(edge - margin), at(edge + margin)
        if stable.verdict in _STABLE and unstable.verdict is Verdict.PROVED_UNSTABLE:
            return HoldBracket(stable, unstable)
        margin *= 8
    raise CertificateError(
        f"nothing is proved within {width:g} s of {edge:.12g} s; the last verdicts are {stable.verdict} "
        f"and {unstable.verdict}: {stable.reason or unstable.reason}"
    )


def _hold(certificate: Certificate) -> Fraction:
    return Fraction(certificate.proof["problem"]["held"]["hold"])
