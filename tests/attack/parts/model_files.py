"""Changed model files: each is read, or refused by `ModelFileError` in words.

Changes are made to the text, at random places: numbers, words, attributes, elements, whole parts, bytes.
"""

from __future__ import annotations

import random
import re
import time
import warnings
from collections.abc import Callable
from typing import Any

import geoctrl as gc
from tests.attack.outcome import Outcome, raw, worded
from tests.robots.models import MJCF, URDF

BASES = [*MJCF.items(), *((name, text) for name, (text, _) in URDF.items())]
COUNT = 0

NUMBERS = (
    *(
        "nan",
        "inf",
        "-inf",
        "1e999999999",
        "1e-999999999",
        "1e61",
        "1e60",
        "-1e60",
        "1e-60",
        "0",
        "-1",
        "1",
        "90",
    ),
    *(
        "180",
        "",
        "x",
        "1/0",
        "0x10",
        "1_0",
        "1,5",
        "--1",
        "1e",
        "9" * 41,
        "0." + "3" * 38,
        "1e308",
        "5e-324",
        "٣",
    ),
)
WORDS = (
    *(
        "hinge",
        "slide",
        "ball",
        "free",
        "revolute",
        "floating",
        "planar",
        "mimic",
        "true",
        "false",
        "auto",
        "",
        "main",
    ),
    *(
        "sphere",
        "box",
        "capsule",
        "cylinder",
        "ellipsoid",
        "mesh",
        "plane",
        "sdf",
        "hfield",
        "radian",
        "degree",
        "xyz",
    ),
    *("world", "base", "hull", "x", "q1", "lambda", "é", "a b", "a" * 300, "E3", "time", "\t"),
)
TAGS = (
    *(
        "body",
        "joint",
        "freejoint",
        "geom",
        "site",
        "inertial",
        "frame",
        "composite",
        "include",
        "default",
        "link",
    ),
    *(
        "motor",
        "position",
        "velocity",
        "general",
        "muscle",
        "adhesion",
        "tendon",
        "equality",
        "key",
        "option",
        "origin",
    ),
)
ATTRIBUTES = (
    *(
        "pos",
        "quat",
        "euler",
        "axisangle",
        "zaxis",
        "xyaxes",
        "type",
        "axis",
        "range",
        "damping",
        "stiffness",
        "ref",
    ),
    *(
        "springref",
        "frictionloss",
        "armature",
        "gear",
        "ctrlrange",
        "kp",
        "kv",
        "class",
        "childclass",
        "mass",
        "size",
    ),
    *(
        "density",
        "fromto",
        "limited",
        "ctrllimited",
        "gravcomp",
        "mocap",
        "name",
        "joint",
        "site",
        "refsite",
        "xyz",
    ),
    *(
        "rpy",
        "lower",
        "upper",
        "effort",
        "friction",
        "biasprm",
        "gainprm",
        "biastype",
        "dyntype",
        "forcerange",
    ),
)
DECLARED = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>'


def prepare(seed: int, options: dict[str, Any]) -> int:
    """No list: every case is drawn."""
    del seed, options
    return COUNT


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    """A changed file given to its reader."""
    del options
    rng = random.Random(f"model files {seed} {index}")
    name, text = rng.choice(BASES)
    told = []
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        change = rng.choice(CHANGES)
        told.append(change.__name__)
        text = change(text, rng)
    kind = told[0]
    wishes: dict[str, Any] = {"friction_scale": 1e-3} if rng.random() < 0.7 else {}
    wishes |= {"place": True} if rng.random() < 0.2 else {}
    wishes |= {"parameters": "symbols"} if rng.random() < 0.1 else {}
    read = gc.from_mjcf if name in MJCF else gc.from_urdf
    if name in URDF:
        wishes["base"] = rng.choice(("fixed", "free", "planar"))
    begun = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mech = read(text, **wishes)
            mech.as_code()
        outcome = Outcome(kind, "held")
    except gc.ModelFileError as error:
        outcome = Outcome(kind, "refused", str(error)[:200]) if worded(error) else raw(kind, error)
    except Exception as error:
        outcome = raw(kind, error)
    outcome.seconds = time.process_time() - begun
    outcome.detail = {"base": name, "changes": told}
    return outcome


def spot(pattern: str, text: str, rng: random.Random) -> re.Match[str] | None:
    """One of the places where a pattern fits."""
    found = list(re.finditer(pattern, text))
    return rng.choice(found) if found else None


def put(text: str, match: re.Match[str] | None, new: str, group: int = 0) -> str:
    return text if match is None else text[: match.start(group)] + new + text[match.end(group) :]


def number(text: str, rng: random.Random) -> str:
    """A number is another."""
    return put(text, spot(r"(?<=[\" ])-?[0-9.]+(?=[\" ])", text, rng), rng.choice(NUMBERS))


def word(text: str, rng: random.Random) -> str:
    """The value of an attribute is another."""
    return put(text, spot(r'="([^"]*)"', text, rng), rng.choice(WORDS), 1)


def fewer(text: str, rng: random.Random) -> str:
    """An attribute is missing."""
    return put(text, spot(r' [a-z]+="[^"]*"', text, rng), "")


def more(text: str, rng: random.Random) -> str:
    """There is one attribute more."""
    values = (
        rng.choice(WORDS),
        " ".join(rng.choice(NUMBERS) for _ in range(rng.randint(1, 7))),
        "1 2 3",
        "0.1",
    )
    new = f' {rng.choice(ATTRIBUTES)}="{rng.choice(values)}"'
    return put(text, spot(r"<[a-z]+()", text, rng), new, 1)


def element(text: str, rng: random.Random) -> str:
    """There is one element more."""
    attributes = "".join(
        f' {rng.choice(ATTRIBUTES)}="{rng.choice(NUMBERS)}"' for _ in range(rng.randint(0, 2))
    )
    return put(text, spot(r"()<[a-z]", text, rng), f"<{rng.choice(TAGS)}{attributes}/>", 1)


def tag(text: str, rng: random.Random) -> str:
    """Elements of a kind are of another."""
    match = spot(r"<([a-z]+)", text, rng)
    if match is None:
        return text
    old, new = match[1], rng.choice(TAGS)
    return re.sub(rf"(</?){old}\b", rf"\g<1>{new}", text)


def doubled(text: str, rng: random.Random) -> str:
    """A part stands twice, perhaps elsewhere."""
    match = spot(r"<([a-z]+)[^>]*/>|<(body|link|joint|site|inertial)\b[^>]*>.*?</\2>", text, rng)
    if match is None:
        return text
    return put(text, spot(r"()<[a-z]", text, rng), match[0], 1)


def missing(text: str, rng: random.Random) -> str:
    """A part is missing."""
    return put(text, spot(r"<([a-z]+)[^>]*/>|<(body|link|joint|inertial)\b[^>]*>.*?</\2>", text, rng), "")


def cut(text: str, rng: random.Random) -> str:
    """The text ends early, or begins late."""
    place = rng.randrange(len(text) + 1)
    return text[:place] if rng.random() < 0.7 else text[place:] or " "


def noise(text: str, rng: random.Random) -> str:
    """Some letters are others."""
    letters = list(text)
    for _ in range(rng.randint(1, 4) if letters else 0):
        letters[rng.randrange(len(letters))] = rng.choice("<>&\"'/ =\x00\x01\ud800€0-.eE![]")
    return "".join(letters)


def declared(text: str, rng: random.Random) -> str:
    """A document type with entities."""
    return put(
        f"{DECLARED}{text}",
        spot(r'="([^"]*)"', text, rng) and spot(r'="([^"]*)"', DECLARED + text, rng),
        "&c;",
        1,
    )


def deep(text: str, rng: random.Random) -> str:
    """Bodies in bodies."""
    count = rng.choice((10, 63, 70, 3000))
    return put(text, spot(r"()<body", text, rng), "<body>" * count + "</body>" * count, 1)


def wide(text: str, rng: random.Random) -> str:
    """Many bodies beside each other, or a long attribute."""
    if rng.random() < 0.5:
        return put(text, spot(r'="([^"]*)"', text, rng), "1 " * rng.choice((100, 3000, 400_000)), 1)
    part = '<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
    return put(text, spot(r"()</body>", text, rng), part * rng.choice((20, 150, 1000, 30_000)), 1)


CHANGES: tuple[Callable[[str, random.Random], str], ...] = (
    *(
        number,
        number,
        number,
        word,
        word,
        fewer,
        more,
        more,
        element,
        tag,
        doubled,
        doubled,
        missing,
        cut,
        noise,
    ),
    *(declared, deep, wide),
)
