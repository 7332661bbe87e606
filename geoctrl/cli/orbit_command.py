"""``orbit``: a periodic orbit near a guess, through jumps too, with its multipliers; its proof on demand."""

from __future__ import annotations

import argparse
import math

from geoctrl.cli.reading.given_model import given_model
from geoctrl.cli.reading.leaf_states import start_in_mode, start_of
from geoctrl.cli.reading.text import file_line, plain, show
from geoctrl.cli.reading.usage import UsageError

__all__ = ["add_orbit"]


def add_orbit(command: argparse.ArgumentParser) -> None:
    """The options of ``orbit`` besides those that name a mechanism and a start."""
    command.add_argument(
        "--period",
        nargs="+",
        type=float,
        metavar="T",
        help="guess of the period in s; through jumps also one for each phase",
    )
    command.add_argument(
        "--forcing",
        type=float,
        metavar="T",
        help="period of equations that hold the time in s; that of the orbit is it, or a multiple",
    )
    command.add_argument(
        "--jumps", nargs="+", metavar="NAME", help="jumps in their order (default: those met)"
    )
    command.add_argument("--symmetry", choices=["axis"], help="closed up to a turn about the declared axis")
    command.add_argument(
        "--segments", type=int, default=4, metavar="N", help="parts of the search (default 4; unstable: more)"
    )
    command.add_argument("--run", dest="run_file", metavar="FILE", help="write one period for view (.npz)")
    command.add_argument("--out", metavar="FILE", help="prove the orbit, and write its certificate (JSON)")
    command.set_defaults(run=run_orbit)


def run_orbit(args: argparse.Namespace) -> int:
    """Find an orbit: period, multipliers, what explains those that are one or zero."""
    import geoctrl
    from geoctrl.systems.typesetting.printed_spectra import spectrum_text

    if args.period is None and args.forcing is None:
        raise UsageError("an orbit needs a guess of its --period, or the --forcing of its equations")
    given = [*(args.period or []), *([] if args.forcing is None else [args.forcing])]
    if not all(0 < t < math.inf for t in given):
        raise UsageError("--period and --forcing must be positive and finite")
    if args.run_file and not args.run_file.endswith(".npz"):
        raise UsageError(f"--run writes an .npz archive: give a name that ends so, got {args.run_file!r}")
    model = given_model(args)
    if model.saved is not None:
        raise UsageError("an orbit is asked of a mechanism, not of a law in a file")
    system, params, point = start_in_mode(model, args)
    periods = args.period or [None]
    if model.hybrid is None and (args.jumps or len(periods) > 1):
        raise UsageError(
            f"--jumps and several times of --period are about what jumps, and {args.model} does not"
        )
    asked = {"symmetry": args.symmetry} if args.symmetry else {}
    if model.hybrid is not None:
        asked |= {"mode": args.mode, "jumps": args.jumps}
    orbit = geoctrl.find_periodic(
        model.hybrid or system,
        start_of(system, args, params, point),
        periods if len(periods) > 1 else periods[0],
        params=params,
        forcing=args.forcing,
        segments=args.segments,
        progress=not args.json,
        **asked,
    )
    if args.run_file:
        orbit.trajectory().save(args.run_file)
    enclosed = orbit.enclose(progress=not args.json) if args.out else None
    if enclosed is not None:
        enclosed.to_json(args.out)
    data = {
        "model": args.model,
        "verdict": (orbit if enclosed is None else enclosed).verdict.value,
        "claim": "" if enclosed is None else enclosed.claim,
        "period": orbit.period,
        "state": dict(zip(system.state_labels, orbit.x.tolist(), strict=True)),
        "multipliers": [[complex(v).real, complex(v).imag] for v in orbit.others],
        "neutral": list(orbit.neutral),
        "file": args.out,
    }
    told = ", ".join(f"{label}={value:.9g}" for label, value in data["state"].items())
    if model.hybrid is not None:
        data["phases"] = [
            {"jump": name, "time": float(t)} for name, t in zip(orbit.jumps, orbit.periods, strict=True)
        ]
        data["begin"] = orbit.begin
        data["lost"] = [None if math.isnan(v) else float(v) for v in orbit.lost]
    text = [f"orbit {plain(orbit if enclosed is None else enclosed)}", f"  state: {told}"]
    if enclosed is not None:
        text.append(f"  multipliers in floats: {spectrum_text(orbit.others)}")
    show(args, data, "\n".join(text) + file_line(args.out))
    return 0
