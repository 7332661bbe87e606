"""Compiled kernels are kept on disk, so that a second process loads what a first has compiled.

numba keeps what it compiles beside the file that it was compiled from. Kernels are written by programs and
have no file: here they get one, named by a digest of all that the machine code depends on. numba does the
rest: it replaces files in one piece, so that writers may meet.

What numba reads back is code. It is read from folders alone that belong to the user and that nobody else may
write to; where there are none, nothing is kept.
"""

from __future__ import annotations

import hashlib
import os
import platform
import stat
import sys
import tempfile
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding
import numba

__all__ = ["forget", "place"]

# A kernel takes some 45 kB: less than two hundred megabytes, for the kernels of about a thousand systems.
LIMIT = 4096


def place(source: str, *options: str) -> Path | None:
    """The file that stands for a source compiled with some options; None where nothing may be kept."""
    try:
        folder = _folder()
        if folder is None:
            return None
        parts = [source, *options, *_surroundings()]
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        path = folder / f"k{digest}.py"
        if path.exists():
            os.utime(path)  # used now: the last one to be dropped
        else:
            _drop_the_oldest(folder)
            _write(path, source)
    except (OSError, RuntimeError):  # a full disk, a folder that cannot be written to, a user without a home
        return None
    return path


def forget(path: Path) -> None:
    """Remove a kernel, the files that numba made of it included."""
    for kept in [path, *path.parent.glob(f"__pycache__/{path.stem}.*"), *_by_numba(f"/{path.stem}.*")]:
        kept.unlink(missing_ok=True)


def _folder() -> Path | None:
    """The folder of the kernels, made if there is none; None if others may write to it."""
    folder = _user_cache() / "geoctrl"
    compiled = (
        folder / "__pycache__"
    )  # numba would make it, open to the user's group where that is the custom
    for made in (folder, compiled):
        made.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Who may write to the parent could put another folder in its place.
    places = (folder.parent, folder, compiled, *_by_numba())
    return folder if all(_is_private(path) for path in places) else None


def _user_cache() -> Path:
    """Numba's folder where one is set, else where the platform keeps what programs can make again."""
    if told := _numba_folder():
        return Path(told).absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    given = Path(os.environ.get("XDG_CACHE_HOME") or ".")
    return given if given.is_absolute() else Path.home() / ".cache"


def _numba_folder() -> str:
    """NUMBA_CACHE_DIR, as numba has read it; empty if it is not set."""
    return vars(numba.config)["CACHE_DIR"]


def _by_numba(pattern: str = "") -> list[Path]:
    """What there is where numba, told a folder, keeps what it compiles from ours: beside, not within."""
    return list(_user_cache().glob(f"geoctrl_*{pattern}")) if _numba_folder() else []


def _is_private(folder: Path) -> bool:
    """Whether a folder is this user's and nobody else may write to it; on Windows its place decides that."""
    if sys.platform == "win32":
        return True
    found = folder.lstat()
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not others


@cache
def _surroundings() -> tuple[str, ...]:
    """What else machine code depends on: programs, processor, numba's settings, what kernels call."""
    settings = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith("NUMBA_")]
    package = Path(__file__).parents[1]
    next(package.iterdir())  # an OSError where the package is no folder
    own = [path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))]
    return (
        platform.python_implementation(),
        sys.version,
        numba.__version__,
        llvmlite.__version__,
        llvmlite.binding.get_process_triple(),
        llvmlite.binding.get_host_cpu_name(),
        llvmlite.binding.get_host_cpu_features().flatten(),
        *(setting for setting in settings if not setting.startswith("NUMBA_CACHE_DIR=")),
        *own,
    )


def _write(path: Path, text: str) -> None:
    """Write a file in one piece, whoever else writes it."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(name, path)


def _drop_the_oldest(folder: Path) -> None:
    """Where the limit is reached, forget the half of the kernels that were not used for longest."""
    kernels = list(folder.glob("k*.py"))
    if len(kernels) >= LIMIT:
        for path in sorted(kernels, key=lambda path: path.stat().st_mtime)[: LIMIT // 2]:
            forget(path)
