r"""Kinetic energies: each body's own inertia of its velocity, and the rest in the rates of all bodies.

.. math:: K = \sum_b \tfrac12\, w_b \cdot J_b w_b + \tfrac12\, u \cdot C(z)\, u + A(z) \cdot u

with the entries of all rates one after the other in u (3 N,). In the rates alone it has an inertia G; in the
velocities w, of which each body's part moves its rates by a matrix :math:`P_b`, the inertia
:math:`P_b^T G_{bc} P_c` and the covector :math:`P_b^T A_b`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl.manifolds.factors import Factor
from geoctrl.manifolds.product.product import Product
from geoctrl.manifolds.vectors.calculus import rational

__all__ = ["Kinetic", "in_rates", "of_rates"]

Entries = Mapping[tuple[int, int], Any]
Numbers = tuple[np.ndarray, np.ndarray | None]


class Kinetic:
    """A kinetic energy.

    Parameters
    ----------
    own : array (n, 3, 3), or n matrices of expressions in parameters
        Each body's inertia of its velocity: m I of places and directions, any other of attitudes; zero of a
        body of which the rates are all in the rest.
    rest : array (3 N, 3 N), or dict of (i, j) -> expression, optional
        Inertia of the rates besides, both triangles; what is left out is zero.
    A : sequence of expressions, optional
        (3 N,) Covector of the terms linear in the rates.
    covectors : sequence of n vectors, optional
        Linear terms of attitudes, in the components of their velocities.
    other : expression, optional
        In configurations and rates, what is not quadratic in these; there is nothing besides it then.
    given : dict of name -> expressions, and the symbols that these may hold besides parameters
        What it was made of, for messages.
    check : callable, optional
        ``check(own, rest)``: both in numbers, symmetric to the last digit; InputError if they are no inertia.

    Attributes
    ----------
    quadratic : bool
        Whether it is quadratic in the rates, so that it can be written out.
    linear : tuple of vectors
        The ``covectors``, none without any.
    """

    def __init__(
        self,
        product: Product,
        own: Any,
        rest: Any = None,
        A: Sequence[sp.Expr] | None = None,
        covectors: Sequence[sp.Matrix] | None = None,
        other: sp.Expr | None = None,
        given: Mapping[str, tuple[Sequence[Any], set[Any]]] | None = None,
        check: Callable[[np.ndarray, np.ndarray | None], Numbers] | None = None,
    ) -> None:
        self.product, self.other, self.given, self._check = product, other, dict(given or {}), check
        self._own, self._rest = own, {} if rest is None else rest
        self.A = None if A is None else [rational(e) for e in A]
        self.linear = tuple(covectors or ())
        self.quadratic = other is None

    # -- in numbers -----------------------------------------------------------------------------

    def numbers_at(self, numbers: Mapping[sp.Symbol, float]) -> Numbers:
        """Own inertias (n, 3, 3), and the constant rest (3 N, 3 N) or None where there is none."""
        return self._numbers(numbers) if self._constant is None else self._constant

    @cached_property
    def _constant(self) -> Numbers | None:
        """Numbers that are the same for all parameters."""
        parts = [] if isinstance(self._own, np.ndarray) else list(self._own)
        parts += [] if isinstance(self._rest, np.ndarray) or self.varies else list(self._rest.values())
        return None if any(e.free_symbols for e in parts) else self._numbers({})

    def _numbers(self, numbers: Mapping[sp.Symbol, float]) -> Numbers:
        own, rest, n = self._own, self._rest, self.product.bodies
        if not isinstance(own, np.ndarray):
            own = _numbers_of([e for J in own for e in J], numbers).reshape(n, 3, 3)
        if self.varies or not len(rest):
            rest = None
        elif not isinstance(rest, np.ndarray):
            G = np.zeros((self.product.split, self.product.split))
            G[tuple(np.array(list(rest)).T)] = _numbers_of(list(rest.values()), numbers)
            rest = G
        return (own, rest) if self._check is None else self._check(own, rest)

    # -- in symbols -----------------------------------------------------------------------------

    @cached_property
    def own(self) -> list[sp.Matrix]:
        """Each body's own inertia (3, 3) of its velocity."""
        return [rational(sp.Matrix(J)) for J in self._own]

    @cached_property
    def rest(self) -> dict[tuple[int, int], sp.Expr]:
        """The inertia of the rates besides the bodies' own."""
        given = self._rest
        if isinstance(given, np.ndarray):
            given = {(int(i), int(j)): given[i, j] for i, j in np.argwhere(given)}
        return {place: e for place, value in given.items() if (e := rational(value)) != 0}

    @cached_property
    def G(self) -> dict[tuple[int, int], sp.Expr]:
        """The inertia of all rates, the bodies' own included."""
        found = dict(self.rest)
        for f, first, J in zip(self.product.factors, self.product.first, self.own, strict=True):
            block, at = in_rates(f, J), 3 * int(first)
            found |= {(at + i, at + j): block[i, j] for i, j in np.ndindex(block.shape) if block[i, j] != 0}
        return found

    @cached_property
    def covectors(self) -> list[sp.Matrix]:
        """Linear terms in components of the velocities, a vector for each body."""
        if self.linear:
            return [rational(a) for a in self.linear]
        if self.A is None:
            return [sp.zeros(3, 1)] * self.product.bodies
        rows = zip(self.product.factors, self.product.first, strict=True)
        return [f.rate_matrix().T * sp.Matrix(self.A[3 * int(row) :][: 3 * f.rows]) for f, row in rows]

    @cached_property
    def varies(self) -> bool:
        """Whether the rest depends on the configuration, or holds terms linear in the rates."""
        if isinstance(self._rest, np.ndarray):
            return False
        places = {s for f in self.product.factors for s in f.z} if self._rest else set()
        held = any(getattr(e, "free_symbols", set()) & places for e in self._rest.values())
        return held or self.A is not None or not self.quadratic

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
                G = block_of(self.product, self.G, b, c)
                own = self.product.factors[b].own_inertia(G) if b == c else None
                block = matrices[b].T * G * matrices[c] if own is None else own
                out[3 * b : 3 * b + 3, 3 * c : 3 * c + 3] = block
                out[3 * c : 3 * c + 3, 3 * b : 3 * b + 3] = block.T
        return out

    @property
    def largest_group(self) -> int:
        """Number of bodies in the largest group that the inertia couples to each other."""
        body, groups = self._bodies, list(range(self.product.bodies))
        for i, j in self.rest:
            a, b = groups[body[i]], groups[body[j]]
            groups = [a if group == b else group for group in groups]
        return max(map(groups.count, groups))

    def turning_terms(self, turn: sp.Matrix) -> tuple[list[sp.Expr], sp.Expr]:
        """What axes that turn with this rate add: G (W x z) + A, and half (W x z).G (W x z) + A.(W x z)."""
        moved = [e for f in self.product.factors for e in (turn.hat() * f.z)]
        momenta = [sp.S.Zero] * len(moved) if self.A is None else list(self.A)
        if self.linear:
            pairs = zip(self.product.factors, self.covectors, strict=True)
            momenta = [e for f, a in pairs for e in f.rate_matrix() * a / 2]
        half = sum((a * v for a, v in zip(momenta, moved, strict=True)), sp.S.Zero)
        for (i, j), g in self.G.items():
            momenta[i] += g * moved[j]
            half += g * moved[i] * moved[j] / 2
        return momenta, half


def of_rates(product: Product, G: Entries, A: Sequence[sp.Expr] | None = None, **rest: Any) -> Kinetic:
    """The kinetic energy with an inertia G of the rates, both triangles, and linear terms A (3 N,).

    A body's own inertia is what does not depend on configurations, and has a simple form of its velocity.
    """
    entries = {place: e for place, given in G.items() if (e := rational(given)) != 0}  # 0.0 is not 0 in sympy
    places = {s for f in product.factors for s in f.z}
    own = []
    for b, f in enumerate(product.factors):
        J = f.own_inertia(block_of(product, entries, b, b))
        own.append(sp.zeros(3) if J is None or J.free_symbols & places else J)
    body = [b for b, f in enumerate(product.factors) for _ in range(3 * f.rows)]
    left = {(i, j): e for (i, j), e in entries.items() if body[i] != body[j] or not any(own[body[i]])}
    return Kinetic(product, own, left, A, **rest)


def block_of(product: Product, G: Entries, b: int, c: int) -> sp.Matrix:
    """Inertia of the rates of two bodies."""
    (i, j), rows = 3 * product.first[[b, c]], [f.rows for f in product.factors]
    return sp.Matrix(3 * rows[b], 3 * rows[c], lambda k, m: G.get((int(i) + k, int(j) + m), 0))


def in_rates(f: Factor, J: Any) -> Any:
    """Inertia of a body's rates, J that of its velocity; tr(J) I / 2 - J for each row of an attitude."""
    if f.rows == 1:
        return J
    if isinstance(J, np.ndarray):
        return np.kron(np.eye(3), np.trace(J) / 2 * np.eye(3) - J)
    D = J.trace() / 2 * sp.eye(3) - J
    return sp.diag(D, D, D)


def _numbers_of(entries: Sequence[sp.Expr], numbers: Mapping[sp.Symbol, float]) -> np.ndarray:
    """Expressions in parameters in numbers, equal ones once; InputError where one is not finite."""
    places = {e: k for k, e in enumerate(dict.fromkeys(entries))}
    values = finite_array("inertia", [e.xreplace(numbers) for e in places])
    return values[[places[e] for e in entries]]
