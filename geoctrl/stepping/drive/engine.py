"""What integrates a flow, as `simulate` sees it, and how a run ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from geoctrl.stepping.drive.flow import Block, Flow

__all__ = ["EndedError", "Ending", "Engine", "Stepper"]


@dataclass
class Ending:
    """How an engine ended: ``failure`` is None, or says what went wrong after the state at ``time``."""

    time: float
    failure: str | None = None
    state: np.ndarray | None = None
    """The last finite state, where the run failed."""


class EndedError(Exception):
    """Raised by a stepper that cannot go on, with the `Ending` of the run."""

    def __init__(self, ending: Ending) -> None:
        super().__init__(ending.failure)
        self.ending = ending


class Stepper(Protocol):
    """A flow from time to time, under commands that come in between; used as a context."""

    def __enter__(self) -> Stepper: ...

    def __exit__(self, error: object, *_more: object) -> None: ...

    def command(self, t: float, u: Sequence[float]) -> None:
        """Hold the inputs u from t on, which is where the flow is."""

    def advance(self, t: float) -> list[float]:
        """State at a later time; `EndedError` if the run does not reach it."""


class Engine(ABC):
    """What integrates a flow, made for one.

    Parameters
    ----------
    flow : Flow
        The one that is asked for.
    reason : str, optional
        Why it is not run by the engine of first choice.
    """

    def __init__(self, flow: Flow, reason: str | None = None) -> None:
        self._asked, self._reason = flow, reason

    @property
    def flow(self) -> Flow:
        """The one that is run: the same motion, perhaps in other states."""
        return self._asked

    @property
    @abstractmethod
    def words(self) -> str:
        """For `Trajectory.engine`."""

    @abstractmethod
    def run(self) -> Generator[Block, None, Ending]:
        """Integrate, yielding the samples reached; see `Ending` for what is returned."""

    @abstractmethod
    def stepper(self) -> Stepper:
        """The same from command to command."""
