"""The gates before any work: a system or the description of a mechanism, and words for anything else."""

from __future__ import annotations

from typing import Any

from geoctrl._scalars import shown
from geoctrl.errors import GeoctrlError
from geoctrl.systems.contract.system_contract import System
from geoctrl.systems.description import EulerPoincare
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.jumps.hybrid_system import HybridSystem

__all__ = ["as_description", "as_mechanism", "as_system", "as_written", "with_recorded_families"]


def as_system(given: Any, asked_by: str, recorded: bool = False) -> Any:
    """The system that is given, refused in words if it is none.

    Parameters
    ----------
    asked_by : str
        Name of the function that asks, for the message.
    recorded : bool
        Whether the equations must be recorded as expressions.
    """
    if isinstance(given, System):
        if recorded and not given.recorded:
            raise TypeError(
                f"{asked_by} needs a reduced system (mechanism.reduce()), got a {type(given).__name__}; "
                "find_equilibrium, linearize, certify and simulate take it"
            )
        return given
    if isinstance(given, HybridSystem):
        first = next(iter(given.modes))
        raise GeoctrlError(
            f"{asked_by} asks about equations that do not jump, and this is a system with jumps between the "
            f"modes {', '.join(given.modes)}: take one of them, h.modes[{first!r}]; gc.simulate runs "
            "through jumps"
        )
    if isinstance(given, Mechanism):
        name = f" {given.name!r}" if given.name else ""
        kind, taken = ("vector field", "field") if given.rates else ("mechanism", "mechanism")
        raise TypeError(
            f"{asked_by} needs a system, got the description of a {kind}{name}: take {taken}.reduce()"
        )
    raise TypeError(f"{asked_by} needs a system, as mechanism.reduce() gives it, got {shown(given)}")


def as_written(given: Any, asked_by: str) -> Any:
    """The system that is given, of which the equations are or can be written out in expressions.

    On manifolds DescriptionError where something is given by functions, or states are those of a form.
    """
    system = as_system(given, asked_by)
    _ = system.recording  # which is made here, once
    return system


def with_recorded_families(given: Any, asked_by: str) -> Any:
    """The system that is given where its equations are recorded; of one on a manifold its reduced equations,
    with the families that it declares.
    """
    system = as_system(given, asked_by)
    return system if system.recorded else as_written(system, asked_by).euler_poincare().reduce()


def as_mechanism(given: Any, asked_by: str) -> EulerPoincare:
    """The description of a mechanism that is given; TypeError, with the remedy, for anything else."""
    if isinstance(given, EulerPoincare):
        return given
    wanted = f"{asked_by} takes a mechanism (gc.EulerPoincare)"
    if isinstance(given, Mechanism):
        raise TypeError(f"{wanted}, got a vector field, which has no inertia, no group and no rotors")
    if isinstance(given, System):
        raise TypeError(
            f"{wanted}, got a {type(given).__name__}; a reduced system keeps its own as sys.mechanism"
        )
    raise TypeError(f"{wanted}, got {shown(given)}")


def as_description(given: Any, asked_by: str) -> Any:
    """The description that is given, of a mechanism or a vector field; TypeError for anything else."""
    return given if isinstance(given, Mechanism) else as_mechanism(given, asked_by)
