"""Straight lines handed to LLVM compute what Python computes of the same source."""

import ast
import math
from textwrap import indent

import numpy as np
import pytest
from numba import config, float64, int64

from geoctrl.stepping.compiled.compiled import compile_source, functions_of_kernels, is_compiled
from geoctrl.stepping.compiled.llvm_lines import tree_with_calls

SIGNATURE = float64(float64[:, ::1], float64[::1], int64[::1], float64[:, ::1])
HEAD = "def f(z, data, index, out):\n"


def lookup(data, i):
    return data[i] + 0.25


def as_python(source, *arguments):
    """What Python makes of a kernel."""
    plain = {
        "f_sin": math.sin,
        "f_sqrt": math.sqrt,
        "f_atan2": math.atan2,
        "f_sign": lambda x: float(x > 0) - float(x < 0),
        "f_select_positive": lambda c, a, b: a if c > 0 else b,
    }
    namespace = {"lookup": lookup, "np": np, **plain}
    exec(source, namespace)
    return namespace["f"](*arguments)


def random_lines(rng, count):
    """Assignments, sums, stores and loads in any order."""
    names, lines = ["a", "b"], ["a = z[0, 1]", "b, c = data[2], data[3]"]
    names.append("c")

    def term():
        kind = rng.integers(7)
        if kind == 0:
            return f"{rng.normal():.3f}"
        if kind == 1:
            return f"z[{rng.integers(3)}, {rng.integers(3)}]"
        if kind == 2:
            return f"out[{rng.integers(3)}, {rng.integers(3)}]"
        return str(rng.choice(names))

    def value():
        kind = rng.integers(7)
        x, y, w = term(), term(), term()
        return [
            f"{x} * {y} - {w}",
            f"-({x}) + 0.5 * {y}",
            f"{x} / (2 + {y} * {y}) + {w}",
            f"f_sin({x}) * {y}",
            f"f_atan2({x}, 1.5) - f_sqrt({y} * {y})",
            f"f_select_positive({x}, {y}, {w}) + f_sign({y})",
            f"2 * {x}",
        ][kind]

    for k in range(count):
        kind = rng.integers(5)
        if kind == 0:
            lines.append(f"out[{rng.integers(3)}, {rng.integers(3)}] = {value()}")
        elif kind == 1:
            lines.append(f"out[{rng.integers(3)}, {rng.integers(3)}] += {value()}")
        elif kind == 2:
            lines.append(f"{rng.choice(names)} = {value()}")
        else:
            lines.append(f"t{k} = {value()}")
            names.append(f"t{k}")
    return "".join(f"{line}\n" for line in lines), names


def both(source):
    """Results of Python and of machine code at the same numbers."""
    rng = np.random.default_rng(5)
    z, data, index = rng.normal(size=(3, 3)), rng.normal(size=9), np.array([2, 0, 1], dtype=np.int64)
    found = []
    for run in (lambda *x: as_python(source, *x), compile_source(source, "f", SIGNATURE, lookup=_lookup())):
        out = np.ones((3, 3))
        found.append((run(z, data, index, out), out))
    return found


def _lookup():
    from numba import njit

    return njit(lookup)


def assert_same(source):
    (expected, stored), (found, written) = both(source)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(written, stored, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("seed", range(12))
def test_random_lines(seed):
    lines, names = random_lines(np.random.default_rng(seed), 25)
    total = " + ".join(names)
    assert_same(HEAD + indent(lines, "    ") + f"    return {total}\n")


def test_names_are_carried_around_loops():
    lines = "s = 0.0\ng = 1.0\nx = 0.5\ny = 0.25\n"
    body = (
        "x = y * 0.5\nr = index[i]\ny = x + z[r, 1]\ns += y * z[r + 1 - 1, 2]\ng = g * 0.9 + s\nw = g + x\n"
    )
    body = body.replace("r + 1 - 1", "r")
    source = HEAD + indent(
        lines + "for i in range(3):\n" + indent(body, "    ") + "return s + g + w\n", "    "
    )
    assert_same(source)


def test_rows_of_arrays_are_no_numbers():
    lines = "p = z[0]\nq = z[1]\na = p[0] * q[1]\nb = a + p[2]\nc = b * b\nd = c - q[0]\nreturn d\n"
    assert_same(HEAD + indent(lines, "    "))


def test_all_values_of_a_tuple_are_taken_before_any_is_assigned():
    lines = "a, b = z[0, 0], z[0, 1]\nc = 1.0\na, b = b, a\nd = a - c\ne = d * b\ng = e + d\n"
    assert_same(HEAD + indent(lines + "return a + 2 * b + g\n", "    "))


def test_pure_calls_go_before_loads_and_never_before_stores():
    calls = "x2 = lookup(data, 1)\nx3 = lookup(data, 2)\n"
    lines = "x0 = z[0, 0]\nx1 = z[1, 1]\n" + calls + "t0 = x0 * x2\nt1 = t0 + x3\nout[0, 0] = t1 - x1\n"
    source = HEAD + indent(lines + "return t1\n", "    ")
    tree, made = tree_with_calls(source, functions_of_kernels(), ("lookup",))
    assert len(made) == 1
    statements = [type(node).__name__ for node in tree.body[0].body]
    assert statements == ["Assign", "Assign", "Assign", "Return"]
    assert_same(source)
    changed = lines.replace("x2 = lookup", "data[1] = 4.0\nx4 = x0 * x1\nx2 = lookup")
    source = HEAD + indent(changed + "return t1 + x4\n", "    ")
    tree, made = tree_with_calls(source, functions_of_kernels(), ("lookup",))
    assert len(made) == 1  # of the lines before the calls, which read what the third has stored
    assert [type(node).__name__ for node in tree.body[0].body][:3] == ["Assign"] * 3
    assert_same(source)


def test_few_lines_are_left_as_they_are():
    source = HEAD + "    a = z[0, 0]\n    return a\n"
    tree, made = tree_with_calls(source, functions_of_kernels(), ())
    assert not made
    assert ast.unparse(tree) == ast.unparse(ast.parse(source))


def test_python_runs_the_source_where_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(config, "DISABLE_JIT", True)
    lines = "a = z[0, 0]\nb = a * 2.0\nc = b + a\nd = c * c\nreturn d\n"
    kernel = compile_source.__wrapped__(HEAD + indent(lines, "    "), "f", SIGNATURE)
    assert not is_compiled(kernel)
    assert kernel(np.full((1, 1), 2.0), np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros((1, 1))) == 36.0
