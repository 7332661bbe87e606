"""The loop of a sampled controller on the equations that are recorded: those of a system on a manifold are in
other states, in which its law is written anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from geoctrl._scalars import exact
from geoctrl.analysis.linear.leaf_pair import recorded_point
from geoctrl.analysis.question.same_as_field import require_same_rates
from geoctrl.sampling import SampledController
from geoctrl.systems import Equilibrium, System

__all__ = ["recorded_loop"]


def recorded_loop(
    system: Any, controller: SampledController, point: Equilibrium
) -> tuple[System, SampledController, Equilibrium]:
    """Plant, controller and point of rest in recorded equations: as they are given, where these are.

    What a proof does not ask of a controller stays behind: bounds, noise and rounding.
    """
    if system.recorded:
        return system, controller, point
    require_same_rates(system, point.u, point.params)
    own = dict(zip(map(_symbol, system.state_labels), system.states, strict=True))
    given = {p.symbol: sp.Rational(exact(point.params[p.name])) for p in system.parameters}

    def terms_of(part: Mapping[str, sp.Expr]) -> dict[str, sp.Expr]:
        """A rate of the frame enters, which may be a parameter."""
        return {k: system.in_recording(e.xreplace(own)).xreplace(given) for k, e in part.items()}

    law = controller.feedback
    rewritten = replace(
        law,
        terms=terms_of(law.terms),
        rates=terms_of(law.rates),
        steps=terms_of(law.steps),
        computed=terms_of(law.computed),
        beside=(),
    )
    recorded = replace(
        controller,
        feedback=rewritten,
        limits=None,
        noise=None,
        quantisation=None,
        units={},
    )
    return system.recording, recorded, recorded_point(system, point)[0]


def _symbol(label: str) -> sp.Symbol:
    return sp.Symbol(label, real=True)
