"""Sublevel sets of functions that do not grow along the motion: what begins in one stays. Read in this order:
`energy` (the function over a cell), `cover` (cells that a sublevel set cannot leave), `file`.
"""
