"""Accelerations of the models as other programs give them, written to ``reference.json``.

``python -m tests.robots.reference_numbers`` needs mujoco and pinocchio. Coordinates and rates of a joint are
as in a keyframe; what is compared are the accelerations of the rates.
"""

import json
import math
import re
from pathlib import Path

import numpy as np

from tests.robots.models import CATALOGUE, DRAWN_MJCF, DRAWN_URDF, MJCF, URDF

FILE = Path(__file__).with_name("reference.json")
STATES, STATES_DRAWN = 20, 5


def mujoco_runs(model, states=STATES):
    """States drawn at random with their accelerations, by joint and actuator."""
    import mujoco

    data = mujoco.MjData(model)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CLAMPCTRL)
    model.actuator_forcelimited[:] = 0
    model.jnt_actfrclimited[:] = 0
    rng = np.random.default_rng(5)
    runs = []
    for _ in range(states):
        data.qpos[:] = 0.7 * rng.normal(size=model.nq)
        for j in range(model.njnt):
            a, kind = model.jnt_qposadr[j], model.jnt_type[j]
            if kind < 2:
                a += 3 * (kind == 0)
                data.qpos[a : a + 4] /= np.linalg.norm(data.qpos[a : a + 4])
        data.qvel[:] = rng.normal(size=model.nv)
        data.ctrl[:] = 0.3 * rng.normal(size=model.nu)
        mujoco.mj_forward(model, data)
        run = {"q": {}, "v": {}, "a": {}, "u": {}}
        for j in range(model.njnt):
            name = model.joint(j).name
            a, d = model.jnt_qposadr[j], model.jnt_dofadr[j]
            nq, nv = {0: (7, 6), 1: (4, 3)}.get(int(model.jnt_type[j]), (1, 1))
            run["q"][name] = data.qpos[a : a + nq].tolist()
            run["v"][name] = data.qvel[d : d + nv].tolist()
            run["a"][name] = data.qacc[d : d + nv].tolist()
        run["u"] = {model.actuator(k).name: float(data.ctrl[k]) for k in range(model.nu)}
        runs.append(run)
    return runs


def pinocchio_runs(text, base, states=STATES):
    """The same of a URDF; of a planar base x, y, angle, and the velocity in its own axes.

    Angles near a quarter turn are that, as geoctrl reads them; dampers act, which pinocchio's algorithm
    leaves out.
    """
    import pinocchio as pin

    kinds = {"free": pin.JointModelFreeFlyer, "planar": pin.JointModelPlanar}
    model = pin.buildModelFromXML(
        re.sub(r'(?<=rpy=")[^"]*', _quarter_turns, text), *([kinds[base]()] if base != "fixed" else [])
    )
    model.armature[:] = 0
    data = model.createData()
    rng = np.random.default_rng(5)
    runs = []
    for _ in range(states):
        q = pin.integrate(model, pin.neutral(model), 0.7 * rng.normal(size=model.nv))
        v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
        run = {"q": {}, "v": {}, "a": {}, "u": {}}
        if base != "fixed":
            tau[: model.joints[1].nv] = 0
        a = pin.aba(model, data, q, v, tau - model.damping * v)
        for name, joint in zip(model.names, model.joints, strict=True):
            if name == "universe":
                continue
            own = "base" if joint.nv > 1 else name
            part = slice(joint.idx_v, joint.idx_v + joint.nv)
            qs = q[joint.idx_q : joint.idx_q + joint.nq]
            if joint.nv == 1:
                run["u"][f"u_{name}"] = float(tau[joint.idx_v])
            run["q"][own] = (
                [float(np.arctan2(qs[1], qs[0]))] if joint.nv == 1 and joint.nq == 2 else qs.tolist()
            )
            run["v"][own], run["a"][own] = v[part].tolist(), a[part].tolist()
            if joint.nv == 3:
                run["q"][own] = [*qs[:2].tolist(), float(np.arctan2(qs[3], qs[2]))]
            if joint.nv == 6:
                x, y, z, w = qs[3:]
                turn = pin.Quaternion(w, x, y, z).toRotationMatrix()
                run["q"][own] = [*qs[:3].tolist(), w, x, y, z]
                Y, omega, dY = v[:3], v[3:6], a[:3]
                run["v"][own] = [*(turn @ Y).tolist(), *omega.tolist()]
                run["a"][own] = [*(turn @ (dY + np.cross(omega, Y))).tolist(), *a[3:6].tolist()]
        runs.append(run)
    return runs


def _quarter_turns(match):
    """Angles of a file, those within 1e-9 of a multiple of a quarter turn made it."""
    words = match[0].split()
    for k, word in enumerate(words):
        quarters = float(word) / (math.pi / 2)
        if abs(quarters - round(quarters)) < 1e-9:
            words[k] = repr(math.pi / 2 * round(quarters))
    return " ".join(words)


def main():
    """Write the file."""
    import mujoco

    found = {}
    for states, files in ((STATES, MJCF | CATALOGUE), (STATES_DRAWN, DRAWN_MJCF)):
        for name, text in files.items():
            if "<mujoco" in text:
                found[name] = mujoco_runs(mujoco.MjModel.from_xml_string(text), states)
            else:
                found[name] = pinocchio_runs(text, "fixed", states)
    for states, files in ((STATES, URDF), (STATES_DRAWN, DRAWN_URDF)):
        found |= {name: pinocchio_runs(text, base, states) for name, (text, base) in files.items()}
    FILE.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
