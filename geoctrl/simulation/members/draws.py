"""Starts and parameters that are drawn where they are needed, from a seed and the place of a member."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoctrl._checks import whole_number
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._printing.record_lines import record_lines
from geoctrl._scalars import shown

__all__ = ["BLOCK", "Draws"]

BLOCK = 1024
"""Members drawn by one call, from a stream of their own: what a member gets depends on nothing else."""


@dataclass(frozen=True)
class Draws:
    """Random starts or parameters of an ensemble, drawn in its parts: inputs of any size are a few bytes.

    Parameters
    ----------
    function : callable
        ``function(rng, k)`` for k members: starts (k, n), or a dict of parameter -> (k,). It is called for
        blocks of 1024 members, with a `numpy.random.Generator` (Philox) that belongs to the block. To be sent
        to other processes it stands in a module.
    N : int
        Number of members.
    seed : int
        Other seeds, other members. ``x0s`` and ``params`` with one seed draw from streams of their own.

    Raises
    ------
    TypeError
        If ``function`` is no function.
    InputError
        If ``N`` or ``seed`` is no whole number.

    Examples
    --------
    >>> import geoctrl as gc
    >>> top = gc.models.get("heavy-top")(set="lagrange").reduce()
    >>> def starts(rng, k):
    ...     spins = rng.uniform(20, 40, k)
    ...     return [[0.1, 0, spin, 0, 0.6, 0.8] for spin in spins]
    >>> ens = gc.simulate_ensemble(top, [0, 0.1], gc.Draws(starts, 100, seed=7))
    >>> len(ens), bool(ens.success.all())
    (100, True)
    """

    function: Callable[[np.random.Generator, int], Any]
    N: int
    seed: int

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"Draws needs a function (rng, k), got {shown(self.function)}")
        whole_number("N, the number of members,", self.N, 1)
        whole_number("seed", self.seed, 0)

    def block(self, number: int, stream: int) -> Any:
        """What the members of a block of `BLOCK` get, of one of the streams of the seed."""
        seeds = np.random.SeedSequence([self.seed, stream, number])
        return self.function(np.random.Generator(np.random.Philox(seeds)), BLOCK)

    _lines = record_lines
    full = full_text
    __repr__ = short_form
