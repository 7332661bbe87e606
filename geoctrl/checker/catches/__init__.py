"""Boxes of starts that one law brings into a set from which another lets motions tend to an equilibrium."""
