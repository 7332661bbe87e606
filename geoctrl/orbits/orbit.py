"""A relative periodic orbit with its multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl.simulation import simulate
from geoctrl.systems import System
from geoctrl.verification import Verdict

__all__ = ["PeriodicOrbit"]


@dataclass(frozen=True, eq=False)
class PeriodicOrbit:
    r"""A solution with :math:`x(T) = S\,x(0)`; made by `find_periodic`.

    With :math:`\Phi` the derivative of the flow over a period, multipliers are the eigenvalues of
    :math:`S^{-1}\Phi` on the leaf. Each independent conserved function forces one of them to be one (its
    gradient is a left eigenvector), and so do the direction of the motion and that of a turn (right ones).

    Attributes
    ----------
    system : System
    x : ndarray (n,)
        A state of the orbit.
    period : float
        T (s).
    angle : float or None
        By which the body has turned about its axis after T, where the orbit is one up to such a turn (rad).
    S : ndarray (n, n)
        The symmetry, the identity where there is none.
    monodromy : ndarray (n, n)
        :math:`S^{-1}\Phi`.
    multipliers : ndarray (d,)
        Those that are forced to be one, exactly, then the others by falling modulus.
    neutral : tuple of str
        Names of the former: conserved functions, "time", "turn".
    invariants : dict of name -> float
        Values of what is conserved, which are those of the guess.
    verdict : Verdict
        NUMERICALLY_UNSTABLE with a multiplier outside the unit circle, NUMERICALLY_STABLE where all others
        are inside (near motions on the same levels come to the orbit), SPECTRALLY_STABLE_ONLY where some are
        on it within `margin`, which proves nothing.
    margin : float
        Distance from the circle that rounding explains.
    residual : float
        Defect of the closing and of the conditions, relative to the state.
    params : dict
    u : ndarray (m,)
    """

    system: System
    x: np.ndarray
    period: float
    angle: float | None
    S: np.ndarray
    monodromy: np.ndarray
    multipliers: np.ndarray
    neutral: tuple[str, ...]
    invariants: dict[str, float]
    verdict: Verdict
    margin: float
    residual: float
    params: dict[str, float]
    u: np.ndarray

    @property
    def others(self) -> np.ndarray:
        """Multipliers that nothing forces to be one."""
        return self.multipliers[len(self.neutral) :]

    @property
    def unexplained(self) -> int:
        """How many of `others` are one within `margin`: an invariant or symmetry that was not declared, or a
        bifurcation.
        """
        return int(np.sum(np.abs(self.others - 1) <= max(self.margin, 1e-6)))

    def trajectory(self, points: int = 201, **options: Any) -> Any:
        """The orbit over one period as a `Trajectory`; options are those of `geoctrl.simulate`."""
        times = np.linspace(0.0, self.period, points)
        inputs = self.u if self.u.size else None
        return simulate(self.system, times, self.x, params=self.params, inputs=inputs, **options)

    def __repr__(self) -> str:
        turn = "" if self.angle is None else f", turned by {self.angle:.9g} rad"
        found = ", ".join(f"{complex(z):.6g}" for z in self.others)
        return (
            f"<PeriodicOrbit of {self.system.name or 'a system'}: {self.verdict.value}>\n"
            f"  period: {self.period:.12g} s{turn}\n  multipliers: {found or '-'}\n"
            f"  neutral: {', '.join(self.neutral)}"
        )
