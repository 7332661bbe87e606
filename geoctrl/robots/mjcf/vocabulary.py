"""Attributes that MJCF has, by element: another one is a slip of the pen, and refused."""

from __future__ import annotations

__all__ = ["ATTRIBUTES"]

_TURNS = "axisangle euler pos quat xyaxes zaxis"
_WORDS = {
    "compiler": """alignfree angle assetdir autolimits balanceinertia boundinertia boundmass conflict
        convexhull coordinate discardvisual eulerseq exactmeshinertia fitaabb fusestatic inertiafromgeom
        inertiagrouprange meshdir passthrough savecanonical savecompiled saveinertial settotalmass
        strippath texturedir usethread""",
    "body": f"{_TURNS} childclass fuse gravcomp mocap name simple sleep user",
    "inertial": f"{_TURNS} diaginertia fullinertia mass",
    "joint": """actuatorfrclimited actuatorfrcrange actuatorgravcomp align armature axis class damping
        frictionloss group limited margin name pos range ref solimpfriction solimplimit solreffriction
        solreflimit springdamper springref springyield stiffness type user""",
    "freejoint": "align group name type",
    "geom": f"""{_TURNS} adhesion castshadow class conaffinity condim contype density fitscale fluidcoef
        fluidshape friction fromto gap group hfield margin mass material mesh name priority rgba
        shellinertia size solimp solmix solref surfacevel type user""",
    "site": f"{_TURNS} class fromto group material mesh name rgba size type user",
    "drive": """actdim actearly actlimited actrange armature biasprm biastype body class cranklength cranksite
        ctrllimited ctrlrange damping dampratio delay dynprm dyntype ffrange forcelimited forcerange
        gainprm gaintype gear group inheritrange input interp joint jointinparent kp kv lengthrange name
        nsample refsite site slidersite tendon timeconst user velrange""",
    "key": "act ctrl mpos mquat name plastic qpos qvel time",
}

ATTRIBUTES = {element: frozenset(words.split()) for element, words in _WORDS.items()}
"""By element; actuators of all kinds are one, ``drive``."""
