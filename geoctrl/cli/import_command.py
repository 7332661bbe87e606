"""The command that makes a program of a model file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from geoctrl.cli.reading.mechanism_files import mechanism_of_model_file
from geoctrl.cli.reading.text import show

__all__ = ["add_import"]


def add_import(command: argparse.ArgumentParser) -> None:
    """The options of ``import``."""
    command.add_argument("file", metavar="FILE", help="a model file: MJCF (MuJoCo) or URDF")
    command.add_argument("--base", choices=("fixed", "free", "planar"), help="how the root of a URDF moves")
    command.add_argument("--place", action="store_true", help="keep the place of free bodies in the state")
    command.add_argument(
        "--friction-scale", type=float, metavar="V", help="velocity below which dry friction is smoothed"
    )
    command.add_argument(
        "--symbols", action="store_true", help="masses, centres, inertias and so on as parameters"
    )
    command.add_argument("--refuse-contact", action="store_true", help="refuse bodies that may touch")
    command.add_argument("--out", metavar="FILE", help="write the program there")
    command.set_defaults(run=_import)


def _import(args: argparse.Namespace) -> int:
    """Print the program that builds the mechanism of a file; what is left out goes to standard error."""
    mech = mechanism_of_model_file(
        args.file,
        lambda words: print(f"geoctrl import: {words}", file=sys.stderr),
        base=args.base,
        place=args.place,
        friction_scale=args.friction_scale,
        contact="refuse" if args.refuse_contact else "leave out",
        parameters="symbols" if args.symbols else "numbers",
    )
    program = mech.as_code()
    if args.out:
        Path(args.out).write_text(program, encoding="utf-8")
    said = {"program": program, "left_out": list(mech.imported.left_out), "limits": _limits(mech)}
    if args.out or args.json:
        show(args, said, f"written to {args.out}")
    else:
        print(program, end="")  # as it is: lines of a program are not broken
    return 0


def _limits(mech: Any) -> dict[str, list[float]]:
    """Limits of inputs as JSON has them."""
    return {label: list(pair) for label, pair in mech.imported.limits.items()}
