"""Periodic orbits: a second integrator in balls, which shares nothing with the one of the search."""
