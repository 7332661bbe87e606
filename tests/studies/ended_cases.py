"""A part of the attack whose cases hang, die and do well: a module of its own, which loads nothing more."""

import os
import time

from tests.attack.outcome import Outcome


def prepare(seed, options):
    """What a part knows before its cases: how many there are."""
    return 3


def case(seed, index, options):
    """Of three cases one hangs, one dies."""
    if index == 0:
        time.sleep(60)
    if index == 1:
        os._exit(1)
    return Outcome("well", "held", seconds=0.2)
