"""What a sampled controller did, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from geoctrl._printing.printed_lines import full_text, short_form

__all__ = ["SampleRecord"]


@dataclass(frozen=True, eq=False)
class SampleRecord:
    """Samples of a controller along a run.

    Attributes
    ----------
    time : ndarray (N,)
        t_k = t0 + k h (s).
    signals, inputs, own : tuple of str
        Labels of what was measured, of the inputs, and of the controller's states.
    measured : ndarray (p, N)
        y with noise and quantisation.
    wanted : ndarray (m, N)
        What the law asked for.
    applied : ndarray (m, N)
        What was sent to the actuator, after quantisation, rate and amplitude limits; it acts after the delay.
    states : ndarray (q, N)
        z at t_k, with which the law was evaluated.
    limited, rate_limited : ndarray of bool (N,)
        Where a limit of the amplitude, or of the rate, was met.
    """

    time: np.ndarray
    signals: tuple[str, ...]
    inputs: tuple[str, ...]
    own: tuple[str, ...]
    measured: np.ndarray
    wanted: np.ndarray
    applied: np.ndarray
    states: np.ndarray
    limited: np.ndarray
    rate_limited: np.ndarray

    def __len__(self) -> int:
        return self.time.size

    def _lines(self) -> list[str]:
        met = f"limits met {int(self.limited.sum())} times, rate limits {int(self.rate_limited.sum())} times"
        return [f"<SampleRecord of {', '.join(self.inputs)}: {len(self)} samples, {met}>"]

    full = full_text
    __repr__ = short_form
