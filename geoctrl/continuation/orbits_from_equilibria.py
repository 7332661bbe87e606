r"""The branch of periodic orbits that leaves a Hopf point, begun by blow-up.

Near the point an orbit is :math:`x = x^* + x'(s - s^*) + 2\varepsilon\,\mathrm{Re}(q\,e^{i\theta})` up to
terms of second order. The equations of closing hold for equilibria as well, whatever the period. With the row

.. math::

    \mathrm{Re}\,\langle p,\; x_0 - x^* - x'(s - s^*)\rangle = \varepsilon

beside them nothing falls onto the equilibrium: the first orbit has that amplitude, and the branch goes on
from it by pseudo-arclength.
"""

from __future__ import annotations

import numpy as np

from geoctrl._calls.long_calls import LongCall
from geoctrl.continuation.normal_forms.hopf_normal_form import HopfNormalForm
from geoctrl.errors import EquilibriumError, GeoctrlError
from geoctrl.orbits.branches.following_orbits import branch_of_course, require_parameter
from geoctrl.orbits.branches.orbit_arclength import OrbitCourse, OrbitPlace
from geoctrl.orbits.branches.orbit_branch import OrbitBranch
from geoctrl.orbits.branches.smooth_arclength import SmoothCourse
from geoctrl.orbits.enclosures.orbit_symmetries import Closing
from geoctrl.orbits.shooting import Along, Shooting

__all__ = ["branch_of_hopf_point"]

_SEGMENTS = 4
"""Parts into which periods are cut."""
_PARTS = 1e-2, 3e-3, 3e-2, 1e-3
"""Roots of the parts of the span and of the period by which value and period change at the first orbit; tried
in turn."""


def branch_of_hopf_point(
    form: HopfNormalForm, along: str, span: tuple[float, float], points: int, call: LongCall | None
) -> OrbitBranch:
    """The branch of orbits that leaves a Hopf point, on the side where they are."""
    require_parameter(form.system, along)
    if form.along != along:
        raise EquilibriumError(
            f"the Hopf point was met along {form.along}; follow the equilibria along {along} first, and take "
            "its Hopf point"
        )
    why: Exception | None = None
    for part in _PARTS:
        try:
            course, start, length = _first_orbit(form, span, points, part)
        except (GeoctrlError, ArithmeticError, ValueError) as error:
            why = error
            continue
        return branch_of_course(course, start, length, call, one_way=True)
    raise EquilibriumError(f"no orbit was found next to the Hopf point: {why}")


def _first_orbit(
    form: HopfNormalForm, span: tuple[float, float], points: int, part: float
) -> tuple[OrbitCourse, OrbitPlace, float]:
    """The course with its first place, and the length of its first step: half the way from the point."""
    span = min(span[0], form.value), max(span[1], form.value)
    width, n = span[1] - span[0], len(form.q)
    changes = [abs(form.p2) / width, abs(form.T2) / form.period]
    eps = part / np.sqrt(max(changes))
    if not np.isfinite(eps):
        raise EquilibriumError("value and period do not change with the amplitude to second order")
    wave = [2 * eps * (form.q * np.exp(2j * np.pi * i / _SEGMENTS)).real for i in range(_SEGMENTS)]
    params = dict(form.point.params) | {form.along: form.value}
    rest = form.point.x
    shooting = Shooting(
        *(form.system, rest + wave[0], form.point.u, params, Closing(np.eye(n), form.system)),
        *(_SEGMENTS, form.period, Along(form.along, width)),
    )
    y = shooting.unknowns([rest + w for w in wave], form.period, 0.0, form.value)
    normal = np.zeros(len(y))
    normal[:n] = form.adjoint.real * shooting.sizes
    normal[-1] = -float(form.adjoint.real @ form.tangent) * width
    course = SmoothCourse(shooting, span, points)
    start = course.first_place(y, normal / np.linalg.norm(normal))
    away = np.concatenate([w / shooting.sizes for w in wave])
    return course, start, 0.5 * float(np.linalg.norm(away))
