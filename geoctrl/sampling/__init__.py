"""Laws as a computer runs them: at times of its own, on what it measures, within what a motor can do."""

from geoctrl.sampling.actuator import Applied
from geoctrl.sampling.complementary import ComplementaryFilter, EstimatedLaw
from geoctrl.sampling.controller import MOST_LATE, Controls, SampledController, holds_of_delay, warn_of_slow
from geoctrl.sampling.feedback import HOLD, Feedback
from geoctrl.sampling.hold import HeldCourse, Hold
from geoctrl.sampling.sensors import InertialUnit, Sensor
from geoctrl.sampling.switching_law import Switching, switching

__all__ = [
    "HOLD",
    "MOST_LATE",
    "Applied",
    "ComplementaryFilter",
    "Controls",
    "EstimatedLaw",
    "Feedback",
    "HeldCourse",
    "Hold",
    "InertialUnit",
    "SampledController",
    "Sensor",
    "Switching",
    "holds_of_delay",
    "switching",
    "warn_of_slow",
]
