"""Relations with independent gradients, by which a file tells the dimension of the leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb

from geoctrl import decisions
from geoctrl.analysis.witnesses.box_witnesses import INVERSE_BITS, rounded_inverse
from geoctrl.analysis.witnesses.point_witnesses import Basis, texts

__all__ = ["leaf_basis"]


def leaf_basis(q: decisions.Question, names: Sequence[str]) -> Basis:
    """As many of some relations as are certainly independent, of a question in balls; the states that they
    leave free, and the inverse of the gradients by the others, rounded.
    """
    gradients = {k: [arb(c) for c in q.function(k)[1]] for k in names}
    rows, fixed = _pivots(gradients)
    inverse = rounded_inverse([[gradients[k][i] for i in fixed] for k in rows], INVERSE_BITS)
    return {
        "rows": rows,
        "free": [k for i, k in enumerate(q.labels) if i not in fixed],
        "inverse": texts(inverse),
    }


def _pivots(gradients: dict[str, list[arb]]) -> tuple[list[str], list[int]]:
    """Rows and columns of an elimination with pivots that are not zero, the largest ones first."""
    rest: dict[str, Any] = dict(gradients)
    rows, columns = list[str](), list[int]()
    while rest:
        sizes = {(k, j): c.abs_lower() for k, row in rest.items() for j, c in enumerate(row)}
        name, j = max(sizes, key=sizes.__getitem__)
        if not sizes[name, j] > 0:
            break
        pivot = rest.pop(name)
        rest = {
            k: [c - row[j] / pivot[j] * p for c, p in zip(row, pivot, strict=True)] for k, row in rest.items()
        }
        rows.append(name)
        columns.append(j)
    return [k for k in gradients if k in rows], sorted(columns)
