"""The result of a run on rotations: samples, and what follows from them when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl.rotations.attitudes import exp, rotation_defect

if TYPE_CHECKING:
    from geoctrl.rotations.system import RotationSystem

__all__ = ["RotationTrajectory", "conserved_names", "random_states"]

_CONSERVED = 1e-10
"""Rate, relative to the sizes of its terms, that counts as rounding."""
INSTANT = 0.37
"""Time at which forces are looked at."""


class RotationTrajectory:
    """Samples of a run of `integrate` or `geoctrl.simulate`.

    Attributes
    ----------
    time : ndarray (nt,)
    R : ndarray (nt, n, 3, 3)
    Omega : ndarray (nt, n, 3)
        rad/s, body components.
    engine : str
        "numba" or "python" for a stepping method; for `simulate` the solver.
    status : str
        "completed", or why and when the run ended.
    success : bool
    iterations : float
        Mean number of iterations of the solver per step, 0 for an explicit method.
    params : dict
    events : dict of name -> EventRecord
    system : RotationSystem
    """

    def __init__(
        self,
        system: RotationSystem,
        time: np.ndarray,
        R: np.ndarray,
        Omega: np.ndarray,
        *,
        params: Mapping[str, float],
        engine: str,
        status: str,
        success: bool,
        iterations: float = 0.0,
        conserved: tuple[str, ...] = (),
        events: Any = None,
    ) -> None:
        self.system = system
        self.time, self.R, self.Omega = time, R, Omega
        self.params, self.engine, self.status, self.success = dict(params), engine, status, success
        self.iterations = iterations
        self.events = events or {}
        self._conserved = conserved

    @property
    def states(self) -> np.ndarray:
        """States (12n, nt)."""
        return self.system.pack(self.R, self.Omega)

    @property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states."""
        return self.system.state_labels

    @cached_property
    def _mechanics(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.system.run(self.params).mechanics(self.R, self.Omega)

    @property
    def energy(self) -> np.ndarray:
        """Total energy, with a ``frame_rate`` the Jacobi integral (J), (nt,)."""
        kinetic, potential, _ = self._mechanics
        return kinetic + potential - self.momentum @ self.system.frame_rate_at(self.params)

    @property
    def kinetic_energy(self) -> np.ndarray:
        """Kinetic energy (J), (nt,)."""
        return self._mechanics[0]

    @property
    def momentum(self) -> np.ndarray:
        r"""Momentum map of rotations, :math:`\\sum R_i (J_i \\Omega_i + a_i)`, (nt, 3)."""
        return self._mechanics[2].sum(axis=1)

    @property
    def orthogonality_error(self) -> np.ndarray:
        """Largest entry of ``|R^T R - I|`` over the bodies, (nt,)."""
        return rotation_defect(self.R).max(axis=1)

    @property
    def drift(self) -> dict[str, float]:
        """Largest change of what is conserved in this run and largest defect of the attitudes, absolute."""
        found = {}
        if "energy" in self._conserved:
            found["energy"] = float(np.max(np.abs(self.energy - self.energy[0])))
        for k, label in enumerate(("momentum1", "momentum2", "momentum3")):
            if label in self._conserved:
                found[label] = float(np.max(np.abs(self.momentum[:, k] - self.momentum[0, k])))
        return {**found, "R^T R - I": float(np.max(self.orthogonality_error))}

    def __getitem__(self, label: str) -> np.ndarray:
        labels = self.system.state_labels
        if label not in labels:
            raise KeyError(f"no state {label!r}{nearest(str(label), labels)}")
        k, n = labels.index(label), self.system.n
        if k < 9 * n:
            return self.R.reshape(len(self.time), -1)[:, k]
        return self.Omega.reshape(len(self.time), -1)[:, k - 9 * n]

    def __len__(self) -> int:
        return self.time.size

    def __repr__(self) -> str:
        span = f"t = {self.time[0]:.6g} .. {self.time[-1]:.6g}, {self.time.size} samples"
        lines = [f"<RotationTrajectory {self.system.name or 'unnamed'}: {span}>", f"  status: {self.status}"]
        return "\n".join([*lines, f"  engine: {self.engine}"])


def conserved_names(system: RotationSystem, params: Mapping[str, float]) -> tuple[str, ...]:
    """Energy and components of the momentum that runs without inputs keep, by rates at random states."""
    run = system.run(params)
    rates: list[Any] = []
    for R, Omega in random_states(system.n):
        moments, forces = run.moments(INSTANT, R, Omega)
        xi = Omega - np.swapaxes(R, 1, 2) @ run.spin
        spatial = np.einsum("iab,ib->ia", R, moments + forces)
        momentum = run.mechanics(R[None], Omega[None])[2][0].sum(axis=0)
        change = spatial.sum(axis=0) - np.cross(run.spin, momentum)
        size = float(np.abs(spatial).sum() + np.linalg.norm(run.spin) * np.abs(momentum).sum()) + 1e-300
        power, scale = float(np.sum(forces * xi)), float(np.abs(forces * xi).sum()) + 1e-300
        rates.append([abs(power) / scale, *np.abs(change) / size])
    worst = np.max(np.array(rates), axis=0)
    names = ("energy", "momentum1", "momentum2", "momentum3")
    return tuple(name for name, rate in zip(names, worst, strict=True) if rate < _CONSERVED)


def random_states(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Attitudes (n, 3, 3) and velocities (n, 3), the same every time."""
    rng = np.random.default_rng(11)
    return list(zip(exp(rng.normal(size=(3, n, 3))), rng.normal(size=(3, n, 3)), strict=True))
