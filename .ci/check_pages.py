"""Look through the pages that were built: formulas are set, and none fetches anything from another host.

python .ci/check_pages.py HTML
"""

import re
import sys
from pathlib import Path

FETCHED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*?\bsrc=["']https?:|<link\b[^>]*?\bhref=["']https?:"""
)
FETCHED_BY_STYLES = re.compile(r"url\(.?https?:[^)]*|@import[^;]*https?:[^;]*")


def faults(folder: Path) -> list[str]:
    """Pages and styles of a folder that fetch from another host, and formulas that are not set."""
    pages = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}
    styles = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.css")}
    found = [f"{path} fetches from another host" for path, text in pages.items() if FETCHED.search(text)]
    found += [f"{path} does" for path, text in styles.items() if FETCHED_BY_STYLES.search(text)]
    if not any("katex-display" in text for text in pages.values()):
        found.append(f"no page of {folder} has a formula")
    return found


if __name__ == "__main__":
    wrong = faults(Path(sys.argv[1]))
    print("\n".join(wrong), file=sys.stderr)
    sys.exit(bool(wrong))
