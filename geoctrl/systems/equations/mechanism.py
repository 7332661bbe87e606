"""The data of a mechanism, checked once, from which everything else is derived."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from geoctrl._checks import flag, nearest
from geoctrl._scalars import expression, shown
from geoctrl.algebra import (
    AdvectedParameter,
    AdvectedVector,
    Coordinate,
    Height,
    LieAlgebra,
    Quasicoordinate,
    SteadyFrame,
)
from geoctrl.algebra.coordinate import with_rates
from geoctrl.algebra.structure import Entries
from geoctrl.errors import DescriptionError, ParameterError
from geoctrl.systems.contract.system_contract import System
from geoctrl.systems.parts.description_entries import (
    constraint_rows,
    energy_fields,
    frame_columns,
    in_order,
    read_directions,
    read_set,
    require_kinds,
    shaped_matrix,
    warn_of_moments,
)
from geoctrl.systems.parts.domain import Side, read_domain
from geoctrl.systems.parts.families import Family
from geoctrl.systems.parts.friction import Friction, forces_of, loaded_sides, loads_of, require_friction_rows
from geoctrl.systems.parts.leaf_relations import read_relations, removals
from geoctrl.systems.parts.names import (
    check_families,
    check_names,
    check_sets,
    check_symbols,
    input_symbol,
    plain_inputs,
    still_drawn,
    with_exchanged_symbols,
)
from geoctrl.systems.parts.parameters import Parameter
from geoctrl.systems.parts.rotors import Rotors
from geoctrl.systems.parts.symmetry_axis import Axis
from geoctrl.systems.picture import Solid
from geoctrl.systems.trees.tree import Tree
from geoctrl.systems.trees.tree_fields import FieldOfTree, fields_of_tree, inertia_of_tree, potential_of_tree

__all__ = ["Mechanism"]

_INERTIA, _POTENTIAL = FieldOfTree(None, inertia_of_tree), FieldOfTree(0, potential_of_tree)


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(ABC):
    """What a mechanism is made of; `EulerPoincare` says what each entry means, and completes it."""

    algebra: LieAlgebra = None  # type: ignore[assignment]  # from construction on that of all velocities
    advected: Sequence[AdvectedVector | AdvectedParameter | Height] = ()
    inertia: Any = _INERTIA
    potential: Any = _POTENTIAL
    gyroscopic: Any = None
    lagrangian: Any = None
    constraints: Any = None
    frame: Any = None
    leaf: Any = ()
    rotors: Rotors | None = None
    forces: Any = None
    inputs: Sequence[Any] = ()
    feedback: Mapping[str, Any] = field(default_factory=dict)
    controller: Mapping[str, Any] = field(default_factory=dict)
    invariants: Mapping[str, Any] = field(default_factory=dict)
    parameters: Sequence[Parameter] = ()
    parameter_sets: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    equilibria: Mapping[str, Family] = field(default_factory=dict)
    contact: Any = None
    symmetry: Axis | None = None
    velocities: Sequence[str] | None = None
    outputs: Mapping[str, Any] = field(default_factory=dict)
    indefinite: bool = False
    view_of: Mechanism | None = None
    source: str = ""
    name: str = ""
    shape: Sequence[Coordinate] = ()
    reactions: Mapping[str, Any] = field(default_factory=dict)
    domain: Mapping[str, Any] = field(default_factory=dict)
    friction: Sequence[Friction] = ()
    quasicoordinates: Sequence[Quasicoordinate] = ()
    tree: Tree | None = None
    picture: Sequence[Solid] = ()
    imported: Any = None
    wheels: Sequence[Any] = ()
    modes: Mapping[str, Sequence[str]] | None = None
    jumps: Sequence[Any] = ()
    seen_from: Sequence[SteadyFrame] = ()
    group: LieAlgebra | None = field(init=False, default=None)
    row_names: tuple[str, ...] = field(init=False, default=())
    beside_tree: dict[str, Any] = field(init=False, default_factory=dict)
    rates: ClassVar[Mapping[str, sp.Expr]] = {}
    """Rates of the coordinates by name where these have no velocities: those of a vector field."""

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        require_kinds(self)
        if self.view_of is not None and not isinstance(self.view_of, Mechanism):
            raise TypeError(f"view_of must be a gc.EulerPoincare, got {shown(self.view_of)}")
        put("indefinite", flag("indefinite", self.indefinite))
        made = {} if self.tree is None else fields_of_tree(self)
        put("beside_tree", {k: getattr(self, k) for k in made} | ({"inertia": None} if made else {}))
        for name, value in made.items():
            put(name, value)
        for what in ("advected", "shape", "quasicoordinates", "picture", "friction", "seen_from"):
            put(what, tuple(getattr(self, what)))
        if self.quasicoordinates and self.symmetry is not None:
            functions = ", ".join(z.name for z in self.quasicoordinates)
            unknown = f"how a turn moves {functions} is not known; leave out symmetry="
            raise DescriptionError(f"symmetry= and quasicoordinates= do not go together: {unknown}")
        put("group", self.algebra)
        put("algebra", self._algebra_of_velocities)
        put("parameters", tuple(self.parameters))
        for parameter in self.parameters:
            if not isinstance(parameter, Parameter):
                raise DescriptionError(f"parameters must be gc.Parameter objects, got {parameter!r}")
        put("inputs", tuple(map(input_symbol, self.inputs)))
        for what in ("invariants", "outputs", "controller", "feedback"):
            put(what, {str(k): expression(v, f"{what}[{k!r}]") for k, v in getattr(self, what).items()})
        plain = plain_inputs(self.actuator_symbols)
        put("outputs", {k: with_exchanged_symbols(e, plain) for k, e in self.outputs.items()})
        put("equilibria", dict(self.equilibria))
        put("parameter_sets", {k: read_set(k, v) for k, v in self.parameter_sets.items()})
        n = self.algebra.n
        for name, value in energy_fields(self).items():
            put(name, value)
        if self.gyroscopic is not None:
            put("gyroscopic", shaped_matrix("gyroscopic", self.gyroscopic, (n, 1), self.algebra.labels))
        if self.forces is not None:
            forces = shaped_matrix("forces", self.forces, (n, 1), self.algebra.labels)
            put("forces", forces.xreplace(plain))
        require_friction_rows(self.friction, self.algebra.labels, self.velocity_labels)
        if self.contact is not None:
            put("contact", shaped_matrix("contact", self.contact, (3, 1)))
        rows, names = constraint_rows(self.constraints, self.algebra.labels, self.modes is None)
        put("constraints", rows)
        put("row_names", names)
        put("domain", read_domain(self.domain))
        put("reactions", read_directions(self.reactions, names, self.algebra.labels))
        put("frame", frame_columns(self))
        self._check_velocities()
        if self.rotors is not None and self.rotors.coupling.rows != n:
            raise DescriptionError(
                f"the rotors' coupling needs {n} rows, got {self.rotors.coupling.rows}"
                f"{in_order(self.algebra.labels)}"
            )
        _ = self.kinematics, self.transport  # what is advected fits the algebra
        put("leaf", read_relations(self.leaf, self._reported_names, [p.name for p in self.parameters]))
        self._check_names()
        check_symbols(self)
        warn_of_moments(self)

    @property
    def _algebra_of_velocities(self) -> LieAlgebra:
        return with_rates(self.group, self.shape)

    def _check_velocities(self) -> None:
        if self.velocities is None:
            return
        if self.frame is None:
            raise DescriptionError("velocities names those of a given frame; give frame= as well")
        put = tuple(self.velocities)
        if len(put) != len(self._default_velocities) or not all(str(v).isidentifier() for v in put):
            raise DescriptionError(
                f"velocities must be {len(self._default_velocities)} identifiers, got {put}"
            )

    @property
    def _default_velocities(self) -> tuple[str, ...]:
        k = self.algebra.n - (0 if self.constraints is None else self.constraints.rows)
        return tuple(f"v{i + 1}" for i in range(k))

    @property
    def quasivelocity_labels(self) -> tuple[str, ...]:
        """Labels of a given frame's quasivelocities; empty without one."""
        if self.frame is None:
            return ()
        return self._default_velocities if self.velocities is None else tuple(self.velocities)

    @property
    def advected_symbols(self) -> tuple[sp.Symbol, ...]:
        """Symbols of all advected components."""
        return tuple(s for a in self.advected for s in a.symbols)

    @property
    def configuration_symbols(self) -> tuple[sp.Symbol, ...]:
        """Symbols of Gamma in the order of the state: advected components, coordinates, quasi-coordinates."""
        return (*self.advected_symbols, *(c.symbol for c in self.variables))

    @property
    def variables(self) -> tuple[Coordinate | Quasicoordinate, ...]:
        """What follows the advected components in Gamma: coordinates and quasi-coordinates."""
        return (*self.shape, *self.quasicoordinates)

    @cached_property
    def transport(self) -> tuple[tuple[int, int, sp.Expr], ...]:
        r"""Nonzero (i, j, w) of the quasi-coordinates' :math:`\dot\Gamma_i = w_{ij} \xi_j`.

        Raises
        ------
        DescriptionError
            If a rate is not linear in the velocities.
        """
        xi, found = (*self.algebra.xi, *(self.rotors.rates if self.rotors else ())), []
        start = len(self.configuration_symbols) - len(self.quasicoordinates)
        for i, z in enumerate(self.quasicoordinates, start=start):
            w = [sp.diff(z.rate, v) for v in xi]
            if any(e.free_symbols & set(xi) for e in w) or sp.expand(z.rate.subs(dict.fromkeys(xi, 0))) != 0:
                raise DescriptionError(
                    f"the rate of the quasi-coordinate {z.name!r} must be linear in the velocities "
                    f"{', '.join(self.velocity_labels)}, got {z.rate}"
                )
            found += [(i, j, e) for j, e in enumerate(w) if e != 0]
        return tuple(found)

    @property
    def reference(self) -> tuple[Fraction, ...]:
        """Gamma at the references of the advected vectors; all that follows is zero."""
        return (*(q for a in self.advected for q in a.reference), *[Fraction(0)] * len(self.variables))

    @cached_property
    def kinematics(self) -> Entries:
        r"""Nonzero (i, j, m, kappa) of :math:`\dot\Gamma_i = -\kappa_{ijm} \xi_j \Gamma_m`.

        Here Gamma, without quasi-coordinates (`transport`), is followed by the number one: a coordinate moves
        with its rate, whatever Gamma is.

        Raises
        ------
        DescriptionError
            If an advected parameter does not fit the algebra.
        """
        entries: list[tuple[int, int, int, Fraction]] = []
        start = 0
        for advected in self.advected:
            if self.group is None:
                raise DescriptionError(f"{advected.name}: there is no group to carry it; give algebra=")
            place = list(range(start, start + advected.dimension))
            if isinstance(advected, Height):
                place = [*self._place_of(advected), start]
            moved = advected.action(self.group)
            entries += [(place[i], j, place[m], value) for i, j, m, value in moved]
            start += advected.dimension
        first, one = self.algebra.n - len(self.shape), start + len(self.shape)
        entries += [(start + c, first + c, one, Fraction(-1)) for c in range(len(self.shape))]
        return tuple(entries)

    def _place_of(self, height: Height) -> range:
        """Places in Gamma of the vector that a height is along."""
        start = 0
        for advected in self.advected:
            if advected == height.along:
                return range(start, start + advected.dimension)
            start += advected.dimension
        raise DescriptionError(
            f"the height {height.name!r} is along {height.along.name}, which is not among advected=; add it"
        )

    @property
    def named_rows(self) -> dict[str, list[sp.Expr]] | None:
        """Constraint rows by name; None without any."""
        if self.constraints is None:
            return None
        return dict(zip(self.row_names, self.constraints.tolist(), strict=True))

    @cached_property
    def removals(self) -> dict[sp.Expr, tuple[sp.Symbol, sp.Expr]]:
        """Relations that remove an entry of Gamma from the states, with the entry and what they make it."""
        heights = {a.symbol for a in self.advected if isinstance(a, Height)}
        return removals(self.leaf, self.configuration_symbols, heights)

    @cached_property
    def removed(self) -> dict[sp.Symbol, sp.Expr]:
        """Entries of Gamma that are no states, and what the leaf makes them: zero, or a height."""
        return dict(self.removals.values())

    @property
    def velocity_labels(self) -> tuple[str, ...]:
        """Labels of xi, followed by the rotor rates."""
        return self.algebra.labels + (self.rotors.rate_labels if self.rotors else ())

    @property
    def actuator_symbols(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the declared inputs and the rotor torques, those closed by feedback included."""
        return tuple(self.inputs) + (self.rotors.inputs if self.rotors else ())

    @property
    def controller_symbols(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the controller's states."""
        return tuple(sp.Symbol(label, real=True) for label in self.controller)

    @cached_property
    def acting(self) -> sp.ImmutableMatrix | None:
        """Generalised forces with those of friction, n x 1; None where nothing acts."""
        parts = [] if self.forces is None else [self.forces]
        parts += forces_of(self.friction, self.algebra.xi, self.rotors)[0]
        return sp.ImmutableMatrix(sum(parts[1:], sp.Matrix(parts[0]))) if parts else None

    @cached_property
    def rotor_torques(self) -> list[sp.Expr]:
        """Torques on the rotors: of their motors, and of friction in their bearings."""
        bearings = forces_of(self.friction, self.algebra.xi, self.rotors)[1]
        return list(sum(bearings, sp.Matrix(self.rotors.torques))) if self.rotors else []

    @property
    def edges(self) -> dict[str, Side]:
        """Sides of the domain by name, those of friction included."""
        return {**self.domain, **loaded_sides(self.friction)}

    @cached_property
    def loads(self) -> tuple[str, ...]:
        """Names of the reactions that the generalised forces hold."""
        return loads_of((*(self.acting or ()), *self.rotor_torques), (*self.row_names, *self.reactions))

    @property
    def input_symbols(self) -> tuple[sp.Symbol, ...]:
        """Symbols of the inputs that are open."""
        return tuple(s for s in self.actuator_symbols if s.name not in self.feedback)

    @property
    def defaults(self) -> dict[str, float | None]:
        """Default values of the parameters by name."""
        return {p.name: p.default for p in self.parameters}

    @property
    def generic(self) -> dict[str, float]:
        """The defaults, with random positive numbers where a parameter has none."""
        rng = np.random.default_rng(11)
        return {
            p.name: float(rng.uniform(0.5, 2.0)) if p.default is None else float(p.default)
            for p in self.parameters
        }

    @property
    def positive(self) -> frozenset[str]:
        """Names of the parameters declared positive."""
        return frozenset(p.name for p in self.parameters if p.positive)

    def parameter_set(self, name: str) -> dict[str, float | None]:
        """The defaults overridden by a named parameter set.

        Raises
        ------
        ParameterError
            If there is no set of that name.
        """
        if not isinstance(name, str) or name not in self.parameter_sets:
            text = "" if isinstance(name, str) else ": a set goes by its name, which is text"
            raise ParameterError(f"no parameter set {name!r}{text}{nearest(name, self.parameter_sets)}")
        return {**self.defaults, **self.parameter_sets[name]}

    def with_parameter_set(self, name: str) -> Self:
        """The same mechanism with a named set as its defaults; raises as `parameter_set` does."""
        values = self.parameter_set(name)
        parameters = tuple(replace(p, default=values[p.name]) for p in self.parameters)
        return self.replace(parameters=parameters)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed, checked anew."""
        kept = {"algebra": self.group, "constraints": self.named_rows, "picture": still_drawn(self, changes)}
        if self.tree is not None:
            along = not {*self.beside_tree, "lagrangian", "rotors", "quasicoordinates"} & {*changes}
            kept |= self.beside_tree if along else {"tree": None}
        return replace(self, **kept | changes)

    @property
    def _labels(self) -> list[str]:
        """Names of what moves and acts."""
        labels = [*self.velocity_labels]
        labels += [v for k, v in enumerate(self.quasivelocity_labels) if not self._is_velocity(k, v)]
        labels += [str(s) for s in (*self.configuration_symbols, *self.actuator_symbols)]
        return labels + list(self.controller)

    @property
    def taken(self) -> frozenset[str]:
        """Names that nothing else may have."""
        families = {s.name for family in self.equilibria.values() for s in family.symbols}
        return frozenset(
            {*self._labels, *self.algebra.momentum_labels, *families, *(p.name for p in self.parameters)}
        )

    def _is_velocity(self, k: int, label: str) -> bool:
        """Whether a given frame's quasivelocity is the velocity whose label it has."""
        if label not in self.algebra.labels:
            return False
        row = self.frame.row(self.algebra.labels.index(label))
        return all(row[j] == int(j == k) for j in range(len(self.quasivelocity_labels)))

    @property
    def _reported_names(self) -> set[str]:
        """Names under which a run reports something other than a relation of the description."""
        vectors = [a.name for a in self.advected]
        products = {f"|{v}|^2" for v in vectors} | {f"{v}.{w}" for v in vectors for w in vectors}
        rows = 0 if self.constraints is None else self.constraints.rows
        products |= {f"constraint{a + 1}" for a in range(rows)}
        return {"energy", *self.invariants, *self.outputs, *self._labels} | products

    def _check_names(self) -> None:
        labels = self._labels
        if not all(label.isidentifier() for label in self.controller):
            raise DescriptionError(f"controller states must be identifiers, got {tuple(self.controller)}")
        check_names(self.parameters, labels, "a vector, coordinate, rotor or input")
        momenta = sorted({*labels, *(p.name for p in self.parameters)} & {*self.algebra.momentum_labels})
        if momenta:
            raise DescriptionError(
                f"{', '.join(momenta)}: momenta go by these names in forces and invariants; rename what has "
                "one, or the momenta by algebra.relabelled(labels, momentum_labels)"
            )
        actuators = [s.name for s in self.actuator_symbols]
        for name in self.feedback:
            if name not in actuators:
                raise DescriptionError(f"feedback names no input: {name!r}{nearest(name, actuators)}")
        names = [p.name for p in self.parameters]
        check_sets(self.parameter_sets, names)
        taken = dict.fromkeys(labels, "a state or an input") | dict.fromkeys(names, "a parameter")
        check_families(self.equilibria, taken)

    @abstractmethod
    def reduce(self, *, progress: Any = False, seconds: float | None = None) -> System:
        """The reduced equations of motion, the same object at every call."""

    @cached_property
    def cache(self) -> dict[str, Any]:
        """What is derived from the description and kept with it; left out when it is pickled."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k != "cache"}
