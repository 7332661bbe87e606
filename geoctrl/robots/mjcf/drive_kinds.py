"""Kinds of actuators by their tags."""

from __future__ import annotations

__all__ = ["DRIVE_KINDS", "READ_DRIVES"]

READ_DRIVES = ("motor", "position", "velocity", "general")
DRIVE_KINDS = frozenset(
    {
        *READ_DRIVES,
        "intvelocity",
        "orientation",
        "pid",
        "damper",
        "cylinder",
        "muscle",
        "adhesion",
        "dcmotor",
        "plugin",
    }
)
