r"""One variational step for every product of places, directions and attitudes: the loop around its solvers.

State of a step: the configuration z and the momenta in space L, of which the sum is the momentum map. With
the discrete Lagrangian of trapezoidal type for a kinetic energy K(z, u) a step from z to z' is

.. math::

    L^+ &= L + \tfrac h2\, N(z), \\
    \sum_j z_j \times S_j &= h L^+, \qquad
        S = h \Bigl( \tfrac12 \bigl(K_u(z, \tfrac{\Delta}{h}) + K_u(z', \tfrac{\Delta}{h})\bigr)
        - \tfrac h2 K_z(z, \tfrac{\Delta}{h}) \Bigr), \quad \Delta = z' - z, \\
    L' &= \tfrac1h \sum_j z'_j \times S'_j + \tfrac h2\, N(z'), \qquad
        S' = h \Bigl( \tfrac12 \bigl(K_u(z, \tfrac{\Delta}{h}) + K_u(z', \tfrac{\Delta}{h})\bigr)
        + \tfrac h2 K_z(z', \tfrac{\Delta}{h}) \Bigr),

the sums over the rows of a body; a place has S itself in their stead. N are the moments in space of potential
and forces. On spheres these are [LLM09, Eqs. 3.8, 3.9], on rotations the Lie group method of [LLM07]. Forces
enter at both ends (discrete Lagrange-d'Alembert); those that depend on velocities make the last line
implicit.

The middle of it, from :math:`L^+` to the momenta that the last line adds to, is a solver's: ``step``. It and
``rates``, the velocities of momenta, come as pointers, so that this loop knows no inertia.

Kernels of a kinetic energy K(z, u) that is an expression, called by `geoctrl.stepping.solvers.coupled`.

Their numbers have places in the writer at once; they are compiled when first asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import boolean, float64, int64, types

from geoctrl._scalars import Node
from geoctrl.stepping.compiled.bodies import BODIES, carry, frame_step, kick
from geoctrl.stepping.compiled.compiled import Kernel, Maker, fields, machine_code, pointer, source_maker
from geoctrl.stepping.compiled.forces import FORCE, GRADIENT, nothing
from geoctrl.stepping.compiled.vectors import copy, finite
from geoctrl.stepping.compiled.writer import ARRAY, INDEX, MATRIX, KernelWriter, components, matrix_kernel
from geoctrl.stepping.methods.loop import FORCES, INFINITE

__all__ = [
    "Pace",
    "Solver",
    "StepMotion",
    "StepNumbers",
    "kinetic_kernels",
    "linear_kernels",
    "no_kinetics",
    "variational",
    "variational_signature",
]


def kinetic_kernels(
    writer: KernelWriter, energy: Node, z: Sequence[Node], u: Sequence[Node]
) -> tuple[Maker, Maker]:
    """``kinetic`` and ``curvature`` of an energy in the components of z and u (N, 3) each.

    ``kinetic(z, u)``, (2N, 3), are the slopes by z and, below, by u. ``curvature(x, y)`` is how they change,
    x (2N, 3) being z and below it its change, y the same of u: one such change costs a small multiple of the
    energy, whatever the number of bodies.
    """
    graph, rows = writer.graph, len(z) // 3
    dz, du = (writer.symbols([f"{name}{i}" for i in range(3 * rows)]) for name in ("zchange", "uchange"))
    slopes = graph.gradient(energy, [*z, *u])
    changes = graph.push_forward(slopes, dict(zip([*z, *u], [*dz, *du], strict=True)))
    sources = {}
    for name, nodes, places in (("kinetic", (*z, *u), rows), ("curvature", (*z, *dz, *u, *du), 2 * rows)):
        names = [*components("z", places), *components("u", places)]
        outputs = slopes if name == "kinetic" else changes
        triples = [outputs[i : i + 3] for i in range(0, len(outputs), 3)]
        head = f"{name}(z, u, data, index, out)"
        sources[name] = matrix_kernel(writer, list(zip(nodes, names, strict=True)), triples, head)
    kinetic, curvature = (source_maker(source, name, SLOPE) for name, source in sources.items())
    return kinetic, curvature


def linear_kernels(writer: KernelWriter, a: Sequence[Node], z: Sequence[Node]) -> tuple[Maker, Maker]:
    r"""Kernels of linear terms :math:`a_b(z) \cdot w_b` of n bodies, for `geoctrl.stepping.solvers.apart`.

    ``kinetic(z, v)``: a (n, 3) and, below, its rate :math:`\mathrm{D} a(z)\, v`. ``curvature(z, s)``:
    :math:`\partial \sum a_b \cdot s_b / \partial z`, (N, 3).
    """
    graph, n = writer.graph, len(a) // 3
    s, V = (
        writer.symbols([f"{name}{i}" for i in range(size)]) for name, size in (("s", 3 * n), ("V", len(z)))
    )
    places = list(zip(z, components("z", len(z) // 3), strict=True))
    pairing = graph.add([x * y for x, y in zip(a, s, strict=True)])
    moving, along = zip(V, components("V", len(z) // 3), strict=True), zip(s, components("s", n), strict=True)
    both = [*a, *graph.push_forward(list(a), dict(zip(z, V, strict=True)))]
    slope = graph.gradient(pairing, list(z))
    sources = {
        "kinetic": matrix_kernel(
            writer, [*places, *moving], _triples(both), "kinetic(z, V, data, index, out)"
        ),
        "curvature": matrix_kernel(
            writer, [*places, *along], _triples(slope), "curvature(z, s, data, index, out)"
        ),
    }
    kinetic, curvature = (source_maker(source, name, SLOPE) for name, source in sources.items())
    return kinetic, curvature


def _triples(nodes: Sequence[Node]) -> list[Sequence[Node]]:
    return [nodes[i : i + 3] for i in range(0, len(nodes), 3)]


STAGNANT = 1e-12
"""Relative corrections below this that no longer shrink are rounding."""
QUADRATIC = 1e-9
"""Relative corrections of Newton's iteration below this: the next one would be below rounding."""
FIXED = 60
"""Iterations for forces that depend on the velocities at the end of a step."""


class StepMotion(NamedTuple):
    """What is handed on from step to step, in place, so that numbers do not depend on how runs are cut.

    Configuration z (N, 3), momenta in space L (B, 3), the velocities w (B, 3) that forces last saw, the slope
    g (N, 3) of the potential and the forces f (B, 3).
    """

    z: Any
    L: Any
    w: Any
    g: Any
    f: Any


class StepNumbers(NamedTuple):
    """What kernels read, and what is known of the forces."""

    data: Any
    index: Any
    table: Any
    forced: Any
    damped: Any


class Pace(NamedTuple):
    """``steps`` steps h after the ``first`` ones, of substeps ``stages``; every ``record``-th is kept."""

    first: Any
    h: Any
    stages: Any
    steps: Any
    record: Any
    row: Any


NUMBERS = fields(StepNumbers, ARRAY, INDEX, ARRAY, boolean, boolean)
MOTION = fields(StepMotion, *[MATRIX] * 5)
PACE = fields(Pace, int64, float64, ARRAY, int64, int64, int64)
SLOPE = types.void(MATRIX, MATRIX, ARRAY, INDEX, MATRIX)
ROWS = types.float64[:, :, ::1]


@dataclass(frozen=True, eq=False)
class Solver:
    """What the loop calls, compiled for its ``system``, the type of a NamedTuple, when first used.

    ``step(z, L, h, frame, taken, stage, system, kinetic, curvature, data, index)`` goes in place from z, L^+
    to z' and to L' without its last kick, in axes that stand still: the loop turns them by the ``frame``;
    ``taken`` are the steps before this one, ``stage`` its substep. It returns iterations, failure code,
    residual. ``rates(z, L, system, kinetic, curvature, data, index, w)`` are the velocities w of momenta; it
    returns their largest change relative to one or their size. ``accelerate(z, w, dz, g, f, system, kinetic,
    curvature, data, index, dw)`` are the accelerations of slopes g and forces f; it returns whether there
    are.
    """

    step: Callable
    rates: Callable
    accelerate: Callable
    system: Any

    @cache  # noqa: B019, solvers are constants of modules
    def pointers(self, python: bool = True) -> tuple[Kernel, Kernel]:
        """``step`` and ``rates``, compiled; without ``python`` for compiled loops alone."""
        step = machine_code(self.step, self.step_signature, python)
        return step, machine_code(self.rates, self.rates_signature, python)

    @cache  # noqa: B019
    def accelerator(self) -> Kernel:
        """``accelerate``, compiled."""
        return machine_code(self.accelerate, self.accelerate_signature)

    @property
    def _kernels(self) -> tuple:
        return self.system, pointer(SLOPE), pointer(SLOPE), ARRAY, INDEX

    @property
    def step_signature(self) -> Any:
        """That of ``step``."""
        head = (MATRIX, MATRIX, float64, ARRAY, int64, int64)
        return types.Tuple((int64, int64, float64))(*head, *self._kernels)

    @property
    def accelerate_signature(self) -> Any:
        """That of ``accelerate``."""
        return boolean(MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, *self._kernels, MATRIX)

    @property
    def rates_signature(self) -> Any:
        """That of ``rates``."""
        return float64(MATRIX, MATRIX, *self._kernels, MATRIX)


@cache
def no_kinetics() -> Kernel:
    """The kernel of a kinetic energy that the solver knows without one."""
    return nothing("kinetic(z, u, data, index, out)", SLOPE)


@cache
def variational_signature(solver: Solver, turning: bool = False) -> Any:
    """The signature of `variational` for the systems of a solver, in a frame that stands still or turns."""
    kernels = (pointer(GRADIENT), pointer(FORCE), pointer(SLOPE), pointer(SLOPE))
    pointers = (pointer(solver.step_signature), pointer(solver.rates_signature), *kernels)
    result = types.Tuple((int64, int64, int64, float64))
    spin = ARRAY if turning else types.none
    return result(*pointers, BODIES, spin, solver.system, MOTION, NUMBERS, PACE, ROWS, ROWS)


def variational(
    step, rates, gradient, force, kinetic, curvature, bodies, spin, system, motion, numbers, pace, Z, W
):
    """Take steps in place, writing records to rows of Z and W: steps done, iterations, failure, residual.

    The rate ``spin`` of the frame is None where it stands still: what turns it is then not compiled.
    """
    z, L, w, g, f = motion
    data, index, table, forced, damped = numbers
    frame, free = np.zeros(3), np.empty(L.shape)
    iterations, row, h, stages = 0, pace.row, pace.h, pace.stages
    for done in range(pace.steps):
        taken = pace.first + done
        t = taken * h
        for stage in range(stages.size):
            hs = stages[stage] * h
            if spin is not None:
                frame_step(spin, hs, frame)
            kick(bodies, z, g, f, 0.5 * hs, L)
            count, failure, residual = step(
                z, L, hs, frame, taken, stage, system, kinetic, curvature, data, index
            )
            iterations += count
            if failure:
                return done, iterations, failure, residual
            if spin is not None:
                carry(bodies, frame, z, L)
            t += hs
            gradient(z, data, index, g)
            if damped:
                copy(L, free)
                rates(z, L, system, kinetic, curvature, data, index, w)
            gap, last = 0.0, math.inf
            for _ in range(FIXED):
                if forced:
                    force(t, z, w, table, data, index, f)
                if not damped:
                    kick(bodies, z, g, f, 0.5 * hs, L)
                    break
                copy(free, L)
                kick(bodies, z, g, f, 0.5 * hs, L)
                gap = rates(z, L, system, kinetic, curvature, data, index, w)
                iterations += 1
                if gap <= 1e-15 or (gap <= STAGNANT and gap >= 0.5 * last):
                    break
                last = gap
            if not gap <= STAGNANT:
                return done, iterations, FORCES, gap
        if not finite(L):
            return done, iterations, INFINITE, math.nan
        if (taken + 1) % pace.record == 0:
            copy(z, Z[row])
            rates(z, L, system, kinetic, curvature, data, index, W[row])
            row += 1
    return pace.steps, iterations, 0, 0.0
