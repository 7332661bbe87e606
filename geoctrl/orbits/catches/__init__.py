"""Starts that one law brings into a set about an equilibrium, where another catches them, in balls."""
