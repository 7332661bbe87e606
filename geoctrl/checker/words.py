"""Claims in words: verdict, equilibrium, system, numbers and leaf, as text that says all that is claimed."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

from flint import fmpq

from geoctrl.checker.jets import to_float
from geoctrl.checker.reading import children
from geoctrl.checker.surds import Surd

CLAIMS = {
    "PROVED_STABLE": "is Lyapunov stable within the leaf",
    "PROVED_ASYMPTOTICALLY_STABLE": "is asymptotically stable within the leaf",
    "PROVED_STABLE_MODULO": (
        "is Lyapunov stable within the leaf modulo a group of symmetries: near motions stay, as long as they "
        "exist, near its orbit, which moves {orbit}"
    ),
    "PROVED_UNSTABLE": "is unstable: its linearisation has an eigenvalue with a positive real part",
    "NUMERICALLY_STABLE": "appears stable in floats: definite second variation or damped spectrum; no proof",
    "NUMERICALLY_UNSTABLE": "appears unstable in floats: largest real part above {growth}; no proof",
    "SPECTRALLY_STABLE_ONLY": "has no eigenvalue with a positive real part; nonlinear stability is open",
    "UNDECIDED": "is undecided by the spectrum and by the energy-Casimir test",
}
BY_THEOREM = {
    ("PROVED_STABLE", "spectrum and a family of equilibria"): (
        "is Lyapunov stable within the leaf, and near motions converge to members of its family of "
        "equilibria "
        "of dimension {family_dimension}"
    ),
    ("PROVED_STABLE", "spectrum and a family of equilibria in balls"): (
        "is Lyapunov stable within the leaf, and near motions converge to members of its family of "
        "equilibria of dimension {family_dimension}"
    ),
    ("PROVED_STABLE", "falling energy on the level sets of the invariants"): (
        "is Lyapunov stable within the leaf, and near motions converge to the equilibrium of their own level "
        "set "
        "of {conserved}"
    ),
    ("PROVED_UNSTABLE", "spectrum modulo a group"): (
        "is unstable, and so is its orbit under a group of isometries, which moves {orbit}: its "
        "linearisation has "
        "an eigenvalue with a positive real part"
    ),
    ("UNDECIDED", "energy-Casimir modulo a group"): (
        "has an orbit under a group of isometries, which moves {orbit}, whose stability is undecided by the "
        "spectrum and by the energy-Casimir test"
    ),
    ("PROVED_UNSTABLE", "spectrum and a series"): (
        "is unstable: along its one zero root the field begins with a power of {power}, which does not "
        "attract"
    ),
    ("PROVED_UNSTABLE", "drift"): (
        "is unstable: motions that begin as near to it as one likes drift away in {drifting}"
    ),
    ("PROVED_ASYMPTOTICALLY_STABLE", "multipliers of one hold"): (
        "is asymptotically stable within the leaf as a fixed point of this loop: all multipliers of one hold "
        "are inside the unit circle"
    ),
    ("PROVED_STABLE", "multipliers of one hold on the level sets of the invariants"): (
        "is Lyapunov stable within the leaf as a fixed point of this loop, and near motions converge to the "
        "fixed point of their own level set of {conserved}"
    ),
    ("PROVED_STABLE", "multipliers of one hold and a family of fixed points"): (
        "is Lyapunov stable within the leaf as a fixed point of this loop, and near motions converge to "
        "members of its family of fixed points of dimension {fixed_dimension}: as many multipliers of "
        "one hold are one, and all others inside the unit circle"
    ),
    ("PROVED_UNSTABLE", "multipliers of one hold"): (
        "is unstable as a fixed point of this loop: a multiplier of one hold is outside the unit circle"
    ),
    ("UNDECIDED", "multipliers of one hold"): (
        "is undecided as a fixed point of this loop by the multipliers of one hold"
    ),
    ("PROVED_UNSTABLE", "falling energy"): (
        "is unstable: a function falls along the motion that has no minimum there, and nothing but the point "
        "stays where it rests"
    ),
}
"""What some theorems claim besides, or in place of that, by verdict and method."""
_ROUNDED = "shows in floats no eigenvalue with a real part above {growth}; nothing is proved"
_LONG, _READ, _LARGE = 240, 40, fmpq(10**300)
_SIX_DIGITS = Context(prec=6, Emin=MIN_EMIN, Emax=MAX_EMAX)


def claim(system: str, problem: dict[str, Any], verdict: str, method: str, findings: dict[str, Any]) -> str:
    """What a certificate claims."""
    rounded = verdict == "SPECTRALLY_STABLE_ONLY" and "in floats" in method
    predicate = BY_THEOREM.get((verdict, method), _ROUNDED if rounded else CLAIMS[verdict]).format(
        growth=f"{findings.get('growth', 0):.2g}",
        family_dimension=findings.get("family_dimension"),
        fixed_dimension=findings.get("fixed_dimension"),
        power=findings.get("lowest_power"),
        orbit=", ".join(findings.get("orbit_directions", [])),
        drifting=", ".join(findings.get("drifting", [])),
        conserved=", ".join(findings.get("conserved", [])),
    )
    values, inputs, spin, functions = (
        problem.get(k, {}) for k in ("parameters", "inputs", "spin", "functions")
    )
    box = problem.get("box")
    phrases = {
        f"The equilibrium {_within(box)}{_values(problem['states'], zeros=False) or 'x = 0'} of "
        f"{system or 'the system'}": True,
        f"with the same {', '.join((box or {}).get('held', []))}": (box or {}).get("held"),
        f"with {_values(values)}": values,
        f"held by the inputs {_values(inputs)}": inputs,
        f"with {functions} given by functions, taken to be free of the time as sampled": functions,
        f"turning with ({', '.join(f'{v:.12g}' for v in spin)}) rad/s": any(spin),
        _loop(problem): "held" in problem,
        f"on the leaf {', '.join(relations(problem))}": problem.get("leaf"),
    }
    parts = [words for words, holds in phrases.items() if holds]
    return f"{', '.join(parts)}, {predicate}." if len(parts) > 1 else f"{parts[0]} {predicate}."


def _loop(problem: dict[str, Any]) -> str:
    """What a controller does from hold to hold, where there is one."""
    held = problem.get("held")
    if held is None:
        return ""
    texts = _texts(problem["nodes"])

    def written(what: str, place: int) -> str:
        return f"{what} {texts[place]}" if len(texts[place]) <= _LONG else f"{what} a long expression"

    rows = [written(f"{label} =", place) for label, place in held["commands"].items()]
    rows += [written(f"{label} growing in a second by", place) for label, place in held["own"].items()]
    late = held["late"] + held["part"]
    return (
        f"in a loop that computes {', '.join(rows)} every {decimal(held['hold'])} s, "
        + (f"sets it {decimal(late)} holds later " if late else "sets it at once ")
        + "and holds it, without limits, rounding or noise"
    )


def _within(box: dict[str, Any] | None) -> str:
    return "" if box is None else f"that lies, in each state, within 2^-{box['bits']} of "


def relations(problem: dict[str, Any]) -> list[str]:
    """The relations of the leaf as equations; of those too long to read the names, and said to be names."""
    texts, found = _texts(problem.get("nodes", [])), []
    for name, place in problem.get("leaf", {}).items():
        node = problem["nodes"][place]
        if node[0] == "prod" and node[1] and [e for _, e in node[2]] == [1]:
            place = node[2][0][0]  # a constant factor changes nothing
        found.append(
            f"{texts[place]} = 0" if len(texts[place]) <= _LONG else f"a long relation named {name[:_LONG]!r}"
        )
    return found


def _values(table: dict[str, Any], zeros: bool = True) -> str:
    # A label that is no name says where it is measured from, and is told at zero as well.
    return ", ".join(
        f"{name} = {decimal(q)}" for name, q in table.items() if zeros or q or not name.isidentifier()
    )


def decimal(q: Any) -> str:
    """A number as the decimal that it came from, where it is a double, or a fraction; three points if
    rounded.
    """
    if not isinstance(q, float) and q and not 1 / _LARGE < abs(q) < _LARGE:
        return f"{short(q)}..."
    nearest = q if isinstance(q, float) else to_float(q)
    exact = isinstance(q, float) or q == fmpq(*nearest.as_integer_ratio())
    if not exact and len(text := _written(q)) <= _READ:
        return text
    return repr(nearest).removesuffix(".0") + ("" if exact else "...")


def _written(q: Any) -> str:
    """A fraction, or a sum of fractions times square roots."""
    if not isinstance(q, Surd):
        return str(q)
    inner, factor = f"sqrt({_written(q.root.radicand)})", _written(q.b)
    product = {"1": inner, "-1": f"-{inner}"}.get(factor)
    product = product or (f"({factor})*{inner}" if isinstance(q.b, Surd) else f"{factor}*{inner}")
    return product if not q.a else f"{_written(q.a)} + {product}".replace("+ -", "- ")


def short(q: Any) -> str:
    """Six digits of a number of any size."""
    if isinstance(q, Surd):
        return f"{to_float(q):.6g}"
    value = _SIX_DIGITS.divide(Decimal(int(q.p)), Decimal(int(q.q)))
    return f"{float(value):.6g}" if abs(value.adjusted()) < 300 else f"{value.normalize(_SIX_DIGITS):g}"


def _texts(table: list[tuple]) -> list[str]:
    """Each node as an expression; what is longer than anybody reads is cut."""
    texts: list[str] = []
    for kind, *parts in table:
        inner = [f"({texts[j]})" if table[j][0] == "sum" else texts[j] for j in children((kind, *parts))]
        if kind == "num":
            text = decimal(parts[0])
        elif kind == "sym":
            text = parts[0]
        elif kind == "fun":
            text = f"{parts[0]}({', '.join(texts[j] for j in parts[1])})"
        elif kind == "prod":
            powers = [b if e == 1 else f"{b}^{e}" for b, (_, e) in zip(inner, parts[1], strict=True)]
            text = "*".join(powers if parts[0] == 1 and powers else [decimal(parts[0]), *powers])
        else:
            pairs = zip(inner[::2], inner[1::2], strict=True)
            terms = [c if m == "1" else m if c == "1" else f"{c}*{m}" for c, m in pairs]
            text = " + ".join(terms).replace("-1*", "-").replace("+ -", "- ")
        texts.append(text[: 2 * _LONG])
    return texts
