r"""Stability of a loop that computes its inputs from hold to hold (Lyapunov's equation of Stein).

States are those of the plant x, the commands c that act on it and states z of the controller; between
samples :math:`\dot x = f(x, c)`, :math:`\dot c = 0`, :math:`\dot z = 0`. At each sample the law gives
:math:`u_k = l(x, z)` and z becomes :math:`z + h\,g(x, z, u_k)`; :math:`u_k` acts d + r holds later, r < 1, so
that commands wait, :math:`q_j = u_{k-j}`. One hold is a map of (x, z, q), as smooth as the equations are: x
flows for r h with :math:`q_{d+1}`, then for (1 - r) h with :math:`q_d`, where :math:`q_0 = u_k`.

Proved are, besides what `question` proves with the commands as states (so that whatever is conserved is so
under every constant command): that commands and z rest between samples, that the law gives at the point the
commands that hold it, and that z rests there. M is the derivative of the map, in balls, on the tangents of
the leaf, or on those of level sets of functions that are conserved; flows are exponentials.

A rational P with P > 0 and :math:`P - M^T P M > 0` puts all multipliers inside the unit circle: the point is
asymptotically stable on the leaf; with functions that are conserved, each near level set has one fixed point,
which attracts. A multiplier outside the circle makes the point unstable.

A family of fixed points: the loop rests where R = 0, R = (f, l - c, g). On the leaf D R = 0 is an identity,
with the gradients of leaf and of conserved functions as rows of D, and with rows w that the file gives. Where
the rows are independent at the point, as many of the R follow from the others, and where the kernel of
(DR, gradients of the leaf) has no more dimensions k than there are rows besides those of the leaf, R = 0 is a
manifold of these dimensions. Or the file names the family, as functions of symbols s (`family`): then R = 0
is an identity in s, of states and commands that have full rank at the point. If M modulo the tangents of the
family, which it leaves as they are, satisfies the inequality, exactly k multipliers are one, and near motions
converge to fixed points (reduction to the centre manifold, which the family is).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log2
from typing import Any

from flint import acb, acb_poly, arb, arb_mat, ctx, fmpq

from geoctrl.decisions.arithmetic.eliminations import Rows, independent, nullspace, restricted
from geoctrl.decisions.arithmetic.tower import ball, middle
from geoctrl.decisions.functions.derivatives import reachable, to_float
from geoctrl.decisions.questions.exact_question import Question
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION, Box, matrix, require_zero
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.theorems.family_decision import resting_family
from geoctrl.decisions.theorems.family_decision_in_balls import across

METHOD = "multipliers of one hold"
ON_LEVELS, FAMILY = f"{METHOD} on the level sets of the invariants", f"{METHOD} and a family of fixed points"
_WHERE = "problem.held"
_SIZE, _REACH = 64, 1 << 16
"""States of the loop, with commands that wait, and size of the exponent, that are not too much."""
_TURNS, _EXPONENT = 2, 300
"""Of balancing, by state, and the largest power of two that a state is measured in."""


def judge_held(problem: dict[str, Any], proposal: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Verdict, method and findings; Refusal where a matrix or a multiplier of the proposal proves nothing."""
    with ctx.workprec(PRECISION):
        M, findings = multiplied(problem, proposal.get("conserved", []))
        findings["rounded_polynomial"] = [to_float(middle(c)) for c in M.charpoly().coeffs()[::-1]]
        if "multiplier" in proposal:
            _require_outside(M, proposal["multiplier"])
            return "PROVED_UNSTABLE", METHOD, findings | {"multiplier": proposal["multiplier"]}
        if "lyapunov" not in proposal:
            return "UNDECIDED", METHOD, findings
        _require_inside(M, [[fmpq(c) for c in row] for row in proposal["lyapunov"]])
    findings["lyapunov"] = proposal["lyapunov"]
    if "fixed_dimension" in findings:
        return "PROVED_STABLE", FAMILY, findings
    if findings["zero_modes"]:
        return "PROVED_STABLE", ON_LEVELS, findings
    return "PROVED_ASYMPTOTICALLY_STABLE", METHOD, findings


def multiplied(problem: dict[str, Any], names: list[str]) -> tuple[arb_mat, dict[str, Any]]:
    """M on the level sets of some invariants, or modulo a family; and what was proved of these."""
    if "box" in problem:
        return _matrix_over_box(problem, names)
    q = Question(problem, exact=True)
    _require_loop(q)
    _require_commands(q)
    q.require_kept(names)
    q.require_equilibrium()
    rows, forced = _level(q, names)
    findings: dict[str, Any] = {"conserved": names, "shape_integrals": [], "zero_modes": forced}
    if "family" not in q.problem and not q.problem["held"]["rest"]:
        return OneHold(q, nullspace(rows, len(q.labels))).matrix(), findings
    fixed = _named_fixed_points(q) if "family" in q.problem else _fixed_points(q, rows)
    hold = OneHold(q, nullspace(q.leaf[0], len(q.labels)))
    tangents = hold.fixed(fixed)
    M = across(hold.matrix(), [[ball(c) for c in row] for row in tangents], tangents)
    return M, findings | {"fixed_dimension": len(tangents[0])}


def _matrix_over_box(problem: dict[str, Any], names: list[str]) -> tuple[arb_mat, dict[str, Any]]:
    """The same of the one point of a box at which the loop is proved to rest, over the box."""
    whole, middle_of = (Box(problem, names, whole=w) for w in (True, False))
    _require_loop(whole.question)
    whole.question.require_kept(names)
    require_zero(middle_of.rest()[0], whole.rest()[1], whole.unknown(0))
    findings: dict[str, Any] = {"conserved": names, "shape_integrals": [], "zero_modes": names}
    return OneHold.hold_over(whole).matrix(), findings


def _require_loop(q: Question) -> None:
    """Commands and states of the controller rest between samples, and have one law each, of what is known."""
    held = q.problem["held"]
    commands, own = held["commands"], held["own"]
    if not held["hold"] > 0 or not 0 <= held["part"] < 1 or not commands or set(commands) & set(own):
        raise Refusal("a hold is positive, a part of one less than one, and a command has one law", _WHERE)
    if not set(commands) | set(own) <= set(q.labels):
        raise Refusal("commands and states of the controller must be states", _WHERE)

    def symbols(nodes: Sequence[int]) -> set[tuple[str, str]]:
        return {q.table[i][2:0:-1] for i in reachable(q.table, nodes) if q.table[i][0] == "sym"}

    unread = {("unknown", k) for k in q.problem["unknowns"]}
    set_here = {("state", k) for k in commands}
    inner = {("state", k) for k in own}
    kept = [*q.problem["leaf"].values(), *q.problem["invariants"].values()]
    if symbols(kept) & (set_here | inner):
        raise Refusal("leaf and invariants must not depend on what changes at a sample", "problem")
    if symbols([*q.problem["field"], *q.problem["right"], *(p for *_, p in q.problem["matrix"])]) & inner:
        raise Refusal("a plant knows of its controller by the commands alone", "problem.field")
    if symbols(list(commands.values())) & (unread | set_here) or symbols(list(own.values())) & unread:
        raise Refusal("a law is a function of plant and controller", _WHERE)
    q.require_kept([])  # relations are known from here
    rates = dict(zip(q.labels, q.ratios(q.problem["field"]), strict=True))
    if any(q.functions.remainder(rates[label]) for label in (*commands, *own)):
        raise Refusal("commands and states of the controller must rest between samples", _WHERE)


def _require_commands(q: Question) -> None:
    """The law gives the commands that hold the point, and the controller's states rest there."""
    held = q.problem["held"]
    commands, own = held["commands"], held["own"]
    asked = [jet.value for jet in q.jets(list(commands.values()))]
    if any(v is None or v != q.problem["states"][k] for k, v in zip(commands, asked, strict=True)):
        raise Refusal("the law does not give the commands that hold the point", _WHERE)
    if any(jet.value is None or jet.value for jet in q.jets(list(own.values()))):
        raise Refusal("a state of the controller does not rest at the point", _WHERE)


def _level(q: Question, names: list[str]) -> tuple[Rows, list[str]]:
    """Independent gradients of the leaf and of invariants at the point, and the names of the latter."""
    tangent, regular = q.leaf
    if not regular:
        raise Refusal("gradients of the leaf are dependent at the point", "problem.leaf")
    if len(tangent) + len(q.problem["held"]["commands"]) + len(q.problem["held"]["own"]) == len(q.labels):
        raise Refusal("the leaf is the point alone: nothing of the plant moves", "problem.leaf")
    rows, forced = list(tangent), []
    for name, gradient, _ in map(q.function, names):
        if independent(rows, gradient):
            rows.append(gradient)
            forced.append(name)
    return rows, forced


def _named_fixed_points(q: Question) -> Rows:
    """Tangents, by row, of the family that the file names, proved to be points at which the loop rests."""
    found, held = resting_family(q), q.problem["held"]
    where = "problem.family"
    asked = found.values(q, list(held["commands"].values()))
    if any(
        found.functions.remainder(u - found.states[k]) for k, u in zip(held["commands"], asked, strict=True)
    ):
        raise Refusal("the law is not proved to give the commands that hold the members of the family", where)
    if any(map(found.functions.remainder, found.values(q, list(held["own"].values())))):
        raise Refusal("states of the controller are not proved to rest at the members of the family", where)
    return [list(row) for row in zip(*found.tangents, strict=True)]


def _fixed_points(q: Question, rows: Rows) -> Rows:
    """Tangents, by row, of the manifold of points at which the loop rests; rows of D so far are given."""
    held = q.problem["held"]
    places = dict(zip(q.labels, q.problem["field"], strict=True)) | held["commands"] | held["own"]
    rest = dict(zip(q.labels, q.ratios(list(places.values())), strict=True))
    slopes = dict(zip(q.labels, (q.gradient(jet) for jet in q.jets(list(places.values()))), strict=True))
    for label in held["commands"]:
        rest[label] = rest[label] - q.still[q.place["state", label]].value
        slopes[label][q.labels.index(label)] -= 1
    for weights, eliminating in held["rest"]:
        if len(weights) != len(rest) or len(eliminating) != len(q.defects):
            raise Refusal("a row has a weight for each state and for each unknown", f"{_WHERE}.rest")
        at = [jet.value for jet in q.jets([*weights, *eliminating])[: len(weights)]]
        terms = zip(q.ratios([*weights, *eliminating]), [*rest.values(), *q.defects], strict=True)
        if q.functions.remainder(sum((w * e for w, e in terms), q.functions.number(fmpq(0)))):
            raise Refusal("a row is not proved to vanish where the loop moves", f"{_WHERE}.rest")
        if any(v is None for v in at) or not independent(rows, at):
            raise Refusal("rows are dependent at the point", f"{_WHERE}.rest")
        rows = [*rows, at]
    tangents = nullspace([*slopes.values(), *q.leaf[0]], len(q.labels))
    if len(tangents) != len(rows) - len(q.leaf[0]):
        raise Refusal("it is not proved that the points at which the loop rests are a manifold", _WHERE)
    return tangents


class OneHold:
    """One hold to first order, in coordinates by a basis of tangents, that of a box over one.

    The basis is one of `nullspace`: a vector for each state that is no pivot, one there. Commands and states
    of the controller, on which nothing conserved depends, are such states.
    """

    def __init__(self, q: Question, basis: Rows, over: Box | None = None) -> None:
        held, labels = q.problem["held"], q.labels
        self._held = held
        self._free = (
            over.others
            if over
            else [
                next(i for i, c in enumerate(w) if c == 1 and not any(v[i] for v in basis if v is not w))
                for w in basis
            ]
        )
        place = {label: self._free.index(labels.index(label)) for label in (*held["commands"], *held["own"])}
        self._c, self._z = ([place[k] for k in held[part]] for part in ("commands", "own"))
        self._y = [i for i in range(len(basis)) if i not in place.values()]
        self._waiting = held["late"] + (held["part"] > 0)
        A = over.motion() if over else matrix(restricted(q.linearisation, basis), len(basis))
        self._units = balancing(A, to_float(1 / held["hold"]))
        self._A = _rescaled(A, self._units)
        W = matrix(basis, len(labels)).transpose()
        self._law, self._rate = (
            matrix([q.gradient(jet) for jet in q.jets(list(held[part].values()))], len(labels)) * W
            for part in ("commands", "own")
        )
        self.size = len(self._y) + len(self._z) + self._waiting * len(self._c)
        reach = sum((abs(a) for a in self._A.entries()), arb(0)) * arb(held["hold"])
        if not (self._y and 0 < self.size <= _SIZE and reach < _REACH):
            raise Refusal("nothing moves, or too much or too fast in one hold", _WHERE)

    @classmethod
    def hold_over(cls, box: Box) -> OneHold:
        """Over the whole of a box."""
        return cls(box.question, box.kernel().transpose().tolist(), box)

    def matrix(self) -> arb_mat:
        """M on coordinates of the plant, states of the controller, commands that wait, the last one first."""
        h, late, r = self._held["hold"], self._held["late"], self._held["part"]
        y, z = self._shown(0, len(self._y)), self._shown(len(self._y), len(self._z))
        u = [self._part(self._law, None, self._y) * y + self._part(self._law, None, self._z) * z]
        for j in range(self._waiting):
            u.append(self._shown(len(self._y) + len(self._z) + j * len(self._c), len(self._c)))
        moved = self._flow(r * h, y, u[late + 1]) if r else y
        moved = self._flow((1 - r) * h, moved, u[late])
        slopes = ((self._y, y), (self._z, z), (self._c, u[0]))
        for columns, value in slopes:
            z = z + self._part(self._rate, None, columns) * value * arb(h)
        parts = [moved, z, *u[: self._waiting]]
        return arb_mat([row for part in parts if part.nrows() for row in part.tolist()])

    def fixed(self, tangents: Rows) -> Rows:
        """Tangents of fixed points, by row in all states, as columns in these coordinates."""
        order = [*self._y, *self._z, *self._c * self._waiting]
        return [[t[self._free[i]] for t in tangents] for i in order]

    def _shown(self, first: int, count: int) -> arb_mat:
        """Some of the coordinates, as rows."""
        return arb_mat(
            count, self.size, [int(j == first + i) for i in range(count) for j in range(self.size)]
        )

    def _flow(self, s: fmpq, y: arb_mat, u: arb_mat) -> arb_mat:
        """Where coordinates y of the plant come under commands u in a time s."""
        E = _rescaled((self._A * arb(s)).exp(), [-e for e in self._units])
        return self._part(E, self._y, self._y) * y + self._part(E, self._y, self._c) * u

    @staticmethod
    def _part(A: arb_mat, rows: list[int] | None, columns: list[int]) -> arb_mat:
        rows = list(range(A.nrows())) if rows is None else rows
        return arb_mat(len(rows), len(columns), [A[i, j] for i in rows for j in columns])


def balancing(A: arb_mat, rate: float) -> list[int]:
    """Exponents e with which entries times 2^(e_j - e_i) are of like sizes (Osborne): units of states.

    What rests, as commands do, and what nothing depends on has a unit in which the other entries are a rate.
    """
    size = [[abs(to_float(middle(c))) for c in row] for row in A.tolist()]
    n, exponents = len(size), [0] * A.nrows()
    for _ in range(_TURNS * n):
        changed = False
        for k in range(n):
            row = sum(size[k][j] * 2.0 ** (exponents[j] - exponents[k]) for j in range(n) if j != k)
            column = sum(size[i][k] * 2.0 ** (exponents[k] - exponents[i]) for i in range(n) if i != k)
            row, column = row or rate * rate / (column or inf), column or rate * rate / (row or inf)
            step = round((log2(row) - log2(column)) / 2) if 0 < row < inf and 0 < column < inf else 0
            step = max(-_EXPONENT - exponents[k], min(step, _EXPONENT - exponents[k]))
            exponents[k] += step
            changed = changed or step != 0
        if not changed:
            break
    return exponents


def _rescaled(A: arb_mat, exponents: list[int]) -> arb_mat:
    """Entries times 2^(e_j - e_i), exactly."""
    n = len(exponents)
    powers = [fmpq(2) ** e for e in exponents]
    return arb_mat(n, n, [A[i, j] * arb(powers[j] / powers[i]) for i in range(n) for j in range(n)])


def _require_inside(M: arb_mat, P: Rows) -> None:
    """P > 0 and P - M' P M > 0; refused where that is not certain."""
    n = M.nrows()
    if len(P) != n or any(len(row) != n for row in P):
        raise Refusal("the matrix has not the size of the loop", "evidence.lyapunov")
    if any(P[i][j] != P[j][i] for i in range(n) for j in range(i)):
        raise Refusal("the matrix is not symmetric", "evidence.lyapunov")
    S = matrix(P, n)
    if not _positive(S) or not _positive(S - M.transpose() * S * M):
        raise Refusal("it is not proved that all other multipliers lie inside", "evidence.lyapunov")


def _positive(S: arb_mat) -> bool:
    """Whether all pivots of a symmetric matrix are certainly positive; only its lower part is read."""
    rows = S.tolist()
    for k, pivot in enumerate(rows):
        if not pivot[k] > 0:
            return False
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / pivot[k]
            for j in range(k + 1, i + 1):
                rows[i][j] = rows[i][j] - factor * rows[j][k]
    return True


def _require_outside(M: arb_mat, near: Sequence[float]) -> None:
    """A root of the characteristic polynomial outside the circle; refused where that is not certain.

    Within n |p/p'| of any number there is a root of a polynomial of degree n.
    """
    p, at = acb_poly(M.charpoly().coeffs()), acb(*near)
    distance = M.nrows() * abs(p(at)) / abs(p.derivative()(at))
    if not abs(at) - distance > 1:
        raise Refusal("it is not proved that a multiplier lies outside", "evidence.multiplier")
