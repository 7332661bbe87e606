"""What the search proposes is decided here in exact arithmetic, before witnesses are written.

The checker believes nothing of it, and shares no code with it: it is given witnesses and compares. Rooms in
order: `arithmetic` (towers of square roots, eliminations, roots), `functions` (derivatives, identities by
division), `questions` (what holds of equations at a point or in a box), `theorems`, one file each;
`problem_kinds` asks the one that a problem is about.
"""

from __future__ import annotations

from geoctrl.checker.limits import Refusal
from geoctrl.decisions.arithmetic.tower import Surd
from geoctrl.decisions.functions.derivatives import NotExact
from geoctrl.decisions.problem_kinds import decide, read_problem
from geoctrl.decisions.questions.exact_question import STATES, NotEquilibrium, Question, standing
from geoctrl.decisions.questions.shape_structure import shape_integrals
from geoctrl.decisions.theorems.spectrum_and_energy import judge

__all__ = [
    "STATES",
    "NotEquilibrium",
    "NotExact",
    "Question",
    "Refusal",
    "Surd",
    "decide",
    "judge",
    "read_problem",
    "shape_integrals",
    "standing",
]
