"""Example 6: 642 molecules on a sphere, their energy and how the heat of two vortices spreads."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import geoctrl as gc
from geoctrl.spheres import SphereTrajectory
from geoctrl.viz.style import COLOURS, quiet
from studies.two_spheres.comparison import Start, Study, curve, rows
from studies.two_spheres.figures import paths, spheres

EPSILON, H = 0.01, 0.005
RATE, WIDTH = 10.0, 0.15
"""Of each vortex: angular rate of its centre (rad/s) and radius (rad)."""

SHOWN = (0, 0.05, 0.1, 0.2, 0.4, 1)
"""Times of the pictures, as parts of the whole: the heat spreads fast at first."""

_GOLDEN = (1 + 5**0.5) / 2


def icosphere(times: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and faces (m, 3) of an icosahedron, quartered some times, on the unit sphere."""
    from scipy.spatial import ConvexHull

    cyclic = [(0, a, b * _GOLDEN) for a in (-1, 1) for b in (-1, 1)]
    points = np.array([np.roll(p, k) for p in cyclic for k in range(3)]) / np.hypot(1, _GOLDEN)
    faces = ConvexHull(points).simplices
    for _ in range(times):
        edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        each, where = np.unique(edges, axis=0, return_inverse=True)
        middle = points[each].sum(axis=1)
        ab, bc, ca = where.reshape(3, -1) + len(points)
        points = np.concatenate([points, middle / np.linalg.norm(middle, axis=1)[:, None]])
        a, b, c = faces.T
        parts = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = np.concatenate([np.column_stack(p) for p in parts])
    return points, faces


def spacing(points: np.ndarray, faces: np.ndarray) -> float:
    """Mean distance of neighbours."""
    sides = points[faces] - points[np.roll(faces, 1, axis=1)]
    return float(np.linalg.norm(sides, axis=2).mean())


def vortices(points: np.ndarray) -> Start:
    """Two vortices of one sense, their centres 30 degrees apart."""
    omega = np.zeros_like(points)
    for angle in (-np.pi / 12, np.pi / 12):
        centre = np.array([np.cos(angle), np.sin(angle), 0.0])
        away = np.arccos(np.clip(points @ centre, -1, 1))
        omega += RATE * np.exp(-(away**2) / (2 * WIDTH**2))[:, None] * centre
    return gc.spheres.project(points, omega)


def heat(points: np.ndarray, faces: np.ndarray, q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Kinetic energy for each face, averaged over the molecules in it and in the faces that touch it.

    nan where there are no molecules. A molecule lies in the face of which the middle is nearest.
    """
    from scipy.sparse import csr_array
    from scipy.spatial import cKDTree

    middle = points[faces].mean(axis=1)
    energy = np.sum(omega**2, axis=1) / 2
    held = cKDTree(middle / np.linalg.norm(middle, axis=1)[:, None]).query(q)[1]
    corners = csr_array((np.ones(faces.size), (np.repeat(np.arange(len(faces)), 3), faces.ravel())))
    near = (corners @ corners.T > 0).astype(float)
    total, count = (near @ np.bincount(held, w, len(faces)) for w in (energy, np.ones_like(energy)))
    with np.errstate(invalid="ignore"):
        return total / count


def draw(run: SphereTrajectory, points: np.ndarray, faces: np.ndarray) -> Figure:
    """Paths of the molecules beside the change of the energy, above the kinetic energy on the sphere in time.

    As [LLM09], Figures 3.6 and 3.7.
    """
    figure = Figure(figsize=(13, 6.6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[1.8, 1])
    left, change = above.subplots(1, 2, width_ratios=[1, 1.3])
    paths(above, left, run.q, np.linalg.norm(run.omega, axis=2))
    change.plot(run.time, run.energy - run.energy[0], color=COLOURS[1], linewidth=1.0)
    change.set_xlim(0, run.time[-1])
    change.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2), useMathText=True)
    quiet(change, xlabel="time (s)", ylabel="$E - E(0)$ (J)")
    shown = [int(part * (len(run) - 1)) for part in SHOWN]
    values = np.array([heat(points, faces, run.q[k], run.omega[k]) for k in shown])
    spheres(below, below.subplots(1, 6), points[faces], values, run.time[shown])
    figure.suptitle(f"{run.q.shape[1]} molecules on a sphere: their paths, and how the heat spreads")
    return figure


def study(quick: bool = False) -> Study:
    span = 1.0 if quick else 5.0
    points, faces = icosphere(3)
    distance = spacing(points, faces)
    sigma = distance / 2 ** (1 / 6)
    system = gc.spheres.lennard_jones(len(points), EPSILON, sigma)
    run = gc.spheres.integrate(system, *vortices(points), H, round(span / H))
    fastest = np.linalg.norm(run.omega[0], axis=1).max()
    return Study(
        f"{len(points)} molecules on a sphere, h = {H:g} s, {span:g} s",
        rows(curve(run, "variational"), 1.8893e-3, 5.2623e-15),
        [
            f"sigma is not printed: {sigma:.4f} makes the force vanish at the mean distance of neighbours, "
            f"{distance:.4f}.",
            f"Nor are the vortices: here omega = {RATE:g} exp(-a^2/(2 * {WIDTH:g}^2)) rad/s about each "
            f"centre at angular distance a, both of one sense, which moves molecules at up to {fastest:.2f} "
            "rad/s. The energy error grows with that speed.",
            "The molecules start at the corners of an icosahedron quartered three times; the 5120 faces of "
            "one quartered four times are coloured. Grey ones have no molecule in themselves or in a face "
            "that touches them.",
        ],
        lambda: draw(run, *icosphere(4)),
    )
