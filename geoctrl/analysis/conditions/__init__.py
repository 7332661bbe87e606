"""Conditions of stability of a family, in symbols."""
