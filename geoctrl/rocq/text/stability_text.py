"""The statement of stability, for whatever theorem concludes it."""

from __future__ import annotations

from geoctrl.rocq.text.statement import OUT, Statement, by_index, by_member, conjunction


def stability_theorem(statement: Statement, proof: str) -> list[str]:
    """Motions that begin near the point on the leaf stay near it, as long as they last."""
    n = statement.equations.n
    c, d, q, g, s = statement.hypothesis_names()
    near = [f"{x} < eps" for x in statement.distances([f"{x} t" for x in statement.states])]
    ends = "|".join(f"exact (M {i}%nat ltac:(lia))" for i in range(n))
    return [
        "Theorem stability : forall eps : R, 0 < eps -> exists delta : R, 0 < delta /\\",
        f"  forall (T : R) ({statement.functions} : R -> R), 0 <= T ->",
        *statement.motion_hypotheses(),
        *statement.leaf_hypotheses(),
        *statement.near_hypotheses("begins near the point, stays near it"),
        "    forall t, 0 <= t <= T ->",
        *conjunction(near, "."),
        "Proof.",
        f"  intros eps He. destruct ({proof} eps He) as (delta & Hd & K). exists delta; split; [exact Hd|].",
        f"  intros T {statement.functions} HT {' '.join(c + d + q + g + s)} t Ht.",
        f"  set (Y := {statement.motion_function()}).",
        f"  assert (M : forall i, (i < {n})%nat -> Rabs (Y t i - vec P_ i) < eps).",
        "  { refine (K Y T HT _ _ _ t Ht).",
        "    {",
        *statement.motion_proof(),
        "    }",
        "    - intros g_ Hg. " + by_member("Hg", [f"exact {x}" for x in g]),
        "    - intros i Hi. " + by_index([f"exact {x}" for x in s], OUT) + " }",
        "  " + (f"repeat apply conj; [{ends}]." if n > 1 else ends + "."),
        "Qed.",
    ]
