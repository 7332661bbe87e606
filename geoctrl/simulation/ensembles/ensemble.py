"""The result of `simulate_ensemble`: samples, ends and events of all members."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np

from geoctrl._checks import nearest, whole_number
from geoctrl._printing.markup import fact_card
from geoctrl._printing.printed_lines import WIDTH, full_text, short_form
from geoctrl._scalars import shown
from geoctrl.errors import GeoctrlError, LabelError
from geoctrl.runs import EventRecord, Events
from geoctrl.simulation.ensembles import ensemble_files
from geoctrl.simulation.ensembles.ensemble_drift import drift_of
from geoctrl.simulation.members.ensemble_task import EnsembleTask
from geoctrl.simulation.members.reductions import FIELDS
from geoctrl.simulation.trajectory import Trajectory, trajectory_of
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.inputs import read_inputs

__all__ = ["Ensemble", "EnsembleEvents"]


class EnsembleEvents:
    """Where an event happened in the members of an ensemble.

    Attributes
    ----------
    member : ndarray of int, shape (k,)
        In their order, those of one member in the order of times.
    time : ndarray, shape (k,)
    states : ndarray, shape (n, k)
    """

    def __init__(self, member: np.ndarray, time: np.ndarray, states: np.ndarray) -> None:
        self.member, self.time, self.states = member, time, states

    def __len__(self) -> int:
        return self.time.size

    def _lines(self) -> list[str]:
        return [f"EnsembleEvents({self.time.size} in {np.unique(self.member).size} members)"]

    full = full_text
    __repr__ = short_form

    def of_member(self, i: int) -> EventRecord:
        """Those of one member."""
        place = slice(*np.searchsorted(self.member, [i, i + 1]))
        return EventRecord(self.time[place], self.states[:, place])


class Ensemble:
    """Runs of many members, made by `simulate_ensemble` or read by `load_ensemble`.

    ``ens[i]`` is the run of a member as it is stored, a `Trajectory`, and ``ens["label"]`` what is kept of a
    state or goes by a name of ``record``: (N, nt), or (N,) where it is one number.

    Attributes
    ----------
    time : ndarray, shape (nt,)
        The times asked for (s).
    status : ndarray of str, shape (N,)
        "completed", or why a member ended, and "refused: ..." of one that could not be started.
    success : ndarray of bool, shape (N,)
        Whether it reached the last time or a terminal event.
    failed : ndarray of int
        Members without success, in order; ``status`` says why.
    end : ndarray, shape (N,)
        The times that members reached, nan of those refused.
    last : ndarray, shape (N, n)
        States there.
    events : dict of name -> EnsembleEvents
        ``.member``, ``.time`` and ``.states`` (n, k).
    params : dict of name -> float or ndarray (N,)
    recorded : dict of name -> ndarray (N, nt) or (N,), or dict
        What ``record`` named. Of a reduction over members, arrays (nt,) or numbers by name: "count", the
        members with a finite value; "holds", those of which the relation holds; "mean", "variance" (the mean
        square of deviations); "least", "greatest", "least member", "greatest member"; "counts" (nt, bins) of
        values from an edge up to the next, "below", "above", "edges".
    state_labels : tuple of str
    engine : str
        What ran the members.
    name : str
        That of the system.
    system : System or None
        None for an ensemble that was unpickled, or read from a file without its system.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> top = gc.models.get("heavy-top")(set="lagrange").reduce()
    >>> spins = np.linspace(20, 40, 50)
    >>> starts = [[0.1, 0, spin, 0, 0.6, 0.8] for spin in spins]
    >>> ens = gc.simulate_ensemble(top, np.linspace(0, 1, 11), starts)
    >>> ens.states.shape, ens["Gamma3"].shape, ens[7].status
    ((50, 6, 11), (50, 11), 'completed')
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], header: Mapping[str, Any]) -> None:
        self._header = dict(header)
        self.name, self.engine = header["name"], header["engine"]
        self.state_labels = tuple(header["state_labels"])
        self.time, self.success = arrays["time"], arrays["success"]
        self.failed = np.flatnonzero(~self.success)
        self.end, self.last = arrays["end"], arrays["last"]
        self._codes, self._words = arrays["codes"], np.array(header["words"], dtype=object)
        self._states = arrays.get("states")
        over = header.get("reduced", {})
        self.recorded = {
            name: {field: arrays[f"recorded{i} {field}"] for field in FIELDS[over[name]]}
            if name in over
            else arrays[f"recorded{i}"]
            for i, name in enumerate(header["recorded"])
        }
        self.params: dict[str, Any] = dict(header["params"])
        self.params |= {name: arrays[f"param{i}"] for i, name in enumerate(header["param_arrays"])}
        self.events = _NamedEvents()
        for i, name in enumerate(header["events"]):
            parts = (arrays[f"event{i}_{what}"] for what in ("member", "time", "states"))
            self.events[name] = EnsembleEvents(*parts)
        self._arrays = dict(arrays)
        self.system: Any = None
        self._task: EnsembleTask | None = None

    def live(self, task: EnsembleTask) -> Ensemble:
        """The same with what ran, which gives `drift` and what trajectories compute."""
        self.system, self._task = task.system, task
        return self

    # -- members --------------------------------------------------------------------------------

    @property
    def states(self) -> np.ndarray:
        """States (N, n, nt), nan beyond a member's end.

        Raises
        ------
        GeoctrlError
            Where ``record`` kept something else.
        """
        if self._states is None:
            raise GeoctrlError(
                f"states were not kept, but {', '.join(self.recorded)}: leave record out, or take .last, the "
                "states at the ends"
            )
        return self._states

    @cached_property
    def status(self) -> np.ndarray:
        """Words for each member, (N,)."""
        return self._words[self._codes]

    def __len__(self) -> int:
        return self.end.size

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._signal(key)
        count = len(self)
        i = whole_number("the number of a member", key, -count, count - 1)
        return self._trajectory(i % count)

    def _signal(self, label: str) -> Any:
        if label in self.recorded:
            return self.recorded[label]
        if self._states is not None and label in self.state_labels:
            return self._states[:, self.state_labels.index(label)]
        known = [*self.recorded, *(self.state_labels if self._states is not None else ())]
        raise LabelError(f"nothing kept goes by {label!r}{nearest(label, known)}")

    def params_of(self, i: int) -> dict[str, float]:
        """Parameters of one member by name."""
        return {name: float(v[i]) if np.ndim(v) else v for name, v in self.params.items()}

    def _trajectory(self, i: int) -> Any:
        """A member as `simulate` tells its runs."""
        if np.isnan(self.end[i]):
            raise GeoctrlError(f"member {i} has no run: {self.status[i]}")
        inside = self.time <= self.end[i]
        time, states = self.time[inside], self.states[i][:, inside]
        if time[-1] < self.end[i]:
            time, states = np.append(time, self.end[i]), np.column_stack([states, self.last[i]])
        states = np.ascontiguousarray(states)
        rest: dict[str, Any] = {
            "engine": self.engine,
            "status": str(self.status[i]),
            "success": bool(self.success[i]),
            "events": Events({name: found.of_member(i) for name, found in self.events.items()}),
        }
        task = self._task
        if task is None:
            labels = {"states": self.state_labels, "inputs": (), "outputs": ()}
            return Trajectory(time, states, labels=labels, params=self.params_of(i), name=self.name, **rest)
        part = task.members.part(i, i + 1)
        flow = Flow(
            system=task.system,
            drive=read_inputs(task.system, task.inputs_of(part, 0), task.times),
            params=task.system.parameters_at(part.params_of(0)),
            x0=part.starts[0],
            times=task.times,
            rtol=task.rtol,
        )
        return trajectory_of(flow, type(task.engine_alone), time, states, **rest)

    # -- all of them ------------------------------------------------------------------------------

    @cached_property
    def drift(self) -> dict[str, np.ndarray]:
        """Largest change of every invariant and largest defect of every relation, (N,) each.

        As `Trajectory.drift`; counted are invariants that the first members conserve.

        Raises
        ------
        GeoctrlError
            Where states were not kept, or the ensemble was read from a file without its system.
        """
        if self._task is None:
            raise GeoctrlError(
                "this ensemble was read from a file or unpickled and knows no equations of motion; read it "
                "with its system, load_ensemble(path, system=...)"
            )
        return drift_of(self._task, self.states, self.last, self._trajectory)

    def plot(self, label: str, ax: Any = None, title: str | None = None) -> Any:
        """Quantiles of a label over time: `geoctrl.viz.bands`."""
        return import_module("geoctrl.viz").bands(self, label, ax, title)  # figures are a floor above

    # -- told -----------------------------------------------------------------------------------

    def _lines(self) -> list[str]:
        span = f"t = {self.time[0]:.6g} .. {self.time[-1]:.6g}, {self.time.size} samples"
        head = f"<Ensemble {self.name or 'unnamed'}: {len(self)} members"
        whole = f"{head}, {span}>"
        lines = [whole] if len(whole) <= WIDTH else [f"{head}>", f"  {span}"]
        count = np.bincount(self._codes, minlength=len(self._words))
        order = np.argsort(-count, kind="stable")
        lines.append("\n".join(f"  {count[c]} {self._words[c]}" for c in order if count[c]))
        lines.append(f"  engine: {self.engine}")
        kept = (
            f"record: {', '.join(self.recorded)}"
            if self.recorded
            else f"states: {', '.join(self.state_labels)}"
        )
        lines.append(f"  {kept}")
        several = [name for name, value in self.params.items() if np.ndim(value)]
        if several:
            lines.append(f"  parameters of their own: {', '.join(several)}")
        found = [f"{name} {len(record)}" for name, record in self.events.items()]
        if found:
            lines.append(f"  events: {', '.join(found)}")
        return lines

    full = full_text
    __repr__ = short_form

    def _repr_html_(self) -> str:
        return fact_card(self._lines())

    def to_npz(self, path: str | PathLike) -> None:
        """Write an npz file of plain arrays and one JSON text; `load_ensemble` reads it.

        Parameters
        ----------
        path : str or path
            Taken as it is; no suffix is added.

        Raises
        ------
        TypeError
            If this is no path.
        """
        ensemble_files.write(path, self._arrays, self._header)

    def __reduce__(self):
        return Ensemble, (self._arrays, self._header)


class _NamedEvents(dict):
    """Events by name; a missing one raises LabelError with the nearest known."""

    def __missing__(self, name: str) -> EnsembleEvents:
        raise LabelError(f"no event {shown(name)}{nearest(str(name), self)}")
