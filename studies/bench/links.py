"""Point masses on links in a plane, described on SO(2)^n, and by hand in angles from the vertical."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

import geoctrl as gc

MASS, LENGTH, GRAVITY = 0.7, 0.3, 9.81


class Links(NamedTuple):
    """A system and a start, and the same by hand.

    Attributes
    ----------
    description : EulerPoincare
    system : ReducedSystem
    x0 : ndarray
    places : ndarray
        Of its states: rates, cosines and sines of the angles, negative as the vertical turns the other way.
    angles : ndarray
        Angles and rates of the start.
    field : callable
        Rates of these, of any kind of number.
    """

    description: Any
    system: Any
    x0: np.ndarray
    places: np.ndarray
    angles: np.ndarray
    field: Callable[[Sequence[Any]], list[Any]]


def planar_links(n: int) -> Links:
    """Links pulled out of the vertical at random."""
    algebra = gc.product(*[gc.so2() for _ in range(n)]) if n > 1 else gc.so2()
    seen = [gc.AdvectedVector(f"Gamma{i + 1}_", (1, 0), of=i + 1) for i in range(n)]
    parameters = [
        gc.Parameter(k, v, positive=True) for k, v in {"m": MASS, "l": LENGTH, "g": GRAVITY}.items()
    ]
    m, l, g = (p.symbol for p in parameters)  # noqa: E741
    vectors = [sp.Matrix(vector.symbols) for vector in seen]

    def coupling(i: int, j: int) -> sp.Expr:
        return (n - max(i, j)) * m * l**2 * (vectors[i].dot(vectors[j]) if i != j else 1)

    description = gc.EulerPoincare(
        algebra=algebra,
        advected=seen,
        inertia=sp.Matrix(n, n, coupling),
        potential=sum(-(n - i) * m * g * l * vectors[i][0] for i in range(n)),
        parameters=parameters,
        name=f"{n} planar links",
    )
    rng = np.random.default_rng(n)
    angles, rates = rng.uniform(-0.4, 0.4, n), rng.uniform(-1, 1, n)
    turned = np.column_stack([np.cos(angles), -np.sin(angles)])
    places = np.concatenate([np.arange(n), n + 2 * np.arange(n), n + 1 + 2 * np.arange(n)])
    return Links(
        description,
        description.reduce(),
        np.concatenate([rates, turned.ravel()]),
        places,
        np.concatenate([angles, rates]),
        lambda x: field_by_hand(x, n),
    )


def field_by_hand(x: Sequence[Any], n: int) -> list[Any]:
    """sum_j m_ij (cos(a_i - a_j) a_j'' + sin(a_i - a_j) a_j'^2) = -(n - i) m g l sin a_i, by L D L^T.

    Written for numbers of heyoka.
    """
    import heyoka as hy

    angles, rates = list(x[:n]), list(x[n:])
    cos, sin = [hy.cos(a) for a in angles], [hy.sin(a) for a in angles]
    squares = [w * w for w in rates]
    M: list[list[Any]] = [[None] * n for _ in range(n)]
    h: list[Any] = []
    for i in range(n):
        terms = [-((n - i) * GRAVITY / LENGTH) * sin[i]]
        for j in range(n):
            if i == j:
                M[i][i] = hy.expression(float(n - i))
                continue
            weight = float(n - max(i, j))
            M[i][j] = weight * (cos[i] * cos[j] + sin[i] * sin[j])
            terms.append(-weight * (sin[i] * cos[j] - cos[i] * sin[j]) * squares[j])
        h.append(hy.sum(terms))
    return [*rates, *solved(M, h)]


def solved(M: list[list[Any]], h: list[Any]) -> list[Any]:
    """Solution of a symmetric positive definite system, without square roots."""
    n = len(h)
    L: list[list[Any]] = [[None] * n for _ in range(n)]
    d: list[Any] = []
    for j in range(n):
        column = [L[j][k] * d[k] for k in range(j)]
        d.append(M[j][j] - sum((L[j][k] * column[k] for k in range(j)), 0.0))
        for i in range(j + 1, n):
            L[i][j] = (M[i][j] - sum((L[i][k] * column[k] for k in range(j)), 0.0)) / d[j]
    y: list[Any] = []
    for i in range(n):
        y.append(h[i] - sum((L[i][k] * y[k] for k in range(i)), 0.0))
    x: list[Any] = [None] * n
    for i in reversed(range(n)):
        x[i] = y[i] / d[i] - sum((L[k][i] * x[k] for k in range(i + 1, n)), 0.0)
    return x


def mujoco_text(n: int, h: float) -> str:
    """The links for MuJoCo, which needs some inertia of each body."""
    text = ""
    for i in reversed(range(n)):
        place = f'pos="0 0 {-LENGTH if i else 0}"'
        inertial = f'<inertial pos="0 0 {-LENGTH}" mass="{MASS}" diaginertia="1e-14 1e-14 1e-14"/>'
        text = f'<body {place}><joint type="hinge" axis="0 1 0"/>{inertial}{text}</body>'
    return (
        f'<mujoco><option integrator="RK4" timestep="{h}" gravity="0 0 {-GRAVITY}">'
        f'<flag contact="disable"/></option><worldbody>{text}</worldbody></mujoco>'
    )


def relative(angles: np.ndarray) -> np.ndarray:
    """Angles between links."""
    return np.diff(angles, prepend=0.0)


def from_relative(data: Any) -> np.ndarray:
    """Rates, cosines and sines (negative) of absolute angles."""
    angles = np.cumsum(data.qpos)
    return np.concatenate([np.cumsum(data.qvel), np.cos(angles), -np.sin(angles)])


def truth_of(states: np.ndarray) -> np.ndarray:
    """The same of angles and rates (2n, nt), in the precision that they have."""
    n = len(states) // 2
    return np.vstack([states[n:], np.cos(states[:n]), -np.sin(states[:n])])
