"""Maps: families of equilibria over boxes of axes, each closed cell with what is proved of all in it.

Read in this order: `axes` (an arithmetic for jets), `bernstein` (signs on boxes), `members` (what is proved
along a family), `charts` (the linearisation on a kernel), `region` (proofs and trees of cells), `file`.
"""
