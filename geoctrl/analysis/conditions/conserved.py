"""What a system conserves at a family, proved for all values of the parameters that are not set."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from time import monotonic

from geoctrl import checker, decisions
from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.choices import Choices, TooManyChoices
from geoctrl.analysis.conditions.family_point import FamilyPoint
from geoctrl.analysis.question.motion import EquationsOfMotion, momenta_of
from geoctrl.errors import CertificateError

__all__ = ["conserved_functions"]

_TERMS = 5_000_000
"""Largest product of terms in a search that a person waits for."""


def conserved_functions(at: FamilyPoint, seconds: float) -> dict[str, Node]:
    """Nodes of the functions proved to be conserved under the family's inputs, by name.

    Candidates are those of the system, and the momenta of its group one by one.

    Parameters
    ----------
    seconds : float
        After which what is not proved is left out.
    """
    system, graph = at.system, at.system.graph
    motion = EquationsOfMotion.of(system).where(at.settings.nodes | at.inputs)
    candidates = dict(system.conservation.nodes)
    candidates |= {str(mu): system.expression(mu) for mu in momenta_of(system) if str(mu) not in candidates}
    nodes = dict(zip(candidates, graph.substitute(list(candidates.values()), at.settings.nodes), strict=True))
    distinct = {node: name for name, node in reversed(nodes.items())}
    functions = {
        f"{name} (invariant)" if name in motion.leaf else name: nodes[name]
        for name in nodes
        if distinct[nodes[name]] == name
    }
    point, end = at.random_state(motion.parameters), monotonic() + seconds
    try:
        choices = Choices(graph, [*motion.nodes, *functions.values()], frozenset(at.positive))
    except TooManyChoices:
        return {}
    kept = set(functions)
    for branch in (b for b in choices.branches() if at.may_be_in(b, choices)):
        held = motion.in_branch(choices, branch)
        resolved = choices.in_branch(list(functions.values()), branch)
        kept &= _kept_by(held, dict(zip(functions, resolved, strict=True)), point, end)
    return {name: node for name, node in functions.items() if name in kept}


def _kept_by(
    motion: EquationsOfMotion, functions: Mapping[str, Node], point: Mapping[str, Fraction], end: float
) -> set[str]:
    """Names of the functions that are proved to be conserved by a motion."""
    found: set[str] = set()
    # Consequences of the leaf relations cost a search of their own: only where the relations do not suffice.
    for further in (False, True):
        if further and not motion.consequences():
            break
        left = {name: node for name, node in functions.items() if name not in found}
        try:
            question = decisions.Question(motion.question(point, left, further=further).read, exact=False)
        except checker.Refusal as refusal:
            raise CertificateError(
                f"what is conserved is not found out: {refusal}; certify() decides members one by one"
            ) from None
        question.numbers.deadline = end
        # Parameters without numbers are variables of identities too.
        question.variables += [
            i for i, node in enumerate(question.table) if node[0] == "sym" and node[1] in motion.parameters
        ]
        question.functions.largest = _TERMS
        for name in left:
            try:
                if question.conserved(name):
                    found.add(name)
            except checker.Refusal:  # too large to be proved, or no derivative at the point
                continue
    return found
