r"""Linear laws :math:`u = u_e - K (x - x_e)` of systems on products of manifolds, spheres and rotations.

The states are those of the ambient space (entries of attitudes and directions), the gain vanishes across the
leaf to first order at the point, and the loop is again a system on the manifold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, resolve_parameters
from geoctrl._printing.printed_lines import on_one_page
from geoctrl.analysis.linear.controllability import Controllability
from geoctrl.errors import InputError
from geoctrl.manifolds.description.state_symbols import part
from geoctrl.sampling import Controls, Feedback
from geoctrl.synthesis.export import law_outputs
from geoctrl.synthesis.export.controllers import controller
from geoctrl.synthesis.export.formula import law_latex
from geoctrl.synthesis.linear.linear_law import AffineMap, LinearLaw
from geoctrl.systems import Equilibrium, Family, as_written
from geoctrl.systems.typesetting.notebook import displayed_formula

__all__ = ["ManifoldLaw", "affine_law"]


def affine_law(
    plant: Any, equilibrium: Equilibrium, K: np.ndarray, reached: Controllability
) -> LinearLaw | ManifoldLaw:
    """The linear law of a plant of either kind."""
    if plant.recorded:
        return LinearLaw(plant, equilibrium, K, reached)
    return ManifoldLaw(plant, equilibrium, K, reached)


class ManifoldLaw(Controls):
    r"""Inputs :math:`u = u_e - K (x - x_e)` of a system on a manifold; made by `lqr` and `place`.

    Attributes
    ----------
    plant : ManifoldSystem
    equilibrium : Equilibrium
        Where the law is linear about; its parameters are those of the law.
    K : ndarray (m, n)
        In the states and inputs of the plant.
    reached : Controllability
        What the inputs reach there.
    eigenvalues : ndarray
        Of the loop on what the inputs reach.
    gain_parameters : tuple
        Empty: K is in numbers.

    Raises
    ------
    TypeError, InputError
        If it is not made of a system, an equilibrium, what its inputs reach, and a K of that size.

    Examples
    --------
    A satellite that turns at 1/2 rad/s about an axis that leans by the angle of 3:4:5, seen from axes that
    turn with it:

    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> R, M = gc.manifolds.Attitude("R"), sp.symbols("M1:4", real=True)
    >>> T = R.velocity.dot(sp.diag(0.3, 0.5, 0.4) * R.velocity) / 2
    >>> satellite = gc.manifolds.ProductSystem(
    ...     [R], kinetic=T, forces={"R": M}, inputs=M, frame_rate=[0, 0, 0.5]
    ... )
    >>> leaning = [[0.8, 0, -0.6], [0, 1, 0], [0.6, 0, 0.8]], [0.3, 0, 0.4]
    >>> eq = gc.find_equilibrium(satellite, {"R": leaning}, free=["M1", "M2", "M3"])
    >>> law = gc.lqr(satellite, eq)
    >>> print(gc.certify(law.closed_loop(), law.equilibrium).verdict)
    PROVED_ASYMPTOTICALLY_STABLE
    """

    gain_parameters: tuple = ()
    own_states: tuple[str, ...] = ()
    plant, equilibrium = part("map.plant"), part("map.equilibrium")
    K, reached = part("map.K"), part("map.reached")
    eigenvalues, pace, neutral = part("map.eigenvalues"), part("map.pace"), part("map.neutral")
    torques, expr, computed = part("map.torques"), part("map.expr"), part("map.computed")

    def __init__(self, plant: Any, equilibrium: Equilibrium, K: np.ndarray, reached: Controllability) -> None:
        as_written(plant, "a linear law")
        self.map, self.input_labels = AffineMap(plant, equilibrium, K, reached), plant.input_labels

    def __call__(self, _t: float, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inputs (m,) or (m, nt) at states (n,) or (n, nt) of the plant, whatever time and parameters are.

        Raises
        ------
        InputError, ParameterError
            If ``x`` has the wrong shape; for an unknown parameter.
        """
        return self.map.values(x, params)

    def with_gain(self, K: np.ndarray) -> ManifoldLaw:
        """The law with another K."""
        return ManifoldLaw(self.plant, self.equilibrium, K, self.reached)

    @property
    def units(self) -> Mapping[str, str]:
        """Units by label of states and inputs, as far as the plant tells them."""
        return self.plant.told_units

    # -- the loop -------------------------------------------------------------------------------

    def closed_loop(self, estimator: Any = None, *, along: str | None = None) -> Any:
        r"""The closed loop: the system on the manifold whose inputs are the law's.

        Parameters
        ----------
        estimator : None
        along : str, optional
            A family of the plant: with these gains the law holds each of its members as it is, :math:`u =
            u_e(s) - K (x - x_e(s))`, and the symbols s of the family are parameters of the loop.

        Returns
        -------
        ManifoldSystem
            With the parameters of the equilibrium as defaults. Families are those of the plant of which all
            members are held, and the equilibrium's by its family's name or "held".

        Raises
        ------
        InputError
            For an estimator: its estimate is no state of a system on a manifold.
        ParameterError
            For an unknown family.
        """
        if estimator is not None:
            raise InputError(
                "on manifolds an estimate is no state of the loop: take gc.lqe with rate=, "
                "estimator.feed(law).sampled() and simulate(plant, ..., controller=)"
            )
        if along is None:
            return self.full
        law = self.map.law_about_members(along)
        return self._loop(law.torques, law.parameters, law.families, f"linear law along {along!r}")

    @cached_property
    def full(self) -> Any:
        """`closed_loop`."""
        plant, point = self.plant, self.equilibrium
        parameters = [replace(p, default=point.params[p.name]) for p in plant.parameters]
        return self._loop(self.torques, parameters, self.map.held_families(plant.families), "linear law")

    def _loop(self, torques: Any, parameters: Any, families: Mapping[str, Family], law: str) -> Any:
        """The plant with inputs and parameters of a loop, which has these families."""
        plant = self.plant
        bare = plant.replace(parameters=parameters, equilibria={}, name=f"{plant.name or 'system'}, {law}")
        return bare.closed_loop(torques).replace(equilibria=families)

    # -- what it is handed over as --------------------------------------------------------------

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law in the states of the plant; see `Controls.feedback`."""
        resolve_parameters(self.equilibrium.params, params)
        terms = dict(zip(self.input_labels, self.torques, strict=True))
        return Feedback(terms, rest=self.map.rest, computed=self.computed)

    def by_input(self, inputs: Any = None) -> dict[str, sp.Expr]:
        """Expressions by input label, those of the law by default."""
        return dict(zip(self.input_labels, self.torques if inputs is None else inputs, strict=True))

    def numeric(self, params: Mapping[str, float] | None = None) -> dict[str, sp.Expr]:
        """The inputs by label in states alone, with numbers for everything else."""
        resolve_parameters(self.equilibrium.params, params)
        return self.computed

    def gradient(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Derivative of the inputs by the state, (m, n): -K at every state (n,)."""
        finite_array("x", x, (self.plant.nstates,))
        resolve_parameters(self.equilibrium.params, params)
        return -self.K

    def _instructions(self, params: Mapping[str, float] | None) -> law_outputs.Computed:
        values = resolve_parameters(self.equilibrium.params, params)
        nodes = [self.plant.expression(e) for e in self.expr]
        return law_outputs.Computed.of(self.plant, nodes, values)

    def function(self, params: Mapping[str, float] | None = None) -> Callable[[Any], tuple[float, ...]]:
        """The law as a plain function of one state; as `Law.function`."""
        made = self._instructions(params)
        return law_outputs.plain_function(made, self.input_labels, self.plant.state_labels)

    def to_c(
        self, folder: Any, params: Mapping[str, float] | None = None, name: str | None = None
    ) -> tuple[Path, Path]:
        """Write the law as C99, ``NAME.h`` and ``NAME.c``; as `Law.to_c`.

        Raises
        ------
        InputError, TypeError
            For a folder that cannot be made or is no path, or a name that is no identifier.
        """
        plant, told = self.plant, self.plant.told_units
        values = resolve_parameters(self.equilibrium.params, params)
        return law_outputs.numbers_in_c(
            folder,
            name,
            plant.name,
            states=[(label, told.get(label, "")) for label in plant.state_labels],
            inputs=[(label, told.get(label, "")) for label in self.input_labels],
            parameters=[(p.name, values[p.name], p.unit) for p in plant.parameters],
            law=self._instructions(params),
        )

    def to_control(self, name: str | None = None) -> Any:
        """The law as a static `control.NonlinearIOSystem`: states of the plant in, its inputs out."""
        return controller(self, self.full, self.input_labels, (), name)

    def latex(self) -> str:
        r"""The law in LaTeX: one line for each input."""
        parameters = [p.symbol for p in self.plant.parameters]
        return law_latex(self.by_input(self.expr), parameters)

    # -- display --------------------------------------------------------------------------------

    def _repr_latex_(self) -> str:
        return displayed_formula(lambda _: self.latex())

    def _lines(self) -> list[str]:
        head = f"<{type(self).__name__} for {self.plant.name or 'a system'}>"
        rows = [f"  {u} = {e.evalf(6)}" for u, e in self.by_input(self.expr).items()]
        return [head, *rows, *self.map.lines()]

    def __repr__(self) -> str:
        return on_one_page(self._lines(), rest="  ... .expr has the rest")
