"""What every run leaves, whatever made it: samples, events, what is conserved, and files of them."""

from geoctrl._names import attributes
from geoctrl.runs.records import EventRecord, Events
from geoctrl.runs.sample_record import SampleRecord
from geoctrl.runs.samples import Samples

_HOME = {  # a single run waits neither for executors nor for folders
    "FailedPoint": "geoctrl.runs.sweep_result",
    "SweepResult": "geoctrl.runs.sweep_result",
    "load_sweep": "geoctrl.runs.sweep_result",
    "sweep": "geoctrl.runs.grid_sweep",
}
__all__ = sorted([*_HOME, "EventRecord", "Events", "SampleRecord", "Samples"])
__getattr__ = attributes(__name__, _HOME)
