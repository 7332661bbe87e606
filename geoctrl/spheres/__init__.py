"""Global dynamics on products of two-spheres: description, equations, variational integrators, mechanisms."""

from geoctrl.manifolds.energies.potentials import Pairs, Sites
from geoctrl.spheres.mechanisms import (
    chain_pendulum,
    coupled_pendula,
    dipoles,
    double_pendulum,
    elastic_rod,
    lennard_jones,
    particles_on_sphere,
)
from geoctrl.spheres.sphere_systems import SphereSystem, SphereTrajectory, integrate
from geoctrl.spheres.start import project, symbols
from geoctrl.stepping.methods.methods import METHODS

__all__ = [
    "METHODS",
    "Pairs",
    "Sites",
    "SphereSystem",
    "SphereTrajectory",
    "chain_pendulum",
    "coupled_pendula",
    "dipoles",
    "double_pendulum",
    "elastic_rod",
    "integrate",
    "lennard_jones",
    "particles_on_sphere",
    "project",
    "symbols",
]


def __dir__() -> list[str]:
    return sorted(__all__)
