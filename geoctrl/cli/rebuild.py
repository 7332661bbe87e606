"""``verify --rebuild``: whether the equations of a certificate are those of the mechanism that it names."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from geoctrl.errors import CertificateError, GeoctrlError

if TYPE_CHECKING:
    pass

__all__ = ["compared_anew"]

SETS = "sublevel", "squares", "slopes"
"""Theorems about sets of states, of which the domain is compared as well."""

FAMILIES = "map", "forms over cells", "over", "moving member"
"""Theorems about the members of a family over axes."""


def compared_anew(path: str) -> list[str]:
    """What a mechanism of the catalogue, derived anew, has in common with a certificate: all of it, in words.

    Parameters
    ----------
    path : str
        A certificate that is confirmed.
    """
    from geoctrl.analysis.certificates.same_equations import problem_in_file, require_same_equations
    from geoctrl.analysis.maps.region_problem import require_same_region
    from geoctrl.analysis.regions.sublevel_problem import require_same_sublevel
    from geoctrl.decisions.reading.problem_reader import load

    data = load(path)
    system, problem = _catalogue_system(data["system"]), data["problem"]
    if "theorem" in data and data["theorem"]["name"] in SETS:
        require_same_sublevel(system, problem_in_file(data), data["theorem"])
        return [f"states {', '.join(problem['states'])}", "equations, leaf, and the domain of the model"]
    if "theorem" in data and data["theorem"]["name"] in FAMILIES:
        require_same_region(system, problem, data["theorem"])
        for piece in data["theorem"].get("further", ()):
            require_same_region(system, piece["problem"], piece["theorem"])
        return [f"states {', '.join(problem['states'])}", "equations, leaf, and members of the family"]
    require_same_equations(system, data)
    numbers: dict[str, Any] = {name: Fraction(value) for name, value in problem["parameters"].items()}
    try:
        system.parameters_at(numbers)
    except GeoctrlError as error:
        raise CertificateError(f"{system.name} does not admit the parameters of the file: {error}") from None
    lists = {"states": "states", "inputs": "inputs", "parameters": "parameters"}
    lists |= {"leaf": "leaf relations", "invariants": "invariants"}
    named = [f"{words} {', '.join(problem[key])}" for key, words in lists.items() if problem[key]]
    return [*named, "field, mass matrix and forces"]


def _catalogue_system(name: str) -> Any:
    """The system of the catalogue that goes by a name."""
    from geoctrl import models

    stem, _, view = name.partition(", ")
    if stem not in models.names():
        raise CertificateError(
            f"{name or 'a system without a name'!r} is no mechanism of the catalogue, of which alone the "
            "equations can be derived anew; build it yourself and compare with "
            "geoctrl.analysis.certificates.same_equations.require_same_equations"
        )
    made: Any = models.get(stem)()
    described = hasattr(made, "reduce")
    if described and view in (made.modes or ()):
        return made.hybrid().modes[view]
    system = made.reduce() if described else made
    if view and described and made.symmetry is not None:
        system = system.despun()
    if system.name != name:
        raise CertificateError(
            f"{name!r} is made from the catalogue's {stem} by a feedback law, which a certificate does not "
            "hold; only a mechanism itself can be derived anew"
        )
    return system
