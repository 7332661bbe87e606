"""Periodic orbits through jumps. Read in this order: `phase` (motions up to a jump, and what it makes of
them), `file` (one orbit in a box, and its return map).
"""
