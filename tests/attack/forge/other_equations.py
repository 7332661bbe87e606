"""Other equations in certificate files: terms, functions, symbols in other roles, matrices that are singular.

Each change is made in place and says what it did; one that does not fit the file raises KeyError,
IndexError or ValueError.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tests.attack.forge.mutations import Mutator, at, pick, places
from tests.attack.oracle.tables import parts

# -- nodes ------------------------------------------------------------------------------------------------


def append(problem: dict, *node: Any) -> int:
    problem["nodes"].append(list(node))
    return len(problem["nodes"]) - 1


def total(problem: dict, *terms: tuple[str, int]) -> int:
    """A sum of numbers times nodes."""
    return append(problem, "sum", [[append(problem, "num", c), node] for c, node in terms])


def power(problem: dict, *powers: tuple[int, int]) -> int:
    return append(problem, "prod", "1", [list(p) for p in powers])


def symbol(problem: dict, name: str) -> int:
    return next(i for i, node in enumerate(problem["nodes"]) if node[0] == "sym" and node[1] == name)


def away(problem: dict, label: str) -> int:
    """A state less its value: a node that vanishes at the point."""
    value = Fraction(problem["states"][label])
    one = append(problem, "num", "1")
    return total(problem, ("1", symbol(problem, label)), (str(-value), one))


def vanishing(problem: dict, rng: np.random.Generator) -> int:
    """A node that vanishes at the point, to some order."""
    node = away(problem, pick(rng, problem["states"]))
    return power(problem, (node, pick(rng, (1, 1, 2, 3))))


def some_node(problem: dict, rng: np.random.Generator) -> int:
    """Any node that no unknown enters: what leaf, matrix and weights may be made of."""
    free: list[int] = []
    for i, node in enumerate(problem["nodes"]):
        if set(parts(node)) <= set(free) and not (node[0] == "sym" and node[2] == "unknown"):
            free.append(i)
    return pick(rng, free)


def turned(number: str) -> str:
    return number[1:] if number.startswith("-") else f"-{number}"


# -- equations --------------------------------------------------------------------------------------------


def change_coefficient(data: dict, rng: np.random.Generator) -> str:
    nodes = data["problem"]["nodes"]
    i = pick(rng, [i for i, node in enumerate(nodes) if node[0] in ("num", "prod")])
    old = nodes[i][1]
    nodes[i][1] = pick(rng, ("0", "2", "-1", "1/3", turned(old)))
    return f"coefficient of node {i}: {old} to {nodes[i][1]}"


def change_exponent(data: dict, rng: np.random.Generator) -> str:
    nodes = data["problem"]["nodes"]
    i, k = pick(rng, [(i, k) for i, n in enumerate(nodes) if n[0] == "prod" for k in range(len(n[2]))])
    nodes[i][2][k][1] = pick(rng, (0, -1, 3, 64, 65, 10**9, -(10**9), 2**70))
    return f"exponent of node {i}: {nodes[i][2][k][1]}"


def change_reference(data: dict, rng: np.random.Generator) -> str:
    """A node is made of another one than before."""
    nodes = data["problem"]["nodes"]
    i = pick(rng, [i for i, node in enumerate(nodes) if parts(node)])
    paths = [
        p
        for p in places(nodes[i])
        if type(at(nodes[i], p)) is int and not (nodes[i][0] == "prod" and p[-1] == 1)
    ]
    path = pick(rng, paths)
    at(nodes[i], path[:-1])[path[-1]] = int(rng.integers(i))
    return f"node {i} refers to another one at {path}"


def change_value(data: dict, rng: np.random.Generator) -> str:
    """The value of a parameter, an input or a state."""
    problem = data["problem"]
    table = problem[pick(rng, [k for k in ("states", "inputs", "parameters") if problem.get(k)])]
    name = pick(rng, table)
    old = table[name]
    table[name] = pick(rng, ("0", "1", "-1", "100", "1/1000000000000000000000", turned(str(old))))
    return f"{name}: {old} to {table[name]}"


def push(data: dict, rng: np.random.Generator) -> str:
    """A term that vanishes at the point added to a rate or a right side: it stays an equilibrium."""
    problem = data["problem"]
    part = problem[pick(rng, [k for k in ("field", "right") if problem[k]])]
    i = int(rng.integers(len(part)))
    c = pick(rng, ("1", "-1", "1/1000", "-1/1000", "100", "-100"))
    part[i] = total(problem, ("1", part[i]), (c, vanishing(problem, rng)))
    return f"a term pushed on {i}"


def negate_field(data: dict, rng: np.random.Generator) -> str:
    """The rate of one state, or of all, or a right side, with its sign turned: time runs back, in part."""
    problem = data["problem"]
    part = problem[pick(rng, [k for k in ("field", "right") if problem[k]])]
    chosen = range(len(part)) if rng.random() < 0.5 else [int(rng.integers(len(part)))]
    for i in chosen:
        part[i] = total(problem, ("-1", part[i]))
    return f"rates turned: {list(chosen)}"


def wrap(data: dict, rng: np.random.Generator) -> str:
    """A rate, relation, weight or entry within a function: choices, roots of squares, divided by itself."""
    problem = data["problem"]
    holders = [p for p in places({k: problem[k] for k in ("field", "right", "leaf", "invariants", "weights")})
               if type(at(problem, p)) is int]  # fmt: skip
    path = pick(rng, holders)
    node, small = at(problem, path), vanishing(problem, rng)
    one, minus = append(problem, "num", "1"), total(problem, ("-1", node))
    shifted = total(problem, ("1", small), (pick(rng, ("1", "-1", "0")), one))
    root = append(problem, "fun", "sqrt", [shifted])
    name = pick(rng, ("select", "turned select", "sqrt", "square root", "over", "sin", "exp", "quadrature"))
    new = {
        "select": lambda: append(problem, "fun", "select", [shifted, node, some_node(problem, rng)]),
        "turned select": lambda: append(problem, "fun", "select", [shifted, minus, node]),
        "sqrt": lambda: append(problem, "fun", "sqrt", [power(problem, (node, 2))]),
        "square root": lambda: power(problem, (root, 2), (node, 1), (shifted, -1)),
        "over": lambda: power(problem, (node, 1), (small, 1), (small, -1)),
        "sin": lambda: append(problem, "fun", "sin", [node]),
        "exp": lambda: power(problem, (append(problem, "fun", "exp", [small]), 1), (node, 1)),
        "quadrature": lambda: append(problem, "fun", "quadrature", [shifted, one, node]),
    }[name]()  # fmt: skip
    at(problem, path[:-1])[path[-1]] = new
    return f"{name} about {path}"


# -- symbols ----------------------------------------------------------------------------------------------


def change_role(data: dict, rng: np.random.Generator) -> str:
    """A symbol in another role, and its value with it: a state that is a parameter does not move."""
    problem = data["problem"]
    node = pick(rng, [n for n in problem["nodes"] if n[0] == "sym"])
    old, node[2] = node[2], pick(rng, [r for r in ("state", "input", "parameter", "unknown") if r != node[2]])
    if rng.random() < 0.8:
        name, value = node[1], "0"
        if old == "unknown":
            problem["unknowns"].remove(name)
        else:
            if old == "state":
                del problem["field"][list(problem["states"]).index(name)]
            value = problem[f"{old}s"].pop(name)
        if node[2] == "unknown":
            problem["unknowns"].append(name)
        else:
            problem[f"{node[2]}s"][name] = value
            if node[2] == "state":
                problem["field"].append(pick(rng, [vanishing(problem, rng), append(problem, "num", "0")]))
    return f"{node[1]}: {old} to {node[2]}"


def swap_labels(data: dict, rng: np.random.Generator) -> str:
    """Two symbols of one role, or of any, change their names in the table of nodes."""
    symbols = [n for n in data["problem"]["nodes"] if n[0] == "sym"]
    first = pick(rng, symbols)
    alike = [n for n in symbols if n is not first and (n[2] == first[2] or rng.random() < 0.2)]
    second = pick(rng, alike)
    first[1], second[1] = second[1], first[1]
    return f"{first[1]} and {second[1]} change names"


def new_symbol(data: dict, rng: np.random.Generator) -> str:
    """A further state that stays or moves by itself, bound to a symbol of its own."""
    problem = data["problem"]
    problem["states"]["forged"] = pick(rng, ("0", "1"))
    node = append(problem, "sym", pick(rng, ("forged", "forged", "energy")), "state")
    rate = pick(rng, ("0", "-1", "1"))
    problem["field"].append(
        total(problem, (rate, away(problem, "forged"))) if problem["nodes"][node][1] == "forged" else node
    )
    return f"a further state with the rate {rate} times itself"


# -- unknowns ---------------------------------------------------------------------------------------------


def change_matrix(data: dict, rng: np.random.Generator) -> str:
    """Entries removed, moved, exchanged, vanishing at the point, or given twice."""
    problem = data["problem"]
    matrix = problem["matrix"]
    i = int(rng.integers(len(matrix)))
    style = pick(rng, ("remove", "transpose", "vanish", "zero", "twice", "move", "other"))
    k = len(problem["unknowns"])
    if style == "remove":
        del matrix[i]
    elif style == "transpose":
        matrix[i][:2] = matrix[i][1::-1]
    elif style == "vanish":
        matrix[i][2] = vanishing(problem, rng)
    elif style == "zero":
        row = matrix[i][0]
        matrix[:] = [cell for cell in matrix if cell[0] != row]
    elif style == "twice":
        matrix.append(list(matrix[i]))
    elif style == "move":
        matrix[i][:2] = [int(rng.integers(k + 1)), int(rng.integers(k + 1))]
    else:
        matrix[i][2] = some_node(problem, rng)
    return f"matrix: {style}"


def scale_row(data: dict, rng: np.random.Generator) -> str:
    """A row of K z = b times a function: the same unknowns, as long as it is not zero."""
    problem = data["problem"]
    row = int(rng.integers(len(problem["right"])))
    node = some_node(problem, rng) if rng.random() < 0.5 else vanishing(problem, rng)
    for cell in problem["matrix"]:
        if cell[0] == row:
            cell[2] = power(problem, (cell[2], 1), (node, 1))
    problem["right"][row] = power(problem, (problem["right"][row], 1), (node, 1))
    return f"row {row} scaled by a node"


def swap_unknowns(data: dict, rng: np.random.Generator) -> str:
    """Unknowns in another order, so that each gets the equation of another."""
    unknowns = data["problem"]["unknowns"]
    old = list(unknowns)
    rng.shuffle(unknowns)
    if unknowns == old:
        raise ValueError("nothing changed")
    return f"unknowns: {unknowns}"


def swap_rates(data: dict, rng: np.random.Generator) -> str:
    """Two rates, or a rate and a right side, change places."""
    problem = data["problem"]
    a, b = (problem[pick(rng, ("field", "field", "right"))] for _ in range(2))
    i, j = int(rng.integers(len(a))), int(rng.integers(len(b)))
    a[i], b[j] = b[j], a[i]
    return f"rates exchanged: {i} and {j}"


EQUATIONS: tuple[Mutator, ...] = (
    change_coefficient, change_exponent, change_reference, change_value, push, push, negate_field, wrap,
    change_role, swap_labels, new_symbol, change_matrix, scale_row, swap_unknowns, swap_rates,
)  # fmt: skip
