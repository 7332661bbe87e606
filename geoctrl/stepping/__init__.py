"""What every stepping method shares: the loop, compositions, compiled kernels, a linear solver."""

from geoctrl.stepping.composition import ORDERS, composition
from geoctrl.stepping.loop import Outcome, concluded, record_steps, record_times
from geoctrl.stepping.methods import VARIATIONAL, Method, by_name
from geoctrl.stepping.progress import Progress

__all__ = [
    "ORDERS",
    "VARIATIONAL",
    "Method",
    "Outcome",
    "Progress",
    "by_name",
    "composition",
    "concluded",
    "record_steps",
    "record_times",
]
