"""The attack on functions in pieces: it finds nothing, and would find what it is for."""

import geoctrl as gc
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_branches import draw_pieces
from tests.attack.outcome import FAULTS
from tests.attack.parts import branches


def test_drawn_pieces_are_judged_rightly():
    outcomes = [branches.case(1, index, {}) for index in (4, 7, 14, 47)]
    assert not [o for o in outcomes if o.result in FAULTS]
    assert {"proved", "refused"} <= {o.result for o in outcomes}


def test_a_proof_of_one_branch_is_found(monkeypatch):
    """Negative control: everything is called conserved."""

    class Proved:
        proved, note, where = True, "", "everywhere"

    monkeypatch.setattr(gc, "check_invariant", lambda *_, **__: Proved())
    wrong = 0
    for index in (4, 5, 6):
        dice = Dice(1 + branches.STREAM, index)
        wrong += branches.judged(draw_pieces(dice), dice).result == "contradiction"
    assert wrong >= 2
