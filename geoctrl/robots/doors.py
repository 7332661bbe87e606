"""Mechanisms from model files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geoctrl._checks import require_choice
from geoctrl.robots.compiled_model import compiled_outline
from geoctrl.robots.description.robot_mechanism import Wishes, mechanism_of
from geoctrl.robots.mjcf.reader import mjcf_outline
from geoctrl.robots.urdf import BASES, urdf_outline
from geoctrl.robots.xml.source import source_text
from geoctrl.systems import EulerPoincare

__all__ = ["from_mjcf", "from_mujoco", "from_urdf"]


def from_mjcf(
    source: Any,
    *,
    place: bool = False,
    rolling: Sequence[Any] = (),
    contact: str = "leave out",
    friction_scale: Any = None,
    keep: Sequence[str] = (),
    parameters: str = "numbers",
    gravity: Sequence[Any] | None = None,
) -> EulerPoincare:
    r"""The mechanism of an MJCF file, the format of MuJoCo.

    Decimal numbers are the rationals that they are, turns orthogonal exactly. Bodies are links, each with its
    joint; several joints of one body are links without mass between. Coordinates have the names of joints,
    inputs those of actuators, ``u_<name>`` where a joint has the name; letters that no identifier has are
    underscores. With the length :math:`l = g\,q` of an actuator on a joint, g its gear, the force is

    .. math:: g\,(k\,u + b_0 + b_1 l + b_2 \dot l)

    of a motor k = 1 alone, of a position servo :math:`k = -b_1 = k_p, b_2 = -k_v`. Ranges of joints are sides
    of the domain, ranges of controls go to ``imported.limits``, keyframes to ``imported.keys``, and to the
    families where they are equilibria exactly. Two slides and a hinge at the root, without mass between,
    whose place nothing depends on, are one planar joint.

    Parameters
    ----------
    source : path, or text with a "<"
        No other file is opened.
    place : bool
        Whether the place of free bodies is in the state; else only what gravity depends on.
    rolling : sequence of Rolling
        Wheels that roll on the floor.
    contact : {"leave out", "refuse"}
        What is done about geoms that may touch each other.
    friction_scale : number, optional
        Velocity below which dry friction (frictionloss) is smoothed; a file that has any needs it.
    keep : sequence of str
        Joints that stay coordinates though nothing depends on them: planar bases and wheels have none else.
    parameters : {"numbers", "symbols"}
        Whether masses, centres, inertias, damping and gears are numbers, or parameters with these defaults:
        ``mass_<body>``, ``centre_<body>_x``, ``inertia_<body>_xx``, ``damping_<joint>``, ``gear_<actuator>``.
    gravity : three numbers, optional
        Instead of that of the file.

    Returns
    -------
    EulerPoincare

    Raises
    ------
    ModelFileError
        With line, element and what to do, for what would change the motion and is not read, and for texts
        that are no model.
    InputError
        If an argument is none of its choices.

    Warns
    -----
    ModelFileWarning
        Of what the file says and is left out, as ``imported.left_out``.

    Examples
    --------
    >>> import geoctrl as gc
    >>> rod = gc.from_mjcf('''<mujoco model="rod"><worldbody><body name="rod">
    ...   <joint name="q" axis="0 1 0"/><inertial pos="0 0 -0.5" mass="2" diaginertia="0.2 0.2 0.001"/>
    ... </body></worldbody><actuator><motor name="u" joint="q" ctrlrange="-3 3"/></actuator></mujoco>''')
    >>> rod.imported.limits
    {'u': (-3.0, 3.0)}
    >>> rod.reduce().state_labels
    ('q_dot', 'q')
    """
    wishes = Wishes.read(place, rolling, contact, friction_scale, keep, parameters, gravity)
    return mechanism_of(mjcf_outline(source_text(source)), wishes, "an MJCF file")


def from_urdf(
    source: Any,
    *,
    base: str = "fixed",
    gravity: Sequence[Any] | None = None,
    place: bool = False,
    rolling: Sequence[Any] = (),
    contact: str = "leave out",
    friction_scale: Any = None,
    keep: Sequence[str] = (),
    parameters: str = "numbers",
) -> EulerPoincare:
    """The mechanism of a URDF file.

    As `from_mjcf`; each joint that moves has an input ``u_<joint>``, of which the effort is the limit.

    Parameters
    ----------
    source : path, or text with a "<"
        No other file is opened.
    base : {"fixed", "free", "planar"}
        How the root moves in space.
    gravity : three numbers, optional
        (0, 0, -9.81) by default, as a decimal.
    place, rolling, contact, friction_scale, keep, parameters
        As of `from_mjcf`.

    Returns
    -------
    EulerPoincare

    Raises
    ------
    ModelFileError, InputError
        As `from_mjcf`.

    Warns
    -----
    ModelFileWarning
        As `from_mjcf`.

    Examples
    --------
    >>> import geoctrl as gc
    >>> slider = gc.from_urdf('''<robot name="slider"><link name="rail"/>
    ...   <link name="block"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
    ...   <joint name="s" type="prismatic"><parent link="rail"/><child link="block"/><axis xyz="1 0 0"/>
    ...   <limit lower="-1" upper="1" effort="5"/></joint></robot>''')
    >>> slider.imported.ranges, slider.imported.limits
    ({'s': (-1.0, 1.0)}, {'u_s': (-5.0, 5.0)})
    """
    require_choice("base", base, BASES)
    wishes = Wishes.read(place, rolling, contact, friction_scale, keep, parameters, gravity)
    return mechanism_of(urdf_outline(source_text(source), base), wishes, "a URDF file")


def from_mujoco(
    model: Any,
    *,
    place: bool = False,
    rolling: Sequence[Any] = (),
    contact: str = "leave out",
    friction_scale: Any = None,
    keep: Sequence[str] = (),
    parameters: str = "numbers",
    gravity: Sequence[Any] | None = None,
) -> EulerPoincare:
    """The mechanism of a compiled model, ``mujoco.MjModel``.

    Its arrays alone are read, and mujoco is not imported: the way for files with meshes, includes and macros.
    Each double is taken as the shortest decimal that stands for it.

    Parameters
    ----------
    model : mujoco.MjModel
    place, rolling, contact, friction_scale, keep, parameters, gravity
        As of `from_mjcf`.

    Returns
    -------
    EulerPoincare

    Raises
    ------
    ModelFileError, InputError
        As `from_mjcf`.

    Warns
    -----
    ModelFileWarning
        As `from_mjcf`.

    Examples
    --------
    >>> import geoctrl as gc
    >>> model = mujoco.MjModel.from_xml_path("robot.xml")  # doctest: +SKIP
    >>> mech = gc.from_mujoco(model)  # doctest: +SKIP
    """
    wishes = Wishes.read(place, rolling, contact, friction_scale, keep, parameters, gravity)
    return mechanism_of(compiled_outline(model), wishes, "a compiled model of MuJoCo")
