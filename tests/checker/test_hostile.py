"""Hostile files: nothing of a certificate is executed, and no file takes long or much."""

import json
import os
import time

import pytest

import geoctrl as gc
from geoctrl import checker
from tests.attack.forge.by_hand import Equations, written

SECONDS = 2.0


@pytest.fixture
def canary(tmp_path, monkeypatch):
    """A file that appears if anything of a certificate runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "OWNED"


CODE = "__import__('pathlib').Path('OWNED').write_text('x')"
INJECTIONS = [
    f"abs(0)+({CODE} and 0)+f_abs",
    f"{CODE}",
    f"sqrt({CODE})",
    "eval",
    "exec",
    "__import__",
    "os.system",
    "f_sqrt); " + CODE + "; (",
    "{0.__class__.__mro__}",
    "%s%s%n",
    "sqrt\x00",
    "sqrt\n" + CODE,
    "lambda: " + CODE,
    "__builtins__",
    "sqrt ",
    "SQRT",
    "ſqrt",
    "select_positive",
    "",
    "quadrature.__class__",
    "$(touch OWNED)",
    "`touch OWNED`",
    "../../OWNED",
]


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_name_of_a_function_is_executed(text, canary, tmp_path):
    e = Equations(x=1)
    problem = e.problem([e.number(0)])
    problem["nodes"] = [*problem["nodes"], ["fun", text, [0]]]
    problem["field"] = [len(problem["nodes"]) - 1]
    data = {"format": checker.FORMAT, "version": checker.VERSION, "software": "", "system": "body"}
    data |= {"verdict": "PROVED_STABLE", "method": "spectrum", "claim": "", "problem": problem}
    data |= {"evidence": {"eigenvalues": [[-1.0, 0.0]]}}
    data["digest"] = checker.digest_of(data)
    path = tmp_path / "c.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(gc.CertificateError, match=r"nodes\[2\]"):
        gc.verify(path)
    assert not canary.exists()


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_label_is_executed(text, canary, tmp_path):
    """Labels are printable texts; they are shown and nothing else."""
    e = Equations(**{"x": 0})
    e.nodes[0][1] = text
    e.states = {text: "0"}
    e.places = {"x": 0}
    path = tmp_path / "c.json"
    problem = e.problem([e.monomial(-1, x=1)], {}, {text: e.monomial(1, x=2)})
    if not text.isprintable():  # what would reach a terminal as a command
        with pytest.raises(checker.Refusal, match="belongs here"):
            checker.read_problem(problem)
        return
    evidence = checker.decide(checker.read_problem(problem), {})
    written(path, problem, *evidence, system=text)
    assert gc.verify(path).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert not canary.exists()


def genuine():
    e = Equations(x=0)
    problem = e.problem([e.monomial(-1, x=1)])
    return e, problem


def huge(kind):
    """Problems that would take for ever, or all of the memory."""
    e, problem = genuine()
    x = e.places["x"]
    if kind == "exponent":
        return problem | {"nodes": [*problem["nodes"], ["prod", "1", [[x, 10**9]]]]}
    if kind == "negative exponent":
        return problem | {"nodes": [*problem["nodes"], ["prod", "1", [[x, -(10**9)]]]]}
    if kind == "tower":  # ((x + 2)^64)^64 ...
        node = e.total(e.monomial(1, x=1), e.number(2))
        for _ in range(40):
            node = e._add("prod", "1", [[node, 64]])
        return e.problem([e._add("prod", "1", [[node, 1], [x, 1]])])
    if kind == "polynomials":  # (1 + x + y + ...)^64 squared again and again
        e = Equations(**{f"x{i}": 0 for i in range(30)})
        node = e.total(e.number(1), *e.places.values())
        for _ in range(6):
            node = e._add("prod", "1", [[node, 16]])
        field = [e._add("prod", "-1", [[node, 1], [p, 1]]) for p in e.places.values()]
        return e.problem(field, {}, {"C": node})
    if kind == "roots":  # products of roots of long numbers
        roots = [str(10**1990 + 7 * k) for k in range(4)]
        text = " + ".join([f"{'9' * 1990}*r1*r2*r3*r4"] * 16)
        return problem | {"roots": roots, "states": {"x": text}}
    if kind == "five roots":
        return problem | {"roots": ["2", "3", "5", "7", "11"]}
    if kind == "seventeen terms":
        return problem | {"roots": ["2"], "states": {"x": " + ".join(["1*r1"] * 17)}}
    if kind == "digits":
        return problem | {"states": {"x": "1" * 1_000_000}}
    if kind == "denominator":
        return problem | {"states": {"x": "1/0"}}
    if kind == "decimal":
        return problem | {"states": {"x": "1e999999"}}
    if kind == "states":
        e = Equations(**{f"x{i}": 0 for i in range(3000)})
        return e.problem(list(e.places.values()))
    if kind == "doubling":  # each node twice the one before: a text of 2^60 letters, were it written out
        node = x
        for _ in range(60):
            node = e.total(node, node)
        return e.problem([node], {"doubled": node})
    if kind == "matrix":
        return {"kind": "matrices", "states": {}, "linearisation": [[0.0] * 300] * 300, "spin": [0.0] * 3}
    raise AssertionError(kind)


@pytest.mark.parametrize(
    "kind",
    [
        "exponent",
        "negative exponent",
        "tower",
        "polynomials",
        "roots",
        "five roots",
        "seventeen terms",
        "digits",
        "denominator",
        "decimal",
        "states",
        "doubling",
        "matrix",
    ],
)
def test_no_problem_takes_long(kind, tmp_path):
    problem = huge(kind)
    path = tmp_path / "c.json"
    data = {"format": checker.FORMAT, "version": checker.VERSION, "software": "", "system": "body"}
    data |= {"verdict": "PROVED_STABLE", "method": "energy-Casimir", "claim": "", "problem": problem}
    data |= {"evidence": {"conserved": ["C"] if kind == "polynomials" else []}}
    data["digest"] = checker.digest_of(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    start = time.process_time()
    with pytest.raises(gc.CertificateError):
        gc.verify(path)
    # An availability limit of the format, an order of magnitude above what a refusal takes here.
    assert time.process_time() - start < 10 * SECONDS


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"version": 2, "version": 1}',
        '{"verdict": NaN}',
        '{"verdict": Infinity}',
        '{"version": ' + "9" * 100_000 + "}",
        "\ufeff{}",
        '"\\ud800"',
        "null",
        '{"format": "geoctrl-certificate", "version": 2, "problem": {"nodes": [[[[]]]]}}',
    ],
    ids=lambda t: t[:20],
)
def test_malformed_texts_are_refused_with_words(text, tmp_path):
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    with pytest.raises(gc.CertificateError):
        gc.verify(path)


def test_only_regular_files_of_bounded_size_are_read(tmp_path):
    with pytest.raises(gc.CertificateError, match="regular"):
        gc.verify(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(gc.CertificateError, match="regular"):
        gc.verify(pipe)
    large = tmp_path / "large.json"
    large.write_bytes(b" " * 5_000_000)
    with pytest.raises(gc.CertificateError, match="bytes"):
        gc.verify(large)


def test_a_refusal_names_the_path_of_the_first_fault(tmp_path):
    _, problem = genuine()
    path = tmp_path / "c.json"
    verdict = checker.decide(checker.read_problem(problem), {})
    good = json.loads(written(path, problem, *verdict).read_text())
    faults = {
        "problem.nodes[0][2]": ("problem", "nodes", 0, 2),
        "problem.states.x": ("problem", "states", "x"),
        "problem.field[0]": ("problem", "field", 0),
        "evidence.zero_modes": ("evidence", "zero_modes"),
        "version": ("version",),
        "system": ("system",),
    }
    for name, keys in faults.items():
        data = json.loads(json.dumps(good))
        place = data
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = {"unexpected": 1}
        path.write_text(json.dumps(data))
        with pytest.raises(gc.CertificateError, match=name.replace("[", r"\[").replace("]", r"\]")):
            gc.verify(path)


def test_what_is_no_path_is_refused():
    with pytest.raises(TypeError, match="to_json"):
        gc.verify(3)
