"""The result of a run on spheres: samples, and what follows from them when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import nearest

if TYPE_CHECKING:
    from geoctrl.spheres.system import SphereSystem

__all__ = ["SphereTrajectory", "conserved_names", "moment_about"]

_CONSERVED = 1e-10
"""Rate, relative to the sizes of its terms, that counts as rounding."""
_INSTANT = 0.37
"""Time at which forces are looked at."""


class SphereTrajectory:
    """Samples of a run of `integrate` or `geoctrl.simulate`.

    Attributes
    ----------
    time : ndarray (nt,)
    q, omega : ndarray (nt, n, 3)
    engine : str
        "numba" or "python" for a stepping method; for `simulate` the solver.
    status : str
        "completed", or why and when the run ended.
    success : bool
    iterations : float
        Mean number of iterations of the solver per step, 0 for an explicit method.
    params : dict
    events : dict of name -> EventRecord
    system : SphereSystem
    """

    def __init__(
        self,
        system: SphereSystem,
        time: np.ndarray,
        q: np.ndarray,
        omega: np.ndarray,
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
        self.time, self.q, self.omega = time, q, omega
        self.params, self.engine, self.status, self.success = dict(params), engine, status, success
        self.iterations = iterations
        self.events = events or {}
        self._conserved = conserved

    @property
    def states(self) -> np.ndarray:
        """States (6n, nt)."""
        return self.system.pack(self.q, self.omega)

    @property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states."""
        return self.system.state_labels

    @cached_property
    def _mechanics(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        run = self.system.run(self.params)
        rows = [run.mechanics(a, b) for a, b in zip(self.q, self.omega, strict=True)]
        kinetic, potential, momenta = zip(*rows, strict=True)
        return np.array(kinetic), np.array(potential), np.array(momenta)

    @property
    def energy(self) -> np.ndarray:
        """Total energy (J), (nt,)."""
        return self.kinetic_energy + self._mechanics[1]

    @property
    def kinetic_energy(self) -> np.ndarray:
        """Kinetic energy (J), (nt,)."""
        return self._mechanics[0]

    @property
    def momentum(self) -> np.ndarray:
        r"""Momentum map of rotations, :math:`\sum q_i \times p_i`, (nt, 3)."""
        return self._mechanics[2].sum(axis=1)

    @property
    def length_error(self) -> np.ndarray:
        """Mean over the bodies of the defect of unit length, ``abs(|q| - 1)``, (nt,)."""
        return np.abs(np.linalg.norm(self.q, axis=2) - 1).mean(axis=1)

    @property
    def drift(self) -> dict[str, float]:
        """Largest change of what is conserved in this run and largest defect of the constraints, absolute."""
        found = {}
        if "energy" in self._conserved:
            found["energy"] = float(np.max(np.abs(self.energy - self.energy[0])))
        for k, label in enumerate(("momentum1", "momentum2", "momentum3")):
            if label in self._conserved:
                found[label] = float(np.max(np.abs(self.momentum[:, k] - self.momentum[0, k])))
        found["|q| - 1"] = float(np.max(np.abs(np.linalg.norm(self.q, axis=2) - 1)))
        found["q.omega"] = float(np.max(np.abs(np.sum(self.q * self.omega, axis=2))))
        return found

    def __getitem__(self, label: str) -> np.ndarray:
        labels = self.state_labels
        if label not in labels:
            raise KeyError(f"no state {label!r}{nearest(str(label), labels)}")
        return self.states[labels.index(label)]

    def __len__(self) -> int:
        return self.time.size

    def __repr__(self) -> str:
        span = f"t = {self.time[0]:.6g} .. {self.time[-1]:.6g}, {self.time.size} samples"
        lines = [f"<SphereTrajectory {self.system.name or 'unnamed'}: {span}>", f"  status: {self.status}"]
        return "\n".join([*lines, f"  engine: {self.engine}"])


def conserved_names(system: SphereSystem, params: Mapping[str, float]) -> tuple[str, ...]:
    """What runs without inputs keep, of energy and momentum: judged by rates at random states."""
    run = system.run(params)
    names = []
    if not run.forced or max(_power(system, run)) < _CONSERVED:
        names.append("energy")
    for k in range(3):
        if moment_about(system, params, np.eye(3)[k]) < _CONSERVED:
            names.append(f"momentum{k + 1}")
    return tuple(names)


def moment_about(system: SphereSystem, params: Mapping[str, float], axis: np.ndarray) -> float:
    """Largest moment of all forces about an axis, at random states, relative to the sum of their sizes."""
    run, found = system.run(params), []
    for q, omega in _random_states(system.n):
        moments = np.cross(q, run.forces(_INSTANT, q, omega) - run.slope(q)) @ axis
        # Variable inertia moves the momentum too; it keeps it if turning all q about the axis changes
        # nothing.
        inertia = np.abs(run.inertia_rate(q, np.cross(axis, q))).max()
        found.append((abs(moments.sum()) + inertia) / (np.abs(moments).sum() + 1e-300))
        if not moments.any() and not inertia:
            found[-1] = 0.0
    return max(found)


def _power(system: SphereSystem, run: Any) -> list[float]:
    found = []
    for q, omega in _random_states(system.n):
        terms = run.forces(_INSTANT, q, omega) * np.cross(omega, q)
        found.append(abs(float(terms.sum())) / (float(np.abs(terms).sum()) + 1e-300))
    return found


def _random_states(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(11)
    q = rng.normal(size=(3, n, 3))
    q /= np.linalg.norm(q, axis=2)[:, :, None]
    return list(zip(q, np.cross(q, rng.normal(size=q.shape)), strict=True))
