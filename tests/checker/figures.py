"""How long the checker is, the whole and its parts, as the pages say it.

    python -m tests.checker.figures

writes the sentence anew into the pages that hold it between its marks.
"""

import ast
import io
import tokenize
from functools import cache
from pathlib import Path

import geoctrl

CHECKER = Path(geoctrl.__file__).parent / "checker"
ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "docs" / "certificates.md", ROOT / "docs" / "house.md")
BEGIN, END = "<!-- checker -->", "<!-- /checker -->"


@cache
def statements(text):
    """Logical lines that are neither docstrings nor imports."""
    logical = sum(t.type == tokenize.NEWLINE for t in tokenize.generate_tokens(io.StringIO(text).readline))
    nodes = list(ast.walk(ast.parse(text)))
    texts = sum(isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant) for n in nodes)
    return logical - texts - sum(isinstance(n, ast.Import | ast.ImportFrom) for n in nodes)


def length(paths):
    """Statements of some files."""
    return sum(statements(path.read_text(encoding="utf-8")) for path in paths)


def parts():
    """Statements of the core, which the files of the package itself are, and of each package in it."""
    packages = sorted(path for path in CHECKER.iterdir() if (path / "__init__.py").exists())
    return {"core": length(CHECKER.glob("*.py"))} | {p.name: length(p.rglob("*.py")) for p in packages}


def sentence():
    """What the pages say."""
    found = parts()
    listed = ", ".join(f"{name} {count}" for name, count in found.items())
    return f"{sum(found.values())} statements ({listed})"


def said(page):
    """What a page says now; an error unless it says it once."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    text, mark, after = rest.partition(END)
    if not mark or BEGIN in after:
        raise ValueError(f"{page.name} does not hold {BEGIN} ... {END} once")
    return before, text, after


def write():
    """Put the sentence into the pages."""
    for page in PAGES:
        before, _, after = said(page)
        page.write_text(f"{before}{BEGIN}{sentence()}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    write()
    print(sentence())
