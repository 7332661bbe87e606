"""Rigid bodies about fixed centres, coupled by a potential of their attitudes: SO(3)^n."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from geoctrl._checks import entries, require_choice, whole_number
from geoctrl._scalars import shown
from geoctrl.algebra import AdvectedVector, product, so3
from geoctrl.errors import ParameterError
from geoctrl.models.catalogue_parts import LLM18
from geoctrl.models.catalogue_solids import ACCENT, brick
from geoctrl.systems import EulerPoincare, Family, Parameter
from geoctrl.systems.parts.description_entries import attitude_spring
from geoctrl.systems.picture import Solid

__all__ = ["concentric_shells", "coupled_bodies"]

_MOST = 100


def concentric_shells() -> EulerPoincare:
    r"""Two shells about one centre with the potential ``U = K tr(I - R1^T R2)``.

    The source prints ``L = ... - K tr(R1^T R2 - I)``, by which equal attitudes are a maximum of the potential
    for K > 0; here they are the minimum. With ``Q = R1^T R2``

    .. math:: J_1 \dot\omega_1 = J_1 \omega_1 \times \omega_1 + K (Q - Q^T)^\vee, \qquad
        J_2 \dot\omega_2 = J_2 \omega_2 \times \omega_2 - K (Q - Q^T)^\vee

    (the turn Q between the two body frames leaves the axis of the moment alone). Invariants: the components
    in space of ``R1 J1 omega1 + R2 J2 omega2``. Families at rest with the first shell at R1 = I: "equal", and
    "half-turn", the second shell turned by pi about the axis n1, n2, n3. A common turn of both gives an
    equilibrium again, and in its direction the shells may drift: "equal" is stable only relative to a shell.
    """
    K = Parameter("K", 1.9, "J", "stiffness", positive=True)
    n = sp.Matrix(sp.symbols("n1:4", real=True))
    families = {
        "equal": Family(_attitudes([sp.eye(3), sp.eye(3)])),
        "half-turn": Family(_attitudes([sp.eye(3), 2 * n * n.T / n.dot(n) - sp.eye(3)]), symbols=list(n)),
    }
    return _bodies(
        2,
        lambda R: attitude_spring(K.symbol, *R),
        (K,),
        equilibria=families,
        source=f"{LLM18}, problem 6.15",
        name="concentric-shells",
    )


def coupled_bodies(
    n: int = 3,
    couplings: str = "ring",
    potential: Callable[[Sequence[sp.Matrix]], sp.Expr] | None = None,
    parameters: Sequence[Parameter] = (),
) -> EulerPoincare:
    r"""``L = sum_i (1/2 omega_i . J_i omega_i + a_i . omega_i) - U(R_1, .., R_n)``: n gyrostats.

    .. math::
        J_i \dot\omega_i = (J_i \omega_i + a_i) \times \omega_i
        + \sum_k r_{ik} \times \frac{\partial U}{\partial r_{ik}}

    Of the rows r_ik = R_i^T e_k of each R_i two are the advected vectors, the third is their cross product.
    The constant a_i enter the momentum, not the energy. By default
    ``U = sum_ij k_ij tr(I - R_i^T R_j)`` over the pairs of a ring or chain. Invariants: the total spatial
    momentum. Family "equal" of the default potential: all attitudes I, at rest.

    Parameters
    ----------
    n : int
        At least two.
    couplings : {"ring", "chain"}
    potential : callable, optional
        Takes the list of the n matrices R_i; the momentum is then conserved only where U depends on relative
        attitudes.
    parameters : sequence of Parameter
        What `potential` holds.
    """
    n = whole_number("n", n, 2, _MOST, ParameterError)
    require_choice("couplings", couplings, ("ring", "chain"), ParameterError)
    if potential is not None and not callable(potential):
        raise ParameterError(f"potential must be a function, got {shown(potential)}")
    pairs = [(i, i + 1) for i in range(n - 1)] + ([(0, n - 1)] if couplings == "ring" and n > 2 else [])
    own = potential is None
    if own:
        springs = [
            Parameter(
                f"k{i + 1}{j + 1}",
                round(1.3 + 0.4 * p, 1),
                "J",
                f"stiffness between bodies {i + 1} and {j + 1}",
            )
            for p, (i, j) in enumerate(pairs)
        ]
        parameters = springs

        def potential(R: Sequence[sp.Matrix]) -> sp.Expr:
            joined = zip(springs, pairs, strict=True)
            return sum(attitude_spring(k.symbol, R[i], R[j]) for k, (i, j) in joined)

    assert potential is not None
    return _bodies(
        n,
        potential,
        parameters,
        equilibria={"equal": Family(_attitudes([sp.eye(3)] * n))} if own else {},
        gyrostats=True,
        source=f"{LLM18}, problem 6.18",
        name="coupled-bodies",
    )


def _bodies(
    n: int,
    potential: Callable[[Sequence[sp.Matrix]], sp.Expr],
    parameters: Sequence[Parameter],
    gyrostats: bool = False,
    **rest: Any,
) -> EulerPoincare:
    algebra = product(*[so3()] * n)
    rows = [
        [AdvectedVector(f"{name}{i}_", reference=e, of=i) for name, e in (("a", (1, 0, 0)), ("b", (0, 1, 0)))]
        for i in range(1, n + 1)
    ]
    R = [sp.Matrix([a.symbols.T, b.symbols.T, a.symbols.cross(b.symbols).T]) for a, b in rows]
    components = [(i, k) for i in range(1, n + 1) for k in (1, 2, 3)]
    moments = [
        Parameter(
            f"J{i}{k}",
            round(0.8 + 0.2 * i + 0.04 * k + 0.15 * ((i + k) % 3), 2),
            "kg m^2",
            f"principal moment of inertia {k} of body {i}",
            positive=True,
        )
        for i, k in components
    ]
    linear = [
        Parameter(f"a{i}{k}", round(0.1 * (i + k) - 0.17 * (i * k % 3), 2), "kg m^2/s", f"a of body {i}, {k}")
        for i, k in components
        if gyrostats
    ]
    mu = [sp.Matrix(algebra.mu[3 * i : 3 * i + 3]) for i in range(n)]
    total = sum((Ri * m for Ri, m in zip(R, mu, strict=True)), sp.zeros(3, 1))
    return EulerPoincare(
        algebra=algebra,
        advected=[row for pair in rows for row in pair],
        inertia=sp.diag(*(p.symbol for p in moments)),
        gyroscopic=[p.symbol for p in linear] if gyrostats else None,
        potential=potential(R),
        invariants={f"momentum{k}": total[k - 1] for k in (1, 2, 3)},
        picture=[
            Solid(
                f"body {i}",
                brick([p.symbol for p in moments[3 * i - 3 : 3 * i]], opacity=0.8 if gyrostats else 0.35),
                of=i,
                # gyrostats in a row along axis 2 of space, seen from each; shells about one centre
                place=sp.Rational(3, 2) * (i - 1) * b.symbols if gyrostats else (0, 0, 0),
                colour=None if i % 2 else ACCENT,
            )
            for i, (_, b) in enumerate(rows, start=1)
        ],
        parameters=(*moments, *linear, *entries("parameters", parameters, ParameterError)),
        **rest,
    )


def _attitudes(turns: Sequence[sp.Matrix]) -> dict[str, sp.Expr]:
    """States of bodies at these attitudes: the first two rows of each."""
    return {
        f"{name}{i}_{k + 1}": R[row, k]
        for i, R in enumerate(turns, start=1)
        for row, name in enumerate("ab")
        for k in range(3)
    }
