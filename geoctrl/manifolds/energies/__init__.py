"""Kinetic energies and potentials over the bodies."""
