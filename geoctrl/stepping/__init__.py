"""What every stepping method shares: the loop, compositions, compiled kernels, a linear solver."""

from geoctrl.stepping.composition import ORDERS, composition
from geoctrl.stepping.loop import Outcome, concluded, record_steps, record_times
from geoctrl.stepping.methods import METHODS, Method

__all__ = [
    "METHODS",
    "ORDERS",
    "Method",
    "Outcome",
    "composition",
    "concluded",
    "record_steps",
    "record_times",
]
