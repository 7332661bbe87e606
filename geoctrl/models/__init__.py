"""The catalogue: one file per mechanism, each with a builder that returns its description."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any

from geoctrl._checks import nearest
from geoctrl.errors import ParameterError

if TYPE_CHECKING:
    from geoctrl.systems import EulerPoincare

__all__ = ["get", "names"]

_BUILDERS = {
    "body-in-field": ("body_in_field", "body_in_field"),
    "body-with-body-moment": ("forced_bodies", "body_with_body_moment"),
    "body-with-point-force": ("forced_bodies", "body_with_point_force"),
    "body-with-rotor": ("body_with_rotor", "body_with_rotor"),
    "body-with-rotors": ("body_with_rotor", "body_with_rotors"),
    "body-with-spatial-force": ("forced_bodies", "body_with_spatial_force"),
    "body-with-spatial-moment": ("forced_bodies", "body_with_spatial_moment"),
    "chaplygin-sleigh": ("chaplygin_sleigh", "chaplygin_sleigh"),
    "chaplygin-sphere": ("chaplygin_sphere", "chaplygin_sphere"),
    "charged-body": ("charged_body", "charged_body"),
    "concentric-shells": ("coupled_bodies", "concentric_shells"),
    "coupled-bodies": ("coupled_bodies", "coupled_bodies"),
    "double-planar-pendulum": ("double_planar_pendulum", "double_planar_pendulum"),
    "free-rigid-body": ("free_rigid_body", "free_rigid_body"),
    "goryachev-chaplygin-top": ("kovalevskaya_top", "goryachev_chaplygin_top"),
    "heavy-top": ("heavy_top", "heavy_top"),
    "kovalevskaya-top": ("kovalevskaya_top", "kovalevskaya_top"),
    "orbiting-body": ("orbiting_body", "orbiting_body"),
    "pendulum-3d": ("pendulum_3d", "pendulum_3d"),
    "pendulum-skate": ("pendulum_skate", "pendulum_skate"),
    "pendulum-skate-offset": ("pendulum_skate", "pendulum_skate_offset"),
    "pendulum-skate-rotor": ("pendulum_skate", "pendulum_skate_rotor"),
    "planar-pendulum": ("planar_pendulum", "planar_pendulum"),
    "rattleback": ("rattleback", "rattleback"),
    "rigid-body-planar-pendulum": ("planar_pendulum", "rigid_body_planar_pendulum"),
    "rolling-disk": ("rolling_disk", "rolling_disk"),
    "suslov": ("suslov", "suslov"),
    "top-on-movable-base": ("top_on_movable_base", "top_on_movable_base"),
    "top-on-sphere": ("top_on_sphere", "top_on_sphere"),
    "underwater-vehicle": ("underwater_vehicle", "underwater_vehicle"),
    "vertical-rolling-disk": ("vertical_rolling_disk", "vertical_rolling_disk"),
    "veselova": ("veselova", "veselova"),
}


def __dir__() -> list[str]:
    return sorted(__all__)


def names() -> list[str]:
    """Names of the mechanisms in the catalogue."""
    return sorted(_BUILDERS)


def get(name: str) -> Callable[..., EulerPoincare]:
    """Builder of a mechanism; call it to get the description.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    callable
        ``builder(set=None, **options)``: ``set`` names one of the mechanism's parameter sets, of which
        the values become the defaults; further options are the mechanism's own (the potential of
        ``veselova``, say).

    Raises
    ------
    ParameterError
        If there is no mechanism of that name (the nearest is suggested); from the builder, for an unknown
        set or option, with those there are.

    Examples
    --------
    >>> mech = get("pendulum-skate")(set="7.2")
    >>> mech.reduce().state_labels
    ('v1', 'v2', 'v3', 'Gamma2', 'Gamma3')
    """
    if not isinstance(name, str) or name not in _BUILDERS:
        raise ParameterError(f"no mechanism {name!r} in the catalogue{nearest(name, _BUILDERS)}")
    module, function = _BUILDERS[name]
    build = getattr(import_module(f"geoctrl.models.{module}"), function)

    known = signature(build).parameters

    def builder(set: str | None = None, **options: Any) -> EulerPoincare:
        for option in options:
            if option not in known:
                there = f"; known are {', '.join(['set', *known])}" if known else "; it takes set alone"
                raise ParameterError(f"{name} has no option {option!r}{there}")
        mechanism = build(**options)
        return mechanism if set is None else mechanism.with_parameter_set(set)

    builder.__signature__ = signature(builder).replace(  # type: ignore[attr-defined]
        parameters=[signature(builder).parameters["set"], *known.values()]
    )
    builder.__doc__ = build.__doc__
    builder.__name__ = function
    return builder
