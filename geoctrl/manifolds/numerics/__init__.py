"""Rates with numbers, their derivatives, rest, and the numbers of a run."""
