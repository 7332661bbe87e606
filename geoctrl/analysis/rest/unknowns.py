"""What a search for rest may change: states, inputs and parameters, as one vector."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.errors import UnitsError
from geoctrl.systems import Seen
from geoctrl.systems.contract.scales import Scales, columns_of

__all__ = ["Unknowns"]

_DIFFERENCE = 1e-6
"""Step of a difference by a parameter, relative to its size: ten digits of a derivative."""


@dataclass(frozen=True)
class Unknowns:
    r"""A vector z = (x, u, p) of states, inputs and some parameters, of which some places are free.

    Attributes
    ----------
    params : mapping name -> number
        All parameters; those in z are overridden by it.
    states, inputs : sequence of int
        Places of the free ones.
    parameters : sequence of str
        Names of those in z.
    still : collection of str
        Those of them that are not free.
    near : mapping of place in z -> size
        Deviations that count as one where distances are measured.
    """

    seen: Seen
    params: Mapping[str, Any]
    states: Sequence[int]
    inputs: Sequence[int] = ()
    parameters: Sequence[str] = ()
    near: Mapping[int, float] = field(default_factory=dict)
    still: Collection[str] = ()

    @property
    def _n(self) -> int:
        return len(self.seen.system.state_labels)

    @property
    def _m(self) -> int:
        return len(self.seen.system.input_labels)

    @property
    def labels(self) -> list[str]:
        """Of all places."""
        system = self.seen.system
        return [*system.state_labels, *system.input_labels, *self.parameters]

    @property
    def free(self) -> list[int]:
        """Places in z that may change."""
        end = self._n + self._m
        moving = (end + k for k, name in enumerate(self.parameters) if name not in self.still)
        return [*self.states, *(self._n + j for j in self.inputs), *moving]

    def with_inputs_alone(self) -> Unknowns:
        """Of the same z, the inputs free and nothing else; parameters are where they are."""
        return replace(self, states=(), still=self.parameters)

    def holding(self, places: Sequence[int]) -> Unknowns:
        """With some places held."""
        held, end = set(places), self._n + self._m
        still = [name for k, name in enumerate(self.parameters, end) if k in held]
        return replace(
            self,
            states=[i for i in self.states if i not in held],
            inputs=[j for j in self.inputs if self._n + j not in held],
            still=[*self.still, *still],
        )

    def vector(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """z of a state and inputs, parameters as they are given."""
        return np.concatenate([x, u, [float(self.params[name]) for name in self.parameters]])

    def point(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, Mapping[str, Any]]:
        """State, inputs and all parameters."""
        n, end = self._n, self._n + self._m
        moved = dict(zip(self.parameters, z[end:].tolist(), strict=True))
        return z[:n], z[n:end], {**self.params, **moved} if moved else self.params

    def residual(self, z: np.ndarray) -> np.ndarray:
        """Field and relations, no numbers where the equations are singular: solvers shorten such a step."""
        x, u, params = self.point(z)
        try:
            rate = self.seen.rate(x, u, params)
            return np.concatenate([rate, self.seen.system.leaf_residual(x, params)])
        except ZeroDivisionError:
            return np.full(len(x) + len(self.seen.system.leaf.names), np.nan)

    def slopes(self, z: np.ndarray) -> np.ndarray:
        """Derivatives of the residual by the free places; by a parameter they are differences."""
        x, u, params = self.point(z)
        A, B = self.seen.derivatives(x, u, params)
        C = self.seen.leaf_gradient(x, params)
        columns = [np.vstack([A, C])[:, list(self.states)]]
        if self.inputs:
            columns.append(np.vstack([B, np.zeros((len(C), B.shape[1]))])[:, list(self.inputs)])
        for k, name in enumerate(self.parameters, self._n + self._m):
            if name in self.still:
                continue
            step = np.zeros(len(z))
            step[k] = _DIFFERENCE * (abs(z[k]) or self.near[k])
            columns.append(((self.residual(z + step) - self.residual(z - step)) / (2 * step[k]))[:, None])
        return np.hstack(columns)

    def units(self, z: np.ndarray, scales: Scales) -> np.ndarray:
        """Sizes of all places of z, by the scales there: of an input what drives a state by its size, of a
        parameter its own, or the least change that changes a rate by its size.
        """
        found = [scales.column, np.where(scales.input > 0, scales.input, 1.0)]
        if self.parameters:
            slopes = replace(self, states=(), inputs=(), still=()).slopes(z)
            rows = np.concatenate([scales.field, scales.leaf])
            found.append(columns_of(slopes, rows, np.abs(z[self._n + self._m :])))
        return np.concatenate(found)

    def distances(self, z: np.ndarray, scales: Scales) -> np.ndarray:
        """Sizes in which distances are measured: as `units`, or what the caller says.

        Inputs of one unit have one size, so that of equal ones each bears its part; others have powers of two
        next to their sizes.
        """
        found = self.units(z, scales)
        end = self._n + self._m
        found[self._n : end] = self._by_unit(found[self._n : end])
        for place, size in self.near.items():
            found[place] = size
        return found

    def _by_unit(self, sizes: np.ndarray) -> np.ndarray:
        """Sizes of inputs: the largest among those that are known to have one unit."""
        found, classes = binary(sizes), dict[Any, list[int]]()
        with suppress(UnitsError):
            measures = self.seen.system.measures
            for j, label in enumerate(self.seen.system.input_labels):
                if (unit := measures.dimension(label)) is not None:
                    classes.setdefault(tuple(sorted(unit.powers.items())), []).append(j)
        for places in classes.values():
            found[places] = np.max(found[places])
        return found
