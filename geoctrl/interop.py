"""Plain callables and arrays in, python-control objects out; `control` is imported only when called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["nonlinear_system", "state_space"]


def nonlinear_system(
    rhs: Callable,
    output: Callable | None,
    *,
    states: Sequence[str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    params: Mapping[str, float] | None = None,
    name: str | None = None,
):
    """A `control.NonlinearIOSystem` of ``rhs(t, x, u, params)`` and ``output(t, x, u, params)``.

    Parameters
    ----------
    rhs : callable
        Returns xdot, (n,).
    output : callable or None
        Returns y, (p,); None with no states makes a static system impossible, so it is required then.
    states, inputs, outputs : labels
    params : default parameters by name
    name : str, optional

    Returns
    -------
    control.NonlinearIOSystem
    """
    import control

    defaults = dict(params or {})

    def numbers(given: Mapping[str, Any] | None) -> dict[str, Any]:
        return {**defaults, **{k: v for k, v in (given or {}).items() if k in defaults}}

    def update(t, x, u, p):
        return rhs(t, np.asarray(x), np.atleast_1d(u)[: len(inputs)], numbers(p))

    def out(t, x, u, p):
        return output(t, np.asarray(x), np.atleast_1d(u)[: len(inputs)], numbers(p))

    return control.nlsys(
        update if states else None,
        out if output is not None else None,
        states=list(states) if states else 0,
        inputs=list(inputs) if inputs else 0,
        outputs=list(outputs),
        params=defaults,
        name=name,
    )


def state_space(
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    D: np.ndarray,
    *,
    states: Sequence[str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    name: str | None = None,
):
    """A `control.StateSpace` with named signals."""
    import control

    return control.ss(
        A,
        B,
        C,
        D,
        states=list(states),
        inputs=list(inputs) if inputs else 0,
        outputs=list(outputs),
        name=name,
        remove_useless_states=False,
    )
