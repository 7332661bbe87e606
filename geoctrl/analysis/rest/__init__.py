"""Where a system rests: searches for states, inputs and parameters, and their exact values."""
