"""The floors of the package: who imports whom, what the general code may name, how much an import loads.

A rule is one test over all files, which fails with every place that breaks it.
"""

import ast
import enum
import inspect
import subprocess
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import geoctrl

PACKAGE = Path(geoctrl.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
LINES = 450
READ_TOGETHER = pytest.mark.xdist_group("the source of the package")
"""Of tests that read it: one process reads and parses it once."""

pytestmark = READ_TOGETHER

# From the ground up; names in one row are on one floor.
FLOORS = [
    ("checker",),
    ("decisions",),
    ("_collector",),
    ("_pages", "_printing", "_explanations", "_names"),
    ("errors",),
    ("_scalars",),
    ("_checks",),
    ("_calls", "interop"),
    ("verification", "algebra", "rocq"),
    ("runs",),
    ("systems",),
    ("robots",),
    ("stepping",),
    ("sampling",),
    ("manifolds", "simulation", "analysis"),
    ("spheres", "rotations"),
    ("synthesis", "trials", "orbits", "gaits"),
    ("continuation",),
    ("models",),
    ("viz",),
    ("cli",),
]
FLOOR = {name: level for level, names in enumerate(FLOORS) for name in names}
GENERAL = ("systems", "analysis", "synthesis", "simulation")

# Classes are abstract or final, and an object has its fields from one of them: a contract, which has none, an
# abstract class, a final one.
LEVELS = 2

# Questions and runs take any system and do not ask for its kind.
ASKED_OF_ANY = ("analysis", "simulation", "synthesis")
KINDS = {
    "EulerPoincare",
    "ReducedSystem",
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


@cache
def nodes(path):
    """All of a tree, which takes longer to walk than to look through."""
    return tuple(ast.walk(tree(path)))


@cache
def import_statements(path):
    """The imports of a file, inside functions and for annotations alone too."""
    return [node for node in nodes(path) if isinstance(node, ast.Import | ast.ImportFrom)]


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
        return other == own or FLOOR[other] < FLOOR[own]

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
        for node in nodes(path)
        if (isinstance(node, ast.Attribute) and node.attr in reading)
        or (isinstance(node, ast.Name) and node.id in reading)
        or (isinstance(node, ast.Call) and ast.unparse(node.func) == "sp.S")
    )


def test_sympy_factors_nothing_in_several_symbols():
    """Its algorithm draws numbers at random, and a draw in a thousand costs minutes: `_scalars.factoring`."""
    none(
        place(path, node.lineno)
        for path in FILES
        if path != PACKAGE / "_scalars" / "algebra" / "factoring.py"
        for node in nodes(path)
        if isinstance(node, ast.Attribute) and ast.unparse(node) in {"sp.factor", "sp.factor_list"}
    )


def test_files_stay_short():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    none(place(path, length) for path, length in lengths.items() if length > LINES)


def files_imported(path, files):
    """Names among ``files`` (dotted name: path) that a file imports."""
    for node in import_statements(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
            continue
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            home = geoctrl._HOME.get(alias.name) if node.module == "geoctrl" else node.module
            yield from [found for found in (name, home) if found in files][:1]


def circles(package):
    """The circles of files of a package: lines of names with the number of imports among them, sorted."""
    files = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph = {name: set(files_imported(path, files)) for name, path in files.items()}
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


def test_there_are_no_circles_of_files():
    """Neither of imports that run nor of those that serve annotations alone."""
    none(circles(PACKAGE))


def gates(path):
    """Lines of a file that ask for a kind of system, by isinstance, issubclass, type or a class pattern."""
    for node in nodes(path):
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


def package_classes():
    """Classes of the package, without exceptions and enumerations, which are named for what they say."""
    found = set()
    for module in walk_packages(geoctrl.__path__, "geoctrl."):
        if not module.name.endswith("__main__"):
            found |= {thing for thing in vars(import_module(module.name)).values() if inspect.isclass(thing)}
    return {
        cls
        for cls in found
        if cls.__module__.startswith("geoctrl") and not issubclass(cls, Exception | enum.Enum)
    }


def dotted(cls):
    return f"{cls.__module__}.{cls.__qualname__}".removeprefix("geoctrl.")


def ancestors(cls, classes):
    """Its base classes among ``classes``, nearest first."""
    return [base for base in cls.__mro__[1:] if base in classes]


def subclassed(classes):
    """Classes that have subclasses and could be instantiated."""
    bases = {base for cls in classes for base in ancestors(cls, classes)}
    return sorted(dotted(cls) for cls in bases if not inspect.isabstract(cls))


def too_deep(classes):
    """Classes with too many ancestors, and how many."""
    depth = {cls: len(ancestors(cls, classes)) for cls in classes}
    return sorted(
        f"{dotted(cls)}: {n}" for cls, n in depth.items() if n > LEVELS and not inspect.isabstract(cls)
    )


def makes_fields(cls):
    """Whether the class itself says what its objects hold when they are made."""
    return bool(inspect.get_annotations(cls)) if is_dataclass(cls) else "__init__" in vars(cls)


def fields_twice(classes):
    """Final classes of which the fields are made in several classes, with these."""
    found = {
        cls: [c for c in (cls, *ancestors(cls, classes)) if makes_fields(c)]
        for cls in classes
        if not inspect.isabstract(cls)
    }
    return sorted(
        f"{dotted(cls)}: {', '.join(c.__name__ for c in makers)}"
        for cls, makers in found.items()
        if len(makers) > 1
    )


def test_classes_are_abstract_or_final():
    none(subclassed(package_classes()))


@pytest.mark.parametrize("rule", [too_deep, fields_twice])
def test_objects_have_few_ancestors_and_fields_from_one(rule):
    none(rule(package_classes()))


def code_strings_and_names(path):
    """String constants other than docstrings, and identifiers, with their lines."""
    docstrings = set()
    for node in nodes(path):
        body = getattr(node, "body", None)
        # Docstrings, and the strings that document a name after its assignment.
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                docstrings.add(id(statement.value))
    for node in nodes(path):
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
    """Modules in memory after a statement in a fresh interpreter."""
    code = f"{statement}\nimport sys\nprint(*sorted(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    )
    return set(run.stdout.split())


def test_the_import_loads_no_heavy_library():
    assert not loaded_by("import geoctrl") & {"sympy", "heyoka", "scipy", "control", "matplotlib"}


def test_the_description_loads_no_heavy_library_but_sympy():
    loaded = loaded_by("import geoctrl; geoctrl.EulerPoincare")
    assert not loaded & {"heyoka", "scipy", "control", "matplotlib"}


def test_parts_of_scipy_are_loaded_where_they_compute():
    """Its linear algebra takes a quarter of what it takes to load all of these."""
    names = [
        "certify",
        "stability_conditions",
        "region_of_attraction",
        "match",
        "lqr",
        "schedule",
        "simulate",
    ]
    names += ["simulate_ensemble", "find_periodic", "follow", "models"]
    loaded = loaded_by(f"import geoctrl as gc\n{'; '.join(f'gc.{name}' for name in names)}")
    assert "scipy" in loaded
    assert not loaded & {"scipy.linalg", "scipy.sparse", "scipy.optimize", "scipy.spatial", "scipy.integrate"}


def test_a_first_run_loads_what_it_uses():
    """Whoever linearises, certifies and simulates waits for no map, theorem of Rocq or executor."""
    loaded = loaded_by("import geoctrl as gc; gc.linearize; gc.certify; gc.simulate")
    assert "geoctrl.analysis.proofs.proof" in loaded
    unused = ("analysis.maps", "analysis.regions", "analysis.conditions", "analysis.witnesses", "rocq")
    unused += ("runs.part_runner", "simulation.ensembles")
    assert not loaded & {f"geoctrl.{name}" for name in unused}


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
    assert circles(package) == ["a b c: 3", "d e: 2"]


def test_the_search_among_classes_sees_what_breaks_the_rules():
    """Negative control."""

    class Contract(ABC):
        @abstractmethod
        def ask(self): ...

    class Abstract(Contract):
        def __init__(self):
            self.a = 1

    class Between(Abstract):
        pass

    class Final(Between):
        def __init__(self):
            super().__init__()
            self.b = 2

        def ask(self): ...

    @dataclass
    class Record:
        a: int

    @dataclass
    class Longer(Record):
        b: int

    @dataclass
    class Same(Record):
        def ask(self): ...

    classes = {Contract, Abstract, Between, Final, Record, Longer, Same}

    def names(lines):
        return [line.replace(f"{dotted(Contract).removesuffix('Contract')}", "") for line in lines]

    assert names(subclassed(classes)) == ["Record"]
    assert names(too_deep(classes)) == ["Final: 3"]
    assert names(fields_twice(classes)) == ["Final: Final, Abstract", "Longer: Longer, Record"]


def test_the_search_for_gates_sees_every_way_to_ask(tmp_path):
    """Negative control."""
    path = tmp_path / "example.py"
    path.write_text(
        "isinstance(s, int)\n"
        "isinstance(s, (int, ReducedSystem))\n"
        "issubclass(s, systems.EulerPoincare)\n"
        "type(s) is ManifoldSystem\n"
        "match s:\n    case SphereSystem():\n        pass\n"
    )
    assert list(gates(path)) == [2, 3, 4, 6]
