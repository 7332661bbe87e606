"""What sets of states that are proved to be kept have in common: their file, their words, and who is in
them.
"""

from __future__ import annotations

import copy
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from geoctrl import checker
from geoctrl._checks import file_path
from geoctrl.errors import InputError
from geoctrl.systems.parts.angles import ExactAngle
from geoctrl.verification import Verdict

__all__ = ["ProvedSet"]

SLACK = fmpq(1, 10**9)
"""Of relations of the leaf, and of levels that have no width, within which a state in doubles counts as on
them.
"""


BITS = 128
"""Of angles that states are measured from."""


class ProvedSet(ABC):
    """A set of states, as its file holds it: its ``data``."""

    data: dict[str, Any]
    angles: Mapping[int, ExactAngle]
    """Of the point, those that its file measures states from, by the number of the state."""

    @property
    def verdict(self) -> Verdict:
        """What is proved of motions that begin in the set."""
        return Verdict(self.data["verdict"])

    @property
    def system(self) -> str:
        """The name of the system."""
        return self.data["system"]

    @property
    def claim(self) -> str:
        """What is claimed, in words."""
        return self.data["claim"]

    @property
    def limits(self) -> dict[str, float]:
        """Bounds of outputs."""
        return {k: float(Fraction(row["bound"])) for k, row in self.data["problem"]["limits"].items()}

    @property
    def _labels(self) -> Sequence[str]:
        return list(self.data["problem"]["states"])

    @abstractmethod
    def _holds(self, state: list[fmpq | arb]) -> bool:
        """Whether a state, as the file measures it, is in the set."""

    def contains(self, x: Any) -> bool | np.ndarray:
        """Whether states are proved to be in the set.

        Parameters
        ----------
        x : array_like, (n,) or (n, N)
            States of the system. Doubles are the rationals that they are; relations of the leaf hold up to
            1e-9.

        Returns
        -------
        bool, or array of bool (N,)

        Raises
        ------
        InputError
            If x has another shape, or is not finite.
        """
        labels, states = self._labels, np.asarray(x, dtype=float)
        if states.ndim not in (1, 2) or len(states) != len(labels):
            raise InputError(
                f"x must have shape ({len(labels)},) or ({len(labels)}, N), {', '.join(labels)}; "
                f"got {states.shape}"
            )
        if not np.all(np.isfinite(states)):
            raise InputError("x must be finite")
        columns = states.reshape(len(labels), -1).T
        found = [self._holds([self._measured(i, v) for i, v in enumerate(column)]) for column in columns]
        return found[0] if states.ndim == 1 else np.array(found, dtype=bool)

    def _measured(self, i: int, value: float) -> fmpq | arb:
        """A state as the file measures it: an angle from that of the point, whole turns included."""
        exact = fmpq(*float(value).as_integer_ratio())
        if (angle := self.angles.get(i)) is None:
            return exact
        with ctx.workprec(BITS):
            sine, cosine = (arb(fmpq(q.numerator, q.denominator)) for q in (angle.sine, angle.cosine))
            principal = arb.atan2(sine, cosine)
            turns = round((float(angle) - float(principal)) / (2 * math.pi))
            return arb(exact) - principal - 2 * turns * arb.pi()

    def plot(self, x: str | None = None, y: str | None = None, ax: Any = None, **options: Any) -> Any:
        """The set over two states, with runs where they are given: `geoctrl.viz.region_picture`."""
        return import_module("geoctrl.viz").attraction(self, x, y, ax=ax, **options)  # a floor above

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready content of the file, digest included."""
        return copy.deepcopy(self.data) | {"digest": checker.digest_of(self.data)}

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text; written to ``path`` where one is given; TypeError if that is no path."""
        text = json.dumps(self.to_dict())
        if path is not None:
            file_path(path).write_text(text + "\n", encoding="utf-8")
        return text
