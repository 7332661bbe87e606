"""What a build of the package takes along from the documentation: the programs of the gallery."""

from __future__ import annotations

from pathlib import Path

from setuptools.command.build_py import build_py

GALLERY = Path("docs", "gallery")
"""Beside ``pyproject.toml``, where builds run."""


class BuildWithExamples(build_py):
    """Copies the programs into the package, as ``geoctrl/examples``; a checkout that is edited has them."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for program, target in self._copies():
                self.mkpath(str(target.parent))
                self.copy_file(str(program), str(target))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        copies = [] if self.editable_mode else [str(target) for _, target in self._copies()]
        return [*super().get_outputs(include_bytecode), *copies]

    def get_source_files(self) -> list[str]:
        """With what the source archive needs for the same build."""
        return [
            *super().get_source_files(),
            "docs/wheel.py",
            *(str(program) for program, _ in self._copies()),
        ]

    def _copies(self) -> list[tuple[Path, Path]]:
        folder = Path(self.build_lib, "geoctrl", "examples")
        found = sorted(GALLERY.glob("*/plot_*.py"))
        return [(program, folder / program.relative_to(GALLERY)) for program in found]
