"""Simulation: engines, trajectories, events, reconstruction of attitude and position."""

from geoctrl.simulation.events import Event, EventRecord
from geoctrl.simulation.run import simulate
from geoctrl.simulation.trajectory import Trajectory, load_trajectory

__all__ = ["Event", "EventRecord", "Trajectory", "load_trajectory", "simulate"]
