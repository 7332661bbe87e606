"""Branches of relative equilibria: followed, with what changes along them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import LongCall, long_call, under_way
from geoctrl._checks import entries, nearest, whole_number
from geoctrl._scalars import real, shown
from geoctrl.analysis.certificates.certificates import Certificate
from geoctrl.continuation.arclength import SolvedCourse
from geoctrl.continuation.brackets import certificate_at, smallest_bracket
from geoctrl.continuation.branch import Branch, Change
from geoctrl.continuation.branch_switching import course_label, crossing_courses
from geoctrl.continuation.changes import BRANCH, HOPF, ChangeFunction, events
from geoctrl.continuation.closed_form import ClosedCourse
from geoctrl.continuation.curve import Course
from geoctrl.continuation.normal_forms.hopf_normal_form import HopfNormalForm, hopf_normal_form
from geoctrl.continuation.orbits_from_equilibria import branch_of_hopf_point
from geoctrl.errors import InputError, LabelError
from geoctrl.orbits.branches.following_orbits import branch_of_jumps, branch_of_orbit
from geoctrl.orbits.branches.orbit_branch import OrbitBranch, OrbitChange
from geoctrl.orbits.hybrid_orbit import HybridOrbit
from geoctrl.orbits.orbit import PeriodicOrbit
from geoctrl.systems import Equilibrium, HybridSystem, System, as_system
from geoctrl.systems.contract.points import resolve_equilibrium

__all__ = ["follow"]


@long_call
def follow(
    sys: System,
    eq: Any,
    along: str,
    span: Any,
    fixed: Sequence[str] = (),
    params: Mapping[str, float] | None = None,
    points: int = 61,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    *,
    certify: bool = False,
    seconds: float | None = None,  # noqa: ARG001
) -> Branch | OrbitBranch:
    r"""Follow relative equilibria along a state, a symbol of their family or a parameter; or periodic orbits
    along a parameter.

    Along a symbol of the family that ``eq`` was taken from, members follow from its closed form; so they do
    along a parameter where ``fixed`` names symbols of the family, or it has none. Else the curve

    .. math::

        F(z) = (f(x, u, p),\; g(x, p),\; x_h - c_h) = 0

    of equilibria on the leaf g = 0, with the states :math:`x_h` held, is followed by pseudo-arclength on both
    sides of ``eq``, through folds, as far as the span reaches. At each point stands the spectrum on the level
    sets of the invariants; where eigenvalues come to the imaginary axis or leave it, where the value turns
    and where another curve crosses, the place is located in floats, and a bracket of it is proved where that
    can be done: its two ends are certified, one stable and one unstable, as near to each other as proofs
    reach.

    A `PeriodicOrbit` is followed along a parameter, on its levels of what is conserved, by pseudo-arclength
    with the derivatives of the flow; a Hopf point begins such a branch, on the side where its orbits are, and
    so does a period doubling of one. Folds, branch points, period doublings and tori are located in floats.
    A `HybridOrbit` is followed likewise, with the derivatives of guards and resets, as far as a run of each
    orbit meets these jumps first and they keep what they promise; where a strike grazes, another guard comes
    first or a contact would pull, the branch ends with a change that says so.

    Parameters
    ----------
    sys : System or HybridSystem
    eq : Equilibrium, state ``x``, pair ``(x, u)``, PeriodicOrbit, HybridOrbit, Change or OrbitChange
    along : str
        A state, a symbol of the family of ``eq``, or a parameter; of orbits a parameter, or the name
        of a conserved function, whose level then changes.
    span : (low, high)
        Values between which it is followed; that of ``eq`` lies between them. A branch of orbits begins at
        its Hopf point, also where that lies outside.
    fixed : sequence of str, optional
        States that are held. Where equilibria come in families of more dimensions, further states are held
        that change most along those; `Branch.held` names them. Or symbols of the family.
    params : dict, optional
        Overrides those of the equilibrium.
    points : int, optional
        Points over the span, about; a curve that turns has more.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    certify : bool, optional
        Ask `certify` of every point: `Branch.certificates`, and verdicts that are proved where these are.
    seconds : float, optional
        Time for the call; the branch found by then is returned, with its ends where they are.

    Returns
    -------
    Branch or `geoctrl.orbits.OrbitBranch`

    Raises
    ------
    LabelError
        If ``along`` or ``fixed`` name nothing there is, or ``along`` no parameter that orbits depend on.
    InputError
        If the span is none, or the value of ``eq`` lies outside it; for an orbit or a change of another
        system, or given with ``fixed``, ``params`` or ``certify``; if ``certify`` is no
        bool.
    EquilibriumError
        If ``eq`` is no equilibrium; if no curve of equilibria goes on from it, or several do; if no branch of
        orbits begins at a change, or none is found.
    ParameterError
        For an unknown parameter.
    TypeError
        If ``sys`` is no system.

    Notes
    -----
    E. J. Doedel, H. B. Keller, J. P. Kernevez, Int. J. Bifurcation and Chaos 1 (1991), 745-772, of orbits.

    A KeyboardInterrupt carries what is done as its attribute ``branch``.

    Two changes between neighbouring points that undo each other are not seen: take more points. That what is
    proved of the ends of a bracket concerns one curve is known for families in closed form alone.

    Examples
    --------
    A skate that turns upright becomes stable at :math:`\Omega_0^2 = m g l/(I_3 + m l^2 - I_2)`:

    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> spinning = gc.follow(skate, skate.equilibrium("spinning", Omega0=3.0), along="Omega0", span=(1, 9))
    >>> change, = spinning.changes
    >>> change.value, change.width < 1e-9
    (4.09731724..., True)
    >>> change.proof
    'proved unstable at its low end, stable at its high'
    >>> asked = gc.follow(skate, spinning.points[0], "v2", (1, 9), points=9, certify=True)
    >>> str(asked.verdicts[0]), str(asked.verdicts[-1])
    ('PROVED_UNSTABLE', 'PROVED_STABLE')
    """
    jumps = isinstance(eq, HybridOrbit) or isinstance(getattr(eq, "orbit", None), HybridOrbit)
    system: Any = sys if jumps and isinstance(sys, HybridSystem) else as_system(sys, "follow")
    limits = _span(span)
    count = whole_number("points", points, 3, 100_000)
    if not isinstance(certify, bool):
        raise InputError(f"certify must be True or False, got {shown(certify)}")
    if isinstance(eq, PeriodicOrbit | HybridOrbit | Change | OrbitChange):
        if certify:
            raise InputError("certify= is of equilibria; what is proved of an orbit tells orbit.enclose()")
        if fixed or params:
            raise InputError("fixed= and params= are of equilibria; an orbit has its parameters")
        return _orbits(system, eq, _name("along", along), limits, count)
    point = resolve_equilibrium(system, eq, params)
    names = [_name("fixed", name) for name in entries("fixed", fixed)]
    symbols = eq.symbols if isinstance(eq, Equilibrium) else {}
    course = _course(system, point, symbols, _name("along", along), names, limits, count)
    call = under_way()
    branch = _branch(system, course, count, certify, call)
    call.report.finish(1.0)
    return branch


def _orbits(
    system: Any,
    begun: PeriodicOrbit | HybridOrbit | Change | OrbitChange,
    along: str,
    span: tuple[float, float],
    points: int,
) -> OrbitBranch:
    """The branch of periodic orbits through an orbit, or from a change."""
    of = begun.point.system if isinstance(begun, Change) else None
    of = begun.orbit.system if isinstance(begun, OrbitChange) else of
    of = begun.system if isinstance(begun, PeriodicOrbit | HybridOrbit) else of
    if of is not system:
        raise InputError(
            "the orbit or change is not of this system; follow it in the system that it was found in"
        )
    call = under_way()
    if isinstance(begun, OrbitChange):
        (found,) = begun.branches(span)
    elif isinstance(begun, Change):
        found = branch_of_hopf_point(begun.normal_form(), along, span, points, call)
    elif isinstance(begun, HybridOrbit):
        found = branch_of_jumps(begun, along, span, points, call)
    else:
        found = branch_of_orbit(begun, along, span, points, call)
    call.report.finish(1.0)
    return found


def _span(given: Any) -> tuple[float, float]:
    values = entries("span", given)
    if len(values) != 2:
        raise InputError(f"span must be (low, high), got {shown(given)}")
    low, high = (real(v, "span") for v in values)
    if not low < high:
        raise InputError(f"span must be (low, high) with low < high, got ({low:g}, {high:g})")
    return float(low), float(high)


def _name(what: str, given: Any) -> str:
    if not isinstance(given, str):
        raise LabelError(f"{what} must name a state, a symbol of a family or a parameter, got {shown(given)}")
    return given


def _course(
    system: System,
    point: Equilibrium,
    symbols: Mapping[str, Any],
    along: str,
    fixed: list[str],
    span: tuple[float, float],
    points: int,
) -> Course:
    """The course that is asked for."""
    labels, parameters = list(system.state_labels), list(system.params)
    known = [*labels, *symbols, *parameters]
    if along not in known:
        raise LabelError(
            f"no state, symbol of the family of the equilibrium or parameter {along!r}{nearest(along, known)}"
        )
    for name in fixed:
        if name not in (*labels, *symbols):
            raise LabelError(f"fixed names no state or symbol: {name!r}{nearest(name, [*labels, *symbols])}")
        if name == along:
            raise InputError(f"{name!r} cannot be held: the branch goes along it")
    closed = [name for name in fixed if name in symbols]
    one = point.name in system.families and not system.families[point.name].names and not fixed
    if along in symbols or ((closed or one) and along in parameters):
        others = [name for name in fixed if name not in symbols]
        if others:
            raise InputError(
                f"members of a family are told by its symbols; {', '.join(others)} cannot be held"
            )
        _require_inside(along, {**point.params, **symbols}[along], span)
        return ClosedCourse(system, point.name, symbols, dict(point.params), along, span, points)
    if closed:
        raise InputError(
            f"{', '.join(closed)} is held along a parameter or a symbol of the family; along the state "
            f"{along!r} hold states"
        )
    value = point.x[labels.index(along)] if along in labels else point.params[along]
    _require_inside(along, value, span)
    return SolvedCourse(system, point, along, list(dict.fromkeys(fixed)), span, points)


def _require_inside(along: str, value: Any, span: tuple[float, float]) -> None:
    if not span[0] <= float(value) <= span[1]:
        raise InputError(
            f"the equilibrium has {along} = {float(value):.9g}, outside the span ({span[0]:g}, {span[1]:g})"
        )


def _branch(system: System, course: Course, points: int, asked: bool, call: LongCall | None = None) -> Branch:
    """The branch of a course, walked and looked through; an interruption carries what is done of it."""
    changes: list[Change] = []
    certificates: list[Certificate | None] = []

    def so_far() -> Branch | None:
        return _branch_so_far(system, course, changes, certificates) if course.places else None

    def report(part: float) -> None:
        if call is None:
            return
        best = ""
        if course.places:
            values = [place.value for place in course.places]
            best = f"{course.along} from {min(values):.4g} to {max(values):.4g}"
        call.tell("walking", best, 0.4 * part)

    if call is not None:
        call.otherwise = so_far
    try:
        course.walk(report)
        found = events(course)
        for k, event in enumerate(found):
            if call is not None:
                part = 0.5 + (0.2 if asked else 0.5) * k / len(found)
                call.tell(f"change {k + 1} of {len(found)}", f"{k} told", part)
            changes.append(_change(system, course, event, points, asked))
        for k in range(len(course.places) if asked else 0):
            if call is not None:
                count = sum(c is not None and c.verdict.proved for c in certificates)
                part = 0.7 + 0.3 * k / len(course.places)
                call.tell(f"point {k + 1} of {len(course.places)}", f"{count} proved", part)
            certificates.append(certificate_at(course, k))
    except KeyboardInterrupt as stop:
        stop.branch = _branch_so_far(system, course, changes, certificates)  # type: ignore[attr-defined]
        raise
    return _branch_so_far(system, course, changes, certificates)


def _branch_so_far(
    system: System, course: Course, changes: list[Change], certificates: Sequence[Certificate | None]
) -> Branch:
    """The branch with the places, changes and certificates that are known."""
    places = course.places
    verdicts = [place.spectrum.verdict for place in places]
    for k, certificate in enumerate(certificates):
        if certificate is not None and certificate.verdict.proved:
            verdicts[k] = certificate.verdict
    missing = [None] * (len(places) - len(certificates)) if certificates else []
    return Branch(
        system=system,
        along=course.along,
        span=course.span,
        held=dict(course.held),
        values=np.array([place.value for place in places]),
        points=tuple(place.point for place in places),
        eigenvalues=tuple(place.spectrum.values for place in places),
        verdicts=tuple(verdicts),
        certificates=(*certificates, *missing),
        changes=tuple(changes),
        ends=course.ends,
    )


def _change(system: System, course: Course, event: ChangeFunction, points: int, asked: bool) -> Change:
    """The record of an event, with its bracket."""
    bracket = smallest_bracket(course, event)
    sides = sorted((event.before, event.after), key=lambda place: place.value)
    verdicts = [place.spectrum.verdict for place in (event.before, event.after)]
    if len(bracket.certificates) == 2:
        proved = [c.verdict for c in bracket.certificates]
        verdicts = proved if sides[0] is event.before else proved[::-1]
    others = partial(_others, system, course, event, points, asked) if event.kind in (BRANCH, HOPF) else None
    return Change(
        kind=event.kind,
        value=event.place.value,
        bracket=(bracket.low, bracket.high),
        rigorous=bool(bracket.proof),
        proof=bracket.proof,
        eigenvalue=event.eigenvalue,
        before=verdicts[0],
        after=verdicts[1],
        point=event.place.point,
        certificates=bracket.certificates,
        _others=others,
        _normal_form=partial(_hopf_form, system, course, event) if event.kind == HOPF else None,
    )


def _hopf_form(system: System, course: Course, event: ChangeFunction, state: str | None) -> HopfNormalForm:
    """`Change.normal_form`."""
    along = course_label(system, course, event)
    curve = along, [str(k) for k in course.held], course.span[1] - course.span[0]
    assert event.eigenvalue is not None
    return hopf_normal_form(system, event.place.point, curve, event.eigenvalue.imag, state)


def _others(
    system: System, course: Course, event: ChangeFunction, points: int, asked: bool, span: Any = None
) -> list[Any]:
    """`Change.branches`."""
    limits = course.span if span is None else _span(span)
    if event.kind == HOPF:
        form = _hopf_form(system, course, event, None)
        return [branch_of_hopf_point(form, form.along, limits, points, None)]
    found = crossing_courses(system, course, event, limits, points)
    return [_branch(system, other, points, asked) for other in found]
