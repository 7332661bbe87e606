"""The commands: each reads its arguments, asks the library, and prints a text or one JSON object."""

from __future__ import annotations

import argparse
import inspect
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from geoctrl._pages import catalogue_entries
from geoctrl.cli.range_commands import certify_over_box
from geoctrl.cli.reading.arguments import (
    UsageError,
    law_along,
    plant_and_law,
    point_of,
    proved_motion,
)
from geoctrl.cli.reading.given_model import GivenModel, given_model
from geoctrl.cli.reading.law_file import is_law_file
from geoctrl.cli.reading.leaf_states import start_in_mode, start_of
from geoctrl.cli.reading.text import ROUNDING, block, file_line, matrix_text, plain, show, terminal_width
from geoctrl.cli.rebuild import compared_anew
from geoctrl.cli.theorem_commands import compared_text

__all__ = [
    "UsageError",
    "catalogue_entry",
    "run_certify",
    "run_linearize",
    "run_models",
    "run_simulate",
    "run_verify",
    "run_warm",
]


_MOST_POINTS = 10_000_000
"""Samples of a run: some gigabytes, and more than any file or figure is good for."""


_FIRST_JUMPS = 6
"""Jumps that are told of a run."""


# -- commands -------------------------------------------------------------------------------------


def run_models(args: argparse.Namespace) -> int:
    """List the catalogue, or print one mechanism in full."""
    if args.model:
        model = given_model(args)
        kept = dict.fromkeys(name for system in model.modes.values() for name in system.conserved())
        entry = _entry_of(model) | {"conserved": list(kept)}
        show(args, {args.model: entry}, _page(model, entry))
        return 0
    entries = catalogue_entries()
    show(args, entries, "\n".join(block(name, entry) for name, entry in entries.items()))
    return 0


def _page(model: GivenModel, entry: dict[str, Any]) -> str:
    """One mechanism in full."""
    from geoctrl.systems.printing.summary_page import mechanism_page

    if model.mechanism is None:
        return f"{block(model.name, entry)}\n  conserved   {' '.join(entry['conserved'])}"
    return mechanism_page(model.mechanism, entry["description"], entry["conserved"])


def _entry_of(model: GivenModel) -> dict[str, Any]:
    """What is said about a mechanism of the catalogue or of a file."""
    if model.of_the_catalogue:
        return catalogue_entry(model.name)
    own = _system_entry(model.given, []) if model.mechanism is None else _mechanism_entry(model.mechanism)
    return {"description": "", **own, "source": getattr(model.given, "source", "")}


def catalogue_entry(name: str) -> dict[str, Any]:
    """What the catalogue says about a mechanism; the system itself is not derived for it."""
    import geoctrl

    builder = geoctrl.models.get(name)
    mechanism = builder()
    summary = (builder.__doc__ or "").strip().partition("\n")[0].replace("`", "")
    options = [p for p in inspect.signature(builder).parameters.values() if p.name != "set"]
    own = _mechanism_entry(mechanism) if hasattr(mechanism, "reduce") else _system_entry(mechanism, options)
    return {"description": summary, **own, "source": mechanism.source}


def _system_entry(system: Any, options: Sequence[inspect.Parameter]) -> dict[str, Any]:
    """The entry of a system on spheres, whose numbers are the arguments of its builder."""
    return {
        "group": system.space.format(n=system.n),
        "states": list(system.state_labels),
        "parameters": {
            p.name: {"default": p.default, "unit": "", "description": "argument of the builder"}
            for p in options
        },
        "parameter_sets": [],
        "inputs": list(system.input_labels),
        "families": {k: list(f.names) for k, f in system.families.items()},
    }


def _mechanism_entry(mechanism: Any) -> dict[str, Any]:
    """The entry of a description."""
    from geoctrl.systems.parts.description_entries import space_words
    from geoctrl.systems.printing.summary_page import state_labels

    return {
        "group": space_words(mechanism.group, mechanism.shape),
        "states": state_labels(mechanism),
        "parameters": {
            p.name: {
                "default": None if p.default is None else float(p.default),
                "unit": p.unit,
                "description": p.description,
            }
            for p in mechanism.parameters
        },
        "parameter_sets": list(mechanism.parameter_sets),
        "inputs": [str(u) for u in mechanism.input_symbols],
        "families": {k: list(f.names) for k, f in mechanism.equilibria.items()},
    }


def run_certify(args: argparse.Namespace) -> int:
    """Decide the stability of a member of a family; of a law with a rate, that of the loop as it runs."""
    if args.over:
        return certify_over_box(args)
    import geoctrl
    from geoctrl.systems.typesetting.printed_spectra import spectrum_text

    if along := law_along(args):
        return _certify_along(args, along[2])
    held = _held_loop(args)
    if held:
        system, point, controller = held
        values = geoctrl.linearize_held(system, controller, point).multipliers
        spectrum = f"multipliers of one hold: {spectrum_text(values)}"
        certificate = geoctrl.certify(system, point, controller=controller)
    else:
        system, point = point_of(args)
        values = geoctrl.linearize(system, point).eigenvalues
        spectrum = f"eigenvalues on the leaf: {spectrum_text(values)}"
        certificate = geoctrl.certify(system, point)
    if args.out:
        certificate.to_json(args.out)
    data = {
        "model": args.model,
        "verdict": certificate.verdict.value,
        "method": certificate.method,
        "claim": certificate.claim,
        "reason": certificate.reason,
        "multipliers" if held else "eigenvalues": [[complex(v).real, complex(v).imag] for v in values],
        "evidence": certificate.evidence,
        "file": args.out,
    }
    show(args, data, f"{plain(certificate)}\n  {spectrum}{file_line(args.out)}")
    return 0


def _certify_along(args: argparse.Namespace, law: Any) -> int:
    """Decide the stability of the motion that a law leads along, with its clock."""
    from geoctrl.systems.typesetting.printed_spectra import spectrum_text

    found = proved_motion(law, args)
    if args.out:
        found.to_json(args.out)
    data = {
        "model": args.model,
        "verdict": found.verdict.value,
        "claim": found.claim,
        "multipliers": [[complex(v).real, complex(v).imag] for v in law.multipliers],
        "neutral": list(law.neutral),
        "file": args.out,
    }
    told = f"  multipliers in floats: {spectrum_text(law.multipliers)}"
    show(args, data, f"motion {plain(found)}\n{told}{file_line(args.out)}")
    return 0


def _held_loop(args: argparse.Namespace) -> tuple[Any, Any, Any] | None:
    """The mechanism, the point and the controller of a law that was saved with a rate."""
    if not is_law_file(args.model) or args.set or args.at:
        return None
    model, system, point, law = plant_and_law(args)
    if model.saved is None or model.saved.rate is None:
        return None
    return system, point, model.saved.controller_of(law)


def run_linearize(args: argparse.Namespace) -> int:
    """Linearise at a member of a family: eigenvalues, what the zero ones are, matrices on the leaf."""
    import geoctrl
    from geoctrl.systems.typesetting.printed_spectra import spectrum_text

    lin = geoctrl.linearize(*point_of(args))
    data = {
        "model": args.model,
        "system": lin.name,
        "equilibrium": dict(zip(lin.state_labels, lin.equilibrium.x.tolist(), strict=True)),
        "eigenvalues": [[complex(v).real, complex(v).imag] for v in lin.eigenvalues],
        "zero_modes": list(lin.zero_modes),
        "coordinates": list(lin.leaf_labels),
        "A_leaf": lin.A_leaf.tolist(),
        "inputs": list(lin.input_labels),
        "B_leaf": lin.B_leaf.tolist(),
    }
    width, inputs, (A, B) = terminal_width(), lin.input_labels, _without_rounding(lin)
    by_inputs = "  and what one of each input adds to these rates:"
    lines = [
        f"{args.at!r} of {lin.name}" if args.at else lin.name,
        f"  eigenvalues on the leaf: {spectrum_text(lin.eigenvalues)}",
        f"  zero modes: {', '.join(lin.zero_modes) or '-'}",
        "  matrix on the leaf, a row for the rate of each coordinate:",
        matrix_text(lin.leaf_labels, A, width),
        *([by_inputs, matrix_text(lin.leaf_labels, B, width, inputs)] if inputs else []),
        *_mixed_coordinates(lin),
    ]
    show(args, data, "\n".join(lines))
    return 0


def _without_rounding(lin: Any) -> tuple[Any, Any]:
    """The matrices on the leaf, zero where only roundings of the basis of the leaf put something."""
    basis, A, B = abs(lin.basis), abs(lin.A), abs(lin.B)
    tiny = basis * (basis < ROUNDING)
    put = tiny.T @ A @ basis + basis.T @ A @ tiny
    return (
        lin.A_leaf * (abs(lin.A_leaf) > 2 * put),
        lin.B_leaf * (abs(lin.B_leaf) > 2 * tiny.T @ B),
    )


def _mixed_coordinates(lin: Any) -> list[str]:
    """Coordinates of the leaf that are no state: what the states are when they grow by one."""
    told = []
    for label, column in zip(lin.leaf_labels, lin.basis.T, strict=True):
        if not label.startswith("d_"):
            shares = zip(lin.state_labels, column, strict=True)
            moved = [f"d_{k} = {share:.6g}" for k, share in shares if abs(share) > ROUNDING]
            told.append(f"  where {label} grows by one: {', '.join(moved)}")
    return told


def run_verify(args: argparse.Namespace) -> int:
    """Recompute a certificate file; on demand, derive the mechanism that it names anew."""
    import geoctrl

    if Path(args.file).is_dir():
        words = "it is a folder"
        return _refuse(args, words, f"geoctrl verify: {args.file}: {words}", 2)
    try:
        report = geoctrl.verify(args.file)
        anew = compared_anew(args.file) if args.rebuild else []
        theorem = compared_text(args.rocq, args.file) if args.rocq else ""
    except FileNotFoundError as error:
        words = error.strerror or "no such file"
        return _refuse(args, words, f"geoctrl verify: {args.file}: {words}", 2)
    except geoctrl.CertificateError as error:
        return _refuse(args, str(error), f"REFUSED: {error}", 1)
    data: dict[str, Any] = {
        "file": args.file,
        "confirmed": True,
        "verdict": report.verdict.value,
        "claim": report.claim,
        "checks": list(report.checks),
    }
    if args.rebuild:
        data["derived_anew"] = anew
    if args.rocq:
        data["theorem"] = args.rocq
    text = [str(report.verdict), f"  {report.claim}", *(f"  confirmed: {check}" for check in report.checks)]
    text += [*(f"  the same, derived anew: {part}" for part in anew)]
    text += [f"  {theorem}"] if theorem else []
    show(args, data, "\n".join(text))
    return 0


def _refuse(args: argparse.Namespace, reason: str, words: str, status: int) -> int:
    """Say why a certificate is not confirmed, as data too where those are asked for."""
    if args.json:
        print(json.dumps({"file": args.file, "confirmed": False, "error": reason}, indent=1))
    else:
        print(words, file=sys.stderr)
    return status


def _what_runs(args: argparse.Namespace) -> tuple[Any, Any, Any, dict[str, float], Any]:
    """What runs, the system that it begins in, what controls it, its parameters, and the point that is named;
    None where there is none.

    A law that was saved runs at its rate, within its limits; what jumps begins in a mode.
    """
    if along := law_along(args):
        saved, system, law = along
        return system, system, saved.controller_of(law), dict(law.params), law.cycle[0].copy()
    if is_law_file(args.model):
        if args.set or args.at:
            raise UsageError("--at and --set are those that the law was designed with, and stand in its file")
        model, system, point, law = plant_and_law(args)
        assert model.saved is not None
        return system, system, model.saved.controller_of(law), dict(point.params), point.x.copy()
    model = given_model(args)
    system, params, point = start_in_mode(model, args)
    return model.hybrid or system, system, None, params, point


def run_simulate(args: argparse.Namespace) -> int:
    """Integrate the equations of motion, and report drift."""
    import numpy as np

    import geoctrl
    from geoctrl._pages import table

    if not 0 < args.time < math.inf or args.points < 2:
        raise UsageError("--time must be positive and finite, --points at least 2")
    if args.points > _MOST_POINTS:
        raise UsageError(f"--points must be at most {_MOST_POINTS}, got {args.points}")
    if args.out and not args.out.endswith(".npz"):
        raise UsageError(f"--out writes an .npz archive: give a name that ends so, got {args.out!r}")
    whole, system, controller, params, point = _what_runs(args)
    x0 = start_of(system, args, params, point)
    grid = np.linspace(0.0, args.time, args.points)
    jumping = {} if whole is system else {"mode": args.mode}
    trajectory = geoctrl.simulate(
        whole,
        grid,
        x0,
        params=params,
        **jumping,
        engine=args.engine,
        controller=controller,
        progress=not args.json,
    )
    if args.out:
        trajectory.save(args.out)
    if args.plot:
        axes = np.ravel(geoctrl.viz.states(trajectory))
        axes[0].get_figure().savefig(args.plot, dpi=150)
    final = dict(zip(trajectory.state_labels, trajectory.states[:, -1].tolist(), strict=True))
    drift = {k: float(v) for k, v in trajectory.drift.items()}
    data = {
        "model": args.model,
        "engine": trajectory.engine,
        "status": trajectory.status,
        "time": float(trajectory.time[-1]),
        "initial": dict(zip(trajectory.state_labels, trajectory.states[:, 0].tolist(), strict=True)),
        "final": final,
        "drift": drift,
        "file": args.out,
    }
    if jumping:
        data["jumps"] = [
            {"name": jump.name, "time": jump.time, "mode": jump.mode} for jump in trajectory.jumps
        ]
    rows = [("state", "initial", f"t = {trajectory.time[-1]:g} s", "least", "largest")]
    for label, row in zip(trajectory.state_labels, trajectory.states, strict=True):
        known = row[~np.isnan(row)]  # a mode may not have the state
        rows.append((label, *(f"{v: .6f}" for v in (row[0], row[-1], known.min(), known.max()))))
    text = [f"{args.model}: {trajectory.status} ({trajectory.engine})", table(rows)]
    if jumping:
        text.append(_jumps_text(trajectory.jumps))
    text.append("drift: " + (", ".join(f"{k} {v:.1e}" for k, v in drift.items()) or "-"))
    show(args, data, "\n".join(text))
    return 0


def _jumps_text(jumps: Sequence[Any]) -> str:
    """The first jumps of a run."""
    told = ", ".join(f"{jump.name} at {jump.time:.6g} s" for jump in jumps[:_FIRST_JUMPS])
    more = f" and {len(jumps) - _FIRST_JUMPS} more" if len(jumps) > _FIRST_JUMPS else ""
    return f"jumps: {told or 'none'}{more}"


def run_warm(args: argparse.Namespace) -> int:
    """Compile all stepping loops, or read them from disk, and say how long each solver's took."""
    from geoctrl.stepping.warm import SOLVERS, warm

    seconds = {}
    for name in SOLVERS:
        seconds[name] = warm(name)
        if not args.json:
            print(f"{name:<16}{seconds[name]:6.1f} s", flush=True)
    if args.json:
        print(json.dumps(seconds, indent=1))
    return 0
