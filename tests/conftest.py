"""For every test: one thread of BLAS; sympy may not evaluate text as a program, as inside containers."""

import gc
import os
import sys
import tomllib
from contextlib import suppress
from functools import cache, wraps
from importlib import import_module
from pathlib import Path

# Before numpy is loaded: threads of BLAS that wait for each other's small matrices take most of the time of
# processes that share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Before sympy is: it remembers a thousand answers of each function, and forgets those of a system while the
# tests ask of it. More take a twentieth less time.
os.environ.setdefault("SYMPY_CACHE_SIZE", "100000")

import mpmath
import numpy as np
import pytest
import sympy.physics.units  # noqa: F401, it evaluates text of its own when `solve` loads it
from flint import ctx
from sympy.parsing import sympy_parser

from geoctrl import models

TESTS = Path(__file__).parent


class EvaluatedError(BaseException):
    """Text reached sympy's parser; no `except Exception` may hide it."""


def _refuse(code, *_):
    raise EvaluatedError(f"sympy was about to evaluate {code!r}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Every process imports every module of tests. Whose asserts one has rewritten, that it keeps beside the
    file for the others, unless these come to it at the same time: every other process begins at the end.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    every_file = session.config.args_source is session.config.ArgsSource.TESTPATHS
    if worker % 2 and every_file and not sys.dont_write_bytecode:
        for file in sorted(TESTS.rglob("test_*.py"), reverse=True):
            with suppress(Exception, pytest.skip.Exception):  # the collection meets it again, and tells of it
                import_module(".".join(file.relative_to(TESTS.parent).with_suffix("").parts))


def pytest_collection_finish():
    """Once, and for the process: a fixture of twelve thousand tests takes seconds. Modules of tests may read
    their own cases before.
    """
    sympy_parser.eval_expr = _refuse


BY_TEXT = str, int, float, bool, type(None)
"""Options whose text says which they are."""


def _remembered(get):
    """The catalogue, of which an entry is built once with the same options."""

    @cache
    def builder_of(name):
        build, kept = get(name), {}

        @wraps(build)
        def builder(*given, **options):
            if not all(isinstance(v, BY_TEXT) for v in (*given, *options.values())):
                return build(*given, **options)
            asked = repr((given, sorted(options.items())))
            if asked not in kept:
                kept[asked] = build(*given, **options)
            return kept[asked]

        return builder

    return lambda name: builder_of(name) if isinstance(name, str) else get(name)


SHARING = {
    "continuation",
    "literature",
    "rotations",
    "sampling",
    "spheres",
    "synthesis",
    "systems",
}
"""Folders of which the tests of a file share what the catalogue builds."""

TOGETHER = {"analysis", "checker"}
"""Folders whose files ask of the same systems: all their tests run in one process, and share them."""


_CATALOGUES = {folder: _remembered(models.get) for folder in TOGETHER}


@pytest.fixture(scope="module", autouse=True)
def _catalogue(request):
    """Descriptions do not change, and remember their equations: most of the time of many files was that of
    equations which the test before had derived.
    """
    folder = request.path.parent.name
    with pytest.MonkeyPatch.context() as patch:
        if folder in TOGETHER:
            patch.setattr(models, "get", _CATALOGUES[folder])
        elif folder in SHARING:
            patch.setattr(models, "get", _remembered(models.get))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """What a function changes for itself of their precision or errors would change answers of all others."""
    before = _settings()
    result = yield
    assert _settings() == before, "bits, terms of series or what numpy does about errors were left changed"
    return result


def _settings():
    return ctx.prec, ctx.cap, mpmath.mp.prec, np.geterr(), np.geterrcall()


collect_ignore = ["attack"]  # a program: `python -m tests.attack`


# Trees of expressions are no garbage: searches for it at the usual counts took another twentieth.
gc.set_threshold(1_000_000, 20, 100)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """A file leaves systems, millions of objects: a search for garbage in them took a tenth of the time."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def pytest_addoption(parser):
    parser.addoption(
        "--all",
        action="store_true",
        help="run the tests marked long too: more cases of a kind that the others ask of",
    )


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    """Systems are slow to build and are remembered by each process: the tests of a file run in one, or those
    of a whole folder.

    A file whose tests build many systems says itself which tests go together. Tests marked long
    are left to --all, and so are the cases that ``further_cases.toml`` names.
    """
    _mark_further_cases(items, every_case="[" not in "".join(map(str, config.args)))
    long = [item for item in items if _is_long(item)]
    if long and not config.getoption("--all"):
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not _is_long(item)]
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            folder = item.path.parent.name
            item.add_marker(pytest.mark.xdist_group(folder if folder in TOGETHER else item.location[0]))


def _mark_further_cases(items, every_case):
    """Mark as long what the table names; where all cases of a test are there, each name is to be one."""
    cases = {}
    for item in items:
        name, _, case = item.name.partition("[")
        cases.setdefault((item.path, name), {})[case.removesuffix("]")] = item
    table = tomllib.loads((TESTS / "further_cases.toml").read_text(encoding="utf-8"))
    for file, tests in table.items():
        for name, further in tests.items():
            there = cases.get((TESTS / file, name), {})
            if there and every_case and not set(further) < set(there):
                unknown = sorted(set(further) - set(there))
                raise pytest.UsageError(
                    f"further_cases.toml: {file}::{name}: no cases {unknown}, or no others"
                )
            for case in set(further) & set(there):
                there[case].add_marker(pytest.mark.long(reason="others of its kind stay in the plain run"))


def _is_long(item):
    mark = item.get_closest_marker("long")
    if mark and not mark.kwargs.get("reason"):
        raise pytest.UsageError(
            f"{item.nodeid}: long(reason=...) says which other test asks of the same kind"
        )
    return mark is not None
