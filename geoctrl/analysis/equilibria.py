"""Relative equilibria: zeros of the field on the leaf, with some coordinates held."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl._scalars import NotRationalError, exact, real
from geoctrl.algebra import AdvectedVector
from geoctrl.analysis.entry import read_point, require_held
from geoctrl.analysis.manifolds import find_on_manifold
from geoctrl.analysis.problem import Problem
from geoctrl.analysis.proof import is_exact_equilibrium
from geoctrl.errors import EquilibriumError, InputError, SingularMassError
from geoctrl.systems import Equilibrium, ReducedSystem, as_system
from geoctrl.systems.members import check_autonomous, equilibrium_at, leaf_gradient

__all__ = ["find_equilibrium"]

_CONVERGED = 1e-11


def find_equilibrium(
    sys: ReducedSystem,
    guess: Any = None,
    fixed: Mapping[str, float] | None = None,
    params: Mapping[str, float] | None = None,
    spin: Any = None,
) -> Equilibrium:
    r"""Solve :math:`f(x, u) = 0` together with the leaf relations and :math:`x_i = c_i` for the held ones.

    Equilibria come in families, so that the system of equations is usually underdetermined and, on the
    leaf, overdetermined at once: it is solved by Gauss-Newton steps of least norm from the guess.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem or RotationSystem
    guess : Equilibrium, state ``x`` or pair ``(x, u)``, optional
        Without one, rest at the references of the advected vectors.
    fixed : mapping of state or input label -> value, optional
        Inputs not named are held at the guess (zero without one). Where a held component of an advected
        vector is an extremum on the leaf (``Gamma3 = 1``), the vector's other components are held at zero.
    params : dict, optional
    spin : array (3,), optional
        Only for a system on spheres or rotations, where it makes the equilibrium a relative one: everything
        turns with this spatial rate (rad/s). The guess is then a pair (q, omega) or (R, Omega).

    Returns
    -------
    Equilibrium
        Unpacks as ``(x, u)``. A guess that is an exact equilibrium is kept as it is.

    Raises
    ------
    EquilibriumError
        If a held value lies outside its range on the leaf (the range is named), or nothing was found
        (with the residual reached).
    InputError, ParameterError
        For unknown labels, wrong shapes, values that are not finite.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> gc.find_equilibrium(skate, fixed={"v2": 3.0, "Gamma3": 1.0})
    Equilibrium(v1=0, v2=3, v3=0, Gamma2=0, Gamma3=1; residual 0.0e+00, leaf 0.0e+00)
    """
    as_system(sys, "find_equilibrium")
    require_held(fixed)
    if not sys.recorded:
        return find_on_manifold(sys, guess, spin, fixed, params)
    if spin is not None:
        raise InputError("spin is for systems on spheres and rotations; a reduced system has despun()")
    check_autonomous(sys)
    numbers = sys.parameters(params)
    x, u, known = _start(sys, guess)
    if known is not None and params is None:
        numbers = sys.parameters({k: v for k, v in known.params.items() if k in sys.params})
    held, held_u = _held(sys, {} if fixed is None else fixed)
    for i, value in held.items():
        x[i] = value
    for j, value in held_u.items():
        u[j] = value
    unchanged = known is not None and np.array_equal(x, known.x) and np.array_equal(u, known.u)
    if unchanged and known is not None and known.exact is not None:
        exact_x, exact_u = known.exact, known.exact_u
        if _exactly(sys, numbers, exact_x, exact_u or ()):
            return equilibrium_at(sys, x, u, numbers, exact_x, exact_u, name=known.name)
    free = [i for i in range(sys.nstates) if i not in held]
    try:
        x, residual = _solve(sys, x, u, numbers, free)
    except SingularMassError as error:
        raise EquilibriumError(
            f"no equilibrium found: on the way there {error}; try another guess"
        ) from error
    for candidate in (_snapped(x, held), x):
        exact_x = tuple(exact(v) for v in candidate)
        exact_u = tuple(exact(v) for v in u)
        if _exactly(sys, numbers, exact_x, exact_u):
            return equilibrium_at(sys, candidate, u, numbers, exact_x, exact_u)
    scale = max(1.0, float(np.max(np.abs(x)))) ** 2
    if not residual <= _CONVERGED * scale * max(1.0, float(np.max(np.abs(sys.jacobian(0.0, x, u, numbers))))):
        raise EquilibriumError(
            f"no equilibrium found: residual {residual:.3g} at "
            f"{dict(zip(sys.state_labels, x.round(6).tolist(), strict=True))}; "
            "try another guess or hold fewer states",
            residual,
        )
    return equilibrium_at(sys, x, u, numbers)


def _start(sys: ReducedSystem, guess: Any) -> tuple[np.ndarray, np.ndarray, Equilibrium | None]:
    u = np.zeros(sys.ninputs)
    if guess is None:
        full = np.array([float(q) for a in sys.mechanism.advected for q in a.reference])
        a = sys.assembly
        x = np.concatenate([np.zeros(len(a.velocity)), full[sys.kept_index], np.zeros(len(a.controller))])
        return x, u, None
    x, u, _, _ = read_point(sys, guess, "guess")
    return x.copy(), u.copy(), guess if isinstance(guess, Equilibrium) else None


def _held(sys: ReducedSystem, fixed: Mapping[str, float]) -> tuple[dict[int, float], dict[int, float]]:
    states, inputs = list(sys.state_labels), list(sys.input_labels)
    held: dict[int, float] = {}
    held_u: dict[int, float] = {}
    for key, value in fixed.items():
        label = str(key)
        number = real(value, f"fixed[{label!r}]")
        if label in states:
            held[states.index(label)] = number
        elif label in inputs:
            held_u[inputs.index(label)] = number
        else:
            raise InputError(f"fixed names no state or input: {label!r}{nearest(label, [*states, *inputs])}")
    for vector in sys.mechanism.advected:
        if isinstance(vector, AdvectedVector):
            _hold_extremum(vector, states, held)
    return held, held_u


def _hold_extremum(vector: AdvectedVector, states: list[str], held: dict[int, float]) -> None:
    """At |component| = |vector| the other components vanish; beyond it there is no configuration."""
    norm = float(np.sqrt(float(sum(q * q for q in vector.reference))))
    places = [states.index(str(s)) for s in vector.symbols if str(s) in states]
    for i in places:
        if i not in held:
            continue
        if abs(held[i]) > norm * (1 + 1e-12):
            raise EquilibriumError(
                f"{states[i]} = {held[i]:g} is outside its range on the leaf, [{-norm:g}, {norm:g}]"
            )
        if abs(held[i]) >= norm * (1 - 1e-12):
            held.update({j: 0.0 for j in places if j != i and j not in held})


def _solve(
    sys: ReducedSystem, x: np.ndarray, u: np.ndarray, params: Mapping[str, float], free: list[int]
) -> tuple[np.ndarray, float]:
    from scipy.optimize import least_squares

    def full(y: np.ndarray) -> np.ndarray:
        point = x.copy()
        point[free] = y
        return point

    def residual(y: np.ndarray) -> np.ndarray:
        point = full(y)
        try:
            return np.concatenate([sys.rhs(0.0, point, u, params), sys.leaf_residual(point, params)])
        except ZeroDivisionError:  # a step to where the equations are singular: the solver shortens it
            return np.full(sys.nstates + len(sys.leaf.nodes), np.nan)

    def jacobian(y: np.ndarray) -> np.ndarray:
        point = full(y)
        rows = np.vstack([sys.jacobian(0.0, point, u, params), leaf_gradient(sys, point, params)])
        return rows[:, free]

    if not np.all(np.isfinite(residual(x[free]))):
        raise EquilibriumError("no equilibrium found: the equations are singular at the guess; try another")
    y, size = _newton(residual, jacobian, x[free])
    if size > 1e-9 and y.size:
        # Newton's steps lead to the nearest member of a family; where they fail, a trust region goes further.
        y = least_squares(residual, x[free], jac=jacobian, method="trf", xtol=1e-15, ftol=1e-15, gtol=1e-15).x
        y, size = _newton(residual, jacobian, y)
    return full(y), size


def _newton(
    residual: Callable[[np.ndarray], np.ndarray], jacobian: Callable[[np.ndarray], np.ndarray], y: np.ndarray
) -> tuple[np.ndarray, float]:
    """Gauss-Newton steps of least norm and limited length; the best point met and its residual."""
    best, least = y, float(np.max(np.abs(residual(y)), initial=0.0))
    stalled = 0
    for _ in range(40):
        if not y.size or stalled > 2 or least == 0.0:
            break
        step = np.linalg.lstsq(jacobian(y), residual(y), rcond=1e-10)[0]
        y = y - step * min(
            1.0, 0.5 * max(1.0, float(np.linalg.norm(y))) / max(float(np.linalg.norm(step)), 1e-300)
        )
        size = float(np.max(np.abs(residual(y)), initial=0.0))
        if not np.isfinite(size):
            break
        stalled = 0 if size < least else stalled + 1
        if size < least:
            best, least = y, size
    return best, least


def _snapped(x: np.ndarray, held: Mapping[int, float]) -> np.ndarray:
    """Values within rounding of a short decimal moved onto it, so that exact equilibria are recognised."""
    short = np.round(x, 9)
    snapped = np.where(np.abs(x - short) < 1e-11, short, x)
    for i, value in held.items():
        snapped[i] = value
    return snapped


def _exactly(
    sys: ReducedSystem, params: Mapping[str, float], x: tuple[Fraction, ...], u: tuple[Fraction, ...]
) -> bool:
    numbers: Any = Equilibrium(
        x=np.array([float(q) for q in x]),
        u=np.array([float(q) for q in u]),
        residual=0.0,
        leaf_residual=0.0,
        family=np.zeros((len(x), 0)),
        exact=x,
        exact_u=u,
        params=dict(params),
        labels=sys.state_labels,
    )
    try:
        return is_exact_equilibrium(Problem.of(sys, numbers))
    except (NotRationalError, ZeroDivisionError):
        return False
