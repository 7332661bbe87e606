"""Outputs as they are asked for: labels of states and of declared outputs, or expressions by label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from geoctrl._checks import entries, require_choice
from geoctrl._scalars import Node, to_sympy
from geoctrl.errors import InputError, LabelError

__all__ = ["output_expressions", "signals"]


def output_expressions(system: Any, outputs: Any) -> list[sp.Expr]:
    """`signals` in symbols of states and parameters."""
    nodes = list(signals(system, outputs).values())
    if system.recorded:
        return list(system.to_sympy(nodes))
    known = dict(zip(system.state_nodes, system.states, strict=True))
    known |= {system.parameter_nodes[p.name]: p.symbol for p in system.parameters}
    return list(to_sympy(nodes, known))


def signals(system: Any, outputs: Any) -> dict[str, Node]:
    """Nodes of functions of the states, by label.

    Parameters
    ----------
    system : ReducedSystem or ManifoldSystem
    outputs : label, sequence of labels, or mapping of label -> expression
    """
    if isinstance(outputs, Mapping):
        found = {str(label): system.expression(expr) for label, expr in outputs.items()}
    else:
        states = dict(zip(system.state_labels, system.state_nodes, strict=True))
        declared = system.mechanism.outputs if system.recorded else {}
        found = {}
        for label in entries("outputs", (outputs,) if isinstance(outputs, str) else outputs):
            require_choice("output", label, [*states, *declared], LabelError)
            found[label] = states[label] if label in states else system.expression(declared[label])
    if not found:
        raise InputError(f"no outputs are given; known are {', '.join(system.state_labels)}")
    others = {system.time_node, *system.input_nodes}
    for label, node in found.items():
        held = sorted(str(n.payload) for n in system.graph.symbols([node]) & others)
        if held:
            raise InputError(
                f"the output {label!r} depends on {', '.join(held)}: it must be a function of the states"
            )
    return found
