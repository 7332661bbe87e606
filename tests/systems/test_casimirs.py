"""Casimirs of coupled bodies: those of each body's algebra and of its attitude, at sizes in use."""

from __future__ import annotations

import time
from itertools import combinations_with_replacement

import sympy as sp

import geoctrl as gc
from geoctrl.systems.promises.casimirs import _generators, _kernel, _quadratic_kernel, casimirs


def ring(n):
    """n free bodies on SO(3)^n, neighbours coupled by their attitudes, the last with the first."""
    algebra = gc.product(*[gc.so3()] * n)
    vectors = [
        [
            gc.AdvectedVector(f"{'abc'[k]}{i}_", reference=[int(j == k) for j in range(3)], of=i + 1)
            for k in range(3)
        ]
        for i in range(n)
    ]
    potential = sum(
        sp.Add(*(x * y for x, y in zip(vectors[i][k].symbols, vectors[(i + 1) % n][k].symbols, strict=True)))
        for i in range(n)
        for k in range(3)
    )
    return gc.EulerPoincare(
        name=f"ring of {n}",
        algebra=algebra,
        advected=[v for body in vectors for v in body],
        inertia=sp.diag(*(sp.Rational(k % 3 + 4, 3) for k in range(3 * n))),
        potential=-potential,
    )


def test_a_ring_of_eight_bodies_is_searched_in_a_moment():
    mechanism = ring(8)
    start = time.process_time()
    found = casimirs(mechanism)
    # 0.2 s were measured; dense elimination takes minutes and gigabytes.
    assert time.process_time() - start < 5.0
    # With three vectors per body all functions conserved by every Lagrangian are leaf relations.
    assert found == {}
    assert list(mechanism.reduce().conserved()) == ["energy"]


def test_casimirs_of_two_bodies_are_those_of_each():
    algebra = gc.product(gc.so3(), gc.so3())
    gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1), of=2)
    mechanism = gc.EulerPoincare(
        algebra=algebra, advected=[gamma], inertia=sp.diag(1, 2, 3, 4, 5, 6), potential=gamma.symbols[2]
    )
    mu = algebra.mu
    expected = [
        mu[0] ** 2 + mu[1] ** 2 + mu[2] ** 2,
        sum(m * g for m, g in zip(mu[3:], gamma.symbols, strict=True)),
    ]
    assert sorted(map(str, casimirs(mechanism).values())) == sorted(map(str, expected))


def free(**more):
    """A body with the vertical in it, of a tensor that no Casimir knows of."""
    gamma = gc.AdvectedVector("Gamma")
    inertia = sp.Matrix([[4, 1, 0], [1, 5, 1], [0, 1, 6]])
    return gc.EulerPoincare(
        algebra=gc.so3(), advected=[gamma], inertia=inertia, potential=gamma.symbols[2], **more
    )


def test_constraints_of_numbers_leave_what_the_group_that_is_left_keeps():
    """A body held to turn about its third axis: height and distance of the vertical from it are kept."""
    found = casimirs(free(constraints=[[1, 0, 0], [0, 1, 0]]))
    # Gamma1^2 + Gamma2^2 is |Gamma|^2 without the square of the linear one.
    assert [str(e) for e in found.values()] == ["Gamma3"]
    system = free(constraints=[[1, 0, 0], [0, 1, 0]]).reduce()
    assert "Gamma3" in system.conserved()
    assert gc.check_invariant(system, "Gamma3").proved
    # Negative control: with one row the other velocities move it, and the area is no longer kept.
    assert casimirs(free(constraints=[[1, 0, 0]])) == {}
    assert len(casimirs(free())) == 1


def test_constraints_that_vary_leave_the_momenta_on_which_they_do_not_act():
    gamma = sp.symbols("Gamma1:4", real=True)
    algebra = gc.product(gc.so3(), gc.rn(2))
    mechanism = gc.EulerPoincare(
        algebra=algebra,
        advected=[gc.AdvectedVector("Gamma")],
        inertia=sp.diag(1, 2, 3, 4, 5) + sp.Matrix(5, 5, lambda i, j: int({i, j} == {2, 4})),
        constraints=[[*gamma, 1, 0]],
    )
    # The force of the row acts on the body and on the first translation.
    assert [str(e) for e in casimirs(mechanism).values()] == [str(algebra.mu[4])]
    system = mechanism.reduce()
    assert gc.check_invariant(system, algebra.mu[4]).proved
    assert not gc.check_invariant(system, algebra.mu[3]).proved


def test_a_relation_of_the_description_is_no_invariant_besides():
    system = gc.models.get("rigid-body-planar-pendulum")().reduce()
    assert list(system.candidate_invariants) == ["energy"]


def test_parts_that_no_field_moves_together_give_all_quadratic_forms():
    """A body with the vertical, a body without, and two translations, against all monomials at once."""
    algebra = gc.product(gc.so3(), gc.so3(), gc.rn(2))
    mechanism = gc.EulerPoincare(algebra=algebra, advected=[gc.AdvectedVector("Gamma")], inertia=sp.eye(8))
    fields, places = _generators(algebra, mechanism), range(11)
    everything = _kernel(list(combinations_with_replacement(places, 2)), fields)
    # mu . Gamma and |Gamma|^2, |mu|^2 of the other body, products of the momenta of both translations.
    assert len(everything) == 2 + 1 + 3
    assert _quadratic_kernel(places, fields) == everything
