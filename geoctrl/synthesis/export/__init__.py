"""Laws as formulas, C code and controllers."""
