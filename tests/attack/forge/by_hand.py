"""Problems and files written by hand, right in everything but what they are about."""

import json

from geoctrl import checker, decisions
from geoctrl.analysis.witnesses.content import PARTS, content_with_witnesses


def decided(problem, **proposal):
    """What the search decides of a problem by a proposal, as a proof in its words."""
    found, method, findings = decisions.decide(decisions.read_problem(problem), proposal)
    parts = {"software": "", "system": "body", "verdict": found, "method": method}
    return parts | {"problem": problem, "evidence": findings}


def consistent(path, problem, proposal=None):
    """The file of whatever verdict follows for a problem."""
    content = content_with_witnesses(decided(problem, **(proposal or {})))
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def with_theorem(problem, theorem, cofactors=None):
    """A file's content about equations without unknowns and roots, with a theorem by hand."""
    return {
        "format": checker.FORMAT,
        "version": checker.VERSION,
        "software": "by hand",
        "system": "by hand",
        "problem": {k: problem[k] for k in ("nodes", *PARTS)},
        "witness": {"roots": [], "inverse": [], "cofactors": cofactors or {}},
        "theorem": theorem,
        "digest": "",
    }


def verdict(problem, **proposal):
    """What search and checker say of a problem; "refused" where both refuse, or the search finds no proof."""
    try:
        proof = decided(problem, **proposal)
    except checker.Refusal:
        return "refused"
    if proof["verdict"].startswith("PROVED"):
        found = checker.prove(json.loads(json.dumps(content_with_witnesses(proof))))
        assert (found.verdict, found.method) == (proof["verdict"], proof["method"])
    return proof["verdict"]


class Equations:
    """Problems written by hand: nodes by name."""

    def __init__(self, **states):
        self.nodes, self.states = [], {k: str(v) for k, v in states.items()}
        self.places = {}
        for name in states:
            self.symbol(name, "state")

    def _add(self, *row):
        self.nodes.append(list(row))
        return len(self.nodes) - 1

    def symbol(self, name, role):
        self.places[name] = self._add("sym", name, role)
        return self.places[name]

    def number(self, q):
        return self._add("num", str(q))

    def monomial(self, q, **powers):
        return self._add("prod", str(q), [[self.places[k], e] for k, e in powers.items()])

    def total(self, *nodes):
        one = self.number(1)
        return self._add("sum", [[one, n] for n in nodes])

    def function(self, name, *args):
        return self._add("fun", name, list(args))

    def problem(self, field, leaf=None, invariants=None, **more):
        return {
            "kind": "equations",
            "nodes": self.nodes,
            "states": self.states,
            "inputs": {},
            "parameters": {},
            "unknowns": [],
            "matrix": [],
            "right": [],
            "field": field,
            "leaf": leaf or {},
            "invariants": invariants or {},
            "weights": {},
        } | more
