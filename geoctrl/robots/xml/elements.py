"""Elements of an XML text with the lines where they stand.

The parser is expat of the standard library. Documents that declare a type or an entity are refused where they
do, so that nothing is expanded, and nothing outside of the text is ever opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from geoctrl._checks import nearest
from geoctrl.errors import ModelFileError

__all__ = ["MOST_BYTES", "Element", "root_element"]

MOST_BYTES = 4_000_000
"""Length of the longest text that is read."""
_MOST_ELEMENTS = 20_000
_MOST_LEVELS = 64
_SHOWN = 60
"""Characters of a name of the text that a message repeats."""


@dataclass
class Element:
    """One element: its tag, attributes as text, the line where it starts, and its children in order."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def error(self, words: str) -> ModelFileError:
        """The exception that refuses this element."""
        return ModelFileError(f"line {self.line}, <{short(self.tag)}>: {words}")

    def get(self, name: str, default: str | None = None) -> str | None:
        """An attribute's text; the default where it is not given."""
        return self.attributes.get(name, default)

    def all(self, *tags: str) -> list[Element]:
        """Children with one of these tags."""
        return [child for child in self.children if child.tag in tags]

    def one(self, tag: str) -> Element | None:
        """The only child with a tag; None without one."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(f"<{short(self.tag)}> of line {self.line} has more than one; leave one")
        return found[0] if found else None

    def descendants(self) -> Iterator[Element]:
        """The element and all below it, in the order of the text."""
        yield self
        for child in self.children:
            yield from child.descendants()

    def require_attributes(self, known: frozenset[str]) -> None:
        """Refuse an attribute that the format does not have here, with the nearest one."""
        for name in self.attributes:
            if name not in known:
                raise self.error(f"there is no attribute {short(name)!r} here{nearest(short(name), known)}")


def short(text: str) -> str:
    """A name of the text, cut where it is too long for a message."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def root_element(text: str) -> Element:
    """The root of an XML text."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > MOST_BYTES:
        raise ModelFileError(
            f"the text has {len(data)} bytes; at most {MOST_BYTES} are read: leave out meshes and textures"
        )
    parser = expat.ParserCreate(encoding="utf-8")
    stack: list[Element] = []
    roots: list[Element] = []
    count = 0

    def refuse(*_: object) -> None:
        raise ModelFileError(
            f"line {parser.CurrentLineNumber}: a document type or an entity is declared; a model file needs "
            "none, and files that have one are refused: delete the declaration"
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > _MOST_ELEMENTS or len(stack) >= _MOST_LEVELS:
            raise ModelFileError(
                f"line {parser.CurrentLineNumber}: there are more than {_MOST_ELEMENTS} elements, or more "
                f"than {_MOST_LEVELS} levels of them: a robot needs fewer"
            )
        element = Element(tag, attributes, parser.CurrentLineNumber)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse  # type: ignore[assignment]
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise ModelFileError(f"the text is not well-formed XML: {error}") from None
    return roots[0]
