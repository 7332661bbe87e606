"""Plain callables and arrays in, python-control objects out; `control` is imported only when called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import entries, require_choice
from geoctrl._scalars.text.numbers import shown
from geoctrl.errors import InputError, ParameterError

__all__ = ["equations_of_motion", "nonlinear_system", "state_space", "system_name"]


def nonlinear_system(
    rhs: Callable | None,
    output: Callable,
    *,
    states: Sequence[str],
    inputs: Sequence[str],
    outputs: Sequence[str],
    params: Mapping[str, float | None] | None = None,
    name: str | None = None,
    step: float = 0.0,
):
    """A `control.NonlinearIOSystem` of ``rhs(t, x, u, params)`` and ``output(t, x, u, params)``.

    Parameters
    ----------
    rhs : callable or None
        Returns xdot, (n,), in discrete time the next state; None for a static system (no states).
    output : callable
        Returns y, (p,).
    states, inputs, outputs : labels
    params : default parameters by name
    name : str, optional
    step : float
        Time from one sample to the next (s); zero in continuous time.

    Returns
    -------
    control.NonlinearIOSystem
    """
    import control

    defaults = dict(params or {})

    def numbers(given: Mapping[str, Any] | None) -> dict[str, Any]:
        return {**defaults, **{k: v for k, v in (given or {}).items() if k in defaults}}

    def adapter(function: Callable) -> Callable:
        def call(t, x, u, p):
            return function(t, np.asarray(x), np.atleast_1d(u)[: len(inputs)], numbers(p))

        return call

    dynamic = ({"states": list(states)} if states else {}) | ({"dt": step} if step else {})
    return control.nlsys(
        adapter(rhs) if rhs is not None and states else None,
        adapter(output),
        inputs=list(inputs) if inputs else 0,
        outputs=list(outputs),
        params=defaults,
        name=name,
        **dynamic,
    )


def equations_of_motion(system: Any, outputs: Sequence[str] | None, name: str | None, default: str):
    """A `control.NonlinearIOSystem` of a system; outputs are labels of states or signals, or all states."""
    labels = entries("outputs", system.state_labels if outputs is None else outputs, ParameterError)
    known = [*system.state_labels, *system.output_labels]
    for label in labels:
        require_choice("state or output", label, known, ParameterError)
    pick = [known.index(label) for label in labels]

    def output(t: float, x: np.ndarray, u: np.ndarray, params: dict) -> np.ndarray:
        signals = system.outputs(t, x, u, params) if system.output_labels else np.zeros(0)
        return np.concatenate([x, signals])[pick]

    return nonlinear_system(
        system.rhs,
        output,
        states=system.state_labels,
        inputs=system.input_labels,
        outputs=labels,
        params=system.params,
        name=system_name(name, system.name or default),
    )


def system_name(name: str | None, default: str) -> str:
    """The name of a system, as python-control takes it."""
    chosen = default if name is None else name
    if not isinstance(chosen, str) or "." in chosen:
        raise InputError(f"name must be text without dots, got {shown(chosen)}")
    return chosen


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
