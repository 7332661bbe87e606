"""A second integrator in balls, which shares nothing with the one of the search. Read in this order: `series`
(Taylor coefficients of a motion), `flow` (steps with boxes in which motions stay).
"""
