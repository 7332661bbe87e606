"""Systems with modes, between which motions jump."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import methodcaller
from types import MappingProxyType
from typing import Any

import numpy as np

from geoctrl._checks import nearest
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl.errors import ConstraintError, DescriptionError, InputError, ParameterError
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.jumps.impact_transition import ImpactTransition
from geoctrl.systems.jumps.jump import Impact, Jump
from geoctrl.systems.jumps.transition import GivenTransition, NamedMode, Transition

__all__ = ["HybridSystem", "hybrid_system", "read_jumps", "read_modes"]


class HybridSystem:
    r"""Modes, each with equations of motion, and jumps between them.

    .. math:: \dot x = f_i(x), \qquad x^+ = R(x^-) \text{ where } h(x^-) = 0 \text{ is passed}

    Made by `EulerPoincare.hybrid`, or of systems that are at hand; `simulate` runs it. What is asked about
    equations that do not jump is asked about a mode.

    Parameters
    ----------
    modes : mapping of name -> ReducedSystem
        With states of their own; labels that occur in several are the same quantity.
    jumps : sequence of Jump
        An `Impact` needs a mechanism, `EulerPoincare` with ``jumps=`` and ``modes=``.
    name : str

    Attributes
    ----------
    modes : mapping of name -> ReducedSystem
    jumps : tuple of Jump or Impact
    graph_of_modes : dict of mode -> {jump: mode entered}
    state_labels : tuple of str
        Those of all modes.
    params : dict
        Default parameters of all modes.
    name : str

    Raises
    ------
    TypeError
        If the modes are no systems with recorded equations by name, or the jumps no jumps.
    InputError
        For names that are given twice, modes that do not exist, or an `Impact`.
    DescriptionError, ExpressionError
        For a guard that no state changes, a reset that leaves a state undefined, or holds an unknown symbol.

    Examples
    --------
    Heating, switched off at 22 degrees and on at 18:

    >>> import sympy as sp, geoctrl as gc
    >>> T = gc.Coordinate("T")
    >>> on, off = (gc.VectorField([T], {"T": source - T.symbol / 10}).reduce() for source in (3, 0))
    >>> warm = gc.Jump("warm", when=T.symbol - 22, direction=1, of="on", to="off")
    >>> cold = gc.Jump("cold", when=T.symbol - 18, direction=-1, of="off", to="on")
    >>> heating = gc.HybridSystem(modes={"on": on, "off": off}, jumps=[warm, cold])
    >>> heating.graph_of_modes
    {'on': {'warm': 'off'}, 'off': {'cold': 'on'}}
    >>> run = gc.simulate(heating, 10.0, [20])
    >>> [jump.name for jump in run.jumps]
    ['warm', 'cold', 'warm']
    """

    def __init__(self, modes: Mapping[str, Any], jumps: Sequence[Any], name: str = "") -> None:
        _require_modes(modes)
        given = read_jumps(jumps)
        if impact := next((jump.name for jump in given if isinstance(jump, Impact)), None):
            raise InputError(
                f"the impact {impact!r} needs the inertia that its modes share: give it to the mechanism, "
                "gc.EulerPoincare(..., modes=, jumps=).hybrid(), or write its reset as a gc.Jump"
            )
        self._make(modes, given, name)

    def _make(self, modes: Mapping[str, Any], jumps: Sequence[Any], name: str) -> None:
        self._modes, self.jumps, self.name = dict(modes), tuple(jumps), str(name)
        self._mechanism: Any = None
        self.transitions: tuple[Transition, ...] = tuple(map(self._transition, self.jumps))
        for transition in self.transitions:
            transition.check()
        labels = dict.fromkeys(label for mode in self._modes.values() for label in mode.state_labels)
        self.state_labels: tuple[str, ...] = tuple(labels)
        self.params: dict[str, float | None] = {}
        for mode in self._modes.values():
            self.params |= mode.params
        inputs = {tuple(mode.input_labels) for mode in self._modes.values()}
        if len(inputs) > 1:
            raise InputError(f"modes must have the same inputs, got {' and '.join(map(str, sorted(inputs)))}")
        (self.input_labels,) = inputs

    def _transition(self, jump: Any) -> Transition:
        of = self._mode_of(jump, "of", jump.of)
        to = of if jump.to is None else self._mode_of(jump, "to", jump.to)
        if getattr(jump, "rest", None) is not None:
            self._mode_of(jump, "rest", jump.rest)
        kind = ImpactTransition if isinstance(jump, Impact) else GivenTransition
        return kind(jump, NamedMode(of, self._modes[of]), NamedMode(to, self._modes[to]))

    def _mode_of(self, jump: Any, what: str, name: str | None) -> str:
        if name is None:
            if len(self._modes) > 1:
                raise InputError(
                    f"{what} of the jump {jump.name!r} must name a mode, of which there are "
                    f"{', '.join(map(repr, self._modes))}"
                )
            return next(iter(self._modes))
        if name not in self._modes:
            raise InputError(
                f"{what} of the jump {jump.name!r} names no mode: {name!r}{nearest(name, self._modes)}"
            )
        return name

    @property
    def modes(self) -> Mapping[str, Any]:
        """Systems by name."""
        return MappingProxyType(self._modes)

    @property
    def told_units(self) -> dict[str, str]:
        """Units by label of states and inputs as they are printed; see `System.told_units`."""
        return {k: unit for mode in self._modes.values() for k, unit in mode.told_units.items()}

    @property
    def mechanism(self) -> Any:
        """The mechanism with jumps that it is made of; None of systems that were at hand."""
        return self._mechanism

    @property
    def graph_of_modes(self) -> dict[str, dict[str, str]]:
        """Which jump leads from a mode to which."""
        return {
            mode: {t.name: t.target.name for t in self.transitions if t.source.name == mode}
            for mode in self._modes
        }

    @cached_property
    def cache(self) -> dict[Any, Any]:
        """What runs keep with the system; left out when it is pickled."""
        return {}

    def leaving(self, mode: str) -> list[Transition]:
        """Jumps from a mode."""
        return [t for t in self.transitions if t.source.name == mode]

    def pushing_rows(self, mode: str) -> list[str]:
        """Rows of a mode that can only push: what impacts release as ``leaving``, or strike as ``normal``."""
        impacts = [t.jump for t in self.transitions if isinstance(t.jump, Impact)]
        names = [impact.leaving for impact in impacts if isinstance(impact.leaving, str)]
        names += [i.rows[i.normal] for i in impacts if i.names_rows and i.normal is not None]
        held = self._modes[mode].mechanism.row_names if names else ()
        return [name for name in held if name in names]

    def mode_name(self, name: Any) -> str:
        """The mode of that name, the first one for None; InputError for any other."""
        if name is None:
            return next(iter(self._modes))
        if not isinstance(name, str) or name not in self._modes:
            raise InputError(f"there is no mode {shown(name)}{nearest(str(name), self._modes)}")
        return name

    def state(
        self, params: Mapping[str, float] | None = None, *, mode: str | None = None, **given: Any
    ) -> np.ndarray:
        """The state of a mode that has what is given, as `ReducedSystem.state` of that mode finds it.

        Parameters
        ----------
        params : dict, optional
        mode : str, optional
            The first one if it is not given.
        **given : numbers, vectors
            By label.

        Returns
        -------
        ndarray (n,)

        Raises
        ------
        InputError
            If there is no such mode, or something is given twice, is not finite or has the wrong length.
        ParameterError, LabelError
            For a name that no mode has as a parameter, or for a label that this mode has not.
        ConstraintError, FrameError
            As `ReducedSystem.state` raises them.

        Examples
        --------
        >>> import geoctrl as gc
        >>> walker = gc.models.get("compass-walker")().hybrid()
        >>> walker.state(st=0.2, sw=-0.3).tolist()
        [0.0, 0.0, 0.2, -0.3]
        """
        name = self.mode_name(mode)
        return self._modes[name].state(self.parameters_at(params)[name], **given)

    def parameters_at(self, params: Mapping[str, float] | None) -> dict[str, dict[str, float]]:
        """All parameters by mode; ParameterError for a name that no mode has."""
        given = {} if params is None else params
        if not isinstance(given, Mapping):
            raise TypeError(f"params must be a dict of name -> number, got {shown(params)}")
        for name in given:
            if name not in self.params:
                hint = nearest(str(name), self.params)
                raise ParameterError(f"no mode has a parameter {shown(name)}{hint}")
        return {
            mode: system.parameters_at({k: v for k, v in given.items() if k in system.params})
            for mode, system in self._modes.items()
        }

    def _lines(self) -> list[str]:
        lines = [f"<HybridSystem {self.name or 'unnamed'}>"]
        lines += [f"  mode {name}: {', '.join(s.state_labels)}" for name, s in self._modes.items()]
        for t in self.transitions:
            rising = {1: "rises through", -1: "falls through", 0: "passes"}[int(t.jump.direction)]
            way = f"{t.source.name} -> {t.target.name}"
            lines.append(f"  {type(t.jump).__name__.lower()} {t.name}: {way} where {t.jump.when} {rising} 0")
        return lines

    full = full_text
    __repr__ = short_form

    def __reduce__(self):
        if self._mechanism is not None:
            return methodcaller("hybrid"), (self._mechanism,)
        return HybridSystem, (self._modes, self.jumps, self.name)


def hybrid_system(mechanism: Any) -> HybridSystem:
    """The hybrid system of a mechanism with jumps, remembered with it."""
    kept = mechanism.cache
    if "hybrid" not in kept:
        names = mechanism.rows_in_force
        if not mechanism.jumps:
            raise DescriptionError(
                "the mechanism has no jumps: give jumps=[gc.Impact(...), gc.Jump(...)], or take reduce()"
            )
        systems = {mode: mechanism.in_mode(mode).reduce() for mode in names}
        made = HybridSystem.__new__(HybridSystem)
        made._make(systems, mechanism.jumps, mechanism.name)
        made._mechanism = mechanism
        kept["hybrid"] = made
    return kept["hybrid"]


def _require_modes(modes: Any) -> None:
    if not isinstance(modes, Mapping) or not modes:
        raise TypeError(f"modes must be a dict of name -> reduced system, got {shown(modes)}")
    for name, system in modes.items():
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"a mode goes by a name, which is text, got {shown(name)}")
        if not isinstance(system, Recorded):
            raise TypeError(
                f"the mode {name!r} must be a reduced system (.reduce() of a mechanism or a vector field), "
                f"got {shown(system)}"
            )


def read_jumps(jumps: Any) -> tuple[Any, ...]:
    """Jumps of a description, each with a name of its own."""
    if isinstance(jumps, (str, Mapping, Jump, Impact)) or not hasattr(jumps, "__iter__"):
        raise TypeError(f"jumps must be a list of gc.Jump, got {shown(jumps)}")
    found = tuple(jumps)
    for jump in found:
        if not isinstance(jump, Jump | Impact):
            raise TypeError(f"jumps must be gc.Jump or gc.Impact objects, got {shown(jump)}")
    names = [jump.name for jump in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"jumps go by names of their own; {', '.join(twice)} is given twice")
    return found


def read_modes(modes: Any, row_names: Sequence[str], n: int) -> dict[str, tuple[str, ...]] | None:
    """Names of the rows in force by mode, fewer than n velocities; None where there is one, with all rows."""
    if modes is None:
        return None
    if not isinstance(modes, Mapping) or not modes:
        raise TypeError(f"modes must be a dict of name -> names of constraint rows, got {shown(modes)}")
    found = {}
    for mode, rows in modes.items():
        if not isinstance(mode, str) or not mode.strip():
            raise TypeError(f"a mode goes by a name, which is text, got {shown(mode)}")
        if isinstance(rows, (str, Mapping)) or not hasattr(rows, "__iter__"):
            raise TypeError(f"modes[{mode!r}] must be a list of names of constraint rows, got {shown(rows)}")
        found[mode] = tuple(rows)
        for name in found[mode]:
            if name not in row_names:
                raise InputError(
                    f"modes[{mode!r}]: there is no row {shown(name)}{nearest(str(name), row_names)}"
                )
        if len(found[mode]) >= n:
            raise ConstraintError(
                f"modes[{mode!r}]: {len(found[mode])} constraints leave no motion among {n} velocities"
            )
    return found
