"""Equilibrium families as declared, and equilibria as found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import entries, nearest, require_printable
from geoctrl._printing.markup import card, facts, grid, number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import expression, plain
from geoctrl.decisions.arithmetic.tower import Surd
from geoctrl.errors import DescriptionError, GeoctrlError, ImmutableError, LabelError, ParameterError
from geoctrl.systems.typesetting.decimal_printing import expression_text
from geoctrl.systems.typesetting.printed_spectra import without_rounding

__all__ = ["Equilibrium", "Family", "states_text"]

_SHOWN = 24
"""States that a message names; many bodies have thousands."""


def states_text(labels: Sequence[str], values: np.ndarray) -> str:
    """States by label for a message: the first of many."""
    first = [f"{k}={v:.9g}" for k, v in zip(labels[:_SHOWN], values[:_SHOWN], strict=True)]
    more = len(labels) - _SHOWN
    return ", ".join(first) + (f", and {more} more" if more > 0 else "")


class Family:
    """A family of relative equilibria given in closed form.

    Parameters
    ----------
    states : mapping of state label -> expression
        In parameters and the family's own symbols; labels not given are zero.
    symbols : sequence of sympy.Symbol or str
        The free symbols of the family; a name makes a real symbol.
    inputs : mapping of input label -> expression, optional
        Constant inputs that hold the equilibrium.
    relations : sequence of expressions, optional
        In parameters and the family's symbols; they vanish for members, and values at which one does not are
        refused.

    Raises
    ------
    DescriptionError
        If a symbol is neither a sympy symbol nor a name, or what a state is given by is no expression (text
        is none).

    Examples
    --------
    >>> W = sp.Symbol("Omega0", real=True)
    >>> Family({"v2": W, "Gamma3": 1}, symbols=[W]).names
    ('Omega0',)
    """

    def __init__(
        self,
        states: Mapping[str, Any],
        symbols: Sequence[sp.Symbol | str] = (),
        inputs: Mapping[str, Any] | None = None,
        relations: Sequence[Any] = (),
    ) -> None:
        self.states = _expressions("states", states)
        self.inputs = _expressions("inputs", {} if inputs is None else inputs)
        given = entries("relations of a family", relations, DescriptionError)
        self.relations = tuple(expression(e, "relations of a family") for e in given)
        made = []
        for symbol in entries("the symbols of a family", symbols, DescriptionError):
            if isinstance(symbol, str):
                symbol = sp.Symbol(symbol, real=True)
            if not isinstance(symbol, sp.Symbol):
                raise DescriptionError(f"the symbols of a family must be symbols or names, got {symbol!r}")
            made.append(symbol)
        require_printable("symbols of a family: the name", (s.name for s in made))
        self.symbols = tuple(made)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the free symbols."""
        return tuple(s.name for s in self.symbols)

    def values(self, given: Mapping[str, float], name: str) -> dict[sp.Symbol, Any]:
        """The given numbers by symbol, as numbers of Python.

        Raises
        ------
        ParameterError
            For an unknown or missing symbol of the family, or a value that is no finite real number.
        """
        for key in given:
            if key not in self.names:
                raise ParameterError(f"family {name!r} has no symbol {key!r}{nearest(key, self.names)}")
        missing = [n for n in self.names if n not in given]
        if missing:
            raise ParameterError(
                f"family {name!r} needs a value for {', '.join(missing)}", key="family-value"
            )
        return {
            s: plain(given[s.name], f"symbol {s.name!r} of family {name!r}", ParameterError)
            for s in self.symbols
        }

    def __reduce__(self):
        return Family, (dict(self.states), self.symbols, dict(self.inputs), self.relations)

    def _lines(self) -> list[str]:
        states = ", ".join(f"{k} = {expression_text(v)}" for k, v in self.states.items())
        return [f"Family({states}; {', '.join(self.names)})"]

    full = full_text
    __repr__ = short_form


def _expressions(what: str, given: Any) -> Mapping[str, sp.Expr]:
    """Expressions by label."""
    if not isinstance(given, Mapping):
        raise DescriptionError(f"{what} of a family must be a dict of label -> expression, got {given!r}")
    return MappingProxyType(
        {str(k): expression(v, f"{k!r} of a family", DescriptionError) for k, v in given.items()}
    )


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A relative equilibrium: a zero of the field on the leaf, in axes that may turn.

    Unpacks as ``(x, u)``.

    Attributes
    ----------
    x, u : ndarray
        State and constant inputs.
    residual : float
        Largest component of the vector field at ``x``.
    leaf_residual : float
        Largest defect of the leaf relations at ``x``.
    family : ndarray, shape (n, d)
        Orthonormal basis of the directions, within the leaf, along which equilibria continue
        (the kernel of the linearisation on the leaf).
    exact : tuple of numbers or None
        The state where it is known exactly: rationals (`fractions.Fraction`), and numbers with square roots
        (`geoctrl.decisions.arithmetic.tower.Surd`; ``float`` of one is the double next to it).
    exact_u : tuple of numbers or None
        Likewise the inputs.
    params : dict
        Parameters that it belongs to.
    name : str
        Family it was taken from, or "".
    labels : tuple of str
        State labels.
    spin : ndarray (3,)
        Rate of the axes in which it rests, zero for axes that do not turn.
    parts : dict of name -> ndarray
        What the state is made of, where its parts have names: on spheres ``q`` and ``omega``, (n, 3) each;
        on rotations ``R`` (n, 3, 3) and ``Omega`` (n, 3). Each is an attribute as well.
    system : System or None
        What it is an equilibrium of; None in a copy and in what was pickled.
    symbols : dict of name -> number
        Values of the symbols of the family it was taken from, as they were given.
    free : dict of label -> number
        Inputs and parameters that were found for it.
    redundant : tuple of dict of label -> number
        Directions of those inputs along which it stays at rest, the largest entry of each one.
    """

    x: np.ndarray
    u: np.ndarray
    residual: float
    leaf_residual: float
    family: np.ndarray
    exact: tuple[Fraction | Surd, ...] | None
    exact_u: tuple[Fraction | Surd, ...] | None
    params: Mapping[str, float]
    name: str = ""
    labels: tuple[str, ...] = field(default=())
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))
    parts: Mapping[str, np.ndarray] = field(default_factory=dict)
    system: Any = None
    symbols: Mapping[str, Any] = field(default_factory=dict)
    free: Mapping[str, float] = field(default_factory=dict)
    redundant: tuple[Mapping[str, float], ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"system": None}

    def _part(self, name: str) -> np.ndarray:
        if name not in self.parts:
            has = " and ".join(self.parts) or "labels alone"
            raise ImmutableError(f"the state of this equilibrium has {has}, no {name}")
        return self.parts[name]

    @property
    def q(self) -> np.ndarray:
        """Directions (n, 3)."""
        return self._part("q")

    @property
    def omega(self) -> np.ndarray:
        """Angular velocities (n, 3) of the directions."""
        return self._part("omega")

    @property
    def R(self) -> np.ndarray:
        """Attitudes (n, 3, 3)."""
        return self._part("R")

    @property
    def Omega(self) -> np.ndarray:
        """Angular velocities (n, 3) in the bodies."""
        return self._part("Omega")

    def __iter__(self):
        return iter((self.x, self.u))

    def __getitem__(self, label: str) -> float:
        if label not in self.labels:
            raise LabelError(f"no state {label!r}{nearest(str(label), self.labels)}")
        return float(self.x[self.labels.index(label)])

    def _lines(self) -> list[str]:
        turning = f"; turning with {self.spin.tolist()}" if np.any(self.spin) else ""
        defects = f"residual {self.residual:.2g}, leaf {self.leaf_residual:.2g}"
        told = [(k, f"{v:.9g} {unit}".rstrip() if v else "0") for k, v, unit in self._values()]
        states = ", ".join(f"{k}={text}" for k, text in told)
        inputs = f"; inputs {self._inputs()}" if self._inputs() else ""
        return [f"Equilibrium({states}{inputs}; {defects}{turning})"]

    full = full_text
    __repr__ = short_form

    def _repr_html_(self) -> str:
        of = (self.system and self.system.name) or "a system"
        return card(
            f"Equilibrium{f' {self.name!r}' if self.name else ''} of {of}",
            grid(("state", "value"), [(k, number(v, unit)) for k, v, unit in self._values()]),
            facts(
                {
                    "inputs": self._inputs(),
                    "turning with": str(self.spin.tolist()) if np.any(self.spin) else "",
                    "residual": number(self.residual),
                    "off the leaf": number(self.leaf_residual),
                }
            ),
        )

    def _values(self) -> list[tuple[str, float, str]]:
        """Labels of the states, their values without rounding, and their units."""
        x = without_rounding(self.x, self._sizes()) + 0.0
        units = {} if self.system is None else self.system.state_units
        return [(k, float(v), units.get(k, "")) for k, v in zip(self.labels, x, strict=True)]

    def _sizes(self) -> np.ndarray:
        """Sizes of the states at the point; zero where its system is not at hand or has none there."""
        if self.system is None:
            return np.zeros(len(self.x))
        try:
            return self.system.seen_from(self.spin).scales(self.x, self.u, dict(self.params)).state
        except GeoctrlError:
            return np.zeros(len(self.x))

    def _inputs(self) -> str:
        """The inputs that hold the point, in words: those that are not zero, and all that were found."""
        units = {} if self.system is None else self.system.told_units
        named = zip(self._input_labels(), self.u, strict=True)
        held = [f"{k} = {v:.9g} {units.get(k, '')}".rstrip() for k, v in named if v or k in self.free]
        held += [f"{k} = {v:.9g}" for k, v in self.free.items() if k not in self._input_labels()]
        return ", ".join(held)

    def _input_labels(self) -> Sequence[str]:
        if self.system is not None:
            return self.system.input_labels
        return [f"u{i + 1}" for i in range(len(self.u))]
