"""Sets of gains, searched for by what the loop and its motors are asked to do."""
