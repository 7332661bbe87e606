"""A certificate's text to plain data: closed sets of keys, names and kinds, and sizes bounded before use.

Nothing of a file is executed, imported or rendered. The shapes here and those of theorems are the whole
language of certificates; what they do not name is refused with the path of the first fault.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flint import fmpq

from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import ROOTS, number_text, rational

FORMAT, VERSION = "geoctrl-certificate", 3
REPORT = "geoctrl-report"
EARLIER = {
    FORMAT: "geoctrl certify {model} --at FAMILY --out FILE",
    "geoctrl-map": "geoctrl map {model} --at FAMILY --x ... --y ... --certificate FILE",
    "geoctrl-sublevel": "gc.region_of_attraction(...).to_json(FILE)",
    "geoctrl-attraction": "gc.region_of_attraction(...).to_json(FILE)",
    "geoctrl-slopes": "gc.region_of_attraction(...).to_json(FILE)",
}
"""What makes files anew that have the formats of earlier releases."""
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


def double(value: Any) -> float | None:
    """A finite double, of what is told and not computed with."""
    return float(value) if type(value) in (int, float) and abs(value) < 1e300 else None


def one_of(*values: Any) -> Callable[[Any], Any]:
    """Reader of one of some values."""
    return lambda value: value if any(type(value) is type(v) and value == v for v in values) else None


def above_zero(value: Any) -> fmpq | None:
    """A rational that is positive."""
    read = rational(value)
    return read if read is not None and read > 0 else None


# -- shapes: [shape] a list, (shape, ...) a list of that length, {...: shape} any keys, "key?" optional ----

place = integer(0, ENTRIES)
NODES: dict[str, Any] = {
    "num": (one_of("num"), number_text),
    "sym": (one_of("sym"), label, one_of("state", "input", "parameter", "unknown", "family")),
    "fun": (one_of("fun"), one_of(*FUNCTIONS), [place]),
    "prod": (one_of("prod"), rational, [(place, integer(-EXPONENT, EXPONENT))]),
    "sum": (one_of("sum"), [(place, place)]),
}
EQUATIONS: dict[str, Any] = {
    "nodes": lambda value, path: _nodes(value, path),
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

OVER_A_SET = {"name": label, "domain": [place], "limits": {...: {"input": place, "bound": above_zero}}}
"""What is asked for over a set of states: that some functions are positive, and others within bounds."""
FILE = {
    "format": one_of(FORMAT),
    "version": one_of(VERSION),
    "software": label,
    "system": label,
    "roots?": [number_text],
    "spin?": (double, double, double),
    "problem": EQUATIONS,
    "witness": WITNESS,
    "theorem": lambda value: value if isinstance(value, dict) else None,
    "digest": label,
}


def require_this_format(data: dict[str, Any]) -> None:
    """Refuse reports and files of other releases, with what makes them anew."""
    form, version = str(data.get("format")), data.get("version")
    if form == REPORT:
        told = (label(data.get("verdict")) or "it")[:60]
        raise Refusal(f"{told} is a report and no proof: there is nothing to confirm")
    if form in EARLIER and type(version) is int and version < VERSION:
        name = data.get("system")
        plain = isinstance(name, str) and re.fullmatch(r"\w[\w-]{0,80}", name, re.ASCII)
        model = name if plain else "MODEL"
        anew = EARLIER[form].format(model=model)
        raise Refusal(f"it was written in an earlier format ({version}); make it anew: {anew}", "version")


def conform(value: Any, shape: Any, path: str = "") -> Any:
    """The value with its numbers read, refused where it has not the shape."""
    if isinstance(shape, dict) and isinstance(value, dict) and len(value) <= ENTRIES:
        known = {key.rstrip("?"): s for key, s in shape.items() if key is not ...}
        unknown = [k for k in value if (... not in shape and k not in known) or label(k) is None]
        if faults := [*unknown, *(k for k in known if k in shape and k not in value)]:
            raise Refusal(f"the key {faults[0][:60]!r} is unknown, or missing", path)
        shapes = {k: known.get(k, shape.get(...)) for k in value}
        return {k: conform(v, shapes[k], f"{path}.{k[:60]}".lstrip(".")) for k, v in value.items()}
    if isinstance(value, list) and len(value) <= ENTRIES:
        parts = shape * len(value) if isinstance(shape, list) else shape if isinstance(shape, tuple) else ()
        if len(parts) == len(value) and not callable(shape):
            return [conform(v, parts[i], f"{path}[{i}]") for i, v in enumerate(value)]
    if callable(shape):
        read = shape(value, path) if shape.__code__.co_argcount == 2 else shape(value)
        if read is not None:
            return read
    raise Refusal(f"{str(value)[:60]!r} is not what belongs here, or is too large", path)


def _nodes(value: Any, path: str) -> list[tuple]:
    """The table of nodes: each refers to earlier ones alone, so that it is finite and without circles."""
    table, names = [], set()
    for i, node in enumerate(conform(value, [lambda v: v if isinstance(v, list) and v else None], path)):
        kind, *parts = conform(node, NODES.get(str(node[0]), ()), f"{path}[{i}]")
        again = kind == "sym" and parts[0] in names
        short = kind == "fun" and len(parts[1]) != FUNCTIONS[parts[0]]
        if again or short or any(j >= i for j in children((kind, *parts))):
            raise Refusal(
                "its arguments are not those that come before it, or it stands twice", f"{path}[{i}]"
            )
        names |= {parts[0]} if kind == "sym" else set()
        table.append((kind, *parts))
    return table


def children(node: tuple) -> list[int]:
    """Places of the nodes that a node is made of."""
    kind, *parts = node
    if kind == "prod":
        return [j for j, _ in parts[1]]
    return parts[1] if kind == "fun" else [j for pair in parts[0] for j in pair] if kind == "sum" else []


def digest_of(data: dict[str, Any]) -> str:
    """SHA-256 of the content without its digest, in canonical form: it tells a file that was damaged."""
    body = {k: v for k, v in data.items() if k != "digest"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def load(path: str | Path) -> Any:
    """The JSON value in a regular file of bounded size; duplicate keys, NaN and infinities are refused."""
    status = Path(path).stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > BYTES:
        raise Refusal(f"not a regular file of at most {BYTES} bytes")
    try:
        text = Path(path).read_bytes().decode("utf-8")
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_distinct)
    except (ValueError, RecursionError) as error:
        raise Refusal(f"not a JSON file: {str(error)[:200]}") from error


def _distinct(pairs: Any) -> dict[str, Any]:
    if isinstance(pairs, str) or len(dict(pairs)) != len(pairs):
        raise Refusal("an object has a key twice, or a number is none of JSON")
    return dict(pairs)
