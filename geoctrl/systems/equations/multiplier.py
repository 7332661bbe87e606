r"""The equations with multipliers on the whole algebra, evaluated densely.

.. math::

    G\dot\xi = \mathrm{ad}^*_\xi\mu + \mathbf K(\partial\ell/\partial\Gamma, \Gamma) + F - \dot G\xi - \dot A
    + \lambda_a\psi^a, \qquad \psi\,\dot\xi = -\dot\psi\,\xi

([GO] Prop. 7). Nothing here is shared with the recorded assembly: matrices are lambdified from the
description, derivatives taken by sympy, tensors contracted by numpy, so that the two can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, resolve_parameters
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.algebra import Height
from geoctrl.errors import DescriptionError, InputError, SingularMassError
from geoctrl.systems.equations.frames import choose_frame
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.parts.description_entries import require_mechanism
from geoctrl.systems.parts.friction import reaction
from geoctrl.systems.parts.names import time

__all__ = ["MultiplierForm"]


def _with_slopes(arguments: Sequence[Any], functions: Sequence[Any], variables: Sequence[sp.Symbol]) -> Any:
    """A function of the arguments: each function, followed by its derivatives by the variables.

    What the functions have in common is taken out before it is differentiated, once for all of them: products
    of rotations swell when they are differentiated as they are.
    """
    shared, reduced = sp.cse(functions, symbols=sp.numbered_symbols("s", cls=sp.Dummy, real=True))
    program: list[tuple[sp.Symbol, sp.Expr]] = []
    slopes: dict[sp.Symbol, dict[sp.Symbol, sp.Expr]] = {v: {v: sp.Integer(1)} for v in variables}

    def slopes_of(function: sp.Expr) -> dict[sp.Symbol, sp.Expr]:
        inner = sorted(function.free_symbols & slopes.keys(), key=sp.default_sort_key)
        partial = {s: sp.diff(function, s) for s in inner}
        total = {v: sum(partial[s] * slopes[s].get(v, 0) for s in inner) for v in variables}
        return {v: slope for v, slope in total.items() if slope != 0}

    for symbol, function in shared:
        program.append((symbol, function))
        slopes[symbol] = {}
        for v, slope in slopes_of(function).items():
            if slope.args:
                named = sp.Dummy("d", real=True)
                program.append((named, slope))
                slope = named
            slopes[symbol][v] = slope
    table = []
    for function in reduced:
        moved = slopes_of(function)
        table += [function, *(moved.get(v, sp.Integer(0)) for v in variables)]
    return sp.lambdify(arguments, table, "numpy", use_imps=False, cse=lambda _: (program, table))


class MultiplierForm:
    """Unreduced equations of a mechanism.

    The configuration velocity is xi followed by the rotor rates (n + s entries); Gamma is the
    concatenation of all advected components and the coordinates; heights that the leaf gives may
    be left out.

    Parameters
    ----------
    mechanism : EulerPoincare

    Raises
    ------
    DescriptionError
        If the mechanism has a controller: its states belong to the loop and not to the plant.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        require_mechanism(mechanism, "equations with multipliers", "its own are sys.equations().rhs")
        if mechanism.controller:
            raise DescriptionError(
                f"the multiplier form is that of a plant; {', '.join(mechanism.controller)} belong to a "
                "controller, take unreduced() of the mechanism without it"
            )
        self.mechanism = mechanism
        algebra, rotors = mechanism.algebra, mechanism.rotors
        self.n = algebra.n + (rotors.count if rotors else 0)
        gamma = list(mechanism.configuration_symbols)
        G = sp.Matrix(mechanism.inertia)
        if rotors:
            G = rotors.with_body(G)
        A = sp.zeros(self.n, 1)
        if mechanism.gyroscopic is not None:
            A[: algebra.n, 0] = mechanism.gyroscopic
        if rotors:
            A[algebra.n :, 0] = rotors.gyroscopic
        r = 0 if mechanism.constraints is None else mechanism.constraints.rows
        psi = sp.zeros(r, self.n)
        if r:
            psi[:, : algebra.n] = mechanism.constraints
        F = sp.zeros(self.n, 1)
        if mechanism.acting is not None:
            F[: algebra.n, 0] = mechanism.acting
        if rotors:
            F[algebra.n :, 0] = sp.Matrix(mechanism.rotor_torques)
        F = F.subs(self._closed_inputs())
        # Reactions that the forces hold: columns of F, of loads that are rows of the multipliers.
        loads = [reaction(name) for name in mechanism.loads]
        per_load, F = F.jacobian(loads) if loads else sp.zeros(self.n, 0), F.subs(dict.fromkeys(loads, 0))
        unit = dict(zip(mechanism.row_names, sp.eye(r).tolist(), strict=True))
        acted = psi[:, : algebra.n]
        borne = unit | {name: list(acted * sp.Matrix(eta)) for name, eta in mechanism.reactions.items()}
        carried = sp.Matrix(len(loads), r, [e for name in mechanism.loads for e in borne[name]])

        arguments = [gamma, [p.symbol for p in mechanism.parameters]]
        self._lagrangian_and_rows = _with_slopes(arguments, [*G, *A, mechanism.potential, *psi], gamma)
        rates = list(rotors.rates) if rotors else []
        motion = [[*algebra.xi, *rates], list(algebra.mu), list(mechanism.input_symbols), time, *arguments]
        self._F = sp.lambdify(motion, F, "numpy", use_imps=False, cse=True)
        self._F_of_multipliers = sp.lambdify(motion, per_load * carried, "numpy")
        self._c = np.zeros((self.n,) * 3)
        self._c[: algebra.n, : algebra.n, : algebra.n] = algebra.structure_constants
        # The last entry is the one that moves coordinates.
        known = len(gamma) - len(mechanism.quasicoordinates)
        self._kappa = np.zeros((len(gamma), self.n, known + 1))
        start = 0
        for advected in mechanism.advected:
            if isinstance(advected, Height):  # hdot = Gamma . Y
                vector = gamma.index(advected.along.symbols[0])
                for k, row in enumerate(algebra.factors[advected.along.factor_index(algebra)].velocity or ()):
                    self._kappa[start, : algebra.n, vector + k] -= row
            else:
                for i, j, k, value in advected.action(mechanism.group or algebra):
                    self._kappa[start + i, j, start + k] = float(value)
            start += advected.dimension
        for c in range(len(mechanism.shape)):
            self._kappa[start + c, algebra.n - len(mechanism.shape) + c, -1] = -1.0
        quasi = mechanism.quasicoordinates
        moving = sp.Matrix(
            len(quasi), self.n, [sp.diff(z.rate, v) for z in quasi for v in [*algebra.xi, *rates]]
        )
        self._w = sp.lambdify(arguments, moving, "numpy", use_imps=False, cse=True)
        drift = {s: e for f in mechanism.seen_from for s, e in f.drift(mechanism.advected, algebra).items()}
        self._drift = sp.lambdify(arguments, [drift.get(s, 0) for s in gamma], "numpy")
        self._rows = r

    def _closed_inputs(self) -> dict[sp.Symbol, sp.Expr]:
        """Feedback in full symbols: quasivelocities of a user's frame are (E^T E)^{-1} E^T xi."""
        mechanism = self.mechanism
        frame = choose_frame(mechanism)
        reduced: dict[sp.Symbol, sp.Expr] = {}
        if mechanism.frame is not None and mechanism.feedback:
            E = frame.matrix
            v = (E.T * E).LUsolve(E.T * sp.Matrix(mechanism.algebra.xi))
            reduced = {sp.Symbol(label, real=True): e for label, e in zip(frame.labels, v, strict=True)}
        actuators = {s.name: s for s in mechanism.actuator_symbols}
        return {actuators[k]: e.subs(reduced) for k, e in mechanism.feedback.items()}

    def _with_heights(self, gamma: np.ndarray, p: Sequence[float]) -> np.ndarray:
        """Gamma with the heights that the leaf gives, where they are left out."""
        m = self.mechanism
        heights = {s: e for s, e in m.removed.items() if e != 0}
        others = [s for s in m.configuration_symbols if s not in heights]
        if not heights or gamma.shape != (len(others),):
            return gamma
        values = dict(zip(others, gamma, strict=True)) | dict(
            zip((q.symbol for q in m.parameters), p, strict=True)
        )
        return np.array(
            [values[s] if s in values else float(heights[s].subs(values)) for s in m.configuration_symbols]
        )

    def _parts(self, gamma: np.ndarray, p: Sequence[float]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """G, A, U and psi, and the derivatives of each by Gamma along a first axis."""
        n, r = self.n, self._rows
        table = np.array(self._lagrangian_and_rows(gamma, p), dtype=float).reshape(-1, 1 + gamma.size)
        parts = np.split(table, np.cumsum([n * n, n, 1]))
        shapes: list[tuple[int, ...]] = [(n, n), (n,), (), (r, n)]
        return (
            [part[:, 0].reshape(shape) for part, shape in zip(parts, shapes, strict=True)],
            [part[:, 1:].T.reshape(gamma.size, *shape) for part, shape in zip(parts, shapes, strict=True)],
        )

    def _solve(
        self, t: float, state: Sequence[Any], u: Any, params: Mapping[str, float] | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        m = self.mechanism
        values = resolve_parameters(m.defaults, params, m.positive)
        p = [float(values[q.name]) for q in m.parameters]
        xi, gamma = (finite_array("state", part).ravel() for part in state)
        gamma = self._with_heights(gamma, p)
        if xi.shape != (self.n,) or gamma.shape != (len(m.configuration_symbols),):
            raise InputError(
                f"state must be (xi, Gamma) with {self.n} velocities (rotor rates appended) and "
                f"{len(m.configuration_symbols)} advected components and coordinates, "
                f"got {xi.shape} and {gamma.shape}"
            )
        inputs = np.zeros(len(m.input_symbols)) if u is None else np.atleast_1d(finite_array("u", u))
        (G, A, _, psi), (dG, dA, dU, dpsi) = self._parts(gamma, p)
        quasi = len(m.quasicoordinates)
        carriers = np.append(gamma[: gamma.size - quasi], 1.0)
        moved = -np.einsum("ijk,k->ij", self._kappa, carriers)
        if quasi:
            moved[gamma.size - quasi :] = self._w(gamma, p)
        gammadot = moved @ xi + np.array(self._drift(gamma, p), dtype=float)
        mu = G @ xi + A
        dl = 0.5 * np.einsum("kij,i,j->k", dG, xi, xi) + dA @ xi - dU
        coadjoint = np.einsum("ijk,i,k->j", self._c, xi, mu)
        diamond = dl @ moved
        motion = (xi, mu[: m.algebra.n], inputs, t, gamma, p)
        force = np.asarray(self._F(*motion), dtype=float).ravel()
        right = coadjoint + diamond + force
        right -= np.einsum("kij,k,j->i", dG, gammadot, xi) + gammadot @ dA
        saddle, total = G, right
        if self._rows:
            drift = np.einsum("kai,k,i->a", dpsi, gammadot, xi)
            borne = np.asarray(self._F_of_multipliers(*motion), dtype=float)
            saddle = np.block([[G, -psi.T - borne], [psi, np.zeros((self._rows, self._rows))]])
            total = np.concatenate([right, -drift])
        try:
            solution = np.linalg.solve(saddle, total)
        except np.linalg.LinAlgError:
            raise SingularMassError("the mass matrix bordered by the constraints is singular here") from None
        return solution[: self.n], solution[self.n :], gammadot

    def _lines(self) -> list[str]:
        return [f"<MultiplierForm of {self.mechanism.name or 'unnamed'}: {self.n} velocities>"]

    full = full_text
    __repr__ = short_form

    def rhs(
        self, t: float, state: Sequence[Any], u: Any = None, params: Mapping[str, float] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """``(xidot, Gammadot)`` at ``state = (xi, Gamma)``.

        Raises
        ------
        InputError
            If the state has the wrong shape.
        ParameterError
            For an unknown or missing parameter.
        SingularMassError
            Where the bordered mass matrix is singular.
        """
        acceleration, _, gammadot = self._solve(t, state, u, params)
        return acceleration, gammadot

    def multipliers(
        self, t: float, state: Sequence[Any], u: Any = None, params: Mapping[str, float] | None = None
    ) -> np.ndarray:
        """Multipliers lambda_a of the constraint rows, (r,); raises as `rhs` does.

        They are the forces that keep these rows, ``+lambda_a psi^a`` on the right-hand side, and no others. A
        weight of which the potential is a function of Gamma acts as a torque, and the multipliers then lack
        the m g that a plane carries; with a `Height` they have it. By name: `ReducedSystem.reactions`.
        """
        return self._solve(t, state, u, params)[1]
