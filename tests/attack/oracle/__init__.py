"""The truth about what was drawn, and claims and files read without geoctrl."""
