"""Text of a model file: its elements with their lines, and the exact numbers in their attributes."""
