"""Drawn fields as questions of the library: there is no public name for equations that are no mechanism's."""

from __future__ import annotations

import json
from typing import Any

from geoctrl._scalars import STATE, FromSympy, Graph
from geoctrl.analysis.proofs.proof import Outcome, decide
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.problem import Problem
from geoctrl.analysis.witnesses.content import content_with_witnesses

from tests.attack.draw.drawing_fields import Field


def problem_of(f: Field) -> Problem:
    """The question whether a field's point is stable."""
    graph = Graph()
    nodes = {x.name: graph.symbol(x.name, STATE) for x in f.states}
    node = FromSympy(graph, {x: nodes[x.name] for x in f.states})
    rates = dict(zip(nodes.values(), map(node, f.rates), strict=True))
    motion = EquationsOfMotion(
        graph=graph,
        states=nodes,
        inputs={},
        parameters={},
        velocities=[],
        mass=[],
        force=[],
        rows=[],
        drift=[],
        rates=rates,
        solve=lambda: list(rates.values()),
        leaf={str(g): node(g) for g in f.leaf},
        energy=graph.zero,
    )
    kept, falling = ({k: node(e) for k, e in given.items()} for given in (f.conserved, f.others))
    return Problem(motion, kept, {}, f.point, [], falling)


def judged(f: Field, modulo: str | None = None) -> Outcome:
    """What the library's search proves of a field's point, or of its orbit."""
    return decide(problem_of(f), modulo)


def proof_of(outcome: Outcome, system: str = "field") -> dict[str, Any]:
    """What the search has proved, in plain data."""
    verdict, problem = outcome.verdict.value, outcome.problem.data
    proof = {"software": "", "system": system, "verdict": verdict, "method": outcome.method}
    return json.loads(json.dumps(proof | {"problem": problem, "evidence": outcome.evidence}))


def file_of(outcome: Outcome, system: str = "field") -> dict[str, Any]:
    """The certificate's content, as read back from its file."""
    return json.loads(json.dumps(content_with_witnesses(proof_of(outcome, system))))
