"""Linear programs over positive semidefinite matrices."""
