r"""Controlled Lagrangians for abelian actuated directions: rotors, carts, pucks, wheels, bases of tops.

Actuated velocities :math:`\dot\theta^a` commute with all others, G and V do not hold their positions, and
:math:`\gamma = g_{ab}` is constant. With the one-forms :math:`k^a = \gamma^{ab} g_{b\alpha} e^\alpha` and
symmetric gains :math:`\Lambda, \rho`

.. math::

    2 L_c = g_{\alpha\beta} v^\alpha v^\beta - (k v)^T \Lambda\, (k v) + \dot y^T \rho\, \dot y
    - 2 V - 2 F(z), \qquad \dot y = \dot\theta + \gamma^{-1}\Lambda\, k v

is matched with :math:`w_\alpha = e_\alpha - C k_\alpha`, :math:`C = \gamma^{-1}\Lambda - \rho^{-1}\gamma`,
and the gyroscopic force :math:`F_\alpha = \dot y^T \rho\, C\, dk(e_\alpha, v)`, which vanishes where k is
closed. Then :math:`\dot z = \dot\theta + C k v` is the rate of a function z of the configuration. In the
notation of Bloch, Leonard and Marsden :math:`\Lambda = (1 + \kappa)\gamma`, and :math:`\rho` is theirs times
:math:`\gamma`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
import sympy as sp

from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl.algebra import Quasicoordinate
from geoctrl.errors import MatchingError
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.synthesis.shaping.gain_matrices import drawn_definite, entries_of, matrix_of, require_invertible
from geoctrl.synthesis.shaping.matching_class import KINETIC, POTENTIAL, Gain, Shaping
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.shaping.primitives import primitive
from geoctrl.systems import Parameter

__all__ = ["Abelian"]


_KAPPA = Gain("kappa", "", "Lambda = (1 + kappa) gamma, what the coupling takes off the body's inertia")
_RHO = Gain("rho", "", "inertia of the actuated directions, controlled over that of the plant")
_STIFF = Gain("K", "", "stiffness of the potential K |z|^2/2")
_LAMBDA = Gain("Lambda", "", "the body's inertia is less by k^T Lambda k")
_RHO_MATRIX = Gain("rho", "", "controlled inertia of the actuated directions")
_STIFF_MATRIX = Gain("K", "", "stiffness of the potential z^T K z/2")


class Abelian(Shaping):
    r"""The class of a plant whose actuated directions are abelian, with a constant inertia.

    With :math:`C \ne 0` and a potential where k is closed; else C = 0, rho = 1/(1 + kappa), z = theta. With
    ``form`` "matrices" or "diagonal" the gains are entries of symmetric matrices Lambda, rho and K, where
    C = 0 means :math:`\rho = \gamma\Lambda^{-1}\gamma`; with "scalars" factors of :math:`\gamma` and of one.
    """

    title = "abelian actuated directions"

    def __init__(self, plant: Plant, kind: str, form: str = "scalars") -> None:
        self.plant, self.kind, self.form = plant, kind, form
        m, driven = self.plant.mechanism, self.plant.driven
        self.plant.require_separated()
        labels = m.algebra.labels
        twisted = sorted({labels[x] for i, j, *_ in m.algebra.brackets for x in (i, j) if x in driven})
        if twisted:
            raise MatchingError(
                f"the actuated {', '.join(twisted)} does not commute with the other velocities"
            )
        moving = sorted(map(str, self.gamma.free_symbols & set(m.configuration_symbols)))
        if moving:
            raise MatchingError(f"the inertia of the actuated directions depends on {', '.join(moving)}")
        for place, label in zip(driven, (labels[i] for i in driven), strict=True):
            for what, entries in (("inertia", m.inertia), ("gyroscopic", m.gyroscopic)):
                held = [] if entries is None else [e for e in entries if self.plant.along(e)[place] != 0]
                if held:
                    raise MatchingError(f"the {what} depends on the position of {label}, which is actuated")
            slope = self.plant.along(m.potential)[place]
            if any(sp.simplify(self.plant.along(slope)[j]) != 0 for j in self.plant.undriven):
                raise MatchingError(
                    f"the potential mixes the position of {label}, which is actuated, with others"
                )

        self.require_free(self.gains)

    @property
    def _mixes(self) -> bool:
        """Whether the actuators' inertia is a gain of its own."""
        return self.kind != KINETIC and self.kind != POTENTIAL and self.closed

    @property
    def gains(self) -> Sequence[Gain]:
        """kappa unless the potential alone is shaped, rho where it is free, K with a potential."""
        if self.form == "scalars":
            return self._free_gains(_KAPPA, _RHO, _STIFF)
        s, diagonal = len(self.plant.driven), self.form == "diagonal"
        return tuple(e for gain in self._whole for e in entries_of(gain, s, diagonal))

    def _free_gains(self, inertia: Gain, free: Gain, stiff: Gain) -> tuple[Gain, ...]:
        """Which of three are free."""
        found = [] if self.kind == POTENTIAL else [inertia]
        found += [free] if self._mixes else []
        found += [] if self.kind == KINETIC else [stiff]
        return tuple(found)

    @property
    def _whole(self) -> tuple[Gain, ...]:
        """The matrices that are free."""
        return self._free_gains(_LAMBDA, _RHO_MATRIX, _STIFF_MATRIX)

    @property
    def matrices(self) -> Mapping[str, sp.ImmutableMatrix]:
        """Lambda, rho and K, as far as they are free."""
        if self.form == "scalars":
            return {}
        s, known = len(self.plant.driven), {g.name: g.symbol for g in self.gains}
        return {g.name: sp.ImmutableMatrix(matrix_of(g.name, known, s)) for g in self._whole}

    def drawn(self, rng: np.random.Generator, draws: int, decades: float) -> np.ndarray:
        """Rows of gains; matrices are definite."""
        if self.form != "matrices":
            return super().drawn(rng, draws, decades)
        s = len(self.plant.driven)
        return drawn_definite(rng, draws, [s] * (len(self.gains) // (s * (s + 1) // 2)), decades)

    def controlled(self, values: Mapping[str, sp.Expr], parameters: tuple[Parameter, ...]) -> Controlled:
        """L_c for the gains."""
        if self.form != "scalars":
            return self._by_matrices(values, parameters)
        s = len(self.plant.driven)
        kappa, K = values.get("kappa", sp.Integer(0)), values.get("K")
        rho = values.get("rho", 1 / (1 + kappa))
        added = None
        if K is not None:
            added = K * sum(sp.Symbol(name, real=True) ** 2 for name in self.names) / 2
        gamma = self.gamma if s else sp.zeros(0)
        return self.lagrangian((1 + kappa) * gamma, rho * gamma, added, gains=parameters)

    def _by_matrices(self, values: Mapping[str, sp.Expr], parameters: tuple[Parameter, ...]) -> Controlled:
        """L_c for matrices Lambda, rho and K."""
        s, gamma = len(self.plant.driven), self.gamma
        Lambda = gamma if self.kind == POTENTIAL else matrix_of("Lambda", values, s)
        require_invertible("Lambda", Lambda, parameters)
        if self._mixes:
            rho = matrix_of("rho", values, s)
            require_invertible("rho", rho, parameters)
        else:
            rho = gamma * Lambda.inv() * gamma
        added = None
        if self.kind != KINETIC:
            z = sp.Matrix([sp.Symbol(name, real=True) for name in self.names])
            added = (z.T * matrix_of("K", values, s) * z)[0] / 2
        return self.lagrangian(Lambda, rho.applyfunc(factorisation), added, gains=parameters)

    @property
    def gamma(self) -> sp.Matrix:
        """g_ab."""
        return self._block(self.plant.driven, self.plant.driven)

    @cached_property
    def k(self) -> sp.Matrix:
        """k^a (s x n_undriven), in the velocities that no input drives."""
        coupling = self._block(self.plant.driven, self.plant.undriven)
        return (self.gamma.inv() * coupling).applyfunc(factorisation)

    def _block(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> sp.Matrix:
        return sp.Matrix(self.plant.mechanism.inertia).extract(list(rows), list(columns))

    def _forms(self, matrix: sp.Matrix) -> list[list[sp.Expr]]:
        """Rows over the undriven velocities as one-forms on all."""
        n, undriven = self.plant.mechanism.algebra.n, self.plant.undriven
        forms = []
        for row in matrix.tolist():
            form = [sp.Integer(0)] * n
            for place, e in zip(undriven, row, strict=True):
                form[place] = e
            forms.append(form)
        return forms

    @cached_property
    def curvature(self) -> list[sp.Matrix]:
        """dk^a (n x n each)."""
        return [self.plant.differential(form) for form in self._forms(self.k)]

    @cached_property
    def closed(self) -> bool:
        """Whether dk vanishes on admissible velocities: exactly, as rational functions of what they hold."""
        E = self.plant.frame.matrix
        return all(sp.simplify(e) == 0 for d in self.curvature for e in E.T * d * E)

    def lagrangian(
        self,
        Lambda: sp.Matrix,
        rho: sp.Matrix,
        added: sp.Expr | None = None,
        gains: tuple[Parameter, ...] = (),
    ) -> Controlled:
        """L_c for gains (s x s) and a potential F in the symbols z of `positions`."""
        plant, m = self.plant, self.plant.mechanism
        gamma, k = self.gamma, self.k
        n, driven, undriven = m.algebra.n, plant.driven, plant.undriven
        Y = (gamma.inv() * Lambda).applyfunc(factorisation) * k
        A = self._block(undriven, undriven) - k.T * Lambda * k
        blocks = {(0, 0): A + Y.T * rho * Y, (0, 1): Y.T * rho, (1, 1): sp.Matrix(rho)}
        places = (undriven, driven)
        G = sp.zeros(n, n)
        # Products of matrices of symbols are long when they are multiplied out.
        written = sp.expand if self.form == "scalars" else (lambda e: e)
        for (a, b), block in blocks.items():
            for i, row in enumerate(places[a]):
                # One entry for each pair: products that are equal need not be written alike.
                for j, column in enumerate(places[b][i:] if a == b else places[b], i if a == b else 0):
                    G[row, column] = G[column, row] = written(block[i, j])
        C = self.mixing(Lambda, rho)
        force = None if C.is_zero_matrix or self.closed else self._gyroscopic(C, Y, sp.Matrix(rho))
        z = self.positions(C) if added is not None else ()
        closed = {z.symbol: e for z in z if (e := self._closed_form(z)) is not None}
        resting = self._without_positions(m.potential)
        return Controlled(
            plant=plant,
            inertia=sp.ImmutableMatrix(G),
            potential=resting + (0 if added is None else added.subs(closed)),
            fields=self._fields(C),
            quasicoordinates=tuple(z for z in z if z.symbol not in closed),
            force=force,
            gains=gains,
            positions=tuple(closed.get(z.symbol, z.symbol) for z in z),
        )

    def mixing(self, Lambda: sp.Matrix, rho: sp.Matrix) -> sp.Matrix:
        """C."""
        gamma = self.gamma
        return (gamma.inv() * Lambda - sp.Matrix(rho).inv() * gamma).applyfunc(factorisation)

    def positions(self, C: sp.Matrix) -> tuple[Quasicoordinate, ...]:
        """z^a, with the rates thetadot + C k v."""
        m, E = self.plant.mechanism, self.plant.frame.matrix
        s = len(self.plant.driven)
        for a in range(s):
            total = sum((C[a, b] * self.curvature[b] for b in range(s)), sp.zeros(m.algebra.n, m.algebra.n))
            if not self.closed and any(sp.simplify(e) != 0 for e in E.T * total * E):
                raise MatchingError(
                    "the coupling is not closed on the admissible velocities (dk != 0): no position is free "
                    "of the unactuated motion, and no potential can be added unless C = 0"
                )
        xi = sp.Matrix(m.algebra.xi)
        base = sp.Matrix([xi[i] for i in self.plant.undriven])
        rates = sp.Matrix([xi[i] for i in self.plant.driven]) + C * self.k * base
        names = self.names
        return tuple(
            Quasicoordinate(name, rate, "", "position that the unactuated motion leaves alone")
            for name, rate in zip(names, rates, strict=True)
        )

    def _closed_form(self, z: Quasicoordinate) -> sp.Expr | None:
        """z as a function of coordinates, where its rate is a differential of such a function.

        A state besides a position that is known would be neutral, and a memory that has to start right.
        """
        m = self.plant.mechanism
        coordinates = {c.rate: c.symbol for c in m.shape}
        moved = {v: sp.diff(z.rate, v) for v in m.algebra.xi if sp.diff(z.rate, v) != 0}
        if not moved.keys() <= coordinates.keys():
            return None
        found = sp.Integer(0)
        # One coordinate after the other: what those before have not brought.
        for v, slope in moved.items():
            left = sp.simplify(slope - sp.diff(found, coordinates[v]))
            grown = left and primitive(left, coordinates[v])
            if grown is None:
                return None
            found += grown
        closed = all(sp.simplify(sp.diff(found, coordinates[v]) - slope) == 0 for v, slope in moved.items())
        return found if closed else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the positions: z, or z1, z2, ...; with letters before where the plant has such."""
        s, taken = len(self.plant.driven), self.plant.mechanism.taken
        stem = next(stem for stem in ("z", "zeta", "position") if not any(t.startswith(stem) for t in taken))
        return (stem,) if s == 1 else tuple(f"{stem}{a + 1}" for a in range(s))

    def _without_positions(self, potential: sp.Expr) -> sp.Expr:
        """V without what depends on actuated positions alone: inputs take that up."""
        m = self.plant.mechanism
        rates = {m.algebra.labels[i] for i in self.plant.driven}
        return potential.subs({c.symbol: 0 for c in m.shape if c.rate_label in rates})

    def _fields(self, C: sp.Matrix) -> sp.ImmutableMatrix:
        """w of the plant's unactuated basis: e_alpha - C k_alpha in the frame's velocities."""
        plant = self.plant
        eta, E = plant.unactuated, plant.frame.matrix
        taken = C * self.k * E.extract(list(plant.undriven), list(range(E.cols))) * eta
        W = sp.Matrix(eta)
        for a, column in enumerate(plant.fibre):
            W[column, :] -= taken[a, :]
        return sp.ImmutableMatrix(W)

    def _gyroscopic(self, C: sp.Matrix, Y: sp.Matrix, rho: sp.Matrix) -> sp.ImmutableMatrix:
        """F (n): ydot^T rho C dk(e_alpha, v)."""
        m, s = self.plant.mechanism, len(self.plant.driven)
        xi = sp.Matrix(m.algebra.xi)
        base = sp.Matrix([xi[i] for i in self.plant.undriven])
        ydot = sp.Matrix([xi[i] for i in self.plant.driven]) + Y * base
        weights = (ydot.T * rho * C).tolist()[0]
        F = sp.zeros(m.algebra.n, 1)
        for a in range(s):
            F += weights[a] * self.curvature[a] * xi
        return sp.ImmutableMatrix(F)
