"""What every run leaves, whatever made it: samples, events, what is conserved, and files of them."""

from geoctrl.runs.grid_sweep import sweep
from geoctrl.runs.records import EventRecord, Events
from geoctrl.runs.sample_record import SampleRecord
from geoctrl.runs.samples import Samples
from geoctrl.runs.sweep_result import FailedPoint, SweepResult, load_sweep

__all__ = [
    "EventRecord",
    "Events",
    "FailedPoint",
    "SampleRecord",
    "Samples",
    "SweepResult",
    "load_sweep",
    "sweep",
]
