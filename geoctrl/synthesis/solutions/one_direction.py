r"""Controlled Lagrangians for one unactuated velocity: a direction of shaping and two quadratures.

With the unactuated direction :math:`\eta`, a field :math:`w = f\,d` of which f solves the kinetic condition
(`directions`), and a constant symmetric gain m for the actuated velocities a

.. math::

    G_{c,ab} = m_{ab}, \qquad G_{c,\eta a} = \frac{G_{\eta a} - m_{ab} w^b}{w^\eta}, \qquad
    G_{c,\eta\eta} = \frac{G_{\eta\eta} - G_{c,\eta a} w^a}{w^\eta}, \qquad
    w[V_c] = \eta[V],

to which :math:`F(z) = \tfrac12 K |z|^2` may be added, z the positions that w leaves alone. What the
quadratic terms leave is a gyroscopic force of the loop. The controlled energy is definite, for one actuated
velocity, if and only if :math:`m\,G(w,\eta) > G_{\eta a}^2` and the Hessian of :math:`V_c` has the sign of
:math:`G(w,\eta)`.

References: D. Auckly, L. Kapitanski and W. White, Control of nonlinear underactuated systems, Communications
on Pure and Applied Mathematics 53 (2000); J. A. Acosta, R. Ortega, A. Astolfi and A. D. Mahindrakar,
Interconnection and damping assignment passivity-based control of mechanical systems with underactuation
degree one, IEEE Transactions on Automatic Control 50 (2005).

The gyroscopic force that one unactuated direction leaves to the loop.

With :math:`l = G\eta/G(w,\eta)`, :math:`v' = v - l(v)\,w` and the symmetric form
:math:`b = \tfrac12 (L_w G_c - L_\eta G)`, for which :math:`b(w, w) = 0`, and the one-form
:math:`\beta = i_w da - i_\eta da` with :math:`\beta(w) = 0`

.. math::

    F = \mu(v)\, l - l(v)\, \mu, \qquad \mu = 2\, l(v)\, b(w, \cdot) + b(v', \cdot) + \beta

has :math:`v \cdot F = 0` and :math:`w \cdot F = \mu(v) - l(v)\,\mu(w) = b(v, v) + \beta(v)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, TypeVar

import sympy as sp

from geoctrl._calls.budget import BUDGET, Budget
from geoctrl._scalars import exact
from geoctrl._scalars.algebra.circles import single_angles
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.chart import Chart, Found
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.synthesis.shaping.matching_class import KINETIC, POTENTIAL, Gain, Shaping
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.shaping.primitives import as_fraction
from geoctrl.synthesis.solutions.one_direction_fields import (
    chosen_field,
    given_field,
    symmetric_gains,
    unshaped_field,
)
from geoctrl.systems import Parameter

__all__ = ["OneDirection", "gyroscopic_force"]


def gyroscopic_force(chart: Chart, Gc: sp.Matrix, w: sp.Matrix) -> sp.ImmutableMatrix | None:
    """F (n), None where it vanishes as it stands."""
    (base,) = chart.plant.base
    G = sp.Matrix(chart.plant.mechanism.inertia)
    v = sp.Matrix(chart.plant.mechanism.algebra.xi)
    b, beta = _quadratic(chart, G, Gc, w), _linear(chart, w)
    if b.is_zero_matrix and beta.is_zero_matrix:
        return None
    l = G[:, base] / as_fraction((G[base, :] * w)[0])  # noqa: E741 - the form's name
    lv = (l.T * v)[0]
    mu = 2 * lv * b * w + b * (v - lv * w) + beta
    return sp.ImmutableMatrix([_gyroscopic_component(l, mu, v, i) for i in range(v.rows)])


def _gyroscopic_component(l: sp.Matrix, mu: sp.Matrix, v: sp.Matrix, i: int) -> sp.Expr:  # noqa: E741 - the form's name
    """F_i, each pair of components by the same number, so that v.F cancels to the last digit."""
    below = sum(((l[j] * mu[i] - l[i] * mu[j]) * v[j] for j in range(i)), sp.Integer(0))
    above = sum(((l[i] * mu[j] - l[j] * mu[i]) * v[j] for j in range(i + 1, v.rows)), sp.Integer(0))
    return above - below


def _quadratic(chart: Chart, G: sp.Matrix, Gc: sp.Matrix, w: sp.Matrix) -> sp.Matrix:
    """b (n x n): half of L_w Gc - L_eta G."""
    (base,) = chart.plant.base
    n = G.rows
    slopes = sp.Matrix([chart.gradient(e) for e in w])  # slopes[i, k] = e_k[w^i]
    turned = Gc * slopes
    moved = sp.Matrix(n, n, lambda i, j: chart.derivative(list(w), Gc[i, j]) - chart.gradient(G[i, j])[base])
    return (moved + turned + turned.T).applyfunc(lambda e: e / 2)


def _linear(chart: Chart, w: sp.Matrix) -> sp.Matrix:
    """beta (n)."""
    m, (base,) = chart.plant.mechanism, chart.plant.base
    n = m.algebra.n
    if m.gyroscopic is None:
        return sp.zeros(n, 1)
    slopes = [chart.gradient(e) for e in m.gyroscopic]
    da = sp.Matrix(n, n, lambda i, j: slopes[j][i] - slopes[i][j])
    if sp.simplify((da[base, :] * w)[0]) != 0:
        raise MatchingError(
            "the linear term of the Lagrangian acts between the unactuated direction and that of shaping, "
            "which no gyroscopic force makes up for; take another direction"
        )
    return (da.T * w - da.T[:, base]).applyfunc(as_fraction)


Result = TypeVar("Result")

_STIFF = Gain("K", "", "stiffness of the potential K |z|^2/2")
_INERTIA = "inertia of the actuated velocities in the controlled Lagrangian"


class OneDirection(Shaping):
    """The class of a plant with one velocity that no input drives, all of them rates that commute.

    Parameters
    ----------
    kind : {"kinetic", "potential", "both"}
    direction : sequence of expressions, optional
        d = eta + direction, one entry for each actuated velocity, in coordinates and parameters. Without it a
        family is taken of which f is known: with the gain ``b``, ``delta`` or ``p``.

    Attributes
    ----------
    field : Field
        w, its gains, and what in it has no closed form.
    notes : tuple of str
        Which functions became states for want of a closed form, and what follows from it.

    Examples
    --------
    >>> import geoctrl as gc
    >>> one = OneDirection(Plant.of(gc.models.get("inertia-wheel-pendulum")()), "both")
    >>> [gain.name for gain in one.gains]
    ['b', 'm22', 'K']
    >>> one.w.T
    Matrix([[b, 1]])
    """

    def __init__(self, plant: Plant, kind: str, direction: Any = None) -> None:
        self.plant, self.kind = plant, kind
        count = plant.unactuated.cols
        if count != 1:
            raise MatchingError(f"{count} directions are unactuated; this class takes one")
        if len(plant.base) != 1:
            raise MatchingError(
                "the unactuated direction is no velocity of the frame; take velocities with it"
            )
        chart = Chart(_in_single_angles(plant))
        self.plant = chart.plant
        if direction is not None and kind == POTENTIAL:
            raise MatchingError('shaping="potential" leaves the inertia alone and takes no direction=')
        choice = partial(unshaped_field if kind == POTENTIAL else chosen_field, chart)
        if direction is not None:
            choice = partial(given_field, chart, direction)
        self.field = _in_time("the direction of shaping", choice)
        self.chart = Chart(self.plant, self.field.added)
        self.require_free(self.gains)

    @property
    def title(self) -> str:  # type: ignore[override]
        """The class in words."""
        return f"one unactuated direction, shaped along {self.field.title}"

    @property
    def gains(self) -> Sequence[Gain]:
        """Those of the direction, m of the actuated velocities, K with a potential."""
        inertia = () if self.kind == POTENTIAL else self._inertia[1]
        return (*self.field.gains, *inertia, *(() if self.kind == KINETIC else (_STIFF,)))

    @cached_property
    def _inertia(self) -> tuple[sp.Matrix, tuple[Gain, ...]]:
        """m, and its entries as gains."""
        return symmetric_gains("m", len(self.plant.fibre), _INERTIA)

    @cached_property
    def w(self) -> sp.Matrix:
        """The field (n)."""
        return sp.Matrix(self.field.w)

    @cached_property
    def inertia(self) -> sp.Matrix:
        """Gc (n x n) in the gains: the plant's where the potential alone is shaped."""
        G = sp.Matrix(self.plant.mechanism.inertia)
        if self.kind == POTENTIAL:
            return G
        (base,), fibre, m = self.plant.base, list(self.plant.fibre), self._inertia[0]
        along, slopes = self.w[base], self.w.extract(fibre, [0])
        mixed = ((G.extract(fibre, [base]) - m * slopes) / along).applyfunc(as_fraction)
        Gc = sp.zeros(G.rows, G.cols)
        Gc[base, base] = as_fraction((G[base, base] - (mixed.T * slopes)[0]) / along)
        for a, i in enumerate(fibre):
            Gc[base, i] = Gc[i, base] = mixed[a]
            for b, j in enumerate(fibre):
                Gc[i, j] = m[a, b]
        return Gc

    @cached_property
    def potential(self) -> Found:
        """V_c without F(z)."""
        (base,) = self.plant.base
        V = self.plant.mechanism.potential
        if self.kind == POTENTIAL:
            return Found(V)
        slope = as_fraction(self.chart.gradient(V)[base])
        return self.chart.function_with_rate(
            list(self.w), slope, self._name("V_c"), "the controlled potential", "J"
        )

    @cached_property
    def positions(self) -> tuple[Found, ...]:
        """z, one for each actuated velocity, where a potential is shaped."""
        if self.kind == KINETIC:
            return ()
        names = ["z"] if len(self.plant.fibre) == 1 else [f"z{a + 1}" for a in range(len(self.plant.fibre))]
        pairs = zip(self.plant.fibre, names, strict=True)
        return tuple(self.chart.left_alone(list(self.w), i, self._name(name)) for i, name in pairs)

    @cached_property
    def force(self) -> sp.ImmutableMatrix | None:
        """F, gyroscopic."""
        return gyroscopic_force(self.chart, self.inertia, self.w)

    @cached_property
    def _parts(self) -> tuple[sp.Matrix, Found, tuple[Found, ...], sp.ImmutableMatrix | None]:
        def search() -> tuple[sp.Matrix, Found, tuple[Found, ...], sp.ImmutableMatrix | None]:
            return self.inertia, self.potential, self.positions, self.force

        return _in_time("the controlled Lagrangian", search)

    @property
    def notes(self) -> tuple[str, ...]:
        """Which functions of states are states themselves."""
        coordinates = self.chart.coordinates
        own = [f for f in (*self.field.added, self.potential) if f.quasicoordinate]
        positions = zip(self.positions, self.plant.fibre, strict=False)  # none where no potential is shaped
        own += [z for z, i in positions if z.quasicoordinate and coordinates[i] is not None]
        return tuple(
            f"{f.value} has no closed form and is a state with the right rate, which is neutral: "
            "nothing is asymptotically stable in it"
            for f in own
        )

    def _name(self, name: str) -> str:
        while name in self.plant.mechanism.taken:
            name += "_"
        return name

    def _require_regular(self, given: Mapping[sp.Symbol, sp.Expr], parameters: tuple[Parameter, ...]) -> None:
        """MatchingError where numbers of the gains leave no Lagrangian: G(w, eta) = 0 at rest, or a pole."""
        numbers = {
            p.symbol: sp.Rational(*exact(p.default).as_integer_ratio())
            for p in parameters
            if p.default is not None
        }
        gains = {g: e.subs(numbers) for g, e in given.items()}
        (base,) = self.plant.base
        w = self.w.subs(gains)
        h = (sp.Matrix(self.plant.mechanism.inertia)[base, :] * w)[0]
        poles = (sp.zoo, sp.nan, sp.oo)
        if any(self.chart.at_rest(e).has(*poles) for e in w) or as_fraction(self.chart.at_rest(h)) == 0:
            raise MatchingError(
                f"{_gains_in_words(parameters)}: G(d, eta) = 0 at rest, this direction shapes nothing there"
            )
        if self.potential.value.subs(gains).has(*poles):
            raise MatchingError(
                f"{_gains_in_words(parameters)}: the controlled potential has a pole; take other numbers"
            )

    def controlled(self, values: Mapping[str, sp.Expr], parameters: tuple[Parameter, ...]) -> Controlled:
        """L_c for the gains."""
        inertia, potential, positions, force = self._parts
        given = {g.symbol: values[g.name] for g in self.gains}
        self._require_regular(given, parameters)

        def with_values(e: sp.Expr) -> sp.Expr:
            return e.subs(given, simultaneous=True)

        added = _STIFF.symbol / 2 * sum((z.value**2 for z in positions), sp.Integer(0))
        states = [f.quasicoordinate for f in (*self.field.added, potential, *positions) if f.quasicoordinate]
        return Controlled(
            plant=self.plant,
            inertia=sp.ImmutableMatrix(inertia.applyfunc(with_values)),
            potential=with_values(potential.value + added),
            fields=sp.ImmutableMatrix(self.w.applyfunc(with_values)),
            gains=parameters,
            quasicoordinates=tuple(replace(z, rate=with_values(z.rate)) for z in states),
            positions=tuple(with_values(z.value) for z in positions),
            force=None if force is None else sp.ImmutableMatrix(force.applyfunc(with_values)),
        )


def _in_single_angles(plant: Plant) -> Plant:
    """The same Lagrangian in sines and cosines of single angles, in which the proof compares."""
    m = plant.mechanism
    inertia = m.inertia.applyfunc(single_angles)
    potential = single_angles(m.potential)
    if (inertia, potential) == (m.inertia, m.potential):
        return plant
    return Plant(m.replace(inertia=inertia, potential=potential), plant.drive)


def _in_time(part: str, search: Callable[[], Result]) -> Result:
    """What is searched for in symbols; MatchingError where it takes too long."""
    found = Budget(BUDGET).attempt(part, search, None)
    if found is None:
        raise MatchingError(f"{part} was not found in {BUDGET:g} s; give a simpler direction=")
    return found


def _gains_in_words(parameters: tuple[Parameter, ...]) -> str:
    return ", ".join(p.name if p.default is None else f"{p.name} = {p.default}" for p in parameters)
