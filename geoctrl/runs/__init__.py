"""What every run leaves, whatever made it: samples, events, what is conserved, and files of them."""

from geoctrl.runs.records import EventRecord, Events
from geoctrl.runs.sample_record import SampleRecord
from geoctrl.runs.samples import Samples

__all__ = ["EventRecord", "Events", "SampleRecord", "Samples"]
