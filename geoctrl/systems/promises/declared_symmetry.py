r"""Symmetry about a body axis, and the system seen from axes that do not follow the spin about it.

Let nothing change when the body turns about the axis e. Put R = R_f exp(phi e): R_f are axes that do not
follow the spin, phi is the spin angle, a factor R of its own. The body's velocity seen from those axes is
xi = xi_f + phidot e, and by the symmetry Lagrangian, constraints and forces are the old functions of it and
of Gamma = R_f^T gamma. What turns the axes about e is arbitrary; they are held so that the first advected
vector has no component along a fixed direction d perpendicular to e. Steady motions, in which only the spin
turns Gamma, then keep all states constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._scalars import Node, expression
from geoctrl._scalars.graph.symmetric_elimination import dot, solve_saddle
from geoctrl.algebra import AdvectedVector, LieAlgebra, product
from geoctrl.algebra.representation.exponential import exp_action
from geoctrl.errors import DescriptionError, FrameError
from geoctrl.systems.equations.frames import choose_frame
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.parts.description_entries import require_mechanism
from geoctrl.systems.parts.symmetry_axis import Axis
from geoctrl.systems.promises.promises import Promise

__all__ = ["axis_momentum", "axis_promises", "despun_mechanism", "despun_state", "turn_matrix"]


@dataclass(frozen=True)
class _Turn:
    """Action of a turn about the axis: xi -> T xi, Gamma -> S Gamma."""

    velocity: np.ndarray
    gamma: np.ndarray


def _generator(mechanism: Mechanism, axis: Axis) -> list[Fraction]:
    """The element of the algebra that turns the factor about the axis, as fast as its direction is long."""
    factors = mechanism.algebra.factors
    spin = factors[axis.of - 1].spin if 1 <= axis.of <= len(factors) else None
    if spin is None:
        raise DescriptionError(f"symmetry: factor {axis.of} has no rotations")
    columns = zip(*spin, strict=True)
    return [sum((s * d for s, d in zip(c, axis.direction, strict=True)), Fraction(0)) for c in columns]


def _turn(mechanism: Mechanism, axis: Axis, angle: float) -> _Turn:
    from scipy.linalg import block_diag

    length = float(sum(d * d for d in axis.direction)) ** 0.5
    e = np.array(_generator(mechanism, axis), dtype=float) / length
    adjoint = np.einsum("ijk,i->kj", mechanism.algebra.structure_constants, e)
    blocks = []
    start = 0
    rho = np.zeros((len(mechanism.reference) + 1,) * 2)
    for i, j, k, value in mechanism.kinematics:
        rho[i, k] += float(value) * e[j]
    for size in (*(advected.dimension for advected in mechanism.advected), len(mechanism.shape)):
        block = slice(start, start := start + size)
        blocks.append(exp_action(-angle * rho[block, block], np.eye(size)))
    velocity = exp_action(-angle * adjoint, np.eye(mechanism.algebra.n))
    return _Turn(velocity, block_diag(*blocks) if blocks else np.zeros((0, 0)))


def turn_matrix(system: Recorded, angle: float) -> np.ndarray:
    """Action (n, n) on the state of a turn of the body about its declared axis (rad)."""
    from scipy.linalg import block_diag

    mechanism, axis = system.mechanism, system.mechanism.symmetry
    if axis is None:
        raise DescriptionError("turns need symmetry=gc.Axis(direction, of=...) in the description")
    if system.frame.matrix != sp.eye(mechanism.algebra.n):
        raise DescriptionError(
            "turns about the axis are no matrix in these velocities, which are components in a frame of "
            "their own; take the system of sys.despun(), in which turns are no longer seen"
        )
    turn, k = _turn(mechanism, axis, angle), mechanism.algebra.n
    beside = np.eye(len(system.assembly.velocity) - k), np.eye(len(system.assembly.controller))
    kept = turn.gamma[np.ix_(system.kept_index, system.kept_index)]
    return block_diag(turn.velocity, beside[0], kept, beside[1])


def axis_momentum(mechanism: Mechanism) -> dict[str, sp.Expr]:
    r"""Momentum about the declared axis, by its expression; none without one.

    With e the generator of the turns, :math:`\frac{d}{dt}\langle\mu, e\rangle` is the rate of the Lagrangian
    under them, which is zero, and the power of forces and constraints along e (Noether): conserved where
    those have none. The entry of e that is largest is scaled to one.
    """
    if mechanism.symmetry is None:
        return {}
    e = _generator(mechanism, mechanism.symmetry)
    scale = max(e, key=abs)
    parts = [sp.Rational(q.numerator, q.denominator) for q in (x / scale for x in e)]
    momentum = sp.Add(*(q * m for q, m in zip(parts, mechanism.algebra.mu, strict=True)))
    return {str(momentum): momentum}


def axis_promises(system: Recorded) -> list[Promise]:
    r"""Every part of the description is the same after a turn about its declared axis.

    With e the generator of the turns, advected components move by :math:`-\rho(e) a` and velocities by
    :math:`-[e, \xi]`; the rates D of all parts along this motion must be those of the parts transported,
    :math:`D G = \mathrm{ad}_e^T G + G\,\mathrm{ad}_e`, :math:`D F = \mathrm{ad}_e^T F` and so on. What holds
    for the rates on the leaf, which turns keep, holds for turns by any angle.
    """
    mechanism, a, g = system.mechanism, system.assembly, system.graph
    axis = mechanism.symmetry
    if axis is None:
        return []
    turn = _Turning(system, axis)
    rates, n = turn.rates, mechanism.algebra.n

    def matrix(value: sp.Matrix) -> list[list[Node]]:
        return [a.restrict([a.configuration(e) for e in row]) for row in value.tolist()]

    def covector(nodes: Sequence[Node]) -> list[Node]:
        """Rates of a covector that is not transported along."""
        moved = turn.transposed_action([[node] for node in nodes])
        return [d - m for d, (m,) in zip(rates(nodes), moved, strict=True)]

    G = matrix(mechanism.inertia)
    forward = turn.transposed_action(G)
    parts: dict[str, list[Node]] = {
        "leaf": [*turn.removed, *rates(system.leaf.nodes[: system.leaf.geometric])],
        "inertia": [
            d - forward[i][j] - forward[j][i] for i, row in enumerate(G) for j, d in enumerate(rates(row))
        ],
        "potential": rates(a.restrict([a.configuration(mechanism.potential)])),
    }
    if mechanism.gyroscopic is not None:
        parts["gyroscopic"] = covector(a.restrict([a.configuration(e) for e in mechanism.gyroscopic]))
    if mechanism.constraints is not None:
        psi = matrix(mechanism.constraints)
        # The rows may be mixed among themselves: what counts is that they vanish on admissible velocities.
        parts["constraints"] = [
            g.add([dot(g, rates(row), a.xi[:n]), dot(g, row, turn.velocity)]) for row in psi
        ]
    if mechanism.rotors is not None:
        parts["rotors"] = [
            e for row in turn.transposed_action(matrix(mechanism.rotors.coupling)) for e in row
        ] + rates(a.restrict([a.configuration(e) for e in mechanism.rotors.gyroscopic]))
    parts["forces"] = [*covector(a.applied[:n]), *rates(a.applied[n:])]
    parts["controller"] = rates(a.controller_rates)
    return [
        Promise(
            f"symmetry={axis}: the {name} changes when the body turns about that axis (its rate)",
            tuple(residuals),
            "correct the axis or leave symmetry out",
            DescriptionError,
        )
        for name, residuals in parts.items()
    ]


class _Turning:
    """The motion of all states when the body turns about an axis, to first order.

    Attributes
    ----------
    velocity : list of Node
        Rate of xi, -[e, xi].
    removed : list of Node
        Rates of the entries that the leaf removes, less those of what it makes them.
    """

    def __init__(self, system: Recorded, axis: Axis) -> None:
        mechanism, a = system.mechanism, system.assembly
        self._graph = g = system.graph
        n = mechanism.algebra.n
        e = [g.number(q) for q in _generator(mechanism, axis)]
        self._adjoint = [[g.zero] * n for _ in range(n)]
        for i, j, k, value in mechanism.algebra.brackets:
            self._adjoint[k][j] = self._adjoint[k][j] + e[i] * value
        moved = a.gamma_rates([*e, *[g.zero] * (a.n - n)])
        self._motion = dict(zip(a.gamma, a.restrict(moved), strict=True))
        gone = [node for i, node in enumerate(a.gamma) if i not in system.kept_index]
        moved = [self._motion.pop(node) for node in gone]
        made = g.push_forward(a.restrict(gone), self._motion)
        self.removed = [m - e for m, e in zip(moved, made, strict=True)]
        self.velocity = [-dot(g, row, a.xi[:n]) for row in self._adjoint]
        self._motion |= self._quasivelocities(system)

    def _quasivelocities(self, system: Recorded) -> dict[Node, Node]:
        """Rates of w from E w' = -[e, xi] - E' w; those of the library's own frames are entries of xi."""
        mechanism, a, g = system.mechanism, system.assembly, self._graph
        labels = system.frame.labels
        if mechanism.frame is None:
            places = [mechanism.algebra.labels.index(label) for label in labels]
            return {a.velocity[k]: self.velocity[i] for k, i in enumerate(places)}
        E = [a.restrict([a.configuration(e) for e in row]) for row in system.frame.matrix.tolist()]
        w = a.velocity[: len(labels)]
        rest = [v - dot(g, self.rates(row), w) for v, row in zip(self.velocity, E, strict=True)]
        columns = list(zip(*E, strict=True))
        normal = [[dot(g, p, q) for q in columns] for p in columns]
        solved, _, _ = solve_saddle(g, normal, [dot(g, c, rest) for c in columns], [], [])
        return dict(zip(w, solved, strict=True))

    def rates(self, nodes: Sequence[Node]) -> list[Node]:
        """Rates of nodes in advected components, velocities, controller states, inputs and time."""
        return self._graph.push_forward(list(nodes), self._motion)

    def transposed_action(self, matrix: Sequence[Sequence[Node]]) -> list[list[Node]]:
        """ad_e^T times a matrix with a row for each velocity."""
        g = self._graph
        columns = list(zip(*matrix, strict=True))
        return [
            [dot(g, [row[j] for row in self._adjoint], column) for column in columns]
            for j in range(len(self._adjoint))
        ]


def _gauge(axis: Axis) -> sp.Matrix:
    """A coordinate direction, or else any rational one, perpendicular to the axis."""
    e = sp.Matrix([sp.Rational(d.numerator, d.denominator) for d in axis.direction])
    for i in range(3):
        candidate = sp.Matrix([int(i == j) for j in range(3)])
        if candidate.dot(e) == 0:
            return candidate
    return sp.Matrix([-e[1], e[0], 0]) if (e[0], e[1]) != (0, 0) else sp.Matrix([1, 0, 0])


def _gauge_vector(mechanism: Mechanism, axis: Axis) -> AdvectedVector:
    for advected in mechanism.advected:
        if isinstance(advected, AdvectedVector) and advected.factor_index(mechanism.algebra) == axis.of - 1:
            return advected
    raise DescriptionError(
        "despun() needs an advected vector of the factor with the axis: it orients the axes"
    )


def despun_mechanism(mechanism: Mechanism) -> Mechanism:
    """The same mechanism on the algebra extended by the spin, in axes that do not follow it.

    States keep their labels: velocities are the body's, seen from those axes, and the advected vector has
    lost the component that the axes are held by.
    """
    require_mechanism(mechanism, "symmetry axis", "turning axes take gc.EulerPoincare(symmetry=...)")
    axis = mechanism.symmetry
    if axis is None:
        raise DescriptionError("despun() needs symmetry=gc.Axis(direction, of=...) in the description")
    if mechanism.seen_from:
        raise DescriptionError(
            "despun() leaves the spin out, which the error from a reference holds; take the mechanism before "
            "configuration()"
        )
    frame = choose_frame(mechanism)
    if frame.rows is not None:
        raise FrameError("despun() needs a frame that solves all constraints; give frame= to the description")
    algebra, n = mechanism.algebra, mechanism.algebra.n
    vector = _gauge_vector(mechanism, axis)
    group = mechanism.group
    if group is None:
        raise DescriptionError("despun() needs a group with rotations; this mechanism has coordinates alone")
    extended = _with_spin(group)
    spin_map = sp.Matrix(algebra.factors[axis.of - 1].spin)
    direction = sp.Matrix([sp.Rational(d.numerator, d.denominator) for d in axis.direction])
    e = spin_map.T * direction
    # The spin follows the velocities of the group; rates of coordinates stay the last.
    P = sp.eye(n).col_insert(extended.n - 1, e)
    d, gamma = _gauge(axis), sp.Matrix(vector.symbols)
    turning = d.cross(gamma)  # d/dt (gamma . d) = turning . omega_f
    labels = frame.labels
    w = sp.Matrix([sp.Symbol(label, real=True) for label in labels])
    rate = (turning.T * spin_map * frame.matrix) / turning.dot(direction)  # the spin as a function of w
    E = (frame.matrix - e * rate).row_insert(extended.n - 1, rate)
    gauge_row = (turning.T * spin_map).col_insert(extended.n - 1, sp.zeros(1, 1))
    rows = {name: list(sp.Matrix([row]) * P) for name, row in (mechanism.named_rows or {}).items()}
    rows["axes held"] = list(gauge_row)
    body = dict(zip(algebra.xi, frame.matrix * w, strict=True))

    def in_turning_axes(expr: Any) -> Any:
        return expression(expr, "an expression of the mechanism").subs(body, simultaneous=True)

    rotors = mechanism.rotors
    return mechanism.replace(
        algebra=extended,
        inertia=P.T * mechanism.inertia * P,
        gyroscopic=None if mechanism.gyroscopic is None else list(P.T * mechanism.gyroscopic),
        forces=None if mechanism.acting is None else list(P.T * mechanism.acting.applyfunc(in_turning_axes)),
        friction=(),
        domain=mechanism.edges,
        constraints=rows,
        reactions={
            name: [*eta[: extended.n - 1], 0, *eta[extended.n - 1 :]]
            for name, eta in mechanism.reactions.items()
        },
        frame=E,
        velocities=labels,
        leaf={**{r.name: r.expr for r in mechanism.leaf.by_name}, str(gamma.dot(d)): gamma.dot(d)},
        rotors=None if rotors is None else rotors.with_entries(coupling=P.T * rotors.coupling),
        feedback={k: in_turning_axes(v) for k, v in mechanism.feedback.items()},
        controller={k: in_turning_axes(v) for k, v in mechanism.controller.items()},
        invariants={k: in_turning_axes(v) for k, v in mechanism.invariants.items()},
        outputs={k: in_turning_axes(v) for k, v in mechanism.outputs.items()},
        symmetry=None,
        view_of=mechanism,
        name=f"{mechanism.name or 'system'}, despun",
    )


def _with_spin(algebra: LieAlgebra) -> LieAlgebra:
    """The algebra with the spin as a further abelian factor; velocities of the axes get their own names."""
    spin = LieAlgebra(np.zeros((1, 1, 1)), labels=("spin",), name="spin", momentum_labels=("p_spin",))
    return product(algebra, spin).relabelled((*(f"{label}_axes" for label in algebra.labels), "spin"))


def despun_state(
    system: Recorded, despun: Recorded, x: Any, params: Mapping[str, float] | None = None
) -> np.ndarray:
    """State of the despun system for a state of the system: turned about the axis until the gauge holds."""
    mechanism, axis = system.mechanism, system.mechanism.symmetry
    if axis is None:
        raise DescriptionError("despun_state() needs symmetry=gc.Axis(direction, of=...) in the description")
    x = np.asarray(x, dtype=float)
    vector = _gauge_vector(mechanism, axis)
    numbers = system.parameters_at(params)
    gamma, xi = system.configuration(x, numbers), system.velocity(x, numbers)
    start = 0
    for advected in mechanism.advected:
        if advected is vector:
            break
        start += advected.dimension
    d = np.array(_gauge(axis), dtype=float).ravel()
    second = np.cross(np.array(axis.unit), d)
    own = gamma[start : start + 3]
    angle = float(np.arctan2(-(own @ d), own @ second))
    best = min(
        (_turn(mechanism, axis, s * angle) for s in (1.0, -1.0)),
        key=lambda t: abs((t.gamma @ gamma)[start : start + 3] @ d),
    )
    arguments = [list(mechanism.configuration_symbols), [p.symbol for p in mechanism.parameters]]
    frame = sp.lambdify(arguments, system.frame.matrix)
    turned = best.gamma @ gamma
    values = [float(numbers[p.name]) for p in mechanism.parameters]
    w = np.linalg.lstsq(np.asarray(frame(turned, values), dtype=float), best.velocity @ xi, rcond=None)[0]
    k, s = len(system.frame.labels), len(system.assembly.velocity)
    controller = x[s + len(system.kept) :]
    return np.concatenate([w, x[k:s], turned[despun.kept_index], controller])
