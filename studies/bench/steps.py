"""Rows of steps: chains of links and molecules, on spheres."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import geoctrl as gc
from studies import bench_rotations, bench_spheres
from studies.bench.measure import Bench, Program, Row, largest_from

STEPS = 20
"""After which programs that take the same steps are compared."""


# -- chains -------------------------------------------------------------------------------------------


def chain(bench: Bench, n: int) -> Row:
    """An implicit variational step of a chain of n links, beside an evaluation of the accelerations."""
    row = Row(f"chain-{n}", f"chain of {n} links, a step", "us")
    system, start = bench_spheres.chain(n)
    h, steps = 0.01 / n, max(1000, 10_000 // n)
    ours = bench_spheres.ours(system, start, h)
    programs = [
        Program("geoctrl", f"h = {h:g} s", lambda: ours(steps), parts=steps),
        *bench.peer(row, "pinocchio", "pin", lambda: pinocchio_chain(row, n, start)),
    ]
    row.notes.append(
        "beside a step, the evaluations of the accelerations by Pinocchio's recursion, of which an explicit "
        "step of order four takes four: no motions, so no errors"
    )
    return bench.fill(row, programs)


def pinocchio_chain(row: Row, n: int, start: tuple[np.ndarray, np.ndarray]) -> list[Program]:
    """A chain of bodies on ball joints."""
    import pinocchio as pin

    model, parent, place = pin.Model(), 0, pin.SE3.Identity()
    for i in range(n):
        parent = model.addJoint(parent, pin.JointModelSpherical(), place, f"joint {i}")
        mass, arm = 1 / n, np.array([0.0, 0.0, -1 / n])
        model.appendBodyToJoint(parent, pin.Inertia(mass, arm, 1e-6 * np.eye(3)), pin.SE3.Identity())
        place = pin.SE3(np.eye(3), arm)
    try:
        data, q = model.createData(), pin.neutral(model)
    except MemoryError:
        row.missing.append(f"Pinocchio: its tables of {n} ball joints are refused (MemoryError)")
        return []
    v, force = np.concatenate(list(start[1])), np.zeros(model.nv)
    count = max(20, 2000 // n)

    def run() -> None:
        for _ in range(count):
            pin.aba(model, data, q, v, force)

    return [Program("Pinocchio, ABA", "one evaluation", run, "peer", parts=count)]


def numpy_chain(bench: Bench) -> Row:
    """The same implicit steps by numpy, block by block and on arrays of all links."""
    row = Row("chain-numpy", f"chain of {bench_spheres.LINKS} links, the same step", "us", floor=1e-13)
    programs = bench_spheres.chain_programs()
    ours = programs.pop("geoctrl")
    others = {f"numpy, {name}": program for name, program in programs.items()}
    return same_steps(bench, row, {"geoctrl": ours, **others})


def numpy_ring(bench: Bench) -> Row:
    """Variational steps of bodies coupled by springs, by numpy on arrays of all."""
    n = 5
    row = Row("ring-numpy", f"ring of {n} bodies, a step", "us", floor=1e-13)
    system, start = bench_rotations.ring(n)

    def ours(steps: int) -> np.ndarray:
        return gc.rotations.integrate(system, *start, bench_rotations.H, steps, record=steps).R[-1]

    by_hand = bench_rotations.by_arrays(start, bench_rotations.H)
    return same_steps(bench, row, {"geoctrl": (ours, 5000), "numpy, all bodies at once": (by_hand, 100)})


def same_steps(bench: Bench, row: Row, programs: dict[str, tuple[Callable[[int], Any], int]]) -> Row:
    """Programs that take the same steps: errors are differences from ours after some."""
    (first, _), *_ = programs.values()
    truth, ours = np.asarray(first(STEPS)), next(iter(programs))
    kinds = {name: "ours" if name == ours else "peer" for name in programs}
    made = [
        Program(name, "the same steps", lambda r=run, s=steps: r(s), kinds[name], parts=steps)
        for name, (run, steps) in programs.items()
    ]
    bench.fill(row, made)
    away = largest_from(truth)
    row.costs = [
        cost._replace(error=away(run(STEPS)))
        for cost, (run, _) in zip(row.costs, programs.values(), strict=True)
    ]
    row.notes.append(f"all take the same steps: errors are differences from ours after {STEPS} of them")
    return row


# -- molecules ----------------------------------------------------------------------------------------

KERNEL = """
#include <string.h>
static double X[N], Y[N], Z[N], GX[N], GY[N], GZ[N];
void gradient(const double *q, double *g) {
  for (int a = 0; a < N; a++) { X[a] = q[3*a]; Y[a] = q[3*a+1]; Z[a] = q[3*a+2]; GX[a] = GY[a] = GZ[a] = 0; }
  for (int a = 0; a < N - 1; a++) {
    double x = X[a], y = Y[a], z = Z[a], sx = 0, sy = 0, sz = 0;
    for (int b = a + 1; b < N; b++) {
      double dx = x - X[b], dy = y - Y[b], dz = z - Z[b];
      double inverse = 1.0 / (dx*dx + dy*dy + dz*dz), r = SIGMA*SIGMA * inverse;
      r = r * r * r;
      double slope = 24.0 * EPSILON * inverse * r * (1.0 - 2.0 * r);
      sx += slope * dx; sy += slope * dy; sz += slope * dz;
      GX[b] -= slope * dx; GY[b] -= slope * dy; GZ[b] -= slope * dz;
    }
    GX[a] += sx; GY[a] += sy; GZ[a] += sz;
  }
  for (int a = 0; a < N; a++) { g[3*a] = GX[a]; g[3*a+1] = GY[a]; g[3*a+2] = GZ[a]; }
}
"""


def molecules(bench: Bench) -> Row:
    """Forces between all pairs of 642 molecules."""
    n = bench_spheres.N
    row = Row("molecules", f"{n} molecules, a pair", "ns", floor=1e-14)
    pairs, q = n * (n - 1) / 2, bench_spheres.molecules()[0]
    run = gc.spheres.lennard_jones(n, bench_spheres.EPSILON, bench_spheres.SIGMA).run(None)
    g = np.zeros_like(q)

    def called(kernel: Callable[..., Any], *more: Any) -> Callable[[], np.ndarray]:
        def call() -> np.ndarray:
            kernel(q, *more, g)
            return g.copy()

        return call

    programs = [
        Program("geoctrl", "Pairs", called(run.gradient, run.data, run.index), parts=pairs),
        Program("numba by hand", "half loop", called(bench_spheres.hand_gradient), "by hand", parts=pairs),
        *c_kernel(row, called, pairs),
        Program("numpy (n, n, 3)", "all pairs", called(bench_spheres.array_gradient), "peer", parts=pairs),
    ]
    truth = called(bench_spheres.hand_gradient)()
    scale = np.abs(truth).max()
    row.notes.append("errors are relative differences from the kernel by hand")
    return bench.fill(row, programs, lambda found: float(np.abs(found - truth).max() / scale))


def c_kernel(row: Row, called: Callable[..., Any], pairs: float) -> list[Program]:
    """The half loop in C, where there is a compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        row.missing.append("C: no compiler cc")
        return []
    flags = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC"]
    values = {"N": bench_spheres.N, "SIGMA": bench_spheres.SIGMA, "EPSILON": bench_spheres.EPSILON}
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "kernel.c"), Path(folder, "kernel.so")
        source.write_text(KERNEL)
        defined = [f"-D{name}={value}" for name, value in values.items()]
        subprocess.run([compiler, *flags, *defined, source, "-o", library], check=True)
        function = ctypes.CDLL(str(library)).gradient
    array = np.ctypeslib.ndpointer(dtype=float, flags="C_CONTIGUOUS")
    function.argtypes, function.restype = [array, array], None
    return [Program("C by hand", "half loop", called(function), "by hand", parts=pairs)]
