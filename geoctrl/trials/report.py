"""The result of `robustness`: what was tolerated, between which values, and what broke then."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from geoctrl._checks import pandas_library
from geoctrl._printing.markup import card, grid, number, paragraph
from geoctrl._printing.printed_lines import WIDTH, full_text, short_form
from geoctrl._printing.record_lines import record_lines

if TYPE_CHECKING:
    import pandas

__all__ = ["RobustnessReport", "RobustnessRow"]


@dataclass(frozen=True)
class RobustnessRow:
    """One check.

    Attributes
    ----------
    check : str
    tolerated : float or None
        The hardest value with which all runs were good; None if none was.
    broke : float or None
        The next value, with which a run was not; None if none was found.
    unit : str
    criterion : str
        What was not met there, or what is to be said where there is no value.
    runs : int
    seed : int
        Runs are the same again with `robustness` at this seed.
    tried : (float, float)
        The easiest and the hardest value of the scan.
    """

    check: str
    tolerated: float | None
    broke: float | None
    unit: str
    criterion: str
    runs: int
    seed: int
    tried: tuple[float, float]

    _lines = record_lines
    full = full_text
    __repr__ = short_form


@dataclass(frozen=True)
class RobustnessReport:
    """Rows of `robustness`.

    Attributes
    ----------
    rows : tuple of RobustnessRow
    seed : int
    missing : tuple of str
        Checks that were asked for and interrupted.
    """

    rows: tuple[RobustnessRow, ...]
    seed: int
    missing: tuple[str, ...] = ()

    def __getitem__(self, check: str) -> RobustnessRow:
        return {row.check: row for row in self.rows}[check]

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a table.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd = pandas_library()
        return pd.DataFrame([asdict(row) for row in self.rows]).set_index("check")

    def plot(self, ax: Any = None, title: str | None = None) -> Any:
        """The rows as a figure: `geoctrl.viz.robustness`."""
        return import_module("geoctrl.viz").robustness(self, ax, title)  # figures are a floor above

    def _lines(self) -> list[str]:
        lines = [f"<RobustnessReport, seed {self.seed}>"]
        values = [
            "-" if row.tolerated is None else f"{row.tolerated:.4g} {row.unit}".strip() for row in self.rows
        ]
        first, second = (
            max(map(len, column), default=0) for column in ([r.check for r in self.rows], values)
        )
        third = max((len(f"{row.criterion} ({row.runs} runs)") for row in self.rows), default=0)
        is_short = first + second + third + 6 < WIDTH
        for row, value in zip(self.rows, values, strict=True):
            told, why = f"  {row.check:<{first}}  {value:<{second}}", f"{row.criterion} ({row.runs} runs)"
            lines.append(f"{told}  {why}" if is_short else f"{told.rstrip()}\n    {why}")
        if self.missing:
            lines.append(f"  interrupted before {', '.join(self.missing)}")
        return lines

    full = full_text
    __repr__ = short_form

    def _repr_html_(self) -> str:
        rows = [
            (r.check, "-" if r.tolerated is None else number(r.tolerated, r.unit), r.criterion, str(r.runs))
            for r in self.rows
        ]
        missing = f"Interrupted before {', '.join(self.missing)}." if self.missing else ""
        return card(
            f"Robustness, seed {self.seed}",
            grid(("check", "tolerated", "until", "runs"), rows),
            paragraph(missing, quiet=True),
        )
