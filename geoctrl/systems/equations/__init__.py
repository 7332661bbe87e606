"""From the data of a mechanism to its reduced equations, recorded."""
