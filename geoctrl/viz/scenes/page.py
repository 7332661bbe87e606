"""A scene as a page of HTML that needs nothing else."""

from __future__ import annotations

import html
import json
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["asset", "page"]


@cache
def asset(name: str) -> str:
    """Text of a file of the viewer: ``viewer.min.js`` or ``viewer.css``."""
    return files("geoctrl.viz.scenes").joinpath(name).read_text(encoding="utf-8")


def _element(data: dict[str, Any], script: str | None, still: str) -> str:
    """What stands in a page's body: the place of the scene, the viewer, the data.

    Parameters
    ----------
    script : str, optional
        Address of the viewer, ``viewer.min.js``; its text by default.
    still : str
        Address of a picture for browsers that run no scripts.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    if script is None:
        viewer = "<script>" + asset("viewer.min.js").replace("</script", "<\\/script") + "</script>"
    else:
        viewer = f'<script src="{html.escape(script)}"></script>'
    title = html.escape(data["title"])
    picture = f'<noscript><img alt="{title}" src="{still}" style="max-width:100%"></noscript>'
    return (
        f'<div id="scene" role="group" aria-label="{title}"></div>{picture}\n{viewer}\n'
        f'<script>geoctrlScene(document.getElementById("scene"),{text})</script>'
    )


def page(data: dict[str, Any], script: str | None, still: str) -> str:
    """The whole page."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">'
        f"<title>{html.escape(data['title'])}</title>"
        f"<style>html,body{{margin:0;height:100%}}#scene{{height:100vh;height:100dvh}}{asset('viewer.css')}</style>"
        f"</head><body>\n{_element(data, script, still)}\n</body></html>\n"
    )
