"""The command that designs a linear law, proves its loops and runs it from a tilt."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from geoctrl.cli.laws.lqr_along import lqr_along
from geoctrl.cli.reading.arguments import (
    UsageError,
    bounds,
    family_of,
    family_symbols,
    member,
    numbers,
    split,
)
from geoctrl.cli.reading.given_model import given_model
from geoctrl.cli.reading.law_file import SavedLaw
from geoctrl.cli.reading.text import show

__all__ = ["add_lqr"]


def add_lqr(command: argparse.ArgumentParser) -> None:
    """The options of ``lqr`` besides those that name a mechanism."""
    pairs: dict[str, Any] = {"nargs": "+", "action": "extend", "default": [], "metavar": "NAME=VALUE"}
    command.add_argument(
        "--Q", dest="weights", **pairs, help="weights of states, others none (default: each 1)"
    )
    command.add_argument("--R", dest="costs", **pairs, help="weights of inputs (default: each 1)")
    command.add_argument(
        "--rate", type=float, metavar="HZ", help="design and prove it for commands that are held"
    )
    command.add_argument(
        "--limit",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=MOST",
        help="most that an input can do; NAME=LOW:HIGH where the sides differ",
    )
    command.add_argument(
        "--tilt",
        nargs="+",
        default=[],
        metavar="TILT",
        help="run it from there: an angle, 0.05 or 3deg, to all sides, or deviations STATE=VALUE",
    )
    command.add_argument(
        "--time", type=float, metavar="T", help="of these runs in s (default: until it has settled)"
    )
    command.add_argument(
        "--along",
        metavar="MOTION",
        help="hold a motion that repeats: one period, of orbit --run (.npz) or a table of times and states",
    )
    command.add_argument("--holds", type=int, metavar="N", help="of its period (default: a row each)")
    command.add_argument("--seconds", type=float, metavar="S", help="time for each proof")
    command.add_argument("--save", metavar="FILE", help="write the law (.json): a MODEL for other commands")
    command.add_argument("--out", metavar="FILE", help="write the certificate of the loop (JSON)")
    command.add_argument("--run", dest="record", metavar="FILE", help="write the run with most effort (.npz)")
    command.set_defaults(run=_lqr)


def _lqr(args: argparse.Namespace) -> int:
    """Design, prove, run; a loop that is proved unstable is a failure."""
    import geoctrl
    from geoctrl._printing.printed_lines import full_text
    from geoctrl.cli.laws.tilted_runs import tilt_of, tilted_runs
    from geoctrl.systems.typesetting.printed_spectra import spectrum_text

    if args.save and not args.save.endswith(".json"):
        raise UsageError(f"--save writes a .json file: give a name that ends so, got {args.save!r}")
    if args.record and not args.tilt:
        raise UsageError("--run writes a run from a tilt: give --tilt too")
    if args.rate is not None and not 0 < args.rate < float("inf"):
        raise UsageError(f"--rate is in Hz, and positive; got {args.rate:g}")
    if args.time is not None and not 0 < args.time < float("inf"):
        raise UsageError(f"--time must be positive and finite, got {args.time:g}")
    weights = {name: numbers(getattr(args, name), f"--{letter}") for name, letter in _WEIGHTS.items()}
    limits = bounds(args.limit, "--limit")
    if args.along:
        return lqr_along(args, weights, limits)
    if args.holds is not None:
        raise UsageError("--holds are those of a motion: give it by --along FILE")
    model = given_model(args)
    if model.saved is not None:
        raise UsageError(f"{args.model} is a law already; lqr designs one for a mechanism")
    system = model.system
    tilt = tilt_of(args.tilt, system)
    symbols = family_symbols(args.model, system.families, family_of(args, system.families))
    params, values, _ = split(numbers(args.set, "--set"), list(system.params), symbols)
    system, point = member(system, args.at, params, values)
    law = geoctrl.lqr(system, point, Q=weights["weights"] or None, R=weights["costs"] or None, rate=args.rate)
    saved = SavedLaw(
        args.model,
        args.params,
        args.at,
        {**params, **values},
        dict(zip(system.state_labels, map(float, point.x), strict=True)),
        _gains(law),
        args.rate,
        {label: list(pair) for label, pair in limits.items()},
    )
    controller = saved.controller_of(law)
    if limits and args.rate is None:
        law.sampled(limits=limits)  # refuses labels and bounds that do not fit
    free = geoctrl.linearize(system, point).eigenvalues
    proofs = {"loop": geoctrl.certify(law.closed_loop(), law.equilibrium, seconds=args.seconds)}
    if args.rate is not None:
        proofs["held"] = _judgement_of_hold(system, point, controller, args)
    last = list(proofs.values())[-1]
    title = f"{system.name or args.model}, {args.at!r}"
    lines = [f"{title}: eigenvalues without a law {spectrum_text(free)}", full_text(law)]
    lines += _verdict_lines(proofs, args.rate)
    data: dict[str, Any] = {
        "model": args.model,
        "family": args.at,
        "eigenvalues": [[v.real, v.imag] for v in map(complex, free)],
        "law": {label: str(e) for label, e in law.computed.items()},
        "gains": saved.gains,
        "left_out": list(law.neutral),
        "loop_eigenvalues": [[v.real, v.imag] for v in map(complex, law.eigenvalues)],
        "rate": args.rate,
        "limits": saved.limits,
        **{k: {"verdict": c.verdict.value, "claim": c.claim, "reason": c.reason} for k, c in proofs.items()},
    }
    if tilt:
        told = tilted_runs(system, law, controller, limits, tilt, args)
        data["tilt"] = told.data
        lines += told.lines
    if args.save:
        saved.write(args.save)
    if args.out:
        last.to_json(args.out)
    lines += [f"written to {path}" for path in (args.save, args.out) if path]
    if args.record:
        lines.append(f"written to {args.record}")
    data["files"] = [path for path in (args.save, args.out, args.record) if path]
    show(args, data, "\n".join(lines))
    return 1 if last.verdict.value in _FALLS else 0


_WEIGHTS = {"weights": "Q", "costs": "R"}
_FALLS = ("PROVED_UNSTABLE", "NUMERICALLY_UNSTABLE")


@dataclass(frozen=True)
class _InFloats:
    """What multipliers in floats say of a held loop of which no certificate can be made, and why none can."""

    verdict: Any
    method: str
    claim: str
    reason: str


def _judgement_of_hold(system: Any, point: Any, controller: Any, args: argparse.Namespace) -> Any:
    """The certificate of the loop as it is held; where none can be made, and no file asks for one, floats."""
    import geoctrl

    try:
        return geoctrl.certify(system, point, controller=controller, seconds=args.seconds)
    except geoctrl.CertificateError as refused:
        if args.out:
            raise
        reason = str(refused)
    held = geoctrl.linearize_held(system, controller, point)
    verdict = geoctrl.Verdict.NUMERICALLY_STABLE if held.stable else geoctrl.Verdict.NUMERICALLY_UNSTABLE
    method = f"multipliers of one hold in floats, of which {held.radius:.6g} is the largest"
    return _InFloats(verdict, method, "", reason)


def _gains(law: Any) -> dict[str, dict[str, float]]:
    """K by input and state."""
    return {
        u: {label: float(k) for label, k in zip(law.plant.state_labels, row, strict=True) if k}
        for u, row in zip(law.input_labels, law.K, strict=True)
    }


def _verdict_lines(proofs: dict[str, Any], rate: float | None) -> list[str]:
    """The verdicts, with what is proved besides them where something is left to say."""
    told = {"loop": "the loop in continuous time", "held": f"the loop as it is held at {rate or 0:g} Hz"}
    return [
        f"{certificate.verdict.value}  {told[key]}, by {certificate.method}"
        + (f": {certificate.reason}" if certificate.reason else "")
        for key, certificate in proofs.items()
    ]
