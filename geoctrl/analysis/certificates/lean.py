r"""An energy-Casimir certificate as a file of Lean 4, for a logic that shares nothing with this package.

With polynomials F_k that are conserved or vanish on the level set (the functions and leaf relations of the
certificate; :math:`p - c q` for a conserved p/q with the value c; of others, which V must not hold, only the
gradients), multipliers y_k and
:math:`V = \sum_k y_k F_k` the file proves, in the reals,

.. math::

    V(e + t) &= V(e) + Q(t) + T(t), & \text{T of third order: the gradient of V vanishes at the point e}, \\
    F_k(e + t) &= F_k(e) + D_k(t) + R_k(t), & \text{R of second order: D are the gradients}, \\
    \forall k\; D_k(t) = 0 &\Rightarrow t = \sum_j z_j w_j, & \text{the common kernel}, \\
    \pm Q\bigl(\textstyle\sum_j z_j w_j\bigr) &> 0 \quad (z \ne 0), & \text{a sum of squares.}

What is said of the F_k there, and that these four then make the point stable within the
leaf (Arnold 1965; Holm, Marsden, Ratiu and Weinstein 1985), are hypotheses of the last theorem of the file:
Mathlib has no flows on level sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flint import fmpq

from geoctrl.analysis.certificates.lean_data import Criticality, Terms, criticality
from geoctrl.checker.matrices import Rows, nullspace, solve

__all__ = ["lean_text"]

_ZERO = fmpq(0)


def lean_text(data: Mapping[str, Any]) -> str:
    """The text of the file for the data of a certificate."""
    return _file(data, criticality(data))


def _number(q: fmpq) -> str:
    top, below = abs(int(q.p)), int(q.q)
    text = str(top) if below == 1 else f"{top} / {below}"
    return f"(-({text}))" if q < 0 else text if below == 1 else f"({text})"


def _text(f: Terms, letters: Sequence[str]) -> str:
    """A polynomial in letters."""
    parts = []
    for e, c in sorted(f.items(), reverse=True):
        powers = [x if k == 1 else f"{x} ^ {k}" for x, k in zip(letters, e, strict=True) if k]
        parts.append(" * ".join([*([] if c == 1 and powers else [_number(c)]), *powers]))
    return " + ".join(parts) or "0"


def _linear(row: Sequence[fmpq], letters: Sequence[str]) -> str:
    found = [x if c == 1 else f"{_number(c)} * {x}" for c, x in zip(row, letters, strict=True) if c]
    return " + ".join(found) or "0"


def _file(data: Mapping[str, Any], proof: Criticality) -> str:
    names, multipliers, functions, slopes = (
        list(proof.multipliers), proof.multipliers, proof.functions, proof.slopes
    )  # fmt: skip
    gradients, kernel, free, sign = proof.gradients, proof.kernel, proof.free, proof.sign
    n, m, k = len(proof.labels), len(names), len(kernel)
    x, t, z = ([f"{letter}{i + 1}" for i in range(count)] for letter, count in (("x", n), ("t", n), ("z", k)))
    F, D, R = ([f"{letter}{i + 1}" for i in range(m)] for letter in ("F", "D", "R"))
    xs, ts, zs = (f"({' '.join(v)} : ℝ)" for v in (x, t, z))
    args = " ".join(t)
    moved = " ".join(f"({_number(e)} + {v})" for e, v in zip(proof.point, t, strict=True))
    at = " ".join(_number(e) for e in proof.point)
    second = {e: c for e, c in proof.around.items() if sum(e) == 2}
    higher = {e: c for e, c in proof.around.items() if sum(e) > 2}
    along = " ".join(f"({_linear([w[i] for w in kernel], z)})" for i in range(n))
    weights = "one" if sign > 0 else "minus one"
    lines = [
        "import Mathlib.Data.Real.Basic",
        "import Mathlib.Tactic",
        "",
        "/-!",
        f"# {_plain(data['system'])}: an energy-Casimir certificate",
        "",
        _plain(data["claim"]),
        "",
        f"Written by {_plain(data['software'])}. NOT CHECKED BY LEAN when it was written:",
        "`lake env lean FILE`, in a project with Mathlib, checks it.",
        "",
        "States: "
        + ", ".join(f"{v} = {_plain(label)}" for v, label in zip(x, proof.labels, strict=True))
        + ".",
        "Functions, conserved, or vanishing on the level set of what is conserved and of the leaf: "
        + ", ".join(f"{f} = {_plain(name)}" for f, name in zip(F, names, strict=True))
        + ".",
        "-/",
        "",
        "namespace EnergyCasimir",
        "",
        "noncomputable section",
        "",
    ]
    written = [name for name, f in zip(F, functions, strict=True) if f is not None]
    for name, f in zip(F, functions, strict=True):
        if f is not None:
            lines += [f"def {name} {xs} : ℝ :=", f"  {_text(f, x)}", ""]
    combined = " + ".join(
        f"{_number(c)} * {f} {' '.join(x)}"
        for f, c in zip(F, multipliers.values(), strict=True)
        if f in written
    )
    lines += ["/-- The functions with their multipliers. -/", f"def V {xs} : ℝ :=", f"  {combined}", ""]
    lines += [f"def Q {ts} : ℝ :=", f"  {_text(second, t)}", ""]
    lines += ["/-- Of third order and higher. -/", f"def T {ts} : ℝ :=", f"  {_text(higher, t)}", ""]
    unfold = ", ".join(["V", *written, "Q", "T"])
    lines += [
        "/-- V has no terms of first order about the point: its gradient vanishes there. -/",
        f"theorem critical {ts} :",
        f"    V {moved} = V {at} + Q {args} + T {args} := by",
        f"  simp only [{unfold}]",
        "  ring",
        "",
    ]
    for name, d, r, f, row in zip(F, D, R, slopes, gradients, strict=True):
        if f is None:
            lines.append(
                f"/-- The gradient of {name} as the certificate has it: V does not hold the function. -/"
            )
        lines += [f"def {d} {ts} : ℝ :=", f"  {_linear(row, t)}", ""]
        if f is None:
            continue
        rest = {e: c for e, c in f.items() if sum(e) > 1}
        lines += [f"/-- Of second order and higher. -/\ndef {r} {ts} : ℝ :=", f"  {_text(rest, t)}", ""]
        lines += [
            f"theorem gradient_{name} {ts} :",
            f"    {name} {moved} = {name} {at} + {d} {args} + {r} {args} := by",
            f"  simp only [{name}, {d}, {r}]",
            "  ring",
            "",
        ]
    lines += _kernel_lines(ts, t, D, gradients, kernel, free)
    lines += _definite_lines(zs, z, along, sign, proof.squares)
    lines += _positive_lines(ts, t, D, gradients, kernel, free, sign)
    used = [d for d, row in zip(D, gradients, strict=True) if any(row)]
    held = "".join(f"{d} {args} = 0 → " for d in used)
    lines += [
        "/-- What is not proved here: that F1, F2, ... are conserved or vanish on the level set, and the",
        f"energy-Casimir theorem, that a critical V whose second variation times {weights} is positive on",
        "the common kernel of their gradients makes the point stable within the leaf. -/",
        "structure Dynamics where",
        "  Stable : Prop",
        "  energy_casimir :",
        f"    (∀ {' '.join(t)} : ℝ, V {moved} = V {at} + Q {args} + T {args}) →",
        f"    (∀ {args} : ℝ, {held}¬ ({_all_zero(t)}) → 0 < {_sign(sign)}Q {args}) →",
        "    Stable",
        "",
        "theorem stable (d : Dynamics) : d.Stable :=",
        "  d.energy_casimir critical positive",
        "",
        "end",
        "",
        "end EnergyCasimir",
    ]
    return "\n".join(lines) + "\n"


def _all_zero(letters: Sequence[str]) -> str:
    return " ∧ ".join(f"{v} = 0" for v in letters)


def _sign(sign: int) -> str:
    return "" if sign > 0 else "-"


def _plain(text: str) -> str:
    """Words on one line that neither end a comment nor begin one."""
    line = "".join(c if c.isprintable() else " " for c in str(text))
    return line.replace("-/", "- /").replace("/-", "/ -")


def _kernel_lines(
    ts: str, t: Sequence[str], D: Sequence[str], gradients: Rows, kernel: Rows, free: Sequence[int]
) -> list[str]:
    """Every t with D t = 0 is the combination of the kernel with its free entries."""
    n, used = len(t), [i for i, row in enumerate(gradients) if any(row)]
    hypotheses = "".join(f" (h{i + 1} : {D[i]} {' '.join(t)} = 0)" for i in used)
    lines = []
    for i in range(n):
        if i in free:
            continue
        row = [fmpq(int(j == i)) for j in range(n)]
        for w, f in zip(kernel, free, strict=True):
            row[f] -= w[i]
        combination = _combination([gradients[j] for j in used], row)
        proof = " + ".join(f"{_number(c)} * h{j + 1}" for c, j in zip(combination, used, strict=True) if c)
        value = _linear([w[i] for w in kernel], [t[f] for f in free])
        lines += [
            f"/-- In the common kernel {t[i]} follows from what is free. -/",
            f"theorem kernel_{t[i]} {ts}{hypotheses} :",
            f"    {t[i]} = {value} := by",
            f"  simp only [{', '.join(D[j] for j in used)}] at {' '.join(f'h{j + 1}' for j in used)}",
            f"  linear_combination {proof}",
            "",
        ]
    return lines


def _positive_lines(
    ts: str, t: Sequence[str], D: Sequence[str], gradients: Rows, kernel: Rows, free: Sequence[int], sign: int
) -> list[str]:
    """The second variation is positive on the common kernel of the gradients."""
    used = [i for i, row in enumerate(gradients) if any(row)]
    args, given = " ".join(t), " ".join(f"h{i + 1}" for i in used)
    hypotheses = "".join(f" (h{i + 1} : {D[i]} {args} = 0)" for i in used)
    bound = [i for i in range(len(t)) if i not in free]
    lines = [
        "/-- The second variation is positive on the common kernel of the gradients. -/",
        f"theorem positive {ts}{hypotheses} (ht : ¬ ({_all_zero(t)})) :",
        f"    0 < {_sign(sign)}Q {args} := by",
        *(f"  have e{i + 1} := kernel_{t[i]} {args} {given}" for i in bound),
    ]
    if not kernel:
        return [*lines, f"  exact absurd ⟨{', '.join(f'e{i + 1}' for i in bound)}⟩ ht", ""]
    known = ", ".join(f"f{i + 1}" for i in free)
    entries = (f"f{i + 1}" if i in free else f"by linarith [e{i + 1}, {known}]" for i in range(len(t)))
    start = f"rintro ⟨{known}⟩" if len(free) > 1 else f"intro {known}"
    lines += [
        f"  have hz : ¬ ({_all_zero([t[i] for i in free])}) := by",
        f"    {start}",
        f"    exact ht ⟨{', '.join(entries)}⟩" if len(t) > 1 else f"    exact ht {known}",
        *([f"  rw [{', '.join(f'e{i + 1}' for i in bound)}]"] if bound else []),
        f"  exact definite {' '.join(t[i] for i in free)} hz",
        "",
    ]
    return lines


def _combination(rows: Rows, wanted: Sequence[fmpq]) -> list[fmpq]:
    """Numbers c with sum c_k rows_k = wanted; those of rows that depend on others before them are zero."""
    chosen: list[int] = []
    for i in range(len(rows)):
        if len(nullspace([rows[j] for j in (*chosen, i)], len(wanted))) == len(wanted) - len(chosen) - 1:
            chosen.append(i)
    basis = [rows[i] for i in chosen]
    gram = [[sum((a * b for a, b in zip(u, v, strict=True)), _ZERO) for v in basis] for u in basis]
    right = [[sum((a * b for a, b in zip(u, wanted, strict=True)), _ZERO)] for u in basis]
    found = dict(zip(chosen, (row[0] for row in solve(gram, right)), strict=True))
    return [found.get(i, _ZERO) for i in range(len(rows))]


def _definite_lines(
    zs: str, z: Sequence[str], along: str, sign: int, squares: Sequence[tuple[fmpq, list[fmpq]]]
) -> list[str]:
    """The second variation on the kernel is a sum of squares, and positive away from zero."""
    if not z:
        return []
    value, k = f"{_sign(sign)}Q {along}", len(z)
    inner = [_linear(row, z) for _, row in squares]
    total = " + ".join(f"{_number(d)} * ({form}) ^ 2" for (d, _), form in zip(squares, inner, strict=True))
    lines = [
        "/-- The second variation on the kernel, as a sum of squares. -/",
        f"theorem squares {zs} :",
        f"    {value} = {total} := by",
        "  simp only [Q]",
        "  ring",
        "",
        f"theorem definite {zs} (hz : ¬ ({_all_zero(z)})) :",
        f"    0 < {value} := by",
        f"  rw [squares {' '.join(z)}]",
        "  by_contra hn",
        "  apply hz",
    ]
    lines += [f"  have s{i + 1} : 0 ≤ ({form}) ^ 2 := sq_nonneg _" for i, form in enumerate(inner)]
    for i in reversed(range(k)):
        known = "".join(f", e{j + 1}" for j in range(i + 1, k))
        lines += [
            f"  have q{i + 1} : ({inner[i]}) ^ 2 = 0 := by linarith",
            f"  have r{i + 1} : {inner[i]} = 0 := (pow_eq_zero_iff two_ne_zero).mp q{i + 1}",
            f"  have e{i + 1} : {z[i]} = 0 := by linarith [r{i + 1}{known}]",
        ]
    lines += [f"  exact ⟨{', '.join(f'e{i + 1}' for i in range(k))}⟩" if k > 1 else "  exact e1", ""]
    return lines
