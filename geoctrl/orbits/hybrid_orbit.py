"""A periodic orbit through jumps, with its multipliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.orbits.clocked_hybrid import orbit_with_clock
from geoctrl.orbits.phases.hybrid_enclosure import HybridOrbitEnclosure, hybrid_orbit_enclosure
from geoctrl.orbits.phases.hybrid_modes import WrittenOrbit
from geoctrl.orbits.phases.stretches import Way
from geoctrl.simulation.run import simulate
from geoctrl.systems import HybridSystem
from geoctrl.systems.typesetting.printed_spectra import spectrum_line
from geoctrl.verification import Verdict

__all__ = ["HybridOrbit"]


@dataclass(frozen=True, eq=False)
class HybridOrbit:
    r"""A motion through jumps that comes back to its start; made by `find_periodic` of a `HybridSystem`.

    With :math:`\Phi_i` the derivative of the flow of a phase, h the guard at its end, R the reset and
    :math:`f^\pm` the rates before and after, the return map of states just after the last jump has the
    derivative

    .. math::

        DP = \prod_i DR_i \Bigl(I - \frac{f_i^-\, dh_i}{dh_i f_i^-}\Bigr) \Phi_i ,
        \qquad S_i = DR_i + \frac{(f_i^+ - DR_i f_i^-)\, dh_i}{dh_i f_i^-} .

    Multipliers are the eigenvalues of DP on the leaf. Those of :math:`\prod S_i\Phi_i` are the same with one,
    for time, in the place of a zero, that of the strike.

    Attributes
    ----------
    system : HybridSystem
    states : tuple of ndarray
        The state after each jump, that at which the first phase begins first.
    modes, jumps : tuple of str
        Of the phases, and the jumps at their ends.
    periods : ndarray
        Time of each phase (s).
    multipliers : ndarray (d,)
        Those that are forced to be one and zero, exactly, then the others by falling modulus.
    neutral : tuple of str
        Names of the former: functions that motions and jumps conserve, "strike" and "impact" for zeros.
    saltation : tuple of ndarray
        S of each jump.
    impulses : tuple of ndarray
    lost : ndarray
        Kinetic energy lost at each jump (J); nan for resets that are given.
    verdict : Verdict
        NUMERICALLY_STABLE where all other multipliers are inside the unit circle, NUMERICALLY_UNSTABLE where
        one is outside, else SPECTRALLY_STABLE_ONLY.
    margin, residual : float
        As of `PeriodicOrbit`.
    params : dict
        Overrides of parameters that were given.
    ways : tuple of tuple of (ndarray, float)
        For each phase states along it and times from each to the next: the first alone, and others where its
        flow is so unstable that digits would be lost.
    begin : float
        The time at which the first phase begins, in equations that hold it (s); then no zero is the strike's.
    cycles : int
        How many periods of these one of the orbit has; zero where they do not hold the time.
    """

    system: HybridSystem
    states: tuple[np.ndarray, ...]
    modes: tuple[str, ...]
    jumps: tuple[str, ...]
    periods: np.ndarray
    multipliers: np.ndarray
    neutral: tuple[str, ...]
    saltation: tuple[np.ndarray, ...]
    impulses: tuple[np.ndarray, ...]
    lost: np.ndarray
    verdict: Verdict
    margin: float
    residual: float
    params: dict[str, float]
    ways: tuple[Way, ...]
    begin: float = 0.0
    cycles: int = 0

    @property
    def x(self) -> np.ndarray:
        """The state at which the first phase begins."""
        return self.states[0]

    @property
    def period(self) -> float:
        """Time of all phases (s)."""
        return float(self.periods.sum())

    @property
    def others(self) -> np.ndarray:
        """Multipliers that nothing forces to be one or zero."""
        return self.multipliers[len(self.neutral) :]

    def trajectory(self, points: int = 201, **options: Any) -> Any:
        """The orbit over one period as a `HybridTrajectory`; options are those of `geoctrl.simulate`."""
        times = self.begin + np.linspace(0.0, self.period, points)
        return simulate(self.system, times, self.x, params=self.params, mode=self.modes[0], **options)

    @long_call
    def enclose(
        self,
        bits: int = 160,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> HybridOrbitEnclosure:
        r"""The orbit with its times, multipliers and stability in balls; it exists, rigorously.

        A file is written with the steps of the flow and boxes about it, and all is proved from that by the
        checker. Krawczyk's test on :math:`R_i(\varphi_{T_i}(x_i)) = x_{i+1}` and
        :math:`h_i(\varphi_{T_i}(x_i)) = 0` shows that there is one orbit near the floats; that guards are
        crossed at the ends and none is met before, that contacts push and inertias are positive definite, is
        shown beside. `HybridOrbitEnclosure.hypotheses` lists it all.

        Parameters
        ----------
        bits : int
            Of the numbers of the file, from 96 to 4096; 160 give 26 digits of a step of a walker. Long and
            unstable orbits need more.
        progress, seconds
            As of `certify`.

        Returns
        -------
        HybridOrbitEnclosure

        Raises
        ------
        EquilibriumError
            If nothing is proved: with states or times that are not of an orbit, where a guard may be met
            before, at bifurcations, with resets that are not shown to keep what is conserved, or with too
            few bits.
        InputError, TypeError
            For bits that are no whole number, or none of these.

        Notes
        -----
        R. Krawczyk, Computing 4 (1969), 187-201; I. A. Hiskens, M. A. Pai, IEEE Trans. Circuits and Systems I
        47 (2000), 204-220.

        Examples
        --------
        Heating between 18 and 22 degrees is on for 10 log(3/2) s and off for 10 log(11/9) s:

        >>> import geoctrl as gc
        >>> T = gc.Coordinate("T")
        >>> on, off = (gc.VectorField([T], {"T": source - T.symbol / 10}).reduce() for source in (3, 0))
        >>> warm = gc.Jump("warm", when=T.symbol - 22, direction=1, of="on", to="off")
        >>> cold = gc.Jump("cold", when=T.symbol - 18, direction=-1, of="off", to="on")
        >>> heating = gc.HybridSystem(modes={"on": on, "off": off}, jumps=[warm, cold])
        >>> found = gc.find_periodic(heating, [18], [4, 2], jumps=["warm", "cold"]).enclose()
        >>> found.verdict
        <Verdict.PROVED_ASYMPTOTICALLY_STABLE: 'PROVED_ASYMPTOTICALLY_STABLE'>
        >>> [time.str(16, radius=False) for time in found.periods]
        ['4.054651081081644', '2.006706954621512']
        """
        written = orbit_with_clock(self) if self.cycles else WrittenOrbit(self)
        return hybrid_orbit_enclosure(self.system, written, bits)

    def _lines(self) -> list[str]:
        rounds = "one period" if self.cycles == 1 else f"{self.cycles} periods"
        phases = ", ".join(f"{t:.9g} s to {name!r}" for t, name in zip(self.periods, self.jumps, strict=True))
        return [
            f"<HybridOrbit of {self.system.name or 'a system'}: {self.verdict.value}>",
            f"  period: {self.period:.12g} s: {phases}",
            *([f"  begins at t = {self.begin:.12g} s; {rounds} of the forcing"] if self.cycles else []),
            spectrum_line("multipliers", self.others),
            f"  neutral: {', '.join(self.neutral) or '-'}",
        ]

    full = full_text
    __repr__ = short_form
