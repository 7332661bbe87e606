"""The same system on a manifold in other states: momenta in place of velocities, rates in place of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NoReturn, Self

import numpy as np

from geoctrl._calls.budget import BUDGET
from geoctrl._calls.long_calls import long_call
from geoctrl._checks import require_choice
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl.errors import DescriptionError
from geoctrl.manifolds.description.laws import callable_law, law_terms, read_law
from geoctrl.manifolds.description.state_symbols import Letters, part
from geoctrl.manifolds.description.units_found import measures_of
from geoctrl.manifolds.numerics.momenta import velocities_of
from geoctrl.manifolds.numerics.tangent import covector_terms, own_terms, rest_momenta, speeds
from geoctrl.manifolds.system import ManifoldSystem, Motions
from geoctrl.runs import Samples
from geoctrl.stepping.drive.drive import Drive
from geoctrl.systems.contract.run_field import RunField
from geoctrl.systems.units.measures import Measures

__all__ = ["Form", "FormRun"]

_STEPS = (8e-3, 4e-3, 2e-3)
"""Of differences extrapolated twice: their error is about 1e-12 of the field."""


class Form(ManifoldSystem):
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

    families: Mapping[str, Any] = MappingProxyType({})
    description, numerics, forms = (
        part("system.description"),
        part("system.numerics"),
        part("system.forms"),
    )

    def __init__(self, system: Any, form: str) -> None:
        forms = getattr(system, "forms", None)
        if forms is None:
            raise TypeError(
                f"a form is one of a system on spheres, rotations or products, got {shown(system)}"
            )
        require_choice("form", form, forms)
        self.system, self.form = system, form

    @property
    def pair(self) -> tuple[str, str]:
        """Names of the two parts of the state."""
        return self.system.pair[0], self.form

    @cached_property
    def letters(self) -> Letters:
        """Those of the system, by the name of the form in the second part."""
        given = self.system.letters
        first, second = given.labels[: self.split], given.labels[self.split :]
        own = self.system.pair[1]
        if self.form != own:
            second = [s.replace(own, self.form) if own in s else f"{self.form}_{s}" for s in second]
        return Letters(given.graph, (*first, *second), given.driven, given.inputs, given.parameters)

    @cached_property
    def measures(self) -> Measures:
        """Units of states, inputs and parameters."""
        return measures_of(self.description, self.state_labels, self.forms[self.form].conjugate)

    def __reduce__(self):
        return type(self), (self.system, self.form)

    def replace(self, **changes: Any) -> Self:
        """The form of the system with some arguments changed."""
        return type(self)(self.system.replace(**changes), self.form)

    def in_form(self, form: str) -> ManifoldSystem:
        """The system in another form."""
        return self.system.in_form(form)

    def rates(self, run: Any, t: float, z: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rates of configuration and second part, with the kernels of a run of the system."""
        second = self.forms[self.form]
        lifted = np.cross(z, y) if second.rate else y
        if second.conjugate:
            w = velocities_of(self.description, z, lifted, run.params)
            zdot, change = self._momentum_rates(run, t, z, w)
        else:
            zdot, change = run.field(t, z, lifted)
        if second.rate:
            change = np.cross(change, z) + np.cross(lifted, zdot)
        return zdot, change

    def _momentum_rates(
        self, run: Any, t: float, z: np.ndarray, w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        system, product, params = self.description, self.product, run.params
        zdot, _ = speeds(system, z, w, params)
        slope, p, _, _ = rest_momenta(system, z, product.rates(z, w).ravel(), params)
        carried = product.turn(system.frame_rate_at(params)) @ p - slope + run.slope(z).ravel()
        covectors, _, _, by_zdot = covector_terms(system, z, w, zdot, params)
        change = product.work(z) @ run.forces(t, z, w).ravel() - own_terms(system, w, params)[1]
        change += by_zdot @ zdot - covectors
        change += product.carried_by(zdot.reshape(-1, 3)).T @ p - product.by_velocity(z).T @ carried
        return zdot.reshape(z.shape), product.along_axes(change.reshape(w.shape))

    def velocities(self, x: Any, params: Mapping[str, float] | None) -> np.ndarray:
        """States of the form as states of the system."""
        return self.convert(x, self.form, self.system.pair[1], params)

    def motions(self, x: Any, params: Mapping[str, float] | None = None) -> Motions:
        """Configurations and velocities of states."""
        return self.columns(self.velocities(x, params))

    def conserved(self, params: Mapping[str, float] | None = None, *, u: Any = None) -> tuple[str, ...]:
        """Names of what runs under constant inputs keep: what the system keeps."""
        return self.system.conserved(params, u=u)

    def derivatives(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of `rhs` by the state and by the inputs: differences, extrapolated."""
        return (
            _slopes(lambda y: self.rhs(t, y, u, params), x),
            _slopes(lambda v: self.rhs(t, x, v, params), u).reshape(x.size, u.size),
        )

    def closed_loop(self, law: Any) -> Self:
        """The form with its inputs set by a law in its states, without inputs."""
        law = read_law(law)
        function = law if callable(law) else callable_law(self.letters, law_terms(law, self.input_labels))

        def law_in_own_form(t: float, x: np.ndarray, params: Mapping[str, float]) -> Any:
            return function(t, self.convert(x, self.system.pair[1], self.form, params), params)

        return type(self)(self.system.closed_loop(law_in_own_form), self.form)

    # -- what `geoctrl.simulate` asks for -----------------------------------------------------------

    def run(self, params: Mapping[str, float] | None = None, drive: Drive | None = None) -> FormRun:
        """The field with the numbers of one run."""
        return FormRun(self, self.kernels(params, drive))

    def acting(self, drive: Drive) -> Any:
        """The system of which a run under some inputs is one, closed by them where they are feedback."""
        return self.system if drive.law is None else self.closed_loop(drive.law).system

    def start(self, x0: Any, params: Mapping[str, float] | None = None) -> np.ndarray:
        """Initial state of a pair, a state or an equilibrium of the system, on the manifold to rounding."""
        if hasattr(x0, "x"):
            return self.convert(self.system.start(x0), self.system.pair[1], self.form, params or x0.params)
        given = x0 if self.description.face.is_start(x0) else self.unpack(x0)
        return self.product.state(*self.read_start(given, self.form))

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
    def recording_effort(self) -> float:
        """Infinite: there is no recording."""
        return math.inf

    @long_call
    def latex(
        self,
        part: str = "motion",
        width: float = 38.0,
        budget: float = BUDGET,
        *,
        progress: bool | Callable[..., object] = False,
        seconds: float | None = None,
    ) -> str:
        """The system in LaTeX, in its own states; progress, seconds as there."""
        del progress
        return self.system.latex(part, width, budget, seconds=seconds)

    def _lines(self) -> list[str]:
        parts = ", ".join(self.pair)
        where = self.space
        return [f"<{type(self).__name__} ({parts}) of {self.system.name or 'unnamed'} on {where}>"]

    full = full_text
    __repr__ = short_form


def _slopes(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """Derivatives of a function by x, a column for each entry."""
    columns = []
    for e in np.eye(x.size):
        first = [(function(x + h * e) - function(x - h * e)) / (2 * h) for h in _STEPS]
        second = [(4 * first[1] - first[0]) / 3, (4 * first[2] - first[1]) / 3]
        columns.append((16 * second[1] - second[0]) / 15)
    return np.array(columns).T


class FormRun(RunField):
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
