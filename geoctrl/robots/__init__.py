"""Mechanisms from model files: MJCF, URDF, compiled models of MuJoCo."""

from geoctrl.robots.doors import from_mjcf, from_mujoco, from_urdf

__all__ = ["from_mjcf", "from_mujoco", "from_urdf"]
