"""Whether the equations that a proof is about are those that the system moves by.

A proof is about equations that were derived from a Lagrangian, or reduced; runs, equilibria and
linearisations use the system's own rates. The two are made by different code, and are compared at a state of
no particular kind before anything is proved: a fault in either would make a proof of another system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from geoctrl._scalars import FLOAT, Node, evaluate
from geoctrl._scalars.arithmetic.magnitudes import magnitudes
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.errors import CertificateError
from geoctrl.systems import Seen
from geoctrl.systems.contract.scales import shares, symmetric_scaling

__all__ = ["require_agreement", "require_same_rates"]

_SEEDS = (11, 12, 13)
"""Of the states: where one has no value, as a pole of a potential is near, the next is taken."""

_AGREED = 1e-9
"""Largest difference of accelerations, relative to the terms of the equations: rounding leaves some 1e-15."""


def require_agreement(
    seen: Seen, motion: EquationsOfMotion, u: np.ndarray, params: Mapping[str, float]
) -> None:
    r"""Refuse equations :math:`M \dot v - B^T \lambda = h` that the rates of the system do not solve."""
    _require_small(seen, lambda x: _difference(seen, motion, x, u, params))


def require_same_rates(system: Any, u: np.ndarray, params: Mapping[str, float]) -> None:
    """Refuse recorded equations of a system on a manifold by which its states move at other rates."""
    seen, recording, view = system.seen_from(), system.recording, system.view()

    def difference_at(x: np.ndarray) -> float | None:
        y = view.reduced_state(x, params)
        values = dict(zip([*recording.state_nodes, *recording.input_nodes], [*y, *u], strict=True))
        values |= {node: float(params[name]) for name, node in recording.parameter_nodes.items()}
        rates, sizes = magnitudes(recording.graph, recording.field_nodes, values)
        back = view.derivative(y, params)
        apart = shares(back @ rates - seen.rate(x, u, params), np.abs(back) @ sizes)
        return float(np.max(apart)) if np.isfinite(apart).all() else None

    _require_small(seen, difference_at)


def _require_small(seen: Seen, difference_at: Callable[[np.ndarray], float | None]) -> None:
    """CertificateError for a relative difference of rates at a state of no particular kind."""
    for seed in _SEEDS:
        x = seen.generic(seed)
        if x is None:
            return
        with np.errstate(all="ignore"):
            difference = difference_at(x)
        if difference is None:
            continue
        if not difference <= _AGREED:
            raise CertificateError(
                "the equations derived for a proof are not those that the system moves by (relative "
                f"difference {difference:.1e} at a state of no particular kind): nothing is proved of it. "
                "This is a fault of geoctrl; please report the system"
            )
        return


def _difference(
    seen: Seen, motion: EquationsOfMotion, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
) -> float | None:
    """Relative difference at a state; None where something has no value there."""
    rate, k = seen.rate(x, u, params), len(motion.rates)
    if not np.isfinite(rate).all():
        return None
    acceleration = seen.derivatives(x, u, params)[0][:k] @ rate  # along the motion; inputs are constant
    numbers = [*x[:k].tolist(), *rate[:k].tolist()]
    values: dict[Node, float] = dict(zip(motion.states.values(), numbers, strict=True))
    values |= dict(zip(motion.inputs.values(), u.tolist(), strict=True))
    values |= {node: float(params[name]) for name, node in motion.parameters.items()}
    parts = (motion.mass, [motion.force], motion.rows)
    nodes = [node for part in parts for row in part for node in row]
    try:
        found = np.array(evaluate(nodes, values, FLOAT), dtype=float)
    except (ArithmeticError, ValueError):
        return None
    if not (np.isfinite(found).all() and np.isfinite(acceleration).all()):
        return None
    M, h, B = found[: k * k].reshape(k, k), found[k * k : k * k + k], found[k * k + k :].reshape(-1, k)
    # Rows in units in which the inertia has ones on its diagonal: forces and moments do not compare. Each is
    # judged by its own terms and by what rounding of the others makes of them: an entry of |M| |M^-1| is zero
    # where nothing couples.
    unit = symmetric_scaling(M)
    unit = np.where(unit > 0, unit, 1.0)
    residual, terms = unit * (M @ acceleration - h), unit * (np.abs(M) @ np.abs(acceleration) + np.abs(h))
    scaled = unit[:, None] * M * unit
    size = terms + np.abs(scaled) @ np.abs(np.linalg.pinv(scaled, hermitian=True)) @ terms
    if len(B):  # what holds the relations is not compared
        lengths = np.linalg.norm(B * unit, axis=1)
        rows = unit[:, None] * B.T / np.where(lengths > 0, lengths, 1.0)
        held = rows @ np.linalg.pinv(rows)
        residual, size = residual - held @ residual, size + np.abs(held) @ size
    return float(np.max(shares(residual, size), initial=0.0))
