"""Errors in notebooks: the line that asked and the words, without the frames of the library."""

import linecache

import pytest

import geoctrl as gc
from geoctrl._printing.user_frames import asking_frame

CELL = """import geoctrl as gc
cart = gc.models.get("cart-pendulum")().reduce()

def ask():
    return gc.linearize(cart, [1.0, 2.0, 3.0])

ask()
"""


def error_of(code, name="<cell 1>"):
    linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
    try:
        exec(compile(code, name, "exec"), {})
    except gc.errors.GeoctrlError as error:
        return error
    raise AssertionError("nothing was raised")


def test_the_line_that_asked_and_the_words():
    error = error_of(CELL)
    text = "\n".join(error._render_traceback_())
    assert text.startswith("In the cell, line 5, in ask:\n----> return gc.linearize(cart, [1.0, 2.0, 3.0])\n")
    assert " ".join(f"EquilibriumError: {error}".split()) in " ".join(text.split())
    assert "geoctrl/" not in text
    assert max(map(len, text.splitlines())) <= 79


def test_of_a_function_that_the_library_called_its_own_line_is_shown():
    code = CELL.replace("ask()\n", "gc.simulate(cart, [0, 1], cart.state(), inputs=lambda t, x, p: ask())\n")
    assert asking_frame(error_of(code, "<cell 2>")).lineno == 5


def test_what_an_error_came_from_is_told():
    try:
        raise gc.errors.InputError("the words") from ValueError("what was found")
    except gc.errors.InputError as error:
        lines = error._render_traceback_()
    assert lines[-2:] == ["InputError: the words", "came from ValueError: what was found"]


def test_an_error_that_was_never_raised_has_its_words():
    assert gc.errors.InputError("words")._render_traceback_() == ["InputError: words"]


def test_ipython_shows_one_frame(capsys):
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactive.InteractiveShell.instance()
    result = shell.run_cell(CELL)
    told = capsys.readouterr().out
    assert result.error_in_exec is not None
    assert told.count("---->") == 1
    assert "EquilibriumError: not an equilibrium" in told
    assert "_calls" not in told
    shown, _ = shell.display_formatter.format(gc.linearize(shell.user_ns["cart"], [0.0, 0.0, 0.0]))
    assert shown["text/html"].startswith("<div")
    interactive.InteractiveShell.clear_instance()
