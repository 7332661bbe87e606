"""Exact algebra: quotients, factors, ideals, linear equations, roots."""
