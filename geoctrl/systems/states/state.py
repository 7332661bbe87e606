"""A state from what is known of it: what is given by label is set, the constraints give the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, nearest
from geoctrl._scalars import Program, real
from geoctrl.errors import InputError, LabelError
from geoctrl.systems.contract.scales import equilibration, shares
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.projection import ROUNDING, LeafAt, accept, frame_at, onto_leaf

__all__ = ["state_from"]

_STEPS = 50


@dataclass(frozen=True)
class _Condition:
    """``row . w = value`` on the velocities among the states."""

    label: str
    row: np.ndarray
    value: float


def state_from(system: Recorded, given: Mapping[str, Any], params: Mapping[str, float]) -> np.ndarray:
    """The state (n,) that has what is given by label; see `ReducedSystem.state`."""
    values = _by_label(system, given)
    gamma = _configuration(system, values, params)
    w = np.zeros(0) if system.mechanism.rates else _velocities(system, values, gamma, params)
    controller = [values.get(label, 0.0) for label in system.mechanism.controller]
    return np.concatenate([w, gamma[system.kept_index], controller])


def _by_label(system: Recorded, given: Mapping[str, Any]) -> dict[str, float]:
    """Numbers by the label of a velocity, an advected component or a state; vectors are taken apart."""
    mechanism = system.mechanism
    vectors = {v.name: tuple(map(str, v.symbols)) for v in mechanism.advected}
    groups = _groups(mechanism.algebra.labels) | vectors
    advected = tuple(map(str, mechanism.configuration_symbols))
    single = dict.fromkeys([*mechanism.velocity_labels, *advected, *system.state_labels])
    values: dict[str, float] = {}
    for name, value in given.items():
        if name in single:
            found = {name: real(value, name)}
        elif name in groups:
            numbers = finite_array(name, value, (len(groups[name]),))
            found = dict(zip(groups[name], map(float, numbers), strict=True))
        else:
            raise LabelError(f"no velocity, vector or state {name!r}{nearest(name, [*single, *groups])}")
        twice = sorted(found.keys() & values.keys())
        if twice:
            raise InputError(f"{', '.join(twice)} is given twice: by itself, and as a part of a vector")
        values |= found
    return values


def _groups(labels: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Vectors of velocities: ``Omega`` is ``Omega1 .. Omega3``, ``Omega_2`` that of the second factor."""
    groups: dict[str, tuple[str, ...]] = {}
    for label in labels:
        match = re.fullmatch(r"(.*?[A-Za-z])\d+((?:_\w+)?)", label)
        if match is not None:
            name = match[1] + match[2]
            groups[name] = (*groups.get(name, ()), label)
    return groups


# -- advected components --------------------------------------------------------------------------


def _configuration(system: Recorded, values: Mapping[str, float], params: Mapping[str, float]) -> np.ndarray:
    """Gamma: advected components given, solved for, or those of the reference; coordinates given, or zero."""
    mechanism = system.mechanism
    gamma, free = [], []
    for vector in mechanism.advected:
        labels = [str(s) for s in vector.symbols]
        known = [label in values for label in labels]
        free += [any(known) and not k for k in known]
        gamma += [values.get(k, float(r)) for k, r in zip(labels, vector.reference, strict=True)]
    for c in mechanism.variables:
        free.append(False)
        gamma.append(values.get(c.name, 0.0))
    labels = [str(s) for s in mechanism.configuration_symbols]
    said = ", ".join(f"{k} = {values[k]:.9g}" for k in labels if k in values)
    states = [v for v in mechanism.advected if v.dimension > 1 or v.symbols[0] not in mechanism.removed]
    rest = [v.name for v in states if not any(str(s) in values for s in v.symbols)]
    told = f"{said or 'the reference'} is off the leaf"
    if said and rest:
        told += f", with {', '.join(rest)} at the reference"
    remedy = "give whole vectors" if any(free) or rest else "mend the values"
    point = _gamma_on_leaf(system, np.array(gamma), np.array(free, dtype=bool), params)
    made = system.completed(point, params)
    for i, symbol in enumerate(mechanism.configuration_symbols):
        if symbol in mechanism.removed and symbol.name not in values:
            point[i] = np.nan_to_num(made[i])  # frame and rows say where it has no value
    return onto_leaf(system, point, params, nearest=False, told=told, remedy=remedy)


def _gamma_on_leaf(
    system: Recorded, gamma: np.ndarray, free: np.ndarray, params: Mapping[str, float]
) -> np.ndarray:
    """Newton steps of the free components onto the leaf; where they do not arrive, the caller says so."""
    a = system.assembly
    free[[i for i in range(gamma.size) if i not in system.kept_index]] = False
    relations = [a.configuration(r.expr) for r in system.leaf.relations[: system.leaf.geometric]]
    if not relations or not free.any():
        return gamma
    at = LeafAt(system, relations, params)
    best, least = gamma, np.inf
    for _ in range(_STEPS):
        residual, jacobian, sizes = at(gamma)
        share = float(np.max(shares(residual, sizes)))
        if share < least:
            best, least = gamma, share
        if share < ROUNDING or not np.isfinite(share):
            break
        gamma = gamma - at.step(gamma, residual, jacobian, sizes, free)
    return best


# -- velocities -----------------------------------------------------------------------------------


def _velocities(
    system: Recorded, values: Mapping[str, float], gamma: np.ndarray, params: Mapping[str, float]
) -> np.ndarray:
    """Velocities among the states, of least norm with what is given."""
    a, mechanism = system.assembly, system.mechanism
    width, n = len(a.velocity), mechanism.algebra.n
    E = np.zeros((n, width))
    E[:, : len(system.frame.labels)] = frame_at(system, gamma, params)
    rows = dict(zip(mechanism.algebra.labels, E, strict=True))
    rows |= dict(zip(system.state_labels[:width], np.eye(width), strict=True))
    kept = [_Condition("", row, 0.0) for row in _kept_rows(system, gamma, params)]
    given = [_Condition(label, rows[label], v) for label, v in values.items() if label in rows]
    w = _least(kept + given, width)
    for k, condition in enumerate(given):
        before = _least(kept + given[:k], width)
        after = _least(kept + given[: k + 1], width)
        defect = _defect(kept + given[: k + 1], after)
        if defect > ROUNDING:
            what = _contradiction(system, given[:k], condition, E @ before, before, gamma, params)
            accept(defect, what, remedy="give fewer velocities, or mend the values")
            break
    return w


def _least(conditions: list[_Condition], width: int) -> np.ndarray:
    if not conditions:
        return np.zeros(width)
    rows, values = np.array([c.row for c in conditions]), np.array([c.value for c in conditions])
    return np.linalg.lstsq(rows, values, rcond=None)[0]


def _defect(conditions: list[_Condition], w: np.ndarray) -> float:
    """How far conditions are violated, beside the largest of their terms, in units of their rows."""
    rows, values = np.array([c.row for c in conditions]), np.array([c.value for c in conditions])
    of_rows, _ = equilibration(rows)
    terms = float(np.max(of_rows * (np.abs(rows) @ np.abs(w) + np.abs(values))))
    return float(np.max(shares(of_rows * (rows @ w - values), np.full(len(rows), terms))))


def _kept_rows(system: Recorded, gamma: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """B (r, k): constraint rows that no frame solves."""
    a = system.assembly
    flat = Program(a.graph, a.gamma, a.parameters, [e for row in a.rows for e in row])
    return flat(gamma, params).reshape(len(a.rows), len(a.velocity)) if a.rows else np.zeros((0, 1))


def _contradiction(
    system: Recorded,
    earlier: list[_Condition],
    condition: _Condition,
    xi: np.ndarray,
    w: np.ndarray,
    gamma: np.ndarray,
    params: Mapping[str, float],
) -> str:
    """Which value contradicts what, in words."""
    mechanism = system.mechanism
    words = f"{condition.label} = {condition.value:.9g} contradicts the constraints"
    words += f", which make it {condition.row @ w:.9g}"
    if earlier:
        words += f" with {', '.join(f'{c.label} = {c.value:.9g}' for c in earlier)}"
    labels = mechanism.algebra.labels
    if mechanism.constraints is None or condition.label not in labels:
        return words
    xi = xi.copy()
    xi[labels.index(condition.label)] = condition.value
    a = system.assembly
    psi = Program(a.graph, a.gamma, a.parameters, [a.configuration(e) for e in mechanism.constraints])
    rows = psi(gamma, params).reshape(mechanism.constraints.shape)
    values, parts = rows @ xi, shares(rows @ xi, np.abs(rows) @ np.abs(xi))
    worst = int(np.argmax(parts))
    if parts[worst] <= ROUNDING:
        return words
    return f"{words}: constraint row {worst + 1} would be {values[worst]:.6g} instead of 0"
