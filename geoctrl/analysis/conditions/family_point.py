"""A family's symbolic point on the recorded graph: derivatives there as nodes, and as rational functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import sympy as sp

from geoctrl._scalars import PARAMETER, FromSympy, Node, evaluate, exact, to_sympy
from geoctrl._scalars.algebra.factoring import factorisation
from geoctrl._scalars.arithmetic.arithmetics import FLOAT
from geoctrl._scalars.arithmetic.choices import Branch, Choices
from geoctrl.analysis.conditions.condition_kernel import ConditionKernel
from geoctrl.analysis.conditions.parameter_settings import Settings
from geoctrl.analysis.question.shape_integrals import ShapeIntegrals, ShapeJet
from geoctrl.analysis.symbolic.formulas import Formula
from geoctrl.analysis.symbolic.rational_functions import RationalField, RationalFunction
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns
from geoctrl.analysis.symbolic.spectra_in_symbols import characteristic, irreducible_blocks
from geoctrl.errors import EquilibriumError, ParameterError
from geoctrl.systems import ReducedSystem

__all__ = ["Falling", "FamilyFunctions", "FamilyPoint", "NotFree"]

Rows = list[list[RationalFunction]]


class NotFree(Exception):  # noqa: N818 - an answer rather than a failure
    """The symbols of a family satisfy relations that do not give some of them by the others."""


class FamilyPoint:
    """Nodes of a system at the members of a family.

    Parameters
    ----------
    family : name of the family
    settings : Settings
        What parameters are set to.
    numbers : dict of sympy.Symbol -> number, optional
        Of parameters and symbols, at which relations of the family are looked at.

    Attributes
    ----------
    names : dict of symbol node -> sympy.Symbol
        Of parameters that are not set, and of the family's symbols.
    positive : set of Node
        Those of them declared positive.
    squares : dict of Node -> Node
        Symbols of which a relation of the family gives the square.
    """

    def __init__(
        self,
        system: ReducedSystem,
        family: str,
        settings: Settings,
        numbers: Mapping[sp.Symbol, sp.Expr] | None = None,
    ) -> None:
        self.system, self.family, self.name = system, system.families[family], family
        self.settings, graph = settings, system.graph
        free = [p for p in system.mechanism.parameters if p.name not in settings.expressions]
        own = {s: graph.symbol(s.name, PARAMETER) for s in self.family.symbols}
        leaves = own | {p.symbol: system.assembly.parameters[p.name] for p in free}
        self.names = {node: symbol for symbol, node in leaves.items()}
        self.own = list(own.values())
        self.positive = {leaves[p.symbol] for p in free if p.positive}
        self.positive |= {node for s, node in own.items() if s.is_positive}
        convert = FromSympy(graph, leaves)
        bound, squares = _symbols_by_relations(
            self.family.relations, self.family.symbols, settings.symbols | dict(numbers or {}), family
        )
        self.squares = {leaves[s]: convert(e) for s, e in squares.items()}
        self.bound = bound

        def node(expr: sp.Expr) -> Node:
            return convert(expr.xreplace(settings.symbols).xreplace(bound))

        held = (system.state_labels, system.state_nodes, self.family.states)
        driven = (system.input_labels, system.assembly.inputs, self.family.inputs)
        self._image = dict(settings.nodes)
        for labels, nodes, given in (held, driven):
            for label, place in zip(labels, nodes, strict=True):
                self._image[place] = node(given.get(label, sp.Integer(0)))
        self.inputs = {place: self._image[place] for place in system.assembly.inputs}

    def with_settings(self, nodes: Sequence[Node]) -> list[Node]:
        """Nodes with the family's inputs and what parameters are set to put in, the states left."""
        return self.system.graph.substitute(list(nodes), {**self.settings.nodes, **self.inputs})

    def at_members(self, nodes: Sequence[Node]) -> list[Node]:
        """Nodes with the family's states and what parameters are set to put in."""
        return self.system.graph.substitute(list(nodes), self._image)

    def jacobian(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """First derivatives by the states at the point, one row for each node."""
        return [
            self.at_members(row) for row in self.system.graph.jacobian(list(nodes), self.system.state_nodes)
        ]

    def tangents(self, states: Sequence[Node]) -> list[list[Node]]:
        """Derivatives of the family's states by those of its symbols that no relation binds."""
        graph, bound = self.system.graph, {s.name for s in self.bound}
        free = [node for node in self.own if node not in self.squares and node.payload not in bound]
        rows = []
        for symbol in free:
            # s^2 = q gives ds = dq / (2 s).
            slopes = graph.derivatives(list(self.squares.values()), symbol)
            moved = {s: slope / (2 * s) for s, slope in zip(self.squares, slopes, strict=True)}
            rows.append(graph.push_forward(states, {symbol: graph.one, **moved}))
        return rows

    @property
    def positive_nodes(self) -> list[Node]:
        """Parameters declared positive that are set by others, and squares of symbols."""
        declared = self.system.mechanism.positive
        return [node for k, node in self.settings.related.items() if k in declared] + list(
            self.squares.values()
        )

    def require_equilibria(self) -> None:
        """Refuse a family that moves, with words about the axes; judged at the member of which all symbols
        are one.
        """
        numbers, settings = self._numbers, self.settings
        symbols = {p.name: p.symbol for p in self.system.mechanism.parameters}
        at = {symbols[k]: sp.Float(v) for k, v in numbers.items()}
        numbers |= {k: float(settings.expressions[k].xreplace(at)) for k in settings.related}
        try:
            self.system.equilibrium(self.name, params=numbers, **dict.fromkeys(self.family.names, 1.0))
        except ParameterError:  # what is set by others has no admissible value there
            return
        except EquilibriumError as error:
            if error.residual is not None:  # else there is no such member, which says nothing of the others
                raise

    @property
    def _numbers(self) -> dict[str, float]:
        """Of the parameters that are not set by others, those that are set and generic ones."""
        return self.system.mechanism.generic | {k: float(q) for k, q in self.settings.numbers.items()}

    def random_state(self, names: Iterable[str]) -> dict[str, Fraction]:
        """A state on the leaf, with numbers for parameters of these names and zero for the inputs."""
        system, rng = self.system, np.random.default_rng(13)
        values = self._numbers
        symbols = {system.assembly.parameters[k]: v for k, v in values.items()}
        related = evaluate(list(self.settings.related.values()), symbols, FLOAT)
        values |= dict(zip(self.settings.related, related, strict=True))
        numbers = {k: values[k] if k in values else rng.uniform(0.5, 1.5) for k in names}
        numbers |= dict.fromkeys(system.input_labels, 0.0)
        numbers |= dict(zip(system.state_labels, system.random_state(rng, values), strict=True))
        return {k: exact(float(v)) for k, v in numbers.items()}

    def may_be_in(self, branch: Branch, choices: Choices) -> bool:
        """Whether members may lie in a branch: what is conserved in others says nothing of them."""
        at_members = zip(self.at_members(list(branch)), branch.values(), strict=True)
        return not any(choices.signs(node) == {-sign} for node, sign in at_members)

    @property
    def same_inputs(self) -> bool:
        """Whether all members are held by the same inputs."""
        held = self.system.graph.symbols(self.inputs.values())
        return not held & set(self.own)

    def jets(self, named: dict[str, Node]) -> list[ShapeJet]:
        """First and second derivatives of named nodes."""
        return [
            ShapeJet(name, self.jacobian([node])[0], partial(self._hessian, node))
            for name, node in named.items()
        ]

    def _hessian(self, node: Node) -> list[list[Node]]:
        return self.jacobian(self.system.graph.gradient(node, self.system.state_nodes))

    def shape_jets(self, shape: ShapeIntegrals) -> list[ShapeJet]:
        """The same of the integrals over a shape."""
        zero = self.system.graph.zero
        return shape.jets(
            self.at_members, self.at_members(self.system.state_nodes), zero, lambda node: not node.is_zero
        )


@dataclass(frozen=True)
class Falling:
    """An energy with its derivatives at the members, and what must be negative there for it to fall."""

    jet: ShapeJet
    negative: list[Node]


class FamilyFunctions:
    """Rational functions at a family's point: the field and its linearisation, gradients and Hessians.

    Parameters
    ----------
    jets : of leaf relations, then of conserved functions
    leaf : number of the former
    falling : Falling or None
        An energy that is not conserved.

    Attributes
    ----------
    field : RationalField
    signs : KnownSigns
    linearisation, gradients : rows
    tangent : rows
        Derivatives of the family's states by its free symbols, one row for each.
    given : Formula
        What the derivation presumes: roots taken positive, nothing switches.
    falls : Formula
        Where the energy falls or stays, near the members.
    slope : row
        The gradient of this energy; empty without one.
    """

    def __init__(
        self, at: FamilyPoint, jets: Sequence[ShapeJet], leaf: int, falling: Falling | None = None
    ) -> None:
        self.at, self.jets, self.leaf = at, list(jets), leaf
        system = at.system
        graph = system.graph
        states = at.at_members(system.state_nodes)
        slopes = at.tangents(states)
        switches = at.at_members(graph.switches([*system.field_nodes, *system.conservation.nodes.values()]))
        rates, relations = at.at_members(system.field_nodes), at.at_members(system.leaf.nodes)
        A = at.jacobian(system.field_nodes)
        gradients = [jet.gradient for jet in jets]
        self._hessian_nodes = {jet.name: jet.hessian() for jet in jets}
        steep = [falling.jet.gradient, falling.negative] if falling else []
        if falling:
            self._hessian_nodes[falling.jet.name] = falling.jet.hessian()
        matrices = [A, gradients, slopes, steep, *self._hessian_nodes.values()]
        self._mass = [at.at_members(row) for row in system.assembly.bordered_matrix]
        self._margins = at.at_members([system.expression(side.margin) for side in system.domain.values()])
        everything = [e for rows in [*matrices, self._mass] for row in rows for e in row] + self._margins
        nodes = [*everything, *rates, *relations, *switches, graph.one]
        # Members may be equilibria on one branch of a root alone.
        self.field = RationalField(nodes, at.squares, at.positive, branch=False)
        if any(map(self.field, [*rates, *relations])):
            self.field = RationalField(nodes, at.squares, at.positive)
        self.signs = KnownSigns(self.field)
        for label, rate in zip((*system.state_labels, *system.leaf.names), [*rates, *relations], strict=True):
            if self.field(rate):
                raise EquilibriumError(
                    f"the members of {at.name!r} are no equilibria for all of their symbols: "
                    f"{label} has the rate or defect {_text(rate, at)} (seen in other axes they may be; else "
                    "give numbers, or relations between the family's symbols)"
                )
        kinks = [self.field(node) for node in switches]
        if any(not kink for kink in kinks):
            raise EquilibriumError(f"the equations of motion have a kink at the members of {at.name!r}")
        self.linearisation = self._rows(A)
        self.gradients = self._rows(gradients)
        self.tangent = self._rows(slopes)
        self.slope = self.field.all(falling.jet.gradient) if falling else []
        below_zero = map(self.signs.negative, self.field.all(falling.negative) if falling else ())
        self.falls: Formula = self.signs.every(below_zero) if falling else False
        parts = [self.signs.positive(q) for q in self.field.given]
        parts += [self.signs.nonzero(kink) for kink in kinks]
        parts += [self.signs.positive(self.field(node)) for node in at.at_members(at.positive_nodes)]
        self.given: Formula = self.signs.every(parts)

    def regular(self) -> Formula:
        """Accelerations exist: what they are solved from is invertible."""
        rows = self._rows(self._mass)
        blocks = irreducible_blocks(rows)
        ends = (characteristic([[rows[i][j] for j in b] for i in b])[-1] for b in blocks)
        return self.signs.every(map(self.signs.nonzero, ends))

    def in_domain(self) -> Formula:
        """The members lie in the domain of the model."""
        return self.signs.every(self.signs.positive(self.field(node)) for node in self._margins)

    def kernel(self, rows: Rows, columns: int | None = None) -> ConditionKernel:
        """The kernel of some rows, with a column for each state if not told."""
        return ConditionKernel.of(rows, len(self.linearisation) if columns is None else columns, self.signs)

    def _rows(self, nodes: Sequence[Sequence[Node]]) -> Rows:
        return [self.field.all(row) for row in nodes]

    def hessian_on(self, basis: Rows, terms: Mapping[str, RationalFunction]) -> Rows:
        """W^T (sum c H) W of relations and conserved functions by name, the rows of W^T being given."""
        n, zero = range(len(self.linearisation)), self.field.zero
        hessians = [(c, self._rows(self._hessian_nodes[name])) for name, c in terms.items() if c]
        H = [[sum((c * h[i][j] for c, h in hessians if h[i][j]), zero) for j in n] for i in n]
        image = [[sum((row[j] * w[j] for j in n if row[j] and w[j]), zero) for row in H] for w in basis]
        return [[sum((v[i] * e[i] for i in n if v[i] and e[i]), zero) for e in image] for v in basis]


def _text(node: Node, at: FamilyPoint) -> str:
    text = sp.sstr(to_sympy([node], at.names)[0])
    return text if len(text) < 120 else f"{text[:120]}..."


def _symbols_by_relations(
    relations: Sequence[sp.Expr],
    symbols: Sequence[sp.Symbol],
    settings: dict[sp.Symbol, sp.Expr],
    family: str,
) -> tuple[dict[sp.Symbol, sp.Expr], dict[sp.Symbol, sp.Expr]]:
    """Family symbols that relations give, and those of which they give the square."""
    bound: dict[sp.Symbol, sp.Expr] = {}
    squares: dict[sp.Symbol, sp.Expr] = {}
    for relation in relations:
        left = sp.fraction(sp.together(relation.xreplace(settings).xreplace(bound)))[0]
        left = sp.expand(left)
        if left == 0:
            continue
        for symbol in symbols:
            if symbol in bound or symbol in squares or not left.is_polynomial(symbol):
                continue
            # a s^2 + b or a s + b, with a of known sign
            *high, low = sp.Poly(left, symbol).all_coeffs()
            if low == 0 or not high or any(high[1:]) or len(high) > 2:
                continue
            if len(high) == 1 and not (high[0].is_positive or high[0].is_negative):
                continue
            (squares if len(high) == 2 else bound)[symbol] = factorisation(-low / high[0])
            break
        else:
            raise NotFree(
                f"members of {family!r} satisfy {relation} = 0, and conditions in symbols would take them as "
                "free; give numbers that satisfy it whatever the symbols are"
            )
    if any(e.free_symbols & {*bound, *squares} for e in (*bound.values(), *squares.values())):
        raise NotFree(f"the relations of {family!r} do not give its symbols one after another")
    return bound, squares
