"""Entries of the API reference: one, with an anchor, for every public member of every documented class.

``members``
    All public members of a class, in the reStructuredText of the pages that autosummary makes: attributes
    with what the docstring of their class says about them, properties and methods with their own docstrings.

A public member is a name without underscore that geoctrl gives a class: in the body of the class or of a
base in geoctrl, as an annotation, as an attribute of ``self`` that a method sets, or as an entry under
"Attributes" of a docstring. When the build has read all pages it warns of every public name and member that
has no entry.
"""

from __future__ import annotations

import ast
import enum
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from importlib import import_module
from typing import Any

from docutils import nodes
from jinja2 import BaseLoader
from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape_sphinx
from numpydoc.docscrape import NumpyDocString
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.search.en import SearchEnglish
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import geoctrl as gc

LOGGER = logging.getLogger(__name__)

# -- what is public ---------------------------------------------------------------------------------


def home_classes(cls: type) -> list[type]:
    """The class and its bases as far as they are geoctrl's, nearest first."""
    return [c for c in cls.__mro__ if c.__module__.partition(".")[0] == "geoctrl"]


@cache
def attributes_of_self(cls: type) -> list[str]:
    """Names that the methods of a class set on ``self``, in order."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                found[node.attr] = None
    return list(found)


@cache
def described(cls: type) -> dict[str, tuple[str, list[str]]]:
    """Type and lines of description for each name under "Attributes" or "Parameters" of the docstrings."""
    found: dict[str, tuple[str, list[str]]] = {}
    for section in ("Attributes", "Parameters"):
        for c in home_classes(cls):
            for entry in NumpyDocString(inspect.cleandoc(c.__doc__ or ""))[section]:
                for name in entry.name.split(","):
                    found.setdefault(name.strip(" *"), (entry.type, entry.desc))
    return found


def listed_attributes(cls: type) -> list[str]:
    """Names under "Attributes" of the docstrings."""
    sections = (NumpyDocString(inspect.cleandoc(c.__doc__ or ""))["Attributes"] for c in home_classes(cls))
    return [n.strip() for section in sections for entry in section for n in entry.name.split(",")]


@cache
def public_members(cls: type) -> list[str]:
    """Public members: those under "Attributes" first, the others in the order of the source."""
    names: dict[str, None] = dict.fromkeys(listed_attributes(cls))
    for c in home_classes(cls):
        for source in (inspect.get_annotations(c), c.__dict__, attributes_of_self(c)):
            names |= dict.fromkeys(source)
    return [name for name in names if not name.startswith("_") and not is_foreign(cls, name)]


def is_foreign(cls: type, name: str) -> bool:
    """Whether the name is a member that the machinery of enumerations or dataclasses made, not geoctrl."""
    return issubclass(cls, enum.Enum) and name in enum.Enum.__dict__


def public_objects() -> Iterator[tuple[str, Any]]:
    """Every public name, dotted, of the package and of its public modules, with the object."""
    for name in gc.__all__:
        thing = getattr(gc, name)
        if not inspect.ismodule(thing):
            yield f"geoctrl.{name}", thing
        else:
            for inner in thing.__all__:
                yield f"geoctrl.{name}.{inner}", getattr(thing, inner)


# -- entries ----------------------------------------------------------------------------------------


def typed(kind: str, description: list[str]) -> list[str]:
    """A description with its type in front, in the same paragraph."""
    if not kind:
        return description
    return [f"*{kind}*:", *description] if description else [f"*{kind}*"]


def indented(lines: Iterable[str]) -> list[str]:
    """The lines as the content of a directive."""
    return [f"   {line}".rstrip() for line in lines]


class Members(SphinxDirective):
    """``.. members:: MODULE CLASS``: entries of all public members."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        module, name = self.arguments
        cls = getattr(import_module(module), name)
        text = "\n".join([f".. currentmodule:: {module}", "", *entries(cls, name)])
        return self.parse_text_to_nodes(text)


def entries(cls: type, shown: str) -> Iterator[str]:
    """ReStructuredText of the entries of a class that the pages call ``shown``."""
    attributes, methods, silent = [], [], []
    for name in public_members(cls):
        static = inspect.getattr_static(cls, name, None)
        if isinstance(static, (property, cached_property)):
            attributes += [f".. autoproperty:: {shown}.{name}", ""]
        elif inspect.isroutine(static) or isinstance(static, (classmethod, staticmethod)):
            methods += [f".. automethod:: {shown}.{name}", ""]
        elif name in described(cls):
            kind, description = described(cls)[name]
            attributes += [f".. py:attribute:: {shown}.{name}", ""]
            attributes += indented([*typed(kind, description), ""])
        else:
            silent.append(f"{shown}.{name}")
    for title, lines in (("Attributes", attributes), ("Methods", methods)):
        if lines:
            yield from [f".. rubric:: {title}", "", *lines]
    if silent:
        yield from [".. rubric:: For other parts of the library", ""]
        yield f".. py:attribute:: {silent[0]}"
        yield from (f"                  {name}" for name in silent[1:])
        yield ""


# -- nothing is missing -----------------------------------------------------------------------------


def missing_entries(env: BuildEnvironment) -> Iterator[str]:
    """Public names and members of documented classes that no page has an entry for."""
    entries_made = env.domains.python_domain.objects
    for name, _ in public_objects():
        if name not in entries_made:
            yield name
    for name, entry in entries_made.items():
        if entry.objtype in {"class", "exception"} and not entry.aliased:
            module, _, last = name.rpartition(".")
            cls = getattr(import_module(module), last)
            yield from (f"{name}.{m}" for m in public_members(cls) if f"{name}.{m}" not in entries_made)


def check(_: Sphinx, env: BuildEnvironment) -> None:
    """Warn of what has no entry."""
    for name in missing_entries(env):
        LOGGER.warning("%s is public and has no entry in the API reference", name)


# -- what is made once ------------------------------------------------------------------------------


def share_template() -> None:
    """Have numpydoc compile its template once: it makes an environment of templates for every docstring."""
    made: dict[type, SandboxedEnvironment] = {}

    def environment(loader: BaseLoader) -> SandboxedEnvironment:
        return made.setdefault(type(loader), SandboxedEnvironment(loader=loader))

    docscrape_sphinx.SandboxedEnvironment = environment


class RememberedStems(SearchEnglish):
    """English, whose stems are looked for once for all pages."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self.stem = cache(super().stem)  # type: ignore[method-assign]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and the check."""
    share_template()
    app.add_search_language(RememberedStems)
    app.add_directive("members", Members)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True}
