"""A family's question of stability over axes, as the data that a map's file holds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from geoctrl._checks import nearest
from geoctrl._scalars import exact, shown
from geoctrl.analysis.conditions.family_point import FamilyPoint, NotFree
from geoctrl.analysis.conditions.parameter_settings import Settings
from geoctrl.analysis.maps.family_over_axes import REGION, FamilyOverAxes
from geoctrl.analysis.maps.wider_family import wider_members
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.checker.maps.file import AXES
from geoctrl.decisions.reading.problem_reader import Refusal, conform
from geoctrl.errors import CertificateError, EquilibriumError, InputError, ParameterError
from geoctrl.systems import ReducedSystem

__all__ = ["axes_of", "region_problem", "require_same_region"]


def axes_of(
    sys: ReducedSystem, family: str, axes: Any, most: int = AXES
) -> dict[str, tuple[Fraction, Fraction]]:
    """Intervals by name, doubles being the rationals that they are."""
    if not isinstance(axes, Mapping) or not axes:
        raise InputError(f"axes are a dict of name -> (low, high), got {shown(axes)}")
    if len(axes) > most:
        raise InputError(f"there are at most {most} axes, got {len(axes)}")
    parameters = {p.name: p for p in sys.mechanism.parameters}
    known = [*sys.families[family].names, *parameters]
    found = {}
    for name, given in axes.items():
        if name not in known:
            raise ParameterError(
                f"no axis {shown(name)}: axes are parameters and symbols of the family{nearest(name, known)}"
            )
        if isinstance(given, str) or not hasattr(given, "__len__") or len(given) != 2:
            raise InputError(f"the axis {name!r} needs an interval (low, high), got {shown(given)}")
        low, high = (exact(value, f"an end of the axis {name!r}", InputError) for value in given)
        if not low < high:
            raise InputError(f"the axis {name!r} needs an interval with low < high, got {shown(given)}")
        if name in parameters and name in sys.mechanism.positive and low <= 0:
            raise ParameterError(f"parameter {name!r} must be positive, on the whole axis")
        found[name] = low, high
    return found


def region_problem(
    sys: ReducedSystem,
    family: str,
    axes: Mapping[str, tuple[Fraction, Fraction]],
    params: Mapping[str, Any] | None,
    is_over_shape: bool = False,
    manifold: int | None = None,
) -> tuple[dict[str, Any], FamilyOverAxes]:
    """The problem for `geoctrl.checker`, ready for JSON, and what the checker reads in it.

    With integrals over the shape of the motion, where no input acts; or with further symbols, so that the
    family is all of a manifold of equilibria of this dimension. Refusal where there are none.
    """
    own = sys.families[family].names
    given = dict(params or {})
    symbols = {k: given.pop(k) for k in list(given) if k in own}
    for name in (*given, *symbols):
        if name in axes:
            raise ParameterError(f"{name!r} is an axis, and has no other value")
    related = {k: v for k, v in given.items() if isinstance(v, str) or getattr(v, "free_symbols", None)}
    if set(related) & set(axes):
        raise ParameterError("an axis is a parameter that is free")
    plain = Settings(sys, {k: v for k, v in given.items() if k not in related})
    settings = Settings(sys, related)
    numbers = {p.symbol: plain.numbers.get(p.name, p.default) for p in sys.mechanism.parameters}
    numbers |= {s: symbols.get(s.name) for s in sys.families[family].symbols}
    known = {
        s: sp.Rational(str(exact(q))) for s, q in numbers.items() if q is not None and s.name not in axes
    }
    try:
        at = FamilyPoint(sys, family, settings, {s: q for s, q in known.items() if s.name not in related})
    except NotFree as relations:
        raise EquilibriumError(f"{relations}") from None
    graph = sys.graph
    roots = {s: graph.fun("sqrt", square) for s, square in at.squares.items()}
    bound = {s.name for s in at.bound} | {s.payload for s in roots}
    free = {node: node.payload for node in at.own if node.payload not in bound}
    if wrong := [k for k in (*symbols, *axes) if k in bound]:
        raise ParameterError(f"{wrong[0]!r} is given by a relation of the family")
    parameters = {
        p.name: plain.numbers.get(p.name, p.default)
        for p in sys.mechanism.parameters
        if p.name not in related and p.name not in axes
    }
    missing = [
        k
        for k, v in {**parameters, **{k: symbols.get(k) for k in free.values() if k not in axes}}.items()
        if v is None
    ]
    if missing:
        raise ParameterError(f"a value is needed for {', '.join(missing)}")
    motion = EquationsOfMotion.of(sys)
    if related:
        motion = motion.where(settings.nodes)
    functions = {
        (f"{name} (invariant)" if name in motion.leaf else name): graph.substitute([node], settings.nodes)[0]
        for name, node in sys.conservation.nodes.items()
    }
    members = {
        "states": graph.substitute(at.at_members(sys.state_nodes), roots),
        "inputs": graph.substitute([at.inputs[node] for node in sys.assembly.inputs], roots),
        "domain": graph.substitute(
            at.with_settings([sys.expression(side.margin) for side in sys.domain.values()]), roots
        ),
    }
    if sys.assembly.time in graph.symbols([*motion.force, *motion.rates.values()]):
        raise EquilibriumError(
            "the equations of motion depend on the time explicitly: there is no map of them"
        )
    shifts = dict[str, list[str]]()
    if manifold is not None:
        fixed = Settings(sys, {k: sp.Rational(str(exact(v))) for k, v in parameters.items()} | related)
        wider = wider_members(FamilyPoint(sys, family, fixed), manifold)
        members["states"], free = graph.substitute(wider.states, roots), free | wider.symbols
        shifts = {name: ["0", "0"] for name in wider.symbols.values()}
    named = {
        "kind": "region",
        "parameters": {k: str(exact(v)) for k, v in parameters.items()},
        "symbols": {k: str(exact(symbols[k])) for k in free.values() if k not in {*axes, *shifts}},
        "axes": {k: [str(low), str(high)] for k, (low, high) in axes.items()} | shifts,
    }

    shape = motion.shape() if is_over_shape and all(node.is_zero for node in members["inputs"]) else None
    if is_over_shape and shape is None:
        raise Refusal("the motion has no shape over which integrals exist")

    def problem_data(further: bool) -> tuple[dict[str, Any], FamilyOverAxes]:
        data = motion.family_data(members, free, functions, further, shape) | named
        for part, labels in (("states", sys.state_labels), ("inputs", sys.input_labels)):
            data[part] = dict(zip(labels, data[part], strict=True))
        found = FamilyOverAxes(conform(data, REGION))
        found.require_members()
        found.develop_integrals()
        return data, found

    try:
        return problem_data(further=False)
    except Refusal:
        if shape is not None:
            raise
        return problem_data(further=True)


def require_same_region(sys: ReducedSystem, problem: Mapping[str, Any], theorem: Mapping[str, Any]) -> None:
    """Refuse a map whose equations or family are not those of a system."""
    family, symbols = theorem["family"], {**theorem["symbols"], **theorem.get("moving", {})}
    known = {**problem["parameters"], **symbols, **theorem["axes"]}
    if family not in sys.families:
        raise CertificateError(f"{sys.name} has no family {family!r}")
    if tied := [p.name for p in sys.mechanism.parameters if p.name not in known]:
        raise CertificateError(f"the map sets {', '.join(tied)} by other parameters, and does not tell how")
    axes = {k: (Fraction(a), Fraction(b)) for k, (a, b) in theorem["axes"].items()}
    own = sys.families[family].names
    shifts = {k for k in theorem.get("moving", {}) if k not in own}
    manifold = len(shifts) + sum(k in own for k in (*theorem["axes"], *theorem["moving"])) if shifts else None
    numbers = {k: Fraction(v) for part in (problem["parameters"], symbols) for k, v in part.items()}
    numbers = {k: v for k, v in numbers.items() if k not in shifts}
    try:
        anew, _ = region_problem(sys, family, axes, numbers, "shape" in theorem, manifold)
    except Refusal:
        raise CertificateError(
            f"the map rests on integrals, or on a manifold of equilibria, that {sys.name} has not"
        ) from None
    anew["axes"] = {k: v for k, v in anew["axes"].items() if k not in shifts}
    anew["symbols"] |= dict.fromkeys(shifts, "0")
    rows = len(anew["nodes"])
    given = {**problem, "nodes": problem["nodes"][:rows], "axes": theorem["axes"], "symbols": symbols}
    given |= {"domain": theorem["domain"], "kind": anew["kind"]}
    kept = {
        part: {k: v for k, v in anew[part].items() if k in problem[part]}
        for part in ("invariants", "weights")
    }
    if {k: v for k, v in (anew | kept).items() if k not in ("consequences", "shape")} != given:
        raise CertificateError(f"the equations or members of the map are not those of {sys.name}")
