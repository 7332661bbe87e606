"""Straight lines of a kernel, handed to LLVM as they are.

The source of a kernel is mostly assignments of floats, hundreds of them. numba infers a type and looks up an
operator for each, which takes far longer than to compile them. Here every run of such lines becomes one call
of a function that numba only has to ask for its result, and that writes the instructions itself. The order of
the lines and of the operations in them stays, so that the numbers are those of the source.

Loads and stores are those of arrays of doubles in C order, at indices that are not negative.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic

__all__ = ["tree_with_calls"]

SHORTEST = 4
"""Lines of a run: fewer are numba's own."""

_OPERATIONS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}


def tree_with_calls(
    source: str, functions: Mapping[str, Any], pure: Sequence[str]
) -> tuple[ast.Module, dict]:
    """The tree of a source with its straight lines replaced by calls, and what these calls name.

    Parameters
    ----------
    functions : mapping str -> function
        What lines may call, of floats.
    pure : sequence of str
        Functions whose calls may go before loads that stand above them.
    """
    tree = ast.parse(source)
    rewriter = _Rewriter(tree, functions, frozenset(pure))
    tree = ast.fix_missing_locations(rewriter.visit(tree))
    return tree, rewriter.made


class _Run:
    """Lines that follow each other, and what goes before them."""

    def __init__(self) -> None:
        self.before: list[ast.stmt] = []
        self.lines: list[tuple[ast.expr, ast.expr]] = []
        self.given: list[ast.stmt] = []  # the lines as they stand in the source
        self.assigned: list[str] = []
        self.read: list[str] = []  # names that have a value before
        self.stores = False

    def add(self, statement: ast.stmt, lines: list[tuple[ast.expr, ast.expr]]) -> None:
        self.given.append(statement)
        for target, value in lines:
            for name in (*_names(value), *(() if isinstance(target, ast.Name) else _names(target))):
                if name not in self.assigned and name not in self.read:
                    self.read.append(name)
            if isinstance(target, ast.Name):
                if target.id not in self.assigned:
                    self.assigned.append(target.id)
            else:
                self.stores = True
            self.lines.append((target, value))


class _Rewriter(ast.NodeTransformer):
    def __init__(self, tree: ast.Module, functions: Mapping[str, Any], pure: frozenset[str]) -> None:
        self._functions, self._pure = functions, pure
        self.made: dict[str, Any] = {}
        self._used: dict[str, int] = {}
        self._arrays: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                self._arrays.add(node.value.id)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                self._used[node.id] = self._used.get(node.id, 0) + 1

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.Module):
                setattr(node, field, self._block(block))
        return node

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        run = _Run()
        for statement in statements:
            lines = self._lines(statement)
            if lines is not None:
                run.add(statement, lines)
            elif run.lines and self._goes_before(statement, run):
                run.before.append(statement)
            else:
                result += self._call(run)
                result.append(statement)
                run = _Run()
        return result + self._call(run)

    def _goes_before(self, statement: ast.stmt, run: _Run) -> bool:
        """Whether a statement is the call of a pure function of what the run does not change."""
        if run.stores or not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            return False
        called, (target, *others) = statement.value.func, statement.targets
        if others or not isinstance(target, ast.Name) or not isinstance(called, ast.Name):
            return False
        touched = {*_names(statement.value), target.id}
        return called.id in self._pure and touched.isdisjoint({*run.assigned, *run.read})

    def _lines(self, statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]] | None:
        """Pairs of target and value of a line that is straight, None of any other."""
        if isinstance(statement, ast.AugAssign):
            total = ast.BinOp(_target_value(statement.target), statement.op, statement.value)
            pairs: list[tuple[ast.expr, ast.expr]] = [(statement.target, total)]
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            (target,), value = statement.targets, statement.value
            if isinstance(target, ast.Tuple):
                if not isinstance(value, ast.Tuple) or len(value.elts) != len(target.elts):
                    return None
                names = {name for element in target.elts for name in _names(element)}
                if names & set(_names(value)):  # all values are taken before any is assigned
                    return None
                pairs = list(zip(target.elts, value.elts, strict=True))
            else:
                pairs = [(target, value)]
        else:
            return None
        return pairs if all(self._target(t) and self._value(v) for t, v in pairs) else None

    def _target(self, node: ast.expr) -> bool:
        """Whether a double is assigned: a row of an array has entries somewhere."""
        return _is_entry(node) or (isinstance(node, ast.Name) and node.id not in self._arrays)

    def _value(self, node: ast.expr) -> bool:
        """Whether an expression is of floats, entries of arrays, operations and known functions."""
        if isinstance(node, ast.Name):
            return node.id not in self._arrays
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int | float) and not isinstance(node.value, bool)
        if isinstance(node, ast.BinOp):
            return type(node.op) in _OPERATIONS and self._value(node.left) and self._value(node.right)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub) and self._value(node.operand)
        if isinstance(node, ast.Call):
            known = isinstance(node.func, ast.Name) and node.func.id in self._functions
            return known and not node.keywords and all(map(self._value, node.args))
        return _is_entry(node)

    def _call(self, run: _Run) -> list[ast.stmt]:
        """The statements that stand for a run."""
        if len(run.lines) < SHORTEST:
            return [*run.before, *run.given]
        within: dict[str, int] = {}
        for statement in run.given:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    within[node.id] = within.get(node.id, 0) + 1
        # A name that the run reads before it assigns it is carried around a loop.
        kept = [n for n in run.assigned if n in run.read or self._used.get(n, 0) > within.get(n, 0)]
        name = f"straight_{len(self.made)}"
        self.made[name] = _function(run.lines, tuple(run.read), tuple(kept), self._functions)
        arguments: list[ast.expr] = [ast.Name(n, ast.Load()) for n in run.read]
        call = ast.Call(ast.Name(name, ast.Load()), arguments, [])
        if not kept:
            return [*run.before, ast.Expr(call)]
        targets: list[ast.expr] = [ast.Name(n, ast.Store()) for n in kept]
        target = targets[0] if len(kept) == 1 else ast.Tuple(targets, ast.Store())
        return [*run.before, ast.Assign([target], call)]


def _is_entry(node: ast.expr) -> bool:
    """Whether it is an entry of an array at indices that are numbers, names, or sums of the two."""
    if (
        not isinstance(node, ast.Subscript)
        or not isinstance(node.value, ast.Name)
        or node.value.id == "index"
    ):
        return False
    return all(map(_is_index, _indices(node)))


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _is_index(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add | ast.Mult) and _is_index(node.left) and _is_index(node.right)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) is int)


def _names(node: ast.AST) -> list[str]:
    """Names of values in an expression, in the order of their appearance; those of functions are none."""
    if isinstance(node, ast.Call):
        return [name for part in node.args for name in _names(part)]
    if isinstance(node, ast.Name):
        return [node.id]
    return [name for part in ast.iter_child_nodes(node) for name in _names(part)]


def _target_value(target: ast.expr) -> ast.expr:
    """What a target holds."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    return target


def _function(
    lines: Sequence[tuple[ast.expr, ast.expr]],
    read: tuple[str, ...],
    kept: tuple[str, ...],
    functions: Mapping[str, Any],
) -> Any:
    """The function of the names ``read`` that runs the lines and returns those ``kept``."""

    def typing_of_line(*given):
        for name, kind in zip(read, given, strict=True):
            plain = isinstance(kind, types.Float | types.Integer)
            if not plain and not (
                isinstance(kind, types.Array) and kind.dtype == types.float64 and kind.layout == "C"
            ):
                raise TypingError(f"{name} of a straight line is neither a number nor an array of doubles")
        result: Any = types.float64 if kept else types.none
        if len(kept) > 1:
            result = types.UniTuple(types.float64, len(kept))

        def code_of_line(context, builder, signature, values):
            code = _Code(
                context, builder, dict(zip(read, zip(signature.args, values, strict=True), strict=True))
            )
            for target, value in lines:
                code.assign(target, code.value(value, functions))
            if not kept:
                return context.get_dummy_value()
            found = [code.float(name) for name in kept]
            return found[0] if len(kept) == 1 else context.make_tuple(builder, signature.return_type, found)

        return result(*given), code_of_line

    return intrinsic(_with_arguments(typing_of_line, len(read)))


def _with_arguments(function: Callable, count: int) -> Callable:
    """The same of so many arguments with names: numba counts them."""
    names = "".join(f", a{i}" for i in range(count))
    namespace: dict[str, Any] = {"function": function}
    exec(f"def straight(typing{names}):\n    return function({names[2:]})\n", namespace)
    return namespace["straight"]


class _Code:
    """Instructions of one run, and the values that its names have so far."""

    def __init__(self, context: Any, builder: Any, values: dict[str, tuple[Any, Any]]) -> None:
        self.context, self.builder, self.values = context, builder, values
        self._arrays: dict[str, Any] = {}

    def float(self, name: str) -> Any:
        """The double of a name."""
        kind, value = self.values[name]
        return self.context.cast(self.builder, value, kind, types.float64)

    def assign(self, target: ast.expr, value: Any) -> None:
        """Give a name or an entry its value."""
        if isinstance(target, ast.Name):
            self.values[target.id] = types.float64, value
        else:
            self.builder.store(value, self._entry(target))

    def value(self, node: Any, functions: Mapping[str, Any]) -> Any:
        """The double of an expression."""
        if isinstance(node, ast.Constant):
            number: Any = node.value
            return ir.Constant(ir.DoubleType(), float(number))
        if isinstance(node, ast.Name):
            return self.float(node.id)
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left, functions), self.value(node.right, functions)
            return getattr(self.builder, _OPERATIONS[type(node.op)])(left, right)
        if isinstance(node, ast.UnaryOp):
            return self.builder.fneg(self.value(node.operand, functions))
        if isinstance(node, ast.Call):
            called: Any = node.func
            return self._call(functions[called.id], [self.value(a, functions) for a in node.args])
        return self.builder.load(self._entry(node))

    def _call(self, function: Any, arguments: list[Any]) -> Any:
        if function is math.sqrt:
            return self.builder.call(self._square_root(), arguments)
        typing, given = self.context.typing_context, (types.float64,) * len(arguments)
        kind = typing.resolve_value_type(function)
        signature = kind.get_call_type(typing, given, {})
        called = self.context.get_function(kind, signature)
        self.context.add_linking_libs(getattr(called, "libs", ()))
        return called(self.builder, arguments)

    def _square_root(self) -> Any:
        return self.builder.module.declare_intrinsic("llvm.sqrt", [ir.DoubleType()])

    def _entry(self, node: Any) -> Any:
        """The place of an entry in memory."""
        name = node.value.id
        kind, value = self.values[name]
        if name not in self._arrays:
            self._arrays[name] = self.context.make_array(kind)(self.context, self.builder, value)
        at = [self._index(i) for i in _indices(node)]
        return cgutils.get_item_pointer(self.context, self.builder, kind, self._arrays[name], at)

    def _index(self, node: Any) -> Any:
        if isinstance(node, ast.Constant):
            return self.context.get_constant(types.intp, node.value)
        if isinstance(node, ast.BinOp):
            write = self.builder.add if isinstance(node.op, ast.Add) else self.builder.mul
            return write(self._index(node.left), self._index(node.right))
        kind, value = self.values[node.id]
        return self.context.cast(self.builder, value, kind, types.intp)
