r"""A system on a manifold as Euler-Poincare equations with advected parameters, for every symbolic analysis.

Attitudes move with body velocities; the rows of R are three vectors fixed in the reference and seen from the
body, :math:`r_k = R^T e_k`, :math:`\dot r_k = r_k \times \xi`. Directions move with spatial velocities: the
bracket is :math:`[\omega, \eta] = -\omega \times \eta`, the advected :math:`\dot q = \omega \times q`;
rotations about q change nothing and are held by the constraint :math:`q \cdot \omega = 0`, of which the
multiplier is zero. Places move by translations, of which (x, 1) is advected.

Seen from axes that turn with a constant rate W besides a turning reference frame, the velocities are
:math:`w = \xi + c`, where c(z) carries a configuration with the axes, and with the inertia I and the covector
a of the velocities

.. math:: L = \tfrac12 \xi \cdot I \xi + (I c + a) \cdot \xi - (V - \tfrac12 c \cdot I c - a \cdot c) :

a gyroscopic covector and an amended potential, of which the energy is the Jacobi integral.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array
from geoctrl._scalars import Node, exact
from geoctrl.algebra import AdvectedParameter, AdvectedVector, LieAlgebra, product, rn, so3
from geoctrl.manifolds.description.description import Description
from geoctrl.manifolds.description.moving_frame import name_with_frame
from geoctrl.manifolds.factors import Attitude, Direction, Factor, Place
from geoctrl.manifolds.vectors.calculus import rational
from geoctrl.systems import EulerPoincare, Family, Lagrangian, ReducedSystem

__all__ = ["ReducedView", "description", "description_with_families", "natural"]


def description(system: Description, spin: Sequence[float] | None = None) -> EulerPoincare:
    """Euler-Poincare description of a system given by expressions; seen from axes turning with ``spin`` more.

    The advected vectors of an attitude "R" are ``R_1``, ``R_2``, ``R_3``; a place "x" has a fourth component
    that is one. With ``spin``, the Lagrangian must not change when all bodies turn about that axis, or it
    would depend on time.
    """
    system.require_symbolic()
    bodies, kinetic = system.product.factors, system.kinetic
    group = product(*(_algebra(f, b) for b, f in enumerate(bodies, 1)))
    places = _places(bodies)
    width = places[-1].stop
    W = turn_of(system, spin)
    carried = [sp.zeros(3, 1)] * len(bodies) if not any(W) else [f.carried(W) for f in bodies]
    inertia, covector = kinetic.inertia, sp.Matrix([e for a in kinetic.covectors for e in a])
    c = sp.Matrix([e for v in carried for e in v])
    gyroscopic = inertia * c + covector
    potential = rational(system.potential_expression) - (c.T * inertia * c)[0] / 2 - covector.dot(c)
    lift = _lift(bodies)
    table = _inertial(system, group.xi, carried)
    forces = None
    if system.has_forces:
        felt = [rational(sp.Matrix(f)).xreplace(table) for f in system.forces_given]
        moments = [f.z.cross(e) if isinstance(f, Direction) else e for f, e in zip(bodies, felt, strict=True)]
        forces = list(
            (lift.T * sp.Matrix([e for v in moments for e in v])).xreplace(_held_coordinates(bodies))
        )
    momenta = _momenta(system, group.mu, places, W)
    declared = system.invariants_given if spin is None else {}
    rows = [
        _row(f.z, place, width) for f, place in zip(bodies, places, strict=True) if isinstance(f, Direction)
    ]
    leaf = [e for f in bodies if isinstance(f, Direction) for e in f.relation_expressions()]
    leaf += [_coordinates(f)[-1] - 1 for f in bodies if isinstance(f, Place)]
    held = _held_coordinates(bodies)
    return EulerPoincare(
        algebra=group,
        advected=[a for b, f in enumerate(bodies) for a in _advected_parts(f, b, places, width)],
        inertia=(lift.T * inertia * lift).xreplace(held),
        potential=potential.xreplace(held),
        gyroscopic=list((lift.T * gyroscopic).xreplace(held)) if any(gyroscopic) else None,
        constraints=rows or None,
        leaf=leaf,
        forces=forces,
        inputs=system.inputs,
        invariants={
            k: rational(e).xreplace(table).xreplace(held) for k, e in {**momenta, **declared}.items()
        },
        parameters=system.parameters,
        name=system.name,
        source=system.source,
    )


def description_with_families(system: Description, spin: Sequence[float] | None = None) -> EulerPoincare:
    """`description` with the declared families, in axes at rest, and the name that tells of the frame."""
    found = description(system, spin)
    if spin is not None and any(spin):
        return found
    families = {name: _reduced_family(system, family) for name, family in system.families.items()}
    return found.replace(equilibria=families, name=name_with_frame(system))


def _reduced_family(system: Description, family: Family) -> Family:
    """A family of states in the states of the reduced equations: velocities relative to the frame."""
    bodies, labels = system.product.factors, system.state_labels
    values = [rational(family.states.get(label, sp.S.Zero)) for label in labels]
    at = dict(zip(system.states, values, strict=True))
    W = turn_of(system, None)
    carried = sp.Matrix([e for f in bodies for e in f.carried(W)]).xreplace(at)
    velocities = _lift(bodies).T * (sp.Matrix(values[system.split :]) - carried)
    names = [str(s) for s in product(*(_algebra(f, b) for b, f in enumerate(bodies, 1))).xi]
    states = dict(zip(names, velocities, strict=True))
    for f in bodies:
        if isinstance(f, Place):
            along = [*(exact_axes(f) * sp.Matrix(f.z)).xreplace(at), sp.S.One]
            states |= dict(zip(map(str, _coordinates(f)), along, strict=True))
        else:
            states |= {str(s): at[s] for s in f.z}
    return Family(states, family.symbols, family.inputs, family.relations)


def _algebra(f: Factor, b: int) -> LieAlgebra:
    """Algebra of the velocities of a body, the b-th."""
    if isinstance(f, Attitude):
        return so3()
    if isinstance(f, Place):
        return rn(f.freedom)
    labels = [str(s) for s in f.velocity]
    return LieAlgebra(-levi_civita(), labels, momentum_labels=[f"mu{b}_{k}" for k in (1, 2, 3)])


def _places(bodies: Sequence[Factor]) -> list[slice]:
    """Places of the bodies' velocities among those of the group."""
    found, at = [], 0
    for f in bodies:
        width = f.freedom if isinstance(f, Place) else 3
        found.append(slice(at, at + width))
        at += width
    return found


def _row(v: sp.Matrix, place: slice, width: int) -> list[sp.Expr]:
    entries = [sp.S.Zero] * width
    entries[place] = list(v)
    return entries


def _coordinates(f: Place) -> list[sp.Symbol]:
    """Symbols of what is advected for a place: its coordinates along its axes, and one."""
    name = f.name if f.freedom == 3 else f"{f.name}_along"
    return [sp.Symbol(f"{name}_{k + 1}", real=True) for k in range(f.freedom + 1)]


def _held_coordinates(bodies: Sequence[Factor]) -> dict[Any, sp.Expr]:
    """Places that are held to lines and planes in their coordinates along the axes."""
    found: dict[Any, sp.Expr] = {}
    for f in bodies:
        if isinstance(f, Place) and f.freedom < 3:
            found |= dict(zip(f.z, exact_axes(f).T * sp.Matrix(_coordinates(f)[:-1]), strict=True))
    return found


def _lift(bodies: Sequence[Factor]) -> sp.Matrix:
    """Velocities (3 n,) of those of the group: places on a line or plane move along its axes alone."""
    return sp.diag(
        *(exact_axes(f).T if isinstance(f, Place) and f.freedom < 3 else sp.eye(3) for f in bodies)
    )


def exact_axes(f: Place) -> sp.Matrix:
    """Axes of a place (k, 3), exactly."""
    return sp.Matrix(f.axes.shape[0], 3, [rational(float(e)) for e in f.axes.ravel()])


def _advected_parts(f: Factor, b: int, places: Sequence[slice], width: int) -> list[Any]:
    """What moves with a body, the one after b others."""
    place = places[b]
    if isinstance(f, Attitude):
        units = zip((1, 2, 3), sp.eye(3).tolist(), strict=True)
        return [AdvectedVector(f"{f.name}_{k}", reference=e, of=b + 1) for k, e in units]
    if isinstance(f, Direction):
        action = np.zeros((3, width, 3), dtype=int)
        action[:, place, :] = -levi_civita().transpose(2, 0, 1)
        return [AdvectedParameter(f"{f.name}_", action=action, reference=(0, 0, 1))]
    assert isinstance(f, Place)
    k = f.freedom
    move = np.zeros((k + 1, width, k + 1), dtype=int)
    move[:k, place, k] = -np.eye(k, dtype=int)
    name = _coordinates(f)[0].name[:-1]
    return [AdvectedParameter(name, action=move, reference=[0] * k + [1])]


def _momenta(
    system: Description, mu: Sequence[sp.Symbol], places: Sequence[slice], W: sp.Matrix
) -> dict[str, sp.Expr]:
    """The momenta of turning and moving all bodies, in axes that turn that along the axis."""
    total, linear = sp.zeros(3, 1), sp.zeros(3, 1)
    bodies = system.product.factors
    for f, place in zip(bodies, places, strict=True):
        m = sp.Matrix(list(mu)[place])
        if isinstance(f, Place):
            p = exact_axes(f).T * m if f.freedom < 3 else m
            total, linear = total + f.z.cross(p), linear + p
        else:
            total += f.z * m if isinstance(f, Attitude) else m
    if any(W):
        return {"momentum": W.dot(total)}
    found = {f"momentum{k + 1}": total[k] for k in range(3)}
    if all(isinstance(f, Place) for f in bodies) or any(linear):
        found |= {f"linear_momentum{k + 1}": e for k, e in enumerate(linear) if e != 0}
    return found


def turn_of(system: Description, spin: Sequence[float] | np.ndarray | None) -> sp.Matrix:
    """Rate of the axes in which configurations are seen: of the reference frame, and the ``spin``."""
    frame = sp.zeros(3, 1) if system.frame_rate is None else rational(system.frame_rate)
    return frame if spin is None else frame + rational(sp.Matrix(finite_array("spin", spin, (3,))))


def _inertial(
    system: Description, xi: Sequence[sp.Symbol], carried: Sequence[sp.Matrix]
) -> dict[Any, sp.Expr]:
    """Velocities in those of the group, entry by entry."""
    bodies = system.product.factors
    moved = _lift(bodies) * sp.Matrix(list(xi))
    symbols = [s for f in bodies for s in f.velocity]
    return dict(zip(symbols, moved + sp.Matrix([e for v in carried for e in v]), strict=True))


class ReducedView:
    r"""A system on a manifold as a `ReducedSystem` with states (xi, z), and the maps between the states.

    The velocities are :math:`w = \xi + c(z)`, c what carries the configuration with frame and axes.
    """

    def __init__(self, system: Description, spin: Sequence[float] | None = None) -> None:
        self.spin = np.zeros(3) if spin is None else np.array(spin, dtype=float)
        self._system = system
        self.reduced: ReducedSystem = description(system, spin if np.any(self.spin) else None).reduce()
        bodies = system.product.factors
        self._lift = np.array(_lift(bodies).tolist(), dtype=float)
        self._shape, self._one = self._shapes(bodies)

    @staticmethod
    def _shapes(bodies: Sequence[Factor]) -> tuple[np.ndarray, np.ndarray]:
        """What is advected as an affine function of the configuration: its matrix, and the constants."""
        from scipy.linalg import block_diag

        blocks = [
            np.vstack([f.axes, np.zeros(3)]) if isinstance(f, Place) else np.eye(3 * f.rows) for f in bodies
        ]
        ones = [np.eye(f.freedom + 1)[-1] if isinstance(f, Place) else np.zeros(3 * f.rows) for f in bodies]
        return block_diag(*blocks), np.concatenate(ones)

    def _frame_velocity(self, z: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        return self._system.product.still(z, self._system.frame_rate_at(params) + self.spin)

    def reduced_state(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Reduced state of a state."""
        z, w = self._system.product.parts(np.asarray(x))
        xi = self._lift.T @ (w - self._frame_velocity(z, params)).ravel()
        return np.concatenate([xi, self._shape @ z.ravel() + self._one])

    def out_of(self, y: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """State of a reduced state."""
        xi, shape = np.split(np.asarray(y), [self._lift.shape[1]])
        z, w = (self._shape.T @ shape).reshape(-1, 3), (self._lift @ xi).reshape(-1, 3)
        return self._system.product.state(z, w + self._frame_velocity(z, params))

    def derivative(self, y: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Derivative of `out_of`."""
        product, turn = self._system.product, self._system.frame_rate_at(params) + self.spin
        z, _ = product.parts(self.out_of(y, params))
        unmoved = np.zeros((3 * product.rows, self._lift.shape[1]))
        return np.block(
            [[unmoved, self._shape.T], [self._lift, product.still_gradient(z, turn) @ self._shape.T]]
        )

    def exact_change(
        self, x: Sequence[Any], params: Mapping[str, Any]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The reduced state of a state of rationals, its derivative by the state, and that of the way back.

        In Fractions, in axes at rest; a frame rate that is not rational is taken as its doubles.
        """
        bodies = self._system.product.factors
        numbers = {p.symbol: sp.Rational(exact(params[p.name])) for p in self._system.parameters}
        turn = turn_of(self._system, None).xreplace(numbers)
        turn = turn.applyfunc(lambda e: e if e.is_Rational else sp.Rational(exact(float(e))))
        symbols = [s for f in bodies for s in f.z]
        at = dict(zip(symbols, map(sp.Rational, x), strict=False))
        carried = sp.Matrix([e for f in bodies for e in f.carried(turn)])
        c, bends = (_fractions(m.xreplace(at)) for m in (carried, carried.jacobian(symbols)))
        lift, shape = _exactly(self._lift), _exactly(self._shape)
        z, w = np.split(np.array(list(x), dtype=object), [len(symbols)])
        y = np.concatenate([lift.T @ (w - c[:, 0]), shape @ z + _exactly(self._one)])
        into = np.block([[-lift.T @ bends, lift.T], [shape, _exactly(np.zeros((len(shape), len(w))))]])
        still = _exactly(np.zeros((len(z), lift.shape[1])))
        return y, into, np.block([[still, shape.T], [lift, bends @ shape.T]])

    def expression(self, expr: Any) -> Any:
        """An expression in the states in the symbols of the reduced equations, in axes at rest."""
        W = turn_of(self._system, None)
        carried = [f.carried(W) for f in self._system.product.factors]
        table = _inertial(self._system, list(self.reduced.mechanism.algebra.xi), carried)
        return expr.xreplace(table).xreplace(_held_coordinates(self._system.product.factors))


def _exactly(numbers: np.ndarray) -> np.ndarray:
    """Doubles as Fractions."""
    return np.array([exact(v) for v in numbers.flat], dtype=object).reshape(numbers.shape)


def _fractions(matrix: sp.Matrix) -> np.ndarray:
    return np.array([Fraction(e.p, e.q) for e in matrix], dtype=object).reshape(matrix.shape)


def natural(system: Description, spin: Sequence[float] | np.ndarray) -> Lagrangian:
    """Lagrangian of a symbolic system in its configurations, seen from axes that turn with ``spin``."""
    gyroscopic, half = system.kinetic.turning_terms(turn_of(system, spin))
    to_node = system.to_node
    relations = [e for f in system.product.factors for e in f.relation_expressions()]
    labels = system.state_labels[: system.split]
    return Lagrangian(
        graph=system.graph,
        coordinates=dict(zip(labels, system.configuration_nodes, strict=True)),
        parameters=system.parameter_nodes,
        mass=[(i, j, to_node(e)) for (i, j), e in system.kinetic.G.items()],
        gyroscopic=[to_node(e) for e in gyroscopic],
        potential=to_node(rational(system.potential_expression) - half),
        relations=[to_node(e) for e in relations],
        inputs=dict(zip(system.input_labels, system.input_nodes, strict=True)),
        forces=_ambient_forces(system) if system.has_forces and not np.any(spin) else (),
    )


def _ambient_forces(system: Description) -> list[Node]:
    r"""Generalised forces in the coordinates of the configuration, with the velocities in their rates.

    Those of places and directions are given so. A moment m in the body works as :math:`\tfrac12 z_k \times m`
    on the rows :math:`z_k` of its attitude. With rates relative to the reference frame
    :math:`\omega = q \times \dot q` and :math:`\Omega = \tfrac12 \sum \dot z_k \times z_k`, to which comes
    what the frame carries along: velocities are inertial.
    """
    factors, W = system.product.factors, turn_of(system, None)
    table = {
        s: e + c
        for f in factors
        for s, e, c in zip(f.velocity, f.velocity_of(f.rate), f.carried(W), strict=True)
    }
    to_node = system.lagrangian_node.knowing(dict(zip(system.driven, system.driven_nodes, strict=True)))
    given = zip(factors, system.forces_given, strict=True)
    return [to_node(e) for f, felt in given for e in f.working(rational(sp.Matrix(felt)).xreplace(table))]


def levi_civita() -> np.ndarray:
    """Permutation symbol (3, 3, 3)."""
    epsilon = np.zeros((3, 3, 3), dtype=int)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        epsilon[i, j, k], epsilon[j, i, k] = 1, -1
    return epsilon
