"""What the tests sweep: functions of a module, which any worker can import."""

import os
import time
from pathlib import Path

import numpy as np


def pendulum(length, g, folder=""):
    """Of a pendulum, at most points; a file tells that a point was computed."""
    if folder:
        Path(folder, f"{length:.6f}-{g:.6f}-{os.getpid()}-{time.monotonic_ns()}").touch()
    if length == 0.7:
        raise ValueError(f"no pendulum of length {length}")
    rate = np.sqrt(g / length)
    return {"period": 2 * np.pi / rate, "whole": 3, "path": np.cos(rate * np.linspace(0, 1, 3))}


def slow(length, g):
    """Twenty milliseconds a point, for whoever kills it."""
    time.sleep(0.02)
    return np.sin(length * np.arange(1, 4)) / g


def fragile(a, folder):
    """The process is gone at the point 5, unless the folder says that it was before."""
    if a == 5 and not Path(folder, "gone").exists():
        Path(folder, "gone").touch()
        os._exit(1)
    return a**2


def moody(a, folder):
    """Raises the first time at the point 3."""
    if a == 3 and not Path(folder, "seen").exists():
        Path(folder, "seen").touch()
        raise OSError("not today")
    return a**2


class Told:
    """Tells in a folder that it was unpickled, as a system is derived then."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return unpickled, (self.folder,)

    def __call__(self, a):
        time.sleep(0.01)
        return a


def unpickled(folder):
    Path(folder, f"{os.getpid()}-{time.monotonic_ns()}").touch()
    return Told(folder)


def divisors(shared, members):
    """A task: how many divisors members have, and which, in no order."""
    found = [(m, d) for m in range(members.first, members.first + members.count) for d in range(1, m + 1)]
    found = [(m, d) for m, d in found[::-1] if m % d == 0 and d < shared]
    return {
        "count": np.array([sum(m == i + members.first for m, _ in found) for i in range(members.count)]),
        "square": members.arrays["x"] ** 2,
        "member": np.array([m for m, _ in found], int),
        "divisor": np.array([[d, -d] for _, d in found], float).reshape(-1, 2).T,
    }


def pid_and_threads(a):
    """Which process it is, with how many threads of BLAS."""
    time.sleep(0.01)
    return {"pid": os.getpid(), "threads": int(os.environ.get("OPENBLAS_NUM_THREADS", "0"))}
