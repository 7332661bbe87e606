"""README's table of packages, made from that of docs/house.md.

    python -m tests.house

writes it anew.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOUSE, README = ROOT / "docs" / "house.md", ROOT / "README.md"
BEGIN, END = "<!-- packages -->\n", "<!-- /packages -->"


def table(page):
    """The rows between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    rows, mark, after = rest.partition(END)
    if not mark or BEGIN in after:
        raise ValueError(f"{page.name} does not hold {BEGIN.strip()} ... {END} once")
    return before, rows, after


def packages():
    """Packages that the page names, in its order."""
    return re.findall(
        r"`(geoctrl[.\w]*)`", "".join(row.split("|")[1] for row in table(HOUSE)[1].splitlines())
    )


def without_rooms():
    """The rows for README: no rooms, and links from where it stands."""
    rows = [f"|{'|'.join(row.split('|')[1:3])}|" for row in table(HOUSE)[1].splitlines()]
    return re.sub(r"\]\((?=[\w/]+\.md\))", "](docs/", "\n".join(rows)) + "\n"


def write():
    """Put the table into README."""
    before, _, after = table(README)
    README.write_text(before + BEGIN + without_rooms() + END + after, encoding="utf-8")


if __name__ == "__main__":
    write()
