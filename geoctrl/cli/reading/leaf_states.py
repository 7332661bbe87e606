"""States of a command put on the leaf."""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import Any

from geoctrl.cli.reading.arguments import family_symbols, numbers, split
from geoctrl.cli.reading.given_model import GivenModel
from geoctrl.cli.reading.usage import UsageError

__all__ = ["onto_the_leaf", "start_in_mode", "start_of"]

_MOVED = 1e-12
"""Change of a component, relative to it, of which a command tells."""


def onto_the_leaf(system: Any, x: Any, params: dict) -> Any:
    """The nearest state on the leaf."""
    from geoctrl.errors import ProjectionWarning

    if not system.recorded:
        from geoctrl.spheres import project

        return system.pack(*project(*system.unpack(x)))
    if system.mechanism.rates:
        return _field_state(system, x, params)
    gamma, advected, start = system.configuration(x), {}, 0
    for vector in system.mechanism.advected:
        advected[vector.name] = gamma[start : start + vector.dimension]
        start += vector.dimension
    advected |= {c.name: gamma[start + i] for i, c in enumerate(system.mechanism.variables)}
    rotors = system.mechanism.rotors
    k = len(system.assembly.velocity)
    rates = x[k - rotors.count : k] if rotors else None
    with warnings.catch_warnings():  # said below, in states
        warnings.simplefilter("ignore", ProjectionWarning)
        moved = system.project(system.velocity(x, params), advected, rates, params=params, nearest=True)
    own = len(system.mechanism.controller)
    moved[len(moved) - own :] = x[len(x) - own :]
    return moved


def _field_state(system: Any, x: Any, params: dict) -> Any:
    """The nearest state of a first-order field on its leaf."""
    from geoctrl.errors import ProjectionWarning
    from geoctrl.systems.states.projection import onto_leaf

    values, moved = system.parameters_at(params), x.copy()
    with warnings.catch_warnings():  # said below, in states
        warnings.simplefilter("ignore", ProjectionWarning)
        gamma = onto_leaf(system, system.configuration_at(x, values), values, nearest=True)
    moved[: len(system.kept)] = gamma[system.kept_index]
    return moved


def start_in_mode(model: GivenModel, args: argparse.Namespace) -> tuple[Any, dict[str, float], Any]:
    """The system that a motion begins in, parameters, and the state of the family named; None without one."""
    if args.mode is not None and model.hybrid is None:
        raise UsageError(f"--mode names a mode of what jumps, and {model.name} does not")
    system = model.system if model.hybrid is None else model.modes[model.hybrid.mode_name(args.mode)]
    symbols = family_symbols(args.model, system.families, args.at)
    params, values, _ = split(numbers(args.set, "--set"), list(system.params), symbols)
    point = None if args.at is None else system.equilibrium(args.at, params=params, **values).x.copy()
    return system, params, point


def start_of(system: Any, args: argparse.Namespace, params: dict, point: Any) -> Any:
    """The point, or rest at the references, with the states of --x0 put in, moved onto the leaf."""
    import numpy as np

    from geoctrl._checks import nearest

    x = _at_the_references(system, args) if point is None else point
    for label, value in numbers(args.x0, "--x0").items():
        if label not in system.state_labels:
            raise UsageError(f"--x0 names no state: {label!r}{nearest(label, system.state_labels)}")
        x[system.state_labels.index(label)] = value
    moved = onto_the_leaf(system, x, params)
    if not np.allclose(moved, x, rtol=_MOVED, atol=0.0):
        shown = ", ".join(f"{label}={v:.9g}" for label, v in zip(system.state_labels, moved, strict=True))
        print(f"geoctrl {args.command}: initial state moved onto the leaf: {shown}", file=sys.stderr)
    return moved


def _at_the_references(system: Any, args: argparse.Namespace) -> Any:
    """Rest with the advected vectors at their references; directions on spheres have none."""
    import numpy as np

    x = np.zeros(system.nstates)
    if not system.recorded:
        first = [label for label in system.state_labels if label not in numbers(args.x0, "--x0")]
        if any(label.startswith("q") for label in first):
            families = ", ".join(system.families) or "none is declared"
            raise UsageError(f"give --at FAMILY ({families}), or all directions by --x0 q1_1=VALUE ...")
        return x
    reference = [float(q) for q in system.mechanism.reference]
    kept = [reference[i] for i in system.kept_index]
    if kept:
        behind = len(system.assembly.velocity)
        x[behind : behind + len(kept)] = kept
    return x
