"""What every stepping method shares: the loop, compositions, compiled kernels, a linear solver."""

from geoctrl.stepping.methods.composition import ORDERS, composition
from geoctrl.stepping.methods.loop import Outcome, concluded, record_steps, record_times
from geoctrl.stepping.methods.methods import METHODS, Method

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
