"""The rooms of the package: how many files a folder has, who imports whom within a package, and names.

Each rule has a list of what still breaks it, with reasons where it is meant to stay. Lists may only shrink: a
line that no longer breaks its rule has to go.
"""

import ast
import inspect
import pydoc
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tests import house
from tests.test_architecture import FILES, PACKAGE, READ_TOGETHER, files_imported, nodes, none, place, tree

pytestmark = READ_TOGETHER

MOST_FILES = 12
LEAST_LINES = 40

# Rooms of a package from the ground up; "." stands for the files of its own folder.
ROOMS = {
    "_scalars": "graph text arithmetic algebra .",
    "checker": (
        ". words enclosures theorems flows orbits hybrid_orbits cycles sublevels rests slopes families "
        "squares catches maps ranges schedules"
    ),
    "algebra": "representation .",
    "decisions": "reading arithmetic functions questions theorems .",
    "systems": (
        "typesetting picture parts units contract trees equations connections printing states promises "
        "jumps ."
    ),
    "simulation": "jumps . derivatives members batches ensembles",
    "stepping": "drive compiled lanes methods solvers .",
    "manifolds": "vectors factors product energies description numerics views . mechanisms",
    "analysis": (
        "symbolic question rest invariants linear critical proofs witnesses set_witnesses certificates "
        "conditions maps forms programs quadratics higher_degrees families regions schedules ."
    ),
    "orbits": "enclosures catches phases . branches",
    "continuation": "normal_forms .",
    "viz": ". loops scenes",
    "cli": "reading . laws help",
    "robots": "xml outline mjcf description .",
    "rocq": "terms witnesses text theorems .",
    "synthesis": "export contract periodic linear schedules shaping solutions rotors shaped_laws gains .",
}

# Folders with more files, and why.
CROWDED = {
    "models": "one file a mechanism",
    "checker": "read from beginning to end by whoever trusts a certificate",
}

# File names that stand in several folders, and why. Those of the checker are not compared with others: it
# shares nothing with the package, and calls a number, a question and a box by the names that they have.
SAME_FILE = {
    "description": "of a mechanism, and of a system on a product",
    "factor": "of a Lie algebra, and of a configuration space",
    "file": "each kind of proof has one",
}

# Class names that stand in several files, and why.
SAME_CLASS = {
    "Branch": "of a matching, and of equilibria: both are public",
}

# Functions that are named by a bare participle or preposition.
BARE_NAMES = 162

# Sections "Raises" in the docstrings of functions that are not public: the message is the documentation.
INTERNAL_RAISES = 0

RAISES = re.compile(r"^\s*Raises\n\s*-+$", re.MULTILINE)
PREPOSITIONS = (
    "about across after along apart around as at before beside between beyond by for from in into "
    "like near of on over per through to under with within without"
)
PARTICIPLES = (
    "begun bent borne bound broken built chosen done drawn driven felt found frozen given gone grown "
    "held hidden kept known laid led left lost made meant met proven said seen sent shown sought "
    "spent spun sworn taken told torn thrown worn written"
)
NOUNS_IN_ED = "bed feed need red seed speed"


def folder_of(path):
    return path.parent.relative_to(PACKAGE).as_posix()


def modules():
    """Files that are neither a package's own nor a program."""
    return [path for path in FILES if path.stem not in ("__init__", "__main__")]


def test_folders_are_rooms():
    """A folder has few enough files that a reader takes in their names at once."""
    count = Counter(folder_of(path) for path in modules() if path.parent != PACKAGE)
    full = {folder for folder, n in count.items() if n > MOST_FILES}
    assert full == set(CROWDED) & full
    none(f"{folder}: {count[folder]} files" for folder in sorted(full - set(CROWDED)))


def room_of(parts, rooms):
    """Place of a file, given by its path below the package, in the order of rooms."""
    if len(parts) > 1:
        return rooms.index(parts[0])
    return rooms.index(".")


def arrows_up(package, rooms):
    """Imports within a package that lead to a room above, and those of a package's own name by a room."""
    files = {
        ".".join(["geoctrl", *path.relative_to(PACKAGE).with_suffix("").parts]): path
        for path in sorted((PACKAGE / package).rglob("*.py"))
    }
    own = f"geoctrl.{package}"
    for path in files.values():
        below = path.relative_to(PACKAGE / package).parts
        if below == ("__init__.py",):
            continue
        level = room_of(below, rooms)
        for name in files_imported(path, {**files, own: None}):
            if name == own:
                if len(below) > 1 and level < room_of((".",), rooms):
                    yield f"{place(path, 0)} imports {own}"
            elif room_of(files[name].relative_to(PACKAGE / package).parts, rooms) > level:
                yield f"{place(path, 0)} imports {name}"


def test_every_package_with_folders_has_an_order_of_rooms():
    folders = {path.parent.relative_to(PACKAGE).parts[:2] for path in modules()}
    found = defaultdict(set)
    for parts in folders:
        if len(parts) == 2:
            found[parts[0]].add(parts[1])
    assert {package: set(rooms.split()) - {"."} for package, rooms in ROOMS.items()} == found


@pytest.mark.parametrize("package", ROOMS)
def test_imports_go_down_the_rooms(package):
    none(arrows_up(package, ROOMS[package].split()))


def twice(names):
    """Names that stand in several files, of pairs (name, file), within the checker or without it."""
    found = defaultdict(list)
    for name, path in names:
        found[name, folder_of(path).startswith("checker")].append(path)
    found = {name: paths for (name, _), paths in found.items() if len(paths) > 1}
    return set(found)


def test_no_two_files_have_one_name():
    assert twice((path.stem, path) for path in modules()) == set(SAME_FILE)


def test_no_two_classes_have_one_name():
    found = ((node, path) for path in FILES for node in tree(path).body if isinstance(node, ast.ClassDef))
    assert twice((node.name, path) for node, path in found) == set(SAME_CLASS)


def is_bare(name):
    """Whether a name is one participle or preposition, which does not say of what."""
    word = name.strip("_")
    if word in f"{PREPOSITIONS} {PARTICIPLES}".split():
        return True
    return word.endswith("ed") and word not in NOUNS_IN_ED.split()


def bare_names(path):
    """Functions of a file that are named so; class methods ``of`` make one of something."""
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef) and is_bare(node.name):
            makes = node.name == "of" and any(ast.unparse(d) == "classmethod" for d in node.decorator_list)
            if not makes:
                yield f"{place(path, node.lineno)} {node.name}"


def test_functions_say_what_they_return():
    found = [line for path in FILES for line in bare_names(path)]
    assert len(found) == BARE_NAMES, f"{len(found)} names, {BARE_NAMES} are allowed"


def test_small_files_are_used_by_several():
    """A file of a few lines that one neighbour uses is a part of that."""
    names = {".".join(["geoctrl", *p.relative_to(PACKAGE).with_suffix("").parts]): p for p in FILES}
    users = defaultdict(set)
    for path in FILES:
        for name in files_imported(path, names):
            users[names[name]].add(path)
    none(
        path.relative_to(PACKAGE).as_posix()
        for path in modules()
        if len(path.read_text(encoding="utf-8").splitlines()) < LEAST_LINES
        and len(users[path]) < 2
        and all(user.parent == path.parent for user in users[path])
        and folder_of(path) != "models"
    )


def documented():
    """Objects that the API reference has a page for: (file, qualified name) of classes and functions."""
    module, names = "", []
    for line in (PACKAGE.parent / "docs" / "api.md").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.fullmatch(r"   ([A-Za-z_][\w.]*)", line):
            names.append(f"{module}.{found[1]}")
    return [thing for thing in map(pydoc.locate, names) if thing is not None]


def public_functions():
    """(file, qualified name) of functions that a user calls, members of documented classes among them."""
    for thing in documented():
        if not inspect.isclass(thing):
            thing = inspect.unwrap(thing)
            if hasattr(thing, "__qualname__"):
                yield Path(inspect.getfile(thing)), thing.__qualname__
            continue
        for cls in thing.__mro__:
            if cls.__module__.startswith("geoctrl"):
                file = Path(inspect.getfile(cls))
                yield file, cls.__qualname__
                yield from ((file, f"{cls.__qualname__}.{name}") for name in vars(cls) if is_public(name))


def is_public(name):
    return not name.startswith("_") or name.startswith("__")


def definitions(node, outer=()):
    """(qualified name, node) of the functions and classes below a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield ".".join([*outer, child.name]), child
            yield from definitions(child, (*outer, child.name))
        else:
            yield from definitions(child, outer)


def internal_raises():
    """Places of sections "Raises" of what is not public."""
    public = set(public_functions())
    for path in FILES:
        for name, node in definitions(tree(path)):
            if (path, name) not in public and RAISES.search(ast.get_docstring(node) or ""):
                yield f"{place(path, node.lineno)} {name}"


def test_errors_of_internal_functions_are_told_by_their_messages():
    """A section "Raises" is for who calls a public function; inside, the line that raises says it."""
    found = list(internal_raises())
    assert len(found) == INTERNAL_RAISES, f"{len(found)} sections, {INTERNAL_RAISES} are allowed"


def test_readme_has_every_package():
    assert house.without_rooms() == house.table(house.README)[1]
    folders = {path.parent.relative_to(PACKAGE).parts[0] for path in modules() if path.parent != PACKAGE}
    named = {name.removeprefix("geoctrl.") for name in house.packages()}
    assert folders - {"cli"} <= named


def test_what_the_page_of_the_house_names_is_there():
    text = house.HOUSE.read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+\w+)`", text)
    assert len(named) > 40
    places = (PACKAGE, PACKAGE.parent)
    none(
        name
        for name in named
        if not any((at / name).is_dir() or (at / f"{name}.py").exists() for at in places)
    )


def test_the_page_of_the_house_lists_all_rooms_in_order():
    cells = [row.split("|") for row in house.table(house.HOUSE)[1].splitlines()[2:]]
    listed = {row[1].strip(" `"): re.findall(r"`(\w+)`", row[3]) for row in cells}
    for package, rooms in ROOMS.items():
        assert listed[f"geoctrl.{package}"] == [room for room in rooms.split() if room != "."]
