r"""A kinetic energy as it is written down, in rates and velocities, read as one in rates alone.

What is quadratic in the velocity of one body with constant coefficients is its own inertia: of an attitude
:math:`\tfrac12 \Omega \cdot J \Omega = \tfrac12 \mathrm{tr}(\dot R D \dot R^T)` with
:math:`D = \tfrac12 \mathrm{tr}(J) I - J`. Elsewhere :math:`\Omega = (R^T \dot R)^\vee`,
:math:`\omega = q \times \dot q` and :math:`v = \dot x` are put in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl.errors import DescriptionError
from geoctrl.manifolds.factors import Attitude, Direction, Factor, Place
from geoctrl.manifolds.kinetic import Kinetic, in_rates, of_rates
from geoctrl.manifolds.product import Product
from geoctrl.manifolds.reading import read_scalar

__all__ = ["by_rates", "read_energy"]

_SEEN = 1e-6
"""Third differences relative to the energy that are no rounding."""


def read_energy(product: Product, kinetic: Any) -> tuple[Kinetic, sp.Expr]:
    """The kinetic energy of bodies, and what of it holds no rates, to be subtracted from the potential.

    Parameters
    ----------
    product : Product
    kinetic : expression
        In ``z``, ``rate`` and ``velocity`` of the factors.

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
    rates = [s for f in product.factors for s in f.rate]
    rates_of = {s: e for f in product.factors for s, e in by_rates(f)}
    held = {s for f in product.factors for s in f.z}
    whole = given.xreplace(rates_of)
    none = np.zeros((product.bodies, 3, 3))
    other = Kinetic(product, none, other=whole, given={"kinetic": ([whole], held | set(rates))}), sp.S.Zero
    if _bends(whole, rates):
        return other
    rest = given.xreplace({s: r for f in product.factors if isinstance(f, Place) for s, r in _alike(f)})
    G: dict[tuple[int, int], sp.Expr] = {}
    for f, first in zip(product.factors, product.first, strict=True):
        block = _own_block(f, rest, set(moving))
        if block is not None:
            own, energy = block
            at = 3 * int(first)
            G |= {(at + i, at + j): own[i, j] for i in range(own.rows) for j in range(own.cols)}
            rest = sp.expand(rest - energy)
    rest = sp.expand(rest.xreplace(rates_of))
    still = dict.fromkeys(rates, sp.S.Zero)
    slope = [sp.diff(rest, s) for s in rates]
    places = {s: i for i, s in enumerate(rates)}
    for i, e in enumerate(slope):
        for s in e.free_symbols & set(rates):
            G[i, places[s]] = G.get((i, places[s]), sp.S.Zero) + sp.diff(e, s)
    if any(e.free_symbols & set(rates) for e in G.values()):
        return other
    A = [e.xreplace(still) for e in slope]
    linear = A if any(e != 0 for e in A) else None
    terms = {"kinetic": ([*G.values(), *(linear or ())], held)}
    return of_rates(product, G, linear, given=terms), rest.xreplace(still)


def _bends(energy: sp.Expr, rates: list[sp.Symbol]) -> bool:
    """Whether an energy is seen not to be quadratic in the rates, before it is multiplied out.

    Third differences along a line of rates, which those of quadratic ones are not: zero to rounding. What
    cannot be evaluated is not seen, and read in symbols.
    """
    symbols = sorted(energy.free_symbols, key=str)
    rng = np.random.default_rng(0)
    draw = dict(zip(symbols, rng.uniform(0.5, 1.0, len(symbols)), strict=True))
    values = []
    for k in range(4):
        at = {s: sp.Float(v * k if s in rates else v) for s, v in draw.items()}
        value = energy.xreplace(at)
        if not (value.is_Number and value.is_finite):
            return False
        values.append(float(value))
    third = values[3] - 3 * values[2] + 3 * values[1] - values[0]
    return abs(third) > _SEEN * max(map(abs, values))


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
    return (in_rates(f, H), half) if isinstance(f, Attitude) or H[0, 0] * sp.eye(3) == H else None


def by_rates(f: Factor) -> list[tuple[sp.Symbol, sp.Expr]]:
    """Velocities by rates."""
    if isinstance(f, Direction):
        return list(zip(f.velocity, f.z.cross(f.rate), strict=True))
    if isinstance(f, Attitude):
        W = f.z.T * f.rate
        skew = (W - W.T) / 2
        return list(zip(f.velocity, (skew[2, 1], skew[0, 2], skew[1, 0]), strict=True))
    return _alike(f)
