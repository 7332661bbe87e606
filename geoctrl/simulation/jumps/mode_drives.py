"""What drives a run with jumps in each of its modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geoctrl.sampling import HeldCourse
from geoctrl.stepping.drive.drive import Drive

__all__ = ["ModeDrives"]


class ModeDrives:
    """Drives by mode, and the sampled controller that is at work in all of them.

    It knows of no jump: it goes on from sample to sample, with what it remembers, and what it has sent acts
    in the mode that is entered as well.

    Parameters
    ----------
    of : mapping of mode -> Drive
        Under a sampled controller one and the same drive.
    course : HeldCourse, optional
    measured : mapping of mode -> (labels of the states, what sensors read)
        What the controller measures.
    """

    def __init__(
        self,
        of: Mapping[str, Drive],
        course: HeldCourse | None = None,
        measured: Mapping[str, tuple[Any, Any]] | None = None,
    ) -> None:
        self.of, self.course, self._measured = of, course, measured or {}

    def enter(self, mode: str) -> None:
        """Told before each piece of the run, in which mode it is."""
        if self.course is not None:
            self.course.hold.measure_on(*self._measured[mode])

    def conclude(self) -> None:
        """Told when the run is over."""
        if self.course is not None:
            record = self.course.hold.record(self.course.begun)
            for drive in self.of.values():
                drive.record = record
