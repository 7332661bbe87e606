"""What a stepping method is: its order, whether it solves equations, what it preserves."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["METHODS", "Method"]


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


METHODS = {
    method.name: method
    for method in (
        VARIATIONAL,
        Method("rk2", order=2, implicit=False),
        Method("heun", order=2, implicit=False),
        Method("rk4", order=4, implicit=False),
    )
}
"""By name: "variational" is `geoctrl.stepping.methods.variational`; "rk2" (midpoint), "heun", "rk4" are
Runge-Kutta methods on configurations and velocities (`geoctrl.stepping.methods.runge_kutta`)."""
