"""Model files that between them hold whatever is read, with how they are compared."""

import random
from importlib.resources import files

from tests.robots.drawn_files import DrawnModel, drawn_urdf

CART_POLE = """<mujoco model="cart-pole">
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body name="cart" pos="0 0 0.25">
      <joint name="x" type="slide" axis="1 0 0" damping="0.4" armature="0.03" range="-1.5 1.5"/>
      <inertial pos="0 0 0" mass="1.1" diaginertia="0.02 0.03 0.04"/>
      <body name="pole">
        <joint name="phi" axis="0 1 0" damping="0.015"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.7" size="0.015" mass="0" contype="0" conaffinity="0"/>
        <inertial pos="0 0 0.35" mass="0.21" diaginertia="0.0086 0.0086 0.0001"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="force" joint="x" gear="3" ctrlrange="-5 5"/></actuator>
  <keyframe><key name="upright" qpos="0 0"/><key name="leaning" qpos="0 0.1"/></keyframe>
</mujoco>"""

ACROBOT = """<mujoco model="acrobot">
  <default>
    <joint damping="0.04"/>
    <geom density="820"/>
    <default class="arm">
      <joint axis="0 1 0" range="-160 160"/>
      <geom type="box" size="0.015 0.025 0.22"/>
      <motor gear="1.5" ctrlrange="-8 8"/>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="4 4 0.1"/>
    <body name="upper" pos="0 0 1.8" childclass="arm">
      <joint name="shoulder" range="-180 180"/>
      <geom pos="0 0 0.22"/>
      <body name="lower" pos="0 0 0.44" euler="0 25 0">
        <joint name="elbow" damping="0.07" ref="12"/>
        <geom pos="0 0.01 0.22" quat="0.9 0.1 -0.2 0.1"/>
        <geom type="sphere" size="0.05" pos="0 0 0.44" mass="0.25"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="torque" joint="elbow" class="arm"/></actuator>
</mujoco>"""

DOUBLE = """<mujoco model="double">
  <option gravity="0.3 -0.2 -9.7"/>
  <worldbody>
    <body name="a">
      <joint name="q1" axis="1 0 0" stiffness="2.5" springref="25" damping="0.08"/>
      <inertial pos="0 0.03 -0.28" mass="1.2" fullinertia="0.031 0.027 0.011 0.0015 -0.0012 0.0025"/>
      <body name="b" pos="0 0.08 -0.5" axisangle="0 1 2 40">
        <joint name="q2" axis="1 0 1"/>
        <inertial pos="0.04 0 -0.21" quat="0.8 0.1 0.2 -0.3" mass="0.6" diaginertia="0.02 0.018 0.005"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def seven_hinges():
    """An arm of seven hinges whose numbers are in no relation to each other."""
    draw = random.Random(11)

    def some(low, high, count=3):
        return " ".join(str(round(draw.uniform(low, high), 3)) for _ in range(count))

    axes = ["0 0 1", "0 1 0", "0 0 1", "0 -1 0", "1 0 1", "0 1 0", "1 2 3"]
    text = ""
    for k, axis in enumerate(axes):
        text += (
            f'<body name="link{k}" pos="{some(-0.05, 0.3)}" euler="{some(-40, 40)}">'
            f'<joint name="q{k}" axis="{axis}" damping="0.15" armature="0.012"/>'
            f'<inertial pos="{some(-0.05, 0.1)}" mass="{round(draw.uniform(0.6, 2.5), 2)}" '
            f'fullinertia="0.021 0.028 0.024 {some(-0.002, 0.002)}"/>'
        )
    motors = "".join(f'<motor name="u{k}" joint="q{k}"/>' for k in range(7))
    return (
        f'<mujoco model="seven-hinges"><worldbody>{text}{"</body>" * 7}</worldbody>'
        f"<actuator>{motors}</actuator></mujoco>"
    )


QUADROTOR = """<mujoco model="quadrotor">
  <worldbody>
    <body name="hull" pos="0 0 0.4">
      <freejoint name="base"/>
      <inertial pos="0 0 0.015" mass="1.2" diaginertia="0.018 0.02 0.035"/>
      <site name="front_left" pos="0.15 0.15 0.04"/><site name="back_left" pos="-0.15 0.15 0.04"/>
      <site name="back_right" pos="-0.15 -0.15 0.04"/><site name="front_right" pos="0.15 -0.15 0.04"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="f1" site="front_left" gear="0 0 1 0 0 -0.016" ctrlrange="0 7"/>
    <motor name="f2" site="back_left" gear="0 0 1 0 0 0.016" ctrlrange="0 7"/>
    <motor name="f3" site="back_right" gear="0 0 1 0 0 -0.016" ctrlrange="0 7"/>
    <motor name="f4" site="front_right" gear="0 0 1 0 0 0.016" ctrlrange="0 7"/>
  </actuator>
  <keyframe><key name="hover" qpos="0 0 1 1 0 0 0" ctrl="2.943 2.943 2.943 2.943"/></keyframe>
</mujoco>"""

BALANCER = """<mujoco model="balancer">
  <worldbody>
    <body name="hull" pos="0 0 0.05">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
      <joint name="yaw" axis="0 0 1"/><joint name="pitch" axis="0 1 0"/>
      <inertial pos="0 0 0.18" mass="3" diaginertia="0.05 0.045 0.02"/>
      <body name="left" pos="0 0.17 0">
        <joint name="roll_left" axis="0 1 0" damping="0.3"/>
        <inertial pos="0 0 0" mass="0.25" diaginertia="0.00015625 0.0003125 0.00015625"/>
      </body>
      <body name="right" pos="0 -0.17 0">
        <joint name="roll_right" axis="0 1 0" damping="0.3"/>
        <inertial pos="0 0 0" mass="0.25" diaginertia="0.00015625 0.0003125 0.00015625"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="tl" joint="roll_left"/><motor name="tr" joint="roll_right"/></actuator>
</mujoco>"""

REACTION_WHEEL = """<mujoco model="reaction-wheel">
  <worldbody>
    <body name="rod">
      <joint name="phi" axis="0 1 0" damping="0.008"/>
      <inertial pos="0 0 0.19" mass="0.35" diaginertia="0.0041 0.0043 0.0009"/>
      <body name="disk" pos="0 0 0.28">
        <joint name="theta" axis="0 1 0" damping="0.0004"/>
        <inertial pos="0 0 0" mass="0.32" diaginertia="0.0004 0.00075 0.0004"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="torque" joint="theta" ctrlrange="-0.25 0.25" armature="0.00003" damping="0.0001" gear="2"/>
  </actuator>
</mujoco>"""

CHAIN = """<mujoco model="chain">
  <worldbody>
    <body name="a" pos="0 0 2" quat="0.9 0.1 -0.2 0.3">
      <joint name="b1" type="ball" damping="0.03" armature="0.004"/>
      <inertial pos="0.05 0.02 -0.3" mass="1.2" fullinertia="0.03 0.035 0.02 0.002 -0.001 0.003"/>
      <body name="c" pos="0.1 0 -0.6" zaxis="0.2 0.1 1">
        <joint name="b2" type="ball" pos="0 0 0.02"/>
        <inertial pos="0 0.03 -0.25" mass="0.8" diaginertia="0.02 0.021 0.006"/>
        <body name="d" pos="0 0 -0.5" xyaxes="1 0.2 0 0.1 1 0.3">
          <joint name="s" type="slide" axis="1 2 2" ref="0.1"/>
          <joint name="h" axis="0 1 0" pos="0.01 0 0.1" ref="20"/>
          <joint name="k" axis="1 1 0" pos="-0.02 0.03 0" stiffness="0.7" springref="-10"/>
          <inertial pos="0.02 0 -0.1" mass="0.5" diaginertia="0.004 0.005 0.003"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="m1" joint="b1" gear="0.3 -0.2 0.5"/><motor name="m2" jointinparent="b2" gear="1 2 -1"/>
    <motor name="m3" joint="s" gear="2"/>
  </actuator>
</mujoco>"""

FLOATING_ARM = """<mujoco model="floating-arm">
  <worldbody>
    <body name="hull" pos="0.3 0.1 1" euler="20 0 10">
      <joint type="free" name="base" damping="0.05"/>
      <inertial pos="0.02 0.01 -0.03" mass="2.1" fullinertia="0.05 0.06 0.07 0.004 -0.003 0.002"/>
      <body name="upper" pos="0.1 0 -0.1">
        <joint name="q1" axis="0 1 0" damping="0.1"/>
        <inertial pos="0 0 -0.2" mass="0.5" diaginertia="0.01 0.011 0.002"/>
        <body name="lower" pos="0 0 -0.4">
          <joint name="q2" axis="1 0 0"/>
          <inertial pos="0.01 0 -0.15" mass="0.3" diaginertia="0.005 0.004 0.0015"/>
          <site name="tip" pos="0 0.02 -0.3" euler="0 30 0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="jet" site="tip" gear="0.1 0 1 0.02 0 0.3"/><motor name="u2" joint="q2"/></actuator>
</mujoco>"""

SERVOS = """<mujoco model="servos">
  <compiler eulerseq="XYz" inertiagrouprange="0 2"/>
  <option gravity="0 -9.81 0"/>
  <default>
    <geom type="cylinder" density="400" group="1"/>
    <position kp="30" kv="2"/>
    <default class="thick">
      <geom type="ellipsoid" size="0.04 0.05 0.1" group="2"/>
      <default class="thin"><geom type="capsule" size="0.02"/><general gear="1.4" ctrlrange="-1 1"/></default>
    </default>
  </default>
  <worldbody>
    <body name="one" euler="30 -20 50" childclass="thick">
      <joint name="a" axis="0 0 1" armature="0.01"/>
      <geom fromto="0 0 0 0.2 0.1 0.3"/>
      <geom class="main" size="0.03 0.12" pos="0.1 0 0" zaxis="1 2 0"/>
      <geom type="box" fromto="0 0 0 0 0.3 0" size="0.02" mass="0.4" contype="0" conaffinity="0"/>
      <geom type="box" size="1 1 1" group="4"/>
      <body name="two" pos="0 0.3 0.1" quat="1 1 0 0" childclass="thin">
        <joint name="b" axis="1 0 0" damping="0.02"/>
        <geom fromto="0 0 0 0 0.2 0.3"/>
        <body name="three" pos="0.1 0.2 0.3">
          <joint name="c" type="slide" axis="0 1 1" damping="0.3"/>
          <geom size="0.02 0.1" axisangle="1 0 0 35"/>
          <body name="tool" pos="0 0 0.2"><geom type="sphere" size="0.03"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="pa" joint="a"/>
    <velocity name="vb" joint="b" kv="0.6" class="thin"/>
    <general name="gc" joint="c" class="thin" gainprm="4" biasprm="0.2 -3 -0.5" biastype="affine"/>
    <motor name="mc" joint="c" forcerange="-2 3"/>
  </actuator>
</mujoco>"""

MJCF = {
    "cart-pole": CART_POLE,
    "acrobot": ACROBOT,
    "double": DOUBLE,
    "seven-hinges": seven_hinges(),
    "quadrotor": QUADROTOR,
    "balancer": BALANCER,
    "reaction-wheel": REACTION_WHEEL,
    "chain": CHAIN,
    "floating-arm": FLOATING_ARM,
    "servos": SERVOS,
}

ARM = """<?xml version="1.0"?>
<robot name="arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="stand"><inertial><origin xyz="0.01 0.02 0.1"/><mass value="1.3"/>
    <inertia ixx="0.012" ixy="0.001" ixz="0" iyy="0.014" iyz="0" izz="0.01"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0.02 0.01 0.2" rpy="0.3 -0.2 0.5"/><mass value="1.4"/>
    <inertia ixx="0.03" ixy="0.002" ixz="-0.001" iyy="0.028" iyz="0.003" izz="0.012"/></inertial>
    <collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <joint name="j1" type="continuous"><parent link="stand"/><child link="upper"/>
    <origin xyz="0.1 0 0.3" rpy="0.25 0 1.5707963267948966"/><axis xyz="0 -1 0"/></joint>
  <link name="rail"><inertial><origin xyz="0 0.05 0.1"/><mass value="0.8"/>
    <inertia ixx="0.01" ixy="0" ixz="0.001" iyy="0.012" iyz="0" izz="0.004"/></inertial></link>
  <joint name="j2" type="prismatic"><parent link="upper"/><child link="rail"/>
    <origin xyz="0 0.02 0.4" rpy="-0.4 0.1 0"/><axis xyz="1 1 0"/>
    <limit lower="-0.3" upper="0.3" effort="20" velocity="1"/></joint>
  <link name="tool"><inertial><origin xyz="0.01 0 0.05"/><mass value="0.2"/>
    <inertia ixx="0.0004" ixy="0" ixz="0" iyy="0.0005" iyz="0" izz="0.0002"/></inertial></link>
  <joint name="mount" type="fixed"><parent link="rail"/><child link="tool"/>
    <origin xyz="0 0 0.2" rpy="0.1 0.2 0.3"/></joint>
  <link name="hand"><inertial><origin xyz="0 0 -0.1"/><mass value="0.5"/>
    <inertia ixx="0.004" ixy="0.0001" ixz="0" iyy="0.003" iyz="0" izz="0.002"/></inertial></link>
  <joint name="j3" type="revolute"><parent link="rail"/><child link="hand"/>
    <origin xyz="0.05 0 0.1" rpy="0 1.2 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="5" velocity="3"/></joint>
</robot>"""

URDF = {"arm-fixed": (ARM, "fixed"), "arm-free": (ARM, "free"), "arm-planar": (ARM, "planar")}

CATALOGUE = {
    f"catalogue {file.name}": file.read_text(encoding="utf-8")
    for file in sorted(files("geoctrl.models").joinpath("files").iterdir(), key=lambda file: file.name)
}
"""Files that entries of the catalogue are made of."""
DRAWN_MJCF = {f"drawn {seed}": DrawnModel(seed).text for seed in (4, 5, 6)}
DRAWN_URDF = {
    f"drawn on a {base} base": (drawn_urdf(seed), base) for seed, base in enumerate(("free", "planar"))
}
