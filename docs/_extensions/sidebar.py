"""The list of pages beside a page: that of a neighbour, with another entry marked.

Some three hundred pages list all of them; to resolve the list anew for each took a fifth of the build, and
what the theme makes of it a twentieth. Only entries are marked: the theme shows no list as a whole as the
current one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx

MARKED = re.compile(
    r'<li class="(toctree-l\d+) (current(?: current-page)?)"><a class="current reference internal" href="#">'
)


def moved(listed: str, here: str, there: str) -> str:
    """The list beside the page ``here`` as it stands beside ``there``, in the same folder."""
    marked = MARKED.search(listed)
    mark = marked[2] if marked else "current"
    plain = MARKED.sub(rf'<li class="\1"><a class="reference internal" href="{here}.html">', listed)
    link = rf'<a class="reference internal" href="{re.escape(there)}\.html">'
    return re.sub(
        rf'<li class="(toctree-l\d+)">{link}',
        rf'<li class="\1 {mark}"><a class="current reference internal" href="#">',
        plain,
    )


class Sidebars:
    """Lists of a build as the theme shows them, each with the page that it stands beside.

    A page takes the list of the first of its neighbours: of one folder, listed by one page.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, str]] = {}

    def before(self, app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
        """Let the theme ask for no list where one is known, else for one without marks of its own."""
        if (key := place(app, page)) and "toctree" in context:
            resolve: Callable[..., str] = context["toctree"]
            known = key in self._known
            context["toctree"] = lambda **options: (
                "" if known else resolve(**options).replace('<ul class="current">', "<ul>")
            )

    def after(self, app: Sphinx, page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
        """Put the list there, or keep it for the neighbours."""
        if (key := place(app, page)) and "furo_navigation_tree" in context:
            name = page.rpartition("/")[2]
            first, listed = self._known.setdefault(key, (name, context["furo_navigation_tree"]))
            context["furo_navigation_tree"] = listed if first == name else moved(listed, first, name)


def place(app: Sphinx, page: str) -> tuple[str, str] | None:
    """Folder and parent of a page that one page lists, and that lists none itself."""
    parents = [parent for parent, pages in app.env.toctree_includes.items() if page in pages]
    if len(parents) != 1 or page in app.env.toctree_includes:
        return None
    return page.rpartition("/")[0], parents[0]


def setup(app: Sphinx) -> dict[str, bool]:
    """Before and after the theme makes its list of what Sphinx says."""
    sidebars = Sidebars()
    app.connect("html-page-context", sidebars.before, priority=400)
    app.connect("html-page-context", sidebars.after, priority=600)
    return {"parallel_read_safe": True}
