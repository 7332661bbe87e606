r"""Integrals of deviations as states of a plant, :math:`\dot z = x - r`; a controller sums them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries, finite_array, nearest, require_choice
from geoctrl._scalars import real, shown
from geoctrl.errors import InputError, LabelError
from geoctrl.synthesis.linear.linear_law import state_expressions
from geoctrl.systems import Equilibrium, ReducedSystem, as_description
from geoctrl.systems.contract.points import equilibrium_at
from geoctrl.systems.contract.tolerances import UNIT

__all__ = ["integral_weights", "with_integrals"]


def with_integrals(
    system: ReducedSystem, point: Equilibrium, integral: Any
) -> tuple[Equilibrium, dict[str, str]]:
    """The point in the plant with integrals as its last states, and the labels of what they integrate.

    Parameters
    ----------
    integral : label, sequence of labels, or mapping of label -> reference
        A reference is where the point has the state: integrals rest nowhere else.
    """
    if not system.recorded:
        raise InputError(
            "integral= adds states to a reduced system, which a system on a manifold does not take: leave it "
            "out, or describe the mechanism by gc.EulerPoincare"
        )
    given = [integral] if isinstance(integral, str) else integral
    mechanism = as_description(system.mechanism, "lqr with integral=")
    states = list(system.state_labels)
    labels = list(given) if isinstance(given, Mapping) else entries("integral", given)
    for label in labels:
        require_choice("label in integral", label, states, LabelError)
    references = given if isinstance(given, Mapping) else dict.fromkeys(labels)
    rates: dict[str, sp.Expr] = {}
    of: dict[str, str] = {}
    for label, reference in references.items():
        i, name = states.index(label), f"{label}_integral"
        if name in states:
            raise InputError(f"the plant has a state {name!r} already{nearest(name, states)}")
        if reference is not None:
            _require_reference(label, real(reference, f"integral[{label!r}]"), point, i)
        rates[name] = system.states[i] - state_expressions(point)[i]
        of[name] = label
    if not rates:
        raise InputError(f"integral names no state, got {shown(integral)}")
    extended = mechanism.replace(controller={**mechanism.controller, **rates}, symmetry=None).reduce()
    zeros = tuple(Fraction(0) for _ in rates)
    x = np.concatenate([point.x, np.zeros(len(rates))])
    known = None if point.exact is None else (*point.exact, *zeros)
    place = x, point.u, known, point.exact_u
    return equilibrium_at(extended.seen_from(), place, dict(point.params), point.name), of


def _require_reference(label: str, reference: float, point: Equilibrium, i: int) -> None:
    off, size = abs(reference - point.x[i]), max(abs(reference), abs(float(point.x[i])))
    if off > UNIT * size:
        raise InputError(
            f"integral[{label!r}] = {reference:g}, but the equilibrium has {label} = {point.x[i]:g}: give "
            "the equilibrium with that value, as find_equilibrium(sys, fixed={...}, free=[...]) finds it"
        )


def integral_weights(Q: Any, labels: Sequence[str], of: Mapping[str, str], rate: float) -> Any:
    """Weights of states with those of integrals: of the state that is integrated, times the square of the
    system's own rate, where none is given.
    """
    if Q is None:
        Q = dict.fromkeys(labels[: len(labels) - len(of)], 1.0)
    if isinstance(Q, Mapping):
        own = {name: real(Q.get(label, 0.0), f"Q[{label!r}]") * rate**2 for name, label in of.items()}
        return {**own, **Q}
    matrix = finite_array("Q", Q)
    n = len(labels) - len(of)
    if matrix.shape and matrix.shape[0] == len(labels):
        return Q
    matrix = (
        np.diag(np.broadcast_to(matrix, (n,))) if matrix.ndim < 2 and matrix.shape in ((), (n,)) else matrix
    )
    if matrix.shape != (n, n):
        return Q  # refused by its shape, with that of all states
    whole = np.zeros((len(labels), len(labels)))
    whole[:n, :n] = matrix
    for k, label in enumerate(of.values(), n):
        i = list(labels).index(label)
        whole[k, k] = matrix[i, i] * rate**2
    return whole
