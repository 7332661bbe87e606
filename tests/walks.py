"""The walk of a question: which functions of the package it enters, as one call shows.

    python -m tests.walks simulate

lists them in order. A *stop* is a function that is handed the question: the system or the point that were
given, or an object that stands for them, as an argument; what an object is asked about itself is none. Of
rooms that are not those of the walk only the function counts that is entered from them. A *return* is a
stop in a module that was entered before, and left. It is the second call that counts: a system keeps what
is made once.
"""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

import geoctrl as gc

PACKAGE = Path(gc.__file__).parent
EQUATIONS = {"nodes", "matrix", "field"}
"""Keys of a problem as data."""


def sliding_skate():
    system = gc.models.get("pendulum-skate")().reduce()
    point = system.equilibrium("sliding", Y0=1.0)
    return lambda: gc.certify(system, point)


def skates_that_slide():
    system = gc.models.get("pendulum-skate")().reduce()
    return lambda: gc.stability_conditions(system, "sliding")


def driven_skate():
    system = gc.models.get("pendulum-skate-rotor")().reduce()
    start, label = system.equilibrium("sliding", Y0=1.0).x, system.input_labels[0]
    inputs = {label: 0.1 * system.states[0]}
    return lambda: gc.simulate(system, np.linspace(0, 1, 11), start, inputs=inputs)


def damped_pendulum(by):
    phi = gc.Coordinate("phi", angle=True)
    system = gc.EulerPoincare(
        algebra=None,
        shape=[phi],
        inertia=[[2]],
        potential=-3 * sp.cos(phi.symbol),
        friction=[gc.Friction([1], viscous=0.5)],
    ).reduce()
    point = system.state()
    return lambda: gc.region_of_attraction(system, point, by=by)


def matching(name, **asked):
    mechanism = gc.models.get(name)()
    return lambda: gc.match(mechanism, **asked)


class Walk(NamedTuple):
    """A question: how it is asked, in which rooms it is answered, and classes that stand for it."""

    make: Callable[[], Callable[[], Any]]
    rooms: tuple[str, ...]
    kinds: str


PROOFS = (
    ("analysis/certificates", "analysis/proofs"),
    "ReducedSystem Equilibrium Problem Stored Question",
)
CONDITIONS = ("analysis/conditions",), "ReducedSystem Settings FamilyPoint FamilyFunctions Question"
MATCHINGS = ("synthesis",), "EulerPoincare RotorCoupling Plant"
RUNS = (
    ("simulation", "stepping/drive"),
    "ReducedSystem Equilibrium Held Sampled DriveExpressions Flow RecordedFlow Heyoka DormandPrince",
)
SETS = (
    ("analysis/regions", "analysis/quadratics"),
    "ReducedSystem Equilibrium Problem Stored SetQuestion SublevelQuestions Sublevel Question Energy Field "
    "Setting SettingUnits Region SlopesSet Attraction",
)
WALKS = {
    "certify": Walk(sliding_skate, *PROOFS),
    "stability_conditions": Walk(skates_that_slide, *CONDITIONS),
    "simulate": Walk(driven_skate, *RUNS),
    "match of rotors": Walk(lambda: matching("pendulum-skate-rotor"), *MATCHINGS),
    "match with shaping": Walk(lambda: matching("cart-pendulum", shaping="both"), *MATCHINGS),
    "region_of_attraction": Walk(lambda: damped_pendulum(None), *SETS),
} | {
    f"region_of_attraction by {by}": Walk(lambda by=by: damped_pendulum(by), *SETS)
    for by in ("energy", "slopes", "squares")
}


@cache
def module_of_file(name):
    """A module by its path within the package; None outside."""
    path = Path(name)
    return path.relative_to(PACKAGE).with_suffix("").as_posix() if PACKAGE in path.parents else None


def stops(walk):
    """(module, function) of the stops of a walk, in order."""
    call, kinds = walk.make(), set(walk.kinds.split())
    call()
    seen, found = set(), []

    def stands_for_it(value):
        if isinstance(value, dict):
            return value.keys() >= EQUATIONS
        if isinstance(value, list | tuple) and type(value).__name__ not in kinds:
            return any(type(part).__name__ in kinds for part in value)
        return type(value).__name__ in kinds

    def module_of(frame):
        return module_of_file(frame.f_code.co_filename)

    def in_rooms(module):
        return module.rpartition("/")[0].startswith(walk.rooms)

    def is_entered(frame, module):
        if in_rooms(module):
            return True
        caller = frame.f_back
        while caller is not None and module_of(caller) is None:
            caller = caller.f_back
        return caller is not None and in_rooms(module_of(caller))

    def watch(frame, event, _argument):
        code = frame.f_code
        if event != "call" or code in seen or (module := module_of(frame)) is None:
            return
        if code.co_name == "__get__":  # an attribute is asked for, as of a property, which is handed nothing
            return
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        handed = [frame.f_locals.get(k) for k in names[names[:1] in (("self",), ("cls",)) :]]
        if any(map(stands_for_it, handed)) and is_entered(frame, module):
            seen.add(code)
            found.append((module, code.co_qualname))

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def returns(found):
    """Those of the stops that lead back to a module."""
    modules = [module for module, _ in found]
    return [
        stop
        for k, stop in enumerate(found)
        if k and stop[0] != modules[k - 1] and stop[0] in modules[: k - 1]
    ]


if __name__ == "__main__":
    for name, walk in WALKS.items():
        if name.startswith(" ".join(sys.argv[1:])):
            found = stops(walk)
            back = returns(found)
            print(f"{name}: {len(found)} stops, {len(back)} returns")
            for stop in found:
                print("<-" if stop in back else "  ", *stop)
