"""Simulation: engines, trajectories, events, reconstruction of attitude and position."""

from geoctrl.runs import EventRecord
from geoctrl.simulation.ensembles.ensemble import Ensemble
from geoctrl.simulation.ensembles.ensemble_run import load_ensemble, simulate_ensemble
from geoctrl.simulation.files import load_trajectory
from geoctrl.simulation.members.draws import Draws
from geoctrl.simulation.run import simulate
from geoctrl.simulation.trajectory import Trajectory
from geoctrl.stepping.drive.events import Event

__all__ = [
    "Draws",
    "Ensemble",
    "Event",
    "EventRecord",
    "Trajectory",
    "load_ensemble",
    "load_trajectory",
    "simulate",
    "simulate_ensemble",
]
