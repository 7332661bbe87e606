"""The pages: one for each mechanism, an entry for each public name, and nothing fetched from a network."""

import importlib
import importlib.util
import inspect
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import geoctrl as gc

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "catalogue").glob("*.md")}
INDEX = PAGES.pop("index", "")


@pytest.fixture(scope="module")
def pictures():
    sys.path.insert(0, str(DOCS))
    try:
        yield importlib.import_module("pictures")
    finally:
        sys.path.remove(str(DOCS))


def test_every_mechanism_has_a_page_and_every_page_a_mechanism():
    assert sorted(PAGES) == gc.models.names()


def test_every_mechanism_has_a_picture_and_every_picture_a_mechanism(pictures):
    assert pictures.names() == gc.models.names()


def test_the_overview_lists_every_mechanism_once():
    assert sorted(re.findall(r"^([a-z0-9-]+) \|", INDEX, re.MULTILINE)) == gc.models.names()


def test_blocks_of_pages_fit_a_page():
    """At 1400 px a page has room for 102 letters; what directives show is as wide as it is."""
    wide = []
    for path in DOCS.rglob("*.md"):
        blocks = re.findall(r"^```(.*)\n((?:.*\n)*?)```$", path.read_text(encoding="utf-8"), re.MULTILINE)
        shown = (body for kind, body in blocks if not kind.startswith("{"))
        wide += [f"{path.name}: {line}" for body in shown for line in body.splitlines() if len(line) > 102]
    assert not wide


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_shows_its_own_mechanism(name):
    page = PAGES[name]
    shown = re.findall(r"^```\{(\w+)\} (\S+)$", page, re.MULTILINE)
    assert {mechanism for _, mechanism in shown} == {name}
    needed = {"picture", "mechanism"} if name == "seven-joint-arm" else {"picture", "mechanism", "equations"}
    assert needed <= {directive for directive, _ in shown}
    assert page.count("```{plot}") >= 1
    assert page.count(":alt:") == page.count("```{plot}")


@pytest.mark.parametrize("name", sorted(PAGES))
def test_what_a_page_asks_about_stability_exists(name):
    for body in re.findall(r"^```\{stability\} \S+\n(.*?)^```$", PAGES[name], re.MULTILINE | re.DOTALL):
        chosen = dict(re.findall(r"(\w+)=(\w+)", "".join(re.findall(r"^:with: (.*)$", body, re.MULTILINE))))
        options = {k: int(v) if v.isdigit() else v for k, v in chosen.items()}
        mechanism = gc.models.get(name)(**options)
        for family, given in re.findall(r"^(?:conditions|verdict) (\S+)(.*)$", body, re.MULTILINE):
            symbols = set(re.findall(r"(\w+)=", given))
            families = mechanism.equilibria if hasattr(mechanism, "equilibria") else mechanism.families
            assert symbols <= {*families[family].names, *(p.name for p in mechanism.parameters)}


# -- what a system answers --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def systems():
    mechanism = gc.models.get("pendulum-skate-rotor")()
    chain = gc.spheres.chain_pendulum([1.0, 2.0], [0.5, 0.7])
    body = gc.rotations.free_body(np.diag([1.0, 2.0, 2.5]))
    return {
        "reduced": mechanism.reduce(),
        "closed loop": gc.match(mechanism).law(sigma=-1e-5).closed_loop(),
        "despun": gc.models.get("rolling-disk")().reduce().despun(),
        "spheres": chain,
        "form on spheres": chain.in_form("pi"),
        "rotations": body,
        "form on rotations": body.in_form("Pi"),
    }


def test_every_system_answers_what_the_page_on_systems_says(systems):
    page = (DOCS / "systems.md").read_text(encoding="utf-8")
    table = page.partition("## What every system answers")[2].partition("\n## ")[0]
    rows = [row.split("|")[1] for row in re.findall(r"^\| `.*", table, re.MULTILINE)]
    members = [name for row in rows for name in re.findall(r"`(\w+)", row)]
    assert {"name", "states", "rhs", "energy", "to_control"} <= set(members)
    missing = [f"{kind}: {m}" for kind, system in systems.items() for m in members if not hasattr(system, m)]
    assert missing == []


def test_every_system_has_the_shapes_that_the_page_on_systems_says(systems):
    q, omega = gc.spheres.project([[0.0, 0.6, -0.8], [0.0, 0.0, -1.0]], [[0.3, 0.0, 0.0], [0.0, 0.2, 0.0]])
    starts = {"spheres": (q, omega), "rotations": (np.eye(3)[None], np.array([[0.1, 0.2, 0.3]]))}
    for kind, system in systems.items():
        if "random_state" in dir(system):
            x = system.random_state(np.random.default_rng(1))
        else:
            x = system.start(starts[kind.removeprefix("form on ")])
        n = len(system.state_labels)
        many = np.stack([x, x, x], axis=1)
        assert np.shape(system.rhs(0.0, x)) == np.shape(x) == (n,), kind
        assert np.shape(system.rhs(0.0, many)) == (n, 3), kind
        assert np.shape(system.jacobian(0.0, x)) == (n, n), kind
        assert np.shape(system.input_jacobian(0.0, x)) == (n, len(system.input_labels)), kind
        assert np.shape(system.outputs(0.0, x)) == (len(system.output_labels),), kind
        assert np.shape(system.leaf_residual(x)) == (len(system.leaf.names),), kind
        assert np.shape(system.energy(x)) == (), kind
        assert np.shape(system.energy(many)) == (3,), kind


# -- the reference ----------------------------------------------------------------------------------


def public_names():
    """Names of the package and of its public modules, as a reader writes them after ``gc.``."""
    for name in gc.__all__:
        thing = getattr(gc, name)
        yield from (f"{name}.{inner}" for inner in thing.__all__) if inspect.ismodule(thing) else [name]


def test_every_public_name_is_listed_in_the_reference():
    listed = set(
        re.findall(r"^(?:   |\.\. py:data:: )([\w.]+)$", (DOCS / "api.md").read_text(), re.MULTILINE)
    )
    assert sorted(set(public_names()) - listed) == []


def members_by_inspection(cls):
    """Names without underscore that classes of geoctrl give this one, instance attributes not included."""
    homes = [c for c in cls.__mro__ if c.__module__.startswith("geoctrl")]
    names = {n for c in homes for n in (*vars(c), *inspect.get_annotations(c))}
    return {n for n in names if not n.startswith("_")}


def build(root, *options, builder="html"):
    """Run Sphinx from ``root / "docs"`` to a folder named as the builder; what it warns of."""
    for needed in ("sphinx", "numpydoc", "myst_parser", "furo", "py_mini_racer"):
        pytest.importorskip(needed)
    shutil.copy(DOCS.parent / "pyproject.toml", root)
    settings = [word for option in options for word in ("-D", option)]
    command = [sys.executable, "-m", "sphinx", "-q", "-b", builder, *settings, root / "docs", root / builder]
    done = subprocess.run(command, capture_output=True, text=True, cwd=DOCS.parent, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


EXTENSIONS = "myst_parser,sphinx.ext.autodoc,sphinx.ext.autosummary,numpydoc,formulas,reference"


def copied(root, *pages):
    """The documentation with these of its pages only."""
    shutil.copytree(DOCS, root / "docs", ignore=shutil.ignore_patterns("generated", "_build", "catalogue"))
    for page in (root / "docs").rglob("*.md"):
        if page.stem not in pages:
            page.unlink()


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Folder of the reference as it is read, and what is warned of; nothing of it is laid out."""
    root = tmp_path_factory.mktemp("reference")
    copied(root, "api")
    return root / "dummy", build(root, "root_doc=api", f"extensions={EXTENSIONS}", builder="dummy")


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory):
    """Folder of a small reference and a formula, as pages for a browser; what is warned of."""
    root = tmp_path_factory.mktemp("pages")
    copied(root)
    (root / "docs" / "small.md").write_text(SMALL_REFERENCE, encoding="utf-8")
    return root / "html", build(root, "root_doc=small", f"extensions={EXTENSIONS}")


SMALL_REFERENCE = """# A small reference

```{eval-rst}
.. currentmodule:: geoctrl

.. autosummary::
   :toctree: generated

   se2
   LieAlgebra
   FeedbackLaw
   ReducedSystem
   Axis
   Coordinate
```

$$
\\dot x = f(x)
$$
"""
WHOLE = pytest.mark.long(
    reason="the build of the pages warns of names in the whole, and what it is to find is asked below"
)
SMALL = pytest.mark.long(reason="the build of all pages warns of the same, and .ci/check_pages.py reads them")


def inventory_in(folder):
    """Kind of each entry by its dotted name, as other projects' pages link to it."""
    environment = pickle.loads((folder / ".doctrees" / "environment.pickle").read_bytes())
    return {name: entry.objtype for name, entry in environment.domaindata["py"]["objects"].items()}


@pytest.fixture(
    scope="module", params=[pytest.param("small", marks=SMALL), pytest.param("whole", marks=WHOLE)]
)
def inventory(request):
    """That of the small reference, or of the whole."""
    return inventory_in(request.getfixturevalue({"small": "laid_out", "whole": "read"}[request.param])[0])


@WHOLE
@pytest.mark.slow
def test_every_public_name_has_an_entry(read):
    inventory = inventory_in(read[0])
    assert [name for name in public_names() if f"geoctrl.{name}" not in inventory] == []


@pytest.mark.slow
def test_every_member_of_every_documented_class_has_an_entry(inventory):
    # A class that is exported has a second name, where it is defined, that leads to the same entry.
    names = {}
    for name, kind in inventory.items():
        if kind in ("class", "exception"):
            path, _, last = name.rpartition(".")
            names.setdefault(getattr(importlib.import_module(path), last), []).append(name)
    missing = [
        f"{called[0]}.{member}"
        for cls, called in names.items()
        for member in members_by_inspection(cls)
        if not any(f"{name}.{member}" in inventory for name in called)
    ]
    assert len(names) >= 5
    assert missing == []


@pytest.mark.slow
def test_attributes_that_instances_carry_have_entries(inventory, systems):
    known = {
        "geoctrl.ReducedSystem": systems["reduced"],
        "geoctrl.spheres.SphereSystem": systems["spheres"],
        "geoctrl.rotations.RotationSystem": systems["rotations"],
        "geoctrl.LieAlgebra": gc.se3(),
        "geoctrl.FeedbackLaw": gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5),
    }
    things = {name: thing for name, thing in known.items() if name in inventory}
    carried = [f"{name}.{n}" for name, thing in things.items() for n in vars(thing) if not n.startswith("_")]
    assert len(things) in (3, len(known))  # of the small reference, of the whole
    assert len(carried) > 40 * len(things) / len(known)
    assert [name for name in carried if name not in inventory] == []


@WHOLE
@pytest.mark.slow
def test_the_build_has_nothing_to_warn_of(read):
    assert "has no entry in the API reference" not in read[1]


@SMALL
@pytest.mark.slow
def test_the_build_warns_of_a_name_without_entry(laid_out):
    warned = re.findall(r"(\S+) is public and has no entry in the API reference", laid_out[1])
    assert "geoctrl.se3" in warned
    assert "geoctrl.se2" not in warned


@SMALL
@pytest.mark.slow
def test_formulas_are_set_and_no_page_fetches_from_another_host(laid_out):
    folder = laid_out[0]
    assert {"small.html", "geoctrl.LieAlgebra.html"} <= {p.name for p in folder.rglob("*.html")}
    assert "katex-display" in (folder / "small.html").read_text(encoding="utf-8")
    assert checked_pages(folder) == []


def checked_pages(folder):
    """What the look through the built pages finds."""
    path = DOCS.parent / ".ci" / "check_pages.py"
    specification = importlib.util.spec_from_file_location("check_pages", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.faults(folder)


def test_pages_that_fetch_from_another_host_are_found(tmp_path):
    formula = '<span class="katex-display"></span>'
    (tmp_path / "good.html").write_text(formula + '<a href="https://example.org">a link</a>')
    (tmp_path / "good.css").write_text("a { background: url(data:x) }")
    assert checked_pages(tmp_path) == []
    (tmp_path / "bad.html").write_text('<script src="https://example.org/x.js"></script>')
    (tmp_path / "bad.css").write_text("@import 'https://example.org/x.css';")
    (tmp_path / "good.html").write_text("no formula")
    found = checked_pages(tmp_path)
    assert [word for word in ("bad.html", "bad.css", "no page") if not any(word in f for f in found)] == []
    assert len(found) == 3


# -- what the directives do, and what they refuse ---------------------------------------------------

PAGE = """# A page

<!-- run -->

```python
x = 2.5
print("two and a half is", x)
```

<!-- run: a straight line -->

```python
import matplotlib.pyplot as plt

plt.plot([0, x])
```

A length of $1.5\\times10^{-3}$ m.

{rest}
"""


FAULTY = {  # parts of pages, whose examples end with the first that fails
    "faults": {
        "```python\nprint(1)\n```": "not marked to be run",
        "<!-- run -->\n\n```python\nprint(undefined)\n```": "name 'undefined' is not defined",
        "$\\undefinedmacro$": "undefinedmacro",
    },
    "a warning": {
        "<!-- run -->\n\n```python\nimport warnings\nwarnings.warn('odd')\n```": "odd",
    },
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """HTML of a page with two good examples, and what is warned of it and of pages with faulty parts more."""
    root = tmp_path_factory.mktemp("examples")
    (root / "docs").mkdir()
    for folder in ("_extensions", "_static", "_templates"):
        shutil.copytree(DOCS / folder, root / "docs" / folder)
    shutil.copy(DOCS / "conf.py", root / "docs")
    (root / "docs" / "index.md").write_text(PAGE.replace("{rest}", ""), encoding="utf-8")
    for name, parts in FAULTY.items():
        page = "---\norphan: true\n---\n" + PAGE.replace("{rest}", "\n\n".join(parts))
        (root / "docs" / f"{name}.md").write_text(page, encoding="utf-8")
    warned = build(root, "extensions=myst_parser,examples,formulas")
    warnings = [part for part in re.split(r"(?=^.*WARNING)", warned, flags=re.MULTILINE) if part.strip()]
    return (root / "html" / "index.html").read_text(encoding="utf-8"), warnings


@pytest.mark.slow
def test_marked_blocks_show_what_they_print_and_draw(built):
    page, warnings = built
    assert all(any(f"{name}.md" in warning for name in FAULTY) for warning in warnings)
    assert re.sub("<[^>]*>", "", page).count("two and a half is 2.5") == 1
    assert len(re.findall(r'<img alt="a straight line"', page)) == 1
    assert page.count('class="katex-base"') == 1  # no place for a line to break within the number


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTY)
def test_a_build_warns_of_what_does_not_run_or_cannot_be_set(built, name):
    warnings = [warning for warning in built[1] if f"{name}.md" in warning]
    for warning, words in zip(warnings, FAULTY[name].values(), strict=True):
        assert words in warning


def test_a_name_without_an_entry_is_found(monkeypatch):
    pytest.importorskip("numpydoc")
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    reference = importlib.import_module("reference")
    entries = {
        f"geoctrl.{name}": SimpleNamespace(objtype="function", aliased=False) for name in public_names()
    }
    entries["geoctrl.Axis"] = SimpleNamespace(objtype="class", aliased=False)
    entries["geoctrl.Axis.of"] = entries.pop("geoctrl.so3")
    env = SimpleNamespace(domains=SimpleNamespace(python_domain=SimpleNamespace(objects=entries)))
    assert list(reference.missing_entries(env)) == [
        "geoctrl.so3",
        "geoctrl.Axis.unit",
        "geoctrl.Axis.full",
        "geoctrl.Axis.direction",
    ]


def test_the_list_beside_a_page_is_that_of_its_neighbour(monkeypatch):
    """Another entry is marked; of names that begin alike the right one."""
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    moved = importlib.import_module("sidebar").moved

    def listed(marked, mark="current"):
        entries = [
            f'<li class="toctree-l2 {mark}"><a class="current reference internal" href="#">{n}</a></li>'
            if n == marked
            else f'<li class="toctree-l2"><a class="reference internal" href="{n}.html">{n}</a></li>'
            for n in ("geoctrl.Law", "geoctrl.LawWarning", "geoctrl.match")
        ]
        above = '<li class="toctree-l1 current"><a class="reference internal" href="../api.html">API</a>'
        return f"<ul>{above}<ul>{''.join(entries)}</ul></li></ul>"

    for there in ("geoctrl.Law", "geoctrl.LawWarning", "geoctrl.match"):
        assert moved(listed("geoctrl.LawWarning"), "geoctrl.LawWarning", there) == listed(there)
        shown = listed("geoctrl.LawWarning", "current current-page")
        assert moved(shown, "geoctrl.LawWarning", there) == listed(there, "current current-page")
