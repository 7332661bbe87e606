"""Names of what a description holds: the time, inputs, and the check that no name stands for two things.

The symbols that the parts of a description may hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import sympy as sp

from geoctrl._checks import nearest, require_declared
from geoctrl.errors import DescriptionError, ParameterError
from geoctrl.systems.parts.families import Family
from geoctrl.systems.parts.friction import is_reaction, reaction
from geoctrl.systems.parts.parameters import Parameter

__all__ = [
    "check_families",
    "check_names",
    "check_sets",
    "check_symbols",
    "input_symbol",
    "plain_inputs",
    "time",
]


def _declaration_hint(name: str, by_input: bool) -> str:
    """How to declare a symbol: one that is named like a rate, and any other."""
    if name.endswith("_dot"):
        coordinate = f"gc.Coordinate({name.removesuffix('_dot')!r})"
        return f"; a rate is that of a coordinate, shape=[{coordinate}], or a rotor"
    parameter = f"a parameter by parameters=[gc.Parameter({name!r}, ...)]"
    return f"; an input is declared by inputs=[{name!r}], {parameter}" if by_input else f"; {parameter}"


def still_drawn(mechanism: Any, changes: Mapping[str, Any]) -> list[Any]:
    """Bodies of the picture without those that hold a parameter or a coordinate which changes take away."""
    gone = set[Any]()
    for what in ("parameters", "shape"):
        kept = {getattr(part, "symbol", None) for part in changes.get(what) or ()}
        gone |= {part.symbol for part in getattr(mechanism, what)} - kept if what in changes else set()
    return [body for body in mechanism.picture if not gone & body.free_symbols]


def check_symbols(mechanism: Any) -> None:
    """Refuse symbols that nothing of a description stands for, each part by what it may hold."""
    known = {p.symbol for p in mechanism.parameters}
    configuration = known | set(mechanism.configuration_symbols)
    motion = configuration | set(mechanism.algebra.xi) | set(mechanism.actuator_symbols) | {time}
    motion |= {sp.Symbol(v, real=True) for v in mechanism.quasivelocity_labels}
    motion |= set(mechanism.controller_symbols)
    if mechanism.rotors:
        motion |= set(mechanism.rotors.rates)
        rotors = mechanism.rotors
        _require("rotors", (rotors.coupling, rotors.inertia, rotors.gyroscopic), configuration)
        _require("motors", rotors.torques, known | {*rotors.inputs, *rotors.rates})
    if mechanism.rates:
        moved_by = configuration | {*mechanism.actuator_symbols, *mechanism.controller_symbols, time}
        _require("rates", tuple(mechanism.rates.values()), moved_by)
    if mechanism.tree is not None:
        _require("tree", (sp.Tuple(*mechanism.tree.free_symbols),), known)
    # Where the mechanism may be does not depend on what its motion carries along.
    place = configuration - {z.symbol for z in mechanism.quasicoordinates}
    for what in ("inertia", "potential", "constraints", "frame", "leaf", "contact"):
        value = mechanism.beside_tree[what] if what in mechanism.beside_tree else getattr(mechanism, what)
        if value is not None:
            allowed = configuration if what in ("inertia", "potential") else place
            if what == "leaf":  # relations of a controller are among its own states
                own = set(mechanism.controller_symbols)
                value = tuple(e for e in value if not own & e.free_symbols or e.free_symbols - own - known)
            _require(what, value if isinstance(value, tuple) else (value,), allowed)
    for body in mechanism.picture:
        _require(f"the pose of {body.name} in picture", body.expressions, configuration)
        _require(f"the shapes of {body.name} in picture", [e for s in body.shapes for e in s.lengths], known)
    rates = set(mechanism.algebra.xi) | {sp.Symbol(v, real=True) for v in mechanism.quasivelocity_labels}
    rates_of_z = [z.rate for z in mechanism.quasicoordinates]
    spins = set(mechanism.rotors.rates) if mechanism.rotors else set()
    _require("quasicoordinates", rates_of_z, configuration | set(mechanism.algebra.xi) | spins)
    for name, side in mechanism.domain.items():
        held = side.margin.free_symbols
        if held <= known:
            raise DescriptionError(f"domain[{name!r}], {side.words}, holds nothing that moves")
        _require(f"domain[{name!r}]", [s for s in held if not is_reaction(s)], configuration | rates)
    for name, eta in mechanism.reactions.items():
        _require(f"reactions[{name!r}]", tuple(eta), configuration)
    if mechanism.gyroscopic is not None:
        _require("gyroscopic", (mechanism.gyroscopic,), configuration | set(mechanism.controller_symbols))
    loads = set(map(reaction, mechanism.loads))
    momenta = set(mechanism.algebra.mu)
    open_inputs = set(mechanism.input_symbols)
    _require("controller", tuple(mechanism.controller.values()), (motion | momenta) - open_inputs)
    if mechanism.forces is not None:
        _require("forces", (mechanism.forces,), motion | loads)
    for friction in mechanism.friction:
        _require("friction", (friction.along, friction.smooth), configuration)
        _require("coulomb of a friction", (friction.coulomb,), configuration | loads)
        if friction.static is not None:
            _require("static of a friction", (friction.static,), configuration | loads)


def _require(what: str, values: Sequence[Any], allowed: set[sp.Symbol]) -> None:
    remedy = (
        "take parameter.symbol, vector.symbols, algebra.xi, symbol and rate of a coordinate, or "
        "sp.Symbol(name, real=True) of an input"
    )
    require_declared(
        what, values, allowed, remedy, partial(_declaration_hint, by_input=what in ("forces", "rates"))
    )


time = sp.Symbol("t", real=True)
"""The symbol of time in forces and inputs."""


def input_symbol(u: Any) -> sp.Symbol:
    """The symbol of an input, which may be given by its name."""
    if isinstance(u, str):
        return sp.Symbol(u, real=True)
    if isinstance(u, sp.Symbol):
        return u
    raise DescriptionError(f"inputs must be names or sympy symbols, got {u!r}")


def plain_inputs(inputs: Sequence[sp.Symbol]) -> dict[sp.Symbol, sp.Symbol]:
    """Symbols without assumptions that go by the name of an input, and the real symbols that the names made.

    Whoever names an input "u1" may write ``sympy.Symbol("u1")`` for it: there is nothing else that it could
    be. A symbol that was given for an input with assumptions of its own is that symbol alone.
    """
    return {sp.Symbol(u.name): u for u in inputs if u == sp.Symbol(u.name, real=True)}


def with_exchanged_symbols(expr: sp.Expr, table: Mapping[sp.Symbol, sp.Symbol]) -> sp.Expr:
    """The expression with symbols exchanged; a part that occurs many times, as in recorded laws, once."""
    done: dict[sp.Basic, sp.Basic] = dict(table)

    def exchange(e: sp.Basic) -> sp.Basic:
        if not e.args:
            return done.get(e, e)
        if e not in done:
            args = [exchange(part) for part in e.args]
            same = all(new is old for new, old in zip(args, e.args, strict=True))
            done[e] = e if same else e.func(*args)
        return done[e]

    return exchange(expr)


def check_families(families: Mapping[str, Family], taken: Mapping[str, str]) -> None:
    """Refuse symbols of families that go by names which are ``taken``, by what each name says.

    The numbers of a member and those of the parameters are put into one expression: with one name for two
    things, one of them would get the other's value.
    """
    for key, family in families.items():
        if not isinstance(family, Family):
            raise DescriptionError(f"equilibria must be gc.Family objects, got {family!r} for {key!r}")
        for name in family.names:
            if name in taken:
                raise DescriptionError(
                    f"the symbol {name!r} of the family {key!r} has the name of {taken[name]}: rename it"
                )
            if family.names.count(name) > 1:
                raise DescriptionError(f"the symbol {name!r} of the family {key!r} is given twice")


def check_names(parameters: Sequence[Parameter], labels: Sequence[str], renamed: str) -> None:
    """Refuse names that stand for two things; ``renamed`` says what to rename where labels repeat."""
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise DescriptionError(f"parameters must be gc.Parameter objects, got {parameter!r}")
    names = [p.name for p in parameters]
    repeated = _duplicates(names)
    if repeated:
        raise ParameterError(f"parameter names repeat: {', '.join(repeated)}")
    if time.name in labels:
        raise DescriptionError(f"the label {time.name!r} is that of the time; rename {renamed}")
    twice = _duplicates(labels)
    if twice:
        raise DescriptionError(f"labels repeat: {', '.join(twice)}; rename {renamed}")
    clash = sorted(set(names) & {*labels, time.name})
    if clash:
        raise ParameterError(f"parameter names meet state, input or time labels: {', '.join(clash)}")


def _duplicates(names: Iterable[str]) -> list[str]:
    """Names that occur more than once, sorted."""
    return sorted(name for name, count in Counter(names).items() if count > 1)


def check_sets(sets: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> None:
    """Refuse sets of parameters that hold others than those of these names; ParameterError."""
    for key, values in sets.items():
        for name in values:
            if name not in names:
                raise ParameterError(
                    f"parameter set {key!r}: unknown parameter {name!r}{nearest(name, names)}"
                )
