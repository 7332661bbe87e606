"""Searches, in doubles, for quadratic functions that fall over a set."""
