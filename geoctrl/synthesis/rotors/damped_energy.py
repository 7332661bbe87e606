r"""The function that falls along every run of a damped loop.

With regulation the controlled energy E itself does not fall:
:math:`\varepsilon\dot E = -y^T K y + \varepsilon y^T\kappa\,\eta`. Since
:math:`\dot\eta = -\kappa\,\eta`, for diagonal gains

.. math::

    V = \varepsilon E + \sum_a \frac{\kappa_a}{4 k_a}\,\eta_a^2, \qquad
    \dot V = -\sum_a k_a \Bigl(y_a - \frac{\varepsilon\kappa_a}{2 k_a}\eta_a\Bigr)^2
        - \sum_a \frac{\kappa_a^2}{4 k_a}\,\eta_a^2 \le 0 .

That identity is proved for each law, modulo the leaf, from the equations of its loop.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars.algebra.ideal import LeafIdeal
from geoctrl.errors import MatchingError
from geoctrl.systems import ReducedSystem

__all__ = ["ModifiedEnergy", "modified_energy"]


@dataclass(frozen=True)
class ModifiedEnergy:
    """A function of the reduced loop's states that no run increases; made by `DampedLaw.modified_energy`.

    Attributes
    ----------
    expr : sympy expression
        V (J) in states, parameters and gains of the reduced loop.
    dissipation : sympy expression
        -dV/dt (W), a sum of squares with positive coefficients: proved modulo the leaf.
    """

    expr: sp.Expr
    dissipation: sp.Expr

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def modified_energy(
    system: ReducedSystem, sign: int, output: sp.Matrix, eta: sp.Matrix, k: sp.Matrix, kappa: sp.Matrix
) -> ModifiedEnergy:
    """V of a loop with the passive output y, in full symbols, and eta, in states."""
    if not (k.is_diagonal() and kappa.is_diagonal()):
        raise MatchingError(
            "the modified energy is known for diagonal gains; give k= and kappa= as diagonals"
        )
    regulated = [a for a in range(k.rows) if kappa[a, a] != 0]
    if bare := [a for a in regulated if k[a, a] == 0]:
        raise MatchingError(
            f"rotor {bare[0] + 1} is regulated without damping: the controlled energy then rises and falls. "
            "Give k= as well"
        )
    graph = system.graph
    extra: sp.Expr = sp.Add(*(kappa[a, a] / (4 * k[a, a]) * eta[a] ** 2 for a in regulated))
    lost: sp.Expr = sp.Integer(0)
    for a in range(k.rows):
        if k[a, a] == 0:
            continue
        lost += k[a, a] * (output[a] - sign * kappa[a, a] / (2 * k[a, a]) * eta[a]) ** 2
        lost += kappa[a, a] ** 2 / (4 * k[a, a]) * eta[a] ** 2
    value = graph.add([sign * system.assembly.energy, system.expression(extra)])
    falls = system.expression(lost)
    motion = dict(zip(system.state_nodes, system.field_nodes, strict=True))
    (rate,) = graph.push_forward([value], motion)
    difference = graph.add([rate, falls])
    if LeafIdeal(system.leaf.nodes, [difference]).remainder(difference):
        raise MatchingError(
            "the energy of this loop changes by more than the damping: the plant has forces that do work, "
            "and no function is known that falls"
        )
    found = system.to_sympy([value, falls])
    return ModifiedEnergy(*found)
