"""Products of factors: bodies, their variations and symmetries."""
