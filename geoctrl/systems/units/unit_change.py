r"""The same description in other units.

With :math:`\mu, \lambda, \tau, \iota` new units of mass, length, time and current in an old one every number
of a unit :math:`kg^a m^b s^c A^d` is multiplied by :math:`\mu^a \lambda^b \tau^c \iota^d`, exactly; so the
equations, and all that follows from them, are the same motions in other numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact, expression, plain
from geoctrl.algebra import AdvectedParameter, AdvectedVector, Height
from geoctrl.errors import InputError, UnitsError
from geoctrl.systems.parts.families import Family
from geoctrl.systems.parts.parameters import Parameter
from geoctrl.systems.parts.reference_error import frame_words
from geoctrl.systems.typesetting.decimal_printing import assignment_text
from geoctrl.systems.units.measures import Measures, factor_of, member
from geoctrl.systems.units.si_units import of_number, read_unit, scaled_text

__all__ = ["UnitChange", "change_of", "changed_arguments", "changed_mechanism"]

Number = Fraction | float


@dataclass(frozen=True, repr=False)
class UnitChange:
    """What numbers in the old units are in the new ones.

    Attributes
    ----------
    bases : dict of base of the SI -> Fraction
        By how much numbers of it are multiplied.
    states, inputs, parameters, symbols : dict of label -> number
        By how much these are, the symbols of families as "family: symbol"; a Fraction where it is rational.

    Examples
    --------
    >>> import geoctrl as gc
    >>> top, change = gc.models.get("heavy-top")().in_units(length=1000)
    >>> round(float(top.defaults["l"])), change.parameters["l"], change.value(1.0, "J")
    (600, Fraction(1000, 1), 1000000.0)
    """

    bases: Mapping[str, Fraction]
    states: Mapping[str, Number]
    inputs: Mapping[str, Number]
    parameters: Mapping[str, Number]
    symbols: Mapping[str, Number] = field(default_factory=dict)

    @property
    def inverse(self) -> UnitChange:
        """The change back."""
        back = {base: 1 / number for base, number in self.bases.items()}
        tables = (self.states, self.inputs, self.parameters, self.symbols)
        return UnitChange(back, *({k: 1 / v for k, v in table.items()} for table in tables))

    def _lines(self) -> list[str]:
        tables = {
            "": self.bases,
            "states: ": self.states,
            "inputs: ": self.inputs,
            "parameters: ": self.parameters,
            "families: ": self.symbols,
        }
        lines = []
        for title, factors in tables.items():
            changed = assignment_text({k: v for k, v in factors.items() if v != 1})
            begin = f"  {title}" if title else "<UnitChange: numbers are multiplied by "
            end = "" if title else ">"
            lines.append(f"{begin}{changed}{end}")
        return lines

    full = full_text
    __repr__ = short_form

    def state(self, x: Any) -> Any:
        """A state (n,), states (n, nt), or an equilibrium: an array, or a list where all is exact."""
        given = x if getattr(x, "exact", None) is None else x.exact
        return _scaled_values("x", getattr(given, "x", given), list(self.states.values()))

    def input(self, u: Any) -> Any:
        """Inputs (m,) or (m, nt)."""
        return _scaled_values("u", u, list(self.inputs.values()))

    def time(self, t: Any) -> Any:
        """A time, or an array of times."""
        return self.value(t, "s")

    def values(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Values of parameters by name."""
        return {k: plain(exact(v, k) * exact(self.parameters[k])) for k, v in params.items()}

    def member(self, family: str, **symbols: Any) -> dict[str, Any]:
        """Values of the symbols of a family by name; UnitsError where the unit of one is not determined."""
        for k in symbols:
            if member(family, k) not in self.symbols:
                raise UnitsError(f"the unit of the symbol {k!r} of the family {family!r} is not determined")
        return {k: plain(exact(v, k) * exact(self.symbols[member(family, k)], k)) for k, v in symbols.items()}

    def value(self, number: Any, unit: str) -> Any:
        """A number, or an array, of any unit; UnitsError if its text is not read."""
        factor = _double(factor_of(read_unit(unit, "the number").dimension, self.bases), unit)
        if isinstance(number, Fraction | int):
            return number * factor
        return number * float(factor) if isinstance(number, float) else np.asarray(number) * float(factor)


def _scaled_values(name: str, given: Any, factors: list[Number]) -> Any:
    if isinstance(given, list | tuple) and all(isinstance(q, int | Fraction) for q in (*given, *factors)):
        if len(given) != len(factors):
            raise InputError(f"{name} must have {len(factors)} entries, got {len(given)}")
        return [q * f for q, f in zip(given, factors, strict=True)]
    values = np.asarray(given, dtype=float)
    if values.shape[:1] != (len(factors),) or values.ndim > 2:
        raise InputError(f"{name} must have {len(factors)} entries, got shape {values.shape}")
    column = np.array([float(f) for f in factors])
    return values * (column if values.ndim == 1 else column[:, None])


def change_of(system: Any, numbers: Mapping[str, Any]) -> UnitChange:
    """The change by which numbers of masses, lengths, times and currents are multiplied by ``numbers``.

    Parameters
    ----------
    system : System
    numbers : dict with the keys mass, length, time, current
    """
    bases = {}
    for base, (what, number) in zip(("kg", "m", "s", "A"), numbers.items(), strict=True):
        bases[base] = _as_written(exact(plain(number, what), what))
        if bases[base] <= 0:
            raise InputError(f"{what} must be positive, got {number}")
    names = list(system.params)
    measures: Measures = system.measures
    if not measures.given:
        raise UnitsError(
            "no parameter has a unit: what the numbers of this description are numbers of is not known; "
            'give parameters with units, as in gc.Parameter("m", 2.0, "kg")'
        )
    _ = measures.numbers  # the units are of one system

    def factors(labels: Sequence[str]) -> dict[str, Number]:
        return {label: _double(factor_of(_dimension(measures, label), bases), label) for label in labels}

    of_families = [member(name, s.name) for name, f in system.families.items() for s in f.symbols]
    known = [label for label in of_families if measures.dimension(label) is not None]
    own = factors(system.state_labels), factors(system.input_labels), factors(names)
    change = UnitChange(bases, *own, factors(known))
    for name, factor in change.parameters.items():
        if not isinstance(factor, Fraction):
            raise UnitsError(f"numbers of {name!r} would be multiplied by {factor!r}, which is irrational")
    return change


def _double(factor: Number, what: str) -> Number:
    """A factor that is none of the doubles' size is refused."""
    plain(factor, f"what numbers of {what!r} are multiplied by", UnitsError)
    return factor


def _as_written(number: Fraction) -> Fraction:
    """The decimal that a double is written as, where there is one: 0.001 in place of the double next to it.

    Units are chosen, and either is exact; of those of the double no text could be read.
    """
    decimal = Fraction(repr(float(number)))
    return decimal if Fraction(float(number)) == number else number


def _dimension(measures: Measures, label: str) -> Any:
    unit = measures.dimension(label)
    if unit is None:
        raise UnitsError(
            f"the unit of {label!r} is not determined by those that are given; give a unit to every parameter"
        )
    return unit


def changed_parameters(
    parameters: Sequence[Parameter], measures: Measures, change: UnitChange
) -> tuple[Parameter, ...]:
    """Parameters with their numbers in the new units."""
    found = []
    for p in parameters:
        factor = exact(change.parameters[p.name])
        number = None if p.default is None else plain(exact(p.default) * factor)
        unit = _text(p.unit, measures.dimension(p.name), factor)
        found.append(replace(p, default=number, unit=unit))
    return tuple(found)


def _text(text: str, dimension: Any, factor: Fraction) -> str:
    """The text of a unit of which numbers are ``factor`` times as large as before."""
    if text.strip():
        return scaled_text(text, 1 / factor)
    return "" if dimension is None else str(of_number(1 / factor) * dimension)


def changed_families(families: Mapping[str, Family], change: UnitChange) -> dict[str, Family]:
    """Families with the plain numbers of their members in the new units."""

    def in_new_units(values: Mapping[str, sp.Expr], factors: Mapping[str, Number]) -> dict[str, sp.Expr]:
        plain_ones = {k for k, e in values.items() if k in factors and not e.free_symbols}
        return {k: e * expression(factors[k], k) if k in plain_ones else e for k, e in values.items()}

    return {
        name: Family(
            in_new_units(family.states, change.states),
            family.symbols,
            in_new_units(family.inputs, change.inputs),
            family.relations,
        )
        for name, family in families.items()
    }


def changed_arguments(system: Any, change: UnitChange) -> dict[str, Any]:
    """Arguments of a system on a manifold that have numbers: parameters and families, in the new units."""
    return {
        "parameters": changed_parameters(system.parameters, system.measures, change),
        "equilibria": changed_families(system.families, change),
    }


def changed_mechanism(mechanism: Any, change: UnitChange, measures: Measures) -> Any:
    """The description with the numbers of parameters and references in the new units."""
    if mechanism.feedback or mechanism.controller:
        raise UnitsError(
            f"the law for {', '.join([*mechanism.feedback, *mechanism.controller])} has gains whose units "
            "nothing tells; change the units of the plant, and design the law there"
        )

    def factor(label: str) -> Fraction:
        return exact(
            factor_of(_dimension(measures, label), change.bases), f"the factor of {label}", UnitsError
        )

    def in_new_units(a: Any) -> Any:
        reference = [q * factor(str(s)) for q, s in zip(a.reference, a.symbols, strict=True)]
        if isinstance(a, AdvectedParameter):
            return AdvectedParameter(a.name, a.kappa, reference)
        return AdvectedVector(a.name, reference, a.of)

    vectors = {a: in_new_units(a) for a in mechanism.advected if not isinstance(a, Height)}
    advected = [
        replace(a, along=vectors[a.along]) if isinstance(a, Height) else vectors[a]
        for a in mechanism.advected
    ]
    variables = [
        replace(c, unit=_text(c.unit, None, factor(c.name))) if c.unit.strip() else c
        for c in mechanism.variables
    ]
    sets = {
        name: {k: plain(exact(v) * exact(change.parameters[k])) for k, v in values.items()}
        for name, values in mechanism.parameter_sets.items()
    }
    frames, name = [], mechanism.name
    for frame in mechanism.seen_from:
        given = frame.by_label(mechanism.algebra).items()
        frames.append(
            frame.with_velocities([e if e.free_symbols else e * sp.Rational(factor(k)) for k, e in given])
        )
        before, after = (frame_words(f.rate, f.velocity) for f in (frame, frames[-1]))
        name = name.replace(before, after)
    whole = mechanism.view_of
    return mechanism.replace(
        parameters=changed_parameters(mechanism.parameters, measures, change),
        parameter_sets=sets,
        equilibria=changed_families(mechanism.equilibria, change),
        advected=advected,
        seen_from=frames,
        name=name,
        shape=variables[: len(mechanism.shape)],
        quasicoordinates=variables[len(mechanism.shape) :],
        view_of=None if whole is None else changed_mechanism(whole, change, whole.reduce().measures),
    )
