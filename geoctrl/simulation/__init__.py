"""Simulation: engines, trajectories, events, reconstruction of attitude and position."""

from geoctrl._names import attributes

_HOME = {
    "Draws": "geoctrl.simulation.members.draws",
    "Ensemble": "geoctrl.simulation.ensembles.ensemble",
    "Event": "geoctrl.stepping.drive.events",
    "EventRecord": "geoctrl.runs",
    "HybridTrajectory": "geoctrl.simulation.jumps.hybrid_trajectory",
    "JumpRecord": "geoctrl.simulation.jumps.hybrid_trajectory",
    "Trajectory": "geoctrl.simulation.trajectory",
    "load_ensemble": "geoctrl.simulation.ensembles.ensemble_run",
    "load_trajectory": "geoctrl.simulation.files",
    "simulate": "geoctrl.simulation.run",
    "simulate_ensemble": "geoctrl.simulation.ensembles.ensemble_run",
}
__all__ = sorted(_HOME)
__getattr__ = attributes(__name__, _HOME)
