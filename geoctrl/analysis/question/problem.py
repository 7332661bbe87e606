"""A stability question as data: equations, leaf, invariants, parameters and a point.

A certificate stores it and nothing else of the system that it came from (`geoctrl.checker` reads it).
Velocities are not written as solved: their rates are unknowns z with ``K(x) z = b(x)``, which keeps
expressions small and identities short.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from time import monotonic
from typing import Any, TypeVar

import numpy as np

from geoctrl import checker, decisions
from geoctrl._scalars import Node, exact
from geoctrl.analysis.question.lagrange_equations import natural_motion
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.same_as_field import require_agreement
from geoctrl.analysis.question.shape_integrals import ShapeIntegrals
from geoctrl.analysis.question.table import Stored
from geoctrl.decisions.arithmetic.tower import RATIONALS, Surd, Surds, top
from geoctrl.decisions.reading.clock import SECONDS
from geoctrl.systems import Equilibrium, Family, Seen
from geoctrl.systems.contract.scales import Scales
from geoctrl.systems.parts.angles import ExactAngle

__all__ = ["Problem", "motion_of", "with_still_state"]

T = TypeVar("T")


def motion_of(
    seen: Seen, held: Sequence[Fraction | Surd], params: Mapping[str, Any]
) -> tuple[EquationsOfMotion, dict[str, Node]] | None:
    """Equations of motion under constant inputs, and by name what may be conserved.

    Those that are recorded, or those that follow from a Lagrangian; None where there is neither, or more
    states than the checker takes.
    """
    system = seen.system
    if system.recorded:
        motion = EquationsOfMotion.of(system, off=tuple(q == 0 for q in held))
        return motion, {_distinct(name, motion): node for name, node in system.conservation.nodes.items()}
    given = seen.lagrangian(np.array([float(q) for q in held]), params)
    if given is None or 2 * len(given.coordinates) > decisions.STATES:
        return None
    if "motion" not in seen.cache:
        seen.cache["motion"] = natural_motion(given)
    motion = seen.cache["motion"]
    require_agreement(seen, motion, np.array([float(q) for q in held]), params)
    return motion, {"energy": motion.energy}


def with_still_state(motion: EquationsOfMotion, name: str) -> EquationsOfMotion:
    """The motion with a parameter as a state that does not move."""
    node, zero = motion.parameters[name], motion.graph.zero
    return replace(
        motion,
        states={**motion.states, name: node},
        parameters={k: v for k, v in motion.parameters.items() if k != name},
        rates={**motion.rates, node: zero},
        solve=lambda: [*motion.all_rates, zero],
        _written={},
        _consequences=None,
        _shapes=[],
        _turned={},
    )


def _of_places(seen: Seen, equilibrium: Equilibrium, motion: EquationsOfMotion) -> Scales:
    """Sizes of places and of their velocities, which are moved by their sizes in the time of the system."""
    found = seen.scales(equilibrium.x, equilibrium.u, equilibrium.params)
    places = found.column[: len(motion.rates)]
    speeds = places[: len(motion.velocities)] * (found.rate or 1.0)
    return replace(found, column=np.concatenate([places, speeds]))


def _distinct(name: str, motion: EquationsOfMotion) -> str:
    """The name of an invariant, told from a relation of the leaf that goes by it."""
    return f"{name} (invariant)" if name in motion.leaf else name


@dataclass
class Problem:
    """Whether an equilibrium of a motion is stable.

    Attributes
    ----------
    invariants : dict of name -> Node
        Candidates: what is used of them has to be proved.
    numbers : dict of parameter name -> Fraction
    others : dict of name -> Node
        Candidates that are not conserved, but may fall along the motion.
    spin : tuple of float
        Rate of the axes from which it is seen; empty for reduced equations, which are seen from the body.
    field : Surds
        With the square roots in point and inputs, and those that the equations need there.
    """

    motion: EquationsOfMotion
    invariants: dict[str, Node]
    numbers: dict[str, Fraction]
    point: list[Fraction | Surd]
    input_point: list[Fraction | Surd]
    others: dict[str, Node] = dataclasses.field(default_factory=dict)
    spin: tuple[float, ...] = ()
    field: Surds = RATIONALS
    families: tuple[Family, ...] = ()
    """Those that the system declares; none where its states are measured from exact angles."""
    scales: Callable[[], Scales] | None = None
    """Sizes of the states at the point, where those of a system are known."""
    last: list[decisions.Question] = dataclasses.field(default_factory=list)
    """See `Stored`."""

    @classmethod
    def of(cls, seen: Seen, equilibrium: Equilibrium) -> Problem | None:
        """The question about an equilibrium, doubles being the rationals they are; None where no equations
        can be written down for it, or more than the checker takes.
        """
        u = equilibrium.exact_u
        held: list[Fraction | Surd] = list(u) if u is not None else [exact(v) for v in equilibrium.u]
        found = motion_of(seen, held, equilibrium.params)
        if found is None or len(found[0].states) > decisions.STATES:
            return None
        motion, candidates = found
        numbers = {k: exact(v) for k, v in equilibrium.params.items()}
        x: list[Any] = list(equilibrium.exact or (exact(v) for v in equilibrium.x))
        field = Surds(top([*x, *held]))
        angles = {i: q for i, q in enumerate(x) if isinstance(q, ExactAngle)}
        turned = (
            motion.with_angles({list(motion.states)[i]: q for i, q in angles.items()}) if angles else None
        )
        if turned is not None:
            motion, candidates = turned, {name: turned.image(node) for name, node in candidates.items()}
            x = [Fraction(0) if i in angles else q for i, q in enumerate(x)]
        if seen.system.recorded:
            names = seen.system.conservation.likely(equilibrium.params, False, equilibrium.u)
            kept = {name: candidates.pop(name) for name in (_distinct(name, motion) for name in names)}
            scales = partial(seen.scales, equilibrium.x, equilibrium.u, equilibrium.params)
            families = () if angles else tuple(seen.system.families.values())
            return cls(motion, kept, numbers, x, held, candidates, (), field, families, scales)
        place = x[: len(motion.rates)]
        point = [*place, *[Fraction(0)] * len(motion.velocities)]
        scales = partial(_of_places, seen, equilibrium, motion)
        spin = tuple(map(float, seen.spin))
        return cls(motion, candidates, numbers, point, held, candidates, spin, field, (), scales)

    def with_root(self, radicand: Any) -> Problem | None:
        """The question with the root of a number at hand; None where no number is named, or there are too
        many roots.
        """
        try:
            return None if radicand is None else replace(self, field=self.field.extended(radicand))
        except checker.Refusal:
            return None

    def with_needed_roots(self, attempt: Callable[[Problem], T]) -> T:
        """What an attempt gives with the roots that turn out to be needed; Refusal where it gives nothing."""
        asked = self
        while True:
            try:
                return attempt(asked)
            except decisions.NotExact as missing:
                further = asked.with_root(missing.radicand)
                if further is None:
                    raise
                asked = further

    @cached_property
    def _kept_question(self) -> decisions.Question:
        return decisions.Question(self.question().read, exact=False)

    @property
    def question_in_doubles(self) -> decisions.Question:
        """The question in doubles, one for all who look for a proof; each has the whole time of a check."""
        question = self._kept_question
        question.numbers.deadline = monotonic() + SECONDS
        return question

    def question(
        self, shape: ShapeIntegrals | None = None, further: bool = False, others: bool = False
    ) -> Stored:
        """The problem for the checker.

        With a shape, the rates of velocities are written as solved, which its structure is about; if
        further, with the consequences of the leaf relations; with others, what may fall among the invariants.
        """
        m = self.motion
        numbers = self.numbers | dict(zip(m.states, self.point, strict=True))
        numbers |= dict(zip(m.inputs, self.input_point, strict=True))
        if shape is None:
            functions = self.invariants | self.others if others else self.invariants
            stored = m.question(numbers, functions, further=further)
        else:
            stored = m.solved_question(numbers, self.invariants, shape)
        stored = stored.with_roots(self.field) if self.field.roots else stored
        stored = stored.turning(self.spin) if any(self.spin) else stored
        return replace(stored, last=self.last)
