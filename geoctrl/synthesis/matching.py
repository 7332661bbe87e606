"""Matching of a mechanism with rotors: the laws and the sets of gains that its solutions make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import sympy as sp

from geoctrl._calls.budget import BUDGET
from geoctrl._calls.long_calls import long_call, under_way
from geoctrl._checks import require_choice
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl.errors import MatchingError, ParameterError
from geoctrl.synthesis.gains.design import SigmaDesign
from geoctrl.synthesis.rotors.feedback_law import FeedbackLaw
from geoctrl.synthesis.rotors.gains import matrix_of_sigma, read_sigma
from geoctrl.synthesis.rotors.rank_branches import Branch, RotorCoupling, branch_name
from geoctrl.synthesis.rotors.rotor_matching import RotorMatching
from geoctrl.synthesis.shaped_matching import ShapedMatching
from geoctrl.synthesis.shaping.matching_class import KINDS, KINETIC, Shaping
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.commuting_solution import Abelian
from geoctrl.synthesis.solutions.fibre_solution import Vertical
from geoctrl.synthesis.solutions.linear_fields import LinearFields
from geoctrl.synthesis.solutions.matching_of_given_fields import GivenFields
from geoctrl.synthesis.solutions.one_direction import OneDirection
from geoctrl.systems import EulerPoincare, Friction, Rotors, as_mechanism

__all__ = ["Matching", "match"]

_CLASSES: dict[str, Callable[[Plant, str], Shaping]] = {
    "abelian actuated directions": Abelian,
    "one unactuated direction": OneDirection,
    "inertia added to the actuated directions": Vertical,
    "polynomial fields": LinearFields,
}


_LONG = 300
"""Characters of a matrix up to which ``repr`` tells it."""


class Matching(RotorMatching):
    """Solutions of the matching conditions of a mechanism with rotors; made by `match`.

    Attributes
    ----------
    mechanism : EulerPoincare
    rotors : Rotors
        Of the mechanism.
    branches : tuple of Branch
        The trivial one first, the full one ([GO] 52) last.
    sigma : sympy matrix, s x s
        Symbols of the gain.
    note : str
        Branches that the time budget left out, if any.
    """

    def __init__(self, coupling: RotorCoupling, branches: Sequence[Branch], note: str = "") -> None:
        if not isinstance(coupling, RotorCoupling):
            raise TypeError(f"a matching is made by gc.match(mechanism), got {shown(coupling)}")
        self._coupling, self.note = coupling, note
        self.mechanism, self.rotors, self.sigma = coupling.mechanism, coupling.rotors, coupling.sigma
        self.branches = tuple(branches)

    @property
    def notes(self) -> tuple[str, ...]:
        """The `note`, if there is one."""
        return (self.note,) if self.note else ()

    @property
    def tau(self) -> sp.ImmutableMatrix:
        """tau^a_i = -sigma^{ab} G_bi of the full branch ([GO] 52)."""
        return self.branches[-1].tau

    @property
    def rho(self) -> sp.ImmutableMatrix:
        """rho_ab with sigma^{-1} + rho^{-1} = G_ab^{-1} ([GO] 52)."""
        return self.branches[-1].rho

    def residual(self, branch: Branch | None = None) -> list[sp.Expr]:
        """Coefficients of p - ptilde for all velocities and momenta; all zero for a solution."""
        if branch is None:
            branch = self.branches[-1]
        elif not isinstance(branch, Branch):
            raise TypeError(f"branch must be one of .branches, got {shown(branch)}")
        return self._coupling.residual(branch.tau, branch.sigma, branch.rho_inverse)

    def inertia(self, sigma: Any = None) -> sp.ImmutableMatrix:
        """Inertia of the controlled Lagrangian at zero controlled momentum, n x n.

        ``G_ij + G_ia sigma^{ab} G_bj - G_ia G^{ab} G_bj``; ``sigma`` in symbols where none is given.
        """
        matrix = self.sigma if sigma is None else read_sigma(sigma, self.mechanism)
        return self._coupling.controlled_inertia(matrix)

    def law(self, sigma: Any = None, form: str = "feedforward", **entries: Any) -> FeedbackLaw:
        """Feedback law of the full branch for a gain.

        Parameters
        ----------
        sigma : number, s x s matrix, or symbol
            A symbol stays a parameter of the loop.
        form : "feedforward"
            The closed loop's accelerations are eliminated: the law is a function of the state.
        **entries : numbers or symbols
            All of `gains` by name, in place of the matrix.

        Returns
        -------
        FeedbackLaw
            ``law.warnings`` holds a `LawWarning` for each declared family that the gain does not stabilise
            although others would; they are issued by the first loop unless it stabilises another family.

        Raises
        ------
        MatchingError
            If sigma is zero, singular, not symmetric, not finite or of the wrong shape; if one of its entries
            is missing or unknown.
        InputError
            For an unknown form.
        """
        require_choice("form", form, ("feedforward",))
        return FeedbackLaw(self, matrix_of_sigma(self.sigma, sigma, entries))

    @long_call
    def design_sigma(
        self,
        eq: Any,
        budget: float = BUDGET,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> SigmaDesign:
        """Gains for which an equilibrium of the closed loop is stable by the energy-Casimir test.

        Parameters
        ----------
        eq : Equilibrium of the mechanism, state of the mechanism or of the closed loop, or name of a family
            A family, or a member of one, gives symbolic bounds.
        budget : float
            Seconds for each search in symbols; ``.note`` says what was not finished.
        progress, seconds
            As of `certify`, of deriving the loop.

        Raises
        ------
        EquilibriumError
            If the point is not an equilibrium of the closed loop.
        """
        return SigmaDesign(self, eq, budget)

    @property
    def gains(self) -> dict[str, sp.Symbol]:
        """Free gains by name: the entries of sigma."""
        return {s.name: s for s in self.sigma}

    @long_call
    def design(
        self,
        eq: Any,
        budget: float = BUDGET,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> SigmaDesign:
        """`design_sigma`, by the name that every matching has; progress, seconds as there."""
        return self.design_sigma(eq, budget)

    @cached_property
    def _designs(self) -> dict[str, SigmaDesign]:
        return {}

    def family_design(self, family: str) -> SigmaDesign:
        """`design_sigma` of a declared family, made once for all laws that are judged by it."""
        if not isinstance(family, str):
            raise ParameterError(f"family must be the name of one, got {shown(family)}")
        if family not in self._designs:
            self._designs[family] = self.design_sigma(family)
        return self._designs[family]

    def _lines(self) -> list[str]:
        lines = [f"<Matching of {self.mechanism.name or 'a mechanism'}>"]
        for i, branch in enumerate(self.branches):
            pairs = (("tau", "tau", branch.tau), ("rho^-1", "rho_inverse", branch.rho_inverse))
            texts = [f"{name} = {_matrix_in_words(f'.branches[{i}].{where}', m)}" for name, where, m in pairs]
            lines.append(f"  {branch.name}: {', '.join(texts)}")
        return lines

    full = full_text
    __repr__ = short_form


def _matrix_in_words(where: str, matrix: sp.Matrix) -> str:
    """A matrix, or where it is, if it is long."""
    text = str(matrix.tolist())
    return text if len(text) <= _LONG else f"{matrix.rows} x {matrix.cols} of sigma, {where}"


@long_call
def match(
    mechanism: EulerPoincare,
    budget: float = BUDGET,
    shaping: str | None = None,
    direction: Any = None,
    gains: str = "scalars",
    *,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> Matching | ShapedMatching:
    """Solve the matching conditions of a mechanism with internal rotors or actuated directions.

    Without ``shaping`` those of rotors with constant coupling: the residual is demanded for all i = 1..n, for
    all admissible velocities and all controlled momenta, and every branch returned is checked against it
    symbolically. With it, or without rotors, those of any inputs that enter forces with constant
    coefficients: classes of controlled Lagrangians are tried in turn
    (`geoctrl.synthesis.solutions.commuting_solution` and so on), and what is found is proved modulo the leaf.

    Parameters
    ----------
    mechanism : EulerPoincare
        With rotors, or inputs.
    budget : float
        Seconds. Branches besides the full one that are not found and checked by then are left out, and
        ``.note`` of the matching says which.
    shaping : {"kinetic", "potential", "both"}, optional
        What of the Lagrangian is to be changed. "kinetic" stabilises modulo the actuated positions, with the
        others the law holds these too, as positions z. Without rotors "kinetic" by default.
    direction : sequence of expressions, optional
        Of shaping, for one unactuated velocity: what is added to it of each actuated one, in coordinates and
        parameters; see `geoctrl.synthesis.solutions.one_direction`. For several a matrix, a row for each
        actuated and a column for each unactuated velocity; see
        `geoctrl.synthesis.solutions.matching_of_given_fields`.
    gains : {"scalars", "diagonal", "matrices"}, optional
        Of shaping, for abelian actuated directions: kappa, rho and K that are the same in all of them, or the
        entries Lambda11, Lambda12, ... of symmetric matrices, all or those on the diagonal; see
        `geoctrl.synthesis.solutions.commuting_solution`.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    seconds : float, optional
        Time for the whole, in place of ``budget``; the branches found by then are returned.

    Returns
    -------
    Matching
        Of rotors, without ``shaping``.
    ShapedMatching

    Raises
    ------
    TypeError
        For anything else than a mechanism.
    BudgetError
        If the full branch is not found and checked in time (`geoctrl._calls.budget`); a TimeoutError.
    InputError
        For an unknown word in ``shaping`` or ``gains``.
    MatchingError
        If nothing is actuated, rotors have a singular inertia or couple to no admissible motion (no torque on
        them moves the mechanism); if the mechanism is in none of the classes, with the reason of each.

    Examples
    --------
    >>> import geoctrl as gc
    >>> matching = gc.match(gc.models.get("pendulum-skate-rotor")())
    >>> [branch.name for branch in matching.branches]
    ['no control', 'full']
    >>> matching.rho[0, 0]
    -J1*sigma/(J1 - sigma)
    >>> gc.match(gc.models.get("cart-pendulum")(), shaping="both").gains
    {'kappa': kappa, 'rho': rho, 'K': K}
    """
    mechanism = as_mechanism(mechanism, "match")
    require_choice("gains", gains, ("scalars", "diagonal", "matrices"))
    if gains != "scalars" or shaping is not None or direction is not None or mechanism.rotors is None:
        kind = KINETIC if shaping is None else shaping
        require_choice("shaping", kind, KINDS)
        plant = Plant.of(mechanism)
        if gains != "scalars":
            return ShapedMatching(mechanism, _class_with_matrices(plant, kind, direction, gains))
        return ShapedMatching(mechanism, *_first_class(plant, kind, direction))
    _require_known_bearings(mechanism, mechanism.rotors)
    coupling, time = RotorCoupling.of(mechanism), under_way().search_budget(budget)
    remedy, count = "give numbers for the parameters of the rotors", coupling.rotors.count
    time.demand("a check of the rotors", coupling.require_coupling, remedy)
    full = time.demand("the full branch", partial(coupling.branch, count), remedy)
    others = [
        time.attempt(branch_name(rank, count), partial(coupling.branch, rank), None) for rank in range(count)
    ]
    return Matching(coupling, [*(b for b in others if b is not None), full], time.note)


def _require_known_bearings(mechanism: EulerPoincare, rotors: Rotors) -> None:
    """Refuse what laws of rotors by sigma do not know how to take: MatchingError with the remedy."""
    n = mechanism.algebra.n
    remedy = "or take the rotors as velocities of gc.rn and match with shaping="
    angles = [z for z in mechanism.quasicoordinates if z.rate.free_symbols & {*rotors.rates}]
    parts = {
        "potential": [mechanism.potential],
        "forces": mechanism.forces or [],
        "inertia": mechanism.inertia,
    }
    parts |= {"coupling": rotors.coupling, "gyroscopic": mechanism.gyroscopic or []}
    for z in angles:
        if z.rate not in rotors.rates:
            raise MatchingError(f"match by sigma takes no state that moves with rotors and more: {z.name}")
        held = [name for name, part in parts.items() if any(e.has(z.symbol) for e in part)]
        if held:
            raise MatchingError(
                f"match by sigma takes no wheel whose angle acts: {z.name} stands in {held[0]}; match the "
                f"mechanism without that, {remedy}"
            )
    if any(rotors.gyroscopic):
        raise MatchingError(f"match by sigma takes no gyroscopic term of rotors: leave it out, {remedy}")
    for motor, name in zip(rotors.motors, rotors.names, strict=True):
        if motor is not None:
            raise MatchingError(
                f"match by sigma sets torques, and {name} has a motor: match the mechanism without motor=, "
                "and ask the motor for the voltage of a torque, Motor.volts"
            )
    for friction in mechanism.friction:
        if friction.along.cols > n:
            if friction.scale is not None:
                raise MatchingError(
                    "match by sigma takes viscous bearings of rotors alone, which its law cancels; leave out "
                    f"the dry friction of {_turning_in(friction, rotors, n)}, {remedy}"
                )
            if any(friction.along[:, :n]):
                raise MatchingError(
                    f"match by sigma takes no friction between rotors and what else moves: that of "
                    f"{_turning_in(friction, rotors, n)}; leave it out, {remedy}"
                )


def _turning_in(friction: Friction, rotors: Rotors, n: int) -> str:
    """Names of the rotors along which a friction acts."""
    return ", ".join(name for k, name in enumerate(rotors.names) if any(friction.along[:, n + k]))


def _class_with_matrices(plant: Plant, kind: str, direction: Any, form: str) -> Shaping:
    """The abelian class, which alone has matrices for gains."""
    if direction is not None:
        raise MatchingError(f'a direction is for one unactuated velocity; leave it out with gains="{form}"')
    try:
        return Abelian(plant, kind, form)
    except MatchingError as error:
        raise MatchingError(
            f'gains="{form}" needs abelian actuated directions: {error}; leave it out to try other classes'
        ) from None


def _first_class(plant: Plant, kind: str, direction: Any) -> tuple[Shaping, dict[str, str]]:
    """The first class that a plant is in, and why it is not in those that were tried before.

    MatchingError with the reasons of all where there is none.
    """
    if direction is not None:
        made_along = OneDirection if plant.unactuated.cols == 1 else GivenFields
        return made_along(plant, kind, direction), {}
    refused: dict[str, str] = {}
    # Added inertia alone needs no direction of shaping, but holds no position.
    order = sorted(_CLASSES, key=lambda title: _CLASSES[title] is OneDirection and kind == KINETIC)
    for title in order:
        try:
            return _CLASSES[title](plant, kind), refused
        except MatchingError as error:
            refused[title] = str(error)
    reasons = "; ".join(f"{title}: {reason}" for title, reason in refused.items())
    raise MatchingError(f"no class of controlled Lagrangians that is known matches this mechanism. {reasons}")
