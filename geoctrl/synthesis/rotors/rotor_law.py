"""What a matching, its laws and its sets of gains know of one another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from sympy.logic.boolalg import Boolean

from geoctrl._checks import flag
from geoctrl.errors import LawWarning
from geoctrl.sampling import Controls, Feedback
from geoctrl.synthesis.export import compensation, law_outputs
from geoctrl.synthesis.export.formula import as_feedback, law_latex, with_numbers
from geoctrl.synthesis.rotors.rank_branches import Branch
from geoctrl.systems import EulerPoincare, Parameter, ReducedSystem, Rotors
from geoctrl.systems.printing.equations import collected_fraction
from geoctrl.systems.typesetting.decimal_printing import expression_text
from geoctrl.systems.typesetting.notebook import displayed_formula

__all__ = ["GainSet", "Law", "Matched"]


class Law(Controls):
    """Torques on the rotors of a mechanism, as functions of the state, that realise a controlled Lagrangian.

    Attributes
    ----------
    mechanism : EulerPoincare
        The plant.
    rotors : Rotors
        Its rotors.
    inertia : sympy matrix, n x n
        Of the controlled Lagrangian.
    tau, rho_inverse : sympy matrices
    gain_parameters : tuple of Parameter
        The gains as parameters of the loop.
    """

    mechanism: EulerPoincare
    rotors: Rotors
    inertia: sp.ImmutableMatrix
    tau: sp.Matrix
    rho_inverse: sp.Matrix
    gain_parameters: tuple[Parameter, ...]

    function, latex, to_c = law_outputs.function, law_outputs.latex, law_outputs.to_c
    compensated = compensation.compensated

    @property
    def input_labels(self) -> tuple[str, ...]:
        """Labels of the torques."""
        return self.rotors.input_labels

    @abstractmethod
    def closed_loop(self, momentum: Any = 0.0, rotors: bool = False) -> ReducedSystem:
        """The closed loop as a system; ``rotors`` keeps the rotor rates as states."""

    @property
    @abstractmethod
    def bare(self) -> ReducedSystem:
        """The reduced loop without outputs: the law is read off its accelerations."""

    @property
    @abstractmethod
    def torques(self) -> list[sp.Expr]:
        """The law as it is recorded, for the loops: with several rotors to cancel it takes minutes."""

    @property
    @abstractmethod
    def full(self) -> ReducedSystem:
        """The loop with rotor rates as states."""

    @property
    @abstractmethod
    def full_torques(self) -> list[sp.Expr]:
        """The law in the states of `full`."""

    @abstractmethod
    def __call__(self, t: float, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Torques (s,) or (s, nt) at a state of a loop."""

    @abstractmethod
    def to_control(self, name: str | None = None) -> Any:
        """The controller as a `control.NonlinearIOSystem`."""

    @abstractmethod
    def with_damping(self, k: Any = 0.0, kappa: Any = 0.0, energy: str | None = None) -> Law:
        """The law with dissipation and regulation of the rotors' momentum."""

    @property
    @abstractmethod
    def warnings(self) -> tuple[LawWarning, ...]:
        """What is known to be left without proof by these gains and not by others."""

    @abstractmethod
    def warn_once(self) -> None:
        """Issue the `warnings` when the first loop is made."""

    @cached_property
    def expr(self) -> sp.ImmutableMatrix:
        """The torques (s x 1) in states of the reduced loop, parameters and gains."""
        return sp.ImmutableMatrix([collected_fraction(e, self.bare.states) for e in self.torques])

    def numeric(self, params: Mapping[str, float] | None = None, rotors: bool = False) -> dict[str, sp.Expr]:
        """The torques by input label in states alone, with numbers for parameters and gains.

        What a plant takes as ``inputs`` or feedback: it does not know the gains. The controlled momentum is
        zero in it, or a state of the loop; a controller's states are among the symbols.

        Parameters
        ----------
        params : dict, optional
            Of the plant and the gains, by name; coefficients are computed exactly and rounded once.
        rotors : bool
            In the states of ``closed_loop(rotors=True)`` instead of those of the reduced loop, so that the
            momentum is what the rotor rates make it.

        Raises
        ------
        ParameterError
            For an unknown parameter, or one without a value.
        """
        if flag("rotors", rotors):
            return with_numbers(self.full, self.by_input(self.full_torques), params)
        return with_numbers(self.bare, self.by_input(self.torques), params)

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law with numbers in the states of the plant, rotor rates among them; see `Controls.feedback`.

        What integrals of the damping ask for is a state of the controller, ``integral_<rotor>``.
        """
        return as_feedback(self.mechanism, self.full, self.by_input(self.full_torques), params)

    def by_input(self, torques: Sequence[sp.Expr]) -> dict[str, sp.Expr]:
        """Torques by their input label."""
        return dict(zip(self.rotors.input_labels, torques, strict=True))

    def _repr_latex_(self) -> str:
        parameters = [p.symbol for p in (*self.mechanism.parameters, *self.gain_parameters)]
        return displayed_formula(lambda _: law_latex(self.by_input(self.expr), parameters))

    def _remark(self) -> str:
        """What ``repr`` tells besides the gains."""
        return ""

    def __repr__(self) -> str:
        rows = "\n".join(f"  {label} = {expression_text(e)}" for label, e in self.by_input(self.expr).items())
        gains = ", ".join(f"{p.name} = {p.default}" for p in self.gain_parameters)
        return f"<{type(self).__name__} for {self.mechanism.name}: {gains}{self._remark()}>\n{rows}"


class GainSet(ABC):
    """The gains that stabilise something."""

    @abstractmethod
    def contains(self, sigma: Any, params: Mapping[str, float] | None = None) -> bool | None:
        """Whether a gain is in it, None where that is not decided."""

    @property
    @abstractmethod
    def feasible(self) -> bool | None:
        """Whether there is any, None where that is not decided."""

    @property
    @abstractmethod
    def condition(self) -> Boolean:
        """The set as a condition on the gain."""


class Matched(ABC):
    """Solutions of the matching conditions of a mechanism: what laws and sets of gains are made of.

    Attributes
    ----------
    mechanism : EulerPoincare
    rotors : Rotors
        Of the mechanism.
    branches : tuple of Branch
        The trivial one first, the full one ([GO] 52) last.
    sigma : sympy matrix, s x s
        Symbols of the gain.
    """

    mechanism: EulerPoincare
    rotors: Rotors
    branches: tuple[Branch, ...]
    sigma: sp.ImmutableMatrix

    @abstractmethod
    def inertia(self, sigma: Any = None) -> sp.ImmutableMatrix:
        """Inertia (n x n) of the controlled Lagrangian for a gain."""

    @abstractmethod
    def law(self, sigma: Any) -> Law:
        """Feedback law of the full branch for a gain."""

    @abstractmethod
    def family_design(self, family: str) -> GainSet:
        """The gains that stabilise a declared family."""
