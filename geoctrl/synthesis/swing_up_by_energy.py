r"""Swing-up by energy: the driven coordinate is accelerated so that the energy of the rest gets its value."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import sympy as sp

from geoctrl._checks import nearest, quantity
from geoctrl._printing.printed_lines import on_one_page
from geoctrl._scalars import Node, exact, shown
from geoctrl.errors import DescriptionError, InputError, LabelError
from geoctrl.synthesis.contract.law import Law, with_feedback
from geoctrl.systems import Equilibrium, EulerPoincare, ReducedSystem, as_mechanism, as_system
from geoctrl.systems.contract.points import resolve_equilibrium

__all__ = ["EnergyLaw", "energy_law"]


class EnergyLaw(Law):
    """A force that swings up the rest of a mechanism; made by `energy_law`.

    Attributes
    ----------
    plant : ReducedSystem
    mechanism : EulerPoincare
    equilibrium : Equilibrium
        To the energy of which the rest is brought.
    driven : str
        The velocity that the input acts on.
    energy : sympy expression
        Of the rest, zero at the equilibrium.
    acceleration : sympy expression
        That is wanted of the driven coordinate.
    gain : float
    home : dict of label -> float
    limit : float or None
    """

    def __init__(
        self,
        plant: ReducedSystem,
        equilibrium: Equilibrium,
        label: str,
        gain: float,
        home: Mapping[str, float],
        limit: float | None,
    ) -> None:
        self.plant, self.equilibrium = plant, equilibrium
        self.mechanism: EulerPoincare = as_mechanism(plant.mechanism, "energy_law")
        self.input_labels, self.gain, self.home, self.limit = (label,), gain, dict(home), limit
        self.driven, self.energy, self.acceleration, self._force = self._law_in_parts()

    def _law_in_parts(self) -> tuple[str, sp.Expr, sp.Expr, sp.Expr]:
        """With velocities (v, w), v driven, M_wv v' + M_ww w' = h_w and M_vv v' + M_vw w' = h_v + b u."""
        plant, a = self.plant, self.plant.assembly
        labels = dict(zip(plant.state_nodes, plant.state_labels, strict=True))
        u = plant.symbols[a.inputs[0]]
        h = sp.Matrix(plant.to_sympy(list(a.force)))
        M = sp.Matrix(len(h), len(h), plant.to_sympy([e for row in a.mass for e in row]))
        b = h.diff(u)
        rows = [i for i in range(len(h)) if sp.simplify(b[i]) != 0]
        if len(rows) != 1 or b[rows[0]].has(u) or len(h) < 2:
            raise DescriptionError(
                "energy_law asks for one input that acts, linearly, on the velocity of one coordinate, "
                f"and for others beside it; {self.input_labels[0]} acts on "
                f"{', '.join(labels[a.velocity[i]] for i in rows) or 'none'} of "
                f"{', '.join(labels[v] for v in a.velocity)}"
            )
        d, rest = rows[0], [i for i in range(len(h)) if i != rows[0]]
        h = h.subs(u, 0)
        w = sp.Matrix([plant.symbols[a.velocity[i]] for i in rest])
        inner, beside = M.extract(rest, rest), M.extract(rest, [d])
        still = {plant.symbols[v]: 0 for v in a.velocity}
        potential = plant.to_sympy([a.energy])[0].subs(still)
        point = self._point()
        energy = (w.T * inner * w)[0] / 2 + potential - potential.subs(point)
        wanted = _decimal(self.gain) * energy * (w.T * beside)[0]
        for label, k in self.home.items():
            symbol = sp.Symbol(label, real=True)
            wanted -= _decimal(k) * (symbol - point[symbol])
        of_rest = inner.LUsolve(h.extract(rest, [0]) - beside * wanted)
        force = (M[d, d] * wanted + (M.extract([d], rest) * of_rest)[0] - h[d]) / b[d]
        if self.limit is not None:
            most = _decimal(self.limit)
            force = sp.Piecewise((most, force > most), (-most, force < -most), (force, True))
        return labels[a.velocity[d]], energy, wanted, force

    def _point(self) -> dict[sp.Symbol, sp.Expr]:
        pairs = zip(self.plant.states, self.equilibrium.x, strict=True)
        return {sp.Symbol(str(s), real=True): _rational(v) for s, v in pairs}

    @property
    def bare(self) -> ReducedSystem:
        """The plant: the law is read off its state."""
        return self.plant

    @cached_property
    def torques(self) -> list[sp.Expr]:
        """The force."""
        return [self._force]

    @cached_property
    def nodes(self) -> list[Node]:
        """`torques` in the graph of the plant."""
        return [self.plant.expression(e) for e in self.torques]

    @cached_property
    def full(self) -> ReducedSystem:
        """The plant under the law."""
        name = f"{self.mechanism.name or 'system'}, swing-up"
        return with_feedback(
            self.mechanism, self.by_input(), symmetry=None, equilibria={}, name=name
        ).reduce()

    def closed_loop(self) -> ReducedSystem:
        """The plant under the law, its output the input."""
        return self.full

    def __repr__(self) -> str:
        home = "".join(f" - {k:g} {label}" for label, k in self.home.items())
        limit = "" if self.limit is None else f", within {self.limit:g}"
        told = (
            f"<EnergyLaw of {self.mechanism.name or 'a system'}: {self.input_labels[0]} so that the rate of "
            f"{self.driven} is {self.gain:g} E dE/dt per rate{home}{limit}>"
        )
        return on_one_page([told])


def _rational(value: float) -> sp.Rational:
    q = exact(value)
    return sp.Rational(q.numerator, q.denominator)


def _decimal(value: float) -> sp.Rational:
    """A number of a design, as it is written."""
    return sp.Rational(repr(float(value)))


def energy_law(
    sys: ReducedSystem,
    eq: Any,
    input: str | None = None,
    gain: float = 1.0,
    home: Mapping[str, float] | None = None,
    limit: float | None = None,
) -> EnergyLaw:
    r"""A force on one driven coordinate that swings the rest of a mechanism up.

    Velocities are (v, w), v that of the driven coordinate, on which alone the input acts. The energy of the
    rest, :math:`E = \tfrac12 w^T M_{ww} w + U - U_e`, changes with the acceleration a of the driven one by
    :math:`-(w^T M_{wv})\,a`, and

    .. math::
        a = k\, E\, (w^T M_{wv}) - \sum_i c_i\,(x_i - x_{e,i}), \qquad
        b\,u = M_{vv}\,a + M_{vw} M_{ww}^{-1} (h_w - M_{wv}\,a) - h_v

    is wanted of it, with :math:`M \dot{(v, w)} = h + b\,u` the equations of motion (partial feedback
    linearisation; Astrom and Furuta, Automatica 36 (2000) 287; Spong, IEEE Control Systems 15 (1995) 49). For
    a cart with one pole and without the terms of ``home``
    :math:`(E^2/2)' = -k\,(E\, w M_{wv})^2 \le 0`: motions come to E = 0 or to rest below. With them, or for
    others, nothing is claimed in general; `prove_catch` proves it from starts that are given.

    Parameters
    ----------
    sys : ReducedSystem
        The plant, without constraints.
    eq : Equilibrium, state or (x, u)
        The upright position.
    input : str, optional
        Its one input, by default the plant's.
    gain : float
        k, in units of a over those of :math:`E\,w M_{wv}`.
    home : dict of state label -> float, optional
        c, by which the driven coordinate is brought back: of a state in its own units.
    limit : float, optional
        Of the size of u, which is cut there.

    Returns
    -------
    EnergyLaw

    Raises
    ------
    DescriptionError
        If the input does not act on one of several velocities alone, or there are constraints.
    EquilibriumError
        If the point is no equilibrium.
    InputError, LabelError
        For a gain, a limit or a number of ``home`` out of range; for unknown labels.
    TypeError
        For anything else than a reduced system.

    Examples
    --------
    >>> import geoctrl as gc
    >>> cart = gc.models.get("cart-pendulum")().reduce()
    >>> law = gc.energy_law(cart, cart.equilibrium("upright"), gain=20.0, home={"x_dot": 1.8})
    >>> law.driven
    'x_dot'
    """
    system = as_system(sys, "energy_law", recorded=True)
    as_mechanism(system.mechanism, "energy_law")
    inputs = list(system.input_labels)
    if len(inputs) != 1:
        raise InputError(
            f"energy_law takes a plant with one input; this one has {', '.join(inputs) or 'none'}"
        )
    label = inputs[0] if input is None else input
    if label not in inputs:
        raise LabelError(f"{shown(label)} is no input of this plant{nearest(str(label), inputs)}")
    if system.assembly.rows or len(system.leaf.names):
        raise DescriptionError("energy_law takes a plant without constraints and without a leaf")
    if not (k := quantity("gain", gain)) > 0:
        raise InputError(f"gain must be positive, got {shown(gain)}")
    if home is not None and not isinstance(home, Mapping):
        raise InputError(f"home must be a dict of state label -> number, got {shown(home)}")
    back = {}
    for name, value in (home or {}).items():
        if name not in system.state_labels:
            raise LabelError(
                f"home: {shown(name)} is no state{nearest(str(name), list(system.state_labels))}"
            )
        back[name] = quantity(f"home[{name!r}]", value)
    most = None if limit is None else quantity("limit", limit)
    if most is not None and not most > 0:
        raise InputError(f"limit must be positive, got {shown(limit)}")
    return EnergyLaw(system, resolve_equilibrium(system, eq, None), label, k, back, most)
