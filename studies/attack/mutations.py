"""Changes to certificate files: at random places of the JSON tree, and where a forger would choose."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

DEEP = "@deep@"
"""Stands for brackets nested 100000 deep, put in when the text is written."""
Path = tuple[Any, ...]
Mutator = Callable[[dict, np.random.Generator], str]
VERDICTS = (
    "PROVED_STABLE", "PROVED_ASYMPTOTICALLY_STABLE", "PROVED_UNSTABLE", "NUMERICALLY_STABLE",
    "NUMERICALLY_UNSTABLE",
    "SPECTRALLY_STABLE_ONLY", "UNDECIDED",
)  # fmt: skip
METHODS = (
    "spectrum", "energy-Casimir", "spectrum in floats", "energy-Casimir in floats", "amended potential", "",
    "in floats",
    "energy-Casimir1", "amended potential, spectrum",
)  # fmt: skip
SCALARS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 10**9, -(10**9), 2**63, 10**40, 0.5, -0.0, 1e308, float("nan"),
    float("inf"),
    -float("inf"), "", "0", "1", "-1", "1/2", "1/0", "0/0", "1e999999", "1e-999999", "-1e400", "nan", "inf",
    "x" * 200000,
    "1" * 200000, "1/" + "3" * 5000, "energy", "__import__('os')", "{0.__class__}", "%n%s", "\u0661",
    "\u202e1", "1_000",
    " 1 ", [], {}, [[]], {"": 0}, [0] * 5000, DEEP,
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


# -- where a forger would ---------------------------------------------------------------------------


def flip_verdict(data: dict, rng: np.random.Generator) -> str:
    data["verdict"] = pick(rng, [v for v in VERDICTS if v != data["verdict"]])
    if rng.random() < 0.5:
        data["method"] = pick(rng, METHODS)
    return f"verdict {data['verdict']}, method {data['method']!r}"


def flip_method(data: dict, rng: np.random.Generator) -> str:
    data["method"] = pick(rng, METHODS)
    return f"method {data['method']!r}"


def append(problem: dict, node: list) -> int:
    problem["nodes"].append(node)
    return len(problem["nodes"]) - 1


def add_relation(data: dict, rng: np.random.Generator) -> str:
    """A relation that freezes a state, its square, or a multiple of another relation."""
    problem = data["problem"]
    label = pick(rng, problem["states"])
    where = problem["states"][label]
    offset = problem["point"][list(problem["states"]).index(label)]
    one, level = append(problem, ["num", "1"]), append(problem, ["num", f"-{offset}".replace("--", "")])
    node = append(problem, ["sum", [[one, where], [level, one]]]) if offset != "0" else where
    style = pick(rng, ("freeze", "square", "cube"))
    if style != "freeze":
        node = append(problem, ["prod", "1", [[node, 2 if style == "square" else 3]]])
    relations = problem.get("leaf", problem.get("relations"))
    if isinstance(relations, dict):
        relations[f"{label}, {style}"] = node
    else:
        relations.append(node)
    return f"relation: {style} {label}"


def add_invariant(data: dict, rng: np.random.Generator) -> str:
    problem = data["problem"]
    problem.setdefault("invariants", {})["forged"] = int(rng.integers(len(problem["nodes"])))
    return "an invariant bound to some node"


def bind_parameter(data: dict, rng: np.random.Generator) -> str:
    """A new or old parameter, state or input bound to any node, with a number."""
    problem = data["problem"]
    kind = pick(rng, [k for k in ("parameters", "states", "inputs") if k in problem])
    node = int(rng.integers(len(problem["nodes"])))
    if problem[kind] and rng.random() < 0.5:
        problem[kind][pick(rng, problem[kind])] = node
        return f"{kind}: one bound to node {node}"
    problem[kind]["forged"] = node
    if kind == "parameters":
        problem["numbers"]["forged"] = pick(rng, ("0", "-1", "2"))
    else:
        problem["point" if kind == "states" else "input_point"].append(pick(rng, ("0", "-1", "2")))
    return f"{kind}: a new one bound to node {node}"


def change_exponent(data: dict, rng: np.random.Generator) -> str:
    nodes = data["problem"]["nodes"]
    powers = [(i, k) for i, node in enumerate(nodes) if node[0] == "prod" for k in range(len(node[2]))]
    if not powers:
        return replace(data, rng)
    i, k = pick(rng, powers)
    nodes[i][2][k][1] = pick(rng, (0, -1, 3, 10**3, 10**9, -(10**9), 2**70))
    return f"exponent of node {i}: {nodes[i][2][k][1]}"


def change_coefficient(data: dict, rng: np.random.Generator) -> str:
    nodes = data["problem"]["nodes"]
    i = pick(rng, [i for i, node in enumerate(nodes) if node[0] in ("num", "prod")])
    old = nodes[i][1]
    nodes[i][1] = pick(rng, ("0", "2", "-1", "1/3", f"-{old}".replace("--", "")))
    return f"coefficient of node {i}: {old} to {nodes[i][1]}"


def change_point(data: dict, rng: np.random.Generator) -> str:
    point = data["problem"]["point"]
    i = int(rng.integers(len(point)))
    old, point[i] = (
        point[i],
        pick(rng, ("0", "1", "-1", "1/1000000000000000000000", f"-{point[i]}".replace("--", ""))),
    )
    return f"point[{i}]: {old} to {point[i]}"


def change_number(data: dict, rng: np.random.Generator) -> str:
    numbers = data["problem"].get("numbers")
    if not numbers:
        return change_point(data, rng)
    name = pick(rng, numbers)
    old, numbers[name] = (
        numbers[name],
        pick(rng, ("0", "-1", "1", "100", "1/100", f"-{numbers[name]}".replace("--", ""))),
    )
    return f"{name}: {old} to {numbers[name]}"


def negate_field(data: dict, rng: np.random.Generator) -> str:
    """The rate of one state, or of all, with its sign turned."""
    problem = data["problem"]
    if "field" not in problem:
        return change_coefficient(data, rng)
    minus = append(problem, ["num", "-1"])
    chosen = (
        range(len(problem["field"])) if rng.random() < 0.5 else [int(rng.integers(len(problem["field"])))]
    )
    for i in chosen:
        problem["field"][i] = append(problem, ["sum", [[minus, problem["field"][i]]]])
    return f"rates turned: {list(chosen)}"


def forge_evidence(data: dict, rng: np.random.Generator) -> str:
    """Evidence of the right shape that says what one would like."""
    evidence = data.get("evidence", {})
    key = pick(rng, evidence) if evidence else "zero_modes"
    evidence[key] = pick(
        rng, ("definite", [], {}, ["energy"], [[-1.0, 0.0]], ["1"], ["1", "1"], [1, 0, 0], 0, "0")
    )
    return f"evidence {key}: {evidence[key]!r}"


ANYWHERE: tuple[Mutator, ...] = (replace, nudge, delete, add_key, exchange, repeat)
TARGETED: tuple[Mutator, ...] = (
    flip_verdict, flip_method, add_relation, add_invariant, bind_parameter, change_exponent,
    change_coefficient,
    change_point, change_number, negate_field, forge_evidence,
)  # fmt: skip
