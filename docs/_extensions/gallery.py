"""The gallery: programs of ``docs/gallery``, run by sphinx-gallery when the pages are built.

A program's figures look like those of the pages. A scene that a block ends with stands below it in a frame,
as on the pages, and gives the program its thumbnail. A claim that does not hold, an ``assert`` in the
program, is a program that fails, and with it the build.
"""

from __future__ import annotations

import gc
from io import BytesIO
from pathlib import Path
from shutil import copy
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from examples import STYLE
from PIL import Image, ImageChops, ImageOps
from sphinx.application import Sphinx

from geoctrl.viz import Scene
from geoctrl.viz.scenes.page import asset

GROUPS = ("balance", "roll", "jumps", "space", "bodies", "loops")
SCENES = Path("generated", "scenes")
"""Scenes of the programs below the sources, from where they go to the pages' static files."""

DOTS = 160
"""Dots per inch of a figure, of which screens with small dots show more than others."""


MARGIN = 20
"""Around what a thumbnail shows (dots)."""


def styled(*_: Any) -> None:
    """Figures of the next program look like those of the pages.

    After each program sphinx-gallery searches all there is for garbage: what was there before is left out.
    """
    gc.freeze()
    plt.close("all")
    mpl.rcdefaults()
    mpl.rcParams.update({**STYLE, "figure.dpi": DOTS, "savefig.bbox": "tight", "savefig.pad_inches": 0.08})


def moving(_: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """The frame of a scene that a block ends with; the scene and its picture for the thumbnail are saved."""
    last = variables["example_globals"].get("___")
    if not isinstance(last, Scene):
        return ""
    source = Path(variables["src_file"])
    folder = Path(settings["src_dir"]) / SCENES
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{source.parent.name}-{source.stem}.html"
    last.save(folder / name, script="viewer.min.js")
    save_within_margins(last, next(variables["image_path_iterator"]))
    title = last.data()["title"]
    address = f"../../../_static/scenes/{name}"
    frame = f'<iframe class="scene" loading="lazy" src="{address}" title="{title}"></iframe>'
    return f".. raw:: html\n\n   {frame}\n\n"


def save_within_margins(scene: Scene, place: str) -> None:
    """One moment of a scene, of which a narrow margin is left."""
    figure, within = scene.thumbnail(), BytesIO()
    figure.savefig(within, dpi=DOTS)
    plt.close(figure)
    picture = Image.open(within).convert("RGB")
    left, top, right, bottom = ImageChops.difference(
        picture, Image.new("RGB", picture.size, "white")
    ).getbbox()
    within_margins = ImageOps.expand(picture.crop((left, top, right, bottom)), MARGIN, "white")
    within_margins.save(place)


def copy_scenes(app: Sphinx, error: Exception | None) -> None:
    """Put the scenes of the programs beside those of the pages, with the viewer."""
    found = sorted((Path(app.srcdir) / SCENES).glob("*.html"))
    if error is None and found and app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "scenes"
        target.mkdir(parents=True, exist_ok=True)
        (target / "viewer.min.js").write_text(asset("viewer.min.js"), encoding="utf-8")
        for scene in found:
            copy(scene, target)


SETTINGS = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"[\\/]plot_",
    "subsection_order": [f"gallery/{group}" for group in GROUPS],
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("geoctrl",),
    "reset_modules": ("gallery.styled",),
    "image_scrapers": ("matplotlib", "gallery.moving"),
    "capture_repr": (),
    "thumbnail_size": (480, 300),
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 1e9,
    "log_level": {"backreference_missing": "info"},
}
"""Of sphinx-gallery."""


def setup(app: Sphinx) -> dict[str, bool]:
    """Scenes go with the pages."""
    app.setup_extension("sphinx_gallery.gen_gallery")
    app.connect("build-finished", copy_scenes)
    return {"parallel_read_safe": False}
