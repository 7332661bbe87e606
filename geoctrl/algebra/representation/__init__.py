"""Lie algebras as matrices."""
