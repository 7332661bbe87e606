"""A point at which the loop of a sampled controller rests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl.errors import EquilibriumError, InputError
from geoctrl.sampling import SampledController
from geoctrl.systems import Equilibrium, System
from geoctrl.systems.contract.points import resolve_equilibrium
from geoctrl.systems.contract.tolerances import RESIDUAL

__all__ = ["loop_point"]


def loop_point(system: System, controller: Any, eq: Any, params: Mapping[str, float] | None) -> Equilibrium:
    """An equilibrium of the plant at which the law asks for the torque that holds it, up to rounding."""
    if not isinstance(controller, SampledController):
        raise TypeError(f"controller must be made by law.sampled(...), got {type(controller).__name__}")
    if not system.recorded:
        raise InputError(
            "what inputs leave conserved is known of recorded equations alone; systems on spheres and "
            "rotations are simulated with the controller, not linearised"
        )
    if controller.feedback.sensors:
        raise InputError(
            f"the law measures {', '.join(controller.feedback.sensed)}, which are no states: with an "
            "estimate a loop is simulated; what is linearised and proved is the loop of the law without it"
        )
    if controller.offset:
        raise InputError(
            f"{', '.join(controller.offset)} are measured with a constant error, which moves the point of "
            "rest; leave offset out"
        )
    controller.require_plant(system.state_labels, system.input_labels)
    point = resolve_equilibrium(system, eq, params)
    if np.any(point.spin):
        raise EquilibriumError("the point rests in axes that turn, and a law does not turn with them")
    _require_at_rest(controller, system, point)
    return point


def _require_at_rest(controller: SampledController, system: System, point: Equilibrium) -> None:
    """Refuse a point at which the law asks for another torque, or its own states move."""
    law, scales = controller.feedback, system.scales(point)
    at = dict(zip(system.input_labels, point.u.tolist(), strict=True))
    sizes = dict(zip(system.state_labels, scales.column.tolist(), strict=True))
    values = dict(zip(system.state_labels, point.x.tolist(), strict=True)) | at
    terms, rates = law.sized(
        values, sizes | dict(zip(system.input_labels, scales.input.tolist(), strict=True))
    )
    for label, (asked, size) in terms.items():
        if not abs(asked - at[label]) <= RESIDUAL * max(size, abs(at[label])):
            raise EquilibriumError(
                f"the law asks for {label} = {asked:.9g} at this point, which rests at {at[label]:.9g}"
            )
    for label, (rate, size) in rates.items():
        if not abs(rate) <= RESIDUAL * size:
            raise EquilibriumError(
                f"the controller's state {label} does not rest here: its rate is {rate:.9g}"
            )
