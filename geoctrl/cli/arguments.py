"""Arguments of the commands, read against the mechanism that they name."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "UsageError",
    "family_symbols",
    "is_reduced",
    "mechanism_of",
    "member",
    "numbers",
    "split",
    "system_of",
]


class UsageError(Exception):
    """Bad arguments found only after the mechanism is known."""


def numbers(pairs: Sequence[str], option: str) -> dict[str, float]:
    """The values of an option by name."""
    values: dict[str, float] = {}
    for pair in pairs:
        left, separator, text = pair.partition("=")
        name = left.strip()
        try:
            number = float(text)
        except ValueError:
            separator = ""
        if not separator or not name:
            raise UsageError(f"{option} takes NAME=VALUE with a number, got {pair!r}")
        if not math.isfinite(number):
            raise UsageError(f"{option} takes finite numbers, got {pair!r}")
        if name in values:
            raise UsageError(f"{option} gives {name} twice: {values[name]:g} and {number:g}")
        values[name] = number
    return values


def mechanism_of(args: argparse.Namespace) -> Any:
    """What the catalogue gives: a description, or a system."""
    import geoctrl

    return geoctrl.models.get(args.model)(set=args.params)


def is_reduced(name: str) -> bool:
    """Whether the catalogue gives a description, to be reduced; else it gives a system."""
    import geoctrl

    return name in {*geoctrl.models.names("reduced"), *geoctrl.models.names("files")}


def system_of(args: argparse.Namespace) -> Any:
    """The system of a model."""
    given = mechanism_of(args)
    return given.reduce() if is_reduced(args.model) else given


def split(
    values: dict[str, float], parameters: Sequence[str], symbols: Sequence[str], extra: Sequence[str] = ()
):
    """Parameters, family symbols and further names of --set, each in its own dict."""
    from geoctrl._checks import nearest

    known = [*parameters, *symbols, *extra]
    for name in values:
        if name not in known:
            raise UsageError(f"--set names no parameter or family symbol: {name!r}{nearest(name, known)}")
    return tuple({k: v for k, v in values.items() if k in names} for names in (parameters, symbols, extra))


def family_symbols(model: str, families: Mapping[str, Any], name: str | None) -> tuple[str, ...]:
    """Names of the symbols of a family; none where none is named."""
    from geoctrl._checks import nearest

    if name is None:
        return ()
    if name not in families:
        raise UsageError(f"{model} has no family {name!r}{nearest(name, families)}")
    return families[name].names


def member(system: Any, family: str, params: dict, values: dict) -> tuple[Any, Any]:
    """A family's member, in axes that do not follow the spin where only there it is an equilibrium."""
    from geoctrl.errors import EquilibriumError

    try:
        return system, system.equilibrium(family, params=params, **values)
    except EquilibriumError:
        if not system.recorded or system.mechanism.symmetry is None:
            raise
    return system.despun(), system.despun().equilibrium(family, params=params, **values)
