"""For every test: one thread of BLAS; sympy may not evaluate text as a program, as inside containers."""

import gc
import os

# Before numpy is loaded: threads of BLAS that wait for each other's small matrices take most of the time of
# processes that share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Before sympy is: it remembers a thousand answers of each function, and forgets those of a system while the
# tests ask of it. More take a twentieth less time.
os.environ.setdefault("SYMPY_CACHE_SIZE", "100000")

import pytest
import sympy.physics.units  # noqa: F401, it evaluates text of its own when `solve` loads it
from flint import ctx
from sympy.parsing import sympy_parser


class EvaluatedError(BaseException):
    """Text reached sympy's parser; no `except Exception` may hide it."""


@pytest.fixture(autouse=True)
def _no_text_is_evaluated(monkeypatch):
    def refuse(code, *_):
        raise EvaluatedError(f"sympy was about to evaluate {code!r}")

    monkeypatch.setattr(sympy_parser, "eval_expr", refuse)


@pytest.fixture(autouse=True)
def _numbers_of_flint_stay():
    """What a function changes for itself of python-flint's precision would change answers of all others."""
    before = ctx.prec, ctx.cap
    yield
    assert (ctx.prec, ctx.cap) == before, "bits of balls or terms of series were left changed"


collect_ignore = ["attack"]  # a program: `python -m tests.attack`


# Trees of expressions are no garbage: searches for it at the usual counts took another twentieth.
gc.set_threshold(1_000_000, 20, 100)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """A file leaves systems, millions of objects: a search for garbage in them took a tenth of the time."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items):
    """Systems are slow to build and are remembered by each process: the tests of a file run in one.

    A file whose tests build many systems says itself which tests go together.
    """
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(item.location[0]))
