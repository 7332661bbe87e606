"""The file of a motion that closes in a loop of held laws: steps, boxes and forms for the checker."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy
from flint import acb, arb, arb_mat, ctx, fmpq

from geoctrl import checker
from geoctrl._calls.long_calls import tell
from geoctrl._printing.markup import card, facts, paragraph, verdict_badge
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.certificates.proof_file import ProofFile, heading
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.table import Stored
from geoctrl.analysis.set_witnesses.flow_steps import flow_steps
from geoctrl.analysis.set_witnesses.sublevel_witnesses import in_balls
from geoctrl.analysis.witnesses.box_witnesses import BallWitnesses, rounded_inverse
from geoctrl.analysis.witnesses.content import content_of_file, parts_as_read
from geoctrl.analysis.witnesses.lyapunov_forms import contracting_form, form_triangle, multiplying_form
from geoctrl.analysis.witnesses.point_witnesses import texts
from geoctrl.checker.cycles.file import CYCLE, HeldCycle
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.flows.series import Motion
from geoctrl.checker.question import Question
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.checker.words.point_words import words_of
from geoctrl.errors import CertificateError
from geoctrl.verification import Verdict

__all__ = ["Cycle", "HeldCycleEnclosure", "held_cycle_enclosure"]

TERMS, REACH, MARGIN, INVERSE, ROUNDS, GAIN = 4, 1 / 2, 3, 96, 4, 2
"""Bits to one coefficient of the series; exponent of the first radius of the box, relative to the bits; that
by which the radius is above what the equations leave; bits of the inverse of Krawczyk's test; Newton's steps,
and the bits that each has to gain."""
_UNPROVED = "the motion of this loop is not proved"
ATTRACTS, REPELS = "held cycle that attracts", "held cycle that repels"


@dataclass(frozen=True, eq=False)
class Cycle:
    """A motion of a loop in floats.

    Attributes
    ----------
    system : ReducedSystem
        The recorded equations, of which all of this is told.
    name : str
        Of the plant.
    params : dict
    hold : float
    cycle : ndarray (N, n)
        States at the samples.
    states, inputs, gains : ndarray
        Of the laws, in Fractions.
    sizes : ndarray (n,)
    command_sizes : ndarray (m,)
    kept : tuple of str
        Functions that no input changes.
    """

    system: Any
    name: str
    params: dict[str, float]
    hold: float
    cycle: np.ndarray
    states: np.ndarray
    inputs: np.ndarray
    gains: np.ndarray
    sizes: np.ndarray
    command_sizes: np.ndarray
    kept: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class HeldCycleEnclosure(ProofFile):
    """A motion of a loop of held laws that closes, and what is proved of it; made by `PeriodicLaw.enclose`.

    The checker has confirmed it, by an integrator of its own; `to_json` writes the file.

    Attributes
    ----------
    verdict : Verdict
        PROVED_ASYMPTOTICALLY_STABLE within the leaf with all multipliers inside the unit circle,
        PROVED_STABLE where functions are conserved besides, PROVED_UNSTABLE with one outside.
    claim : str
        The checker's sentence.
    x : tuple of arb
        The state at the first sample of a period.
    multipliers : tuple of acb
        Of a period, in balls, beside those of what is conserved.
    system : str
    bits : int
    """

    verdict: Verdict
    claim: str
    x: tuple[arb, ...]
    multipliers: tuple[acb, ...]
    system: str
    bits: int
    _content: dict[str, Any]

    @property
    def data(self) -> dict[str, Any]:
        """What the file holds."""
        return self._content

    def _lines(self) -> list[str]:
        return [
            f"<HeldCycleEnclosure of {self.system or 'a system'}: {self.verdict.value}>",
            f"  multipliers: {', '.join(z.str(12) for z in self.multipliers) or '-'}",
            f"  {self.claim}",
            "  confirmed by: the checker, from a file",
        ]

    full = full_text
    __repr__ = short_form

    def _repr_html_(self) -> str:
        told = {"multipliers": ", ".join(z.str(12) for z in self.multipliers) or "-"}
        title = f"Held motion of {self.system or 'a system'}"
        return card(title, facts(told), paragraph(self.claim), badge=verdict_badge(self.verdict))

    def __reduce__(self):
        # Balls are not pickled: what is loaded is proved again from its file.
        return enclosure_by_file, (self._content,)


def held_cycle_enclosure(cycle: Cycle, bits: int) -> HeldCycleEnclosure:
    """What the checker confirms of a motion; CertificateError where that is nothing."""
    try:
        with ctx.workprec(bits):
            content = copy_context().run(_content, cycle, bits)
        tell("the checker")
        return enclosure_by_file(content)
    except checker.Refusal as refusal:
        raise CertificateError(
            f"{_UNPROVED}: the checker refuses it, {refusal}; take more bits, enclose(bits=192)"
        ) from None
    except (NotSolved, ZeroDivisionError, ValueError) as error:
        raise CertificateError(
            f"{_UNPROVED}: no steps, boxes and forms were found for it "
            f"({str(error) or 'a multiplier may lie on the unit circle'}); take more bits, or other gains"
        ) from None


def enclosure_by_file(content: dict[str, Any]) -> HeldCycleEnclosure:
    """What the checker finds in a file; Refusal where that is nothing."""
    found = checker.prove(content)
    cycle, bits = found.told["region"].cycle, content["theorem"]["bits"]
    claim, _ = words_of(content, found)
    with ctx.workprec(bits):
        radius = arb(0, cycle.given["radius"])
        x = tuple((c + radius) * d for c, d in zip(cycle.start, cycle.motion.sizes, strict=False))
        multipliers = _eigenvalues(cycle.multipliers)
    return HeldCycleEnclosure(Verdict(found.verdict), claim, x, multipliers, content["system"], bits, content)


def _eigenvalues(M: list[list[Any]]) -> tuple[acb, ...]:
    """In balls; none where they are not told apart."""
    for multiple in (False, True):
        try:
            return tuple(arb_mat(M).eig(multiple=multiple))
        except ValueError:
            continue
    return ()


def _problem(cycle: Cycle) -> tuple[dict[str, Any], list[int]]:
    """Equations at the first sample with the commands as states that rest, and the sides of the domain."""
    system = cycle.system
    plant = EquationsOfMotion.of(system)
    commands = dict(plant.inputs)
    rates = dict.fromkeys(commands.values(), plant.graph.zero)
    motion = replace(
        plant, states={**plant.states, **commands}, inputs={}, rates={**plant.rates, **rates}, _written={}
    )
    numbers = [*cycle.cycle[0], *_command(cycle, 0, cycle.cycle[0])]
    values = {k: exact(v) for k, v in (dict(zip(motion.states, numbers, strict=True)) | cycle.params).items()}
    kept = {k: node for k, node in system.conserved(cycle.params).items() if k in cycle.kept}
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


def _command(cycle: Cycle, k: int, x: np.ndarray) -> np.ndarray:
    inputs, states, gains = (part[k].astype(float) for part in (cycle.inputs, cycle.states, cycle.gains))
    return inputs - gains @ (x - states)


def _content(cycle: Cycle, bits: int) -> dict[str, Any]:
    problem, domain = _problem(cycle)
    names, point = [*problem["leaf"], *cycle.kept], BallWitnesses(problem)
    title = heading(FORMAT, cycle.name)
    del title["version"]
    content = content_of_file(title, point, {}, names, in_balls(point.question.problem))
    commands, degree = list(cycle.system.input_labels), bits // TERMS
    given = {
        "name": ATTRACTS,
        "bits": bits,
        "degree": degree,
        "domain": domain,
        "P": [],
        "commands": commands,
        "hold": str(exact(cycle.hold)),
        **_basis(cycle, point, names),
    }
    motion = Motion(
        Question(*parts_as_read(content), Balls([fmpq(0)] * len(problem["states"]))), given["units"], degree
    )
    given["holds"] = [_hold(cycle, k, motion, bits, domain) for k in range(len(cycle.cycle))]
    start = [
        fmpq(*exact(v).as_integer_ratio()) / d.fmpq()
        for v, d in zip(cycle.cycle[0], motion.sizes, strict=False)
    ]
    wide = fmpq(1, 1 << int(bits * REACH))
    tell("Newton's steps")

    def cycle_at(start: Sequence[fmpq], radius: fmpq, Y: Any = ()) -> HeldCycle:
        read = given | {"start": [str(x) for x in start], "radius": str(radius), "Y": texts(Y)}
        return HeldCycle(*parts_as_read(content), conform(read, CYCLE))

    size = np.inf
    for _ in range(ROUNDS):
        values, J = cycle_at(start, wide).equations()
        Y, last = rounded_inverse(J, INVERSE), size
        step = (arb_mat(Y) * arb_mat([[v] for v in values])).entries()
        size = max(float(c.abs_upper().log() / arb(2).log()) for c in step)
        if size > last - GAIN:  # what is left is what the steps leave out
            break
        start = [(arb(x) - d).mid().fmpq() for x, d in zip(start, step, strict=True)]
    radius = min(wide, fmpq(2) ** (int(np.ceil(size)) + MARGIN))
    found = cycle_at(start, radius, Y)
    given |= {"start": [str(x) for x in start], "radius": str(radius), "Y": texts(Y)}
    content["theorem"] = _with_form(given, found.multipliers)
    return content | {"digest": checker.digest_of(content)}


def _hold(cycle: Cycle, k: int, motion: Motion, bits: int, domain: Sequence[int]) -> dict[str, Any]:
    """The law of a hold, and steps along the motion that it holds."""
    x = cycle.cycle[k]
    tell("steps", f"hold {k + 1} of {len(cycle.cycle)}")
    z = [*x, *_command(cycle, k, x), cycle.hold]
    start = [arb(fmpq(*exact(v).as_integer_ratio())) / d for v, d in zip(z, motion.sizes, strict=True)]
    return {
        "inputs": _texts(cycle.inputs[k]),
        "states": _texts(cycle.states[k]),
        "gain": [_texts(row) for row in cycle.gains[k]],
        "steps": flow_steps(motion, start, bits, domain),
    }


def _texts(row: np.ndarray) -> list[str]:
    """Rationals as the file has them."""
    return [str(v) for v in row]


def _basis(cycle: Cycle, point: BallWitnesses, names: Sequence[str]) -> dict[str, Any]:
    """Units, and the states that the rows leave free."""
    q, n = point.question, len(cycle.sizes)
    D = np.array([[float(arb(c).mid()) for c in q.function(k)[1]] for k in names]).reshape(-1, len(q.labels))
    D = D[:, :n] * cycle.sizes
    fixed = sorted(scipy.linalg.qr(D, pivoting=True, mode="r")[1][: len(names)]) if names else []
    inverse = rounded_inverse([[arb(D[k, i]) for i in fixed] for k in range(len(names))], INVERSE)
    units = [*cycle.sizes, *cycle.command_sizes, float(binary([cycle.hold])[0])]
    return {
        "rows": list(names),
        "free": [k for i, k in enumerate(q.labels) if i not in fixed],
        "inverse": texts(inverse),
        "units": [int(np.log2(d)) for d in units],
    }


def _with_form(given: dict[str, Any], M: list[list[Any]]) -> dict[str, Any]:
    """What the theorem is given, with a form that falls or grows over the period."""
    try:
        return given | {"P": form_triangle(contracting_form(M))}
    except NotSolved:
        m, P, v = multiplying_form(M)
        grows = {"m": str(m), "P": form_triangle(P), "v": [str(c) for c in v]}
        return given | {"name": REPELS} | grows
