"""The argument ``controller`` of a run: a sampled controller, a law, or a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._scalars import shown
from geoctrl.errors import InputError, LabelError
from geoctrl.sampling import Applied, Controls, HeldCourse, Hold, SampledController
from geoctrl.simulation.held_runs import holds_in
from geoctrl.simulation.jumps.mode_drives import ModeDrives
from geoctrl.stepping.drive.drive import Drive
from geoctrl.stepping.drive.inputs import read_inputs
from geoctrl.systems import HybridSystem, System

__all__ = ["drive_and_hold", "drives_of_modes"]


def drive_and_hold(
    system: System, inputs: Any, controller: Any, times: np.ndarray, params: Mapping[str, float]
) -> tuple[Drive, Hold | None]:
    """What drives a run, and the sampled controller at work in it."""
    if inputs is not None:
        raise InputError("inputs and controller were both given; the controller sets the inputs")
    if isinstance(controller, SampledController):
        return _sampled_drive(system, controller, times, params)
    if isinstance(controller, Controls):
        drive = read_inputs(system, _terms(system, controller))
    elif callable(controller):
        drive = read_inputs(system, controller)
    else:
        raise TypeError(
            "controller must be a law, law.sampled(...), or a function (t, x, params) -> (m,), got "
            f"{shown(controller)}"
        )
    drive.controls = True
    return drive, None


def _terms(system: System, law: Controls) -> dict[str, Any]:
    """A law that acts continuously, by input."""
    feedback = law.feedback()
    SampledController(feedback).require_plant(system.state_labels, system.input_labels)
    if feedback.own:
        raise InputError(
            f"the law has states of its own, {', '.join(feedback.own)}: as a controller it is run by "
            "law.sampled(rate=...)"
            + ("" if feedback.steps else "; without a hold it is part of law.closed_loop(rotors=True)")
        )
    return dict(feedback.terms)


def _sampled_drive(
    system: System, controller: SampledController, times: np.ndarray, params: Mapping[str, float]
) -> tuple[Drive, Hold]:
    count, read = holds_in(times, controller.hold), _sensor_readings(system, controller, params)
    hold = Hold(controller, tuple(system.state_labels), tuple(system.input_labels), count, read)
    labels = ", ".join(map(repr, system.input_labels))
    obstacle = None if system.recorded else f"{labels} follow states that written-out equations do not have"
    return Applied(system.input_labels, float(times[0]), hold.first, controller.lag, obstacle), hold


def _sensor_readings(
    system: Any, controller: SampledController, params: Mapping[str, float]
) -> Callable[[float, list[float], Sequence[float]], Sequence[float]] | None:
    """What the sensors of a law show at a time, a state and the inputs that act; None without any."""
    sensors = controller.feedback.sensors
    if not sensors:
        return None
    controller.require_plant(system.state_labels, system.input_labels)
    program = system.program([node for sensor in sensors for node in sensor.nodes(system)])
    value, constants = program.scalar, program.constants(params)
    return lambda t, x, u: value([*x, t, *u], constants)


# -- through jumps ------------------------------------------------------------------------------------


def drives_of_modes(
    system: HybridSystem, inputs: Any, controller: Any, times: np.ndarray, params: Mapping[str, float] | None
) -> ModeDrives:
    """What drives a run with jumps in each of its modes."""
    values = system.parameters_at(params)
    if controller is None:
        given = _inputs_of_modes(inputs)
        return ModeDrives({name: read_inputs(mode, given, times) for name, mode in system.modes.items()})
    if inputs is None and isinstance(controller, SampledController):
        return _sampled_in_modes(system, controller, times, values)
    if not isinstance(controller, SampledController | Controls):
        raise TypeError(
            "the controller of a system with jumps must be a law or law.sampled(...), as its inputs are no "
            f"functions, got {shown(controller)}"
        )
    return ModeDrives(
        {k: drive_and_hold(own, inputs, controller, times, values[k])[0] for k, own in system.modes.items()}
    )


def _sampled_in_modes(
    system: HybridSystem,
    controller: SampledController,
    times: np.ndarray,
    params: Mapping[str, Mapping[str, float]],
) -> ModeDrives:
    measured = {}
    for name, mode in system.modes.items():
        try:
            controller.require_plant(mode.state_labels, mode.input_labels)
        except LabelError as error:
            raise LabelError(
                f"through jumps a controller needs what every mode has: in the mode {name!r} {error}"
            ) from None
        measured[name] = tuple(mode.state_labels), _sensor_readings(mode, controller, params[name])
    first, own = next(iter(system.modes.items()))
    drive, hold = _sampled_drive(own, controller, times, params[first])
    return ModeDrives(dict.fromkeys(system.modes, drive), HeldCourse(hold, float(times[0])), measured)


def _inputs_of_modes(inputs: Any) -> Any:
    """Inputs that are the same whichever piece they act in."""
    if inputs is None or isinstance(inputs, Mapping):
        return inputs
    if np.ndim(inputs) == 1 and not isinstance(inputs, (str, bytes)):
        return inputs
    raise InputError(
        "inputs of a hybrid system are a dict of label -> number or expression, or constant numbers (m,); "
        "functions and samples are not taken"
    )
