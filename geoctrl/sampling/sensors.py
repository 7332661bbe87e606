r"""What is measured besides the states of a plant: the velocities of a body, and the force that it feels.

At a point r of a body whose origin moves with Y, in axes that turn with :math:`\Omega`, an accelerometer
shows the specific force

.. math::

    f = \dot v + \Omega \times v + g\,\Gamma, \qquad v = Y + \Omega \times r,

with :math:`\Gamma` the upward vertical. At rest it is :math:`g\,\Gamma`; in a turn it is not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from geoctrl._scalars import Graph, Node
from geoctrl.algebra import AdvectedVector, LieAlgebra
from geoctrl.errors import InputError
from geoctrl.systems import EulerPoincare, System

__all__ = ["InertialUnit", "Sensor", "axes_of"]


class Sensor(ABC):
    """Signals that a law measures and that are no states of its plant.

    Attributes
    ----------
    labels : tuple of str
    """

    labels: tuple[str, ...]

    @abstractmethod
    def nodes(self, system: Any) -> list[Node]:
        """The signals in states, time and inputs of a plant."""


@dataclass(frozen=True)
class InertialUnit(Sensor):
    """Velocities of a body, and its specific force at a point.

    Attributes
    ----------
    labels : tuple of str
        Some of the algebra's labels, and of `forces`.
    vector : AdvectedVector
        The upward vertical.
    gravity : str
        A parameter of the plant.
    position : tuple of 3 Fractions
        r in body axes (m).
    """

    labels: tuple[str, ...]
    vector: AdvectedVector
    gravity: str
    position: tuple[Fraction, ...]

    forces = ("f1", "f2", "f3")
    """Labels of the specific force (m/s^2)."""

    def nodes(self, system: Any) -> list[Node]:
        """The signals in states, time and inputs of a plant; see `Sensor.nodes`."""
        mechanism = _mechanism_of(system)
        known = tuple(a.name for a in mechanism.advected)
        if self.vector not in mechanism.advected or self.gravity not in mechanism.defaults:
            raise InputError(
                f"an inertial unit needs the vertical {self.vector.name!r} and the parameter "
                f"{self.gravity!r}; this plant advects {', '.join(known) or 'nothing'}"
            )
        found = dict(zip(mechanism.algebra.labels, system.assembly.xi, strict=False))
        found |= dict(zip(self.forces, self._specific_force(system), strict=True))
        if missing := [label for label in self.labels if label not in found]:
            raise InputError(
                f"the body of this plant has no {', '.join(missing)}, which the law reads; its velocities "
                f"are {', '.join(mechanism.algebra.labels)}"
            )
        return [found[label] for label in self.labels]

    def _specific_force(self, system: Any) -> list[Node]:
        a, mechanism = system.assembly, system.mechanism
        graph: Graph = a.graph
        spin, velocity = axes_of(mechanism.algebra, self.vector)
        omega, origin = (_combinations(graph, rows, a.xi) for rows in (spin, velocity))
        v = [
            y + w
            for y, w in zip(origin, _cross(omega, [graph.number(r) for r in self.position]), strict=True)
        ]
        rates = [graph.add(terms) for terms in system.rate_terms(v)]
        symbols = list(mechanism.configuration_symbols)
        up = a.restrict([a.gamma[symbols.index(s)] for s in self.vector.symbols])
        g = a.parameters[self.gravity]
        return [
            graph.add([rate, turned, g * gamma])
            for rate, turned, gamma in zip(rates, _cross(omega, v), up, strict=True)
        ]


def axes_of(algebra: LieAlgebra, vector: AdvectedVector) -> tuple[Sequence, Sequence]:
    """Rows by which the velocities give the spin of a vector's body, and the velocity of its origin."""
    factor = algebra.factors[vector.factor_index(algebra)]
    if factor.spin is None or not all(any(row) for row in factor.spin):
        raise InputError(f"{vector.name} is turned in a plane; an estimate on the sphere needs so3 or se3")
    return factor.spin, factor.velocity or ((0,) * algebra.n,) * 3


def _mechanism_of(system: System) -> EulerPoincare:
    mechanism = getattr(system, "mechanism", None)
    if not isinstance(mechanism, EulerPoincare) or not system.recorded:
        raise InputError(
            "an inertial unit rides on a body of the general description, gc.EulerPoincare(...).reduce()"
        )
    return mechanism


def _combinations(graph: Graph, rows: Sequence, xi: Sequence[Node]) -> list[Node]:
    return [
        graph.add([graph.number(c) * x for c, x in zip(row, xi, strict=False) if c] or [graph.zero])
        for row in rows
    ]


def _cross(a: Sequence[Node], b: Sequence[Node]) -> list[Node]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
