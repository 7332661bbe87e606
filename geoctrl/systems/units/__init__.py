"""Units: read, found from the equations, changed."""
