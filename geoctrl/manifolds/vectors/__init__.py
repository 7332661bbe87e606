"""What is given, read, and rotations in numbers."""
