"""What a description is given, read before any of it is used: kinds of things, sets of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from geoctrl._checks import named_parameters, parameter_value
from geoctrl._scalars import shown
from geoctrl.algebra import AdvectedParameter, AdvectedVector, LieAlgebra
from geoctrl.systems.rotors import Rotors

__all__ = ["read_set", "require_kinds"]

_SEQUENCES = ("advected", "inputs", "parameters")
_MAPPINGS = ("feedback", "controller", "invariants", "parameter_sets", "equilibria", "outputs")


def require_kinds(mechanism: Any) -> None:
    """Refuse arguments of a description that are of another kind than they must be, with the remedy.

    Raises
    ------
    TypeError
        If algebra, rotors or an advected vector is something else, or one thing stands where a list or a dict
        is needed.
    """
    algebra = mechanism.algebra
    if not isinstance(algebra, LieAlgebra):
        remedy = f"; call it: {algebra.__name__}()" if hasattr(algebra, "__name__") else ""
        raise TypeError(f"algebra must be a LieAlgebra, as gc.so3() gives it, got {shown(algebra)}{remedy}")
    for name in _SEQUENCES:
        given = getattr(mechanism, name)
        if isinstance(given, (str, Mapping, sp.Basic)) or not isinstance(given, Iterable):
            raise TypeError(f"{name} must be a list, got {shown(given)}")
    leaf = mechanism.leaf
    if isinstance(leaf, (str, sp.Basic)) or not isinstance(leaf, Iterable):
        raise TypeError(f"leaf must be a list, or a dict by name, got {shown(leaf)}")
    for name in _MAPPINGS:
        if not isinstance(getattr(mechanism, name), Mapping):
            raise TypeError(f"{name} must be a dict by name, got {shown(getattr(mechanism, name))}")
    for given in mechanism.advected:
        if not isinstance(given, (AdvectedVector, AdvectedParameter)):
            raise TypeError(
                f"advected must hold gc.AdvectedVector or gc.AdvectedParameter objects, got {shown(given)}"
            )
    if mechanism.rotors is not None and not isinstance(mechanism.rotors, Rotors):
        raise TypeError(f"rotors must be a gc.Rotors object, got {shown(mechanism.rotors)}")


def read_set(name: str, values: Any) -> dict[str, Any]:
    """A set of parameters by name, as numbers of Python; None where one has no value.

    Raises
    ------
    ParameterError
        If it is no dict, or holds what is no finite real number.
    """
    what = f"in the parameter set {name!r}"
    return {
        k: None if v is None else parameter_value(f"{k!r} {what}", v)
        for k, v in named_parameters(values).items()
    }
