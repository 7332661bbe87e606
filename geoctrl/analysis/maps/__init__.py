"""Maps of stability over axes of parameters."""
