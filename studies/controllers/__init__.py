"""Laws that are taken to a computer and a motor, step by step, and compared."""
