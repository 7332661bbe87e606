"""Members of an ensemble as they are asked for: starts, parameters, inputs, and what is kept of them."""
