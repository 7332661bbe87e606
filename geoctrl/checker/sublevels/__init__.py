"""Sublevel sets of functions that do not grow along the motion: what begins in one stays. Read in this order:
`doubles` (numbers that only have to be good), `energy` (the function over a cell), `cover` (cells that a
sublevel set cannot leave), `limits` (bounds of other functions there), `file`.
"""
