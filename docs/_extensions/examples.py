"""Python on the pages is run when they are built, and what it prints and draws stands below it.

``plot``
    Code, shown and run in a namespace of its own; the figure that it leaves follows.
``moving``
    Code, run and not shown; the scene that it ends with stands in its place.

Elsewhere a comment marks every fenced block of Python, and these are run in one namespace for the page. Such
a page reads the same in the repository, and a block marked ``ci`` is also run by ``.ci/run`` with the
installed package::

    <!-- ci: NAME -->
    <!-- run -->
    <!-- run: what the figure shows, for readers who cannot see it -->

A last line that is a scene, or shows itself in notebooks, is shown as there. A block that raises, or warns,
is a warning of the build, and the blocks after it in the page are not run. A mechanism of the catalogue is
the same one on all pages and in the gallery: it keeps what is derived of it, and each would derive that anew.
"""

from __future__ import annotations

import ast
import re
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stdout
from functools import cache, lru_cache, wraps
from html import escape
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import matplotlib as mpl
import matplotlib.pyplot as plt
from docutils import nodes
from docutils.parsers.rst import directives
from matplotlib.figure import Figure
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import geoctrl as gc
from geoctrl.viz import Scene
from geoctrl.viz.scenes.page import asset
from geoctrl.viz.style import COLOURS

LOGGER = logging.getLogger(__name__)
GENERATED = "generated"
MARKER = re.compile(r"\s*<!--\s*(?P<kind>ci|run)(?::\s*(?P<words>.*?))?\s*-->\s*", re.DOTALL)

STYLE = {
    "axes.grid": True,
    "axes.prop_cycle": mpl.cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "grid.color": "#e3e3e3",
    "grid.linewidth": 0.6,
    "figure.facecolor": "white",
    "figure.figsize": (6.4, 3.6),
    "font.size": 10.5,
    "mathtext.fontset": "cm",
    "savefig.facecolor": "white",
    "svg.hashsalt": "geoctrl",
}


@cache
def sharing(builder: Callable[..., Any]) -> Callable[..., Any]:
    """A builder of the catalogue that gives again what it has built with the same options."""
    kept = lru_cache(maxsize=None, typed=True)(builder)

    @wraps(builder)
    def built(*args: Any, **options: Any) -> Any:
        try:
            return kept(*args, **options)
        except TypeError:  # a list among the options, or a mistake, of which the builder tells
            return builder(*args, **options)

    return built


def share_mechanisms(app: Sphinx) -> None:
    """Have `geoctrl.models.get` give builders that share, until the build ends."""
    get = gc.models.get
    gc.models.get = wraps(get)(lambda name: sharing(get(name)))

    def no_longer(*_: Any) -> None:
        gc.models.get = get

    app.connect("build-finished", no_longer)


def save(figure: Figure, place: Path) -> None:
    """The figure as SVG, its text as outlines, the same at every build."""
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place, bbox_inches="tight", pad_inches=0.08, metadata={"Date": None})


def run(code: str, where: str, namespace: dict[str, Any]) -> tuple[str, list[Figure], Any]:
    """Execute code: what it prints, its figures, which the caller closes, and what it ends with."""
    plt.close("all")
    printed, last = StringIO(), None
    tree = ast.parse(code, where)
    ending = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with mpl.rc_context(STYLE), warnings.catch_warnings(), redirect_stdout(printed):
        warnings.simplefilter("error")
        exec(compile(tree, where, "exec"), namespace)
        if ending is not None:
            last = eval(compile(ast.Expression(ending.value), where, "eval"), namespace)
    figures = [plt.figure(number) for number in plt.get_fignums()]
    return printed.getvalue(), figures, last


def image(env: BuildEnvironment, figure: Figure, alt: str) -> nodes.image:
    """Save a figure of the page that is being read, and show it."""
    number = env.temp_data["figures"] = env.temp_data.get("figures", 0) + 1
    name = f"{env.docname.replace('/', '-')}-{number}.svg"
    with mpl.rc_context(STYLE):
        save(figure, Path(env.srcdir) / GENERATED / "figures" / name)
    return nodes.image(uri=f"/{GENERATED}/figures/{name}", alt=alt, classes=["result"])


def moving(env: BuildEnvironment, scene: Scene, alt: str) -> nodes.raw:
    """Save a scene of the page that is being read, and show it."""
    number = env.temp_data["scenes"] = env.temp_data.get("scenes", 0) + 1
    name = f"{env.docname.replace('/', '-')}-{number}.html"
    place = Path(env.app.outdir) / "_static" / "scenes"
    place.mkdir(parents=True, exist_ok=True)
    (place / "viewer.min.js").write_text(asset("viewer.min.js"), encoding="utf-8")
    scene.save(place / name, script="viewer.min.js")
    up = "../" * env.docname.count("/")
    source, title = f"{up}_static/scenes/{name}", escape(alt)
    frame = f'<iframe class="scene" loading="lazy" src="{source}" title="{title}"></iframe>'
    return nodes.raw("", frame, format="html")


def as_in_notebooks(env: BuildEnvironment, last: Any, alt: str) -> list[nodes.Node]:
    """What a notebook shows of the last line of a block: a scene, a card, or nothing."""
    if isinstance(last, Scene):
        return [moving(env, last, alt)]
    if hasattr(last, "_repr_html_"):
        return [nodes.raw("", f'<div class="notebook-card">{last._repr_html_()}</div>', format="html")]
    return []


class Plot(SphinxDirective):
    """``{plot}``: code that leaves a figure."""

    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        code = "\n".join(self.content)
        try:
            _, figures, _ = run(code, f"{self.env.docname}, line {self.lineno}", {})
        except Exception:
            raise self.severe(traceback.format_exc(limit=-3)) from None
        shown = nodes.literal_block(code, code, language="python", classes=["plot"])
        images = [image(self.env, figure, self.options.get("alt", "")) for figure in figures]
        plt.close("all")
        return [shown, *images]


class Moving(SphinxDirective):
    """``{moving}``: code that ends with a scene; the scene alone is shown."""

    has_content = True
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        try:
            _, _, scene = run("\n".join(self.content), f"{self.env.docname}, line {self.lineno}", {})
        except Exception:
            raise self.severe(traceback.format_exc(limit=-3)) from None
        if not isinstance(scene, Scene):
            raise self.error("the code does not end with a scene")
        return [moving(self.env, scene, self.options.get("alt", ""))]


class MarkedBlocks(SphinxTransform):
    """Run the marked blocks of a page, in order; one of Python without a mark is a warning."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        # Files that examples write are found by those after them, and left nowhere.
        with TemporaryDirectory() as folder, chdir(folder):
            self._run_blocks()

    def _run_blocks(self) -> None:
        namespace: dict[str, Any] = {}
        for block, marker in list(self.blocks()):
            if marker is None:
                LOGGER.warning("a block of Python is not marked to be run", location=block)
                continue
            alt = (marker["words"] or "") if marker["kind"] == "run" else ""
            try:
                printed, figures, last = run(
                    block.astext(), f"{self.env.docname}, line {block.line}", namespace
                )
            except Exception:
                LOGGER.warning("the example fails: %s", traceback.format_exc(limit=-3), location=block)
                return
            below: list[nodes.Node] = []
            if printed:
                below.append(nodes.literal_block(printed, printed, language="none", classes=["printed"]))
            below += [image(self.env, figure, alt) for figure in figures]
            below += as_in_notebooks(self.env, last, alt)
            plt.close("all")
            block.parent[block.parent.index(block) + 1 : block.parent.index(block) + 1] = below

    def blocks(self) -> Iterator[tuple[nodes.literal_block, re.Match[str] | None]]:
        """Blocks of Python that no directive has run, each with its marker."""
        for block in self.document.findall(nodes.literal_block):
            if block.get("language") == "python" and "plot" not in block["classes"]:
                place = block.parent.index(block)
                before = block.parent[place - 1] if place else None
                is_comment = isinstance(before, (nodes.raw, nodes.comment))
                yield block, MARKER.fullmatch(before.astext()) if is_comment else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the marked blocks."""
    mpl.use("Agg")
    share_mechanisms(app)
    app.add_directive("plot", Plot)
    app.add_directive("moving", Moving)
    app.add_transform(MarkedBlocks)
    # Figures are drawn by one pyplot, and what they show may change with the library.
    return {"parallel_read_safe": False}
