"""The symbols that the parts of a description may hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import sympy as sp

from geoctrl._checks import require_declared
from geoctrl.errors import DescriptionError
from geoctrl.systems.parts.names import time
from geoctrl.systems.parts.reactions import is_reaction, reaction

__all__ = ["check_symbols"]


def _undeclared(name: str, by_input: bool) -> str:
    """How to declare a symbol: one that is named like a rate, and any other."""
    if name.endswith("_dot"):
        coordinate = f"gc.Coordinate({name.removesuffix('_dot')!r})"
        return f"; a rate is that of a coordinate, shape=[{coordinate}], or a rotor"
    parameter = f"a parameter by parameters=[gc.Parameter({name!r}, ...)]"
    return f"; an input is declared by inputs=[{name!r}], {parameter}" if by_input else f"; {parameter}"


def check_symbols(mechanism: Any) -> None:
    """Refuse symbols that nothing of a description stands for, each part by what it may hold."""
    known = {p.symbol for p in mechanism.parameters}
    configuration = known | set(mechanism.configuration_symbols)
    motion = configuration | set(mechanism.algebra.xi) | set(mechanism.actuator_symbols) | {time}
    motion |= {sp.Symbol(v, real=True) for v in mechanism.quasivelocity_labels}
    motion |= set(mechanism.controller_symbols)
    if mechanism.rotors:
        motion |= set(mechanism.rotors.rates)
        _require("rotors", (mechanism.rotors.coupling, mechanism.rotors.inertia), configuration)
    # Where the mechanism may be does not depend on what its motion carries along.
    place = configuration - {z.symbol for z in mechanism.quasicoordinates}
    for what in ("inertia", "potential", "constraints", "frame", "leaf", "contact"):
        value = getattr(mechanism, what)
        if value is not None:
            allowed = configuration if what in ("inertia", "potential") else place
            _require(what, value if isinstance(value, tuple) else (value,), allowed)
    rates = set(mechanism.algebra.xi) | {sp.Symbol(v, real=True) for v in mechanism.quasivelocity_labels}
    rates_of_z = [z.rate for z in mechanism.quasicoordinates]
    _require("quasicoordinates", rates_of_z, configuration | set(mechanism.algebra.xi))
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


def _require(what: str, values: Sequence[Any], allowed: set[sp.Symbol]) -> None:
    remedy = (
        "take parameter.symbol, vector.symbols, algebra.xi, symbol and rate of a coordinate, or "
        "sp.Symbol(name, real=True) of an input"
    )
    require_declared(what, values, allowed, remedy, partial(_undeclared, by_input=what == "forces"))
