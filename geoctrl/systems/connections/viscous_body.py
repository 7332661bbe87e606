"""A body without inertia in a viscous fluid: its shape, its group and its drag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import require_declared, require_printable, resolve_parameters
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import FLOAT, STATE, FromSympy, Graph, evaluate, shown
from geoctrl.algebra import Coordinate, LieAlgebra
from geoctrl.errors import DescriptionError
from geoctrl.systems.connections.short_forms import inverse_by_cofactors, shortest_form
from geoctrl.systems.connections.slender_link import SlenderLink
from geoctrl.systems.parts.description_entries import require_symmetric, shaped_matrix, space_words
from geoctrl.systems.parts.names import check_names
from geoctrl.systems.parts.parameters import Parameter

__all__ = ["ViscousBody"]

_SHAPES = 12
"""Shapes at which definiteness is judged, the one of zeros first."""
_ROUNDING = 256 * np.finfo(float).eps
"""Of eigenvalues of a matrix with ones on its diagonal."""


@dataclass(frozen=True, eq=False, repr=False)
class ViscousBody:
    """What a viscous connection is made of; `Connection.viscous` says what each entry means, and makes it.

    Attributes
    ----------
    drag : sympy matrix, (n_g + k) x (n_g + k)
    shape : tuple of Coordinate
    group : LieAlgebra
    parameters : tuple of Parameter
    name : str
    """

    drag: Any
    shape: Sequence[Coordinate]
    group: LieAlgebra
    parameters: Sequence[Parameter] = ()
    name: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.group, LieAlgebra):
            raise TypeError(f"algebra must be a LieAlgebra, as gc.se2() gives it, got {shown(self.group)}")
        for what, kind in (("shape", Coordinate), ("parameters", Parameter)):
            given = getattr(self, what)
            if not isinstance(given, (list, tuple)) or not all(isinstance(part, kind) for part in given):
                raise TypeError(f"{what} must be a list of gc.{kind.__name__} objects, got {shown(given)}")
            object.__setattr__(self, what, tuple(given))
        if not self.shape:
            raise DescriptionError("a viscous connection needs coordinates that move it: shape=[...]")
        if not isinstance(self.name, str):
            raise TypeError(f"name must be text, got {shown(self.name)}")
        require_printable("the name of a body", [self.name])
        places, rates = [c.name for c in self.shape], [c.rate_label for c in self.shape]
        labels = [*self.group.labels, *places, *rates]
        check_names(self.parameters, labels, "a velocity of the group or a coordinate")
        object.__setattr__(self, "drag", self._read_drag([*self.group.labels, *rates]))
        allowed = {part.symbol for part in (*self.shape, *self.parameters)}
        require_declared("drag", [self.drag], allowed, "take the symbol of a coordinate or parameter")
        require_symmetric(self.drag, "drag")
        self._require_definite()

    def _lines(self) -> list[str]:
        velocities = [*self.group.labels, *(c.rate_label for c in self.shape)]
        rows = zip(velocities, self.drag.tolist(), strict=True)
        title = f"<ViscousBody {self.name or 'unnamed'}: {space_words(self.group, self.shape)}>"
        return [title, *(f"  drag on {label}: {', '.join(map(str, row))}" for label, row in rows)]

    full = full_text
    __repr__ = short_form

    def _read_drag(self, velocities: Sequence[str]) -> sp.ImmutableMatrix:
        """K of a matrix, or of links together."""
        given, size = self.drag, len(velocities)
        links = given if isinstance(given, (list, tuple)) else ()
        if not any(isinstance(part, SlenderLink) for part in links):
            return shaped_matrix("drag", given, (size, size), velocities)
        if not all(isinstance(part, SlenderLink) for part in links):
            raise DescriptionError("drag must be a matrix or a list of gc.SlenderLink objects, not of both")
        if self.group.name != "se2":
            raise DescriptionError(
                f"slender links move in the plane, by gc.se2(), got {self.group.name or 'another group'}; "
                "give the matrix of drag"
            )
        r = [c.symbol for c in self.shape]
        whole = sum((link.drag(r) for link in links), sp.zeros(size, size))
        return sp.ImmutableMatrix(whole.applyfunc(shortest_form))

    def _require_definite(self) -> None:
        """Refuse a drag that does not resist the group at some shape, or gives power away."""
        n, judged = self.group.n, False
        for place, K in self._drags():
            judged = True
            where = ", ".join(f"{c.name} = {v:.4g}" for c, v in zip(self.shape, place, strict=True))
            if not _least(K[:n, :n]) > _ROUNDING:
                raise DescriptionError(
                    "drag must resist every velocity of the group, its first "
                    f"{n} rows and columns ({', '.join(self.group.labels)}) be positive definite; at {where} "
                    "they are not: a body that nothing holds has no connection"
                )
            if not _least(K) > -_ROUNDING:
                raise DescriptionError(f"drag takes power, and at {where} this one gives some: see its signs")
        if not judged:
            raise DescriptionError("drag is no finite number at any shape that was looked at")

    def _drags(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Shapes with K there, where it is finite; of which no coordinate is zero if it is so at no other."""
        rng, k = np.random.default_rng(17), len(self.shape)
        graph = Graph()
        given = [part.symbol for part in (*self.parameters, *self.shape)]
        symbols = {symbol: graph.symbol(symbol.name, STATE) for symbol in given}
        convert = FromSympy(graph, symbols)
        entries = [convert(e) for e in self.drag]
        numbers = [float(rng.uniform(0.5, 1.5) if p.default is None else p.default) for p in self.parameters]
        angles = np.array([c.angle for c in self.shape])
        places = np.where(angles, rng.uniform(-np.pi, np.pi, (2 * _SHAPES, k)), 0.0)
        places[0] = 0.0
        places[_SHAPES:, ~angles] = rng.uniform(0.5, 1.5, (_SHAPES, int((~angles).sum())))
        found = False
        for count, place in enumerate(places):
            if found and count == _SHAPES:
                return
            values = dict(zip(symbols.values(), [*numbers, *place.tolist()], strict=True))
            try:
                K = np.array(evaluate(entries, values, FLOAT), dtype=float).reshape(self.drag.shape)
            except (ArithmeticError, ValueError):
                continue
            if np.isfinite(K).all():
                found = True
                yield place, K

    @property
    def algebra(self) -> LieAlgebra:
        """Brackets of all velocities: the group's."""
        return self.group

    @property
    def defaults(self) -> dict[str, float | None]:
        """Default values of the parameters by name."""
        return {p.name: p.default for p in self.parameters}

    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``; ParameterError for what is unknown, missing or no number."""
        positive = {p.name for p in self.parameters if p.positive}
        return resolve_parameters(self.defaults, params, positive)

    @cached_property
    def connection(self) -> sp.ImmutableMatrix:
        r""":math:`\mathcal A = K_{gg}^{-1} K_{gr}`, n_g x k."""
        n = self.group.n
        found = inverse_by_cofactors(sp.Matrix(self.drag[:n, :n])) * self.drag[:n, n:]
        return sp.ImmutableMatrix(found.applyfunc(shortest_form))

    @property
    def dissipation(self) -> sp.ImmutableMatrix:
        r"""D, k x k, of the power :math:`\dot r^T D \dot r` that the motors of the shape give to the fluid.

        .. math:: D = K_{rr} - K_{rg} K_{gg}^{-1} K_{gr}

        As ``metric`` of `optimal_gait`, effort is work: gaits are compared by what they cost.
        """
        n = self.group.n
        found = self.drag[n:, n:] - self.drag[n:, :n] * self.connection
        return sp.ImmutableMatrix(*found.shape, lambda i, j: found[min(i, j), max(i, j)])


def _least(K: np.ndarray) -> float:
    """Least eigenvalue with units of which each diagonal entry is one; -inf where such units are none."""
    size = np.diag(K).copy()
    idle = (size == 0) & ~np.any(K, axis=0)
    size[idle] = 1.0
    if not (size > 0).all():
        return -np.inf
    root = np.sqrt(size)
    return float(np.min(np.linalg.eigvalsh(K / np.outer(root, root))))
