"""Laws as a computer runs them: at times of its own, on what it measures, within what a motor can do."""

from geoctrl.sampling.applied import Applied
from geoctrl.sampling.controller import Controls, SampledController
from geoctrl.sampling.feedback import Feedback
from geoctrl.sampling.hold import Hold

__all__ = ["Applied", "Controls", "Feedback", "Hold", "SampledController"]
