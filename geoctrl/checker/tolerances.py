"""Where the checker's decisions fall that are made in rounded numbers; exact ones ask none of these.

The search has numbers of its own; nothing of what it decided with them is believed here.
"""

from __future__ import annotations

from flint import fmpq

RESIDUAL = fmpq(1, 10**8)
"""Rates and defects, relative to linearisation and state, that count as zero: ten times what a search leaves,
whose sizes are others."""
SWITCH = fmpq(1, 10**12)
"""Argument at which a switch counts as undecided: rounding of a double of the size of one."""
INDEPENDENT = fmpq(1, 10**16)
"""Square of the sine of the angle to the span of others from which on a gradient counts as independent: half
the digits, since angles are roots of defects of squares."""
CRITICAL = fmpq(1, 10**6)
"""Slope of a combination, relative to its largest term, that counts as none: multipliers come from gradients
good to INDEPENDENT, and cancel."""
DEFINITE = fmpq(1, 10**8)
"""Eigenvalue of a second variation, relative to the largest entry, from which on it has a sign."""
GROWTH = fmpq(1, 10**6)
"""Real part, relative to the linearisation, that counts as growth or decay: a double root of a polynomial
good to twelve digits is good to six. The claim states it."""
SAME = 1e-6, 1e-9
"""Relative and absolute difference of floats that counts as none where a finding is repeated."""
