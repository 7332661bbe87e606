"""What the wheel and the source archive must hold: ``python .ci/check_archives.py FOLDER``.

All that is read at run time beside the modules, the marker of types, and licences: of the package, the viewer
and of a model file from elsewhere.
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

DATA = (
    "geoctrl/py.typed",
    "geoctrl/models/catalogue.json",
    "geoctrl/models/files/lbr_iiwa.urdf",
    "geoctrl/models/files/balancer.xml",
    "geoctrl/rocq/library/",
    "geoctrl/viz/scenes/viewer.css",
    "geoctrl/viz/scenes/viewer.min.js",
)
LICENCES = {
    "geoctrl/viz/scenes/viewer.min.js": "Three.js Authors",
    "geoctrl/models/files/lbr_iiwa.urdf": "Redistribution and use",
}
"""Words of licences within files that come from elsewhere."""


def missing(names: list[str], text_of: Callable[[str], str]) -> list[str]:
    """What is wrong with an archive that has these names."""
    found = [f"{wanted} is missing" for wanted in DATA if not any(name.startswith(wanted) for name in names)]
    found += [
        f"{name} has lost its licence"
        for name, words in LICENCES.items()
        if name in names and words not in text_of(name)
    ]
    if not any(name.endswith("LICENSE") for name in names):
        found.append("LICENSE is missing")
    return found


def main(folder: Path) -> int:
    """Print what is missing; the exit status tells whether anything is."""
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        lacking = missing(archive.namelist(), lambda name: archive.read(name).decode())
        lacking += (
            ["tests among the packages"]
            if any(name.startswith("tests/") for name in archive.namelist())
            else []
        )
    told = [f"{wheel.name}: {words}" for words in lacking]
    with tarfile.open(source) as archive:
        top = source.name.removesuffix(".tar.gz") + "/"
        names = [name.removeprefix(top) for name in archive.getnames()]
        lacking = missing(names, lambda name: archive.extractfile(top + name).read().decode())
        lacking += [] if "README.md" in names else ["README.md is missing"]
    told += [f"{source.name}: {words}" for words in lacking]
    print("\n".join(told) or f"{wheel.name}, {source.name}: complete")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
