"""What the identities of conserved functions are made of, along all that an orbit may pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flint import arb

from geoctrl import checker, decisions
from geoctrl._scalars import Node, exact
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.decisions.functions.ball_jets import Balls
from geoctrl.decisions.functions.derivatives import Jet, evaluate
from geoctrl.orbits.enclosures.expressions_in_balls import UnprovedError, ball

__all__ = ["Identities"]


class Identities:
    """The rates of the leaf's relations and of conserved functions, which vanish where their parts have
    values.

    An identity is proved about a point. It holds at all states of a box over which all nodes of
    `geoctrl.checker.Question.nodes_of_identities` have values.

    Parameters
    ----------
    system : System
    kept : dict of name -> node
    x : state of the orbit
    given : inputs and parameters, as of `BallProgram`
    """

    def __init__(
        self, system: Any, kept: Mapping[str, Node], x: Sequence[Any], given: tuple[Any, Any]
    ) -> None:
        motion, (u, params) = EquationsOfMotion.of(system), given
        numbers = dict(zip(motion.states, x, strict=True)) | dict(zip(motion.inputs, u, strict=True)) | params
        values = {k: exact(v) for k, v in numbers.items()}
        try:
            question = decisions.Question(motion.question(values, kept).read, exact=False)
            if not all(map(question.conserved, [*motion.leaf, *kept])):
                question = decisions.Question(motion.question(values, kept, further=True).read, exact=False)
            question.require_kept(list(kept))
        except checker.Refusal as refusal:
            raise UnprovedError(f"what is conserved is not proved to be: {refusal}") from None
        self._nodes, self._table = question.nodes_of_identities(kept), question.table
        self._states = question.moving_places[: len(motion.states)]
        roles = (("input", motion.inputs), ("parameter", motion.parameters))
        self._at = {question.place[role, k]: Jet(ball(values[k])) for role, named in roles for k in named}
        # Linear equations solve for unknowns: nothing of them is divided by.
        self._at |= {p: Jet(arb(0)) for p in question.moving_places[len(motion.states) :]}

    def require(self, tube: Sequence[arb]) -> None:
        """Refuse a box of states over which a part of an identity may have no value."""
        at = self._at | {p: Jet(v) for p, v in zip(self._states, tube, strict=True)}
        try:
            evaluate(self._table, self._nodes, at, Balls([]), 0)
        except checker.Refusal as refusal:
            raise UnprovedError(
                f"a function that shows what is conserved may have no value along the orbit: {refusal}"
            ) from None
