"""Linearisations at many equilibria at once: matrices, and eigenvalues on the leaf and its levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import paced_call, under_way
from geoctrl._checks import real_array
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.magnitudes import ROUNDING
from geoctrl.errors import InputError
from geoctrl.systems import as_system
from geoctrl.systems.contract.family_members import blocks, members_at_rest, part, symbols_at
from geoctrl.systems.contract.member_magnitudes import member_magnitudes
from geoctrl.systems.contract.tolerances import INDEPENDENT, KERNEL
from geoctrl.systems.parts.member_parameters import between_members, member_mean
from geoctrl.systems.states.differential import slopes_of
from geoctrl.systems.typesetting.printed_spectra import ordered_eigenvalues

__all__ = ["ManyLinearizations", "linearize_many"]


_SEEN = 64
"""Members of which the leaf's rank is taken; at others that have another one there are no eigenvalues."""


@dataclass(frozen=True, eq=False)
class ManyLinearizations:
    """Linearisations at N equilibria.

    Attributes
    ----------
    A : ndarray, (N, n, n)
        Derivatives of the field by all states; nan where there are none.
    eigenvalues : ndarray, (N, d)
        On the leaf: those that invariants force to be zero are exactly zero and come first, the others with
        rising real parts, and of equal ones with rising imaginary parts. nan for members that are no
        equilibria, and where gradients of the leaf's relations depend on each other.
    zeros : ndarray of int, (N,)
        How many are forced to be zero.
    at_rest : ndarray of bool, (N,)
        Whether the member is an equilibrium on the leaf: rates and defects at most 1e-9 of their terms.
    invariants : tuple of str
        What all members keep under their inputs, of which gradients forced the zeros.
    state_labels : tuple of str
    done : ndarray of bool, (N,)
        Whether the time sufficed for the member; of others nothing is known, and all is nan.
    """

    A: np.ndarray
    eigenvalues: np.ndarray
    zeros: np.ndarray
    at_rest: np.ndarray
    invariants: tuple[str, ...]
    state_labels: tuple[str, ...]
    done: np.ndarray

    def __len__(self) -> int:
        return len(self.A)

    def _lines(self) -> list[str]:
        n, d = self.A.shape[1], self.eigenvalues.shape[1]
        left = "" if self.done.all() else f", {(~self.done).sum()} not reached in time"
        told = f"{len(self)} linearizations of {n} states, {d} on the leaf; {self.at_rest.sum()} at rest"
        return [f"<{told}{left}>"]

    full = full_text
    __repr__ = short_form


@paced_call
def linearize_many(
    sys: Any,
    X: Any,
    params: Mapping[str, Any] | None = None,
    *,
    u: Any = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> ManyLinearizations:
    """Linearise at many equilibria at once, in doubles; `linearize` names the zero modes of one.

    Exact verdicts over many points come from `StabilityConditions.evaluate` and `certify_region`.

    Parameters
    ----------
    sys : ReducedSystem
        An open or a closed loop.
    X : (n, N)
        Equilibria, as `ReducedSystem.members` makes them.
    params : dict, optional
        Overrides of the defaults by name: numbers, or arrays (N,), one number a member.
    u : (m,) or (m, N), optional
        Constant inputs, zero by default.
    progress : bool or callable
        As for `simulate`.
    seconds : float, optional
        Time for all of it; members that are not reached by then are not `ManyLinearizations.done`.

    Returns
    -------
    ManyLinearizations

    Raises
    ------
    InputError, ParameterError
        For a wrong shape, other numbers of members, unknown or missing parameters.
    EquilibriumError
        If the equations hold the time.
    TypeError
        For a system of which the equations are not recorded.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> speeds = np.linspace(0.5, 5, 4)
    >>> many = gc.linearize_many(skate, skate.members("sliding", Y0=speeds))
    >>> many.eigenvalues.real[:, -1].round(4)
    array([3.1016, 3.1016, 3.1016, 3.1016])
    """
    system = as_system(sys, "linearize_many", recorded=True)
    x = real_array("X", X)
    if x.ndim != 2 or len(x) != system.nstates:
        raise InputError(f"X must have shape ({system.nstates}, N), a column for each member; got {x.shape}")
    values = system.member_parameters(params, x)
    inputs = np.atleast_1d(real_array("u", np.zeros(system.ninputs) if u is None else u))
    system.arguments_at(0.0, x, inputs)  # refuses other shapes
    count = max(
        np.broadcast_shapes(x.shape[1:], inputs.shape[1:], *map(np.shape, values.values())), default=1
    )
    x = np.broadcast_to(x, (len(x), count))
    inputs = np.broadcast_to(inputs if inputs.ndim == 2 else inputs[:, None], (system.ninputs, count))
    system.seen_from().require_steady(x, inputs.any(axis=1), values)
    held = [member_mean(row) for row in inputs] if count else []
    kept = system.conserved(between_members(values), u=held) if count else {}
    levels = _Levels(system, list(kept.values()))
    n, d = system.nstates, system.nstates - levels.leaf_rank(x, inputs, values)
    A, eigenvalues = np.full((count, n, n), np.nan), np.full((count, d), np.nan, dtype=complex)
    zeros, rest, done = np.zeros(count, dtype=int), np.zeros(count, dtype=bool), np.zeros(count, dtype=bool)
    call = under_way()
    for members in blocks(count):
        if call.is_over:
            break
        at = x[:, members], inputs[:, members], {k: part(v, members) for k, v in values.items()}
        rest[members] = members_at_rest(system, *at)
        A[members] = slopes_of(system).numeric(system.arguments_at(0.0, *at[:2]), at[2], throw=False)[0]
        eigenvalues[members], zeros[members] = levels.eigenvalues(A[members], rest[members], at, d)
        done[members] = True
        call.tell("linearizing", f"{done.sum()} of {count} members", done.mean())
    call.report.finish(done.mean() if count else 1.0)
    if not np.iscomplex(eigenvalues[np.isfinite(eigenvalues)]).any():
        eigenvalues = eigenvalues.real
    return ManyLinearizations(A, eigenvalues, zeros, rest, tuple(kept), tuple(system.state_labels), done)


At = tuple[np.ndarray, np.ndarray, dict[str, Any]]
"""States (n, k), inputs (m, k) and parameters of some members."""


class _Levels:
    """The leaf and the levels of invariants at many points: the common kernel of their gradients."""

    def __init__(self, system: Any, kept: Sequence[Node]) -> None:
        self._system, self._relations = system, len(system.leaf.nodes)
        rows = system.graph.jacobian([*system.leaf.nodes, *kept], system.state_nodes)
        self._nodes = [e for row in rows for e in row]

    def _gradients(self, at: At, relations: int | None = None) -> np.ndarray:
        """Gradients (k, r, n) of length one; zero of those that are rounding alone."""
        x, u, values = at
        n, count = len(x), x.shape[1]
        nodes = self._nodes if relations is None else self._nodes[: relations * n]
        found, sizes = member_magnitudes(nodes, symbols_at(self._system, x, u, values), count)
        rows, sizes = (np.moveaxis(part.reshape(-1, n, count), -1, 0) for part in (found, sizes))
        lengths, known = (np.linalg.norm(part, axis=2, keepdims=True) for part in (rows, sizes))
        with np.errstate(all="ignore"):
            return np.where((lengths > INDEPENDENT * known) & np.isfinite(lengths), rows / lengths, 0.0)

    def leaf_rank(self, x: np.ndarray, u: np.ndarray, values: Mapping[str, Any]) -> int:
        """Rank of the leaf's relations, where it is largest."""
        if not self._relations or not x.shape[1]:
            return 0
        some = np.linspace(0, x.shape[1] - 1, _SEEN).astype(int)
        at = x[:, some], u[:, some], {k: part(v, some) for k, v in values.items()}
        rows = self._gradients(at, self._relations)
        return int(np.sum(np.linalg.svd(rows, compute_uv=False) > KERNEL, axis=1).max())

    def eigenvalues(self, A: np.ndarray, good: np.ndarray, at: At, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues (k, d) on the leaf, those that are forced to be zero first, and how many these are."""
        found, zeros = np.full((len(A), d), np.nan, dtype=complex), np.zeros(len(A), dtype=int)
        rows = self._gradients(at)
        good = good & np.isfinite(A).all(axis=(1, 2))
        of_leaf = rows[:, : self._relations]
        if of_leaf.size:
            good &= np.sum(np.linalg.svd(of_leaf, compute_uv=False) > KERNEL, axis=1) == A.shape[1] - d
        _, values, right = np.linalg.svd(rows) if rows.size else (None, np.zeros((len(A), 0)), _ones(A))
        ranks = np.sum(values > INDEPENDENT, axis=1)
        for rank in np.unique(ranks[good]):
            here = np.flatnonzero(good & (ranks == rank))
            forced = d - (A.shape[1] - rank)
            found[here, :forced] = 0.0
            found[np.ix_(here, np.arange(forced, d))] = _spectra(A[here], right[here, rank:])
            zeros[here] = forced
        return found, zeros


def _ones(A: np.ndarray) -> np.ndarray:
    """The identity for each matrix."""
    return np.broadcast_to(np.eye(A.shape[1]), A.shape)


def _spectra(A: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Eigenvalues (k, q) of matrices on subspaces, given by orthonormal rows (k, q, n), in their order."""
    basis = np.where(np.abs(basis) > ROUNDING, basis, 0.0)
    columns = np.swapaxes(basis, 1, 2)
    inner, terms = basis @ A @ columns, np.abs(basis) @ np.abs(A) @ np.abs(columns)
    inner = np.where(np.abs(inner) > ROUNDING * terms, inner, 0.0)
    return ordered_eigenvalues(np.linalg.eigvals(inner))
