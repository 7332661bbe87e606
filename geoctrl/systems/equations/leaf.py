"""The leaf: geometric relations that motions keep, and points on it.

|Gamma| = |reference| and the products of vectors turned by one factor hold automatically; the
description adds relations of its own, and in multiplier form the constraint rows belong to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import sympy as sp

from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.magnitudes import ROUNDING, Magnitudes
from geoctrl.algebra import AdvectedVector, Height
from geoctrl.algebra.representation.exponential import exp_action
from geoctrl.algebra.structure import Entries
from geoctrl.errors import ConstraintError
from geoctrl.systems.contract.scales import condition_of, shares
from geoctrl.systems.contract.tolerances import KERNEL
from geoctrl.systems.equations.assembly import Assembly
from geoctrl.systems.equations.mechanism import Mechanism
from geoctrl.systems.parts.leaf_relations import Relation
from geoctrl.systems.units.unit_classes import reference_sizes, units_of_velocities

__all__ = ["Leaf", "Sampler", "automatic_relations", "configuration_relations"]

_VANISHING = 1e-5
"""Gradient, over its terms, that counts as zero: of f = g^2 it is 2 sqrt(f) at settled samples."""
_SETTLED, _NEARLY_SETTLED = 1e-14, 1e-12
"""Relation, over its terms, at which a sample is on the leaf, and at which steps end that gain no more."""
_DRAWS, _STEPS = 40, 60
_FARTHER = 5
"""Draws after which they are twice as wide."""


def automatic_relations(mechanism: Mechanism) -> list[Relation]:
    """Products of vectors turned by one factor; a planar factor also keeps the third component."""
    relations: list[Relation] = []
    groups: dict[int, list[AdvectedVector]] = {}
    for advected in mechanism.advected:
        if isinstance(advected, AdvectedVector):
            groups.setdefault(advected.factor_index(mechanism.algebra), []).append(advected)
    for index, vectors in groups.items():
        for b, second in enumerate(vectors):
            for first in vectors[: b + 1]:
                # What a vector of the plane lacks is zero.
                pairs = zip(first.reference, second.reference, strict=False)
                product = sum((x * y for x, y in pairs), Fraction(0))
                if first is not second:
                    norms = [sum(x * x for x in v.reference) for v in (first, second)]
                    if product * product == norms[0] * norms[1]:
                        raise ConstraintError(
                            f"the references of {first.name} and {second.name} are parallel; use one vector"
                        )
                name = f"|{first.name}|^2" if first is second else f"{first.name}.{second.name}"
                expr = sum(x * y for x, y in zip(first.symbols, second.symbols, strict=False))
                relations.append(Relation(name, expr - _rational(product)))
        if mechanism.algebra.factors[index].name in ("so2", "se2"):
            for vector in (v for v in vectors if v.dimension == 3):
                third = vector.symbols[2]
                relations.append(Relation(str(third), third - _rational(vector.reference[2])))
    return relations


def configuration_relations(mechanism: Mechanism) -> list[Relation]:
    """Relations of the description that are among advected vectors and coordinates."""
    own = set(mechanism.controller_symbols)
    return [r for r in mechanism.leaf.by_name if not own & r.expr.free_symbols]


def _rational(q: Fraction) -> sp.Rational:
    return sp.Rational(q.numerator, q.denominator)


def _lengths(assembly: Assembly) -> dict[Node, float]:
    """Of the components of what is advected those of the references; of others none is known."""
    lengths = (q for a in assembly.mechanism.advected for q in reference_sizes(a))
    return dict(zip(assembly.gamma, lengths, strict=False))


def _moves(mechanism: Mechanism) -> tuple[Entries, np.ndarray]:
    """By which velocities configurations are drawn, as `Mechanism.kinematics`, and which of them are turns.

    Those of the mechanism; the states of a vector field, which has none, move each by itself.
    """
    if mechanism.rates:
        d = len(mechanism.shape)
        alone = tuple((i, i, d, Fraction(-1)) for i in range(d))
        return alone, np.array([c.angle for c in mechanism.shape], dtype=bool)
    turns, _ = units_of_velocities(mechanism.algebra)
    angles = {c.rate_label for c in mechanism.shape if c.angle}
    found = [j in turns or label in angles for j, label in enumerate(mechanism.velocity_labels)]
    return mechanism.kinematics, np.array(found, dtype=bool)


class Sampler:
    """Random configurations: moved from the references by random velocities, then onto user relations."""

    def __init__(self, assembly: Assembly, relations: Sequence[Node]) -> None:
        self._assembly = assembly
        g, mechanism = assembly.graph, assembly.mechanism
        self._quasi = len(mechanism.quasicoordinates)
        d = len(assembly.gamma) - self._quasi
        self._reference = np.array([float(x) for x in mechanism.reference[:d]])
        # Gamma is followed by the number one, which moves coordinates: they are one block with it.
        moves, self._turns = _moves(mechanism)
        self._rho = np.zeros((len(self._turns), d + 1, d + 1))
        for i, j, m, value in moves:
            self._rho[j, i, m] = float(value)
        ends = np.cumsum([0, *(a.dimension for a in mechanism.advected), len(mechanism.shape) + 1])
        # A height moves with the vector that it is along.
        apart = not any(isinstance(a, Height) for a in mechanism.advected)
        self._blocks = [slice(a, b) for a, b in pairwise(ends if apart else (0, d + 1))]
        gamma = assembly.gamma[:d]
        flat = [*relations, *(e for row in g.jacobian(list(relations), gamma) for e in row)]
        self._relations, self._count, self._gamma = Magnitudes(g, flat), len(relations), gamma
        self._sizes = _lengths(assembly)

    def _gamma_after(self, velocity: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """Gamma after one unit of time at a constant velocity."""
        generator, extended = -np.tensordot(velocity, self._rho, 1), np.append(gamma, 1.0)
        return np.concatenate([exp_action(generator[b, b], extended[b]) for b in self._blocks])[:-1]

    def __call__(self, rng: np.random.Generator, params: Mapping[str, float]) -> np.ndarray:
        """Gamma of a random configuration on the leaf; quasi-coordinates are free, and normal."""
        gamma = self._on_the_leaf(rng, params)
        return np.append(gamma, rng.normal(size=self._quasi)) if self._quasi else gamma

    def _on_the_leaf(self, rng: np.random.Generator, params: Mapping[str, float]) -> np.ndarray:
        """The same without quasi-coordinates."""
        if not self._reference.size:
            return self._reference
        for k in range(_DRAWS):
            # Farther with each draw: relations have extrema that steps do not leave.
            draw = (1 + k / _FARTHER) * rng.normal(size=len(self._turns))
            if not self._count:
                return self._gamma_after(draw, self._reference)
            unit = self._steps(draw, params)
            gamma = self._onto_leaf(self._gamma_after(draw * unit, self._reference), unit, params)
            if gamma is not None:
                return gamma
        raise ConstraintError(
            "no configuration reached from the references satisfies the leaf relations "
            f"{', '.join(map(str, self._assembly.mechanism.leaf.by_name))}"
        )

    def _relations_at(
        self, gamma: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Relations (r,), the sizes of their terms, and their derivatives (r, n) by the velocities."""
        values = dict(zip(self._gamma, gamma.tolist(), strict=True))
        values |= {node: float(params[name]) for name, node in self._assembly.parameters.items()}
        found, sizes = self._relations(values, self._sizes)
        d, r = self._reference.size, self._count
        velocities = -(self._rho[:, :d] @ np.append(gamma, 1.0)).T
        with np.errstate(invalid="ignore", over="ignore"):  # a singular configuration: another is drawn
            slopes = found[r:].reshape(-1, d) @ velocities
            terms = sizes[r:].reshape(-1, d) @ np.abs(velocities)
        return found[:r], sizes[:r], np.where(np.abs(slopes) > ROUNDING * terms, slopes, 0.0)

    def _steps(self, draw: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Units of velocities: one for turns; for others what changes a relation, turned so, by its terms,
        else one.
        """
        if self._turns.all():
            return np.ones(len(self._turns))
        turned = self._gamma_after(np.where(self._turns, draw, 0.0), self._reference)
        _, sizes, slopes = self._relations_at(turned, params)
        with np.errstate(all="ignore"):
            far = np.where((slopes != 0) & np.isfinite(slopes), sizes[:, None] / np.abs(slopes), np.inf)
        far = np.min(np.where(far > 0, far, np.inf), axis=0)
        return np.where(self._turns | ~np.isfinite(far), 1.0, far)

    def _onto_leaf(
        self, gamma: np.ndarray, unit: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray | None:
        """Gamma moved onto the relations by steps of least norm in these units; None where that fails.

        Turns are limited to a radian a step.
        """
        share = np.inf
        for _ in range(_STEPS):
            residual, terms, slopes = self._relations_at(gamma, params)
            sizes = terms + np.abs(slopes) @ unit
            if not (np.all(np.isfinite(residual)) and np.all(np.isfinite(slopes))):
                return None  # a singular configuration, which no motion passes: another draw
            share = float(np.max(shares(residual, sizes)))
            if share <= _SETTLED:
                return gamma
            rows = np.where(sizes > 0, sizes, 1.0)
            step = -np.linalg.lstsq(slopes * unit / rows[:, None], residual / rows, rcond=None)[0]
            turn = float(np.linalg.norm(step[self._turns]))
            gamma = self._gamma_after(unit * step * (1.0 / turn if turn > 1.0 else 1.0), gamma)
        return gamma if share <= _NEARLY_SETTLED else None


class Leaf:
    """Independent relations among the states, as nodes.

    Attributes
    ----------
    relations : tuple of Relation
        In full symbols, redundant ones dropped; those that only set a removed coordinate to zero
        are not repeated.
    nodes : list of Node
        The same restricted to the states.
    geometric : int
        How many of them do not involve velocities (they come first).
    redundant : dict of Relation -> node
        Relations of the description that follow from the others at the parameters of the samples.
    of_controller : dict of name -> Node
        Relations among states of a controller, which are no part of the leaf: a controller starts on them,
        and what is proved of a point is said of motions that do.
    """

    def __init__(
        self,
        assembly: Assembly,
        relations: Sequence[Relation],
        samples: Sequence[np.ndarray],
        params: Mapping[str, float],
        kept: Sequence[Node],
    ) -> None:
        g = assembly.graph
        nodes = assembly.restrict([assembly.configuration(r.expr) for r in relations])
        chosen: list[int] = []
        self.redundant: dict[Relation, Node] = {}
        if nodes:
            jacobian = [e for row in g.jacobian(nodes, kept) for e in row]
            program, numbers = (
                Magnitudes(g, jacobian),
                {a: float(params[k]) for k, a in assembly.parameters.items()},
            )
            configurations = (dict(zip(assembly.gamma, s.tolist(), strict=True)) for s in samples)
            sized = [program(at | numbers, _lengths(assembly)) for at in configurations]
            gradients = [[part.reshape(len(nodes), len(kept)) for part in pair] for pair in sized]
            for i, relation in enumerate(relations):
                if nodes[i].is_zero or relation.expr in assembly.mechanism.removals:
                    continue
                if all(
                    np.max(shares(grad[i], size[i]), initial=0.0) < _VANISHING for grad, size in gradients
                ):
                    if relation in automatic_relations(assembly.mechanism):
                        continue
                    raise ConstraintError(
                        f"the leaf relation {relation} has a vanishing gradient on the leaf; "
                        "give a relation of which the gradient does not vanish there"
                    )
                if any(
                    condition_of(grad[[*chosen, i]], size[[*chosen, i]]) > KERNEL for grad, size in gradients
                ):
                    chosen.append(i)
                elif relation in assembly.mechanism.leaf.by_name:
                    self.redundant[relation] = nodes[i]
        first = configuration_relations(assembly.mechanism)
        others = [r for r in assembly.mechanism.leaf.by_name if r not in first]
        self.of_controller = {r.name: assembly.motion(r.expr) for r in others}
        removed = assembly.mechanism.removed
        self.relations = tuple(Relation(relations[i].name, relations[i].expr.subs(removed)) for i in chosen)
        self.nodes = [nodes[i] for i in chosen]
        self.geometric = len(chosen)
        psi = assembly.frame.rows
        if psi is not None:
            from_rows = [
                sum(psi[a, i] * x for i, x in enumerate(assembly.mechanism.algebra.xi))
                for a in range(psi.rows)
            ]
            self.relations += tuple(Relation(f"constraint{a + 1}", e) for a, e in enumerate(from_rows))
            self.nodes += [
                g.add([b * w for b, w in zip(row, assembly.velocity, strict=True)]) for row in assembly.rows
            ]

    def _lines(self) -> list[str]:
        return [f"<Leaf: {', '.join(f'{r} = 0' for r in self.relations) or 'all states'}>"]

    full = full_text
    __repr__ = short_form

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the relations."""
        return tuple(r.name for r in self.relations)
