"""Claims in words: verdict, equilibrium, system, numbers and leaf, as text that says all that is claimed."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from geoctrl.checker.jets import to_float

__all__ = ["CLAIMS", "claim"]

CLAIMS = {
    "PROVED_STABLE": "is Lyapunov stable within the leaf",
    "PROVED_ASYMPTOTICALLY_STABLE": "is asymptotically stable within the leaf",
    "PROVED_UNSTABLE": "is unstable: its linearisation has an eigenvalue with a positive real part",
    "NUMERICALLY_STABLE": "appears stable in floats: a definite second variation or a damped spectrum; no proof",
    "NUMERICALLY_UNSTABLE": "appears unstable in floats: an eigenvalue with a real part above {growth}; no proof",
    "SPECTRALLY_STABLE_ONLY": "has no eigenvalue with a positive real part; nonlinear stability is open",
    "UNDECIDED": "is undecided by the spectrum and by the energy-Casimir test",
}
_ROUNDED = "shows in floats no eigenvalue with a real part above {growth}; nothing is proved"
_LONG = 240


def claim(system: str, problem: dict[str, Any], verdict: str, method: str, findings: dict[str, Any]) -> str:
    """What a certificate claims."""
    rounded = "in floats" in method
    spectral = verdict == "SPECTRALLY_STABLE_ONLY" and rounded
    predicate = (_ROUNDED if spectral else CLAIMS[verdict]).format(growth=f"{findings.get('growth', 0):.2g}")
    parts = [f"The equilibrium {_values(problem['states'], zeros=False) or 'x = 0'} of {system or 'the system'}"]
    if values := _values(problem.get("parameters", {})):
        parts.append(f"with {values}")
    if values := _values(problem.get("inputs", {})):
        parts.append(f"held by the inputs {values}")
    if any(problem.get("spin", ())):
        parts.append(f"turning with ({', '.join(f'{v:.12g}' for v in problem['spin'])}) rad/s")
    if problem.get("leaf"):
        parts.append(f"on the leaf {', '.join(relations(problem))}")
    return f"{', '.join(parts)}, {predicate}." if len(parts) > 1 else f"{parts[0]} {predicate}."


def relations(problem: dict[str, Any]) -> list[str]:
    """The relations of the leaf as equations, those too long to read by their names."""
    texts, found = _texts(problem["nodes"]), []
    for name, place in problem["leaf"].items():
        node = problem["nodes"][place]
        if node[0] == "prod" and node[2] and node[1] and all(e == 1 for _, e in node[2]) and len(node[2]) == 1:
            place = node[2][0][0]  # a constant factor changes nothing
        found.append(f"{texts[place] if len(texts[place]) <= _LONG else name[:_LONG]} = 0")
    return found


def _values(table: dict[str, Any], zeros: bool = True) -> str:
    return ", ".join(f"{name} = {decimal(q)}" for name, q in table.items() if zeros or q)


def decimal(q: Any) -> str:
    """A number as the decimal that it came from, where it is a double, or a fraction."""
    if isinstance(q, float):
        return f"{q:.12g}"
    nearest = to_float(q)
    if fmpq(*nearest.as_integer_ratio()) == q or len(str(q)) > 40:
        return repr(nearest).removesuffix(".0") + ("" if fmpq(*nearest.as_integer_ratio()) == q else "...")
    return str(q)


def _texts(table: list[tuple]) -> list[str]:
    """Each node as an expression; beyond the length that is read, three points."""
    texts: list[str] = []
    for kind, *parts in table:
        if kind == "num":
            text = decimal(parts[0])
        elif kind == "sym":
            text = parts[0]
        elif kind == "fun":
            text = f"{parts[0]}({', '.join(texts[j] for j in parts[1])})"
        elif kind == "prod":
            factors = [_bracketed(table, texts, j) + (f"^{e}" if e != 1 else "") for j, e in parts[1]]
            text = "*".join(factors if parts[0] == 1 and factors else [decimal(parts[0]), *factors])
        else:
            terms = (_product(table, texts, c, mono) for c, mono in parts[0])
            text = " + ".join(terms).replace("+ -", "- ")
        texts.append(text if len(text) <= 2 * _LONG else "..." * _LONG)
    return texts


def _product(table: list[tuple], texts: list[str], c: int, mono: int) -> str:
    factors = [_bracketed(table, texts, j) for j in (c, mono)]
    signs = {"1": "", "-1": "-"}
    return texts[c] if texts[mono] == "1" else signs.get(factors[0], f"{factors[0]}*") + factors[1]


def _bracketed(table: list[tuple], texts: list[str], j: int) -> str:
    return f"({texts[j]})" if table[j][0] == "sum" else texts[j]
