"""A law as formulas: for a notebook, and with numbers for everything but the states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from geoctrl._scalars import exact
from geoctrl.sampling import Feedback
from geoctrl.systems import EulerPoincare, ReducedSystem
from geoctrl.systems.typesetting.notebook import assignments

__all__ = ["as_feedback", "exactly_with_numbers", "law_latex", "with_doubles", "with_numbers"]

_SHORT = 10**6


def law_latex(torques: Mapping[str, sp.Expr], parameters: Sequence[sp.Symbol]) -> str:
    """Torques by input label in states, parameters and gains."""
    found = {s for e in torques.values() for s in e.free_symbols}
    states = sorted(found - set(parameters), key=str)
    pairs = [(sp.Symbol(label, real=True), e) for label, e in torques.items()]
    return assignments(pairs, parameters, states)


def with_numbers(
    loop: ReducedSystem, torques: Mapping[str, sp.Expr], params: Mapping[str, float] | None
) -> dict[str, sp.Expr]:
    """`exactly_with_numbers`, coefficients as short fractions or else as doubles, rounded once."""
    return {k: with_doubles(e) for k, e in exactly_with_numbers(loop, torques, params).items()}


def exactly_with_numbers(
    loop: ReducedSystem, torques: Mapping[str, sp.Expr], params: Mapping[str, float] | None
) -> dict[str, sp.Expr]:
    """Torques by input label in the states of a loop, with parameters as the rationals that they are."""
    values = loop.parameters(params)
    numbers = {p.symbol: sp.Rational(exact(values[p.name])) for p in loop.mechanism.parameters}
    read = loop.to_sympy([loop.expression(e) for e in torques.values()])
    return {k: e.xreplace(numbers) for k, e in zip(torques, read, strict=True)}


def as_feedback(
    plant: EulerPoincare,
    loop: ReducedSystem,
    torques: Mapping[str, sp.Expr],
    params: Mapping[str, float] | None,
) -> Feedback:
    """Torques in the states of a loop as a controller for the plant, with the states that the loop adds."""
    known, controller = plant.reduce().state_labels, loop.mechanism.controller
    added = {
        label: controller[label] if label in controller else loop.to_sympy([rate])[0]
        for label, rate in zip(loop.state_labels, loop.field_nodes, strict=True)
        if label not in known
    }
    found = exactly_with_numbers(loop, {**torques, **added}, params)
    return Feedback({k: found[k] for k in torques}, {k: found[k] for k in added})


def with_doubles(expr: sp.Expr) -> sp.Expr:
    """Fractions that nobody reads as the nearest doubles."""
    long = [q for q in expr.atoms(sp.Rational) if max(abs(q.p), q.q) > _SHORT]
    return expr.xreplace({q: sp.Float(float(q)) for q in long})
