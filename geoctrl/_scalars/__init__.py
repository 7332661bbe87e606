"""The recording scalar and the arithmetics it is emitted to."""

from geoctrl._scalars.arithmetic.arithmetics import (
    FLOAT,
    RATIONAL,
    Arithmetic,
    NotRationalError,
    Program,
    evaluate,
)
from geoctrl._scalars.graph.graph import NUMBER, PARAMETER, STATE, Graph, Node
from geoctrl._scalars.text.numbers import exact, is_number, plain, real, shown
from geoctrl._scalars.text.symbolic import Quantity, Scalar, Vector
from geoctrl._scalars.text.sympy_bridge import FromSympy, expression, to_sympy, without_floats
from geoctrl._scalars.text.sympy_matrix import inverse_of, read_matrix

__all__ = [
    "FLOAT",
    "NUMBER",
    "PARAMETER",
    "RATIONAL",
    "STATE",
    "Arithmetic",
    "FromSympy",
    "Graph",
    "Node",
    "NotRationalError",
    "Program",
    "Quantity",
    "Scalar",
    "Vector",
    "evaluate",
    "exact",
    "expression",
    "inverse_of",
    "is_number",
    "plain",
    "read_matrix",
    "real",
    "shown",
    "to_sympy",
    "without_floats",
]
