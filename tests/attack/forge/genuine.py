"""Genuine certificates of every theorem: what the search has proved, and the content of its file."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.witnesses.content import content_with_witnesses
from tests.attack.build.building import build, parameters_of
from tests.attack.build.building_fields import judged, proof_of
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing import draw
from tests.attack.draw.drawing_fields import FIELDS, KINDS, draw_field
from tests.attack.forge.by_hand import Equations, decided
from tests.attack.forge.catches_by_hand import turned_and_caught
from tests.attack.forge.curves_by_hand import beside_a_circle, turning_vector

CATALOGUE = {
    "planar-pendulum": {"hanging": {}, "inverted": {}},
    "free-rigid-body": {"about1": {"Omega0": 2}, "about2": {"Omega0": 2}},
    "heavy-top": {"hanging": {"Omega0": 3}, "sleeping": {"Omega0": 3}},
    "pendulum-skate": {"spinning": {"Omega0": 5}, "sliding": {"Y0": 1}},
    "chaplygin-sleigh": {"straight": {"v0": 1}},
    "suslov": {"rotating": {}},
    "double-planar-pendulum": {"hanging": {}, "down-up": {}},
    "body-with-rotor": {"about2": {"Omega0": 2}},
}
"""Families of which certificates are taken; symbols that a family does not have are left out."""
DRAWN = 40
"""Drawn systems whose certificates are taken besides, if they are small."""
OF_KIND, PER_METHOD = 12, 4
"""Drawn fields of each kind, and how many certificates of them are taken for each verdict and method."""
ORBITS = {"concentric-shells": "equal", "pendulum-on-puck": "hanging"}
"""Families of which the orbits are certified."""
SMALL = 9
"""Most components of their states."""


@dataclass(frozen=True)
class Genuine:
    """A certificate.

    Attributes
    ----------
    proof : what the search has proved; its problem has the nodes of the file
    content : that of the file
    truth : what is known of the point beforehand, if anything is
    searched : whether the search can be asked about its equations
    """

    proof: dict[str, Any]
    content: dict[str, Any]
    truth: str = ""
    searched: bool = True

    @classmethod
    def of(cls, proof: dict[str, Any], truth: str = "") -> Genuine:
        """The certificate of a proof."""
        content = json.loads(json.dumps(content_with_witnesses(proof)))
        problem = proof["problem"] | {"nodes": content["problem"]["nodes"]}
        return cls(json.loads(json.dumps(proof | {"problem": problem})), content, truth)


def kept_genuine(seed: int, options: Mapping[str, Any]) -> list[Genuine]:
    """All of them, which several parts take: the first one leaves them in the folder ``kept`` of a run."""
    path = Path(options["kept"]) / f"genuine-{seed}.pickle" if "kept" in options else None
    if path and path.exists():
        return pickle.loads(path.read_bytes())
    found = genuine(seed)
    if path:
        path.write_bytes(pickle.dumps(found))
    return found


def genuine(seed: int) -> list[Genuine]:
    """All of them."""
    made = (*_catalogue(), *_orbits(), *_others(), *_loops(), *_drawn(seed))
    found = [Genuine.of(c.proof) for c in made if c.verdict.proved]
    return [*found, *map(Genuine.of, _loops_by_hand()), *_curves(), *_fields(seed)]


def _catalogue() -> Iterator[gc.Certificate]:
    for model, families in CATALOGUE.items():
        system = gc.models.get(model)().reduce()
        for family, numbers in families.items():
            names = system.families[family].names
            given = {name: numbers.get(name, 1) for name in names}
            yield gc.certify(system, system.equilibrium(family, **given))


def _others() -> Iterator[gc.Certificate]:
    """Integrals over a shape, square roots, boxes, families in balls, coordinates that are idle, spheres."""
    disk = gc.models.get("rolling-disk")().reduce().despun()
    yield gc.certify(disk, disk.equilibrium("circling", omega=0.5, t=4.0))
    yield gc.certify(disk, gc.find_equilibrium(disk, [0, 0, 9, 1, 0], fixed={"Omega3": 9.0, "Gamma3": 0.0}))
    top = gc.models.get("heavy-top")().reduce()
    yield gc.certify(top, [0.0, 0.0, 3.0, 0.0, np.sin(1e-9), -np.cos(1e-9)])
    pendulum = gc.models.get("pendulum-3d")().reduce()
    for family in ("hanging", "inverted"):
        yield gc.certify(pendulum, pendulum.equilibrium(family, params={"rho1": 1.0}))
    skate = gc.models.get("pendulum-skate")().reduce()
    for rate in (20.0, 3.0):  # steady turns that lean, stable and unstable
        yield gc.certify(
            skate, gc.find_equilibrium(skate, [0, rate, -3, 0.5, 0.9], fixed={"v2": rate, "Gamma2": 0.5})
        )
    for table, angle in product((turntable(), turntable(stiffness=1)), (3.5, 0.2)):
        yield gc.certify(table, gc.find_equilibrium(table, [0, 0, 0.3, angle]))
    for sign in (1, -1):
        line = rest_line(sign)
        yield gc.certify(line, line.state())
    yield from _of_higher_order()
    q, _ = gc.spheres.symbols(2)
    pendula = gc.spheres.SphereSystem(mass=[1.0, 2.0], potential=q[0][2] + 2 * q[1][2] + q[0].dot(q[1]))
    yield gc.certify(pendula, [0, 0, -1, 0, 0, -1] + [0] * 6)


def _of_higher_order() -> Iterator[gc.Certificate]:
    """A minimum of the fourth order that friction of the third falls to; foci of the third and the fifth."""
    q = gc.Coordinate("q")
    valley = gc.EulerPoincare(
        shape=[q], inertia=[[1]], potential=q.symbol**4 / 4, forces=[-(q.rate**3)], name="valley"
    ).reduce()
    yield gc.certify(valley, [0, 0])
    x, y, z = sp.symbols("x y z", real=True)
    for beside in (z, x**4 + z * x):
        rates = [-y - x * beside, x, -z - x**2]
        yield gc.certify(gc.VectorField([x, y, z], rates, name="focus").reduce(), [0, 0, 0])


def turntable(torque: Any = 0, stiffness: Any = 0) -> Any:
    """An arm on a turntable q0 with friction in both joints; its angle q1 rests at no exact number."""
    q0, q1 = (gc.Coordinate(name, angle=name == "q1") for name in ("q0", "q1"))
    s, c = sp.sin(q1.symbol), sp.cos(q1.symbol)
    return gc.EulerPoincare(
        algebra=None,
        shape=[q0, q1],
        inertia=sp.diag(1 + s**2, 1),
        potential=c + sp.Rational(3, 10) * s + 2 * (1 - c**2) / 7 + stiffness * q0.symbol**2 / 2,
        forces=[torque - q0.rate / 10, -q1.rate / 10],
        name="turntable",
    ).reduce()


def rest_line(sign: int) -> Any:
    """Two beads with friction and a spring of a stiffness that is no exact number: they rest along b = a."""
    a, b, c = gc.Coordinate("a"), gc.Coordinate("b"), gc.Parameter("c", 0.4)
    away = b.symbol - a.symbol
    return gc.EulerPoincare(
        shape=[a, b],
        inertia=sp.diag(1, 2),
        potential=sign * sp.cos(c.symbol) * away**2 / 2,
        friction=[gc.Friction([1, 0], viscous=1), gc.Friction([0, 1], viscous=2)],
        parameters=[c],
        name="rest line",
    ).reduce()


def _loops() -> Iterator[gc.Certificate]:
    """A pendulum on a cart that is held up from sample to sample: fast enough, late, and too slowly."""
    cart = gc.models.get("cart-pendulum")().reduce()
    up = cart.equilibrium("upright", **dict.fromkeys(cart.families["upright"].names, 0.5))
    law = gc.lqr(cart, up)
    for options in ({"rate": 50}, {"rate": 50, "delay": 0.005}, {"rate": 1}):
        controller = law.sampled(**options)
        yield gc.certify(cart, up, controller=controller)
        # With a constant that is rounding, so that it rests beside the point.
        terms = {k: e + sp.Rational(1, 2**58) for k, e in controller.feedback.terms.items()}
        beside = replace(controller, feedback=replace(controller.feedback, terms=terms, computed={}))
        yield gc.certify(cart, up, controller=beside)


def _loops_by_hand() -> Iterator[dict[str, Any]]:
    """An integrator, one on levels, one beside a line of equilibria, a cart that rests anywhere."""

    def loop(e: Equations, field: list[int], laws: dict[str, int], **more: Any) -> dict[str, Any]:
        held = {"hold": "1/2", "late": 0, "part": "0", "commands": laws, "own": {}, "rest": []}
        invariants = more.pop("invariants", {})
        return e.problem(field, invariants=invariants) | {"kind": "held", "held": held | more}

    for gain, proposal in ((-1, {"lyapunov": [["1"]]}), ("-4001/1000", {"multiplier": [-1.0005, 0.0]})):
        e = Equations(x=0, c=0)
        problem = loop(e, [e.places["c"], e.number(0)], {"c": e.monomial(gain, x=1)})
        yield decided(problem, **proposal)
    e = Equations(y=0, p=1, c=0)
    field = [e.total(e.monomial(1, c=1, p=1), e.monomial(-1, y=1, p=1)), e.number(0), e.number(0)]
    problem = loop(e, field, {"c": e.monomial("1/2", y=1)}, invariants={"p": e.places["p"]})
    yield decided(problem, conserved=["p"], lyapunov=[["1"]])
    e = Equations(x=0, y=0, c=0)
    zero, s = e.number(0), e.symbol("s", "family")
    field = [zero, e.total(e.places["c"], e.monomial(-1, y=1)), zero]
    along = {"symbols": {"s": "0"}, "states": [s, zero, zero], "unknowns": []}
    yield decided(loop(e, field, {"c": zero}) | {"family": along}, lyapunov=[["1"]])
    for hold, proposal in (("1/2", {"lyapunov": [["1"]]}), ("5/2", {"multiplier": [-1.5, 0.0]})):
        e = Equations(x=0, v=0, c=0)
        one, law = e.number(1), {"c": e.monomial(-1, v=1)}
        field = [e.places["v"], e.places["c"], e.number(0)]
        yield decided(loop(e, field, law, rest=[[[one] * 3, []]], hold=hold), **proposal)


def _curves() -> Iterator[Genuine]:
    """Periodic orbits, folds and catches, of which there is a file alone."""
    k = Fraction(1, 4)
    known = turning_vector(k), turning_vector(-k), beside_a_circle(), turned_and_caught()
    for content in (*known, _leaning_fold()):
        told = {"problem": content["problem"], "verdict": checker.prove(content).verdict}
        sealed = content | {"digest": checker.digest_of(content)}
        yield Genuine(copy.deepcopy(told), json.loads(json.dumps(sealed)), searched=False)


def _leaning_fold() -> dict[str, Any]:
    """The least speed of a skate's leaning turns, with multipliers and invariants."""
    skate = gc.models.get("pendulum-skate")().reduce()
    start = gc.find_equilibrium(skate, fixed={"v2": 5.0, "Gamma2": 0.3})
    branch = gc.follow(skate, start, along="v3", span=(-2.5, -1.5), fixed=["Gamma2"], points=9)
    (fold,) = (change for change in branch.changes if change.kind == "fold")
    return json.loads(fold.to_json())


def _drawn(seed: int) -> Iterator[gc.Certificate]:
    for index in range(DRAWN):
        drawn = draw(seed, index)
        if "varying inertia" in drawn.traits or len(drawn.point) > SMALL:
            continue  # proofs of large ones are long, and so would all their mutants be
        try:
            built, params = build(drawn), parameters_of(drawn)
            yield gc.certify(built.system, built.place(params), params)
        except gc.GeoctrlError:  # a description that is wrong on purpose
            continue


def _orbits() -> Iterator[gc.Certificate]:
    """Of orbits under rotations and shifts."""
    for model, family in ORBITS.items():
        found = gc.models.get(model)()
        system = found.reduce() if hasattr(found, "reduce") else found
        numbers = dict.fromkeys(system.families[family].names, 1.5)
        yield gc.certify(system, system.equilibrium(family, **numbers), modulo="orbit")


def _fields(seed: int) -> Iterator[Genuine]:
    """Of drawn fields, a few for each theorem that proves them."""
    count: dict[tuple[str, str], int] = {}
    for make, index in product(KINDS, range(OF_KIND)):
        f = draw_field(Dice(seed + FIELDS, index), make)
        for modulo in (None, "orbit") if f.modulo else (None,):
            try:
                found = judged(f, modulo)
            except gc.GeoctrlError:
                continue
            key = found.verdict.value, found.method
            count[key] = count.get(key, 0) + 1
            if found.verdict.value.startswith("PROVED") and count[key] <= PER_METHOD:
                yield Genuine.of(proof_of(found), f.truth if modulo is None else "")
