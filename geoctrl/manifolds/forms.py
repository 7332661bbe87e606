"""The same system on a manifold in other states: momenta in place of velocities, say."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from geoctrl._checks import require_choice
from geoctrl._scalars import Node
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.calculus import differences
from geoctrl.manifolds.laws import callable_law, law_terms, read_law
from geoctrl.manifolds.leaf import ManifoldLeaf
from geoctrl.manifolds.model import ManifoldModel
from geoctrl.manifolds.numerics import Run
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.runs import Samples
from geoctrl.stepping.drive import Drive
from geoctrl.systems.field import Field

__all__ = ["FormRun", "ManifoldForm", "check_form"]


def check_form(form: str, forms: Sequence[str]) -> None:
    """InputError for an unknown form."""
    require_choice("form", form, forms)


class ManifoldForm(ManifoldModel):
    """A system with states of a form: it is run like any other, and analysed as ``system``.

    Parameters
    ----------
    system : ManifoldSystem
    form : str
        Name of the second part of the state.
    """

    forms: ClassVar[tuple[str, ...]]

    def __init__(self, system: ManifoldSystem, form: str) -> None:
        check_form(form, self.forms)
        self.system, self.form = system, form
        self.product, self.space, self.pair = system.product, system.space, (system.pair[0], form)
        self.shape = system.shape
        self.n, self.name, self.params, self.parameters = (
            system.n, system.name, system.params, system.parameters,
        )  # fmt: skip
        self.inputs, self.input_labels, self.driven = system.inputs, system.input_labels, system.driven
        self.graph = system.graph

    @property
    def own(self) -> str:
        """The form that the states of the system have."""
        return self.system.pair[1]

    @cached_property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states: those of the system, by the name of the form in the second part."""
        first, second = self.system.state_labels[: self.split], self.system.state_labels[self.split :]
        return *first, *(label.replace(self.own, self.form) for label in second)

    def pack(self, *parts: Any) -> np.ndarray:
        """States (size,) or (size, nt) of their parts, as those of the system."""
        return self.system.pack(*parts)

    def unpack(self, x: Any) -> Any:
        """The parts of states: inverse of `pack`."""
        return self.system.unpack(x)

    @abstractmethod
    def rates(self, run: Any, t: float, first: np.ndarray, second: np.ndarray) -> Sequence[np.ndarray]:
        """Rates of the two parts, with the kernels of a run of the system."""

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States of one form as states of another."""
        return self.system.convert(x, source, target, params)

    def velocities(self, x: Any, params: Mapping[str, float] | None) -> np.ndarray:
        """States of the form as states of the system."""
        return self.system.convert(x, self.form, self.own, params)

    def energy(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray | float:
        """Energy (J), float or (nt,): of momenta the Hamiltonian."""
        return self.system.energy(self.velocities(x, params), params)

    def conserved(self, params: Mapping[str, float] | None = None, *, u: Any = None) -> tuple[str, ...]:
        """Names of what runs under constant inputs keep: what the system keeps."""
        return self.system.conserved(params, u=u)

    @property
    def leaf(self) -> ManifoldLeaf:
        """The relations of the system, of the velocities that belong to a state."""
        return self.system.leaf

    def leaf_residual(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Defects of the relations of the system: (r,) or (r, nt)."""
        return self.system.leaf_residual(self.velocities(x, params), params)

    def derivatives(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `rhs` by the state and by the inputs: central differences."""
        return differences(lambda y, v: self.rhs(t, y, v, params), x, u)

    def momentum(self, x: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Momentum map of rotations: (3,), or (3, nt)."""
        return self.system.momentum(self.velocities(x, params), params)

    def closed_loop(self, law: Any) -> Self:
        """The form with its inputs set by a law in its states, without inputs.

        Raises
        ------
        DescriptionError
            If there are no inputs, or not one expression for each.
        """
        law = read_law(law)
        function = law if callable(law) else callable_law(self, law_terms(law, self.input_labels))

        def carried(t: float, x: np.ndarray, params: Mapping[str, float]) -> Any:
            return function(t, self.convert(x, self.own, self.form, params), params)

        return type(self)(self.system.closed_loop(carried), self.form)

    # -- what `geoctrl.simulate` asks for -----------------------------------------------------------

    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, float]:
        """Defaults overridden by ``params``."""
        return self.system.parameters_at(params)

    def run(self, params: Mapping[str, float] | None = None) -> FormRun:
        """The field with the numbers of one run."""
        return FormRun(self, self.system.run(params))

    def acting(self, drive: Drive) -> ManifoldModel:
        """The system of which a run under some inputs is one, closed by them where they are feedback."""
        return self.system if drive.law is None else self.closed_loop(drive.law).system

    def start(self, x0: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Initial state of a pair, a state or an equilibrium of the system, on the manifold to rounding.

        Raises
        ------
        ConstraintError, InputError
            As for the system.
        """
        if hasattr(x0, "x"):
            return self.convert(self.system.start(x0), self.own, self.form, params or x0.params)
        given = x0 if self.system.is_start(x0) else self.unpack(x0)
        return self.product.state(*self.read_start(given))

    @abstractmethod
    def read_start(self, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """z (N, 3) and the second part (n, 3) of a start in the form, on the manifold to rounding."""

    def trajectory(self, time: np.ndarray, states: np.ndarray, **rest: Any) -> Samples:
        """Trajectory of states of the form; ``rest`` as `ManifoldTrajectory` takes it."""
        x = self.velocities(states, rest["params"])
        return self.system.trajectory(time, x, seen=(self, states), **rest)

    @property
    def recording(self) -> NoReturn:
        """Only the system itself is written out: DescriptionError."""
        raise self._refusal

    @property
    def _refusal(self) -> DescriptionError:
        first, second = self.system.pair
        return DescriptionError(
            f"this takes the system in ({first}, {second}): the attribute system of the form"
        )

    def view(self, spin: Any = None) -> NoReturn:
        """Only the system itself is seen as reduced equations: DescriptionError."""
        del spin
        raise self._refusal

    def seen_from(self, spin: Any = None) -> NoReturn:
        """Only the system itself is linearised and certified: DescriptionError."""
        self.view(spin)

    @property
    def parameter_nodes(self) -> dict[str, Node]:
        """Nodes of the parameters by name."""
        return self.system.parameter_nodes

    @cached_property
    def driven_nodes(self) -> Sequence[Node]:
        """Nodes of the inputs, those set by a law included."""
        return self.system.driven_nodes

    def __repr__(self) -> str:
        parts = ", ".join(self.pair)
        where = self.space
        return f"<{type(self).__name__} ({parts}) of {self.system.name or 'unnamed'} on {where}>"


class FormRun(Field):
    """The field of a form with the numbers of one run of the system."""

    def __init__(self, form: ManifoldForm, run: Run) -> None:
        self.form, self.run = form, run

    @property
    def engine(self) -> str:
        """How potential, forces and inertia are evaluated: "numba" or "python"."""
        return self.run.engine

    def hold(self, u: np.ndarray) -> None:
        """Set the inputs (m,)."""
        self.run.hold(u)

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rate of a state of the form."""
        return np.concatenate([p.ravel() for p in self.form.rates(self.run, t, *self.form.product.parts(x))])
