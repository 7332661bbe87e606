"""Description of a mechanism and its reduction."""

from geoctrl.systems.connections.connection import Connection
from geoctrl.systems.connections.displacement import Displacement
from geoctrl.systems.connections.slender_link import SlenderLink
from geoctrl.systems.connections.viscous_body import ViscousBody
from geoctrl.systems.contract.system_contract import Lagrangian, Seen, System
from geoctrl.systems.contract.torque_speed import TorqueSpeed
from geoctrl.systems.description import EulerPoincare
from geoctrl.systems.equations.leaf import Leaf, Relation
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.equations.multiplier import MultiplierForm
from geoctrl.systems.gates import (
    as_description,
    as_mechanism,
    as_system,
    as_written,
    with_recorded_families,
)
from geoctrl.systems.imported import Imported
from geoctrl.systems.jumps.hybrid_system import HybridSystem
from geoctrl.systems.jumps.jump import Impact, Jump
from geoctrl.systems.jumps.transition import Transition
from geoctrl.systems.parts.families import Equilibrium, Family
from geoctrl.systems.parts.friction import Friction, reaction
from geoctrl.systems.parts.names import check_names, input_symbol, plain_inputs, time
from geoctrl.systems.parts.parameters import Parameter
from geoctrl.systems.parts.rotors import Motor, Rotors
from geoctrl.systems.parts.symmetry_axis import Axis
from geoctrl.systems.printing.equations import Equations, HamelTensors
from geoctrl.systems.reduced import ReducedSystem
from geoctrl.systems.trees.joints import Ball, Fixed, Free, Hinge, Planar, Slide
from geoctrl.systems.trees.links import Link
from geoctrl.systems.trees.quaternions import Quaternion, turn
from geoctrl.systems.trees.rolling import Rolling
from geoctrl.systems.trees.tree import Tree
from geoctrl.systems.unit_check import check_units
from geoctrl.systems.units.unit_change import UnitChange
from geoctrl.systems.vector_field import VectorField
from geoctrl.systems.wheels import Wheel

__all__ = [
    "Axis",
    "Ball",
    "Connection",
    "Displacement",
    "Equations",
    "Equilibrium",
    "EulerPoincare",
    "Family",
    "Fixed",
    "Free",
    "Friction",
    "HamelTensors",
    "Hinge",
    "HybridSystem",
    "Impact",
    "Imported",
    "Jump",
    "Lagrangian",
    "Leaf",
    "Link",
    "Mechanism",
    "Motor",
    "MultiplierForm",
    "Parameter",
    "Planar",
    "Quaternion",
    "ReducedSystem",
    "Relation",
    "Rolling",
    "Rotors",
    "Seen",
    "SlenderLink",
    "Slide",
    "System",
    "TorqueSpeed",
    "Transition",
    "Tree",
    "UnitChange",
    "VectorField",
    "ViscousBody",
    "Wheel",
    "as_description",
    "as_mechanism",
    "as_system",
    "as_written",
    "check_names",
    "check_units",
    "input_symbol",
    "plain_inputs",
    "reaction",
    "time",
    "turn",
    "with_recorded_families",
]
