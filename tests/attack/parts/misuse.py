"""Misuse of the public names: a GeoctrlError, or a TypeError raised on purpose, must refuse each in words."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.outcome import Outcome, raw, refusal
from tests.attack.parts.commanding import command
from tests.misuse import CALLS, NUMBERS, boxed, region

Case = Callable[[], Any]
TIMES = np.linspace(0.0, 1.0, 5)
NAN, INF = float("nan"), float("inf")
q, omega = gc.spheres.symbols(2)
R, Omega = gc.rotations.symbols(1)
x = sp.Symbol("x", real=True)

BAD_NUMBERS: dict[str, Any] = {
    "nan": NAN, "inf": INF, "complex": 1 + 2j, "text": "1.0", "None": None, "a list": [1.0],
    "an object": object(), "sympy nan": sp.nan, "sympy oo": sp.oo, "a symbol": x, "a sympy complex": sp.I,
    "an array": np.ones(2), "numpy nan": np.float32("nan"), "numpy complex": np.complex64(1 + 1j),
}  # fmt: skip
BAD_STATES: dict[str, Any] = {
    "short": [0.0, 0.0], "long": np.zeros(40), "empty": [], "nan": [NAN] * 6, "inf": [INF] * 6,
    "complex": [1j] * 6,
    "text": "hanging", "words": ["a"] * 6, "None": None, "a number": 0.0, "two dimensions": np.zeros((6, 2)),
    "a dict": {"Omega1": 0.0}, "ragged": [[0.0], [0.0, 1.0]], "an object": object(),
    "off the leaf": [0, 0, 0, 0, 0, 5],
}  # fmt: skip
BAD_TIMES: dict[str, Any] = {
    "empty": [], "one": [0.0], "falling": [1.0, 0.0], "repeated": [0.0, 0.0, 1.0], "nan": [0.0, NAN],
    "inf": [0.0, INF], "complex": [0.0, 1j], "text": "0:1", "None": None, "a number before the start": -3.0,
    "two dimensions": [[0.0, 1.0]],
}  # fmt: skip


@cache
def top() -> Any:
    return gc.models.get("heavy-top")().reduce()


@cache
def skate() -> Any:
    return gc.models.get("pendulum-skate")().reduce()


@cache
def chain() -> Any:
    return gc.spheres.SphereSystem(mass=[1.0, 2.0], potential=q[0][2] + q[1][2])


@cache
def body() -> Any:
    return gc.rotations.RotationSystem(inertias=np.diag([1.0, 2.0, 3.0]))


@cache
def hanging() -> Any:
    return top().equilibrium("hanging", Omega0=1.0)


def describe(**changes: Any) -> Any:
    """A body in a field with something wrong."""
    given: dict[str, Any] = {
        "algebra": gc.so3(),
        "inertia": sp.diag(1, 2, 3),
        "advected": [gc.AdvectedVector("Gamma")],
    }
    return gc.EulerPoincare(**(given | changes)).reduce()


def spheres(**changes: Any) -> Any:
    return gc.spheres.SphereSystem(**({"mass": [1.0, 2.0], "potential": q[0][2]} | changes))


def rotations(**changes: Any) -> Any:
    return gc.rotations.RotationSystem(**({"inertias": np.diag([1.0, 2.0, 3.0])} | changes))


def racer() -> Any:
    return gc.models.get("roller-racer")()


def moving(**changes: Any) -> Any:
    x = gc.manifolds.Place("x")
    return gc.manifolds.ProductSystem([x], kinetic=x.rate.dot(x.rate), **changes)


def cases() -> dict[str, Case]:
    found: dict[str, Case] = {}
    for name, value in BAD_NUMBERS.items():
        params = {"m": value}
        found[f"certify, params m = {name}"] = lambda p=params: gc.certify(top(), hanging(), p)
        found[f"family symbol = {name}"] = lambda v=value: top().equilibrium("hanging", Omega0=v)
        found[f"simulate, params m = {name}"] = lambda p=params: gc.simulate(
            top(), TIMES, hanging(), p, engine="scipy"
        )
        found[f"Parameter default = {name}"] = lambda v=value: describe(
            parameters=[gc.Parameter("m", v, positive=True)]
        )
        found[f"certify, over p1 = {name}"] = lambda v=value: boxed(p1=v)
        found[f"certify, over p1 from {name}"] = lambda v=value: boxed(p1=(v, 2.0))
        for keyword in ("degree", "lyapunov") if value is not None else ():
            found[f"region, {keyword} = {name}"] = lambda k=keyword, v=value: region(**{k: v})
    del found["Parameter default = None"]  # says that there is no default
    for name, value in BAD_STATES.items():
        if name != "a dict":
            found[f"simulate, x0 {name}"] = lambda v=value: gc.simulate(top(), TIMES, v, engine="scipy")
        found[f"certify, x {name}"] = lambda v=value: gc.certify(top(), v)
        found[f"rhs, x {name}"] = lambda v=value: top().rhs(0.0, v)
        found[f"spheres, start {name}"] = lambda v=value: gc.spheres.integrate(chain(), v, v, 0.01, 2)
    for name in ("rhs, x two dimensions", "rhs, x off the leaf", "rhs, x nan", "rhs, x inf"):
        del found[
            name
        ]  # batches and states off the leaf have rates; what is not finite goes through as in numpy
    for name, value in BAD_TIMES.items():
        found[f"simulate, times {name}"] = lambda v=value: gc.simulate(top(), v, hanging(), engine="scipy")
    found |= descriptions() | calls() | commands()
    return found | {f"listed: {what}": partial(call, Path()) for what, call, _ in CALLS + NUMBERS}


def descriptions() -> dict[str, Case]:
    Ga = gc.AdvectedVector("Gamma")
    g = Ga.symbols
    return {
        "algebra without brackets": lambda: describe(algebra=gc.so3),
        "algebra None": lambda: describe(algebra=None),
        "algebra by name": lambda: describe(algebra="so3"),
        "inertia of another size": lambda: describe(inertia=sp.eye(2)),
        "inertia not symmetric": lambda: describe(inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
        "inertia negative": lambda: describe(inertia=-sp.eye(3)),
        "inertia indefinite": lambda: describe(inertia=sp.diag(1, -1, 1)),
        "inertia nan": lambda: describe(inertia=sp.diag(sp.nan, 1, 1)),
        "inertia complex": lambda: describe(inertia=sp.diag(sp.I, 1, 1)),
        "inertia of text": lambda: describe(inertia="diag(1, 2, 3)"),
        "inertia None": lambda: describe(inertia=None),
        "potential of a foreign symbol": lambda: describe(potential=x),
        "potential of code": lambda: describe(potential="__import__('os').getcwd()"),
        "potential an object": lambda: describe(potential=object()),
        "potential infinite": lambda: describe(potential=sp.oo),
        "advected not in a list": lambda: describe(advected=gc.AdvectedVector("Gamma")),
        "advected twice": lambda: describe(advected=[Ga, Ga]),
        "advected parallel": lambda: describe(advected=[Ga, gc.AdvectedVector("Delta", reference=(0, 0, 2))]),
        "advected by name": lambda: describe(advected=["Gamma"]),
        "reference zero": lambda: gc.AdvectedVector("Gamma", reference=(0, 0, 0)),
        "reference short": lambda: gc.AdvectedVector("Gamma", reference=(1,)),
        "reference nan": lambda: gc.AdvectedVector("Gamma", reference=(0, 0, NAN)),
        "reference text": lambda: gc.AdvectedVector("Gamma", reference="up!"),
        "reference complex": lambda: gc.AdvectedVector("Gamma", reference=(0, 0, 1j)),
        "name of a vector": lambda: gc.AdvectedVector("not a name"),
        "factor 0": lambda: gc.AdvectedVector("Gamma", of=0),
        "factor that is not there": lambda: describe(advected=[gc.AdvectedVector("Gamma", of=7)]),
        "factor 1.5": lambda: gc.AdvectedVector("Gamma", of=1.5),
        "vector without rotations": lambda: describe(algebra=gc.rn(3)),
        "constraint short": lambda: describe(constraints=[[1, 0]]),
        "constraint zero": lambda: describe(constraints=[[0, 0, 0]]),
        "constraints dependent": lambda: describe(constraints=[[1, 0, 0], [2, 0, 0]]),
        "constraints as many as velocities": lambda: describe(constraints=[*sp.eye(3).tolist(), [1, 1, 1]]),
        "constraint of velocities": lambda: describe(constraints=[[gc.so3().xi[0], 1, 0]]),
        "frame that breaks the constraint": lambda: describe(
            constraints=[[1, 0, 0]], frame=[[1, 0], [0, 1], [0, 0]]
        ),
        "frame singular": lambda: describe(constraints=[[1, 0, 0]], frame=[[0, 0], [1, 1], [0, 0]]),
        "frame of another size": lambda: describe(frame=sp.eye(2)),
        "leaf that is not kept": lambda: describe(leaf=[g[0]]),
        "leaf a square": lambda: describe(leaf=[(g.dot(g) - 1) ** 2]),
        "leaf a number": lambda: describe(leaf=[1]),
        "forces short": lambda: describe(forces=[0, 0]),
        "forces of a foreign symbol": lambda: describe(forces=[x, 0, 0]),
        "gyroscopic short": lambda: describe(gyroscopic=[1]),
        "parameter twice": lambda: describe(parameters=[gc.Parameter("a", 1.0), gc.Parameter("a", 2.0)]),
        "parameter named as a state": lambda: describe(parameters=[gc.Parameter("Gamma1", 1.0)]),
        "parameter a number": lambda: describe(parameters=[1.0]),
        "parameter negative": lambda: gc.Parameter("m", -1.0, positive=True),
        "parameter's name": lambda: gc.Parameter("not a name", 1.0),
        "parameter's name a number": lambda: gc.Parameter(3, 1.0),
        "rotors of another size": lambda: describe(rotors=gc.Rotors(coupling=[1, 0], inertia=1)),
        "rotors not symmetric": lambda: gc.Rotors(coupling=sp.eye(2), inertia=[[1, 2], [0, 1]]),
        "rotor of a foreign symbol": lambda: describe(rotors=gc.Rotors(coupling=[x, 0, 0], inertia=1)),
        "family of no state": lambda: describe(equilibria={"f": gc.Family({"nowhere": 1})}).equilibrium("f"),
        "family of a foreign symbol": lambda: describe(
            equilibria={"f": gc.Family({"Gamma3": x})}
        ).equilibrium("f"),
        "family symbol named as a parameter": lambda: describe(
            parameters=[gc.Parameter("k", 1.0)],
            equilibria={"f": gc.Family({"Omega3": sp.Symbol("k", real=True), "Gamma3": 1}, symbols=["k"])},
        ),
        "axis of no symmetry": lambda: describe(symmetry=gc.Axis((0, 0, 1))),
        "axis zero": lambda: describe(symmetry=gc.Axis((0, 0, 0))),
        "unknown keyword": lambda: describe(potentail=0),
        "product of nothing": lambda: gc.product(),
        "product of text": lambda: gc.product("so3", "so3"),
        "rn(0)": lambda: gc.rn(0),
        "rn(2.5)": lambda: gc.rn(2.5),
        "structure constants without Jacobi": lambda: gc.LieAlgebra(np.ones((2, 2, 2)), ["a", "b"]),
        "spheres: mass negative": lambda: spheres(mass=[1.0, -1.0]),
        "spheres: mass not symmetric": lambda: spheres(mass=[[1.0, 0.5], [0.0, 1.0]]),
        "spheres: mass nan": lambda: spheres(mass=[1.0, NAN]),
        "spheres: mass empty": lambda: spheres(mass=[]),
        "spheres: mass text": lambda: spheres(mass="12"),
        "spheres: mass complex": lambda: spheres(mass=[1.0, 1j]),
        "spheres: foreign symbol": lambda: spheres(potential=x),
        "spheres: callable without gradient": lambda: spheres(potential=lambda q, p: 0.0),
        "spheres: forces short": lambda: spheres(forces=[sp.Matrix([0, 0, 0])]),
        "rotations: inertia negative": lambda: rotations(inertias=-np.eye(3)),
        "rotations: inertia of another size": lambda: rotations(inertias=np.eye(2)),
        "rotations: inertia None": lambda: rotations(inertias=None),
        "rotations: linear short": lambda: rotations(linear=[[1.0, 0.0]]),
        "rotations: frame rate short": lambda: rotations(frame_rate=[1.0]),
        "configuration: one rate in space": lambda: gc.models.get("heavy-top")().configuration(frame_rate=1),
        "configuration: vector turned": lambda: gc.models.get("heavy-top")().configuration(
            frame_rate=[1, 0, 0]
        ),
        "configuration: rate nan": lambda: gc.models.get("heavy-top")().configuration(frame_rate=[0, 0, NAN]),
        "configuration: so3 has no places": lambda: gc.models.get("heavy-top")().configuration(
            frame_velocity=[1, 0, 0]
        ),
        "configuration: twice": lambda: gc.models.get("heavy-top")().configuration().configuration(),
        "configuration: frame rate text": lambda: racer().configuration(frame_rate="1"),
        "configuration: frame velocity short": lambda: racer().configuration(frame_velocity=[1.0]),
        "configuration: frame velocity nan": lambda: racer().configuration(frame_velocity=[NAN, 0]),
        "configuration: no such factor": lambda: racer().configuration(of=0),
        "products: frame velocity short": lambda: moving(frame_velocity=[1.0]),
        "products: frame velocity nan": lambda: moving(frame_velocity=[NAN, 0, 0]),
        "products: frame velocity across its rate": lambda: moving(
            frame_rate=[0, 0, 1], frame_velocity=[1, 0, 0]
        ),
        "rotations: potential text": lambda: rotations(potential="R1_11 +"),
    }


def calls() -> dict[str, Case]:
    mechanism = gc.models.get("heavy-top")
    return {
        "certify a description": lambda: gc.certify(mechanism(), hanging()),
        "certify a builder": lambda: gc.certify(mechanism, hanging()),
        "certify None": lambda: gc.certify(None, None),
        "certify a family by name": lambda: gc.certify(top(), "hanging"),
        "certify another system's equilibrium": lambda: gc.certify(skate(), hanging()),
        "certify no equilibrium": lambda: gc.certify(top(), [1, 2, 3, 0, 0, 1]),
        "certify, params a list": lambda: gc.certify(top(), hanging(), [1, 2]),
        "certify, params unknown": lambda: gc.certify(top(), hanging(), {"mass": 1.0}),
        "certify, params by number": lambda: gc.certify(top(), hanging(), {1: 1.0}),
        "certify, mass zero": lambda: gc.certify(top(), hanging(), {"I1": 0.0}),
        "certify, mass negative": lambda: gc.certify(top(), hanging(), {"I1": -1.0}),
        "certify, huge integer": lambda: gc.certify(top(), hanging(), {"m": 10**400}),
        "truth of a certificate": lambda: bool(gc.certify(top(), hanging())),
        "verify a certificate": lambda: gc.verify(gc.certify(top(), hanging())),
        "verify None": lambda: gc.verify(None),
        "verify a number": lambda: gc.verify(3),
        "verify a dict": lambda: gc.verify({}),
        "linearize a description": lambda: gc.linearize(mechanism(), hanging()),
        "linearize text": lambda: gc.linearize(top(), "hanging"),
        "find_equilibrium of a description": lambda: gc.find_equilibrium(mechanism(), [0] * 6),
        "find_equilibrium, fixed a list": lambda: gc.find_equilibrium(top(), fixed=["Gamma3"]),
        "find_equilibrium, fixed unknown": lambda: gc.find_equilibrium(top(), fixed={"gamma": 1.0}),
        "find_equilibrium, fixed nan": lambda: gc.find_equilibrium(top(), fixed={"Gamma3": NAN}),
        "find_equilibrium, fixed beyond reach": lambda: gc.find_equilibrium(top(), fixed={"Gamma3": 7.0}),
        "find_equilibrium, guess text": lambda: gc.find_equilibrium(top(), "up there"),
        "find_equilibrium, spheres without a guess": lambda: gc.find_equilibrium(chain()),
        "find_equilibrium, spin short": lambda: gc.find_equilibrium(
            chain(), (np.eye(3)[:2], np.zeros((2, 3))), spin=(1,)
        ),
        "equilibrium unknown": lambda: top().equilibrium("flying"),
        "equilibrium without its symbol": lambda: top().equilibrium("hanging"),
        "equilibrium of a number": lambda: top().equilibrium(3, Omega0=1.0),
        "equilibrium, symbol unknown": lambda: top().equilibrium("hanging", Omega=1.0),
        "conditions of a description": lambda: gc.stability_conditions(mechanism(), "hanging"),
        "conditions of no family": lambda: gc.stability_conditions(top(), "flying"),
        "conditions of None": lambda: gc.stability_conditions(top(), None),
        "invariant of a description": lambda: gc.check_invariant(mechanism(), x),
        "invariant of a foreign symbol": lambda: gc.check_invariant(top(), x),
        "invariant None": lambda: gc.check_invariant(top(), None),
        "invariant an object": lambda: gc.check_invariant(top(), object()),
        "match a system": lambda: gc.match(top()),
        "match without rotors": lambda: gc.match(mechanism()),
        "match None": lambda: gc.match(None),
        "models.get None": lambda: gc.models.get(None),
        "models.get 3": lambda: gc.models.get(3),
        "models.get unknown": lambda: gc.models.get("heavy top"),
        "models, set unknown": lambda: gc.models.get("pendulum-skate")(set="no such"),
        "models, set an object": lambda: gc.models.get("pendulum-skate")(set=object()),
        "models, unknown keyword": lambda: gc.models.get("heavy-top")(foo=1),
        "simulate a description": lambda: gc.simulate(mechanism(), TIMES, hanging()),
        "simulate None": lambda: gc.simulate(None, TIMES, hanging()),
        "simulate, engine unknown": lambda: gc.simulate(top(), TIMES, hanging(), engine="euler"),
        "simulate, engine None": lambda: gc.simulate(top(), TIMES, hanging(), engine=None),
        "simulate, rtol negative": lambda: gc.simulate(top(), TIMES, hanging(), engine="scipy", rtol=-1.0),
        "simulate, rtol text": lambda: gc.simulate(top(), TIMES, hanging(), engine="scipy", rtol="small"),
        "simulate, events a number": lambda: gc.simulate(top(), TIMES, hanging(), engine="scipy", events=3),
        "simulate, event text": lambda: gc.simulate(
            top(), TIMES, hanging(), engine="scipy", events={"e": "Gamma9"}
        ),
        "simulate, inputs unknown": lambda: gc.simulate(
            top(), TIMES, hanging(), engine="scipy", inputs={"u": 1.0}
        ),
        "simulate, inputs a matrix": lambda: gc.simulate(
            top(), TIMES, hanging(), engine="scipy", inputs=np.zeros((2, 2))
        ),
        "project, a vector missing": lambda: top().project([0, 0, 1], {}),
        "project, off the leaf": lambda: top().project([0, 0, 1], {"Gamma": (0, 0, 2)}),
        "project, velocity short": lambda: top().project([0], {"Gamma": (0, 0, 1)}),
        "project, vector unknown": lambda: top().project([0, 0, 1], {"Delta": (0, 0, 1)}),
        "project, breaks the constraint": lambda: skate().project([1] * 6, {"Gamma": (0, 0, 1)}),
        "state by a wrong name": lambda: gc.simulate(top(), TIMES, hanging(), engine="scipy")["gamma"],
        "Event of a number": lambda: gc.Event("fall"),
        "Event direction 7": lambda: gc.Event(x, direction=7),
        "law, sigma text": lambda: gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma="big"),
        "law, sigma nan": lambda: gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=NAN),
        "integrate, steps 0": lambda: gc.spheres.integrate(chain(), np.eye(3)[:2], np.zeros((2, 3)), 0.1, 0),
        "integrate, steps 1.5": lambda: gc.spheres.integrate(
            chain(), np.eye(3)[:2], np.zeros((2, 3)), 0.1, 1.5
        ),
        "integrate, h zero": lambda: gc.spheres.integrate(chain(), np.eye(3)[:2], np.zeros((2, 3)), 0.0, 1),
        "integrate, h nan": lambda: gc.spheres.integrate(chain(), np.eye(3)[:2], np.zeros((2, 3)), NAN, 1),
        "integrate, method unknown": lambda: gc.spheres.integrate(
            chain(), np.eye(3)[:2], np.zeros((2, 3)), 0.1, 1, method="magic"
        ),
        "rotations: R no rotation": lambda: gc.rotations.integrate(
            body(), 2 * np.eye(3), np.zeros(3), 0.1, 1
        ),
        "rotations: R a reflection": lambda: gc.rotations.integrate(
            body(), -np.eye(3)[None], np.zeros((1, 3)), 0.1, 1
        ),
        "load a trajectory from None": lambda: gc.load_trajectory(None),
        "name that is not there": lambda: (
            gc.certfy(top(), hanging()) if hasattr(gc, "certfy") else gc.certify(top())
        ),
    }


def commands() -> dict[str, Case]:
    lines = {
        "no command": "", "unknown command": "fly", "certify nothing": "certify",
        "unknown model": "certify heavytop --at hanging",
        "unknown family": "certify heavy-top --at flying", "missing symbol": "certify heavy-top --at hanging",
        "unknown symbol": "certify heavy-top --at hanging --set W=1",
        "nan": "certify heavy-top --at hanging --set Omega0=nan",
        "inf": "certify heavy-top --at hanging --set Omega0=inf",
        "huge": "certify heavy-top --at hanging --set Omega0=1e300",
        "text": "certify heavy-top --at hanging --set Omega0=fast",
        "no value": "certify heavy-top --at hanging --set Omega0=",
        "no name": "certify heavy-top --at hanging --set =1",
        "twice": "certify heavy-top --at hanging --set Omega0=1 Omega0=2",
        "complex": "certify heavy-top --at hanging --set Omega0=1j",
        "code": "certify heavy-top --at hanging --set Omega0=__import__('os')",
        "verify no file": "verify no-such-file.json", "verify a folder": "verify .",
        "out in no folder": "certify heavy-top --at hanging --set Omega0=1 --out /no/such/folder/c.json",
        "a million million points": "simulate heavy-top --at hanging --set Omega0=1 --points 1000000000000",
        "no points": "simulate heavy-top --at hanging --set Omega0=1 --points 0",
        "time backwards": "simulate heavy-top --at hanging --set Omega0=1 --time -1",
        "json for a run": "simulate heavy-top --at hanging --set Omega0=1 --out run.json",
        "law without rotors": "law heavy-top",
        "law, sigma positive": "law pendulum-skate-rotor --set sigma=1e-5",
        "unknown option": "models --frobnicate",
    }  # fmt: skip
    return {f"command line: {name}": lambda line=line: command(*line.split()) for name, line in lines.items()}


CASES: dict[str, Case] = {}


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    CASES.update(cases())
    return len(CASES)


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del seed, options
    name, call = list(CASES.items())[index]
    kind = "command line" if name.startswith("command line") else "calls"
    home = Path.cwd()
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        try:
            call()
            outcome = Outcome(kind, "accepted", "no complaint")
        except (MemoryError, RecursionError) as error:
            outcome = raw(kind, error)
        except Exception as error:
            outcome = refusal(kind, error, (OSError,))
    assert Path.cwd() == home
    outcome.seconds, outcome.note = time.process_time() - begun, f"{name}: {outcome.note}"
    return outcome
