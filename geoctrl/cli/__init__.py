"""Command line: ``geoctrl models | certify | lqr | code ...`` on the catalogue and on one's own files.

Nothing but the standard library is imported until a command runs. Exit status: 0 done, 1 failed or
refuted, 2 usage, 130 interrupted. No traceback is printed, whatever happens.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches

from geoctrl.cli.commands import (
    UsageError,
    run_certify,
    run_linearize,
    run_models,
    run_simulate,
    run_verify,
    run_warm,
)
from geoctrl.cli.examples_command import add_examples
from geoctrl.cli.help.completion_command import add_completion, commands_of
from geoctrl.cli.help.explain_command import add_explain
from geoctrl.cli.help.new_command import add_new
from geoctrl.cli.import_command import add_import
from geoctrl.cli.laws.code_command import add_code
from geoctrl.cli.laws.law_command import run_law
from geoctrl.cli.laws.lqr_command import add_lqr
from geoctrl.cli.laws.region_command import add_region
from geoctrl.cli.orbit_command import add_orbit
from geoctrl.cli.range_commands import add_follow, add_map
from geoctrl.cli.reading.given_model import MODEL_WORDS
from geoctrl.cli.reading.text import terminal_width, text_in_width
from geoctrl.cli.theorem_commands import add_export
from geoctrl.cli.view_command import add_view

__all__ = ["main"]

_INTERRUPTED = 130
"""What a shell reports of a program that the user interrupts: 128 + SIGINT."""

_PIPE_CLOSED = 141
"""What it reports of one whose reader has gone: 128 + SIGPIPE."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str, optional
        ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        Exit status.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    try:
        status = _status_of(words)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has what it wants, as head does
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (what is left goes there at exit)
        return _PIPE_CLOSED
    return status


def _status_of(words: Sequence[str]) -> int:
    parser = _parser()
    _require_command(parser, words)
    try:
        args = parser.parse_args(words)
    except SystemExit:
        sys.stdout.flush()  # help may be piped as well
        raise
    try:
        return int(args.run(args))
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        _say(f"geoctrl {args.command}: interrupted")
        return _INTERRUPTED
    except Exception as error:
        told, status = _failure(error)
        _say(f"geoctrl {args.command}: {told}")
        return status


def _say(words: str) -> None:
    """Words on standard error: one line, which is broken at spaces on a terminal."""
    if sys.stderr.isatty():
        words = text_in_width(words, terminal_width())
    print(words, file=sys.stderr)


def _require_command(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Refuse a command that there is not, with the nearest one and without the list of all."""
    first = next((word for word in words if not word.startswith("-")), None)
    known = commands_of(parser)
    if first is not None and first not in known:
        near = get_close_matches(first, known, n=1)
        found = f"; did you mean {near[0]!r}?" if near else "; geoctrl --help lists them"
        parser.exit(2, f"geoctrl: no command {first!r}{found}\n")


def _failure(error: Exception) -> tuple[str, int]:
    """What is said of an exception, in one line, and the exit status."""
    from geoctrl.errors import GeoctrlError, ParameterError

    words = " ".join(str(error).split())
    if isinstance(error, (UsageError, ParameterError)):
        return words, 2
    if isinstance(error, GeoctrlError):
        return words, 1
    if isinstance(error, OSError):
        named = error.filename is not None and error.strerror is not None
        return f"{error.filename}: {error.strerror}" if named else words or type(error).__name__, 1
    if isinstance(error, MemoryError):
        return f"not enough memory{f': {words}' if words else ''}; ask for fewer points", 1
    return f"internal error, please report it: {type(error).__name__}: {words}", 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="geoctrl", description="Stability certificates and feedback laws for mechanisms with symmetry."
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    models = commands.add_parser("models", help="list the catalogue, or describe one mechanism")
    models.add_argument("model", metavar="MODEL", nargs="?", help=f"this one in full: {MODEL_WORDS}")
    models.set_defaults(run=run_models, params=None)

    certify = commands.add_parser("certify", help="decide the stability of an equilibrium")
    _mechanism_arguments(certify, family=True)
    certify.add_argument(
        "--over",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=PART",
        help="ask for one verdict for a box of constants: parts of their values, or NAME=LOW:HIGH",
    )
    certify.add_argument("--out", metavar="FILE", help="write the certificate (JSON)")
    certify.set_defaults(run=run_certify)

    mapped = commands.add_parser("map", help="prove a family stable or unstable over two axes, and draw it")
    _mechanism_arguments(mapped, family=True)
    add_map(mapped)

    followed = commands.add_parser("follow", help="follow equilibria, and prove where stability changes")
    _mechanism_arguments(followed, family=True)
    add_follow(followed)

    linearize = commands.add_parser("linearize", help="linearise at an equilibrium, on the leaf")
    _mechanism_arguments(linearize, family=True)
    linearize.set_defaults(run=run_linearize)

    verify = commands.add_parser("verify", help="recompute a certificate file; refuse a changed one")
    verify.add_argument("file", help="certificate (JSON)")
    verify.add_argument(
        "--rebuild",
        action="store_true",
        help="also derive the mechanism that it names from the catalogue, and compare the equations",
    )
    verify.add_argument(
        "--rocq", metavar="FILE", help="also compare this theorem (.v) with the certificate's"
    )
    verify.set_defaults(run=run_verify)

    export = commands.add_parser("export", help="write a certificate as a theorem of Rocq")
    add_export(export)

    simulate = commands.add_parser("simulate", help="integrate the equations of motion")
    _mechanism_arguments(simulate, family=False)
    _start_arguments(simulate, "initial states by label")
    simulate.add_argument(
        "--time", type=float, default=10.0, metavar="T", help="final time in s (default 10)"
    )
    simulate.add_argument(
        "--points", type=int, default=201, metavar="N", help="number of samples (default 201)"
    )
    simulate.add_argument("--engine", default="auto", choices=["auto", "heyoka", "lanes", "scipy"])
    simulate.add_argument("--out", metavar="FILE", help="write the trajectory (.npz)")
    simulate.add_argument("--plot", metavar="FILE", help="draw the states (PNG, PDF, SVG)")
    simulate.set_defaults(run=run_simulate)

    orbit = commands.add_parser("orbit", help="find a periodic orbit, through jumps too, and its multipliers")
    _mechanism_arguments(orbit, family=False)
    _start_arguments(orbit, "states of the guess by label; through jumps just after one")
    add_orbit(orbit)

    view = commands.add_parser("view", help="make a page of a run that moves in a browser")
    add_view(view)

    law = commands.add_parser("law", help="synthesise a feedback law for rotors or actuated directions")
    _mechanism_arguments(
        law, family=False, gain=", and the gains: sigma of rotors, kappa and so on of others"
    )
    shapings = ("kinetic", "potential", "both")
    told = "what of the Lagrangian is changed (default: rotors by sigma, others kinetic)"
    law.add_argument("--shaping", choices=shapings, help=told)
    law.add_argument("--out", metavar="FILE", help="write the closed loop's certificate at --at (JSON)")
    law.set_defaults(run=run_law)

    linear = commands.add_parser("lqr", help="design a linear law, prove its loops, run it from a tilt")
    _mechanism_arguments(linear, family=True)
    add_lqr(linear)

    code = commands.add_parser("code", help="write a law as C for the motor's computer")
    add_code(code)

    region = commands.add_parser("region", help="prove from which states a loop comes back")
    _mechanism_arguments(region, family=True)
    add_region(region)

    imported = commands.add_parser(
        "import", help="print the program that builds the mechanism of a model file"
    )
    add_import(imported)

    examples = commands.add_parser(
        "examples", help="copy the programs of the gallery, as scripts and notebooks"
    )
    add_examples(examples)

    warm = commands.add_parser("warm", help="compile all stepping loops now, and keep them on disk")
    warm.set_defaults(run=run_warm)

    scaffold = commands.add_parser("new", help="write a program to begin with, which runs")
    add_new(scaffold)

    explained = commands.add_parser("explain", help="say more about an error, by its key")
    add_explain(explained)

    for command in commands.choices.values():
        command.add_argument("--json", action="store_true", help="print one JSON object")

    completed = commands.add_parser("completion", help="print what a shell needs to complete commands")
    add_completion(completed, parser)
    parser.set_defaults(run=lambda args: _nothing(args, parser))
    return parser


def _mechanism_arguments(command: argparse.ArgumentParser, family: bool, gain: str = "") -> None:
    command.add_argument("model", metavar="MODEL", help=MODEL_WORDS)
    only = "; the only one where there is no other" if family else ""
    command.add_argument("--at", metavar="FAMILY", help=f"declared family of equilibria{only}")
    command.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help=f"parameters, symbols of the family{gain}",
    )
    command.add_argument("--params", metavar="SET", help="named parameter set of the mechanism")


def _start_arguments(command: argparse.ArgumentParser, words: str) -> None:
    command.add_argument("--x0", nargs="+", default=[], metavar="STATE=VALUE", help=words)
    command.add_argument(
        "--mode", metavar="NAME", help="of what jumps, the mode begun in (default: its first)"
    )


def _nothing(args: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if args.version:
        from geoctrl import __version__

        print(f"geoctrl {__version__}")
        return 0
    parser.print_help(sys.stderr)
    return 2
