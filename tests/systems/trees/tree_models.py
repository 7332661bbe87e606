"""Trees of all kinds of joints, with numbers of no symmetry."""

import random

import sympy as sp

import geoctrl as gc


def body(seed, **more):
    """A body of no symmetry."""
    r = random.Random(seed)

    def number(low, high):
        return sp.Rational(r.randint(int(1000 * low), int(1000 * high)), 1000)

    small = [number(-0.002, 0.002) for _ in range(3)]
    return {
        "mass": number(0.3, 2),
        "centre": (number(-0.1, 0.1), number(-0.1, 0.1), number(-0.3, -0.1)),
        "inertia": (number(0.02, 0.03), number(0.02, 0.03), number(0.02, 0.03), *small),
        **more,
    }


def placed(seed):
    """A place and a turn, of no symmetry."""
    r = random.Random(1000 + seed)
    place = [sp.Rational(r.randint(-500, 500), 1000) for _ in range(3)]
    return {"place": place, "turn": gc.turn(quaternion=[r.randint(-9, 9) for _ in range(4)])}


def arm(n, branched=False, **joint):
    """n hinges in a row, or branched, axes of the frame in turn."""
    r = random.Random(n)
    axes = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    links = []
    for k in range(n):
        parent = None if k == 0 else f"l{r.randint(max(0, k - 2), k - 1) if branched else k - 1}"
        place = [sp.Rational(r.randint(-200, 200), 1000) for _ in range(2)]
        place.append(sp.Rational(r.randint(100, 400), 1000))
        axis = axes[r.randint(0, 2)]
        links.append(gc.Link(f"l{k}", parent, gc.Hinge(f"q{k}", axis, **joint), place=place, **body(k)))
    return gc.Tree(links)


DOWN = (0, 0, sp.Rational(-981, 100))


def tree(*joints, gravity=DOWN, parents=None, **more):
    """A chain of these joints, or with parents by number."""
    links = []
    for k, joint in enumerate(joints):
        parent = (k - 1 if k else None) if parents is None else parents[k]
        where = {} if isinstance(joint, gc.Free) else placed(k)
        links.append(gc.Link(f"l{k}", None if parent is None else f"l{parent}", joint, **where, **body(k)))
    return gc.Tree(links, gravity=gravity, **more)


HINGE, SLIDE = gc.Hinge("h", (1, 0, 1)), gc.Slide("s", (1, 2, 2))
TILTED = (sp.Rational(3, 10), sp.Rational(-1, 5), sp.Rational(-97, 10))

MODELS = {
    "hinge": lambda: tree(gc.Hinge("h", (0, 1, 0))),
    "general hinges": lambda: tree(HINGE, gc.Hinge("k", (0, 1, 3)), gc.Hinge("l", (1, 0, 0), armature=0.25)),
    "slide and hinge": lambda: tree(SLIDE, gc.Hinge("h", (1, 0, 1), armature=0.05)),
    "hinge and slide": lambda: tree(HINGE, gc.Slide("s", (1, 2, 2), armature=1)),
    "ball": lambda: tree(gc.Ball("b")),
    "balls": lambda: tree(gc.Ball("b"), gc.Ball("c", armature=0.125)),
    "ball, slide, hinge": lambda: tree(gc.Ball("b"), SLIDE, HINGE),
    "free": lambda: tree(gc.Free("f")),
    "free, all vectors": lambda: tree(gc.Free("f"), gravity=TILTED),
    "free with an arm": lambda: tree(gc.Free("f"), HINGE, gc.Hinge("k", (0, 1, 0))),
    "free with armature": lambda: tree(gc.Free("f", armature=0.5), HINGE),
    "free of a hinge": lambda: tree(HINGE, gc.Free("f")),
    "two free": lambda: tree(gc.Free("f"), gc.Free("e"), parents=[None, None], place=True),
    "planar": lambda: tree(gc.Planar("p"), HINGE),
    "planar in place": lambda: tree(gc.Planar("p", armature=0.25), HINGE, place=True),
    "planar of a ball": lambda: tree(gc.Ball("b"), gc.Planar("p")),
    "fixed": lambda: tree(gc.Fixed(), HINGE, gc.Fixed(), gc.Hinge("k", (0, 1, 0))),
    "free on what is fixed": lambda: tree(gc.Fixed(), gc.Free("f"), HINGE),
    "branched": lambda: tree(HINGE, gc.Ball("b"), SLIDE, gc.Fixed(), parents=[None, 0, 0, 1]),
    "free, branched": lambda: tree(gc.Free("f"), HINGE, gc.Ball("b"), SLIDE, parents=[None, 0, 0, 1]),
}
