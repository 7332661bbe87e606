"""Matching by rotors: laws and their damping."""
