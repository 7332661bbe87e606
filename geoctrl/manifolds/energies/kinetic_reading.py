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
from geoctrl.manifolds.energies.kinetic import Kinetic, in_rates, of_rates
from geoctrl.manifolds.factors import Attitude, Direction, Factor, Place
from geoctrl.manifolds.product.product import Product
from geoctrl.manifolds.vectors.entries import read_scalar

__all__ = ["by_rates", "read_energy"]

_SEEN = 1e-6
"""Third differences relative to the energy that are no rounding."""


def read_energy(product: Product, kinetic: Any) -> tuple[Kinetic, sp.Expr]:
    """The kinetic energy of bodies, and what of it holds no rates, to be subtracted from the potential.

    Parameters
    ----------
    kinetic : expression
        In ``z``, ``rate`` and ``velocity`` of the factors.
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
    parts = _by_terms(rest, rates) or _by_derivatives(rest, rates)
    if parts is None:
        return other
    second, A, potential = parts
    for place, e in second.items():
        G[place] = G.get(place, sp.S.Zero) + e
    linear = A if any(e != 0 for e in A) else None
    terms = {"kinetic": ([*G.values(), *(linear or ())], held)}
    return of_rates(product, G, linear, given=terms), potential


_Parts = tuple[dict[tuple[int, int], sp.Expr], list[sp.Expr], sp.Expr]
"""Second derivatives by rates, first ones at rest, and what holds no rates."""


def _by_terms(energy: sp.Expr, rates: list[sp.Symbol]) -> _Parts | None:
    """Of a sum of products of at most two rates; None where it is none."""
    places, none = {s: i for i, s in enumerate(rates)}, sp.S.Zero
    second: dict[tuple[int, int], list[sp.Expr]] = {}
    first: list[list[sp.Expr]] = [[] for _ in rates]
    rest = []
    for term in sp.Add.make_args(energy):
        moving = term.free_symbols & places.keys()
        factor, product = term.as_independent(*moving, as_Add=False) if moving else (term, sp.S.One)
        powers = product.as_powers_dict()
        if not moving:
            rest.append(term)
        elif product in places:
            first[places[product]].append(factor)
        elif not powers.keys() <= places.keys() or list(powers.values()) not in ([1, 1], [2]):
            return None
        else:
            i, j = sorted(places[s] for s, e in powers.items() for _ in range(int(e)))
            second.setdefault((i, j), []).append(factor if i != j else 2 * factor)
    sums = {place: sp.Add(*found) for place, found in second.items()}
    both = sums | {(j, i): e for (i, j), e in sums.items()}
    return both, [sp.Add(*found) if found else none for found in first], sp.Add(*rest)


def _by_derivatives(energy: sp.Expr, rates: list[sp.Symbol]) -> _Parts | None:
    """Of any quadratic energy; None where it is not quadratic."""
    still, moving = dict.fromkeys(rates, sp.S.Zero), set(rates)
    slope, second = [], {}
    for i, rate in enumerate(rates):
        slope.append(sp.diff(energy, rate))
        for j, other in enumerate(rates):
            if other not in slope[i].free_symbols:
                continue
            second[i, j] = sp.diff(slope[i], other)
            if second[i, j].free_symbols & moving:  # of an energy with many terms the others would take long
                return None
    return second, [e.xreplace(still) for e in slope], energy.xreplace(still)


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
