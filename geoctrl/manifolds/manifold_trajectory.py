"""The result of a run on a manifold: samples, and what follows from them when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np

from geoctrl._checks import finite_array
from geoctrl.manifolds.description.kept_along_runs import conserved_names, samples_of
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.runs import Events, Samples
from geoctrl.stepping.drive.dormand_prince import DormandPrince
from geoctrl.stepping.drive.drive import Drive, Held
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.resampling import resampled_states

__all__ = ["ManifoldTrajectory"]


class ManifoldTrajectory(Samples):
    """Samples of a run on a manifold.

    Parameters
    ----------
    system : ManifoldSystem
        What ran; for a form the system that it is one of.
    drive : Drive
        The inputs that acted. Nothing is counted as conserved where they are not those of a law.
    seen : tuple of Form and ndarray, optional
        The form that ran, and its states.

    Attributes
    ----------
    time : ndarray (nt,)
    states : ndarray (size, nt)
    energy, kinetic_energy : ndarray (nt,)
        J; in a frame that turns the energy is the Jacobi integral.
    momentum : ndarray (nt, 3)
        Moment about the origin of the momenta of all bodies.
    engine : str
        "numba" or "python" for a stepping method; for `simulate` the solver.
    status : str
        "completed", or why and when the run ended.
    success : bool
    iterations : float
        Mean number of iterations of the solver per step, 0 for an explicit method.
    params : dict
    events : dict of name -> EventRecord
    system : ManifoldSystem
    """

    def __init__(
        self,
        system: ManifoldSystem,
        time: np.ndarray,
        configurations: np.ndarray,
        velocities: np.ndarray,
        *,
        params: Mapping[str, float],
        engine: str,
        status: str,
        success: bool,
        events: Events | None = None,
        drive: Drive | None = None,
        iterations: float = 0.0,
        seen: tuple[ManifoldSystem, np.ndarray] | None = None,
    ) -> None:
        self.time, self.params, self.name = time, dict(params), system.name
        self.engine, self.status, self.success = engine, status, success
        self.events = Events() if events is None else events
        self.system = system
        self.iterations = iterations
        self._parts = configurations, velocities
        self._drive = Held(system.input_labels) if drive is None else drive
        self._seen = seen

    @property
    def states(self) -> np.ndarray:
        """States, a column for each time."""
        return self.system.product.state(*self._parts).T.copy() if self._seen is None else self._seen[1]

    @property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states."""
        return self.system.state_labels if self._seen is None else self._seen[0].state_labels

    @property
    def _ran(self) -> Any:
        """What ran: the system, or a form of it."""
        return self.system if self._seen is None else self._seen[0]

    @property
    def input_labels(self) -> tuple[str, ...]:
        """Labels of the inputs."""
        return self._drive.labels

    @property
    def output_labels(self) -> tuple[str, ...]:
        """Systems on manifolds declare no outputs."""
        return ()

    @cached_property
    def inputs(self) -> np.ndarray:
        """Inputs applied, (m, nt)."""
        return self._drive.values(self.time, self.states, self.params)

    @property
    def outputs(self) -> np.ndarray:
        """Systems on manifolds declare no outputs: (0, nt)."""
        return np.zeros((0, self.time.size))

    def configuration(self, b: int) -> np.ndarray:
        """Configuration of factor b of the product, counted from 0: (nt, 3), or (nt, 3, 3) of an attitude."""
        product, z = self.system.product, self._parts[0]
        factor, row = product.factors[b], int(product.first[b])
        return z[:, row : row + factor.rows].reshape(len(z), *factor.shape)

    def resample(self, times: Any) -> Self:
        """The run at other times; see `geoctrl.runs.Samples.resample`.

        By the equations (DOP853), for a run of a stepping method too, whose steps they do not follow.
        """
        ran = self._ran
        flow = Flow(ran, self._drive, self.params, self.states[:, 0], self.time)
        states = resampled_states(flow, DormandPrince, self.time, self.states, times)
        rest = {k: getattr(self, k) for k in ("params", "engine", "status", "success", "events")}
        return ran.trajectory(finite_array("times", times).copy(), states, drive=self._drive, **rest)

    @cached_property
    def _mechanics(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.system.run(self.params).mechanics(*self._parts)

    @cached_property
    def energy(self) -> np.ndarray:
        """Energy (J), (nt,)."""
        return self.system.run(self.params).energies(*self._parts)

    @property
    def kinetic_energy(self) -> np.ndarray:
        """Kinetic energy (J), (nt,)."""
        return self._mechanics[0]

    @property
    def momentum(self) -> np.ndarray:
        """Momentum map of rotations, (nt, 3)."""
        return self._mechanics[2].sum(axis=1)

    def defects(self) -> dict[str, float]:
        """Largest defects of the relations that hold on the manifold, by name."""
        return {k: float(np.max(np.abs(v))) for k, v in self.leaf_defects.items()}

    @cached_property
    def conserved(self) -> tuple[str, ...]:
        """Names of energy, momenta and declared invariants that this run keeps; none where inputs acted.

        Judged by their rates, at random states and at samples of the run.
        """
        if self._drive.outside:
            return ()
        return conserved_names(
            self._ran.acting(self._drive), self.params, samples_of(self.time, *self._parts)
        )

    @cached_property
    def invariants(self) -> dict[str, np.ndarray]:
        """Values (nt,) of every quantity conserved in this run, by name."""
        values = self.system.run(self.params).quantities(*self._parts) if self.conserved else {}
        return {name: values[name] for name in self.conserved}
