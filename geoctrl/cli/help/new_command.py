"""The command that writes a program to begin with."""

from __future__ import annotations

import argparse
import keyword
from pathlib import Path

from geoctrl.cli.reading.text import show
from geoctrl.cli.reading.usage import UsageError

__all__ = ["add_new"]

_PROGRAM = '''\
"""{title}: a mass on an arm, held upright by a torque at its hinge."""

import sympy as sp

import geoctrl as gc

# Numbers, with units.
m = gc.Parameter("m", 0.5, "kg", positive=True)
l = gc.Parameter("l", 0.3, "m", positive=True, description="length of the arm")
g = gc.Parameter("g", 9.81, "m/s^2", positive=True)
# What moves: an angle, from upright. What acts: a torque.
phi = gc.Coordinate("phi", angle=True)
u = sp.Symbol("u", real=True)

{name} = gc.EulerPoincare(
    shape=[phi],
    inertia=[[m * l**2]],                   # of phi_dot**2 / 2
    potential=m * g * l * sp.cos(phi),
    forces=[u], inputs=[u],
    parameters=[m, l, g],
    equilibria={{"upright": gc.Family({{}})}},  # all states zero
    name="{name}",
).reduce()

if __name__ == "__main__":
    upright = {name}.equilibrium("upright")
    print("alone:", gc.certify({name}, upright).verdict)
    law = gc.lqr({name}, upright, Q={{"phi": 100, "phi_dot": 1}})
    print(law)
    held = gc.certify({name}, upright, controller=law.sampled(rate=100))
    print("held: ", held.verdict)
'''


def add_new(command: argparse.ArgumentParser) -> None:
    """The arguments of ``new``."""
    command.add_argument("name", metavar="NAME", help="of the mechanism; the program is NAME.py")
    command.add_argument("--force", action="store_true", help="replace a file that is there")
    command.set_defaults(run=_new)


def _new(args: argparse.Namespace) -> int:
    """Write NAME.py, a program that ends with a verdict."""
    path = Path(args.name if args.name.endswith(".py") else f"{args.name}.py")
    name = path.stem.replace("-", "_").replace(" ", "_")
    if not name.isidentifier() or keyword.iskeyword(name) or name in _OWN:
        raise UsageError(f"NAME becomes a name of Python, and {name!r} is none that is free: take letters")
    if path.exists() and not args.force:
        raise UsageError(f"{path} is there already: take another name, or --force")
    path.write_text(_PROGRAM.format(name=name, title=name.replace("_", " ").capitalize()), encoding="utf-8")
    following = [f"python {path}", f"geoctrl lqr {path} --Q phi=100 phi_dot=1 --rate 100 --tilt 5deg"]
    text = "\n  ".join([f"wrote {path}, which runs as it is; try", *following])
    show(args, {"file": str(path), "commands": following}, text)
    return 0


_OWN = {"m", "l", "g", "phi", "u", "gc", "sp", "upright", "law"}
"""Names that the program has already."""
