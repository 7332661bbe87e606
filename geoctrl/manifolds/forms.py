r"""The same system on a manifold in other states: momenta in place of velocities, rates in place of both.

The momenta are in the components of the velocities, :math:`\pi = \partial L / \partial w = I w + a + P^T K_u`
with the terms of `geoctrl.manifolds.tangent`: linear momenta of places (along what holds them),
:math:`q \times p` of directions [LLM15, Eq. 32], :math:`\Pi` in the body of attitudes. They move by

.. math::

    \dot \pi = Q f - \Omega \times (I w + a) + P^T \partial (a \cdot w) + \dot P^T K_u
        - P^T (F K_u - K_z + \partial V)

([LLM15, Eqs. 35, 36], [LLM17, Eqs. 6.10, 6.11]). Directions have their rates too,
:math:`\dot q = \omega \times q`, and the momenta conjugate to these, :math:`\mu = \pi \times q`
[LLM15, Eq. 19].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn, Self

import numpy as np

from geoctrl._checks import require_choice
from geoctrl._scalars import Node
from geoctrl.errors import ConvergenceError, DescriptionError, SingularMassError
from geoctrl.manifolds.laws import callable_law, law_terms, read_law
from geoctrl.manifolds.leaf import ManifoldLeaf
from geoctrl.manifolds.model import ManifoldModel
from geoctrl.manifolds.tangent import covector_terms, covector_values, own_terms, rest_momenta, speeds
from geoctrl.runs import Samples
from geoctrl.stepping.drive import Drive
from geoctrl.systems.field import Field

__all__ = ["Form", "FormRun", "Second", "converted"]

_STEPS = (8e-3, 4e-3, 2e-3)
"""Of differences extrapolated twice: their error is about 1e-12 of the field."""
_ITERATIONS, _CONVERGED = 50, 1e-13


@dataclass(frozen=True)
class Second:
    """What the second part of the states of a form is.

    Attributes
    ----------
    conjugate : bool
        Whether it is a momentum.
    rate : bool
        Whether it is that of the rates of directions, a product with q.
    """

    conjugate: bool = False
    rate: bool = False


def converted(
    system: Any, x: Any, source: str, target: str, params: Mapping[str, float] | None
) -> np.ndarray:
    """States of the form ``source`` as states of the form ``target``, (size,) or (size, nt).

    Raises
    ------
    InputError
        For an unknown form or a wrong shape.
    SingularMassError
        Where the inertia is singular.
    ConvergenceError
        If no velocities are found that have some momenta.
    """
    for form in (source, target):
        require_choice("form", form, system.forms)
    z, y, single = system.columns(x)
    if source != target:
        values, (start, end) = system.parameters_at(params), (system.forms[k] for k in (source, target))
        y = np.array([_other(system, *row, start, end, values) for row in zip(z, y, strict=True)])
    rows = system.product.state(z, y.reshape(len(z), -1, 3))
    return rows[0] if single else rows.T.copy()


def _other(
    system: Any,
    z: np.ndarray,
    y: np.ndarray,
    source: Second,
    target: Second,
    params: Mapping[str, float],
) -> np.ndarray:
    """The second part of one state in another form."""
    if source.rate:
        y = np.cross(z, y)
    if source.conjugate and not target.conjugate:
        y = velocities_of(system, z, y, params)
    elif target.conjugate and not source.conjugate:
        y = momenta_of(system, z, y, params)
    return np.cross(y, z) if target.rate else y


def momenta_of(system: Any, z: np.ndarray, w: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Momenta (n, 3) of velocities."""
    product = system.product
    p = rest_momenta(system, z, product.rates(z, w).ravel(), params)[1]
    own = own_terms(system, w, params)[0] @ w.ravel() + covector_values(system, z, params)[0]
    return product.along_axes(own.reshape(-1, 3) + product.moments(z, p.reshape(-1, 3)))


def velocities_of(system: Any, z: np.ndarray, pi: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
    """Velocities (n, 3) of momenta, by Newton's iteration; of one step where the energy is quadratic."""
    product, w = system.product, np.zeros_like(pi)
    P, turns = product.by_velocity(z), product.turns(z)
    for _ in range(_ITERATIONS):
        G = rest_momenta(system, z, product.rates(z, w).ravel(), params)[3]
        inertia = turns.T @ (own_terms(system, w, params)[0] + P.T @ G @ P) @ turns
        missing = turns.T @ (pi - momenta_of(system, z, w, params)).ravel()
        try:
            change = turns @ np.linalg.solve(inertia, missing)
        except np.linalg.LinAlgError as error:
            raise SingularMassError("the inertia is singular at this configuration") from error
        w = w + change.reshape(w.shape)
        if np.max(np.abs(change)) <= _CONVERGED * max(1.0, float(np.max(np.abs(w)))):
            return w
    raise ConvergenceError("no velocities were found that have these momenta")


class Form(ManifoldModel):
    """A system with states of a form: it is run like any other, and analysed as ``system``.

    Parameters
    ----------
    system : SphereSystem, RotationSystem or ProductSystem
    form : str
        One of its `forms`.

    Attributes
    ----------
    n, states, state_labels, inputs, input_labels, params
        As of the system, the second part of the states by the name of the form: ``mu1_1``, ``Pi1_1``.

    Raises
    ------
    InputError
        For an unknown form.

    Examples
    --------
    >>> import geoctrl as gc
    >>> pendulum = gc.spheres.chain_pendulum([2.0], [0.5], gravity=(0, 0, -10)).in_form("mu")
    >>> pendulum.rhs(0.0, [1, 0, 0, 0, 0.5, 0]).round(3) + 0.0
    array([  0. ,   1. ,   0. ,  -0.5,   0. , -10. ])
    >>> body = gc.rotations.free_body([1.0, 2.0, 3.0])
    >>> body.in_form("Pi").rhs(0.0, [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, 3])[9:].round(3)
    array([-1.,  2., -1.])
    """

    def __init__(self, system: Any, form: str) -> None:
        require_choice("form", form, system.forms)
        self.system, self.form = system, form
        self.product, self.space, self.pair = system.product, system.space, (system.pair[0], form)
        self.shape = system.shape
        self.n, self.name, self.params, self.parameters = (
            system.n, system.name, system.params, system.parameters,
        )  # fmt: skip
        self.inputs, self.input_labels, self.driven = system.inputs, system.input_labels, system.driven
        self.graph = system.graph

    @cached_property
    def state_labels(self) -> tuple[str, ...]:
        """Labels of the states: those of the system, by the name of the form in the second part."""
        first, second = self.system.state_labels[: self.split], self.system.state_labels[self.split :]
        own = self.system.pair[1]
        if self.form == own:
            return *first, *second
        return *first, *(
            label.replace(own, self.form) if own in label else f"{self.form}_{label}" for label in second
        )

    def pack(self, *parts: Any) -> np.ndarray:
        """States (size,) or (size, nt) of their parts, as those of the system."""
        return self.system.pack(*parts)

    def unpack(self, x: Any) -> Any:
        """The parts of states: inverse of `pack`."""
        return self.system.unpack(x)

    def rates(self, run: Any, t: float, z: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of configuration and second part, with the kernels of a run of the system."""
        second, system = self.system.forms[self.form], self.system
        lifted = np.cross(z, y) if second.rate else y
        if second.conjugate:
            w = velocities_of(system, z, lifted, run.params)
            zdot, change = self._momentum_rates(run, t, z, w)
        else:
            zdot, change = run.field(t, z, lifted)
        if second.rate:
            change = np.cross(change, z) + np.cross(lifted, zdot)
        return zdot, change

    def _momentum_rates(
        self, run: Any, t: float, z: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        system, product, params = self.system, self.system.product, run.params
        zdot, _ = speeds(system, z, w, params)
        slope, p, _, _ = rest_momenta(system, z, product.rates(z, w).ravel(), params)
        carried = product.turn(system.frame_rate_at(params)) @ p - slope + run.slope(z).ravel()
        covectors, _, _, by_zdot = covector_terms(system, z, w, zdot, params)
        change = product.work(z) @ run.forces(t, z, w).ravel() - own_terms(system, w, params)[1]
        change += by_zdot @ zdot - covectors
        change += product.carried_by(zdot.reshape(-1, 3)).T @ p - product.by_velocity(z).T @ carried
        return zdot.reshape(z.shape), product.along_axes(change.reshape(w.shape))

    def convert(
        self, x: Any, source: str, target: str, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """States of one form as states of another."""
        return self.system.convert(x, source, target, params)

    def velocities(self, x: Any, params: Mapping[str, float] | None) -> np.ndarray:
        """States of the form as states of the system."""
        return self.system.convert(x, self.form, self.system.pair[1], params)

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
        """Derivatives of `rhs` by the state and by the inputs: differences, extrapolated."""
        return (
            _slopes(lambda y: self.rhs(t, y, u, params), x),
            _slopes(lambda v: self.rhs(t, x, v, params), u).reshape(x.size, u.size),
        )

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
            return function(t, self.convert(x, self.system.pair[1], self.form, params), params)

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
            return self.convert(self.system.start(x0), self.system.pair[1], self.form, params or x0.params)
        given = x0 if self.system.is_start(x0) else self.unpack(x0)
        return self.product.state(*self.read_start(given))

    def read_start(self, given: Any) -> tuple[np.ndarray, np.ndarray]:
        """z (N, 3) and the second part (n, 3) of a start in the form, on the manifold to rounding."""
        return self.system.read_start(given, self.form)

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


def _slopes(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """Derivatives of a function by x, a column for each entry."""
    columns = []
    for e in np.eye(x.size):
        first = [(function(x + h * e) - function(x - h * e)) / (2 * h) for h in _STEPS]
        second = [(4 * first[1] - first[0]) / 3, (4 * first[2] - first[1]) / 3]
        columns.append((16 * second[1] - second[0]) / 15)
    return np.array(columns).T


class FormRun(Field):
    """The field of a form with the numbers of one run of the system."""

    def __init__(self, form: Form, run: Any) -> None:
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
