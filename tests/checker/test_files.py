"""Certificate files: what is written is confirmed, what is changed is refused, forged digests included."""

import json
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict, checker
from geoctrl.checker import digest_of
from geoctrl.checker.words.refused_files import EARLIER
from geoctrl.cli import main
from tests.attack.forge.by_hand import decided
from tests.literature import skate_by_hand as hand

P = {"m": 1.75, "l": 0.625, "g": 9.75, "I1": 0.4375, "I2": 0.3125, "I3": 0.0625}

OF_OTHERS = (
    Verdict.PROVED_BY_CELLS,
    Verdict.PROVED_INVARIANT,
    Verdict.PROVED_ATTRACTED,
    Verdict.PROVED_ATTRACTED_TO_FAMILY,
    Verdict.PROVED_TURNING_POINT,
    Verdict.PROVED_BOUNDED,
)
OF_POINTS = [v for v in Verdict if v not in OF_OTHERS]
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
    """Suslov's body in its stable sense; a sign, a row or a theorem of another kind is noticed."""
    cert = gc.certify(suslov(), [1.5, 0.0])
    assert (cert.verdict, cert.evidence["zero_modes"]) == (Verdict.PROVED_STABLE, ["energy"])
    data = cert.to_dict()
    path = tmp_path / "c.json"
    cert.to_json(path)
    assert gc.verify(path).verdict is Verdict.PROVED_STABLE
    assert data["theorem"]["rows"] == ["energy"]
    for change in (
        (("theorem", "name"), "growth"),
        (("theorem", "name"), "energy-Casimir"),
        (("theorem", "rows"), []),
        (("theorem", "free"), ["Omega1", "Omega2"]),
        (("theorem", "inverse"), [["1/7"]]),
        (("theorem", "P"), [["-1"]]),
        (("problem", "invariants"), {}),
        (("problem", "states", "Omega1"), "-3/2"),
    ):
        assert refused(forged(data, *change), path), change
    other = gc.certify(suslov(), [-1.5, 0.0]).to_dict()
    assert data["theorem"]["name"] != other["theorem"]["name"]
    for key in ("problem", "theorem"):
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
    chosen = {*np.random.default_rng(3).choice(len(places), size=100, replace=False)}
    chosen |= {i for i, (path, _) in enumerate(places) if path[0] not in ("problem", "witness", "theorem")}
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
    """Changed, with the digest that fits the change."""
    copy = with_leaf(data, path, value)
    copy["digest"] = digest_of(copy)
    return copy


def negated(text):
    return str(-Fraction(text))


def refused_or_true(certificate, changed):
    """Whether a file is refused; if it is not, its verdict is what the search decides of its equations."""
    try:
        report = checker.check(changed)
    except checker.Refusal:
        return True
    roots = {"roots": changed["roots"]} if "roots" in changed else {}
    problem = {"kind": "equations", **changed["problem"], **roots}
    assert report.verdict == certificate.verdict.value == decided(problem)["verdict"]
    assert (report.claim != certificate.claim) == (stated(changed) != stated(certificate.to_dict()))
    return False


def stated(data):
    """What a claim tells of a problem: the numbers, and not the field."""
    return [data["problem"][part] for part in ("states", "inputs", "parameters")]


def changes_of_numbers(data):
    """Changes of the point and of the parameters: of a growth, some that prove it as well."""
    for name, value in data["problem"]["states"].items():
        yield ("problem", "states", name), str(Fraction(value) + Fraction(1, 1000))
    for name, value in data["problem"]["parameters"].items():
        yield ("problem", "parameters", name), str(Fraction(value) * 2)


@pytest.mark.parametrize(
    "verdict",
    [Verdict.PROVED_STABLE, Verdict.PROVED_UNSTABLE, Verdict.PROVED_STABLE_MODULO],
    ids=str,
)
def test_another_point_is_not_that_of_the_witnesses(certificates, verdict):
    certificate = certificates[verdict]
    data = certificate.to_dict()
    told = [refused_or_true(certificate, forged(data, *change)) for change in changes_of_numbers(data)]
    assert sum(told) > 8
    assert all(told) or verdict is Verdict.PROVED_UNSTABLE


@pytest.mark.parametrize("verdict", PROVED, ids=str)
def test_a_file_says_nothing_of_itself(certificates, verdict, tmp_path):
    """A verdict, a claim, a method or evidence that a forger puts beside is no part of the format."""
    data, path = certificates[verdict].to_dict(), tmp_path / "c.json"
    for key in ("verdict", "claim", "method", "evidence", "area"):
        assert refused(forged(data | {key: ""}, (key,), "PROVED_ASYMPTOTICALLY_STABLE"), path)
        assert refused(forged(data, ("theorem",), data["theorem"] | {key: "PROVED_STABLE"}), path)
        assert refused(forged(data, ("problem",), data["problem"] | {key: {}}), path)


def test_proofs_of_other_points_are_refused(certificates, tmp_path):
    """Theorem, equations and witnesses of one point put to those of another."""
    files = [certificates[v].to_dict() for v in PROVED]
    count = 0
    for data in files:
        for other in files:
            for key in ("theorem", "problem"):
                if data is not other:
                    assert refused(forged(data, (key,), other[key]), tmp_path / "c.json")
                    count += 1
    assert count == 24
    # Negative control of the whole approach: recomputing the digest of an unchanged file is no change.
    same = json.loads(json.dumps(files[0]))
    same["digest"] = digest_of(same)
    (tmp_path / "c.json").write_text(json.dumps(same))
    assert gc.verify(tmp_path / "c.json").verdict is PROVED[0]


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
def test_forged_signs_in_the_field_are_refused(certificates, verdict):
    """Of a growth a sign may be one that it does not see: then the search decides as the file does."""
    certificate = certificates[verdict]
    data = certificate.to_dict()
    nodes, told = data["problem"]["nodes"], []
    for i in sorted(i for i in field_nodes(data["problem"]) if nodes[i][0] in ("num", "prod")):
        if Fraction(nodes[i][1]) != 0:
            changed = forged(data, ("problem", "nodes", i, 1), negated(nodes[i][1]))
            told.append(refused_or_true(certificate, changed))
    assert sum(told) > 10
    assert all(told) or verdict is Verdict.PROVED_UNSTABLE


# -- earlier formats --------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("form", "anew"),
    [
        ("geoctrl-certificate", "geoctrl certify pendulum-skate --at FAMILY --out FILE"),
        ("geoctrl-map", "geoctrl map pendulum-skate --at FAMILY --x ... --y ... --certificate FILE"),
        *(
            (f"geoctrl-{kind}", "gc.region_of_attraction(...).to_json(FILE)")
            for kind in ("slopes", "attraction", "sublevel")
        ),
    ],
)
def test_files_of_earlier_formats_are_told_what_makes_them_anew(form, anew, version, tmp_path):
    path = tmp_path / "c.json"
    data = {"format": form, "version": version, "system": "pendulum-skate", "verdict": "PROVED_STABLE"}
    for digest in (digest_of(data), "another"):
        path.write_text(json.dumps(data | {"digest": digest}))
        with pytest.raises(gc.CertificateError) as told:
            gc.verify(path)
        assert str(told.value).endswith(
            f"it was written in an earlier format ({version}); make it anew: {anew}"
        )


CODE = ["a; rm -rf ~", "$(touch OWNED)", "--help", "\x1b[2J", "x\ny", "x\n", "pendulum skate"]


@pytest.mark.parametrize("name", [*CODE, "", 17, None, ["x"] * 3], ids=repr)
def test_what_makes_a_file_anew_names_no_other_command(name, tmp_path):
    data = {"format": "geoctrl-certificate", "version": 2, "system": name}
    (tmp_path / "c.json").write_text(json.dumps(data))
    with pytest.raises(gc.CertificateError, match=r"make it anew: geoctrl certify MODEL --at ") as told:
        gc.verify(tmp_path / "c.json")
    assert str(told.value).isprintable()


def test_the_command_that_is_told_makes_what_is_confirmed(tmp_path):
    path = tmp_path / "c.json"
    words = EARLIER["geoctrl-certificate"].format(model="pendulum-skate").split()
    command = [{"FAMILY": "sliding", "FILE": str(path)}.get(word, word) for word in words[1:]]
    assert main([*command, "--set", "Y0=1"]) == 0
    assert gc.verify(path).verdict.proved


@pytest.mark.parametrize("version", [True, "2", 2.0, None, 4, {}])
def test_what_has_no_version_is_of_no_format(version, tmp_path):
    data = {"format": "geoctrl-certificate", "version": version, "system": "pendulum-skate"}
    (tmp_path / "c.json").write_text(json.dumps(data | {"digest": digest_of(data)}))
    with pytest.raises(gc.CertificateError, match=r"version|missing"):
        gc.verify(tmp_path / "c.json")


def test_there_is_nothing_to_confirm_in_a_report(certificates, tmp_path):
    """Not with another verdict, nor with what commands a terminal; nor does another format make it one."""
    path = tmp_path / "c.json"
    data = certificates[Verdict.UNDECIDED].to_dict()
    for verdict in (*map(str, Verdict), "\x1b[2J", "x\ny", "", None, 17, ["PROVED"]):
        changed = data | {"verdict": verdict}
        path.write_text(json.dumps(changed | {"digest": digest_of(changed)}))
        with pytest.raises(gc.CertificateError, match="report and no proof: there is nothing") as told:
            gc.verify(path)
        assert str(told.value).isprintable()
    for change in ({"format": "geoctrl-certificate"}, {"format": "geoctrl-certificate", "version": 2}):
        changed = data | change
        assert refused(changed | {"digest": digest_of(changed)}, path)


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
        '{"format": "geoctrl-certificate", "version": 3}',
        '{"format": "geoctrl-certificate", "version": true}',
        '{"format": "other", "version": 3}',
        '{"format": ["geoctrl-certificate"], "version": 3, "digest": ""}',
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
        (("problem", "weights", "energy"), []),
        (("theorem",), None),
        (("theorem",), {}),
        (("theorem", "name"), "believe me"),
        (("theorem", "name"), ["energy-Casimir"]),
        (("theorem", "rows"), None),
        (("theorem", "multipliers"), ["one"]),
        (("theorem", "multipliers"), {}),
        (("witness",), None),
        (("witness", "inverse"), []),
        (("witness", "cofactors"), {}),
        (("witness", "roots"), [[0, "one"]]),
        (("system",), 3),
    ]
    for path, value in broken:
        assert refused(forged(data, path, value), tmp_path / "c.json"), path
