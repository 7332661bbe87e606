"""Mechanisms made up at random in a solvable class are matched; others are refused with the reason."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.synthesis.solutions.commuting_solution import Abelian
from geoctrl.synthesis.solutions.fibre_solution import Vertical
from tests.synthesis.realised import defect, with_values

SEEDS = (0, 1)
u, u2 = sp.symbols("u u2", real=True)
gamma = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
G = sp.Matrix(gamma.symbols)


def rational(rng, count, size=5):
    return [sp.Rational(int(q), 7) for q in rng.integers(-size, size + 1, count)]


def of_gamma(rng, count):
    """Functions on the unit sphere of at most 1 or so."""
    return [
        sp.Add(*(c * e / 3 for c, e in zip(rational(rng, 4), (1, G[0], G[1] * G[2], G[2] ** 2), strict=True)))
        for _ in range(count)
    ]


def symmetric(n, entries):
    upper = iter(entries)
    M = sp.zeros(n, n)
    for i in range(n):
        for j in range(i, n):
            M[i, j] = M[j, i] = next(upper)
    return M


def body_with_two_wheels(rng):
    """so(3) x R^2: inertia and couplings are functions of Gamma, dk != 0."""
    entries = of_gamma(rng, 15)
    inertia = symmetric(5, entries) + 6 * sp.eye(5)
    inertia[3:, 3:] = sp.Matrix([[2, sp.Rational(1, 3)], [sp.Rational(1, 3), 3]])
    return gc.EulerPoincare(
        algebra=gc.product(gc.so3(), gc.rn(2)),
        advected=[gamma],
        inertia=inertia,
        potential=of_gamma(rng, 1)[0],
        forces=[0, 0, 0, u, u2],
        inputs=["u", "u2"],
    )


def planar_body_with_shaft(rng):
    """se(2) x R with a joint: couplings depend on the joint's angle."""
    q = gc.Coordinate("q", angle=True)
    c, s = sp.cos(q.symbol), sp.sin(q.symbol)
    entries = [a + b * c / 3 + d * s / 3 for a, b, d in zip(*(rational(rng, 15) for _ in "abc"), strict=True)]
    inertia = symmetric(5, entries) + 9 * sp.eye(5)
    inertia[3, 3] = sp.Rational(5, 2)
    return gc.EulerPoincare(
        algebra=gc.product(gc.se2(), gc.rn(1)),
        shape=[q],
        inertia=inertia,
        potential=c * s + 2 * c,
        forces=[0, 0, 0, u, 0],
        inputs=["u"],
    )


def vehicle_with_flywheel(rng):
    """se(3) x R: every velocity coupled to a wheel, with gravity."""
    inertia = symmetric(7, rational(rng, 28)) + 12 * sp.eye(7)
    return gc.EulerPoincare(
        algebra=gc.product(gc.se3(), gc.rn(1)),
        advected=[gamma],
        inertia=inertia,
        potential=of_gamma(rng, 1)[0],
        gyroscopic=[*rational(rng, 3), 0, 0, 0, 0],
        forces=[0, 0, 0, 0, 0, 0, u],
        inputs=["u"],
    )


def carriage(rng):
    """Two joints on a driven carriage with k = dh, h any function of both angles."""
    x, q, r = gc.Coordinate("x"), gc.Coordinate("q", angle=True), gc.Coordinate("r", angle=True)
    a, b, c = rational(rng, 3, size=6)
    h = (
        a * sp.sin(q.symbol) / 3
        + b * sp.cos(r.symbol + q.symbol) / 3
        + c * sp.sin(r.symbol) * sp.cos(q.symbol) / 5
    )
    v = x.rate + sp.diff(h, q.symbol) * q.rate + sp.diff(h, r.symbol) * r.rate
    T = v**2 + (3 + sp.cos(q.symbol)) * q.rate**2 + q.rate * r.rate * sp.cos(r.symbol) + 2 * r.rate**2
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, q, r],
        lagrangian=T - sp.cos(q.symbol) - sp.sin(r.symbol) * sp.cos(q.symbol),
        forces=[u, 0, 0],
        inputs=["u"],
    )


def arm_of_varying_inertia(rng):
    """so(3) on a driven shaft of which the inertia depends on Gamma."""
    inertia = symmetric(4, of_gamma(rng, 10)) + 5 * sp.eye(4)
    return gc.EulerPoincare(
        algebra=gc.product(gc.so3(), gc.rn(1)),
        advected=[gamma],
        inertia=inertia,
        potential=of_gamma(rng, 1)[0],
        forces=[0, 0, 0, u],
        inputs=["u"],
    )


def pushed_vehicle(rng):
    """se(3), any constant inertia, forces along the body's axes; Gamma advected."""
    F = sp.symbols("F1:4", real=True)
    return gc.EulerPoincare(
        algebra=gc.se3(),
        advected=[gamma],
        inertia=symmetric(6, rational(rng, 21)) + 9 * sp.eye(6),
        potential=of_gamma(rng, 1)[0],
        forces=[0, 0, 0, *F],
        inputs=F,
    )


MATCHED = [
    (body_with_two_wheels, Abelian, "kinetic", {"kappa": 0.6}),
    (body_with_two_wheels, Abelian, "both", {"kappa": 0.6, "K": 0.4}),
    (planar_body_with_shaft, Abelian, "kinetic", {"kappa": 0.7}),
    (vehicle_with_flywheel, Abelian, "kinetic", {"kappa": -0.4}),
    (carriage, Abelian, "both", {"kappa": 0.8, "rho": -0.3, "K": -0.6}),
    (arm_of_varying_inertia, Vertical, "kinetic", {"Delta": 0.9}),
    (arm_of_varying_inertia, Vertical, "both", {"Delta": 0.9, "K": 0.5}),
    (pushed_vehicle, Vertical, "kinetic", {"mu": 1.7, "nu": -0.6}),
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("make", "shaping", "kind", "gains"),
    MATCHED,
    ids=[f"{make.__name__}-{kind}" for make, _, kind, _ in MATCHED],
)
def test_it_is_matched(make, shaping, kind, gains, seed):
    rng = np.random.default_rng(seed)
    found = with_values(shaping(Plant.of(make(rng)), kind), **gains)
    found.require_matched()
    assert defect(found, np.random.default_rng(100 + seed), count=5) < 1e-12


@pytest.mark.parametrize(
    ("make", "kind", "gains"),
    [(make, kind, gains) for make, _, kind, gains in MATCHED],
    ids=[f"{make.__name__}-{kind}" for make, _, kind, _ in MATCHED],
)
def test_match_finds_its_law_by_itself(make, kind, gains):
    """From the description to the loop, which moves as the plant does under the inputs that the law gives."""
    rng = np.random.default_rng(5)
    mechanism = make(rng)
    law = gc.match(mechanism, shaping=kind).law(**gains)
    plant, loop = mechanism.reduce(), law.closed_loop()
    assert not loop.mechanism.feedback  # the controlled Lagrangian's equations, not the plant's
    common = [loop.state_labels.index(label) for label in plant.state_labels if label in loop.state_labels]
    kept = [plant.state_labels.index(loop.state_labels[i]) for i in common]
    assert len(kept) == plant.nstates
    for _ in range(5):
        x = loop.random_state(rng)
        at = np.empty(plant.nstates)
        at[kept] = x[common]
        rates = plant.rhs(0.0, at, law(0.0, x))
        np.testing.assert_allclose(loop.rhs(0.0, x)[common], rates[kept], atol=1e-12 * abs(rates).max())


# -- what is refused ----------------------------------------------------------------------------


def body(**changes):
    """A rigid body with a wheel, changed."""
    given = {
        "algebra": gc.product(gc.so3(), gc.rn(1)),
        "advected": [gamma],
        "inertia": sp.Matrix([[4, 0, 0, 1], [0, 3, 0, 0], [0, 0, 2, 0], [1, 0, 0, 1]]),
        "potential": G[2],
        "forces": [0, 0, 0, u],
        "inputs": ["u"],
    }
    return gc.EulerPoincare(**{**given, **changes})


def on_a_line(coupling=1, mass=2, potential=0):
    """A cart at x and a joint q."""
    x, q = gc.Coordinate("x"), gc.Coordinate("q", angle=True)
    at = {"x": x.symbol, "q": q.symbol}

    def entry(f):
        return f(at["x"], at["q"]) if callable(f) else f

    k = entry(coupling)
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, q],
        inertia=sp.Matrix([[entry(mass), k], [k, 9]]),
        potential=entry(potential),
        forces=[u, 0],
        inputs=["u"],
    )


def twisted():
    """Rotors with couplings that are not closed, and a gain that would need their position."""
    return body_with_two_wheels(np.random.default_rng(3))


PLANTS = {
    "nothing-driven": (lambda: body(forces=None, inputs=()), "needs actuated directions"),
    "nonlinear": (lambda: body(forces=[0, 0, 0, u**3 + u]), "nonlinearly"),
    "turning-direction": (lambda: body(forces=[0, 0, u * G[0], u]), "depend on Gamma1"),
    "two-for-one": (lambda: body(forces=[0, 0, 0, u + u2], inputs=["u", "u2"]), "1 independent direction"),
    "held-direction": (
        lambda: body(constraints={"stop": [0, 0, 0, 1]}, frame=sp.Matrix([*sp.eye(3).tolist(), [0, 0, 0]])),
        "moves nothing",
    ),
    "closed-loop": (
        lambda: body(feedback={"u": -sp.Symbol("Omega1", real=True)}),
        "feedback already",
    ),
}

CLASSES = {
    "not-abelian": (
        lambda: gc.EulerPoincare(algebra=gc.so3(), inertia=sp.diag(3, 2, 1), forces=[0, 0, u], inputs=["u"]),
        Abelian,
        "kinetic",
        "does not commute",
    ),
    "varying-gamma": (
        lambda: arm_of_varying_inertia(np.random.default_rng(7)),
        Abelian,
        "kinetic",
        "inertia of the actuated",
    ),
    "place-in-coupling": (
        lambda: on_a_line(coupling=lambda x, q: sp.cos(x)),
        Abelian,
        "kinetic",
        "inertia depends on the position of x_dot",
    ),
    "place-in-potential": (
        lambda: on_a_line(potential=lambda x, q: sp.cos(q) * x),
        Abelian,
        "kinetic",
        "the potential mixes the position",
    ),
    "all-driven": (
        lambda: gc.EulerPoincare(algebra=gc.rn(2), inertia=sp.eye(2), forces=[u, u2], inputs=["u", "u2"]),
        Vertical,
        "kinetic",
        "nothing to be matched",
    ),
    "no-form": (
        lambda: gc.EulerPoincare(algebra=gc.so3(), inertia=sp.diag(3, 2, 1), forces=[0, 0, u], inputs=["u"]),
        Vertical,
        "kinetic",
        "leaves no inertia on the actuated directions alone",
    ),
    "no-position": (
        lambda: pushed_vehicle(np.random.default_rng(7)),
        Vertical,
        "both",
        "no actuated direction has a position",
    ),
}


@pytest.mark.parametrize(("make", "reason"), PLANTS.values(), ids=PLANTS)
def test_no_plant_is_made(make, reason):
    with pytest.raises(gc.MatchingError, match=reason):
        gc.match(make(), shaping="kinetic")


@pytest.mark.parametrize(("make", "shaping", "kind", "reason"), CLASSES.values(), ids=CLASSES)
def test_it_is_in_no_class(make, shaping, kind, reason):
    with pytest.raises(gc.MatchingError, match=reason):
        shaping(Plant.of(make()), kind)


def test_without_its_curvature_term_a_twisted_coupling_fails_the_proof():
    """C != 0 and dk != 0: the gyroscopic force is what is left over."""
    shaping = Abelian(Plant.of(twisted()), "kinetic")
    gamma_ab = shaping.gamma
    found = shaping.lagrangian(2 * gamma_ab, 3 * gamma_ab)
    found.require_matched()
    bare = type(found)(
        plant=found.plant, inertia=found.inertia, potential=found.potential, fields=found.fields
    )
    with pytest.raises(gc.MatchingError, match="remainder"):
        bare.require_matched()


def test_a_position_that_the_coupling_twists_is_refused():
    shaping = Abelian(Plant.of(twisted()), "kinetic")
    with pytest.raises(gc.MatchingError, match="not closed"):
        shaping.positions(sp.eye(2))
