"""No number with a unit is compared with a constant.

A comparison is between two numbers of one unit: with the terms that cancel, or with the system's own size
(`systems.contract.scales`). Three ways to fall back into units of the description are searched for in the
source: a floor of one, ``max(1, x)``; a sum with one beside a tolerance, ``TOLERANCE * (1 + x)``; and a small
literal in a comparison, of which nobody says what it is relative to. Excepted places say why no unit is met;
the list may only shrink.
"""

import ast
from functools import cache

import pytest

from tests.test_architecture import FILES, PACKAGE, READ_TOGETHER, nodes, none

pytestmark = READ_TOGETHER

SMALL = 1e-4
"""Below this a number in a comparison is a tolerance."""

TINY = 1e-200
"""What is smaller guards a division by zero."""

COUNT = "a count"
NUMBERS = "numbers without unit"
RELATIVE = "relative to a number of the same unit"
OPEN = "to be mended"

EXCEPTED = {
    "_scalars/magnitude_rules.py: np.maximum(size, 1.0)": "arguments of functions, which have no unit",
    "algebra/block_matrices.py: max(1.0, float(np.max(np.abs(matrix))))": "matrices of groups hold rotations",
    "analysis/energy_casimir.py: max(1, int(np.sum(spread > VANISHING * spread[0])))": COUNT,
    "analysis/falling_by_slopes.py: least_over(inverse, middle, radius, sides) > level * (1 + 1e-09)": (
        RELATIVE
    ),
    "analysis/falling_quadratic.py: max(1.0, least)": "a level, in terms of the first function",
    "analysis/falling_quadratic.py: size < 1e-12": "a level, in terms of the first function",
    "analysis/region_proofs.py: max(1, sum((a < b for a, b in axes)))": COUNT,
    "decisions/derivatives.py: root > 1e-06": "an argument of an arctangent; beside it its series",
    "analysis/second_order_on_leaf.py: sizes > 1e-09 * sizes.max(initial=1e-300)": RELATIVE,
    "analysis/second_order_on_leaf.py: slowest < -1e-09 * np.abs(self.A).max()": RELATIVE,
    "analysis/lyapunov_forms.py: max(next((s for s in sizes if s < sizes[0] * (1 - APART)), 1.0), 1.0)": (
        "multipliers of one hold, beside the unit circle"
    ),
    "analysis/rest_search.py: max(float(np.linalg.norm(y)), 1.0)": "states in units of their sizes",
    "analysis/sign_arrays.py: 2.0 ** (-60) < abs(c) < 2.0 ** 60": "coefficients of rounding that is known",
    "analysis/subspaces.py: max(1.0, float(np.max(np.abs(M), initial=0.0)))": "matrices in units of the pair",
    "analysis/subspaces.py: max(values[0], 1.0)": "matrices in units of the pair",
    "continuation/arclength.py: max(points - 1, 1)": COUNT,
    "systems/singularity.py: max(others, 1)": COUNT,
    "manifolds/latex_of_systems.py: abs(given - turned) <= 1e-09 * (abs(given) + abs(turned))": RELATIVE,
    "manifolds/place.py: np.max(np.abs(axes @ axes.T - np.eye(len(axes)))) > 1e-12": NUMBERS,
    "manifolds/integrate.py: max(1, outcome.steps)": COUNT,
    "manifolds/kernels.py: max(1, n // BLOCK)": COUNT,
    "manifolds/products.py: np.min(np.linalg.eigvalsh((inertia + inertia.T) / 2 * t * t[:, None])) > 1e-12": (
        "an inertia with ones on its diagonal"
    ),
    "manifolds/entries.py: np.max(np.abs(M - M.T)) > 1e-12 * np.max(np.abs(M))": RELATIVE,
    "manifolds/turning_axes.py: max(1.0, float(np.max(np.abs(x), initial=0.0)))": "of places open",
    "orbits/orbit.py: np.abs(self.others - 1) <= max(self.margin, 1e-06)": "multipliers, which have no unit",
    "orbits/hybrid_shooting.py: max(1.0, float(np.linalg.norm(relative, 2)))": "multipliers, without unit",
    "orbits/multiple_shooting.py: max(1.0, float(np.linalg.norm(relative, 2)))": "multipliers, without unit",
    "orbits/multiple_shooting.py: max(1.0, float(np.max(np.abs(y))))": "unknowns in units of their sizes",
    "orbits/validated.py: N * (n + 1)": COUNT,
    "orbits/validated.py: max(1, N - _LAST)": COUNT,
    "orbits/validated.py: max(1, int(part * reach * _GRID))": COUNT,
    "orbits/enclosure.py: T * (1 + image[self._n, 0])": "a period times a ratio",
    "rotations/geodesics.py: max(1.0, float(np.linalg.norm(velocity)))": "angles",
    "sampling/controller_in_c.py: max(q, 1)": COUNT,
    "simulation/held_runs.py: max(1, math.ceil((times[-1] - times[0]) / hold * (1 - _CLOSE)))": COUNT,
    "simulation/reconstruction.py: np.linalg.norm(axis) < 1e-06": "a sine",
    "simulation/reconstruction.py: "
    "sine > 1e-09 * np.linalg.norm(chosen[0][0]) * np.linalg.norm(pair[0])": RELATIVE,
    "stepping/variational.py: gap <= 1e-15": "relative changes",
    "stepping/writer.py: max(1, self._size)": COUNT,
    "synthesis/design.py: abs(b - a) > 1e-12 * abs(a)": RELATIVE,
    "synthesis/obstruction.py: abs(root.imag) < 1e-09 * abs(root)": RELATIVE,
}
"""By file and text the reason."""


def _is_one(node):
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 1


def _is_small(node):
    if isinstance(node, ast.Constant):
        return isinstance(node.value, float) and TINY < abs(node.value) < SMALL
    power = (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and isinstance(node.left, ast.Constant)
    )
    if power and isinstance(node.right, ast.UnaryOp) and isinstance(node.right.operand, ast.Constant):
        return isinstance(node.right.op, ast.USub) and node.left.value**-node.right.operand.value < SMALL
    return False


def _is_tolerance(node):
    """A small number, or a name in capitals."""
    return _is_small(node) or (isinstance(node, ast.Name) and node.id.strip("_").isupper())


def floors_of_one(path):
    """``max(1, x)`` and ``np.maximum(1, x)``."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in ("max", "maximum"):
            given = node.args[0].elts if node.args and isinstance(node.args[0], ast.List) else node.args
            if len(given) > 1 and any(map(_is_one, given)):
                yield node


def sums_with_one(path):
    """``TOLERANCE * (1 + x)``, in either order."""
    for node in nodes(path):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for tolerance, other in ((node.left, node.right), (node.right, node.left)):
                added = isinstance(other, ast.BinOp) and isinstance(other.op, ast.Add)
                if added and _is_tolerance(tolerance) and (_is_one(other.left) or _is_one(other.right)):
                    yield node


def small_literals(path):
    """Order of something and a small number."""
    for node in nodes(path):
        ordered = isinstance(node, ast.Compare) and any(
            isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for op in node.ops
        )
        if ordered and any(_is_small(part) for part in ast.walk(node)):
            yield node


RULES = (floors_of_one, sums_with_one, small_literals)


@cache
def found_in(path, rule):
    """What breaks a rule, by file and text: lines move."""
    start = f"{path.relative_to(PACKAGE).parts[0]}/{path.name}"
    return [f"{start}: {ast.unparse(node)}" for node in rule(path)]


def judged():
    """Files in which numbers are judged: the checker has sizes of its own, pictures judge nothing."""
    parts = {path: path.relative_to(PACKAGE).parts[0] for path in FILES}
    return [p for p, part in parts.items() if part not in ("checker", "viz") and p.name != "tolerances.py"]


@pytest.mark.parametrize("rule", RULES)
def test_no_number_with_a_unit_is_compared_with_a_constant(rule):
    none(place for path in judged() for place in found_in(path, rule) if place not in EXCEPTED)


def test_excepted_places_are_there():
    """What is mended leaves the list."""
    found = {place for path in judged() for rule in RULES for place in found_in(path, rule)}
    none(f"{place} is no more" for place in EXCEPTED if place not in found)


def test_the_search_for_thresholds_sees_every_way(tmp_path):
    """Negative control."""
    path = tmp_path / "example.py"
    path.write_text(
        "a = abs(x) <= T * max(1.0, abs(y))\n"
        "b = np.maximum(1, x)\n"
        "c = max([1.0, *x])\n"
        "d = r < TOLERANCE * (1 + abs(x))\n"
        "e = abs(x) < 1e-9\n"
        "f = s > 2.0**-40\n"
        "g = x < 0.5\n"
        "h = y * (1 + x)\n"
    )
    assert sorted(node.lineno for node in floors_of_one(path)) == [1, 2, 3]
    assert [node.lineno for node in sums_with_one(path)] == [4]
    assert [node.lineno for node in small_literals(path)] == [5, 6]
