"""Directives of the catalogue's pages: what they say about a mechanism is asked of the library at each build.

``picture``
    The drawing of a mechanism, from the package ``pictures``.
``mechanism``
    Parameters, states, inputs, leaf, families, invariants, source.
``equations``
    Lagrangian, constraints, velocities and the reduced equations.
``stability``
    One line of content each: ``conditions FAMILY [NAME=VALUE ..]`` derives conditions in symbols (but for the
    parameters given numbers), ``verdict FAMILY NAME=VALUE ..`` certifies one member.
``overview``
    The table of contents: lines ``NAME | what it shows | published result``.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable
from inspect import signature
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import matplotlib as mpl
import pictures
import sympy as sp
from docutils import nodes
from docutils.parsers.rst import directives
from examples import GENERATED, STYLE, save
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

import geoctrl as gc
from geoctrl._calls.budget import BUDGET
from geoctrl.systems.typesetting.typesetting import Typesetter, symbol_name, width

LONG = 38.0
"""Width in em beyond which a condition is left to the reader's own session."""


def draw_all(app: Sphinx) -> None:
    """Draw every picture before the first page is read."""
    with mpl.rc_context(STYLE):
        for name in pictures.names():
            save(pictures.draw(name), Path(app.srcdir) / GENERATED / "pictures" / f"{name}.svg")


def options(words: Iterable[str]) -> dict[str, Any]:
    """``NAME=VALUE`` with numbers, or names of choices."""
    found: dict[str, Any] = {}
    for name, _, text in (word.partition("=") for word in words):
        try:
            found[name] = int(text) if text.lstrip("-").isdigit() else float(text)
        except ValueError:
            found[name] = text
    return found


class CatalogueDirective(SphinxDirective):
    """A directive about one mechanism; ``:with: NAME=VALUE`` are options of its builder."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar = {"with": directives.unchanged}

    def mechanism(self) -> Any:
        """The description, its defaults or those that the options ask for; or a system on spheres."""
        return gc.models.get(self.arguments[0])(**options(self.options.get("with", "").split()))

    @property
    def is_reduced(self) -> bool:
        """Whether the mechanism is a description to be reduced; else it is a system."""
        return hasattr(self.mechanism(), "reduce")

    def run(self) -> list[nodes.Node]:
        try:
            text = "\n".join(self.markdown())
        except Exception:
            raise self.severe(f"{self.arguments[0]}: {traceback.format_exc(limit=-3)}") from None
        return self.parse_text_to_nodes(text)

    def markdown(self) -> Iterable[str]:
        """Lines of MyST Markdown."""
        raise NotImplementedError


class Picture(CatalogueDirective):
    """``{picture} NAME``"""

    def markdown(self) -> Iterable[str]:
        name = self.arguments[0]
        if name not in pictures.names():
            raise ExtensionError(f"no picture of {name}")
        yield f":::{{image}} /{GENERATED}/pictures/{name}.svg"
        yield f":alt: {name.replace('-', ' ')}"
        yield ":class: drawing"
        yield ":::"


# -- tables -----------------------------------------------------------------------------------------


class Mechanism(CatalogueDirective):
    """``{mechanism} NAME``"""

    def markdown(self) -> Iterable[str]:
        mechanism = self.mechanism()
        if not self.is_reduced:
            yield from system_facts(self.arguments[0], mechanism)
            return
        modes = modes_of(mechanism)
        system = next(iter(modes.values()))
        if mechanism.parameters:
            yield from table(*parameter_rows(mechanism))
            yield ""
        leaf = system.latex("leaf").split(r", \qquad ")
        facts = {
            "Group": group_name(mechanism.group),
            shape_title(mechanism): "<br>".join(map(coordinate_line, mechanism.shape)),
            "States": names(dict.fromkeys(label for mode in modes.values() for label in mode.state_labels)),
            "Modes": "<br>".join(f"`{mode}`" for mode in modes) if len(modes) > 1 else "",
            "Jumps": "<br>".join(jump_line(jump) for jump in mechanism.jumps),
            "Inputs": names(system.input_labels),
            "Leaf": ", ".join(f"${r}$" for r in leaf if r),
            "Families": "<br>".join(family_line(mechanism, name) for name in mechanism.equilibria),
            "Conserved": ", ".join(
                invariant_name(system, name)
                for name in system.conserved()
                if all(name in mode.conserved() for mode in modes.values())
            ),
            "Source": mechanism.source.replace("|", r"\|"),
        }
        yield from table(("", ""), [(k, v) for k, v in facts.items() if v])
        invariants = system.latex("invariants")
        if invariants:
            yield from block(invariants)


def modes_of(mechanism: Any) -> dict[str, Any]:
    """Systems by mode; the one system where nothing jumps."""
    return dict(mechanism.hybrid().modes) if mechanism.jumps else {"": mechanism.reduce()}


def jump_line(jump: Any) -> str:
    """A jump with its guard, and the modes that it leads between."""
    way = {1: "rises through", -1: "falls through", 0: "passes"}[int(jump.direction)]
    guard = Typesetter(sorted(jump.when.free_symbols, key=str)).text(jump.when)
    modes = f", from `{jump.of}` to `{jump.to or jump.of}`" if jump.of else ""
    return f"`{jump.name}`: ${guard}$ {way} zero{modes}"


def system_facts(name: str, system: gc.manifolds.ManifoldSystem) -> Iterable[str]:
    """Arguments of the builder with their defaults, and what there is to say of the system."""
    given = [p for p in signature(gc.models.get(name)).parameters.values() if p.name != "set"]
    yield from table(("Argument", "Default"), [(f"`{p.name}`", f"`{p.default}`") for p in given])
    yield ""
    facts = {
        "Manifold": manifold_name(system),
        "States": names(name for part in zip(*system.description.face.names, strict=True) for name in part),
        "Inputs": names(system.input_labels),
        "Families": ", ".join(f"`{name}`" for name in system.families),
        "Conserved": ", ".join(f"`{name}`" for name in system.conserved()),
        "Source": system.source,
    }
    yield from table(("", ""), [(k, v) for k, v in facts.items() if v])


def manifold_name(system: gc.manifolds.ManifoldSystem) -> str:
    """The configuration space in a formula."""
    space = system.space.format(n=system.n).replace(" x ", r" \times ")
    return f"${space}$"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterable[str]:
    """A Markdown table."""
    head = list(head)
    yield f"| {' | '.join(head)} |"
    yield f"|{'--|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def block(formula: str) -> Iterable[str]:
    """A displayed formula."""
    return ["", "$$", formula, "$$", ""]


def parameter_rows(mechanism: gc.EulerPoincare) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the parameters, a column for each named set."""
    sets = mechanism.parameter_sets
    head = ["Parameter", "Default", *(f"`{name}`" for name in sets), "Unit", "Meaning"]
    rows = []
    for p in mechanism.parameters:
        values = [p.default, *(mechanism.parameter_set(name)[p.name] for name in sets)]
        shown = ["-" if v is None else f"{v:g}" for v in values]
        rows.append([f"${symbol_name(p.name)}$ `{p.name}`", *shown, unit(p.unit), p.description])
    return head, rows


def unit(text: str) -> str:
    """``kg m^2`` with a raised 2."""
    return (
        text.replace("^2", "²").replace("^3", "³").replace("^4", "⁴").replace(" ", "\N{NO-BREAK SPACE}")
        or "–"
    )


def names(labels: Iterable[str]) -> str:
    """Labels in a row."""
    return ", ".join(f"${symbol_name(label)}$" for label in labels)


def invariant_name(system: gc.ReducedSystem, name: str) -> str:
    """A declared invariant's name; what the library found has none but its expression."""
    if name.isidentifier():
        return f"`{name}`"
    found = system.candidate_invariants[name]
    formula = Typesetter([]).text(found) if name == str(found) else symbol_name(name)
    return f"${formula}$".replace("|", r"\vert ")


def group_name(algebra: gc.LieAlgebra | None) -> str:
    """The group of an algebra: ``SO(3) x R2``; empty without one."""
    if algebra is None:
        return ""
    factors = (f"R{f.size}" if f.group == "rn" else f.name for f in algebra.factors)
    return " × ".join(re.sub(r"^([a-z]+)(\d+)$", lambda m: f"{m[1].upper()}({m[2]})", f) for f in factors)


def space_name(mechanism: gc.EulerPoincare) -> str:
    """The group and the coordinates: ``SE(2) x R1, theta``."""
    shape = [names([c.name]) for c in mechanism.shape]
    return ", ".join(filter(None, [group_name(mechanism.group), *shape]))


def shape_title(mechanism: Any) -> str:
    """What coordinates are beside velocities; of a first-order field they are the state."""
    return "Meaning" if isinstance(mechanism, gc.VectorField) else "Shape"


def coordinate_line(coordinate: gc.Coordinate) -> str:
    """A coordinate of the shape, with its unit and meaning."""
    words = [coordinate.description, f"({unit(coordinate.unit)})" if coordinate.unit else ""]
    return f"${symbol_name(coordinate.name)}$ `{coordinate.name}`: " + " ".join(filter(None, words))


def family_line(mechanism: gc.EulerPoincare, name: str) -> str:
    """A family's name, its symbols, and the states that are not zero."""
    family = mechanism.equilibria[name]
    given = {k: v for k, v in {**family.states, **family.inputs}.items() if v != 0}
    free = f" ({names(family.names)})" if family.names else ""
    if not given:
        return f"`{name}`{free}: all states zero"
    if any(v.count_ops() > 12 for v in given.values()):
        return f"`{name}`{free}"
    parameters = [p.symbol for p in mechanism.parameters]
    setter = Typesetter([*parameters, *family.symbols], fixed=parameters)
    entries = [(symbol_name(k), setter.text(v)) for k, v in given.items()]
    if sum(width(v) for _, v in entries) > LONG / 2:
        return f"`{name}`{free}"
    return f"`{name}`{free}: " + ", ".join(f"${k} = {v}$" for k, v in entries)


class Equations(CatalogueDirective):
    """``{equations} NAME``; with ``:budget: SECONDS`` words take the place of formulas that take longer."""

    option_spec: ClassVar = CatalogueDirective.option_spec | {"budget": float}

    def markdown(self) -> Iterable[str]:
        budget = self.options.get("budget", BUDGET)
        if not self.is_reduced:
            for part, title in {"lagrangian": "Lagrangian:", "forces": "Generalised forces:"}.items():
                formula = self.mechanism().latex(part)
                if formula:
                    yield title
                    yield from block(formula)
            return
        modes, long = modes_of(self.mechanism()), []
        for mode, system in modes.items():
            told = f" in the mode `{mode}`:" if len(modes) > 1 else ":"
            titles = {} if mode != next(iter(modes)) else {"lagrangian": "Reduced Lagrangian:"}
            titles["constraints"] = f"Constraints{told}"
            if system.mechanism.frame is not None:
                titles["frame"] = "Admissible velocities:"
            for part, title in (titles | {"motion": f"Equations of motion{told}"}).items():
                formula = system.latex(part, budget=budget)
                if "budget" in self.options and "not typeset" in formula:
                    long.append(title.rstrip(":").lower())
                elif formula:
                    yield title
                    yield from block(formula)
        if long:
            yield f"Not typeset within {budget:g} s: {', '.join(long)}."


# -- stability --------------------------------------------------------------------------------------


class Stability(CatalogueDirective):
    """``{stability} NAME``"""

    def markdown(self) -> Iterable[str]:
        system = self.mechanism().reduce() if self.is_reduced else self.mechanism()
        requests = [line.split() for line in self.content if line.strip()]
        for kind, group in groupby(requests, key=lambda words: words[0]):
            if kind == "verdict":
                rows = (verdict_row(system, family, options(given)) for _, family, *given in group)
                yield from ["", *table(("Family", "At", "Verdict", "By"), rows), ""]
            elif kind == "conditions":
                for _, family, *given in group:
                    yield from conditions(system, family, options(given))
            else:
                raise ExtensionError(f"unknown request {kind!r}: write 'conditions' or 'verdict'")


def seen(system: gc.ReducedSystem, family: str) -> gc.ReducedSystem:
    """The system, or the one in axes that do not follow the spin where the family is steady there."""
    if not system.recorded or system.mechanism.symmetry is None:
        return system
    try:
        system.despun().equilibrium(family, **dict.fromkeys(system.families[family].names, 0.5))
    except gc.GeoctrlError:
        return system
    return system.despun()


def verdict_row(system: gc.ReducedSystem, family: str, given: dict[str, float]) -> list[str]:
    """What `certify` says at one member."""
    system = seen(system, family)
    symbols = system.families[family].names
    values = {k: v for k, v in given.items() if k in symbols}
    params = {k: v for k, v in given.items() if k not in symbols}
    certificate = gc.certify(system, system.equilibrium(family, params=params, **values), params)
    where = ", ".join(f"${symbol_name(k)} = {v:g}$" for k, v in given.items())
    return [f"`{family}`", where or "defaults", f"`{certificate.verdict.name}`", certificate.method]


def conditions(system: gc.ReducedSystem, family: str, params: dict[str, float]) -> Iterable[str]:
    """What `stability_conditions` derives, in sentences."""
    found = gc.stability_conditions(seen(system, family), family, params or None)
    parameters = [s for s in found.symbols if s not in found.family_symbols]
    order = [*parameters, *found.family_symbols]
    setter = Typesetter(order, found.family_symbols, fixed=parameters)
    where = ", ".join(f"${symbol_name(k)} = {v:g}$" for k, v in params.items())
    yield f"**{family}**" + (f", {where}" if where else "") + ":"
    yield ""
    if not found.stable:
        yield f"- No condition for stability: {found.reason}."
    elif found.stable == [sp.S.true]:
        yield "- Stable for all values of the parameters."
        yield ""
        return
    elif found.stable == [sp.S.false]:
        if found.unstable != [sp.S.true]:
            yield "- Nowhere proved stable."
    else:
        word, parts = "and", found.stable
        if len(parts) == 1 and isinstance(parts[0], sp.Or):
            word, parts = "or", parts[0].args
        yield from listed("Stable if", [setter.relation(r) for r in parts], word, solved(found, setter))
    if found.unstable == [sp.S.true]:
        yield "- Unstable for all values of the parameters."
    else:
        texts = [setter.relation(r) for r in found.unstable if r != sp.S.false]
        yield from listed("Unstable if", texts, "or")
    yield ""


def solved(found: gc.StabilityConditions, setter: Typesetter) -> str:
    """The conditions solved for the family's symbol, where that fits a line."""
    if len(found.family_symbols) == 1:
        (symbol,) = found.family_symbols
        if any(r.has(symbol) for r in found.stable):
            text = setter.relation(found.solve_for(symbol))
            if width(text) <= LONG:
                return text
    return ""


def listed(words: str, formulas: list[str], between: str, explicit: str = "") -> Iterable[str]:
    """An item of a list: one short formula within the line, others below one another."""
    solution = rf"that is, $\displaystyle {explicit}$" if explicit else ""
    short = [f for f in formulas if width(f) <= LONG]
    left = len(formulas) - len(short)
    if len(short) == 1 and width(short[0]) <= 0.6 * LONG:
        yield f"- {words} $\\displaystyle {short[0]}$" + (f", {solution}" if explicit else "")
    elif short:
        rows = [(rf"\text{{{between}}}\quad " if i else "") + "& " + f for i, f in enumerate(short)]
        lines = (rf"  {row} \\[2pt]" for row in rows)
        yield from [f"- {words}", "", "  $$", r"  \begin{aligned}", *lines, r"  \end{aligned}", "  $$", ""]
        yield f"  {solution}"
    if left:
        which = "one condition is" if left == 1 else f"{left} conditions are"
        yield f"- ({words} ...: {which} too long for a page.)"


# -- the table of contents ---------------------------------------------------------------------------


class Overview(SphinxDirective):
    """``{overview}``: a table with a thumbnail, a line and a result for each mechanism."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        rows = []
        for line in filter(str.strip, self.content):
            name, *cells = (cell.strip() for cell in line.split("|"))
            mechanism = gc.models.get(name)()
            is_reduced = hasattr(mechanism, "reduce")
            group = space_name(mechanism) if is_reduced else manifold_name(mechanism)
            thumbnail = f"[![{name}](/{GENERATED}/pictures/{name}.svg)]({name}.md)"
            rows.append([thumbnail, f"[{name}]({name}.md)<br>{group}", *cells])
        text = "\n".join(table(("", "Mechanism", "What it shows", "Published result"), rows))
        return [nodes.container("", *self.parse_text_to_nodes(text), classes=["overview"])]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.connect("builder-inited", draw_all)
    app.add_css_file("catalogue.css")
    kinds: dict[str, Callable] = {
        "picture": Picture,
        "mechanism": Mechanism,
        "equations": Equations,
        "stability": Stability,
        "overview": Overview,
    }
    for name, directive in kinds.items():
        app.add_directive(name, directive)
    # Pictures are drawn by one pyplot, and what the pages say may change with the library.
    return {"parallel_read_safe": False}
