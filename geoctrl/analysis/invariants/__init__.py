"""What motions keep: proved, discovered, Darboux polynomials."""
