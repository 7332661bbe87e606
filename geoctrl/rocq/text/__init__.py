"""What is written into a file for Rocq: names, values in the reals, data, statements."""
