"""What `coqc` says: the library, theorems of all kinds with their axioms, changed ones that are refused."""

import pytest

from geoctrl.rocq import library_files, rocq_text
from tests.rocq.cases import CASES, certificate, signed, two_states
from tests.rocq.coqc import AXIOMS, COQC, WHY_NOT, compiled, compiled_library
from tests.rocq.mutants import IN_DATA, IN_STATEMENT, mutants

needs_coqc = pytest.mark.skipif(COQC is None, reason=WHY_NOT)
HERE = ("controlled skate", "open skate", "snakeboard")
"""Cases that are compiled here; `python -m tests.rocq check`, which `.ci/run` runs, compiles all."""
MUTATED = ("controlled skate", "damped skate", "cart with damping", "open skate", "snakeboard", "pendulum")
"""One of each theorem, and one without a leaf."""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled_library(tmp_path_factory.mktemp("library"))


def test_the_library_assumes_nothing_of_its_own():
    for name, text in library_files().items():
        for word in ("Admitted", "admit", "Axiom", "Parameter", "Conjecture", "Abort"):
            assert word not in text, f"{name}: {word}"


def test_files_of_the_library_are_short_and_say_what_they_prove():
    for name, text in library_files().items():
        lines = text.splitlines()
        assert len(lines) <= 450, name
        assert max(map(len, lines)) <= 110, name
        assert lines[0].startswith("(* "), name


def test_cases_are_at_least_twelve():
    assert len(CASES) >= 12
    assert {*HERE, *MUTATED} <= {*CASES}


@needs_coqc
@pytest.mark.slow
@pytest.mark.xdist_group("rocq")  # the library is compiled once
@pytest.mark.parametrize("name", HERE)
def test_theorems_are_accepted_and_rest_on_the_axioms_of_the_reals(name, library, tmp_path):
    answer = compiled(certificate(name).to_rocq(), tmp_path, library)
    assert answer.accepted, answer.words
    assert answer.axioms == AXIOMS


@needs_coqc
@pytest.mark.slow
@pytest.mark.xdist_group("rocq")
def test_levels_that_leave_a_point_alone_prove_it_stable(library, tmp_path):
    answer = compiled(rocq_text(signed(two_states())), tmp_path, library)
    assert answer.accepted, answer.words
    assert answer.axioms == AXIOMS


@needs_coqc
@pytest.mark.slow
@pytest.mark.xdist_group("rocq")
@pytest.mark.parametrize("name", MUTATED)
def test_changed_theorems_are_refused(name, library, tmp_path):
    changed = mutants(certificate(name).to_rocq())
    assert len(changed) >= 6
    for kind, text in changed.items():
        assert not compiled(text, tmp_path, library).accepted, kind


def test_every_kind_of_change_is_tried():
    tried = {kind for name in MUTATED for kind in mutants(certificate(name).to_rocq())}
    assert tried == {*IN_DATA, *IN_STATEMENT}
