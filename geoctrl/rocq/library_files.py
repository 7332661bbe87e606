"""The files of the library, in the order in which they are compiled."""

from __future__ import annotations

from pathlib import Path

MODULES = (
    "OneDimension",
    "Orders",
    "Expressions",
    "Derivative",
    "Fields",
    "Polynomials",
    "Identities",
    "Taylor",
    "Jets",
    "Definite",
    "Motions",
    "EnergyCasimir",
    "Unknowns",
    "Rates",
    "Asymptotic",
    "Instability",
    "LevelStability",
    "Drift",
    "Rest",
)

_FOLDER = Path(__file__).parent / "library"


def library_files() -> dict[str, str]:
    """Text of each file by its name."""
    return {f"{name}.v": (_FOLDER / f"{name}.v").read_text(encoding="utf-8") for name in MODULES}


def write_library(folder: str | Path) -> list[Path]:
    """Write all files to a folder, which is made where it is not there; their paths in order."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in library_files().items():
        paths.append(folder / name)
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def commands(folder: str | Path, file: str | Path) -> list[str]:
    """The commands that compile the library in a folder, and check a file."""
    names = " ".join(MODULES)
    return [
        f"(cd {folder} && for m in {names}; do coqc -Q . Geoctrl $m.v || break; done)",
        f"coqc -Q {folder} Geoctrl {file}",
    ]
