"""Rotors as velocities like any other: an abelian factor of the group."""

from __future__ import annotations

import sympy as sp

from geoctrl.algebra import product, rn
from geoctrl.systems.description import EulerPoincare
from geoctrl.systems.equations.frames import choose_frame

__all__ = ["with_rotor_velocities"]


def with_rotor_velocities(mechanism: EulerPoincare) -> EulerPoincare:
    """The mechanism with its rotors as an abelian factor of the group, their rates relative to the body."""
    rotors, group, k = mechanism.rotors, mechanism.group, len(mechanism.shape)
    if rotors is None:
        return mechanism
    n, s = mechanism.algebra.n - k, rotors.count
    spun = rn(s).relabelled(rotors.rate_labels, [f"p_{name}" for name in rotors.names])
    if group is not None:
        labels = (*group.labels, *spun.labels)
        spun = product(group, spun).relabelled(labels, (*group.momentum_labels, *spun.momentum_labels))

    def with_rotor_columns(matrix: sp.Matrix, *blocks: sp.Matrix) -> sp.Matrix:
        """Columns of the rotors put between those of the group and those of the shape."""
        return sp.Matrix.hstack(matrix[:, :n], *blocks, matrix[:, n:])

    G, coupling = sp.Matrix(mechanism.inertia), sp.Matrix(rotors.coupling)
    upper = with_rotor_columns(G, coupling)
    middle = with_rotor_columns(coupling.T, sp.Matrix(rotors.inertia))
    changes: dict = {"inertia": sp.Matrix.vstack(upper[:n, :], middle, upper[n:, :])}
    zero = sp.zeros(s, 1)
    if mechanism.forces is not None:
        changes["forces"] = list(with_rotor_columns(sp.Matrix(mechanism.forces).T, zero.T))
    if mechanism.gyroscopic is not None or any(rotors.gyroscopic):
        own = sp.zeros(1, n + k) if mechanism.gyroscopic is None else sp.Matrix(mechanism.gyroscopic).T
        changes["gyroscopic"] = list(with_rotor_columns(own, sp.Matrix(rotors.gyroscopic).T))
    forces = changes.get("forces", [sp.Integer(0)] * (mechanism.algebra.n + s))
    changes["forces"] = [*forces[:n], *rotors.torques, *forces[n + s :]]
    if mechanism.constraints is not None:
        psi = sp.Matrix(mechanism.constraints)
        rows = with_rotor_columns(psi, sp.zeros(psi.rows, s)).tolist()
        changes["constraints"] = dict(zip(mechanism.row_names, rows, strict=True))
    if mechanism.frame is not None:
        frame = choose_frame(mechanism).matrix
        top, bottom = frame[:n, :], frame[n:, :]
        E = sp.Matrix.vstack(top, sp.zeros(s, frame.cols), bottom)
        turning = sp.Matrix.vstack(sp.zeros(n, s), sp.eye(s), sp.zeros(k, s))
        changes["frame"] = sp.Matrix.hstack(E, turning)
        changes["velocities"] = (*mechanism.quasivelocity_labels, *rotors.rate_labels)
    if mechanism.reactions:
        changes["reactions"] = {
            name: list(with_rotor_columns(sp.Matrix(eta).T, zero.T))
            for name, eta in mechanism.reactions.items()
        }
    changes["friction"] = [
        f.with_rows(sp.Matrix.hstack(rows[:, :n], rows[:, n + k :], rows[:, n : n + k]))
        for f in mechanism.friction
        for rows in [sp.Matrix(f.with_rates(s, n + k).along)]
    ]
    return mechanism.replace(
        algebra=spun,
        rotors=None,
        inputs=(*mechanism.inputs, *rotors.inputs),
        **changes,
    )
