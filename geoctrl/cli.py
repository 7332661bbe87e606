"""Command line: ``geoctrl models | certify | verify | simulate | law``.

Nothing but the standard library is imported until a command runs. Exit status: 0 done, 1 failed or
refuted, 2 usage.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["main"]


class _UsageError(Exception):
    """Bad arguments found only after the mechanism is known."""


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
    parser = _parser()
    args = parser.parse_args(argv)
    from geoctrl.errors import GeoctrlError, ParameterError

    try:
        return int(args.run(args))
    except (_UsageError, ParameterError) as error:
        print(f"geoctrl {args.command}: {error}", file=sys.stderr)
        return 2
    except (GeoctrlError, ValueError, OSError) as error:
        print(f"geoctrl {args.command}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"geoctrl {args.command}: interrupted", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="geoctrl", description="Stability certificates and feedback laws for mechanisms with symmetry."
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    models = commands.add_parser("models", help="list the catalogue, or describe one mechanism")
    models.add_argument("model", metavar="MODEL", nargs="?", help="this mechanism in full")
    models.set_defaults(run=_models)

    certify = commands.add_parser("certify", help="decide the stability of an equilibrium")
    _mechanism_arguments(certify, family=True)
    certify.add_argument("--out", metavar="FILE", help="write the certificate (JSON)")
    certify.set_defaults(run=_certify)

    verify = commands.add_parser("verify", help="recompute a certificate file; refuse a changed one")
    verify.add_argument("file", help="certificate (JSON)")
    verify.set_defaults(run=_verify)

    simulate = commands.add_parser("simulate", help="integrate the equations of motion")
    _mechanism_arguments(simulate, family=False)
    simulate.add_argument(
        "--x0", nargs="+", default=[], metavar="STATE=VALUE", help="initial states by label"
    )
    simulate.add_argument(
        "--time", type=float, default=10.0, metavar="T", help="final time in s (default 10)"
    )
    simulate.add_argument(
        "--points", type=int, default=201, metavar="N", help="number of samples (default 201)"
    )
    simulate.add_argument("--engine", default="auto", choices=["auto", "heyoka", "scipy"])
    simulate.add_argument("--out", metavar="FILE", help="write the trajectory (.npz)")
    simulate.add_argument("--plot", metavar="FILE", help="draw the states (PNG, PDF, SVG)")
    simulate.set_defaults(run=_simulate)

    law = commands.add_parser("law", help="synthesise a feedback law for a mechanism with rotors")
    _mechanism_arguments(law, family=False)
    law.add_argument("--out", metavar="FILE", help="write the closed loop's certificate at --at (JSON)")
    law.set_defaults(run=_law)

    for command in (models, certify, verify, simulate, law):
        command.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=lambda args: _nothing(args, parser))
    return parser


def _mechanism_arguments(command: argparse.ArgumentParser, family: bool) -> None:
    command.add_argument("model", metavar="MODEL", help="name in the catalogue (geoctrl models)")
    command.add_argument("--at", metavar="FAMILY", required=family, help="declared family of equilibria")
    command.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="parameters, symbols of the family, and the gain of a law",
    )
    command.add_argument("--params", metavar="SET", help="named parameter set of the mechanism")


def _nothing(args: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if args.version:
        from geoctrl import __version__

        print(f"geoctrl {__version__}")
        return 0
    parser.print_help(sys.stderr)
    return 2


# -- arguments ------------------------------------------------------------------------------------


def _numbers(pairs: Sequence[str], option: str) -> dict[str, float]:
    values = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        try:
            values[name.strip()] = float(text)
        except ValueError:
            separator = ""
        if not separator or not name.strip():
            raise _UsageError(f"{option} takes NAME=VALUE with a number, got {pair!r}")
    return values


def _mechanism(args: argparse.Namespace) -> Any:
    import geoctrl

    return geoctrl.models.get(args.model)(set=args.params)


def _split(
    values: dict[str, float], parameters: Sequence[str], symbols: Sequence[str], extra: Sequence[str] = ()
):
    """Parameters, family symbols and further names of --set, each in its own dict."""
    from geoctrl._checks import nearest

    known = [*parameters, *symbols, *extra]
    for name in values:
        if name not in known:
            raise _UsageError(f"--set names no parameter or family symbol: {name!r}{nearest(name, known)}")
    return tuple({k: v for k, v in values.items() if k in names} for names in (parameters, symbols, extra))


def _family_symbols(mechanism: Any, name: str | None) -> tuple[str, ...]:
    from geoctrl._checks import nearest

    if name is None:
        return ()
    if name not in mechanism.equilibria:
        raise _UsageError(f"{mechanism.name} has no family {name!r}{nearest(name, mechanism.equilibria)}")
    return mechanism.equilibria[name].names


def _print(args: argparse.Namespace, data: dict[str, Any], text: str) -> None:
    print(json.dumps(data, indent=1) if args.json else text)


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * w for w in widths), *lines[1:]])


# -- commands -------------------------------------------------------------------------------------


def _models(args: argparse.Namespace) -> int:
    import geoctrl

    if args.model:
        mechanism = geoctrl.models.get(args.model)()
        entry = _entry(args.model) | {"conserved": list(mechanism.reduce().conserved())}
        _print(args, {args.model: entry}, f"{_block(args.model, entry)}\n\n{_parameter_table(mechanism)}")
        return 0
    catalogue = {}
    for name in geoctrl.models.names():
        catalogue[name] = _entry(name)
        if not args.json:
            print(_block(name, catalogue[name]), flush=True)
    if args.json:
        print(json.dumps(catalogue, indent=1))
    return 0


def _entry(name: str) -> dict[str, Any]:
    """What the catalogue says about a mechanism; the system itself is not derived for it."""
    import geoctrl
    from geoctrl.systems.frames import choose_frame
    from geoctrl.systems.leaf import removed_symbols

    builder = geoctrl.models.get(name)
    mechanism = builder()
    removed = removed_symbols(mechanism)
    rates = mechanism.rotors.rate_labels if mechanism.rotors else ()
    kept = (str(s) for s in mechanism.advected_symbols if s not in removed)
    return {
        "description": (builder.__doc__ or "").strip().partition("\n")[0].replace("`", ""),
        "group": mechanism.algebra.name,
        "states": [*choose_frame(mechanism).labels, *rates, *kept],
        "parameters": {
            p.name: {"default": p.default, "unit": p.unit, "description": p.description}
            for p in mechanism.parameters
        },
        "parameter_sets": list(mechanism.parameter_sets),
        "inputs": [str(u) for u in mechanism.input_symbols],
        "families": {k: list(f.names) for k, f in mechanism.equilibria.items()},
        "source": mechanism.source,
    }


def _block(name: str, entry: dict[str, Any]) -> str:
    """A few lines about a mechanism, wrapped to the width of a page."""
    from textwrap import fill

    rows = {
        "": entry["description"],
        "states": " ".join(entry["states"]),
        "parameters": " ".join(entry["parameters"]),
        "sets": " ".join(entry["parameter_sets"]),
        "inputs": " ".join(entry["inputs"]) or "-",
        "families": "  ".join(f"{k}({','.join(v)})" for k, v in entry["families"].items()) or "-",
        "conserved": ", ".join(entry.get("conserved", ())),
        "source": entry["source"],
    }
    lines = [f"{name}  [{entry['group']}]"]
    for key, text in rows.items():
        begin, indent = (f"  {key:<12}", " " * 14) if key else ("  ", "  ")
        if text:
            lines.append(
                fill(text, 100, initial_indent=begin, subsequent_indent=indent, break_on_hyphens=False)
            )
    return "\n".join(lines)


def _parameter_table(mechanism: Any) -> str:
    sets = [mechanism.defaults, *(mechanism.parameter_set(k) for k in mechanism.parameter_sets)]
    rows = [("parameter", "default", *mechanism.parameter_sets, "unit", "meaning")]
    for p in mechanism.parameters:
        values = ("-" if v is None else f"{v:g}" for v in (chosen[p.name] for chosen in sets))
        rows.append((p.name, *values, p.unit, p.description))
    return _table(rows)


def _certify(args: argparse.Namespace) -> int:
    import geoctrl

    mechanism = _mechanism(args)
    symbols = _family_symbols(mechanism, args.at)
    params, values, _ = _split(_numbers(args.set, "--set"), [p.name for p in mechanism.parameters], symbols)
    system, point = _member(mechanism.reduce(), args.at, params, values)
    certificate = geoctrl.certify(system, point)
    if args.out:
        certificate.to_json(args.out)
    eigenvalues = geoctrl.linearize(system, point).eigenvalues
    data = {
        "model": args.model,
        "verdict": certificate.verdict.value,
        "method": certificate.method,
        "claim": certificate.claim,
        "reason": certificate.reason,
        "eigenvalues": [[complex(v).real, complex(v).imag] for v in eigenvalues],
        "evidence": certificate.evidence,
        "file": args.out,
    }
    spectrum = ", ".join(f"{complex(v):.6g}" for v in eigenvalues)
    written = f"\n  written to {args.out}" if args.out else ""
    _print(args, data, f"{_plain(certificate)}\n  eigenvalues on the leaf: {spectrum}{written}")
    return 0


def _member(system: Any, family: str, params: dict, values: dict) -> tuple[Any, Any]:
    """A family's member, in axes that do not follow the spin where only there it is an equilibrium."""
    from geoctrl.errors import EquilibriumError

    try:
        return system, system.equilibrium(family, params=params, **values)
    except EquilibriumError:
        if system.mechanism.symmetry is None:
            raise
    return system.despun(), system.despun().equilibrium(family, params=params, **values)


def _plain(certificate: Any) -> str:
    return repr(certificate).replace("<Certificate ", "", 1).replace(">", "", 1)


def _verify(args: argparse.Namespace) -> int:
    import geoctrl

    try:
        report = geoctrl.verify(args.file)
    except geoctrl.CertificateError as error:
        data = {"file": args.file, "confirmed": False, "error": str(error)}
        if args.json:
            print(json.dumps(data, indent=1))
        else:
            print(f"REFUSED: {error}", file=sys.stderr)
        return 1
    data = {
        "file": args.file,
        "confirmed": True,
        "verdict": report.verdict.value,
        "claim": report.claim,
        "checks": list(report.checks),
    }
    _print(args, data, str(report))
    return 0


def _start(system: Any, args: argparse.Namespace, params: dict, values: dict) -> Any:
    """The family's point, or rest at the references, with the states of --x0 put in, moved onto the leaf."""
    import numpy as np

    from geoctrl._checks import nearest

    if args.at is not None:
        x = system.equilibrium(args.at, params=params, **values).x.copy()
    else:
        reference = [float(q) for a in system.mechanism.advected for q in a.reference]
        x = np.zeros(system.nstates)
        kept = [reference[i] for i in system.kept_index]
        if kept:
            x[-len(kept) :] = kept
    for label, value in _numbers(args.x0, "--x0").items():
        if label not in system.state_labels:
            raise _UsageError(f"--x0 names no state: {label!r}{nearest(label, system.state_labels)}")
        x[system.state_labels.index(label)] = value
    gamma, advected, start = system.advected(x), {}, 0
    for vector in system.mechanism.advected:
        advected[vector.name] = gamma[start : start + vector.dimension]
        start += vector.dimension
    rotors = system.mechanism.rotors
    k = len(system.assembly.velocity)
    rates = x[k - rotors.count : k] if rotors else None
    moved = system.project(system.velocity(x, params), advected, rates, params=params, nearest=True)
    if np.max(np.abs(moved - x)) > 1e-12:
        shown = ", ".join(f"{label}={v:.9g}" for label, v in zip(system.state_labels, moved, strict=True))
        print(f"geoctrl simulate: initial state moved onto the leaf: {shown}", file=sys.stderr)
    return moved


def _simulate(args: argparse.Namespace) -> int:
    import numpy as np

    import geoctrl

    if not args.time > 0 or args.points < 2:
        raise _UsageError("--time must be positive and --points at least 2")
    mechanism = _mechanism(args)
    symbols = _family_symbols(mechanism, args.at)
    params, values, _ = _split(_numbers(args.set, "--set"), [p.name for p in mechanism.parameters], symbols)
    system = mechanism.reduce()
    x0 = _start(system, args, params, values)
    grid = np.linspace(0.0, args.time, args.points)
    trajectory = geoctrl.simulate(system, grid, x0, params=params, engine=args.engine, progress=not args.json)
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
    rows = [("state", "initial", f"t = {trajectory.time[-1]:g} s", "least", "largest")]
    for label, row in zip(trajectory.state_labels, trajectory.states, strict=True):
        rows.append((label, *(f"{v: .6f}" for v in (row[0], row[-1], row.min(), row.max()))))
    text = [f"{args.model}: {trajectory.status} ({trajectory.engine})", _table(rows)]
    text.append("drift: " + ", ".join(f"{k} {v:.1e}" for k, v in drift.items()))
    _print(args, data, "\n".join(text))
    return 0


def _law(args: argparse.Namespace) -> int:
    import geoctrl

    mechanism = _mechanism(args)
    symbols = _family_symbols(mechanism, args.at)
    names = [p.name for p in mechanism.parameters]
    params, values, gains = _split(_numbers(args.set, "--set"), names, symbols, ["sigma"])
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
        design = matching.design_sigma(family)
        data["admissible"][family] = {"condition": str(design.condition), "feasible": design.feasible}
        text.append(
            f"admissible gains for {family!r}: {design.condition if design.feasible else design.reason}"
        )
    law = matching.law(
        gains.get("sigma", matching.sigma[0, 0] if matching.sigma.rows == 1 else matching.sigma)
    )
    data["law"] = {k: str(e) for k, e in zip(mechanism.rotors.input_labels, law.expr, strict=True)}
    data["warnings"] = [str(w) for w in law.warnings]
    text += [f"{k} = {e}" for k, e in data["law"].items()] + [f"warning: {w}" for w in data["warnings"]]
    if args.at and gains:
        loop = law.closed_loop()
        certificate = geoctrl.certify(loop, loop.equilibrium(args.at, params=params, **values))
        data |= {"verdict": certificate.verdict.value, "claim": certificate.claim}
        text.append(_plain(certificate))
        if args.out:
            certificate.to_json(args.out)
    elif args.out:
        raise _UsageError("--out needs --at FAMILY and --set sigma=VALUE")
    _print(args, data, "\n".join(text))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
