"""Degrees of functions in some of their symbols, by their form."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from geoctrl.checker.reader import children

Degrees = tuple[int, int] | None
"""The lowest and the highest degree of terms; None where a function is no polynomial."""
STILL, ONE = (0, 0), (1, 1)


def degrees_in(
    table: Sequence[tuple], symbols: Mapping[int, Degrees], bounded: Container[str] = ()
) -> list[Degrees]:
    """Degrees of nodes, or bounds of them, by those of symbols; functions that are bounded have none."""
    found: list[Degrees] = []
    for i, (kind, *parts) in enumerate(table):
        below = [found[j] for j in children((kind, *parts))]
        if kind == "fun" and parts[0] in bounded:
            found.append(STILL)
        elif None in below or (kind == "fun" and (parts[0] == "select" or {*below} != {STILL})):
            found.append(None)
        elif kind == "prod":
            powers = [(found[j], e) for j, e in parts[1]]
            divided = any(e < 0 and degrees != STILL for degrees, e in powers)
            found.append(None if divided else _of_product(powers))
        elif kind == "sum":
            terms = [_of_product([(found[j], 1) for j in pair]) for pair in parts[0]] or [STILL]
            found.append((min(low for low, _ in terms), max(high for _, high in terms)))
        else:
            found.append(symbols.get(i, STILL))
    return found


def _of_product(powers: Sequence[tuple[Degrees, int]]) -> tuple[int, int]:
    """Those of a product of polynomials with exponents."""
    known = [(degrees, e) for degrees, e in powers if degrees is not None]
    return sum(low * e for (low, _), e in known), sum(high * e for (_, high), e in known)
