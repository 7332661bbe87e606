"""Description of a mechanism and its reduction."""

from geoctrl.systems.axis import Axis
from geoctrl.systems.contract import Lagrangian, Seen, System
from geoctrl.systems.description import EulerPoincare
from geoctrl.systems.families import Equilibrium, Family
from geoctrl.systems.friction import Friction
from geoctrl.systems.gates import as_mechanism, as_system
from geoctrl.systems.names import check_names, input_symbol, plain_inputs, time
from geoctrl.systems.parameters import Parameter
from geoctrl.systems.reactions import reaction
from geoctrl.systems.reduced import ReducedSystem
from geoctrl.systems.rotors import Rotors
from geoctrl.systems.unit_change import UnitChange
from geoctrl.systems.unit_check import check_units

__all__ = [
    "Axis",
    "Equilibrium",
    "EulerPoincare",
    "Family",
    "Friction",
    "Lagrangian",
    "Parameter",
    "ReducedSystem",
    "Rotors",
    "Seen",
    "System",
    "UnitChange",
    "as_mechanism",
    "as_system",
    "check_names",
    "check_units",
    "input_symbol",
    "plain_inputs",
    "reaction",
    "time",
]
