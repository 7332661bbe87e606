"""Maps: families of equilibria over boxes of axes, each closed cell with what is proved of all in it.

Read in this order: `quotients` (an arithmetic for jets), `members` (what is proved along a family),
`bernstein` (signs on boxes), `region` (proofs and trees of cells), `file`.
"""
