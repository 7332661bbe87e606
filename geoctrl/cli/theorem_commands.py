"""Certificates as theorems of Rocq: the command that writes one, and the comparison with its certificate."""

from __future__ import annotations

import argparse
from pathlib import Path

from geoctrl.cli.reading.text import file_line, show

__all__ = ["add_export", "compared_text", "run_export"]


def add_export(command: argparse.ArgumentParser) -> None:
    """The options of the command."""
    command.add_argument("--rocq", metavar="FILE", required=True, help="certificate (JSON) to be a theorem")
    command.add_argument("-o", "--out", metavar="FILE", required=True, help="where the theorem goes (.v)")
    command.add_argument("--library", metavar="FOLDER", help="also write the library that it needs there")
    command.set_defaults(run=run_export)


def run_export(args: argparse.Namespace) -> int:
    """Write the theorem of a certificate that the checker confirms."""
    import geoctrl
    from geoctrl.checker.reader import load
    from geoctrl.rocq import commands, rocq_text, write_library

    report = geoctrl.verify(args.rocq)
    text = rocq_text(load(args.rocq))
    Path(args.out).write_text(text, encoding="utf-8")
    steps = []
    if args.library:
        write_library(args.library)
        steps = commands(args.library, args.out)
    data = {
        "certificate": args.rocq,
        "claim": report.claim,
        "file": args.out,
        "library": args.library,
        "commands": steps,
    }
    checked = "".join(f"\n  check it with: {step}" for step in steps)
    show(args, data, f"{report.verdict}: {report.claim}{file_line(args.out)}{checked}")
    return 0


def compared_text(theorem: str, certificate: str) -> str:
    """What is confirmed of a theorem that is the certificate's, byte by byte."""
    from geoctrl.checker.reader import load
    from geoctrl.errors import CertificateError
    from geoctrl.rocq import difference_of_texts

    given = Path(theorem).read_bytes().decode("utf-8", errors="replace")
    if difference := difference_of_texts(given, load(certificate)):
        raise CertificateError(f"{theorem} is not the theorem of {certificate}: {difference}")
    return f"{theorem} is its theorem, written anew and compared byte by byte"
