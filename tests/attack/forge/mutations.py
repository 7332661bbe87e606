"""Changes to certificate files at random places of the JSON tree."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

DEEP = "@deep@"
"""Stands for brackets nested 100000 deep, put in when the text is written."""
Path = tuple[Any, ...]
Mutator = Callable[[dict, np.random.Generator], str]
SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 10**9, -(10**9), 2**63, 10**40, 0.5, -0.0, 1e308, float("nan"),
    float("inf"),
    -float("inf"), "", "0", "1", "-1", "1/2", "1/0", "0/0", "1e999999", "1e-999999", "-1e400", "nan", "inf",
    "x" * 200000,
    "1" * 200000, "1/" + "3" * 5000, "energy", "__import__('os')", "{0.__class__}", "%n%s", "\u0661",
    "\u202e1", "1_000",
    "1*r1", "1/2 - 3*r1*r2", "1*r5", "1*r1 +", " 1 ", [], {}, [[]], {"": 0}, [0] * 5000, DEEP,
)  # fmt: skip


def pick(rng: np.random.Generator, items: Any) -> Any:
    items = list(items)
    return items[int(rng.integers(len(items)))]


def places(tree: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of everything below the root."""
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


def at(tree: Any, path: Path) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def put(tree: Any, path: Path, value: Any) -> None:
    at(tree, path[:-1])[path[-1]] = value


def remove(tree: Any, path: Path) -> None:
    del at(tree, path[:-1])[path[-1]]


# -- anywhere ---------------------------------------------------------------------------------------


def replace(data: dict, rng: np.random.Generator) -> str:
    path = pick(rng, places(data))
    put(data, path, copy.deepcopy(pick(rng, SCALARS)))
    return f"replaced {path}"


def nudge(data: dict, rng: np.random.Generator) -> str:
    """A number a little off, an index one further, a text with its sign turned."""
    leaves = [p for p in places(data) if isinstance(at(data, p), (int, float, str))]
    path = pick(rng, leaves)
    old = at(data, path)
    if isinstance(old, str):
        new: Any = old[1:] if old.startswith("-") else "-" + old
    elif isinstance(old, bool):
        new = not old
    else:
        new = old + pick(rng, (1, -1, 2)) if isinstance(old, int) else old * pick(rng, (1.001, -1, 2))
    put(data, path, new)
    return f"nudged {path} from {str(old)[:40]} to {str(new)[:40]}"


def delete(data: dict, rng: np.random.Generator) -> str:
    path = pick(rng, places(data))
    remove(data, path)
    return f"deleted {path}"


def add_key(data: dict, rng: np.random.Generator) -> str:
    path = pick(rng, [(), *(p for p in places(data) if isinstance(at(data, p), dict))])
    key = pick(rng, ("extra", "", "kind", "energy", "Gamma1", "\u0000", "problem"))
    at(data, path)[key] = copy.deepcopy(pick(rng, SCALARS))
    return f"added {key!r} at {path}"


def exchange(data: dict, rng: np.random.Generator) -> str:
    """Two siblings change places: values under labels, entries of a list."""
    holders = [
        p for p in [(), *places(data)] if isinstance(at(data, p), (dict, list)) and len(at(data, p)) > 1
    ]
    holder = at(data, pick(rng, holders))
    keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    a, b = rng.choice(len(keys), size=2, replace=False)
    a, b = keys[a], keys[b]
    holder[a], holder[b] = holder[b], holder[a]
    return f"exchanged {a!r} and {b!r}"


def repeat(data: dict, rng: np.random.Generator) -> str:
    holders = [p for p in places(data) if isinstance(at(data, p), list) and at(data, p)]
    path = pick(rng, holders)
    entries = at(data, path)
    entries.insert(int(rng.integers(len(entries) + 1)), copy.deepcopy(pick(rng, entries)))
    return f"repeated an entry of {path}"


ANYWHERE: tuple[Mutator, ...] = (replace, nudge, delete, add_key, exchange, repeat)
