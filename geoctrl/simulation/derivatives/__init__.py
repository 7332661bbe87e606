"""Derivatives of a run by its start, by parameters and by inputs."""
