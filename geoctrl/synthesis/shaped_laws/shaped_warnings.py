"""What is told about a loop of a controlled Lagrangian before anybody runs it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from geoctrl._calls.budget import Budget
from geoctrl.analysis import certify
from geoctrl.errors import GeoctrlError, LawWarning
from geoctrl.systems import Parameter, ReducedSystem
from geoctrl.verification import Verdict

__all__ = ["damped_at_rest", "unstable_families"]

_JUDGING = 3.0
"""Seconds for the verdicts of a loop's families."""


def unstable_families(loop: ReducedSystem, gains: Sequence[Parameter]) -> tuple[LawWarning, ...]:
    """Where gains leave every family of a loop unstable that is asked in time."""
    time, told = Budget(_JUDGING), []
    for name, family in loop.families.items():
        if family.symbols:
            return ()  # at which member is not known
        verdict = time.attempt(name, partial(_verdict, loop, name), None)
        if verdict not in (Verdict.PROVED_UNSTABLE, Verdict.NUMERICALLY_UNSTABLE):
            return ()
        told.append(f"{name!r}: {verdict}")
    given = ", ".join(f"{p.name} = {p.default}" for p in gains)
    text = f"{given}: these gains hold no family, {', '.join(told)}; design(family) says which do"
    return (LawWarning(text),) if told else ()


def _verdict(loop: ReducedSystem, family: str) -> Verdict | None:
    try:
        return certify(loop, loop.equilibrium(family)).verdict
    except GeoctrlError:  # a parameter without a value, or a singular inertia
        return None


def damped_at_rest(loop: ReducedSystem) -> tuple[LawWarning, ...]:
    """Where the sign of the damping is only known at rest, and a loop has families that move."""
    moving = [
        name
        for name, family in loop.families.items()
        if any(family.states.get(label, 0) != 0 for label in loop.velocity_labels)
    ]
    text = (
        f"the sign of the damping is that of the energy at rest, and about {', '.join(moving)} it "
        "may be the other one: say where it shall be damped, with_damping(..., at=equilibrium)"
    )
    return (LawWarning(text),) if moving else ()
