"""Mechanisms whose numbers stand in model files: an arm, a balancer, a quadrotor, a reaction wheel."""

from __future__ import annotations

import warnings
from importlib.resources import files
from typing import Any

import sympy as sp

from geoctrl.errors import ModelFileWarning
from geoctrl.models.catalogue_solids import ACCENT, DARK
from geoctrl.robots import from_mjcf, from_urdf
from geoctrl.systems import EulerPoincare, Family, Rolling
from geoctrl.systems.picture import Disk, Ellipsoid, Rod, Solid

__all__ = ["balancer", "quadrotor", "reaction_wheel", "seven_joint_arm"]

_OWN = "a model file of geoctrl"
_ARM = (
    "LBR iiwa, R. Krug and T. Stoyanov, AASS Research Center, Orebro University (BSD licence, in the file), "
    "as kuka_iiwa/model.urdf of pybullet_data, pybullet 3.2.7, without shapes"
)


def _text(name: str) -> str:
    """A file of the catalogue."""
    return files("geoctrl.models").joinpath("files", name).read_text(encoding="utf-8")


def _mechanism(read: Any, name: str, source: str, **wishes: Any) -> EulerPoincare:
    """The mechanism of a file; what it leaves out is told in ``imported.left_out`` alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelFileWarning)
        found = read(_text(name), **wishes)
    return found.replace(source=source)


def seven_joint_arm() -> EulerPoincare:
    """Arm of seven hinges, the KUKA LBR iiwa, from a public URDF file.

    Joints ``lbr_iiwa_joint_1`` to ``lbr_iiwa_joint_7`` with their ranges, damping and limits of torque.
    """
    return _mechanism(from_urdf, "lbr_iiwa.urdf", _ARM).replace(name="seven-joint-arm")


def balancer() -> EulerPoincare:
    r"""Balancing robot on two wheels that roll without slipping, from an MJCF file.

    The hull moves in the plane with velocities (Omega, Y1, Y2) in axes that turn with it, and leans by
    ``pitch``. Family "driving", upright at every speed v and turn w: with the damping c, the radius r and
    half the track d

    .. math:: t_{l, r} = c\,(v \mp d\,w)/r
    """
    v, w = sp.symbols("v w", real=True)
    radius, half, damping = sp.Rational(1, 20), sp.Rational(17, 100), sp.Rational(3, 10)
    wheels = {"left": (v - half * w) / radius, "right": (v + half * w) / radius}
    driving = Family(
        {"Omega": w, "Y1": v, "roll_left_dot": wheels["left"]},
        symbols=[v, w],
        inputs={"tl": damping * wheels["left"], "tr": damping * wheels["right"]},
    )
    rolling = [Rolling(side, radius, "hull yaw") for side in wheels]
    found = _mechanism(from_mjcf, "balancer.xml", _OWN, rolling=rolling)
    return found.replace(equilibria={"driving": driving})


def quadrotor() -> EulerPoincare:
    """Quadrotor with four rotors as forces at sites, from an MJCF file.

    Family "hover", level, with a quarter of the weight at each rotor.
    """
    tips = [sp.Matrix([x, y, sp.Rational(3, 100)]) for x, y in ((0.2, 0), (0, 0.2), (-0.2, 0), (0, -0.2))]
    rods = [Rod((0, 0, sp.Rational(1, 100)), tip, 0.008, colour=DARK) for tip in tips]
    rotors = [Disk(0.09, at=tip, thickness=0.008, opacity=0.5) for tip in tips]
    hull = Solid("hull", [Ellipsoid((0.12, 0.12, 0.06), colour=ACCENT), *rods, *rotors])
    return _mechanism(from_mjcf, "quadrotor.xml", _OWN).replace(picture=[hull])


def reaction_wheel() -> EulerPoincare:
    """Pendulum with a wheel at its end that a motor turns, from an MJCF file.

    Families "upright" and "hanging".
    """
    return _mechanism(from_mjcf, "reaction_wheel.xml", _OWN)
