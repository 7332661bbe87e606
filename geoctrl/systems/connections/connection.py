r"""The nonholonomic connection of a mechanism with symmetry: how its shape moves the group.

With the constraints :math:`\psi_g(r)\,\xi + \psi_r(r)\,\dot r = 0`, a basis e(r) of the group velocities that
they admit, :math:`\psi_g e_a = 0`, and momenta :math:`p_a = \langle \partial\ell/\partial\xi, e_a\rangle`,

.. math::

    \xi = -\mathcal A(r)\,\dot r + \mathcal B(r)\,p + c(r), \qquad
    \dot p_a = \langle \mu, [\xi, e_a] + \partial_i e_a\,\dot r^i\rangle + F \cdot e_a

([Bloch, Krishnaprasad, Marsden and Murray 1996], the local nonholonomic connection and momentum equation).
Where the constraints leave no group velocity there is no p; without constraints :math:`\mathcal A` is the
mechanical connection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries, finite_array, named_parameters, time_grid
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import STATE, FromSympy, Graph, Program, expression, real, shown
from geoctrl.algebra import Coordinate, LieAlgebra, se2
from geoctrl.errors import DescriptionError, InputError, SimulationError
from geoctrl.systems.connections.displacement import Displacement
from geoctrl.systems.connections.gait_motion import GaitMotion, numbers_of_gait, rate_of_logarithm
from geoctrl.systems.connections.momentum_equation import momentum_rates
from geoctrl.systems.connections.short_forms import shortest_form
from geoctrl.systems.connections.viscous_body import ViscousBody
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.parts.names import time
from geoctrl.systems.parts.parameters import Parameter

__all__ = ["Connection"]

_RTOL, _ATOL = 1e-13, 1e-14
_LOOP = 512
"""Intervals by which the areas of a gait are summed: of smooth closed curves to rounding."""


@dataclass(frozen=True, eq=False, repr=False)
class Connection:
    r"""Connection, momentum equation and curvature of a mechanism.

    `ReducedSystem.connection` makes it, and `Connection.viscous` that of a body without inertia.

    Attributes
    ----------
    mechanism : EulerPoincare or ViscousBody
    basis : sympy matrix, n_g x m
        e(r), admissible group velocities.
    momenta : tuple of sympy.Symbol
        p.
    A : sympy matrix, n_g x k
        The local connection: :math:`\xi = -\mathcal A \dot r + \mathcal B p + c`.
    B : sympy matrix, n_g x m
        Velocities by momenta, :math:`e\,(e^T G e)^{-1}`.
    c : sympy matrix, n_g x 1
        What a gyroscopic term adds; zero without one.
    """

    mechanism: Mechanism | ViscousBody
    basis: sp.ImmutableMatrix
    momenta: tuple[sp.Symbol, ...]
    A: sp.ImmutableMatrix
    B: sp.ImmutableMatrix
    c: sp.ImmutableMatrix

    @classmethod
    def viscous(
        cls,
        drag: Any,
        shape: Sequence[Coordinate],
        algebra: LieAlgebra | None = None,
        parameters: Sequence[Parameter] = (),
        name: str = "",
    ) -> Connection:
        r"""The connection of a body without inertia in a viscous fluid: drag on the group adds up to zero.

        .. math:: K_{gg}(r)\,\xi + K_{gr}(r)\,\dot r = 0, \qquad \mathcal A = K_{gg}^{-1} K_{gr}

        Nothing carries on: there are no momenta, and where a gait leads does not depend on its speed.

        Parameters
        ----------
        drag : (n_g + k, n_g + k) symmetric matrix, or list of SlenderLink
            K in coordinates and parameters: the fluid's forces are -K times velocities of the group and
            rates. Links move in a plane and do not feel the flow that other links make.
        shape : sequence of Coordinate
        algebra : LieAlgebra, optional
            The group, se2 by default.
        parameters : sequence of Parameter, optional
        name : str, optional

        Raises
        ------
        DescriptionError
            For a drag of another size, not symmetric, that gives power away or leaves some velocity of the
            group free; for links in another group, no shape, undeclared symbols, or labels that repeat.
        ParameterError
            For names of parameters that repeat, or meet others.
        ExpressionError
            For functions in the drag that have no numbers.
        TypeError
            For an algebra, shape, parameters or name that are none.

        Notes
        -----
        Definiteness is judged at twelve shapes, with angles drawn and other coordinates zero (drawn too where
        K is infinite at zero), at the parameters' defaults. E. M. Purcell, Am. J. Phys. 45 (1977).

        Examples
        --------
        >>> import sympy as sp, geoctrl as gc
        >>> phi = gc.Coordinate("phi", angle=True)
        >>> fin = gc.SlenderLink((sp.cos(phi) / 2 + 1, sp.sin(phi) / 2), angle=phi, length=1)
        >>> scallop = gc.Connection.viscous([gc.SlenderLink((0, 0), angle=0, length=2), fin], [phi])
        >>> moved = scallop.displacement({"phi": sp.sin(gc.time)}, 6.283185307179586)
        >>> bool(abs(moved.log).max() < 1e-12)  # one joint comes back as it went
        True
        """
        body = ViscousBody(drag, shape, se2() if algebra is None else algebra, parameters, name)
        n = body.group.n
        none, still = sp.ImmutableMatrix(sp.zeros(n, 0)), sp.ImmutableMatrix(sp.zeros(n, 1))
        return cls(body, none, (), body.connection, none, still)

    def _lines(self) -> list[str]:
        labels = self.mechanism.group.labels if self.mechanism.group else ()
        names = [*labels, *map("d/dt {}".format, self.momenta)]
        rates = zip(names, [*self.velocity, *self.momentum_equation], strict=True)
        return [f"<Connection of {self.mechanism.name or 'unnamed'}>", *(f"  {k} = {e}" for k, e in rates)]

    full = full_text
    __repr__ = short_form

    @property
    def shape(self) -> tuple[sp.Symbol, ...]:
        """The coordinates r."""
        return tuple(c.symbol for c in self.mechanism.shape)

    @property
    def rates(self) -> tuple[sp.Symbol, ...]:
        """Their rates."""
        return tuple(c.rate for c in self.mechanism.shape)

    @cached_property
    def velocity(self) -> sp.ImmutableMatrix:
        """The group velocity, n_g x 1, in coordinates, their rates and momenta."""
        return sp.ImmutableMatrix(self._velocity.applyfunc(shortest_form))

    @cached_property
    def momentum_equation(self) -> tuple[sp.Expr, ...]:
        """Rates of the momenta, in coordinates, their rates, momenta and inputs."""
        return tuple(shortest_form(rate) for rate in self._momentum_rates(sp.Matrix(self.velocity)))

    @property
    def _velocity(self) -> sp.Matrix:
        """The group velocity as the sum that it is: numbers need no shorter one."""
        moved = -self.A * sp.Matrix(self.rates) + self.c
        return moved + self.B * sp.Matrix(self.momenta) if self.momenta else moved

    def _momentum_rates(self, xi: sp.Matrix) -> list[sp.Expr]:
        """Rates of the momenta at a group velocity."""
        if isinstance(self.mechanism, ViscousBody):
            return []
        return momentum_rates(self.mechanism, self.basis, sp.Matrix(xi))

    def curvature(self, i: int = 0, j: int = 1) -> sp.ImmutableMatrix:
        r"""Curvature of the connection, n_g x 1.

        .. math::
            \mathcal B_{ij} = \partial_i \mathcal A_j - \partial_j \mathcal A_i - [\mathcal A_i, \mathcal A_j]

        A small loop around the area S in the plane of the coordinates i and j, without momentum, moves the
        group by :math:`\exp(-\mathcal B_{ij} S)` to second order.

        Parameters
        ----------
        i, j : int
            Places of two coordinates in ``shape``, from 0.

        Raises
        ------
        InputError
            If there are no such coordinates.
        """
        return sp.ImmutableMatrix(self._curvature(i, j).applyfunc(shortest_form))

    def _curvature(self, i: int, j: int) -> sp.Matrix:
        """The curvature as the sum that it is."""
        k = len(self.shape)
        for place in (i, j):
            if not (isinstance(place, (int, np.integer)) and 0 <= place < k):
                raise InputError(
                    f"a coordinate's place must be an integer from 0 to {k - 1}, got {shown(place)}"
                )
        first, second = self.A[:, int(i)], self.A[:, int(j)]
        bracket = [sp.Integer(0)] * self.A.rows
        for a, b, c, value in self.mechanism.algebra.brackets:
            bracket[c] += sp.Rational(value.numerator, value.denominator) * first[a] * second[b]
        return second.diff(self.shape[int(i)]) - first.diff(self.shape[int(j)]) - sp.Matrix(bracket)

    def curvature_at(
        self, places: Any, i: int = 0, j: int = 1, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Numbers of `curvature` (n_g, ..) at coordinates r (k, ..); infinite or nan at its poles.

        Raises
        ------
        InputError
            For other shapes, or as `curvature`.
        ParameterError
            For an unknown or missing parameter.
        """
        r = finite_array("places", places)
        if r.shape[:1] != (len(self.shape),):
            raise InputError(f"places must have shape ({len(self.shape)}, ..), got {r.shape}")
        graph = Graph()
        symbols = {s: graph.symbol(s.name, STATE) for s in self.shape}
        numbers = self._curvature(i, j).subs(self.parameter_numbers(params))
        return Program(graph, [*symbols.values()], {}, [*map(FromSympy(graph, symbols), numbers)])([*r], {})

    # -- gaits ----------------------------------------------------------------------------------

    def loop(self, gait: Mapping[str, Any], times: Any) -> np.ndarray:
        """Coordinates (k, nt) along a gait, which `displacement` takes; DescriptionError as there."""
        at = self._compiled_path(gait)
        return np.array([at(t)[: len(self.shape)] for t in time_grid(times)], dtype=float).T

    def displacement(
        self,
        gait: Mapping[str, Any],
        period: float,
        momentum: Any = None,
        params: Mapping[str, float] | None = None,
        cycles: int = 1,
        *,
        by: Sequence[Any] = (),
    ) -> Displacement:
        r"""Where a gait moves the group, by integration of velocity and momentum equation to rounding.

        With ``by`` its derivative as well: of :math:`X = \log g`, from
        :math:`\eta = g^{-1}\,\partial g/\partial a`, which is integrated beside g.

        Parameters
        ----------
        gait : mapping name of a coordinate -> expression in ``geoctrl.time`` and symbols of ``by``
            Coordinates left out are zero.
        period : float
            Time of one cycle (s).
        momentum : (m,), optional
            p at the start, zero by default.
        params : dict, optional
            With numbers of the symbols of ``by``, by name.
        cycles : int
            Cycles to be run.
        by : sequence of sympy.Symbol or Parameter, optional
            Symbols in the gait by which the derivative is taken; a `Parameter` has a number of its own.

        Raises
        ------
        DescriptionError
            For an unknown coordinate, what is no expression, or a group without matrices.
        InputError
            For a period or a number of cycles that is not positive, a wrong number of momenta, a motion
            with inputs, or symbols in ``by`` that are none.
        ParameterError
            For an unknown or missing parameter.
        SimulationError
            If the motion meets a singular point of the connection.
        """
        if not real(period, "period") > 0 or not real(cycles, "cycles") >= 1:
            raise InputError(f"period must be positive and cycles at least 1, got {period!r} and {cycles!r}")
        group, end = self._group, period * int(cycles)
        if not entries("by", by):
            g, p = self.path(gait, [0.0, end], momentum, params)
            return Displacement(g[-1], group.log(g[-1]), p[:, -1])
        numbers, others = numbers_of_gait(by, params, self.mechanism.defaults)
        motion = self.motion(gait, [*numbers], others)
        start = motion.start(self._start(momentum))
        values = {f"a{i}": value for i, value in enumerate(numbers.values())}
        run = self._states_at(lambda t, z: motion.program([*z, t], values), start, [0.0, end])
        found = motion.end(run[:, -1])
        log = group.log(found.g)
        return Displacement(found.g, log, found.momentum, rate_of_logarithm(group, log, found.eta))

    def motion(
        self,
        gait: Mapping[str, Any],
        by: Sequence[sp.Symbol],
        params: Mapping[str, float] | None = None,
        starts: bool = False,
        integrals: Sequence[int] = (),
    ) -> GaitMotion:
        """Recorded equations of the motion along a gait, with its derivative by symbols of the gait; see
        `GaitMotion`. Other arguments and errors as of `displacement`.
        """
        path, arguments = self._path(gait, by), (self.shape, self.rates, self.momenta)
        return GaitMotion(self._group, self._rates(params), arguments, path, by, starts, integrals)

    def path(
        self,
        gait: Mapping[str, Any],
        times: Any,
        momentum: Any = None,
        params: Mapping[str, float] | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Group elements (nt, d, d) from the identity, and momenta (m, nt), along a gait.

        Parameters
        ----------
        gait, momentum, params : as `displacement` takes them
        times : (nt,) array
            Strictly increasing; the gait starts at the first.

        Raises
        ------
        DescriptionError, InputError, ParameterError, SimulationError
            As `displacement`, and for times that do not increase.
        """
        group, times, start = self._group, time_grid(times), self._start(momentum)
        arguments = [*self.shape, *self.rates, *self.momenta]
        rate = sp.lambdify(arguments, self._rates(params), "numpy", cse=True)
        at = self._compiled_path(gait)
        size = group.hat(np.zeros(group.n)).shape[0]

        def field(t: float, y: np.ndarray) -> np.ndarray:
            found = np.array(rate(*at(t), *y[size * size :]), dtype=float).ravel()
            moved = y[: size * size].reshape(size, size) @ group.hat(found[: group.n])
            return np.concatenate([moved.ravel(), found[group.n :]])

        run = self._states_at(field, np.concatenate([np.eye(size).ravel(), start]), times)
        return run[: size * size].T.reshape(-1, size, size), run[size * size :]

    @staticmethod
    def _states_at(field: Callable[..., np.ndarray], start: np.ndarray, times: Any) -> np.ndarray:
        """States (n, nt) at the times."""
        from scipy.integrate import solve_ivp

        span = (times[0], times[-1])
        run = solve_ivp(field, span, start, "DOP853", t_eval=times, rtol=_RTOL, atol=_ATOL)
        if not run.success or not np.isfinite(run.y[:, -1]).all():
            raise SimulationError(
                f"the gait meets a point at which the connection is singular: {run.message}"
            )
        return run.y

    @property
    def _group(self) -> LieAlgebra:
        if self.mechanism.group is None:
            raise DescriptionError("a mechanism without a group has no displacement")
        return self.mechanism.group

    def _start(self, momentum: Any) -> np.ndarray:
        m = len(self.momenta)
        return np.zeros(m) if momentum is None else finite_array("momentum", momentum, (m,))

    def area_rule(
        self, gait: Mapping[str, Any], period: float, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        r"""The displacement (n_g,) of a small closed gait without momentum, to second order in its size.

        .. math:: \log g = -\tfrac12 \mathcal B_{ij}(\bar r) \oint r^i\,dr^j + O(3)

        with the curvature at the gait's mean; raises as `displacement` does.
        """
        if self.momenta and any(e != 0 for e in self._without_momentum):
            raise InputError(
                "the area rule holds where no momentum is built up, and here the gait does that; take "
                "displacement()"
            )
        at = self._compiled_path(gait)
        times = np.arange(_LOOP) * real(period, "period") / _LOOP
        samples = np.array([at(t) for t in times]).reshape(_LOOP, 2, -1)
        mean, k = samples[:, 0].mean(axis=0), len(self.shape)
        areas = np.einsum("ti,tj->ij", samples[:, 0] - mean, samples[:, 1]) * period / _LOOP
        values = dict(zip(self.shape, mean, strict=True)) | self.parameter_numbers(params)
        total = np.zeros(self.A.rows)
        for i in range(k):
            for j in range(i):
                B = self._curvature(j, i).subs(values)
                total -= np.array(B, dtype=float).ravel() * (areas[j, i] - areas[i, j]) / 2
        return total

    @property
    def _without_momentum(self) -> list[sp.Expr]:
        """Rates of the momenta where these are zero."""
        return [e.subs(dict.fromkeys(self.momenta, 0)) for e in self.momentum_equation]

    def velocity_at(
        self,
        gait: Mapping[str, Any],
        t: float,
        momentum: Any = None,
        params: Mapping[str, float] | None = None,
    ) -> np.ndarray:
        """Velocity (n_g,) of the group at a time of a gait, with momenta there; arguments as of `path`."""
        at = dict(zip([*self.shape, *self.rates], self._compiled_path(gait)(t), strict=True))
        at |= dict(zip(self.momenta, self._start(momentum), strict=True)) | self.parameter_numbers(params)
        return np.array([e.subs(at) for e in self._velocity], dtype=float)

    def parameter_numbers(self, params: Mapping[str, float] | None = None) -> dict[sp.Symbol, float]:
        """Numbers of the parameters by symbol; ParameterError for unknown or missing ones."""
        whole = self.mechanism if isinstance(self.mechanism, ViscousBody) else self.mechanism.reduce()
        values = whole.parameters_at(named_parameters(params))
        return {p.symbol: float(values[p.name]) for p in self.mechanism.parameters}

    def _rates(self, params: Mapping[str, float] | None) -> list[sp.Expr]:
        """xi and p' in r, r' and p."""
        numbers = self.parameter_numbers(params)
        known = {*self.shape, *self.rates, *self.momenta}
        sums = [*self._velocity, *self._momentum_rates(self._velocity)]
        if set().union(*(e.free_symbols for e in sums)) - known - set(numbers):
            sums = [*self.velocity, *self.momentum_equation]  # where a force may have cancelled
        rates = [e.subs(numbers) for e in sums]
        left = set().union(*(e.free_symbols for e in rates)) - known
        if left:
            raise InputError(
                f"the momentum equation holds {', '.join(map(str, left))}: forces on the group; simulate the "
                "system instead"
            )
        return rates

    def _compiled_path(self, gait: Mapping[str, Any]) -> Any:
        """(r, r') of the time."""
        places, rates = zip(*self._path(gait), strict=True)
        return sp.lambdify([time], [*places, *rates], "numpy")

    def _path(self, gait: Mapping[str, Any], by: Sequence[sp.Symbol] = ()) -> list[tuple[sp.Expr, sp.Expr]]:
        """Each coordinate and its rate, in the time and symbols."""
        names = [c.name for c in self.mechanism.shape]
        if not isinstance(gait, Mapping) or not set(gait) <= set(names):
            raise DescriptionError(
                f"a gait must be a dict of coordinate -> expression in geoctrl.time, of {', '.join(names)}; "
                f"got {shown(gait)}"
            )
        paths = [expression(gait.get(name, 0), f"gait[{name!r}]") for name in names]
        for name, path in zip(names, paths, strict=True):
            if path.free_symbols - {time, *by}:
                raise DescriptionError(
                    f"gait[{name!r}] holds {path.free_symbols - {time, *by}}; only time may occur, and "
                    "symbols that by= names"
                )
        return [(path, sp.diff(path, time)) for path in paths]
