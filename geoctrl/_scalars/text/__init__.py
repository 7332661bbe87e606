"""Numbers, names and sympy expressions as they are given and handed back."""
