"""Jumps of a motion: impacts, which follow from a mechanism's own inertia, and resets that are given."""
