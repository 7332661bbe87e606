"""Laws as systems of python-control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from geoctrl.systems import System

__all__ = ["controller"]


def controller(
    law: Callable[..., np.ndarray],
    loop: System,
    outputs: Sequence[str],
    own: Sequence[str] = (),
    name: str | None = None,
) -> Any:
    """A `control.NonlinearIOSystem`: states of the loop in, inputs of the plant out.

    ``own`` are the last states of the loop, which are the controller's: it has them instead of reading them.
    """
    from geoctrl import interop

    read = loop.state_labels[: loop.nstates - len(own)]

    def state(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        return np.concatenate([u, np.asarray(x)[: len(own)]])

    def update(t: float, x: np.ndarray, u: np.ndarray, params: dict) -> np.ndarray:
        return loop.rhs(t, state(x, u), None, params)[len(read) :]

    def output(t: float, x: np.ndarray, u: np.ndarray, params: dict) -> np.ndarray:
        return law(t, state(x, u), params)

    return interop.nonlinear_system(
        update if own else None,
        output,
        states=own,
        inputs=read,
        outputs=outputs,
        params={k: v for k, v in loop.params.items() if v is not None},
        name=interop.system_name(name, "law"),
    )
