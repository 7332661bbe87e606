"""Functions that numba cannot compile, for whatever reason it has, are run as Python."""

import numpy as np
import pytest
from numba import float64, njit

from geoctrl.stepping.compiled.bodies import PLACE
from geoctrl.stepping.compiled.compiled import compile_function, is_compiled, machine_code
from geoctrl.stepping.methods.methods import composition
from geoctrl.stepping.methods.variational import no_kinetics
from geoctrl.stepping.solvers import explicit
from tests.stepping.layouts import layout

LIMIT = 3.0


def plain(x):
    return 2 * x


def with_format(x):
    return 2 * x if f"{x:.3f}" else x


def with_import(x):
    import math

    return 2 * math.fabs(x)


def with_keywords(x, **options):
    return 2 * x


def with_cause(x):
    try:
        return 2 * x
    except ArithmeticError as error:
        raise ValueError(str(error)) from error


def with_global(x):
    global LIMIT
    LIMIT = 3.0
    return 2 * x


def with_class(x):
    class Inner:
        factor = 2

    return Inner.factor * x


def with_mixed_set(x):
    return 2 * x if len({1, "a"}) == 2 else x


def with_generator(x):
    return x + sum(x for _ in range(1))


def kernel(function):
    return compile_function(function, lambda f: lambda x: f(x), float64(float64))


@pytest.mark.parametrize(
    "function",
    [
        with_format,
        with_import,
        with_keywords,
        with_cause,
        with_global,
        with_class,
        with_mixed_set,
        with_generator,
        njit(with_format),
    ],
)
def test_what_does_not_compile_is_run_as_it_is(function):
    made = kernel(function)
    assert not is_compiled(made)
    assert made(1.5) == 3.0


@pytest.mark.parametrize("function", [plain, njit(plain)])
def test_what_compiles_is_compiled(function):
    made = kernel(function)
    assert is_compiled(made)
    assert made(1.5) == 3.0


@pytest.mark.parametrize("order", [[2], {}, "2", None, True, 3, np.array([2, 4])])
def test_orders_of_any_kind_are_refused_in_words(order):
    with pytest.raises(ValueError, match="order must be one of 2, 4, 6, 8"):
        composition(order)


def test_what_is_kept_for_loops_is_not_taken_for_what_python_calls():
    """Both are kept on disk, and read from it in turn; the first has no entry that Python could call."""
    solver, made = explicit.SOLVER, machine_code.__wrapped__
    for python in (False, True, False, True):
        rates = made(solver.rates, solver.rates_signature, python)
    L, w, none = np.array([[2.0, 4.0, 6.0]]), np.zeros((1, 3)), no_kinetics()
    system = explicit.Explicit(layout([PLACE]), np.array([2.0]))
    gap = rates(np.zeros((1, 3)), L, system, none, none, np.zeros(1), np.zeros(1, dtype=np.int64), w)
    assert w.tolist() == [[1.0, 2.0, 3.0]]
    assert gap == 1.0
