"""Witnesses: what a file holds so that its check needs no search."""
