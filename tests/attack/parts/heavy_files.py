"""Files made to take long or much memory: numbers, derivatives, polynomials, cells and tables that grow.

Each is proper JSON with a fitting digest, and within the sizes that the reading allows.
"""

from __future__ import annotations

import copy
import json
import random
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker import reader
from tests.attack.forge.genuine import Genuine, kept_genuine
from tests.attack.forge.mutations import at, places, put
from tests.attack.outcome import Outcome, raw, worded
from tests.attack.parts.forged_regions import Nodes, content, tree

Data = dict[str, Any]
MANY = 20_000
"""The largest number of entries that a list may have."""
CASES: list[tuple[str, Data]] = []


def prepare(seed: int, options: dict[str, Any]) -> int:
    """Make the files that need nothing else; lists of genuine ones are made when one is asked for."""
    del seed, options
    CASES[:] = heavy().items()
    return len(CASES)


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    """A file given to `verify`: refused in words, or confirmed."""
    del seed
    if index >= len(CASES):
        CASES.extend(long_lists(kept_genuine(1, options)).items())
    name, data = CASES[index]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "heavy.json"
        sealed(data)(path)
        begun = time.process_time()
        try:
            gc.verify(path)
            outcome = Outcome(name, "proved")
        except gc.CertificateError as error:
            outcome = Outcome(name, "refused", str(error)[:200]) if worded(error) else raw(name, error)
        except Exception as error:
            outcome = raw(name, error)
    outcome.seconds = time.process_time() - begun
    return outcome


def sealed(data: Data) -> Callable[[Path], None]:
    """What writes a file with its digest."""

    def write(path: Path) -> None:
        path.write_text(json.dumps(data | {"digest": checker.digest_of(data)}), encoding="utf-8")

    return write


def equations(nodes: Nodes, states: dict[str, str], field: list[int], **parts: Any) -> Data:
    """A certificate's content about equations: that the squares of all states fall, or in a box, or that a
    sum of all invariants is least.
    """
    witness = {"roots": parts.pop("roots_of_nodes", []), "inverse": [], "cofactors": {}}
    roots, boxed = ({k: parts.pop(k)} if k in parts else {} for k in ("roots", "box"))
    problem = {
        "nodes": nodes.rows,
        "states": states,
        "inputs": {},
        "parameters": {},
        "unknowns": [],
        "matrix": [],
        "right": [],
        "field": field,
        "leaf": {},
        "invariants": {},
        "weights": {},
    } | parts
    theorem: Data = {"name": "attraction", "rows": [], "free": list(states), "inverse": []}
    if problem["invariants"]:
        ones = dict.fromkeys(problem["invariants"], "1")
        theorem |= {"name": "energy-Casimir", "multipliers": ones, "sense": 1}
    else:
        theorem["P"] = [["0"] * i + ["1"] for i in range(len(states))]
    if boxed:
        size = len(states)
        unit = [[str(int(i == j)) for j in range(size)] for i in range(size)]
        box = {"held": [], "radii": [str(Fraction(1, 2**60))] * size, "Y": unit}
        theorem |= {"name": "attraction in a box", "box": box}
    head = {"format": checker.FORMAT, "version": checker.VERSION, "software": "", "system": "heavy"}
    return head | roots | {"problem": problem, "witness": witness, "theorem": theorem}


def states(count: int, value: str = "0") -> tuple[Nodes, dict[str, str]]:
    names = [f"x{i}" for i in range(count)]
    return Nodes(*names), dict.fromkeys(names, value)


def of_parameter(value: str, function: str = "exp", times: int = 1, **parts: Any) -> Data:
    """x' = -f(a) x in a box, f a function of a function and so on."""
    nodes, at = states(1)
    nodes.rows.append(["sym", "a", "parameter"])
    place = 1
    for _ in range(times):
        place = nodes.function(function, place)
    field = [nodes.product((0, 1), (place, 1), factor=-1)]
    return equations(nodes, at, field, parameters={"a": value}, box=True, **parts)


def powers_of_a_number(digits: int, depth: int) -> Data:
    """x' = c x, with c the 64th power of the 64th power and so on, first met in an identity."""
    nodes, at = states(1)
    place = nodes.number("9" * digits)
    for _ in range(depth):
        place = nodes.product((place, 64))
    leaf = {"still": nodes.product((0, 1), (place, 1))}
    return equations(nodes, at, [nodes.product((0, 1), (place, 1), factor=-1)], leaf=leaf)


def sum_of_fractions(terms: int, digits: int, through: int = 0) -> Data:
    """A sum of x over numbers that have no common divisor; ``through`` a function first."""
    nodes, at = states(1)
    draw = random.Random(2)
    parts = [(f"1/{draw.randrange(10 ** (digits - 1), 10**digits) | 1}", through) for _ in range(terms)]
    return equations(nodes, at, [nodes.total(*parts)], leaf={"sum": nodes.total(*parts)})


def dense_second_derivatives(count: int, depth: int, box: bool) -> Data:
    """Products of sums of all states: each holds a derivative for each pair."""
    nodes, at = states(count, "1")
    place = whole = nodes.total(*((1, i) for i in range(count)))
    for _ in range(depth):
        place = nodes.product((place, 1), (whole, 1), factor=f"1/{count}")
    return equations(nodes, at, [place] * count, **({"box": True} if box else {}))


def powers_of_sums(count: int, power: int, invariants: int, functions: int) -> Data:
    """Invariants, each a power of a sum times a state, and functions that nothing is made of."""
    nodes, at = states(count)
    still = nodes.number(0)
    whole = nodes.product((nodes.total(*((1, i) for i in range(count))), power))
    kept = {f"c{i}": nodes.product((whole, 1), (i % count, 1 + i // count)) for i in range(invariants)}
    for i in range(functions):
        nodes.function("sin", nodes.total((i, 0)) if i % 2 else 0)
    return equations(nodes, at, [still] * count, invariants=kept)


def long_powers(count: int, power: int, digits: int) -> Data:
    """A power of a sum with long coefficients, kept by nothing."""
    nodes, at = states(count)
    draw = random.Random(3)
    parts = [(draw.randrange(10**digits), i) for i in range(count)]
    kept = {"c": nodes.product((nodes.total(*parts), power))}
    field = [nodes.number(0)] * (count - 1) + [nodes.product((0, 1))]
    return equations(nodes, at, field, invariants=kept)


def dense_field(count: int, digits: int, roots: list[str]) -> Data:
    """A linear field of long numbers, with square roots."""
    nodes, at = states(count)
    draw = random.Random(1)
    held = [nodes.function("sqrt", nodes.number(r)) for r in roots]
    field = []
    for i in range(count):
        terms = [(draw.randint(-(10**digits), 10**digits), j) for j in range(count)]
        row = nodes.total(*terms)
        parts = [[nodes.number(1), row], *([r, i] for r in held)]
        field.append(nodes._add("sum", parts))
    given = [[i, f"1*r{k + 1}"] for k, i in enumerate(held)]
    return equations(nodes, at, field, roots=roots, roots_of_nodes=given)


def many_gradients(count: int, digits: int) -> Data:
    """As many invariants as states, with long slopes, and what is said to be the inverse of these."""
    nodes, at = states(count)
    draw = random.Random(4)
    still = nodes.number(0)
    kept = {}
    for k in range(count):
        kept[f"c{k}"] = nodes.total(*((draw.randrange(10**digits), i) for i in range(count)))
    data = equations(nodes, at, [still] * count, invariants=kept)
    given = [[str(draw.randrange(10**digits)) for _ in range(count)] for _ in range(count)]
    return data | {"theorem": data["theorem"] | {"rows": list(kept), "free": [], "inverse": given}}


def oscillators(shapes: int, cells: str, side: str = "8") -> Data:
    """Oscillators, one velocity each, with a box of sides and cells as given."""
    names = [*(f"q{i}" for i in range(shapes)), "v"]
    nodes = Nodes(*names)
    energy = nodes.total(*((1, nodes.product((i, 2))) for i in range(shapes + 1)))
    still = nodes.number(0)
    field = [shapes, *[still] * (shapes - 1), nodes.product((0, 1), factor=-1)]
    sides = {f"q{i}": [f"-{side}", side] for i in range(shapes)}
    at = dict.fromkeys(names, "0")
    return content(nodes, at, field, {"energy": energy}, energy, sides, "1", cells)


def region(build: Callable[[Nodes, list[int]], int], axes: int, cells: str, side: tuple = ("1", "2")) -> Data:
    """A map of x' = f(axes) x, with a proof by its root."""
    nodes = Nodes("x")
    places = []
    for k in range(axes):
        nodes.rows.append(["sym", f"a{k}", "parameter"])
        places.append(1 + k)
    slope = build(nodes, places)
    problem = {
        "nodes": nodes.rows,
        "unknowns": [],
        "matrix": [],
        "right": [],
        "field": [nodes.product((0, 1), (slope, 1), factor=-1)],
        "leaf": {},
        "invariants": {},
        "weights": {},
        "states": {"x": nodes.number(0)},
        "inputs": {},
        "parameters": {},
    }
    block = {"states": [0], "coefficients": [slope], "minors": [slope]}
    theorem = {
        "name": "map",
        "family": "all",
        "axes": {f"a{k}": list(side) for k in range(axes)},
        "symbols": {},
        "domain": [],
        "leaf": {"rows": [], "free": ["x"], "inverse": []},
        "divisors": [],
        "charts": [{"rows": [], "free": ["x"], "inverse": [], "blocks": [block]}],
        "proofs": [{"by": "roots", "chart": 0}],
        "cells": cells,
    }
    head = {"format": reader.FORMAT, "version": reader.VERSION, "software": "", "system": "heavy"}
    witness = {"roots": [], "inverse": [], "cofactors": {}}
    return head | {"problem": problem, "witness": witness, "theorem": theorem}


def _power_of_axes(power: int) -> Callable[[Nodes, list[int]], int]:
    return lambda nodes, axes: nodes.product((nodes.total(*((k + 1, a) for k, a in enumerate(axes))), power))


def _mixed(power: int) -> Callable[[Nodes, list[int]], int]:
    """A product of powers of all axes and one."""

    def build(nodes: Nodes, axes: list[int]) -> int:
        one = nodes.number(1)
        return nodes.total((1, nodes.product(*((a, power) for a in axes))), (1, one))

    return build


def _quotients(terms: int) -> Callable[[Nodes, list[int]], int]:
    """A sum of quotients by sums of powers of the axes, which have no common divisor."""

    def build(nodes: Nodes, axes: list[int]) -> int:
        parts = []
        for t in range(terms):
            below = nodes.total(
                *((t + k + 1, nodes.product((a, 1 + (t + k) % 4))) for k, a in enumerate(axes))
            )
            parts.append((1, nodes.product((below, -1))))
        return nodes.total(*parts)

    return build


def _factors(power: int) -> Callable[[Nodes, list[int]], int]:
    """A polynomial that is expanded from two, of which only factoring tells."""

    def build(nodes: Nodes, axes: list[int]) -> int:
        sums = []
        for t in range(2):
            one = nodes.number(t + 1)
            terms = [(k + 2 + t, nodes.product((a, 1 + (k + t) % 3))) for k, a in enumerate(axes)]
            sums.append(nodes.total((1, one), *terms))
        first, second = (nodes.product((s, power)) for s in sums)
        return nodes.total((1, nodes.product((first, 1), (second, 1))), (1, nodes.number(1)))

    return build


def heavy() -> dict[str, Data]:
    """All of them by name, the quickest ones first."""
    return {
        "exp 10^11 in a box": of_parameter("1" + "0" * 11),
        "exp -10^11 in a box": of_parameter("-1" + "0" * 11),
        "exp of exp of exp": of_parameter("9", times=12),
        "sin of exp of exp": of_parameter("90", times=4),
        "exp 10^2000": of_parameter("1" + "0" * 1999),
        "powers of a number": powers_of_a_number(1000, 3),
        "tower of powers of a number": powers_of_a_number(9, 200),
        "powers of sums": powers_of_sums(12, 6, 12, 12),
        "powers of sums in many states": powers_of_sums(100, 3, 60, 0),
        "functions beyond all bounds": powers_of_sums(12, 2, 2, 9000),
        "powers with long coefficients": long_powers(10, 8, 1900),
        "a box of 10^400": oscillators(1, tree(4), "1" + "0" * 400),
        "cells of many sides": oscillators(100, tree(16)),
        "many cells": oscillators(2, tree(16)),
        "a long tree": oscillators(1, "+" * 60 + "." * 61),
        "axes of high powers": region(_power_of_axes(40), 6, "."),
        "a product of high powers": region(_mixed(19), 6, "."),
        "quotients": region(_quotients(12), 6, "."),
        "factors": region(_factors(6), 6, "."),
        "factors of degree": region(_factors(12), 3, "."),
        "cells of a map": region(_power_of_axes(60), 1, _comb(20)),
        "exp of axes to 10^11": region(lambda n, a: n.function("exp", a[0]), 1, ".", ("0", "1" + "0" * 11)),
        "fractions without a common divisor": sum_of_fractions(900, 1990),
        "many fractions": sum_of_fractions(4000, 75),
        "fractions that are short": sum_of_fractions(9000, 15),
        "second derivatives": dense_second_derivatives(128, 2000, False),
        "second derivatives in a box": dense_second_derivatives(128, 2000, True),
        "powers of sums and many functions": powers_of_sums(12, 6, 12, 400),
        "roots, one digit": dense_field(60, 1, ["2"]),
        "roots, twelve digits": dense_field(100, 12, ["2", "3"]),
        "four roots": dense_field(24, 9, ["2", "3", "5", "7"]),
        "gradients": many_gradients(100, 30),
        "a million cells": region(_power_of_axes(2), 1, _binary(19)),
    }


def long_lists(bases: list[Genuine]) -> dict[str, Data]:
    """A file of each theorem, with one of its lists as long as a list may be."""
    found = {}
    for name, given in {base.content["theorem"]["name"]: base.content for base in bases}.items():
        known = set()
        for path in places(given["theorem"]):
            kind, value = tuple("#" if isinstance(k, int) else k for k in path), at(given["theorem"], path)
            if isinstance(value, list) and value and kind not in known:
                changed = copy.deepcopy(given)
                put(changed["theorem"], path, (value * MANY)[:MANY])
                found[f"{name}: {MANY} of {'.'.join(map(str, path))}"] = changed
            known.add(kind)
    return found


def _binary(depth: int) -> str:
    return "a" if not depth else "+" + 2 * _binary(depth - 1)


def _comb(depth: int) -> str:
    return "a" if not depth else "+a" + _comb(depth - 1)
