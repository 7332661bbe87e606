"""What a theorem rests on and nobody has to believe: squares, quadratic functions, curves from the point."""
