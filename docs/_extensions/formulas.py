r"""Formulas set when the pages are built, by KaTeX in an embedded JavaScript engine.

A reader needs neither a network nor scripts: a page holds its formulas as HTML (and as MathML for screen
readers), with a style sheet and fonts of its own under ``_static/katex``. A formula that KaTeX does not
understand is a warning that shows it, so that a build with ``-W`` fails instead of leaving a red line.

KaTeX 0.19.1 (MIT licence, ``_static/katex/LICENSE``) is bundled as published: ``katex.min.js`` beside this
file, which only the build needs, the style sheet and the woff2 fonts with the pages.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from docutils import nodes
from py_mini_racer import JSEvalException, MiniRacer
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)


@cache
def engine() -> MiniRacer:
    """The JavaScript engine with KaTeX in it, loaded once for a build."""
    made = MiniRacer()
    made.eval((Path(__file__).parent / "katex.min.js").read_text(encoding="utf-8"))
    return made


NUMBER = re.compile(r"[\d.]+\\times\s*10\^(?:\{[^{}]*\}|\d)")


@cache
def formula(tex: str, display: bool) -> str:
    """HTML of a formula; JSEvalException where KaTeX has no meaning for it."""
    # "strict" refuses what KaTeX would set in another way than LaTeX.
    settings = {"displayMode": display, "throwOnError": True, "strict": "error"}
    # A line may break after an operator: braces keep a number in one piece, in a narrow cell of a table, say.
    whole = NUMBER.sub(lambda number: f"{{{number[0]}}}", tex)
    return engine().call("katex.renderToString", whole, settings)


def visit(self: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    """Write an inline or a displayed formula, the latter with its number."""
    display = isinstance(node, nodes.math_block)
    tex = node.astext()
    if display and node["number"]:
        tex += rf"\tag{{{get_node_equation_number(self, node)}}}"
    tag = "div" if display else "span"
    self.body.append(self.starttag(node, tag, "", CLASS="math notranslate nohighlight"))
    try:
        self.body.append(formula(tex, display))
    except JSEvalException as error:
        LOGGER.warning("%s\nin the formula %s", error, tex, location=node)
    self.body.append(f"</{tag}>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("katex", inline_renderers=(visit, None), block_renderers=(visit, None))
    app.add_css_file("katex/katex.min.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
