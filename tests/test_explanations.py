"""Errors that are explained: the table, the messages that name its keys, and the programs in it."""

import re

import pytest

import geoctrl as gc
from geoctrl._explanations import explanations
from tests.test_architecture import FILES, PACKAGE

KEY = re.compile(r"key=\"([a-z]+(?:-[a-z]+)+)\"")
TABLE = explanations()


def test_messages_name_the_keys_of_the_table_and_no_others():
    named = {key for path in FILES for key in KEY.findall(path.read_text(encoding="utf-8"))}
    assert named == set(TABLE)


@pytest.mark.parametrize("key", TABLE)
def test_a_row_has_three_causes_and_programs_that_a_terminal_shows(key):
    row = TABLE[key]
    assert len(row.causes) == 3
    assert issubclass(getattr(gc, row.error), gc.GeoctrlError)
    for code in row.examples:
        assert code.startswith("import ")
        assert max(map(len, code.splitlines())) <= 76


@pytest.mark.parametrize("key", TABLE)
def test_the_first_program_raises_this_error_and_the_second_none(key):
    row = TABLE[key]
    with pytest.raises(getattr(gc, row.error)) as told:
        exec(compile(row.before, key, "exec"), {})
    words = str(told.value)
    assert told.value.key == key
    assert words.endswith(f" (geoctrl explain {key})")
    patterns = [re.sub(r"(\\ )?\\\.\\\.\\\.", ".*", re.escape(part)) for part in row.pattern.split(", or ")]
    assert any(re.match(pattern, words) for pattern in patterns), words
    exec(compile(row.after, key, "exec"), {})


def test_a_message_without_a_key_stays_as_it_is():
    assert str(gc.InputError("x is wrong")) == "x is wrong"
    assert gc.InputError("x is wrong").key == ""
    told = gc.EquilibriumError("it moves", 0.5, key="not-equilibrium")
    assert (str(told), told.residual) == ("it moves (geoctrl explain not-equilibrium)", 0.5)


def test_the_table_is_in_the_package():
    text = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert '"explanations.toml"' in text
