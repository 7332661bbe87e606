"""The same system reduced, in turning axes, and in print."""
