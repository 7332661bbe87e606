"""Casimirs of coupled bodies: those of each body's algebra and of its attitude, at sizes in use."""

from __future__ import annotations

import time

import sympy as sp

import geoctrl as gc
from geoctrl.systems.casimirs import casimirs


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
