"""The search for a family ends where one product would outlast all the time that it has."""

import time

import pytest
from flint import Ordering, fmpq_mpoly_ctx

from geoctrl.analysis.proofs.equilibrium_family import _substitution
from geoctrl.analysis.question.generators import NotSolved

RING = fmpq_mpoly_ctx.get(["x", "a", "b", "c", "d"], Ordering.lex)
X, A, B, C, D = RING.gens()


def test_a_substitution_leaves_out_powers_of_the_denominator():
    assert _substitution(X**2 + A, 0, B, C) == B**2 + A * C**2
    assert _substitution(X * C, 0, B, C) == B


def test_a_product_without_end_is_not_begun():
    """The power has C(184, 4) terms, some forty millions."""
    begin = time.process_time()
    with pytest.raises(NotSolved):
        _substitution(X**60 + A, 0, (A + B + C + D + 1) ** 3, RING.constant(1))
    assert time.process_time() - begin < 3
