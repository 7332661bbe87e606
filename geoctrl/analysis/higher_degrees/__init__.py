"""Searches, in doubles, for polynomial functions of any degree that fall over a set."""
