r"""Equilibria that are known up to a box: existence by Krawczyk's operator, stability over the whole box.

Some states are held at their numbers, as many as there are invariants C in use, which make equilibria come in
families; relations g and invariants have gradients D. Square systems G of equations in the other states:

rest      f_i = 0 for the states i that D leaves free, g = 0. On the leaf D f = 0 is an identity, and as the
          columns of D at the states that are fixed have an inverse, all of f vanishes.
critical  DE + sum y DC + sum y Dg = 0, g = 0, for states and multipliers y. Where the second variation is
          definite on ker D, the solution is a strict minimum (or maximum) of conserved functions within the
          leaf, and with that an equilibrium which is stable.

Krawczyk: if :math:`-Y G(x) + (1 - Y J) [-r, r]` lies inside [-r, r], with J enclosing all DG in the box about
x, then G has one zero in it, whatever Y is: :math:`|1 - Y J| r < r` shows Y and all of J invertible, and
:math:`x \mapsto x - Y G(x)` maps the box into itself. What the theorems about a point ask for is asked for
over the whole box, in balls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, ctx, fmpq

from geoctrl.checker.definite import Rows, positive_definite, product, transpose
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.limits import require
from geoctrl.checker.numbers import BITS, ball, rational
from geoctrl.checker.question import Question
from geoctrl.checker.reader import label, one_of
from geoctrl.checker.verdicts import (
    BASIS,
    Found,
    attraction,
    growth,
    second_variation,
    tangents,
)
from geoctrl.checker.verdicts import THEOREMS as OF_POINTS

BOX = {"held": [label], "radii": [rational], "Y": [[rational]]}
"""Radii of the states that are not held, in order, and of multipliers; Y is next to the inverse of DG."""
ENERGY = BASIS | {"box": BOX, "energy": label, "multipliers": {...: rational}, "sense": one_of(1, -1)}
"""``multipliers`` are those of the rows; that of the energy is one."""


class Box:
    """A question about a whole box, and about its middle.

    Attributes
    ----------
    free : places of the states that are not held
    whole, middle : Question
    """

    def __init__(self, problem: dict[str, Any], witness: dict[str, Any], box: dict[str, Any]) -> None:
        labels, self.given = list(problem["states"]), box
        self.free = [i for i, k in enumerate(labels) if k not in box["held"]]
        widths = [fmpq(0)] * len(labels)
        self.middle = Question(problem, witness, Balls(list(widths)))
        for i, r in zip(self.free, box["radii"], strict=False):
            widths[i] = r
        self.whole = Question(problem, witness, Balls(widths))

    def values(self, nodes: list[int]) -> list[Any]:
        """Functions at the middle."""
        return [jet.value for jet in self.middle.jets(nodes)]

    def slopes(self, nodes: list[int]) -> Rows:
        """Their derivatives by the states that are not held, over the box."""
        gradients = [jet.gradient(len(self.whole.labels)) for jet in self.whole.jets(nodes)]
        return [[row[i] for i in self.free] for row in gradients]

    def require_zero_of(self, nodes: list[int]) -> None:
        """Refused unless some functions have one zero in the box."""
        require_zero(self.given, self.values(nodes), self.slopes(nodes))


def require_zero(box: dict[str, Any], values: list[Any], J: Rows) -> None:
    """Krawczyk's test, of values at the middle and derivatives over the box."""
    Y, radii = box["Y"], box["radii"]
    require(
        len(values) == len(J) == len(radii), "the equations are not as many as the unknowns", "theorem.box"
    )
    rows = zip(product(Y, [[v] for v in values]), product(Y, J), radii, strict=True)
    for i, ((step,), image, r) in enumerate(rows):
        away = zip(image, radii, strict=True)
        require(
            sum((abs(c - (i == j)) * s for j, (c, s) in enumerate(away)), abs(step)) < r,
            "it is not proved that there is an equilibrium in the box",
            "theorem.box",
        )


def in_box(theorem: Callable[[Question, dict[str, Any]], Found]) -> Callable[..., Found]:
    """A theorem by the spectrum, about the equilibrium in a box."""

    def verdict_in_box(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
        with ctx.workprec(BITS):
            box = Box(problem, witness, given["box"])
            rates = dict(zip(problem["states"], problem["field"], strict=True))
            box.require_zero_of([*(rates[k] for k in given["free"]), *problem["leaf"].values()])
            found = theorem(box.whole, given)
        return found._replace(method=found.method.replace("spectrum", "spectrum in balls"))

    return verdict_in_box


def energy_casimir_in_box(problem: dict[str, Any], witness: dict[str, Any], given: dict[str, Any]) -> Found:
    """The equilibrium in a box is one where conserved functions have a strict minimum or maximum."""
    with ctx.workprec(BITS):
        box, names = Box(problem, witness, given["box"]), [given["energy"], *given["rows"]]
        q, n, relations = box.whole, len(box.whole.labels), list(problem["leaf"].values())
        q.require_kept(names)
        middles = [ball(given["multipliers"][k]) for k in given["rows"]]
        radii = given["box"]["radii"][len(box.free) :]
        around = [y + arb(0, r) for y, r in zip(middles, radii, strict=True)]
        at_middle = [box.middle.function(k).gradient(n) for k in names]
        values = [*product([[arb(1), *middles]], at_middle)[0], *box.values(relations)]
        functions = [q.function(k) for k in names]
        terms = list(zip([arb(1), *around], functions, strict=True))
        unit = [[fmpq(i == j) for j in range(n)] for i in range(n)]
        H, D = second_variation(q, terms, unit), [jet.gradient(n) for jet in functions[1:]]
        J = [[*(H[i][j] for j in box.free), *(row[i] for row in D)] for i in range(n)]
        J += [[*row, *(fmpq(0) for _ in D)] for row in box.slopes(relations)]
        require_zero(given["box"], values, J)
        W = tangents(q, given)
        R = product(transpose(W), product(H, W))
        require(
            positive_definite([[given["sense"] * c for c in row] for row in R]),
            "the second variation is not shown to be definite",
            "theorem.multipliers",
        )
    return Found("PROVED_STABLE", "energy-Casimir in balls", {})


THEOREMS = {
    f"{name} in a box": ({"theorem": OF_POINTS[name][0]["theorem"] | {"box": BOX}}, in_box(theorem))
    for name, theorem in (("attraction", attraction), ("growth", growth))
} | {"energy-Casimir in a box": ({"theorem": ENERGY}, energy_casimir_in_box)}
