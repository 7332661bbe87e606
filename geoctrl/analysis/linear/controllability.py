r"""What inputs reach and outputs see of a linearisation on the leaf, and what stands by itself.

With the rows N that vanish on :math:`[B, AB, A^2B, \dots]`, the values :math:`y = N\,\delta x` move by
themselves, :math:`\dot y = C y`. Differentials of functions that are conserved whatever the inputs do are
among these rows, :math:`\alpha C = 0`; and what is at rest along t, :math:`A t = 0`, as it is where
equilibria continue, is at rest there, :math:`C N t = 0`. Both are neutral and have names; all else has to
decay by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import real
from geoctrl.analysis.linear.leaf_pair import LeafPair
from geoctrl.analysis.linear.modes import InvariantPart, Mode, hidden_span, modes, states_along
from geoctrl.analysis.linear.subspaces import SubspaceArithmetic, invariant_span
from geoctrl.errors import InputError
from geoctrl.systems.contract.scales import Scales
from geoctrl.systems.contract.tolerances import UNIT
from geoctrl.systems.typesetting.printed_spectra import spectrum_text

__all__ = ["Controllability", "Mode", "Observability", "controllability", "observability", "states_along"]


@dataclass(frozen=True, eq=False)
class Controllability:
    """What the inputs reach of a linearisation on the leaf.

    Attributes
    ----------
    rank : int
        Dimension of what they reach.
    dimension : int
        Of the level set of the functions that are conserved whatever the inputs do, on the leaf.
    leaf : int
        Dimension of the leaf: ``dimension`` and the number of these functions.
    neutral : tuple of str
        Names of what they do not reach and what does not move: these functions, then ``rest along ...`` for
        directions t with A t = 0 on their level set, along which a family of equilibria continues if there is
        one.
    unreached : tuple of Mode
        What they do not reach besides, and what moves by itself.
    decays : bool
        Whether all of ``unreached`` decays: that the pair can be stabilised but for what is neutral.
    exact : bool
        Whether ranks are those of rational matrices; else of floats, with a tolerance.
    basis : ndarray (n, rank)
        Orthonormal, of what they reach.
    projection : ndarray (rank, n)
        Coordinates in ``basis`` of the part of a deviation that they reach. It vanishes on directions t with
        A t = 0 that they do not reach, on what of the tangent space is orthogonal to both, and across the
        leaf, where states are orthogonal in their sizes.
    A, B : ndarray, (n, n) and (n, m)
    part : InvariantPart
        What they reach, in numbers of the kind in which ranks are decided.
    drive, share : arrays, (rank, m) and (rank, n)
        In such numbers what the inputs do to its coordinates, in its time, and these coordinates of the
        part of a deviation that they reach, states in its sizes.
    """

    rank: int
    dimension: int
    leaf: int
    neutral: tuple[str, ...]
    unreached: tuple[Mode, ...]
    decays: bool
    exact: bool
    basis: np.ndarray
    projection: np.ndarray
    A: np.ndarray
    B: np.ndarray
    part: InvariantPart
    drive: np.ndarray
    share: np.ndarray

    def gramian(self, horizon: float) -> np.ndarray:
        r"""What inputs of one unit of :math:`\int |u|^2 dt` reach within a time.

        .. math:: W = \int_0^T e^{As} B B^T e^{A^Ts}\,ds

        Parameters
        ----------
        horizon : float
            T in s.

        Returns
        -------
        ndarray (n, n)
            In the states, of rank ``rank``: the end of such a motion satisfies
            :math:`\\delta x^T W^+ \\delta x \\le 1`.

        Raises
        ------
        InputError
            Unless T is a positive number.
        """
        V = self.basis
        return V @ _gramian(V.T @ self.A @ V, V.T @ self.B, horizon) @ V.T

    def _lines(self) -> list[str]:
        kept = self.leaf - self.dimension
        held = f", the leaf's {self.leaf} but for {kept} conserved" if kept else ""
        lines = [f"<Controllability: rank {self.rank} of {self.dimension}{held}>"]
        lines.append(f"  neutral: {', '.join(self.neutral) or '-'}")
        lines += [
            f"  not reached: {m.name} (eigenvalue {spectrum_text([m.eigenvalue])})" for m in self.unreached
        ]
        return lines

    full = full_text
    __repr__ = short_form


@dataclass(frozen=True, eq=False)
class Observability:
    """What outputs see of a linearisation on the leaf, with the functions conserved under all inputs known.

    Attributes
    ----------
    rank : int
        Dimension of what they see.
    dimension : int
        Of the level set of these functions, on the leaf.
    neutral : tuple of str
        The functions.
    unseen : tuple of Mode
        What moves without being seen.
    decays : bool
        Whether all of ``unseen`` decays: that an estimate can converge.
    exact : bool
        Whether ranks are those of rational matrices; else of floats, with a tolerance.
    basis : ndarray (n, dimension)
        Orthonormal, of the level set's tangent space.
    A, C : ndarray, (n, n) and (p, n)
    outputs : tuple of str
    part : InvariantPart
        The level set's tangent space, in numbers of the kind in which ranks are decided.
    """

    rank: int
    dimension: int
    neutral: tuple[str, ...]
    unseen: tuple[Mode, ...]
    decays: bool
    exact: bool
    basis: np.ndarray
    A: np.ndarray
    C: np.ndarray
    outputs: tuple[str, ...]
    part: InvariantPart

    def gramian(self, horizon: float) -> np.ndarray:
        r"""The outputs' energy within a time, :math:`\int_0^T |\delta y|^2 dt = \delta x^T W \delta x`.

        Parameters
        ----------
        horizon : float
            T in s.

        Returns
        -------
        ndarray (n, n)
            :math:`W = \\int_0^T e^{A^Ts} C^T C e^{As}\\,ds` for states on the level set.

        Raises
        ------
        InputError
            Unless T is a positive number.
        """
        V = self.basis
        return V @ _gramian((V.T @ self.A @ V).T, (self.C @ V).T, horizon) @ V.T

    def _lines(self) -> list[str]:
        lines = [f"<Observability by {', '.join(self.outputs)}: rank {self.rank} of {self.dimension}>"]
        lines.append(f"  known: {', '.join(self.neutral) or '-'}")
        lines += [f"  not seen: {m.name} (eigenvalue {spectrum_text([m.eigenvalue])})" for m in self.unseen]
        return lines

    full = full_text
    __repr__ = short_form


def controllability(
    given: LeafPair, scales: Scales, labels: tuple[str, ...], sizes: np.ndarray | None = None
) -> Controllability:
    """What the inputs of a pair reach; ``labels`` name the states.

    States are orthogonal in ``sizes`` (n,), and ranks of floats are decided in the scales.
    """
    pair, d, pace = given.in_own_units(scales)
    algebra, T = pair.algebra, pair.tangent
    # Not rounded to powers of two as d is, with which the split would hang on the units by a factor.
    metric = algebra.numbers((d / (_sizes_of(scales) if sizes is None else sizes)) ** 2)[:, None]
    A, B = pair.on_leaf
    reached = invariant_span(algebra, A, B)
    N = algebra.null(reached.T).T
    C = N @ A @ algebra.left_inverse(N.T).T
    kept = pair.independent()
    alpha = np.array(list(kept.values()), dtype=A.dtype).reshape(len(kept), len(A))
    alpha = alpha @ algebra.left_inverse(N.T).T
    level = algebra.null(alpha)  # (q, q - c): values y at which the conserved functions are what they are
    onto_level = algebra.left_inverse(level)
    still = _at_rest(algebra, A, N, T, metric)
    resting = still @ algebra.null(alpha @ N @ still)
    free = algebra.null((onto_level @ N @ resting).T)  # rows on the level that vanish on these directions
    rest = free.T @ onto_level @ C @ level @ algebra.left_inverse(free).T
    rows = free.T @ onto_level @ N @ algebra.left_inverse(T)
    parts = [T @ reached, T @ still]
    parts += [T @ algebra.null(np.hstack(parts).T @ (metric * T)), algebra.null((metric * T).T)]
    split = algebra.left_inverse(np.hstack(parts))[: reached.shape[1]]
    coordinates = _floats(split)
    if not algebra.exact:  # zeros, which exact ones stay by themselves
        coordinates[np.abs(coordinates) < UNIT * np.max(np.abs(coordinates), initial=0.0)] = 0.0
    pushed = given.B / algebra.numbers(d)[:, None] / algebra.numbers(np.array([pace]))
    directions, spanned = d[:, None] * _floats(T @ reached), d[:, None] * _floats(T @ resting)
    V = _orthonormal(directions)
    return Controllability(
        rank=reached.shape[1],
        dimension=len(A) - len(kept),
        leaf=len(A),
        neutral=(*kept, *(f"rest along {states_along(t, labels)}" for t in spanned.T)),
        unreached=modes(pace * _floats(rest).T, _floats(rows).T / d[:, None], labels),
        decays=algebra.hurwitz(rest),
        exact=algebra.exact,
        basis=V,
        projection=V.T @ directions @ coordinates / d,
        A=_floats(given.A),
        B=_floats(given.B),
        part=InvariantPart(
            algebra, algebra.left_inverse(reached) @ A @ reached, T @ reached, labels, d, pace
        ),
        drive=algebra.left_inverse(reached) @ algebra.left_inverse(T) @ pushed,
        share=split,
    )


def observability(given: LeafPair, scales: Scales, labels: tuple[str, ...]) -> Observability:
    """What the outputs of a pair see; ``labels`` name the states."""
    pair, d, pace = given.in_own_units(scales)
    algebra = pair.algebra
    A, _ = pair.on_leaf
    kept = pair.independent()
    rows = np.array(list(kept.values()), dtype=A.dtype).reshape(len(kept), len(A))
    level = algebra.null(rows)
    inner = algebra.left_inverse(level) @ A @ level
    basis = pair.tangent @ level
    C = np.array(list(pair.seen.values()), dtype=A.dtype)
    hidden, alone = hidden_span(algebra, inner, C @ basis)
    return Observability(
        rank=inner.shape[0] - hidden.shape[1],
        dimension=inner.shape[0],
        neutral=tuple(kept),
        unseen=modes(pace * _floats(alone), d[:, None] * _floats(basis @ hidden), labels),
        decays=algebra.hurwitz(alone),
        exact=algebra.exact,
        basis=_orthonormal(d[:, None] * _floats(basis)),
        A=_floats(given.A),
        C=_floats(np.array(list(given.seen.values()))),
        outputs=tuple(given.seen),
        part=InvariantPart(algebra, inner, basis, labels, d, pace),
    )


def _sizes_of(scales: Scales) -> np.ndarray:
    """Sizes of states (n,); where a system at rest has none, how far inputs push states beside each other.

    An input is as large as pushes no state that has a size by more than that, the first of all is one.
    """
    pushes, sizes = np.abs(scales.B), np.where(scales.state > 0, scales.column, 0.0)
    left = [b for b in pushes.T if np.any(b)]
    while left:
        k = next((k for k, b in enumerate(left) if np.any(b[sizes > 0])), 0)
        b = left.pop(k)
        known = (sizes > 0) & (b > 0)
        amount = np.min(sizes[known] / b[known]) if np.any(known) else 1.0
        sizes = np.where(sizes > 0, sizes, amount * b)
    return np.where(sizes > 0, sizes, scales.column)


def _at_rest(
    algebra: SubspaceArithmetic, A: np.ndarray, N: np.ndarray, T: np.ndarray, metric: np.ndarray
) -> np.ndarray:
    """Directions of equilibria that inputs do not reach, orthogonal to those that they do reach."""
    still = algebra.null(A)
    reached = still @ algebra.null(N @ still)
    return still @ algebra.null((metric * (T @ reached)).T @ T @ still)


def _floats(matrix: np.ndarray) -> np.ndarray:
    return np.array(matrix, dtype=float)


def _orthonormal(basis: np.ndarray) -> np.ndarray:
    """Of the same range, columns in the same order; those of coordinate directions stay what they are."""
    q, r = np.linalg.qr(_floats(basis))
    return q * np.sign(np.diag(r)) if q.size else q


def _gramian(A: np.ndarray, B: np.ndarray, horizon: float) -> np.ndarray:
    """The integral by Van Loan's exponential of twice the size."""
    from scipy.linalg import expm

    T = real(horizon, "horizon")
    if not T > 0:
        raise InputError(f"horizon must be positive, got {horizon!r}")
    n = len(A)
    if not n:
        return np.zeros((0, 0))
    E = expm(np.block([[-A, B @ B.T], [np.zeros((n, n)), A.T]]) * T)
    W = E[n:, n:].T @ E[:n, n:]
    return (W + W.T) / 2
