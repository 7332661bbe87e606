"""Parameters of a mechanism: name, default, unit, meaning."""

from __future__ import annotations

from dataclasses import dataclass
from keyword import iskeyword

import sympy as sp

from geoctrl._checks import flag, parameter_value, require_printable
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import Scalar
from geoctrl.errors import ParameterError

__all__ = ["Parameter"]


@dataclass(frozen=True)
class Parameter(Scalar):
    """A physical parameter.

    Parameters
    ----------
    name : str
        An identifier; numbers are passed to every function by this name.
    default : number of any type, or None
        Value used where none is given; None makes the value mandatory. Kept as the equal int or float of
        Python, or as a Fraction where there is none.
    unit : str
        SI unit, for tables.
    description : str
        What it is, for tables.
    positive : bool
        Declares the parameter positive: ``symbol`` carries the assumption and values are checked.

    Raises
    ------
    ParameterError
        If the name is not an identifier, or the default is not finite or contradicts ``positive``.
    InputError
        If ``positive`` is neither True nor False.
    DescriptionError
        If the unit or the description has a character that cannot be printed, or the name is too long.

    Examples
    --------
    >>> m = Parameter("m", 2.0, "kg", "total mass", positive=True)
    >>> m.symbol, sp.sqrt(m) * m / 2  # in expressions it is its symbol
    (m, m**(3/2)/2)
    """

    name: str
    default: float | None = None
    unit: str = ""
    description: str = ""
    positive: bool = False

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name.isidentifier() and not iskeyword(self.name)):
            raise ParameterError(f"a parameter name must be an identifier, got {self.name!r}")
        require_printable("the name of a parameter", [self.name])
        require_printable(f"the unit of {self.name!r}", [self.unit])
        require_printable(f"the description of {self.name!r}", [self.description], prose=True)
        object.__setattr__(self, "positive", flag(f"positive of {self.name!r}", self.positive))
        if self.default is None:
            return
        number = parameter_value(f"default of {self.name!r}", self.default, self.positive)
        object.__setattr__(self, "default", number)

    @property
    def symbol(self) -> sp.Symbol:
        """``Symbol(name, positive=True)`` or ``Symbol(name, real=True)``."""
        return sp.Symbol(self.name, positive=True) if self.positive else sp.Symbol(self.name, real=True)

    _lines = record_lines
    full = full_text
    __repr__ = short_form
