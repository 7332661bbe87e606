"""The checker multiplies out and compares: nothing in its source divides with remainder, factors, isolates
roots, eliminates or ranks. Signs of forms are pivots in balls, which are no equalities.

What is looked for are names and operators in the parsed source. What stands there for another reason is
listed with it, and a line of the list that nothing needs any more is a fault as well.
"""

import ast
from pathlib import Path

import pytest

import geoctrl as gc

CHECKER = Path(gc.__file__).parent / "checker"
SEARCHES = {
    *("factor", "squarefree", "roots", "isolate", "sturm", "discriminant", "resultant", "subresultant"),
    *("gcd", "xgcd", "lcm", "isqrt", "divmod", "remainder", "rem", "divexact", "groebner", "spoly"),
    *("rank", "rref", "echelon", "nullspace", "inv", "solve", "solver", "lu", "fflu", "hnf", "snf", "lll"),
    *("det", "charpoly", "minpoly", "eig", "eigenvalues", "eigenvectors"),
}
"""Parts of names, between underscores, that stand for a search or an elimination."""
OPERATORS = {ast.FloorDiv: "//", ast.Mod: "%"}
HIDDEN = {
    "getattr",
    "eval",
    "exec",
    "compile",
    "globals",
    "vars",
    "__import__",
    "import_module",
    "attrgetter",
    "methodcaller",
    "divmod",
}
"""By which a name could be called that does not stand in the source; and what divides without an import."""
FLINT = {
    "arb",
    "arb_mat",
    "arb_series",
    "ctx",
    "fmpq",
    "fmpq_mat",
    "fmpq_mpoly_ctx",
    "fmpz",
    "fmpz_mat",
    "Ordering",
}
"""Numbers, matrices, series, polynomials that are multiplied out; none in one variable, which have roots."""

GIVEN = "multiplies by an inverse that is given"
ENCLOSED = "encloses the solution of a system that an inverse next to it shows regular"
SQUARE = "square roots that a file gives, squared and compared"
SIZE = "a length in words"
WHOLE = "of whole numbers, for the size of a polynomial, or what its coefficients have in common"
ALLOWED = {
    ("__init__.py", "roots"): SQUARE,
    ("maps/axes.py", "%"): "whether a multiple is odd",
    ("maps/axes.py", "//"): "half of a multiple",
    ("maps/axes.py", "factor"): "numbers what is divided by, to keep it as it is",
    ("maps/axes.py", "roots"): SQUARE,
    ("maps/bernstein.py", "//"): "columns of a table of coefficients",
    ("ranges/cells_by_forms.py", "//"): "columns of a table of coefficients",
    ("enclosures/balls.py", "getattr"): "sqrt, sin, cos, exp, log, atan of balls, by their names in a file",
    ("enclosures/balls.py", "inv"): ENCLOSED,
    (
        "enclosures/cells.py",
        "inv",
    ): "next to the inverse, of middles of balls, and one in balls, which encloses it",
    ("enclosures/cells.py", "solve"): ENCLOSED,
    ("maps/charts.py", "%"): "whether a length is even",
    ("sublevels/cover.py", "%"): "the side of a cell that is halved next",
    ("sublevels/cover.py", "//"): "the middle of a list of cells",
    ("sublevels/energy.py", "solve"): "a guess in doubles, of which nothing is believed",
    ("__init__.py", "import_module"): "the file that proves a theorem, by a table in the source",
    ("identities.py", "//"): SIZE,
    ("identities.py", "roots"): "how many square roots numbers may have",
    ("identities.py", "factor"): "numbers what is divided by, to keep it as it is",
    ("identities.py", "gcd"): WHOLE,
    ("identities.py", "isqrt"): WHOLE,
    ("identities.py", "lcm"): WHOLE,
    ("jets.py", "//"): SIZE,
    ("jets.py", "roots"): SQUARE,
    ("rests/rest_alone.py", "%"): "the side of a cell that is halved next",
    ("sublevels/file.py", "import_module"): "the file of a theorem above this one",
    ("numbers.py", "roots"): SQUARE,
    ("squares/polynomial_motion.py", "//"): SIZE,
    ("flows/flow.py", "inv"): "of axes, in balls, which encloses the exact one",
    ("flows/series.py", "inv"): "next to the inverse, of the middles of balls, and of what is next to one",
    ("flows/series.py", "//"): SIZE,
    ("question.py", "solve"): GIVEN,
    ("reader.py", "roots"): SQUARE,
    ("maps/region.py", "getattr"): "a sign of a block, in one of its tables by the name in the format",
    ("maps/region.py", "roots"): "the name of a proof by the spectrum",
    ("schedules/forms.py", "%"): "whether a power is even",
    ("schedules/forms.py", "//"): "columns of a table of coefficients",
    ("theorems/lowest_form.py", "%"): "whether a power is even",
    ("theorems/lowest_form.py", "//"): "half of a power",
    ("theorems/growing.py", "roots"): SQUARE,
    ("theorems/lowest_form.py", "roots"): SQUARE,
    ("theorems/weak_focus.py", "roots"): SQUARE,
}
"""Reasons, by file and word."""
FILES = sorted(CHECKER.rglob("*.py"))


def found_in(source):
    """Words and operators of a source that stand for a search, with their lines."""
    for node in ast.walk(ast.parse(source)):
        words, names = set(), set()
        match node:
            case ast.BinOp() | ast.AugAssign():
                words = {OPERATORS[type(node.op)]} if type(node.op) in OPERATORS else set()
            case ast.Attribute():
                names = {node.attr}
            case ast.Name():
                words = {node.id} & HIDDEN  # another one stands where it is imported or made
            case ast.FunctionDef() | ast.ClassDef():
                names = {node.name}
            case ast.Import():
                names = {alias.name for alias in node.names}
                words = names & {"flint"}
            case ast.ImportFrom():
                names = {alias.name for alias in node.names}
                words = names & HIDDEN | (names - FLINT if node.module == "flint" else set())
        words |= {part for name in names for part in name.lower().split("_")} & SEARCHES
        yield from ((word, node.lineno) for word in words)


def told(path):
    return path.relative_to(CHECKER).as_posix()


@pytest.mark.parametrize("path", FILES, ids=told)
def test_nothing_is_searched_for(path):
    found = sorted({(line, word) for word, line in found_in(path.read_text(encoding="utf-8"))})
    assert [(line, word) for line, word in found if (told(path), word) not in ALLOWED] == []


def test_what_is_allowed_is_needed():
    needed = {(told(path), word) for path in FILES for word, _ in found_in(path.read_text(encoding="utf-8"))}
    assert [*ALLOWED.keys() - needed] == []


SEARCHING = """
import flint
from math import gcd
from operator import methodcaller
from flint import fmpq, fmpq_mat, fmpq_poly, acb

def made(p, q, A, s):
    _, rest = divmod(p, q)
    whole = p // q
    p %= q
    taken = p.factor_squarefree
    for root, _ in p.real_roots():
        s += root
    flint.fmpq_mpoly.resultant
    A.rref()[1], A.det(), A.inv(), A.solve(p), matrix(A).charpoly()
    return getattr(p, "gcd")(q), eval(s), p * q + A / 2 - 1

def rank_of_rows(rows):
    return len(rows)
"""


def test_a_search_is_seen():
    """Negative control: each of these is found, on its line, and nothing of what is plain arithmetic."""
    found = {}
    for word, line in found_in(SEARCHING):
        found.setdefault(line, set()).add(word)
    assert found == {
        2: {"flint"},
        3: {"gcd"},
        4: {"methodcaller"},
        5: {"fmpq_poly", "acb"},
        8: {"divmod"},
        9: {"//"},
        10: {"%"},
        11: {"factor", "squarefree"},
        12: {"roots"},
        14: {"resultant"},
        15: {"rref", "det", "inv", "solve", "charpoly"},
        16: {"getattr", "eval"},
        18: {"rank"},
    }


@pytest.mark.parametrize("name", ["eliminations", "over_roots", "identities_by_division"])
def test_what_the_search_decides_by_is_seen(name):
    """Negative control on the exact decisions of the search, which divide, rank and isolate."""
    (path,) = Path(gc.__file__).parent.rglob(f"{name}.py")
    assert {word for word, _ in found_in(path.read_text(encoding="utf-8"))} & SEARCHES
