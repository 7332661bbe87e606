"""Verdicts in words: names, numbers, expressions and leaves as text, and the claims that are made of it."""
