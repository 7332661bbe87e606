"""Linear-quadratic regulators and poles that are placed, on a leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call
from geoctrl._checks import entries, finite_array, require_choice, sampling_rate
from geoctrl._scalars import shown
from geoctrl.analysis.linear.controllability import Controllability
from geoctrl.analysis.linear.linearization import Linearization, linearize
from geoctrl.analysis.linear.modes import Mode
from geoctrl.errors import ConvergenceError, EquilibriumError, InputError, LabelError
from geoctrl.sampling import warn_of_slow
from geoctrl.synthesis.linear.delayed_law import DelayedLaw, delay_of
from geoctrl.synthesis.linear.integral_action import integral_weights, with_integrals
from geoctrl.synthesis.linear.linear_law import LinearLaw
from geoctrl.synthesis.linear.manifold_law import ManifoldLaw, affine_law
from geoctrl.synthesis.linear.precise_riccati import precise_law
from geoctrl.synthesis.linear.riccati import held_pair, optimal_gain, optimal_held_gain
from geoctrl.synthesis.linear.scaled_pair import (
    PairUnits,
    acting_units,
    scaled_pair,
    weighed_sizes,
    weighed_units,
)
from geoctrl.synthesis.periodic.periodic_law import PeriodicLaw, law_along
from geoctrl.systems import System, as_written

__all__ = ["linearization_with_inputs", "lqr", "modes_in_words", "place", "read_weight", "recorded_plant"]

_ROUNDING = 1e-12
"""Asymmetry and negative eigenvalue, beside ones on the diagonal, that count as rounding."""


def read_weight(name: str, given: Any, labels: Sequence[str], definite: bool = False) -> np.ndarray:
    """A symmetric positive semidefinite matrix (k, k), one row for each label.

    Parameters
    ----------
    given : None, number, (k,), (k, k) or mapping of label -> number
        None is the identity, a number its multiple, (k,) the diagonal; labels that a mapping leaves out have
        zero there, or one where the matrix has to be definite.
    definite : bool
        Whether it must be positive definite.
    """
    k = len(labels)
    if given is None:
        return np.eye(k)
    if isinstance(given, Mapping):
        for label in given:
            require_choice(f"label in {name}", label, labels, LabelError)
        given = [given.get(label, float(definite)) for label in labels]
    matrix = finite_array(name, given)
    if matrix.ndim < 2 and matrix.shape in ((), (k,)):
        matrix = np.diag(np.broadcast_to(matrix, (k,)))
    if matrix.shape != (k, k):
        raise InputError(
            f"{name} must be a number, ({k},), ({k}, {k}) or a dict by label, in the order "
            f"{', '.join(labels)}; got shape {matrix.shape}"
        )
    _require_symmetric(name, matrix)
    matrix = (matrix + matrix.T) / 2
    wanted = "definite" if definite else "semidefinite"
    for label, weight, row in zip(labels, np.diag(matrix), matrix, strict=True):
        if weight < 0 or (weight == 0 and (definite or np.any(row))):
            raise InputError(f"{name} must be positive {wanted}; {label} has the weight {weight:.6g} in it")
    # Weights have units of their own: what is judged is the matrix with ones on its diagonal.
    unit = np.sqrt(np.where(np.diag(matrix) > 0, np.diag(matrix), 1.0))
    least = float(np.min(np.linalg.eigvalsh(matrix / unit / unit[:, None]), initial=np.inf))
    if least < -_ROUNDING or (definite and not least > 0):
        raise InputError(
            f"{name} must be positive {wanted}; with ones on its diagonal its least eigenvalue is {least:.6g}"
        )
    return matrix


def _require_symmetric(name: str, matrix: np.ndarray) -> None:
    """Refuse entries that differ from their mirror images by more than rounding of row and column."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    apart, entries = np.abs(matrix - matrix.T), np.maximum(np.abs(matrix), np.abs(matrix.T))
    if np.any(apart > _ROUNDING * np.maximum(entries, size * size[:, None])):
        raise InputError(f"{name} must be symmetric")


_PLACED = 1e-6
"""Distance of a pole from where it should be, relative to the largest: that of rounding in a gain of doubles
where they are close together."""


@long_call
def lqr(
    sys: System,
    eq: Any,
    Q: Any = None,
    R: Any = None,
    params: Mapping[str, float] | None = None,
    *,
    rate: float | None = None,
    integral: Any = None,
    delay: float = 0.0,
    holds: int | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> LinearLaw | ManifoldLaw | DelayedLaw | PeriodicLaw:
    r"""The law that minimises :math:`\int (\delta x^T Q\,\delta x + \delta u^T R\,\delta u)\,dt`.

    Along a motion that repeats, with ``holds``, it is the sum over samples of that form that is minimised, by
    inputs that are held: `PeriodicLaw`.

    In all states of a system on a leaf no such law exists: relations of the leaf, functions that are
    conserved whatever the inputs do, and directions of rest out of reach never decay. They are found by the
    rank of rational matrices where the point is rational, named and left out, `LinearLaw.neutral`; the cost
    counts what the inputs reach. Directions of rest out of reach are orthogonal to it in the weights of the
    states, one by one: where nothing moves by itself the gain is the limit of those of finite times.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem, RotationSystem or ProductSystem
    eq : Equilibrium, state or (x, u); with ``holds`` PeriodicOrbit or (times, states, inputs)
        A motion over one period T: times (nt,) evenly from its beginning to its end, states (n, nt) there (of
        a product also as ``pack`` takes them) and inputs (m, N) of the holds. The states are moved to a
        motion of the plant under these inputs. With None in their place the inputs are those that lead from
        state to state, as near as they can, and are moved with them. On a manifold an orbit is one of
        ``sys.reduced``.
    Q : None, number, (n,), (n, n) or dict of state label -> number
        Positive semidefinite, in the states; the identity by default. Where units differ take one over the
        squares of the largest deviations (Bryson's rule).
    R : None, number, (m,), (m, m) or dict of input label -> number
        Positive definite; the identity by default.
    params : dict, optional
        Overrides those of the equilibrium.
    rate : float, optional
        Of the controller that will run the law (Hz): the same integral is minimised by inputs that are held,
        so that ``law.sampled(rate)`` is stable however slow it is. Without a hold such a law need not be.
    integral : label, sequence of labels, or dict of label -> reference, optional
        States of which the law takes the integrals of the deviations as well, as states ``{label}_integral``:
        a force that nobody knows of then leaves no deviation. In ``Q`` they have weights by these names, that
        of the state times the square of the system's rate (`System.scales`) without one. A controller sums
        them up by itself; with ``rate`` the sums of its samples are what is designed for. A reference is
        where the equilibrium has the state.
    delay : float
        From a sample to where its command acts (s), with ``rate``: the law is given the state in which it
        acts, which the commands that wait determine.
    holds : int, optional
        N, into which a period is cut; (nt - 1)/N steps of the times are a hold.
    progress, seconds
        As of `certify`.

    Returns
    -------
    LinearLaw, ManifoldLaw of a system on a manifold, DelayedLaw where there is a delay, or PeriodicLaw with
    ``holds``

    Raises
    ------
    EquilibriumError
        If the point is no equilibrium, or something that the inputs do not reach does not decay: with its
        name, eigenvalue and the inputs. With ``holds`` if the states are near no motion that closes under
        these inputs, with the hold and the defect, or the inputs move no multiplier that is not inside.
    InputError, LabelError, ParameterError
        For weights of another shape or not definite, for a motion on the imaginary axis that costs nothing, a
        system without inputs, a rate that is not positive, integrals together with a delay; for times that
        ``holds`` do not divide; for an unknown label or parameter.
    ConvergenceError
        If Riccati's equation is not solved: with ``rate`` in doubles, else with 2048 bits where these do not
        tell the gain.
    TypeError
        For matrices, or anything else than a system.
    DescriptionError
        For a system on a manifold with forces or potentials that are functions.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate-rotor")().reduce()
    >>> law = gc.lqr(skate, skate.equilibrium("sliding", Y0=1.0))
    >>> law.neutral
    ('C1', 'C2')
    >>> print(gc.certify(law.closed_loop(), law.equilibrium).verdict)
    PROVED_STABLE
    """
    if holds is not None:
        if rate is not None or integral is not None or delay:
            raise InputError(
                "holds= sets the rate of the law, N/T, and no delay: leave rate=, integral= and delay= out"
            )
        system = plant_with_inputs(sys, "lqr")
        weights = read_weight("Q", Q, system.state_labels)
        costs = read_weight("R", R, system.input_labels, definite=True)
        return law_along(system, eq, weights, costs, holds, params)
    late = delay_of(delay, rate)
    linear = linearization_with_inputs(sys, eq, params, "lqr")
    of: dict[str, str] = {}
    if integral is not None:
        if late:
            raise InputError(
                "lqr takes integral= or delay=: a law that is given the state in which its command acts does "
                "not sum up deviations; leave one of them out, and prove the sampled loop by "
                "certify(controller=)"
            )
        point, of = with_integrals(linear.equilibrium.system, linear.equilibrium, integral)
        Q = integral_weights(Q, point.labels, of, linear.scales.rate)
        linear = linearize(point.system, point)
    system = linear.equilibrium.system
    Q = read_weight("Q", Q, system.state_labels)
    R = read_weight("R", R, system.input_labels, definite=True)
    units = weighed_units(linear.A, linear.B, Q, R)
    reached = _stabilisable(linear, weighed_sizes(linear.A, linear.B, Q, R).states)
    pair = scaled_pair(reached.A, reached.B, units, reached.basis, reached.projection)
    if lasting := pair.part(reached.part).lasting(Q):
        raise InputError(
            f"Q puts no weight on a motion that does not decay by itself, along {modes_in_words(lasting)}; "
            "a label that Q does not name has the weight 0: give one to a state that moves along with each",
            key="lqr-unseen",
        )
    weighed = pair.A, pair.B, *pair.cost(Q, R)
    if rate is None:
        try:
            K = pair.gain(optimal_gain(*weighed))
        except ConvergenceError:  # doubles do not tell it
            K = precise_law(reached, Q, R, units)
    else:
        hertz = sampling_rate(rate)
        warn_of_slow(hertz, float(np.max(np.abs(np.linalg.eigvals(linear.A)), initial=0.0)))
        h = units.rate / hertz
        held = optimal_held_gain(*weighed, h, _sums(linear, reached, units, of))
        K = pair.gain(held)
        if late:
            F, G = held_pair(pair.A, pair.B, h)
            law = affine_law(system, linear.equilibrium, K, reached)
            return DelayedLaw(linear, law, np.linalg.eigvals(F - G @ held), hertz, late)
    if of:
        return LinearLaw(system, linear.equilibrium, K, reached, tuple(of))
    return affine_law(system, linear.equilibrium, K, reached)


def _sums(
    linear: Linearization, reached: Controllability, units: PairUnits, of: Mapping[str, str]
) -> np.ndarray | None:
    """The part of a pair that a controller adds up from its samples; None where there is none."""
    if not of:
        return None
    formed = np.isin(linear.equilibrium.labels, list(of))
    rows = np.where(formed[:, None], linear.A, 0.0)
    return scaled_pair(rows, np.zeros_like(linear.B), units, reached.basis, reached.projection).A


@long_call
def place(
    sys: System,
    eq: Any,
    poles: Sequence[complex],
    params: Mapping[str, float] | None = None,
    *,
    rate: float | None = None,
    delay: float = 0.0,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> LinearLaw | ManifoldLaw | DelayedLaw:
    """The law with which what the inputs reach has given eigenvalues.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem, RotationSystem or ProductSystem
    eq : Equilibrium, state or (x, u)
    poles : sequence of complex
        With negative real parts, in conjugate pairs, as many as ``lin.controllable().rank``; none more often
        than there are inputs.
    params : dict, optional
    rate : float, optional
        Of the controller that will run the law (Hz): multipliers of one hold become exp(pole/rate), those of
        the loop without a hold. Without a hold such a law has other poles.
    delay : float
        As of `lqr`; commands that wait have the multiplier zero.
    progress, seconds
        As of `certify`.

    Returns
    -------
    LinearLaw, ManifoldLaw of a system on a manifold, or DelayedLaw where there is a delay

    Raises
    ------
    InputError
        For another number of poles (what is neutral keeps its zeros), or such that cannot be placed; for a
        rate that is not positive.
    EquilibriumError, ParameterError, TypeError
        As `lqr`.

    Examples
    --------
    >>> import geoctrl as gc
    >>> cart = gc.models.get("cart-pendulum")().reduce()
    >>> gc.place(cart, cart.equilibrium("upright"), [-3, -4, -5]).eigenvalues.round(6)
    array([-5., -4., -3.])
    """
    from scipy.signal import place_poles  # seconds to load, which nobody else needs

    late = delay_of(delay, rate)
    linear = linearization_with_inputs(sys, eq, params, "place")
    reached = _stabilisable(linear)
    wanted = _poles(poles, reached)
    units = acting_units(linear.B, linear.scales.column, float(np.max(np.abs(wanted), initial=0.0)) or 1.0)
    pair = scaled_pair(linear.A, linear.B, units, reached.basis, reached.projection)
    A, B, asked = pair.A, pair.B, wanted / units.rate
    if rate is not None:
        hertz = sampling_rate(rate)
        warn_of_slow(hertz, float(np.max(np.abs(wanted))))
        h = units.rate / hertz
        A, B = held_pair(A, B, h)
        asked = np.exp(asked * h)
    try:
        K = place_poles(A, B, asked).gain_matrix
    except ValueError as error:
        raise InputError(f"these poles cannot be placed: {error}") from None
    found = np.linalg.eigvals(A - B @ K)
    ordered, placed = (v[np.lexsort((v.imag, v.real))] for v in (asked, found))
    if not np.max(np.abs(placed - ordered)) <= _PLACED * np.max(np.abs(asked)):
        told = placed * units.rate if rate is None else placed
        raise InputError(
            f"these poles cannot be placed in doubles: the loop would have {shown(told.tolist())}"
        )
    law = affine_law(linear.equilibrium.system, linear.equilibrium, pair.gain(K), reached)
    return DelayedLaw(linear, law, found, sampling_rate(rate), late) if late else law


def recorded_plant(sys: Any, asked_by: str) -> Any:
    """The system; matrices in all states, as python-control takes them, are refused with the reason."""
    if isinstance(sys, Linearization) or (np.ndim(sys) == 2 and not isinstance(sys, System)):
        raise TypeError(
            f"{asked_by} takes a system and an equilibrium, {asked_by}(sys, eq, ...), and no matrices: in "
            "all states a system on a leaf has directions that no input reaches (relations of the leaf, "
            "conserved functions), which have to be found first; gc.linearize(sys, eq).controllable() shows "
            "them"
        )
    return as_written(sys, asked_by)


def linearization_with_inputs(
    sys: Any, eq: Any, params: Mapping[str, float] | None, asked_by: str
) -> Linearization:
    """The linearisation of a system with inputs."""
    return linearize(plant_with_inputs(sys, asked_by), eq, params)


def plant_with_inputs(sys: Any, asked_by: str) -> Any:
    """The system, which has inputs."""
    system = recorded_plant(sys, asked_by)
    if not system.input_labels:
        words = (
            f"{asked_by} needs inputs, and {system.name or 'the system'} has none: give forces= and inputs=, "
            "or rotors=, to the description; a closed loop has its inputs closed"
        )
        raise InputError(words, key="no-inputs")
    return system


def _stabilisable(linear: Linearization, sizes: np.ndarray | None = None) -> Controllability:
    """What inputs reach of the linearisation; EquilibriumError if the rest does not decay."""
    reached = linear.controllable(sizes)
    if not reached.decays:
        lasting = [m for m in reached.unreached if not m.eigenvalue.real < 0]
        told = modes_in_words(lasting or reached.unreached)
        raise EquilibriumError(
            f"{told} cannot be reached by {', '.join(linear.equilibrium.system.input_labels)}, and does not "
            "decay by itself: no linear law stabilises this point; add an input, or take another point",
            key="lqr-unreachable",
        )
    return reached


def modes_in_words(modes: Sequence[Mode]) -> str:
    """Names of modes with their eigenvalues."""
    return "; ".join(f"{m.name} (eigenvalue {_short(m.eigenvalue)})" for m in modes)


def _short(value: complex) -> str:
    return f"{value:.6g}" if value.imag else f"{value.real:.6g}"


def _poles(poles: Any, reached: Controllability) -> np.ndarray:
    """Poles as complex numbers, as many as are free and in conjugate pairs."""
    given = entries("poles", poles)
    if any(isinstance(p, str | bytes | bool) for p in given):
        raise InputError(f"poles must be numbers, got {shown(poles)}")
    try:
        wanted = np.array([complex(p) for p in given])
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"poles must be numbers, got {shown(poles)}") from None
    if len(wanted) != reached.rank:
        kept = ", ".join([*reached.neutral, *(m.name for m in reached.unreached)]) or "nothing"
        raise InputError(
            f"{reached.rank} poles can be placed at this point, got {len(wanted)}: what the inputs reach has "
            f"that dimension, and {kept} is left as it is",
            key="place-count",
        )
    if not np.all(np.isfinite(wanted)) or np.any(wanted.real >= 0):
        raise InputError(f"poles must be finite with negative real parts, got {shown(poles)}")
    if not np.array_equal(np.sort_complex(wanted), np.sort_complex(wanted.conj())):
        raise InputError(f"poles must come in conjugate pairs, got {shown(poles)}")
    return wanted
