"""Files made to take long or much memory are refused in words, in a process with little of both."""

import json
import subprocess
import sys
from contextvars import copy_context
from itertools import islice

import pytest
from flint import fmpq

from geoctrl.checker import limits
from geoctrl.checker.identities import Functions
from geoctrl.checker.jets import LONGEST, Jet, Numbers
from geoctrl.checker.limits import Refusal
from tests.attack.parts import heavy_files

QUICK = 24
"""Of the heavy files, those that are tried here; the standing attack tries all."""
SLOW = {"many cells", "factors of degree"}
"""Two of these that are true and take a second each, left to the standing attack."""
GENUINE = {"a box of 10^400", "cells of a map", "exp of axes to 10^11"}
"""Those that are large and true: x'' = -x stays below the level 1 of x^2 + v^2, however many cells say so."""
CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
from geoctrl import checker
told = []
for path in sys.argv[1:]:
    try:
        told.append("confirmed: " + checker.check_file(path).claim)
    except checker.Refusal as refusal:
        told.append(f"refused: {refusal}")
print(json.dumps(told))
"""
NESTED = "[" * 991 + "]" * 991


@pytest.mark.long(
    reason="the attack in quick mode, a part of .ci/run, has these files checked within such limits"
)
def test_heavy_files_are_refused_within_a_gigabyte(tmp_path):
    files, paths = dict(islice(heavy_files.heavy().items(), QUICK)), []
    files = {name: data for name, data in files.items() if name not in SLOW}
    names = [*files]
    for k, data in enumerate(files.values()):
        paths.append(tmp_path / f"{k}.json")
        heavy_files.sealed(data)(paths[-1])
    for k, key in enumerate(("x", "problem", "theorem", "digest")):
        head = '"format": "geoctrl-certificate", "version": 3'
        paths.append(tmp_path / f"nest {k}.json")
        paths[-1].write_text(f'{{{head}, "{key}": {NESTED}}}')
        names.append(f"nested {key}")
    done = subprocess.run([sys.executable, "-c", CHILD, *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    told = dict(zip(names, json.loads(done.stdout), strict=True))
    assert {name for name, words in told.items() if not words.startswith("refused: ")} == GENUINE
    assert "not bounded in the box" in told["exp of exp of exp"]
    assert f"more than {LONGEST} bits" in told["tower of powers of a number"]
    assert "too many functions occur" in told["functions beyond all bounds"]
    assert "words of numbers" in told["many fractions"]


def test_a_number_has_no_more_than_a_million_bits():
    numbers = Numbers({})
    for q in (fmpq(2) ** (LONGEST - 1), 1 / fmpq(3) ** 1000):
        assert numbers.count(Jet({(): q}, 2)).value == q
    for q in (fmpq(2) ** LONGEST, fmpq(2) ** -LONGEST):
        with pytest.raises(Refusal, match="bits"):
            numbers.count(Jet({(): fmpq(1), (0,): q}, 2))


def test_one_clock_ends_what_is_within_it(monkeypatch):
    def within(*ends):
        """One within the other."""
        monkeypatch.setattr(limits, "SECONDS", ends[0])
        limits.begin()
        if ends[1:]:
            copy_context().run(within, *ends[1:])
        limits.spend()

    limits.spend(10**9)  # nothing was begun
    copy_context().run(within, 60.0, 50.0)
    for ends in ((-1.0,), (60.0, -1.0), (-1.0, 60.0)):
        with pytest.raises(Refusal, match="takes more than"):
            copy_context().run(within, *ends)


def test_words_are_counted():
    def spent(*words):
        limits.begin()
        for count in words:
            limits.spend(count)

    copy_context().run(spent, limits.WORDS - 1, 1)
    with pytest.raises(Refusal, match="words of numbers"):
        copy_context().run(spent, limits.WORDS, 1)


def test_long_coefficients_of_functions_are_words(monkeypatch):
    monkeypatch.setattr(limits, "WORDS", 1000)
    functions = Functions(1, [], lambda _place, _value: 0)
    jet = Jet({(): functions.variables[0] * fmpq(2) ** (32 * 90)}, 1)

    def counted(times):
        limits.begin()
        for _ in range(times):
            functions.count(jet)

    copy_context().run(counted, 10)
    with pytest.raises(Refusal, match="words of numbers"):
        copy_context().run(counted, 12)
