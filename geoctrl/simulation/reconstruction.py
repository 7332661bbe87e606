r"""Attitude and position from a run of the reduced equations.

.. math:: \dot R = R\,\hat\Omega, \qquad \dot x = R\,Y

are integrated together with the reduced equations; where two directions of a factor are known from the
states (advected vectors, the fixed axis of a planar factor), the attitude follows from them instead. What is
seen from axes that turn is turned along with these first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from geoctrl._checks import finite_array, whole_number
from geoctrl._scalars import STATE, Node
from geoctrl.algebra import AdvectedVector
from geoctrl.algebra.representation.exponential import exp_action
from geoctrl.errors import InputError
from geoctrl.stepping.drive.engine import Engine
from geoctrl.stepping.drive.flow import Flow
from geoctrl.stepping.drive.resampling import followed_states

if TYPE_CHECKING:
    from geoctrl.algebra.representation.factor import AlgebraFactor, Rows
    from geoctrl.systems import ReducedSystem

__all__ = ["attitude", "contact_vector", "displacement", "smallest_rotation"]

_AGREES = 1e-9
_PLANAR = ("so2", "se2")


def _factor(system: ReducedSystem, of: int, what: str) -> AlgebraFactor:
    factors = system.mechanism.algebra.factors
    factor = factors[whole_number("of, the number of a factor,", of, 1, len(factors)) - 1]
    if what == "rotation" and factor.spin is None:
        raise InputError(f"factor {of} ({factor.name}) has no rotations, hence no attitude")
    if what == "translation" and not _velocity(factor):
        raise InputError(f"factor {of} ({factor.name}) has no translations, hence no position")
    return factor


def _velocity(factor: AlgebraFactor) -> Rows:
    """Rows of the velocity of the frame's origin; none for a factor without translations."""
    if factor.group == "rn":
        return tuple(
            tuple(int(j == i) for j in range(i + 1)) for i in range(factor.start, factor.start + factor.size)
        )
    return factor.velocity or ()


def _directions(system: ReducedSystem, of: int, x: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Independent vectors in space (3,) and in the body (3, nt), at most two."""
    mechanism = system.mechanism
    gamma = system.configuration(x)
    pairs, start = [], 0
    for vector in mechanism.advected:
        stop = start + vector.dimension
        if isinstance(vector, AdvectedVector) and vector.factor_index(mechanism.algebra) == of - 1:
            space, lacking = np.array([float(c) for c in vector.reference]), 3 - vector.dimension
            pairs.append((np.pad(space, (0, lacking)), np.pad(gamma[start:stop], ((0, lacking), (0, 0)))))
        start = stop
    if mechanism.algebra.factors[of - 1].name in _PLANAR:
        axis = np.array([0.0, 0.0, 1.0])
        pairs.append((axis, np.broadcast_to(axis[:, None], (3, x.shape[1]))))
    chosen = pairs[:1]
    for pair in pairs[1:]:
        sine = np.linalg.norm(np.cross(chosen[0][0], pair[0]))
        if len(chosen) < 2 and sine > 1e-9 * np.linalg.norm(chosen[0][0]) * np.linalg.norm(pair[0]):
            chosen.append(pair)
    return chosen


def smallest_rotation(body: np.ndarray, space: np.ndarray) -> np.ndarray:
    """The rotation R of smallest angle with ``R body = space`` (up to length)."""
    g, r = body / np.linalg.norm(body), space / np.linalg.norm(space)
    turn = np.eye(3)
    if g @ r < -0.5:
        # By half a turn about a perpendicular axis first, then by the small angle left.
        axis = np.cross(g, r)
        if np.linalg.norm(axis) < 1e-6:
            axis = np.cross(g, np.eye(3)[int(np.argmin(np.abs(g)))])
        axis /= np.linalg.norm(axis)
        turn = 2 * np.outer(axis, axis) - np.eye(3)
        g = turn @ g
    middle = (g + r) / np.linalg.norm(g + r)
    return (2 * np.outer(middle, middle) - np.eye(3)) @ (2 * np.outer(g, g) - np.eye(3)) @ turn


def _from_directions(pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """R with R^T a = A for two independent vectors, hence also for their cross product: (nt, 3, 3)."""
    (a, A), (b, B) = pairs
    space = np.stack([a, b, np.cross(a, b)], axis=1)
    body = np.stack([A, B, np.cross(A, B, axis=0)], axis=1)
    # R^T space = body.
    return np.linalg.solve(space.T, np.moveaxis(body, 2, 0).transpose(0, 2, 1))


def _frame_turns(flow: Flow, of: int, time: np.ndarray) -> np.ndarray:
    """Attitudes (nt, 3, 3) of the axes that states are seen from, which are those of space at time zero."""
    system: Any = flow.system
    rate = np.zeros(3)
    for frame in (f for f in system.mechanism.seen_from if f.of == of):
        rate = np.array([float(e.subs({s: flow.params[s.name] for s in e.free_symbols})) for e in frame.rate])
    generator = np.cross(np.eye(3), rate)
    return np.array([exp_action(t * generator, np.eye(3)) for t in time])


def _initial(
    system: ReducedSystem, of: int, x: np.ndarray, R0: np.ndarray | None, frame: np.ndarray
) -> np.ndarray:
    pairs = _directions(system, of, x[:, :1])
    if R0 is None:
        if len(pairs) == 2:
            return frame @ _from_directions(pairs)[0]
        return smallest_rotation(pairs[0][1][:, 0], pairs[0][0]) if pairs else np.eye(3)
    R = finite_array("R0", R0, (3, 3))
    defect = float(np.max(np.abs(R.T @ R - np.eye(3))))
    if defect > _AGREES or np.linalg.det(R) < 0:
        raise InputError(
            f"R0 is not a rotation: |R0^T R0 - I| = {defect:.3g}, det R0 = {np.linalg.det(R):.6g}; "
            "scipy.spatial.transform.Rotation.from_matrix(R0).as_matrix() gives the nearest one"
        )
    for space, body in pairs:
        difference = float(np.max(np.abs(R.T @ frame @ space - body[:, 0])))
        if difference > _AGREES * float(np.linalg.norm(space)):
            raise InputError(
                f"R0 disagrees with the initial state: R0^T {space.tolist()} differs from "
                f"{body[:, 0].tolist()} by {difference:.3g}; leave R0 out, or turn it"
            )
    return R


def _further_states(
    flow: Flow,
    by: type[Engine],
    time: np.ndarray,
    x: np.ndarray,
    of: int,
    R0: np.ndarray | None,
    moving: bool,
) -> np.ndarray:
    """Rows R (9; none where R0 is None) and, if `moving`, x - x(0) at the times of the run: (.., nt)."""
    system: Any = flow.system
    g, factor = system.graph, system.mechanism.algebra.factors[of - 1]

    def linear_forms(rows: Rows) -> list[Node]:
        return [g.add([c * v for c, v in zip(row, system.assembly.xi, strict=False)]) for row in rows]

    more: list[tuple[Node, Node]] = []
    Y = linear_forms(_velocity(factor)) if moving else []
    if R0 is not None:
        R = [[g.symbol(f"attitude {of} {i}{j}", STATE) for j in range(3)] for i in range(3)]
        w = linear_forms(factor.spin)
        more += [
            (row[j], row[(j + 1) % 3] * w[(j + 2) % 3] - row[(j + 2) % 3] * w[(j + 1) % 3])
            for row in R
            for j in range(3)
        ]
        Y = [g.add([r * y for r, y in zip(row, Y, strict=True)]) for row in R] if moving else []
    more += [(g.symbol(f"position {of} {i}", STATE), rate) for i, rate in enumerate(Y)]
    start = np.concatenate([x[:, 0], [] if R0 is None else R0.ravel(), np.zeros(len(Y))])
    if time.size < 2:
        return start[system.nstates :, None]
    extended = Flow(
        system=system,
        drive=flow.drive,
        params=flow.params,
        x0=start,
        times=time,
        rtol=flow.rtol,
        more=tuple(more),
        follow=(time, x),
    )
    return followed_states(extended, by)[system.nstates :]


def attitude(
    flow: Flow, by: type[Engine], time: np.ndarray, x: np.ndarray, R0: np.ndarray | None, of: int
) -> np.ndarray:
    """Rotation matrices (nt, 3, 3) of a factor; see `Trajectory.attitude`."""
    system: Any = flow.system
    _factor(system, of, "rotation")
    turns = _frame_turns(flow, of, time)
    start = _initial(system, of, x, R0, turns[0])
    pairs = _directions(system, of, x)
    if len(pairs) == 2:
        return turns @ _from_directions(pairs)
    return _further_states(flow, by, time, x, of, start, moving=False).T.reshape(-1, 3, 3)


def displacement(
    flow: Flow, by: type[Engine], time: np.ndarray, x: np.ndarray, R0: np.ndarray | None, of: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """Way of the frame's origin (nt, 3) and rotation matrices (nt, 3, 3); of R^k (nt, k) and None."""
    system: Any = flow.system
    factor = _factor(system, of, "translation")
    if factor.spin is None:
        if R0 is not None:
            raise InputError(f"factor {of} ({factor.name}) has no rotations; leave R0 out")
        return _further_states(flow, by, time, x, of, None, moving=True).T, None
    start = _initial(system, of, x, R0, _frame_turns(flow, of, time[:1])[0])
    values = _further_states(flow, by, time, x, of, start, moving=True)
    return values[9:].T, values[:9].T.reshape(-1, 3, 3)


def contact_vector(system: ReducedSystem, x: np.ndarray, params: dict[str, float]) -> np.ndarray:
    """Body components (nt, 3) of the vector from the frame's origin to the point of contact."""
    contact = system.mechanism.contact
    if contact is None:
        raise InputError(
            "this mechanism declares no point of contact; describe it with contact=(c1, c2, c3), the body "
            "components of the vector from the frame's origin"
        )
    a = system.assembly
    program = system.program(a.restrict([a.configuration(e) for e in contact]))
    return program(system.arguments_at(0.0, x, None), params).T
