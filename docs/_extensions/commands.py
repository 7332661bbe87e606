"""Pages about the command line: commands that are run when pages are built, errors that are explained.

``commands``
    Lines ``$ geoctrl ...``, run one after the other in a folder that belongs to the page, 80 columns wide;
    what each prints stands below it. One that fails is an error of the page, unless ``:fails:`` says so.
``explained-errors``
    A section for each error of the table beside the messages.
"""

from __future__ import annotations

import os
import shlex
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import ClassVar
from unittest.mock import patch

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from geoctrl._explanations import Explanation, explanations
from geoctrl.cli import main

PROMPT = "$ geoctrl "
COLUMNS = 80


def printed(command: str) -> tuple[str, int]:
    """What a command prints, errors included, and its exit status."""
    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told), patch.dict(os.environ, COLUMNS=str(COLUMNS)):
        try:
            status = main(shlex.split(command))
        except SystemExit as done:
            status = int(done.code or 0)
    return told.getvalue(), status


def typed(command: str) -> str:
    """A command on lines of 80 columns, as it may be typed."""
    words = PROMPT + " ".join(command.removeprefix(PROMPT).split())
    breaks = {"width": COLUMNS - 2, "break_long_words": False, "break_on_hyphens": False}
    return " \\\n".join(wrap(words, subsequent_indent=" " * 4, **breaks))


def in_a_terminal(text: str) -> str:
    """What was printed, lines that are longer than a terminal is wide on several."""
    lines = text.rstrip("\n").split("\n")
    broken = (
        wrap(line, COLUMNS, break_on_hyphens=False) if len(line) > COLUMNS else [line] for line in lines
    )
    return "\n".join(part for parts in broken for part in parts)


class Commands(SphinxDirective):
    """``{commands}``: commands, and what they print."""

    has_content = True
    option_spec: ClassVar = {"fails": directives.flag}

    def run(self) -> list[nodes.Node]:
        folder = self.env.temp_data.setdefault("folder of commands", TemporaryDirectory())
        shown: list[str] = []
        for command in "\n".join(self.content).replace("\\\n", " ").splitlines():
            if not command.startswith(PROMPT):
                raise self.error(f"a command begins with {PROMPT!r}, got {command!r}")
            with chdir(folder.name):
                text, status = printed(command.removeprefix(PROMPT))
            if bool(status) != ("fails" in self.options):
                raise self.error(f"{command}: exit status {status}: {text}")
            shown.append(f"{typed(command)}\n{in_a_terminal(text)}")
        block = "\n\n".join(shown)
        return [nodes.literal_block(block, block, language="console", classes=["commands"])]


class ExplainedErrors(SphinxDirective):
    """``{explained-errors}``: the table of errors as sections."""

    def run(self) -> list[nodes.Node]:
        return [self.section(found) for found in explanations().values()]

    def section(self, found: Explanation) -> nodes.section:
        title = nodes.title("", "", nodes.literal(text=found.key), nodes.Text(f": {found.title}"))
        section = nodes.section("", title, ids=[found.key], names=[found.key])
        section += nodes.paragraph("", "", nodes.literal(text=f"{found.error}: {found.pattern}"))
        section += nodes.paragraph(text=found.meaning)
        causes = nodes.bullet_list()
        causes += [nodes.list_item("", nodes.paragraph(text=cause)) for cause in found.causes]
        section += causes
        for words, code in zip(("Before", "After"), found.examples, strict=True):
            section += nodes.paragraph(text=f"{words}:")
            # The tests run it: it is marked as what needs no run here.
            section += nodes.literal_block(code, code, language="python", classes=["plot"])
        return section


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("commands", Commands)
    app.add_directive("explained-errors", ExplainedErrors)
    return {"parallel_read_safe": False}
