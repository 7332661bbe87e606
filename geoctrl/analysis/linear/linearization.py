"""Linearisation at an equilibrium: exact derivatives, restricted to the leaf, zero modes named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl._collector import rare_collections
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl._scalars.arithmetic.magnitudes import ROUNDING
from geoctrl.analysis.linear.controllability import (
    Controllability,
    Observability,
    controllability,
    observability,
)
from geoctrl.analysis.linear.leaf_pair import leaf_pair
from geoctrl.analysis.linear.modes import states_along
from geoctrl.analysis.linear.outputs import signals
from geoctrl.analysis.question.shape_integrals import shape_jets
from geoctrl.errors import EquilibriumError, InputError
from geoctrl.systems import Equilibrium, Seen, System, as_system, as_written
from geoctrl.systems.contract.points import resolve_equilibrium
from geoctrl.systems.contract.scales import Scales, scaled_row
from geoctrl.systems.contract.tolerances import INDEPENDENT, UNIT
from geoctrl.systems.typesetting.printed_spectra import ordered_eigenvalues, spectrum_line
from geoctrl.systems.typesetting.spectrum_tables import spectrum_card

__all__ = ["Linearization", "invariant_directions", "linearization_at", "linearize"]


@dataclass(frozen=True, eq=False)
class Linearization:
    r"""First-order dynamics :math:`\delta\dot x = A\,\delta x + B\,\delta u` at an equilibrium.

    Attributes
    ----------
    A, B : ndarray, (n, n) and (n, m)
        Ambient: derivatives in all states.
    basis : ndarray, (n, d)
        Orthonormal basis W of the leaf's tangent space.
    A_leaf, B_leaf : ndarray, (d, d) and (d, m)
        W^T A W and W^T B.
    eigenvalues : ndarray, (d,)
        Of A_leaf; those that invariants force to be zero are exactly zero and come first, the others with
        rising real parts, those of equal real parts with rising imaginary parts.
    zero_modes : tuple of str
        One name for each zero eigenvalue on the leaf that is accounted for: an invariant with a gradient
        independent of the others' (they force as many left null vectors), then "family" for each direction
        within their level set along which equilibria continue: members of a family, or points of an orbit
        of the symmetry group.
    equilibrium : Equilibrium
    name : str
    state_labels, input_labels : tuple of str
    varying : tuple of str
        Inputs, zero at the equilibrium, of which the effect depends on the time: B is not constant, and their
        columns are nan.
    families : tuple of str
        For each "family" among the zero modes, the states that change along it, the largest share first.
    """

    A: np.ndarray
    B: np.ndarray
    basis: np.ndarray
    A_leaf: np.ndarray
    B_leaf: np.ndarray
    eigenvalues: np.ndarray
    zero_modes: tuple[str, ...]
    equilibrium: Equilibrium
    name: str
    state_labels: tuple[str, ...]
    input_labels: tuple[str, ...]
    varying: tuple[str, ...] = ()
    families: tuple[str, ...] = ()

    @property
    def leaf_labels(self) -> tuple[str, ...]:
        """Labels of the leaf coordinates: ``d_<state>`` for a coordinate direction, else ``w<i>``."""
        labels = []
        for i, column in enumerate(self.basis.T):
            k = int(np.argmax(np.abs(column)))
            single = abs(column[k]) > 1 - UNIT
            labels.append(f"d_{self.state_labels[k]}" if single else f"w{i + 1}")
        return tuple(labels)

    @property
    def scales(self) -> Scales:
        """Sizes of states, inputs and time at the point; see `System.scales`."""
        point = self.equilibrium
        return self._own_system.seen_from(point.spin).scales(point.x, point.u, dict(point.params))

    @property
    def _own_system(self) -> Any:
        """What it is a linearisation of."""
        if self.equilibrium.system is None:
            raise EquilibriumError("the system was left behind in the copy; take gc.linearize(sys, eq) again")
        return self.equilibrium.system

    def _exact_system(self, what: str) -> Any:
        """The system, which ``what`` asks again in exact numbers."""
        system = self._own_system
        if not np.any(self.equilibrium.spin):
            return as_written(system, what)
        raise EquilibriumError(
            f"the point rests in axes that turn with {shown(self.equilibrium.spin.tolist())} rad/s, and "
            f"{what} asks about states that stand still: give this rate to the description "
            "(frame_rate=), and take the point there, without spin="
        )

    def controllable(self, sizes: np.ndarray | None = None) -> Controllability:
        """What the inputs reach on the leaf; ranks are exact where the point is.

        Parameters
        ----------
        sizes : ndarray (n,), optional
            Of the states, in which what is reached and what is not are orthogonal; by default those of the
            system at the point.

        Raises
        ------
        EquilibriumError
            If the effect of an input depends on the time, the linearisation is a copy without its system, or
            the point rests in axes that turn by a ``spin=``.
        InputError
            If sizes are not n positive numbers.
        DescriptionError
            For a system on a manifold with forces, laws or potentials that are functions.

        Examples
        --------
        >>> import geoctrl as gc
        >>> skate = gc.models.get("pendulum-skate-rotor")().reduce()
        >>> lin = gc.linearize(skate, skate.equilibrium("sliding", Y0=1.0))
        >>> lin.controllable()
        <Controllability: rank 3 of 3, the leaf's 5 but for 2 conserved>
          neutral: C1, C2
        """
        system = self._exact_system("controllable")
        self._require_constant_effects()
        if sizes is not None:
            sizes = finite_array("sizes", sizes, (len(self.state_labels),))
            if not np.all(sizes > 0):
                raise InputError(f"sizes must be positive, got {sizes.tolist()}")
        return controllability(leaf_pair(system, self.equilibrium), self.scales, self.state_labels, sizes)

    def observable(self, outputs: Any) -> Observability:
        """What outputs see on the leaf, conserved functions known; ranks are exact where the point is.

        Parameters
        ----------
        outputs : label, sequence of labels, or mapping of label -> expression in the states
            Labels of states or of declared outputs.

        Raises
        ------
        LabelError, InputError, ExpressionError
            For an unknown label, an output that depends on an input or on the time, and what is no
            expression of the system.
        EquilibriumError, DescriptionError
            As `controllable`.

        Examples
        --------
        >>> import geoctrl as gc
        >>> skate = gc.models.get("pendulum-skate-rotor")().reduce()
        >>> lin = gc.linearize(skate, skate.equilibrium("sliding", Y0=1.0))
        >>> lin.observable("v1")
        <Observability by v1: rank 2 of 3>
          known: C1, C2
          not seen: theta_dot (eigenvalue 0)
        """
        system = self._exact_system("observable")
        pair = leaf_pair(system, self.equilibrium, signals(system, outputs))
        return observability(pair, self.scales, self.state_labels)

    def _require_constant_effects(self) -> None:
        if self.varying:
            raise EquilibriumError(
                f"the effect of {', '.join(self.varying)} depends on the time, and the B of a linear system "
                "is constant; take sys.to_control(), or a mechanism without these inputs"
            )

    def to_control(self, name: str | None = None):
        """The leaf pair (A_leaf, B_leaf) as a `control.StateSpace`, all leaf coordinates as outputs.

        Raises
        ------
        EquilibriumError
            If the effect of an input depends on the time.
        """
        from geoctrl import interop

        self._require_constant_effects()
        d, m = self.B_leaf.shape
        return interop.state_space(
            self.A_leaf,
            self.B_leaf,
            np.eye(d),
            np.zeros((d, m)),
            states=self.leaf_labels,
            inputs=self.input_labels,
            outputs=self.leaf_labels,
            name=interop.system_name(name, f"{self.name}_linearized"),
        )

    def _lines(self) -> list[str]:
        lines = [f"<Linearization of {self.name}>", spectrum_line("eigenvalues", self.eigenvalues)]
        return [*lines, f"  zero modes: {'; '.join(self._zeros) or '-'}"]

    full = full_text
    __repr__ = short_form

    @property
    def _zeros(self) -> list[str]:
        named = [name for name in self.zero_modes if name != "family"]
        return [*named, *(f"family along {states}" for states in self.families)]

    def _repr_html_(self) -> str:
        return spectrum_card(f"Linearization of {self.name or 'a system'}", self.eigenvalues, self._zeros)


def linearize(sys: System, eq: Any, params: Mapping[str, float] | None = None) -> Linearization:
    """Linearise at an equilibrium.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem or RotationSystem
    eq : Equilibrium, state ``x`` or pair ``(x, u)``
    params : dict, optional
        Overrides those of the equilibrium.

    Returns
    -------
    Linearization

    Raises
    ------
    EquilibriumError
        If the point is not an equilibrium, or off the leaf.
    ParameterError
        For an unknown parameter.
    FrameError, ConstraintError, SingularMassError
        Where frame, constraint rows or mass matrix are singular.
    TypeError
        If ``sys`` is no system (but a description of one), or ``eq`` no point.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> gc.linearize(skate, skate.equilibrium("sliding", Y0=1.0)).eigenvalues.real.round(4)
    array([ 0.    ,  0.    , -3.1016,  3.1016])
    """
    system = as_system(sys, "linearize")
    point = resolve_equilibrium(system, eq, params)
    return linearization_at(system.seen_from(point.spin), point)


@rare_collections
def linearization_at(seen: Seen, point: Equilibrium) -> Linearization:
    """`linearize` at a point that is known to be an equilibrium, in the axes in which it rests."""
    x, u, numbers, system = point.x, point.u, dict(point.params), seen.system
    A, B, W = slopes(seen, point)
    varying = seen.varying_inputs(u)
    B[:, [system.input_labels.index(label) for label in varying]] = np.nan
    scales = seen.scales(x, u, numbers)
    unit, tangent = scales.unit, scales.tangent
    rows = seen.scaled_gradients(x, u, numbers)
    for jet in shape_jets(system, x, u, numbers):
        rows[jet.name] = scaled_row(np.array(jet.gradient) * unit, np.array(jet.gradient) * unit)
    names, level = invariant_directions(rows, tangent)
    within, scaled = tangent @ level, A * (unit / unit[:, None])
    # Of orthonormal columns and of sums what is below their rounding is none: no zero mode moves by it.
    within = np.where(np.abs(within) > ROUNDING, within, 0.0)
    inner, terms = within.T @ scaled @ within, np.abs(within.T) @ np.abs(scaled) @ np.abs(within)
    inner = np.where(np.abs(inner) > ROUNDING * terms, inner, 0.0)
    # Where no state acts back on itself, A is nilpotent.
    others = np.linalg.eigvals(inner) if inner.size and scales.rate else np.zeros(len(inner))
    eigenvalues = np.concatenate([np.zeros(len(names)), ordered_eigenvalues(others)])
    if not np.any(np.iscomplex(eigenvalues)):
        eigenvalues = eigenvalues.real
    along = within @ scales.kernel_of(inner)
    further = along.shape[1]
    return Linearization(
        A=A,
        B=B,
        basis=W,
        A_leaf=W.T @ A @ W,
        B_leaf=W.T @ B,
        eigenvalues=eigenvalues,
        zero_modes=(*names, *["family"] * further),
        families=tuple(states_along(v, system.state_labels) for v in _sparse(along)),
        equilibrium=point,
        name=system.name or "system",
        state_labels=system.state_labels,
        input_labels=system.input_labels,
        varying=varying,
    )


def slopes(seen: Seen, point: Equilibrium) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives A (n, n) and B (n, m) of the field, and a basis W (n, d) of the leaf's tangent space."""
    x, u, numbers = point.x, point.u, dict(point.params)
    A, B = seen.derivatives(x, u, numbers)
    A = np.where(seen.scales(x, u, numbers).A != 0, A, 0.0)  # without what is rounding alone
    return A, B, seen.leaf_basis(x, numbers)


def _sparse(vectors: np.ndarray) -> np.ndarray:
    """Rows that span the columns of a matrix, each with zeros where the others have their largest entries."""
    rows = np.array(vectors, dtype=float).T
    for i in range(len(rows)):
        free = rows[i:]
        k, j = np.unravel_index(np.argmax(np.abs(free)), free.shape)
        rows[[i, i + int(k)]] = rows[[i + int(k), i]]
        rows[i] /= rows[i, j]
        for other in range(len(rows)):
            if other != i:
                rows[other] -= rows[other, j] * rows[i]
    return rows


def invariant_directions(gradients: Mapping[str, np.ndarray], W: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Invariants with independent gradients on the leaf, and a basis (d, d - r) of their common kernel.

    Gradients are in units of the states, over the sizes of their terms (`Seen.scaled_gradients`), and so is
    the basis W (n, d) of the leaf's tangent space: what is far below one is rounding.
    """
    # The energy last: where it depends on the others at the point, they are what names the zero modes.
    order = sorted(
        ((k, np.asarray(g) @ W) for k, g in gradients.items()), key=lambda item: item[0] == "energy"
    )
    names: list[str] = []
    rows = np.zeros((0, W.shape[1]))
    for name, row in order:
        size = np.linalg.norm(row)
        if not size > INDEPENDENT or not np.isfinite(size):  # no derivative there: it names no zero
            continue
        trial = np.vstack([rows, row / size])
        if np.linalg.matrix_rank(trial, tol=INDEPENDENT) == len(trial):
            rows, names = trial, [*names, name]
    if not len(rows):
        return names, np.eye(W.shape[1])
    return names, np.linalg.svd(rows)[2][len(rows) :].T
