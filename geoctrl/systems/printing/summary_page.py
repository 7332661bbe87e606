"""A mechanism on one page of text: what it is, what moves, what holds it, its numbers and their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from geoctrl._pages import WIDTH, table, titled_rows
from geoctrl._printing.printed_lines import with_units
from geoctrl.algebra import Coordinate
from geoctrl.systems.equations.frames import choose_frame
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.parts.description_entries import space_words
from geoctrl.systems.parts.families import Family
from geoctrl.systems.parts.friction import Friction
from geoctrl.systems.parts.leaf_relations import Relation
from geoctrl.systems.parts.reference_error import frame_words
from geoctrl.systems.typesetting.decimal_printing import assignment_text, expression_text

__all__ = ["mechanism_lines", "mechanism_page", "parameter_table", "state_labels", "system_lines"]

LONG = 130
"""Characters beyond which an expression is told by its length: it would fill the page."""


def parameter_table(mechanism: Mechanism, width: int = WIDTH) -> str:
    """Parameters with their defaults, sets, units and meaning."""
    sets = [mechanism.defaults, *(mechanism.parameter_set(k) for k in mechanism.parameter_sets)]
    rows = [("parameter", "default", *mechanism.parameter_sets, "unit", "meaning")]
    for p in mechanism.parameters:
        values = ("-" if v is None else f"{float(v):g}" for v in (chosen[p.name] for chosen in sets))
        rows.append((p.name, *values, p.unit, p.description))
    return table(rows, width)


def state_labels(mechanism: Mechanism) -> list[str]:
    """Labels of the states, those of all modes, without deriving the system for them."""
    if mechanism.modes is not None and len(mechanism.modes) > 1:
        each = (state_labels(mechanism.in_mode(mode)) for mode in mechanism.modes)  # type: ignore[attr-defined]
        return list(dict.fromkeys(label for labels in each for label in labels))
    removed = mechanism.removed
    rates = mechanism.rotors.rate_labels if mechanism.rotors else ()
    kept = [str(s) for s in mechanism.configuration_symbols if s not in removed]
    return [*choose_frame(mechanism).labels, *rates, *kept, *mechanism.controller]


def mechanism_page(
    mechanism: Mechanism, summary: str = "", conserved: Sequence[str] = (), width: int = WIDTH
) -> str:
    """What ``print(mechanism)`` shows.

    Parameters
    ----------
    summary : str
        A sentence below the title.
    conserved : sequence of str
        Names of what the system conserves, which only its derivation tells.
    """
    m = mechanism
    rows: dict[str, str | Sequence[str]] = {
        "": summary,
        "velocities": " ".join(m.velocity_labels),
        "advected": [f"{a.name} = ({', '.join(map(str, a.reference))}) at the reference" for a in m.advected],
        "states" if m.rates else "shape": [_coordinate(c) for c in m.shape],
        "rates": [_definition(f"{k}_dot", e) for k, e in m.rates.items()],
        "seen from": [frame_words(f.rate, f.velocity) for f in m.seen_from],
        "quasi": [_definition(f"{z.name}_dot", z.rate) for z in m.quasicoordinates],
        **({} if m.rates else {"states": " ".join(state_labels(m))}),
        "potential": "" if m.potential == 0 else _short(m.potential),
        "constraints": _constraints(m),
        "modes": [f"{mode}: {', '.join(rows) or 'free'}" for mode, rows in (m.modes or {}).items()],
        "jumps": [_jump(jump) for jump in m.jumps],
        "leaf": [_relation(r) for r in m.leaf.by_name],
        "friction": [f"{f.along.tolist()}: {_strength(f)}" for f in m.friction],
        "domain": [f"{name}: {side.words}" for name, side in m.edges.items()],
        "symmetry": _axis(m),
        "rotors": " ".join(m.rotors.names) if m.rotors else "",
        "inputs": " ".join(map(str, m.input_symbols)) or "-",
        "feedback": [_definition(k, e) for k, e in m.feedback.items()],
        "outputs": " ".join(m.outputs),
        "families": [_family(name, family) for name, family in m.equilibria.items()] or "-",
        "invariants": [_definition(k, e) for k, e in m.invariants.items()],
        "conserved": ", ".join(conserved),
        "source": m.source,
    }
    title = f"{m.name or _placeholder(m)}  [{space_words(m.group, m.shape)}]"
    page = titled_rows(title, rows, width)
    return f"{page}\n\n{parameter_table(m, width)}" if m.parameters else page


def _jump(jump: Any) -> str:
    """A jump by its guard, and the modes that it leads between where they are named."""
    way = {1: "rises through", -1: "falls through", 0: "passes"}[int(jump.direction)]
    modes = f", {jump.of} to {jump.to or jump.of}" if jump.of else ""
    return f"{jump.name}: {jump.when} {way} 0{modes}"


def mechanism_lines(mechanism: Mechanism) -> list[str]:
    """What a description is, in four facts."""
    m, space = mechanism, space_words(mechanism.group, mechanism.shape)
    return [
        f"<EulerPoincare {m.name or 'unnamed'} on {space}: "
        f"{'.hybrid()' if m.jumps else '.reduce()'} gives the system>",
        f"  velocities: {', '.join(m.velocity_labels)}",
        f"  parameters: {assignment_text(m.defaults, parameter_units(m))}",
        f"  families: {', '.join(m.equilibria) or '-'}",
    ]


def parameter_units(mechanism: Mechanism) -> dict[str, str]:
    """Units of parameters by name, where they are given."""
    return {p.name: p.unit for p in mechanism.parameters}


def system_lines(system: Recorded) -> list[str]:
    """What a reduced system prints."""
    lines = [f"<ReducedSystem {system.name or 'unnamed'}>"]
    units = system.told_units
    lines.append(f"  states ({system.nstates}): {with_units(system.state_labels, units)}")
    lines.append(f"  inputs ({system.ninputs}): {with_units(system.input_labels, units) or '-'}")
    lines.append(f"  leaf: {', '.join(f'{r} = 0' for r in system.leaf.relations) or '-'}")
    lines.append(f"  parameters: {assignment_text(system.params, parameter_units(system.mechanism))}")
    return lines


def _placeholder(mechanism: Mechanism) -> str:
    return "unnamed vector field" if mechanism.rates else "unnamed mechanism"


def _short(expr: sp.Expr) -> str:
    text = expression_text(expr)
    return text if len(text) <= LONG else f"an expression of {len(text)} characters"


def _relation(relation: Relation) -> str:
    text = f"{_short(relation.expr)} = 0"
    return text if relation.name == str(relation.expr) else f"{relation.name}: {text}"


def _definition(name: str, expr: sp.Expr) -> str:
    return name if name == str(expr) else f"{name} = {_short(expr)}"


def _coordinate(c: Coordinate) -> str:
    kind = "an angle" if c.angle else "a coordinate"
    return f"{c.name}: {c.description or kind}{f' ({c.unit})' if c.unit else ''}"


def _strength(friction: Friction) -> str:
    viscous = f"viscous {friction.viscous}" if friction.viscous != 0 else ""
    coulomb = f"Coulomb {friction.coulomb}, smooth below {friction.scale}" if friction.coulomb != 0 else ""
    return ", ".join(filter(None, (viscous, coulomb)))


def _axis(mechanism: Mechanism) -> str:
    if mechanism.symmetry is None:
        return ""
    return f"about ({', '.join(map(str, mechanism.symmetry.direction))}) of factor {mechanism.symmetry.of}"


def _constraints(mechanism: Mechanism) -> list[str]:
    if mechanism.constraints is None:
        return []
    rows = mechanism.constraints * mechanism.algebra.xi
    return [f"{name}: {_short(e)} = 0" for name, e in zip(mechanism.row_names, rows, strict=True)]


def _family(name: str, family: Family) -> str:
    values = ", ".join(_definition(k, e) for k, e in {**family.states, **family.inputs}.items())
    return f"{name}({', '.join(family.names)}): {values or 'all states zero'}"
