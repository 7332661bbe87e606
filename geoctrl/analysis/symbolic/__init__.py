"""Algebra of conditions: rational functions of parameters, their signs and roots."""
