"""Numbers up to a radius, in which theorems about boxes, sets, maps, orbits and loops compute: `balls` (an
arithmetic for a question), `cells` (functions over cells), `sets` (what is asked for over a set).
"""
