"""What sets of states that are proved to be kept have in common: their file, their words, and who is in
them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from flint import arb, ctx, fmpq

from geoctrl.analysis.certificates.proof_file import ProofFile
from geoctrl.checker import prove
from geoctrl.checker.numbers import ball, number_text, set_roots
from geoctrl.checker.verdicts import Found
from geoctrl.decisions.functions.derivatives import to_float
from geoctrl.errors import InputError
from geoctrl.systems.parts.angles import ExactAngle, angle_in_label
from geoctrl.verification import Verdict

__all__ = ["SLACK", "ProvedSet", "confirmed_set"]

SLACK = fmpq(1, 10**9)
"""Of relations of the leaf, and of levels that have no width, within which a state in doubles counts as on
them.
"""


BITS = 128
"""Of angles that states are measured from."""

_LONG = 40
"""Letters of a label beyond which its angle is printed as a decimal."""


@dataclass(frozen=True, eq=False)
class ProvedSet(ProofFile):
    """A set of states, as its file holds it: its ``data``."""

    data: dict[str, Any] = field(repr=False)
    angles: Mapping[int, ExactAngle] = field(default_factory=dict, repr=False)
    """Of the point, those that its file measures states from, by the number of the state."""
    reason: str = field(default="", repr=False)
    units: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of states and outputs, by the labels of the system, as far as its description tells them."""
    _judged: Found | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Without what the checker found, which it finds again."""
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"_judged": None}

    @cached_property
    def _found(self) -> Found:
        """What the checker finds in the file."""
        return prove({**self.data, "digest": ""}) if self._judged is None else self._judged

    @property
    def _finding(self) -> Any:
        """The set as the checker finds it, which answers ``extent``, ``holds`` and ``claim``."""
        return self._found.told["region"]

    @property
    def method(self) -> str:
        """What the set is proved by."""
        return self._found.method

    @property
    def verdict(self) -> Verdict:
        """What is proved of motions that begin in the set."""
        return Verdict(self._found.verdict)

    @cached_property
    def point(self) -> dict[str, float]:
        """The equilibrium, by labels of states."""
        return copy_context().run(_floats, self.data.get("roots", []), self.data["problem"]["states"])

    @property
    def state_units(self) -> dict[str, str]:
        """Units of states by the labels of `point`, as far as they are known."""
        names = {label: (angle_in_label(label) or (label,))[0] for label in self._labels}
        return {label: self.units[name] for label, name in names.items() if name in self.units}

    @property
    def system(self) -> str:
        """The name of the system."""
        return self.data["system"]

    @cached_property
    def claim(self) -> str:
        """What is claimed, in words."""
        return self._finding.claim(self.system)

    @property
    def limits(self) -> dict[str, float]:
        """Bounds of outputs."""
        return {k: float(Fraction(row["bound"])) for k, row in self.data["theorem"]["limits"].items()}

    @property
    def _labels(self) -> Sequence[str]:
        return list(self.data["problem"]["states"])

    @property
    @abstractmethod
    def extent(self) -> Mapping[str, tuple[float, float]]:
        """Intervals of states in which the set lies."""

    @property
    def _extent_text(self) -> str:
        """The extent for one line, in which exact angles that are long are decimals."""
        short = {}
        for i, label in enumerate(self._labels):
            if i in self.angles and len(label) > _LONG:
                short[label] = f"{label.split(' - ')[0]} - {float(self.angles[i]):.6g}"
        return ", ".join(f"{short.get(k, k)} in [{a:.4g}, {b:.4g}]" for k, (a, b) in self.extent.items())

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
        states = self._states(x)
        columns = states.reshape(len(states), -1).T
        measured = ([self._coordinate(i, v) for i, v in enumerate(column)] for column in columns)
        found = [self._finding.holds(state, SLACK) for state in measured]
        return found[0] if states.ndim == 1 else np.array(found, dtype=bool)

    def _states(self, x: Any) -> np.ndarray:
        """States (n,) or (n, N), read."""
        labels, states = self._labels, np.asarray(x, dtype=float)
        if states.ndim not in (1, 2) or len(states) != len(labels):
            raise InputError(
                f"x must have shape ({len(labels)},) or ({len(labels)}, N), {', '.join(labels)}; "
                f"got {states.shape}"
            )
        if not np.all(np.isfinite(states)):
            raise InputError("x must be finite")
        return states

    def _coordinate(self, i: int, value: float) -> fmpq | arb:
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


S = TypeVar("S", bound=ProvedSet)


def confirmed_set(
    cls: type[S], angles: Mapping[int, ExactAngle], content: dict[str, Any], reason: str = ""
) -> S:
    """What a search proposes, as the content of its file, from which alone the checker judges it; Refusal
    where that is not proved.
    """
    return cls(content, angles, reason, _judged=prove({**content, "digest": ""}))


def _floats(roots: Sequence[str], numbers: Mapping[str, str]) -> dict[str, float]:
    """Doubles next to numbers with roots."""
    set_roots(roots)
    return {k: to_float(ball(number_text(text)).mid().fmpq()) for k, text in numbers.items()}
