"""Names of a mechanism as identifiers of Rocq, and text that cannot leave a comment.

A label is anything that can be printed. What becomes of it is a word of letters, digits and underscores that
means nothing else in the file: the file is written once with names of no meaning, and every word in that is
taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import wrap

LETTERS, WIDTH = 60, 96
PLACEHOLDER = "placeholder_"

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_']*")
_COMMENT = re.compile(r"[^A-Za-z0-9 .,:;=+/^|<>_()\[\]-]")

KEYWORDS = (
    "Axiom CoFixpoint Definition End Fixpoint From Hypothesis IF Import Inductive Lemma Let Ltac Module "
    "Notation Parameter Print Program Proof Prop Qed Record Require SProp Scope Section Set Theorem "
    "Type Variable as at by cofix else end exists exists2 fix for forall fun if in let ltac match "
    "return struct then using where with"
)
"""Of the language, as far as they are words."""


class Identifiers:
    """Identifiers of labels, by what the labels name; none of them is one of some words.

    Without words they are placeholders, words of no meaning, to see which ones a file uses besides.
    """

    def __init__(self, words: Iterable[str] | None = None) -> None:
        self._taken = None if words is None else {*KEYWORDS.split(), *words}
        self._found: dict[tuple[str, str], str] = {}

    def word_for(self, role: str, label: str) -> str:
        """The identifier of a label in a role: "number", "state", "unknown" or "start"."""
        key = (role, label)
        if key not in self._found:
            self._found[key] = self._free_word(label)
        return self._found[key]

    def _free_word(self, label: str) -> str:
        if self._taken is None:
            return f"{PLACEHOLDER}{len(self._found)}"
        word = identifier(label)
        while word in self._taken:
            word += "_"
        self._taken.add(word)
        return word


def identifier(label: str) -> str:
    """A word next to a label."""
    word = re.sub("[^A-Za-z0-9_]", "_", label)[:LETTERS]
    return word if re.match("[A-Za-z]", word) else f"v{word}"


def words_in(text: str) -> set[str]:
    """All words of a text outside its comments, none of which holds another."""
    return set(_WORD.findall(re.sub(r"\(\*.*?\*\)", " ", text, flags=re.DOTALL)))


def comment(*paragraphs: str) -> list[str]:
    """Lines of a comment; characters that could end it, or begin a string or another, become points."""
    lines: list[str] = []
    for paragraph in paragraphs:
        plain = _COMMENT.sub(".", paragraph)
        lines += wrap(plain, WIDTH - 3, break_long_words=True) or [""]
    return [("(* " if i == 0 else "   ") + line for i, line in enumerate(lines[:-1])] + [
        ("(* " if len(lines) == 1 else "   ") + f"{lines[-1]} *)"
    ]
