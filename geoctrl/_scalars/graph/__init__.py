"""The recording scalar: expressions, their branches, and straight-line code."""
