"""Pictures of loops that a computer closes."""
