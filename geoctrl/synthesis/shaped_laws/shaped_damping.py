r"""Damping and integral action that are added to a matched law, and the sign with which energy is lost.

Further inputs :math:`u' = -\varepsilon K y` change the controlled energy at the rate
:math:`y\cdot u'`. Where its second variation at an equilibrium has the sign :math:`\varepsilon` it is a
Lyapunov function of the loop; on a mode v of the undamped loop with the frequency :math:`\omega`

.. math:: \delta\,\mathrm{Re}\,\lambda = -\varepsilon\,\frac{\bar y(v)^T K\, y(v)}{4\,E(v)},

E(v) the mean of the second variation on the mode, restricted to the levels of what damping leaves
conserved. At rest that is the sign of the controlled inertia; about a motion it may be the other one.

What a loop of a controlled Lagrangian keeps of its plant: families that the law holds, and the domain.

What is told about a loop of a controlled Lagrangian before anybody runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.budget import Budget
from geoctrl.analysis.certificates.certificates import certify
from geoctrl.errors import DivisionError, GeoctrlError, LawWarning, MatchingError, SingularMassError
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled
from geoctrl.synthesis.shaping.performance import EDGE
from geoctrl.systems import Family, Parameter, ReducedSystem
from geoctrl.systems.contract.scales import symmetric_scaling
from geoctrl.systems.states.singularity import require_regular
from geoctrl.verification import Verdict

__all__ = [
    "SIGNS",
    "Added",
    "damped_at_rest",
    "held_families",
    "inertia_at_rest",
    "is_negative",
    "regular",
    "regular_domain",
    "sign_at_rest",
    "sign_of_modes",
    "unstable_families",
]

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


_DETERMINANT = 3.0
"""Seconds for det Gc."""


@lru_cache(maxsize=16)
def _determinant(inertia: sp.ImmutableMatrix) -> sp.Expr:
    """Laws of a matching differ in the numbers of their gains, and have one inertia in symbols."""
    return inertia.det(method="berkowitz")


def regular_domain(made: Controlled) -> dict[str, Any]:
    """That of the plant, and the side of the singularities of Gc on which the reference is."""
    plant, mechanism = made.plant, made.mechanism
    domain, moving = dict(plant.mechanism.domain), set(mechanism.configuration_symbols)
    inertia = inertia_at_rest(made)
    E = plant.frame.matrix
    reduced = E.T * mechanism.inertia * E
    if inertia is None or not reduced.free_symbols & moving:
        return domain
    det = Budget(_DETERMINANT).attempt("det Gc", lambda: _determinant(sp.ImmutableMatrix(reduced)), None)
    if det is None or not det.free_symbols & moving:
        return domain
    sign = int(np.sign(np.linalg.det(inertia)))
    references = zip(mechanism.configuration_symbols, map(sp.Rational, mechanism.reference), strict=True)
    rest = det.subs(dict(references))
    edge = rest * sp.Rational(EDGE)
    return domain | {"where the law is regular": sign * (det - edge) > 0} if sign else domain


def held_families(made: Controlled) -> dict[str, Family]:
    """Those of the plant that the law holds: without inputs, at rest at home where it holds positions.

    Symbols of a family that would ask for an input, or for an actuated position or its rate, are zero.
    """
    plant = made.plant
    held = {plant.mechanism.algebra.labels[i] for i in plant.driven}
    held |= {c.name for c in plant.mechanism.shape if c.rate_label in held}
    if not made.holds_positions:
        held = set()
    found = {}
    for name, f in plant.mechanism.equilibria.items():
        asked = [e for label, e in f.states.items() if label in held]
        asked += [e for e in f.inputs.values() if e.free_symbols & set(f.symbols)]
        none = {s: 0 for e in asked for s in e.free_symbols & set(f.symbols)}
        if all(e.subs(none) == 0 for e in asked):
            states = {label: e.subs(none) for label, e in f.states.items()}
            left = [s for s in f.symbols if s not in none]
            found[name] = Family(states, left, relations=[e.subs(none) for e in f.relations])
    return found


SIGNS = {"minimum": 1, "maximum": -1}
_DEFINITE = 1e-9
"""Eigenvalues of an inertia below this, relative to the largest, count as zero."""
_SMALL = 1e-4
"""Damping by which modes are judged, relative to the loop without it: far above rounding, far below one."""
_GROWING = 1e-3
"""Growth below this, relative to what that damping changes, is none: it is of second order."""
_INSIST = 'insist with energy="minimum" or "maximum"'


@dataclass(frozen=True)
class Added:
    """What is added to the matched law: K, K_i (m x m), their parameters, the sign of the energy, and whether
    that is only known at rest.
    """

    damping: sp.ImmutableMatrix
    integral: sp.ImmutableMatrix
    parameters: tuple[Parameter, ...]
    sense: int
    at_rest: bool = False


def inertia_at_rest(controlled: Controlled) -> np.ndarray | None:
    """Gc on the frame's velocities at the reference and the defaults; None where one is missing."""
    system = controlled.system
    if any(p.default is None for p in controlled.parameters):
        return None
    k = len(system.assembly.velocity)
    program = system.program([e for row in system.assembly.mass for e in row])
    arguments = system.arguments_at(0.0, system.state(), None)
    return np.array(program(arguments, system.parameters(None)), dtype=float).reshape(k, k)


def regular(make: Callable[[], Controlled], gains: tuple[Parameter, ...]) -> Controlled:
    """A controlled Lagrangian that has an inverse inertia at rest, at numbers that are missing in general."""
    told = ", ".join(p.name if p.default is None else f"{p.name} = {p.default}" for p in gains)
    try:
        made = make()
        system = made.system
        # What is singular at random numbers for those that are missing is so whatever they are.
        if all(p.default is not None for p in made.parameters) or any(p.default is not None for p in gains):
            numbers = system.parameters(system.mechanism.generic)
            require_regular(system, 0.0, system.state(params=numbers), numbers, "rest")
    except SingularMassError:
        raise MatchingError(
            f"{told}: the controlled inertia is singular, and inputs would have to be infinite; take others"
        ) from None
    except DivisionError:
        raise MatchingError(
            f"{told}: the controlled Lagrangian divides by an inertia that these gains make zero; take others"
        ) from None
    return made


def is_negative(controlled: Controlled) -> bool:
    """Whether the controlled inertia is negative definite at the reference."""
    inertia = inertia_at_rest(controlled)
    return inertia is not None and _signs(inertia) == {-1}


def sign_at_rest(controlled: Controlled) -> int:
    """1 where the energy that is damped has a minimum in the velocities, -1 where it has a maximum."""
    inertia = inertia_at_rest(controlled)
    if inertia is None:
        raise MatchingError(
            "the sign of the damping follows from the numbers of all parameters and gains; give them, or "
            'what the controlled energy has at the equilibrium, energy="minimum" or "maximum"'
        )
    if controlled.damps_all:
        signs = _signs(inertia)
    else:  # the momenta of the actuated directions are conserved; what is left is the base
        f, b = list(controlled.plant.fibre), list(controlled.plant.base)
        inner = np.linalg.solve(inertia[np.ix_(f, f)], inertia[np.ix_(f, b)])
        signs = _signs(inertia[np.ix_(b, b)] - inertia[np.ix_(b, f)] @ inner)
    if len(signs) != 1:
        unkept = controlled.damps_all and not controlled.holds_positions
        why = "no position is held, the momenta of the actuated directions are not conserved, and "
        raise MatchingError(
            f"{why if unkept else ''}the controlled inertia has both signs: the energy has neither a minimum "
            f"nor a maximum, and no sign of the damping fits all directions; {_INSIST}"
        )
    return signs.pop()


def sign_of_modes(A: np.ndarray, change: np.ndarray) -> int:
    """1 where adding some of ``change`` to A makes no mode grow, -1 where taking it off does not."""
    sizes = np.linalg.norm(A, 2), np.linalg.norm(change, 2)
    if 0.0 in sizes:
        raise MatchingError(f"damping changes no mode of the loop at this equilibrium; {_INSIST}")
    small = _SMALL * sizes[0] / sizes[1] * change
    before = np.linalg.eigvals(A).real.max()
    after = {sign: np.linalg.eigvals(A + sign * small).real for sign in (1, -1)}
    changed = max(np.abs(values).max() for values in after.values())
    if before > _GROWING * _SMALL * sizes[0]:
        raise MatchingError(
            f"without damping the loop falls from this equilibrium at {before:.3g} 1/s: its energy has "
            "neither a minimum nor a maximum there; take other gains"
        )
    kept = [sign for sign, values in after.items() if values.max() <= _GROWING * changed]
    if len(kept) != 1:
        raise MatchingError(
            "some modes of the loop gain where others lose: the energy has neither a minimum nor a maximum "
            f"at this equilibrium, and no sign of the damping fits all; {_INSIST}"
        )
    return kept[0]


def _signs(matrix: np.ndarray) -> set[int]:
    """Of the eigenvalues, after a congruence that makes them independent of units."""
    t = symmetric_scaling(matrix)
    values = np.linalg.eigvalsh(matrix * t * t[:, None])
    return {int(np.sign(v)) if abs(v) > _DEFINITE * np.max(np.abs(values)) else 0 for v in values}
