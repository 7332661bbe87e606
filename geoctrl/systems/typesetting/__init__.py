"""Numbers and formulas as text."""
