"""Genuine certificates changed in all kinds of ways, sealed again, and given to `geoctrl.verify`."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.build.building import build, parameters_of
from tests.attack.build.building_fields import file_of, judged
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing import draw
from tests.attack.draw.drawing_fields import KINDS, draw_field
from tests.attack.forge.forger import moderate, reword, settle
from tests.attack.forge.mutations import ANYWHERE, DEEP
from tests.attack.forge.other_equations import EQUATIONS
from tests.attack.forge.other_evidence import EVIDENCE, IDENTITIES
from tests.attack.forge.other_theorems import PARTS, THEOREMS
from tests.attack.oracle.reading import falsehood
from tests.attack.oracle.tables import NotJudgedError
from tests.attack.outcome import Outcome, raw, worded
from tests.attack.parts.fields import FIELDS, WRONG

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
AGAIN = 0.8
"""Share of changed problems that get the evidence that the checker itself finds, so that mutants reach it."""
SHARES = (0.3, 0.15, 0.15, 0.25, 0.15)
"""Of changes to equations, to what proves identities, to evidence, to what theorems are told, and at any
place of the JSON tree."""
BASES: list[dict[str, Any]] = []
TRUTHS: dict[str, str] = {}
"""What is known of certificates of drawn fields, by their digests."""


def prepare(seed: int, options: dict[str, Any]) -> int:
    """Make the genuine certificates; their number."""
    del options
    TRUTHS.clear()
    made = (*_catalogue(), *_orbits(), *_others(), *_drawn(seed))
    BASES[:] = [as_data(c) for c in made if c.verdict.proved]
    BASES.extend(_fields(seed))
    return len(BASES)


def _catalogue() -> Iterator[gc.Certificate]:
    for model, families in CATALOGUE.items():
        system = gc.models.get(model)().reduce()
        for family, numbers in families.items():
            names = system.families[family].names
            given = {name: numbers.get(name, 1) for name in names}
            yield gc.certify(system, system.equilibrium(family, **given))


def _others() -> Iterator[gc.Certificate]:
    """Integrals over a shape, square roots, boxes, coordinates that are idle, spheres."""
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
    table = turntable()
    for angle in (3.5, 0.2):
        yield gc.certify(table, gc.find_equilibrium(table, [0, 0, 0.3, angle]))
    q, _ = gc.spheres.symbols(2)
    pendula = gc.spheres.SphereSystem(mass=[1.0, 2.0], potential=q[0][2] + 2 * q[1][2] + q[0].dot(q[1]))
    yield gc.certify(pendula, [0, 0, -1, 0, 0, -1] + [0] * 6)


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


def _fields(seed: int) -> Iterator[dict[str, Any]]:
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
                data = file_of(found)
                TRUTHS[data["digest"]] = f.truth if modulo is None else ""
                yield data


def as_data(certificate: gc.Certificate) -> dict[str, Any]:
    return json.loads(certificate.to_json())


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    del options
    rng = np.random.default_rng([seed, index, 2])
    base = BASES[int(rng.integers(len(BASES)))]
    data = copy.deepcopy(base)
    told = [change(data, rng) for _ in range(1 if rng.random() < 0.7 else 2)]
    if data.get("problem") != base["problem"] and rng.random() < AGAIN:
        told.append(settle(data))
    return judge(base, data, "; ".join(told))


def text_of(data: Mapping[str, Any]) -> str:
    """The file, with a digest that fits: SHA-256 over the canonical JSON of everything else."""
    deep = "[" * 100_000 + "]" * 100_000

    def written(content: Mapping[str, Any], **style: Any) -> str:
        return json.dumps(content, **style).replace(f'"{DEEP}"', deep)

    body = {k: v for k, v in data.items() if k != "digest"}
    canonical = written(body, sort_keys=True, separators=(",", ":"))
    if "digest" in data:
        body["digest"] = hashlib.sha256(canonical.encode()).hexdigest()
    return written(body)


def change(data: dict[str, Any], rng: np.random.Generator) -> str:
    """One change that fits the file, in words; those that turn out not to fit leave it as it was."""
    while True:
        group = (EQUATIONS, IDENTITIES, EVIDENCE, THEOREMS, ANYWHERE)[int(rng.choice(5, p=SHARES))]
        mutator, changed = group[int(rng.integers(len(group)))], copy.deepcopy(data)
        try:
            said = mutator(changed, rng)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError, StopIteration):
            continue
        data.clear()
        data.update(changed)
        return f"{mutator.__name__}: {said}"


def judge(base: Mapping[str, Any], data: dict[str, Any], told: str) -> Outcome:
    """A changed file must be refused in words, or be as true as the one it was made of."""
    if moderate(data):
        reword(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.json"
        path.write_text(text_of(data), encoding="utf-8", errors="surrogatepass")
        begun = time.process_time()
        try:
            verdict = gc.verify(path).verdict.value
        except gc.CertificateError as error:
            seconds, said = time.process_time() - begun, str(error).replace(str(path), "")
            result = "refused" if worded(error) else "raw error"
            return Outcome(
                "mutants", result, f"{told} -> {said[:200]}", seconds, detail={"words": words(said)}
            )
        except Exception as error:
            outcome = raw("mutants", error)
            outcome.note, outcome.seconds = f"{told} -> {outcome.note}", time.process_time() - begun
            return outcome
    seconds = time.process_time() - begun
    wrong = untrue(base, data, verdict)
    if wrong is None:
        return Outcome("mutants", "unjudged", told, seconds)
    return Outcome("mutants", "contradiction" if wrong else "held", f"{told} -> {wrong or verdict}", seconds)


def words(refusal: str) -> str:
    """The first words of a refusal, without the names and numbers of the case: what refused it."""
    plain = re.sub(r"^ *is refused: (\S+: )?", "", refusal)
    if plain.startswith("the file has"):
        return "the file has ..., its equations give ..."
    return " ".join(re.sub(r"'[^']*'|\"[^\"]*\"|\S*[\d\[{]\S*", "...", plain).split()[:6])


def untrue(base: Mapping[str, Any], data: Mapping[str, Any], verdict: str) -> str | None:
    """What is false in a confirmed file; None where that cannot be judged here."""
    if data.get("verdict") != verdict:
        return f"the file says {data.get('verdict')}, verify {verdict}"
    if _same_motion(base["problem"], data["problem"]):
        if {_sign(verdict), _sign(base["verdict"])} == {"stable", "unstable"}:
            return f"{base['verdict']} became {verdict}"
        known = TRUTHS.get(base["digest"], "")
        if known in WRONG.get(verdict, ()):
            return f"{verdict} of what is {known}"
    try:
        return falsehood(data)
    except (NotJudgedError, ArithmeticError, KeyError, TypeError, ValueError):
        return None


def _same_motion(base: Mapping[str, Any], problem: Mapping[str, Any]) -> bool:
    """Whether problems differ in no more than what is told to theorems, and nodes for that."""
    other = {"nodes", "weights", "consequences", "invariants", "shape", *PARTS}
    rest, own = ({k: v for k, v in p.items() if k not in other} for p in (base, problem))
    nodes = base.get("nodes", [])
    return rest == own and problem.get("nodes", [])[: len(nodes)] == nodes


def _sign(verdict: str) -> str:
    return "unstable" if verdict.endswith("UNSTABLE") else "stable" if verdict.endswith("STABLE") else ""
