r"""The torque-speed line of a motor as a limit of an input.

What a motor has left falls with its speed, :math:`-T_0(1 + w/w_0) \le u \le T_0(1 - w/w_0)`, with the stall
torque :math:`T_0` and the speed :math:`w_0` at which none is left. Both sides are one output within a
constant limit, :math:`|u + (T_0/w_0)\, w| \le T_0`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from geoctrl._checks import quantity
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl.errors import InputError

__all__ = ["TorqueSpeed", "outputs_on_lines", "worked_rate"]


@dataclass(frozen=True)
class TorqueSpeed:
    r"""Limit of an input that falls with the velocity w it works on, :math:`|u + (T_0/w_0)\, w| \le T_0`.

    Where the motor brakes it has more than the stall torque. A motor at a supply V with the constant
    :math:`k_t` and the resistance R has :math:`T_0 = N k_t V/R` and :math:`w_0 = V/(N k_t)`.

    Parameters
    ----------
    stall : positive number
        :math:`T_0`, the largest torque at rest (or force).
    no_load : positive number
        :math:`w_0`, the speed at which nothing is left.
    rate : str, optional
        State w. By default the velocity that the input works on: that of its rotor, or of its coordinate.

    Raises
    ------
    InputError
        If a number is not positive, or the rate is no name.

    Examples
    --------
    >>> import geoctrl as gc
    >>> line = gc.TorqueSpeed(stall=3, no_load=20)
    >>> line.interval(5.0)
    (-3.75, 2.25)
    """

    stall: float
    no_load: float
    rate: str | None = None

    def __post_init__(self) -> None:
        for name in ("stall", "no_load"):
            value = quantity(f"{name} of a torque-speed line", getattr(self, name))
            if not value > 0:
                raise InputError(f"{name} of a torque-speed line must be positive, got {shown(value)}")
            object.__setattr__(self, name, float(value))
        if self.rate is not None and not (isinstance(self.rate, str) and self.rate):
            raise InputError(f"rate of a torque-speed line is the name of a state, got {shown(self.rate)}")

    @property
    def slope(self) -> float:
        """T0/w0: torque lost with each unit of speed."""
        return self.stall / self.no_load

    def interval(self, rate: float) -> tuple[float, float]:
        """Least and largest input at a speed."""
        lost = self.stall * (rate / self.no_load)
        return -self.stall - lost, self.stall - lost

    def _lines(self) -> list[str]:
        beside = "" if self.rate is None else f", rate={self.rate!r}"
        return [f"TorqueSpeed(stall={self.stall:g}, no_load={self.no_load:g}{beside})"]

    full = full_text
    __repr__ = short_form


def worked_rate(mechanism: Any, label: str) -> sp.Expr:
    r"""The velocity w that an input works on: its power is :math:`u\,w`; InputError where there is none."""
    rotors = mechanism.rotors
    if rotors is not None and label in rotors.input_labels:
        return rotors.rates[rotors.input_labels.index(label)]
    symbol = next((s for s in mechanism.inputs if s.name == label), None)
    rate: sp.Expr = sp.Integer(0)
    if symbol is not None and mechanism.forces is not None:
        power = sp.Matrix(mechanism.forces).dot(sp.Matrix(mechanism.algebra.xi))
        rate = sp.expand(sp.diff(power, symbol))
    if rate == 0 or rate.has(symbol):
        raise InputError(
            f"a torque-speed line of {label!r} needs the velocity that it works on, which the description "
            "does not tell: give gc.TorqueSpeed(..., rate=) the state"
        )
    return rate


def outputs_on_lines(mechanism: Any, limits: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The mechanism with an output u + (T0/w0) w for each torque-speed line, and limits that are numbers.

    InputError where there is no such output, or its velocity is not known.
    """
    outputs, numbers = dict(mechanism.outputs), {}
    for label, bound in limits.items():
        if not isinstance(bound, TorqueSpeed):
            numbers[label] = bound
            continue
        if label not in outputs:
            raise InputError(f"there is no output {label!r} that a torque-speed line could bound")
        rate = _rate_of(mechanism, label, bound)
        name = f"{label} + {bound.slope:g} {rate if rate.is_Symbol else f'({rate})'}"
        slope = sp.Rational(*bound.stall.as_integer_ratio()) / sp.Rational(*bound.no_load.as_integer_ratio())
        outputs[name] = outputs[label] + slope * rate
        numbers[name] = bound.stall
    return (
        mechanism.replace(outputs=outputs) if len(outputs) > len(mechanism.outputs) else mechanism
    ), numbers


def _rate_of(mechanism: Any, label: str, line: TorqueSpeed) -> sp.Expr:
    """The velocity of a line; in a loop without rotor rates the output that tells it."""
    if line.rate is not None:
        return mechanism.outputs.get(line.rate, sp.Symbol(line.rate, real=True))
    told = f"{label.removeprefix('u_')}_dot"
    if mechanism.rotors is None and told in mechanism.outputs:
        return mechanism.outputs[told]
    return worked_rate(mechanism, label)
