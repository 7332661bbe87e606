"""The floors of the package: who imports whom, what the general code may name, how much an import loads."""

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
    ("manifolds",),
    ("spheres", "rotations"),
    ("simulation",),
    ("analysis",),
    ("synthesis",),
    ("models",),
    ("viz",),
    ("cli",),
]
FLOOR = {name: level for level, names in enumerate(FLOORS) for name in names}
GENERAL = ("systems", "analysis", "synthesis", "simulation")


def part_of(path):
    """First name below geoctrl: a package or a module."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path):
    """Dotted names of all modules imported in a file, inside functions too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            yield node.module
            if node.module == "geoctrl":
                yield from (f"geoctrl.{alias.name}" for alias in node.names)


def parts_imported(path):
    """First names below geoctrl that a file imports; a public name counts as its package."""
    dotted = {name for name in imported(path) if name.startswith("geoctrl.")} - {"geoctrl.__version__"}
    homes = {geoctrl._HOME.get(name.removeprefix("geoctrl."), name) for name in dotted}
    return {name.split(".")[1] for name in homes}


def outside(path):
    return {name.split(".")[0] for name in imported(path)}


def ids(path):
    return str(path.relative_to(PACKAGE))


every_file = pytest.mark.parametrize("path", FILES, ids=ids)


def test_every_part_has_a_floor():
    assert {part_of(path) for path in FILES} - {"__init__", "__main__"} <= set(FLOOR)


@every_file
def test_a_package_imports_from_floors_below(path):
    own = part_of(path)
    if own in ("__init__", "__main__"):
        return
    for other in parts_imported(path):
        if other != own:
            assert FLOOR[other] < FLOOR[own] or FLOOR[other] == FLOOR[own] == 1, f"{own} imports {other}"


@every_file
def test_the_package_does_not_import_its_own_top_level(path):
    """`import geoctrl` inside the package would hide which floor is meant; only the command line may."""
    if part_of(path) != "cli":
        names = [a.name for n in ast.walk(tree(path)) if isinstance(n, ast.Import) for a in n.names]
        assert "geoctrl" not in names


def test_the_top_level_imports_nothing_of_geoctrl_when_loaded():
    assert not parts_imported(PACKAGE / "__init__.py")


@every_file
def test_only_the_catalogue_and_the_command_line_know_the_catalogue(path):
    if part_of(path) not in ("models", "cli"):
        assert "models" not in parts_imported(path)


@every_file
def test_python_control_is_imported_by_interop_alone(path):
    if part_of(path) != "interop":
        assert "control" not in outside(path)


def test_interop_knows_no_system():
    assert parts_imported(PACKAGE / "interop.py") <= {"errors", "_checks", "_scalars"}


@every_file
def test_sympy_is_never_asked_to_read_what_it_is_given(path):
    """`sympify` evaluates text, also within dicts, tuples and sets, and then with ``strict=True`` too."""
    nodes = list(ast.walk(tree(path)))
    named = {n.attr for n in nodes if isinstance(n, ast.Attribute)} | {
        n.id for n in nodes if isinstance(n, ast.Name)
    }
    assert not named & {"sympify", "_sympify", "parse_expr", "nsimplify", "eval"}
    assert not [n for n in nodes if isinstance(n, ast.Call) and ast.unparse(n.func) == "sp.S"]


@every_file
def test_matplotlib_is_imported_by_viz_alone(path):
    if part_of(path) != "viz":
        assert "matplotlib" not in outside(path)


@every_file
def test_files_stay_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES


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


@pytest.mark.parametrize("path", [p for p in FILES if part_of(p) in GENERAL], ids=ids)
def test_general_code_knows_no_model(path):
    for text, line in code_strings_and_names(path):
        where = f"{ids(path)}:{line}: {text!r}"
        assert "skate" not in text.lower(), where
        assert not any(f"Gamma{i}" in text for i in (1, 2, 3)), where
        assert text != "Gamma", where


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
