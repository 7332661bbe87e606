r"""Equilibria that are known up to a box: existence by Krawczyk's operator, stability over the whole box.

Some states are held at their numbers, as many as there are invariants C in use, which make equilibria come in
families; m relations g and k invariants have gradients D. Square systems of equations in the other states:

rest      f_i = 0 but for m + k omitted states, g = 0. On the leaf D f = 0 is an identity, and where the
          columns of D at the omitted states are invertible all of f vanishes.
critical  DE + sum y DC + sum y Dg = 0, g = 0, for states and multipliers y. Where the second variation is
          definite on ker D, the solution is a strict minimum (or maximum) of conserved functions within the
          leaf, and with that an equilibrium which is stable.

Krawczyk: if -Y G(x) + (1 - Y J)[-r, r] lies inside [-r, r], with J enclosing all DG in the box about x, then
G has one zero in it. Each state may have a radius of its own, and each multiplier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from geoctrl.decisions.arithmetic.eliminations import ball_solved
from geoctrl.decisions.arithmetic.tower import ball
from geoctrl.decisions.functions.ball_jets import Balls, radii
from geoctrl.decisions.functions.derivatives import Jet
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.questions.spectrum_in_balls import grows, positive
from geoctrl.decisions.reading.problem_reader import Refusal

PRECISION = 256
"""Bits of the middles of balls."""


class Box:
    """The equations over a box, or at its middle.

    Parameters
    ----------
    problem : as read, with its key "box"
    names : sequence of str
        Invariants in use, whose gradients stand in D besides those of the leaf.
    whole : bool
        Over the whole box, or at its middle.
    """

    def __init__(self, problem: dict[str, Any], names: Sequence[str], whole: bool) -> None:
        box, labels = problem["box"], list(problem["states"])
        for part, count in (("held", len(names)), ("omitted", len(names) + len(problem["leaf"]))):
            if len(set(box[part])) != count or len(box[part]) != count or not set(box[part]) <= set(labels):
                raise Refusal(f"{count} different states are needed", f"problem.box.{part}")
        self.free = [i for i, label in enumerate(labels) if label not in box["held"]]
        self.others = [i for i, label in enumerate(labels) if label not in box["omitted"]]
        self._omitted = [labels.index(label) for label in box["omitted"]]
        around = radii(box["bits"], len(labels))
        widths = [r if whole and i in self.free else fmpq(0) for i, r in enumerate(around)]
        self.question = Question(problem, True, Balls(widths))
        self._relations = len(problem["leaf"])
        self._functions = self.jets([*problem["leaf"], *names])
        self._gradients = [self.question.gradient(jet) for jet in self._functions]

    def unknown(self, multipliers: int) -> list[fmpq]:
        """Radii of the states that are not held, and of some multipliers."""
        n, bits = len(self.question.labels), self.question.problem["box"]["bits"]
        if isinstance(bits, list) and len(bits) != n + multipliers:
            raise Refusal("one radius is needed for each state and each multiplier", "problem.box.bits")
        found = radii(bits, n + multipliers)
        return [*(found[i] for i in self.free), *found[n:]]

    def jets(self, names: Iterable[str]) -> list[Jet]:
        """Values and derivatives of relations and invariants."""
        problem = self.question.problem
        if unknown := [name for name in names if name not in problem["leaf"] | problem["invariants"]]:
            raise Refusal(f"there is no invariant {unknown[0][:80]!r}", "evidence.conserved")
        jets = self.question.jets([(problem["leaf"] | problem["invariants"])[name] for name in names])
        if any(jet.second is None for jet in jets):
            raise Refusal("a function depends on unknowns", "problem")
        return jets

    def rest(self) -> tuple[list[Any], list[list[Any]]]:
        """Values and Jacobian of the equations of rest, of a loop with what its law gives beyond commands."""
        q = self.question
        held = q.problem.get("held", {"commands": {}, "own": {}})
        places = dict(zip(q.labels, q.problem["field"], strict=True)) | held["commands"] | held["own"]
        rates = q.jets([places[q.labels[i]] for i in self.others])
        jets = [*rates, *self._functions[: self._relations]]
        values, slopes = [jet.value for jet in jets], [q.gradient(jet) for jet in jets]
        for k, i in enumerate(self.others):
            if q.labels[i] in held["commands"]:
                values[k] = values[k] - ball(q.problem["states"][q.labels[i]])
                slopes[k] = [c - (i == j) for j, c in enumerate(slopes[k])]
        return values, [[row[j] for j in self.free] for row in slopes]

    def critical(self, energy: str, multipliers: Sequence[arb]) -> tuple[list[Any], list[list[Any]], arb_mat]:
        """Values and Jacobian of the equations of a critical point, and the second variation.

        Multipliers are those of the rows of D, relations first; that of the energy is one.
        """
        q, n = self.question, range(len(self.question.labels))
        terms = [*zip([arb(1), *multipliers], [*self.jets([energy]), *self._functions], strict=True)]
        H = arb_mat(len(n), len(n))
        for y, jet in terms:
            for (i, j), value in (jet.second or {}).items():
                for place in {(i, j), (j, i)}:
                    H[place] = H[place] + y * value
        slopes = [sum((y * q.gradient(jet)[i] for y, jet in terms), arb(0)) for i in n]
        relations = self._functions[: self._relations]
        rows = [[*(H[i, j] for j in self.free), *(row[i] for row in self._gradients)] for i in n]
        none = [fmpq(0)] * len(multipliers)
        rows += [[*(q.gradient(jet)[j] for j in self.free), *none] for jet in relations]
        return [*slopes, *(jet.value for jet in relations)], rows, H

    def kernel(self) -> arb_mat:
        """A basis of ker D as columns, each one at a state that is not omitted; refused where the omitted
        columns of D may be dependent.
        """
        size, n = len(self._omitted), len(self.question.labels)
        if size == n:
            raise Refusal("relations and invariants leave no direction")
        columns = [[row[j] for j in self._omitted] for row in self._gradients]
        rest = [[-row[j] for j in self.others] for row in self._gradients]
        dependent = solved(matrix(columns, size), matrix(rest, n - size)).tolist() if size else []
        rows: list[list[Any]] = [[]] * n
        for k, state in enumerate(self.others):
            rows[state] = [fmpq(int(k == j)) for j in range(n - size)]
        for row, state in zip(dependent, self._omitted, strict=True):
            rows[state] = row
        return matrix(rows, n - size)

    def motion(self) -> arb_mat:
        """The linearisation on ker D, by the states that are not omitted.

        On the leaf D f = 0, so that at rest it keeps ker D: its rows at these states say how.
        """
        image, size = (
            matrix(self.question.linearisation, len(self.question.labels)) * self.kernel(),
            len(self.others),
        )
        return arb_mat(size, size, [image[i, j] for i in self.others for j in range(size)])


def matrix(rows: Sequence[Sequence[Any]], columns: int) -> arb_mat:
    """Balls by rows."""
    entries = [x if isinstance(x, arb) else ball(x) for row in rows for x in row]
    return arb_mat(len(rows), columns, entries)


def solved(A: arb_mat, right: arb_mat) -> arb_mat:
    """X of A X = right, refused where A may be singular."""
    try:
        return ball_solved(A, right)
    except ZeroDivisionError as error:
        raise Refusal("a matrix may be singular in the box") from error


def well_solved(A: arb_mat, right: arb_mat) -> arb_mat:
    """X of A X = right, both divided by the middle of A; refused where A may be singular."""
    inverse = solved(A.mid(), unit(A.nrows())).mid()
    found = solved(inverse * A, inverse * right)
    if not all(c.is_finite() for c in found.entries()):
        raise Refusal("a matrix may be singular in the box")
    return found


def is_invertible(n: int, entries: Iterable[tuple[int, int, arb]]) -> bool:
    """Whether a matrix of balls, zero but for its entries, is certainly not singular."""
    A = arb_mat(n, n)
    for i, j, v in entries:
        A[i, j] = v
    try:
        well_solved(A, unit(n))
    except Refusal:
        return False
    return True


def unit(n: int) -> arb_mat:
    """The identity."""
    return arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def require_zero(values: Sequence[Any], jacobian: Sequence[Sequence[Any]], radii: Sequence[fmpq]) -> None:
    """Krawczyk's test: refused unless one zero lies within the radii of the middle, where the values are."""
    n = len(values)
    J = matrix(jacobian, n)
    if J.nrows() != n:
        raise Refusal("the equations are not as many as the unknowns", "problem.box")
    Y = solved(J.mid(), arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])).mid()
    unit = arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    box = [arb(0, r) for r in radii]
    image = (unit - Y * J) * arb_mat(n, 1, box) - Y * matrix([[v] for v in values], 1)
    if not all(b.contains_interior(image[i, 0]) for i, b in enumerate(box)):
        raise Refusal("it is not proved that there is an equilibrium in the box", "problem.box")


def require_rest(problem: dict[str, Any], names: Sequence[str]) -> None:
    """One equilibrium lies in the box of a problem, of the family that invariants in use belong to."""
    with ctx.workprec(PRECISION):
        whole = Box(problem, names, whole=True)
        whole.question.require_kept(list(names))
        whole.kernel()  # the states that are omitted are those that the others determine
        require_zero(Box(problem, names, whole=False).rest()[0], whole.rest()[1], whole.unknown(0))


def judge_box(problem: dict[str, Any], proposal: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Verdict, method and findings for an equilibrium that is known up to the box of a problem."""
    with ctx.workprec(PRECISION):
        names = proposal.get("conserved", [])
        by = _by_energy if "multipliers" in proposal else _by_spectrum
        return by(problem, names, proposal, {"conserved": names, "shape_integrals": []})


def _by_spectrum(
    problem: dict[str, Any], names: list[str], proposal: dict[str, Any], findings: dict[str, Any]
) -> tuple[str, str, dict[str, Any]]:
    whole = Box(problem, names, whole=True)
    whole.question.require_kept(names)
    require_zero(Box(problem, names, whole=False).rest()[0], whole.rest()[1], whole.unknown(0))
    findings["zero_modes"] = names
    if grows(whole.motion(), proposal, findings):
        return "PROVED_UNSTABLE", "spectrum in balls", findings
    if names:
        return "PROVED_STABLE", "spectrum in balls on the level sets of the invariants", findings
    return "PROVED_ASYMPTOTICALLY_STABLE", "spectrum in balls", findings


def _by_energy(
    problem: dict[str, Any], names: list[str], proposal: dict[str, Any], findings: dict[str, Any]
) -> tuple[str, str, dict[str, Any]]:
    energy, *invariants = names or [""]
    given = proposal["multipliers"]
    if list(given) != [*problem["leaf"], *invariants]:
        raise Refusal("one multiplier is needed for each function but the first", "evidence.multipliers")
    whole, centre = (Box(problem, invariants, whole=w) for w in (True, False))
    whole.question.require_kept(names)
    middles = [ball(problem["roots"].read(v)) for v in given.values()]
    found = whole.unknown(len(middles))
    around = zip(middles, found[len(whole.free) :], strict=True)
    _, jacobian, H = whole.critical(energy, [y + arb(0, r) for y, r in around])
    require_zero(centre.critical(energy, middles)[0], jacobian, found)
    W = whole.kernel()
    R = W.transpose() * H * W
    if not (positive(R) or positive(-R)):
        raise Refusal("it is not proved that the second variation is definite", "evidence")
    findings |= {"zero_modes": invariants, "multipliers": given, "hessian": "definite"}
    return "PROVED_STABLE", "energy-Casimir in balls", findings
