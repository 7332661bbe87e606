"""What gains are asked to keep: largest inputs and rates from given deviations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl._scalars import real
from geoctrl.errors import InputError

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Largest inputs (m,) and states (n,), infinite where there is no limit, and deviations (n, S) from which
    they are to hold.
    """

    inputs: np.ndarray
    states: np.ndarray
    starts: np.ndarray

    @classmethod
    def read(
        cls,
        limits: Any,
        speeds: Any,
        start: Any,
        others: Sequence[np.ndarray],
        inputs: Sequence[str],
        states: Sequence[str],
    ) -> Limits | None:
        """Limits by input and by state, and deviations, one by state; None where nothing is given.

        Parameters
        ----------
        others : sequence of arrays (n,)
            Further deviations.
        """
        if limits is None and speeds is None and start is None and not others:
            return None
        bounded = [g for g in (limits, speeds) if g is not None]
        bounds = all(isinstance(g, Mapping) and g for g in bounded)
        from_where = (start is None and others) or (isinstance(start, Mapping) and start)
        if not (bounded and bounds and from_where):
            raise InputError(
                "limits= of the inputs, or speeds= of states, hold from a deviation, start=, tilt= or "
                f"starts=: give both, as in limits={{{inputs[0]!r}: 8.0}}, start={{{states[-1]!r}: 0.1}}"
            )
        for what, given, known in (
            ("input", limits, inputs),
            ("state", speeds, states),
            ("state", start, states),
        ):
            for name in given or ():
                if name not in known:
                    raise InputError(
                        f"no {what} {name!r}{nearest(name, known)}; known are {', '.join(known)}"
                    )
        away = list(others)
        if start is not None:
            away.append(
                np.array([real(start[x], f"the start of {x}") if x in start else 0.0 for x in states])
            )
        starts = np.array(away, dtype=float).T
        return cls(_largest(limits or {}, inputs), _largest(speeds or {}, states), starts)

    def excess(self, inputs: np.ndarray, states: np.ndarray) -> float:
        """The largest input or state by its limit, of peaks (m, S) and (n, S)."""
        parts = zip((inputs, states), (self.inputs, self.states), strict=True)
        return float(max(np.max(peaks / largest[:, None], initial=0.0) for peaks, largest in parts))


def _largest(given: Mapping[str, Any], known: Sequence[str]) -> np.ndarray:
    found = [real(given[k], f"the limit of {k}") if k in given else np.inf for k in known]
    if not all(q > 0 for q in found):
        raise InputError(f"limits must be positive, got {dict(given)}")
    return np.array(found, dtype=float)
