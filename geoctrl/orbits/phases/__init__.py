"""Phases of orbits: the flow with its derivative, up to a jump, and files with which these are proved."""
