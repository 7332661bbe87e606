"""Criteria of stability at a family's symbolic point: kernels, restricted forms, spectra, as formulas."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from geoctrl._calls.budget import Budget
from geoctrl._scalars import Node
from geoctrl.analysis.conditions.equilibrium_manifolds import drifts, resting_manifold
from geoctrl.analysis.conditions.family_point import FamilyFunctions
from geoctrl.analysis.symbolic.complete_damping import damping_conditions
from geoctrl.analysis.symbolic.definite_pencils import definite_somewhere, positive_definite
from geoctrl.analysis.symbolic.formulas import All, Formula, Nonzero, Polynomial
from geoctrl.analysis.symbolic.rational_functions import RationalField, RationalFunction, TooLargeError
from geoctrl.analysis.symbolic.sign_conditions import KnownSigns
from geoctrl.analysis.symbolic.spectra_in_symbols import (
    attracting,
    characteristic,
    growing,
    irreducible_blocks,
    without_zeros,
)

__all__ = ["Criteria", "Test"]

Rows = list[list[RationalFunction]]

_NEVER = "the restricted Hessian is never definite"
SEARCHED = 20_000
"""Terms of polynomials that conditions are made of: of more no search comes to an end."""
_SIDE = 0.4
"""Part of the time for the spectrum; the rest is for the Hessian."""


@dataclass
class Test:
    """Where something is proved: a formula, and what is presumed not to vanish besides."""

    formula: Formula
    presumed: Formula = True

    def presumed_besides(self, formula: Formula, signs: KnownSigns) -> list[Polynomial]:
        """Polynomials presumed not to vanish where a formula holds, but for those that it says it of."""
        parts = self.presumed.parts if isinstance(self.presumed, All) else (self.presumed,)
        return [p.factor for p in parts if isinstance(p, Nonzero) and not signs.excludes(formula, p.factor)]


class Criteria:
    """What is found out about a family, as far as the time allows.

    Parameters
    ----------
    functions : FamilyFunctions or None
        At the members; None where the time did not suffice to write them.

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
    multipliers : list of dict of name -> RationalFunction
        Combinations of the functions that are critical, of the same order.
    free_places : list of int
        States that the rows of the Hessian belong to.
    domain : Formula
        Where the equations can be solved for accelerations and the model holds: presumed by all tests.
    signs : KnownSigns
    """

    def __init__(self, functions: FamilyFunctions | None, one: Node, time: Budget) -> None:
        self.stable: list[Test] = []
        self.unstable: list[Test] = []
        self.missing: list[str] = []
        self.reason = "the time given did not suffice"
        self.polynomials: list[list[RationalFunction]] | None = None
        self.forms: list[Rows] = []
        self.multipliers: list[dict[str, RationalFunction]] = []
        self.free_places: list[int] = []
        self.domain: Formula = True
        self.complete = False
        self._time = time
        self.signs = KnownSigns(RationalField([one])) if functions is None else functions.signs
        if functions is not None:
            self._f = functions
            functions.field.most = SEARCHED
            self._find()
            self.complete = not self.missing

    def _find(self) -> None:
        """All that can be found out in time."""
        f = self._f
        kernels = self._attempt(
            "the kernels of the gradients",
            lambda: (f.kernel(f.gradients[: f.leaf]), f.kernel(f.gradients)),
            _SIDE,
        )
        solved = self._attempt("where the equations can be solved", f.regular, _SIDE)
        within = self._attempt("the domain of the model", f.in_domain, _SIDE)
        if kernels is None or solved is None or within is None:
            return
        self.domain = f.signs.every([solved, within])
        self._leaf, self._kernel = kernels
        self.free_places = self._kernel.free_places
        if self._leaf.rank == f.leaf:  # else the kernel of the gradients need not be the tangent space
            self.polynomials = self._attempt("the characteristic polynomial", self._spectrum, _SIDE)
            if f.slope:
                damped = self._time.attempt("complete damping", self._damping_tests, None, _SIDE)
                if damped is not None:  # the energy says it all
                    self.stable, self.unstable = [damped[0]], [damped[1]]
                    self.reason = "" if damped[0].formula is not False else _NEVER
                    return
        for polynomial in self.polynomials or ():
            test = self._attempt("conditions for instability", partial(self._growth, polynomial), _SIDE)
            self.unstable += [] if test is None else [test]
        if self.polynomials is not None:
            self.stable += self._attempt("conditions for attraction", self._attraction, _SIDE) or []
        self._attempt("conditions for stability", self._definite)
        if f.slope:
            self.stable += self._attempt("a falling energy", self._falling) or []
        # What drifts for all values of the symbols is stable for none of them.
        nowhere = all(test.formula is False for test in self.stable)
        if nowhere and not any(test.formula is True for test in self.unstable):
            self.unstable += self._attempt("drifts", self._drifting) or []

    def _attempt(self, part: str, search: Callable[[], Any], share: float = 1.0) -> Any:
        """What a search finds; None where it finds no end, which is noted."""
        unfinished = object()
        found: Any = unfinished
        try:
            found = self._time.attempt(part, search, unfinished, share)
        except (TooLargeError, ZeroDivisionError) as error:  # of a sense +-1 there are divisors of zero
            self._time.cut.append(f"{part} ({error})")
        if found is unfinished:
            self.missing.append(part)
            return None
        return found

    # -- by the spectrum ------------------------------------------------------------------------

    def _spectrum(self) -> list[list[RationalFunction]]:
        """Characteristic polynomials of the blocks of the linearisation on the kernel, which it keeps."""
        matrix = self._on_levels()
        blocks = irreducible_blocks(matrix)
        return [characteristic([[matrix[i][j] for j in b] for i in b]) for b in blocks]

    def _on_levels(self) -> Rows:
        """The linearisation in the free coordinates of the kernel."""
        rows = [self._f.linearisation[i] for i in self._kernel.free_places]
        return [[self._f.field.dot(row, w) for w in self._kernel.basis] for row in rows]

    def _growth(self, polynomial: list[RationalFunction]) -> Test:
        signs = self.signs
        return Test(signs.every([self._f.given, growing(signs, polynomial)]), signs.nonzero(self._leaf.minor))

    def _attraction(self) -> list[Test]:
        """All roots but some zeros to the left: these are forced by invariants, or a manifold is all of them.

        A manifold of equilibria of as many dimensions as there are zero roots on the leaf is the centre
        manifold, and what is near it converges to a point of it (Lyapunov, Malkin): the family, where all
        its members are equilibria under the same inputs, or one that is solved for.
        """
        f, signs, leaf, polynomials = self._f, self.signs, self._leaf, self.polynomials
        attracted = signs.every([f.given, *(attracting(signs, p) for p in polynomials or ())])
        if attracted is False or not polynomials:
            return []
        on_levels = sum(len(p) - len(without_zeros(p)) for p in polynomials)
        if on_levels == 0:
            presumed = [signs.nonzero(leaf.minor), signs.nonzero(self._kernel.minor)]
            return [Test(attracted, signs.every(presumed))]
        dimension = on_levels + self._kernel.rank - leaf.rank
        family = f.kernel(f.tangent)
        if f.at.same_inputs and family.rank >= dimension:
            nonzero = [family.minor]
        elif (found := resting_manifold(f, dimension)) is not None:
            nonzero = found
        else:
            return []
        return [Test(attracted, signs.every(map(signs.nonzero, [leaf.minor, *nonzero])))]

    # -- by the energy and invariants -----------------------------------------------------------

    def _definite(self) -> None:
        """Energy and invariants: their critical combinations, and where one of these is definite."""
        f, signs, kernel = self._f, self.signs, self._kernel
        order = sorted(f.jets, key=lambda jet: jet.name == "energy")
        rows = {jet.name: row for jet, row in zip(f.jets, f.gradients, strict=True)}
        columns = [list(column) for column in zip(*(rows[jet.name] for jet in order), strict=True)]
        critical = f.kernel(columns, len(order))
        if not critical.basis:
            self.reason = "no combination of the invariants is critical at the point (no multipliers)"
            return
        flat: Rows = []
        for y in reversed(critical.basis):
            terms = {jet.name: c for jet, c in zip(order, y, strict=True)}
            form = f.hessian_on(kernel.basis, terms)
            entries = [e for row in form for e in row]
            # Forms that repeat others, and multipliers that only say that gradients depend, tell nothing.
            if f.kernel([*flat, entries], len(entries)).rank > len(flat) or (
                not kernel.basis and not self.forms
            ):
                flat.append(entries)
                self.forms.append(form)
                self.multipliers.append(terms)
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

    def _falling_form(self) -> tuple[Rows, RationalFunction] | None:
        """The Hessian, on their level sets, of the one critical sum of the energy and invariants; the minor
        that it presumes.
        """
        f = self._f
        columns = [list(column) for column in zip(*f.gradients, f.slope, strict=True)]
        critical = f.kernel(columns, len(f.jets) + 1)
        with_energy = [y for y in critical.basis if y[-1]]
        if len(with_energy) != 1:  # more than one only where it is conserved
            return None
        names = [*(jet.name for jet in f.jets), "energy"]
        terms = dict(zip(names, with_energy[0], strict=True))
        return f.hessian_on(self._kernel.basis, terms), critical.minor

    def _falling(self) -> list[Test]:
        """A combination of the energy with invariants, critical and with a minimum on their level sets."""
        energy = self._falling_form()
        if energy is None:
            return []
        (form, minor), f, signs = energy, self._f, self.signs
        where = signs.every([f.given, f.falls, positive_definite(signs, form)])
        presumed = signs.every([signs.nonzero(self._kernel.minor), signs.nonzero(minor)])
        return [] if where is False else [Test(where, presumed)]

    def _damping_tests(self) -> tuple[Test, Test] | None:
        """Stability and instability by the energy's Hessian, where the damping is complete."""
        energy = self._falling_form()
        if energy is None:
            return None
        (form, minor), f, signs = energy, self._f, self.signs
        velocities = sum(i < len(f.at.system.assembly.velocity) for i in self._kernel.free_places)
        found = damping_conditions(signs, self._on_levels(), form, velocities)
        if found is None:
            return None
        decays, grows, turned = found
        minors = [self._leaf.minor, self._kernel.minor, minor]
        presumed = signs.every([*map(signs.nonzero, minors), turned])
        return Test(signs.every([f.given, decays]), presumed), Test(signs.every([f.given, grows]), presumed)

    # -- by drifts ------------------------------------------------------------------------------

    def _drifting(self) -> list[Test]:
        """Motions that drift away however near to the members they begin.

        They begin with changes that the leaf admits and that no force answers to first order, nor the
        displacements to which they lead: of the velocities alone, then with displacements.
        """
        f, signs = self._f, self.signs
        n, k = len(f.linearisation), len(f.at.system.assembly.velocity)
        field, A = f.field, f.linearisation
        columns = [list(column) for column in zip(*A, strict=True)]
        again = [[field.dot(row, column) for column in columns] for row in A[:k]]
        relations = f.gradients[: f.leaf]
        held = [[field.element(int(i == j)) for j in range(n)] for i in range(k, n)]
        displaced = f.kernel([*A[:k], *again, *relations]).basis
        alone = f.kernel([*held, *A[:k], *again, *relations]).basis
        changes = [*alone, *(c for c in displaced if any(c[k:]))]
        for drift in drifts(f, changes):
            turns = signs.positive(drift.square) if drift.square else True
            presumed = signs.every(map(signs.nonzero, drift.nonzero_entries))
            return [Test(signs.every([f.given, turns]), presumed)]
        return []
