"""Wheels that a body carries, as the rotors that they are; entries of rotors, as those of the description."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._checks import entries, flag, nearest, user_level
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import expression, read_matrix, shown
from geoctrl.algebra import LieAlgebra, Quasicoordinate
from geoctrl.errors import DescriptionError, GyroscopicWarning
from geoctrl.systems.parts.friction import Friction
from geoctrl.systems.parts.rotors import Motor, Rotors

__all__ = ["Wheel", "spread_rotors"]

_UNIT = 1e-9
"""By how much the square of an axis may differ from one."""


@dataclass(frozen=True)
class Wheel:
    r"""A wheel that turns on a body: a body of revolution about an axis through its centre.

    With :math:`\omega` the angular velocity of the body, a the axis and :math:`\dot\theta` the rate of the
    wheel relative to the body,

    .. math:: T = \tfrac12 \xi \cdot G\,\xi + J\,\dot\theta\,(a \cdot \omega) + \tfrac12 J\,\dot\theta^2 :

    G, the ``inertia=`` of the description, is the locked one, the wheel's included. With ``mass`` and
    ``place`` it needs to hold only the wheel's moments about its own centre: the mass at its place is added,
    :math:`\tfrac12 m\,|v + \omega \times p|^2`, with v the velocity of the frame's origin, zero where it is
    fixed.

    Parameters
    ----------
    name : str
        Of the wheel: its rate is the state ``<name>_dot``, its torque the input ``u_<name>``.
    axis : three entries
        a, of length one, in the body's axes. In the plane, and on a coordinate, (0, 0, 1) or (0, 0, -1).
    on : int or str
        Which body carries it: the first, second, ... factor of the algebra that turns; or a coordinate by its
        name, the angle of what carries it.
    inertia : expression
        J, about the axis.
    place : three entries, optional
        p, of the wheel's centre in the body's axes; on a coordinate also the distance from the axis.
    mass : expression, optional
        m, with ``place``.
    friction : sequence of Friction
        In its bearing: `Friction.bearing`.
    motor : Motor, optional
        The input is the voltage ``V_<name>`` then, bounded by the motor's supply.
    angle : bool
        Whether the angle of the wheel is a state as well, by its name: a law can bring it home.

    Raises
    ------
    DescriptionError
        If the axis has no length of one, mass is given without place or the reverse, or an entry is of
        another kind; in a description also if there is no such body.
    InputError
        If ``angle`` is neither True nor False.

    Examples
    --------
    A satellite with one wheel:

    >>> import sympy as sp, geoctrl as gc
    >>> wheel = gc.Wheel("w", axis=(0, 0, 1), inertia=0.01, friction=[gc.Friction.bearing(viscous=1e-4)])
    >>> satellite = gc.EulerPoincare(algebra=gc.so3(), inertia=sp.diag(2, 3, 4), wheels=[wheel])
    >>> satellite.reduce().state_labels, satellite.reduce().input_labels
    (('Omega1', 'Omega2', 'Omega3', 'w_dot'), ('u_w',))
    """

    name: str
    axis: Any = (0, 0, 1)
    on: int | str = 1
    inertia: Any = None
    place: Any = None
    mass: Any = None
    friction: Sequence[Friction] = ()
    motor: Motor | None = None
    angle: bool = False

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise DescriptionError(f"the name of a wheel is an identifier, got {shown(self.name)}")
        called = f"of the wheel {self.name!r}"
        if self.inertia is None:
            raise DescriptionError(f"inertia= {called} is needed, its moment about the axis")
        put("inertia", expression(self.inertia, f"inertia {called}"))
        put("axis", _triple(f"axis {called}", self.axis))
        length = self.axis.dot(self.axis)
        if length.is_number and not abs(float(length) - 1) <= _UNIT:
            raise DescriptionError(
                f"axis {called} must have length one, got {sp.sqrt(length)}: divide its entries by that"
            )
        if (self.mass is None) != (self.place is None):
            raise DescriptionError(f"mass and place {called} go together: give both, or none of them")
        if self.mass is not None:
            put("mass", expression(self.mass, f"mass {called}"))
            entry = hasattr(self.place, "__len__") or hasattr(self.place, "shape")
            put("place", _triple(f"place {called}", self.place if entry else (self.place, 0, 0)))
        put("friction", entries(f"friction {called}", self.friction, DescriptionError))
        for law in self.friction:
            if not isinstance(law, Friction) or law.along.shape != (1, 1):
                raise DescriptionError(
                    f"friction {called} is that of its bearing, gc.Friction.bearing(viscous=...), got "
                    f"{shown(law)}"
                )
        if self.motor is not None and not isinstance(self.motor, Motor):
            raise DescriptionError(f"motor {called} must be a gc.Motor, got {shown(self.motor)}")
        put("angle", flag(f"angle {called}", self.angle))

    def gyroscopic(self, frame_rate: Any) -> sp.Expr:
        r"""The wheel's entry of ``gyroscopic=`` in axes that turn: :math:`J\, a \cdot w`.

        Parameters
        ----------
        frame_rate : three entries
            w, the rate at which the axes turn that velocities are measured from, in the body's axes: n b for
            a satellite in orbit, with b the normal of its orbit.

        Raises
        ------
        DescriptionError
            If the rate is no three expressions.

        Examples
        --------
        >>> import geoctrl as gc
        >>> b = gc.AdvectedVector("b", reference=(0, 1, 0))
        >>> gc.Wheel("w", axis=(0, 1, 0), inertia=5).gyroscopic([2 * c for c in b.symbols])
        10*b2
        """
        return self.inertia * self.axis.dot(_triple("frame_rate", frame_rate))

    def carrier(self, algebra: LieAlgebra | None, shape: Sequence[Any]) -> tuple[sp.Matrix, sp.Matrix]:
        """Angular velocity of the carrier and velocity of its frame's origin, rows (3, n) for all velocities.

        Raises
        ------
        DescriptionError
            If there is no such body or coordinate, or the axis leaves the plane in which it turns.
        """
        n = 0 if algebra is None else algebra.n
        spin, moved = sp.zeros(3, n + len(shape)), sp.zeros(3, n + len(shape))
        if isinstance(self.on, str):
            names = [c.name for c in shape]
            if self.on not in names:
                raise DescriptionError(
                    f"the wheel {self.name!r} is on {self.on!r}, which is no coordinate"
                    f"{nearest(self.on, names)}; on= is the number of a body that turns, or a coordinate"
                )
            spin[2, n + names.index(self.on)] = 1
        else:
            bodies = [] if algebra is None else [f for f in algebra.factors if f.spin is not None]
            if isinstance(self.on, bool) or not isinstance(self.on, int) or not 1 <= self.on <= len(bodies):
                found = ", ".join(f.name for f in bodies) or "none"
                raise DescriptionError(
                    f"the wheel {self.name!r} is on body {shown(self.on)}: the factors that turn are "
                    f"{found}, counted from 1; on a coordinate give its name"
                )
            spin[:, :n] = sp.Matrix(bodies[self.on - 1].spin)
            if bodies[self.on - 1].velocity is not None:
                moved[:, :n] = sp.Matrix(bodies[self.on - 1].velocity)
        if not any(spin[:2, :]) and any(self.axis[:2]):
            raise DescriptionError(
                f"the wheel {self.name!r} sits on what turns in a plane: its axis is (0, 0, 1) or (0, 0, -1)"
            )
        return spin, moved

    _lines = record_lines
    full = full_text
    __repr__ = short_form


def _triple(what: str, value: Any) -> sp.ImmutableMatrix:
    matrix = read_matrix(what, value)
    if len(matrix) != 3:
        raise DescriptionError(f"{what} needs three entries, got {len(matrix)}")
    return sp.ImmutableMatrix(3, 1, list(matrix))


def spread_rotors(mechanism: Any) -> dict[str, Any]:
    """Entries of a description, changed by what its wheels and rotors hold: rotors alone are left of them."""
    changes: dict[str, Any] = {}
    rotors, wheels = mechanism.rotors, entries("wheels", mechanism.wheels, DescriptionError)
    if wheels:
        if rotors is not None:
            raise DescriptionError("give either wheels= or rotors=, of which the wheels make some")
        if mechanism.tree is not None:
            raise DescriptionError("in a tree a wheel is a gc.Link with a gc.Hinge; leave out wheels=")
        changes = _from_wheels(mechanism, wheels)
        rotors = changes["rotors"]
    if not isinstance(rotors, Rotors):
        return changes
    n = rotors.coupling.rows
    changes |= _gyroscopic(mechanism, rotors, n)
    if rotors.friction or rotors.angles:
        bearings = [_bearing(law, rotors.count, n) for law in rotors.friction]
        changes["friction"] = [*mechanism.friction, *bearings]
        angles = [
            Quasicoordinate(name, sp.Symbol(f"{name}_dot", real=True), "rad", "angle of the rotor")
            for name in rotors.angles
        ]
        changes["quasicoordinates"] = [*mechanism.quasicoordinates, *angles]
        changes["rotors"] = changes.get("rotors", rotors).with_entries(friction=(), angles=())
    return changes | {"wheels": ()}


def _from_wheels(mechanism: Any, wheels: Sequence[Wheel]) -> dict[str, Any]:
    """Rotors, and the inertia with the masses of the wheels at their places."""
    for wheel in wheels:
        if not isinstance(wheel, Wheel):
            raise DescriptionError(f"wheels must hold gc.Wheel objects, got {shown(wheel)}")
    carriers = [wheel.carrier(mechanism.algebra, mechanism.shape) for wheel in wheels]
    pairs = list(zip(wheels, carriers, strict=True))
    friction = []
    for k, wheel in enumerate(wheels):
        row = [int(j == k) for j in range(len(wheels))]
        friction += [law.with_rows(sp.Matrix([row])) for law in wheel.friction]
    rotors = Rotors(
        coupling=sp.Matrix.hstack(*(wheel.inertia * spin.T * wheel.axis for wheel, (spin, _) in pairs)),
        inertia=sp.diag(*(wheel.inertia + _armature(wheel) for wheel in wheels)),
        names=[wheel.name for wheel in wheels],
        friction=friction,
        angles=[wheel.name for wheel in wheels if wheel.angle],
        motors=[wheel.motor for wheel in wheels],
    )
    changes: dict[str, Any] = {"rotors": rotors}
    if heavy := [(wheel, c) for wheel, c in pairs if wheel.mass is not None]:
        if mechanism.inertia is None:
            raise DescriptionError(
                f"mass and place of the wheel {heavy[0][0].name!r} are added to inertia=; with lagrangian= "
                "write them there"
            )
        added = [_of_mass(wheel, *carrier) for wheel, carrier in heavy]
        changes["inertia"] = sum(added, sp.Matrix(read_matrix("inertia", mechanism.inertia)))
    return changes


def _armature(wheel: Wheel) -> Any:
    return 0 if wheel.motor is None else wheel.motor.armature


def _of_mass(wheel: Wheel, spin: sp.Matrix, moved: sp.Matrix) -> sp.Matrix:
    """Inertia of the wheel's mass, which moves with v + omega x p."""
    p = wheel.place
    cross = sp.Matrix([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    rows = moved - cross * spin
    return wheel.mass * rows.T * rows


def _bearing(law: Any, s: int, n: int) -> Friction:
    """Friction along rates of the rotors, with entries for the other velocities before them."""
    if not isinstance(law, Friction) or law.along.cols != s:
        raise DescriptionError(
            f"friction of rotors is gc.Friction with rows of {s} entries, one per rotor, got {shown(law)}"
        )
    return law.with_rows(sp.Matrix.hstack(sp.zeros(law.along.rows, n), sp.Matrix(law.along)))


def _gyroscopic(mechanism: Any, rotors: Rotors, n: int) -> dict[str, Any]:
    """The gyroscopic covector and that of the rotors, which may stand behind it."""
    if mechanism.gyroscopic is None:
        return {}
    whole = read_matrix("gyroscopic", mechanism.gyroscopic)
    if len(whole) == n + rotors.count:
        if any(rotors.gyroscopic):
            raise DescriptionError("gyroscopic= has entries for the rotors, and so have the rotors: give one")
        own = list(whole)
        return {"gyroscopic": own[:n], "rotors": rotors.with_entries(gyroscopic=own[n:])}
    if not any(whole) or rotors.in_turning_axes:
        return {}
    warnings.warn(
        f"{mechanism.name or 'the mechanism'}: gyroscopic= has no entries for {', '.join(rotors.names)}. In "
        "axes that turn at w a wheel has one, J a . w (gc.Wheel.gyroscopic): give them behind the others, or "
        "zeros where the term has another cause",
        GyroscopicWarning,
        stacklevel=user_level(),
    )
    return {"rotors": rotors.with_entries(gyroscopic=[0] * rotors.count)}
