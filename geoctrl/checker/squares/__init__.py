"""Sets from which motions tend to an equilibrium, by a Lyapunov function and sums of squares.
Read in this order: `polynomial_motion` (the equations as polynomials), `identity` (the sums of
squares), `regular` (the set is one of regular points), `file`.
"""
