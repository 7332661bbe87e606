"""The catalogue: one file per mechanism, each with a builder that returns its description.

It also lists the mechanisms on spheres and on products of places, directions and attitudes, whose builders
return systems (`geoctrl.spheres.mechanisms`, `geoctrl.manifolds.mechanisms`), and gives mechanisms on SO(3)^n
as systems of attitudes on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

from geoctrl._checks import flag, nearest, require_choice
from geoctrl._collector import load, rare_collections
from geoctrl._scalars import shown
from geoctrl.errors import ParameterError

__all__ = ["get", "names"]

_IN_OWN_FILE = """
    acrobot ball-and-beam body-in-field body-with-rotor cart-pendulum chaplygin-sleigh chaplygin-sphere
    charged-body coupled-bodies double-planar-pendulum free-rigid-body furuta-pendulum getz-bicycle
    heavy-top inertia-wheel-pendulum kovalevskaya-top magnetic-satellite orbiting-body pendulum-3d
    pendulum-skate planar-pendulum rattleback rolling-disk roller-racer snakeboard
    spherical-pendulum-on-puck suslov tippe-top top-on-movable-base top-on-sphere underwater-vehicle
    unicycle-with-rotor vertical-rolling-disk veselova whipple-bicycle
"""
"""Mechanisms with a file of their name."""
_IN_FILE_OF = {
    "body_with_rotor": ("body-with-rotors",),
    "coupled_bodies": ("concentric-shells",),
    "forced_bodies": (
        "body-with-body-moment",
        "body-with-point-force",
        "body-with-spatial-force",
        "body-with-spatial-moment",
    ),
    "kovalevskaya_top": ("goryachev-chaplygin-top",),
    "pendulum_skate": ("pendulum-skate-offset", "pendulum-skate-rotor"),
    "planar_pendulum": ("rigid-body-planar-pendulum",),
}
"""Further ones by the file that they share with another."""
_REDUCED = {name: name.replace("-", "_") for name in _IN_OWN_FILE.split()}
_REDUCED |= {name: file for file, names in _IN_FILE_OF.items() for name in names}
"""The file of each; the function that builds it has its name."""
_FIELDS = {
    "car-on-a-line": "car_on_a_line",
    "cubic": "cubic",
    "lorenz-84": "lorenz_84",
    "van-der-pol": "van_der_pol",
    "van-der-pol-reversed": "van_der_pol",
}
"""First-order fields, which have no inertia and no energy, by their file."""
_JUMPING = ("compass-walker", "hopper", "pendulum-at-wall", "rimless-wheel", "rocking-block")
"""Descriptions with jumps, each with a file of its name."""
_FROM_FILES = {
    name: ("geoctrl.models.model_files", name.replace("-", "_"))
    for name in ("balancer", "quadrotor", "reaction-wheel", "seven-joint-arm")
}
"""Descriptions that are read from model files."""
_ON_SPHERES = {
    "chain-pendulum": "chain_pendulum",
    "coupled-pendula": "coupled_pendula",
    "dipoles": "dipoles",
    "double-spherical-pendulum": "double_pendulum",
    "elastic-rod": "elastic_rod",
    "lennard-jones": "lennard_jones",
    "particles-on-sphere": "particles_on_sphere",
}
_ON_PRODUCTS = {
    name.replace("_", "-"): name
    for name in (
        "bodies_with_joint",
        "chain_on_cart",
        "pendulum_on_cart",
        "pendulum_on_puck",
        "quadrotor_with_cable",
        "tethered_satellites",
    )
}
_SYSTEMS = {name: ("geoctrl.spheres.mechanisms", function) for name, function in _ON_SPHERES.items()}
_SYSTEMS |= {name: ("geoctrl.manifolds.mechanisms", function) for name, function in _ON_PRODUCTS.items()}
_FREE_ATTITUDES = {
    "body-in-field",
    "body-with-body-moment",
    "body-with-point-force",
    "body-with-spatial-force",
    "body-with-spatial-moment",
    "charged-body",
    "concentric-shells",
    "coupled-bodies",
    "free-rigid-body",
    "goryachev-chaplygin-top",
    "heavy-top",
    "kovalevskaya-top",
    "orbiting-body",
    "pendulum-3d",
}
_ALIASES = {
    "free-body": "free-rigid-body",
    "pendulum3d": "pendulum-3d",
    "body-in-orbit": "orbiting-body",
    "double-pendulum": "double-spherical-pendulum",
}
"""Mechanisms by the names of the functions that build them on rotations and spheres."""
_KINDS = {
    "reduced": set(_REDUCED),
    "fields": set(_FIELDS),
    "jumping": set(_JUMPING),
    "files": set(_FROM_FILES),
    "spheres": set(_ON_SPHERES),
    "rotations": _FREE_ATTITUDES,
    "products": set(_ON_PRODUCTS),
}


def __dir__() -> list[str]:
    return sorted(__all__)


def names(kind: str | None = None) -> list[str]:
    """Names of the mechanisms in the catalogue.

    Parameters
    ----------
    kind : {"reduced", "fields", "jumping", "files", "spheres", "rotations", "products"}, optional
        Those described by Euler-Poincare equations; first-order fields, which have no energy; those with
        jumps, of which ``hybrid()`` makes a system; such that are read from model files; those on spheres;
        those that ``attitudes=True`` gives as systems on rotations; those on products of places, directions
        and attitudes. All by default.

    Raises
    ------
    ParameterError
        For another kind.

    Examples
    --------
    >>> names("spheres")[:2]
    ['chain-pendulum', 'coupled-pendula']
    """
    if kind is None:
        return sorted([*_REDUCED, *_FIELDS, *_JUMPING, *_FROM_FILES, *_SYSTEMS])
    require_choice("kind", kind, _KINDS, ParameterError)
    return sorted(_KINDS[kind])


def get(name: str) -> Callable[..., Any]:
    """Builder of a mechanism; call it to get the description, or the system of one on spheres or products.

    Parameters
    ----------
    name : str
        One of `names`, or that of the function in `geoctrl.rotations` or `geoctrl.spheres` that builds it,
        with hyphens ("free-body", "pendulum3d", "body-in-orbit", "double-pendulum").

    Returns
    -------
    callable
        ``builder(set=None, **options)``: ``set`` names one of the mechanism's parameter sets, of which
        the values become the defaults; further options are the mechanism's own (the potential of
        ``veselova``, the masses of ``chain-pendulum``, say). Of ``names("rotations")`` it takes
        ``attitudes=True``, which gives the system on rotations that the mechanism is reduced from.

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
    >>> get("pendulum-3d")(attitudes=True).conserved()
    ('energy', 'momentum3')
    """
    name = _ALIASES.get(name, name) if isinstance(name, str) else name
    if not isinstance(name, str) or name not in {*names()}:
        raise ParameterError(f"no mechanism {name!r} in the catalogue{nearest(name, names())}")
    build = rare_collections(_builder(name))
    known = signature(build).parameters
    options_of = {"set": Parameter("set", Parameter.POSITIONAL_OR_KEYWORD, default=None), **known}
    if name in _FREE_ATTITUDES:
        options_of["attitudes"] = Parameter("attitudes", Parameter.KEYWORD_ONLY, default=False)

    def builder(set: str | None = None, **options: Any) -> Any:
        for option in options:
            if option not in options_of:
                there = (
                    f"; known are {', '.join(options_of)}" if len(options_of) > 1 else "; it takes set alone"
                )
                raise ParameterError(f"{name} has no option {option!r}{there}")
        attitudes = flag("attitudes", options.pop("attitudes", False))
        mechanism = build(**options)
        if set is not None:
            if name in _SYSTEMS:
                raise ParameterError(f"{name} has no parameter sets, got {shown(set)}")
            mechanism = mechanism.with_parameter_set(set)
        if not attitudes:
            return mechanism
        from geoctrl.rotations import RotationSystem

        return RotationSystem.of(mechanism)

    builder.__signature__ = signature(builder).replace(  # type: ignore[attr-defined]
        parameters=list(options_of.values())
    )
    builder.__doc__ = build.__doc__
    builder.__name__ = build.__name__
    return builder


def _builder(name: str) -> Callable[..., Any]:
    """The function that builds a mechanism; its file is loaded with it."""
    found = _SYSTEMS.get(name) or _FROM_FILES.get(name)
    own = name.replace("-", "_")
    module, function = found or (f"geoctrl.models.{(_REDUCED | _FIELDS).get(name, own)}", own)
    return getattr(load(module), function)
