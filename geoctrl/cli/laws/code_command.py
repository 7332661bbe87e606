"""The command that writes a law as C, and on demand compiles it and compares it with the law."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from geoctrl.cli.reading.arguments import UsageError, bounds, law_along, plant_and_law
from geoctrl.cli.reading.text import show

__all__ = ["add_code"]


def add_code(command: argparse.ArgumentParser) -> None:
    """The options of ``code``."""
    command.add_argument("model", metavar="LAW", help="a law that geoctrl lqr --save wrote (.json)")
    command.add_argument("--out", metavar="FOLDER", default=".", help="where the files go (default: here)")
    command.add_argument("--name", help="of files and functions, a C identifier (default controller)")
    command.add_argument("--rate", type=float, metavar="HZ", help="of its steps (default: the law's)")
    command.add_argument(
        "--limit",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=MOST",
        help="most that an input can do (default: the law's)",
    )
    command.add_argument(
        "--check", action="store_true", help="compile it and compare it with the law (cc, or $CC)"
    )
    command.set_defaults(run=_code, params=None)


def _code(args: argparse.Namespace) -> int:
    """Write the C of a law; inputs that differ from the law's are a failure."""
    from geoctrl._printing.printed_lines import with_units

    given: Any
    if along := law_along(args):
        given, _, law = along
        if args.rate is not None:
            raise UsageError(f"{args.model} has the rate of its holds, {given.rate:g} Hz: leave --rate")
    else:
        model, _, _, law = plant_and_law(args)
        given = model.saved
    limits = {label: list(pair) for label, pair in bounds(args.limit, "--limit").items()}
    saved = replace(given, limits={**given.limits, **limits})
    if args.rate is not None:
        saved = replace(saved, rate=args.rate)
    if saved.rate is None:
        raise UsageError(f"{args.model} has no rate: give --rate HZ, at which the computer will run it")
    controller = saved.controller_of(law)
    header, source = controller.to_c(args.out, args.name)
    signals = list(controller.feedback.measured_labels(list(controller.feedback.signals)))
    lines = [
        f"wrote {header} and {source}: {header.stem}_step(&state, y, u), {saved.rate:g} times a second",
        f"  y = {with_units(signals, controller.units)}",
        f"  u = {with_units(controller.feedback.inputs, controller.units)}",
    ]
    for label, (low, high) in saved.limits.items():
        lines.append(f"  {label} within [{low:g}, {high:g}] {controller.units.get(label, '')}".rstrip())
    data: dict[str, Any] = {
        "files": [str(header), str(source)],
        "signals": signals,
        "inputs": list(controller.feedback.inputs),
        "rate": saved.rate,
        "limits": saved.limits,
    }
    apart = 0.0
    if args.check:
        from geoctrl.cli.laws.compiled_law import difference_at, states_about

        states = states_about(law)
        apart = difference_at(header, source, controller, states, law.plant.state_labels)
        told = "all bits are the same" if apart == 0 else f"inputs differ by {apart:.2g} at most"
        lines.append(f"  compiled, and compared with the law at {len(states)} states: {told}")
        data |= {"compared_at": len(states), "largest_difference": apart}
    show(args, data, "\n".join(lines))
    return 0 if apart == 0 else 1
