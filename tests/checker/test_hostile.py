"""Hostile files: nothing of a certificate is executed, and no file takes long or much."""

import json
import os
import time

import pytest

import geoctrl as gc
from geoctrl import checker, decisions
from geoctrl.checker.reader import BYTES
from tests.attack.forge.by_hand import Equations, consistent, with_theorem

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


def attracting(problem, **parts):
    """A file that says of a problem that the squares of its states fall, with the digest that fits."""
    names = list(problem["states"])
    triangle = [[str(int(i == j)) for j in range(i + 1)] for i in range(len(names[: decisions.STATES]))]
    theorem = {"name": "attraction", "rows": [], "free": names, "inverse": [], "P": triangle}
    return sealed(with_theorem(problem, theorem) | parts)


def sealed(data):
    return data | {"digest": checker.digest_of(data)}


def saved(data, path):
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_name_of_a_function_is_executed(text, canary, tmp_path):
    e = Equations(x=1)
    problem = e.problem([e.number(0)])
    problem["nodes"] = [*problem["nodes"], ["fun", text, [0]]]
    problem["field"] = [len(problem["nodes"]) - 1]
    path = saved(attracting(problem), tmp_path / "c.json")
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
    saved(attracting(problem, system=text), path)
    if not text.isprintable():  # what would reach a terminal as a command
        with pytest.raises(checker.Refusal, match="belongs here"):
            decisions.read_problem(problem)
        with pytest.raises(gc.CertificateError, match=r"belongs here|is unknown") as told:
            gc.verify(path)
        assert str(told.value).isprintable()
    else:
        report = gc.verify(path)
        assert report.verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
        assert not text or repr(text) in report.claim
    assert not canary.exists()


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_name_of_a_theorem_is_executed(text, canary, tmp_path):
    _, problem = genuine()
    data = attracting(problem)
    for change in ({"name": text}, {"rows": [text]}, {"free": [text]}, {"P": [[text]]}, {text: "0"}):
        path = saved(sealed(data | {"theorem": data["theorem"] | change}), tmp_path / "c.json")
        with pytest.raises(gc.CertificateError) as told:
            gc.verify(path)
        assert str(told.value).isprintable()
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
    if kind == "roots of roots":  # each a number of all before it
        roots = ["2", "3 + 1*r1", "5 + 1*r1*r2", "7 + 1*r1*r2*r3"]
        field = e._add("prod", "-1", [[e.function("sqrt", x), 64]] * 64)
        return e.problem([field]) | {"roots": roots, "states": {"x": "1 + 1*r1*r2*r3*r4"}}
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
    raise AssertionError(kind)


@pytest.mark.parametrize(
    "kind",
    [
        "exponent",
        "negative exponent",
        "tower",
        "polynomials",
        "roots",
        "roots of roots",
        "five roots",
        "seventeen terms",
        "digits",
        "denominator",
        "decimal",
        "states",
        "doubling",
    ],
)
def test_no_problem_takes_long(kind, tmp_path):
    problem = huge(kind)
    data = attracting(problem, **({"roots": problem["roots"]} if "roots" in problem else {}))
    if kind == "polynomials":
        basis = {k: data["theorem"][k] for k in ("rows", "free", "inverse")}
        energy = {"name": "energy-Casimir", "multipliers": {"C": "1"}, "sense": 1}
        data = sealed(data | {"theorem": basis | energy})
    path = saved(data, tmp_path / "c.json")
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
        '{"version": 3, "version": 1}',
        '{"verdict": NaN}',
        '{"verdict": Infinity}',
        '{"version": ' + "9" * 100_000 + "}",
        "\ufeff{}",
        '"\\ud800"',
        "null",
        '{"format": "geoctrl-certificate", "version": 3, "problem": {"nodes": [[[[]]]]}}',
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
    large.write_bytes(b" " * (BYTES + 1))
    with pytest.raises(gc.CertificateError, match="bytes"):
        gc.verify(large)


def test_a_refusal_names_the_path_of_the_first_fault(tmp_path):
    _, problem = genuine()
    path = tmp_path / "c.json"
    good = json.loads(consistent(path, problem).read_text())
    faults = {
        "problem.nodes[0][2]": ("problem", "nodes", 0, 2),
        "problem.states.x": ("problem", "states", "x"),
        "problem.field[0]": ("problem", "field", 0),
        "problem.matrix": ("problem", "matrix"),
        "witness.roots": ("witness", "roots"),
        "theorem.P": ("theorem", "P"),
        "theorem.rows": ("theorem", "rows"),
        "version": ("version",),
        "system": ("system",),
    }
    for name, keys in faults.items():
        data = json.loads(json.dumps(good))
        place = data
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = {"unexpected": 1}
        saved(sealed(data), path)
        with pytest.raises(gc.CertificateError, match=name.replace("[", r"\[").replace("]", r"\]")):
            gc.verify(path)


def test_what_is_no_path_is_refused():
    with pytest.raises(TypeError, match="to_json"):
        gc.verify(3)
