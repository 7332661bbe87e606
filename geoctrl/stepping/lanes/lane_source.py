"""Kernels of lanes: the stages of a step with the method's coefficients, and a system's equations.

Dormand-Prince 8(5,3) with Hairer's error and his states within a step, as in [HNW93, II.10].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from numba import float64, int64, types

from geoctrl._scalars import Program
from geoctrl.stepping.compiled.compiled import Kernel, compile_source, pointer
from geoctrl.stepping.lanes.row_lines import row_lines
from geoctrl.stepping.lanes.rows import (
    ARGUMENT,
    BLOCK,
    ERROR3,
    ERROR5,
    LARGEST,
    NEW,
    NEW_TIME,
    RATE,
    SIZE,
    SLOPE,
    STAGE,
    STAGE_TIME,
    STEP,
    TAKEN,
    TIME,
    TOLERANCE,
    VALUE,
    VECTOR,
    WITHIN,
    X,
    event_place,
    number_place,
    state_place,
)

__all__ = ["EQUATIONS", "ROWS", "STAGES", "compiled_equations", "compiled_stages"]

ROWS = types.CPointer(float64)
"""What holds all rows: a bare pointer, of which nobody counts references at each call."""

EQUATIONS = types.void(ROWS, int64)
STAGES = types.void(pointer(EQUATIONS), ROWS, int64, int64)
"""The last argument says how many lanes are used, a multiple of `VECTOR`."""


class _Source:
    """Source of a kernel of lines on rows, whose products may be fused with sums."""

    def __init__(self, head: str, fused: bool = False) -> None:
        self._head, self._lines, self._fused = head, [f"def {head}:"], fused
        self._functions: dict[str, Any] = {}

    def over_lanes(self, *lines: str, indent: str = "    ", first: str = "0") -> None:
        """Take lines for all lanes; they stand in the source too, by which kernels are known."""
        name = f"rows_{len(self._functions)}"
        self._functions[name] = row_lines(lines, self._fused)
        self._lines += [f"{indent}# {line}" for line in lines]
        self._lines.append(f"{indent}for q in range({first}, {first} + lanes, {VECTOR}):")
        self._lines.append(f"{indent}    {name}(w, q)")

    def over_states(self, *lines: str) -> None:
        """Take lines for all lanes of all n states."""
        self._lines.append(f"    for p in range(0, {BLOCK} * n, {BLOCK}):")
        self.over_lanes(*lines, indent="        ", first="p")

    def evaluate(self) -> None:
        """Ask the field at what stands in the rows of arguments."""
        self._lines.append("    field(w, lanes)")

    def kernel(self, signature: Any) -> Kernel:
        """The kernel compiled, or read from disk."""
        source = "\n".join(self._lines) + "\n"
        return compile_source(source, self._head.partition("(")[0], signature, **self._functions)


def _row(row: int) -> str:
    """A row of the state whose block follows the place p."""
    return f"w[p + {BLOCK + row}]"


def _row_of_state_before(row: int) -> str:
    """The same of the state before; of the first block to begin with."""
    return f"w[p + {row}]"


def _larger(a: str, b: str) -> str:
    return f"f_select_positive({a} - {b}, {a}, {b})"


def _sum(coefficients: Sequence[float]) -> list[str]:
    """Lines that put a sum of the rates of stages into s."""
    terms = [f"{float(c)!r} * {_row(STAGE[k])}" for k, c in enumerate(coefficients, start=1) if c]
    return [f"s = {terms[0]}", *(f"s = s + {term}" for term in terms[1:])]


def _write_stage(source: _Source, k: int, coefficients: Sequence[float], node: float, *first: str) -> None:
    """Keep the rates of the stage before, and evaluate the field where stage k has it."""
    source.over_lanes(f"w[p + {STAGE_TIME}] = w[p + {TIME}] + {float(node)!r} * w[p + {STEP}]")
    source.over_states(
        *first,
        f"{_row(STAGE[k - 1])} = {_row(RATE)}",
        *_sum(coefficients),
        f"{_row(ARGUMENT)} = {_row(X)} + {_row(STEP)} * s",
    )
    source.evaluate()


def _step() -> _Source:
    """A step from the state and its rates."""
    from scipy.integrate import DOP853

    source = _Source("stages(field, w, n, lanes)", fused=True)
    source.over_lanes(f"w[p + {ERROR5}] = 0.0", f"w[p + {ERROR3}] = 0.0", f"w[p + {LARGEST}] = 0.0")
    for k in range(2, 13):
        first = [f"{_row(STEP)} = {_row_of_state_before(STEP)}"] if k == 2 else []
        _write_stage(source, k, DOP853.A[k - 1, : k - 1], DOP853.C[k - 1], *first)
    source.over_lanes(f"w[p + {STAGE_TIME}] = w[p + {NEW_TIME}]")
    source.over_states(
        f"{_row(STAGE[12])} = {_row(RATE)}",
        *_sum(DOP853.B),
        f"s = {_row(X)} + {_row(STEP)} * s",
        f"{_row(NEW)} = s",
        f"{_row(ARGUMENT)} = s",
    )
    source.evaluate()
    errors = []
    for row, coefficients in ((ERROR5, DOP853.E5), (ERROR3, DOP853.E3)):
        errors += [*_sum(coefficients), "s = s / scale", f"{_row(row)} = {_row_of_state_before(row)} + s * s"]
    source.over_states(
        f"{_row(STAGE[13])} = {_row(RATE)}",
        f"a = f_abs({_row(X)})",
        f"b = f_abs({_row(NEW)})",
        f"scale = {_row(TOLERANCE)} * ({_row(SIZE)} + {_larger('a', 'b')})",
        *errors,
        f"a = {_row_of_state_before(LARGEST)}",
        f"b = b / {_row(SIZE)}",
        f"{_row(LARGEST)} = {_larger('a', 'b')}",
    )
    return source


def _inner_states() -> _Source:
    """Three stages more, and the states within the step that was taken."""
    from scipy.integrate import DOP853

    source = _Source("within(field, w, n, lanes)", fused=True)
    for k, (row, node) in enumerate(zip(DOP853.A_EXTRA, DOP853.C_EXTRA, strict=True), start=14):
        _write_stage(source, k, row[: k - 1], node)
    last = []
    for row, coefficients in zip(WITHIN[3:], DOP853.D, strict=True):
        last += [*_sum(coefficients), f"{_row(row)} = h * s"]
    source.over_states(
        f"{_row(STAGE[16])} = {_row(RATE)}",
        f"h = {_row(STEP)}",
        f"d = {_row(NEW)} - {_row(X)}",
        f"a = h * {_row(STAGE[1])}",
        f"b = h * {_row(STAGE[13])}",
        f"{_row(WITHIN[0])} = d",
        f"{_row(WITHIN[1])} = a - d",
        f"{_row(WITHIN[2])} = 2.0 * d - (a + b)",
        *last,
    )
    return source


def _move() -> _Source:
    """States and rates at the end of steps that count, elsewhere those at their beginning."""
    source = _Source("move(field, w, n, lanes)")
    source.over_states(
        f"taken = {_row_of_state_before(TAKEN)}",
        f"{_row(TAKEN)} = taken",
        f"{_row(X)} = f_select_positive(taken, {_row(NEW)}, {_row(X)})",
        f"{_row(RATE)} = f_select_positive(taken, {_row(STAGE[13])}, {_row(STAGE[1])})",
    )
    return source


@cache
def compiled_stages() -> tuple[Kernel, ...]:
    """What takes a step with its errors, writes the states within it, and moves on: for any system."""
    return tuple(source.kernel(STAGES) for source in (_step(), _inner_states(), _move()))


def compiled_equations(field: Program, watch: Program, extra: int) -> tuple[Kernel, Kernel]:
    """A system's field, and its events with their rates, at what stands in the rows of arguments.

    Parameters
    ----------
    field : Program
        Of states, time and further numbers, that many.
    watch : Program
        The events and their gradients by states and time, of the same.
    """
    n, m = len(field.tape.outputs), len(watch.tape.outputs)
    g = m // (n + 2)
    constants = len(field.tape.constants)
    first = constants + len(watch.tape.constants)
    arguments = [state_place(j) + ARGUMENT for j in range(n)]
    arguments += [STAGE_TIME, *(number_place(n, g, first + k) for k in range(extra))]

    def kernel(program: Program, begin: int, stores: list[str]) -> Kernel:
        places = {f"x{k}": place for k, place in enumerate(arguments)}
        places |= {f"c{k}": number_place(n, g, begin + k) for k in range(len(program.tape.constants))}
        reads = [f"{name} = w[p + {place}]" for name, place in places.items()]
        source = _Source("equations(w, lanes)")
        source.over_lanes(*reads, *program.statements, *stores)
        return source.kernel(EQUATIONS)

    rates = [f"w[p + {state_place(j) + RATE}] = {r}" for j, r in enumerate(field.results)]
    moving = [*(f"w[p + {state_place(j) + RATE}]" for j in range(n)), "1.0"]
    watched = []
    for k in range(g):
        place, slopes = event_place(n, k), watch.results[g + k * (n + 1) : g + (k + 1) * (n + 1)]
        terms = [f"{slope} * {rate}" for slope, rate in zip(slopes, moving, strict=True) if slope != "0.0"]
        watched.append(f"w[p + {place + VALUE}] = {watch.results[k]}")
        watched.append(f"w[p + {place + SLOPE}] = {' + '.join(terms) or '0.0'}")
    return kernel(field, 0, rates), kernel(watch, constants, watched)
