"""Normal forms of changes along a branch, in balls."""
