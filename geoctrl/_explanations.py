"""What messages of errors mean: the table beside them, which the command line and the pages read."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Explanation", "explanations"]

_TABLE = Path(__file__).parent / "explanations.toml"


@dataclass(frozen=True)
class Explanation:
    """What is known about an error.

    Attributes
    ----------
    key : str
        At the end of its message.
    title : str
        What happened, in a few words.
    error : str
        Class of the exception.
    pattern : str
        The message, with ... for what it names.
    meaning : str
    causes : tuple of str
        Three usual ones, each with what to do.
    before, after : str
        A program that raises it, and one that does not.
    """

    key: str
    title: str
    error: str
    pattern: str
    meaning: str
    causes: tuple[str, ...]
    before: str
    after: str

    @property
    def examples(self) -> tuple[str, str]:
        """Both programs."""
        return self.before, self.after

    def as_dict(self) -> dict[str, Any]:
        """All of it by name."""
        return asdict(self)


@cache
def explanations() -> dict[str, Explanation]:
    """The errors that are explained, by key."""
    import tomllib

    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {
        key: Explanation(
            key,
            row["title"],
            row["error"],
            row["pattern"],
            " ".join(row["meaning"].split()),
            tuple(" ".join(cause.split()) for cause in row["causes"]),
            row["before"].strip("\n"),
            row["after"].strip("\n"),
        )
        for key, row in table.items()
    }
