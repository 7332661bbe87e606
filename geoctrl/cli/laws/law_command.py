"""The command that finds a feedback law: of rotors with the gain sigma, or of any actuated directions."""

from __future__ import annotations

import argparse
import math
import warnings
from dataclasses import asdict
from typing import Any

from geoctrl.cli.reading.arguments import UsageError, family_symbols, numbers, split
from geoctrl.cli.reading.given_model import given_model
from geoctrl.cli.reading.text import file_line, plain, show

__all__ = ["run_law"]


def _admissible(matching: Any, family: str) -> tuple[dict[str, Any], str]:
    """Gains for which a family is stable, as data and in words; families of the open loop have none."""
    from geoctrl.errors import ParameterError

    try:
        design = matching.design_sigma(family)
    except ParameterError as error:
        return {"condition": None, "feasible": False}, str(error)
    condition = None if design.condition is None else str(design.condition)
    if condition is None and design.feasible is not False:
        return {
            "condition": None,
            "feasible": design.feasible,
        }, "no condition in symbols; gains are judged one by one"
    return {"condition": condition, "feasible": design.feasible}, (
        str(condition) if design.feasible else design.reason
    )


def run_law(args: argparse.Namespace) -> int:
    """Match, print the law, and certify its loop where it has numbers; an inadmissible gain is a failure."""
    import geoctrl

    mechanism = given_model(args).mechanism
    if mechanism is None:
        raise UsageError(
            f"{args.model} is a system on spheres: it has no actuated directions, which matching needs"
        )
    if args.shaping or mechanism.rotors is None:
        return _exit_code_of_shaping(args, mechanism)
    symbols = family_symbols(args.model, mechanism.equilibria, args.at)
    names = [p.name for p in mechanism.parameters]
    params, values, gains = split(numbers(args.set, "--set"), names, symbols, ["sigma"])
    matching = geoctrl.match(mechanism)
    data: dict[str, Any] = {
        "model": args.model,
        "branches": [b.name for b in matching.branches],
        "tau": str(matching.tau.tolist()),
        "rho": str(matching.rho.tolist()),
        "admissible": {},
    }
    text = [str(matching)]
    for family in [args.at] if args.at else mechanism.equilibria:
        found, words = _admissible(matching, family)
        data["admissible"][family] = found
        text.append(f"admissible gains for {family!r}: {words}")
    law = matching.law(
        gains.get("sigma", matching.sigma[0, 0] if matching.sigma.rows == 1 else matching.sigma)
    )
    data["law"] = {k: str(e) for k, e in zip(mechanism.rotors.input_labels, law.expr, strict=True)}
    data["warnings"] = [str(w) for w in law.warnings]
    text += [f"{k} = {e}" for k, e in data["law"].items()] + [f"warning: {w}" for w in data["warnings"]]
    if args.at and gains:
        with warnings.catch_warnings():  # printed above
            warnings.simplefilter("ignore", geoctrl.LawWarning)
            loop = law.closed_loop()
        _certify(args, loop, loop.equilibrium(args.at, params=params, **values), data, text)
    elif args.out:
        raise UsageError("--out needs --at FAMILY and --set sigma=VALUE")
    show(args, data, "\n".join(text))
    return 1 if law.warnings else 0


def _exit_code_of_shaping(args: argparse.Namespace, mechanism: Any) -> int:
    """The class that matches a mechanism, its gains and where they hold a family; with numbers the law."""
    import geoctrl
    from geoctrl._printing.printed_lines import full_text

    matching = geoctrl.match(mechanism, shaping=args.shaping or "kinetic")
    symbols = family_symbols(args.model, mechanism.equilibria, args.at)
    names = [p.name for p in mechanism.parameters]
    params, values, gains = split(numbers(args.set, "--set"), names, symbols, list(matching.gains))
    data: dict[str, Any] = {
        "model": args.model,
        "class": matching.shaping.title,
        "gains": {g.name: g.description for g in matching.shaping.gains},
        "admissible": {},
        "notes": list(matching.notes),
    }
    text = [str(matching), *matching.notes]
    for family in [args.at] if args.at else mechanism.equilibria:
        data["admissible"][family], words = _bounds(matching, family)
        text += [f"admissible gains for {family!r}: {words}"]
    if not gains:
        if args.out:
            raise UsageError(
                f"--out needs --at FAMILY and --set with numbers for {', '.join(matching.gains)}"
            )
        show(args, data, "\n".join(text))
        return 0
    law = matching.law(**gains)
    data["law"] = {k: str(e) for k, e in zip(law.input_labels, law.expr, strict=True)}
    data["warnings"] = [str(w) for w in law.warnings]
    text += [full_text(law), *(f"warning: {w}" for w in data["warnings"])]
    if args.at:
        loop = law.loop
        if args.at not in loop.families:
            raise UsageError(
                f"the closed loop does not hold {args.at!r}; it holds {', '.join(loop.families)}"
            )
        known = {k: v for k, v in values.items() if k in loop.families[args.at].names}
        eq = loop.equilibrium(args.at, params=params, **known)
        _certify(args, loop, eq, data, text)
        told = law.performance(eq)
        data["performance"] = _finite({k: v for k, v in asdict(told).items() if k != "span"})
        text.append(repr(told).replace("<", "", 1).replace(">", "", 1))
    elif args.out:
        raise UsageError("--out needs --at FAMILY")
    show(args, data, "\n".join(text))
    return 1 if law.warnings else 0


def _certify(args: argparse.Namespace, loop: Any, eq: Any, data: dict[str, Any], text: list[str]) -> None:
    """The verdict of a loop added to what is told, its certificate written where a file is asked for."""
    import geoctrl

    certificate = geoctrl.certify(loop, eq)
    data |= {"verdict": certificate.verdict.value, "claim": certificate.claim}
    text.append(f"{plain(certificate)}{file_line(args.out)}")
    if args.out:
        certificate.to_json(args.out)


def _finite(value: Any) -> Any:
    """Numbers by name with None for what is infinite, which JSON does not have."""
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [_finite(v) for v in value]
    return value if math.isfinite(value) else None


def _bounds(matching: Any, family: str) -> tuple[dict[str, Any], str]:
    """Conditions on the gains that hold a family, one gain at a time, as data and in words."""
    from geoctrl.errors import GeoctrlError
    from geoctrl.synthesis.gains.gain_conditions import short_text

    try:
        design = matching.design(family)
        found = {name: relation for name, relation in design.bounds.items() if relation is not None}
    except GeoctrlError as error:
        return {"bounds": None}, str(error)
    words = ", ".join(map(short_text, found.values()))
    return {"bounds": {name: str(relation) for name, relation in found.items()}}, words or design.reason
