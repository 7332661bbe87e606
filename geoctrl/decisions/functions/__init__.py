"""Derivatives along nodes, and rational functions modulo relations."""
