"""Linearisation on the leaf, controllability and observability there."""
