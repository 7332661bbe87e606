r"""The loop of a law that is fed by a complementary filter, as one system in continuous time.

With :math:`\hat\Gamma` and :math:`\hat b` as states of the controller,

.. math::

    \dot{\hat\Gamma} = \hat\Gamma \times (\Omega - \hat b + k_P\, a \times \hat\Gamma), \qquad
    \dot{\hat b} = k_I\, \hat\Gamma \times a, \qquad a = f / |f|,

f is formed from the accelerations of the plant, into which the inputs are put as the law sets them from
:math:`\hat\Gamma` and the velocities: as long as the law reads no f, no equation has to be solved for that.
:math:`|\hat\Gamma|^2` is kept whatever a is.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from geoctrl._scalars import exact
from geoctrl.errors import InputError
from geoctrl.systems import Family, ReducedSystem

__all__ = ["filter_loop"]


def filter_loop(fed: Any, ideal: bool) -> ReducedSystem:
    """The system of plant, law and filter; see `EstimatedLaw.closed_loop`."""
    given = fed.law.feedback()
    _require_continuous(fed, given)
    estimator, mechanism, law = fed.filter, fed.filter.mechanism, fed.feedback()
    names = dict(zip(map(_symbol, estimator.labels), map(_symbol, _state_names(fed)), strict=True))
    terms, rates = ({k: e.xreplace(names) for k, e in part.items()} for part in (law.terms, law.rates))
    estimate = estimator.estimate.xreplace(names)
    upward = fed.filter.vertical if ideal else _axis_of_force(fed, terms).xreplace(names)
    turn = estimator.gyro.xreplace(names) + sp.Rational(exact(estimator.gain)) * upward.cross(estimate)
    moved = list(estimate.cross(turn))
    if estimator.bias_gain:
        moved += list(sp.Rational(exact(estimator.bias_gain)) * estimate.cross(upward))
    rates |= dict(zip(_state_names(fed), moved, strict=True))
    name, length = f"|{estimator.vector.name}_estimate|^2", estimate.dot(estimate)
    relations = {r.name: r.expr for r in mechanism.leaf.by_name}
    return mechanism.replace(
        feedback={**mechanism.feedback, **terms},
        outputs={**mechanism.outputs, **terms},
        controller={**mechanism.controller, **rates},
        invariants={**mechanism.invariants, name: length},
        leaf={**relations, f"{name} - 1": length - 1},
        equilibria={k: _family_in_loop(fed, f, terms) for k, f in mechanism.equilibria.items()},
        parameter_sets={},
        symmetry=None,
        name=f"{mechanism.name or 'system'} with an estimated vertical",
    ).reduce()


def _require_continuous(fed: Any, given: Any) -> None:
    """Refuse a law that is one of samples, and one that reads what its own input changes at once."""
    if given.steps:
        raise InputError(
            f"this law keeps {', '.join(given.steps)} from sample to sample, so that its loop has no "
            "continuous time; run it by .sampled(rate=)"
        )
    read = {str(s) for part in (given.terms, given.rates) for e in part.values() for s in e.free_symbols}
    if forces := sorted(read & {*fed.filter.unit(read).forces}):
        raise InputError(
            f"the law reads {', '.join(forces)}, the force that its own inputs change at once: the loop "
            "would be an equation for them; give a law of states alone, or run it by .sampled(rate=)"
        )


def _symbol(label: str) -> sp.Symbol:
    return sp.Symbol(label, real=True)


def _state_names(fed: Any) -> list[str]:
    """Of the filter's states in the loop, identifiers."""
    estimates = [f"{s}_estimate" for s in fed.filter.vector.symbols]
    return estimates + [f"gyro_error{i}" for i, _ in enumerate(fed.filter.labels[3:], start=1)]


def _axis_of_force(fed: Any, terms: dict[str, sp.Expr]) -> sp.Matrix:
    """a in states of the plant and the filter, before these have their names in the loop."""
    plant = fed.filter.mechanism.reduce()
    shown = fed.filter.forces_in(plant)
    acting = {_symbol(label): e for label, e in terms.items()}
    return fed.filter.upward.xreplace({_symbol(k): e.xreplace(acting) for k, e in shown.items()})


def _family_in_loop(fed: Any, family: Family, terms: dict[str, sp.Expr]) -> Family:
    """The plant's family with the estimate at the vertical, and no error of the gyro."""
    vertical = fed.filter.vertical
    at_members = vertical.xreplace({s: family.states.get(str(s), sp.S.Zero) for s in vertical.free_symbols})
    place = dict(zip(_state_names(fed), at_members, strict=False))
    inputs = {k: e for k, e in family.inputs.items() if k not in terms}
    return Family({**family.states, **place}, family.symbols, inputs, family.relations)
