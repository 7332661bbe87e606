"""``view``: a run that was written to a file as a page that moves in every browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from geoctrl.cli.reading.given_model import given_model
from geoctrl.cli.reading.text import show
from geoctrl.cli.reading.usage import UsageError

__all__ = ["add_view"]


def add_view(command: argparse.ArgumentParser) -> None:
    """The arguments of ``view``."""
    command.add_argument("run_file", metavar="RUN", help="run that simulate --out or run.save wrote (.npz)")
    command.add_argument("--model", metavar="MODEL", help="what ran (default: the name in the file)")
    command.add_argument("--params", metavar="SET", help="named parameter set of the mechanism")
    command.add_argument("--out", metavar="FILE", help="page to write (default: RUN with .html)")
    command.add_argument("--signals", nargs="+", metavar="LABEL", help="states and inputs drawn below")
    command.set_defaults(run=run_view)


def run_view(args: argparse.Namespace) -> int:
    """Write the page of a run."""
    import geoctrl
    from geoctrl.simulation import HybridTrajectory

    out = Path(args.out) if args.out else Path(args.run_file).with_suffix(".html")
    if out.suffix not in (".html", ".htm"):
        raise UsageError(f"--out writes a page: give a name that ends in .html, got {args.out!r}")
    samples = geoctrl.load_trajectory(args.run_file)
    named = samples.name
    if args.model is None:
        if named not in geoctrl.models.names():
            raise UsageError(
                f"{args.run_file} is a run of {named or 'a system without a name'!r}, which is not in the "
                "catalogue: name what ran with --model; a loop shows itself where it was made, by "
                "run.show() or geoctrl.viz.scene(run).save(FILE)"
            )
        args.model = named
    given = samples.inputs if samples.input_labels else None  # of a run under a law, as they were
    model, jumping = given_model(args), isinstance(samples, HybridTrajectory)
    system = model.hybrid if jumping and model.hybrid is not None else model.system
    run = geoctrl.load_trajectory(args.run_file, system=system, inputs=given)
    scene = geoctrl.viz.scene(run, signals=args.signals)
    scene.save(out)
    data = {"model": args.model, "bodies": [b["name"] for b in scene.data()["bodies"]], "file": str(out)}
    show(args, data, f"{out}: {repr(scene).strip('<>')}")
    return 0
