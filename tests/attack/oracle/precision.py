"""What python-flint keeps for a whole process, for a part of a program alone."""

from collections.abc import Iterator
from contextlib import contextmanager

from flint import ctx

BITS = 256


@contextmanager
def exact_to(order: int) -> Iterator[None]:
    """Power series below an order, and roots of polynomials to so many bits."""
    before, ctx.cap = ctx.cap, order
    try:
        with ctx.workprec(BITS):
            yield
    finally:
        ctx.cap = before
