"""Runs with jumps: pieces between them, what they are made of, and where they accumulate."""
