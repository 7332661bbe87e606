r"""Directions of shaping for one unactuated velocity: the fields w that solve the kinetic condition.

With :math:`\eta` the unactuated direction, :math:`w = f\,d` and any field d with :math:`G(d, \eta) \ne 0`

.. math:: d[\log f]\; G(d, \eta) = (L_\eta G)(d, d) - d[G(d, \eta)]

is one quadrature for f. Some directions have f in closed form:

- G does not depend on the unactuated coordinate: d constant, :math:`f = 1/h`, :math:`h = G(d, \eta)`, and
  f = 1 where h is constant;
- G depends on it alone, with a coupling :math:`c = G_{a\eta} \ne 0`:
  :math:`w = (1, -(g - g(0) + \delta)^{-1} c)`, g the inertia of the actuated velocities, for any
  symmetric :math:`\delta`;
- G depends on it alone, without coupling: :math:`w = (f, 1)`,
  :math:`f^2 = p^2 + 2 \int_0 G_{22}'/G_{11}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._checks import require_declared
from geoctrl._scalars import expression
from geoctrl.errors import DescriptionError, MatchingError
from geoctrl.synthesis.shaping.chart import Chart, Found
from geoctrl.synthesis.shaping.matching_class import Gain
from geoctrl.synthesis.shaping.primitives import as_fraction, primitive

__all__ = ["DirectionField", "chosen_field", "given_field", "unshaped_field"]


@dataclass(frozen=True)
class DirectionField:
    """A solution of the kinetic condition.

    Attributes
    ----------
    w : tuple of expressions
        One for each velocity.
    gains : tuple of Gain
        Constants in it.
    added : tuple of Found
        Functions in it without closed form.
    """

    w: tuple[sp.Expr, ...]
    gains: tuple[Gain, ...]
    title: str
    added: tuple[Found, ...] = ()


def unshaped_field(chart: Chart) -> DirectionField:
    """w = eta: the kinetic energy stays as it is."""
    return DirectionField(
        _with_fibre(chart, sp.Integer(1), [sp.Integer(0)] * len(chart.plant.fibre)),
        (),
        "the unactuated direction itself",
    )


def chosen_field(chart: Chart) -> DirectionField:
    """The first of the families above that the plant is in."""
    (base,) = chart.plant.base
    s = chart.coordinates[base]
    G = sp.Matrix(chart.plant.mechanism.inertia)
    moving = G.free_symbols & chart.symbols
    if s is None or s not in moving:
        return _constant_direction(chart)
    if moving != {s}:
        others = ", ".join(sorted(str(q) for q in moving - {s}))
        raise MatchingError(
            f"the inertia depends on the unactuated coordinate {s} and on {others}: no direction of shaping "
            "is known for this; give one as direction="
        )
    coupling = G.extract(list(chart.plant.fibre), [base])
    if not coupling.is_zero_matrix:
        return _taken_off(chart, coupling)
    if len(chart.plant.fibre) == 1:
        return _without_coupling(chart)
    raise MatchingError(
        "the inertia does not couple the unactuated velocity, and several are actuated: no direction of "
        "shaping is known for this; give one as direction="
    )


def given_field(chart: Chart, direction: Any) -> DirectionField:
    """w = f d with d = eta + direction, one expression for each actuated velocity."""
    plant = chart.plant
    labels = plant.mechanism.algebra.labels
    order = ", ".join(labels[i] for i in plant.fibre)
    if isinstance(direction, str | bytes) or not isinstance(direction, Sequence | sp.MatrixBase):
        direction = [direction]
    parts = [expression(e, "direction=", MatchingError) for e in direction]
    if len(parts) != len(plant.fibre):
        raise MatchingError(
            f"direction= needs {len(plant.fibre)} expression(s), one for each actuated velocity ({order}), "
            f"got {len(parts)}"
        )
    known = chart.symbols | {p.symbol for p in plant.mechanism.parameters}
    try:
        require_declared("direction=", parts, known, "take parameter.symbol and coordinate.symbol")
    except DescriptionError as error:
        raise MatchingError(str(error)) from None
    exactly = [e.xreplace({q: sp.Rational(q) for q in e.atoms(sp.Float)}) for e in parts]
    return scaled_field(chart, exactly, (), "a direction that was given")


def scaled_field(
    chart: Chart, direction: Sequence[sp.Expr], gains: tuple[Gain, ...], title: str
) -> DirectionField:
    """w = f d by the quadrature: f = 1 where h = G(d, eta) is constant, else f h = 1 at rest."""
    (base,) = chart.plant.base
    G = sp.Matrix(chart.plant.mechanism.inertia)
    d = sp.Matrix(_with_fibre(chart, sp.Integer(1), direction))
    h = as_fraction((G[base, :] * d)[0])
    if h == 0:
        eta = chart.plant.mechanism.algebra.labels[base]
        raise MatchingError(
            f"G(d, eta) = 0: along this direction the inertia does not couple {eta}, which no input drives, "
            "so that nothing can be shaped; take another"
        )
    change = as_fraction((d.T * G.applyfunc(lambda e: chart.gradient(e)[base]) * d)[0])
    scale = 1 / h if h.free_symbols & chart.symbols else sp.Integer(1)
    if change == 0:
        return DirectionField(tuple(as_fraction(scale * e) for e in d), gains, title)
    rate = as_fraction(change / h)
    s = chart.coordinates[base]
    closed = primitive(rate, s) if s is not None and chart.symbols & rate.free_symbols <= {s} else None
    powers = None if closed is None else _powers(closed)
    if powers is not None:
        return DirectionField(tuple(as_fraction(powers * scale * e) for e in d), gains, title)
    name = _free(chart, "excess")
    grown = 1 + sp.Symbol(name, real=True)
    added = chart.as_state(list(d), rate * grown, name, "factor of the direction of shaping, less one")
    return DirectionField(tuple(grown * scale * e for e in d), gains, title, (added,))


def _powers(logarithm: sp.Expr) -> sp.Expr | None:
    """exp of c log(a) + ..., a^c ..., where all c are whole or half numbers."""
    product = sp.Integer(1)
    for term in sp.Add.make_args(sp.expand(logarithm)):
        c, log = term.as_independent(sp.log)
        if term == 0:
            continue
        if not (isinstance(log, sp.log) and c.is_Rational and c.q <= 2):
            return None
        product *= log.args[0] ** c
    return product


def _with_fibre(chart: Chart, along: sp.Expr, fibre: Sequence[sp.Expr]) -> tuple[sp.Expr, ...]:
    """Components of a field by its unactuated and its actuated ones."""
    (base,) = chart.plant.base
    components = dict(zip(chart.plant.fibre, fibre, strict=True)) | {base: along}
    return tuple(components[i] for i in range(len(components)))


def _free(chart: Chart, name: str) -> str:
    """The name, with underscores behind it where the mechanism has it already."""
    while name in chart.plant.mechanism.taken:
        name += "_"
    return name


def _numbered_from_two(stem: str, count: int) -> list[str]:
    """Names for the actuated velocities, which are the second and so on."""
    return [stem] if count == 1 else [f"{stem}{a + 2}" for a in range(count)]


def symmetric_gains(stem: str, count: int, description: str) -> tuple[sp.Matrix, tuple[Gain, ...]]:
    """A symmetric matrix of gains named after its entries, numbered from 2: m22, m23, m33."""
    gains = {
        (a, b): Gain(f"{stem}{a + 2}{b + 2}", "", description) for a in range(count) for b in range(a, count)
    }
    matrix = sp.Matrix(count, count, lambda a, b: gains[min(a, b), max(a, b)].symbol)
    return matrix, tuple(gains.values())


# -- families -------------------------------------------------------------------------------------


def _constant_direction(chart: Chart) -> DirectionField:
    gains = tuple(
        Gain(name, "", "slope of the direction of shaping in the actuated velocity")
        for name in _numbered_from_two("b", len(chart.plant.fibre))
    )
    return scaled_field(chart, [g.symbol for g in gains], gains, "a constant direction")


def _taken_off(chart: Chart, coupling: sp.Matrix) -> DirectionField:
    """The actuated momenta with another inertia vanish along w."""
    G, fibre = sp.Matrix(chart.plant.mechanism.inertia), list(chart.plant.fibre)
    g = G.extract(fibre, fibre)
    what = "inertia of the actuated velocities at rest by which the direction of shaping is made"
    if len(fibre) == 1:
        gains: tuple[Gain, ...] = (Gain("delta", "", what),)
        delta = sp.Matrix([[gains[0].symbol]])
    else:
        delta, gains = symmetric_gains("delta", len(fibre), what)
    inertia = (g - g.applyfunc(chart.at_rest)).applyfunc(sp.expand) + delta
    slopes = (-inertia.inv() * coupling).applyfunc(as_fraction)
    return DirectionField(
        _with_fibre(chart, sp.Integer(1), list(slopes)), gains, "the coupling with another actuated inertia"
    )


def _without_coupling(chart: Chart) -> DirectionField:
    (base,), (fibre,) = chart.plant.base, chart.plant.fibre
    G, s = chart.plant.mechanism.inertia, chart.coordinates[base]
    p = Gain("p", "", "unactuated component of the direction of shaping at rest, by the actuated one")
    grown = primitive(as_fraction(sp.diff(G[fibre, fibre], s) / G[base, base]), s)
    if grown is None:
        raise MatchingError(
            f"the direction of shaping needs the integral of G_22'/G_11 over {s}, which has no closed form; "
            "give a direction="
        )
    f = sp.sqrt(p.symbol**2 + sp.expand(2 * grown))
    return DirectionField(
        _with_fibre(chart, f, [sp.Integer(1)]), (p,), "the square root of the actuated inertia"
    )
