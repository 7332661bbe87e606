"""Members run: eight at a time where they are ordinary, else alone."""
