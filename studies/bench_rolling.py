"""Speed of a rolling ellipsoid with skewed axes against a heyoka program written by hand, in one run.

The body is described from scratch on SE(3): a displaced centre of mass, an inertia matrix of other axes, the
rolling constraint solved by the library. The hand-written program works with the vectors r, r', v and their
cross products, constants baked in, and solves the 3 x 3 system by L D L^T or by Cramer's rule. Both run over
20 s at a tolerance of 1e-15; errors are the largest deviation from 80-bit arithmetic at 1e-18 over the first
2 s (later the motion, which is chaotic, magnifies rounding errors). "first" is derivation and compilation in
seconds of this process, the cache of compiled code off. Only ratios within one run mean anything on a shared
machine.

    python studies/bench_rolling.py
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import sympy as sp

import geoctrl as gc

COMMON = {"m": 1.3, "g": 9.81, "a": 0.2, "b": 0.03, "c": 0.02, "J1": 2e-4, "J2": 1.6e-3, "J3": 1.7e-3}
BODIES = {
    "rattleback": COMMON | {"d3": 0.01, "J12": 2e-5},
    "ellipsoid, all axes skewed": COMMON
    | {"d1": 0.002, "d2": -0.001, "d3": 0.01, "J12": 2e-5, "J13": 1.1e-5, "J23": -3e-5},
}
"""Semi-axes a, b, c; centre d from the centre of mass; inertia J."""

TILT = np.array([-0.01, 0.02, 1.0])
OMEGA = np.array([0.1, 0.2, 5.0])
GRID = np.linspace(0.0, 20.0, 201)
EARLY = 21
TARGETS = {"run": 1.5, "first": 3.0}
"""Run time relative to the program by hand; seconds of derivation and compilation."""


class Program(NamedTuple):
    """A compiled integrator by hand: its steps, seconds of compilation, size of the decomposition."""

    integrator: object
    compilation: float
    size: int


def mechanism(values: Mapping[str, float]) -> gc.EulerPoincare:
    """The rolling ellipsoid as a user describes it."""
    se3, vertical = gc.se3(), gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    made = {k: gc.Parameter(k, v, positive=k in ("m", "g", "a", "b", "c")) for k, v in values.items()}
    p = {k: parameter.symbol for k, parameter in made.items()}
    Gamma = sp.Matrix(vertical.symbols)
    B = sp.diag(p["a"], p["b"], p["c"]) ** 2 * Gamma
    height = sp.sqrt(Gamma.dot(B))
    centre = sp.Matrix([p.get(f"d{i}", 0) for i in (1, 2, 3)])
    rho = centre - B / height
    J = sp.Matrix(3, 3, lambda i, j: p.get(f"J{i + 1}" if i == j else f"J{min(i, j) + 1}{max(i, j) + 1}", 0))
    lever = sp.Matrix([[0, -rho[2], rho[1]], [rho[2], 0, -rho[0]], [-rho[1], rho[0], 0]])
    return gc.EulerPoincare(
        algebra=se3,
        advected=[vertical],
        inertia=sp.diag(J, p["m"] * sp.eye(3)),
        potential=p["m"] * p["g"] * (height - centre.dot(Gamma)),
        constraints=(-lever).row_join(sp.eye(3)),
        contact=rho,
        parameters=list(made.values()),
        name="rolling ellipsoid",
    )


def field(x, values: Mapping[str, float], solve: Callable, root: Callable, total: Callable) -> list:
    """Newton's and Euler's laws in the body: (J - m r^ r^) Omega' = J Omega x Omega + m r x (...)."""
    omega, gamma = list(x[:3]), list(x[3:])
    m, g = values["m"], values["g"]
    squares = [values[k] ** 2 for k in "abc"]
    centre = [values.get(f"d{i}", 0.0) for i in (1, 2, 3)]
    J = [[values.get(k, 0.0) for k in row] for row in (("J1", "J12", "J13"), ("J12", "J2", "J23"))]
    J.append([values.get(k, 0.0) for k in ("J13", "J23", "J3")])

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    def dot(a, b):
        return total([p * q for p, q in zip(a, b, strict=True)])

    Z = [s * k for s, k in zip(squares, gamma, strict=True)]
    inverse = 1.0 / root(dot(gamma, Z))
    u = [z * inverse for z in Z]
    r = [d - k if d else -k for d, k in zip(centre, u, strict=True)]
    turning = cross(gamma, omega)
    slope = dot(u, turning)
    r_dot = [(k * slope - s * w) * inverse for k, s, w in zip(u, squares, turning, strict=True)]
    spin = [total([c * w for c, w in zip(row, omega, strict=True) if c]) for row in J]
    v = cross(r, omega)
    acceleration = [
        total(list(terms))
        for terms in zip(cross(r_dot, omega), cross(omega, v), [g * k for k in gamma], strict=True)
    ]
    moment = [a + m * b for a, b in zip(cross(spin, omega), cross(r, acceleration), strict=True)]
    q = [m * k for k in r]
    squared = [a * b for a, b in zip(q, r, strict=True)]
    M = [[None] * 3 for _ in range(3)]
    for i in range(3):
        M[i][i] = squared[(i + 1) % 3] + squared[(i + 2) % 3] + J[i][i]
        for j in range(i):
            M[i][j] = M[j][i] = J[i][j] - q[i] * r[j] if J[i][j] else -(q[i] * r[j])
    return [*solve(M, moment), *turning]


def by_factors(M, h) -> list:
    """L D L^T."""
    l10, l20 = M[1][0] / M[0][0], M[2][0] / M[0][0]
    d1, w = M[1][1] - l10 * M[1][0], M[2][1] - l20 * M[1][0]
    l21 = w / d1
    d2 = M[2][2] - l20 * M[2][0] - l21 * w
    y1 = h[1] - l10 * h[0]
    y2 = h[2] - l20 * h[0] - l21 * y1
    x2 = y2 / d2
    x1 = y1 / d1 - l21 * x2
    return [h[0] / M[0][0] - l10 * x1 - l20 * x2, x1, x2]


def by_cramer(M, h) -> list:
    """Adjugate over determinant."""
    c00, c01 = M[1][1] * M[2][2] - M[1][2] * M[1][2], M[0][2] * M[1][2] - M[0][1] * M[2][2]
    c02, c11 = M[0][1] * M[1][2] - M[0][2] * M[1][1], M[0][0] * M[2][2] - M[0][2] * M[0][2]
    c12, c22 = M[0][1] * M[0][2] - M[0][0] * M[1][2], M[0][0] * M[1][1] - M[0][1] * M[0][1]
    inverse = 1.0 / (M[0][0] * c00 + M[0][1] * c01 + M[0][2] * c02)
    rows = (c00, c01, c02), (c01, c11, c12), (c02, c12, c22)
    return [(r[0] * h[0] + r[1] * h[1] + r[2] * h[2]) * inverse for r in rows]


def hand_written(values: Mapping[str, float], solve: Callable, real: type = float, tol=1e-15) -> Program:
    """The heyoka program by hand."""
    import heyoka as hy

    x = [hy.expression(n) for n in ("w1", "w2", "w3", "n1", "n2", "n3")]
    equations = list(zip(x, field(x, values, solve, hy.sqrt, hy.sum), strict=True))
    start = time.process_time()
    integrator = hy.taylor_adaptive(equations, state=np.zeros(6, dtype=real), tol=tol, fp_type=real)
    # The decomposition begins with the states and ends with their rates.
    return Program(integrator, time.process_time() - start, len(integrator.decomposition) - 2 * len(x))


def runner(program: Program, x0: np.ndarray, grid: np.ndarray = GRID) -> Callable[[], np.ndarray]:
    def run() -> np.ndarray:
        program.integrator.time = grid.dtype.type(0)
        program.integrator.state[:] = x0
        return np.asarray(program.integrator.propagate_grid(grid)[-1]).T

    return run


def measure(name: str, values: Mapping[str, float], repeat: int) -> None:
    gamma = TILT / np.linalg.norm(TILT)
    x0 = np.concatenate([OMEGA, gamma])
    start = time.process_time()
    system = mechanism(values).reduce()
    derivation = time.process_time() - start
    start = time.process_time()
    gc.simulate(system, GRID, x0, optimised=True)
    compilation = time.process_time() - start
    by_hand = {
        f"heyoka by hand, {k}": hand_written(values, solve)
        for k, solve in {"L D L^T": by_factors, "Cramer": by_cramer}.items()
    }
    precise = hand_written(values, by_factors, np.longdouble, np.longdouble(1e-18))
    truth = runner(precise, x0.astype(np.longdouble), GRID[:EARLY].astype(np.longdouble))()
    runs = {k: runner(program, x0) for k, program in by_hand.items()}
    runs["geoctrl simulate"] = lambda: gc.simulate(system, GRID, x0, optimised=True).states
    seconds: dict[str, list[float]] = {k: [] for k in runs}
    states = {}
    for _ in range(repeat):  # in turn, so that the machine's drift meets all alike
        for key, run in runs.items():
            start = time.perf_counter()
            states[key] = run()
            seconds[key].append(time.perf_counter() - start)
    tape = system.program(system.field_nodes).tape
    sizes = {k: program.size for k, program in by_hand.items()} | {"geoctrl simulate": len(tape.instructions)}
    first = {k: program.compilation for k, program in by_hand.items()}
    first["geoctrl simulate"] = derivation + compilation
    median = {k: statistics.median(row) for k, row in seconds.items()}
    fastest = min(median[k] for k in by_hand)
    print(f"\n{name}: 20 s; {len(tape.constants)} constants hoisted by geoctrl")
    print(f"{'program':<28}{'instructions':>14}{'first, s':>10}{'ms':>10}{'ratio':>8}{'error':>10}")
    for key, row in states.items():
        error = float(np.max(np.abs(row[:, :EARLY] - truth)))
        print(
            f"{key:<28}{sizes[key]:>14}{first[key]:>10.2f}{1e3 * median[key]:>10.2f}"
            f"{median[key] / fastest:>8.2f}{error:>10.1e}"
        )
    print(f"derivation {derivation:.2f} s; targets: ratio {TARGETS['run']}, first {TARGETS['first']} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=15, help="repetitions")
    args = parser.parse_args()
    import heyoka

    heyoka.llvm_state.set_diskcache_enabled(False)
    mechanism(BODIES["rattleback"]).reduce()  # imports
    for name, values in BODIES.items():
        measure(name, values, args.repeat)


if __name__ == "__main__":
    main()
