"""Numbers up to a radius, in which theorems about boxes, sets, maps, orbits and loops compute: `balls` (an
arithmetic for a question), `cells` (functions over cells), `definite_over_cells` (matrices), `sets` (what is
asked for over a set); and what functions are by their form: `degrees`, `signs`, `turns`.
"""
