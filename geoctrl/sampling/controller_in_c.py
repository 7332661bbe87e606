"""The text of a sampled controller in C99."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from geoctrl._scalars import Program
from geoctrl._scalars.graph.straight_line import C, Language, results, statements
from geoctrl._scalars.text.c_text import array_legend, comment, declaration, definition, preamble
from geoctrl.sampling.feedback import Feedback
from geoctrl.systems.contract.torque_speed import TorqueSpeed

__all__ = ["controller_files"]


@dataclass(frozen=True)
class _Text:
    """A program as instructions of its arguments."""

    program: Program

    @property
    def read(self) -> tuple[int, ...]:
        """Places of the arguments that occur."""
        words = re.findall(r"\bx(\d+)\b", " ".join([*self.lines(C), *self.results(C)]))
        return tuple(sorted(set(map(int, words))))

    @property
    def _constants(self) -> Sequence[float]:
        return self.program.constants({})

    def lines(self, language: Language) -> list[str]:
        return statements(self.program.tape, language, self._constants)

    def results(self, language: Language) -> list[str]:
        return results(self.program.tape, language, self._constants)


def controller_files(
    name: str,
    law: Feedback,
    signals: Sequence[str],
    hold: float,
    start: Mapping[str, float],
    rates: Mapping[str, float],
    limits: Mapping[str, Any],
) -> tuple[str, str]:
    """Texts of header and source.

    Parameters
    ----------
    signals : labels
        Of what is measured, in order.
    start, rates, limits : by input label
        The inputs before the first sample, their largest changes in a second, and their bounds.
    """
    p, m, q = len(signals), len(law.inputs), len(law.own)
    every, following = _Text(law.law(signals)), _Text(law.step(signals))
    upper = name.upper()
    title = comment([f"Controller of {', '.join(law.inputs)}, made by geoctrl; a step every {hold!r} s."])
    listed = comment(
        [
            *array_legend("y", [(label, "") for label in signals]),
            *array_legend("u", [(label, "") for label in law.inputs]),
            *array_legend("z", [(label, "") for label in law.own]),
        ]
    )
    sizes = [f"#define {upper}_SIGNALS {p}", f"#define {upper}_INPUTS {m}", f"#define {upper}_OWN {q}"]
    declared = [
        "/* What the controller keeps: states of its own, and the inputs that it has set last. */",
        "typedef struct {",
        f"    double z[{max(q, 1)}];",
        f"    double u[{m}];",
        f"}} {name}_state;",
        "",
        "/* Before the first sample. */",
        f"void {name}_init({name}_state *s);",
        "",
        "/* A sample: inputs u from what is measured, y. Where an entry of y or of the law is nan or",
        "   infinite, all inputs are zero, the state stays as it is and the value is 1; else it is 0. */",
        f"int {name}_step({name}_state *s, const double y[], double u[]);",
    ]
    header = [title, *declaration(name, listed, sizes, declared)]
    source = [title, *preamble(name, [every, following] if q else [every])]
    source += [*definition("static void law(const double x[], double u[])", "u", every), ""]
    if q:
        source += [*definition("static void next(const double x[], double z[])", "z", following), ""]
    source += [*_init(name, law, start), "", *_step(name, law, signals, hold, rates, limits)]
    return "\n".join(header) + "\n", "\n".join(source) + "\n"


def _number(value: float) -> str:
    text = C.number(abs(value))
    return text if value >= 0 else f"(-{text})"


def _init(name: str, law: Feedback, start: Mapping[str, float]) -> list[str]:
    body = [f"    s->z[{i}] = {_number(law.begin.get(k, 0.0))};" for i, k in enumerate(law.own)]
    body += [f"    s->u[{i}] = {_number(start[k])};" for i, k in enumerate(law.inputs)]
    return [
        f"void {name}_init({name}_state *s)",
        "{",
        *(body if law.own else ["    s->z[0] = 0.0;", *body]),
        "}",
    ]


def _step(
    name: str,
    law: Feedback,
    signals: Sequence[str],
    hold: float,
    rates: Mapping[str, float],
    limits: Mapping[str, Any],
) -> list[str]:
    """In the order of `Hold`: the law, what the rate allows, the limits, the states."""
    p, m, q = len(signals), len(law.inputs), len(law.own)
    body = [f"    double x[{p + q + m + 1}], v[{m}];", "    int i, fault = 0;", ""]
    body += [f"    for (i = 0; i < {p}; i++)", "        x[i] = y[i];"] if p else ["    (void)y;"]
    if q:
        body += [f"    for (i = 0; i < {q}; i++)", f"        x[{p} + i] = s->z[i];"]
    if not p + q:
        body += ["    x[0] = 0.0;"]
    body += ["    law(x, v);"]
    # x - x is zero for every finite double, and for no other.
    body += [f"    for (i = 0; i < {p}; i++)", "        fault |= !(y[i] - y[i] == 0.0);"] if p else []
    body += [f"    for (i = 0; i < {m}; i++)", "        fault |= !(v[i] - v[i] == 0.0);"]
    body += [
        "    if (fault) {",
        f"        for (i = 0; i < {m}; i++)",
        "            u[i] = 0.0;",
        "        return 1;",
        "    }",
    ]
    for i, label in enumerate(law.inputs):
        if label in rates:
            change = _number(rates[label] * hold)
            body += _clipping(f"v[{i}]", f"s->u[{i}] - {change}", f"s->u[{i}] + {change}")
    for i, label in enumerate(law.inputs):
        if label in limits:
            body += _clipping(f"v[{i}]", *_ends(limits[label], signals))
    if q:
        body += [
            f"    for (i = 0; i < {m}; i++)",
            f"        x[{p + q} + i] = v[i];",
            f"    x[{p + q + m}] = {_number(hold)};",
            "    next(x, s->z);",
        ]
    body += [f"    for (i = 0; i < {m}; i++)", "        s->u[i] = u[i] = v[i];", "    return 0;"]
    return [f"int {name}_step({name}_state *s, const double y[], double u[])", "{", *body, "}"]


def _ends(bound: Any, signals: Sequence[str]) -> tuple[str, str]:
    """Both ends of a limit, as `TorqueSpeed.interval` has them."""
    if not isinstance(bound, TorqueSpeed):
        low, high = bound
        return _number(low), _number(high)
    stall = _number(bound.stall)
    lost = f"{stall} * (y[{signals.index(bound.rate or '')}] / {_number(bound.no_load)})"
    return f"-{stall} - {lost}", f"{stall} - {lost}"


def _clipping(value: str, low: str, high: str) -> list[str]:
    """Within bounds."""
    return [f"    {value} = {value} < {low} ? {low} : {value} > {high} ? {high} : {value};"]
