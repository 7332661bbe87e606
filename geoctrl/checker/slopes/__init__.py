"""Sets from which motions tend to an equilibrium, by a quadratic Lyapunov function and the slopes of the
rates over cells. Read in this order: `field` (rates and slopes over a cell), `fall` (the function falls),
`file`.
"""
