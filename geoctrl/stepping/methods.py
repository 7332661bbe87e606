"""What a stepping method is: its order, whether it solves equations, what it preserves."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["VARIATIONAL", "Method", "by_name"]


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

    @property
    def composable(self) -> bool:
        """Whether symmetric compositions raise its order: it is its own reverse."""
        return "time reversal" in self.preserves


VARIATIONAL = Method(
    "variational",
    order=2,
    implicit=True,
    preserves=("symplectic form", "momentum maps", "time reversal", "configuration manifold"),
)


def by_name(*methods: Method) -> dict[str, Method]:
    """Methods as they are chosen."""
    return {m.name: m for m in methods}
