"""What a law is: inputs of a plant as functions of its state, and all that is made of them."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl._checks import finite_array, flag, number_array, user_level
from geoctrl._printing.printed_lines import on_one_page, with_units
from geoctrl._scalars import Node, to_sympy
from geoctrl.errors import LawWarning
from geoctrl.sampling import Controls, Feedback
from geoctrl.synthesis.export import compensation, law_outputs
from geoctrl.synthesis.export.controllers import controller
from geoctrl.synthesis.export.formula import as_feedback, law_latex, with_numbers
from geoctrl.systems import EulerPoincare, Parameter, ReducedSystem
from geoctrl.systems.printing.equations import collected_fraction
from geoctrl.systems.typesetting.decimal_printing import expression_text
from geoctrl.systems.typesetting.notebook import displayed_formula

__all__ = ["Law", "with_feedback"]

_LONG = 2000
"""Characters of an input that nobody reads."""


class Law(Controls):
    """Inputs of a plant as functions of its state, and the loop that they close.

    A kind of law answers three questions, and all else is written here, once:

    - how is it computed? `nodes` are its inputs, in the graph of the system `bare` along whose motion they
      are read off;
    - which states has it of its own, that nobody measures? `own_states`;
    - which loop does it close? `full` is the plant with the law as its feedback, the inputs its outputs.

    Attributes
    ----------
    mechanism : EulerPoincare
        The plant.
    input_labels : tuple of str
        Labels of the inputs that the law sets.
    gain_parameters : tuple of Parameter
        The gains as parameters of the loop.
    """

    mechanism: EulerPoincare
    input_labels: tuple[str, ...]
    gain_parameters: tuple[Parameter, ...] = ()
    _warned = False

    compensated = compensation.compensated

    @property
    def file_limits(self) -> Mapping[str, tuple[float, float]]:
        """Limits of the law's inputs, of the model file that its plant is read from; empty without one."""
        given = self.mechanism.limits
        return {label: given[label] for label in self.input_labels if label in given}

    @property
    def units(self) -> Mapping[str, str]:
        """Units by label of states and inputs, as far as the plant tells them."""
        return self.mechanism.reduce().told_units

    # -- what a kind of law answers ---------------------------------------------------------------

    @property
    @abstractmethod
    def bare(self) -> ReducedSystem:
        """The loop without outputs: the law is read off its accelerations."""

    @property
    @abstractmethod
    def nodes(self) -> list[Node]:
        """The inputs in the graph of `bare`."""

    @property
    @abstractmethod
    def full(self) -> ReducedSystem:
        """The plant with the law as its feedback, in the plant's states and those that the law adds."""

    @property
    def own_states(self) -> tuple[str, ...]:
        """Labels of states of `full` that are the controller's, the last ones."""
        return ()

    @property
    def _further_states(self) -> list[Node]:
        """States in `nodes` that `bare` does not have: some of `own_states`."""
        return []

    @property
    def _rest(self) -> Mapping[str, float]:
        """Inputs by label at the point that the law holds, where they are not zero."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Without nodes: a system is made anew where it is unpickled, in a graph of its own."""
        kept = self.__dict__.items()
        return {k: v for k, v in kept if not (isinstance(v, list) and any(isinstance(e, Node) for e in v))}

    # -- formulas ---------------------------------------------------------------------------------

    @cached_property
    def torques(self) -> list[sp.Expr]:
        """The inputs in states of the loop as they are recorded: several rotors take minutes to cancel."""
        own = {node: sp.Symbol(node.payload, real=True) for node in self._further_states}
        return to_sympy(self.nodes, self.bare.symbols | own)

    def by_input(self, inputs: Sequence[sp.Expr] | None = None) -> dict[str, sp.Expr]:
        """Expressions by input label, those of the law as it is recorded by default."""
        return dict(zip(self.input_labels, self.torques if inputs is None else inputs, strict=True))

    @cached_property
    def expr(self) -> sp.ImmutableMatrix:
        """The inputs (m x 1) in states of the loop, parameters and gains; long ones as they are recorded."""
        time, states = Budget(self._tidying), self.bare.states
        return sp.ImmutableMatrix(
            [time.attempt("the law", partial(collected_fraction, e, states), e) for e in self.torques]
        )

    _tidying = math.inf
    """Seconds for bringing a law into a short form."""

    @property
    def _written_in(self) -> ReducedSystem:
        """The loop in whose states the law is written."""
        return self.full if self._further_states else self.bare

    def numeric(self, params: Mapping[str, float] | None = None, rotors: bool = False) -> dict[str, sp.Expr]:
        """The inputs by label in states alone, with numbers for parameters and gains.

        What a plant takes as ``inputs`` or feedback: it does not know the gains. The controlled momentum of
        rotors is zero in it, or a state of the loop; a controller's states are among the symbols.

        Parameters
        ----------
        params : dict, optional
            Of the plant and the gains, by name; coefficients are computed exactly and rounded once.
        rotors : bool
            In the states of `full`, rotor rates among them, so that the momentum is what these make it.

        Raises
        ------
        ParameterError
            For an unknown parameter, or one without a value.
        """
        rates = flag("rotors", rotors)
        if self.computed:
            self.full.parameters(params)
            return dict(self.computed)
        if rates:
            return with_numbers(self.full, self._in_full, params)
        return with_numbers(self._written_in, self.by_input(), params)

    @property
    def _in_full(self) -> dict[str, sp.Expr]:
        """The inputs by label in states of `full`, whose outputs they are."""
        return {label: self.full.mechanism.outputs[label] for label in self.input_labels}

    def feedback(self, params: Mapping[str, float] | None = None) -> Feedback:
        """The law with numbers in the states of the plant; see `Controls.feedback`.

        States that the plant does not have, integrals of the damping say, are states of the controller.
        """
        found = as_feedback(self.mechanism, self.full, self._in_full, params)
        return replace(found, rest=self._rest, computed=self.computed)

    @property
    def _parameters(self) -> Sequence[Parameter]:
        """Of the loop."""
        return (*self.mechanism.parameters, *self.gain_parameters)

    def latex(self) -> str:
        r"""The law in LaTeX, in states, parameters and gains: one line for each input.

        Examples
        --------
        >>> import geoctrl as gc
        >>> law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5)
        >>> r"u_{\theta}" in law.latex()
        True
        """
        return law_latex(self.by_input(self.expr), [p.symbol for p in self._parameters])

    # -- values -----------------------------------------------------------------------------------

    def __call__(self, t: float, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Inputs (m,) or (m, nt) at states (n,) or (n, nt) of the loop, integrals included.

        Raises
        ------
        InputError, ParameterError
            If ``x`` has the wrong shape; for an unknown or missing parameter.
        """
        return self._evaluate(self.nodes, t, x, params)

    def gradient(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Derivative of the inputs by the state of the loop, (m, n), at a state (n,).

        Raises
        ------
        InputError, ParameterError
            As for a call.
        """
        x = finite_array("x", x, (self.bare.nstates + len(self._further_states),))
        values = self._evaluate(self._slopes, 0.0, x, params)
        return np.array(values, dtype=float).reshape(-1, len(x))

    @cached_property
    def _slopes(self) -> list[Node]:
        rows = self.bare.graph.jacobian(self.nodes, [*self.bare.state_nodes, *self._further_states])
        return [e for row in rows for e in row]

    def _evaluate(
        self, nodes: Sequence[Node], t: float, x: Any, params: Mapping[str, float] | None
    ) -> np.ndarray:
        """Of nodes in the graph of `bare`."""
        system, further, x = self.bare, self._further_states, number_array("x", x)
        known, added = (x[: -len(further)], x[-len(further) :]) if further and x.ndim else (x, [])
        given = system.arguments_at(t, known, None)
        arguments = [*given[: system.nstates], *added, *given[system.nstates :]]
        return system.program(nodes, further)(arguments, system.parameters(params))

    # -- what it is handed over as ----------------------------------------------------------------

    def function(self, params: Mapping[str, float] | None = None) -> Callable[[Any], tuple[float, ...]]:
        """The law as a plain function of one state, with numbers: ``f(x)`` gives a tuple of inputs.

        It is made of floats, the names of the module ``math`` and nothing else: ``numba.njit(f)`` compiles
        it, and its text is ``f.source``. The states are those of ``law.full.state_labels``: of the plant,
        rotor rates included, in its order, then those that the plant does not have (integrals, momenta,
        quasi-coordinates).

        Parameters
        ----------
        params : dict, optional
            Of the plant and the gains, by name.

        Returns
        -------
        callable
            Of a list, tuple or array (n,). What divides by zero raises ZeroDivisionError.

        Examples
        --------
        >>> import geoctrl as gc
        >>> law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5)
        >>> f = law.function()
        >>> [round(u, 3) for u in f([0.1, 0.0, 1.0, 0.0, 0.1, 0.995])]
        [25.565]
        """
        return law_outputs.python_function(self.full, self.input_labels, self.computed, params)

    def to_c(
        self, folder: Any, params: Mapping[str, float] | None = None, name: str | None = None
    ) -> tuple[Path, Path]:
        """Write the law as C99: ``NAME.h`` and ``NAME.c``, which need ``math.h`` and allocate nothing.

        - ``void NAME(const double x[], double u[])`` is the law; x are the states of
          ``law.full.state_labels``.
        - ``int NAME_checked(const double x[], double u[])`` the same, with zero inputs and the return value 1
          (a fault) where a state that is read or an input is nan or infinite, and else 0. Limits that are
          written as comparisons let nan pass: call this one.
        - ``void NAME_rates(const double x[], double rate[])``, where the law has states of its own, gives
          their rates: they are the last of x, and a loop with a step h adds ``h * rate``.

        The doubles are those of `function`, bit by bit, as long as the compiler neither contracts products
        and sums (gcc and clang: ``-ffp-contract=off``, or ``-std=c99`` of gcc) nor reorders (``-ffast-math``
        is refused); sin, cos and the like are as good as the libraries.

        Parameters
        ----------
        folder : path
            Made where it is not there; files of these names are replaced.
        params : dict, optional
            Of the plant and the gains, by name.
        name : str, optional
            A C identifier; made from the mechanism's name by default.

        Returns
        -------
        (Path, Path)
            The header and the source.
        """
        return law_outputs.written_in_c(
            self.mechanism, self.full, self.input_labels, self.computed, folder, params, name
        )

    def to_control(self, name: str | None = None) -> Any:
        """The law as a `control.NonlinearIOSystem`: states of the loop in, inputs of the plant out.

        States that are the controller's, ``integral`` say, are its own; without any it is static.
        """
        own = self.own_states if self._further_states else ()
        return controller(self, self._written_in, self.input_labels, own, name)

    # -- warnings and text --------------------------------------------------------------------------

    @property
    def warnings(self) -> tuple[LawWarning, ...]:
        """What is known against these gains."""
        return ()

    def warn_once(self) -> None:
        """Issue the `warnings` when the first loop is made."""
        if not self._warned:
            for warning in self._first_warnings():
                warnings.warn(warning, stacklevel=user_level())
            self._warned = True

    def _first_warnings(self) -> tuple[LawWarning, ...]:
        """Those of the `warnings` that are issued."""
        return self.warnings

    def _repr_latex_(self) -> str:
        return displayed_formula(lambda _: self.latex())

    def _remark(self) -> str:
        """What ``repr`` tells besides the gains."""
        return ""

    def _further_lines(self) -> list[str]:
        """What ``repr`` tells below the inputs."""
        return []

    def _text(self, expr: sp.Expr) -> str:
        text = expression_text(expr)
        return text if len(text) < _LONG else f"an expression of {len(text)} characters, .expr"

    def _lines(self) -> list[str]:
        fixed = {p.name for p in self.mechanism.parameters}
        gains = ", ".join(f"{p.name} = {p.default}" for p in self._parameters if p.name not in fixed)
        told = f": {gains}{self._remark()}" if gains else ""
        head = f"<{type(self).__name__} for {self.mechanism.name or 'a system'}{told}>"
        expressions, units = self.by_input(self.expr), self.units
        rows = [f"  {with_units([u], units)} = {self._text(e)}" for u, e in expressions.items()]
        return [head, *rows, *self._further_lines()]

    def __repr__(self) -> str:
        return on_one_page(self._lines(), rest="  ... .expr has the rest")


def with_feedback(mechanism: EulerPoincare, inputs: Mapping[str, sp.Expr], **changes: Any) -> EulerPoincare:
    """A plant with expressions as its feedback and among its outputs; ``controller`` are further states."""
    further = changes.pop("controller", {})
    kept = {
        "feedback": {**mechanism.feedback, **inputs},
        "outputs": {**mechanism.outputs, **inputs},
        "controller": {**mechanism.controller, **further},
        "parameter_sets": {},
    }
    return mechanism.replace(**(kept | changes))
