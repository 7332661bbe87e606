"""Model files of collections: how many are read, and why others are refused.

    python studies/model_collections.py FOLDER...

goes through folders, each a collection, and reads every MJCF and URDF file below; things that only a free
base lets move get one. Nothing is drawn from a network: unpack the packages that are to be read.
"""

import re
import sys
import warnings
from collections import Counter
from pathlib import Path

import geoctrl as gc

KINDS = {"<mujoco": gc.from_mjcf, "<robot": gc.from_urdf}


def outcome(file):
    """What became of a file: "read", or the reason without names and numbers; None where it is no model."""
    text = file.read_text(encoding="utf-8", errors="replace")
    reader = next((KINDS[root] for root in KINDS if root in text), None)
    if reader is None:
        return None
    wishes = {"friction_scale": 1e-3}
    for further in ({}, {"base": "free"}):
        try:
            reader(file, **wishes, **further)
            return "read"
        except gc.ModelFileError as error:
            if 'base="free"' not in str(error):
                return re.sub(r"'[^']*'|\d+", "..", str(error).split("; ")[0])[:90]
    return "nothing moves"


def main(folders):
    warnings.simplefilter("ignore")
    for folder in map(Path, folders):
        files = sorted(f for f in folder.rglob("*") if f.suffix in (".xml", ".urdf"))
        found = Counter(filter(None, map(outcome, files)))
        print(f"{folder.name}: {found.pop('read', 0)} read, {found.total()} refused")
        for words, count in found.most_common():
            print(f"  {count:4d}  {words}")


if __name__ == "__main__":
    main(sys.argv[1:])
