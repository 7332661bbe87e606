"""Laws as files: a text of the mechanism's name, the point and the gains, of which the law is made again."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from math import isclose
from pathlib import Path
from typing import Any

from geoctrl.cli.reading.mechanism_files import is_model_file, is_program
from geoctrl.cli.reading.usage import UsageError
from geoctrl.errors import InputError

__all__ = ["SavedLaw", "is_law_file", "read_law"]

_FORMAT, _VERSION = "geoctrl law", 1
_SAME = 1e-9
"""Part of itself by which a state of the point may have moved since: states have units of their own."""


def is_law_file(name: str) -> bool:
    """Whether a model is named by a law that was saved, of which it is the loop."""
    return name.endswith(".json")


@dataclass
class SavedLaw:
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

    model: str
    params: str | None
    family: str
    values: dict[str, float]
    state: dict[str, float]
    gains: dict[str, dict[str, float]]
    rate: float | None = None
    limits: dict[str, list[float]] = field(default_factory=dict)

    def write(self, path: str) -> None:
        """Write the file, in which the model's own file is named from the folder of this one."""
        data = {"format": _FORMAT, "version": _VERSION, **asdict(self)}
        if _names_file(self.model):
            data["model"] = os.path.relpath(self.model, Path(path).resolve().parent)
        Path(path).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")

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

    def controller_of(self, law: Any) -> Any:
        """The law as it runs at its rate, within its limits; the law itself where it has none."""
        limits = {label: tuple(pair) for label, pair in self.limits.items()}
        return law if self.rate is None else law.sampled(rate=self.rate, limits=limits)


def read_law(path: str) -> SavedLaw:
    """The law of a file."""
    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data.pop("format") != _FORMAT:
            raise InputError(f"{path} is no law")
        version = data.pop("version")
        saved = SavedLaw(**data)
        numbers = [*saved.values.values(), *saved.state.values()]
        numbers += [gain for row in saved.gains.values() for gain in row.values()]
        if not all(isinstance(number, float | int) for number in numbers):
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
