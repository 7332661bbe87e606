"""Speed of the variational steps on rotations against the same steps written by hand with numpy, in one run.

A heavy top and a ring of bodies coupled by springs, each against a program that solves the same equations of
the Lie group method by Newton's iteration, body by body for the top and on arrays of all bodies for the ring.
The programs run in turn and the least time of each counts; "difference" is the largest one of any attitude
after the same steps. Only ratios within one run mean anything on a shared machine.

    python studies/bench_rotations.py
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import numpy as np

import geoctrl as gc

INERTIA = np.array([[2.0, 0.1, 0.2], [0.1, 1.5, -0.1], [0.2, -0.1, 1.0]])
H, STIFFNESS = 1e-3, 2.7


def ring(n: int) -> tuple[gc.rotations.RotationSystem, tuple[np.ndarray, np.ndarray]]:
    """Bodies coupled to their neighbours by springs, of which one alone is a free body."""
    R, _ = gc.rotations.symbols(n)
    potential = sum(-STIFFNESS * (R[i].T * R[(i + 1) % n]).trace() for i in range(n)) if n > 1 else None
    system = gc.rotations.RotationSystem(inertias=np.array([INERTIA] * n), potential=potential)
    rng = np.random.default_rng(n)
    attitudes = gc.rotations.project(np.eye(3) + 0.3 * rng.normal(size=(n, 3, 3)))
    return system, (attitudes, rng.normal(size=(n, 3)))


def hat(v: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) of the products v x."""
    out = np.zeros((len(v), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = v.T
    return out - out.transpose(0, 2, 1)


def moments(R: np.ndarray) -> np.ndarray:
    """Moments in space of the springs."""
    if len(R) == 1:
        return np.zeros((1, 3))
    S = STIFFNESS * R @ (np.roll(R, 1, axis=0) + np.roll(R, -1, axis=0)).transpose(0, 2, 1)
    return -np.stack([S[:, 2, 1] - S[:, 1, 2], S[:, 0, 2] - S[:, 2, 0], S[:, 1, 0] - S[:, 0, 1]], axis=1)


def by_arrays(start: tuple[np.ndarray, np.ndarray], h: float) -> Callable[[int], np.ndarray]:
    """The Lie group method on arrays of all bodies: (1 + f.f) h R^T l = 2 (J f + f x J f)."""

    def run(steps: int) -> np.ndarray:
        R, Omega = start
        L, J = np.einsum("nab,bc,nc->na", R, INERTIA, Omega), INERTIA
        K = np.linalg.inv(J)
        for _ in range(steps):
            L = L + h / 2 * moments(R)
            p = h * np.einsum("nba,nb->na", R, L)
            f = p @ K / 2
            for _ in range(30):
                m = f @ J
                rest = 2 * (m + np.cross(f, m)) - (1 + np.sum(f * f, axis=1))[:, None] * p
                slope = 2 * (J + hat(f) @ J - hat(m) - p[:, :, None] * f[:, None])
                change = np.linalg.solve(slope, rest[..., None])[..., 0]
                f = f - change
                if np.abs(change).max() <= 1e-9 * np.abs(f).max():
                    break
            F = hat(f)
            R = R @ (np.eye(3) + (2 / (1 + np.sum(f * f, axis=1)))[:, None, None] * (F + F @ F))
            R = 1.5 * R - 0.5 * R @ R.transpose(0, 2, 1) @ R
            L = L + h / 2 * moments(R)
        return R

    return run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=7, help="repetitions")
    repeat = parser.parse_args().repeat
    print(f"Step of n bodies in a ring, h = {H:g} s")
    print(f"{'n':>6}{'us':>10}{'numpy us':>12}{'ratio':>9}{'difference':>12}")
    for n in (1, 2, 5, 10):
        system, start = ring(n)

        def ours(steps: int, system=system, start=start) -> np.ndarray:
            return gc.rotations.integrate(system, *start, H, steps, record=steps).R[-1]

        programs = {ours: 20_000, by_arrays(start, H): 100}
        difference = np.abs(np.subtract(*(program(100) for program in programs))).max()
        best = dict.fromkeys(programs, math.inf)
        for _ in range(repeat):
            for program, steps in programs.items():
                begun = time.perf_counter()
                program(steps)
                best[program] = min(best[program], (time.perf_counter() - begun) / steps)
        mine, other = best.values()
        print(f"{n:>6}{1e6 * mine:>10.2f}{1e6 * other:>12.1f}{other / mine:>9.1f}{difference:>12.0e}")


if __name__ == "__main__":
    main()
