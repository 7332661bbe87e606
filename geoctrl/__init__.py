"""geoctrl: control design and stability analysis in geometric mechanics.

A mechanism is described once (group, advected vectors, Lagrangian, constraints, rotors); its reduced
equations are derived, its relative equilibria found and certified, feedback laws synthesised by
matching, and the closed loop proved and simulated. Public names are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.2.0"

_PUBLIC = {
    "geoctrl.algebra": (
        "AdvectedParameter",
        "AdvectedVector",
        "Coordinate",
        "Height",
        "Quasicoordinate",
        "LieAlgebra",
        "product",
        "rn",
        "se2",
        "se3",
        "so2",
        "so3",
    ),
    "geoctrl.systems": (
        "Axis",
        "Ball",
        "Connection",
        "Equilibrium",
        "EulerPoincare",
        "Family",
        "Fixed",
        "Free",
        "Friction",
        "Hinge",
        "HybridSystem",
        "Impact",
        "Imported",
        "Jump",
        "Link",
        "Motor",
        "Parameter",
        "Planar",
        "ReducedSystem",
        "Rolling",
        "Rotors",
        "SlenderLink",
        "Slide",
        "TorqueSpeed",
        "Tree",
        "UnitChange",
        "VectorField",
        "Wheel",
        "check_units",
        "reaction",
        "time",
        "turn",
    ),
    "geoctrl.analysis": (
        "AttractedSet",
        "BoxCertificate",
        "Certificate",
        "DarbouxPolynomial",
        "DiscoveredInvariants",
        "EquilibriaOverCells",
        "FamilyRegion",
        "HeldLinearization",
        "HoldBracket",
        "Invariant",
        "InvariantProof",
        "Linearization",
        "ManyLinearizations",
        "MovingBound",
        "PiecewiseMap",
        "RegionOfAttraction",
        "StabilityConditions",
        "StabilityMap",
        "bound_while_moving",
        "certify",
        "certify_region",
        "check_invariant",
        "discover_invariants",
        "find_equilibrium",
        "linearize",
        "linearize_held",
        "linearize_many",
        "region_of_attraction",
        "stability_conditions",
    ),
    "geoctrl.systems.picture": ("Block", "Disk", "Ellipsoid", "Rod", "Solid"),
    "geoctrl.verification": ("Verdict", "verify"),
    "geoctrl.robots": ("from_mjcf", "from_mujoco", "from_urdf"),
    "geoctrl.trials": ("RobustnessReport", "RobustnessRow", "robustness"),
    "geoctrl.continuation": ("Branch", "Change", "follow"),
    "geoctrl.gaits": ("BestGait", "optimal_gait"),
    "geoctrl.orbits": (
        "HybridOrbit",
        "PeriodicOrbit",
        "PoincareSection",
        "ProvedCatch",
        "find_periodic",
        "poincare_section",
        "prove_catch",
    ),
    "geoctrl.sampling": (
        "ComplementaryFilter",
        "EstimatedLaw",
        "SampledController",
        "Switching",
        "switching",
    ),
    "geoctrl.synthesis": (
        "DampedLaw",
        "DelayedLaw",
        "FeedbackLaw",
        "EnergyLaw",
        "GainSchedule",
        "LinearEstimator",
        "LinearLaw",
        "ManifoldLaw",
        "Matching",
        "OutputFeedback",
        "PeriodicLaw",
        "SampledEstimator",
        "ShapedLaw",
        "ShapedMatching",
        "energy_law",
        "linear_law",
        "lqe",
        "lqr",
        "match",
        "place",
        "schedule",
    ),
    "geoctrl.runs": ("SweepResult", "load_sweep", "sweep"),
    "geoctrl.simulation": (
        "Draws",
        "Ensemble",
        "Event",
        "HybridTrajectory",
        "Trajectory",
        "load_ensemble",
        "load_trajectory",
        "simulate",
        "simulate_ensemble",
    ),
    "geoctrl.errors": (
        "BudgetError",
        "CertificateError",
        "ConstraintError",
        "ConvergenceError",
        "DependencyError",
        "DescriptionError",
        "DivisionError",
        "EquilibriumError",
        "ExpressionError",
        "FolderError",
        "FrameError",
        "GeoctrlError",
        "GradientError",
        "ImmutableError",
        "GyroscopicWarning",
        "InertiaWarning",
        "InputError",
        "LabelError",
        "LawWarning",
        "MatchingError",
        "ModelFileError",
        "ModelFileWarning",
        "ParameterError",
        "ProjectionWarning",
        "SimulationError",
        "SingularMassError",
        "UnitsError",
        "WorkerError",
    ),
}
_MODULES = ("manifolds", "models", "rotations", "spheres", "viz")
_HOME = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted([*_HOME, *_MODULES])  # made from the table above


def __getattr__(name: str) -> Any:
    load = import_module("geoctrl._collector").load
    if name in _HOME:
        value = getattr(load(_HOME[name]), name)
    elif name in _MODULES:
        value = load(f"geoctrl.{name}")
    else:
        raise AttributeError(f"module 'geoctrl' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
