"""Mechanisms on spheres, each made from its masses and lengths."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import finite_array, whole_number
from geoctrl._scalars import exact
from geoctrl.errors import InputError
from geoctrl.manifolds.energies.potentials import Pairs, Sites, index_pairs
from geoctrl.manifolds.mechanisms.solids_of_links import ACCENT, DARK, link_solids, most_drawn
from geoctrl.manifolds.vectors.entries import number_of_bodies, vector
from geoctrl.spheres.sphere_systems import SphereSystem
from geoctrl.systems import Family
from geoctrl.systems.picture import Ellipsoid, Rod, Solid

__all__ = [
    "chain_pendulum",
    "coupled_pendula",
    "dipoles",
    "double_pendulum",
    "elastic_rod",
    "lennard_jones",
    "particles_on_sphere",
]

_POWER = 1000
"""At most."""
_EARTH = (0.0, 0.0, -9.81)
_LLM09 = "T. Lee, M. Leok, N. H. McClamroch, Int. J. Numer. Meth. Engng 79 (2009) 1147-1174"


def chain_pendulum(
    masses: Sequence[float] = (0.7, 0.5, 0.4),
    lengths: Sequence[float] = (0.5, 0.4, 0.45),
    gravity: Sequence[float] = _EARTH,
) -> SphereSystem:
    r"""Point masses in a chain of massless links from a fixed pivot; torque at the base, force at the tip.

    .. math::

        m_{ij} = \Bigl(\sum_{k \ge \max(i, j)} m_k\Bigr) l_i l_j, \qquad
        V = -\sum_i \Bigl(\sum_{k \ge i} m_k\Bigr) l_i\, g \cdot q_i, \qquad
        f_i = l_i d + \delta_{i1}\, \tau \times q_1

    Inputs: tau_1..3, a couple on the first link (N m); d_1..3, a force on the last mass (N). Families
    "hanging" and "standing": all links along gravity, or against it.

    Raises
    ------
    InputError
        If masses and lengths are not as many positive numbers.

    Examples
    --------
    >>> chain = chain_pendulum([1.0, 2.0], [0.5, 0.4])
    >>> chain.mass_matrix([[0, 0, -1], [0, 0, -1]]).round(3)
    array([[0.75, 0.4 ],
           [0.4 , 0.32]])
    """
    m, length = _positive(masses=masses, lengths=lengths)
    n = m.size
    below = np.cumsum(m[::-1])[::-1]
    mass = np.array([[below[max(i, j)] * length[i] * length[j] for j in range(n)] for i in range(n)])
    g = _vector("gravity", gravity)
    tau, d = vector("tau"), vector("d")
    first = vector("q1")
    forces = [float(length[i]) * d + (tau.cross(first) if i == 0 else sp.zeros(3, 1)) for i in range(n)]
    return SphereSystem(
        mass=mass,
        potential=Sites(lambda q, c: -c * _dot(g, q), c=below * length),
        forces=forces,
        inputs=[*tau, *d],
        equilibria=_upright(g, n),
        picture=link_solids((0, 0, 0), _symbols(n), length),
        name="chain-pendulum",
        source="T. Lee, M. Leok, N. H. McClamroch, Int. J. Robust Nonlinear Control (2015)",
    )


def double_pendulum(
    m1: float = 1.0, m2: float = 1.0, l1: float = 9.81, l2: float = 9.81, gravity: Sequence[float] = _EARTH
) -> SphereSystem:
    """Two point masses in a chain, free of forces: [LLM09, example 1].

    Examples
    --------
    >>> double_pendulum(1.0, 1.0, 9.81, 9.81).n
    2
    """
    chain = chain_pendulum([m1, m2], [l1, l2], gravity)
    return chain.replace(forces=None, inputs=(), name="double-spherical-pendulum", source=_LLM09)


def particles_on_sphere(masses: Sequence[float] = (1.0, 1.0, 1.0), gamma: float = 1.0) -> SphereSystem:
    r"""Particles on the unit sphere that attract each other, [LLM09, example 2].

    .. math:: V = -\gamma \sum_{i<j} \frac{c}{\sqrt{1 - c^2}}, \qquad c = q_i \cdot q_j

    Examples
    --------
    >>> three = particles_on_sphere([1.0, 1.0, 1.0])
    >>> round(three.potential([[1, 0, 0], [0, 1, 0], [0.6, 0.8, 0]]), 4)
    -2.0833
    """
    (m,) = _positive(masses=masses)
    strength = float(finite_array("gamma", gamma, ()))

    def attraction(a, b):
        c = a.dot(b)
        return -strength * c / sp.sqrt(1 - c**2)

    return SphereSystem(
        mass=m,
        potential=Pairs(attraction),
        picture=_balls_on_sphere(m.size),
        name="particles-on-sphere",
        source=_LLM09,
    )


def coupled_pendula(
    masses: Sequence[float] = (0.1, 0.1, 0.1),
    lengths: Sequence[float] = (0.1, 0.1, 0.1),
    pairs: Any = ((0, 1), (1, 2)),
    stiffness: Sequence[float] = (10.0, 20.0),
    offsets: Any = ((0.1, 0.0, 0.0), (0.1, 0.0, 0.0)),
    gravity: Sequence[float] = _EARTH,
) -> SphereSystem:
    r"""Spherical pendula with springs between the middles of their links, [LLM09, example 3].

    .. math:: V = -\sum_i m_i l_i\, g \cdot q_i + \sum \tfrac\kappa2
        \bigl( |r_{ij} + \tfrac12 l_j q_j - \tfrac12 l_i q_i| - |r_{ij}| \bigr)^2

    Families "hanging" and "standing": all links along gravity, or against it, with the springs unstrained.

    Parameters
    ----------
    masses, lengths : (n,)
        kg, m.
    pairs : (m, 2) int
        Bodies that are joined, from 0.
    stiffness : (m,)
        N/m.
    offsets : (m, 3)
        From the pivot of the first to that of the second body (m).

    Examples
    --------
    >>> two = coupled_pendula([0.1, 0.1], [0.1, 0.1], [[0, 1]], [10.0], [[0.1, 0, 0]])
    >>> abs(two.potential([[0, 0, -1], [0, 0, -1]]) + 2 * 0.1 * 9.81 * 0.1) < 1e-15
    True
    """
    m, length = _positive(masses=masses, lengths=lengths)
    joined = index_pairs(pairs, m.size)
    rows = len(joined)
    k = finite_array("stiffness", stiffness, (rows,))
    r = finite_array("offsets", offsets, (rows, 3))
    g = _vector("gravity", gravity)
    data = np.column_stack([k, r, np.linalg.norm(r, axis=1), *length[joined].T / 2])

    def spring(a, b, c):
        stretched = sp.Matrix(c[1:4]) + c[6] * b - c[5] * a
        return c[0] / 2 * (sp.sqrt(stretched.dot(stretched)) - c[4]) ** 2

    return SphereSystem(
        mass=m * length**2,
        potential=[Sites(lambda q, c: -c * _dot(g, q), c=m * length), Pairs(spring, pairs=joined, c=data)],
        equilibria=_upright(g, m.size),
        picture=_pendula(_pivots(m.size, joined, r), length),
        name="coupled-pendula",
        source=_LLM09,
    )


def elastic_rod(
    n: int = 10,
    mass: float = 0.005,
    length: float = 0.1,
    stiffness: float = 1000.0,
    power: int = 2,
    gravity: Sequence[float] = _EARTH,
    clamp: Sequence[float] = (1.0, 0.0, 0.0),
) -> SphereSystem:
    r"""Rod of n moving elements after a clamped one, joined by bending springs, [LLM09, example 4].

    .. math::

        m_{ii} = \tfrac13 m l^2 + (n - i) m l^2, \quad m_{ij} = (\tfrac12 + n - \max(i, j)) m l^2, \quad
        V = -\sum_i m l (n - i + \tfrac12)\, g \cdot q_i + \tfrac\kappa2 \sum_i (1 - q_{i-1} \cdot q_i)^p

    The off-diagonal inertia is that of uniform rods; the one printed in [LLM09] is not (see the errata).

    Parameters
    ----------
    n : int
    mass, length : float
        Of one element (kg, m).
    stiffness : float
        N m.
    power : int
        p; 1 is the potential printed, 2 the one behind the printed figures.
    clamp : (3,)
        Direction of the clamped element.

    Examples
    --------
    >>> elastic_rod(2, 1.0, 1.0, 10.0).mass_matrix([[1, 0, 0], [1, 0, 0]]).round(4)
    array([[1.3333, 0.5   ],
           [0.5   , 0.3333]])
    """
    element, size = (float(v[0]) for v in _positive(mass=[mass], length=[length]))
    n, power = len(number_of_bodies(n)), whole_number("power", power, 1, _POWER)
    index = np.arange(1, n + 1)
    inertia = (0.5 + n - np.maximum.outer(index, index)) * element * size**2
    np.fill_diagonal(inertia, (1 / 3 + n - index) * element * size**2)
    g, base = _vector("gravity", gravity), _vector("clamp", clamp).copy()
    if not base.any():
        raise InputError("clamp is zero and has no direction")
    base /= np.linalg.norm(base)
    half = float(finite_array("stiffness", stiffness, ())) / 2
    terms: list[Any] = [
        Sites(lambda q, c: -c * _dot(g, q), c=element * size * (n - index + 0.5)),
        half * (1 - _dot(base, vector("q1"))) ** power,
    ]
    if n > 1:
        chain = np.column_stack([np.arange(n - 1), np.arange(1, n)])
        terms.append(Pairs(lambda a, b: half * (1 - a.dot(b)) ** power, pairs=chain))
    rod = link_solids([float(size * b) for b in base], _symbols(n), size, ends=False)
    clamped = Solid("clamped element", [Rod((0, 0, 0), size * base, size / 20)], of=None, colour=DARK)
    return SphereSystem(
        mass=inertia,
        potential=terms,
        picture=[clamped, *rod] if rod else (),
        name="elastic-rod",
        source=_LLM09,
    )


def dipoles(
    positions: Any = ((0.0, 0.0, 0.0), (0.03, 0.0, 0.0), (0.0, 0.04, 0.0)),
    mass: float = 0.05,
    length: float = 0.02,
    moment: float = 0.1,
    mu: float = 4e-7 * pi,
) -> SphereSystem:
    r"""Magnetic needles at fixed places: thin rods with a dipole along them, [LLM09, example 5].

    .. math:: m_{ii} = \tfrac1{12} m l^2, \qquad V = \sum_{i<j} \frac{\mu \nu^2}{4\pi |r|^3}
        \Bigl( q_i \cdot q_j - \frac{3}{|r|^2} (q_i \cdot r)(q_j \cdot r) \Bigr)

    Parameters
    ----------
    positions : (n, 3)
        m.
    mass, length : float
        kg, m.
    moment : float
        Magnetic moment of one (A m^2).
    mu : float
        Permeability (N/A^2).

    Examples
    --------
    >>> two = dipoles([[0, 0, 0], [0.1, 0, 0]], 0.05, 0.02, 0.1)
    >>> two.potential([[1, 0, 0], [1, 0, 0]]) < two.potential([[0, 1, 0], [0, 1, 0]])
    True
    """
    r = finite_array("positions", positions)
    if r.ndim != 2 or r.shape[1] != 3:
        raise InputError(f"positions must have shape (n, 3), got {r.shape}")
    element, size = (float(v[0]) for v in _positive(mass=[mass], length=[length]))
    first, second = np.triu_indices(len(r), 1)
    apart = r[second] - r[first]
    distance = np.linalg.norm(apart, axis=1)
    if np.any(distance == 0):
        raise InputError("two dipoles are at the same place")
    nu, permeability = (float(finite_array(k, v, ())) for k, v in (("moment", moment), ("mu", mu)))
    strength = permeability * nu**2 / (4 * pi * distance**3)
    data = np.column_stack([strength, apart / distance[:, None]])

    def coupling(a, b, c):
        along = sp.Matrix(c[1:4])
        return c[0] * (a.dot(b) - 3 * a.dot(along) * b.dot(along))

    return SphereSystem(
        mass=np.full(len(r), element * size**2 / 12),
        potential=Pairs(coupling, pairs=np.column_stack([first, second]), c=data),
        picture=[
            Solid(
                f"needle {i}",
                [
                    Rod((0, 0, 0), (0, 0, size / 2), size / 12, colour=ACCENT),
                    Rod((0, 0, -size / 2), (0, 0, 0), size / 12),
                ],
                of=None,
                place=place,
                along=way,
            )
            for i, (place, way) in enumerate(zip(r, _symbols(len(r)), strict=True), 1)
        ],
        name="dipoles",
        source=_LLM09,
    )


def lennard_jones(
    n: int = 12, epsilon: float = 0.01, sigma: float = 0.5, mass: float = 1.0, cutoff: float | None = None
) -> SphereSystem:
    r"""Molecules on the unit sphere, [LLM09, example 6].

    .. math:: V = \sum_{i<j} 4 \epsilon \Bigl( \frac{\sigma^{12}}{r^{12}} - \frac{\sigma^6}{r^6} \Bigr),
        \qquad r = |q_i - q_j|

    Parameters
    ----------
    cutoff : float, optional
        See `Pairs`: leaves out pairs farther apart, which changes the model.

    Examples
    --------
    >>> lennard_jones(12, 0.01, 0.5).n
    12
    """
    m, s = (float(v[0]) for v in _positive(mass=[mass], sigma=[sigma]))
    depth = float(finite_array("epsilon", epsilon, ()))

    def interaction(a, b):
        r = a - b
        ratio = s**2 / r.dot(r)
        return 4 * depth * (ratio**6 - ratio**3)

    return SphereSystem(
        mass=np.full(len(number_of_bodies(n)), m),
        potential=Pairs(interaction, cutoff=cutoff),
        picture=_balls_on_sphere(len(number_of_bodies(n)), s / 2),
        name="lennard-jones",
        source=_LLM09,
    )


def _symbols(n: int) -> list[sp.Matrix]:
    return [vector(f"q{i}") for i in range(1, n + 1)]


def _balls_on_sphere(n: int, size: float = 0.12) -> list[Solid]:
    """Balls on a sphere of glass."""
    if n > most_drawn:
        return []
    glass = Solid("sphere", [Ellipsoid(2, colour="#cbd5e1", opacity=0.25)], of=None)
    balls = [Solid(f"ball {i}", [Ellipsoid(size)], None, q) for i, q in enumerate(_symbols(n), 1)]
    return [glass, *balls]


def _pivots(n: int, pairs: Any, offsets: np.ndarray) -> np.ndarray:
    """Places of pivots (n, 3) with these offsets, the first of those that hang together at the origin."""
    found: dict[int, np.ndarray] = {}
    for first in range(n):
        found.setdefault(first, np.zeros(3))
        for _ in range(n):
            for (i, j), apart in zip(pairs, offsets, strict=True):
                if i in found:
                    found.setdefault(int(j), found[int(i)] + apart)
    return np.array([found[i] for i in range(n)])


def _pendula(pivots: np.ndarray, lengths: np.ndarray) -> list[Solid]:
    """A pendulum from each pivot."""
    ways = _symbols(len(pivots))
    pendula = zip(pivots, ways, lengths, strict=True)
    return [
        Solid(f"pendulum {i}", one.shapes, of=None, place=pivot, along=way, colour=None if i % 2 else ACCENT)
        for i, (pivot, way, length) in enumerate(pendula, 1)
        for one in link_solids(pivot, [way], [length])
    ]


def _positive(**lists: Any) -> list[np.ndarray]:
    arrays = [np.atleast_1d(finite_array(name, values)) for name, values in lists.items()]
    for name, array in zip(lists, arrays, strict=True):
        if array.ndim != 1 or not array.size or not np.all(array > 0):
            raise InputError(f"{name} must be positive numbers, got {array.tolist()}")
    if len({a.size for a in arrays}) > 1:
        raise InputError(
            "as many are needed of each: "
            + ", ".join(f"{a.size} {k}" for k, a in zip(lists, arrays, strict=True))
        )
    return arrays


def _upright(gravity: np.ndarray, n: int) -> dict[str, Family]:
    """All directions along gravity, and all against it; none where there is no gravity."""
    if not gravity.any():
        return {}
    g = sp.Matrix([sp.Rational(exact(v)) for v in gravity])
    down = g / sp.sqrt(g.dot(g))
    labels = [f"q{i}_{k}" for i in range(1, n + 1) for k in (1, 2, 3)]
    places = {"hanging": down, "standing": -down}
    return {name: Family(dict(zip(labels, [*way] * n, strict=True))) for name, way in places.items()}


def _vector(name: str, value: Any) -> np.ndarray:
    return finite_array(name, value, (3,))


def _dot(a: np.ndarray, q: sp.Matrix) -> sp.Expr:
    return sp.Add(*(float(x) * y for x, y in zip(a, q, strict=True) if x))
