r"""A turning point of a curve of equilibria, in a box, by Krawczyk's test.

One of the states, p, is what the curve goes along; it may be one that does not move, which is a parameter.
Some states are held at their numbers, y are the others, with the unknowns z. Equations F(y, p) = 0 are those
of the rates f of the states that D leaves free, K z = b, and the relations g of the leaf, where rows of
gradients D are those of all relations and of some conserved functions. On the leaf D f = 0 is an identity,
and as the columns of D at the other states have an inverse over the box, all of f vanishes with the rest:
equilibria on the leaf are the zeros of F. Equations

.. math::

    F(y, p) = 0, \qquad F_y(y, p)\,v = 0, \qquad l \cdot v = 1

have one solution in the box, at which their derivative J is regular. So the kernel of :math:`F_y` is the line
of v, and :math:`F_p` is not in its range: zeros of F near by are a curve, along which y' = v, p' = 0 and

.. math::

    F_y\,y'' + F_p\,p'' + F_{yy} v v = 0,

whence p'' is an entry of the solution of :math:`J\,(y'', p'', \cdot) = (-F_{yy} v v, 0, 0)`. Where it is
positive p has its least value of the curve there, where it is negative its greatest [Moore and Spence, SIAM
J. Numer. Anal. 17 (1980), 567-576, theorem 2.1].
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import arb, ctx, fmpq

from geoctrl.checker.definite import Rows, product
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import BITS, ball, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import label
from geoctrl.checker.theorems.boxes import require_zero
from geoctrl.checker.verdicts import BASIS, Found, tangents
from geoctrl.checker.words.claims import assigned, system_words
from geoctrl.checker.words.leaf import Dimension, leaf_words, relations
from geoctrl.checker.words.texts import listed, told

METHOD = "turning point in balls"
TURN = BASIS | {
    "held": [label],
    "along": label,
    "unknowns": [rational],
    "kernel": [rational],
    "normal": [rational],
    "radii": [rational],
    "Y": [[rational]],
}
"""``unknowns`` are z at the middle, ``kernel`` is v and ``normal`` l, by y and z. ``radii`` are those of y,
of z, of the state along, and of v; Y is next to the inverse of J."""
DIGITS = 30
"""Of balls in words, at most."""
MINUS = Jet({(): fmpq(-1)}, 2)


class Fold:
    """A turning point that is looked for in the box of a file.

    Attributes
    ----------
    given : dict
    places : list of int
        Those of the nodes of y, of z and of p in the table.
    still : bool
        Whether p does not move.
    question : Question
        Over the box.
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> None:
        labels, rates, along = list(problem["states"]), problem["field"], given["along"]
        rest = [k for k in labels if k not in (*given["held"], along)]
        self.still = problem["nodes"][rates[labels.index(along)]] == ("num", fmpq(0))
        require(
            len(rest) + len(given["held"]) + 1 == len(labels),
            "what is held stands twice, is gone along, or is no state",
            "theorem.held",
        )
        if self.still and along not in given["free"]:
            raise Refusal("what does not move has to be free", "theorem.free")
        self.given, self._size = given, len(rest) + len(problem["unknowns"])
        radii = given["radii"][: len(rest)] + given["radii"][self._size : self._size + 1]
        widths = dict(zip([*rest, along], radii, strict=True))
        self.question = q = Question(problem, witness, Balls([widths.get(k, fmpq(0)) for k in labels]))
        of_labels = dict(zip(labels, q.states, strict=True))
        self.places = [*(of_labels[k] for k in rest), *q.unknowns, of_labels[along]]
        self._middle = [q.values[p] for p in self.places[: len(rest)]] + given["unknowns"]
        self._middle += [q.values[of_labels[along]]]
        self._rates = [
            p
            for k, p in zip(labels, rates, strict=True)
            if k in given["free"] and not (self.still and k == along)
        ]

    def box(self) -> list[arb]:
        """Values of y, z and p."""
        return self._balls(self._middle, self.given["radii"][: self._size + 1])

    def equations(self, whole: bool) -> tuple[list[Any], Rows]:
        """Their values and their derivatives J, at the middle or over the whole box."""
        m, radii = self._size, self.given["radii"] if whole else [fmpq(0)] * (2 * self._size + 1)
        jets = self._jets(self._balls(self._middle, radii[: m + 1]))
        v, normal = self._balls(self.given["kernel"], radii[m + 1 :]), self.given["normal"]
        slopes = [jet.gradient(m + 1) for jet in jets]
        bent = [product([v], jet.hessian(m + 1)[:m])[0] for jet in jets]
        column = [[c] for c in v]
        along_v = product([row[:m] for row in slopes] + [normal], column)
        values = [jet.value for jet in jets] + [c for (c,) in along_v]
        J = [[*row, *[fmpq(0)] * m] for row in slopes]
        J += [[*row, *slope[:m]] for row, slope in zip(bent, slopes, strict=True)]
        J += [[*[fmpq(0)] * (m + 1), *normal]]
        return [*values[:-1], values[-1] - 1], J

    def bend(self) -> arb:
        """p'', once it is proved that there is one turning point in the box."""
        m, (values, _), (_, J) = self._size, self.equations(whole=False), self.equations(whole=True)
        require_zero(self.given, values, J)
        tangents(self.question, self.given)
        v = self._balls(self.given["kernel"], self.given["radii"][m + 1 :])
        second = product([row[:m] for row in J[m : 2 * m]], [[c] for c in v])
        right = [[-c] for (c,) in second] + [[fmpq(0)]] * (m + 1)
        return product(self.question.numbers.inverse(J, self.given["Y"], "theorem.Y"), right)[m][0]

    def _balls(self, middle: list[fmpq], radii: list[fmpq]) -> list[arb]:
        return [ball(x) + arb(0, r) for x, r in zip(middle, radii, strict=True)]

    def _jets(self, box: list[arb]) -> list[Jet]:
        """F, with derivatives by y, z and p."""
        q, numbers = self.question, Balls()
        known = {p: Jet({(): ball(c)}, 2) for p, c in q.values.items()}
        moving = zip(self.places, box, strict=True)
        known |= {p: Jet({(): x, (i,): fmpq(1)}, 2) for i, (p, x) in enumerate(moving)}
        b = evaluate(q.table, q.problem["right"], known, numbers)
        for i, j, p in q.problem["matrix"]:
            b[i] = b[i] + evaluate(q.table, [p], known, numbers)[0] * known[q.unknowns[j]] * MINUS
        return [*evaluate(q.table, [*self._rates, *q.problem["leaf"].values()], known, numbers), *b]


class TurnWords(NamedTuple):
    """What is proved of a turning point, in words."""

    fold: Fold
    least: bool

    def claim(self, system: str) -> str:
        """What its file claims."""
        fold, problem = self.fold, self.fold.question.problem
        names, values, held = list(problem["states"]), problem["parameters"], fold.given["held"]
        with ctx.workprec(BITS):
            box = zip(fold.places, fold.box(), strict=True)
            around = {p: str(x.str(DIGITS)) for p, x in box}
        there = zip(names, fold.question.states, strict=True)
        phrases = {
            f"Equilibria of {system_words(system)}": True,
            f"with {assigned(values)}": values,
            f"held by the inputs {assigned(problem['inputs'])}": problem["inputs"],
            f"on {leaf_words(relations(problem), self._dimension, ' there')}": True,
            f"with {assigned({k: problem['states'][k] for k in held})} held": held,
        }
        place = ", ".join(f"{told(k)} = {around[p]}" for k, p in there if p in around)
        along = told(fold.given["along"])
        return (
            f"{', '.join(words for words, holds in phrases.items() if holds)}, are a curve near {place} "
            f"(Krawczyk), which turns at a point within these bounds: there "
            f"{'the parameter ' if fold.still else ''}{along} has its {self._most} value of the curve near "
            "by, with a second derivative that is not zero."
        )

    @property
    def _most(self) -> str:
        return "least" if self.least else "greatest"

    @property
    def _dimension(self) -> Dimension:
        problem = self.fold.question.problem
        return Dimension(len(problem["states"]) - len(problem["leaf"]) - self.fold.still, True)

    def checks(self) -> tuple[str, ...]:
        """What was confirmed."""
        given = self.fold.given
        kept = listed(given["rows"]) or "nothing"
        return (
            f"kept by the motion, identically: {kept}",
            f"their gradients are independent over the box, so that all rates vanish with those of "
            f"{listed(given['free'])}",
            "the equations of rest, with a vector v of the kernel of their derivatives for which l.v = 1, "
            "have one solution in the box (Krawczyk), about which equilibria are one curve",
            f"the second derivative of {told(given['along'])} along the curve is "
            f"{'positive' if self.least else 'negative'} over the box",
        )


def turning_point(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """The curve of equilibria turns at a point in the box."""
    with ctx.workprec(BITS):
        fold = Fold(problem, witness, given)
        require({*problem["leaf"]} <= {*given["rows"]}, "a relation of the leaf is missing", "theorem.rows")
        bend = fold.bend()
        require(bend > 0 or bend < 0, "the second derivative along the curve may vanish", "theorem.radii")
    return Found("PROVED_TURNING_POINT", METHOD, {"region": TurnWords(fold, bool(bend > 0))})


THEOREMS = {"turning point": ({"theorem": TURN}, turning_point)}
