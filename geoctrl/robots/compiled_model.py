"""A compiled model of MuJoCo as an outline: its arrays are read, the program itself is not needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from geoctrl._scalars import shown
from geoctrl.errors import ModelFileError
from geoctrl.robots.mjcf.reader import COORDINATES, RATES
from geoctrl.robots.outline.body_masses import MassOfBody, moments, turned_tensor
from geoctrl.robots.outline.chains import chain_of_links
from geoctrl.robots.outline.exact_vectors import ZERO, Vector, direction, multiple, vector_sum
from geoctrl.robots.outline.outline import Actuator, Keyframe, RobotJoint, RobotOutline, Site
from geoctrl.systems.trees.quaternions import Quaternion

__all__ = ["compiled_outline"]

_KINDS = ("free", "ball", "slide", "hinge")
"""Kinds of joints by their number."""
_ON_JOINT, _ON_JOINT_IN_PARENT, _ON_SITE = 0, 1, 4
_FIXED_GAIN = 0
_NO_BIAS, _AFFINE_BIAS = 0, 1
_NEAR = 1e-9
"""Of a quaternion's largest entry, within which another is zero, or as large."""
_OFF = {
    "constraint": 1 << 0,
    "frictionloss": 1 << 2,
    "spring": 1 << 5,
    "damper": 1 << 6,
    "gravity": 1 << 7,
    "clampctrl": 1 << 8,
    "actuation": 1 << 11,
}
"""Flags that turn a part of the dynamics off, by their bits."""


def compiled_outline(model: Any) -> RobotOutline:
    """What the arrays of a mujoco.MjModel say; each double as the shortest decimal that it stands for."""
    try:
        reader = _ModelReader(model)
        return reader.outline()
    except (AttributeError, IndexError, TypeError) as error:
        raise ModelFileError(
            f"a compiled model is needed, mujoco.MjModel, got {shown(model)} ({error}); a file is read by "
            "gc.from_mjcf"
        ) from None


def _exact(value: Any) -> Fraction:
    number = float(value)
    if not math.isfinite(number):
        raise ModelFileError(f"the model has a number that is not finite, {number}")
    return Fraction(repr(number))


def _vector(values: Any) -> Vector:
    return [_exact(x) for x in np.asarray(values, dtype=float).ravel()]


def _turn(values: Any) -> Quaternion:
    """A turn by a quaternion of doubles; multiples of a quarter turn about axes exactly."""
    entries = _vector(values)
    largest = max(map(abs, entries))
    if not largest:
        raise ModelFileError("the model has a quaternion of length zero")
    scaled_entries = [x / largest for x in entries]
    whole = [Fraction(round(x)) for x in scaled_entries]
    near = all(abs(x - n) < _NEAR for x, n in zip(scaled_entries, whole, strict=True))
    return Quaternion(tuple(whole if near else entries))  # type: ignore[arg-type]


@dataclass
class _ModelReader:
    """Goes through the arrays of a model."""

    model: Any

    def _name(self, kind: str, k: int, default: str) -> str:
        start = int(getattr(self.model, f"name_{kind}adr")[k])
        text = bytes(self.model.names)[start:].split(b"\0", 1)[0].decode("utf-8", "replace")
        return text or default

    def _is_off(self, *parts: str) -> bool:
        """Whether one of these parts of the dynamics is turned off."""
        return any(int(self.model.opt.disableflags) & _OFF[part] for part in parts)

    def outline(self) -> RobotOutline:
        """The model's outline."""
        model = self.model
        self._require_readable()
        name = bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace")
        gravity = ZERO if self._is_off("gravity") else _vector(model.opt.gravity)
        outline = RobotOutline(name or "robot", gravity=gravity)
        bodies = [self._name("body", k, f"body{k}") for k in range(int(model.nbody))]
        origins: list[Vector] = [ZERO]
        for k in range(1, len(bodies)):
            joints = self._joints(k, bodies[k])
            parent = int(model.body_parentid[k])
            solid = MassOfBody(
                _exact(model.body_mass[k]),
                _vector(model.body_ipos[k]),
                turned_tensor(moments(_vector(model.body_inertia[k])), _turn(model.body_iquat[k])),
            )
            place = vector_sum(_vector(model.body_pos[k]), origins[parent])
            outline.links += chain_of_links(
                bodies[k],
                bodies[parent] if parent else None,
                place,
                _turn(model.body_quat[k]),
                solid,
                joints,
                f"body {k}",
            )
            origins.append(multiple(Fraction(-1), joints[-1][1]) if joints else ZERO)
            if int(model.nmocap) and int(model.body_mocapid[k]) >= 0:
                outline.leave_out("motion of mocap bodies, which stand as the file draws them", bodies[k])
        if not outline.joints:
            raise ModelFileError("nothing moves: no body of the model has a joint")
        self._read_sites(outline, bodies, origins)
        self._read_drives(outline)
        self._read_keyframes(outline)
        touching = {
            int(model.geom_bodyid[g])
            for g in range(int(model.ngeom))
            if model.geom_contype[g] or model.geom_conaffinity[g]
        }
        outline.contacts += ["the world" if k == 0 else bodies[k] for k in sorted(touching)]
        if int(model.nsensor):
            outline.leave_out("sensors", f"{int(model.nsensor)} of them")
        return outline

    def _require_readable(self) -> None:
        """Refuse what would change the motion and is not read."""
        model = self.model
        refused = {
            "tendons": int(model.ntendon),
            "equality constraints": int(np.count_nonzero(model.eq_active0)),
            "bodies that bend": int(getattr(model, "nflex", 0)),
            "plugins": int(model.nplugin),
            "gravcomp": int(np.count_nonzero(model.body_gravcomp)),
            "forces of a medium (density, viscosity, wind)": int(
                bool(model.opt.density) or bool(model.opt.viscosity) or bool(np.any(model.opt.wind))
            ),
            "springs or dampers that are not linear": int(
                np.any(getattr(model, "jnt_stiffnesspoly", 0))
                or np.any(getattr(model, "dof_dampingpoly", 0))
                or np.any(getattr(model, "actuator_dampingpoly", 0))
            ),
            "springs that yield": int(np.any(getattr(model, "jnt_springyield", 0))),
            "actuators that are turned off": int(self._is_off("actuation")),
        }
        for what, count in refused.items():
            if count:
                raise ModelFileError(
                    f"the model has {what}, which are not read; leave them out of it, and give their "
                    "forces as forces=, their relations as constraints= to the mechanism that is returned"
                )

    def _joints(self, body: int, name: str) -> list[tuple[RobotJoint, Vector, Fraction]]:
        model = self.model
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        return [self._joint(first + k, f"{name}_joint{k + 1 if count > 1 else ''}") for k in range(count)]

    def _joint(self, j: int, default: str) -> tuple[RobotJoint, Vector, Fraction]:
        model = self.model
        name, kind = self._name("jnt", j, default), _KINDS[int(model.jnt_type[j])]
        dofs = range(int(model.jnt_dofadr[j]), int(model.jnt_dofadr[j]) + RATES.get(kind, 1))
        values = {}
        for entry in ("damping", "frictionloss", "armature"):
            found = {_exact(getattr(model, f"dof_{entry}")[d]) for d in dofs}
            if len(found) > 1 or (kind == "free" and entry != "damping" and found != {0}):
                raise ModelFileError(f"{entry} of the {kind} joint {name!r} is not read; set it to zero")
            values[entry] = found.pop()
        stiffness = Fraction(0) if self._is_off("spring") else _exact(np.ravel(model.jnt_stiffness[j])[0])
        values["damping"] *= not self._is_off("damper")
        values["frictionloss"] *= not self._is_off("frictionloss", "constraint")
        if stiffness and kind in COORDINATES:
            raise ModelFileError(f"stiffness of the {kind} joint {name!r} is not read; set it to zero")
        axis = direction(_vector(model.jnt_axis[j])) or ZERO
        scalar = kind in ("hinge", "slide")
        at = int(model.jnt_qposadr[j])
        low, high = _vector(model.jnt_range[j])
        joint = RobotJoint(
            name,
            kind,
            axis,
            damping=values["damping"],
            dry=values["frictionloss"],
            armature=values["armature"],
            stiffness=stiffness,
            rest=_exact(model.qpos_spring[at]) if scalar else Fraction(0),
            limits=(low, high) if bool(model.jnt_limited[j]) and kind != "free" else None,
            where=f"joint {j}",
        )
        return (
            joint,
            ZERO if kind == "free" else _vector(model.jnt_pos[j]),
            (_exact(model.qpos0[at]) if scalar else Fraction(0)),
        )

    def _read_sites(self, outline: RobotOutline, bodies: Sequence[str], origins: Sequence[Vector]) -> None:
        model = self.model
        self.sites = [self._name("site", s, f"site{s}") for s in range(int(model.nsite))]
        for s, name in enumerate(self.sites):
            body = int(model.site_bodyid[s])
            if body == 0:
                outline.leave_out("sites of the world", name)
                continue
            place = vector_sum(_vector(model.site_pos[s]), origins[body])
            outline.sites[name] = Site(bodies[body], place, _turn(model.site_quat[s]))

    def _read_drives(self, outline: RobotOutline) -> None:
        model = self.model
        joints = [joint.name for joint in outline.joints.values()]
        for a in range(int(model.nu)):
            name = self._name("actuator", a, f"u{a + 1}")
            on, target = int(model.actuator_trntype[a]), int(model.actuator_trnid[a][0])
            bias_kind = int(model.actuator_biastype[a])
            delayed = float(np.max(getattr(model, "actuator_delay", [0.0]))) > 0
            if (
                on not in (_ON_JOINT, _ON_JOINT_IN_PARENT, _ON_SITE)
                or int(model.actuator_gaintype[a]) != _FIXED_GAIN
                or bias_kind not in (_NO_BIAS, _AFFINE_BIAS)
                or int(model.actuator_dyntype[a]) != 0
                or (on == _ON_SITE and int(model.actuator_trnid[a][1]) >= 0)
                or delayed
            ):
                raise ModelFileError(
                    f"the actuator {name!r} is not read: those are that act on a joint or a site with a "
                    "force affine in their input, without states; give its force as forces= to the mechanism"
                )
            bias = _vector(model.actuator_biasprm[a][:3]) if bias_kind == _AFFINE_BIAS else ZERO
            joint = "" if on == _ON_SITE else joints[target]
            kind = outline.joints[joint].kind if joint else "site"
            if kind == "free" or (any(bias[1:]) and kind not in ("hinge", "slide")):
                raise ModelFileError(f"the actuator {name!r} on a {kind} is not read; a motor on a site is")
            self._add_rotor(a, joint, outline)
            low, high = None, None
            gain = _exact(model.actuator_gainprm[a][0])
            if bool(model.actuator_ctrllimited[a]) and not self._is_off("clampctrl"):
                low, high = _vector(model.actuator_ctrlrange[a])
            if bool(model.actuator_forcelimited[a]):
                force = _vector(model.actuator_forcerange[a])
                if any(bias) or gain <= 0:
                    outline.leave_out("forcerange of actuators whose force is not their input alone", name)
                else:
                    ends = [x / gain for x in force]
                    low = ends[0] if low is None else max(low, ends[0])
                    high = ends[1] if high is None else min(high, ends[1])
            outline.drives.append(
                Actuator(
                    name,
                    joint=joint,
                    site=self.sites[target] if on == _ON_SITE else "",
                    gear=_vector(model.actuator_gear[a]),
                    gain=gain,
                    bias=bias,
                    limits=None if low is None else (low, high),
                    in_parent=on == _ON_JOINT_IN_PARENT,
                    where=f"actuator {a}",
                )
            )

    def _add_rotor(self, a: int, joint: str, outline: RobotOutline) -> None:
        """What an actuator adds to the armature and the damping of its joint, by the square of the gear."""
        for entry in ("armature", "damping"):
            own = _exact(np.ravel(getattr(self.model, f"actuator_{entry}", np.zeros(a + 1))[a])[0])
            if own and (not joint or outline.joints[joint].kind not in ("hinge", "slide")):
                raise ModelFileError(f"{entry} of an actuator is read on a hinge or a slide alone")
            if own and not (entry == "damping" and self._is_off("damper")):
                size = (
                    getattr(outline.joints[joint], entry) + _exact(self.model.actuator_gear[a][0]) ** 2 * own
                )
                outline.put_joint(joint, **{entry: size})

    def _read_keyframes(self, outline: RobotOutline) -> None:
        model = self.model
        joints = list(outline.joints.values())
        for k in range(int(model.nkey)):
            parts: list[dict[str, Vector]] = []
            for given, sizes in ((model.key_qpos[k], COORDINATES), (model.key_qvel[k], RATES)):
                found, start = {}, 0
                for joint in joints:
                    size = sizes.get(joint.kind, 1)
                    found[joint.name] = _vector(given[start : start + size])
                    start += size
                parts.append(found)
            inputs = dict(zip([d.name for d in outline.drives], _vector(model.key_ctrl[k]), strict=True))
            outline.keyframes.append(
                Keyframe(self._name("key", k, f"key{k}"), parts[0], parts[1], inputs, f"keyframe {k}")
            )
