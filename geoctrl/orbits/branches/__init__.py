"""Branches of periodic orbits, and what changes along them."""
