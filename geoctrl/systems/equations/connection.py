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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, named_parameters, time_grid
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import expression, read_matrix, real, shown
from geoctrl._scalars.algebra.circles import on_circles
from geoctrl.errors import ConstraintError, DescriptionError, InputError, SimulationError
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.parts.description_entries import require_mechanism
from geoctrl.systems.parts.names import time

__all__ = ["Connection", "Displacement", "connection_of"]

_RTOL, _ATOL = 1e-13, 1e-14
_SHORT = 120
"""Operations up to which an expression is brought to its shortest form: those of a person's mechanism."""
_LOOP = 512
"""Intervals by which the areas of a gait are summed: of smooth closed curves to rounding."""


@dataclass(frozen=True)
class Displacement:
    """Where a gait has moved the group.

    Attributes
    ----------
    g : ndarray
        Matrix of the group element after the gait, from the identity.
    log : ndarray (n_g,)
        Its logarithm, ``exp(log) = g`` with angles of at most pi.
    momentum : ndarray (m,)
        p at the end.
    """

    g: np.ndarray
    log: np.ndarray
    momentum: np.ndarray

    _lines = record_lines
    full = full_text
    __repr__ = short_form


@dataclass(frozen=True, eq=False, repr=False)
class Connection:
    r"""Connection, momentum equation and curvature of a mechanism; `ReducedSystem.connection` makes it.

    Attributes
    ----------
    mechanism : EulerPoincare
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

    mechanism: Mechanism
    basis: sp.ImmutableMatrix
    momenta: tuple[sp.Symbol, ...]
    A: sp.ImmutableMatrix
    B: sp.ImmutableMatrix
    c: sp.ImmutableMatrix

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
        return sp.ImmutableMatrix(self._velocity.applyfunc(_tidy))

    @cached_property
    def momentum_equation(self) -> tuple[sp.Expr, ...]:
        """Rates of the momenta, in coordinates, their rates, momenta and inputs."""
        return tuple(_tidy(rate) for rate in self._momentum_rates(sp.Matrix(self.velocity)))

    @property
    def _velocity(self) -> sp.Matrix:
        """The group velocity as the sum that it is: numbers need no shorter one."""
        moved = -self.A * sp.Matrix(self.rates) + self.c
        return moved + self.B * sp.Matrix(self.momenta) if self.momenta else moved

    def _momentum_rates(self, xi: sp.Matrix) -> list[sp.Expr]:
        """Rates of the momenta at a group velocity."""
        m, e = self.mechanism, self.basis
        n = e.rows
        rates = sp.Matrix(self.rates)
        mu = _momentum(m, n, xi, rates)
        forces = sp.zeros(n, 1)
        if m.acting is not None:
            whole = dict(zip(m.algebra.xi, [*xi, *rates], strict=True))
            forces = sp.Matrix(m.acting)[:n, :].xreplace(whole)
        found = []
        for a in range(e.cols):
            moved = [sp.Integer(0)] * n
            for i, j, k, value in m.algebra.brackets:
                moved[k] += sp.Rational(value.numerator, value.denominator) * xi[i] * e[j, a]
            turned = e[:, a].jacobian(sp.Matrix(self.shape)) * rates
            found.append(mu.dot(sp.Matrix(moved) + turned) + forces.dot(e[:, a]))
        return found

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
        return sp.ImmutableMatrix(self._curvature(i, j).applyfunc(_tidy))

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
        entries = list(self._curvature(i, j).subs(self._numbers(params)))
        with np.errstate(all="ignore"):
            found = sp.lambdify([self.shape], entries, "numpy")(tuple(r))
        return np.array([np.broadcast_to(e, r.shape[1:]) for e in found], dtype=float)

    # -- gaits ----------------------------------------------------------------------------------

    def loop(self, gait: Mapping[str, Any], times: Any) -> np.ndarray:
        """Coordinates (k, nt) along a gait, which `displacement` takes; DescriptionError as there."""
        at = self._path(gait)
        return np.array([at(t)[: len(self.shape)] for t in time_grid(times)], dtype=float).T

    def displacement(
        self,
        gait: Mapping[str, Any],
        period: float,
        momentum: Any = None,
        params: Mapping[str, float] | None = None,
        cycles: int = 1,
    ) -> Displacement:
        """Where a gait moves the group, by integration of velocity and momentum equation to rounding.

        Parameters
        ----------
        gait : mapping name of a coordinate -> expression in ``geoctrl.time``
            Coordinates left out are zero.
        period : float
            Time of one cycle (s).
        momentum : (m,), optional
            p at the start, zero by default.
        params : dict, optional
        cycles : int
            Cycles to be run.

        Raises
        ------
        DescriptionError
            For an unknown coordinate, what is no expression, or a group without matrices.
        InputError
            For a period or a number of cycles that is not positive, a wrong number of momenta, or a motion
            with inputs.
        ParameterError
            For an unknown or missing parameter.
        SimulationError
            If the motion meets a singular point of the connection.
        """
        if not real(period, "period") > 0 or not real(cycles, "cycles") >= 1:
            raise InputError(f"period must be positive and cycles at least 1, got {period!r} and {cycles!r}")
        g, p = self.path(gait, [0.0, period * int(cycles)], momentum, params)
        group: Any = self.mechanism.group
        return Displacement(g[-1], group.log(g[-1]), p[:, -1])

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
        from scipy.integrate import solve_ivp

        group, m, times = self.mechanism.group, len(self.momenta), time_grid(times)
        start = np.zeros(m) if momentum is None else finite_array("momentum", momentum, (m,))
        if group is None:
            raise DescriptionError("a mechanism without a group has no displacement")
        rate, at = self._rates(params), self._path(gait)
        size = group.hat(np.zeros(group.n)).shape[0]

        def field(t: float, y: np.ndarray) -> np.ndarray:
            found = np.array(rate(*at(t), *y[size * size :]), dtype=float).ravel()
            moved = y[: size * size].reshape(size, size) @ group.hat(found[: group.n])
            return np.concatenate([moved.ravel(), found[group.n :]])

        y = np.concatenate([np.eye(size).ravel(), start])
        span = (times[0], times[-1])
        run = solve_ivp(field, span, y, "DOP853", t_eval=times, rtol=_RTOL, atol=_ATOL)
        if not run.success or not np.isfinite(run.y[:, -1]).all():
            raise SimulationError(
                f"the gait meets a point at which the connection is singular: {run.message}"
            )
        return run.y[: size * size].T.reshape(-1, size, size), run.y[size * size :]

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
        at = self._path(gait)
        times = np.arange(_LOOP) * real(period, "period") / _LOOP
        samples = np.array([at(t) for t in times]).reshape(_LOOP, 2, -1)
        mean, k = samples[:, 0].mean(axis=0), len(self.shape)
        areas = np.einsum("ti,tj->ij", samples[:, 0] - mean, samples[:, 1]) * period / _LOOP
        values = dict(zip(self.shape, mean, strict=True)) | self._numbers(params)
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

    def _numbers(self, params: Mapping[str, float] | None) -> dict[sp.Symbol, float]:
        values = self.mechanism.reduce().parameters_at(named_parameters(params))
        return {p.symbol: float(values[p.name]) for p in self.mechanism.parameters}

    def _rates(self, params: Mapping[str, float] | None) -> Any:
        """Compiled xi and p' of (r, r', p)."""
        numbers = self._numbers(params)
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
        return sp.lambdify([*self.shape, *self.rates, *self.momenta], rates, "numpy", cse=True)

    def _path(self, gait: Mapping[str, Any]) -> Any:
        """Compiled (r, r') of the time."""
        names = [c.name for c in self.mechanism.shape]
        if not isinstance(gait, Mapping) or not set(gait) <= set(names):
            raise DescriptionError(
                f"a gait must be a dict of coordinate -> expression in geoctrl.time, of {', '.join(names)}; "
                f"got {shown(gait)}"
            )
        paths = [expression(gait.get(name, 0), f"gait[{name!r}]") for name in names]
        for name, path in zip(names, paths, strict=True):
            if path.free_symbols - {time}:
                raise DescriptionError(
                    f"gait[{name!r}] holds {path.free_symbols - {time}}; only time may occur"
                )
        return sp.lambdify([time], [*paths, *(sp.diff(path, time) for path in paths)], "numpy")


def connection_of(mechanism: Mechanism, basis: Any = None, names: Sequence[str] | None = None) -> Connection:
    """The connection of a mechanism; see `ReducedSystem.connection`."""
    require_mechanism(mechanism, "group", "a connection takes gc.EulerPoincare(algebra=..., shape=...)")
    group, k = mechanism.group, len(mechanism.shape)
    if group is None or not k:
        raise DescriptionError("a connection needs a group and coordinates: algebra= and shape=[...]")
    if mechanism.advected:
        raise DescriptionError(
            f"{', '.join(a.name for a in mechanism.advected)} break the symmetry: a connection needs a "
            "mechanism in which nothing depends on the group"
        )
    if mechanism.rotors is not None:
        raise DescriptionError("rotors have no place in a connection; give them as coordinates of the shape")
    n = group.n
    rows = sp.zeros(0, n + k) if mechanism.constraints is None else sp.Matrix(mechanism.constraints)
    psi, along = rows[:, :n], rows[:, n:]
    if psi.rank() < psi.rows:
        raise ConstraintError(
            "some combination of the constraints holds the shape alone; coordinates must be free to move"
        )
    e = _kernel(psi, n) if basis is None else _user_basis(basis, psi, n)
    p = tuple(sp.Symbol(name, real=True) for name in _names(names, e.cols, mechanism))
    G = sp.Matrix(mechanism.inertia)
    held = sp.Matrix.vstack(psi, e.T * G[:n, :n])
    inverse = _inverse(held).applyfunc(_tidy)
    A = inverse * sp.Matrix.vstack(along, e.T * G[:n, n:])
    B = inverse[:, psi.rows :]
    gyroscopic = sp.zeros(n, 1) if mechanism.gyroscopic is None else sp.Matrix(mechanism.gyroscopic[:n, :])
    c = -B * e.T * gyroscopic if e.cols else sp.zeros(n, 1)
    simple = (sp.ImmutableMatrix(part.applyfunc(_tidy)) for part in (A, B, c))
    return Connection(mechanism, sp.ImmutableMatrix(e), p, *simple)


def _inverse(matrix: sp.Matrix) -> sp.Matrix:
    """By cofactors of entries as they are: nothing is expanded."""
    entries = {sp.Dummy(): e for e in matrix if e.free_symbols}
    names = {e: s for s, e in entries.items()}
    plain = matrix.applyfunc(lambda e: names.get(e, e))
    return (plain.adjugate() / plain.det()).xreplace(entries)


def _tidy(expr: sp.Expr) -> sp.Expr:
    """In its shortest form, where that is a matter of moments."""
    return on_circles(expr) if expr.count_ops() < _SHORT else expr


def _momentum(m: Mechanism, n: int, xi: sp.Matrix, rates: sp.Matrix) -> sp.Matrix:
    """mu of the group."""
    mu = m.inertia[:n, :n] * xi + m.inertia[:n, n:] * rates
    return sp.Matrix(mu if m.gyroscopic is None else mu + m.gyroscopic[:n, :])


def _kernel(psi: sp.Matrix, n: int) -> sp.Matrix:
    """Columns that span the group velocities admitted, without denominators."""
    if not psi.rows:
        return sp.eye(n)
    columns = []
    for vector in psi.nullspace(simplify=_tidy):
        entries = [sp.together(_tidy(e)) for e in vector]
        common = sp.lcm([sp.denom(e) for e in entries]) if entries else 1
        columns.append([_tidy(e * common) for e in entries])
    return sp.Matrix(columns).T if columns else sp.zeros(n, 0)


def _user_basis(basis: Any, psi: sp.Matrix, n: int) -> sp.Matrix:
    """A basis of the user, one velocity a row, as columns."""
    e = sp.Matrix(read_matrix("basis", basis)).T
    if e.shape != (n, n - psi.rows):
        raise InputError(
            f"basis must be {n - psi.rows} velocities of {n} entries each, got {e.cols} of {e.rows}"
        )
    if any(on_circles(entry) != 0 for entry in psi * e):
        raise ConstraintError("the velocities of the basis violate the constraints")
    return e


def _names(names: Sequence[str] | None, count: int, mechanism: Mechanism) -> list[str]:
    taken = {*mechanism.algebra.labels, *mechanism.algebra.momentum_labels, *mechanism.defaults}
    default = ["p"] if count == 1 else [f"p{a + 1}" for a in range(count)]
    if names is None:
        return [name if name not in taken else f"{name}_group" for name in default]
    found = list(names)
    if (
        len(found) != count
        or len(set(found)) != count
        or not all(isinstance(name, str) and name.isidentifier() and name not in taken for name in found)
    ):
        raise InputError(f"momenta must be {count} distinct names that nothing else has, got {shown(names)}")
    return found
