"""Criteria of stability at a family's symbolic point: kernels, restricted forms, spectra, as formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from geoctrl._calls.budget import Budget
from geoctrl.analysis.conditions.equilibrium_manifolds import drifts, resting_manifold
from geoctrl.analysis.conditions.family_point import FamilyFunctions, FamilyPoint
from geoctrl.analysis.symbolic.complete_damping import damping_conditions
from geoctrl.analysis.symbolic.definite_pencils import definite_somewhere, positive_definite
from geoctrl.analysis.symbolic.formulas import All, Formula, Nonzero, Polynomial
from geoctrl.analysis.symbolic.rational_functions import RationalFunction, TooLargeError
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns
from geoctrl.analysis.symbolic.spectra_in_symbols import (
    attracting,
    characteristic,
    growing,
    irreducible_blocks,
    without_zeros,
)

__all__ = ["ConditionKernel", "Criteria", "Test"]

Rows = list[list[RationalFunction]]

_NEVER = "the restricted Hessian is never definite"
_SIDE = 0.4
"""Part of the time for the spectrum; the rest is for the Hessian."""


@dataclass(frozen=True)
class ConditionKernel:
    """The kernel of some rows over the rational functions.

    Attributes
    ----------
    basis : rows, a one in each free column
    minor : Quotient
        Of the rank: where it does not vanish, the kernel is no larger.
    rank : int
    """

    basis: Rows
    minor: RationalFunction
    rank: int

    @classmethod
    def of(cls, rows: Rows, columns: int, functions: FamilyFunctions) -> ConditionKernel:
        """By elimination in the order of the columns, with the simplest pivot of each."""
        one, zero, sign = functions.field.one, functions.field.zero, functions.signs.sign

        def cost(q: RationalFunction) -> tuple[bool, int]:
            return not sign(q.top), len(q.top) + len(q.below)

        left, minor = [list(row) for row in rows], one
        done: Rows = []
        pivots: list[int] = []
        for j in range(columns):
            with_entry = [row for row in left if row[j]]
            if not with_entry:
                continue
            row = min(with_entry, key=lambda row: cost(row[j]))
            left = [other for other in left if other is not row]
            minor = minor * row[j]
            row = [e / row[j] if e else e for e in row]
            left, done = (
                [
                    [a - other[j] * b for a, b in zip(other, row, strict=True)] if other[j] else other
                    for other in part
                ]
                for part in (left, done)
            )
            done.append(row)
            pivots.append(j)
        basis = []
        for j in (j for j in range(columns) if j not in pivots):
            vector = [zero] * columns
            vector[j] = one
            for row, p in zip(done, pivots, strict=True):
                vector[p] = -row[j]
            basis.append(vector)
        return cls(basis, minor, len(pivots))

    @property
    def free_places(self) -> list[int]:
        """For each vector the coordinate in which it has a one and the others a zero."""
        one = [[j for j, e in enumerate(w) if e and e == 1] for w in self.basis]
        return [
            next(j for j in places if not any(v[j] for v in self.basis if v is not w))
            for w, places in zip(self.basis, one, strict=True)
        ]


@dataclass
class Test:
    """Where something is proved: a formula, and what is presumed not to vanish besides."""

    formula: Formula
    presumed: Formula = True

    def presumed_besides(self, formula: Formula, signs: KnownSigns) -> list[Polynomial]:
        """Polynomials presumed not to vanish where a formula holds, but for those that it says it of."""
        parts = self.presumed.parts if isinstance(self.presumed, All) else (self.presumed,)
        return [p.factor for p in parts if isinstance(p, Nonzero) and not signs.excludes(formula, p.factor)]


@dataclass
class Criteria:
    """What is found out about a family, as far as the time allows.

    Attributes
    ----------
    stable, unstable : list of Test
        Each of them suffices.
    missing : list of str
        Tests for which there are no conditions in symbols: too large, or not finished.
    reason : str
        Why there is no condition for stability, where there is none.
    polynomials : list of polynomials, leading coefficient first, or None
        Of the diagonal blocks of the linearisation, on the joint level set of the invariants.
    forms : list of rows
        Restricted Hessians, for each of the multipliers that tell.
    multipliers : list of dict of name -> Quotient
        Combinations of the functions that are critical, of the same order.
    free_places : list of int
        States that the rows of the Hessian belong to.
    domain : Formula
        Where the equations can be solved for accelerations and the model holds: presumed by all tests.
    """

    stable: list[Test] = field(default_factory=list)
    unstable: list[Test] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    reason: str = "the time given did not suffice"
    polynomials: list[list[RationalFunction]] | None = None
    forms: list[Rows] = field(default_factory=list)
    multipliers: list[dict[str, RationalFunction]] = field(default_factory=list)
    free_places: list[int] = field(default_factory=list)
    domain: Formula = True

    @classmethod
    def of(cls, at: FamilyPoint, f: FamilyFunctions, time: Budget) -> Criteria:
        """What can be found out in time."""
        found, n = cls(), len(f.linearisation)
        kernels = found._attempt(
            time,
            "the kernels of the gradients",
            lambda: (ConditionKernel.of(f.gradients[: f.leaf], n, f), ConditionKernel.of(f.gradients, n, f)),
            _SIDE,
        )
        solved = found._attempt(time, "where the equations can be solved", f.regular, _SIDE)
        within = found._attempt(time, "the domain of the model", f.in_domain, _SIDE)
        if kernels is None or solved is None or within is None:
            return found
        found.domain = f.signs.every([solved, within])
        leaf, kernel = kernels
        found.free_places = kernel.free_places
        if leaf.rank == f.leaf:  # else the kernel of the gradients need not be the tangent space
            spectrum = partial(_spectrum, f, kernel)
            found.polynomials = found._attempt(time, "the characteristic polynomial", spectrum, _SIDE)
            if f.slope:
                search = partial(_damping_tests, at, f, leaf, kernel)
                damped = time.attempt("complete damping", search, None, _SIDE)
                if damped is not None:  # the energy says it all
                    found.stable, found.unstable = [damped[0]], [damped[1]]
                    found.reason = "" if damped[0].formula is not False else _NEVER
                    return found
        for polynomial in found.polynomials or ():
            growth = partial(_growth, f, leaf, polynomial)
            test = found._attempt(time, "conditions for instability", growth, _SIDE)
            found.unstable += [] if test is None else [test]
        if found.polynomials is not None:
            attraction = partial(_attraction, at, f, leaf, kernel, found.polynomials)
            found.stable += found._attempt(time, "conditions for attraction", attraction, _SIDE) or []
        found._attempt(time, "conditions for stability", lambda: found._definite(f, kernel))
        if f.slope:
            found.stable += found._attempt(time, "a falling energy", partial(_falling, f, kernel)) or []
        # What drifts for all values of the symbols is stable for none of them.
        nowhere = all(test.formula is False for test in found.stable)
        if nowhere and not any(test.formula is True for test in found.unstable):
            found.unstable += found._attempt(time, "drifts", partial(_drifting, at, f)) or []
        return found

    def _attempt(self, time: Budget, part: str, search: Callable[[], Any], share: float = 1.0) -> Any:
        """What a search finds; None where it finds no end, which is noted."""
        unfinished = object()
        found: Any = unfinished
        try:
            found = time.attempt(part, search, unfinished, share)
        except (TooLargeError, ZeroDivisionError) as error:  # of a sense +-1 there are divisors of zero
            time.cut.append(f"{part} ({error})")
        if found is unfinished:
            self.missing.append(part)
            return None
        return found

    def _definite(self, f: FamilyFunctions, kernel: ConditionKernel) -> None:
        """Energy and invariants: their critical combinations, and where one of these is definite."""
        signs, size = f.signs, len(kernel.basis)
        order = sorted(f.jets, key=lambda jet: jet.name == "energy")
        rows = {jet.name: row for jet, row in zip(f.jets, f.gradients, strict=True)}
        columns = [list(column) for column in zip(*(rows[jet.name] for jet in order), strict=True)]
        critical = ConditionKernel.of(columns, len(order), f)
        if not critical.basis:
            self.reason = "no combination of the invariants is critical at the point (no multipliers)"
            return
        hessians = {jet.name: f.hessian(jet.name) for jet in order}
        flat: Rows = []
        for y in reversed(critical.basis):
            total = {jet.name: c for jet, c in zip(order, y, strict=True) if c}
            form = _form_on_basis(f, {name: (c, hessians[name]) for name, c in total.items()}, kernel.basis)
            entries = [e for row in form for e in row]
            # Forms that repeat others, and multipliers that only say that gradients depend, tell nothing.
            if ConditionKernel.of([*flat, entries], len(entries), f).rank > len(flat) or (
                not size and not self.forms
            ):
                flat.append(entries)
                self.forms.append(form)
                self.multipliers.append({jet.name: y[i] for i, jet in enumerate(order)})
        if not self.forms:
            self.reason = _NEVER
            return
        where, why = definite_somewhere(signs, self.forms)
        if where is None:
            self.reason = why
            self.missing.append(f"conditions for stability ({why})")
            return
        where = signs.every([f.given, where])
        self.reason = _NEVER if where is False else ""
        presumed = [signs.nonzero(kernel.minor), signs.nonzero(critical.minor)]
        self.stable.append(Test(where, signs.every(presumed)))


def _spectrum(f: FamilyFunctions, kernel: ConditionKernel) -> list[list[RationalFunction]]:
    """Characteristic polynomials of the blocks of the linearisation on the kernel, which it keeps."""
    matrix = _on_levels(f, kernel)
    blocks = irreducible_blocks(matrix)
    return [characteristic([[matrix[i][j] for j in b] for i in b]) for b in blocks]


def _on_levels(f: FamilyFunctions, kernel: ConditionKernel) -> Rows:
    """The linearisation in the free coordinates of the kernel."""
    rows = [f.linearisation[i] for i in kernel.free_places]
    return [[f.field.dot(row, w) for w in kernel.basis] for row in rows]


def _damping_tests(
    at: FamilyPoint, f: FamilyFunctions, leaf: ConditionKernel, kernel: ConditionKernel
) -> tuple[Test, Test] | None:
    """Stability and instability by the energy's Hessian, where the damping is complete."""
    energy = _falling_form(f, kernel)
    if energy is None:
        return None
    form, minor = energy
    velocities = sum(i < len(at.system.assembly.velocity) for i in kernel.free_places)
    found = damping_conditions(f.signs, _on_levels(f, kernel), form, velocities)
    if found is None:
        return None
    decays, grows, turned = found
    presumed = f.signs.every([*map(f.signs.nonzero, [leaf.minor, kernel.minor, minor]), turned])
    return Test(f.signs.every([f.given, decays]), presumed), Test(f.signs.every([f.given, grows]), presumed)


def _growth(f: FamilyFunctions, leaf: ConditionKernel, polynomial: list[RationalFunction]) -> Test:
    return Test(f.signs.every([f.given, growing(f.signs, polynomial)]), f.signs.nonzero(leaf.minor))


def _attraction(
    at: FamilyPoint,
    f: FamilyFunctions,
    leaf: ConditionKernel,
    kernel: ConditionKernel,
    polynomials: list[list[RationalFunction]],
) -> list[Test]:
    """All roots but some zeros to the left: these are forced by invariants, or a manifold is all of them.

    A manifold of equilibria of as many dimensions as there are zero roots on the leaf is the centre
    manifold, and what is near it converges to a point of it (Lyapunov, Malkin): the family, where all its
    members are equilibria under the same inputs, or one that is solved for.
    """
    signs, n = f.signs, len(f.linearisation)
    attracted = signs.every([f.given, *(attracting(signs, p) for p in polynomials)])
    on_levels = sum(len(p) - len(without_zeros(p)) for p in polynomials)
    if attracted is False or not polynomials:
        return []
    if on_levels == 0:
        return [Test(attracted, signs.every([signs.nonzero(leaf.minor), signs.nonzero(kernel.minor)]))]
    dimension = on_levels + kernel.rank - leaf.rank
    family = ConditionKernel.of(f.tangent, n, f)
    if at.same_inputs and family.rank >= dimension:
        nonzero = [family.minor]
    elif (found := resting_manifold(at, f, dimension)) is not None:
        nonzero = found
    else:
        return []
    return [Test(attracted, signs.every(map(signs.nonzero, [leaf.minor, *nonzero])))]


def _falling_form(f: FamilyFunctions, kernel: ConditionKernel) -> tuple[Rows, RationalFunction] | None:
    """The Hessian, on their level sets, of the one critical sum of the energy and invariants; the minor that
    it presumes.
    """
    columns = [list(column) for column in zip(*f.gradients, f.slope, strict=True)]
    critical = ConditionKernel.of(columns, len(f.jets) + 1, f)
    with_energy = [y for y in critical.basis if y[-1]]
    if len(with_energy) != 1:  # more than one only where it is conserved
        return None
    names = [*(jet.name for jet in f.jets), "energy"]
    terms = {name: (c, f.hessian(name)) for name, c in zip(names, with_energy[0], strict=True) if c}
    return _form_on_basis(f, terms, kernel.basis), critical.minor


def _falling(f: FamilyFunctions, kernel: ConditionKernel) -> list[Test]:
    """A combination of the energy with invariants, critical and with a minimum on their level sets."""
    energy = _falling_form(f, kernel)
    if energy is None:
        return []
    form, minor = energy
    where = f.signs.every([f.given, f.falls, positive_definite(f.signs, form)])
    presumed = f.signs.every([f.signs.nonzero(kernel.minor), f.signs.nonzero(minor)])
    return [] if where is False else [Test(where, presumed)]


def _drifting(at: FamilyPoint, f: FamilyFunctions) -> list[Test]:
    """Motions that drift away however near to the members they begin.

    They begin with changes that the leaf admits and that no force answers to first order, nor the
    displacements to which they lead: of the velocities alone, then with displacements.
    """
    n, k = len(f.linearisation), len(at.system.assembly.velocity)
    field, A = f.field, f.linearisation
    columns = [list(column) for column in zip(*A, strict=True)]
    again = [[field.dot(row, column) for column in columns] for row in A[:k]]
    relations = f.gradients[: f.leaf]
    held = [[field.element(int(i == j)) for j in range(n)] for i in range(k, n)]
    displaced = ConditionKernel.of([*A[:k], *again, *relations], n, f).basis
    alone = ConditionKernel.of([*held, *A[:k], *again, *relations], n, f).basis
    changes = [*alone, *(c for c in displaced if any(c[k:]))]
    for drift in drifts(at, f, changes):
        turns = f.signs.positive(drift.square) if drift.square else True
        presumed = f.signs.every(map(f.signs.nonzero, drift.nonzero_entries))
        return [Test(f.signs.every([f.given, turns]), presumed)]
    return []


def _form_on_basis(
    f: FamilyFunctions, terms: Mapping[str, tuple[RationalFunction, Rows]], basis: Rows
) -> Rows:
    """W^T (sum y H) W."""
    zero, n = f.field.zero, range(len(f.linearisation))
    H = [[sum((c * h[i][j] for c, h in terms.values() if h[i][j]), zero) for j in n] for i in n]
    image = [[sum((row[j] * w[j] for j in n if row[j] and w[j]), zero) for row in H] for w in basis]
    return [[sum((v[i] * e[i] for i in n if v[i] and e[i]), zero) for e in image] for v in basis]
