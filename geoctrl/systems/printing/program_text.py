"""A mechanism of links as a program that builds an equal one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

from geoctrl._scalars import exact
from geoctrl.errors import DescriptionError
from geoctrl.systems.trees.joints import Fixed
from geoctrl.systems.trees.quaternions import Quaternion, turn

__all__ = ["program_text"]

_OWN_NAMES = {"gc", "sp", "R", "tree", "mech", "Imported"}
"""Variables of the program that no symbol may hide."""
_SHORT = 12
"""Characters of a double that is written as one."""
_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


class _Printer(StrPrinter):
    """Expressions as Python text: rationals as such, functions of sympy, symbols by their variables."""

    def __init__(self, variables: Mapping[sp.Symbol, str]) -> None:
        super().__init__()
        self._variables = variables

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        return self._variables[expr]

    def _print_Rational(self, expr: sp.Rational) -> str:
        return number_text(Fraction(int(expr.p), int(expr.q)))

    def _print_Function(self, expr: Any) -> str:
        return f"sp.{type(expr).__name__}({self.stringify(expr.args, ', ')})"

    def _print_Pow(self, expr: sp.Pow, rational: bool = True) -> str:
        return str(super()._print_Pow(expr, rational=rational))

    def _print_Pi(self, _: Any) -> str:
        return "sp.pi"


def number_text(value: Fraction) -> str:
    """A rational as text that is read as the same."""
    if value.denominator == 1:
        return str(value.numerator)
    if Fraction(float(value)) == value and len(repr(float(value))) <= _SHORT:
        return repr(float(value))
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1 and Fraction(repr(float(value))) == value:
        return f'R("{float(value)!r}")'
    return f'R("{value}")'


def program_text(mech: Any) -> str:
    """The program."""
    tree = mech.tree
    if tree is None:
        raise DescriptionError(
            "as_code writes a mechanism of links, made with tree= or read from a file; this one has no links"
        )
    for name in _UNWRITTEN:
        if not _is_empty(mech.beside_tree.get(name, getattr(mech, name))):
            raise DescriptionError(
                f"as_code does not write {name}=; write the program without it, and add it"
            )
    variables = _variables(mech)
    say = _Printer(variables).doprint
    lines = ["import sympy as sp", "", "import geoctrl as gc", "", "R = sp.Rational", ""]
    for parameter in mech.parameters:
        default = "None" if parameter.default is None else number_text(exact(parameter.default))
        lines.append(
            f"{variables[parameter.symbol]} = gc.Parameter({parameter.name!r}, {default}, "
            f"{parameter.unit!r}, {parameter.description!r}, positive={parameter.positive})"
        )
    plain = [s for s in variables if s.name not in {p.name for p in mech.parameters}]
    for symbol in sorted(plain, key=lambda s: s.name):
        lines.append(f"{variables[symbol]} = sp.Symbol({symbol.name!r}, real=True)")
    lines += ["", "tree = gc.Tree(", "    ["]
    lines += [f"        {_link_text(link, say)}," for link in tree.links]
    scale = "" if tree.friction_scale is None else f", friction_scale={say(tree.friction_scale)}"
    place = ", place=True" if tree.placed else ""
    wheels = [f"gc.Rolling({w.link!r}, {say(w.radius)}, {w.upright!r})" for w in tree.rolling]
    rolling = f", rolling=[{', '.join(wheels)}]" if wheels else ""
    lines += ["    ],", f"    gravity={_row(tree.gravity, say)}{place}{scale}{rolling},"]
    lines += [f"    sites={_sites_text(tree.sites)},"] if tree.sites else []
    lines += [")"]
    lines += ["mech = gc.EulerPoincare(", "    tree=tree,"]
    lines += [f"    {name}={text}," for name, text in _entries(mech, say) if text]
    return "\n".join([*lines, ")"]) + "\n"


_UNWRITTEN = (
    "gyroscopic",
    "jumps",
    "modes",
    "frame",
    "leaf",
    "rotors",
    "feedback",
    "controller",
    "invariants",
    "parameter_sets",
    "advected",
    "friction",
    "constraints",
    "contact",
    "symmetry",
    "reactions",
    "picture",
    "quasicoordinates",
    "seen_from",
)
"""Entries of a description that a program does not have."""


def _is_empty(value: Any) -> bool:
    return value is None or (not isinstance(value, sp.Basic) and len(value) == 0)


def _variables(mech: Any) -> dict[sp.Symbol, str]:
    """Variables of the symbols that occur, none with a name of the program."""
    found: set[sp.Symbol] = {p.symbol for p in mech.parameters}
    for expr in _expressions(mech):
        found |= expr.free_symbols
    names: dict[sp.Symbol, str] = {}
    for symbol in sorted(found, key=lambda s: s.name):
        variable = symbol.name
        while variable in _OWN_NAMES or variable in names.values():
            variable += "_"
        names[symbol] = variable
    return names


def _expressions(mech: Any) -> Iterable[sp.Expr]:
    yield mech.beside_tree["potential"]
    yield from mech.beside_tree["domain"].values()
    yield from () if mech.forces is None else mech.forces
    yield from mech.outputs.values()
    for family in mech.equilibria.values():
        yield from family.states.values()
        yield from family.inputs.values()


def _entries(mech: Any, say: Callable[[Any], str]) -> Iterable[tuple[str, str]]:
    """Further entries of the description with their texts, empty where there is nothing to say."""
    forces = [] if mech.forces is None else list(mech.forces)
    yield "inputs", repr([s.name for s in mech.inputs]) if mech.inputs else ""
    yield "forces", f"[{', '.join(map(say, forces))}]" if any(forces) else ""
    potential = mech.beside_tree["potential"]
    yield "potential", say(potential) if potential != 0 else ""
    yield "domain", _mapping(mech.beside_tree["domain"], say)
    yield "outputs", _mapping(mech.outputs, say)
    names = ", ".join(p.name for p in mech.parameters)
    yield "parameters", f"[{names}]" if names else ""
    families = {}
    for name, family in mech.equilibria.items():
        inputs = f", inputs={_mapping(family.inputs, say)}" if family.inputs else ""
        families[name] = f"gc.Family({_mapping(family.states, say) or '{}'}{inputs})"
    yield "equilibria", _mapping(families, str)
    yield "imported", imported_text(mech.imported) if mech.imported is not None else ""
    yield "source", repr(mech.source) if mech.source else ""
    yield "name", repr(mech.name) if mech.name else ""


def _mapping(given: Mapping[str, Any], say: Callable[[Any], str]) -> str:
    pairs = ", ".join(f"{key!r}: {say(value)}" for key, value in given.items())
    return f"{{{pairs}}}" if pairs else ""


def imported_text(given: Any) -> str:
    """What a file says beside the mechanism, as text."""
    parts = []
    for name in ("limits", "ranges", "keys"):
        if getattr(given, name):
            parts.append(f"{name}={_plain(getattr(given, name))}")
    if given.sites:
        parts.append(f"sites={_sites_text(given.sites)}")
    if given.left_out:
        parts.append(f"left_out={given.left_out!r}")
    return f"gc.Imported({', '.join(parts)})"


def _sites_text(sites: Mapping[str, Any]) -> str:
    rows = {
        name: f"({link!r}, {_row(place, number_text)}, {_turn_text(axes)})"
        for name, (link, place, axes) in sites.items()
    }
    return _mapping(rows, str)


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return _mapping(value, _plain) or "{}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))})"
    return repr(value) if math.isfinite(value) else f'float("{value}")'


def _row(values: Iterable[Any], say: Callable[[Any], str]) -> str:
    return f"({', '.join(map(say, values))})"


def _link_text(link: Any, say: Callable[[Any], str]) -> str:
    """One link on one line."""
    parts = [repr(link.name)]
    if link.parent is not None:
        parts.append(repr(link.parent))
    if not isinstance(link.joint, Fixed):
        parts.append(f"joint={_joint_text(link.joint, say)}")
    if any(link.place):
        parts.append(f"place={_row(link.place, say)}")
    if not link.turn.is_identity:
        parts.append(f"turn={_turn_text(link.turn)}")
    if link.has_body:
        parts += [f"mass={say(link.mass)}", f"centre={_row(link.centre, say)}"]
        six = [link.inertia[i, j] for i, j in _ENTRIES]
        parts.append(f"inertia={_row(six if any(six[3:]) else six[:3], say)}")
        parts += [f"about={link.about!r}"] * (link.about != "centre")
    return f"gc.Link({', '.join(parts)})"


def _joint_text(joint: Any, say: Callable[[Any], str]) -> str:
    parts = [repr(joint.name)]
    if hasattr(joint, "axis"):
        parts.append(f"axis={_row(joint.axis, number_text)}")
    for name in ("damping", "dry", "armature", "stiffness", "rest"):
        value = getattr(joint, name, 0)
        if value != 0:
            parts.append(f"{name}={say(value)}")
    if getattr(joint, "range", None) is not None:
        parts.append(f"range={_row(joint.range, say)}")
    if not getattr(joint, "angle", True):
        parts.append("angle=False")
    return f"gc.{type(joint).__name__}({', '.join(parts)})"


def _turn_text(given: Quaternion) -> str:
    """A turn: by axis and angle where that is the same turn, else by its quaternion."""
    w, *v = given.quaternion
    length = math.hypot(*map(float, v))
    if length:
        largest = max(map(abs, v))
        axis = tuple(x / largest for x in v)
        angle = 2 * math.atan2(length, float(w))
        if all(x.denominator == 1 for x in axis) and turn(axis=axis, angle=angle) == given:
            return f"gc.turn(axis={_row(axis, number_text)}, angle={angle!r})"
    return f"gc.turn(quaternion={_row(given.quaternion, number_text)})"
