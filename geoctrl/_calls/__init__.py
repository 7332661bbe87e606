"""Calls that may take long: time budgets, and what is told and returned when the time is up."""
