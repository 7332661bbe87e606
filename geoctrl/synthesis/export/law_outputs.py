"""What a law is handed over as: a plain function, C, and the derivatives of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy as sp

from geoctrl._checks import file_path, made_folder
from geoctrl._scalars import Node, Program
from geoctrl._scalars.graph.straight_line import PYTHON, Language, results, statements
from geoctrl._scalars.text.c_text import identifier, write_pair
from geoctrl.errors import InputError, ParameterError
from geoctrl.synthesis.export.law_in_c import c_files
from geoctrl.systems import EulerPoincare, ReducedSystem, System
from geoctrl.systems.equations.units import input_units

__all__ = [
    "Computed",
    "added_states",
    "numbers_in_c",
    "plain_function",
    "python_function",
    "slopes",
    "written_in_c",
]


@dataclass(frozen=True)
class Computed:
    """Functions of one state as instructions with numbers.

    Attributes
    ----------
    constants : tuple of float
        What depends on parameters alone.
    read : tuple of int
        Places of the state that are read.
    """

    program: Program
    constants: tuple[float, ...]
    read: tuple[int, ...]

    @classmethod
    def of(cls, loop: System, nodes: list, values: Mapping[str, float]) -> Computed:
        """Nodes in the graph of a loop, at a full set of parameters."""
        held = loop.graph.symbols(nodes)
        if loop.time_node in held:
            raise InputError(
                "the law depends on the time, and what is handed over is a function of the state"
            )
        program = Program(loop.graph, loop.state_nodes, loop.parameter_nodes, nodes)
        constants = program.constants(values)
        if not all(math.isfinite(c) for c in constants):
            raise ParameterError("a coefficient of the law is not finite at these parameters")
        return cls(program, constants, tuple(i for i, n in enumerate(loop.state_nodes) if n in held))

    def lines(self, language: Language) -> list[str]:
        """Right-hand sides of t0, t1, ..."""
        return statements(self.program.tape, language, self.constants)

    def results(self, language: Language) -> list[str]:
        """What is computed, in names of `lines` and numbers."""
        return results(self.program.tape, language, self.constants)


def added_states(mechanism: EulerPoincare, loop: ReducedSystem) -> tuple[str, ...]:
    """Labels of the states of a loop that its plant does not have."""
    plant = mechanism.reduce().state_labels
    return tuple(label for label in loop.state_labels if label not in plant)


def _rates(loop: ReducedSystem, states: Sequence[str]) -> list[Node]:
    return [loop.field_nodes[loop.state_labels.index(label)] for label in states]


def slopes(loop: ReducedSystem, inputs: Sequence[str], own: Sequence[str]) -> Program:
    """Derivatives of inputs and rates of own states by a loop's states, as a function of these and time."""
    signals = [loop.expression(loop.mechanism.outputs[label]) for label in inputs]
    rows = loop.graph.jacobian([*signals, *_rates(loop, own)], loop.state_nodes)
    arguments = [*loop.state_nodes, loop.time_node]
    return Program(loop.graph, arguments, loop.assembly.parameters, [e for row in rows for e in row])


def _input_instructions(
    loop: ReducedSystem, labels: Sequence[str], computed: Mapping[str, sp.Expr], values: Mapping[str, float]
) -> Computed:
    """Inputs that are outputs of a loop, or what doubles compute in their place."""
    signals = {**loop.mechanism.outputs, **computed}
    return Computed.of(loop, [loop.expression(signals[label]) for label in labels], values)


def python_function(
    loop: ReducedSystem,
    labels: Sequence[str],
    computed: Mapping[str, sp.Expr],
    params: Mapping[str, float] | None,
) -> Callable[[Any], tuple[float, ...]]:
    """See `Law.function`."""
    made = _input_instructions(loop, labels, computed, loop.parameters(params))
    return plain_function(made, labels, loop.state_labels)


def plain_function(
    made: Computed, labels: Sequence[str], states: Sequence[str]
) -> Callable[[Any], tuple[float, ...]]:
    """Instructions as a function of Python, of the states; its text is ``.source``."""
    lines = ["def law(x):", f"    {docstring_text(labels, states)}"]
    lines += [f"    x{i} = x[{i}]" for i in made.read]
    lines += [f"    t{i} = {text}" for i, text in enumerate(made.lines(PYTHON))]
    lines.append(f"    return ({' '.join(f'{r},' for r in made.results(PYTHON))})")
    source = "\n".join(lines) + "\n"
    namespace: dict[str, Any] = {name: f for name, f in vars(math).items() if not name.startswith("_")}
    exec(compile(source, "<law of geoctrl>", "exec"), namespace)
    found = namespace["law"]
    found.source = source
    return found  # type: ignore[no-any-return]


def docstring_text(inputs: Sequence[str], states: Sequence[str]) -> str:
    """The docstring of a law as text of Python, in which names are words and no code."""
    told = f"{', '.join(inputs)} at x = ({', '.join(states)})."
    escaped = told.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{escaped}"""'


def written_in_c(
    mechanism: EulerPoincare,
    loop: ReducedSystem,
    labels: Sequence[str],
    computed: Mapping[str, sp.Expr],
    folder: Any,
    params: Mapping[str, float] | None,
    name: str | None,
    given: Sequence[str] = (),
) -> tuple[Path, Path]:
    """See `Law.to_c`; ``given`` are states of the loop that the law is told of as it is of the plant's."""
    values = loop.parameters(params)
    own = [label for label in added_states(mechanism, loop) if label not in given]
    return numbers_in_c(
        folder,
        name,
        mechanism.name,
        states=[(label, loop.state_units.get(label, "")) for label in loop.state_labels],
        inputs=[(label, input_units(mechanism).get(label, "")) for label in labels],
        own=own,
        parameters=[(p.name, values[p.name], p.unit) for p in loop.mechanism.parameters],
        law=_input_instructions(loop, labels, computed, values),
        rates=Computed.of(loop, _rates(loop, own), values),
    )


def numbers_in_c(
    folder: Any,
    name: str | None,
    plant: str,
    *,
    states: Sequence[tuple[str, str]],
    inputs: Sequence[tuple[str, str]],
    parameters: Sequence[tuple[str, float, str]],
    law: Computed,
    own: Sequence[str] = (),
    rates: Computed | None = None,
) -> tuple[Path, Path]:
    """Header and source of instructions, by the name of a plant where none is given; see `c_files`."""
    target, chosen = file_path(folder), identifier(name, f"law_{plant}" if plant else "law")
    texts = c_files(
        chosen, plant or "a mechanism", states, inputs, own, parameters, law, law if rates is None else rates
    )
    return write_pair(made_folder(target), chosen, texts)
