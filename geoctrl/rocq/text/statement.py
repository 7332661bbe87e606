"""Statements about motions in plain real numbers, with the mechanism's names, and the steps that prove them.

A statement is convertible with what the library concludes from the data, so that its proof takes hypotheses
and indices apart and rewrites nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from geoctrl.rocq.terms.expression import Expression
from geoctrl.rocq.terms.problem_in_terms import ProblemInTerms
from geoctrl.rocq.text.identifiers import Identifiers
from geoctrl.rocq.text.real_text import ATOM, SUM, lines_of, real_text, value_text

OUT = "exfalso; simpl in Hi; lia."
"""An index beyond the states."""


class Statement:
    """The parts of statements about the motions of one problem.

    Parameters
    ----------
    equations : ProblemInTerms
    identifiers : Identifiers
    """

    def __init__(self, equations: ProblemInTerms, identifiers: Identifiers) -> None:
        self.equations, self._identifiers = equations, identifiers
        self.states = [identifiers.word_for("state", k) for k in equations.labels]
        self.unknowns = [identifiers.word_for("unknown", k) for k in equations.unknowns]
        self.values = [value_text(q) for q in equations.point]

    @property
    def names(self) -> list[str]:
        """States and unknowns."""
        return [*self.states, *self.unknowns]

    @property
    def functions(self) -> str:
        """States and unknowns in a row."""
        return " ".join(self.names)

    def starts(self) -> list[str]:
        """Names of states at the start."""
        return [self._identifiers.word_for("start", f"{k}0") for k in self.equations.labels]

    def _name(self, label: str) -> str:
        return self._identifiers.word_for("number", label)

    def text(self, term: Expression, variable: Callable[[int], str], least: int = SUM) -> str:
        """A term in the reals."""
        return real_text(term, self._name, variable, least)

    def definitions(self) -> list[str]:
        """Parameters and inputs."""
        return [
            f"Definition {self._name(label)} : R := {value_text(q)}."
            for label, q in self.equations.numbers.items()
        ]

    def values_at(self, time: str) -> Callable[[int], str]:
        """Variables at a time."""
        return lambda place: f"{self.names[place]} {time}"

    # -- hypotheses, or parts of a conclusion: each a list of propositions -------------------------------

    def continuous(self) -> list[str]:
        """The states are continuous."""
        return [f"cont_on {x} T" for x in self.states]

    def rates(self) -> list[str]:
        """The states have their rates."""
        return [
            f"(forall t, 0 < t < T -> derivable_pt_lim {x} t {self.text(f, self.values_at('t'), ATOM)})"
            for x, f in zip(self.states, self.equations.field, strict=True)
        ]

    def holding(self) -> list[str]:
        """The equations of motion hold."""
        return [
            f"(forall t, 0 < t < T -> {self.text(q, self.values_at('t'))} = 0)"
            for q in self.equations.equations
        ]

    def on_leaf(self, variable: Callable[[int], str]) -> list[str]:
        """A state is on the leaf."""
        return [f"{self.text(g, variable)} = 0" for g in self.equations.leaf.values()]

    def distances(self, values: Sequence[str]) -> list[str]:
        """How far states are from the point."""
        return [f"Rabs ({x} - {value})" for x, value in zip(values, self.values, strict=True)]

    def motion_hypotheses(self) -> list[str]:
        """All that makes functions a motion, each part a line that ends in an arrow."""
        lines = ["    (* continuous on [0, T] *)", *hypotheses(self.continuous())]
        return [*lines, "    (* the equations of motion *)", *hypotheses([*self.rates(), *self.holding()])]

    def leaf_hypotheses(self) -> list[str]:
        """The motion begins on the leaf."""
        parts = self.on_leaf(self.values_at("0"))
        return ["    (* the leaf *)", *hypotheses(parts)] if parts else []

    def near_hypotheses(self, words: str) -> list[str]:
        """The motion begins near the point."""
        near = [f"{d} < delta" for d in self.distances([f"{x} 0" for x in self.states])]
        return [f"    (* {words} *)", *hypotheses(near)]

    # -- proofs ------------------------------------------------------------------------------------------

    def hypothesis_names(self) -> tuple[list[str], list[str], list[str], list[str], list[str]]:
        """Of continuity, rates, equations, leaf and nearness."""
        n, m, leaf = self.equations.n, self.equations.m, len(self.equations.leaf)
        counts = (("c", n), ("d", n), ("q", m), ("g", leaf), ("s", n))
        c, d, q, g, s = ([f"{letter}{i}_" for i in range(count)] for letter, count in counts)
        return c, d, q, g, s

    def motion_function(self) -> str:
        """The states and unknowns as one function of time and index."""
        branches = " | ".join(f"{i}%nat => {x} t" for i, x in enumerate(self.names))
        return f"fun (t : R) (i : nat) => match i with {branches} | _ => 0 end"

    def motion_proof(self) -> list[str]:
        """That this function is a motion of the library."""
        c, d, q, _, _ = self.hypothesis_names()
        return [
            "    constructor.",
            "    + intros i Hi. " + by_index([f"exact {x}" for x in c], OUT),
            "    + intros u Hu i Hi. " + by_index([f"exact ({x} u Hu)" for x in d], OUT),
            "    + intros u Hu q_ Hq. " + by_member("Hq", [f"exact ({x} u Hu)" for x in q]),
        ]


def hypotheses(parts: Sequence[str]) -> list[str]:
    """Hypotheses, one below the other."""
    return [line for part in parts for line in lines_of(f"    {part} ->")]


def conjuncts(parts: Sequence[str]) -> list[str]:
    """Parts of a conjunction that goes on, one below the other."""
    return [line for part in parts for line in lines_of(f"    {part} /\\")]


def conjunction(parts: Sequence[str], end: str) -> list[str]:
    """A conjunction, one part below the other."""
    return [*conjuncts(parts[:-1]), *lines_of(f"    {parts[-1]}{end}")]


def by_index(steps: Sequence[str], last: str) -> str:
    """A case for each index, and what is left."""
    return "".join(f"destruct i as [|i]; [{step}|]. " for step in steps) + last


def by_member(name: str, steps: Sequence[str]) -> str:
    """A case for each member of a list."""
    return "".join(f"destruct {name} as [<-|{name}]; [{step}|]. " for step in steps) + f"destruct {name}."


def member(place: int) -> str:
    """The proof that something stands at a place of a list."""
    return "(or_intror " * place + "(or_introl eq_refl)" + ")" * place


def leaving(count: int) -> str:
    """From an index to its part of a disjunction."""
    cases = (
        f"destruct i as [|i]; [{'right; ' * k}{'left; ' if k < count - 1 else ''}exact Hx|]. "
        for k in range(count)
    )
    return "".join(cases) + OUT
