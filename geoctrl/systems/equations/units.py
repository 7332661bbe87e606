"""SI units of states and inputs, where the description says what they are, and as they are found from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp

from geoctrl._scalars import Node
from geoctrl.algebra import AdvectedVector
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.units.homogeneity import Homogeneity, Term
from geoctrl.systems.units.measures import Measures, given_units, require_families
from geoctrl.systems.units.si_units import JOULE, ONE, SECOND, Unit, has_number, read_unit

__all__ = ["input_units", "measures_of", "state_units", "told_units"]

_FORCES = {"rad": "N m", "m": "N"}
"""Of a generalised force, by the unit of the coordinate along which it works."""
_POINTING = ("so3", "se3")


def state_units(mechanism: Mechanism) -> dict[str, str]:
    """Units by label of coordinates and their rates, rotor rates, and velocities of the standard groups.

    Frame velocities and advected components have none here: their units are the user's.
    """
    found = dict(_velocities(mechanism))
    for c in mechanism.shape:
        if c.unit:
            found |= {c.name: c.unit, c.rate_label: f"{c.unit}/s"}
    if mechanism.rotors is not None:
        found |= dict.fromkeys(mechanism.rotors.rate_labels, "rad/s")
    return found


def input_units(mechanism: Mechanism) -> dict[str, str]:
    """Units by label of rotor torques, and of inputs that are forces along velocities of one known unit.

    A motor between two links turns one and, the other way, the other: it is a torque all the same.
    """
    units = state_units(mechanism)
    found: dict[str, str] = {}
    if mechanism.rotors is not None:
        pairs = zip(mechanism.rotors.input_labels, mechanism.rotors.motors, strict=True)
        found |= {label: "N m" if motor is None else "V" for label, motor in pairs}
    if mechanism.forces is None:
        return found
    for u in mechanism.inputs:
        effects = [sp.diff(force, u) for force in mechanism.forces]
        along = [label for label, e in zip(mechanism.algebra.labels, effects, strict=True) if e != 0]
        kinds = {_FORCES.get(units.get(label, "").removesuffix("/s")) for label in along}
        if len(kinds) == 1 and {abs(e) for e in effects} <= {0, 1} and (unit := kinds.pop()):
            found[str(u)] = unit
    return found


def told_units(mechanism: Mechanism, found: Mapping[str, str]) -> dict[str, str]:
    """Units by label as they are printed: those that are ``found`` from parameters go before `input_units`.

    The latter are of the SI, and left out where parameters have numbers in front of their units. Pure numbers
    have none.
    """
    given = (p.unit for p in mechanism.parameters)
    told = {} if any(map(has_number, given)) else input_units(mechanism)
    return {label: unit for label, unit in (told | dict(found)).items() if unit != "1"}


def _velocities(mechanism: Mechanism) -> dict[str, str]:
    """Of rotation and translation of a body, under the labels that these groups have."""
    group = mechanism.group
    if group is None or not {f.name for f in group.factors} & set(_POINTING):
        return {}
    kinds = {"Omega": "rad/s", "Y": "m/s"}
    parts = ((label, label.partition("_")[0].rstrip("0123456789")) for label in group.labels)
    return {label: kinds[stem] for label, stem in parts if stem in kinds}


# -- found from the units of parameters ---------------------------------------------------------------


def measures_of(system: Any) -> Measures:
    """Units of a reduced system.

    The Lagrangian is a sum of energies, forces times velocities are powers, every rate is that of its state,
    and the rest of the description is made of sums of equal units. So the reduced equations are.
    """
    return _Reduced(system).measures()


class _Reduced:
    """The sums of a reduced system, in the order in which contradictions are looked for."""

    def __init__(self, system: Any) -> None:
        self.system, self.a, self.m = system, system.assembly, system.mechanism
        self.parameters = given_units(self.m.parameters)
        self.coordinates = {
            c.name: read_unit(c.unit, f"the coordinate {c.name!r}")
            for c in self.m.variables
            if c.unit.strip()
        }
        states = dict(zip(system.state_labels, system.state_nodes, strict=True))
        inputs = dict(zip(system.input_labels, system.input_nodes, strict=True))
        places = dict(zip(map(str, self.m.configuration_symbols), self.a.gamma, strict=True))
        rates = dict(zip(self.m.velocity_labels, self.a.xi, strict=True))
        self.nodes: dict[str, Node] = {**rates, **places, **states, **inputs, **self.a.parameters}
        known = {self.a.parameters[k]: unit.dimension for k, unit in self.parameters.items()}
        known |= {places[k]: unit.dimension for k, unit in self.coordinates.items()}
        known[self.a.time] = SECOND
        told = {k: read_unit(text, k) for k, text in state_units(self.m).items()}
        known |= {rates[k]: u.dimension for k, u in told.items() if k in rates and rates[k].kind == "sym"}
        self.h = Homogeneity(system.graph, known)
        self.declared = {k: u for k, u in told.items() if k in states}

    def measures(self) -> Measures:
        """Require everything, and tell what follows; of numbers alone nothing is known."""
        given = {f"the parameter {k!r}": u for k, u in self.parameters.items()}
        if given:
            given |= {f"the coordinate {k!r}": u for k, u in self.coordinates.items()}
            self._kinematics()
            self._frames()
            self._lagrangian()
            self._relations()
            self._invariants()
            if not self.m.feedback:  # gains of a law are numbers, whatever their units
                self._powers()
                self._signals()
            self._families()
            for vector in self.m.advected:  # directions, where nothing else says what they are
                self.h.equate(self.h.unit_of(self._place(vector.symbols[0])), ONE)
        return Measures(self.h, self.nodes, given, self.declared, self._turning())

    def _families(self) -> None:
        """Members of families have the units of states and inputs."""
        table = {p.symbol: self.a.parameters[p.name] for p in self.m.parameters}
        units = {label: self.h.unit_of(node) for label, node in self.nodes.items()}
        symbols = require_families(self.h, self.m.equilibria, table, units)
        for node in symbols.values():  # as the direction of an axis, where its length does not matter
            self.h.equate(self.h.unit_of(node), ONE)
        self.nodes |= symbols

    def _turning(self) -> list[str]:
        """Labels of angles and of velocities."""
        angles = [c.name for c in self.m.shape if c.angle or c.unit == "rad"]
        return [*angles, *self.system.state_labels[: len(self.a.velocity)]]

    def _place(self, symbol: sp.Symbol) -> Node:
        return self.a.gamma[list(self.m.configuration_symbols).index(symbol)]

    def _kinematics(self) -> None:
        """Rates are those of their states, velocities compose as the bracket says."""
        a, h = self.a, self.h
        for xi, label in zip(a.xi, self.m.velocity_labels, strict=True):
            h.unit_of(xi, f"the velocity {label}")
        for i, j, k, _ in self.m.algebra.brackets:
            if all(not a.xi[place].is_zero for place in (i, j, k)):
                first, second, third = (h.unit_of(a.xi[place]) or ONE for place in (i, j, k))
                labels = [self.m.velocity_labels[place] for place in (i, j, k)]
                h.require(
                    f"the bracket of {labels[0]} and {labels[1]}",
                    [
                        (f"{labels[0]} {labels[1]}", first * second),
                        (f"the rate of {labels[2]}", third / SECOND),
                    ],
                )
        for vector in self.m.advected:
            if isinstance(vector, AdvectedVector):
                nodes = [self._place(s) for s in vector.symbols]
                h.require(f"|{vector.name}|", [(n, h.unit_of(n)) for n in nodes])
        carried = a.advection if self.m.rates else a.gamma_rates(a.xi)
        for node, rate, symbol in zip(a.gamma, carried, self.m.configuration_symbols, strict=True):
            where = f"the rate of {symbol}"
            h.require(where, [(f"{symbol}/s", self._per_second(node)), (rate, h.unit_of(rate, where))])

    def _frames(self) -> None:
        """Axes that move have velocities of the factor that is seen from them; numbers tell nothing."""
        for frame in self.m.seen_from:
            for label, given in frame.by_label(self.m.algebra).items():
                if given.free_symbols:
                    node, xi = self.a.configuration(given), self.a.xi[self.m.algebra.labels.index(label)]
                    where = f"the frame's {label}"
                    self.h.require(where, [(label, self.h.unit_of(xi)), (node, self.h.unit_of(node))])

    def _per_second(self, node: Node) -> Unit:
        return (self.h.unit_of(node) or ONE) / SECOND

    def _lagrangian(self) -> None:
        """Terms of the Lagrangian are energies; each is compared with the first one."""
        a, h, m = self.a, self.h, self.m
        first: Term = ("an energy", JOULE)
        for i, j, e in self._inertia():
            labels = [m.velocity_labels[k] for k in (i, j)]
            node, where = a.configuration(e), f"the inertia of {' and '.join(labels)}"
            unit, pair = h.unit_of(node, where), [h.unit_of(a.xi[k]) for k in (i, j)]
            if unit is not None and None not in pair:
                energy = unit * (pair[0] or ONE) * (pair[1] or ONE)
                term: Term = (f"({h.text(node)}) {' '.join(labels)}", energy)
                h.require("the Lagrangian", [first, term])
                first = first if first[0] != "an energy" else term
        own = m.gyroscopic or [sp.S.Zero] * m.algebra.n
        for label, xi, e in zip(
            m.velocity_labels, a.xi, [*own, *(m.rotors.gyroscopic if m.rotors else ())], strict=True
        ):
            node = a.configuration(e)
            unit, rate = h.unit_of(node, "the gyroscopic term"), h.unit_of(xi)
            if unit is not None and rate is not None:
                h.require("the Lagrangian", [first, (f"({h.text(node)}) {label}", unit * rate)])
        potential = a.configuration(m.potential)
        h.require("the Lagrangian", [first, (potential, h.unit_of(potential, "the potential"))])

    def _inertia(self) -> Iterator[tuple[int, int, sp.Expr]]:
        """Entries of the inertia, those of rotors after the others."""
        m, n = self.m, self.m.algebra.n
        yield from ((i, j, m.inertia[i, j]) for i in range(n) for j in range(i + 1))
        if m.rotors is not None:
            for k in range(m.rotors.count):
                yield from ((n + k, j, m.rotors.coupling[j, k]) for j in range(n))
                yield from ((n + k, n + j, m.rotors.inertia[k, j]) for j in range(k + 1))

    def _powers(self) -> None:
        """Generalised forces times velocities are powers."""
        a, h = self.a, self.h
        for label, xi, force in zip(self.m.velocity_labels, a.xi, a.applied, strict=True):
            where = f"the force along {label}"
            unit, rate = h.unit_of(force, where), h.unit_of(xi)
            if unit is not None and rate is not None:
                h.require(where, [(f"a power over {label}", JOULE / SECOND / rate), (force, unit)])

    def _relations(self) -> None:
        """Constraints and relations of the leaf are sums of equal units."""
        a, h, m = self.a, self.h, self.m
        rows = [] if m.constraints is None else m.constraints.tolist()
        for name, row in zip(m.row_names, rows, strict=True):
            where, terms = f"the constraint {name!r}", []
            for e, xi, label in zip(row, a.xi, m.velocity_labels, strict=False):
                node = a.configuration(e)
                unit, rate = h.unit_of(node, where), h.unit_of(xi)
                if unit is not None and rate is not None:
                    terms.append((f"({h.text(node)}) {label}", unit * rate))
            h.require(where, terms)
        for relation in m.leaf.by_name:
            h.unit_of(self.system.expression(relation.expr), f"the relation {relation}")

    def _invariants(self) -> None:
        """Invariants are made of sums of equal units."""
        for name, e in self.m.invariants.items():
            self.h.unit_of(self.system.expression(e), f"the invariant {name!r}")

    def _signals(self) -> None:
        """Outputs, margins of the domain and rates of a controller are made of sums of equal units."""
        for name, e in self.m.outputs.items():
            self.h.unit_of(self.system.expression(e), f"the output {name!r}")
        for name, side in self.m.edges.items():
            self.h.unit_of(self.system.expression(side.margin), f"the side {name!r} of the domain")
        for node, rate in zip(self.a.controller, self.a.controller_rates, strict=True):
            where = f"the rate of {node.payload}"
            self.h.require(where, [(where, self._per_second(node)), (rate, self.h.unit_of(rate, where))])
