"""The file of a periodic orbit: steps, boxes and forms, with which the checker proves it by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import copy_context
from typing import Any, NamedTuple

import numpy as np
import scipy
from flint import arb, arb_mat, ctx, fmpq

from geoctrl import checker, decisions
from geoctrl._scalars import Node, exact
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.table import Stored
from geoctrl.analysis.set_witnesses.sublevel_witnesses import in_balls
from geoctrl.analysis.witnesses.box_witnesses import BallWitnesses, rounded_inverse
from geoctrl.analysis.witnesses.content import content_of_file, parts_as_read
from geoctrl.analysis.witnesses.lyapunov_forms import contracting_form, form_triangle, multiplying_form
from geoctrl.analysis.witnesses.point_witnesses import texts
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.flows.flow import FINE, PARTS, WHOLE, interval_of
from geoctrl.checker.flows.series import Motion, coefficient, terms_of_series, value_at
from geoctrl.checker.orbits.file import ORBIT, Orbit
from geoctrl.checker.question import Question
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.errors import CertificateError

__all__ = ["Closed", "box_of_step", "confirmed_orbit", "flow_steps", "leaf_basis", "longest_step"]

ATTRACTS, REPELS = "periodic orbit that attracts", "periodic orbit that repels"
BITS = 128, 192, 256, 384
"""Of the numbers of a file, tried in turn."""
TERMS = 4
"""Bits to one coefficient of the series."""
SMALL, REACH = 2 / 3, 3 / 8
"""Exponents of what a step may leave out and of the first radius of the box, relative to the bits."""
MARGIN = 3
"""Exponent by which the radius is above what the equations leave."""
GROWN, TRIED = 1.5, 24
"""Factor of boxes that are too small, and how often it and shorter steps are tried."""
WIDER = 2
"""How much wider boxes of an orbit are, for motions from more starts than one."""
APART = 8
"""Exponent of how far motions may go apart over a step by Gronwall's lemma."""
SLACK = 2.0**-24
"""Of a size, by which boxes are larger than the motion."""
INVERSE = 96
"""Bits of the inverse of Krawczyk's test."""
ROUNDS = 6
"""Of Newton's method for the time to the plane across."""


class Closed(NamedTuple):
    """An orbit that closes without a symmetry, up to whole turns by states: that in floats, with a state and
    the period in balls, in which ``sizes`` are those of the states.
    """

    orbit: Any
    kept: Mapping[str, Node]
    x: Sequence[arb]
    period: arb
    sizes: np.ndarray
    winding: Mapping[str, int]


def confirmed_orbit(closed: Closed, most: int) -> tuple[dict[str, Any], checker.Report]:
    """The content of an orbit's file in at most so many bits, and what the checker says of it;
    CertificateError where it does not confirm it.
    """
    reason = "no steps, boxes and forms were found for it"
    for bits in (b for b in BITS if b <= max(most, BITS[0])):
        try:
            with ctx.workprec(bits):
                content = copy_context().run(_content, closed, bits)
            return content, checker.check(content)
        except checker.Refusal as refusal:
            reason = f"the checker refuses it, {refusal}"
        except (NotSolved, ZeroDivisionError, ValueError):
            continue
    raise CertificateError(reason)


def _problem(closed: Closed) -> tuple[dict[str, Any], list[int]]:
    """Equations at the state in floats, with what is conserved, and the sides of the domain."""
    orbit, kept, system = closed.orbit, closed.kept, closed.orbit.system
    motion = EquationsOfMotion.of(system)
    numbers = dict(zip(motion.states, orbit.x, strict=True)) | dict(zip(motion.inputs, orbit.u, strict=True))
    values = {k: exact(v) for k, v in (numbers | dict(orbit.params)).items()}
    margins = [system.expression(side.margin) for side in system.domain.values()]
    for further in (False, True):
        data, table = motion.equations_data(kept, {}, {}, further)
        domain = table.places([motion.image(node) for node in margins])
        parts = {part: {k: str(values[k]) for k in data[part]} for part in ("states", "inputs", "parameters")}
        problem = data | parts | {"nodes": table.rows}
        q = in_balls(Stored.of(problem).read)
        if all(map(q.conserved, [*motion.leaf, *kept])):
            break
    return problem, domain


def _content(closed: Closed, bits: int) -> dict[str, Any]:
    problem, domain = _problem(closed)
    names = [*problem["leaf"], *closed.kept]
    point = BallWitnesses(problem)
    title = heading(FORMAT, closed.orbit.system.name)
    del title["version"]
    content = content_of_file(title, point, {}, names, in_balls(point.question.problem))
    given: dict[str, Any] = {
        "name": ATTRACTS,
        "bits": bits,
        "degree": bits // TERMS,
        "domain": domain,
        "P": [],
    } | _basis(closed, point, names)
    motion = Motion(
        Question(*parts_as_read(content), Balls([fmpq(0)] * len(closed.x))), given["units"], given["degree"]
    )
    start = _start(closed, motion, given["across"], problem)
    if closed.winding:
        given["winding"] = dict(closed.winding)
    given |= {
        "start": [str(x) for x in start],
        "steps": flow_steps(motion, [arb(x) for x in start], bits, domain),
    }
    content["theorem"] = _theorem(content, given, bits)
    return content | {"digest": checker.digest_of(content)}


def leaf_basis(q: decisions.Question, names: Sequence[str], sizes: np.ndarray) -> dict[str, Any]:
    """Rows, the states that they leave free, and the inverse of their gradients by the others over sizes."""
    D = np.array([[float(arb(c).mid()) for c in q.function(k)[1]] for k in names])
    D = D.reshape(-1, len(q.labels)) * sizes
    fixed = sorted(scipy.linalg.qr(D, pivoting=True, mode="r")[1][: len(names)]) if names else []
    inverse = rounded_inverse([[arb(D[k, i]) for i in fixed] for k in range(len(names))], INVERSE)
    free = [label for i, label in enumerate(q.labels) if i not in fixed]
    return {"rows": list(names), "free": free, "inverse": texts(inverse)}


def _basis(closed: Closed, point: BallWitnesses, names: Sequence[str]) -> dict[str, Any]:
    """Units, the states that the rows leave free, and the one of these that changes fastest."""
    q, sizes = point.question, closed.sizes
    unit = float(binary([float(closed.period)])[0])
    basis = leaf_basis(q, names, sizes)
    rates = np.array([float(arb(q.jets([p])[0].value).mid()) for p in q.problem["field"]]) / sizes
    across = max(basis["free"], key=lambda k: abs(rates[q.labels.index(k)]))
    return basis | {"across": across, "units": [int(np.log2(d)) for d in (*sizes, unit)]}


def _start(closed: Closed, motion: Motion, across: str, problem: dict[str, Any]) -> list[fmpq]:
    """A state of the orbit, and the period: where it has the number of the file across the motion."""
    z = [v.mid() / d for v, d in zip((*closed.x, closed.period), motion.sizes, strict=True)]
    i = motion.q.labels.index(across)
    wanted = arb(fmpq(problem["states"][across])) / motion.sizes[i]
    series, s = motion.coefficients([x.mid() for x in z], motion.degree), arb(0)
    rates = [c * (k + 1) for k, c in enumerate(series[1:])]
    for _ in range(ROUNDS):
        s = (s - (value_at(series, s)[i, 0] - wanted) / value_at(rates, s)[i, 0]).mid()
    found = [x.mid().fmpq() for x in value_at(series, s).entries()]
    found[i] = fmpq(problem["states"][across]) / motion.sizes[i].fmpq()
    return found


def flow_steps(motion: Motion, z: list[arb], bits: int, domain: Sequence[int] = ()) -> list[list[Any]]:
    """Steps over the period with boxes, each as long as its series allows, and functions of a domain are seen
    to be positive.
    """
    left, s, found = arb(2) ** -int(bits * SMALL), 0, list[list[Any]]()
    h, N = PARTS, motion.degree
    while s < PARTS:
        series = motion.coefficients(z, N)
        h = min(PARTS - s, 4 * h, longest_step(series[N], left, N))
        for _ in range(TRIED):
            sides = box_of_step(motion, z, arb(fmpq(h, PARTS)), WIDER)
            if sides and _stays(motion, z, arb(fmpq(h, PARTS)), [*map(interval_of, sides)], domain):
                over = motion.coefficients([*map(interval_of, sides), z[-1]], N)
                longest = longest_step(over[N], left, N)
                if longest >= h:
                    break
                h = min(h - h // 8, int(0.9 * longest) + 1)
            else:
                h //= 2
            if not h:
                raise NotSolved
        else:
            raise NotSolved
        found.append([h, [list(side) for side in sides]])
        z = [x.mid() for x in value_at(series, arb(fmpq(h, PARTS))).entries()]
        s += h
    return found


def _stays(motion: Motion, z: Sequence[arb], h: arb, box: list[arb], domain: Sequence[int]) -> bool:
    """Whether motions from starts about one stay in a box over a step, where the model holds and motions do
    not go apart too fast.
    """
    reached = h * arb(fmpq(1, 2), fmpq(1, 2))
    with terms_of_series(1):
        (F, *_), (slopes, *_) = motion.rates([*box, z[-1]])
        margins = motion.jets(domain, motion.symbols_at([*box, z[-1]]))
        inside = all(coefficient(jet.value, 0) > 0 for jet in margins)
    moved = [x + arb(0, SLACK) + reached * f for x, f in zip(z, F.entries(), strict=True)]
    slow = all(sum((abs(c) for c in row), arb(0)) * h < APART for row in slopes.tolist())
    return inside and slow and all(b.contains(x) for b, x in zip(box, moved, strict=False))


def longest_step(last: arb_mat, left: arb, N: int) -> int:
    """The longest step of which the last coefficient leaves out no more than is allowed."""
    size = max((c.abs_upper() for c in last.entries()), key=float)
    if not size.is_finite():
        return 1
    if not size > left:
        return PARTS
    return int(float(((left / size).log() / N).exp()) * PARTS) or 1


def box_of_step(
    motion: Motion, z: Sequence[arb], h: arb, slack: int = 1, series: Sequence[arb_mat] = ()
) -> list[tuple[int, int]]:
    """Sides of a box in which motions stay over a step, so many times as wide; none where none is found.

    The series of one of the motions, where it is known, says about where they go.
    """
    reached, n = h * arb(fmpq(1, 2), fmpq(1, 2)), len(z) - 1
    here = [x + arb(0, SLACK) for x in z[:n]]
    box = list(here)
    if series:
        away = value_at([arb_mat(n + 1, 1), *series[1:]], reached).entries()
        near = [x + arb(a.mid(), a.rad() * GROWN) for x, a in zip(here, away, strict=False)]
        if all(abs(x) < WHOLE // FINE for x in near):
            box = [interval_of(_sides(x)) for x in near]
    for _ in range(TRIED):
        try:
            with terms_of_series(1):
                F = motion.rates([*box, z[n]])[0][0].entries()[:n]
        except (checker.Refusal, ValueError, ZeroDivisionError):
            return []
        image = [x + reached * f for x, f in zip(here, F, strict=True)]
        if not all(abs(x) < WHOLE // FINE for x in image):  # which no file may hold
            return []
        if all(b.contains(x) for b, x in zip(box, image, strict=True)):
            return [_sides(arb(b.mid(), slack * b.rad())) for b in box]
        box = [interval_of(_sides(arb(x.mid(), x.rad() * GROWN))) for x in image]
    return []


def _sides(x: arb) -> tuple[int, int]:
    """Whole numbers of parts of a size that hold a ball between them."""
    a, b = x.lower() * FINE, x.upper() * FINE
    return int(a.floor().fmpq()) - 1, int(b.ceil().fmpq()) + 1


def _theorem(content: dict[str, Any], given: dict[str, Any], bits: int) -> dict[str, Any]:
    """What the theorem is given: with the radius, the inverse of the equations, and a form."""
    wide = fmpq(1, 1 << int(bits * REACH))
    orbit = Orbit(*parts_as_read(content), conform(given | {"radius": str(wide), "Y": []}, ORBIT))
    values, J = orbit.equations()
    Y = rounded_inverse(J, INVERSE)
    step = arb_mat(Y) * arb_mat([[v] for v in values])
    moved = [c.abs_upper() for c in step.entries() if c.abs_upper() > 0]
    size = max((float(c.log() / arb(2).log()) for c in moved), default=-float(bits))
    radius = min(wide, fmpq(2) ** (int(np.ceil(size)) + MARGIN))
    given = given | {"radius": str(radius), "Y": texts(Y)}
    M = orbit.multipliers
    try:
        return given | {"P": form_triangle(contracting_form(M))}
    except NotSolved:
        m, P, v = multiplying_form(M)
        grows = {"m": str(m), "P": form_triangle(P), "v": [str(c) for c in v]}
        return given | {"name": REPELS} | grows
