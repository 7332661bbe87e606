"""Public names of a package, each loaded with its module when it is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from geoctrl._collector import load


def attributes(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package by the modules of its public names, loaded when one is asked for.

    Whoever linearises at one point does not wait for maps, regions and conditions.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(load(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__
