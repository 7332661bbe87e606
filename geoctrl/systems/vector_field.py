"""First-order systems: states, and their rates as they are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import sympy as sp

from geoctrl._calls.long_calls import long_call
from geoctrl._checks import nearest
from geoctrl._printing.printed_lines import WIDTH, full_text, on_one_page, short_form
from geoctrl._scalars import expression, shown
from geoctrl.algebra import Coordinate, LieAlgebra
from geoctrl.algebra.coordinate import without_velocities
from geoctrl.algebra.structure import Entries
from geoctrl.errors import DescriptionError
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.parts.families import Equilibrium, Family
from geoctrl.systems.parts.leaf_relations import Relations
from geoctrl.systems.parts.names import input_symbol, plain_inputs, with_exchanged_symbols
from geoctrl.systems.parts.parameters import Parameter
from geoctrl.systems.printing.summary_page import mechanism_page, parameter_units
from geoctrl.systems.reduced import ReducedSystem, reduced_system
from geoctrl.systems.typesetting.decimal_printing import assignment_text
from geoctrl.systems.units.unit_change import UnitChange, change_of, changed_mechanism

__all__ = ["VectorField"]

_ENTRIES = (
    "leaf",
    "inputs",
    "parameters",
    "parameter_sets",
    "outputs",
    "equilibria",
    "invariants",
    "domain",
    "feedback",
    "controller",
    "name",
    "source",
)


class VectorField(Mechanism):
    r"""A first-order system :math:`\dot x = f(t, x, u; p)`, as a mechanism is described: frozen data.

    No state is made beside those given: what has rates ``..._dot`` of its own is `EulerPoincare` with
    ``algebra=None`` and ``shape=``. Inputs may stand anywhere in the rates, in any way.

    Parameters
    ----------
    states : sequence of names, symbols or Coordinate
        In the order of the system's state. A name makes a real symbol; a symbol without assumptions is taken
        for the real one of its name. A `Coordinate` tells a unit, or that the state is an angle.
    rates : sequence of expressions, or mapping of state -> expression
        In states, inputs, parameters, states of a controller and ``time``; as many as there are states.
    leaf : sequence of expressions, or mapping name -> expression, each zero along motions
        A bare state is removed from the system.
    inputs : sequence of names or symbols
    parameters : sequence of Parameter
    parameter_sets : mapping name -> {parameter: value}
    outputs : mapping label -> expression, optional
    equilibria : mapping name -> Family
    invariants : mapping name -> expression
        Functions that motions keep: offered to proofs, in which they are checked.
    domain : mapping name -> inequality, optional
        Where the model holds.
    feedback : mapping of input label -> expression, optional
        Closes an input.
    controller : mapping of label -> rate, optional
        States of a dynamic feedback, the last of the system.
    name, source : str

    Raises
    ------
    DescriptionError
        Without states; if rates are not as many as states, or are those of other names; if a name stands for
        two things, or an expression holds a symbol that is not declared.
    TypeError, InputError, ParameterError
        For an entry of another kind than it must be; if a parameter has the name of a state.

    Examples
    --------
    >>> import sympy as sp, geoctrl as gc
    >>> v = gc.Parameter("v", 1.5, "m/s", positive=True)
    >>> y, theta = gc.Coordinate("y", unit="m"), gc.Coordinate("theta", angle=True)
    >>> kappa = sp.Symbol("kappa", real=True)
    >>> car = gc.VectorField(states=[y, theta], rates=[v * sp.sin(theta), v * kappa], inputs=["kappa"],
    ...                      parameters=[v], equilibria={"on the line": gc.Family({})}, name="car on a line")
    >>> system = car.reduce()
    >>> law = gc.lqr(system, system.equilibrium("on the line"))
    >>> loop = law.closed_loop()
    >>> gc.certify(loop, loop.equilibrium("on the line")).verdict.name
    'PROVED_ASYMPTOTICALLY_STABLE'
    """

    def __init__(
        self,
        states: Sequence[Any],
        rates: Sequence[Any] | Mapping[Any, Any],
        leaf: Any = (),
        inputs: Sequence[Any] = (),
        parameters: Sequence[Parameter] = (),
        outputs: Mapping[str, Any] | None = None,
        equilibria: Mapping[str, Family] | None = None,
        invariants: Mapping[str, Any] | None = None,
        domain: Mapping[str, Any] | None = None,
        feedback: Mapping[str, Any] | None = None,
        controller: Mapping[str, Any] | None = None,
        parameter_sets: Mapping[str, Mapping[str, float]] | None = None,
        name: str = "",
        source: str = "",
    ) -> None:
        shape = _coordinates(states)
        plain = {sp.Symbol(c.name): c.symbol for c in shape}
        if isinstance(inputs, Iterable) and not isinstance(inputs, (str, Mapping, sp.Basic)):
            plain |= plain_inputs(tuple(map(input_symbol, inputs)))

        def own_symbols(given: Any) -> Any:
            """What is given with symbols of states and inputs in place of those without assumptions."""
            if isinstance(given, Mapping):
                return {k: own_symbols(e) for k, e in given.items()}
            if isinstance(given, sp.Expr):
                return with_exchanged_symbols(given, plain)
            return given.xreplace(plain) if isinstance(given, sp.logic.boolalg.Boolean) else given

        given = {name: expression(e, f"the rate of {name!r}") for name, e in _rates(rates, shape)}
        object.__setattr__(self, "rates", own_symbols(given))
        super().__init__(
            shape=shape,
            inertia=sp.zeros(0, 0),
            leaf=_relations_of(leaf, own_symbols),
            inputs=inputs,
            parameters=parameters,
            parameter_sets=parameter_sets or {},
            outputs=own_symbols({} if outputs is None else outputs),
            equilibria={} if equilibria is None else equilibria,
            invariants=own_symbols({} if invariants is None else invariants),
            domain=own_symbols({} if domain is None else domain),
            feedback=own_symbols({} if feedback is None else feedback),
            controller=own_symbols({} if controller is None else controller),
            name=name,
            source=source,
        )

    @property
    def states(self) -> tuple[Coordinate, ...]:
        """The states that are given, in their order."""
        return tuple(self.shape)

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Empty: no motor of the description limits an input."""
        return {}

    @property
    def _algebra_of_velocities(self) -> LieAlgebra:
        return without_velocities()

    @cached_property
    def kinematics(self) -> Entries:
        """Empty: no velocity moves the states."""
        return ()

    def replace(self, **changes: Any) -> Self:
        """A copy with some entries changed, checked anew.

        Raises
        ------
        DescriptionError
            For an entry that a vector field has not, as an inertia, or one of another name.
        """
        given = {k: v for k, v in changes.items() if not _is_absent(k, v)}
        if "shape" in given:
            given["states"] = given.pop("shape")
        entries = ("states", "rates", *_ENTRIES)
        for entry in given:
            if entry not in entries:
                raise DescriptionError(f"a vector field has no {entry!r}{nearest(entry, entries)}")
        kept = {k: getattr(self, k) for k in _ENTRIES} | {"states": self.shape, "rates": self.rates}
        return type(self)(**{**kept, **given})

    def __repr__(self) -> str:
        lines = [
            f"<VectorField {self.name or 'unnamed'}: .reduce() gives the system>",
            f"  states: {', '.join(c.name for c in self.shape)}",
            f"  parameters: {assignment_text(self.defaults, parameter_units(self))}",
            f"  families: {', '.join(self.equilibria) or '-'}",
        ]
        return on_one_page(lines)

    def _lines(self) -> list[str]:
        return mechanism_page(self, width=WIDTH).split("\n")

    full = full_text
    __str__ = short_form

    def _repr_latex_(self) -> str:
        return self.reduce()._repr_latex_()

    @long_call
    def reduce(
        self,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> ReducedSystem:
        """The system of the contract (remembered: the same object at every call).

        Parameters
        ----------
        progress, seconds
            As of `EulerPoincare.reduce`.

        Raises
        ------
        ConstraintError
            If a leaf relation has a vanishing gradient or is not kept by the motion.
        """
        return reduced_system(self)

    def equilibrium(
        self, name: str, params: Mapping[str, float] | None = None, **values: float
    ) -> Equilibrium:
        """Member of a declared family of equilibria; see `ReducedSystem.equilibrium`."""
        return self.reduce().equilibrium(name, params=params, **values)

    def in_units(
        self, mass: Any = 1, length: Any = 1, time: Any = 1, current: Any = 1
    ) -> tuple[Self, UnitChange]:
        """The same field in other units, and what becomes of numbers; as `EulerPoincare.in_units`."""
        system = self.reduce()
        change = change_of(system, {"mass": mass, "length": length, "time": time, "current": current})
        return changed_mechanism(self, change, system.measures), change


def _coordinates(states: Any) -> tuple[Coordinate, ...]:
    """The states as coordinates."""
    if isinstance(states, (str, Mapping, sp.Basic)) or not isinstance(states, Iterable):
        raise TypeError(
            f"states must be a list of names, symbols or gc.Coordinate objects, got {shown(states)}"
        )
    found: list[Coordinate] = []
    for state in states:
        if isinstance(state, Coordinate):
            found.append(state)
        elif isinstance(state, (str, sp.Symbol)):
            found.append(Coordinate(str(state)))
        else:
            raise TypeError(f"a state must be a name, a symbol or a gc.Coordinate, got {shown(state)}")
    if not found:
        raise DescriptionError('a vector field needs a state, as in states=["x"], rates=[-sympy.Symbol("x")]')
    names = [c.name for c in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DescriptionError(f"states repeat: {', '.join(twice)}")
    return tuple(found)


def _rates(rates: Any, shape: Sequence[Coordinate]) -> list[tuple[str, Any]]:
    """Pairs of a state and its rate, in the order of the states."""
    names = [c.name for c in shape]
    if isinstance(rates, sp.MatrixBase):
        rates = list(rates)
    if isinstance(rates, Mapping):
        by_name = {str(getattr(k, "name", k)): e for k, e in rates.items()}
        for name in by_name:
            if name not in names:
                raise DescriptionError(f"rates: no state {name!r}{nearest(name, names)}")
        if missing := [name for name in names if name not in by_name]:
            raise DescriptionError(f"rates are missing: {', '.join(missing)}")
        return [(name, by_name[name]) for name in names]
    if isinstance(rates, (str, sp.Basic)) or not isinstance(rates, Iterable):
        raise TypeError(f"rates must be a list, or a dict by state, got {shown(rates)}")
    if len(listed := list(rates)) != len(names):
        raise DescriptionError(
            f"{len(listed)} rates are given for {len(names)} states, {', '.join(names)}: one each, in order"
        )
    return list(zip(names, listed, strict=True))


def _relations_of(leaf: Any, own_symbols: Callable[[Any], Any]) -> Any:
    """Relations of the leaf with their symbols read; those that a description has keep their names."""
    if isinstance(leaf, (str, sp.Basic)) or not isinstance(leaf, Iterable):
        return leaf  # refused with what else is given
    if isinstance(leaf, Relations):
        return {r.name: own_symbols(r.expr) for r in leaf.by_name}
    return own_symbols(leaf) if isinstance(leaf, Mapping) else [own_symbols(e) for e in leaf]


def _is_absent(entry: str, value: Any) -> bool:
    """Whether an entry that mechanisms have is left empty, as laws leave it."""
    never = (
        *("symmetry", "advected", "quasicoordinates", "view_of", "seen_from"),
        *("friction", "constraints", "rotors"),
    )
    return entry in never and (value is None or not tuple(value))
