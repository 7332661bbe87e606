"""Searches for proofs about points; the checker alone decides."""
