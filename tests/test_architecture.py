"""The floors of the package: who imports whom, what the general code may name, how much an import loads.

A rule is one test over all files, which fails with every place that breaks it.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import geoctrl

PACKAGE = Path(geoctrl.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
LINES = 450

# From the ground up; names in one row are on one floor and may import each other.
FLOORS = [
    ("checker",),
    ("errors", "_checks", "_scalars", "interop", "verification"),
    ("algebra",),
    ("systems",),
    ("runs",),
    ("stepping",),
    ("manifolds", "analysis"),
    ("spheres", "rotations"),
    ("simulation",),
    ("synthesis",),
    ("models",),
    ("viz",),
    ("cli",),
]
FLOOR = {name: level for level, names in enumerate(FLOORS) for name in names}
GENERAL = ("systems", "analysis", "synthesis", "simulation")

# Circles of files that are still there, each with the number of imports among its files. The lists may only
# shrink: a circle or an import that is new fails, and so does a line here that is no longer true.
CIRCLES = """
simulation.manifolds simulation.run: 2
"""
# The same with the imports that serve annotations alone, and never run.
CIRCLES_OF_TYPES = """
manifolds.description manifolds.forms manifolds.functions manifolds.laws manifolds.model
    manifolds.numerics manifolds.reading manifolds.seen manifolds.system manifolds.trajectory: 24
rotations.analysis rotations.forms rotations.seen rotations.system: 6
runs.storage runs.trajectory: 2
simulation.manifolds simulation.run: 2
spheres.analysis spheres.forms spheres.linear spheres.seen spheres.system: 9
"""

# Questions and runs take any system and do not ask for its kind.
ASKED_OF_ANY = ("analysis", "simulation", "synthesis")
KINDS = {
    "EulerPoincare",
    "ReducedSystem",
    "ManifoldModel",
    "ManifoldSystem",
    "SphereSystem",
    "RotationSystem",
}


def part_of(path):
    """First name below geoctrl: a package or a module."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def place(path, line):
    return f"{path.relative_to(PACKAGE).as_posix()}:{line}"


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def import_statements(path, types=True):
    """The imports of a file, inside functions too; without ``types``, only those that run."""
    pending = [tree(path)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        unrun = not types and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        pending.extend(node.orelse if unrun else ast.iter_child_nodes(node))


def imported(path):
    """(dotted name, line) of every module imported in a file."""
    for node in import_statements(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        else:
            yield node.module or "", node.lineno
            if node.module == "geoctrl":
                yield from ((f"geoctrl.{alias.name}", node.lineno) for alias in node.names)


def parts_imported(path):
    """(first name below geoctrl, line) of a file's imports; a public name counts as its package."""
    for name, line in imported(path):
        if name.startswith("geoctrl.") and name != "geoctrl.__version__":
            yield geoctrl._HOME.get(name.removeprefix("geoctrl."), name).split(".")[1], line


def none(places):
    """Assert that a rule is broken nowhere."""
    places = list(places)
    assert not places, "\n" + "\n".join(places)


def importers(library, owners):
    """Places outside the ``owners`` that import a library or a part of the package."""
    for path in FILES:
        if part_of(path) not in owners:
            for name, line in [*parts_imported(path), *imported(path)]:
                if name.split(".")[0] == library:
                    yield f"{place(path, line)} imports {name}"


def test_every_part_has_a_floor():
    assert {part_of(path) for path in FILES} - {"__init__", "__main__"} <= set(FLOOR)


def test_imports_are_absolute():
    none(
        place(path, node.lineno)
        for path in FILES
        for node in import_statements(path)
        if isinstance(node, ast.ImportFrom) and node.level
    )


def test_a_package_imports_from_floors_below():
    def allowed(own, other):
        return other == own or FLOOR[other] < FLOOR[own] or FLOOR[other] == FLOOR[own] == 1

    none(
        f"{place(path, line)} imports {other}"
        for path in FILES
        if part_of(path) in FLOOR
        for other, line in parts_imported(path)
        if not allowed(part_of(path), other)
    )


def test_the_package_does_not_import_its_own_top_level():
    """`import geoctrl` inside the package would hide which floor is meant; only the command line may."""
    none(
        place(path, node.lineno)
        for path in FILES
        if part_of(path) != "cli"
        for node in import_statements(path)
        if isinstance(node, ast.Import) and any(alias.name == "geoctrl" for alias in node.names)
    )


def test_the_top_level_imports_nothing_of_geoctrl_when_loaded():
    assert not list(parts_imported(PACKAGE / "__init__.py"))


def test_only_the_catalogue_and_the_command_line_know_the_catalogue():
    none(importers("models", owners=("models", "cli")))


def test_python_control_is_imported_by_interop_alone():
    none(importers("control", owners=("interop",)))


def test_matplotlib_is_imported_by_viz_alone():
    none(importers("matplotlib", owners=("viz",)))


def test_interop_knows_no_system():
    assert {name for name, _ in parts_imported(PACKAGE / "interop.py")} <= {"errors", "_checks", "_scalars"}


def test_sympy_is_never_asked_to_read_what_it_is_given():
    """`sympify` evaluates text, also within dicts, tuples and sets, and then with ``strict=True`` too."""
    reading = {"sympify", "_sympify", "parse_expr", "nsimplify", "eval"}
    none(
        f"{place(path, node.lineno)} names {ast.unparse(node)}"
        for path in FILES
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.Attribute) and node.attr in reading)
        or (isinstance(node, ast.Name) and node.id in reading)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "sp.S")
    )


def test_files_stay_short():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    none(place(path, length) for path, length in lengths.items() if length > LINES)


def files_imported(path, files, types):
    """Names among ``files`` (dotted name: path) that a file imports."""
    for node in import_statements(path, types):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
            continue
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            home = geoctrl._HOME.get(alias.name) if node.module == "geoctrl" else node.module
            yield from [found for found in (name, home) if found in files][:1]


def circles(package, types):
    """The circles of files of a package: lines of names with the number of imports among them, sorted."""
    files = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph = {name: set(files_imported(path, files, types)) for name, path in files.items()}
    reached = {name: _reached(graph, name) for name in graph}
    found = {frozenset(b for b in reached[a] if a in reached[b]) for a in graph if a in reached[a]}
    return sorted(
        f"{' '.join(name.removeprefix(package.name + '.') for name in sorted(circle))}"
        f": {sum(len(graph[name] & circle) for name in circle)}"
        for circle in found
    )


def _reached(graph, start):
    """What the arrows of a graph lead to from ``start``; ``start`` itself only around a circle."""
    found, pending = set(), [start]
    while pending:
        new = graph[pending.pop()] - found
        found |= new
        pending.extend(new)
    return found


def listed(text):
    """The lines of a list of circles; an indented line goes on with the one before."""
    return sorted(text.replace("\n    ", " ").split("\n")[1:-1])


@pytest.mark.parametrize(
    ("types", "known"), [(False, CIRCLES), (True, CIRCLES_OF_TYPES)], ids=["run", "types"]
)
def test_there_are_no_new_circles_of_files(types, known):
    found = circles(PACKAGE, types)
    new, gone = set(found) - set(listed(known)), set(listed(known)) - set(found)
    none(
        [
            *(f"new, break it: {line}" for line in new),
            *(f"gone, take it off the list: {line}" for line in gone),
        ]
    )


def gates(path):
    """Lines of a file that ask for a kind of system, by isinstance, issubclass, type or a class pattern."""
    for node in ast.walk(tree(path)):
        asked = []
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            asked = node.args[1:]
        elif isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("type("):
            asked = node.comparators
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        names = {part for a in asked for n in ast.walk(a) for part in ast.unparse(n).split(".")}
        if names & KINDS:
            yield node.lineno


def test_what_takes_any_system_does_not_ask_for_its_kind():
    none(place(path, line) for path in FILES if part_of(path) in ASKED_OF_ANY for line in gates(path))


def code_strings_and_names(path):
    """String constants other than docstrings, and identifiers, with their lines."""
    docstrings = set()
    for node in ast.walk(tree(path)):
        body = getattr(node, "body", None)
        # Docstrings, and the strings that document a name after its assignment.
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                docstrings.add(id(statement.value))
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value, node.lineno
        elif isinstance(node, ast.Name):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            yield node.attr, node.lineno
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno


def test_general_code_knows_no_model():
    none(
        f"{place(path, line)}: {text!r}"
        for path in FILES
        if part_of(path) in GENERAL
        for text, line in code_strings_and_names(path)
        if "skate" in text.lower() or text == "Gamma" or any(f"Gamma{i}" in text for i in (1, 2, 3))
    )


def loaded_by(statement):
    """Top-level modules in memory after a statement in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    )
    return set(run.stdout.split())


def test_the_import_loads_no_heavy_library():
    assert not loaded_by("import geoctrl") & {"sympy", "heyoka", "scipy", "control", "matplotlib"}


def test_the_description_loads_neither_control_nor_heyoka_nor_matplotlib():
    assert not loaded_by("import geoctrl; geoctrl.EulerPoincare") & {"heyoka", "control", "matplotlib"}


def test_public_names_are_the_ones_listed():
    assert dir(geoctrl) == geoctrl.__all__
    with pytest.raises(AttributeError, match="no attribute 'EulerPoincar'"):
        geoctrl.EulerPoincar  # noqa: B018


@pytest.mark.parametrize("name", ["models", "rotations", "spheres", "viz"])
def test_modules_list_their_public_names_alone(name):
    """What completion offers: no module, no helper, no name from elsewhere."""
    module = getattr(geoctrl, name)
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, public) for public in dir(module))


def test_the_check_of_names_sees_a_model_in_code(tmp_path):
    """Negative control."""
    path = tmp_path / "example.py"
    path.write_text('"""The skate."""\n\ndef f(x):\n    """Gamma1."""\n    return x["Gamma3"] + x.skate\n')
    found = [text for text, _ in code_strings_and_names(path)]
    assert "Gamma3" in found
    assert "skate" in found
    assert not any("The skate" in text or text == "Gamma1." for text in found)


def test_the_search_for_circles_sees_one_within_functions_and_one_of_types(tmp_path):
    """Negative control."""
    package = tmp_path / "geoctrl"
    package.mkdir()
    (package / "a.py").write_text("from geoctrl.b import x\nimport geoctrl.d\n")
    (package / "b.py").write_text("def f():\n    from geoctrl import c\n")
    (package / "c.py").write_text("import geoctrl.a\n")
    (package / "d.py").write_text("if TYPE_CHECKING:\n    import geoctrl.e\n")
    (package / "e.py").write_text("from geoctrl.d import x\n")
    assert circles(package, types=False) == ["a b c: 3"]
    assert circles(package, types=True) == ["a b c: 3", "d e: 2"]


def test_the_search_for_gates_sees_every_way_to_ask(tmp_path):
    """Negative control."""
    path = tmp_path / "example.py"
    path.write_text(
        "isinstance(s, int)\n"
        "isinstance(s, (int, ReducedSystem))\n"
        "issubclass(s, systems.EulerPoincare)\n"
        "type(s) is ManifoldModel\n"
        "match s:\n    case SphereSystem():\n        pass\n"
    )
    assert list(gates(path)) == [2, 3, 4, 6]
