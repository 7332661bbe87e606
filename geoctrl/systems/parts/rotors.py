"""Internal rotors: an abelian factor whose velocities enter the kinetic energy only; what drives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import entries, flag
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import value_text
from geoctrl._scalars import expression, read_matrix, shown
from geoctrl.errors import DescriptionError

__all__ = ["Motor", "Rotors"]


class Motor:
    r"""A motor that a voltage drives, with a gear between it and what it turns.

    .. math:: u = N k_t\, i, \qquad V = R\, i + N k_t\, \dot\theta \qquad\Rightarrow\qquad
        u = \frac{N k_t}{R}\, V - \frac{(N k_t)^2}{R}\, \dot\theta

    u is the torque behind the gear and :math:`\dot\theta` the rate there, of the wheel relative to what it
    sits on. The current follows at once: its inductance is left out. The armature turns N times as fast and
    adds :math:`N^2 J_m` to the inertia along :math:`\dot\theta`; that it turns the body as well is left out.

    Parameters
    ----------
    constant : positive expression
        :math:`k_t`, in N m/A, which is the same number in V s/rad.
    resistance : positive expression
        R, of the winding (ohm).
    gear : expression
        N, turns of the motor for one of the wheel.
    back_emf : bool
        Whether the voltage that the turning motor makes is counted. False is a motor behind a fast current
        loop: :math:`u = N k_t V / R`.
    inertia : expression
        :math:`J_m`, of the armature about its axis (kg m^2).
    supply : positive expression, optional
        Largest voltage, :math:`|V| \le V_s`.

    Raises
    ------
    DescriptionError
        If a constant, resistance, gear or supply is not positive, or an inertia is negative.
    InputError
        If ``back_emf`` is neither True nor False.

    Examples
    --------
    >>> import geoctrl as gc
    >>> motor = gc.Motor(constant=0.05, resistance=2, gear=4, supply=12)
    >>> round(motor.torque(volts=12, rate=0), 6), round(motor.volts(torque=1.2, rate=10), 6)
    (1.2, 14.0)
    """

    def __init__(
        self,
        constant: Any,
        resistance: Any,
        gear: Any = 1,
        back_emf: bool = True,
        inertia: Any = 0,
        supply: Any = None,
    ) -> None:
        self.constant = _positive("constant", constant)
        self.resistance = _positive("resistance", resistance)
        self.gear = _positive("gear", gear)
        self.back_emf = flag("back_emf", back_emf)
        self.inertia = expression(inertia, "inertia of a motor")
        if self.inertia.is_negative:
            raise DescriptionError(f"inertia of a motor must not be negative, got {self.inertia}")
        self.supply = None if supply is None else _positive("supply", supply)

    @property
    def gain(self) -> sp.Expr:
        """Torque behind the gear for each volt."""
        return self.gear * self.constant / self.resistance

    @property
    def damping(self) -> sp.Expr:
        """Torque against each rad/s, of the voltage that the turning motor makes; zero without."""
        return (self.gear * self.constant) ** 2 / self.resistance if self.back_emf else sp.Integer(0)

    @property
    def armature(self) -> sp.Expr:
        """Inertia that the armature has behind the gear."""
        return self.gear**2 * self.inertia

    def torque(self, volts: Any, rate: Any) -> Any:
        """Torque behind the gear at a voltage and a rate there (numbers, arrays or expressions)."""
        return _plain(self.gain) * volts - _plain(self.damping) * rate

    def volts(self, torque: Any, rate: Any) -> Any:
        """The voltage at which the motor has a torque behind its gear, at a rate there."""
        return (torque + _plain(self.damping) * rate) / _plain(self.gain)

    def __reduce__(self):
        given = (self.constant, self.resistance, self.gear, self.back_emf, self.inertia, self.supply)
        return Motor, given

    def _lines(self) -> list[str]:
        given = {"constant": self.constant, "resistance": self.resistance}
        given |= {"gear": self.gear} if self.gear != 1 else {}
        given |= {} if self.back_emf else {"back_emf": False}
        given |= {"inertia": self.inertia} if self.inertia != 0 else {}
        given |= {} if self.supply is None else {"supply": self.supply}
        return [f"Motor({', '.join(f'{k}={value_text(_plain(v))}' for k, v in given.items())})"]

    full = full_text
    __repr__ = short_form


def _positive(name: str, value: Any) -> sp.Expr:
    found = expression(value, f"{name} of a motor")
    if found.is_positive is False:
        raise DescriptionError(f"{name} of a motor must be positive, got {shown(value)}")
    return found


def _plain(value: Any) -> Any:
    """A number as one of Python."""
    return float(value) if getattr(value, "is_number", False) else value


class Rotors:
    """s rotors: ``G_ia xi^i thetadot^a + 1/2 G_ab thetadot^a thetadot^b + A_a thetadot^a`` in the Lagrangian.

    Parameters
    ----------
    coupling : n x s matrix
        ``G_ia``, in parameters, advected symbols and coordinates.
    inertia : s x s matrix
        ``G_ab``, symmetric; likewise.
    names : sequence of s str, optional
        Rotor ``theta`` gives the state ``theta_dot`` and the torque input ``u_theta``;
        default ``theta`` for one rotor, ``theta1 .. thetas`` for several.
    gyroscopic : s entries, optional
        ``A_a``, in advected symbols, coordinates and parameters. In axes that turn with a rate n about b a
        wheel of inertia J about the axis a has J n (a . b), beside the body's row n I b of ``gyroscopic=``.
    friction : sequence of Friction
        In the bearings, rows of s entries: ``[gc.Friction.bearing(viscous=b)]`` of a single rotor.
    angles : sequence of names
        Of rotors whose angle is a state as well, by the rotor's name.
    motors : sequence of s Motor or None, optional
        A rotor with a motor has the voltage ``V_<name>`` as its input in place of the torque ``u_<name>``;
        its entry of ``inertia`` holds the armature's.

    Raises
    ------
    DescriptionError
        If an entry is no expression (text is none), shapes do not fit, the inertia is not symmetric,
        names are not distinct identifiers, an angle is of no rotor, or motors are not s of them.

    Examples
    --------
    >>> J = sp.Symbol("J", positive=True)
    >>> Rotors(coupling=[J, 0, 0], inertia=J).rate_labels
    ('theta_dot',)
    """

    def __init__(
        self,
        coupling: Any,
        inertia: Any,
        names: Sequence[str] | None = None,
        gyroscopic: Any = None,
        friction: Sequence[Any] = (),
        angles: Sequence[str] = (),
        motors: Sequence[Motor | None] | None = None,
    ) -> None:
        rows = inertia if hasattr(inertia, "__len__") else [[inertia]]
        self.inertia = read_matrix("the rotors' inertia", rows)
        self.coupling = read_matrix("the rotors' coupling", coupling)
        s = self.inertia.rows
        if self.inertia.shape != (s, s) or self.coupling.cols != s:
            raise DescriptionError(
                "rotors need coupling n x s and inertia s x s, "
                f"got {self.coupling.shape} and {self.inertia.shape}"
            )
        given = sp.zeros(s, 1) if gyroscopic is None else read_matrix("the rotors' gyroscopic", gyroscopic)
        if given.shape not in ((s, 1), (1, s)):
            raise DescriptionError(f"the rotors' gyroscopic needs {s} entries, got {given.shape}")
        self.gyroscopic = sp.ImmutableMatrix(s, 1, list(given))
        self.in_turning_axes = gyroscopic is not None
        if any(sp.expand(e) != 0 for e in self.inertia - self.inertia.T):
            raise DescriptionError("the rotors' inertia must be symmetric")
        default = ["theta"] if s == 1 else [f"theta{a + 1}" for a in range(s)]
        self.names = entries("names of rotors", default if names is None else names, DescriptionError)
        proper = all(isinstance(n, str) and n.isidentifier() for n in self.names)
        if not proper or len(self.names) != s or len(set(self.names)) != s:
            raise DescriptionError(f"{s} distinct rotor names are needed, got {self.names}")
        self.friction = tuple(friction)
        self.angles = entries("angles of rotors", angles, DescriptionError)
        if strange := [name for name in self.angles if name not in self.names]:
            raise DescriptionError(f"there is no rotor {shown(strange[0])} whose angle could be a state")
        self.motors = (None,) * s if motors is None else tuple(motors)
        if len(self.motors) != s or not all(m is None or isinstance(m, Motor) for m in self.motors):
            raise DescriptionError(f"motors of {s} rotors are {s} gc.Motor or None, got {shown(motors)}")

    @property
    def count(self) -> int:
        """Number of rotors s."""
        return self.inertia.rows

    @property
    def rate_labels(self) -> tuple[str, ...]:
        """State labels ``<name>_dot``."""
        return tuple(f"{n}_dot" for n in self.names)

    @property
    def input_labels(self) -> tuple[str, ...]:
        """Input labels: torques ``u_<name>``, voltages ``V_<name>`` of motors."""
        pairs = zip(self.names, self.motors, strict=True)
        return tuple(f"u_{n}" if motor is None else f"V_{n}" for n, motor in pairs)

    @property
    def rates(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the rotor rates."""
        return tuple(sp.Symbol(label, real=True) for label in self.rate_labels)

    @property
    def inputs(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the inputs."""
        return tuple(sp.Symbol(label, real=True) for label in self.input_labels)

    @property
    def torques(self) -> tuple[sp.Expr, ...]:
        """What the inputs do on the rotors: the torques themselves, or those of motors at a voltage."""
        rows = zip(self.inputs, self.rates, self.motors, strict=True)
        return tuple(u if m is None else m.gain * u - m.damping * rate for u, rate, m in rows)

    def with_body(self, inertia: sp.Matrix) -> sp.Matrix:
        """The matrix [[G, G_ia], [G_ai, G_ab]] of a body's inertia G and of the rotors'."""
        # Entry by entry: blocks of sympy take longer to be made explicit than a short system to be reduced.
        coupling = self.coupling.tolist()
        above = [[*row, *c] for row, c in zip(inertia.tolist(), coupling, strict=True)]
        beside = zip(zip(*coupling, strict=True), self.inertia.tolist(), strict=True)
        return sp.Matrix([*above, *([*c, *row] for c, row in beside)])

    def supplies(self, values: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
        """Bounds of voltages by the supplies of motors, at values of parameters by name."""
        known = [(m, label) for m, label in zip(self.motors, self.input_labels, strict=True) if m is not None]
        sizes = {
            label: float(m.supply.subs({s: values[s.name] for s in m.supply.free_symbols}))
            for m, label in known
            if m.supply is not None
        }
        return {label: (-size, size) for label, size in sizes.items()}

    def _lines(self) -> list[str]:
        rows = {"coupling": self.coupling, "inertia": self.inertia}
        told = ", ".join(f"{name}={value_text(matrix.tolist())}" for name, matrix in rows.items())
        return [f"Rotors({told}, names={list(self.names)})"]

    full = full_text
    __repr__ = short_form

    def with_entries(self, **changes: Any) -> Rotors:
        """The same rotors with other entries."""
        names = ("coupling", "inertia", "names", "gyroscopic", "friction", "angles", "motors")
        return Rotors(**(dict(zip(names, self.__reduce__()[1], strict=True)) | changes))

    def __reduce__(self):
        gyroscopic = self.gyroscopic if self.in_turning_axes else None
        further = (self.friction, self.angles, self.motors)
        return Rotors, (self.coupling, self.inertia, self.names, gyroscopic, *further)
