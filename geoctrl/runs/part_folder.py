"""A folder of parts: the question that they answer, one file each, and who is writing them.

Files are written beside their place and put there in one piece, so that a process that is killed at any
moment leaves the folder whole.
"""

from __future__ import annotations

import json
import os
import socket
import time
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np

from geoctrl._checks import user_level
from geoctrl._scalars import shown
from geoctrl.errors import FolderError

__all__ = ["OtherQuestionError", "PartFolder"]

_FORMAT = "geoctrl parts"
_VERSION = 1
_QUESTION = "question.json"
_LOCK = "lock.json"
_SILENT = 600.0
"""Seconds after which a lock of another host, of which nobody here can know, counts as left behind."""
_CAN_ASK = os.name == "posix"
"""Whether a process can be asked for without being sent anything."""


class OtherQuestionError(FolderError):
    """A folder holds the parts of another question, or those of another program."""


class PartFolder:
    """The folder of a question, made where there is none.

    Parameters
    ----------
    path : Path
    question : dict of name -> text, number or dict of these
        All that the numbers depend on but the size of the parts.
    """

    def __init__(self, path: Path, question: Mapping[str, Any]) -> None:
        self.path = path
        self._question = {"format": _FORMAT, "version": _VERSION, **question}
        with self._words_for("made"):
            path.mkdir(parents=True, exist_ok=True)
        stored = self._stored_question()
        self.part: int | None = None if stored is None else stored["part"]
        with self._words_for("written"):
            self._lock()
            self._clear()

    def begin(self, part: int) -> None:
        """Take up the question in parts of this size; a folder of others is refused."""
        if self.part is None:
            text = json.dumps({**self._question, "part": part}, indent=1)
            with self._words_for("written"):
                self._put(_QUESTION, lambda file: file.write(text.encode()))
            self.part = part
        elif self.part != part:
            self._refuse([f"members in a part {self.part} there, {part} here"])

    def close(self) -> None:
        """Say that nobody is writing any more."""
        with suppress(OSError, ValueError):
            if self._writer()[:2] == _own():
                (self.path / _LOCK).unlink()

    # -- parts -----------------------------------------------------------------------------------

    def stored_parts(self) -> set[int]:
        """The first members of the parts that are there."""
        return {int(path.stem.removeprefix("part-")) for path in self.path.glob("part-*.npz")}

    def store(self, first: int, arrays: Mapping[str, np.ndarray]) -> None:
        """Write a part, all of it or nothing."""
        with self._words_for("written"):
            self._put(self._name(first), lambda file: np.savez(file, **dict[str, Any](arrays)))
            with suppress(OSError):
                os.utime(self.path / _LOCK)

    def load(self, first: int, only: str | None = None) -> dict[str, np.ndarray]:
        """A part that is there, or one array of it if it has that."""
        path = self.path / self._name(first)
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                return {name: archive[name] for name in archive.files if only in (None, name)}
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise FolderError(
                f"{path} cannot be read ({error}): remove this file, and its members are computed again"
            ) from None

    def _name(self, first: int) -> str:
        return f"part-{first:012d}.npz"

    # -- the question ----------------------------------------------------------------------------

    def _stored_question(self) -> dict[str, Any] | None:
        """The question that stands in the folder, if it is this one."""
        path = self.path / _QUESTION
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            if self.stored_parts():
                raise FolderError(f"{self.path} holds parts and no question: give another folder") from None
            return None
        except OSError as error:
            raise FolderError(f"{path} cannot be read: {error.strerror}") from None
        except ValueError:
            text = ""
        try:
            stored = json.loads(text)
        except ValueError:
            stored = None
        if not isinstance(stored, dict) or stored.get("format") != _FORMAT:
            raise OtherQuestionError(
                f"{self.path} was written by another program or an earlier version of geoctrl, which stored "
                f"in another way: give another folder"
            )
        if differences := list(_differences(stored, self._question)):
            self._refuse(differences)
        if not isinstance(stored.get("part"), int) or stored["part"] < 1:
            raise FolderError(f"{path} says no number of members in a part: give another folder")
        return stored

    def _refuse(self, differences: list[str]) -> None:
        raise OtherQuestionError(
            f"{self.path} holds the parts of something else: {'; '.join(differences)}: give another folder"
        )

    # -- files -----------------------------------------------------------------------------------

    def _put(self, name: str, write: Any) -> None:
        """A file in one piece, on the disk before it stands in its place."""
        host, pid = _own()
        beside = self.path / f".{name}.{host}.{pid}.tmp"
        try:
            with beside.open("wb") as file:
                write(file)
                _flush(file)
            os.replace(beside, self.path / name)
        finally:
            beside.unlink(missing_ok=True)

    def _clear(self) -> None:
        """Remove what processes that ended were about to write."""
        for path in self.path.glob(".*.tmp"):
            host, pid = path.name.removesuffix(".tmp").rsplit(".", 2)[1:]
            if host == _own()[0] and pid.isdigit() and _CAN_ASK and not _lives(int(pid)):
                path.unlink(missing_ok=True)

    def _writer(self) -> tuple[str, int, float]:
        """Host and process that say they are writing, and the seconds since they last did."""
        path = self.path / _LOCK
        told = json.loads(path.read_text(encoding="utf-8"))
        return str(told["host"]), int(told["pid"]), time.time() - path.stat().st_mtime

    def _lock(self) -> None:
        """Write who is writing; where somebody else is, say so: parts are the same, the work double."""
        with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
            host, pid, silent = self._writer()
            lives = _lives(pid) if host == _own()[0] and _CAN_ASK else silent < _SILENT
            if (host, pid) != _own() and lives:
                warnings.warn(
                    f"{self.path} is being written by process {pid} on {host} as well: nothing is lost, but "
                    f"parts may be computed twice",
                    RuntimeWarning,
                    stacklevel=user_level(),
                )
        host, pid = _own()
        text = json.dumps({"host": host, "pid": pid})
        self._put(_LOCK, lambda file: file.write(text.encode()))

    @contextmanager
    def _words_for(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise FolderError(
                f"{self.path} cannot be {what}: {error.strerror or error}; what is stored there is whole"
            ) from None


def _own() -> tuple[str, int]:
    """The host, in letters that a file's name may have, and the process."""
    return socket.gethostname().replace(".", "-").replace(os.sep, "-"), os.getpid()


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _lives(pid: int) -> bool:
    """Whether a process of this host has not ended."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True


def _differences(stored: Any, asked: Any, name: str = "") -> Iterator[str]:
    """In words what two questions do not have in common; the size of parts is no part of a question."""
    if isinstance(stored, dict) and isinstance(asked, dict):
        for key in [*stored, *(key for key in asked if key not in stored)]:
            if name or key != "part":
                yield from _differences(stored.get(key), asked.get(key), f"{name} {key}".strip())
    elif stored != asked:
        yield f"{name} {_short(stored)} there, {_short(asked)} here"


def _short(value: Any) -> str:
    """A value in few letters: of a digest its first."""
    if value is None:
        return "none"
    words = value.split() if isinstance(value, str) else []
    if words and len(words[-1]) == 64:
        return " ".join([*words[:-1], words[-1][:12]])
    return value if words else shown(value)
