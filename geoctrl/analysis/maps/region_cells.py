"""The search for cells: boxes of a region halved until a proof holds on all of one, tile by tile."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import LongCall
from geoctrl.analysis.maps.map_witnesses import ConfirmedProofs, read_proofs
from geoctrl.checker.limits import Refusal
from geoctrl.checker.maps.region import LETTERS, Proof, Signs, analytic, halves, walk, whole
from geoctrl.errors import CertificateError, WorkerError
from geoctrl.runs.fingerprints import text_fingerprint
from geoctrl.runs.part_rows import PartsFound
from geoctrl.runs.part_runner import Members, Task, run_parts

__all__ = ["Tiles"]

TILING = 3
"""Halvings of the region's axes that give the tiles, which are computed and stored one by one."""

_OPEN = "."
"""A cell of which nothing is known."""

_LETTERS = "letters"
"""Name of the array of a tile's tree."""


@lru_cache(maxsize=4)
def _proofs_of_text(content: str) -> ConfirmedProofs:
    return read_proofs(json.loads(content))


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
        if "unstable" in held and len(held) > 1:
            raise CertificateError(
                "a cell came out as stable and as unstable at once: an error of this program, please "
                "report it"
            )
        if decided := held.get("stable") or held.get("unstable"):
            return decided
        if "spectrum" in held and (level >= self._depth or not open_["decided"]):
            return held["spectrum"]
        return "+" if level < self._depth and any(open_.values()) else "."


def _tile(content: str, path: tuple[int, ...], depth: int) -> str:
    """The tree of one tile, of which the path names a part at each halving."""
    members, found, given = _proofs_of_text(content)
    region, sides = members.region, whole(len(given["axes"]))
    require = analytic(region, members.field.positive)
    for part in path:
        sides = tuple(list(halves(sides))[part])
    signs = Signs(region, found)
    letters = []
    for box, letter, _ in walk(sides, signs.on, Chooser(found, depth), {}, len(path)):
        if letter not in "+.":
            try:
                require(box)
            except Refusal:
                letter = "."
        letters.append(letter)
    return "".join(letters)


def _tile_as_array(shared: tuple[str, list[tuple[int, ...]], int], tile: Members) -> dict[str, np.ndarray]:
    """A part of the region, which is one tile."""
    content, paths, depth = shared
    letters = _tile(content, paths[tile.first], depth).encode("ascii")
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
        axes, self.level = len(theorem["axes"]), min(TILING, depth)
        paths: list[tuple[int, ...]] = [()]
        for _ in range(self.level):
            paths = [(*path, k) for path in paths for k in range(2**axes)]
        text = json.dumps(content)
        question = {
            "what": "map",
            "family": theorem["family"],
            "axes": {name: json.dumps(ends) for name, ends in theorem["axes"].items()},
            "depth": depth,
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
            cells += sum(letter != "+" for letter in letters)
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

        def subtree(tiles: Iterator[str], level: int) -> str:
            if level == 0:
                return next(tiles)
            return "+" + "".join(subtree(tiles, level - 1) for _ in range(self._parts))

        tiles = (self.found.get(i, _OPEN) for i in range(self._task.members))
        return subtree(tiles, self.level)
