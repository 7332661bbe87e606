"""Speed of the variational steps on spheres against the same steps written by hand, in one run.

Molecules: 642 of them with all pairs, against numpy on arrays (n, n, 3), against a kernel written by hand for
numba with the same flags, and against the list of neighbours (which changes the model). Chain of links: the
implicit step against numpy by 3 x 3 blocks as the equations are printed, and against numpy on whole arrays;
all solve the same equations by the same iteration to the same tolerance. At the end the cost of a step as the
chain grows. The programs run in turn and the least time of each counts; "difference" is the largest one of
any direction after the same steps. Only ratios within one run mean anything on a shared machine.

    python studies/bench_spheres.py
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

import geoctrl as gc

TARGETS = {"numpy (n, n, 3)": 80, "3 x 3 blocks": 100, "whole arrays": 20, "by hand": 1.2}

Start = tuple[np.ndarray, np.ndarray]


class Program(NamedTuple):
    """What takes a number of steps and returns the directions, and the number of steps that is timed."""

    run: Callable[[int], np.ndarray | None]
    steps: int


def measure(programs: dict[str, Program], repeat: int) -> dict[str, float]:
    """Least seconds per step of each, all in turn."""
    best = dict.fromkeys(programs, math.inf)
    for program in programs.values():
        program.run(1)  # compilation
    for _ in range(repeat):
        for name, program in programs.items():
            begun = time.perf_counter()
            program.run(program.steps)
            best[name] = min(best[name], (time.perf_counter() - begun) / program.steps)
    return best


def ours(system: gc.spheres.SphereSystem, start: Start, h: float) -> Callable[[int], np.ndarray]:
    def run(steps: int) -> np.ndarray:
        return gc.spheres.integrate(system, *start, h, steps, record=steps).q[-1]

    return run


# -- molecules --------------------------------------------------------------------------------------

N, EPSILON, SIGMA, H_MOLECULES = 642, 0.01, 0.134, 0.005


def molecules() -> Start:
    """Spread over the sphere along a spiral, with random velocities."""
    k = np.arange(N) + 0.5
    polar, azimuth = np.arccos(1 - 2 * k / N), math.pi * (1 + math.sqrt(5)) * k
    q = np.column_stack([np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)])
    omega = 0.1 * np.random.default_rng(1).normal(size=(N, 3))
    return gc.spheres.project(q, omega)


def array_gradient(q: np.ndarray, g: np.ndarray) -> None:
    """Lennard-Jones on arrays (n, n, 3)."""
    apart = q[:, None] - q
    square = np.sum(apart**2, axis=2)
    np.fill_diagonal(square, np.inf)
    ratio = (SIGMA**2 / square) ** 3
    slope = 4 * EPSILON * (6 * ratio - 12 * ratio**2) / square
    g[:] = np.sum(slope[:, :, None] * apart, axis=1)


@njit(error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})
def hand_gradient(q, g):
    """Half loop over pairs on separate arrays of x, y and z.

    N is a constant: with a variable numba allows for negative indices, and the loop does not vectorise.
    """
    X, Y, Z = q[:, 0].copy(), q[:, 1].copy(), q[:, 2].copy()
    gx, gy, gz = np.zeros(N), np.zeros(N), np.zeros(N)
    for a in range(N - 1):
        x, y, z = X[a], Y[a], Z[a]
        sx, sy, sz = 0.0, 0.0, 0.0
        for b in range(a + 1, N):
            dx, dy, dz = x - X[b], y - Y[b], z - Z[b]
            inverse = 1.0 / (dx * dx + dy * dy + dz * dz)
            ratio = SIGMA * SIGMA * inverse
            ratio = ratio * ratio * ratio
            slope = 24.0 * EPSILON * inverse * ratio * (1.0 - 2.0 * ratio)
            sx += slope * dx
            sy += slope * dy
            sz += slope * dz
            gx[b] -= slope * dx
            gy[b] -= slope * dy
            gz[b] -= slope * dz
        gx[a] += sx
        gy[a] += sy
        gz[a] += sz
    for a in range(N):
        g[a, 0], g[a, 1], g[a, 2] = gx[a], gy[a], gz[a]


def explicit(gradient: Callable, start: Start, h: float) -> Callable[[int], np.ndarray]:
    """[LLM09, Eqs. 3.17, 3.18] for unit masses."""

    def run(steps: int) -> np.ndarray:
        q, omega = (a.copy() for a in start)
        g = np.zeros_like(q)
        gradient(q, g)
        for _ in range(steps):
            omega -= h / 2 * np.cross(q, g)
            turn = h * np.cross(omega, q)
            q = turn + np.sqrt(1 - np.sum(turn**2, axis=1))[:, None] * q
            gradient(q, g)
            omega -= h / 2 * np.cross(q, g)
        return q

    return run


def compare_molecules(repeat: int) -> None:
    start = molecules()
    whole = gc.spheres.lennard_jones(N, EPSILON, SIGMA)
    near = gc.spheres.lennard_jones(N, EPSILON, SIGMA, cutoff=2.5 * SIGMA)
    programs = {
        "geoctrl": Program(ours(whole, start, H_MOLECULES), 1000),
        "geoctrl, neighbours within 2.5 sigma": Program(ours(near, start, H_MOLECULES), 1000),
        "numpy (n, n, 3)": Program(explicit(array_gradient, start, H_MOLECULES), 10),
    }
    best = measure(programs, repeat)
    print(f"\n{N} molecules, 1000 steps; numpy is timed over 10 steps and scaled")
    report(programs, best, 1000, 20)
    run = whole.run(None)
    q, g = start[0], np.zeros_like(start[0])
    kernels = {
        "geoctrl": Program(repeated(lambda: run.gradient(q, run.data, run.index, g)), 200),
        "by hand": Program(repeated(lambda: hand_gradient(q, g)), 200),
    }
    best = measure(kernels, 3 * repeat)
    hand = np.zeros_like(q)
    hand_gradient(q, hand)
    error = np.abs(whole.gradient(q) - hand).max() / np.abs(hand).max()
    ratio = best["geoctrl"] / best["by hand"]
    times = " / ".join(f"{1e6 * seconds:.0f}" for seconds in best.values())
    print(
        f"\nKernel of Pairs against one by hand: {times} us, ratio {ratio:.2f} (target {TARGETS['by hand']}),"
    )
    print(f"relative difference {error:.0e}")


def repeated(call: Callable[[], None]) -> Callable[[int], None]:
    def run(steps: int) -> None:
        for _ in range(steps):
            call()

    return run


def report(programs: dict[str, Program], best: dict[str, float], scale: int, compared: int) -> None:
    """Seconds for ``scale`` steps, ratios to geoctrl, differences after the same ``compared`` steps."""
    reference = programs["geoctrl"].run(compared)
    print(f"{'program':<40}{'s':>10}{'ratio':>9}{'target':>9}{'difference':>12}")
    for name, program in programs.items():
        ratio, error = best[name] / best["geoctrl"], np.abs(program.run(compared) - reference).max()
        target = TARGETS.get(name, "-")
        print(f"{name:<40}{scale * best[name]:>10.3f}{ratio:>9.2f}{target:>9}{error:>12.0e}")


# -- chains -----------------------------------------------------------------------------------------

LINKS, H_CHAIN = 10, 1e-3
TIGHT, ROUNDING = 4e-16, 1e-12
"""Of corrections: the iteration ends below the first, or below the second if they stop shrinking."""


def chain(n: int) -> tuple[gc.spheres.SphereSystem, Start]:
    """A chain of length 1 m and mass 1 kg, pulled out of the vertical at random."""
    rng = np.random.default_rng(n)
    system = gc.spheres.chain_pendulum(np.full(n, 1 / n), np.full(n, 1 / n))
    start = gc.spheres.project(rng.normal(size=(n, 3)) * 0.3 + [0, 0, -1], rng.normal(size=(n, 3)))
    return system.replace(forces=None, inputs=()), start


def stops(size: float, last: float) -> bool:
    return size <= TIGHT or (size <= ROUNDING and size >= last / 2)


def hat(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def by_blocks(M: np.ndarray, weight: np.ndarray, start: Start, h: float) -> Callable[[int], np.ndarray]:
    """[LLM09, Eqs. 3.10, 3.13, 3.16], block by block."""
    n = len(M)

    def inertia(q: np.ndarray) -> np.ndarray:
        A = np.zeros((3 * n, 3 * n))
        hats = [hat(v) for v in q]
        for i in range(n):
            for j in range(n):
                block = M[i, i] * np.eye(3) if i == j else -M[i, j] * hats[i] @ hats[j]
                A[3 * i : 3 * i + 3, 3 * j : 3 * j + 3] = block
        return A

    def summed(moved: list[np.ndarray]) -> list[np.ndarray]:
        rows = []
        for i in range(n):
            total = np.zeros(3)
            for j in range(n):
                total += M[i, j] * moved[j]
            rows.append(total)
        return rows

    def run(steps: int) -> np.ndarray:
        q, omega = start
        L = [M[i, i] * omega[i] for i in range(n)]
        rates = summed([np.cross(w, v) for v, w in zip(q, omega, strict=True)])
        for i in range(n):
            L[i] = L[i] + np.cross(q[i], rates[i] - M[i, i] * np.cross(omega[i], q[i]))
        for _ in range(steps):
            L = [L[i] + h / 2 * np.cross(q[i], weight[i]) for i in range(n)]
            inverse = np.linalg.inv(inertia(q))
            f = inverse @ np.concatenate(L) * h / 2
            last = math.inf
            while True:
                moved = []
                for i in range(n):
                    v, turn = q[i], hat(f[3 * i : 3 * i + 3])
                    moved.append(2 / (1 + np.trace(turn.T @ turn) / 2) * (turn @ v + turn @ (turn @ v)))
                S = summed(moved)
                rest = np.concatenate([hat(q[i]) @ S[i] - h * L[i] for i in range(n)])
                change = inverse @ rest / 2
                f = f - change
                size = np.abs(change).max() / np.abs(f).max()
                if stops(size, last):
                    break
                last = size
            q = np.array([v + d for v, d in zip(q, moved, strict=True)])
            L = [np.cross(q[i], S[i] / h + h / 2 * weight[i]) for i in range(n)]
        return q

    return run


def by_arrays(M: np.ndarray, weight: np.ndarray, start: Start, h: float) -> Callable[[int], np.ndarray]:
    """The same on arrays of all bodies."""
    n = len(M)
    off = (M - np.diag(np.diag(M)))[:, :, None, None]
    own = np.einsum("ij,i,ab->iajb", np.eye(n), np.diag(M), np.eye(3))
    turns = np.zeros((3, 3, 3))
    turns[[0, 1, 2], [1, 2, 0], [2, 0, 1]], turns[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1, 1

    def turned(hats: np.ndarray, v: np.ndarray) -> np.ndarray:
        return (hats @ v[:, :, None])[:, :, 0]  # a tenth of the time of np.cross

    def run(steps: int) -> np.ndarray:
        q, omega = start
        hats = np.einsum("abc,ic->iab", turns, q)
        L = np.diag(M)[:, None] * omega + turned(hats, off[:, :, 0, 0] @ -turned(hats, omega))
        for _ in range(steps):
            L = L + h / 2 * turned(hats, weight)
            A = own - (off * (hats[:, None] @ hats)).swapaxes(1, 2)
            inverse = np.linalg.inv(A.reshape(3 * n, 3 * n))
            target = h * L
            f = (inverse @ target.ravel()).reshape(n, 3) / 2
            last = math.inf
            while True:
                square = (f * f).sum(axis=1, keepdims=True)
                moved = -2 / (1 + square) * (turned(hats, f) + square * q)
                S = M @ moved
                change = (inverse @ (turned(hats, S) - target).ravel()).reshape(n, 3) / 2
                f = f - change
                size = np.abs(change).max() / np.abs(f).max()
                if stops(size, last):
                    break
                last = size
            q = q + moved
            hats = np.einsum("abc,ic->iab", turns, q)
            L = turned(hats, S / h + h / 2 * weight)
        return q

    return run


def chain_programs() -> dict[str, Program]:
    """Programs that take the same implicit steps."""
    system, start = chain(LINKS)
    M = system.mass_matrix(start[0])
    weight = -system.gradient(start[0])
    return {
        "geoctrl": Program(ours(system, start, H_CHAIN), 2000),
        "3 x 3 blocks": Program(by_blocks(M, weight, start, H_CHAIN), 5),
        "whole arrays": Program(by_arrays(M, weight, start, H_CHAIN), 50),
    }


def compare_chains(repeat: int) -> None:
    programs = chain_programs()
    best = measure(programs, repeat)
    print(f"\nChain of {LINKS} links, h = {H_CHAIN:g} s; seconds for 1000 steps, scaled")
    report(programs, best, 1000, 20)


def growth(repeat: int, sizes: tuple[int, ...] = (5, 10, 20, 50, 100, 200, 500)) -> None:
    """Cost of a step against the number of links, at steps in proportion to a link's length."""
    print(f"\nCost of a step, chain of n links, h = {0.01:g}/n s")
    print(f"{'n':>6}{'us':>10}{'iterations':>12}{'exponent':>10}")
    before, cost = None, {}
    for n in sizes:
        system, start = chain(n)
        steps = max(1000, 20_000 // n)
        best = measure({"geoctrl": Program(ours(system, start, 0.01 / n), steps)}, repeat)["geoctrl"]
        iterations = gc.spheres.integrate(system, *start, 0.01 / n, steps, record=steps).iterations
        exponent = "" if before is None else f"{math.log(best / before[1]) / math.log(n / before[0]):.2f}"
        print(f"{n:>6}{1e6 * best:>10.1f}{iterations:>12.1f}{exponent:>10}")
        before, cost[n] = (n, best), best
    exponent = math.log(cost[500] / cost[50]) / math.log(10)
    print(f"exponent from 50 to 500 links: {exponent:.2f} (target at most 1.2)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=7, help="repetitions")
    args = parser.parse_args()
    compare_molecules(args.repeat)
    compare_chains(args.repeat)
    growth(args.repeat)


if __name__ == "__main__":
    main()
