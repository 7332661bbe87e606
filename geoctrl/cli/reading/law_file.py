"""Laws as files: a text of the mechanism's name, the point and the gains, of which the law is made again."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from math import isclose
from pathlib import Path
from typing import Any, ClassVar

from geoctrl.cli.reading.mechanism_files import is_model_file, is_program
from geoctrl.cli.reading.usage import UsageError
from geoctrl.errors import InputError

__all__ = ["SavedLaw", "SavedPeriodicLaw", "is_law_file", "read_law"]

_VERSION = 1
_SAME = 1e-9
"""Part of itself by which a state of the point may have moved since: states have units of their own."""


def is_law_file(name: str) -> bool:
    """Whether a model is named by a law that was saved, of which it is the loop."""
    return name.endswith(".json")


class _LawFile(ABC):
    """What files of laws have in common."""

    form: ClassVar[str]
    model: str
    rate: float | None
    limits: dict[str, list[float]]

    @property
    @abstractmethod
    def numbers(self) -> Iterator[Any]:
        """What has to be numbers."""

    def write(self, path: str) -> None:
        """Write the file, in which the model's own file is named from the folder of this one."""
        data = {"format": self.form, "version": _VERSION, **asdict(self)}  # type: ignore[call-overload]
        if _names_file(self.model):
            data["model"] = os.path.relpath(self.model, Path(path).resolve().parent)
        Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")

    def controller_of(self, law: Any) -> Any:
        """The law as it runs at its rate, within its limits; the law itself where it has none."""
        limits = {label: tuple(pair) for label, pair in self.limits.items()}
        return law if self.rate is None else law.sampled(rate=self.rate, limits=limits)


@dataclass
class SavedLaw(_LawFile):
    """What a file says of a linear law.

    Attributes
    ----------
    model : str
        As a command names it; a file from where the command is run.
    params : str or None
        Of the catalogue's sets.
    family : str
    values : dict of name -> number
        Parameters and symbols of the family.
    state : dict of label -> number
        The point, by which a mechanism that has changed is known.
    gains : dict of input label -> dict of state label -> number
    rate : float or None
        At which it runs (Hz).
    limits : dict of input label -> (low, high)
    """

    form = "geoctrl law"
    model: str
    params: str | None
    family: str
    values: dict[str, float]
    state: dict[str, float]
    gains: dict[str, dict[str, float]]
    rate: float | None = None
    limits: dict[str, list[float]] = field(default_factory=dict)

    def law_of(self, system: Any, point: Any) -> Any:
        """The law about a point of the system, unless this is another point than the file's."""
        import geoctrl

        now = dict(zip(system.state_labels, map(float, point.x), strict=True))
        if list(now) != list(self.state) or not all(
            isclose(now[label], value, rel_tol=_SAME) for label, value in self.state.items()
        ):
            raise UsageError(
                f"{self.model} has changed since the law was saved: design it anew (geoctrl lqr)"
            )
        return geoctrl.linear_law(system, point, self.gains)

    @property
    def numbers(self) -> Iterator[Any]:
        """What has to be numbers."""
        yield from self.values.values()
        yield from self.state.values()
        yield from (gain for row in self.gains.values() for gain in row.values())


@dataclass
class SavedPeriodicLaw(_LawFile):
    """What a file says of a law along a motion that repeats.

    Attributes
    ----------
    model, params, limits
        As of `SavedLaw`.
    values : dict of name -> number
        Parameters.
    hold : float
        s.
    labels : list of str
        Of the states.
    states, inputs, gains : list
        (N, n), (N, m) and (N, m, n).
    """

    form = "geoctrl law along a motion"
    model: str
    params: str | None
    values: dict[str, float]
    hold: float
    labels: list[str]
    states: list[list[float]]
    inputs: list[list[float]]
    gains: list[list[list[float]]]
    limits: dict[str, list[float]] = field(default_factory=dict)

    @property
    def rate(self) -> float:  # type: ignore[override]
        """Samples a second."""
        return 1 / self.hold

    def law_of(self, system: Any) -> Any:
        """The law of the system, unless it has another motion than the file's."""
        from geoctrl.errors import EquilibriumError
        from geoctrl.synthesis.periodic.periodic_law import law_of_numbers

        changed = f"{self.model} has changed since the law was saved: design it anew (geoctrl lqr --along)"
        if list(system.state_labels) != self.labels:
            raise UsageError(changed)
        try:
            params = system.parameters_at(self.values)
            return law_of_numbers(system, params, self.hold, self.states, self.inputs, self.gains)
        except EquilibriumError:
            raise UsageError(changed) from None

    @property
    def numbers(self) -> Iterator[Any]:
        """What has to be numbers."""
        yield self.hold
        yield from self.values.values()
        for rows in (self.states, self.inputs, *self.gains):
            yield from (number for row in rows for number in row)


def read_law(path: str) -> SavedLaw | SavedPeriodicLaw:
    """The law of a file."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    saved: SavedLaw | SavedPeriodicLaw
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        kind = {k.form: k for k in (SavedLaw, SavedPeriodicLaw)}[data.pop("format")]
        version = data.pop("version")
        saved = kind(**data)
        if not all(isinstance(number, float | int) for number in saved.numbers):
            raise InputError(f"{path} is no law")
    except (InputError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InputError(
            f"{path} is no law that geoctrl lqr --save wrote; a certificate is read by geoctrl verify"
        ) from None
    if version != _VERSION:
        raise InputError(f"{path} has version {version!r}; this geoctrl reads {_VERSION}")
    if _names_file(saved.model):
        saved.model = os.path.relpath(Path(path).resolve().parent / saved.model)
    return saved


def _names_file(model: str) -> bool:
    return is_program(model) or is_model_file(model)
