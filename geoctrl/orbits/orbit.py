"""A relative periodic orbit with its multipliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.errors import EquilibriumError
from geoctrl.orbits.clocked_orbit import forced_enclosure
from geoctrl.orbits.enclosures.enclosed_orbit import OrbitEnclosure
from geoctrl.orbits.enclosures.enclosure import orbit_enclosure
from geoctrl.orbits.forcing import Forcing
from geoctrl.simulation.run import simulate
from geoctrl.systems import System
from geoctrl.systems.typesetting.printed_spectra import spectrum_line
from geoctrl.verification import Verdict

__all__ = ["PeriodicOrbit", "no_orbit"]


def no_orbit(why: str) -> EquilibriumError:
    """The error of a search that found none near its guess."""
    return EquilibriumError(f"no periodic orbit was found near the guess: {why}", key="orbit-not-found")


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
        Defect of the closing and of the conditions, relative to the sizes of the states.
    params : dict
    u : ndarray (m,)
    winding : dict of label -> int
        Whole turns by which angles have moved on after T, where they have: :math:`x(T) = S\,x(0) + d`.
    forcing : Forcing or None
        Where the equations hold the time: ``x`` is then the state at t = 0, T is ``cycles`` times the period
        of the equations, and no multiplier is forced to be one by the time.
    cycles : int
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
    winding: dict[str, int] = field(default_factory=dict)
    forcing: Forcing | None = None
    cycles: int = 1

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

    @long_call
    def enclose(
        self,
        bits: int = 256,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> OrbitEnclosure:
        r"""The orbit with its period, multipliers and stability in balls; it exists, rigorously.

        Where the checker confirms it as well, by an integrator of its own, from a file with its steps and
        boxes, the verdict says PROVED, and `OrbitEnclosure.to_json` writes that file. Else it says ENCLOSED:
        of orbits up to turns about an axis, and with integrals over a shape.

        The flow and its derivative are integrated by Taylor polynomials in balls of python-flint, with bounds
        of what these leave out. Krawczyk's test on the equations of closing, of the leaf, of the levels of
        what is conserved and of a plane across the motion proves that there is one solution near the floats.
        Conserved functions, the leaf and the symmetry are proved to be so first. Where the equations hold the
        time, the file and its claim are about equations with a clock in its place, an angle that goes round.

        Parameters
        ----------
        bits : int
            Of the middles of balls, at least 64. Long and unstable orbits need more.
        progress, seconds
            As of `certify`.

        Returns
        -------
        OrbitEnclosure

        Raises
        ------
        EquilibriumError
            If nothing is proved: with a state or a period that is not of an orbit, at bifurcations, with
            functions that are not analytic along the orbit, or with too few bits.
        InputError, TypeError
            For an orbit along which an angle goes round, a symmetry of no finite order or turns about an axis
            that is not rational, gradients that belong to nothing conserved, a state or period that are no
            numbers, a period that is not positive, or bits that are no whole number.

        Notes
        -----
        R. Krawczyk, Computing 4 (1969), 187-201; R. E. Moore, SIAM J. Numer. Anal. 14 (1977), 611-615.

        Examples
        --------
        >>> import geoctrl as gc
        >>> body = gc.models.get("free-rigid-body")().reduce()
        >>> found = gc.find_periodic(body, [0.2, 0.0, 1.0], 8.0).enclose()
        >>> found.period.str(15, radius=False)
        '8.59308410886908'
        >>> found.verdict
        <Verdict.PROVED_STABLE: 'PROVED_STABLE'>
        """
        return orbit_enclosure(self, bits) if self.forcing is None else forced_enclosure(self, bits)

    def _lines(self) -> list[str]:
        turn = "" if self.angle is None else f", turned by {self.angle:.9g} rad"
        turn += f", {self.cycles} of the equations" if self.forcing else ""
        turn += "".join(f", {label} round {k} times" for label, k in self.winding.items())
        return [
            f"<PeriodicOrbit of {self.system.name or 'a system'}: {self.verdict.value}>",
            f"  period: {self.period:.12g} s{turn}",
            spectrum_line("multipliers", self.others),
            f"  neutral: {', '.join(self.neutral) or '-'}",
        ]

    full = full_text
    __repr__ = short_form
