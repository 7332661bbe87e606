"""Straight lines on rows of lanes, as instructions on vectors: nothing is left to what a compiler sees."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from geoctrl.stepping.compiled.compiled import functions_of_kernels
from geoctrl.stepping.lanes.rows import VECTOR

__all__ = ["row_lines"]

_OPERATIONS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
_DOUBLE = ir.DoubleType()
_ROW = ir.VectorType(_DOUBLE, VECTOR)


def row_lines(lines: Sequence[str], fused: bool = False) -> Callable[..., Any]:
    """The function ``(w, p)``, w a pointer, that runs lines on `VECTOR` lanes.

    Lines are assignments of names and of ``w[place]``, the row of lanes that begins there: a place is a
    number, p, or the sum of both. Values are rows too; numbers and functions are taken lane by lane. Where
    they are ``fused``, products that are added are not rounded by processors that have such an instruction:
    zeros stay zeros, but a difference of equal products does not.
    """
    parsed = [statement for line in lines for statement in ast.parse(line).body]

    @intrinsic
    def lines_on_rows(_typing, w, p):  # noqa: ARG001
        def code(context, builder, _signature, given):
            data, place = given
            rows = _Rows(context, builder, data, place, ("contract",) if fused else ())
            for statement in parsed:
                rows.assign(statement)
            return context.get_dummy_value()

        return types.none(w, types.intp), code

    return lines_on_rows


class _Rows:
    """Instructions of lines, and the rows that their names stand for so far."""

    def __init__(self, context: Any, builder: Any, data: Any, place: Any, flags: Sequence[str]) -> None:
        self._context, self._builder, self._data, self._place = context, builder, data, place
        self._flags = flags
        self._values: dict[str, Any] = {}

    def assign(self, statement: Any) -> None:
        """Give a name or a row its value."""
        (target,), value = statement.targets, self._value(statement.value)
        if isinstance(target, ast.Name):
            self._values[target.id] = value
        else:
            self._builder.store(value, self._row(target.slice), align=8)

    def _value(self, node: Any) -> Any:
        if isinstance(node, ast.Constant):
            number: Any = node.value
            return ir.Constant(_ROW, [float(number)] * VECTOR)
        if isinstance(node, ast.Name):
            return self._values[node.id]
        if isinstance(node, ast.BinOp):
            left, right = self._value(node.left), self._value(node.right)
            return getattr(self._builder, _OPERATIONS[type(node.op)])(left, right, flags=self._flags)
        if isinstance(node, ast.UnaryOp):
            return self._builder.fneg(self._value(node.operand))
        if isinstance(node, ast.Call):
            called: Any = node.func
            return self._call(called.id, [self._value(a) for a in node.args])
        return self._builder.load(self._row(node.slice), align=8)

    def _row(self, place: Any) -> Any:
        """Where the row of a place is in memory."""
        start = self._builder.gep(self._data, [self._index(place)], inbounds=True)
        return self._builder.bitcast(start, _ROW.as_pointer())

    def _index(self, node: Any) -> Any:
        if isinstance(node, ast.BinOp):
            return self._builder.add(self._index(node.left), self._index(node.right))
        return self._place if isinstance(node, ast.Name) else ir.Constant(self._place.type, node.value)

    def _call(self, name: str, arguments: list[Any]) -> Any:
        """A function of rows; where the processor has none, lane by lane."""
        builder = self._builder
        if name in ("f_sqrt", "f_abs"):
            whole = {"f_sqrt": "llvm.sqrt", "f_abs": "llvm.fabs"}[name] + f".v{VECTOR}f64"
            kind = ir.FunctionType(_ROW, [_ROW])
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, whole), arguments)
        if name in ("f_select_positive", "f_select_nonnegative"):
            sign, zero = ">" if name == "f_select_positive" else ">=", ir.Constant(_ROW, [0.0] * VECTOR)
            return builder.select(builder.fcmp_ordered(sign, arguments[0], zero), *arguments[1:])
        typing, given = self._context.typing_context, (types.float64,) * len(arguments)
        kind = typing.resolve_value_type(functions_of_kernels()[name])
        called = self._context.get_function(kind, kind.get_call_type(typing, given, {}))
        self._context.add_linking_libs(getattr(called, "libs", ()))
        result = ir.Constant(_ROW, ir.Undefined)
        for lane in range(VECTOR):
            at = ir.Constant(ir.IntType(32), lane)
            value = called(builder, [builder.extract_element(a, at) for a in arguments])
            result = builder.insert_element(result, value, at)
        return result
