"""The search for cells: boxes of a region halved until a proof holds on all of one, tile by tile."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from geoctrl._calls.long_calls import LongCall
from geoctrl.analysis.maps.map_witnesses import ConfirmedProofs, read_proofs
from geoctrl.checker.limits import Refusal
from geoctrl.checker.maps.region import LETTERS, Proof, Signs, analytic, halves, walk, whole
from geoctrl.errors import CertificateError

__all__ = ["Tiles"]

TILING = 3
"""Halvings of the region's axes that give the tiles, which are computed and stored one by one."""

_OPEN = "."
"""A cell of which nothing is known."""


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


def _tile(job: tuple[str, tuple[int, ...], int]) -> str:
    """The tree of one tile, of which the path names a part at each halving."""
    content, path, depth = job
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


class Tiles:
    """The tiles of a region, each computed once, and stored as soon as it is.

    Parameters
    ----------
    content : of the map's file
    out : folder of what was computed, or None
    """

    def __init__(self, content: dict[str, Any], depth: int, out: Path | None) -> None:
        axes, self.level = len(content["theorem"]["axes"]), min(TILING, depth)
        paths: list[tuple[int, ...]] = [()]
        for _ in range(self.level):
            paths = [(*path, k) for path in paths for k in range(2**axes)]
        text = json.dumps(content)
        self._jobs = [(text, path, depth) for path in paths]
        self._out, self._parts = out, 2**axes
        self.found: dict[int, str] = {}
        if out is not None:
            self._resume(json.dumps([text, depth]))

    def _resume(self, question: str) -> None:
        """Take what is stored of the same question; refuse a folder of another one."""
        folder = self._out
        assert folder is not None
        folder.mkdir(parents=True, exist_ok=True)
        asked = folder / "question.json"
        if asked.exists() and asked.read_text(encoding="utf-8") != question:
            raise CertificateError(f"{folder} holds the cells of another map: give another folder")
        if not asked.exists():
            _write(asked, question)
        for i in range(len(self._jobs)):
            tile = folder / f"tile-{i:05d}.txt"
            if tile.exists():
                self.found[i] = tile.read_text(encoding="utf-8")

    def compute(self, executor: Any, call: LongCall) -> None:
        """Those tiles that are not known, as far as the time of the call goes."""
        left = [i for i in range(len(self._jobs)) if i not in self.found]
        done, cells, open_cells = len(self.found), 0, 0
        jobs = [self._jobs[i] for i in left]
        for i, text in zip(left, (map if executor is None else executor.map)(_tile, jobs), strict=True):
            self.found[i] = text
            if self._out is not None:
                _write(self._out / f"tile-{i:05d}.txt", text)
            done += 1
            cells += sum(letter != "+" for letter in text)
            open_cells += text.count(_OPEN)
            decided = f"{cells - open_cells} of {cells} cells decided"
            call.tell(f"tile {done} of {len(self._jobs)}", decided, done / len(self._jobs))
            if call.is_over:
                break
        call.report.finish(done / len(self._jobs))

    def tree(self) -> str:
        """The tree of the region."""

        def subtree(tiles: Iterator[str], level: int) -> str:
            if level == 0:
                return next(tiles)
            return "+" + "".join(subtree(tiles, level - 1) for _ in range(self._parts))

        return subtree((self.found.get(i, _OPEN) for i in range(len(self._jobs))), self.level)


def _write(path: Path, text: str) -> None:
    """All of a text or nothing of it."""
    beside = path.with_suffix(".part")
    beside.write_text(text, encoding="utf-8")
    os.replace(beside, path)
