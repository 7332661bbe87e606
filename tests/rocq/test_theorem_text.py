"""The text of theorems: the same for the same certificate, refused with reasons, and what is meant alone."""

import json
import re

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.checker import THEOREMS
from geoctrl.cli import main
from geoctrl.errors import CertificateError
from geoctrl.rocq import rocq_text
from geoctrl.rocq.terms.certified import HERE, MISSING
from geoctrl.rocq.text.identifiers import comment, identifier
from tests.attack.forge.other_witnesses import CURVES, SETS
from tests.rocq.cases import CASES, certificate, content, pendulum, signed, two_states

SENTENCE = re.compile(r"(From|Import|Local|Definition|Lemma|Proof|Theorem|Print) ?|\(\*|  |Qed\.$|$")
"""How a line of a file begins; lines of proofs and statements are indented."""


@pytest.mark.parametrize("name", CASES)
def test_the_text_is_written_again_the_same(name):
    text = certificate(name).to_rocq()
    assert rocq_text(content(name)) == text
    assert all(SENTENCE.match(line) for line in text.splitlines())


def test_the_theorem_has_the_names_of_the_mechanism():
    text = certificate("controlled skate").to_rocq()
    statement = text[text.index("Theorem stability") : text.index("Proof.", text.index("Theorem stability"))]
    for word in ("v1", "Gamma2", "Gamma3", "sigma", "1 + (-1) * (Gamma2 0 * Gamma2 0)"):
        assert word in statement


def test_commands_write_and_compare_a_theorem(tmp_path, capsys):
    stored, theorem, library = tmp_path / "c.json", tmp_path / "c.v", tmp_path / "library"
    certificate("pendulum").to_json(stored)
    export = ["export", "--rocq", str(stored), "-o", str(theorem), "--library", str(library)]
    assert main(export) == 0
    assert "coqc" in capsys.readouterr().out
    assert (library / "Jets.v").exists()
    assert theorem.read_text() == certificate("pendulum").to_rocq()
    compare = ["verify", "--rocq", str(theorem), str(stored)]
    assert main(compare) == 0
    assert "byte by byte" in capsys.readouterr().out
    theorem.write_text(theorem.read_text().replace("delta -> ", "delta ->", 1).replace("eps", "epz", 1))
    assert main(compare) == 1
    assert "is not the theorem" in capsys.readouterr().err


def test_a_file_with_witnesses_is_exported(tmp_path):
    stored, theorem = tmp_path / "c.json", tmp_path / "c.v"
    stored.write_text(json.dumps(content("pendulum")))
    assert main(["export", "--rocq", str(stored), "-o", str(theorem)]) == 0
    assert theorem.read_text() == certificate("pendulum").to_rocq()
    assert main(["verify", "--rocq", str(theorem), str(stored)]) == 0


def test_a_forged_certificate_is_not_exported(tmp_path, capsys):
    data = certificate("pendulum").to_dict()
    (tmp_path / "c.json").write_text(json.dumps(data | {"system": "everything"}))
    assert main(["export", "--rocq", str(tmp_path / "c.json"), "-o", str(tmp_path / "c.v")]) == 1
    assert not (tmp_path / "c.v").exists()
    assert "changed" in capsys.readouterr().err


def test_it_is_written_to_a_path(tmp_path):
    made = certificate("pendulum")
    text = made.to_rocq(tmp_path / "pendulum.v")
    assert (tmp_path / "pendulum.v").read_text() == text
    assert text.endswith("Print Assumptions stability.\n")
    with pytest.raises(TypeError, match="path"):
        made.to_rocq(3)


def refusal(system, point):
    with pytest.raises(CertificateError, match="no theorem of Rocq") as caught:
        gc.certify(system, point).to_rocq()
    return str(caught.value)


def test_what_has_no_theorem_is_refused_with_the_reason():
    phi = sp.Symbol("phi", real=True)
    rest = pendulum()
    top = gc.models.get("heavy-top")().reduce()
    assert "SPECTRALLY_STABLE_ONLY is a report" in refusal(top, top.equilibrium("sleeping", Omega0=200))
    assert "exponential" in refusal(pendulum(potential=sp.exp(phi**2) - 3 * sp.cos(phi)), rest.state())
    disk = gc.models.get("rolling-disk")().reduce().despun()
    assert "integrals over a shape" in refusal(disk, disk.equilibrium("rolling", Omega0=5))
    assert "of a sampled loop" in _held_refusal()


def _held_refusal():
    mech = gc.models.get("pendulum-skate-rotor")()
    law, plant = gc.match(mech).law(sigma=-1e-5).with_damping(k=0.27), mech.reduce()
    eq = plant.equilibrium("sliding", Y0=1.0)
    with pytest.raises(CertificateError, match="no theorem of Rocq") as caught:
        gc.certify(plant, eq, controller=law.sampled(rate=100)).to_rocq()
    return str(caught.value)


def test_each_theorem_of_the_checker_has_one_here_or_a_reason():
    assert {*MISSING, *HERE} == {*THEOREMS} - ({*CURVES, *SETS} - {*MISSING})
    assert not {*MISSING} & {*HERE}


CHANGES = {
    "damped skate": lambda theorem: {"P": [["-1"] * len(row) for row in theorem["P"]]},
    "open skate": lambda _: {"m": "0"},
    "controlled skate": lambda theorem: {"sense": -theorem["sense"]},
    "snakeboard": lambda _: {"power": 2},
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_the_checker_refuses_has_no_theorem(name):
    data = content(name)
    data["theorem"] |= CHANGES[name](data["theorem"])
    with pytest.raises(CertificateError, match="no theorem of Rocq for this proof"):
        rocq_text(signed(data))


def test_levels_that_leave_a_point_alone_have_a_theorem():
    assert "@ec_check" in rocq_text(signed(two_states()))


def test_a_term_that_is_nested_too_deeply_is_refused():
    data = two_states()
    problem = data["problem"]
    problem["nodes"] += [["prod", "-1", [[0, 1]]], ["sum", [[3, 0], [3, 5]] * 2_000]]
    problem["field"] = [6, 2]
    with pytest.raises(CertificateError, match="nested too deeply"):
        rocq_text(signed(data))


INJECTIONS = [
    "x *) Axiom evil : False. (*",
    "x *) Lemma evil : False. Admitted. (*",
    "(* (* (*",
    '"',
    'a "open string',
    "x := 0. Axiom evil : False. Definition y",
    "x : R) (evil",
    "sin",
    "cont_on",
    "derivable_pt_lim",
    "Rabs",
    "R",
    "t",
    "eps -> False",
    "forall",
    "match",
    "ok",
    "e0",
    "C_",
    "Y",
    "placeholder_0",
    "a.b'c d\\e",
    "\N{GREEK SMALL LETTER ALPHA}\N{MULTIPLICATION SIGN}",
    "9lives; Print Assumptions ok",
    "Quit. Drop.",
]


def bare(text):
    """A text without its comments, which nest, and in which strings are closed."""
    kept, depth, i = [], 0, 0
    while i < len(text):
        if text.startswith("(*", i) or (depth and text.startswith("*)", i)):
            depth += 1 if text[i] == "(" else -1
            i += 2
        else:
            assert not (depth and text[i] == '"')
            kept += [text[i]] if not depth else []
            i += 1
    assert not depth
    return "".join(kept)


def renamed(text, words):
    """A text with other words."""
    return re.sub(r"[A-Za-z_][A-Za-z0-9_']*", lambda word: words.get(word[0], word[0]), text)


@pytest.mark.parametrize("evil", INJECTIONS)
def test_a_name_is_no_more_than_a_name(evil):
    """The file of a pendulum with hostile names is that of a plain one, word by word, with other names."""
    made = [certificate_with(*names) for names in ((evil, f"{evil} too"), ("plain", "other"))]
    texts = [bare(rocq_text(data)) for data in made]
    hostile, plain = (re.findall(r"[A-Za-z_][A-Za-z0-9_']*|\S", text) for text in texts)
    assert len(hostile) == len(plain)
    words = {}
    for own, other in zip(hostile, plain, strict=True):
        if own != other:
            assert re.fullmatch("[A-Za-z][A-Za-z0-9_]*", own), own
            assert words.setdefault(other, own) == own
    # One word stands for one, and none that the file uses for something else.
    assert len(set(words.values())) == len(words)
    assert not set(words.values()) & set(plain)


def certificate_with(state, parameter):
    """The content of a pendulum's certificate in which a state and a parameter have other names."""
    data = content("pendulum")
    data["system"] = f"{state} and {parameter}"
    problem, theorem = data["problem"], data["theorem"]
    label = next(iter(problem["states"]))
    theorem["free"] = [state if k == label else k for k in theorem["free"]]
    problem["states"] = {state if k == label else k: v for k, v in problem["states"].items()}
    problem["parameters"][parameter] = "7/3"
    for node in problem["nodes"]:
        if node[0] == "sym" and node[1] == label:
            node[1] = state
    problem["nodes"].append(["sym", parameter, "parameter"])
    return signed(data)


@pytest.mark.parametrize("evil", INJECTIONS)
def test_a_comment_ends_where_it_ends(evil):
    assert bare("\n".join(comment(evil, f"{evil} {evil}"))).strip() == ""


def test_numbers_are_numbers():
    data = content("pendulum")
    label = next(iter(data["problem"]["states"]))
    for value in ("0) Axiom", "1#2", "1/0", "1e3", "٣", 0, None, ["0"]):
        data["problem"]["states"][label] = value
        with pytest.raises(CertificateError, match="belongs here"):
            rocq_text(signed(data))


def test_identifiers_are_words():
    for evil in INJECTIONS:
        assert re.fullmatch("[A-Za-z][A-Za-z0-9_]*", identifier(evil))
