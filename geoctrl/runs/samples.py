"""Samples of a run, and what follows from them for every kind of system."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from geoctrl._checks import nearest, pandas_library
from geoctrl._printing.markup import Markup, card, facts, number, prose, sparkline
from geoctrl._printing.printed_lines import full_text, short_form, with_units
from geoctrl._scalars import shown
from geoctrl.errors import DescriptionError, LabelError
from geoctrl.runs import storage
from geoctrl.runs.records import Events

if TYPE_CHECKING:
    import pandas

__all__ = ["Samples"]

_TELLING = 4
"""Signals that a notebook shows of a run."""

_MOST_DRIFTS = 6
"""Quantities of which a notebook shows the drift."""


class Samples(ABC):
    """Samples of one run: what `simulate` returns for every system, and `integrate` on manifolds.

    Attributes
    ----------
    time : ndarray, shape (nt,)
        The times reached (s); a terminal event adds its own.
    states : ndarray, shape (n, nt)
    state_labels, input_labels, output_labels : tuple of str
    inputs : ndarray, shape (m, nt)
        As they were applied.
    outputs : ndarray, shape (p, nt)
    energy : ndarray, shape (nt,)
    invariants : dict of name -> ndarray (nt,)
        Every quantity that this run conserves.
    leaf_defects : dict of name -> ndarray (nt,)
        What is zero on the leaf or manifold.
    params : dict
        All parameters by name.
    engine : str
        What ran, and why if it was not the first choice.
    status : str
        "completed", or why and when the run ended.
    success : bool
        Whether it reached the last time asked for or a terminal event.
    events : dict of name -> EventRecord
        ``.time`` (k,) and ``.states`` (n, k), empty where an event did not happen.
    name : str
        That of the system.
    """

    time: np.ndarray
    params: dict[str, float]
    engine: str
    status: str
    success: bool
    events: Events
    name: str
    system: Any

    # -- what a kind of run supplies --------------------------------------------------------------

    states: Any
    state_labels: Any
    input_labels: Any
    output_labels: Any

    @property
    @abstractmethod
    def inputs(self) -> np.ndarray:
        """Inputs applied, (m, nt)."""

    @property
    @abstractmethod
    def outputs(self) -> np.ndarray:
        """Output signals, (p, nt)."""

    @property
    @abstractmethod
    def energy(self) -> np.ndarray:
        """Energy (J), (nt,); conserved only if `drift` counts it."""

    @property
    def written_energy(self) -> np.ndarray:
        """The energy as files have it, (nt,): nan of a system that has none."""
        try:
            return self.energy
        except DescriptionError:
            return np.full(self.time.size, np.nan)

    @property
    @abstractmethod
    def invariants(self) -> dict[str, np.ndarray]:
        """Values (nt,) of every quantity conserved in this run, by name."""

    @property
    @abstractmethod
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Values (nt,) of what is zero on the leaf or manifold, by name."""

    @abstractmethod
    def resample(self, times: Any) -> Self:
        """The run at other times within it, by the equations of motion and not between the samples.

        Each state is run anew from the sample before it, under the inputs that acted.

        Parameters
        ----------
        times : (k,) array
            Increasing, within the run.

        Returns
        -------
        Trajectory
            Of the same kind, with the events of this run.

        Raises
        ------
        InputError
            If the times do not increase or lie beyond the run.
        GeoctrlError
            For a trajectory that was read from a file without its system.
        SimulationError
            If the run cannot be followed.
        """

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Units by label of states and inputs, as far as the system tells them."""
        return {} if self.system is None else dict(self.system.told_units)

    # -- what follows -----------------------------------------------------------------------------

    @property
    def drift(self) -> dict[str, float]:
        """Largest change of every invariant and largest defect of every relation, absolute.

        Counted are the energy (key "energy") and the other invariants that are conserved in this run,
        with the inputs that it had.
        """
        found = {k: float(np.max(np.abs(v - v[0]))) for k, v in self.invariants.items()}
        return found | {k: float(np.max(np.abs(v))) for k, v in self.leaf_defects.items()}

    def __getitem__(self, label: str) -> np.ndarray:
        for labels, what in (
            (self.state_labels, "states"),
            (self.output_labels, "outputs"),
            (self.input_labels, "inputs"),
        ):
            if isinstance(label, str) and label in labels:
                return getattr(self, what)[labels.index(label)]
        known = [*self.state_labels, *self.output_labels, *self.input_labels]
        raise LabelError(f"no state, output or input {shown(label)}{nearest(str(label), known)}")

    def __len__(self) -> int:
        return self.time.size

    def _lines(self) -> list[str]:
        lines = [f"<{type(self).__name__} {self.name or 'unnamed'}: {self._span}>"]
        lines += [f"  status: {self.status}", f"  engine: {self.engine}"]
        for what in ("state", "input", "output"):
            if labels := getattr(self, f"{what}_labels"):
                lines.append(f"  {what}s: {with_units(labels, self.units)}")
        return lines + [f"  event {name}: {_times(record)}" for name, record in self.events.items()]

    full = full_text
    __repr__ = short_form

    @property
    def _span(self) -> str:
        ends = " to ".join(f"{t + 0.0:.6g}" for t in (self.time[0], self.time[-1]))
        return f"{ends} s, {self.time.size} samples"

    def _repr_html_(self) -> str:
        drift = [f"{prose(name)}: {number(v)}" for name, v in self.drift.items()]
        rows = {
            "status": self.status,
            "time": self._span,
            "drift": Markup("<br>".join(drift[:_MOST_DRIFTS] + ["..."] * (len(drift) > _MOST_DRIFTS))),
            "events": "; ".join(f"{name} at {_times(record)}" for name, record in self.events.items()),
            "engine": self.engine,
        }
        lines = [
            sparkline(self.time, self[label], label, self.units.get(label, "")) for label in self._telling()
        ]
        return card(
            f"{type(self).__name__} of {self.name or 'a system'}", facts(rows), Markup("".join(lines))
        )

    def _telling(self) -> list[str]:
        """Labels of four signals at most: an input or output, then states that change."""
        first = [*self.input_labels, *self.output_labels][:1]
        labels = list(dict.fromkeys([*first, *self.state_labels]))
        moving = [label for label in labels if np.ptp(self[label])]
        return [*moving, *(label for label in labels if label not in moving)][:_TELLING]

    def save(self, path: str | PathLike) -> None:
        """Write an npz file of plain arrays and one JSON text; `load_trajectory` reads it.

        Parameters
        ----------
        path : str or path
            Taken as it is; no suffix is added.

        Raises
        ------
        TypeError
            If this is no path.
        """
        storage.write(path, self._arrays())

    def _arrays(self) -> dict[str, np.ndarray]:
        """Everything that a file holds."""
        given = {
            "time": self.time,
            "states": self.states,
            "labels": {
                "states": self.state_labels,
                "inputs": self.input_labels,
                "outputs": self.output_labels,
            },
            "events": self.events,
            "params": self.params,
            "engine": self.engine,
            "status": self.status,
            "success": self.success,
            "name": self.name,
        }
        computed = {
            "inputs": self.inputs,
            "outputs": self.outputs,
            "energy": self.written_energy,
            "units": self.units,
            "invariants": self.invariants,
            "leaf_defects": self.leaf_defects,
        }
        return storage.arrays_of(given, computed)

    def show(self, **options: Any) -> Any:
        """The run as a scene that moves: `geoctrl.viz.scene`, whose arguments may be given."""
        return import_module("geoctrl.viz").scene(self, **options)  # figures are a floor above

    def to_pandas(self) -> pandas.DataFrame:
        """States, outputs and inputs as a table with the time as its index.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd = pandas_library()
        columns = dict(zip(self.input_labels, self.inputs, strict=True))
        columns = dict(zip(self.output_labels, self.outputs, strict=True)) | columns
        columns = dict(zip(self.state_labels, self.states, strict=True)) | columns
        return pd.DataFrame(columns, index=pd.Index(self.time, name="time"))


def _times(record: Any) -> str:
    return np.array2string(record.time, threshold=6, precision=6) if len(record) else "none"
