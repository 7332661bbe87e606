"""From a full velocity and advected vectors to a state, with every defect measured."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np

from geoctrl._checks import finite_array, user_level
from geoctrl._checks import nearest as nearest_name
from geoctrl._scalars import Node, real
from geoctrl._scalars.arithmetic.magnitudes import Magnitudes
from geoctrl._scalars.text.numbers import shown
from geoctrl.errors import ConstraintError, DescriptionError, FrameError, InputError, ProjectionWarning
from geoctrl.systems.contract.scales import columns_of, condition_of, equilibration, shares
from geoctrl.systems.contract.tolerances import RESIDUAL, SINGULAR_FRAME
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.anchors import anchors_of
from geoctrl.systems.states.sizes_at_points import moving_alike, sized_program
from geoctrl.systems.units.unit_classes import reference_sizes

__all__ = ["LeafAt", "accept", "check_initial_state", "frame_at", "onto_leaf", "project_state"]

ROUNDING = 1e-12
REPAIRABLE = 1e-3
_REMEDY = "mend the values, or take project(..., nearest=True)"
_STEPS, _LAST_DIGIT = 50, 4e-16
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
    if mechanism.rates:
        if not isinstance(xi, Mapping):
            raise InputError(f"project takes a dict of state -> number of a vector field, got {shown(xi)}")
        xi, advected = np.zeros(0), xi
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
    if mechanism.rates:
        if nearest:
            labels = [str(s) for s in mechanism.configuration_symbols]
            _tell(labels, given, gamma, configuration_sizes(system, given))
        return np.concatenate([gamma[system.kept_index], np.zeros(len(a.controller))])
    E = frame_at(system, gamma, params)
    of_rows, of_columns = equilibration(E)
    w = of_columns * np.linalg.lstsq(of_rows[:, None] * E * of_columns, of_rows * xi, rcond=None)[0]
    x = np.concatenate([w, rates, gamma[system.kept_index], np.zeros(len(a.controller))])
    x = system.onto_rows(x, params)
    velocity = system.velocity(x, params)
    largest = float(np.max(of_rows * np.abs(xi), initial=0.0))
    defect = float(np.max(shares(of_rows * (velocity - xi), np.full(n, largest)), initial=0.0))
    accept(defect, f"xi = {xi.tolist()} violates the constraints", nearest)
    if nearest:
        labels = [*mechanism.algebra.labels, *map(str, mechanism.configuration_symbols)]
        told = np.concatenate([largest / of_rows, configuration_sizes(system, given)])
        _tell(labels, np.concatenate([xi, given]), np.concatenate([velocity, gamma]), told)
    return x


def _part(name: str, advected: Mapping[str, Any], size: int) -> np.ndarray:
    """Components of what is advected; a height, of one, is a number, and zero where the leaf gives it."""
    if size == 1:
        return np.atleast_1d(finite_array(name, advected.get(name, 0.0)))
    return finite_array(name, advected[name], (size,))


def frame_at(system: Recorded, gamma: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """E (n, k) where the advected components are ``gamma``."""
    a, matrix = system.assembly, system.frame.matrix
    E, sizes = (
        part.reshape(matrix.shape)
        for part in _values_and_sizes(
            system, "frame", lambda: [a.configuration(e) for e in matrix], gamma, params
        )
    )
    point = dict(zip(map(str, system.mechanism.configuration_symbols), gamma.tolist(), strict=True))
    if not np.all(np.isfinite(E)):
        raise FrameError(
            f"the frame has no finite value at {point}; take advected vectors at which it has one"
        )
    if condition_of(E, sizes) < SINGULAR_FRAME:
        raise FrameError(
            f"the frame is singular at {point}: its columns are dependent there; "
            "use another frame, or frame=None"
        )
    return E


def _tell(labels: Sequence[str], before: np.ndarray, after: np.ndarray, sizes: np.ndarray) -> None:
    """Warn of what a projection has changed by more than rounding, the largest change first."""
    change = shares(after - before, sizes)
    order = [i for i in np.argsort(-change, kind="stable") if change[i] > ROUNDING]
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
    raise ConstraintError(
        f"{what}: residual {defect:.3g} (up to {REPAIRABLE} is projected); {remedy}", key="off-leaf"
    )


def onto_leaf(
    system: Recorded,
    gamma: np.ndarray,
    params: Mapping[str, float],
    nearest: bool,
    told: str = "the advected vectors are off the leaf",
    remedy: str = _REMEDY,
) -> np.ndarray:
    """Newton steps along the gradients of the geometric relations, removed coordinates included."""
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
    at = LeafAt(system, relations, params)
    repaired = gamma
    for step in range(_STEPS):
        residual, jacobian, sizes = at(repaired)
        relative = shares(residual, sizes)
        if step == 0:
            worst = int(np.argmax(relative))
            what = f"{told} ({names[worst]} = {residual[worst]:.3g} instead of 0)"
            accept(float(relative[worst]), what, nearest, remedy)
        if np.max(relative) <= _LAST_DIGIT:
            break
        repaired = repaired - at.step(repaired, residual, jacobian, sizes)
    return system.completed(repaired, params)


class LeafAt:
    """Relations among the entries of Gamma, with the changes that deviations of Gamma's own size make.

    Parameters
    ----------
    params : mapping name -> number
    """

    def __init__(self, system: Recorded, relations: list[Node], params: Mapping[str, float]) -> None:
        a = system.assembly
        self._system, self._params, self._count = system, params, len(relations)
        self._nodes = [*relations, *(e for row in a.graph.jacobian(relations, a.gamma) for e in row)]

    def __call__(self, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values (r,), gradients (r, d) and sizes (r,)."""
        name = ("leaf", *(node.index for node in self._nodes))
        values, terms = _values_and_sizes(self._system, name, lambda: self._nodes, gamma, self._params)
        jacobian = values[self._count :].reshape(self._count, gamma.size)
        sizes = np.abs(jacobian) @ configuration_sizes(self._system, gamma)
        return values[: self._count], jacobian, np.where(sizes > 0, sizes, terms[: self._count])

    def step(
        self,
        gamma: np.ndarray,
        residual: np.ndarray,
        jacobian: np.ndarray,
        sizes: np.ndarray,
        free: np.ndarray | None = None,
    ) -> np.ndarray:
        """Newton's step (d,) of least norm in units of Gamma, of those entries that are free."""
        rows = np.where(sizes > 0, sizes, 1.0)
        unit = columns_of(jacobian, rows, configuration_sizes(self._system, gamma))
        unit = unit if free is None else np.where(free, unit, 0.0)
        return unit * np.linalg.lstsq(jacobian * unit / rows[:, None], residual / rows, rcond=None)[0]


def configuration_sizes(system: Recorded, gamma: np.ndarray) -> np.ndarray:
    """Sizes of the entries of Gamma: lengths of vectors, one for angles, or the values themselves."""
    mechanism = system.mechanism
    lengths = [q for advected in mechanism.advected for q in reference_sizes(advected)]
    lengths += [float(getattr(c, "angle", False)) for c in mechanism.variables]
    return np.maximum(lengths, np.abs(gamma))


def _values_and_sizes(
    system: Recorded, name: Any, nodes: Any, gamma: np.ndarray, params: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Values of nodes in Gamma and parameters, and the sizes of their terms."""
    a = system.assembly
    known = system.cache.setdefault("in Gamma", {})
    if name not in known:
        known[name] = Magnitudes(a.graph, nodes())
    values = dict(zip(a.gamma, map(float, gamma), strict=True))
    values |= {node: float(params[k]) for k, node in a.parameters.items()}
    return known[name](values, dict(zip(a.gamma, configuration_sizes(system, gamma).tolist(), strict=True)))


def check_initial_state(system: Recorded, x0: Any, params: Mapping[str, float]) -> np.ndarray:
    """``x0`` as a finite state on the leaf; the last one is kept, a start that is run again."""
    x = finite_array("x0", x0)
    if x.shape != (system.nstates,):
        raise InputError(
            f"x0 must have shape ({system.nstates},) for the states {', '.join(system.state_labels)}; "
            f"got {x.shape}"
        )
    asked = x.tobytes(), tuple(params.items())
    if system.cache.get("on the leaf") == asked:
        return x
    # Sizes are those of terms at least, beside which defects vanish as a rule.
    values, terms = sized_program(system, "leaf", lambda: system.leaf.nodes)(0.0, x, params)
    pairs = zip(values.tolist(), terms.tolist(), strict=True)
    if not all(abs(value) <= RESIDUAL * size < inf for value, size in pairs):
        _require_on_leaf(system, x, params)
    system.cache["on the leaf"] = asked
    return x


def _require_on_leaf(system: Recorded, x: np.ndarray, params: Mapping[str, float]) -> None:
    residual = system.leaf_residual(x, params)
    parts = shares(residual, leaf_sizes(system, x, params))
    if not parts.max() <= RESIDUAL:
        worst = int(np.argmax(parts))
        relation = system.leaf.relations[worst]
        raise ConstraintError(
            f"x0 violates {relation} = 0 (residual {residual[worst]:.3g}); make it with "
            "sys.project(xi, {name: vector}), which measures and can repair the defect",
            key="off-leaf",
        )


def leaf_sizes(system: Recorded, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Sizes (r,) of the relations at a state: of their terms, and of changes of states by their own sizes."""

    def nodes() -> list[Node]:
        leaf = list(system.leaf.nodes)
        slopes = system.graph.jacobian(leaf, system.state_nodes)
        return [*leaf, *(e for row in [*slopes, *system.assembly.mass] for e in row)]

    values, terms = sized_program(system, "leaf and slopes", nodes)(0.0, x, params)
    r, n, k = len(system.leaf.nodes), len(x), len(system.assembly.velocity)
    sizes = np.maximum(anchors_of(system).size, np.abs(x))
    sizes[:k] = np.maximum(sizes[:k], moving_alike(x[:k], values[r + r * n :].reshape(k, k)))
    return terms[:r] + np.abs(values[r : r + r * n].reshape(r, n)) @ sizes
