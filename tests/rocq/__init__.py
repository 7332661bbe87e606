"""Theorems of Rocq from certificates: their text, what `coqc` says of them, and of changed ones."""
