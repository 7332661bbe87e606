"""What is asked of the boxes in which motions stay, in states over their sizes."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb

from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.enclosures.sets import nodes_of_identities
from geoctrl.checker.flows.series import Motion, coefficient, terms_of_series
from geoctrl.checker.jets import Jet, evaluate
from geoctrl.checker.limits import require


def functions_over(motion: Motion, nodes: Sequence[int], box: Sequence[arb]) -> list[Jet]:
    """Functions of the states, with their gradients, over a box."""
    return evaluate(motion.q.table, nodes, motion.states_at(box), Balls(order=1))


def require_model(motion: Motion, box: Sequence[arb], domain: Sequence[int]) -> None:
    """Refused unless all parts of identities have values over a box, and functions of the domain are positive
    there.
    """
    q, numbers = motion.q, Balls(order=0)
    with terms_of_series(1):
        at = motion.symbols_at([*box[: len(q.labels)], arb(1)])
    known = {p: Jet({(): coefficient(jet.value, 0)}, 0) for p, jet in at.items()}
    evaluate(q.table, nodes_of_identities(q), known, numbers)
    require(
        all(jet.value > 0 for jet in evaluate(q.table, domain, known, numbers)),
        "the orbit is not shown to stay where the model holds",
        "theorem.domain",
    )
