r"""The pair (A, B) of :math:`\delta\dot x = A\,\delta x + B\,\delta u` at an equilibrium, exact where it is.

At a point of rationals, or of angles with rational sines and cosines, the derivatives are rational where the
expressions are. Ranks, and with them what inputs reach and outputs see, are then decided without a tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars import RATIONAL, Node, NotRationalError, evaluate, exact
from geoctrl._scalars.algebra import rational_matrix
from geoctrl._scalars.arithmetic.arithmetics import FLOAT as FLOATS
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.invariants.invariants import check_invariant
from geoctrl.analysis.linear.subspaces import EXACT, FLOAT, SubspaceArithmetic
from geoctrl.analysis.question.exact_angles import Turn
from geoctrl.errors import DivisionError
from geoctrl.systems import Equilibrium
from geoctrl.systems.contract.points import equilibrium_at
from geoctrl.systems.contract.scales import Scales
from geoctrl.systems.parts.angles import ExactAngle

__all__ = ["LeafPair", "leaf_pair", "recorded_point"]

_PROVING = 10.0
"""Seconds for the proof that a function is conserved whatever the inputs do."""


@dataclass(frozen=True, eq=False)
class LeafPair:
    """The linearisation in numbers of one kind.

    Attributes
    ----------
    algebra : Arithmetic
        `subspaces.EXACT` or `subspaces.FLOAT`.
    A, B : arrays, (n, n) and (n, m)
    tangent : array (n, d)
        Basis of the leaf's tangent space.
    conserved : dict of name -> array (n,)
        Gradients of functions that motions keep whatever the inputs do, which is proved.
    seen : dict of label -> array (n,)
        Gradients of the outputs that were asked for.
    """

    algebra: SubspaceArithmetic
    A: np.ndarray
    B: np.ndarray
    tangent: np.ndarray
    conserved: dict[str, np.ndarray]
    seen: dict[str, np.ndarray]

    def in_own_units(self, scales: Scales) -> tuple[LeafPair, np.ndarray, float]:
        """The pair in units of states, inputs and time that are their sizes at the point; of states and rate.

        Where ranks are decided in floats, or subspaces are orthogonal, nothing depends on other units then.
        Powers of two leave all digits as they are.
        """
        sizes = binary(scales.column), binary(np.where(scales.input > 0, scales.input, 1.0))
        pace = binary([scales.rate or 1.0])
        d, r, (rate,) = map(self.algebra.numbers, (*sizes, pace))
        row = self.algebra.row
        pair = LeafPair(
            algebra=self.algebra,
            A=self.A * d / d[:, None] / rate,
            B=self.B * r / d[:, None] / rate,
            tangent=self.algebra.columns(self.tangent / d[:, None]),
            conserved={name: row(gradient * d) for name, gradient in self.conserved.items()},
            seen={label: row(gradient * d) for label, gradient in self.seen.items()},
        )
        return pair, sizes[0], float(pace[0])

    @property
    def on_leaf(self) -> tuple[np.ndarray, np.ndarray]:
        """A and B, (d, d) and (d, m), in the coordinates of the tangent space."""
        inverse = self.algebra.left_inverse(self.tangent)
        return inverse @ self.A @ self.tangent, inverse @ self.B

    def independent(self) -> dict[str, np.ndarray]:
        """Rows (d,), by name, of conserved functions with independent differentials on the leaf.

        The energy last: where it depends on others at the point, it is these that name what is kept.
        """
        found: dict[str, np.ndarray] = {}
        for name in sorted(self.conserved, key=lambda name: name == "energy"):
            row = self.conserved[name] @ self.tangent
            if self.algebra.span(np.array([*found.values(), row]).T).shape[1] > len(found):
                found[name] = row
        return found


def leaf_pair(system: Any, point: Equilibrium, outputs: Mapping[str, Node] | None = None) -> LeafPair:
    """The pair at an equilibrium of a system with recorded equations, in rationals where it has any.

    Parameters
    ----------
    system : ReducedSystem, or ManifoldSystem of expressions
    outputs : dict of label -> Node, optional
        In the graph of the system.
    """
    outputs = dict(outputs or {})
    if not system.recorded:
        return _by_recording(system, point, outputs)
    names = _kept_by_all_inputs(system, point.params)
    try:
        return _exactly(system, point, names, outputs)
    except (NotRationalError, ZeroDivisionError, DivisionError):
        return _in_floats(system, point, names, outputs)


def _by_recording(system: Any, point: Equilibrium, outputs: Mapping[str, Node]) -> LeafPair:
    r"""The pair of the recorded equations in the states of the system.

    With the derivative T of their state y(x) and D of x(y) it is :math:`D A_y T` and :math:`D B_y`, since the
    field vanishes at the point.
    """
    recorded, into, back = recorded_point(system, point)
    found = leaf_pair(system.recording, recorded)
    if not found.algebra.exact:
        into, back = into.astype(float), back.astype(float)
    return LeafPair(
        algebra=found.algebra,
        A=back @ found.A @ into,
        B=back @ found.B,
        tangent=found.algebra.columns(back @ found.tangent),
        conserved={name: row @ into for name, row in found.conserved.items()},
        seen=_output_gradients(system, outputs, _rational_state(point), point.params, found.algebra),
    )


def recorded_point(system: Any, point: Equilibrium) -> tuple[Equilibrium, np.ndarray, np.ndarray]:
    """The point of a system on a manifold in its recorded equations, with derivatives of their states y(x)
    and of x(y) there, in Fractions; exact where the given one is known in rationals, or in doubles that are
    on the manifold.
    """
    y, into, back = system.view().exact_change(_rational_state(point), point.params)
    there_and_back = into @ back  # axes of doubles are orthonormal to rounding alone
    kept = np.array_equal(there_and_back @ there_and_back, there_and_back)
    place = y.astype(float), point.u, tuple(y) if kept else None, point.exact_u
    return equilibrium_at(system.recording.seen_from(), place, dict(point.params)), into, back


def _rational_state(point: Equilibrium) -> list[Fraction]:
    """Its state as it is known in rationals; else that of its doubles."""
    x = [q for q in point.exact or () if isinstance(q, Fraction)]
    return x if len(x) == len(point.x) else [exact(v) for v in point.x]


def _output_gradients(
    system: Any,
    outputs: Mapping[str, Node],
    x: Sequence[Fraction],
    params: Mapping[str, float],
    algebra: SubspaceArithmetic,
) -> dict[str, np.ndarray]:
    """Gradients (n,) of functions of the state; NotRationalError where exact ones are asked for in vain."""
    rows, shape = _rows(system, outputs), (len(outputs), len(x))
    at: dict[Node, Any] = {node: exact(params[name]) for name, node in system.parameter_nodes.items()}
    at |= dict(zip(system.state_nodes, x, strict=True))
    if algebra.exact:
        found = evaluate(rows, at, RATIONAL)
    else:
        found = evaluate(rows, {node: float(q) for node, q in at.items()}, FLOATS)
    return dict(
        zip(outputs, np.array(found, dtype=object if algebra.exact else float).reshape(shape), strict=True)
    )


def _kept_by_all_inputs(system: Any, params: Mapping[str, float]) -> dict[str, Node]:
    """Functions that are conserved whatever the inputs do: found by samples, proved at these parameters."""
    asked = tuple(params.items())
    last, kept = system.cache.get("kept by all inputs", (None, {}))
    if last != asked:  # a law, its loop and its page ask of the same numbers
        likely = system.conservation.likely(params, True)
        kept = {
            name: node
            for name, node in likely.items()
            if check_invariant(system, name, params, for_all_inputs=True, budget=_PROVING).proved
        }
        system.cache["kept by all inputs"] = asked, kept
    return kept


def _rows(system: Any, named: Mapping[str, Node]) -> list[Node]:
    return [e for row in system.graph.jacobian(list(named.values()), system.state_nodes) for e in row]


def _in_floats(
    system: Any, point: Equilibrium, names: Mapping[str, Node], outputs: Mapping[str, Node]
) -> LeafPair:
    seen = system.seen_from(point.spin)
    A, B = seen.derivatives(point.x, point.u, point.params)

    def gradients(named: Mapping[str, Node]) -> dict[str, np.ndarray]:
        program = system.program(_rows(system, named))
        values = program(system.arguments_at(0.0, point.x, point.u), point.params)
        return dict(zip(named, values.reshape(len(named), system.nstates), strict=True))

    kept = {name: row for name, row in gradients(names).items() if np.all(np.isfinite(row))}
    return LeafPair(FLOAT, A, B, seen.leaf_basis(point.x, point.params), kept, gradients(outputs))


def _exactly(
    system: Any, point: Equilibrium, names: Mapping[str, Node], outputs: Mapping[str, Node]
) -> LeafPair:
    """In rationals; NotRationalError where something has no rational value."""
    x, u = point.exact, point.exact_u
    if x is None or u is None or not all(isinstance(q, Fraction) for q in (*x, *u)):
        raise NotRationalError("the point is not known in rationals")
    differential, leaf = system.differential, system.leaf.nodes
    z, n, m = differential.shape
    k = len(system.assembly.velocity)
    angles = {node: q for node, q in zip(system.state_nodes, x, strict=True) if isinstance(q, ExactAngle)}
    turn = Turn(system.graph, angles) if angles else None
    numbers: dict[Node, Fraction] = {
        system.assembly.parameters[name]: exact(value) for name, value in point.params.items()
    }
    numbers |= dict(zip(system.state_nodes, x, strict=True)) | dict.fromkeys(angles, Fraction(0))
    numbers |= dict(zip(system.input_nodes, u, strict=True)) | {system.time_node: Fraction(0)}

    def values(nodes: Sequence[Node], shape: tuple[int, int]) -> np.ndarray:
        found = evaluate(nodes, numbers, RATIONAL) if turn is None else turn.values(nodes, numbers)
        return np.array(found, dtype=object).reshape(shape)

    saddle = values([e for row in differential.saddle for e in row], (z, z))
    right = values(differential.right, (z, 1))
    solution = rational_matrix.solve(saddle.tolist(), right.tolist())
    numbers |= {node: row[0] for node, row in zip(differential.unknowns, solution, strict=True)}
    still = values([*system.field_nodes[k:], *leaf], (n - k + len(leaf), 1))
    if any(row[0] for row in solution[:k]) or np.any(still):
        raise NotRationalError("the doubles are not quite the equilibrium")
    by_x, by_u, advection, explicit = (
        values([e for row in rows for e in row], shape)
        for rows, shape in (
            (differential.residual_x, (z, n)),
            (differential.residual_u, (z, m)),
            (differential.advection_x, (n - k, n)),
            (differential.advection_u, (n - k, m)),
        )
    )
    accelerations = np.array(
        rational_matrix.solve(saddle.tolist(), np.hstack([by_x, by_u]).tolist()), dtype=object
    ).reshape(z, n + m)[:k]
    A = np.vstack([accelerations[:, :n], advection])
    B = np.vstack([accelerations[:, n:], explicit])
    gradient = values(_rows(system, dict(enumerate(leaf))), (len(leaf), n))  # type: ignore[arg-type]

    def gradients(named: Mapping[str, Node]) -> dict[str, np.ndarray]:
        return dict(zip(named, values(_rows(system, named), (len(named), n)), strict=True))

    kept: dict[str, np.ndarray] = {}
    for name, node in names.items():
        try:
            kept |= gradients({name: node})
        except (NotRationalError, ZeroDivisionError):  # it names nothing here; ranks do without it
            continue
    return LeafPair(EXACT, A, B, EXACT.null(gradient), kept, gradients(outputs))
