"""The result of a run: samples, and everything that follows from them, computed when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl._scalars import shown
from geoctrl.errors import GeoctrlError
from geoctrl.runs import EventRecord, Events, SampleRecord, Samples, storage
from geoctrl.simulation import reconstruction
from geoctrl.stepping.drive.resampling import resampled_states

if TYPE_CHECKING:
    from geoctrl.stepping.drive.engine import Engine
    from geoctrl.stepping.drive.flow import Flow
    from geoctrl.systems import ReducedSystem

__all__ = ["Trajectory", "trajectory_of"]


def trajectory_of(flow: Flow, by: type[Engine], time: np.ndarray, states: np.ndarray, **rest: Any) -> Samples:
    """Samples of a flow that an engine ran, of the kind that its system tells its runs by."""
    own = flow.system.trajectory(time, states, params=flow.params, drive=flow.drive, **rest)
    return Trajectory.of_run(flow, by, time, states, **rest) if own is None else own


class Trajectory(Samples):
    """Samples of one run, made by `simulate` or read by `load_trajectory`.

    Attributes
    ----------
    time : ndarray, shape (nt,)
        The times reached (s); a terminal event adds its own.
    states : ndarray, shape (n, nt)
    state_labels, input_labels, output_labels : tuple of str
    params : dict
        All parameters by name.
    engine : str
        The engine that ran, and why if it was not the first choice.
    status : str
        "completed", or why and when the run ended.
    success : bool
        Whether it reached the last time asked for or a terminal event.
    events : dict of name -> EventRecord
        ``.time`` (k,) and ``.states`` (n, k), empty where an event did not happen.
    system : ReducedSystem or None
        None for a trajectory that was read from a file.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> top = gc.models.get("heavy-top")(set="lagrange").reduce()
    >>> traj = gc.simulate(top, np.linspace(0, 2, 21), [0.3, 0.1, 5, 0, 0.6, 0.8])
    >>> traj["Gamma3"].shape, traj.status
    ((21,), 'completed')
    >>> max(traj.drift.values()) < 1e-12
    True
    """

    def __init__(
        self,
        time: np.ndarray,
        states: np.ndarray,
        *,
        labels: Mapping[str, tuple[str, ...]],
        params: Mapping[str, float],
        engine: str,
        status: str,
        success: bool,
        events: Events,
        name: str = "",
    ) -> None:
        self.time, self.states, self.params, self.name = time, states, dict(params), name
        self.engine, self.status, self.success, self.events = engine, status, success, events
        self.state_labels = tuple(labels["states"])
        self.input_labels = tuple(labels["inputs"])
        self.output_labels = tuple(labels["outputs"])
        self.system: ReducedSystem | None = None
        self._flow: Flow | None = None
        self._by: Any = None
        self._ways: dict[tuple, tuple[np.ndarray, np.ndarray | None]] = {}

    @classmethod
    def of_run(
        cls, flow: Flow, by: type[Engine], time: np.ndarray, states: np.ndarray, **rest: Any
    ) -> Trajectory:
        """Samples of a flow that an engine ran."""
        system: Any = flow.system
        applied = system.input_labels if flow.drive.controls else ()
        labels = {
            "states": system.state_labels,
            "inputs": system.input_labels,
            "outputs": (*system.output_labels, *applied),
        }
        made = cls(time, states, labels=labels, params=flow.params, name=system.name, **rest)
        made.system, made._flow, made._by = system, flow, by
        return made

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Trajectory:
        """The samples of a file, and what was computed from them."""
        given, computed = storage.read_arrays(arrays)
        made = cls(**given)
        made.__dict__.update(computed)
        return made

    # -- signals --------------------------------------------------------------------------------

    @cached_property
    def inputs(self) -> np.ndarray:
        """Inputs applied, (m, nt)."""
        return self._live.drive.values(self.time, self.states, self.params)

    @cached_property
    def outputs(self) -> np.ndarray:
        """Output signals, (p, nt): the torques of a closed loop, or what a controller of the run applied."""
        own = self._system.outputs(self.time, self.states, self.inputs, self.params)
        return np.vstack([own, self.inputs]) if self._live.drive.controls else own

    @property
    def samples(self) -> SampleRecord | None:
        """What a sampled controller did, sample by sample; None where none was at work.

        Raises
        ------
        GeoctrlError
            For a trajectory that was read from a file: it holds what was applied, and not the samples.
        """
        return self._live.drive.record

    def reactions(self) -> dict[str, np.ndarray]:
        """Forces of the constraints along the run by name, (nt,) each; see `ReducedSystem.reactions`.

        Raises
        ------
        GeoctrlError
            For a trajectory that was read from a file without its system.

        Examples
        --------
        >>> import numpy as np, geoctrl as gc
        >>> disk = gc.models.get("rolling-disk")().reduce()
        >>> traj = gc.simulate(disk, np.linspace(0, 1, 3), disk.state(Omega3=6, Gamma=(0, 1, 0)))
        >>> traj.reactions()["normal"].round(3)
        array([16.677, 16.677, 16.677])
        """
        return self._system.reactions(self.states, self.inputs, self.params, self.time)

    @cached_property
    def energy(self) -> np.ndarray:
        """Constrained energy (J), (nt,); conserved only if `drift` counts it."""
        return np.asarray(self._system.energy(self.states, self.params))

    @cached_property
    def invariants(self) -> dict[str, np.ndarray]:
        """Values (nt,) of every quantity conserved in this run, by name."""
        values = self._system.conservation.values
        return values(_conserved_names(self._live), self.states, self.params)

    @cached_property
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Values (nt,) of every leaf relation (zero on the leaf), by name."""
        system = self._system
        values = system.leaf_residual(self.states, self.params)
        return dict(zip(system.leaf.names, values, strict=True))

    def resample(self, times: Any) -> Trajectory:
        """The run at other times; see `geoctrl.runs.Samples.resample`.

        Examples
        --------
        >>> import numpy as np, geoctrl as gc
        >>> top = gc.models.get("heavy-top")(set="lagrange").reduce()
        >>> traj = gc.simulate(top, np.linspace(0, 2, 5), [0.3, 0.1, 5, 0, 0.6, 0.8])
        >>> traj.resample(np.linspace(0, 2, 201)).states.shape
        (6, 201)
        """
        flow = self._live
        states = resampled_states(flow, self._by, self.time, self.states, times)
        rest = {k: getattr(self, k) for k in ("engine", "status", "success", "events")}
        return Trajectory.of_run(flow, self._by, finite_array("times", times).copy(), states, **rest)

    def clock_change(
        self, times: Callable[[np.ndarray], np.ndarray], words: Callable[[str], str]
    ) -> Trajectory:
        """The same run by another clock: of equations that do not hold the time."""
        flow = replace(self._live, times=times(self._live.times))
        events = Events()
        for name, record in self.events.items():
            events[name] = EventRecord(times(record.time), record.states)
        return Trajectory.of_run(
            flow,
            self._by,
            times(self.time),
            self.states,
            engine=self.engine,
            status=words(self.status),
            success=self.success,
            events=events,
        )

    # -- configuration --------------------------------------------------------------------------

    @property
    def _live(self) -> Flow:
        if self._flow is None:
            raise GeoctrlError(
                "this trajectory was read from a file or unpickled and knows no equations of motion; read it "
                "with its system, load_trajectory(path, system=...), or run simulate again"
            )
        return self._flow

    @property
    def _system(self) -> ReducedSystem:
        system: Any = self._live.system
        return system

    def attitude(self, R0: Any = None, of: int = 1) -> np.ndarray:
        r"""Rotation matrices (nt, 3, 3), body to space: :math:`\dot R = R \hat\Omega`.

        Two or more independent advected vectors of the factor give it algebraically, by
        ``R^T reference = Gamma``; else it is integrated together with the equations of motion.

        Parameters
        ----------
        R0 : (3, 3) array, optional
            Initial attitude; by default the smallest rotation with ``R0^T reference = Gamma(0)``.
        of : int
            Number of the factor of the group, from 1.

        Raises
        ------
        InputError
            If ``R0`` is not a rotation or disagrees with the initial state by more than 1e-9, or the
            factor has no rotations.
        GeoctrlError
            For a trajectory that was read from a file.
        """
        key = _way_key(of, R0)
        _, known = self._ways.get(key, (None, None))
        if known is not None:  # it came with the position
            return known.copy()
        return reconstruction.attitude(self._live, self._by, self.time, self.states, R0, of)

    def position(self, x0: Any = None, of: int = 1, R0: Any = None) -> np.ndarray:
        r"""Position of the frame's origin in space (nt, 3): :math:`\dot x = R\,Y`.

        Of a factor R^k (`geoctrl.rn`) that of its k coordinates, (nt, k): :math:`\dot x = Y`.

        Parameters
        ----------
        x0 : (3,) array, or (k,), optional
            Initial position, zero by default.
        of : int
            Number of the factor of the group, from 1.
        R0 : (3, 3) array, optional
            As for `attitude`; R^k has none.

        Raises
        ------
        InputError
            If the factor has no translations, or ``x0`` or ``R0`` does not fit.
        GeoctrlError
            For a trajectory that was read from a file.

        Examples
        --------
        A cart that rolls to its stop:

        >>> import numpy as np, geoctrl as gc
        >>> wheels = gc.Friction([1], viscous=0.5)
        >>> cart = gc.EulerPoincare(algebra=gc.rn(1), inertia=[[2]], friction=[wheels]).reduce()
        >>> gc.simulate(cart, np.linspace(0, 80, 3), [3.0]).position(x0=[1.0]).round(6)[:, 0]
        array([ 1.      , 12.999455, 13.      ])
        """
        way = self._way(of, R0)[0]
        start = np.zeros(way.shape[1]) if x0 is None else finite_array("x0", x0, way.shape[1:])
        return start + way

    def contact(self, x0: Any = None, of: int = 1, R0: Any = None) -> np.ndarray:
        """Point of contact in space (nt, 3): position + R c, where the mechanism declares ``contact``.

        Parameters are those of `position`.

        Raises
        ------
        InputError
            If the mechanism declares no contact, or as for `position`.
        """
        vector = reconstruction.contact_vector(self._system, self.states, self.params)
        position = self.position(x0, of, R0)
        return position + np.einsum("tij,tj->ti", self.attitude(R0, of), vector)

    def _way(self, of: int, R0: Any) -> tuple[np.ndarray, np.ndarray | None]:
        key = _way_key(of, R0)
        if key not in self._ways:
            self._ways[key] = reconstruction.displacement(
                self._live, self._by, self.time, self.states, R0, of
            )
        return self._ways[key]

    # -- files ----------------------------------------------------------------------------------

    def __reduce__(self):
        return Trajectory.from_arrays, (self._arrays(),)


def _way_key(of: int, R0: Any) -> tuple:
    return shown(of), None if R0 is None else finite_array("R0", R0).tobytes()


def _conserved_names(flow: Flow) -> tuple[str, ...]:
    """Names of the invariants of the run.

    Without inputs those of the system; under expressions those of which the rate vanishes with these put in;
    else those that no input changes.
    """
    system: Any = flow.system
    drive, params = flow.drive, flow.params
    if not drive.outside and drive.law is None:
        return tuple(system.conserved(params))
    if drive.outside or drive.obstacle is not None:
        return tuple(system.conserved(params, all_inputs=True))
    images, extra = drive.images(system)
    numbers = [system.graph.node(e) for e in drive.extra(0.0)]
    given = system.graph.substitute(images, dict(zip(extra, numbers, strict=True)))
    return tuple(system.conservation.kept_under(given, params))
