"""Where the checker's decisions fall that are made in rounded numbers; exact ones ask none of these.

The search has numbers of its own; nothing of what it decided with them is believed here.
"""

from __future__ import annotations

from flint import fmpq

SWITCH = fmpq(1, 10**12)
"""Argument at which a switch counts as undecided: rounding of a double of the size of one."""
SAME = 1e-6, 1e-9
"""Relative and absolute difference of floats that counts as none where a finding is repeated."""
