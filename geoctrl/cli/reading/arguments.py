"""Arguments of the commands, read against the mechanism that they name."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from typing import Any

from geoctrl.cli.reading.given_model import GivenModel, given_model
from geoctrl.cli.reading.law_file import SavedLaw, SavedPeriodicLaw, is_law_file, read_law
from geoctrl.cli.reading.usage import UsageError

__all__ = [
    "UsageError",
    "bounds",
    "family_of",
    "family_symbols",
    "law_along",
    "member",
    "number",
    "numbers",
    "parts_and_bounds",
    "plant_and_law",
    "point_of",
    "proved_motion",
    "split",
    "system_of",
]

_BITS = (128, 192, 256)
"""Of proofs of motions, tried in turn."""


def numbers(pairs: Sequence[str], option: str) -> dict[str, float]:
    """The values of an option by name."""
    values: dict[str, float] = {}
    for pair in pairs:
        left, separator, text = pair.partition("=")
        name, value = left.strip(), number(text)
        if not separator or not name or (math.isnan(value) and "nan" not in text.lower()):
            raise UsageError(f"{option} takes NAME=VALUE with a number, got {pair!r}")
        if not math.isfinite(value):
            raise UsageError(f"{option} takes finite numbers, got {pair!r}")
        if name in values:
            raise UsageError(f"{option} gives {name} twice: {values[name]:g} and {value:g}")
        values[name] = value
    return values


def number(text: str) -> float:
    """A number, or an angle such as ``5deg`` in rad; nan for any other text."""
    degrees = text.endswith("deg")
    try:
        value = float(text.removesuffix("deg"))
    except ValueError:
        return math.nan
    return math.radians(value) if degrees else value


def bounds(pairs: Sequence[str], option: str) -> dict[str, tuple[float, float]]:
    """Intervals by name: ``u=0.2`` is [-0.2, 0.2], ``u=-1:2`` is [-1, 2]."""
    found: dict[str, tuple[float, float]] = {}
    for pair in pairs:
        name, _, span = pair.partition("=")
        ends = [number(part) for part in span.split(":")]
        low, high = (-ends[0], ends[0]) if len(ends) == 1 else (ends[0], ends[-1])
        if not name or len(ends) > 2 or not low < high or math.isinf(high - low):
            raise UsageError(f"{option} takes NAME=MOST or NAME=LOW:HIGH with numbers, got {pair!r}")
        if name in found:
            raise UsageError(f"{option} gives {name} twice")
        found[name] = low, high
    return found


def parts_and_bounds(pairs: Sequence[str], option: str) -> dict[str, float | tuple[float, float]]:
    """Boxes by name: ``m=0.2`` is a part of the value, to both sides, ``m=0.1:0.3`` an interval."""
    found: dict[str, float | tuple[float, float]] = {}
    for pair in pairs:
        name, _, span = pair.partition("=")
        ends = tuple(number(text) for text in span.split(":"))
        if not name or len(ends) > 2 or not all(map(math.isfinite, ends)):
            raise UsageError(f"{option} takes NAME=PART or NAME=LOW:HIGH with numbers, got {pair!r}")
        if name in found:
            raise UsageError(f"{option} gives {name} twice")
        found[name] = ends if len(ends) == 2 else ends[0]
    return found


def system_of(args: argparse.Namespace) -> Any:
    """The system of a model; of a law that was saved, the loop that it closes."""
    model = given_model(args)
    if model.saved is None:
        return model.system
    saved = _law_about_a_point(args, model)
    point = member(model.system, saved.family, *_told_of(saved, model.system))[1]
    args.at = args.at or saved.family
    return saved.law_of(model.system, point).closed_loop()


def plant_and_law(args: argparse.Namespace) -> tuple[GivenModel, Any, Any, Any]:
    """The model of a law that was saved, its system, the point, the law."""
    model = given_model(args)
    if model.saved is None:
        raise UsageError(f"{args.model} is no law: geoctrl lqr {args.model} --save law.json designs one")
    saved = _law_about_a_point(args, model)
    system, point = member(model.system, saved.family, *_told_of(saved, model.system))
    return model, system, point, saved.law_of(system, point)


def _law_about_a_point(args: argparse.Namespace, model: GivenModel) -> SavedLaw:
    if not isinstance(model.saved, SavedLaw):
        raise UsageError(
            f"{args.model} is a law along a motion that repeats, and geoctrl {args.command} asks about a "
            "point; certify, simulate and code take it"
        )
    return model.saved


def law_along(args: argparse.Namespace) -> tuple[SavedPeriodicLaw, Any, Any] | None:
    """What a file says of a law along a motion, the system and the law; None of any other model."""
    if not is_law_file(args.model) or not isinstance(read_law(args.model), SavedPeriodicLaw):
        return None
    if getattr(args, "set", None) or getattr(args, "at", None):
        raise UsageError("--at and --set are those that the law was designed with, and stand in its file")
    model = given_model(args)
    assert isinstance(model.saved, SavedPeriodicLaw)
    return model.saved, model.system, model.saved.law_of(model.system)


def proved_motion(law: Any, args: argparse.Namespace) -> Any:
    """What is proved of the motion of a law along one, with as many bits as that takes."""
    from geoctrl.errors import CertificateError

    options = {"seconds": getattr(args, "seconds", None), "progress": not args.json}
    *first, last = _BITS
    for bits in first:
        try:
            return law.enclose(bits, **options)
        except CertificateError:
            continue
    return law.enclose(last, **options)


def _told_of(saved: SavedLaw, system: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Parameters and symbols of the family that a file gives."""
    names = family_symbols(saved.model, system.families, saved.family)
    params, values, _ = split(saved.values, list(system.params), names)
    return params, values


def point_of(args: argparse.Namespace) -> tuple[Any, Any]:
    """The system and the member of a family that a command asks of; of a law, its loop and its point."""
    if is_law_file(args.model):
        if args.set or args.at:
            raise UsageError("--at and --set are those that the law was designed with, and stand in its file")
        law = plant_and_law(args)[3]
        return law.closed_loop(), law.equilibrium
    system = system_of(args)
    symbols = family_symbols(args.model, system.families, family_of(args, system.families))
    params, values, _ = split(numbers(args.set, "--set"), list(system.params), symbols)
    return member(system, args.at, params, values)


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


def family_of(args: argparse.Namespace, families: Mapping[str, Any]) -> str:
    """The family that a command asks of: the only one where it names none."""
    if args.at is None:
        if len(families) != 1:
            known = ", ".join(families) or "none is declared"
            raise UsageError(f"say of which family of equilibria, --at FAMILY: {known}")
        args.at = next(iter(families))
    return args.at


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
