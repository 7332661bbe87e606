"""Ensembles: many runs of one system, and their results."""
