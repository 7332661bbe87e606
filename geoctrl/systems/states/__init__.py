"""States of a reduced system: sizes, projection, derivatives, singular ones, other axes."""
