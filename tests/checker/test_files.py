"""Certificate files: what is written is confirmed, what is changed is refused, forged digests included."""

import contextlib
import json
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict, checker
from geoctrl.checker import digest_of
from tests.literature import skate_by_hand as hand

P = {"m": 1.75, "l": 0.625, "g": 9.75, "I1": 0.4375, "I2": 0.3125, "I3": 0.0625}

OF_SETS = (Verdict.PROVED_BY_CELLS, Verdict.PROVED_INVARIANT, Verdict.PROVED_ATTRACTED)
OF_POINTS = [v for v in Verdict if v not in OF_SETS]
PROVED = [v for v in OF_POINTS if v.proved]

DEBRA_DELP = {"J1": 1.4, "J2": 0.98, "J3": 1.05, "n": 0.7}


def suslov():
    return gc.EulerPoincare(
        name="suslov",
        algebra=gc.so3(),
        inertia=sp.diag(2, 3, sp.Rational(7, 2)),
        constraints=[[0, sp.Rational(1, 2), 1]],
    ).reduce()


def damped_pendulum():
    vector, algebra, c = gc.AdvectedVector("Gamma", reference=(0, 1, 0)), gc.so2(), gc.Parameter("c", 0.4)
    return gc.EulerPoincare(
        name="damped",
        algebra=algebra,
        advected=[vector],
        inertia=[[sp.Rational(7, 10)]],
        potential=sp.Rational(9, 4) * vector.symbols[1],
        forces=[-c.symbol * algebra.xi[0]],
        parameters=[c],
    ).reduce()


@pytest.fixture(scope="module")
def certificates():
    """One certificate for each verdict."""
    skate = gc.models.get("pendulum-skate")().reduce()
    orbiting = gc.models.get("orbiting-body")().reduce()
    shells = gc.models.get("concentric-shells")().reduce()
    threshold = {"m": 2.0, "l": 0.5, "g": 10.0, "I1": 0.75, "I2": 0.375, "I3": 0.5}
    found = [
        gc.certify(skate, skate.equilibrium("spinning", Omega0=5.5, params=P)),
        gc.certify(skate, skate.equilibrium("sliding", Y0=1.25, params=P)),
        gc.certify(skate, skate.equilibrium("spinning", Omega0=4.0, params=threshold)),
        gc.certify(damped_pendulum(), [0.0, 0.0, -1.0, 0.0]),
        gc.certify(orbiting, orbiting.equilibrium("aligned", params=DEBRA_DELP)),
        gc.certify(shells, shells.equilibrium("equal"), modulo="orbit"),
    ]
    with patch(
        "geoctrl.analysis.proofs.proof.in_balls", lambda *_: None
    ):  # what floats say where no box is proved
        found += [gc.certify(skate, hand.leaning_turn(0.3, rate, P), P) for rate in (12.0, 2.0)]
    return {c.verdict: c for c in found}


def test_every_verdict_is_there(certificates):
    assert set(certificates) == set(OF_POINTS)


@pytest.mark.parametrize("verdict", [v for v in OF_POINTS if not v.proved], ids=str)
def test_reports_are_no_files(certificates, verdict, tmp_path):
    """What is not proved is told, not written; a file of it is refused in words."""
    report, path = certificates[verdict], tmp_path / "report.json"
    with pytest.raises(gc.CertificateError, match=f"{verdict} is a report and no proof.* may be proved"):
        report.to_json(path)
    assert not path.exists()
    data = report.to_dict()
    assert (data["verdict"], data["claim"]) == (verdict.value, report.claim)
    path.write_text(json.dumps(data))
    with pytest.raises(gc.CertificateError, match=f"{verdict} is a report and no proof"):
        gc.verify(path)


@pytest.mark.parametrize("verdict", PROVED, ids=str)
def test_round_trip(certificates, verdict, tmp_path):
    cert = certificates[verdict]
    path = tmp_path / "certificate.json"
    text = cert.to_json(path)
    assert json.loads(path.read_text()) == json.loads(text) == cert.to_dict()
    report = gc.verify(path)
    assert report.verdict is verdict
    assert report.claim == cert.claim
    assert report.checks
    assert verdict.value in str(report)


def test_a_closed_loop_and_a_top_round_trip(tmp_path):
    law = gc.match(gc.models.get("pendulum-skate-rotor")(set="7.3")).law(sigma=-1e-5)
    top = gc.models.get("heavy-top")(set="lagrange").reduce()
    for cert in (
        gc.certify(law.closed_loop(), law.closed_loop().equilibrium("sliding", Y0=1.0)),
        gc.certify(law.closed_loop(rotors=True), law.closed_loop(rotors=True).equilibrium("sliding", Y0=1.0)),
        gc.certify(top, top.equilibrium("sleeping", Omega0=14.0)),
    ):
        cert.to_json(tmp_path / "c.json")
        assert gc.verify(tmp_path / "c.json").verdict is cert.verdict
        assert cert.verdict.proved


def test_attraction_on_level_sets_is_rechecked(tmp_path):
    """Suslov's body in its stable sense; a sign or a claim of another kind is noticed."""
    cert = gc.certify(suslov(), [1.5, 0.0])
    assert (cert.verdict, cert.evidence["zero_modes"]) == (Verdict.PROVED_STABLE, ["energy"])
    data = cert.to_dict()
    path = tmp_path / "c.json"
    cert.to_json(path)
    assert gc.verify(path).verdict is Verdict.PROVED_STABLE
    for change in (
        (("verdict",), "PROVED_ASYMPTOTICALLY_STABLE"),
        (("method",), "spectrum"),
        (("method",), "energy-Casimir"),
        (("evidence", "zero_modes"), []),
        (("evidence", "conserved"), []),
        (("evidence", "reduced_polynomial", 1), "1/7"),
        (("problem", "states", "Omega1"), "-3/2"),
    ):
        assert refused(forged(data, *change), path), change
    other = gc.certify(suslov(), [-1.5, 0.0]).to_dict()
    for key in ("problem", "evidence"):
        mixed = {**other, key: data[key]}
        mixed["digest"] = digest_of(mixed)
        assert refused(mixed, path)


# -- honest changes: the digest no longer fits ------------------------------------------------------------


def leaves(data, path=()):
    if isinstance(data, dict):
        for k, v in data.items():
            yield from leaves(v, (*path, k))
    elif isinstance(data, list):
        for i, v in enumerate(data):
            yield from leaves(v, (*path, i))
    else:
        yield path, data


def with_leaf(data, path, value):
    copy = json.loads(json.dumps(data))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copy


def altered(value):
    if isinstance(value, bool) or value is None:
        return "changed"
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * (1 + 1e-9) + 1e-12
    try:
        return str(-Fraction(value)) if Fraction(value) else "1"
    except ValueError:
        return value + "x"


def refused(data, path):
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(gc.CertificateError):
        gc.verify(path)
    return True


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict.PROVED_STABLE,
        Verdict.PROVED_UNSTABLE,
        Verdict.PROVED_STABLE_MODULO,
    ],
    ids=str,
)
def test_every_changed_leaf_is_refused(certificates, verdict, tmp_path):
    data = certificates[verdict].to_dict()
    places = list(leaves(data))
    assert len(places) > 200
    chosen = np.random.default_rng(3).choice(len(places), size=150, replace=False)
    chosen = {
        *chosen,
        *(i for i, (path, _) in enumerate(places) if path[0] in ("verdict", "digest", "evidence")),
    }
    for i in chosen:
        path, value = places[i]
        assert refused(with_leaf(data, path, altered(value)), tmp_path / "c.json"), path


def test_removed_and_added_entries_are_refused(certificates, tmp_path):
    data = certificates[Verdict.PROVED_STABLE].to_dict()
    for key in data:
        assert refused({k: v for k, v in data.items() if k != key}, tmp_path / "c.json")
    assert refused({**data, "remark": "added"}, tmp_path / "c.json")


# -- forgery: the digest is recomputed by the forger -------------------------------------------------------


def forged(data, path, value):
    """Changed, with the claim in words and the digest that fit the change."""
    copy = with_leaf(data, path, value)
    if path != ("claim",):
        with contextlib.suppress(Exception):  # where there is no such claim, the old one stays
            copy["claim"] = checker.claim_of(
                *(copy[k] for k in ("system", "problem", "verdict", "method", "evidence"))
            )
    copy["digest"] = digest_of(copy)
    return copy


def negated(text):
    return str(-Fraction(text))


def changes_of_evidence(data):
    """Changes of verdict, claim, multipliers, kernel, Hessian, polynomial, point and parameters."""
    e = data["evidence"]
    for verdict in Verdict:
        if verdict.value != data["verdict"]:
            yield ("verdict",), verdict.value
    yield ("claim",), data["claim"].split(" is ")[0] + " is asymptotically stable within the leaf."
    yield ("method",), "spectrum" if data["method"] == "energy-Casimir" else "energy-Casimir"
    for name, value in e.get("multipliers", {}).items():
        yield ("evidence", "multipliers", name), str(Fraction(value) + 1)
    for key in ("kernel", "restricted_hessian"):
        for i, row in enumerate(e.get(key, [])):
            for j, value in enumerate(row):
                yield ("evidence", key, i, j), negated(value) if Fraction(value) else "1/1000"
    for key in ("reduced_polynomial", "characteristic_polynomial_on_leaf"):
        for i, value in enumerate(e[key]):
            yield ("evidence", key, i), negated(value) if Fraction(value) else "1/1000"
    for i, value in enumerate(e.get("inertia", [])):
        yield ("evidence", "inertia", i), value + 1
    yield ("evidence", "hessian"), "definite" if e.get("hessian") != "definite" else "semidefinite"
    yield ("evidence", "zero_modes"), [] if e["zero_modes"] else ["energy"]
    for name, value in e.get("orbit_multipliers", {}).items():
        yield ("evidence", "orbit_multipliers", name), str(Fraction(value) + 1)
    yield ("evidence", "conserved"), [*e["conserved"], "|Gamma|^2"]
    for name, value in data["problem"]["states"].items():
        if data["verdict"] == "PROVED_STABLE" or name != "v3":  # sliding is as unstable at another speed
            yield ("problem", "states", name), str(Fraction(value) + Fraction(1, 1000))
    for name, value in data["problem"]["parameters"].items():
        # Y0 alone does not see the moments about the other axes where it slides unstably.
        if data["verdict"] == "PROVED_STABLE" or name in ("m", "l", "g", "I1"):
            yield ("problem", "parameters", name), str(Fraction(value) * 2)


@pytest.mark.parametrize(
    "verdict",
    [Verdict.PROVED_STABLE, Verdict.PROVED_UNSTABLE, Verdict.PROVED_STABLE_MODULO],
    ids=str,
)
def test_forged_evidence_is_refused(certificates, verdict, tmp_path):
    data = certificates[verdict].to_dict()
    count = 0
    for path, value in changes_of_evidence(data):
        assert refused(forged(data, path, value), tmp_path / "c.json"), path
        count += 1
    assert count > 20


def test_a_consistent_lie_about_the_verdict_is_refused(certificates, tmp_path):
    """Verdict and claim changed together, and the evidence of another point put in."""
    stable, unstable = (certificates[v].to_dict() for v in (Verdict.PROVED_STABLE, Verdict.PROVED_UNSTABLE))
    for key in ("evidence", "problem"):
        mixed = {**unstable, key: stable[key]}
        mixed["digest"] = digest_of(mixed)
        assert refused(mixed, tmp_path / "c.json")
    lie = {**unstable, "verdict": "PROVED_STABLE", "method": "energy-Casimir"}
    lie["evidence"] = {**stable["evidence"]}
    lie["claim"] = unstable["claim"].split(" is ")[0] + " is Lyapunov stable within the leaf."
    lie["digest"] = digest_of(lie)
    assert refused(lie, tmp_path / "c.json")
    # Negative control of the whole approach: recomputing the digest of an unchanged file is no change.
    same = json.loads(json.dumps(stable))
    same["digest"] = digest_of(same)
    (tmp_path / "c.json").write_text(json.dumps(same))
    assert gc.verify(tmp_path / "c.json").verdict is Verdict.PROVED_STABLE


def field_nodes(problem):
    """Indices of the nodes that the vector field depends on."""
    seen, stack = set(), [*problem["field"], *problem["right"], *(k for _, _, k in problem["matrix"])]
    while stack:
        i = stack.pop()
        if i in seen:
            continue
        seen.add(i)
        kind, *rest = problem["nodes"][i]
        if kind == "prod":
            stack += [j for j, _ in rest[1]]
        elif kind == "sum":
            stack += [j for pair in rest[0] for j in pair]
        elif kind == "fun":
            stack += rest[1]
    return seen


@pytest.mark.parametrize("verdict", [Verdict.PROVED_STABLE, Verdict.PROVED_UNSTABLE], ids=str)
def test_forged_signs_in_the_field_are_refused(certificates, verdict, tmp_path):
    data = certificates[verdict].to_dict()
    nodes = data["problem"]["nodes"]
    used = sorted(i for i in field_nodes(data["problem"]) if nodes[i][0] in ("num", "prod"))
    tried = 0
    for i in used:
        if Fraction(nodes[i][1]) != 0:
            changed = forged(data, ("problem", "nodes", i, 1), negated(nodes[i][1]))
            assert refused(changed, tmp_path / "c.json"), nodes[i]
            tried += 1
    assert tried > 10


# -- malformed files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "17",
        '"text"',
        "{}",
        '{"format": "geoctrl-certificate", "version": 2}',
        '{"format": "geoctrl-certificate", "version": true}',
        '{"format": "other", "version": 2}',
        '{"format": "geoctrl-certificate", "version": 1}',
    ],
)
def test_malformed_files_raise(text, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(gc.CertificateError):
        gc.verify(path)


def test_binary_and_missing_files_raise(tmp_path):
    path = tmp_path / "c.json"
    path.write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(gc.CertificateError, match="JSON"):
        gc.verify(path)
    with pytest.raises(FileNotFoundError):
        gc.verify(tmp_path / "nothing.json")


def test_structurally_broken_problems_with_a_fitting_digest_raise(certificates, tmp_path):
    data = certificates[Verdict.PROVED_STABLE].to_dict()
    nodes = data["problem"]["nodes"]
    product = next(i for i, n in enumerate(nodes) if n[0] == "prod")
    broken = [
        (("problem", "nodes", product, 2, 0, 0), len(nodes) + 5),  # refers to nothing
        (("problem", "nodes", product, 2, 0, 0), product),  # to itself
        (("problem", "nodes", product, 0), "power"),
        (("problem", "nodes", product, 1), "1/0"),
        (("problem", "nodes", product, 1), "one"),
        (("problem", "nodes"), {}),
        (("problem", "field"), data["problem"]["field"][:-1]),
        (("problem", "states"), dict(list(data["problem"]["states"].items())[:-1])),
        (("problem", "parameters"), {}),
        (("problem", "right"), []),
        (("problem", "matrix"), data["problem"]["matrix"][1:]),
        (("problem", "matrix"), [*data["problem"]["matrix"], data["problem"]["matrix"][0]]),
        (("problem",), []),
        (("problem",), None),
        (("evidence",), None),
        (("evidence", "multipliers"), ["one"]),
        (("evidence", "multipliers"), {}),
        (("problem", "weights", "energy"), []),
        (("evidence", "conserved"), None),
        (("verdict",), "STABLE"),
        (("verdict",), None),
        (("claim",), None),
        (("system",), 3),
    ]
    for path, value in broken:
        assert refused(forged(data, path, value), tmp_path / "c.json"), path
