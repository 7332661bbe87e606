"""The checker stands alone: it imports nothing else, is short, and confirms the catalogue where nothing is
installed."""

import ast
import json
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import geoctrl as gc
from geoctrl import checker
from tests.attack.forge.files_over_sets import over_sets
from tests.attack.forge.genuine import genuine
from tests.attack.parts.claims import at_odds
from tests.checker.figures import PAGES, length, parts, said, sentence, statements
from tests.jumps.proved_orbits import heated

CHECKER = Path(gc.__file__).parent / "checker"
FILES = sorted(CHECKER.rglob("*.py"))
CORE, THEOREM = 500, 150
LARGEST = {
    ("flows", "orbits"): 280,
    ("flows", "hybrid_orbits"): 420,
    ("flows",): 180,
    ("cycles",): 120,
    ("maps",): 515,
    ("rests",): 160,
    ("slopes",): 385,
    ("slopes", "families"): 505,
    ("squares",): 550,
    ("sublevels",): 550,
}
"""Of rooms, and of those that are read together."""
FOREIGN = ["sympy", "scipy", "heyoka", "numpy", "numba", "control", "matplotlib", "mpmath", "pandas"]

ALONE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {foreign!r}:
            raise ImportError(f"{{name}} is not installed here")
sys.meta_path.insert(0, Refuse())
"""
VERIFY = (
    ALONE
    + """
from geoctrl.cli import main
sys.exit(max(main(["verify", path]) for path in sys.argv[1:]))
"""
)


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_it_imports_the_standard_library_flint_and_itself(path):
    for name in imported(path):
        top = name.partition(".")[0]
        assert top == "flint" or top in sys.stdlib_module_names or name.startswith("geoctrl.checker"), name


def test_the_core_can_be_read_in_an_hour():
    assert length(CHECKER.glob("*.py")) <= CORE


@pytest.mark.parametrize("path", sorted((CHECKER / "theorems").glob("*.py")), ids=lambda p: p.name)
def test_each_theorem_can_be_read_in_ten_minutes(path):
    assert statements(path.read_text(encoding="utf-8")) <= THEOREM


@pytest.mark.parametrize("rooms", LARGEST, ids=" and ".join)
def test_each_part_can_be_read_in_an_hour(rooms):
    assert sum(parts()[room] for room in rooms) <= LARGEST[rooms]


READ = {
    "flows": "",
    "orbits": "theorems flows",
    "hybrid_orbits": "theorems flows",
    "cycles": "theorems flows",
    "sublevels": "theorems",
    "rests": "flows sublevels",
    "slopes": "",
    "families": "slopes theorems",
    "squares": "",
    "catches": "flows slopes squares",
    "maps": "theorems",
    "ranges": "maps theorems",
    "schedules": "catches maps theorems",
}
"""Rooms that a reader of one reads besides, after the core, words and enclosures."""


def rooms_read(path):
    """Rooms of the files that a file imports, and of those that these import."""
    found, pending = set(), [path]
    while pending:
        for name in imported(pending.pop()):
            below = CHECKER.parent.parent.joinpath(*name.split(".")).with_suffix(".py")
            if name.startswith("geoctrl.checker.") and below.exists() and below not in found:
                found.add(below)
                pending.append(below)
    return {below.parent.name for below in found} - {"checker", "words", "enclosures", path.parent.name}


@pytest.mark.parametrize("room", READ)
def test_a_kind_of_proof_is_read_in_its_room(room):
    """A reader of a file of one kind needs no room of another kind."""
    assert set().union(*(rooms_read(path) for path in (CHECKER / room).glob("*.py"))) == {*READ[room].split()}


LOADED = """
import json, sys, types
from pathlib import Path
package = types.ModuleType("geoctrl")  # without what the whole package imports
package.__path__ = [{folder!r}]
sys.modules["geoctrl"] = package
from geoctrl import checker
for path in sys.argv[1:]:
    assert checker.check_file(path).verdict.startswith("PROVED_")
print(json.dumps([sys.modules[k].__file__ for k in sys.modules if k.startswith("geoctrl.checker")]))
"""


def test_spectrum_and_energy_casimir_rest_on_the_core_alone(tmp_path):
    """In a process of its own, their check imports files of the core, and of words, and no others."""
    system = gc.models.get("pendulum-skate")().reduce()
    unstable = gc.certify(system, system.equilibrium("sliding", Y0=1))
    body = gc.models.get("free-rigid-body")().reduce()
    stable = gc.certify(body, body.equilibrium("about3", Omega0=1))
    named = set()
    for name, certificate in (("growth", unstable), ("energy", stable)):
        certificate.to_json(tmp_path / name)
        named.add(certificate.to_dict()["theorem"]["name"])
    assert named == {"growth", "energy-Casimir"}
    paths, script = map(str, tmp_path.iterdir()), LOADED.format(folder=str(CHECKER.parent))
    command = [sys.executable, "-c", script, *paths]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {Path(path).relative_to(CHECKER) for path in json.loads(run.stdout)}
    proving = {path for path in loaded if path.parts[0] != "words"}
    assert proving == {path.relative_to(CHECKER) for path in CHECKER.glob("*.py")}
    assert length(CHECKER / path for path in proving) <= CORE


@pytest.mark.parametrize(
    "made",
    [
        over_sets,
        pytest.param(
            partial(genuine, 1),
            marks=pytest.mark.long(reason="sets, boxes and a bound are asked in this way"),
        ),
    ],
    ids=["over sets", "points, orbits, loops and catches"],
)
def test_files_of_every_kind_are_confirmed_where_only_the_checker_is(tmp_path, made):
    """In a process that has the checker of the package, python-flint and the standard library."""
    paths, names = [], set()
    for i, one in enumerate(made()):
        paths.append(tmp_path / f"{i}.json")
        paths[-1].write_text(json.dumps(one.content), encoding="utf-8")
        names.add(one.content["theorem"]["name"])
    assert len(names) >= 5, names
    paths.append(tmp_path / "through_jumps.json")
    heated().to_json(paths[-1])
    command = [
        sys.executable,
        "-c",
        ALONE.format(foreign=FOREIGN) + LOADED.format(folder=str(CHECKER.parent)),
    ]
    run = subprocess.run([*command, *map(str, paths)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    changed = json.loads(paths[0].read_text()) | {"version": 2}
    paths[0].write_text(json.dumps(changed))
    assert subprocess.run([*command, str(paths[0])], capture_output=True).returncode == 1


def test_every_theorem_stands_in_the_file_that_the_table_names():
    for name in checker.THEOREMS:
        shape, theorem = checker.theorem_by_name(name)
        assert "theorem" in shape, name
        assert callable(theorem), name


def test_pages_say_how_long_it_is():
    told = {page.name: said(page)[1] for page in PAGES}
    assert told == dict.fromkeys(told, sentence()), "python -m tests.checker.figures writes it"
    assert sum(parts().values()) == length(FILES)


def test_the_count_counts():
    """Negative control."""
    assert statements('"""Text."""\nimport os\n\n# nothing\nx = [\n    1,\n]\nif x:\n    y = 2\n') == 3


LARGE = ["whipple-bicycle", "coupled-bodies", "acrobot", "chaplygin-sphere", "pendulum-3d"]
"""Files that take as long to make and to check as all others together."""


def members(names):
    """One member of every family of these entries of the catalogue, at numbers of its own."""
    for name in names:
        mechanism = gc.models.get(name)()
        system = mechanism.reduce()
        for family, declared in mechanism.equilibria.items():
            values = {symbol: 1.5 + 0.75 * i for i, symbol in enumerate(declared.names)}
            for seen in (system, *([system.despun()] if mechanism.symmetry is not None else [])):
                try:
                    yield f"{name}-{family}", seen, seen.equilibrium(family, **values)
                    break
                except gc.EquilibriumError:
                    continue


@pytest.mark.long(
    reason="files of all other entries are confirmed below, and those of lines in balls elsewhere"
)
def test_it_confirms_large_files_where_nothing_else_is_installed(tmp_path):
    confirmed_alone(tmp_path, LARGE)


def test_it_confirms_the_catalogue_where_nothing_else_is_installed(tmp_path):
    paths, verdicts, theorems = confirmed_alone(
        tmp_path, [name for name in gc.models.names("reduced") if name not in LARGE]
    )
    assert len(paths) > 60
    assert {"attraction", "growth", "energy-Casimir", "family", "drift"} <= theorems.keys()
    assert "energy-Casimir over a shape" in theorems
    assert {gc.Verdict.PROVED_STABLE, gc.Verdict.PROVED_UNSTABLE} <= verdicts
    # Negative control: a changed file is refused there too.
    data = json.loads(Path(paths[0]).read_text())
    data["theorem"]["name"] = "attraction" if data["theorem"]["name"] == "growth" else "growth"
    Path(paths[0]).write_text(json.dumps(data))
    command = [sys.executable, "-c", VERIFY.format(foreign=FOREIGN), paths[0]]
    assert subprocess.run(command, capture_output=True, text=True).returncode == 1


def confirmed_alone(tmp_path, names):
    """Files of members that are proved, confirmed where nothing is installed; their verdicts and theorems."""
    paths, verdicts, theorems, dice = [], set(), Counter(), np.random.default_rng(4)
    for name, system, point in members(names):
        certificate = gc.certify(system, point)
        if certificate.verdict.proved:
            paths.append(str(tmp_path / f"{name}.json"))
            certificate.to_json(paths[-1])
            data = certificate.to_dict()
            assert not at_odds(data, dice, certificate.claim), certificate.claim
            theorems[data["theorem"]["name"]] += 1
            verdicts.add(certificate.verdict)
    command = [sys.executable, "-c", VERIFY.format(foreign=FOREIGN)]
    run = subprocess.run([*command, *paths], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("confirmed: field and leaf relations vanish") == len(paths)
    return paths, verdicts, theorems
