"""What a law is handed over as: formulas, a plain function, C.

Laws have these functions as their methods.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import sympy as sp

from geoctrl._checks import file_path, made_folder
from geoctrl._scalars import Program
from geoctrl._scalars.graph.straight_line import PYTHON, Language, results, statements
from geoctrl._scalars.text.c_text import identifier, write_pair
from geoctrl.errors import InputError, ParameterError
from geoctrl.synthesis.export.formula import law_latex
from geoctrl.synthesis.export.law_in_c import c_files
from geoctrl.systems import ReducedSystem
from geoctrl.systems.equations.units import input_units

__all__ = ["Computed", "function", "latex", "to_c"]


class _Law(Protocol):
    """What is handed over: inputs of a plant as outputs of the loop that they close."""

    @property
    def mechanism(self) -> Any: ...
    @property
    def full(self) -> ReducedSystem: ...
    @property
    def input_labels(self) -> tuple[str, ...]: ...
    @property
    def expr(self) -> sp.ImmutableMatrix: ...
    @property
    def computed(self) -> Mapping[str, sp.Expr]: ...


@dataclass(frozen=True)
class Computed:
    """Functions of one state as instructions with numbers.

    Attributes
    ----------
    program : Program
    constants : tuple of float
        What depends on parameters alone.
    read : tuple of int
        Places of the state that are read.
    """

    program: Program
    constants: tuple[float, ...]
    read: tuple[int, ...]

    @classmethod
    def of(cls, loop: ReducedSystem, nodes: list, values: Mapping[str, float]) -> Computed:
        """Nodes in the graph of a loop, at a full set of parameters."""
        held = loop.graph.symbols(nodes)
        if loop.time_node in held:
            raise InputError(
                "the law depends on the time, and what is handed over is a function of the state"
            )
        program = Program(loop.graph, loop.state_nodes, loop.assembly.parameters, nodes)
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


def _instructions(
    law: _Law, params: Mapping[str, float] | None
) -> tuple[Computed, Computed, tuple[str, ...]]:
    """The inputs, the rates of the states that the plant does not have, and the labels of these."""
    loop = law.full
    values = loop.parameters(params)
    signals = {**loop.mechanism.outputs, **law.computed}
    inputs = [loop.expression(signals[label]) for label in law.input_labels]
    plant = law.mechanism.reduce().state_labels
    own = tuple(label for label in loop.state_labels if label not in plant)
    rates = [loop.field_nodes[loop.state_labels.index(label)] for label in own]
    return Computed.of(loop, inputs, values), Computed.of(loop, rates, values), own


def latex(law: _Law) -> str:
    r"""The law in LaTeX, in states, parameters and gains: one line for each input.

    Examples
    --------
    >>> import geoctrl as gc
    >>> law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5)
    >>> r"u_{\theta}" in law.latex()
    True
    """
    mechanism = law.full.mechanism
    table = dict(zip(law.input_labels, law.expr, strict=True))
    return law_latex(table, [p.symbol for p in mechanism.parameters])


def function(law: _Law, params: Mapping[str, float] | None = None) -> Callable[[Any], tuple[float, ...]]:
    """The law as a plain function of one state, with numbers: ``f(x)`` gives a tuple of inputs.

    It is made of floats, the names of the module ``math`` and nothing else: ``numba.njit(f)`` compiles it,
    and its text is ``f.source``. The states are those of ``law.full.state_labels``: of the plant, rotor rates
    included, in its order, then those that the plant does not have (integrals, momenta, quasi-coordinates).

    Parameters
    ----------
    params : dict, optional
        Of the plant and the gains, by name.

    Returns
    -------
    callable
        Of a list, tuple or array (n,). What divides by zero raises ZeroDivisionError.

    Examples
    --------
    >>> import geoctrl as gc
    >>> law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5)
    >>> f = law.function()
    >>> [round(u, 3) for u in f([0.1, 0.0, 1.0, 0.0, 0.1, 0.995])]
    [25.565]
    """
    computed, _, _ = _instructions(law, params)
    loop = law.full
    lines = ["def law(x):", f"    {docstring_text(law.input_labels, loop.state_labels)}"]
    lines += [f"    x{i} = x[{i}]" for i in computed.read]
    lines += [f"    t{i} = {text}" for i, text in enumerate(computed.lines(PYTHON))]
    lines.append(f"    return ({' '.join(f'{r},' for r in computed.results(PYTHON))})")
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


def to_c(
    law: _Law, folder: Any, params: Mapping[str, float] | None = None, name: str | None = None
) -> tuple[Path, Path]:
    """Write the law as C99: ``NAME.h`` and ``NAME.c``, which need ``math.h`` at most and allocate nothing.

    - ``void NAME(const double x[], double u[])`` is the law; x are the states of ``law.full.state_labels``.
    - ``int NAME_checked(const double x[], double u[])`` the same, with zero inputs and the return value 1
      (a fault) where a state that is read or an input is nan or infinite, and else 0. Limits that are written
      as comparisons let nan pass: call this one.
    - ``void NAME_rates(const double x[], double rate[])``, where the law has states of its own, gives their
      rates: they are the last of x, and a loop with a step h adds ``h * rate``.

    The doubles are those of `function`, bit by bit, as long as the compiler neither contracts products and
    sums (gcc and clang: ``-ffp-contract=off``, or ``-std=c99`` of gcc) nor reorders (``-ffast-math`` is
    refused); sin, cos and the like are as good as the libraries.

    Parameters
    ----------
    folder : path
        Made where it is not there; files of these names are replaced.
    params : dict, optional
        Of the plant and the gains, by name.
    name : str, optional
        A C identifier; made from the mechanism's name by default.

    Returns
    -------
    (Path, Path)
        The header and the source.
    """
    target, loop = file_path(folder), law.full
    chosen = identifier(name, f"law_{law.mechanism.name}" if law.mechanism.name else "law")
    inputs, rates, own = _instructions(law, params)
    values = loop.parameters(params)
    texts = c_files(
        chosen,
        title=law.mechanism.name or "a mechanism",
        states=[(label, loop.state_units.get(label, "")) for label in loop.state_labels],
        inputs=[(label, input_units(law.mechanism).get(label, "")) for label in law.input_labels],
        own=own,
        parameters=[(p.name, values[p.name], p.unit) for p in loop.mechanism.parameters],
        law=inputs,
        rates=rates,
    )
    return write_pair(made_folder(target), chosen, texts)
