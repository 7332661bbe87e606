"""The command that says more about an error, by the key at the end of its message."""

from __future__ import annotations

import argparse
from textwrap import fill

from geoctrl._explanations import Explanation, explanations
from geoctrl.cli.reading.text import show, terminal_width
from geoctrl.cli.reading.usage import UsageError

__all__ = ["add_explain"]


def add_explain(command: argparse.ArgumentParser) -> None:
    """The argument of ``explain``."""
    command.add_argument("key", metavar="KEY", nargs="?", help="at the end of a message; all keys without it")
    command.set_defaults(run=_explain)


def _explain(args: argparse.Namespace) -> int:
    """Print what is known about an error, or the list of keys."""
    from geoctrl._checks import nearest

    known = explanations()
    if args.key is None:
        width = max(map(len, known))
        rows = [f"{key:<{width}}  {found.title}" for key, found in known.items()]
        show(args, {key: found.title for key, found in known.items()}, "\n".join(rows))
        return 0
    if args.key not in known:
        raise UsageError(f"no error goes by {args.key!r}{nearest(args.key, known)}")
    found = known[args.key]
    show(args, {args.key: found.as_dict()}, _page(found))
    return 0


def _page(found: Explanation) -> str:
    """An explanation as text."""
    width = terminal_width()
    before, after = (
        "\n".join(f"    {line}".rstrip() for line in code.splitlines()) for code in found.examples
    )
    causes = [fill(f"- {cause}", width, subsequent_indent="  ") for cause in found.causes]
    return "\n\n".join(
        [
            fill(f"{found.key}: {found.title}", width),
            fill(f"{found.error}: {found.pattern}", width),
            fill(found.meaning, width),
            "\n".join(["Usual causes", *causes]),
            f"Before\n{before}",
            f"After\n{after}",
        ]
    )
