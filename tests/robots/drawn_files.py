"""Model files drawn at random: trees with all kinds of joints, turns, shapes, actuators and bases."""

import random

import numpy as np

TURNS = ("quat", "euler", "axisangle", "zaxis", "xyaxes", None)
SHAPES = {"box": 3, "ellipsoid": 3, "sphere": 1, "capsule": 2, "cylinder": 2}
BASES = ("free", "planar", "ball", "hinge")
DRIVES = (
    '<motor name="{0}" joint="{1}" gear="1.7"/>',
    '<position name="{0}" joint="{1}" kp="6.5" kv="0.3"/>',
    '<velocity name="{0}" joint="{1}" kv="0.8"/>',
    '<general name="{0}" joint="{1}" gainprm="2.5" biastype="affine" biasprm="0.3 -1 -0.2" gear="1.3"/>',
)


def drawn_tensor(rng):
    """Entries xx, yy, zz, xy, xz, yz of a body that there can be."""
    spread = rng.uniform(-0.1, 0.1, (3, 3))
    second = spread @ spread.T + 0.02 * np.eye(3)
    tensor = np.trace(second) * np.eye(3) - second
    return [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


class DrawnModel:
    """An MJCF file of a few bodies; ``text`` has it."""

    def __init__(self, seed):
        self.random, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.count, self.hinges, self.sites = self.random.randint(3, 6), [], []
        self.base = BASES[seed % len(BASES)]
        self.parents = [None, *(self.random.randint(max(0, i - 2), i - 1) for i in range(1, self.count))]
        gravity = self.random.choice(("0 0 -9.81", self.numbers(-5, 5), "0 -9.81 0"))
        body = self.body(0)
        actuators = [
            self.random.choice(DRIVES).format(f"a{k}", name)
            for k, name in enumerate(self.hinges)
            if k % 2 == 0
        ]
        actuators += [
            f'<motor name="t{k}" site="{name}" gear="{self.numbers(-1, 1, 6)}"/>'
            for k, name in enumerate(self.sites)
        ]
        self.text = (
            f'<mujoco model="drawn"><option gravity="{gravity}"/><worldbody>{body}</worldbody>'
            f"<actuator>{''.join(actuators)}</actuator></mujoco>"
        )

    def numbers(self, low, high, count=3):
        return " ".join(f"{x:.4f}" for x in self.rng.uniform(low, high, count))

    def turn(self):
        """An attribute that turns an element."""
        kind = self.random.choice(TURNS)
        if kind is None:
            return ""
        if kind == "axisangle":
            return f'axisangle="{self.numbers(-1, 1)} {self.numbers(-180, 180, 1)}"'
        size, most = {"quat": (4, 1), "euler": (3, 180), "zaxis": (3, 1), "xyaxes": (6, 1)}[kind]
        return f'{kind}="{self.numbers(-most, most, size)}"'

    def mass(self):
        """An inertial, or shapes."""
        place, mass = self.numbers(-0.1, 0.2), self.numbers(0.3, 2, 1)
        if self.random.random() < 0.5:
            entries = " ".join(f"{x:.6f}" for x in drawn_tensor(self.rng))
            return f'<inertial pos="{place}" mass="{mass}" fullinertia="{entries}"/>'
        text = ""
        for kind in self.random.sample(list(SHAPES), self.random.randint(1, 2)):
            given = self.random.choice((f'mass="{mass}"', f'density="{self.numbers(300, 1500, 1)}"'))
            size = self.numbers(0.03, 0.2, SHAPES[kind])
            text += f'<geom type="{kind}" size="{size}" pos="{place}" {given} {self.turn()} '
            text += 'contype="0" conaffinity="0"/>'
        return text

    def joint(self, name, kind, axis=None):
        """A joint with what acts in it."""
        text = f'<joint name="{name}" type="{kind}"'
        if kind != "free":
            text += f' damping="{self.numbers(0, 0.5, 1)}" armature="{self.numbers(0, 0.1, 1)}"'
        if kind in ("hinge", "slide"):
            self.hinges.append(name)
            most = 40 if kind == "hinge" else 0.2
            text += f' axis="{axis or self.numbers(-1, 1)}" pos="{self.numbers(-0.1, 0.1)}"'
            if self.random.random() < 0.4:
                text += f' stiffness="{self.numbers(0, 3, 1)}" springref="{self.numbers(-most, most, 1)}"'
            if self.random.random() < 0.4:
                text += f' ref="{self.numbers(-most, most, 1)}"'
        return text + "/>"

    def joints(self, i):
        """Joints of a body: those of the base, a ball, or some hinges and slides, or none."""
        if i == 0 and self.base == "planar":
            parts = (("east", "slide", "1 0 0"), ("north", "slide", "0 1 0"), ("yaw", "hinge", "0 0 1"))
            return "".join(
                f'<joint name="{name}" type="{kind}" axis="{axis}"/>' for name, kind, axis in parts
            )
        if i == 0:
            return self.joint("base", self.base)
        if self.random.random() < 0.2:
            return self.joint(f"ball{i}", "ball")
        kinds = [
            self.random.choice(("hinge", "hinge", "slide")) for _ in range(self.random.choice((0, 1, 1, 2)))
        ]
        return "".join(self.joint(f"{kind}{i}_{k}", kind) for k, kind in enumerate(kinds))

    def body(self, i):
        text = (
            f'<body name="b{i}" pos="{self.numbers(-0.3, 0.3)}" {self.turn()}>{self.joints(i)}{self.mass()}'
        )
        if i % 3 == 1:
            self.sites.append(f"s{i}")
            text += f'<site name="s{i}" pos="{self.numbers(-0.2, 0.2)}" {self.turn()}/>'
        return text + "".join(self.body(j) for j in range(self.count) if self.parents[j] == i) + "</body>"


def drawn_urdf(seed):
    """A URDF file of a few links."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)

    def numbers(low, high, count=3):
        return " ".join(f"{x:.4f}" for x in rng.uniform(low, high, count))

    text, count = "", draw.randint(4, 7)
    for i in range(count):
        names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        entries = " ".join(f'{k}="{x:.6f}"' for k, x in zip(names, drawn_tensor(rng), strict=True))
        text += (
            f'<link name="l{i}"><inertial><origin xyz="{numbers(-0.1, 0.2)}" rpy="{numbers(-3, 3)}"/>'
            f'<mass value="{numbers(0.3, 2, 1)}"/><inertia {entries}/></inertial></link>'
        )
    for i in range(1, count):
        kind = draw.choice(("revolute", "continuous", "prismatic", "fixed")) if i > 1 else "revolute"
        text += (
            f'<joint name="j{i}" type="{kind}"><parent link="l{draw.randint(max(0, i - 3), i - 1)}"/>'
            f'<child link="l{i}"/><origin xyz="{numbers(-0.3, 0.3)}" rpy="{numbers(-3, 3)}"/>'
            f'<axis xyz="{numbers(-1, 1)}"/><dynamics damping="{numbers(0, 0.5, 1)}"/>'
            '<limit lower="-9" upper="9" effort="9" velocity="9"/></joint>'
        )
    return f'<robot name="drawn">{text}</robot>'
