"""Pictures of the mechanisms of the catalogue, one function each, named after the mechanism."""

from __future__ import annotations

from matplotlib.figure import Figure

from pictures import (
    blades,
    bodies,
    carried,
    compounds,
    driven,
    fields,
    imported,
    jumping,
    pendula,
    rolling,
    sites,
    tops,
)

__all__ = ["draw", "names"]

_PLACES = (
    blades,
    bodies,
    carried,
    compounds,
    driven,
    fields,
    imported,
    jumping,
    pendula,
    rolling,
    sites,
    tops,
)
_PICTURES = {
    name.replace("_", "-"): function
    for place in _PLACES
    for name, function in vars(place).items()
    if getattr(function, "__module__", "") == place.__name__
    and not name.startswith("_")
    and callable(function)
}


def names() -> list[str]:
    """Names of the mechanisms that have a picture."""
    return sorted(_PICTURES)


def draw(name: str) -> Figure:
    """The picture of a mechanism."""
    return _PICTURES[name]()
