"""An error as a notebook shows it: the line that asked, and the words; not the frames of the library."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path

from geoctrl._printing.printed_lines import told_behind

__all__ = ["asking_frame", "rendered_error"]

_PACKAGE = str(Path(__file__).resolve().parents[1])
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


def asking_frame(error: BaseException) -> traceback.FrameSummary | None:
    """The last frame that belongs neither to the package nor to another library; None if all do."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not _of_a_library(f.filename)]
    return own[-1] if own else None


def _of_a_library(file: str) -> bool:
    return file.startswith((_PACKAGE, *_LIBRARIES)) or file.startswith("<frozen")


def rendered_error(error: BaseException) -> list[str]:
    """Lines of a traceback: where the user asked, what was wrong, and what that came from."""
    lines = []
    if frame := asking_frame(error):
        place = "the cell" if "ipykernel" in frame.filename or frame.filename[0] == "<" else frame.filename
        inside = "" if frame.name == "<module>" else f", in {frame.name}"
        lines += [f"In {place}, line {frame.lineno}{inside}:", f"----> {frame.line}", ""]
    lines += _words(f"{type(error).__name__}: ", error)
    if error.__cause__ is not None:
        lines += _words(f"came from {type(error.__cause__).__name__}: ", error.__cause__)
    return lines


def _words(beginning: str, error: BaseException) -> list[str]:
    first, *rest = str(error).split("\n")
    return [told_behind(beginning, first), *(told_behind("", line) for line in rest)]
