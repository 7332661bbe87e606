"""What every stepping method shares: the loop, compositions, compiled kernels, a linear solver."""

from geoctrl.stepping.methods.loop import StepsTaken, record_steps, record_times, result_of_run
from geoctrl.stepping.methods.methods import METHODS, Method, composition

__all__ = [
    "METHODS",
    "Method",
    "StepsTaken",
    "composition",
    "record_steps",
    "record_times",
    "result_of_run",
]
