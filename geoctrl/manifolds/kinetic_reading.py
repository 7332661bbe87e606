r"""A kinetic energy as it is written down, in rates and velocities, read as one in rates alone.

What is quadratic in the velocity of one body with constant coefficients is its own inertia: of an attitude
:math:`\tfrac12 \Omega \cdot J \Omega = \tfrac12 \mathrm{tr}(\dot R D \dot R^T)` with
:math:`D = \tfrac12 \mathrm{tr}(J) I - J`. Elsewhere :math:`\Omega = (R^T \dot R)^\vee`,
:math:`\omega = q \times \dot q` and :math:`v = \dot x` are put in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl.errors import DescriptionError
from geoctrl.manifolds.factors import Attitude, Direction, Factor, Place
from geoctrl.manifolds.kinetic import Kinetic
from geoctrl.manifolds.product import Product
from geoctrl.manifolds.reading import read_scalar

__all__ = ["Energy", "by_rates", "read_energy"]


@dataclass(frozen=True)
class Energy:
    """What a kinetic energy is made of.

    Attributes
    ----------
    quadratic : Kinetic or None
        None where it is of another form.
    expr : expression
        In configurations and rates.
    potential : expression
        Terms without rates, to be subtracted from the potential.
    """

    quadratic: Kinetic | None
    expr: sp.Expr
    potential: sp.Expr


def read_energy(product: Product, kinetic: Any) -> Energy:
    """The kinetic energy of bodies, from an expression in ``z``, ``rate`` and ``velocity`` of factors.

    Raises
    ------
    DescriptionError
        If it is no expression, or holds no rate of a body.
    """
    given = read_scalar("kinetic", kinetic)
    moving = [s for f in product.factors for s in (*f.rate, *f.velocity)]
    if not given.free_symbols & set(moving):
        raise DescriptionError(
            "kinetic must be the kinetic energy in rates or velocities of the factors: x.rate, q.rate, "
            f"R.rate, x.velocity, ...; got {given}"
        )
    rest = given.xreplace({s: r for f in product.factors if isinstance(f, Place) for s, r in _alike(f)})
    G: dict[tuple[int, int], sp.Expr] = {}
    for f, first in zip(product.factors, product.first, strict=True):
        block = _own_block(f, rest, set(moving))
        if block is not None:
            own, energy = block
            at = 3 * int(first)
            G |= {(at + i, at + j): own[i, j] for i in range(own.rows) for j in range(own.cols)}
            rest = sp.expand(rest - energy)
    rest = sp.expand(rest.xreplace({s: e for f in product.factors for s, e in by_rates(f)}))
    rates = [s for f in product.factors for s in f.rate]
    still = dict.fromkeys(rates, sp.S.Zero)
    slope = [sp.diff(rest, s) for s in rates]
    places = {s: i for i, s in enumerate(rates)}
    for i, e in enumerate(slope):
        for s in e.free_symbols & set(rates):
            G[i, places[s]] = G.get((i, places[s]), sp.S.Zero) + sp.diff(e, s)
    if any(e.free_symbols & set(rates) for e in G.values()):
        return Energy(None, _whole(product, G, rest, given), sp.S.Zero)
    A = [e.xreplace(still) for e in slope]
    linear = A if any(e != 0 for e in A) else None
    return Energy(Kinetic(product, G, linear), sp.S.Zero, rest.xreplace(still))


def _whole(product: Product, G: Any, rest: sp.Expr, given: sp.Expr) -> sp.Expr:
    """The energy in rates alone, where it is not quadratic."""
    del G, rest
    places = {s: r for f in product.factors if isinstance(f, Place) for s, r in _alike(f)}
    return given.xreplace(places).xreplace({s: e for f in product.factors for s, e in by_rates(f)})


def _alike(f: Factor) -> list[tuple[sp.Symbol, sp.Symbol]]:
    return list(zip(f.velocity, f.rate, strict=True))


def _own_block(f: Factor, energy: sp.Expr, moving: set[sp.Symbol]) -> tuple[sp.Matrix, sp.Expr] | None:
    """Inertia of the rates of a body that its own velocity has, and its energy; None where there is none."""
    if isinstance(f, Place):
        return None
    H = sp.hessian(energy, list(f.velocity))
    if not any(H) or H.free_symbols & moving:
        return None
    half = (f.velocity.T * H * f.velocity)[0] / 2
    if isinstance(f, Attitude):
        D = H.trace() / 2 * sp.eye(3) - H
        return sp.diag(D, D, D), half
    return (H, half) if H[0, 0] * sp.eye(3) == H else None


def by_rates(f: Factor) -> list[tuple[sp.Symbol, sp.Expr]]:
    """Velocities by rates."""
    if isinstance(f, Direction):
        return list(zip(f.velocity, f.z.cross(f.rate), strict=True))
    if isinstance(f, Attitude):
        W = f.z.T * f.rate
        skew = (W - W.T) / 2
        return list(zip(f.velocity, (skew[2, 1], skew[0, 2], skew[1, 0]), strict=True))
    return _alike(f)
