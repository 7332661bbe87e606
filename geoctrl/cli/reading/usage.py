"""Mistakes in a command that are found only after the mechanism is known."""

__all__ = ["UsageError"]


class UsageError(Exception):
    """Bad arguments found only after the mechanism is known."""
