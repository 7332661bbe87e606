"""Laws of shaped Lagrangians and their damping."""
