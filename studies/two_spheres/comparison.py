"""What the examples share: errors of energy and length, and how a number compares with a published one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import RK45, solve_ivp

import geoctrl as gc

DOWN = (0.0, 0.0, 9.81)
"""Gravity along e3; [LLM09] does not print its size."""

Start = tuple[np.ndarray, np.ndarray]


class Curve(NamedTuple):
    """Energy, as its change since the start, and mean over the bodies of ||q| - 1| in one run."""

    name: str
    time: np.ndarray
    energy: np.ndarray
    length: np.ndarray

    @property
    def energy_error(self) -> float:
        """Mean over the samples of |E - E(0)|."""
        return float(np.abs(self.energy).mean())

    @property
    def length_error(self) -> float:
        """Mean over the samples."""
        return float(self.length.mean())


class Row(NamedTuple):
    """A published number, None where there is none, and what is computed."""

    quantity: str
    published: float | None
    computed: float

    @property
    def status(self) -> str:
        """How they compare: to one unit of the fourth digit, to an order of magnitude, or not."""
        if self.published is None:
            return ""
        if abs(self.computed / self.published - 1) < 3e-4:
            return "agrees"
        return "same order" if abs(math.log10(self.computed / self.published)) < 1 else "differs"


@dataclass
class Study:
    """Result of one example."""

    title: str
    rows: list[Row]
    notes: list[str]
    draw: Callable[[], Figure]


def rows(curve: Curve, energy: float | None = None, length: float | None = None) -> list[Row]:
    """The two mean errors of a run beside the published ones."""
    return [
        Row(f"{curve.name}: energy", energy, curve.energy_error),
        Row(f"{curve.name}: length", length, curve.length_error),
    ]


def curve(run: gc.spheres.SphereTrajectory, name: str) -> Curve:
    """Errors of a run."""
    return Curve(name, run.time, run.energy - run.energy[0], run.length_error)


def fixed(
    system: gc.spheres.SphereSystem, start: Start, h: float, span: float, name: str, **options
) -> Curve:
    """A run of `integrate`, every step a sample."""
    return curve(gc.spheres.integrate(system, *start, h, round(span / h), **options), name)


class LargestError(RK45):
    """RK45 that measures its error by the largest component, not by the mean square."""

    def _estimate_error_norm(self, K: np.ndarray, h: float, scale: np.ndarray) -> float:
        return float(np.max(np.abs(self._estimate_error(K, h) / scale)))


def rk45(
    system: gc.spheres.SphereSystem,
    start: Start,
    span: float,
    rtol: float = 1e-3,
    atol: float = 1e-6,
    method: type[RK45] = RK45,
) -> Curve:
    """Runge-Kutta 4(5) by Dormand and Prince with variable step on (q, omega), its own steps as samples.

    The tolerances are the defaults of MATLAB's ode45.
    """
    run = system.run(None)

    def field(t: float, x: np.ndarray) -> np.ndarray:
        try:
            return run.rate(t, x)
        except np.linalg.LinAlgError:  # a trial step far off the spheres: let it be rejected
            return np.full_like(x, np.nan)

    found = solve_ivp(field, (0, span), system.pack(*start), method=method, rtol=rtol, atol=atol)
    energy = system.energy(found.y)
    length = np.abs(np.linalg.norm(system.unpack(found.y)[0], axis=2) - 1).mean(axis=1)
    return Curve("RK45", found.t, energy - energy[0], length)
