"""From a public model file to a law in C that is proved: a posture of a seven-joint arm.

The arm is the KUKA LBR iiwa of R. Krug and T. Stoyanov, of the catalogue's files, with its BSD licence.
``find_equilibrium`` finds the torques that hold a posture, ``lqr`` a law about it, ``certify`` proves the
loop, and the law held at 500 Hz is written as C.

    python studies/arm_from_file.py [folder]
"""

import sys
import warnings
from pathlib import Path

import numpy as np

import geoctrl as gc

FILE = Path(gc.__file__).parent / "models" / "files" / "lbr_iiwa.urdf"
POSTURE = (0.0, 0.5, 0.0, -1.2, 0.0, 0.8, 0.0)


def main(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gc.ModelFileWarning)  # limits of velocities, which are left out
        arm = gc.from_urdf(FILE)
    print(f"{arm.name}: {len(arm.tree.links)} links, {len(arm.inputs)} torques")
    sys_ = arm.reduce()
    joints = [c.name for c in arm.shape]
    posture = dict(zip(joints, POSTURE, strict=True))
    at = gc.find_equilibrium(sys_, fixed=posture, free=sys_.input_labels)
    print("torques that hold it (N m):", np.round(at.u, 3))
    law = gc.lqr(sys_, at, Q=dict.fromkeys(joints, 100), R=1e-2)
    loop = law.closed_loop()
    proof = gc.certify(loop, law.equilibrium)
    print(proof.verdict)
    file = Path(folder) / "arm.json"
    proof.to_json(file)
    print(f"verified from {file.stat().st_size // 1024} kB:", gc.verify(file).verdict)
    held = law.sampled(rate=500)
    written = held.to_c(folder, "arm")
    print("in C, within the limits of the file:", written)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
