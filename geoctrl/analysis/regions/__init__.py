"""Sets that motions do not leave, or in which they tend to an equilibrium."""
