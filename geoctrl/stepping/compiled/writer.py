"""Source of kernels from recorded expressions.

Every kernel reads its numbers from two arrays that are filled for each set of parameters: `data` (the
parameters, constants of the expressions, other numbers) and `index` (integers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import indent

import numpy as np
from numba import float64, int64

from geoctrl._scalars import STATE, Graph, Node, Program

__all__ = [
    "ARRAY",
    "INDEX",
    "MATRIX",
    "KernelWriter",
    "components",
    "function",
    "matrix_kernel",
    "statements",
    "unpack",
]

MATRIX, ARRAY, INDEX = float64[:, ::1], float64[::1], int64[::1]


class KernelWriter:
    """Collects expressions of one system and writes kernels that read them.

    Parameters
    ----------
    parameters : mapping name -> node
    """

    def __init__(self, graph: Graph, parameters: Mapping[str, Node]) -> None:
        self.graph, self.parameters = graph, dict(parameters)
        self._programs: list[tuple[int, Program]] = []
        self._fixed: list[tuple[int, np.ndarray]] = []
        self._size = len(self.parameters)  # first come the parameters themselves
        self._index: list[np.ndarray] = []
        self._index_size = 0

    def program(self, arguments: Sequence[Node], outputs: Sequence[Node]) -> tuple[Program, str]:
        """A program, and the line that unpacks its constants."""
        made = Program(self.graph, arguments, self.parameters, outputs)
        start, count = self._size, len(made.tape.constants)
        self._programs.append((start, made))
        self._size += count
        names = ", ".join(f"c{i}" for i in range(count))
        values = ", ".join(f"data[{start + i}]" for i in range(count))
        return made, f"{names} = {values}\n" if count else ""

    def numbers(self, array: np.ndarray) -> int:
        """Place of an array of numbers in `data`."""
        start = self._size
        self._fixed.append((start, np.asarray(array, dtype=float).ravel()))
        self._size += array.size
        return start

    def indices(self, array: np.ndarray) -> int:
        """Place of an array of integers in `index`."""
        start = self._index_size
        self._index.append(array.ravel().astype(np.int64))
        self._index_size += array.size
        return start

    def symbols(self, names: Sequence[str]) -> list[Node]:
        """State-level symbols of the graph."""
        return [self.graph.symbol(name, STATE) for name in names]

    def fill(self, params: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        """`data` and `index` for a set of parameters; of a caller's own, for lists are kept in them."""
        data = np.zeros(max(1, self._size))
        data[: len(self.parameters)] = [params[name] for name in self.parameters]
        for start, program in self._programs:
            constants = program.constants(params)
            data[start : start + len(constants)] = constants
        for start, array in self._fixed:
            data[start : start + array.size] = array
        index = np.concatenate(self._index) if self._index else np.zeros(1, dtype=np.int64)
        return data, index


def statements(program: Program) -> str:
    """The program's lines."""
    return "".join(f"{line}\n" for line in program.statements)


def unpack(names: Sequence[str]) -> str:
    """Lines that give x0, x1, ... the values named."""
    return "".join(f"x{i} = {name}\n" for i, name in enumerate(names))


def components(name: str, rows: int) -> list[str]:
    """name[0, 0], name[0, 1], ... of an array (rows, 3)."""
    return [f"{name}[{i}, {k}]" for i in range(rows) for k in range(3)]


def function(head: str, *bodies: str) -> str:
    """Source of a function."""
    return f"def {head}:\n" + "".join(indent(body, "    ") for body in bodies)


def matrix_kernel(
    writer: KernelWriter, arguments: Sequence[tuple[Node, str]], rows: Sequence[Sequence[Node]], head: str
) -> str:
    """Source of a kernel that writes a matrix of nodes to ``out``."""
    outputs = [node for row in rows for node in row]
    program, constants = writer.program([node for node, _ in arguments], outputs)
    width = len(rows[0])
    stores = "".join(
        f"out[{i // width}, {i % width}] = {result}\n" for i, result in enumerate(program.results)
    )
    names = unpack([name for _, name in arguments])
    return function(head, constants, names, statements(program), stores)
