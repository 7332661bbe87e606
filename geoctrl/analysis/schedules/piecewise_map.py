"""Maps of stability of a loop whose gains are other functions of a parameter on each piece of its range."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from geoctrl._checks import made_folder
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact
from geoctrl.analysis.maps.stability_map import AreaShares, StabilityMap
from geoctrl.checker.maps.file import CLASSES
from geoctrl.errors import InputError, ParameterError

__all__ = ["PiecewiseMap"]


@dataclass(frozen=True, eq=False, repr=False)
class PiecewiseMap(AreaShares):
    """What is proved of a schedule whose gains are linear between its nodes; made by `GainSchedule.certify`.

    Each piece has a proof and a file of its own, over its closed interval; gains agree where pieces meet.

    Attributes
    ----------
    along : str
        The variable of the schedule.
    pieces : tuple of StabilityMap
        In order.
    axes : dict of name -> (low, high)
        The whole range of the variable, and the further axes.
    stable, unstable, spectrum, undecided : float
        Fractions of the whole, as of `StabilityMap`.
    claim : str
        Those of the files, one after another.
    """

    along: str
    pieces: tuple[StabilityMap, ...]

    @property
    def axes(self) -> dict[str, tuple[float, float]]:
        """Intervals by name."""
        first, last = self.pieces[0].axes, self.pieces[-1].axes
        return first | {self.along: (first[self.along][0], last[self.along][1])}

    def _interval(self, piece: StabilityMap) -> tuple[Fraction, Fraction]:
        low, high = piece.data["theorem"]["axes"][self.along]
        return Fraction(low), Fraction(high)

    def _part(self, name: str) -> float:
        lengths = [high - low for low, high in map(self._interval, self.pieces)]
        parts = (Fraction(getattr(piece, name)) for piece in self.pieces)
        return float(sum(d * part for d, part in zip(lengths, parts, strict=True)) / sum(lengths))

    @property
    def claim(self) -> str:
        """What is claimed, in words, of one piece after another."""
        return " ".join(piece.claim for piece in self.pieces)

    def at(self, **values: Any) -> str:
        """What is proved at values of all axes, as `StabilityMap.at`; at a node, of either piece.

        Raises
        ------
        ParameterError
            For an unknown or missing axis, or a value outside of it.
        """
        if self.along not in values:
            return self.pieces[0].at(**values)  # which tells what is missing
        value = exact(values[self.along], f"{self.along!r}", InputError)
        low, high = self.axes[self.along]
        ends = [self._interval(piece) for piece in self.pieces]
        if not ends[0][0] <= value <= ends[-1][1]:
            raise ParameterError(f"{self.along!r} is outside of its axis [{low:g}, {high:g}]")
        holding = [p for p, (a, b) in zip(self.pieces, ends, strict=True) if a <= value <= b]
        found = {piece.at(**values) for piece in holding}
        return next(k for k in (*CLASSES, "undecided") if k in found)

    def to_json(self, folder: str | Path) -> tuple[Path, ...]:
        """Write the files of all pieces, ``piece1.json`` and so on, into a folder, which is made.

        Returns
        -------
        tuple of Path
            For `geoctrl.verify`, one by one.
        """
        into = made_folder(folder)
        paths = tuple(into / f"piece{k + 1}.json" for k in range(len(self.pieces)))
        for path, piece in zip(paths, self.pieces, strict=True):
            piece.to_json(path)
        return paths

    def _lines(self) -> list[str]:
        low, high = self.axes[self.along]
        span = f"{self.along} from {low:g} to {high:g}"
        head = f"<PiecewiseMap of {len(self.pieces)} pieces, {span}: {self._shares}>"
        ends = [piece.axes[self.along] for piece in self.pieces]
        rows = [f"  {a:g} to {b:g}: {piece._shares}" for (a, b), piece in zip(ends, self.pieces, strict=True)]
        return [head, *rows]

    full = full_text
    __repr__ = short_form
