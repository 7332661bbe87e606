"""What systems on products of spheres and on products of rotations share."""

from geoctrl.manifolds.model import ManifoldModel
from geoctrl.manifolds.potentials import Pairs, Sites
from geoctrl.manifolds.system import ManifoldSystem
from geoctrl.manifolds.trajectory import ManifoldTrajectory

__all__ = ["ManifoldModel", "ManifoldSystem", "ManifoldTrajectory", "Pairs", "Sites"]
