"""What is found of a periodic orbit in balls, and whether the checker confirms it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from flint import acb, arb, arb_mat

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.certificates.proof_file import ProofFile
from geoctrl.errors import CertificateError
from geoctrl.systems import System
from geoctrl.verification import Verdict

__all__ = ["Enclosed", "OrbitEnclosure"]


class Enclosed(StrEnum):
    """What enclosures show of an orbit of which there is no file: a state of evidence, and no `Verdict`.

    The reasoning is rigorous, but `geoctrl.checker`, on which all that is called proved rests, has not
    confirmed it.
    """

    ENCLOSED_STABLE = "ENCLOSED_STABLE"
    ENCLOSED_ASYMPTOTICALLY_STABLE = "ENCLOSED_ASYMPTOTICALLY_STABLE"
    ENCLOSED_STABLE_MODULO = "ENCLOSED_STABLE_MODULO"
    ENCLOSED_UNSTABLE = "ENCLOSED_UNSTABLE"

    @property
    def proved(self) -> bool:
        """False: the checker confirms what is called proved."""
        return False


@dataclass(frozen=True, eq=False, repr=False)
class OrbitEnclosure(ProofFile):
    r"""A periodic orbit that exists, and what its enclosures show; made by `PeriodicOrbit.enclose`.

    Where the checker confirms it from a file, by an integrator of its own, the verdict says PROVED;
    `to_json` writes that file. Else it says ENCLOSED, and `unconfirmed` why there is none.

    Balls are those of python-flint: ``.mid()``, ``.rad()``, and ``a < b`` only where it is certain.

    Attributes
    ----------
    system : System
    x : tuple of arb
        A state of the orbit, in the plane through that of the floats across the motion.
    period : arb
        A period (s); not that there is none shorter.
    angle : arb or None
        By which the body has turned about its axis after it, where the orbit is one up to such a turn (rad).
    radius : float
        Of the box about the middle in which there is no other: times ``sizes`` for states, relative to the
        period for T.
    sizes : ndarray (n,)
        Powers of two, next to the sizes of the states at the orbit's start.
    multipliers : tuple of acb
        Those that nothing forces to be one.
    monodromy : arb_mat (n, n)
        :math:`S^{-1}\Phi`, with the symmetry S of the orbit.
    neutral : tuple of str
        What forces the others to be one.
    verdict : Verdict or Enclosed
        PROVED_UNSTABLE with a multiplier outside the unit circle. With all inside
        PROVED_ASYMPTOTICALLY_STABLE, or PROVED_STABLE where functions are conserved. ENCLOSED with the same
        words where there is no file, as ENCLOSED_STABLE_MODULO of an orbit up to turns.
        SPECTRALLY_STABLE_ONLY for a pair that lies on the circle. Else UNDECIDED.
    claim : str
        The checker's sentence where there is a file.
    bits : int
    unconfirmed : str
        Why there is no file; empty where there is one.
    """

    system: System
    x: tuple[arb, ...]
    period: arb
    angle: arb | None
    radius: float
    sizes: np.ndarray
    multipliers: tuple[acb, ...]
    monodromy: arb_mat
    neutral: tuple[str, ...]
    verdict: Enclosed | Verdict
    claim: str
    bits: int
    unconfirmed: str = ""
    _content: dict[str, Any] | None = None

    @property
    def data(self) -> dict[str, Any]:
        """What the file holds; CertificateError where there is none."""
        if self._content is None:
            raise CertificateError(f"there is no file of this orbit: {self.unconfirmed}")
        return self._content

    def _lines(self) -> list[str]:
        found = ", ".join(z.str(12) for z in self.multipliers) or "-"
        turn = "" if self.angle is None else f", turned by {self.angle.str(24)} rad"
        alone = f"nothing but this computation; there is no file of it: {self.unconfirmed}"
        confirmed = alone if self._content is None else "the checker, from a file"
        return [
            f"<OrbitEnclosure of {self.system.name or 'a system'}: {self.verdict.value}>",
            f"  period: {self.period.str(24)} s{turn}",
            f"  multipliers: {found}",
            f"  neutral: {', '.join(self.neutral) or '-'}",
            f"  {self.claim}",
            f"  confirmed by: {confirmed}",
        ]

    full = full_text
    __repr__ = short_form
