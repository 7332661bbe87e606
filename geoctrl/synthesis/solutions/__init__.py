"""Solutions of the matching conditions, by class, and proofs that there are none."""
