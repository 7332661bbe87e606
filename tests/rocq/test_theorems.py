"""The library, and what `python -m tests.rocq check` gives to `coqc`."""

from geoctrl.rocq import library_files
from tests.rocq.cases import CASES, MUTATED, certificate
from tests.rocq.mutants import IN_DATA, IN_STATEMENT, mutants


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
    assert {*MUTATED} <= {*CASES}


def test_every_kind_of_change_is_tried():
    tried = [[*mutants(certificate(name).to_rocq())] for name in MUTATED]
    assert {kind for kinds in tried for kind in kinds} == {*IN_DATA, *IN_STATEMENT}
    assert min(map(len, tried)) >= 6
