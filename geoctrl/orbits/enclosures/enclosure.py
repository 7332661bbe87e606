r"""A periodic orbit that is proved, with its period and multipliers in balls.

Unknowns are a state x and :math:`\tau = T/\bar T - 1` near those in floats. Let g be the relations of the
leaf, C the conserved functions in use, D their gradients, the columns of P a basis of about ker D, and f the
rates. The n + 1 equations are

.. math::

    P^T(\varphi_T(x) - S x - d) = 0, \quad g(x) = 0, \quad C(x) = C(\bar x),
    \quad f(\bar x)\cdot(x - \bar x) = 0,

or for the last one that a state which is named has the number that it has.

Krawczyk's test proves that they have one solution in a box, and only one. There the orbit closes: its end y
and S x have equal values of g, C and :math:`P^T`, and where :math:`(P, D^T)` is invertible over a box that
holds both, y = S x by the mean value theorem. On ker D :math:`S^{-1}\Phi` has the eigenvalue 1 along f.
With :math:`W = P - R\,(DR)^{-1}DP` a basis of ker D, :math:`\Phi W = W K` and f = W a, the other multipliers
are the eigenvalues of :math:`K' = K_{11} - (a_1/a_d)\,K_{21}`, the last direction being that of f.

All of it is in states over their sizes and times over one next to the period, powers of two: boxes and radii
are then those of the same motions in any units, and no digit is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import acb, arb, arb_mat, ctx

from geoctrl._calls.long_calls import tell
from geoctrl._checks import finite_array, whole_number
from geoctrl._scalars import exact, real
from geoctrl._scalars.arithmetic.ball_matrices import ball_identity
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.invariants.invariants import check_invariant
from geoctrl.analysis.question.shape_integrals import shape_of
from geoctrl.checker import Report
from geoctrl.errors import CertificateError, EquilibriumError, InputError
from geoctrl.orbits.enclosures.closing_symmetry import Returning
from geoctrl.orbits.enclosures.enclosed_orbit import Enclosed, OrbitEnclosure
from geoctrl.orbits.enclosures.expressions_in_balls import Given, UnprovedError, ball
from geoctrl.orbits.enclosures.identities import Identities
from geoctrl.orbits.enclosures.orbit_file import Closed, confirmed_orbit
from geoctrl.orbits.enclosures.orbit_levels import Levels
from geoctrl.orbits.enclosures.validated import BallFlow
from geoctrl.orbits.enclosures.volume import canonical
from geoctrl.verification import Verdict

__all__ = ["eigenvalue_balls", "orbit_enclosure"]

_REACH, _LEFT = 3 / 8, 2 / 3
"""Exponents of the radius of the box and of what the series leave out, relative to the bits."""
_NEWTON, _MARGIN, _GAIN = 8, 4, 0.5
"""Steps at most, the exponent by which the last one is below the radius, and the part of the step before that
each is at most: they end where they gain nothing."""
_APART = 1e-6
"""Least sine between the motion and turns."""
_BITS = 100_000
"""Of numbers, at most."""
_TERMS = 4000
"""Operations up to which an identity is expanded."""
_NEAR = 1e-8
"""Distance from the orbit in floats, in sizes of states, up to which an orbit is the one that is meant."""
_REFUSED = "the orbit is not proved"


def orbit_enclosure(orbit: Any, bits: int, across: str | None = None) -> OrbitEnclosure:
    """The enclosure of a `PeriodicOrbit`, see `PeriodicOrbit.enclose`; at the number of the state ``across``,
    where one is named.
    """
    bits = whole_number("bits", bits, 64, _BITS)
    system = orbit.system
    finite_array("x", orbit.x, (system.nstates,))
    # Backwards the multipliers are inverses, and what attracts would repel.
    if not 0 < real(orbit.period, "period") < np.inf:
        raise InputError(f"period must be positive, in seconds, got {orbit.period!r}")
    if system.time_node in system.graph.symbols(system.field_nodes):
        raise InputError("the equations hold the time: their solutions have the period of that, or none")
    kept = system.conserved(orbit.params, u=orbit.u)
    names = [name for name in orbit.neutral if name not in ("time", "turn")]
    integrals = [name for name in names if name not in kept]
    shape = shape_of(system) if integrals else None
    if foreign := [name for name in integrals if shape is None or name not in shape.names]:
        raise InputError(f"{foreign[0]} has a gradient and no values, and no level of it is enclosed")
    try:
        with ctx.workprec(bits):
            functions = {name: kept[name] for name in names if name in kept}
            return _Closing(orbit, functions, integrals, bits, across).enclosure()
    except (UnprovedError, ZeroDivisionError) as error:
        why = (
            str(error)
            if isinstance(error, UnprovedError)
            else "a matrix may be singular: is it a bifurcation?"
        )
        raise EquilibriumError(f"{_REFUSED}: {why}; take the orbit of find_periodic, or more bits") from None


class _Closing:
    """The equations of a periodic orbit about the one in floats."""

    def __init__(
        self, orbit: Any, kept: dict[str, Any], integrals: Sequence[str], bits: int, across: str | None
    ) -> None:
        self._across = None if across is None else orbit.system.state_labels.index(across)
        self.orbit, self.bits, self._kept, self._integrals = orbit, bits, kept, integrals
        self._n, system = len(orbit.x), orbit.system
        at = system.seen_from(None).scales(orbit.x, orbit.u, orbit.params)
        self._sizes = [arb(float(d)) for d in binary(at.column)]
        self._time = arb(float(binary([orbit.period])[0]))
        self._period = ball(orbit.period) / self._time
        self.returning = Returning(orbit, self._sizes)
        self._moved = 1 + int(self.returning.turns)
        """How many directions are moved along: that of the motion, and of turns."""
        given = Given(tuple(orbit.u), dict(orbit.params), tuple(self._sizes))
        self.levels = Levels(system, kept, integrals, given)
        self._identities = Identities(system, kept, orbit.x, (given.u, given.params))
        self.flow = BallFlow(system, given, self._time, bits // 4, int(bits * _LEFT), self._watch)
        self.levels.start_at(self._start)

    def _watch(self, tube: Sequence[arb]) -> None:
        """Take note of states that motions may pass: all that is conserved has to be so there."""
        self.levels.watch(tube)
        self._identities.require(self._in_units(tube))

    @cached_property
    def _start(self) -> list[arb]:
        return [ball(v) / d for v, d in zip(self.orbit.x, self._sizes, strict=True)]

    def _in_units(self, x: Sequence[arb]) -> list[arb]:
        """States in the units of the system."""
        return [v * d for v, d in zip(x, self._sizes, strict=True)]

    def _free_directions(self, x: Sequence[arb]) -> arb_mat:
        """f, and the direction of turns, as columns over a box."""
        return arb_mat([self.flow.rate(x), *self.returning.turn_directions(x)]).transpose()

    @cached_property
    def _frame(self) -> tuple[arb_mat, arb_mat, arb_mat]:
        """P, R and a basis of the directions moved along, which ends P: rounded, and exact from there on."""
        moved = _floats(self._free_directions(self._start).entries()).reshape(self._n, -1)
        if self._across is not None:
            moved[:, 0] = np.eye(self._n)[self._across]
        sizes = np.linalg.svd(moved / (np.linalg.norm(moved, axis=0) + 1e-300))[1]
        if not sizes[-1] > _APART:
            raise UnprovedError(
                "nothing moves at this point, or by turns alone: it is an equilibrium up to these"
            )
        D = _floats(self.levels.rows(self._start).entries()).reshape(-1, self._n)
        D = D / (np.linalg.norm(D, axis=1, keepdims=True) + 1e-300)  # of gradients the directions count
        along = np.linalg.qr(moved)[0] * np.sign(np.diag(np.linalg.qr(moved)[1]))
        V = np.linalg.svd(np.vstack([D, along.T]))[2]
        across = V[len(D) + self._moved :].T
        R = np.linalg.svd(D)[2][: len(D)].T if len(D) else np.zeros((self._n, 0))
        return _matrix(np.column_stack([across, along])), _matrix(R), _matrix(along)

    def enclosure(self) -> OrbitEnclosure:
        orbit = self.orbit
        self._require_kept()
        x, T, angle = self._middles()
        radius = arb(2) ** -int(self.bits * _REACH)
        tell("motions beside the orbit")
        end, box, total = self.flow(x, T, radius)
        around, angles = [c + arb(0, radius) for c in x], angle + arb(0, radius)
        values, J = self._equations(x, angle, end), self._slopes(T, angles, total, around)
        size = self._n + self._moved
        Y = J.mid().inv().mid()
        spread = arb_mat(size, 1, [arb(0, radius)] * size)
        image = (ball_identity(size) - Y * J) * spread - Y * values
        if not all(arb(0, radius).contains_interior(v) for v in image.entries()):
            raise UnprovedError("Krawczyk's test does not find one")
        turned = self.returning(angles) * arb_mat(self._n, 1, around) + self.returning.offset
        self._require_closed(turned.entries(), box)
        state = [c + v for c, v in zip(x, image.entries(), strict=False)]
        period = T * (1 + image[self._n, 0])
        last = angle + image[size - 1, 0] if self.returning.turns else angle
        Phi = arb_mat(self._n, self._n, [total[i, j] for i in range(self._n) for j in range(self._n)])
        monodromy = self.returning.back(last) * Phi
        inner = self._inner(state, monodromy)
        multipliers = eigenvalue_balls(inner)
        verdict, words = self._verdict_and_words(inner, multipliers)
        found = OrbitEnclosure(
            system=orbit.system,
            x=tuple(self._in_units(state)),
            period=period * self._time,
            angle=last if self.returning.turns else None,
            radius=float(radius),
            sizes=_floats(self._sizes),
            multipliers=multipliers,
            monodromy=self._monodromy_in_units(monodromy),
            neutral=(*self._integrals, *self._kept, "time", *(["turn"] if self.returning.turns else [])),
            verdict=verdict,
            claim=self._claim(words),
            bits=self.bits,
        )
        return self._with_file(found)

    def _with_file(self, found: OrbitEnclosure) -> OrbitEnclosure:
        """What the checker confirms of it from a file; as it is, with the reason, where it does not."""
        tell("the checker")
        try:
            content, report = self._file(found)
        except CertificateError as error:
            return replace(found, unconfirmed=str(error))
        whole = "" if self.returning.trivial else f"{found.claim}. Of all of it: "
        proved = Verdict(report.verdict)
        return replace(found, verdict=proved, claim=f"{whole}{report.claim}", _content=content)

    def _file(self, found: OrbitEnclosure) -> tuple[dict[str, Any], Report]:
        """The file of the whole orbit, which closes after so many times its period as the symmetry has."""
        if not isinstance(found.verdict, Enclosed):
            raise CertificateError(f"{found.verdict} is no proof")
        if self._integrals or self.returning.turns:
            kind = "integrals over a shape" if self._integrals else "turns about an axis"
            raise CertificateError(f"none is written of orbits with {kind}")
        times = self.returning.order
        content, report = confirmed_orbit(
            Closed(
                *(self.orbit, self._kept, found.x, times * found.period, found.sizes),
                self.returning.winding,
            ),
            self.bits,
        )
        if report.verdict != found.verdict.replace("ENCLOSED", "PROVED"):
            raise CertificateError(f"the checker says {report.verdict} of this orbit, not {found.verdict}")
        return content, report

    def _monodromy_in_units(self, Phi: arb_mat) -> arb_mat:
        d = self._sizes
        rows = [
            [e * a / b for e, b in zip(row, d, strict=True)] for row, a in zip(Phi.tolist(), d, strict=True)
        ]
        return arb_mat(rows)

    def _require_kept(self) -> None:
        """Refuse conserved functions that are so in floats alone."""
        orbit = self.orbit
        orbit.system.judgement.require_identities({k: exact(v) for k, v in orbit.params.items()})
        for name in self._kept:
            proof = check_invariant(
                orbit.system, name, params=orbit.params, for_all_inputs=bool(np.any(orbit.u))
            )
            if not proof.proved:
                raise UnprovedError(f"that {name} is conserved is not proved")
        # The other parts of the orbit, which S makes of the first, are in the domain with it.
        edges = [orbit.system.expression(side.margin) for side in orbit.system.domain.values()]
        if self._integrals and (orbit.winding or not self.returning.trivial):
            raise UnprovedError("integrals over a shape are not followed through a symmetry")
        self.returning.require([*orbit.system.leaf.nodes, *self._kept.values(), *edges])

    def _middles(self) -> tuple[list[arb], arb, arb]:
        """Middles of a state, the period and the angle: Newton's steps on the middles of balls, with one
        derivative.
        """
        x, T, angle = self._start, self._period, ball(self.orbit.angle or 0.0)
        tell("the derivative along the orbit")
        _, _, total = self.flow(x, T, arb(0))
        inverse = self._slopes(T, angle, total, x).mid().inv().mid()
        target, last = arb(2) ** -int(self.bits * _REACH + _MARGIN), np.inf
        for _ in range(_NEWTON):
            step = (inverse * self._equations(x, angle, self.flow.approximate_end(x, T))).mid().entries()
            x = [(c - d).mid() for c, d in zip(x, step, strict=False)]
            T = (T * (1 - step[self._n])).mid()
            angle = (angle - (step[-1] if self.returning.turns else 0)).mid()
            self._require_near(x, T, angle)
            if all(abs(d) < target for d in step):
                if self._integrals:
                    # These have the values that they have there: from afar they are not known as exactly.
                    self.levels.start_at(x)
                return x, T, angle
            size = max(float(abs(d)) for d in step)
            tell("Newton's steps", f"{size:.1e} (relative)")
            if not size < _GAIN * last:
                raise UnprovedError(f"Newton's steps gain no digits: {size:.3g} (relative) after {last:.3g}")
            last = size
        raise UnprovedError("Newton's steps do not come to an end")

    def _require_near(self, x: Sequence[arb], T: arb, angle: arb) -> None:
        away = [a - b for a, b in zip(x, self._start, strict=True)]
        away += [T / self._period - 1, angle - (self.orbit.angle or 0.0)]
        apart = max(float(abs(v)) for v in away)
        if not apart < _NEAR:
            raise UnprovedError(
                f"Newton's steps go {apart:.3g} away (relative): this is no orbit, or not the only one near"
            )

    def _equations(self, x: Sequence[arb], angle: arb, end: Sequence[arb]) -> arb_mat:
        """Values at x, from which the motion ends there."""
        n, (P, _, along) = self._n, self._frame
        column = arb_mat(n, 1, list(x))
        there = self.returning(angle) * column + self.returning.offset
        closing = P.transpose() * (arb_mat(n, 1, list(end)) - there)
        phase = along.transpose() * (column - arb_mat(n, 1, self._start))
        return arb_mat(n + self._moved, 1, [*closing.entries(), *self.levels.values(x), *phase.entries()])

    def _slopes(self, T: arb, angle: arb, total: arb_mat, around: Sequence[arb]) -> arb_mat:
        """The derivative by (x, tau, angle), T being that at tau = 0, over the boxes of the others."""
        n, (P, _, along), S = self._n, self._frame, self.returning(angle)
        turned = self.returning.turn_directions((S * arb_mat(n, 1, list(around))).entries())
        change = [
            [*(total[i, j] - S[i, j] for j in range(n)), T * total[i, n], *(-column[i] for column in turned)]
            for i in range(n)
        ]
        rows = (P.transpose() * arb_mat(change)).tolist()
        fixed = self.levels.rows(around).tolist() + along.transpose().tolist()
        return arb_mat(rows + [[*row, *[arb(0)] * self._moved] for row in fixed])

    def _require_closed(self, start: Sequence[arb], end: Sequence[arb]) -> None:
        """The equations that were left out hold as well."""
        both = [a.union(b) for a, b in zip(start, end, strict=True)]
        rows = self._frame[0].transpose().tolist() + self.levels.rows(both).tolist()
        arb_mat(rows).inv()  # ZeroDivisionError where it may be singular

    def _inner(self, x: Sequence[arb], Phi: arb_mat) -> arb_mat:
        """K' over a box."""
        P, R, _ = self._frame
        d, D = P.ncols(), self.levels.rows(x)
        W = P - R * (D * R).solve(D * P) if R.ncols() else P
        left = arb_mat([p + r for p, r in zip(P.tolist(), R.tolist(), strict=True)]).inv()
        top = arb_mat(left.tolist()[:d])
        K, moved, e = top * Phi * W, top * self._free_directions(x), d - self._moved
        # Modulo the directions moved along; ZeroDivisionError where these may be tangent to the section.
        here, there = arb_mat(moved.tolist()[e:]), moved.tolist()[:e]
        if not e:
            here.inv()
            return arb_mat(0, 0)
        blocks = K.tolist()
        inner = arb_mat([row[:e] for row in blocks[:e]])
        return inner - arb_mat(there) * here.solve(arb_mat([row[:e] for row in blocks[e:]]))

    # -- verdict --------------------------------------------------------------------------------

    def _verdict_and_words(
        self, inner: arb_mat, multipliers: Sequence[acb]
    ) -> tuple[Enclosed | Verdict, str]:
        sizes, turns = [abs(z) for z in multipliers], self.returning.turns
        orbit = "the orbit with its turns about the axis" if turns else "the orbit"
        level = "on its level of what is conserved" if self._kept or self._integrals else "on the leaf"
        if any(size > 1 for size in sizes):
            return Enclosed.ENCLOSED_UNSTABLE, (
                f"a multiplier lies outside the unit circle: {orbit} is unstable, as a set (Floquet)"
            )
        stable = Enclosed.ENCLOSED_STABLE_MODULO if turns else Enclosed.ENCLOSED_STABLE
        if not sizes:
            return stable, (
                f"{orbit} is all that is near {level}, and near levels have closed curves or surfaces of "
                "their own: motions from near starts stay near it"
            )
        if all(size < 1 for size in sizes):
            near = f"motions from near starts {level} come to {orbit} (Poincare's map contracts there)"
            if not (self._kept or self._integrals):
                return stable if turns else Enclosed.ENCLOSED_ASYMPTOTICALLY_STABLE, near
            return stable, f"{near}, those on another level to one beside it"
        pair = len(sizes) == 2 and self.returning.orientation == 1
        if pair and self._keeps_volume() and abs(inner.trace()) < 2:
            return Verdict.SPECTRALLY_STABLE_ONLY, (
                "the flow keeps a volume, so that the two multipliers have the product one, and their sum is "
                "below two: they are simple, on the unit circle, and nothing nonlinear follows"
            )
        return Verdict.UNDECIDED, "the multipliers are not told from the unit circle"

    def _keeps_volume(self) -> bool:
        """Whether det Phi = 1 and det D Phi = det D, with which det K' = 1.

        The first by Liouville's formula, from a density that is a function of the state alone; the second
        where the rates of the leaf's relations vanish identically, off the leaf as well.
        """
        system = self.orbit.system
        J = system.graph.jacobian(system.field_nodes, system.state_nodes)
        divergence = [J[i][i] for i in range(self._n)]
        return self._vanish(system.rate_terms(system.leaf.nodes)) and (
            canonical(system.mechanism, idle=not np.any(self.orbit.u)) or self._vanish([divergence])
        )

    def _vanish(self, sums: Sequence[Sequence[Any]]) -> bool:
        """Whether sums of nodes are identically zero."""
        system = self.orbit.system
        nodes = [node for node in map(system.graph.add, sums) if not node.is_zero]
        return all(e.count_ops() < _TERMS and sp.expand(e) == 0 for e in system.to_sympy(nodes))

    def _claim(self, words: str) -> str:
        orbit = self.orbit
        numbers = ", ".join(f"{k} = {v!r}" for k, v in orbit.params.items())
        at = f" at {numbers} (as they are)" if numbers else ""
        levels = f", with the values of {', '.join(self._kept)} at the state in floats" if self._kept else ""
        if self._integrals:
            names = ", ".join(self._integrals)
            levels += f"{' and' if levels else ','} with those of {names} at a state in the box"
        closed = "" if self.returning.trivial else " up to the symmetry"
        closed += "".join(f" up to whole turns of {label} ({k})" for label, k in orbit.winding.items())
        return f"there is an orbit that closes{closed}{at}{levels}, one in the box (Krawczyk); {words}"


def eigenvalue_balls(K: arb_mat) -> tuple[acb, ...]:
    """Enclosures of all eigenvalues, with their multiplicities."""
    if not K.nrows():
        return ()
    for multiple in (False, True):
        try:
            return tuple(K.eig(multiple=multiple))
        except ValueError:
            continue
    raise UnprovedError("the eigenvalues are not told apart")


def _floats(values: Sequence[arb]) -> np.ndarray:
    return np.array([float(v.mid()) for v in values])


def _matrix(values: np.ndarray) -> arb_mat:
    rows, columns = values.shape
    return arb_mat(rows, columns, [ball(float(v)) for v in values.ravel()])
