r"""How configurations of factors vary, in symbols: by their rates, or by their velocities.

The derivative of a Lagrangian L(z, y), where y are rates or velocities of a factor, leads to equations of one
form for all of them. With :math:`p = \partial L / \partial y`,

.. math:: \Pi\, (\dot p + g(y, p)) - Q\, \partial L / \partial z - W f = 0 ,
    \qquad \dot z = D\, \partial H / \partial p, \quad
    \dot p = h(p, \partial H / \partial p) - Q\, \partial H / \partial z + W f ,

where :math:`\Pi` projects onto what p may be, Q pulls covectors of configurations back, and W forces.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._scalars import expression, read_matrix
from geoctrl.manifolds.factors import Attitude, Direction, Factor, Place
from geoctrl.manifolds.vectors.calculus import derivative_along, flow, gradient, rates, rational

__all__ = [
    "Body",
    "Directions",
    "DirectionsByRates",
    "Rotations",
    "Variations",
    "equations",
    "motion",
    "projected_slopes",
    "variations_of",
]

Vectors = Sequence[sp.Matrix]


class Variations(ABC):
    """What depends on a factor's kind and on what moves it; z, y and p are its symbols or expressions."""

    @abstractmethod
    def project(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """The part of a momentum that the factor's motions see."""

    def pull(self, z: sp.Matrix, F: sp.Matrix) -> sp.Matrix:
        """A covector of configurations as one of y; of rates it is one already."""
        return self.project(z, F)

    def work(self, z: sp.Matrix, f: sp.Matrix) -> sp.Matrix:
        """A force, of an attitude a moment in the body, as a covector of y."""
        return self.pull(z, f)

    def rate(self, z: sp.Matrix, y: sp.Matrix) -> sp.Matrix:
        """The derivative of the configuration."""
        return self.project(z, y)

    def lagrange_term(self, y: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """What is added to the rate of a momentum in Lagrange's equations."""
        del y
        return 0 * p

    def hamilton_term(self, z: sp.Matrix, p: sp.Matrix, v: sp.Matrix) -> sp.Matrix:
        """What Hamilton's equations have besides slopes and forces; v is the slope by p."""
        del z, v
        return 0 * p

    @abstractmethod
    def spatial(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """Moment about the origin of a momentum."""

    def normals(self, z: sp.Matrix) -> sp.Matrix:
        """Rows that annihilate the rates of y, but for what the velocity itself adds."""
        del z
        return sp.zeros(0, 3)


class Places(Variations):
    """A place with its rate, which is its velocity; on a line or plane along its axes."""

    def __init__(self, axes: sp.Matrix) -> None:
        self.axes = axes

    def project(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """Along the axes."""
        del z
        gram = self.axes * self.axes.T
        return p if self.axes.rows == 3 else self.axes.T * gram.inv() * self.axes * p

    def spatial(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """x x p."""
        return z.cross(p)

    def normals(self, z: sp.Matrix) -> sp.Matrix:
        """Normals of the axes."""
        del z
        rows = self.axes.nullspace()
        return sp.Matrix.vstack(sp.zeros(0, 3), *(n.T for n in rows))


class DirectionsByRates(Variations):
    """A direction with its derivative [LLM15, Props. 1, 3]."""

    def project(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """(I - q q^T) p."""
        return p - z * z.dot(p)

    def hamilton_term(self, z: sp.Matrix, p: sp.Matrix, v: sp.Matrix) -> sp.Matrix:
        """V x (p x q)."""
        return v.cross(p.cross(z))

    def spatial(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """q x p."""
        return z.cross(p)


class Directions(Variations):
    """A direction with its angular velocity [LLM15, Props. 2, 4]."""

    def project(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """(I - q q^T) p."""
        return p - z * z.dot(p)

    def pull(self, z: sp.Matrix, F: sp.Matrix) -> sp.Matrix:
        """Q x F."""
        return z.cross(F)

    def rate(self, z: sp.Matrix, y: sp.Matrix) -> sp.Matrix:
        """Omega x q."""
        return y.cross(z)

    def lagrange_term(self, y: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """-2 omega x p."""
        return -2 * y.cross(p)

    def hamilton_term(self, z: sp.Matrix, p: sp.Matrix, v: sp.Matrix) -> sp.Matrix:
        """V x p."""
        del z
        return v.cross(p)

    def spatial(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """The momentum itself."""
        del z
        return p

    def normals(self, z: sp.Matrix) -> sp.Matrix:
        """The direction itself: q.omega stays zero."""
        return z.T


class AttitudesByRates(Variations):
    r"""An attitude with its derivative, momenta :math:`\mu = R \hat\Pi / 2`."""

    def project(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """(p - R p^T R) / 2."""
        return (p - z * p.T * z) / 2

    def work(self, z: sp.Matrix, f: sp.Matrix) -> sp.Matrix:
        """R hat(f) / 2."""
        return z * f.hat() / 2

    def hamilton_term(self, z: sp.Matrix, p: sp.Matrix, v: sp.Matrix) -> sp.Matrix:
        """(p R^T v + v R^T p) / 2."""
        return (p * z.T * v + v * z.T * p) / 2

    def spatial(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """Sum of the columns of R x those of p."""
        return sum((z[:, k].cross(p[:, k]) for k in range(3)), sp.zeros(3, 1))


class Rotations(Variations):
    """An attitude with its angular velocity in the body [LLM17, Eqs. 6.6, 6.10]."""

    def project(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """The momentum itself."""
        del z
        return p

    def pull(self, z: sp.Matrix, F: sp.Matrix) -> sp.Matrix:
        """Sum of the rows of F x those of R."""
        return -sum((z[k, :].T.cross(F[k, :].T) for k in range(3)), sp.zeros(3, 1))

    def work(self, z: sp.Matrix, f: sp.Matrix) -> sp.Matrix:
        """The moment itself."""
        del z
        return f

    def rate(self, z: sp.Matrix, y: sp.Matrix) -> sp.Matrix:
        """R hat(Omega)."""
        return z * y.hat()

    def lagrange_term(self, y: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """Omega x p."""
        return y.cross(p)

    def hamilton_term(self, z: sp.Matrix, p: sp.Matrix, v: sp.Matrix) -> sp.Matrix:
        """P x v."""
        del z
        return p.cross(v)

    def spatial(self, z: sp.Matrix, p: sp.Matrix) -> sp.Matrix:
        """R p."""
        return z * p


def variations_of(factor: Factor, by_rates: bool) -> Variations:
    """Those of a factor, by its rates or by its velocity."""
    if isinstance(factor, Place):
        return Places(sp.Matrix(factor.freedom, 3, [rational(float(e)) for e in factor.axes.ravel()]))
    if isinstance(factor, Direction):
        return DirectionsByRates() if by_rates else Directions()
    assert isinstance(factor, Attitude)
    return AttitudesByRates() if by_rates else Rotations()


@dataclass(frozen=True)
class Body:
    """A factor in symbols: its configuration, and its rate, velocity or momentum."""

    variations: Variations
    z: sp.Matrix
    y: sp.Matrix


def projected_slopes(L: Any, bodies: Sequence[Body]) -> list[sp.Matrix]:
    """Momenta of a Lagrangian, conjugate to the y of bodies."""
    L = expression(L, "the Lagrangian")
    return [b.variations.project(b.z, gradient(L, b.y)) for b in bodies]


def equations(L: Any, bodies: Sequence[Body], forces: Vectors | None) -> list[sp.Matrix]:
    """Left-hand sides of the Euler-Lagrange equations, in z, y and ``rates`` of the y of bodies."""
    L = expression(L, "the Lagrangian")
    speeds = [b.variations.rate(b.z, b.y) for b in bodies]
    moving = flow([*(b.z for b in bodies), *(b.y for b in bodies)], [*speeds, *rates([b.y for b in bodies])])
    found = []
    for b, f in zip(bodies, _forces(forces, len(bodies)), strict=True):
        p, of = gradient(L, b.y), b.variations
        pushed = of.pull(b.z, gradient(L, b.z)) + of.work(b.z, f)
        found.append(of.project(b.z, derivative_along(p, moving) + of.lagrange_term(b.y, p)) - pushed)
    return found


def motion(H: Any, bodies: Sequence[Body], forces: Vectors | None) -> tuple[list[sp.Matrix], list[sp.Matrix]]:
    """Hamilton's equations: rates of the z and of the momenta y of bodies."""
    H = expression(H, "the Hamiltonian")
    places, pushes = [], []
    for b, f in zip(bodies, _forces(forces, len(bodies)), strict=True):
        v, of = gradient(H, b.y), b.variations
        places.append(of.rate(b.z, v))
        pushes.append(of.hamilton_term(b.z, b.y, v) - of.pull(b.z, gradient(H, b.z)) + of.work(b.z, f))
    return places, pushes


def _forces(forces: Vectors | None, count: int) -> list[sp.Matrix]:
    return [sp.zeros(3, 1)] * count if forces is None else [read_matrix("a force", f) for f in forces]
