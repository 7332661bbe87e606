"""Roots of matrices of balls: matrices whose roots are known, wide and narrow, in any units; what touches the
axis is left open.
"""

import numpy as np
import pytest
from flint import arb, arb_mat, ctx, fmpq

from geoctrl.checker.limits import Refusal
from geoctrl.decisions.arithmetic.eliminations import left_of_axis
from geoctrl.decisions.questions.krawczyk_boxes import PRECISION
from geoctrl.decisions.questions.spectrum_in_balls import grows


def matrix(roots, radius, units=None, ones=0):
    """A similar matrix of roots, with ``ones`` above the diagonal: whole rows and columns are added."""
    n = len(roots)
    A = [[fmpq(int(c * 10**6), 10**6) if i == j else fmpq(0) for j in range(n)] for i, c in enumerate(roots)]
    for i in range(ones):
        A[i][i + 1] = fmpq(1)
    rng = np.random.default_rng(n)
    for j in rng.permutation(n):  # (1 + c e_j') A (1 - c e_j')
        c = [fmpq(int(k), 4) if i != j else fmpq(0) for i, k in enumerate(rng.integers(-2, 3, n))]
        A = [[a + k * b for a, b in zip(row, A[j], strict=True)] for k, row in zip(c, A, strict=True)]
        for row in A:
            row[j] -= sum((a * k for a, k in zip(row, c, strict=True)), fmpq(0))
    d = [fmpq(1)] * n if units is None else units
    entries = [arb(A[i][j] * d[i] / d[j]) for i in range(n) for j in range(n)]
    sizes = [d[i] / d[j] for i in range(n) for j in range(n)]
    return arb_mat(n, n, [c + arb(0, radius) * s for c, s in zip(entries, sizes, strict=True)])


MANY = np.linspace(-60, -0.5, 24)
UNITS = [fmpq(10) ** int(k) for k in np.random.default_rng(7).integers(-25, 25, 24)]


@pytest.mark.parametrize("units", [None, UNITS])
def test_many_roots_are_enclosed_where_the_table_of_routh_is_too_wide(units):
    with ctx.workprec(PRECISION):
        A = matrix(MANY, 1e-14, units)
        assert not left_of_axis(A.charpoly().coeffs()[::-1])
        findings = {}
        assert not grows(A, {}, findings)
        assert len(findings["rounded_polynomial"]) == 25
        with pytest.raises(Refusal, match="right of the axis"):
            grows(A, {"root": [0.5, 0.0]}, {})


@pytest.mark.parametrize("units", [None, UNITS])
def test_one_root_of_many_on_the_other_side_is_seen(units):
    with ctx.workprec(PRECISION):
        A = matrix([*MANY[:-1], 0.001], 1e-14, units)
        with pytest.raises(Refusal, match="left of the axis"):
            grows(A, {}, {})
        assert grows(A, {"root": [0.001, 0.0]}, {})


@pytest.mark.parametrize("radius", [1e-6, 1e-3])
def test_a_root_that_may_lie_on_the_axis_is_left_open(radius):
    with ctx.workprec(PRECISION):
        A = matrix([-3, -2, -1e-6], radius)
        for proposal in ({}, {"root": [1e-6, 0.0]}):
            with pytest.raises(Refusal, match="of the axis"):
                grows(A, proposal, {})


@pytest.mark.parametrize("units", [None, UNITS[:14]])
def test_a_cluster_that_no_digit_tells_apart_falls_by_a_form(units):
    """Fourteen times the root -1 in one chain: within 1e-9 of that matrix roots are a quarter apart."""
    with ctx.workprec(PRECISION):
        A = matrix([-1.0] * 14, 1e-9, units, ones=13)
        assert not left_of_axis(A.charpoly().coeffs()[::-1])
        assert not grows(A, {}, {})
        with pytest.raises(Refusal, match="left of the axis"):
            grows(matrix([-1.0] * 14, 1e-3, units, ones=13), {}, {})
