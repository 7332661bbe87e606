"""The design of a law along a motion that repeats, and the proof of its loop."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoctrl.cli.reading.arguments import UsageError, numbers, proved_motion, split
from geoctrl.cli.reading.given_model import given_model
from geoctrl.cli.reading.law_file import SavedPeriodicLaw
from geoctrl.cli.reading.text import show

if TYPE_CHECKING:
    import numpy as np

__all__ = ["lqr_along"]

_OF_A_POINT = {
    "at": "--at",
    "rate": "--rate",
    "tilt": "--tilt",
    "time": "--time",
    "record": "--run",
}


def lqr_along(args: argparse.Namespace, weights: dict[str, Any], limits: dict[str, Any]) -> int:
    """Design the law, prove that the motion of its loop attracts; one that repels is a failure."""
    import geoctrl
    from geoctrl._printing.printed_lines import full_text

    for name, option in _OF_A_POINT.items():
        if getattr(args, name):
            raise UsageError(
                f"{option} is of a law about a point: --along has the rate of its holds; run the "
                "law by geoctrl simulate, once it is saved"
            )
    model = given_model(args)
    if model.saved is not None:
        raise UsageError(f"{args.model} is a law already; lqr designs one for a mechanism")
    system = model.system
    params = split(numbers(args.set, "--set"), list(system.params), ())[0]
    times, states, inputs = _motion(args.along, system, params)
    holds = len(times) - 1 if args.holds is None else args.holds
    if inputs is not None and holds > 0:
        inputs = inputs[:, :: (len(times) - 1) // holds or 1]
    motion = (times, states, inputs)
    law = geoctrl.lqr(
        system, motion, weights["weights"] or None, weights["costs"] or None, params, holds=holds,
        progress=not args.json,
    )  # fmt: skip
    if limits:
        law.sampled(limits=limits)  # refuses labels and bounds that do not fit
    saved = SavedPeriodicLaw(
        args.model,
        args.params,
        params,
        law.hold,
        list(system.state_labels),
        law.states.tolist(),
        law.inputs.tolist(),
        law.gains.tolist(),
        {label: list(pair) for label, pair in limits.items()},
    )
    proof = proved_motion(law, args)
    free = law.with_gains(0 * law.gains)
    data: dict[str, Any] = {
        "model": args.model,
        "motion": args.along,
        "hold": law.hold,
        "multipliers": [[v.real, v.imag] for v in map(complex, law.multipliers)],
        "left_out": list(law.neutral),
        "limits": saved.limits,
        "loop": {"verdict": proof.verdict.value, "claim": proof.claim},
    }
    lines = [full_text(law), *_without_gains(free), proof.verdict.value, f"  {proof.claim}"]
    if args.save:
        saved.write(args.save)
    if args.out:
        proof.to_json(args.out)
    lines += [f"written to {path}" for path in (args.save, args.out) if path]
    data["files"] = [path for path in (args.save, args.out) if path]
    show(args, data, "\n".join(lines))
    return 1 if proof.verdict.value == "PROVED_UNSTABLE" else 0


def _without_gains(free: Any) -> list[str]:
    """What the multipliers would be, where the plant has such a motion by itself."""
    from geoctrl.errors import GeoctrlError
    from geoctrl.systems.typesetting.printed_spectra import spectrum_text

    try:
        return [f"  without gains: {spectrum_text(free.multipliers)}"]
    except GeoctrlError:
        return []


def _motion(
    path: str, system: Any, params: dict[str, float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Times, states, and inputs where they are given: those of a row are held from its time on."""
    import numpy as np

    if not Path(path).is_file():
        raise UsageError(f"{path}: no such file")
    columns = _columns_of_run(path, system, params) if path.endswith(".npz") else _columns_of_table(path)
    wanted = ["time", *system.state_labels]
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise UsageError(
            f"{path} has no column {', '.join(missing)}: a motion is a table with the columns "
            f"{', '.join(wanted)}, and if inputs are given {', '.join(system.input_labels)}"
        )
    states = np.array([columns[k] for k in system.state_labels])
    given = [k for k in system.input_labels if k in columns]
    if given and len(given) < len(system.input_labels):
        raise UsageError(f"{path} has {', '.join(given)} alone: give all inputs, or none")
    inputs = np.array([columns[k] for k in given])[:, :-1] if given else None
    return columns["time"], states, inputs


def _columns_of_run(path: str, system: Any, params: dict[str, float]) -> dict[str, np.ndarray]:
    import geoctrl

    run = geoctrl.load_trajectory(path)
    meant = system.parameters_at(params)
    for name, value in run.params.items():
        if name in meant and meant[name] != value:
            raise UsageError(f"{path} was run with {name}={value:.17g}: give --set {name}={value:.17g}")
    return {"time": run.time, **dict(zip(run.state_labels, run.states, strict=True))}


def _columns_of_table(path: str) -> dict[str, np.ndarray]:
    """Columns of a text, numbers with commas between, below their names."""
    import numpy as np

    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        head, *rows = [row for row in csv.reader(file) if row] or [[]]
    names = [name.strip() for name in head]
    if len({*names}) < len(names):
        raise UsageError(f"{path} names a column twice: {', '.join(names)}")
    try:
        values = np.array([[float(text) for text in row] for row in rows]).reshape(len(rows), len(names))
    except ValueError:
        raise UsageError(
            f"{path} is no table of numbers below their names, {', '.join(names) or 'which it has not'}"
        ) from None
    return dict(zip(names, values.T, strict=True))
