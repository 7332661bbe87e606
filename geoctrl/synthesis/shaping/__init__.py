"""The matching problem of a plant, and what every solution of it has."""
