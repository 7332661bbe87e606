r"""Kinetic energies in the rates of all bodies, in symbols.

.. math:: K = \tfrac12\, u \cdot G(z)\, u + A(z) \cdot u

with the entries of all rates one after the other in u (3 N,). In the velocities w, of which each body's part
moves its rates by a matrix :math:`P_b`, it has the inertia :math:`P_b^T G_{bc} P_c` and the covector
:math:`P_b^T A_b`; where a body's own inertia has a simpler form, that form is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import sympy as sp

from geoctrl.manifolds.calculus import rational
from geoctrl.manifolds.product import Product

__all__ = ["Kinetic"]


class Kinetic:
    """A kinetic energy that is quadratic in the rates.

    Parameters
    ----------
    product : Product
    G : dict of (i, j) -> expression
        Inertia of the rates, both triangles; what is left out is zero.
    A : sequence of expressions, optional
        (3 N,) Covector of the linear terms.
    covectors : sequence of n vectors, optional
        The linear terms in components of the velocities, where they are given so.
    """

    def __init__(
        self,
        product: Product,
        G: Mapping[tuple[int, int], sp.Expr],
        A: Sequence[sp.Expr] | None = None,
        covectors: Sequence[sp.Matrix] | None = None,
    ) -> None:
        self.product = product
        # Zero as a float is not equal to zero in sympy.
        self.G = {place: e for place, given in G.items() if (e := rational(given)) != 0}
        self.A = None if A is None else [rational(e) for e in A]
        self._covectors = covectors

    def block(self, b: int, c: int) -> sp.Matrix:
        """Inertia of the rates of two bodies."""
        first, rows = self.product.first, [f.rows for f in self.product.factors]
        return sp.Matrix(
            3 * rows[b],
            3 * rows[c],
            lambda i, j: self.G.get((3 * int(first[b]) + i, 3 * int(first[c]) + j), 0),
        )

    @cached_property
    def _bodies(self) -> list[int]:
        """Body of each rate."""
        return [b for b, f in enumerate(self.product.factors) for _ in range(3 * f.rows)]

    @cached_property
    def inertia(self) -> sp.Matrix:
        """Inertia (3 n, 3 n) of the velocities."""
        n, out = self.product.bodies, sp.zeros(3 * self.product.bodies)
        coupled = {(self._bodies[i], self._bodies[j]) for i, j in self.G}
        matrices = [f.rate_matrix() for f in self.product.factors]
        for b in range(n):
            for c in range(b + 1):
                if (b, c) not in coupled:
                    continue
                G = self.block(b, c)
                own = self.product.factors[b].own_inertia(G) if b == c else None
                block = matrices[b].T * G * matrices[c] if own is None else own
                out[3 * b : 3 * b + 3, 3 * c : 3 * c + 3] = block
                out[3 * c : 3 * c + 3, 3 * b : 3 * b + 3] = block.T
        return out

    @cached_property
    def covectors(self) -> list[sp.Matrix]:
        """Linear terms in components of the velocities, a vector for each body."""
        if self._covectors is not None:
            return [rational(a) for a in self._covectors]
        if self.A is None:
            return [sp.zeros(3, 1)] * self.product.bodies
        found = []
        for f, row in zip(self.product.factors, self.product.first, strict=True):
            part = sp.Matrix(self.A[3 * int(row) : 3 * int(row) + 3 * f.rows])
            found.append(f.rate_matrix().T * part)
        return found

    @cached_property
    def own(self) -> list[sp.Matrix]:
        """Each body's own inertia (3, 3) of its velocity; zero where it depends on the configuration."""
        places = {s for f in self.product.factors for s in f.z}
        found = []
        for b, f in enumerate(self.product.factors):
            G = f.own_inertia(self.block(b, b))
            found.append(sp.zeros(3) if G is None or G.free_symbols & places else G)
        return found

    @cached_property
    def rest(self) -> dict[tuple[int, int], sp.Expr]:
        """The inertia of the rates besides the bodies' own."""
        body = self._bodies
        return {(i, j): e for (i, j), e in self.G.items() if body[i] != body[j] or not any(self.own[body[i]])}

    @property
    def varies(self) -> bool:
        """Whether the rest depends on the configuration, or there are linear terms."""
        places = {s for f in self.product.factors for s in f.z}
        return self.A is not None or any(e.free_symbols & places for e in self.rest.values())

    @property
    def coupled(self) -> int:
        """Number of bodies in the largest group that the inertia couples to each other."""
        body, groups = self._bodies, list(range(self.product.bodies))
        for i, j in self.rest:
            a, b = groups[body[i]], groups[body[j]]
            groups = [a if group == b else group for group in groups]
        return max(map(groups.count, groups))

    def carried(self, turn: sp.Matrix) -> tuple[list[sp.Expr], sp.Expr]:
        """What axes that turn with this rate add: G (W x z) + A, and half (W x z).G (W x z) + A.(W x z)."""
        moved = [e for f in self.product.factors for e in (turn.hat() * f.z)]
        momenta = [sp.S.Zero] * len(moved) if self.A is None else list(self.A)
        half = sum((a * v for a, v in zip(momenta, moved, strict=True)), sp.S.Zero)
        for (i, j), g in self.G.items():
            momenta[i] += g * moved[j]
            half += g * moved[i] * moved[j] / 2
        return momenta, half
