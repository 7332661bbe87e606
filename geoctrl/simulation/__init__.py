"""Simulation: engines, trajectories, events, reconstruction of attitude and position."""

from geoctrl.runs import EventRecord
from geoctrl.simulation.files import load_trajectory
from geoctrl.simulation.run import simulate
from geoctrl.simulation.trajectory import Trajectory
from geoctrl.stepping.drive.events import Event

__all__ = ["Event", "EventRecord", "Trajectory", "load_trajectory", "simulate"]
