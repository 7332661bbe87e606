"""Solvers of the variational step."""
