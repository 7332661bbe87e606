"""Periodic orbits: one in a box by the flow in balls, and its multipliers."""
