"""Pictures of studies for the pages: 1100 pixels wide at most, in at most 256 colours.

python docs/_extensions/small_pictures.py results docs/_static/studies NAME=figure.png ...
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

WIDTH, COLOURS = 1100, 256


def write_small(source: Path, target: Path) -> None:
    """One picture, smaller."""
    picture = Image.open(source).convert("RGB")
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Image.LANCZOS)
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        target, optimize=True
    )


if __name__ == "__main__":
    folder, out = map(Path, sys.argv[1:3])
    for pair in sys.argv[3:]:
        name, _, figure = pair.partition("=")
        write_small(folder / figure, out / f"{name}.png")
