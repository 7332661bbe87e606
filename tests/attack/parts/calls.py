"""Every public callable with arguments drawn from what a program may hand over by mistake, or by intent.

A call may work, or refuse in words. It may not raise anything else, and nothing in its arguments may run.
"""

from __future__ import annotations

import contextlib
import inspect
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice
from tests.attack.outcome import Outcome, refusal

RAN = "ran"
"""File that appears if the text below is executed."""
CODE = f"__import__('pathlib').Path('{RAN}').touch()"

MADE_BY_THE_PACKAGE = (
    "BestGait", "BoxCertificate", "Connection", "HybridTrajectory", "HybridOrbit", "Scene", "Trajectory",
    "SphereTrajectory", "RotationTrajectory",
    "Certificate", "Linearization", "Matching",
    "DiscoveredInvariants", "EnergyLaw", "Ensemble", "ManyLinearizations", "MovingBound", "ProvedCatch",
    "EquilibriaOverCells", "FamilyRegion", "PeriodicLaw", "PiecewiseMap", "SweepResult", "Switching",
    "trajectory_type", "trajectory_of", "of_run", "from_arrays",
)  # fmt: skip
"""Results, which users get and do not make."""
INSIDE = (
    "program", "rate_terms", "to_sympy", "to_node", "to_nodes", "convert", "require", "term_nodes",
    "numerics_type", "view_type", "seen_type", "display_type", "quantity_rates", "quantities",
    "generic_state", "sample", "turned", "motion", "check_gradient", "action", "factor_index",
    "derivatives", "invariant_gradients", "run", "acting", "to_recording", "from_recording", "in_recording",
    "by_input",
)  # fmt: skip
"""Methods without an underscore that other parts of the package call, on nodes of the expression graph."""


def _objects(*values: Any) -> np.ndarray:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def hostile() -> list[Any]:
    """What is handed over: text in every container, numbers of every type, shapes that do not fit."""
    x = sp.Symbol("x", real=True)
    return [
        CODE, [CODE], (CODE,), {CODE}, {"a": CODE}, {CODE: 1.0}, {x: CODE}, [[CODE]], _objects(CODE, None, 1),
        np.array([CODE]), CODE.encode(), {"params": {"m": CODE}},
        None, True, 0, -1, 10**400, 1 + 2j, float("nan"), float("inf"), np.int8(3), np.uint8(2),
        np.float16(2), Decimal("NaN"), Decimal("0.1"), Fraction(1, 3), x, sp.zoo, sp.Matrix([1, 2, 3]),
        [], {}, (1, 2), {1: 2}, {"m": float("nan")}, [[1, 2], [3]], [1, 2, 3], [0.1] * 6,
        np.zeros(0), np.zeros((3, 3)), np.full(3, np.nan), "sliding", "", object(),
        lambda *_: None, lambda *_: CODE, lambda *_: (CODE,), lambda *_: {"a": CODE}, lambda *_: np.ones(3),
    ]  # fmt: skip


@cache
def fitting() -> dict[str, Any]:
    """What fits, by the name of the argument."""
    system = gc.models.get("pendulum-skate")().reduce()
    point = system.equilibrium("spinning", Omega0=1.5)
    run = gc.simulate(system, np.linspace(0.0, 1.0, 5), point)
    return {
        "sys": system, "system": system, "mechanism": system.mechanism, "eq": point, "equilibrium": point,
        "x": point.x, "x0": point.x, "traj": run, "trajectory": run, "lin": gc.linearize(system, point),
        "t": np.linspace(0.0, 1.0, 3), "timepts": np.linspace(0.0, 1.0, 3), "algebra": gc.se3(),
    }  # fmt: skip


@cache
def targets() -> dict[str, Callable]:
    """Every public function and class, and every public method of one object of each kind."""
    found: dict[str, Callable] = {}

    def take(prefix: str, owner: Any, kind: Any, names: list[str]) -> None:
        for name in names:
            if name.startswith("_") or name in MADE_BY_THE_PACKAGE or name in INSIDE:
                continue
            value = getattr(kind, name)  # of the class, so that no property is computed
            error = inspect.isclass(value) and issubclass(value, BaseException | Enum)
            if callable(value) and not (error or isinstance(value, ModuleType)):
                found[f"{prefix}.{name}"] = getattr(owner, name)

    for module in (gc, gc.spheres, gc.rotations, gc.viz, gc.models):
        take(module.__name__, module, module, list(getattr(module, "__all__", dir(module))))
    found |= {name: gc.models.get(name) for name in gc.models.names()}
    q, _ = gc.spheres.symbols(2)
    fit = fitting()
    matching = gc.match(gc.models.get("pendulum-skate-rotor")())
    law = matching.law(sigma=-1e-5)
    held = {
        "matching": matching,
        "law": law,
        "damped law": law.with_damping(k=8.0, kappa=1.0),
        "se3": gc.se3(),
        "product": gc.product(gc.so3(), gc.rn(1)),
        "mechanism": fit["mechanism"],
        "vector": fit["mechanism"].advected[0],
        "system": fit["system"],
        "equilibrium": fit["eq"],
        "trajectory": fit["traj"],
        "linearization": fit["lin"],
        "certificate": gc.certify(fit["system"], fit["eq"]),
        "chain": gc.spheres.SphereSystem(mass=[1.0, 2.0], potential=q[0][2] + q[1][2]),
        "body": gc.rotations.RotationSystem(inertias=np.diag([1.0, 2.0, 3.0])),
    }
    for prefix, owner in held.items():
        take(prefix, owner, type(owner), dir(type(owner)))
    return found


def drawn(function: Callable, dice: Dice) -> tuple[list[Any], dict[str, Any]]:
    """Arguments: all that are needed, some that are not; most of them do not fit."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    pool, fit = hostile(), fitting()
    parameters: Mapping[str, inspect.Parameter] = inspect.signature(function).parameters
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        optional = parameter.default is not parameter.empty
        if optional and dice.chance(0.6):
            continue
        value = fit[name] if name in fit and dice.chance(0.7) else pool[int(dice.rng.integers(len(pool)))]
        if optional or named or parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            given.append(value)
    return given, named


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    import matplotlib

    matplotlib.use("Agg")
    return len(targets())


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    import matplotlib.pyplot as plt

    dice = Dice(seed + 104729, index)
    names = sorted(targets())
    name = names[index % len(names)]
    given, named = drawn(targets()[name], dice)
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            targets()[name](*given, **named)
            outcome = Outcome("arguments drawn", "held")
        except Exception as error:
            outcome = refusal("arguments drawn", error, (OSError,))
        if Path(RAN).exists():
            outcome = Outcome("arguments drawn", "contradiction", "text in an argument was executed")
    plt.close("all")
    outcome.seconds = time.process_time() - begun
    if outcome.fault:
        outcome.note = f"{name}({_told(given, named)}): {outcome.note}"
    return outcome


def _told(given: list[Any], named: dict[str, Any]) -> str:
    words = [repr(v) for v in given] + [f"{k}={v!r}" for k, v in named.items()]
    return ", ".join(" ".join(w.split())[:60] for w in words)
