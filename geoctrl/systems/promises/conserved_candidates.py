"""Which of the candidate invariants a system keeps, judged by their rates at random states.

Doubles tell most of those that it does not keep; what they leave is judged with sixty digits.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import cycle
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._calls.budget import BUDGET, Budget
from geoctrl._checks import finite_array, flag, resolve_parameters, user_level
from geoctrl._scalars import STATE, Node, Program
from geoctrl._scalars.arithmetic.magnitudes import Magnitudes
from geoctrl._scalars.arithmetic.precise import number
from geoctrl._scalars.graph.freed_switches import with_free_switches
from geoctrl.errors import GeoctrlError
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.parts.member_parameters import between_members
from geoctrl.systems.promises.casimirs import casimirs
from geoctrl.systems.promises.declared_symmetry import axis_momentum
from geoctrl.systems.promises.rates_at_random import SPEEDS, TIMES, Rates, at_random, vanishing
from geoctrl.systems.promises.switch_seams import Seams
from geoctrl.systems.states.precise_states import PreciseStates
from geoctrl.systems.states.sizes_at_points import values_of
from geoctrl.systems.trees.tree_fields import symbols_of_tree

__all__ = ["Conservation"]

_CANCELLED = 1e-4
"""Size of a term that cancels by itself, relative to its parts: with the threshold of the judgement its
rounding, of some hundred units in the last place."""
_REMEMBERED = 64
_ENTIRE = ("sin", "cos", "exp")
"""Functions of one sheet."""


class Conservation:
    """Candidates of a system, their rates, and those that motions keep.

    Attributes
    ----------
    candidates : dict of name -> expression or node
        Energy (of a vector field none), declared invariants, Casimirs of degree one and two, the momentum
        about a declared axis of symmetry, and the momenta of coordinates that the Lagrangian does not hold.
        What is declared already, be it under another name, is not offered again.
    nodes : dict of name -> Node
        The same as nodes.
    """

    def __init__(self, system: Recorded) -> None:
        self._system = system
        mechanism = system.mechanism
        self.candidates: dict[str, sp.Expr | Node] = {}
        self.nodes: dict[str, Node] = {}
        energy = {} if mechanism.rates else {"energy": system.assembly.energy}
        self._offer({**energy, **mechanism.invariants}, again=True)
        time = Budget(BUDGET)
        found = time.attempt("Casimirs", lambda: casimirs(mechanism), {})
        if time.note:
            warnings.warn(
                f"{system.name or 'the system'}: {time.note}", RuntimeWarning, stacklevel=user_level()
            )
        self._offer(found)
        self._offer(axis_momentum(mechanism))
        self._offer(cyclic_momenta(mechanism))
        self._found: dict[tuple, tuple[dict[str, Node], bool]] = {}
        self._always: dict[tuple | None, set[str] | None] = {}
        self._programs: dict[tuple[str, ...], Program] = {}

    def _offer(self, found: Mapping[str, sp.Expr | Node], again: bool = False) -> None:
        """Take candidates in; if not ``again``, those alone that are not there under any name."""
        for name, value in found.items():
            node = value if isinstance(value, Node) else self._system.expression(value)
            if again or (name not in self.candidates and node not in self.nodes.values()):
                self.candidates[name], self.nodes[name] = value, node

    def conserved_nodes(
        self, params: Mapping[str, float] | None, all_inputs: bool, u: Any = None
    ) -> dict[str, Node]:
        """Nodes of the conserved candidates; see `ReducedSystem.conserved`."""
        return self._conserved_nodes(params, all_inputs, u, precisely=True)

    def likely(self, params: Mapping[str, float] | None, all_inputs: bool, u: Any = None) -> dict[str, Node]:
        """Nodes of candidates that doubles do not tell from conserved ones: for who proves it anyway."""
        return self._conserved_nodes(params, all_inputs, u, precisely=False)

    def _conserved_nodes(
        self, params: Mapping[str, float] | None, all_inputs: bool, u: Any, precisely: bool
    ) -> dict[str, Node]:
        all_inputs = flag("all_inputs", all_inputs)
        system, generic = self._system, self._system.mechanism.generic
        numbers = resolve_parameters(generic, params, system.mechanism.positive)
        held = np.zeros(system.ninputs) if u is None else finite_array("u", u, (system.ninputs,))
        key, asked = (*numbers.values(), all_inputs, *held), None if all_inputs else held
        if key not in self._found:
            if len(self._found) > _REMEMBERED:
                self._found.clear()
            self._found[key] = self._sure_or_likely(numbers, asked)
        found, known = self._found[key]
        if precisely and not known:
            sure = self._whatever_the_parameters(asked)
            left = {name: node for name, node in found.items() if name not in sure}
            exact = self._precisely(self._rates, left, numbers, asked)
            found = {name: node for name, node in found.items() if name in sure or name in exact}
            self._found[key] = found, True
        return found

    def _sure_or_likely(
        self, numbers: Mapping[str, float], held: np.ndarray | None
    ) -> tuple[dict[str, Node], bool]:
        """Candidates that are kept as far as doubles tell, and whether that is known of all of them."""
        sure = self._always.get(None if held is None else tuple(held))
        if sure is not None and len(sure) == len(self.nodes) and not self._rates.seams.has_switches:
            self._system.parameters_at(numbers)  # which may refuse them
            return dict(self.nodes), True
        return self._likely(self._rates, numbers, held), False

    def _whatever_the_parameters(self, held: np.ndarray | None) -> set[str]:
        """Names of what sixty digits find kept with random parameters too: asked once, at the second numbers.

        Rates are analytic in the parameters, switches being free and numbers standing for roots and other
        functions of several sheets, so those that vanish at random ones vanish at all. What holds at some
        parameters alone, as without friction, is judged at each.
        """
        inputs = None if held is None else tuple(held)
        if inputs not in self._always:
            self._always[inputs] = None
            return set()
        names = self._always[inputs]
        if names is None:
            rng, generic = np.random.default_rng(29), self._system.mechanism.generic
            drawn = {k: (v or 1.0) * rng.uniform(0.5, 1.5) for k, v in generic.items()}
            try:
                names = set(self._precisely(self._rates, self.nodes, drawn, held, analytic=True))
            except GeoctrlError:  # the description is none at others
                names = set()
        self._always[inputs] = names
        return names

    def kept_under(self, inputs: Sequence[Node], params: Mapping[str, float]) -> dict[str, Node]:
        """Nodes of the candidates that are conserved with nodes in place of the inputs."""
        rates = _Rates(self._system, self.nodes, inputs)
        return self._precisely(rates, self._likely(rates, params, None), params, None)

    @cached_property
    def _rates(self) -> _Rates:
        return _Rates(self._system, self.nodes, self._system.input_nodes)

    def _likely(self, rates: _Rates, params: Mapping[str, float], held: np.ndarray | None) -> dict[str, Node]:
        """Candidates whose rates vanish in doubles at random states and times, inputs ``held`` or random."""
        rng, system = np.random.default_rng(7), self._system
        values = system.parameters_at(params)
        still = system.sample(rng, values, 0.0)
        u = rng.normal(size=system.ninputs) if held is None else held
        speed = rates.speed_from_rest(rng.uniform(*TIMES), still, u, params)
        speeds = cycle(SPEEDS)

        def sample() -> Rates:
            x = system.sample(rng, values, speed * next(speeds))
            u = rng.normal(size=system.ninputs) if held is None else held
            return rates.rates_at(rng.uniform(*TIMES), x, u, params, rng)

        def moving() -> np.ndarray:
            return system.sample(rng, values, speed)

        good = vanishing(at_random(sample), tuple(self.nodes), system.name)
        if good.any():
            good &= ~rates.seams.discontinuities(moving, rng.uniform(*TIMES), u, params)
        return {name: node for (name, node), keeps in zip(self.nodes.items(), good, strict=True) if keeps}

    def _precisely(
        self,
        rates: _Rates,
        likely: Mapping[str, Node],
        params: Mapping[str, float],
        held: np.ndarray | None,
        analytic: bool = False,
    ) -> dict[str, Node]:
        """Those of which the rates vanish with sixty digits too, as `_Rates.vanish`."""
        if not likely:
            return {}
        asked = np.array([name in likely for name in self.nodes])
        good = rates.vanish(asked, self._system.parameters_at(params), held, analytic)
        return {name: node for (name, node), keeps in zip(self.nodes.items(), good, strict=True) if keeps}

    def kept_values(self, x: Any, params: Mapping[str, Any]) -> dict[str, Any]:
        """Values of what is kept at states, and at parameters that may be arrays: kept by all members."""
        return self.values(tuple(self._system.conserved(between_members(params))), x, params)

    def values(self, names: tuple[str, ...], x: Any, params: Mapping[str, float]) -> dict[str, Any]:
        """Values of some candidates at states."""
        if names not in self._programs:
            self._programs[names] = self._system.program([self.nodes[k] for k in names])
        results = self._programs[names](self._system.arguments_at(0.0, x, None), params)
        return dict(zip(names, results, strict=True))


def cyclic_momenta(mechanism: Mechanism) -> dict[str, sp.Symbol]:
    """Momenta of the coordinates on which no part of the Lagrangian depends, by their labels."""
    rotors, gyroscopic = mechanism.rotors, mechanism.gyroscopic
    if mechanism.rates:
        return {}
    if mechanism.tree is None:
        parts = [mechanism.inertia, mechanism.potential, gyroscopic]
        parts += [rotors.coupling, rotors.inertia, rotors.gyroscopic] if rotors else []
        held = set().union(*(part.free_symbols for part in parts if part is not None))
    else:
        held = symbols_of_tree(mechanism) | (set() if gyroscopic is None else gyroscopic.free_symbols)
    momenta = mechanism.algebra.mu[mechanism.algebra.n - len(mechanism.shape) :]
    return {str(p): p for c, p in zip(mechanism.shape, momenta, strict=True) if c.symbol not in held}


class _Rates:
    """Rates of some nodes along the motion and the sizes of their terms, with every switch free; and the
    seams where branches meet.

    Parameters
    ----------
    nodes : dict of name -> Node
    inputs : sequence of Node
        What stands for the inputs of the system.
    """

    def __init__(self, system: Recorded, nodes: Mapping[str, Node], inputs: Sequence[Node]) -> None:
        self._system = system
        values, graph = list(nodes.values()), system.graph
        terms = [e for row in system.rate_terms(values) for e in row]
        self._shape = (len(values), system.nstates)
        mapping = dict(zip(system.input_nodes, inputs, strict=True))
        given = graph.substitute([*terms, *system.field_nodes], mapping)
        moving, given = given[len(terms) :], given[: len(terms)]
        free, numbers = with_free_switches(graph, given)
        self._numbers = list(numbers.values())
        self._free = Magnitudes(graph, free)
        self._given = Magnitudes(graph, given) if numbers else self._free
        self._free_rates, self._given_rates = self._sums(free), self._sums(given)
        self._motion = system.program(moving)
        self.seams = Seams(system, values, moving)

    def _sums(self, terms: Sequence[Node]) -> list[Node]:
        n = self._system.nstates
        return [self._system.graph.add(terms[k : k + n]) for k in range(0, len(terms), n)]

    @cached_property
    def _analytic(self) -> tuple[list[Node], list[Node], list[Node]]:
        """Both kinds of rates with a number in place of each function of parameters that may have other
        values beyond a point where branches meet, and these numbers: what vanishes whatever they are vanishes
        on all sheets.
        """
        graph, parameters = self._system.graph, set(self._system.parameter_nodes.values())
        both = [*self._free_rates, *self._given_rates]
        several = [n for n in graph.reachable(both) if n.kind == "fun" and n.payload[0] not in _ENTIRE]
        numbers = {
            n: graph.symbol(f"sheet of {n.index}", STATE) for n in several if graph.symbols([n]) & parameters
        }
        given = graph.substitute(both, numbers) if numbers else both
        count = len(self._free_rates)
        return given[:count], given[count:], list(numbers.values())

    def speed_from_rest(self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> float:
        """The root of the largest acceleration of a state at rest; one where nothing accelerates it."""
        with np.errstate(all="ignore"):
            motion = self._motion(self._system.arguments_at(t, x, u), params)
        pushed = np.max(np.abs(motion), initial=0.0)
        return float(np.sqrt(pushed)) if 0 < pushed < np.inf else 1.0

    def rates_at(
        self, t: float, x: np.ndarray, u: np.ndarray, params: Mapping[str, float], rng: np.random.Generator
    ) -> Rates:
        """Rates and sizes (1, q); as they are where a branch is not defined beyond its region."""
        place = values_of(self._system, t, x, u, params)
        chosen = dict(zip(self._numbers, rng.uniform(size=len(self._numbers)).tolist(), strict=True))
        found = self._free(place | chosen)
        if not np.all(np.isfinite(found)):
            found = self._given(place)
        terms, sizes = (part.reshape(self._shape) for part in found)
        largest = np.maximum(np.abs(terms), _CANCELLED * sizes).max(axis=1)
        return terms.sum(axis=1)[None], largest[None]

    @cached_property
    def _precise(self) -> PreciseStates:
        return PreciseStates(self._system)

    def vanish(
        self, asked: np.ndarray, values: Mapping[str, float], held: np.ndarray | None, analytic: bool = False
    ) -> np.ndarray:
        """Which of the rates ``asked`` for, (q,), are zero, with sixty digits; or also with any numbers in
        place of functions that are not ``analytic`` in the parameters.

        A force that is weak beside others, as in some units, is a force; parameters are the rationals that
        they are, and inputs are ``held`` or random.
        """
        system, rng = self._system, np.random.default_rng(23)
        precise, found = self._precise, np.zeros(len(asked), dtype=bool)
        left = list(np.flatnonzero(asked))
        free, given, sheets = self._analytic if analytic else (self._free_rates, self._given_rates, [])
        for at in precise.states(values):
            at |= {node: number(float(rng.uniform())) for node in (*self._numbers, *sheets)}
            if held is not None:
                at |= {node: number(float(v)) for node, v in zip(system.input_nodes, held, strict=True)}
            for rates in (free, given):  # as where a branch has no value beyond it
                zeros = dict(zip(left, precise.zeros_at([rates[k] for k in left], at), strict=True))
                found[[k for k, zero in zeros.items() if zero]] = True
                left = [k for k, zero in zeros.items() if zero is None]
            if not left:
                break
        return found
