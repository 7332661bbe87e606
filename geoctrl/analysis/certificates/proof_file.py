"""What proofs that are kept in files have in common: the heading of the file, its digest, its text."""

from __future__ import annotations

import copy
import json
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from geoctrl import checker
from geoctrl._checks import saved_text

__all__ = ["ProofFile", "heading"]


def heading(form: str, system: str) -> dict[str, Any]:
    """The first entries of a file of some format about a system by name."""
    from geoctrl import __version__

    return {
        "format": form,
        "version": checker.VERSION,
        "software": f"geoctrl {__version__}",
        "system": system,
    }


class ProofFile(ABC):
    """A proof as its file holds it: its ``data``."""

    if TYPE_CHECKING:

        @property
        def data(self) -> dict[str, Any]:
            """What the file holds: a field, or made when it is asked for."""

    _indent: ClassVar[int | None] = None
    """Of the text: none, and no spaces, where there are many numbers."""

    @abstractmethod
    def __repr__(self) -> str:
        """What is proved, in few words."""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready content of the file, digest included."""
        return copy.deepcopy(self.data) | {"digest": checker.digest_of(self.data)}

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text; written to ``path`` where one is given; TypeError if that is no path."""
        separators = (",", ":") if self._indent is None else None
        return saved_text(json.dumps(self.to_dict(), indent=self._indent, separators=separators), path)
