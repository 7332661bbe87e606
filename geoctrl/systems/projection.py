"""From a full velocity and advected vectors to a state, with every defect measured."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, user_level
from geoctrl._checks import nearest as nearest_name
from geoctrl._scalars import Program, real
from geoctrl._scalars.numbers import shown
from geoctrl.errors import ConstraintError, DescriptionError, FrameError, InputError, ProjectionWarning
from geoctrl.systems.recorded import Recorded
from geoctrl.systems.tolerances import SINGULAR_FRAME

__all__ = ["accept", "check_initial_state", "frame_at", "onto_leaf", "project_state"]

ROUNDING = 1e-12
REPAIRABLE = 1e-3
_REMEDY = "mend the values, or take project(..., nearest=True)"
_TOLD = 3
"""Changes that a warning names."""


def project_state(
    system: Recorded,
    xi: Any,
    advected: Mapping[str, Any] | None,
    rotor_rates: Any,
    params: Mapping[str, float],
    nearest: bool,
) -> np.ndarray:
    """The state of ``(xi, advected, rotor_rates)``; see `ReducedSystem.project`."""
    mechanism, a = system.mechanism, system.assembly
    n = mechanism.algebra.n
    xi = finite_array("xi", xi, (n,))
    count = mechanism.rotors.count if mechanism.rotors else 0
    rates = (
        np.zeros(count) if rotor_rates is None else finite_array("rotor_rates", np.atleast_1d(rotor_rates))
    )
    if rates.shape != (count,):
        raise InputError(f"rotor_rates must have {count} entries, got {rates.size}")
    sizes = {v.name: v.dimension for v in mechanism.advected}
    free = [v.name for v in mechanism.advected if v.dimension == 1 and v.symbols[0] in mechanism.removed]
    known = [*sizes, *(c.name for c in mechanism.variables)]
    if not isinstance(advected := {} if advected is None else advected, Mapping):
        raise DescriptionError(f"advected must be a dict of name -> components, got {shown(advected)}")
    for name in advected:
        if name not in known:
            raise DescriptionError(f"no advected vector or coordinate {name!r}{nearest_name(name, known)}")
    missing = [name for name in sizes if name not in advected and name not in free]
    if missing:
        raise DescriptionError(f"advected vectors are missing: {', '.join(missing)}")
    given = np.concatenate([np.zeros(0), *(_part(name, advected, size) for name, size in sizes.items())])
    given = np.append(given, [real(advected.get(c.name, 0.0), c.name) for c in mechanism.variables])
    made = system.completed(given, params)
    for i, symbol in enumerate(mechanism.configuration_symbols):
        if symbol.name in free and symbol.name not in advected:
            given[i] = np.nan_to_num(made[i])  # frame and rows say where it has no value
    gamma = onto_leaf(system, given, params, nearest)

    w = np.linalg.lstsq(frame_at(system, gamma, params), xi, rcond=None)[0]
    x = np.concatenate([w, rates, gamma[system.kept_index], np.zeros(len(a.controller))])
    x = system.onto_rows(x, params)
    velocity = system.velocity(x, params)
    defect = np.max(np.abs(velocity - xi), initial=0.0) / max(1.0, np.max(np.abs(xi)))
    accept(defect, f"xi = {xi.tolist()} violates the constraints", nearest)
    if nearest:
        labels = [*mechanism.algebra.labels, *map(str, mechanism.configuration_symbols)]
        _tell(labels, np.concatenate([xi, given]), np.concatenate([velocity, gamma]))
    return x


def _part(name: str, advected: Mapping[str, Any], size: int) -> np.ndarray:
    """Components of what is advected; a height, of one, is a number, and zero where the leaf gives it."""
    if size == 1:
        return np.atleast_1d(finite_array(name, advected.get(name, 0.0)))
    return finite_array(name, advected[name], (size,))


def frame_at(system: Recorded, gamma: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """E (n, k) where the advected components are ``gamma``.

    Raises
    ------
    FrameError
        If it has no finite value there, or dependent columns.
    """
    a = system.assembly
    frame = Program(a.graph, a.gamma, a.parameters, [a.configuration(e) for e in system.frame.matrix])
    E = frame(gamma, params).reshape(system.frame.matrix.shape)
    point = dict(zip(map(str, system.mechanism.configuration_symbols), gamma.tolist(), strict=True))
    if not np.all(np.isfinite(E)):
        raise FrameError(
            f"the frame has no finite value at {point}; take advected vectors at which it has one"
        )
    singular_values = np.linalg.svd(E, compute_uv=False)
    if singular_values[-1] < SINGULAR_FRAME * max(singular_values[0], 1.0):
        raise FrameError(
            f"the frame is singular at {point}: its columns are dependent there; "
            "use another frame, or frame=None"
        )
    return E


def _tell(labels: Sequence[str], before: np.ndarray, after: np.ndarray) -> None:
    """Warn of what a projection has changed by more than rounding, the largest change first."""
    change = np.abs(after - before)
    order = [i for i in np.argsort(-change) if change[i] > ROUNDING * max(1.0, float(np.max(np.abs(before))))]
    if order:
        told = [f"{labels[i]} from {before[i]:.9g} to {after[i]:.9g}" for i in order[:_TOLD]]
        more = f" and {len(order) - _TOLD} more" if len(order) > _TOLD else ""
        words = f"project(..., nearest=True) changed {', '.join(told)}{more}"
        warnings.warn(words, ProjectionWarning, stacklevel=user_level())


def accept(defect: float, what: str, nearest: bool = False, remedy: str = _REMEDY) -> None:
    """A defect that is rounding, or repaired with a warning; ConstraintError for a larger one."""
    if nearest or defect <= ROUNDING:
        return
    if defect <= REPAIRABLE:
        warnings.warn(f"{what} by {defect:.2e} and was projected", ProjectionWarning, stacklevel=user_level())
        return
    raise ConstraintError(f"{what}: residual {defect:.3g} (up to {REPAIRABLE} is projected); {remedy}")


def onto_leaf(
    system: Recorded,
    gamma: np.ndarray,
    params: Mapping[str, float],
    nearest: bool,
    told: str = "the advected vectors are off the leaf",
    remedy: str = _REMEDY,
) -> np.ndarray:
    """Newton steps along the gradients of the geometric relations, removed coordinates included.

    Raises
    ------
    ConstraintError
        Unless ``nearest``, in the words ``told`` with the relation, its value and the remedy.
    """
    a, mechanism = system.assembly, system.mechanism
    # What the leaf makes of a height may have no value here; frame and rows say so in their words.
    made = system.completed(gamma, params)
    removed = [i for i in range(gamma.size) if i not in system.kept_index and np.isfinite(made[i])]
    relations = [a.configuration(r.expr) for r in system.leaf.relations[: system.leaf.geometric]]
    given = a.restrict([a.gamma[i] for i in removed])
    relations += [a.gamma[i] - e for i, e in zip(removed, given, strict=True)]
    if not relations:
        return gamma
    names = [str(r) for r in system.leaf.relations[: system.leaf.geometric]]
    names += [str(mechanism.configuration_symbols[i]) for i in removed]
    flat = [*relations, *(e for row in a.graph.jacobian(relations, a.gamma) for e in row)]
    program = Program(a.graph, a.gamma, a.parameters, flat)
    repaired = gamma
    for step in range(50):
        values = program(repaired, params)
        residual, jacobian = values[: len(relations)], values[len(relations) :].reshape(-1, gamma.size)
        if step == 0:
            scale = np.maximum(1.0, np.max(np.abs(jacobian), axis=1) * np.max(np.abs(gamma), initial=1.0))
            relative = np.abs(residual) / scale
            worst = int(np.argmax(relative))
            what = f"{told} ({names[worst]} = {residual[worst]:.3g} instead of 0)"
            accept(float(relative[worst]), what, nearest, remedy)
            if relative[worst] <= 4e-16:
                break
        if np.max(np.abs(residual)) < 4e-16:
            break
        repaired = repaired - np.linalg.lstsq(jacobian, residual, rcond=None)[0]
    return system.completed(repaired, params)


def check_initial_state(system: Recorded, x0: Any, params: Mapping[str, float]) -> np.ndarray:
    """``x0`` as a finite state on the leaf.

    Raises
    ------
    InputError
        For a wrong shape or a value that is not finite.
    ConstraintError
        If a leaf relation is violated by more than rounding, with the residual and the remedy.
    """
    x = finite_array("x0", x0)
    if x.shape != (system.nstates,):
        raise InputError(
            f"x0 must have shape ({system.nstates},) for the states {', '.join(system.state_labels)}; "
            f"got {x.shape}"
        )
    residual = np.abs(system.leaf_residual(x, params))
    scale = max(1.0, float(np.max(np.abs(x))) ** 2)
    if residual.size and residual.max() > 1e-9 * scale:
        worst = int(np.argmax(residual))
        relation = system.leaf.relations[worst]
        raise ConstraintError(
            f"x0 violates {relation} = 0 (residual {residual[worst]:.3g}); make it with "
            "sys.project(xi, {name: vector}), which measures and can repair the defect"
        )
    return x
