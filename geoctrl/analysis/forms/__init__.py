"""Quadratic forms that decide the members of a family over cells of its axes."""
