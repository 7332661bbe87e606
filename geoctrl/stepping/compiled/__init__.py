"""Kernels: their source, compilation, and what is kept on disk."""
