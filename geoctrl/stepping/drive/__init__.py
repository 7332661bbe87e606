"""Inputs, events and flows of a run."""
