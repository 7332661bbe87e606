"""The command line in this process: status 1 or 2 is a refusal with words, a traceback never is."""

from __future__ import annotations

import contextlib
import io

import geoctrl as gc
from geoctrl.cli import main


class CommandError(gc.GeoctrlError):
    """The command line refused, as it should."""


def command(*arguments: str) -> None:
    """Run a command; what it refuses is raised, and so is a traceback.

    Raises
    ------
    CommandError
        With the words of the refusal.
    RuntimeError
        If there was a traceback.
    """
    said, wrong = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        try:
            status = main(list(arguments))
        except SystemExit as error:
            status = error.code
    if "Traceback" in wrong.getvalue():
        raise RuntimeError(f"a traceback: {wrong.getvalue()[-200:]}")
    if status in (1, 2):
        raise CommandError(f"the command ended with {status}: {wrong.getvalue() or said.getvalue()}")
