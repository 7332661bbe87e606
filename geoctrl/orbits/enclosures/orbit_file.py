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
from geoctrl.analysis.set_witnesses.flow_steps import flow_steps
from geoctrl.analysis.set_witnesses.sublevel_witnesses import in_balls
from geoctrl.analysis.witnesses.box_witnesses import BallWitnesses, rounded_inverse
from geoctrl.analysis.witnesses.content import content_of_file, parts_as_read
from geoctrl.analysis.witnesses.lyapunov_forms import contracting_form, form_triangle, multiplying_form
from geoctrl.analysis.witnesses.point_witnesses import texts
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.flows.series import Motion, value_at
from geoctrl.checker.orbits.file import ORBIT, Orbit
from geoctrl.checker.question import Question
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.errors import CertificateError

__all__ = ["Closed", "confirmed_orbit", "leaf_basis"]

ATTRACTS, REPELS = "periodic orbit that attracts", "periodic orbit that repels"
BITS = 128, 192, 256, 384
"""Of the numbers of a file, tried in turn."""
TERMS = 4
"""Bits to one coefficient of the series."""
REACH = 3 / 8
"""Exponent of the first radius of the box, relative to the bits."""
MARGIN = 3
"""Exponent by which the radius is above what the equations leave."""
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
