"""Periodic orbits in balls: that they exist, what is conserved about them, and their files."""
