"""Print a fenced block of README.md that is marked for execution.

A block is marked by a comment on a line of its own, followed by the fence::

    <!-- ci: test -->

    ```bash
    python -m pytest
    ```

Usage: ``python .ci/readme_blocks.py README.md NAME`` writes the block to standard output exactly as printed.
A marker that is missing, doubled, or not followed by a fenced block ends the program with status 1.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

MARKER = re.compile(r"^<!--\s*ci:\s*(?P<name>[\w-]+)\s*-->\s*$")
FENCE = re.compile(r"^(?P<fence>`{3,})(?P<language>\w+)\s*$")


def read_blocks(text: str) -> dict[str, str]:
    """All marked blocks of a Markdown text by name."""
    blocks: dict[str, str] = {}
    lines = iter(enumerate(text.splitlines(), start=1))
    for number, line in lines:
        marker = MARKER.match(line)
        if marker is None:
            continue
        name = marker["name"]
        if name in blocks:
            raise ValueError(f"line {number}: a second block is marked 'ci: {name}'")
        opening = next((candidate for _, candidate in lines if candidate.strip()), "")
        fence = FENCE.match(opening)
        if fence is None:
            raise ValueError(f"line {number}: the marker 'ci: {name}' is not followed by a fenced block")
        body: list[str] = []
        for _, content in lines:
            if content.rstrip() == fence["fence"]:
                break
            body.append(content)
        else:
            raise ValueError(f"line {number}: the block marked 'ci: {name}' is not closed")
        blocks[name] = "\n".join(body) + "\n"
    return blocks


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: readme_blocks.py README.md NAME", file=sys.stderr)
        return 2
    path, name = Path(arguments[0]), arguments[1]
    try:
        blocks = read_blocks(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 1
    if name not in blocks:
        known = ", ".join(sorted(blocks)) or "none"
        print(f"{path}: no block is marked 'ci: {name}' (marked: {known})", file=sys.stderr)
        return 1
    sys.stdout.write(blocks[name])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
