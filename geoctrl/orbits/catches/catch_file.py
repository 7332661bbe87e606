"""The file of a catch: steps and boxes of the flow, with which the checker proves it by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import copy_context
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from geoctrl import checker
from geoctrl._scalars import exact
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.set_witnesses.flow_steps import box_of_step, longest_step
from geoctrl.analysis.witnesses.content import content_at_point
from geoctrl.checker.catches.file import CATCH, Plant
from geoctrl.checker.flows.flow import PARTS, Bundle, interval_of
from geoctrl.checker.flows.series import Motion
from geoctrl.checker.numbers import set_roots
from geoctrl.checker.reader import EQUATIONS, FORMAT, WITNESS, conform
from geoctrl.errors import CertificateError
from geoctrl.sampling import Switching

__all__ = ["Box", "CatchFile"]

BITS, DEGREE, LEFT, SLOPES = 64, 15, 40, 20
"""Of numbers; of the series; and exponents of what a step may leave out of states over their sizes, and of
their derivative by the start."""
TRIED, LONGER = 24, 1.25
"""How often a step is made shorter, and how much longer than the last one it is tried."""

Box = Sequence[tuple[Fraction, Fraction]]
"""Middles and radii of states."""


class CatchFile:
    """What a file of a catch holds, to which boxes are added.

    Parameters
    ----------
    plant : ReducedSystem
    sw : Switching
    start : ndarray (n,)
        The middle of all starts, from which sizes of the states are taken.
    time : Fraction
        T.
    limits : dict of input -> Fraction
    """

    def __init__(
        self, plant: Any, sw: Switching, start: np.ndarray, time: Fraction, limits: Mapping[str, Fraction]
    ) -> None:
        self.plant, self._sw, self.time = plant, sw, time
        region = sw.region.data
        motion = EquationsOfMotion.of(plant)
        data, table = motion.equations_data({}, {}, {}, False)
        laws, caught = (
            dict(
                zip(
                    law.by_input(),
                    table.places([plant.expression(e) for e in law.by_input().values()]),
                    strict=True,
                )
            )
            for law in (sw.swing_up, sw.catch)
        )
        margins = [plant.expression(side.margin) for side in plant.domain.values()]
        domain = table.places(margins)
        point, values = sw.catch.equilibrium, dict(sw.catch.equilibrium.params)
        problem = data | {
            "nodes": table.rows,
            "states": region["problem"]["states"],
            "inputs": {k: str(exact(v)) for k, v in zip(plant.input_labels, point.u, strict=True)},
            "parameters": {k: str(exact(values[k])) for k in data["parameters"]},
        }
        self.content = content_at_point(heading(FORMAT, plant.name), problem)
        at = plant.seen_from(None).scales(start, point.u, values)
        self._sizes = [float(d) for d in binary(at.column)]
        units = [*self._sizes, float(binary([float(time)])[0])]
        self.content["theorem"] = {
            "name": "catch",
            "laws": laws,
            "caught": caught,
            "region": {k: region[k] for k in ("problem", "witness", "theorem")},
            "turned": list(sw.angles),
            "entry": str(Fraction(region["theorem"]["level"]) * (1 - exact(sw.margin))),
            "limits": {k: str(b) for k, b in limits.items()},
            "domain": domain,
            "time": str(time),
            "bits": BITS,
            "degree": DEGREE,
            "units": [int(np.log2(d)) for d in units],
            "boxes": [],
        }
        if region.get("roots"):
            self.content["roots"] = region["roots"]

    @cached_property
    def _judge(self) -> Plant:
        """The plant as the checker reads it."""
        content = self.content
        empty: dict[str, Any] = {"start": [], "radii": [], "steps": []}

        def read() -> Plant:
            set_roots(content.get("roots", []))
            given = conform(content["theorem"] | {"boxes": [empty]}, CATCH)
            return Plant(conform(content["problem"], EQUATIONS), conform(content["witness"], WITNESS), given)

        with ctx.workprec(BITS):
            return copy_context().run(read)

    def require_plant(self) -> None:
        """Refused unless the set is one of this plant and its law."""
        self._judge  # noqa: B018 - made for its check

    def steps(self, box: Box) -> tuple[list[list[Any]], float]:
        """Steps with boxes from a box of starts; and a bound of V over the ends.

        NotSolved or Refusal, with ``.reached`` the time up to which motions are enclosed, where they end.
        """
        plant, found, s = self._judge, list[list[Any]](), 0
        with ctx.workprec(BITS):
            motion = plant.motion()
            row = {"start": [fmpq(a.numerator, a.denominator) for a, _ in box]}
            row["radii"] = [fmpq(r.numerator, r.denominator) for _, r in box]
            start, radii = plant.start_and_radii(motion, row)
            bundle = Bundle(motion, start, radii)
            left, h = arb(2) ** -LEFT, PARTS
            try:
                while s < PARTS:
                    h, sides = self._step(motion, bundle, left, min(PARTS - s, int(LONGER * h)))
                    tube = bundle.carry(fmpq(h, PARTS), [*map(interval_of, sides)])
                    self._require_limits(plant.largest(motion, tube))
                    found.append([h, [list(side) for side in sides]])
                    s += h
                return found, float(plant.bound_of_ends(motion, bundle, radii).upper())
            except (NotSolved, checker.Refusal, ValueError, ZeroDivisionError) as reason:
                raise StoppedError(str(reason) or "no step was found", float(self.time) * s / PARTS) from None

    def _require_limits(self, found: Sequence[arb]) -> None:
        theorem = self.content["theorem"]
        for label, top in zip(theorem["laws"], found, strict=True):
            bound = theorem["limits"].get(label)
            if bound is not None and not top <= arb(fmpq(bound)):
                raise checker.Refusal(
                    f"{label} may reach {float(top):.4g}, beyond its limit {float(Fraction(bound)):g}"
                )

    def _step(
        self, motion: Motion, bundle: Bundle, left: arb, longest: int
    ) -> tuple[int, list[tuple[int, int]]]:
        """The length of a step, and the sides of its box."""
        X, N = bundle.box, motion.degree
        series = motion.coefficients([x.mid() for x in X], N)
        h = min(longest, longest_step(series[N], left, N))
        for _ in range(TRIED):
            if not h:
                break
            sides = box_of_step(motion, X, arb(fmpq(h, PARTS)), series=series)
            if not sides:
                h //= 2
                continue
            over = motion.coefficients([*map(interval_of, sides), X[-1]], N)
            most = longest_step(over[N], left, N)
            if most >= h:
                most = min(most, longest_step(motion.derivatives(over, N)[N], arb(2) ** -SLOPES, N))
            if most >= h:
                return h, sides
            h = min(h - h // 8, int(0.9 * most) + 1)
        raise NotSolved("no step keeps motions in a box")

    def with_boxes(self, boxes: Sequence[tuple[Box, list[list[Any]]]]) -> dict[str, Any]:
        """The content with some boxes and their steps."""
        rows = [
            {"start": [str(a) for a, _ in box], "radii": [str(r) for _, r in box], "steps": steps}
            for box, steps in boxes
        ]
        content = self.content | {"theorem": self.content["theorem"] | {"boxes": rows}}
        return content | {"digest": checker.digest_of(content)}

    @property
    def sizes(self) -> list[float]:
        """Of states."""
        return self._sizes


class StoppedError(CertificateError):
    """Why motions from a box are not enclosed further, and up to which time they are."""

    def __init__(self, why: str, reached: float) -> None:
        super().__init__(why)
        self.reached = reached
