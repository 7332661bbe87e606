"""Running `coqc`: the library in a folder, files on it, and what `Print Assumptions` prints."""

import re
import shutil
import subprocess
import time
from pathlib import Path

from geoctrl.rocq import write_library

COQC = shutil.which("coqc")
WHY_NOT = "coqc is not installed (apt-get install --no-install-recommends coq)"
SECONDS = 600
"""For one file."""

AXIOMS = {"sig_forall_dec", "sig_not_dec", "functional_extensionality_dep", "classic"}
"""Those of the classical real numbers, and no others."""


def compiled_library(folder):
    """The folder with the library, compiled unless it is there as it is."""
    for path in write_library(folder):
        made = path.with_suffix(".vo")
        mark = path.with_suffix(".done")
        if made.exists() and mark.exists() and mark.read_text() == path.read_text():
            continue
        answer = run(path, folder)
        if not answer.accepted:
            raise RuntimeError(f"{path.name}: {answer.words}")
        mark.write_text(path.read_text())
    return Path(folder)


class Answer:
    """What `coqc` said of a file."""

    def __init__(self, accepted, words, output, seconds):
        self.accepted, self.words, self.output, self.seconds = accepted, words, output, seconds

    @property
    def axioms(self):
        """Names of the axioms that the last theorem rests on."""
        printed = self.output.partition("Axioms:")[2]
        return {name.rpartition(".")[2] for name in re.findall(r"^([\w.]+)\s*:", printed, re.MULTILINE)}


def run(path, library):
    """Compile a file."""
    begin = time.monotonic()
    command = ["nice", "-n", "10", COQC, "-Q", str(library), "Geoctrl", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return Answer(False, f"not done in {SECONDS} s", "", SECONDS)
    words = " ".join(re.sub(r'File "[^"]*", ', "", done.stderr).split())
    return Answer(done.returncode == 0, words, done.stdout, time.monotonic() - begin)


def compiled(text, folder, library, name="theorem"):
    """What `coqc` says of a text."""
    path = Path(folder) / f"{name}.v"
    path.write_text(text, encoding="utf-8")
    return run(path, library)
