"""A stability question as data: equations, leaf, invariants, parameters and a point.

A certificate stores it and nothing else of the system that it came from (`geoctrl.checker` reads it).
Velocities are not written as solved: their rates are unknowns z with ``K(x) z = b(x)``, which keeps
expressions small and identities short.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from geoctrl._scalars import Node, exact
from geoctrl.analysis.motion import Motion, Stored
from geoctrl.analysis.shape import ShapeIntegrals
from geoctrl.systems import Equilibrium, ReducedSystem

__all__ = ["Problem"]


@dataclass
class Problem:
    """Whether an equilibrium of a motion is stable.

    Attributes
    ----------
    motion : Motion
    invariants : dict of name -> Node
        Candidates: what is used of them has to be proved.
    numbers : dict of parameter name -> Fraction
    point, input_point : list of Fraction
    spin : tuple of float
        Rate of the axes from which it is seen; empty for reduced equations, which are seen from the body.
    """

    motion: Motion
    invariants: dict[str, Node]
    numbers: dict[str, Fraction]
    point: list[Fraction]
    input_point: list[Fraction]
    spin: tuple[float, ...] = ()

    @classmethod
    def of(cls, system: ReducedSystem, equilibrium: Equilibrium) -> Problem:
        """The question about an equilibrium of a system; doubles are the rationals they are."""
        x, u = equilibrium.exact, equilibrium.exact_u
        motion = Motion.of(system)
        kept = system.conserved(equilibrium.params, u=equilibrium.u)
        return cls(
            motion=motion,
            invariants={k if k not in motion.leaf else f"{k} (invariant)": node for k, node in kept.items()},
            numbers={k: exact(v) for k, v in equilibrium.params.items()},
            point=list(x) if x is not None else [exact(v) for v in equilibrium.x],
            input_point=list(u) if u is not None else [exact(v) for v in equilibrium.u],
        )

    def question(self, shape: ShapeIntegrals | None = None, further: bool = False) -> Stored:
        """The problem for the checker.

        With a shape, the rates of velocities are written as solved, which its structure is about; if
        further, with the consequences of the leaf relations.
        """
        m = self.motion
        numbers = self.numbers | dict(zip(m.states, self.point, strict=True))
        numbers |= dict(zip(m.inputs, self.input_point, strict=True))
        if shape is None:
            stored = m.question(numbers, self.invariants, further=further)
        else:
            stored = m.solved_question(numbers, self.invariants, shape)
        return stored.turning(self.spin) if any(self.spin) else stored
