"""Linear laws along a family, or through points: gains and members as functions of a variable."""
