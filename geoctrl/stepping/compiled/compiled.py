"""Kernels: source or the user's functions, compiled by numba to one signature each.

A kernel is called through a pointer, so that the loops around it are compiled once for all systems and kept
on disk, and only the small kernels are compiled for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from numba import config, njit, prange, types
from numba.core.dispatcher import Dispatcher
from numba.extending import overload, register_jitable

from geoctrl._checks import as_python
from geoctrl.errors import InputError
from geoctrl.stepping.compiled import disk_cache
from geoctrl.stepping.compiled.llvm_lines import tree_with_calls

__all__ = [
    "Kernel",
    "Maker",
    "compile_function",
    "compile_source",
    "fields",
    "functions_of_kernels",
    "inner",
    "is_compiled",
    "loop_code",
    "machine_code",
    "pointer",
    "put",
    "row_of",
    "shared",
    "source_maker",
]

Kernel = Callable[..., Any]
Maker = Callable[[], Kernel]
"""What compiles a kernel when it is called: those that nobody asks for are never compiled."""

_ANY_ORDER: Any = {"reassoc", "contract", "nsz", "arcp"}
_LOOPS_ALONE: Any = {
    "comprehension": False, "reduction": False, "inplace_binop": False, "setitem": False, "numpy": False,
    "stencil": False, "fusion": False, "prange": True,
}  # fmt: skip
"""Of what numba can share among threads."""

_SAMPLES = ("sample",)
"""Functions that read arrays which no kernel writes."""

_MATH = ["sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh"]
_MATH += ["atanh", "exp", "log", "atan2"]


@cache
def functions_of_kernels() -> dict[str, Any]:
    """The functions that programs name, as compiled code can call them."""

    def sign(x):
        return float((x > 0) - (x < 0))

    def select_positive(c, a, b):
        return a if c > 0 else b

    def select_nonnegative(c, a, b):
        return a if c >= 0 else b

    def quadrature(a, b, s):
        z = a * s * s / b
        if abs(z) < 1e-3:
            total = 0.0
            for k in range(6, -1, -1):
                total = 1.0 / (2 * k + 1) - z * total
            return s / b * total
        root = math.sqrt(abs(z))
        return s / b * ((math.atan(root) if z > 0 else math.atanh(root)) / root)

    own = {f.__name__: njit(f) for f in (sign, select_positive, select_nonnegative, quadrature)}
    table = own | {name: getattr(math, name) for name in _MATH} | {"abs": abs}
    return {f"f_{name}": function for name, function in table.items()}


@lru_cache(maxsize=512)
def compile_source(
    source: str, name: str, signature: Any, fastmath: bool = False, parallel: bool = False, **names: Any
) -> Kernel:
    """The function ``name`` of some Python source, compiled to a signature; ``names`` are known in it.

    The same source is compiled once, and kept on disk: systems that differ in numbers share their kernels,
    which read the numbers from arrays. ``names`` are functions of this package. Division is the processor's
    (no check for zero), which lets loops vectorise; ``fastmath`` also lets sums be taken in any order. A
    ``parallel`` kernel shares its loops over ``prange`` among threads, in any other they are plain loops.
    """
    namespace = {
        "math": math,
        "np": np,
        "prange": prange,
        "__name__": __name__,
        **functions_of_kernels(),
        **names,
    }
    kind = signature, _ANY_ORDER if fastmath else False, _LOOPS_ALONE if parallel else False
    if parallel:  # numba names the functions that threads run by addresses, which processes may share
        return _kernel_of(source, name, *kind, namespace, None)
    path = disk_cache.place(source, name, str(signature), str(fastmath), *sorted(names))
    if path is not None:
        try:
            return _kernel_of(source, name, *kind, namespace, path)
        except Exception:  # a damaged file: whatever reading it raises
            disk_cache.forget(path)
    return _kernel_of(source, name, *kind, namespace, None)


def source_maker(source: str, name: str, signature: Any, **options: Any) -> Maker:
    """What makes the kernel that `compile_source` gives."""
    return cache(partial(compile_source, source, name, signature, **options))


def _kernel_of(
    source: str,
    name: str,
    signature: Any,
    fastmath: Any,
    parallel: Any,
    namespace: dict[str, Any],
    path: Path | None,
) -> Kernel:
    """The function of a source, read from or kept in the files of ``path`` if there is one."""
    lines: Any = source
    if not vars(config)["DISABLE_JIT"]:  # NUMBA_DISABLE_JIT: Python runs the source as it is
        lines, straight = tree_with_calls(source, functions_of_kernels(), _SAMPLES)
        namespace = namespace | straight
    exec(compile(lines, f"<geoctrl {name}>" if path is None else str(path), "exec"), namespace)
    function = namespace[name]
    if path is not None:
        # Machine code of different processes meets in one: there its name must be its own.
        function.__qualname__ = f"{name}_{path.stem}"
    make = njit(signature, error_model="numpy", fastmath=fastmath, parallel=parallel, cache=path is not None)
    return make(function)


def compile_function(
    function: Callable,
    wrap: Callable[[Callable], Callable],
    signature: Any,
    plain: Callable[[Callable], Callable] | None = None,
) -> Kernel:
    """``wrap(function)`` compiled to a signature, or ``plain(function)`` where numba cannot compile it.

    What numba raises then is of any kind: its own errors, and those of its compiler's insides.
    """
    try:
        inner = function if isinstance(function, Dispatcher) else njit(function)
        return njit(signature, error_model="numpy")(wrap(inner))
    except Exception:
        return (plain or wrap)(as_python(function))


_KERNEL: Any = {"cache": True, "error_model": "numpy"}
_LOOP: Any = _KERNEL | {"no_cfunc_wrapper": True}

inner = register_jitable(**_LOOP)
"""Decorator of functions that compiled code alone calls: they have no entry for Python, which costs as much
to compile as a short function itself, and Python runs them as they are written."""

shared = njit(**_LOOP)
"""Decorator of functions that both compiled code and Python call; none of them is a kernel, which would need
a third entry."""


def put(found: Any, out: np.ndarray) -> None:
    """``out[:] = found``: as it stands numba takes longer to compile it than most functions of users; where
    dimensions agree, this goes entry by entry. What is compiled for a type is kept on disk.
    """
    out[:] = found


@overload(put, strict=False, jit_options=_LOOP)
def _put(found: Any, out: Any) -> Callable[..., None]:
    if not (isinstance(found, types.Array) and found.ndim == out.ndim and found.ndim in (2, 3)):

        def whole(found, out):
            out[:] = found

        return whole

    def rows(found, out):
        n, m = found.shape
        if (n != 1 and n != out.shape[0]) or (m != 1 and m != out.shape[1]):
            raise InputError("what a function returned does not fit where it belongs")
        for i in range(out.shape[0]):
            for k in range(out.shape[1]):
                out[i, k] = found[i if n > 1 else 0, k if m > 1 else 0]

    def matrices(found, out):
        b, n, m = found.shape
        if (b != 1 and b != out.shape[0]) or (n != 1 and n != out.shape[1]) or (m != 1 and m != out.shape[2]):
            raise InputError("what a function returned does not fit where it belongs")
        for j in range(out.shape[0]):
            for i in range(out.shape[1]):
                for k in range(out.shape[2]):
                    out[j, i, k] = found[j if b > 1 else 0, i if n > 1 else 0, k if m > 1 else 0]

    return rows if found.ndim == 2 else matrices


@inner
def row_of(found):
    """The numbers that a function returned, of any shape, one after the other.

    What is compiled for a type of them is kept on disk: a function waits for itself alone.
    """
    return np.asarray(found).astype(np.float64).reshape(-1)


def fields(kind: type, *of: Any) -> Any:
    """The type of a NamedTuple ``kind`` with fields of the types ``of``, as numba tells it from values."""
    if len(set(of)) == 1:
        return types.NamedUniTuple(of[0], len(of), kind)
    return types.NamedTuple(of, kind)


@cache
def machine_code(function: Callable, signature: Any, python: bool = True) -> Kernel:
    """A kernel of this package compiled to a signature, once, and kept on disk beside its file.

    Without ``python`` it has no entry for Python, and must be called by compiled loops alone: such an entry
    takes the system apart, which costs as much to compile as the loop around a step.
    """
    if not python:
        # numba tells what it keeps on disk by names, not by entries: this is not to be taken for the other.
        function = FunctionType(function.__code__, function.__globals__, function.__name__)
        function.__qualname__ = f"{function.__name__}_for_loops"
    options: Any = _KERNEL | {"no_cpython_wrapper": not python}
    return njit(signature, **options)(function)


@cache
def loop_code(function: Callable, signature: Any) -> Callable:
    """A loop compiled to a signature, which Python alone calls, once, and kept on disk beside its file."""
    return njit(signature, **_LOOP)(function)


def is_compiled(kernel: Kernel) -> bool:
    """Whether a kernel can be called by compiled loops."""
    return isinstance(kernel, Dispatcher)


def pointer(signature: Any) -> Any:
    """The type that compiled loops give to an argument that is a kernel."""
    return types.FunctionType(signature)
