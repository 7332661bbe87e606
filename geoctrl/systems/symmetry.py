r"""Symmetry about a body axis, and the system seen from axes that do not follow the spin about it.

Let nothing change when the body turns about the axis e. Put R = R_f exp(phi e): R_f are axes that do not
follow the spin, phi is the spin angle, a factor R of its own. The body's velocity seen from those axes is
xi = xi_f + phidot e, and by the symmetry Lagrangian, constraints and forces are the old functions of it and
of Gamma = R_f^T gamma. What turns the axes about e is arbitrary; they are held so that the first advected
vector has no component along a fixed direction d perpendicular to e. Steady motions, in which only the spin
turns Gamma, then keep all states constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from geoctrl._scalars import exact
from geoctrl.algebra import AdvectedVector, LieAlgebra, product
from geoctrl.algebra.exponential import exp_action
from geoctrl.errors import DescriptionError, FrameError
from geoctrl.systems.build_checks import generic_parameters
from geoctrl.systems.description import EulerPoincare, time
from geoctrl.systems.frames import choose_frame
from geoctrl.systems.rotors import Rotors

if TYPE_CHECKING:
    from geoctrl.systems.reduced import ReducedSystem

__all__ = ["Axis", "check_axis", "despun_mechanism", "despun_state"]

_SYMMETRIC = 1e-9


class Axis:
    """An axis of the body about which turning changes nothing.

    Parameters
    ----------
    direction : three numbers
        Components in the body frame, not all zero; rationals or floats taken as the rationals they are.
    of : int
        Number of the factor, from 1.

    Raises
    ------
    DescriptionError
        If the direction is not three finite numbers or zero.

    Examples
    --------
    >>> Axis((0, 0, 1)).unit
    (0.0, 0.0, 1.0)
    """

    def __init__(self, direction: Sequence[Any], of: int = 1) -> None:
        try:
            entries = tuple(exact(sp.sympify(d)) for d in direction)
        except (TypeError, ValueError) as error:
            raise DescriptionError(f"an axis needs three finite numbers, got {direction!r}") from error
        if len(entries) != 3 or not any(entries):
            raise DescriptionError(f"an axis needs three numbers, not all zero, got {direction!r}")
        self.direction: tuple[Fraction, ...] = entries
        self.of = int(of)

    @property
    def unit(self) -> tuple[float, ...]:
        """The direction with length one."""
        size = float(sum(d * d for d in self.direction)) ** 0.5
        return tuple(float(d) / size for d in self.direction)

    def __reduce__(self):
        return Axis, (self.direction, self.of)

    def __repr__(self) -> str:
        return f"Axis({tuple(map(str, self.direction))}, of={self.of})"


@dataclass(frozen=True)
class _Turn:
    """Action of a turn about the axis: xi -> T xi, advected -> S advected."""

    velocity: np.ndarray
    advected: np.ndarray


def _generator(mechanism: EulerPoincare, axis: Axis) -> np.ndarray:
    """The element of the algebra that turns the factor about the axis once per unit time."""
    factors = mechanism.algebra.factors
    if not 1 <= axis.of <= len(factors) or factors[axis.of - 1].spin is None:
        raise DescriptionError(f"symmetry: factor {axis.of} has no rotations")
    return np.array(factors[axis.of - 1].spin, dtype=float).T @ np.array(axis.unit)


def _turn(mechanism: EulerPoincare, axis: Axis, angle: float) -> _Turn:
    from scipy.linalg import block_diag

    e = _generator(mechanism, axis)
    adjoint = np.einsum("ijk,i->kj", mechanism.algebra.structure_constants, e)
    blocks = []
    for advected in mechanism.advected:
        rho = np.zeros((advected.dimension,) * 2)
        for i, j, k, value in advected.action(mechanism.algebra):
            rho[i, k] += float(value) * e[j]
        blocks.append(exp_action(-angle * rho, np.eye(advected.dimension)))
    velocity = exp_action(-angle * adjoint, np.eye(mechanism.algebra.n))
    return _Turn(velocity, block_diag(*blocks) if blocks else np.zeros((0, 0)))


def check_axis(mechanism: EulerPoincare) -> None:
    """Compare every part of a description before and after a turn about its declared axis.

    Raises
    ------
    DescriptionError
        Naming the part that breaks the symmetry.
    """
    axis = mechanism.symmetry
    if axis is None:
        return
    params = generic_parameters(mechanism)
    numbers = [params[p.name] for p in mechanism.parameters]
    symbols = [p.symbol for p in mechanism.parameters]
    rng = np.random.default_rng(23)
    gamma = list(mechanism.advected_symbols)
    xi = list(mechanism.algebra.xi)
    inputs = list(mechanism.actuator_symbols)
    rates = [*(mechanism.rotors.rates if mechanism.rotors else ()), *mechanism.controller_symbols]

    def function(expr: Any):
        compiled = sp.lambdify([gamma, xi, rates, inputs, time, symbols], sp.Matrix(expr), "numpy", cse=True)
        return lambda a, v, w, u: np.asarray(compiled(a, v, w, u, 0.7, numbers), dtype=float)

    parts: dict[str, Any] = {"inertia": mechanism.inertia, "potential": [mechanism.potential]}
    for name in ("gyroscopic", "constraints", "forces"):
        if getattr(mechanism, name) is not None:
            parts[name] = getattr(mechanism, name)
    if mechanism.rotors is not None:
        parts["rotors"] = mechanism.rotors.coupling
    functions = {name: function(value) for name, value in parts.items()}
    for angle in (0.7, -1.9):
        turn = _turn(mechanism, axis, angle)
        T, S = turn.velocity, turn.advected
        a, v = rng.normal(size=len(gamma)), rng.normal(size=len(xi))
        w, u = rng.normal(size=len(rates)), rng.normal(size=len(inputs))
        for name, f in functions.items():
            before, after = f(a, v, w, u), f(S @ a, T @ v, w, u)
            if name == "inertia":
                after = T.T @ after @ T
            elif name == "constraints":
                after = after @ T
                # The rows may be mixed among themselves: compare the projectors on their span.
                before, after = (np.linalg.pinv(rows) @ rows for rows in (before, after))
            elif name != "potential":
                after = T.T @ after
            size = max(1.0, np.max(np.abs(before), initial=0.0))
            defect = np.max(np.abs(after - before), initial=0.0) / size
            if defect > _SYMMETRIC:
                raise DescriptionError(
                    f"symmetry={axis}: the {name} changes when the body turns about that axis "
                    f"(relative difference {defect:.2g}); correct the axis or leave symmetry out"
                )


def _gauge(axis: Axis) -> sp.Matrix:
    """A coordinate direction, or else any rational one, perpendicular to the axis."""
    e = sp.Matrix([sp.Rational(d.numerator, d.denominator) for d in axis.direction])
    for i in range(3):
        candidate = sp.Matrix([int(i == j) for j in range(3)])
        if candidate.dot(e) == 0:
            return candidate
    return sp.Matrix([-e[1], e[0], 0]) if (e[0], e[1]) != (0, 0) else sp.Matrix([1, 0, 0])


def _gauge_vector(mechanism: EulerPoincare, axis: Axis) -> AdvectedVector:
    for advected in mechanism.advected:
        if isinstance(advected, AdvectedVector) and advected.factor_index(mechanism.algebra) == axis.of - 1:
            return advected
    raise DescriptionError(
        "despun() needs an advected vector of the factor with the axis: it orients the axes"
    )


def despun_mechanism(mechanism: EulerPoincare) -> EulerPoincare:
    """The same mechanism on the algebra extended by the spin, in axes that do not follow it.

    States keep their labels: velocities are the body's, seen from those axes, and the advected vector has
    lost the component that the axes are held by.

    Raises
    ------
    DescriptionError
        If no symmetry is declared or no advected vector orients the axes.
    FrameError
        If constraints are kept by multipliers: no frame solves them everywhere.
    """
    axis = mechanism.symmetry
    if axis is None:
        raise DescriptionError("despun() needs symmetry=gc.Axis(direction, of=...) in the description")
    frame = choose_frame(mechanism)
    if frame.rows is not None:
        raise FrameError("despun() needs a frame that solves all constraints; give frame= to the description")
    algebra, n = mechanism.algebra, mechanism.algebra.n
    vector = _gauge_vector(mechanism, axis)
    extended = _with_spin(algebra)
    spin_map = sp.Matrix(algebra.factors[axis.of - 1].spin)
    direction = sp.Matrix([sp.Rational(d.numerator, d.denominator) for d in axis.direction])
    e = spin_map.T * direction
    P = sp.Matrix.hstack(sp.eye(n), e)
    d, gamma = _gauge(axis), sp.Matrix(vector.symbols)
    turning = d.cross(gamma)  # d/dt (gamma . d) = turning . omega_f
    labels = frame.labels
    w = sp.Matrix([sp.Symbol(label, real=True) for label in labels])
    rate = (turning.T * spin_map * frame.matrix) / turning.dot(direction)  # the spin as a function of w
    E = sp.Matrix.vstack(frame.matrix - e * rate, rate)
    gauge_row = sp.Matrix.hstack(turning.T * spin_map, sp.zeros(1, 1))
    rows = [gauge_row]
    if mechanism.constraints is not None:
        rows.insert(0, sp.Matrix(mechanism.constraints) * P)
    body = dict(zip(algebra.xi, frame.matrix * w, strict=True))

    def seen(expr: Any) -> Any:
        return sp.sympify(expr).subs(body, simultaneous=True)

    rotors = mechanism.rotors
    return mechanism.replace(
        algebra=extended,
        inertia=P.T * mechanism.inertia * P,
        gyroscopic=None if mechanism.gyroscopic is None else list(P.T * mechanism.gyroscopic),
        forces=None if mechanism.forces is None else list(P.T * mechanism.forces.applyfunc(seen)),
        constraints=sp.Matrix.vstack(*rows),
        frame=E,
        velocities=labels,
        leaf=[*mechanism.leaf, gamma.dot(d)],
        rotors=None if rotors is None else Rotors(P.T * rotors.coupling, rotors.inertia, rotors.names),
        feedback={k: seen(v) for k, v in mechanism.feedback.items()},
        controller={k: seen(v) for k, v in mechanism.controller.items()},
        invariants={k: seen(v) for k, v in mechanism.invariants.items()},
        outputs={k: seen(v) for k, v in mechanism.outputs.items()},
        symmetry=None,
        name=f"{mechanism.name or 'system'}, despun",
    )


def _with_spin(algebra: LieAlgebra) -> LieAlgebra:
    """The algebra with the spin as a further abelian factor; velocities of the axes get their own names."""
    spin = LieAlgebra(np.zeros((1, 1, 1)), labels=("spin",), name="spin", momentum_labels=("p_spin",))
    return product(algebra, spin).relabelled((*(f"{label}_axes" for label in algebra.labels), "spin"))


def despun_state(system: ReducedSystem, x: Any) -> np.ndarray:
    """State of the despun system for a state of the system: turned about the axis until the gauge holds."""
    mechanism, axis = system.mechanism, system.mechanism.symmetry
    if axis is None:
        raise DescriptionError("despun_state() needs symmetry=gc.Axis(direction, of=...) in the description")
    x = np.asarray(x, dtype=float)
    vector = _gauge_vector(mechanism, axis)
    gamma, xi = system.advected(x), system.velocity(x)
    start = 0
    for advected in mechanism.advected:
        if advected is vector:
            break
        start += advected.dimension
    d = np.array(_gauge(axis), dtype=float).ravel()
    second = np.cross(np.array(axis.unit), d)
    own = gamma[start : start + 3]
    angle = float(np.arctan2(-(own @ d), own @ second))
    best = min(
        (_turn(mechanism, axis, s * angle) for s in (1.0, -1.0)),
        key=lambda t: abs((t.advected @ gamma)[start : start + 3] @ d),
    )
    target = system.despun()
    arguments = [list(mechanism.advected_symbols), [p.symbol for p in mechanism.parameters]]
    frame = sp.lambdify(arguments, system.frame.matrix)
    turned = best.advected @ gamma
    values = [target.params[p.name] for p in mechanism.parameters]
    w = np.linalg.lstsq(np.asarray(frame(turned, values), dtype=float), best.velocity @ xi, rcond=None)[0]
    k, s = len(system.frame.labels), len(system.assembly.velocity)
    controller = x[s + len(system.kept) :]
    return np.concatenate([w, x[k:s], turned[target.kept_index], controller])
