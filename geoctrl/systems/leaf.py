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

from geoctrl._scalars import Node, Program
from geoctrl.algebra import AdvectedVector, Height
from geoctrl.algebra.exponential import exp_action
from geoctrl.errors import ConstraintError
from geoctrl.systems.assembly import Assembly
from geoctrl.systems.mechanism import Mechanism
from geoctrl.systems.relations import Relation
from geoctrl.systems.tolerances import KERNEL

__all__ = ["Leaf", "Sampler", "automatic_relations"]

_VANISHING = 1e-5  # samples satisfy f = 0 to 1e-14 only; where f = g^2 the gradient there is 2 sqrt(f)


def automatic_relations(mechanism: Mechanism) -> list[Relation]:
    """Products of vectors turned by one factor; a planar factor also keeps the third component.

    Raises
    ------
    ConstraintError
        If the references of two vectors of one factor are parallel.
    """
    relations: list[Relation] = []
    groups: dict[int, list[AdvectedVector]] = {}
    for advected in mechanism.advected:
        if isinstance(advected, AdvectedVector):
            groups.setdefault(advected.factor_index(mechanism.algebra), []).append(advected)
    for index, vectors in groups.items():
        for b, second in enumerate(vectors):
            for first in vectors[: b + 1]:
                product = sum(
                    (x * y for x, y in zip(first.reference, second.reference, strict=True)), Fraction(0)
                )
                if first is not second:
                    norms = [sum(x * x for x in v.reference) for v in (first, second)]
                    if product * product == norms[0] * norms[1]:
                        raise ConstraintError(
                            f"the references of {first.name} and {second.name} are parallel; use one vector"
                        )
                name = f"|{first.name}|^2" if first is second else f"{first.name}.{second.name}"
                expr = sum(x * y for x, y in zip(first.symbols, second.symbols, strict=True))
                relations.append(Relation(name, expr - _rational(product)))
        if mechanism.algebra.factors[index].name in ("so2", "se2"):
            for vector in vectors:
                third = vector.symbols[2]
                relations.append(Relation(str(third), third - _rational(vector.reference[2])))
    return relations


def _rational(q: Fraction) -> sp.Rational:
    return sp.Rational(q.numerator, q.denominator)


class Sampler:
    """Random configurations: moved from the references by random velocities, then onto user relations."""

    def __init__(self, assembly: Assembly, relations: Sequence[Node]) -> None:
        self._assembly = assembly
        g, mechanism = assembly.graph, assembly.mechanism
        self._quasi = len(mechanism.quasicoordinates)
        d = len(assembly.gamma) - self._quasi
        self._reference = np.array([float(x) for x in mechanism.reference[:d]])
        # Gamma is followed by the number one, which moves coordinates: they are one block with it.
        self._rho = np.zeros((assembly.n, d + 1, d + 1))
        for i, j, m, value in mechanism.kinematics:
            self._rho[j, i, m] = float(value)
        ends = np.cumsum([0, *(a.dimension for a in mechanism.advected), len(mechanism.shape) + 1])
        # A height moves with the vector that it is along.
        apart = not any(isinstance(a, Height) for a in mechanism.advected)
        self._blocks = [slice(a, b) for a, b in pairwise(ends if apart else (0, d + 1))]
        gamma = assembly.gamma[:d]
        flat = [*relations, *(e for row in g.jacobian(list(relations), gamma) for e in row)]
        self._relations = Program(g, gamma, assembly.parameters, flat)
        self._count = len(relations)

    def _moved(self, velocity: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """Gamma after one unit of time at a constant velocity."""
        generator, extended = -np.tensordot(velocity, self._rho, 1), np.append(gamma, 1.0)
        return np.concatenate([exp_action(generator[b, b], extended[b]) for b in self._blocks])[:-1]

    def __call__(self, rng: np.random.Generator, params: Mapping[str, float]) -> np.ndarray:
        """Gamma of a random configuration on the leaf; quasi-coordinates are free, and normal.

        Raises
        ------
        ConstraintError
            If no configuration satisfies the user's relations.
        """
        gamma = self._on_the_leaf(rng, params)
        return np.append(gamma, rng.normal(size=self._quasi)) if self._quasi else gamma

    def _on_the_leaf(self, rng: np.random.Generator, params: Mapping[str, float]) -> np.ndarray:
        """The same without quasi-coordinates."""
        if not self._reference.size:
            return self._reference
        d = self._reference.size
        for _ in range(20):
            gamma = self._moved(rng.normal(size=self._rho.shape[0]), self._reference)
            for _ in range(60):
                if not self._count:
                    return gamma
                values = self._relations(gamma, params)
                if not np.all(np.isfinite(values)):
                    break  # a singular configuration, which no motion passes: another draw
                residual, jacobian = values[: self._count], values[self._count :].reshape(-1, d)
                if np.max(np.abs(residual)) < 1e-14 * max(1.0, np.max(np.abs(gamma))):
                    return gamma
                velocities = -(self._rho[:, :d] @ np.append(gamma, 1.0)).T
                step = -np.linalg.lstsq(jacobian @ velocities, residual, rcond=None)[0]
                step *= min(1.0, 1.0 / max(float(np.linalg.norm(step)), 1e-300))
                gamma = self._moved(step, gamma)
            else:
                if np.max(np.abs(residual)) < 1e-12:
                    return gamma
        raise ConstraintError(
            "no configuration reached from the references satisfies the leaf relations "
            f"{', '.join(map(str, self._assembly.mechanism.leaf.named))}"
        )


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
            program = Program(g, assembly.gamma, assembly.parameters, jacobian)
            gradients = [program(s, params).reshape(len(nodes), len(kept)) for s in samples]
            for i, relation in enumerate(relations):
                if nodes[i].is_zero:
                    continue
                if all(np.max(np.abs(grad[i]), initial=0.0) < _VANISHING for grad in gradients):
                    if relation in automatic_relations(assembly.mechanism):
                        continue
                    raise ConstraintError(
                        f"the leaf relation {relation} has a vanishing gradient on the leaf; "
                        "give a relation of which the gradient does not vanish there"
                    )
                if any(
                    np.linalg.matrix_rank(grad[[*chosen, i]], tol=KERNEL) == len(chosen) + 1
                    for grad in gradients
                ):
                    chosen.append(i)
                elif relation in assembly.mechanism.leaf.named:
                    self.redundant[relation] = nodes[i]
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

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the relations."""
        return tuple(r.name for r in self.relations)
