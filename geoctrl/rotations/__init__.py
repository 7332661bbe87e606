"""Global dynamics on products of rotation groups: equations, variational integrators, geodesics."""

from geoctrl.manifolds.energies.potentials import Pairs, Sites
from geoctrl.rotations.attitudes import project, symbols
from geoctrl.rotations.geodesics import Geodesic, geodesic
from geoctrl.rotations.rigid_bodies import body_in_orbit, coupled_bodies, free_body, pendulum3d
from geoctrl.rotations.rotation_systems import RotationSystem, RotationTrajectory, integrate
from geoctrl.stepping.methods.methods import METHODS

__all__ = [
    "METHODS",
    "Geodesic",
    "Pairs",
    "RotationSystem",
    "RotationTrajectory",
    "Sites",
    "body_in_orbit",
    "coupled_bodies",
    "free_body",
    "geodesic",
    "integrate",
    "pendulum3d",
    "project",
    "symbols",
]


def __dir__() -> list[str]:
    return sorted(__all__)
