"""A reduced system as questions of rest see it: seen from the body, in axes that turn with nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl._scalars import Node
from geoctrl._scalars.arithmetic.magnitudes import Magnitudes
from geoctrl.algebra import AdvectedVector
from geoctrl.errors import EquilibriumError, InputError
from geoctrl.systems.contract.points import Exact, rationals
from geoctrl.systems.contract.regularity import require_autonomous, require_smooth
from geoctrl.systems.contract.scales import Scales, equilibrated_matrix, scaled_row
from geoctrl.systems.contract.system_contract import Seen
from geoctrl.systems.contract.tolerances import INDEPENDENT, KERNEL, rank
from geoctrl.systems.equations.recorded_system import Recorded
from geoctrl.systems.states.differential import slopes_of
from geoctrl.systems.states.singularity import require_rank, require_regular
from geoctrl.systems.states.sizes_at_points import Measured, values_of

__all__ = ["SeenReduced"]

_DESPUN = "; a motion in which the spin turns the advected vectors is an equilibrium of sys.despun()"


class SeenReduced(Seen):
    """A reduced system at its relative equilibria."""

    def __init__(self, system: Recorded, spin: Any = None) -> None:
        self.system, self.name = system, system.name
        self.spin, self.cache = np.zeros(3), system.cache
        if spin is not None and np.any(finite_array("spin", spin, (3,))):
            raise InputError(
                "spin is for systems on spheres and rotations; a reduced system has despun(), in which the "
                "spin about an axis of the body is a velocity: hold it by fixed={label: rate}"
            )
        angles = {c.name for c in system.mechanism.shape if c.angle}
        self.angles = tuple(i for i, label in enumerate(system.state_labels) if label in angles)
        self.hint = "" if system.mechanism.symmetry is None else _DESPUN

    # -- points ---------------------------------------------------------------------------------

    def is_state(self, given: Any) -> bool:
        """Whether something is a row of numbers."""
        try:
            return np.ndim(np.asarray(given, dtype=object)) == 1
        except ValueError:  # rows of unequal length
            return False

    def read_state(self, given: Any, name: str) -> tuple[np.ndarray, Exact]:
        """State (n,) that goes by ``name`` in messages, and as the rationals that it is."""
        labels, x = self.system.state_labels, finite_array(name, given)
        if x.shape != (len(labels),):
            raise InputError(
                f"{name} needs x of shape ({len(labels)},), {', '.join(labels)}; got shape {x.shape}"
            )
        return x.copy(), rationals(given)

    def first_guess(self) -> np.ndarray:
        """Rest at the references of the advected vectors, coordinates zero."""
        system, a = self.system, self.system.assembly
        full = np.array([float(q) for q in system.mechanism.reference])
        return np.concatenate(
            [np.zeros(len(a.velocity)), full[system.kept_index], np.zeros(len(a.controller))]
        )

    def at_rest(self, x: np.ndarray, _params: Mapping[str, float]) -> np.ndarray:
        """The state itself: a reduced system moves in its equilibria."""
        return x

    def parts(self, _x: np.ndarray) -> dict[str, np.ndarray]:
        """None: entries of a reduced state go by their labels."""
        return {}

    # -- field and leaf -------------------------------------------------------------------------

    def rate(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """The field (n,), accelerations to the rounding of the terms that make them."""
        system, k = self.system, len(self.system.assembly.velocity)
        field = system.rhs(0.0, x, u, params)
        if k and np.all(np.isfinite(field[:k])):
            field[:k] = system.differential.refined_accelerations(
                field[:k], system.arguments_at(0.0, x, u), params
            )
        return field

    def derivatives(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of the field by the state (n, n) and by the inputs (n, m); those of the last point are
        kept, of which residuals and a linearization both ask.
        """
        asked = x.tobytes(), u.tobytes(), tuple(params.items())
        last, found = self.cache.get("derivatives", (None, ()))
        if last != asked:
            found = slopes_of(self.system).numeric(self.system.arguments_at(0.0, x, u), params)
            self.cache["derivatives"] = asked, found
        A, B = found
        return A.copy(), B.copy()

    def computed_scales(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> Scales:
        """Sizes by the expressions of the equations."""
        if "measured" not in self.system.cache:
            self.system.cache["measured"] = Measured(self.system, self.system.differential)
        return self.system.cache["measured"](x, u, params)

    def _gradients(
        self, nodes: list[Node], x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> np.ndarray:
        """Gradients (r, n) of nodes by the states."""
        system = self.system
        flat = [e for row in system.graph.jacobian(nodes, system.state_nodes) for e in row]
        values = system.program(flat)(system.arguments_at(0.0, x, u), params)
        return np.asarray(values).reshape(len(nodes), system.nstates)

    def leaf_gradient(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Gradients (r, n) of the relations of the leaf."""
        return self._gradients(list(self.system.leaf.nodes), x, np.zeros(self.system.ninputs), params)

    def conserved_gradients(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> dict[str, np.ndarray]:
        """Gradients (n,) by name of what is kept under these inputs; of those that have one at the point."""
        kept = self.system.conserved(params, u=u)
        rows = self._gradients(list(kept.values()), x, u, params)
        return {name: row for name, row in zip(kept, rows, strict=True) if np.all(np.isfinite(row))}

    def scaled_gradients(
        self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]
    ) -> dict[str, np.ndarray]:
        """Rows by name, over the magnitudes of their entries where states vary by their sizes."""
        system, scales, kept = self.system, self.scales(x, u, params), self.system.conserved(params, u=u)
        nodes = tuple(kept.values())
        if system.cache.get("sized gradients", (None, None))[0] != nodes:
            rows = system.graph.jacobian(nodes, system.state_nodes)
            program = Magnitudes(system.graph, [e for row in rows for e in row])
            system.cache["sized gradients"] = nodes, program
        sizes = dict(zip(system.state_nodes, scales.state.tolist(), strict=True))
        found, sized = system.cache["sized gradients"][1](values_of(system, 0.0, x, u, params), sizes)
        named = zip(kept, *(v.reshape(len(kept), len(x)) for v in (found, sized)), strict=True)
        return {
            name: scaled_row(row * scales.unit, size * scales.unit)
            for name, row, size in named
            if np.all(np.isfinite(row))
        }

    def leaf_basis(self, x: np.ndarray, params: Mapping[str, float]) -> np.ndarray:
        """Orthonormal basis (n, d) of the leaf's tangent space, aligned with the states where it can be."""
        gradient, n = self.leaf_gradient(x, params), self.system.nstates
        if not gradient.size:
            return np.eye(n)
        independent = rank(np.linalg.svd(equilibrated_matrix(gradient), compute_uv=False), KERNEL)
        lengths = np.linalg.norm(gradient, axis=1, keepdims=True)
        null = np.linalg.svd(gradient / np.where(lengths > 0, lengths, 1.0))[2][independent:].T
        # Column-pivoted elimination of the projector keeps coordinate directions where the leaf allows it.
        projector = null @ null.T
        basis: list[np.ndarray] = []
        for direction in projector.T[np.argsort(-np.diag(projector), kind="stable")]:
            rest = direction - sum((b * (b @ direction) for b in basis), np.zeros(n))
            rest = rest - sum((b * (b @ rest) for b in basis), np.zeros(n))
            size = np.linalg.norm(rest)
            if size > INDEPENDENT:
                basis.append(rest / size)
            if len(basis) == null.shape[1]:
                break
        order = np.argsort([int(np.argmax(np.abs(b))) for b in basis], kind="stable")
        return np.stack([basis[i] for i in order], axis=1) if basis else np.zeros((n, 0))

    def vectors(self) -> list[tuple[list[int], float]]:
        """Places of the advected vectors in the state, and their lengths."""
        labels, found = list(self.system.state_labels), []
        for vector in self.system.mechanism.advected:
            if isinstance(vector, AdvectedVector):
                places = [labels.index(str(s)) for s in vector.symbols if str(s) in labels]
                found.append((places, float(np.sqrt(float(sum(q * q for q in vector.reference))))))
        return found

    # -- what has to hold -----------------------------------------------------------------------

    def require_steady(self, _x: np.ndarray, u: np.ndarray, _params: Mapping[str, float]) -> None:
        """Refuse equations that hold the time with the inputs that are zero put in."""
        system = self.system
        require_autonomous(not (system.holds_time and self._keeps_time(system.field_nodes, u)), system.name)

    def varying_inputs(self, u: np.ndarray) -> tuple[str, ...]:
        """Labels of inputs of which the effect holds the time."""
        system = self.system
        if not system.holds_time:
            return ()
        effects = zip(*system.graph.jacobian(system.field_nodes, system.assembly.inputs), strict=True)
        labelled = zip(system.input_labels, effects, strict=True)
        return tuple(label for label, effect in labelled if self._keeps_time(effect, u))

    def _keeps_time(self, nodes: Sequence[Node], u: np.ndarray) -> bool:
        """Whether nodes hold the time still, once those inputs are put in that are zero in u."""
        g, a = self.system.graph, self.system.assembly
        off = {node: g.zero for node, value in zip(a.inputs, u, strict=True) if value == 0}
        return a.time in g.symbols(g.substitute(nodes, off))

    def require_regular(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """Refuse a point at which frame, constraint rows or masses are singular, or a formula has a kink."""
        system = self.system
        self._require_inside(x, u, params)
        require_regular(system, 0.0, x, params, "this point")
        require_rank(system, x, params)
        if "switches" not in system.cache:
            switches = system.graph.switches([*system.field_nodes, system.assembly.energy])
            system.cache["switches"] = Magnitudes(system.graph, switches)
        if system.cache["switches"].count:
            sizes = dict(zip(system.state_nodes, self.scales(x, u, params).state.tolist(), strict=True))
            require_smooth(*system.cache["switches"](values_of(system, 0.0, x, u, params), sizes))
        energy = system.program([system.assembly.energy])
        if np.isinf(energy(system.arguments_at(0.0, x, u), params)[0]):
            raise EquilibriumError(
                "the energy exceeds the doubles at this point: nothing can be computed there; take other "
                "units, or smaller numbers"
            )

    def _require_inside(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """Refuse a point at which the model does not hold."""
        system = self.system
        if not system.domain:
            return
        margins = system.program([system.expression(side.margin) for side in system.domain.values()])
        for (name, side), margin in zip(
            system.domain.items(), margins(system.arguments_at(0.0, x, u), params), strict=True
        ):
            if not margin > 0:
                raise EquilibriumError(
                    f"the point is outside the domain of the model, {name!r}: {side.words}; another point, "
                    "or replace(domain={}) of the mechanism, has an answer",
                    key="outside-domain",
                )

    # -- what a kind of system may have ---------------------------------------------------------

    def rest_near(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """None: rest is searched for on the leaf."""

    def generic(self, seed: int) -> None:
        """None: there is no Lagrangian beside the equations."""

    def lagrangian(self, u: np.ndarray, params: Mapping[str, float]) -> None:
        """None: the equations themselves are recorded."""

    def stiffness(self, x: np.ndarray, u: np.ndarray, params: Mapping[str, float]) -> None:
        """None: velocities that constraints leave have no potential of their own."""
