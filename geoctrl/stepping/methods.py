"""What a stepping method is: its order, whether it solves equations, what it preserves."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Method"]


@dataclass(frozen=True)
class Method:
    """A stepping method as it is chosen and told about; its steps are elsewhere.

    Attributes
    ----------
    name : str
    order : int
        Of one step of it; compositions have their own.
    implicit : bool
        Whether a step solves equations.
    preserves : tuple of str
        Words: "symplectic form", "momentum maps", "time reversal", "configuration manifold".
    """

    name: str
    order: int
    implicit: bool
    preserves: tuple[str, ...] = ()
