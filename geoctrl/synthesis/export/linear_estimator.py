r"""Estimates of the state from outputs: the linear observer about an equilibrium, on a level set of the leaf.

With an orthonormal basis V of the level set's tangent space and the estimate :math:`x_e + V z`

.. math:: \dot z = V^T A V z + V^T B\,(u - u_e) + V^T L\,(y - h(x_e) - C V z).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact
from geoctrl.analysis.linear.controllability import Observability
from geoctrl.analysis.linear.outputs import output_expressions
from geoctrl.systems import Equilibrium, System, as_written
from geoctrl.systems.typesetting.printed_spectra import ordered_eigenvalues, spectrum_line

__all__ = ["LinearEstimator"]


class LinearEstimator:
    """A linear observer of a plant about an equilibrium; made by `lqe`.

    Attributes
    ----------
    plant : System
    equilibrium : Equilibrium
    L : ndarray (n, p)
        The gain.
    seen : Observability
        What the outputs see, and the matrices.
    basis : ndarray (n, l)
        V.
    eigenvalues : ndarray (l,)
        Of the error.
    labels : tuple of str
        Of the coordinates z in a loop.

    Raises
    ------
    TypeError, InputError
        If it is not made of a system, an equilibrium, what its outputs see, and an L of that size.
    """

    def __init__(
        self, plant: System, equilibrium: Equilibrium, L: np.ndarray, seen: Observability, outputs: Any
    ) -> None:
        as_written(plant, "a linear estimator")
        if not isinstance(equilibrium, Equilibrium) or not isinstance(seen, Observability):
            raise TypeError("a linear estimator is made by gc.lqe")
        L = finite_array("L", L, (plant.nstates, len(seen.outputs)))
        self.plant, self.equilibrium, self.L, self.seen = plant, equilibrium, L, seen
        self._measured = output_expressions(plant, outputs)
        self.basis = V = seen.basis
        values = np.linalg.eigvals(V.T @ (seen.A - L @ seen.C) @ V)
        self.eigenvalues = ordered_eigenvalues(values)
        self.labels = tuple(f"estimate{i + 1}" for i in range(V.shape[1]))

    @property
    def neutral(self) -> tuple[str, ...]:
        """Functions that the estimate takes at their values at the equilibrium."""
        return self.seen.neutral

    def _matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of z, of u - u_e and of y - h(x_e) in the rate of z."""
        V, point = self.basis, self.equilibrium
        B = self.plant.input_jacobian(0.0, point.x, point.u, point.params)
        return V.T @ (self.seen.A - self.L @ self.seen.C) @ V, V.T @ B, V.T @ self.L

    def rates(self, z: sp.Matrix, u: sp.Matrix) -> list[sp.Expr]:
        """The rates of z in states of the plant, z and the inputs."""
        point = self.equilibrium
        at_rest = self.plant.program([self.plant.expression(e) for e in self._measured])(
            [*point.x, 0.0, *point.u], point.params
        )
        y = sp.Matrix(self._measured) - _rationals(at_rest)
        M, B, L = (_rationals(m) for m in self._matrices())
        return list(M * z + B * (u - _rationals(point.u)) + L * y)

    def to_control(self, name: str | None = None):
        """`control.StateSpace`: deviations of outputs and inputs in, of the estimated states out."""
        from geoctrl import interop

        M, B, L = self._matrices()
        V = self.basis
        return interop.state_space(
            M,
            np.hstack([L, B]),
            V,
            np.zeros((len(V), L.shape[1] + B.shape[1])),
            states=self.labels,
            inputs=[f"d_{label}" for label in (*self.seen.outputs, *self.plant.input_labels)],
            outputs=[f"d_{label}" for label in self.plant.state_labels],
            name=interop.system_name(name, "estimator"),
        )

    def _lines(self) -> list[str]:
        return [
            f"<LinearEstimator for {self.plant.name or 'a system'} by {', '.join(self.seen.outputs)}>",
            spectrum_line("error", self.eigenvalues),
            f"  taken as known: {', '.join(self.neutral) or '-'}",
        ]

    full = full_text
    __repr__ = short_form


def _rationals(values: np.ndarray) -> sp.Matrix:
    """Doubles as the rationals they are."""
    return sp.Matrix([[sp.Rational(exact(v)) for v in row] for row in np.reshape(values, (len(values), -1))])
