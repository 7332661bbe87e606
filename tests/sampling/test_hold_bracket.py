"""Where stability ends as the hold grows: certificates on both sides, and a rule of first order."""

from math import atanh, sqrt

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import eigvalsh

import geoctrl as gc
from geoctrl.sampling import Feedback, SampledController
from tests.sweeps import sampled

INERTIA, STIFFNESS = 2.27, 23.52
W = sqrt(STIFFNESS / INERTIA)


def loop_of(sigma, k, **options):
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    gamma = 1 / (1 + sigma * INERTIA / 0.005**2)
    law = gc.match(mechanism).law(sigma=sigma).with_damping(k=k / (gamma - 1))
    return gamma, gc.linearize_held(plant, law.sampled(**options), plant.equilibrium("sliding", Y0=1.0))


def test_the_skate_within_a_billionth(tmp_path):
    """k = gamma I w tanh(wh/2) at .0211305916020 s, which lies between the proofs."""
    gamma, loop = loop_of(-1e-5, 2.7)
    found = loop.bracket(width=1e-9)
    low, high = found.holds
    edge = 2 / W * atanh(2.7 / (gamma * INERTIA * W))
    assert edge == pytest.approx(0.0211305916020, abs=1e-12)
    assert low < edge < high
    assert high - low < 1e-9
    assert found.width == pytest.approx(high - low)
    for certificate, verdict in ((found.stable, "PROVED_STABLE"), (found.unstable, "PROVED_UNSTABLE")):
        certificate.to_json(tmp_path / "c.json")
        assert gc.verify(tmp_path / "c.json").verdict is gc.Verdict(verdict)


def test_with_a_delay_and_a_lag():
    for options in ({"delay": 0.01}, {"lag": 0.01}):
        _, loop = loop_of(-5e-6, 8, **options)
        found = loop.bracket()
        low, high = loop.largest_hold()
        assert found.holds[0] < low <= high < found.holds[1]


def test_where_there_is_no_end():
    _, undamped = loop_of(-5e-6, 0)
    with pytest.raises(gc.InputError, match="no hold is stable"):
        undamped.bracket()
    _, loop = loop_of(-5e-6, 8)
    with pytest.raises(gc.InputError, match="every hold is stable"):
        loop.bracket(longest=0.1)
    with pytest.raises(gc.InputError, match="width must be more than"):
        loop.bracket(width=1e-16)


def beside(loop):
    """How far the rule of first order is from bisection, relatively."""
    return loop.first_order_hold() / loop.largest_hold()[0] - 1


@pytest.mark.parametrize(
    ("sigma", "k"),
    sampled(
        [(-1e-5, 1), (-1e-5, 2.7), (-5e-6, 0.5), (-5e-6, 2)],
        [(-1e-5, 1), (-5e-6, 2)],
        reason="the rule is one formula; either sigma, little and much damping are in the sample",
    ),
)
def test_the_rule_of_first_order_on_the_skate(sigma, k):
    """u = gamma N + k v1 on I v1' = N - u, phi' = v1, N = N' phi: a pair moves by half the trace of B K C."""
    gamma, loop = loop_of(sigma, k)
    C = np.array([[-k, (1 - gamma) * STIFFNESS], [INERTIA, 0]]) / INERTIA
    BK = np.array([[-k, -gamma * STIFFNESS], [0, 0]]) / INERTIA
    assert np.iscomplex(np.linalg.eigvals(C)).all()
    expected = 2 * np.trace(C) / np.trace(BK @ C)
    assert loop.first_order_hold() == pytest.approx(expected, rel=1e-9)
    # Its error is of the order of the hold: half the damping, half the hold.
    assert abs(beside(loop)) < 0.04
    assert abs(beside(loop_of(sigma, k / 2)[1])) < 0.6 * abs(beside(loop))


@pytest.mark.parametrize("seed", range(6))
def test_the_rule_of_first_order_on_three_degrees_of_freedom(seed):
    """The error is of the order of the hold: a quarter of the damping, a quarter of the hold."""
    rng = np.random.default_rng(seed)
    x = [gc.Coordinate(f"x{i}") for i in range(3)]
    u = sp.symbols("u0:3", real=True)
    mass = rng.standard_normal((3, 3))
    mass = np.round(mass @ mass.T + 3 * np.eye(3), 3)
    plant = gc.EulerPoincare(shape=x, inertia=mass.tolist(), inputs=list(u), forces=list(u)).reduce()
    position, rate = sp.Matrix([c.symbol for c in x]), sp.Matrix([c.rate for c in x])
    stiff = rng.standard_normal((3, 3))
    stiff = np.round(100 * (stiff @ stiff.T + np.eye(3)), 2)
    damping = np.round(8 * (np.eye(3) + 0.1 * np.diag(rng.random(3))), 3)
    errors = []
    for part in (1.0, 0.25):
        law = -sp.Matrix(stiff.tolist()) * position - part * sp.Matrix(damping.tolist()) * rate
        controller = SampledController(Feedback(dict(zip(map(str, u), law, strict=True))), 1000.0)
        errors.append(abs(beside(gc.linearize_held(plant, controller, plant.state()))))
    assert errors[1] < 0.4 * errors[0] < 0.1


def test_the_rule_knows_delays_and_no_states_of_a_controller():
    _, loop = loop_of(-5e-6, 2)
    _, late = loop_of(-5e-6, 2, delay=0.01)
    assert late.first_order_hold() == pytest.approx(loop.first_order_hold() - 0.02)
    x, u = gc.Coordinate("x"), sp.Symbol("u", real=True)
    plant = gc.EulerPoincare(shape=[x], inertia=[[2.0]], inputs=[u], forces=[u]).reduce()
    z = sp.Symbol("z", real=True)
    law = Feedback({"u": -z - 2 * x.rate - x.symbol}, {"z": x.symbol})
    with pytest.raises(gc.InputError, match="without states of their own"):
        gc.linearize_held(plant, SampledController(law), plant.state()).first_order_hold()
    falling = SampledController(Feedback({"u": x.symbol}), 10.0)
    assert gc.linearize_held(plant, falling, plant.state()).first_order_hold() == 0


# -- in matrices ---------------------------------------------------------------------------------------------


def spd(rng, low, high):
    """Symmetric, with eigenvalues between two numbers, entries of six decimals."""
    frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    rounded = np.round(frame @ np.diag(rng.uniform(low, high, 3)) @ frame.T, 6)
    return (rounded + rounded.T) / 2


def three_degrees(rng):
    """M q'' = N q - u with u = U q + D q', and the loop."""
    M, N, D = spd(rng, 1, 3), spd(rng, 4, 12), spd(rng, 2, 5)
    U = N + spd(rng, 5, 20)
    q = [gc.Coordinate(f"q{i}") for i in range(3)]
    u = [sp.Symbol(f"u{i}", real=True) for i in range(3)]
    at, rates = sp.Matrix([c.symbol for c in q]), sp.Matrix([c.rate for c in q])
    plant = gc.EulerPoincare(
        algebra=None,
        shape=q,
        inertia=sp.Matrix(M),
        potential=-(at.T * sp.Matrix(N) * at)[0] / 2,
        forces=[-s for s in u],
        inputs=u,
    ).reduce()
    law = sp.Matrix(U) * at + sp.Matrix(D) * rates
    controller = SampledController(Feedback({s.name: law[i] for i, s in enumerate(u)}), rate=100)
    return (M, N, U, D), gc.linearize_held(plant, controller, plant.state())


@pytest.mark.parametrize("seed", range(6))
def test_matrices_that_stay_definite_are_a_hold_on_the_safe_side(seed):
    """(M - hD/2) q'' + (D - hU/2) q' + (U - N) q = 0, the hold as a delay of h/2: stable where all three are
    positive definite (Kelvin, Tait, Chetaev), which ends before the loop does.
    """
    (M, N, U, D), loop = three_degrees(np.random.default_rng(seed))
    assert np.linalg.eigvalsh(U - N)[0] > 0
    # Where M - hD/2 or D - hU/2 becomes singular: generalised eigenvalues.
    ends = [2 / eigvalsh(D, M)[-1], 2 / eigvalsh(U, D)[-1]]
    assert 0.5 < min(ends) / loop.largest_hold()[0] < 1
    flipped = [2 / eigvalsh(D, M)[-1], 2 / eigvalsh(U - N, D)[-1]]  # without the load: not on the safe side
    assert min(flipped) > min(ends)
