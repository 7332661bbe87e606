"""Sublevel sets of functions that do not grow along the motion: what begins in one stays. Read in this order:
`energy` (the function over a cell), `cover` (cells that a sublevel set cannot leave), `limited_outputs`
(bounds of other functions there), `file`. That only the equilibrium stays is shown by `rests`, above.
"""
