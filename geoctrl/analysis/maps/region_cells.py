"""The search for cells: a region, and boxes of it, halved until a proof holds on all of one, tile by tile."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import LongCall
from geoctrl.analysis.maps.map_witnesses import read_proofs
from geoctrl.checker.limits import Refusal
from geoctrl.checker.maps.bernstein import Side
from geoctrl.checker.maps.region import LETTERS, Proof, Signs, analytic, halves, walk, whole
from geoctrl.errors import CertificateError, WorkerError
from geoctrl.runs.fingerprints import text_fingerprint
from geoctrl.runs.part_rows import PartsFound
from geoctrl.runs.part_runner import Members, Task, run_parts

__all__ = ["Tiles"]

TILING, TILES = 3, 4096
"""Halvings of the region's axes that give the tiles, which are computed and stored one by one, and how many
tiles there are at most: of many axes a halving makes many.
"""

_OPEN = "."
"""A cell of which nothing is known."""

_LETTERS = "letters"
"""Name of the array of a tile's tree."""


class Chooser:
    """The letter of a box from the signs on it.

    A proof of stability or instability is preferred; where none can hold, the spectrum is told, and where
    one may, the box is halved, down to the depth.
    """

    def __init__(self, proofs: Sequence[Proof], depth: int) -> None:
        self._proofs, self._depth = proofs, depth

    def __call__(self, signs: dict[int, int], level: int) -> str:
        held: dict[str, str] = {}
        open_ = {"decided": False, "spectrum": False}
        for letter, proof in zip(LETTERS, self._proofs, strict=False):
            found = proof.holds(signs)
            if found:
                held.setdefault(proof.verdict, letter)
            elif found is None:
                open_["spectrum" if proof.verdict == "spectrum" else "decided"] = True
        if {"stable", "unstable"} <= held.keys():
            raise CertificateError(
                "a cell came out as stable and as unstable at once: an error of this program, please "
                "report it"
            )
        if decided := held.get("stable") or held.get("unstable"):
            return decided
        if "spectrum" in held and (level >= self._depth or not open_["decided"]):
            return held["spectrum"]
        return "+" if level < self._depth and any(open_.values()) else "."


class Halvings:
    """Boxes by the way to them from the whole region, which is asked first: a box is halved where no proof
    holds on all of it, and knows the signs of the boxes that it is a part of.

    Parameters
    ----------
    content : of the map's file, as text
    depth : halvings at most
    """

    def __init__(self, content: str, depth: int) -> None:
        members, proofs, given = read_proofs(json.loads(content))
        self._signs, self._choose = Signs(members.region, proofs), Chooser(proofs, depth)
        self._require = analytic(members.region, members.field.positive)
        self._whole = whole(len(given["axes"]))
        self._above: dict[tuple[int, ...], tuple[dict[int, int], str]] = {}

    def tile(self, path: tuple[int, ...]) -> str:
        """The tree of one tile, of which the path names a part at each halving; of a tile that is a part of a
        box with a letter that box's level and letter.
        """
        known: dict[int, int] = {}
        for level in range(len(path)):
            known, letter = self._box_above(path[:level], known)
            if letter != "+":
                return f"{level}{letter}"
        cells = walk(self._sides(path), self._signs.on, self._choose, known, len(path))
        return "".join(
            letter if letter in "+." or self._is_analytic(box) else _OPEN for box, letter, _ in cells
        )

    def _box_above(self, path: tuple[int, ...], known: dict[int, int]) -> tuple[dict[int, int], str]:
        """Signs on a box above the tiles, from those on one around it, and its letter."""
        if path not in self._above:
            sides = self._sides(path)
            here = self._signs.on(sides, known)
            letter = self._choose(here, len(path))
            self._above[path] = here, letter if letter in "+." or self._is_analytic(sides) else "+"
        return self._above[path]

    def _sides(self, path: tuple[int, ...]) -> tuple[Side, ...]:
        sides = self._whole
        for part in path:
            sides = next(islice(halves(sides), part, None))
        return sides

    def _is_analytic(self, box: tuple[Side, ...]) -> bool:
        try:
            self._require(box)
        except Refusal:
            return False
        return True


@lru_cache(maxsize=4)
def _halvings_of_text(content: str, depth: int) -> Halvings:
    return Halvings(content, depth)


def _tile_as_array(shared: tuple[str, list[tuple[int, ...]], int], tile: Members) -> dict[str, np.ndarray]:
    """A part of the region, which is one tile."""
    content, paths, depth = shared
    letters = _halvings_of_text(content, depth).tile(paths[tile.first]).encode("ascii")
    return {_LETTERS: np.frombuffer(letters, np.uint8)[np.newaxis]}


class Tiles:
    """The tiles of a region, each computed once, and stored as soon as it is.

    Parameters
    ----------
    content : of the map's file
    out : folder of what was computed, or None
    """

    def __init__(self, content: dict[str, Any], depth: int, out: Path | None) -> None:
        theorem = content["theorem"]
        axes = len(theorem["axes"])
        self.level = max(k for k in range(min(TILING, depth) + 1) if 2 ** (axes * k) <= TILES)
        paths = list(product(range(2**axes), repeat=self.level))
        text = json.dumps(content)
        question = {
            "what": "map",
            "family": theorem["family"],
            "axes": {name: json.dumps(ends) for name, ends in theorem["axes"].items()},
            "depth": depth,
            "level": self.level,
            "content": text_fingerprint(text),
        }
        self._task = Task(
            _tile_as_array, (text, paths, depth), len(paths), question, noun="tile", is_strict=True
        )
        self._out, self._parts = out, 2**axes
        self.found: dict[int, str] = {}

    def compute(self, executor: Any, call: LongCall) -> None:
        """Those tiles that are not known, as far as the time of the call goes."""
        cells = open_cells = 0

        def words(arrays: Mapping[str, np.ndarray]) -> str:
            nonlocal cells, open_cells
            letters = arrays[_LETTERS].tobytes().decode("ascii")
            cells += sum(letter.isalpha() or letter == _OPEN for letter in letters)
            open_cells += letters.count(_OPEN)
            return f"{cells - open_cells} of {cells} cells decided"

        try:
            found = run_parts(self._task, call, executor, self._out, part=1, words=words)
        except WorkerError as error:
            self._take(error.result)
            raise
        self._take(found)

    def _take(self, found: PartsFound) -> None:
        self.found = {i: arrays[_LETTERS].tobytes().decode("ascii") for i, arrays in found}

    def tree(self) -> str:
        """The tree of the region."""

        def subtree(first: int, level: int) -> str:
            """Of a box above the tiles: its letter where a tile tells it, else its parts."""
            count = self._parts ** (self.level - level)
            texts = [self.found[i] for i in range(first, first + count) if i in self.found]
            if told := next((text[1:] for text in texts if text.startswith(str(level))), ""):
                return told
            if level == self.level:
                return texts[0] if texts else _OPEN
            step = count // self._parts
            return "+" + "".join(subtree(first + k * step, level + 1) for k in range(self._parts))

        return subtree(0, 0)
