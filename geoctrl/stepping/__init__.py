"""What every stepping method shares: the loop, compositions, compiled kernels, a linear solver."""

from geoctrl.stepping.methods.composition import ORDERS, composition
from geoctrl.stepping.methods.loop import StepsTaken, concluded, record_steps, record_times
from geoctrl.stepping.methods.methods import METHODS, Method

__all__ = [
    "METHODS",
    "ORDERS",
    "Method",
    "StepsTaken",
    "composition",
    "concluded",
    "record_steps",
    "record_times",
]
