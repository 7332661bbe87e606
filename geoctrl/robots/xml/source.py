"""The text that a source is, or names."""

from __future__ import annotations

import os
from pathlib import Path

from geoctrl._scalars import shown
from geoctrl.errors import ModelFileError
from geoctrl.robots.xml.elements import MOST_BYTES

__all__ = ["source_text"]


def source_text(source: object) -> str:
    """The text of a model: a path's content, or the text itself, which has a "<".

    No other file is opened, and no address.
    """
    if isinstance(source, str) and "<" in source:
        return source
    if not isinstance(source, (str, os.PathLike)):
        raise ModelFileError(
            f"a model file is needed: a path, or its text, got {shown(source)}; a compiled model of mujoco "
            "is read by gc.from_mujoco"
        )
    path = Path(os.fsdecode(source))
    try:
        if not path.is_file():
            raise ModelFileError(f"there is no file {shown(str(path))}")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ModelFileError(f"{shown(str(path))} cannot be read: {error}") from None
    if len(data) > MOST_BYTES:
        raise ModelFileError(f"{shown(str(path))} has more than {MOST_BYTES} bytes; no more are read")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{shown(str(path))} is no text in UTF-8: {error}") from None
