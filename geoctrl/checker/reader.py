"""A certificate's text to plain data: closed sets of keys, names and kinds, and sizes bounded before use.

Nothing of a file is executed, imported or rendered. The shapes here and those of theorems are the whole
language of certificates; what they do not name is refused with the path of the first fault.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from geoctrl.checker.limits import Refusal, require
from geoctrl.checker.numbers import ROOTS, number_text, rational

FORMAT, VERSION = "geoctrl-certificate", 3
BYTES, ENTRIES, EXPONENT, LETTERS = 4_000_000, 20_000, 64, 2_000
FUNCTIONS = {"sqrt": 1, "sin": 1, "cos": 1, "exp": 1, "log": 1, "atan": 1, "select": 3, "quadrature": 3}
"""Names of functions with their numbers of arguments.

select(c, a, b) is a where c > 0 and b where c < 0; quadrature(a, b, s) = int_0^s dt/(a t^2 + b).
"""


# -- single values: each returns what it read or None -----------------------------------------------------


def label(value: Any) -> str | None:
    """A name that can be printed, of bounded length."""
    return value if isinstance(value, str) and value.isprintable() and len(value) <= LETTERS else None


def integer(low: int, high: int) -> Callable[[Any], int | None]:
    """Reader of a whole number within bounds."""
    return lambda value: value if type(value) is int and low <= value <= high else None


def one_of(*values: Any) -> Callable[[Any], Any]:
    """Reader of one of some values."""
    return lambda value: value if any(type(value) is type(v) and value == v for v in values) else None


# -- shapes: [shape] a list, (shape, ...) a list of that length, {...: shape} any keys, "key?" optional; a
# -- node has the shape of its kind, which is its first entry

place = integer(0, ENTRIES)
NODES: dict[str, Any] = {
    "num": (one_of("num"), number_text),
    "sym": (one_of("sym"), label, one_of("state", "input", "parameter", "unknown", "family")),
    "fun": (one_of("fun"), one_of(*FUNCTIONS), [place]),
    "prod": (one_of("prod"), rational, [(place, integer(-EXPONENT, EXPONENT))]),
    "sum": (one_of("sum"), [(place, place)]),
}
EQUATIONS: dict[str, Any] = {
    "nodes": [NODES],
    "states": {...: number_text},
    "inputs": {...: number_text},
    "parameters": {...: rational},
    "unknowns": [label],
    "matrix": [(place, place, place)],
    "right": [place],
    "field": [place],
    "leaf": {...: place},
    "invariants": {...: place},
    "weights": {...: [place]},
}
COFACTORS: Any = [(lambda v: label(v) if isinstance(v, str) else integer(-ROOTS, ENTRIES)(v), place)]
"""A relation, by its name or the place of its function, that of the k-th root of numbers as -k; the place of
what it is multiplied by."""
WITNESS = {
    "roots": [(place, number_text)],
    "inverse": [[number_text]],
    "cofactors": {...: COFACTORS},
}

FILE = {
    "format": one_of(FORMAT),
    "version": one_of(VERSION),
    "software": label,
    "system": label,
    "roots?": [number_text],
    "spin?": (rational, rational, rational),
    "problem": EQUATIONS,
    "witness": WITNESS,
    "digest": label,
}
"""What stands in a file besides its ``theorem``."""


def conform(value: Any, shape: Any, path: str = "") -> Any:
    """The value with its numbers read, refused where it has not the shape."""
    if callable(shape) and (read := shape(value)) is not None:
        return read
    if isinstance(value, dict) and isinstance(shape, dict) and len(value) <= ENTRIES:
        known = {key.rstrip("?"): s for key, s in shape.items() if key is not ...}
        unknown = [k for k in value if (... not in shape and k not in known) or label(k) is None]
        if faults := [*unknown, *(k for k in known if k in shape and k not in value)]:
            raise Refusal(f"the key {faults[0][:60]!r} is unknown, or missing", path)
        return {
            k: conform(v, known.get(k, shape.get(...)), f"{path}.{k[:60]}".lstrip("."))
            for k, v in value.items()
        }
    if isinstance(value, list) and len(value) <= ENTRIES:
        kind = NODES.get(str(value[0]) if value else "") if shape is NODES else shape
        parts = kind * len(value) if isinstance(kind, list) else kind
        if isinstance(parts, list | tuple) and len(parts) == len(value):
            made = tuple if shape is NODES else list
            return made(conform(v, parts[i], f"{path}[{i}]") for i, v in enumerate(value))
    raise Refusal(f"{str(value)[:60]!r} is not what belongs here, or is too large", path)


def require_table(nodes: Sequence[tuple]) -> None:
    """Each node is made of earlier ones alone, so that it is finite and without circles."""
    for i, node in enumerate(nodes):
        if (node[0] == "fun" and len(node[2]) != FUNCTIONS[node[1]]) or max(children(node), default=-1) >= i:
            raise Refusal("its arguments are not those that come before it", f"problem.nodes[{i}]")


def children(node: tuple) -> list[int]:
    """Places of the nodes that a node is made of."""
    kind, *parts = node
    if kind == "prod":
        return [j for j, _ in parts[1]]
    return parts[1] if kind == "fun" else [j for pair in parts[0] for j in pair] if kind == "sum" else []


def load(path: str | Path) -> Any:
    """The JSON value in a regular file of bounded size; duplicate keys, NaN and infinities are refused."""
    status = Path(path).stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > BYTES:
        raise Refusal(f"not a regular file of at most {BYTES} bytes")
    try:
        return json.loads(
            Path(path).read_bytes().decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_distinct
        )
    except (ValueError, RecursionError) as error:
        raise Refusal(f"not a JSON file: {str(error)[:200]}") from error


def _distinct(pairs: Any) -> dict[str, Any]:
    require(
        not isinstance(pairs, str) and len(dict(pairs)) == len(pairs),
        "an object has a key twice, or a number is none of JSON",
    )
    return dict(pairs)
