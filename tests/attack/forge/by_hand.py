"""Problems and files written by hand, right in everything but what they are about."""

import json

from geoctrl import checker


def written(path, problem, verdict, method, evidence, system="body"):
    """A file with a fitting claim and digest."""
    data = {
        "format": checker.FORMAT,
        "version": checker.VERSION,
        "software": "",
        "system": system,
        "verdict": verdict,
        "method": method,
        "claim": checker.claim_of(system, problem, verdict, method, evidence),
        "problem": problem,
        "evidence": evidence,
    }
    data["digest"] = checker.digest_of(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def consistent(path, problem, proposal=None):
    """The file of whatever verdict the checker itself gives for a problem."""
    return written(path, problem, *checker.decide(checker.read_problem(problem), proposal or {}))


def verdict(problem, **proposal):
    """What the checker says of a problem; "refused" where it refuses."""
    try:
        return checker.decide(checker.read_problem(problem), proposal)[0]
    except checker.Refusal:
        return "refused"


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
