"""The list of pages beside a page: that of a neighbour, with another entry marked.

Some three hundred pages list all of them; to resolve the list anew for each took a fifth of the build. Only
entries are marked: the theme shows no list as a whole as the current one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx

MARKED = re.compile(r'<li class="(toctree-l\d+) current"><a class="current reference internal" href="#">')


def moved(listed: str, here: str, there: str) -> str:
    """The list beside the page ``here`` as it stands beside ``there``, in the same folder."""
    plain = MARKED.sub(rf'<li class="\1"><a class="reference internal" href="{here}.html">', listed)
    link = rf'<a class="reference internal" href="{re.escape(there)}\.html">'
    return re.sub(
        rf'<li class="(toctree-l\d+)">{link}',
        r'<li class="\1 current"><a class="current reference internal" href="#">',
        plain,
    )


class Sidebars:
    """Lists that were resolved in a build, each with the page that it stands beside."""

    def __init__(self) -> None:
        self._known: dict[tuple, tuple[str, str]] = {}

    def share(self, app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
        """Let a page take the list of the first of its neighbours: of one folder, listed by one page."""
        parents = [parent for parent, pages in app.env.toctree_includes.items() if page in pages]
        if len(parents) != 1 or page in app.env.toctree_includes or "toctree" not in context:
            return
        resolve: Callable[..., str] = context["toctree"]
        folder, _, name = page.rpartition("/")

        def toctree(**options: Any) -> str:
            key = (folder, *parents, *sorted(options.items()))
            if key not in self._known:
                self._known[key] = name, resolve(**options).replace('<ul class="current">', "<ul>")
            first, listed = self._known[key]
            return listed if first == name else moved(listed, first, name)

        context["toctree"] = toctree


def setup(app: Sphinx) -> dict[str, bool]:
    """Before the theme asks for the list."""
    app.connect("html-page-context", Sidebars().share, priority=400)
    return {"parallel_read_safe": True}
