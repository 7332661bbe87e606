"""A certificate's text to plain data: closed sets of keys, names and kinds, and sizes bounded before use.

Nothing of a file is executed, imported or rendered. The schemas here and in `kinds` are the whole language of
certificates; what they do not name is refused with the path of the first fault.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from flint import fmpq

from geoctrl.checker.limits import Refusal

FORMAT, VERSION = "geoctrl-certificate", 2
SERIES = 16  # powers
BYTES, ENTRIES, DIGITS, EXPONENT, LETTERS = 4_000_000, 20_000, 2_000, 64, 2_000
ROOTS = 4
"""Square roots that numbers may be made of: each doubles the rationals in a number."""

FUNCTIONS = {"sqrt": 1, "sin": 1, "cos": 1, "exp": 1, "log": 1, "atan": 1, "select": 3, "quadrature": 3}
"""Names of functions with their numbers of arguments.

select(c, a, b) is a where c > 0 and b where c < 0; quadrature(a, b, s) = int_0^s dt/(a t^2 + b).
"""


Terms = list[tuple[fmpq, tuple[int, ...]]]
"""A sum of rationals times roots, these by number."""


# -- single values: each returns what it read or None -----------------------------------------------------


def label(value: Any) -> str | None:
    """A name that can be printed, of bounded length."""
    return value if sentence(value) is not None and len(value) <= LETTERS else None


def sentence(value: Any) -> str | None:
    """A text that can be printed."""
    return value if isinstance(value, str) and value.isprintable() else None


_DIGITS = f"[0-9]{{1,{DIGITS}}}(/0*[1-9][0-9]{{0,{DIGITS}}})?"
_ANY = "[0-9]+(/0*[1-9][0-9]*)?"


def _sum_of(number: str) -> re.Pattern[str]:
    """Numbers times roots r1, r2, ... in a sum, ``1/2 - 3*r1*r2``."""
    term = rf"{number}(\*r[1-{ROOTS}]){{0,{ROOTS}}}"
    return re.compile(rf"-?{term}( [+-] {term}){{0,{(1 << ROOTS) - 1}}}", re.ASCII)


_BOUNDED, _UNBOUNDED = _sum_of(_DIGITS), _sum_of(_ANY)


def terms(text: str) -> Terms | None:
    """A number with roots, its rationals of any length."""
    if not _UNBOUNDED.fullmatch(text):
        return None
    parts = (part.split("*") for part in text.replace(" - ", " + -").split(" + "))
    return [(fmpq(c), tuple(int(r[1:]) for r in held)) for c, *held in parts]


def _rational(value: Any) -> fmpq | None:
    """'p' or 'p/q', read as a number."""
    return fmpq(value) if isinstance(value, str) and re.fullmatch(f"-?{_DIGITS}", value, re.ASCII) else None


def _number(value: Any) -> Terms | fmpq | None:
    """A rational, or a sum of rationals times roots."""
    if (read := _rational(value)) is not None:
        return read
    return terms(value) if isinstance(value, str) and _BOUNDED.fullmatch(value) else None


def _exact(value: Any) -> str | None:
    """A number of any length, kept as text: it is compared with what the checker finds."""
    return value if isinstance(value, str) and terms(value) is not None else None


def _integer(low: int, high: int) -> Callable[[Any], int | None]:
    return lambda value: value if type(value) is int and low <= value <= high else None


def _float(value: Any) -> float | None:
    return float(value) if type(value) in (int, float) and abs(value) < 1e300 else None


def one_of(*values: Any) -> Callable[[Any], Any]:
    """Reader of one of some values."""
    return lambda value: value if any(type(value) is type(v) and value == v for v in values) else None


# -- the schema: [shape] a list, (shape, ...) a list of that length, {...: shape} any keys, "key?" optional
# ------

_place = _integer(0, ENTRIES)


def _bits(value: Any) -> int | list[int] | None:
    """The exponent of a box's radius 2^-bits, or one for each state and multiplier."""
    if isinstance(value, list) and len(value) <= ENTRIES:
        read = [_integer(-1000, 1000)(v) for v in value]
        return None if None in read else value
    return _integer(1, 200)(value)


_NODES = {
    "num": (one_of("num"), _rational),
    "sym": (one_of("sym"), label, one_of("state", "input", "parameter", "unknown", "family")),
    "fun": (one_of("fun"), one_of(*FUNCTIONS), [_place]),
    "prod": (one_of("prod"), _rational, [(_place, _integer(-EXPONENT, EXPONENT))]),
    "sum": (one_of("sum"), [(_place, _place)]),
}
FALL = {
    "function": _place,
    "weights": [_place],
    "sense": one_of(1, -1),
    "squares": [{"factor": _place, "square": _place}],
}
EQUATIONS = {
    "kind": one_of("equations"),
    "nodes": lambda value, path: nodes_after((), value, path),
    "roots?": [_number],
    "states": {...: _number},
    "inputs": {...: _number},
    "parameters": {...: _rational},
    "unknowns": [label],
    "matrix": [(_place, _place, _place)],
    "right": [_place],
    "field": [_place],
    "leaf": {...: _place},
    "invariants": {...: _place},
    "weights": {...: [_place]},
    "consequences?": [{...: _place}],
    "shape?": {"velocity": label, "slopes": {...: _place}, "rates": {...: [_place]}},
    "falling?": {
        "function": _place,
        "weights": [_place],
        "sense": one_of(1, -1),
        "squares": [
            {
                "factor": _place,
                "square": _place,
                "root?": _place,
                "cofactor?": _place,
                "power?": _integer(1, EXPONENT),
                "parts?": [{"factor": _place, "square": _place}],
            }
        ],
        "chain?": [
            {
                "function": _place,
                "weights": [_place],
                "power": _integer(1, EXPONENT),
                "unit": _place,
                "terms": [(_place, _place)],
                "rates": [(_place, _place)],
            }
        ],
    },
    "growing?": {
        "function": _place,
        "weights": [_place],
        "factor": _place,
        "self": _integer(0, EXPONENT),
        "rising": [{"power": _integer(1, EXPONENT), "conserved?": {...: _exact}, "fall?": FALL}],
        "squares": FALL["squares"],
        "order": _integer(1, SERIES),
        "arc": {...: [(_integer(1, SERIES), _exact)]},
    },
    "family?": {
        "symbols": {...: _rational},
        "states": [_place],
        "unknowns": [_place],
        "rates?": [_place],
    },
    "symmetries?": [{"turns": [(label, label, _rational)], "shifts": {...: _rational}}],
    "degenerate?": _integer(2, SERIES),
    "critical?": _integer(2, SERIES),
    "focus?": {"levels": [label]},
    "drift?": {
        "constant": label,
        "drifting": label,
        "power": _integer(1, EXPONENT),
        "slope": _place,
    },
    "enclosed?": {"omitted": [label]},
    "idle?": {"dropped": [label]},
    "box?": {"held": [label], "omitted": [label], "bits": _bits},
    "spin?": (_float, _float, _float),
}
HELD = {key: EQUATIONS[key] for key in (*list(EQUATIONS)[1:13], "consequences?", "family?", "box?")} | {
    "kind": one_of("held"),
    "held": {
        "hold": _rational,
        "late": _integer(0, EXPONENT),
        "part": _rational,
        "commands": {...: _place},
        "own": {...: _place},
        "rest": [([_place], [_place])],
    },
}
EVIDENCE = {
    **{f"{key}?": [label] for key in ("conserved", "shape_integrals", "zero_modes")},
    **{f"{key}?": [_exact] for key in ("characteristic_polynomial_on_leaf", "reduced_polynomial")},
    **{f"{key}?": [[_exact]] for key in ("kernel", "restricted_hessian")},
    "dependent_gradients?": [label],
    "rounded_polynomial?": [_float],
    "multipliers?": {...: _exact},
    "root?": (_float, _float),
    "inertia?": (_place, _place, _place),
    "hessian?": label,
    "family_dimension?": _place,
    "falling_multipliers?": {...: _exact},
    "nothing_stays?": label,
    "held?": [label],
    "dissipation_induced?": _place,
    "lyapunov?": [[lambda value: None if _rational(value) is None else value]],
    "multiplier?": (_float, _float),
    "fixed_dimension?": _place,
    "lowest_power?": _place,
    "lowest_form?": [_exact],
    "lyapunov_coefficient?": _exact,
    "orbit_dimension?": _place,
    "orbit_directions?": [label],
    "orbit_multipliers?": {...: _exact},
    "drifting?": [label],
}


def conform(value: Any, shape: Any, path: str = "") -> Any:
    """The value with its numbers read, refused where it has not the shape."""
    if isinstance(shape, dict) and isinstance(value, dict) and len(value) <= ENTRIES:
        if any(label(key) is None for key in value):
            raise Refusal("a key is no label", path)
        if ... in shape:
            return {k: _entry(v, shape[...], path, f".{k[:60]}") for k, v in value.items()}
        known = {key.rstrip("?"): s for key, s in shape.items()}
        for key in [
            *(k for k in value if k not in known),
            *(k for k in shape if k not in value and k[-1] != "?"),
        ]:
            raise Refusal(f"the key {key[:60]!r} is {'missing' if key in known else 'unknown'}", path)
        return {k: conform(v, known[k], f"{path}.{k}".lstrip(".")) for k, v in value.items()}
    if isinstance(shape, list) and isinstance(value, list) and len(value) <= ENTRIES:
        return [_entry(v, shape[0], path, i) for i, v in enumerate(value)]
    if isinstance(shape, tuple) and isinstance(value, list) and len(value) == len(shape):
        return [_entry(v, s, path, i) for i, (v, s) in enumerate(zip(value, shape, strict=True))]
    if callable(shape):
        structured = shape.__code__.co_argcount == 2
        read = shape(value, path) if structured else shape(value)
        if read is not None:
            return read
    raise Refusal(f"{str(value)[:60]!r} is not what belongs here, or is too large", path)


def _entry(value: Any, shape: Any, path: str, key: int | str) -> Any:
    """`conform` of an entry: most are single values, whose path is told only where one is refused."""
    if callable(shape) and shape.__code__.co_argcount == 1 and (read := shape(value)) is not None:
        return read
    return conform(value, shape, f"{path}[{key}]" if isinstance(key, int) else f"{path}{key}")


def nodes_after(read: Sequence[tuple], value: Any, path: str) -> list[tuple]:
    """The table of nodes, of which some first ones are read already: each refers to earlier ones alone, so
    that it is finite and without circles.
    """
    table, names = list(read), {node[1] for node in read if node[0] == "sym"}
    rows = conform(value, [lambda v: v if isinstance(v, list) and v else None], path)
    for i, node in enumerate(rows[len(table) :], len(table)):
        here = f"{path}[{i}]"
        if not isinstance(node[0], str) or node[0] not in _NODES:
            raise Refusal("a node begins with its kind", here)
        kind, *parts = conform(node, _NODES[node[0]], here)
        if any(j >= i for j in children((kind, *parts))):
            raise Refusal("it refers to a node that does not come before it", here)
        if kind == "fun" and len(parts[1]) != FUNCTIONS[parts[0]]:
            raise Refusal(f"{parts[0]} takes {FUNCTIONS[parts[0]]} arguments", here)
        if kind == "sym" and parts[0] in names:
            raise Refusal(f"a second symbol {parts[0][:60]!r}", here)
        names |= {parts[0]} if kind == "sym" else set()
        table.append((kind, *parts))
    return table


def children(node: tuple) -> list[int]:
    """Places of the nodes that a node is made of."""
    kind, *parts = node
    if kind == "fun":
        return parts[1]
    if kind == "prod":
        return [j for j, _ in parts[1]]
    return [j for pair in parts[0] for j in pair] if kind == "sum" else []


def load(path: str | Path) -> Any:
    """The JSON value in a regular file of bounded size; duplicate keys, NaN and infinities are refused."""
    status = Path(path).stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > BYTES:
        raise Refusal(f"not a regular file of at most {BYTES} bytes")
    try:
        text = Path(path).read_bytes().decode("utf-8")
        return json.loads(text, object_pairs_hook=_distinct, parse_constant=_not_finite)
    except (ValueError, RecursionError) as error:
        words = "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        raise Refusal(f"not a JSON file: {words}") from error


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(table := dict(pairs)) != len(pairs):
        raise Refusal("an object has a key twice")
    return table


def _not_finite(name: str) -> float:
    raise Refusal(f"{name} is no number of JSON")
