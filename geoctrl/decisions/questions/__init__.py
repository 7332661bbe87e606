"""What is proved of equations at a point, or over a box, and what follows."""
