r"""A swing-up with a proof: every motion from a box of starts is caught, and tends to the equilibrium."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from time import monotonic
from typing import Any

import numpy as np
from flint import arb

from geoctrl import checker
from geoctrl._calls.long_calls import long_call, tell, under_way
from geoctrl._checks import finite_array, nearest, quantity
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact, shown
from geoctrl.analysis.certificates.proof_file import ProofFile
from geoctrl.errors import CertificateError, InputError, LabelError
from geoctrl.orbits.catches.catch_file import Box, CatchFile, StoppedError
from geoctrl.sampling import Switching
from geoctrl.simulation.run import simulate
from geoctrl.systems import ReducedSystem, as_system
from geoctrl.verification import Verdict

__all__ = ["ProvedCatch", "prove_catch"]

SAMPLES = 4000
"""Of the run in doubles in which the time of the catch is looked for."""
DEEP = 1 / 3
"""Of the level of entry, at which the enclosure ends where the run comes so far."""
RESTS = 1e-6
"""Way over the run, in sizes of states, below which a start is one of rest."""
SEARCH, LONGEST = 0.4, 25.0
"""Part of the time for boxes, as the check takes as long; and seconds of it at most, for the same reason."""
FINE = 1 << 20
"""Parts of a power of two near T in which that is rounded."""
FEWEST = 2.0**-40
"""Part of the box of starts below which none is halved."""


@dataclass(frozen=True, eq=False, repr=False)
class ProvedCatch(ProofFile):
    """Starts that a swing-up brings into a set, where motions are caught; made by `prove_catch`.

    Attributes
    ----------
    system : str
    time : float
        T (s): the catch takes over at some time up to it.
    start : dict of state label -> (low, high)
        The box that was asked for.
    boxes : tuple of dict of state label -> (low, high)
        Parts of it from which the catch is proved.
    share : float
        Of the volume of the box, in its sides that are not points.
    end : dict of state label -> (low, high)
        Where motions from all boxes are at T under the swing-up alone.
    largest : dict of input label -> float
        Bounds of the inputs from the start for ever, of those that are limited in the set.
    largest_before : dict of input label -> float
        Bounds of the inputs of the swing-up up to T.
    verdict : Verdict
        PROVED_ATTRACTED.
    claim : str
    reason : str
        Why parts of the box are left out; empty where there are none.
    data : dict
        What the file holds.
    """

    system: str
    time: float
    start: Mapping[str, tuple[float, float]]
    boxes: tuple[Mapping[str, tuple[float, float]], ...]
    share: float
    end: Mapping[str, tuple[float, float]]
    largest: Mapping[str, float]
    largest_before: Mapping[str, float]
    verdict: Verdict
    claim: str
    reason: str
    data: dict[str, Any] = field(repr=False)

    def contains(self, x: Any) -> bool:
        """Whether a state (n,) is in a box from which the catch is proved.

        Raises
        ------
        InputError
            If x has another shape, or is not finite.
        """
        state = finite_array("x", x, (len(self.start),))
        return any(
            all(low <= v <= high for v, (low, high) in zip(state, box.values(), strict=True))
            for box in self.boxes
        )

    def _lines(self) -> list[str]:
        bounds = ", ".join(f"|{k}| <= {v:.5g}" for k, v in self.largest.items())
        count = f"{len(self.boxes)} box{'es' if len(self.boxes) > 1 else ''}"
        return [
            f"<ProvedCatch of {self.system}: {self.verdict.value}>",
            f"  {count}, {self.share:.4g} of the volume of starts; caught up to {self.time:.6g} s",
            f"  inputs: {bounds or '-'}",
        ]

    full = full_text
    __repr__ = short_form


@long_call
def prove_catch(
    plant: ReducedSystem,
    sw: Switching,
    start: Any,
    within: float = 10.0,
    radius: float | Mapping[str, float] = 2.0**-24,
    limits: Mapping[str, float] | None = None,
    *,
    seconds: float | None = 60.0,  # noqa: ARG001
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
) -> ProvedCatch:
    r"""Prove that every motion from a box of starts is swung up, caught, and tends to the equilibrium.

    Under the swing-up law the flow from the box is enclosed in balls up to a time T, at which all of it lies
    inside the set :math:`V < c` of the catch. So each motion comes to the set for the first time at some
    t <= T; there the law that catches takes over, and the set's own proof says that the motion stays and
    tends to the equilibrium. Inputs are bounded along the enclosure, and in the set by its limits. Boxes of
    which that is not shown are halved.

    Nothing is claimed of a loop that samples, nor of other starts.

    Parameters
    ----------
    plant : ReducedSystem
        With its inputs free, and no leaf.
    sw : Switching
        Of an `energy_law`, or another law in the plant's states, and one of `lqr` or the like.
    start : state (n,), or pair (low, high) of states
        The middle of the box, or its corners.
    within : float
        Seconds in which the swing-up is to come to the set.
    radius : float or dict of state label -> float
        Of the box about a state that is given, in the units of each state.
    limits : dict of input label -> bound, optional
        Which the inputs keep to. By default those of the file of an imported mechanism, else those of the
        set; ``{}`` for none.
    seconds, progress
        As of `certify`. Boxes are halved in less than half of the time, as the check takes as long.

    Returns
    -------
    ProvedCatch

    Raises
    ------
    CertificateError
        If no part of the box is proved: with the step reached and the reason. If the start rests, as exactly
        below.
    BudgetError
        If the time is up before.
    InputError, LabelError
        For a start, a time, a radius or limits out of range; for labels that the plant has not.
    TypeError
        For anything else than a reduced system and a switching law.

    Examples
    --------
    >>> import sympy as sp
    >>> import geoctrl as gc
    >>> q, u = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True)
    >>> rod = gc.EulerPoincare(
    ...     shape=[q], inertia=[[1]], potential=sp.cos(q.symbol), forces=[u], inputs=["u"]
    ... ).reduce()
    >>> soft = gc.linear_law(rod, rod.state(), {"u": {"q": 1.5, "q_dot": 1.0}})
    >>> firm = gc.linear_law(rod, rod.state(), {"u": {"q": 4.0, "q_dot": 3.0}})
    >>> loop = firm.closed_loop()
    >>> region = gc.region_of_attraction(loop, firm.equilibrium, by="slopes", limits={"u": 1.0})
    >>> sw = gc.switching(soft, firm, region)
    >>> gc.prove_catch(rod, sw, [0.0, 0.1], radius=2.0**-20).share
    1.0
    """
    system = as_system(plant, "prove_catch", recorded=True)
    if not isinstance(sw, Switching):
        raise TypeError(f"sw must be a law of gc.switching, got {shown(sw)}")
    labels = list(system.state_labels)
    if labels != list(sw.labels):
        raise LabelError(f"the set is one in {', '.join(sw.labels)}, the plant has {', '.join(labels)}")
    if not all(hasattr(law, "by_input") for law in (sw.swing_up, sw.catch)):
        raise InputError("both laws must be expressions in the state: gc.energy_law, gc.lqr and the like")
    if system.holds_time:
        raise InputError("the equations hold the time: no flow of theirs is enclosed")
    if len(system.leaf.names):
        raise InputError("starts are a box only where the plant has no leaf; this one has relations")
    if not (most := quantity("within", within)) > 0:
        raise InputError(f"within must be positive, in seconds, got {shown(within)}")
    box = _box(labels, start, radius)
    bounds = _bounds(system, sw, limits)
    middle = np.array([float(a) for a, _ in box])
    tell("a run in doubles")
    T = _time_of_catch(system, sw, middle, most, bounds)
    file = CatchFile(system, sw, middle, T, bounds)
    try:
        file.require_plant()
    except checker.Refusal as refusal:
        raise CertificateError(f"no proof is one of this plant, its laws and the set: {refusal}") from None
    proved, reason = _proved_boxes(file, box)
    tell("the checker")
    try:
        content = file.with_boxes(proved)
        found = checker.prove(content)
    except checker.Refusal as refusal:
        raise CertificateError(f"the checker does not confirm it: {refusal}") from None
    caught = found.told["region"]
    before = {k: _upper(v) for k, v in caught.largest.items()}
    return ProvedCatch(
        system=system.name,
        time=float(T),
        start=_sides(labels, box),
        boxes=tuple(_sides(labels, b) for b, _ in proved),
        share=float(sum(_volume(b) for b, _ in proved) / _volume(box)),
        end=_hull(labels, caught.ends),
        largest={k: max(v, sw.region.limits[k]) for k, v in before.items() if k in sw.region.limits},
        largest_before=before,
        verdict=Verdict(found.verdict),
        claim=caught.claim(system.name),
        reason=reason,
        data=content,
    )


def _box(labels: Sequence[str], start: Any, radius: Any) -> Box:
    """Middles and radii; ends in doubles are the rationals that they are."""
    n = len(labels)
    given = finite_array("start", start)
    if given.shape == (2, n):
        if not np.all(given[0] <= given[1]):
            raise InputError("start must be a pair (low, high) with low <= high")
        ends = [(exact(a), exact(b)) for a, b in given.T]
        return [((a + b) / 2, (b - a) / 2) for a, b in ends]
    if given.shape != (n,):
        raise InputError(f"start must be a state ({n},) or a pair (low, high) of such, got {given.shape}")
    radii = dict.fromkeys(labels, radius) if not isinstance(radius, Mapping) else dict(radius)
    for k, r in radii.items():
        if k not in labels:
            raise LabelError(f"radius: {shown(k)} is no state{nearest(str(k), labels)}")
        if not quantity(f"radius {k!r}", r) >= 0:
            raise InputError(f"radius {k!r} must not be negative, got {shown(r)}")
    return [(exact(x), exact(float(radii.get(k, 0.0)))) for k, x in zip(labels, given, strict=True)]


def _bounds(system: Any, sw: Switching, limits: Any) -> dict[str, Fraction]:
    """Limits of inputs, which the set has to keep to as well."""
    inputs, of_set = list(system.input_labels), sw.region.limits
    if limits is None:
        imported = getattr(getattr(system.mechanism, "imported", None), "limits", None) or {}
        limits = {k: min(-low, high) for k, (low, high) in imported.items() if k in inputs} or {
            k: v for k, v in of_set.items() if k in inputs
        }
    if not isinstance(limits, Mapping):
        raise InputError(f"limits must be a dict of input label -> bound, got {shown(limits)}")
    found = {}
    for k, value in limits.items():
        if k not in inputs:
            raise LabelError(f"limits: {shown(k)} is no input{nearest(str(k), inputs)}")
        if not (bound := quantity(f"limits {k!r}", value)) > 0:
            raise InputError(f"limits {k!r} must be positive, got {shown(value)}")
        if not of_set.get(k, np.inf) <= bound:
            known = f"within {of_set[k]:g} only" if k in of_set else "within no bound"
            raise CertificateError(
                f"in the set {k} is proved to stay {known}, and {bound:g} is asked for: make it with "
                f"gc.region_of_attraction(..., limits={{{k!r}: {bound:g}}})"
            )
        found[k] = exact(bound)
    return found


def _time_of_catch(
    system: Any, sw: Switching, start: np.ndarray, within: float, bounds: Mapping[str, Fraction]
) -> Fraction:
    """T: where a run in doubles is deep in the set, or deepest before it leaves it or its limits."""
    if sw.value(start) <= sw.entry * DEEP:
        return Fraction(float(within)) / FINE
    times = np.linspace(0.0, within, SAMPLES + 1)
    run = simulate(sw.swing_up.full, times, start)
    most = np.array([float(bounds.get(k, np.inf)) for k in sw.swing_up.by_input()])
    sizes = (
        system.seen_from(None).scales(start, sw.catch.equilibrium.u, dict(sw.catch.equilibrium.params)).column
    )
    if np.max(np.abs(run.states - start[:, None]) / sizes[:, None]) < RESTS:
        raise CertificateError(
            "the start rests under the swing-up law, as every position exactly below or upright does: "
            "push it, or take a start beside it"
        )
    found = None
    for k in range(run.states.shape[1]):
        V = sw.value(run.states[:, k])
        if found is None and not sw.entry > V:
            continue
        if found is not None and (found[1] <= V or np.any(np.abs(run.outputs[:, k]) > most)):
            break  # it leaves, goes no deeper, or asks for too much
        found = k, V
        if sw.entry * DEEP >= V:
            break
    if found is None:
        raise CertificateError(
            f"the swing-up does not come to the set within {within:g} s from the middle of the box; give "
            "more within=, another gain, or a larger set"
        )
    return Fraction(round(run.time[found[0]] * FINE), FINE)


def _proved_boxes(file: CatchFile, box: Box) -> tuple[list[tuple[Box, list[list[Any]]]], str]:
    """Boxes with their steps, and why others are left out; CertificateError where there are none."""
    call, proved, reason = under_way(), list[tuple[Box, list[list[Any]]]](), ""
    entry = float(Fraction(file.content["theorem"]["entry"]))
    pending = [(-1.0, 0, box)]
    whole, count, farthest, share = _volume(box), 0, 0.0, 0.0
    end = monotonic() + min(SEARCH * call.budget.seconds_left, LONGEST)
    while pending and (not count or monotonic() < end):
        part, _, current = heapq.heappop(pending)
        tell(f"box {count + 1}", f"{share:.3g} of the volume")
        count += 1
        try:
            steps, V = file.steps(current)
            if entry > V:
                proved.append((current, steps))
                share += -part
                continue
            farthest, reason = (
                float(file.time),
                f"V <= {V / entry:.3g} of the level of entry is all that is shown",
            )
        except StoppedError as stopped:
            farthest, reason = max(farthest, stopped.reached), str(stopped)
        if -part > FEWEST and any(r for _, r in current):
            for side, half in enumerate(_halves(file, current)):
                heapq.heappush(pending, (-float(_volume(half) / whole), 2 * count + side, half))
    if not proved:
        raise CertificateError(
            f"no part of the box is proved: motions are enclosed up to {farthest:.4g} s of "
            f"{float(file.time):.4g} s; {reason}. Take a smaller radius=, more seconds=, a wider limit "
            "or a larger set"
        )
    return proved, reason if share < 1 - FEWEST else ""


def _halves(file: CatchFile, box: Box) -> list[Box]:
    """A box in two, across its longest side."""
    sides = [float(r) / d for (_, r), d in zip(box, file.sizes, strict=True)]
    k = int(np.argmax(sides))
    a, r = box[k]
    return [[*box[:k], (a + sign * r / 2, r / 2), *box[k + 1 :]] for sign in (-1, 1)]


def _volume(box: Box) -> Fraction:
    """The product of the sides that are no points."""
    return Fraction(prod((r for _, r in box if r), start=Fraction(1)))


def _sides(labels: Sequence[str], box: Box) -> dict[str, tuple[float, float]]:
    """Sides in doubles, within those of a box."""
    found = {}
    for k, (a, r) in zip(labels, box, strict=True):
        low, high = float(a - r), float(a + r)
        low = low if Fraction(low) >= a - r else float(np.nextafter(low, np.inf))
        high = high if Fraction(high) <= a + r else float(np.nextafter(high, -np.inf))
        found[k] = (low, high)
    return found


def _hull(labels: Sequence[str], ends: Sequence[Sequence[arb]]) -> dict[str, tuple[float, float]]:
    """Intervals around all ends."""
    return {
        k: (min(-_upper(-end[i]) for end in ends), max(_upper(end[i]) for end in ends))
        for i, k in enumerate(labels)
    }


def _upper(x: arb) -> float:
    """A double above a ball."""
    return float(np.nextafter(float(x.upper()), np.inf))
