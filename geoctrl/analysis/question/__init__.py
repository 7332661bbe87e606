"""A question of stability as data: equations, leaf, invariants, a point."""
