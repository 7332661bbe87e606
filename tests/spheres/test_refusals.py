"""Bad arguments with their messages, initial values off the spheres, failed steps, interruption, progress."""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import spheres
from geoctrl.errors import (
    ConstraintError,
    ConvergenceError,
    DescriptionError,
    ExpressionError,
    ParameterError,
    ProjectionWarning,
    SingularMassError,
)
from geoctrl.systems import Parameter, time
from tests.spheres.systems import free_chain, hanging, random_state, rotating_bodies, rotating_linkage

Q, OMEGA = random_state(3, seed=1)


def integrate(q=Q, omega=OMEGA, h=0.01, steps=10, system=None, **options):
    return spheres.integrate(rotating_bodies() if system is None else system, q, omega, h, steps, **options)


# -- arguments --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"q": Q[:2]}, r"q0 must have shape \(3, 3\), got \(2, 3\)"),
        ({"omega": OMEGA.ravel()}, r"omega0 must have shape \(3, 3\), got \(9,\)"),
        ({"q": np.where(Q == Q[1, 1], np.nan, Q)}, r"q0 must be finite, got nan at index \(1, 1\)"),
        ({"q": "here"}, "q0 must be an array of numbers"),
        ({"h": 0.0}, "h must be positive, got 0.0"),
        ({"h": -0.1}, "h must be positive, got -0.1"),
        ({"h": np.inf}, "h must be finite"),
        ({"h": [0.1, 0.2]}, "h must have shape"),
        ({"steps": 10.0}, "steps must be a whole number of at least 1, got 10.0"),
        ({"steps": 0}, "steps must be a whole number of at least 1, got 0"),
        ({"steps": True}, "steps must be a whole number"),
        ({"record": 0}, "record must be a whole number"),
        ({"record": 2.0}, "record must be a whole number"),
        ({"method": "variatonal"}, "unknown method 'variatonal'; did you mean 'variational'"),
        ({"method": None}, "unknown method None"),
        ({"method": ["rk4"]}, "unknown method"),
        ({"order": [2]}, "order must be one of 2, 4, 6, 8, got"),
        ({"order": 3}, "order must be one of 2, 4, 6, 8, got 3"),
        ({"order": "4"}, "order must be one of 2, 4, 6, 8"),
        ({"method": "rk4", "order": 4}, "order is chosen for method='variational' only"),
        ({"project": True}, "project is for Runge-Kutta methods"),
    ],
)  # fmt: skip
def test_bad_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        integrate(**arguments)


def test_unknown_names():
    with pytest.raises(ParameterError, match="unknown parameter 'mass'"):
        integrate(params={"mass": 1.0})
    with pytest.raises(ParameterError, match="params must be a dict"):
        integrate(params=[1.0])
    with pytest.raises(TypeError, match="stepsize"):
        integrate(stepsize=0.1)
    with pytest.raises(TypeError, match="system must be a SphereSystem, got str"):
        integrate(system="pendulum")
    with pytest.raises(TypeError, match="progress must be True, False or a callable"):
        integrate(progress="yes")
    with pytest.raises(KeyError, match="no state, output or input 'q1_4'"):
        integrate()["q1_4"]


# -- descriptions -----------------------------------------------------------------------------------------

SYMBOL = sp.Symbol("r", real=True)
DIRECTIONS, RATES = spheres.symbols(1)


@pytest.mark.parametrize(
    ("mass", "error", "words"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], ValueError, "positive definite, its least eigenvalue is -1"),
        ([[1.0, 0.2], [0.3, 1.0]], ValueError, "mass must be symmetric"),
        ([1.0, 0.0], ValueError, "positive definite"),
        ([1.0, np.nan], ValueError, "mass must be finite"),
        ([[1.0, 0.2]], DescriptionError, r"mass must have shape \(n,\) or \(n, n\), got \(1, 2\)"),
        (3.0, DescriptionError, "mass must have shape"),
        ([], DescriptionError, "mass must have shape"),
        (np.ones((2, 2, 2)), DescriptionError, "mass must have shape"),
        (sp.Matrix([[1, SYMBOL], [0, 1]]), ValueError, "mass must be symmetric"),
        (sp.Matrix([[1, SYMBOL], [SYMBOL, 1]]), DescriptionError, "mass holds the undeclared symbol r"),
        (sp.Matrix([[1, 2], [2, 1]]), ValueError, "positive definite"),
    ],
)  # fmt: skip
def test_bad_inertia(mass, error, words):
    with pytest.raises(error, match=words):
        spheres.SphereSystem(mass=mass)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"potential": time * DIRECTIONS[0][2]}, DescriptionError, "potential holds the undeclared symbol t"),
        ({"potential": RATES[0][1]}, DescriptionError, "potential holds the undeclared symbol omega1_2"),
        ({"potential": sp.Symbol("q1_1")}, DescriptionError, "q1_1 with other assumptions"),
        (
            {"potential": spheres.Sites(lambda q: q[2] * SYMBOL)},
            DescriptionError,
            "Sites holds the undeclared",
        ),
        ({"forces": [[SYMBOL, 0, 0]]}, DescriptionError, "forces holds the undeclared symbol r"),
        ({"invariants": {"C": SYMBOL}}, DescriptionError, "invariants holds the undeclared symbol r"),
        ({"forces": [[sp.Function("f")(DIRECTIONS[0][0]), 0, 0]]}, ExpressionError, "f"),
        ({"forces": 3}, DescriptionError, "forces must be 1 vectors of 3 expressions, got 3"),
        ({"forces": [None] * 3}, DescriptionError, "forces must be 1 vectors of 3 expressions"),
        ({"forces": [1, 2, np.nan]}, DescriptionError, "forces must be finite, got nan"),
        ({"mass": [1.0, 2.0], "forces": [1, 2, 3]}, DescriptionError, "forces must be 2 vectors of 3"),
        (
            {"potential": [lambda q, p: 0.0, DIRECTIONS[0][2]]},
            DescriptionError,
            "a function must be alone: add the other terms in it",
        ),
        ({"potential": "3 *"}, DescriptionError, "potential must be an expression, Sites, Pairs or callable"),
        ({"potential": sp.zoo}, DescriptionError, "potential must be finite"),
        ({"parameters": ["a"]}, DescriptionError, "parameters must be gc.Parameter objects, got 'a'"),
        ({"forces": DIRECTIONS, "inputs": [3.0]}, DescriptionError, "inputs must be names or sympy symbols"),
        ({"forces": DIRECTIONS, "inputs": ["q1_2"]}, DescriptionError, "labels repeat: q1_2"),
        ({"forces": DIRECTIONS, "inputs": ["u", "u"]}, DescriptionError, "labels repeat: u"),
        ({"parameters": [Parameter("q1_2")]}, ParameterError, "meet state, input or time labels: q1_2"),
        ({"parameters": [Parameter("a"), Parameter("a")]}, ParameterError, "names repeat: a"),
    ],
)
def test_symbols_and_names(changes, error, words):
    with pytest.raises(error, match=words):
        spheres.SphereSystem(**({"mass": [2.0]} | changes))


def test_a_product_of_vectors_is_a_potential():
    """q^T a is a matrix of one entry."""
    row = spheres.SphereSystem(mass=[2.0], potential=DIRECTIONS[0].T * sp.Matrix([1, 2, 3]))
    assert row.potential([[0.6, 0, 0.8]]) == pytest.approx(0.6 + 3 * 0.8)
    given = row.description.potential_given
    listed = spheres.SphereSystem(mass=[2.0], potential=[given, 2 * DIRECTIONS[0][0]])
    assert listed.potential([[0.6, 0, 0.8]]) == pytest.approx(3 * 0.6 + 3 * 0.8)


def varying(n):
    """Inertia that depends on the directions."""
    q, _ = spheres.symbols(n)
    mass = 2 * sp.eye(n)
    mass[0, 1] = mass[1, 0] = q[0].dot(q[1]) / 4
    return mass


QUESTIONS = [gc.linearize, gc.certify, lambda s, x: gc.find_equilibrium(s, guess=x)]


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_stands_against_an_analysis_is_named(question):
    s = spheres.SphereSystem(mass=varying(17), potential=spheres.Sites(lambda q: q[2]))
    down = ([[0, 0, -1.0]] * 17, np.zeros((17, 3)))
    words = "inertia depends on the configuration; but it has 17 bodies.*jacobian"
    with pytest.raises(DescriptionError, match=words):
        question(s, down)
    assert "numerics" not in vars(s)  # nothing was compiled for it


@pytest.mark.parametrize(
    "potential", [lambda q, p: q[0, 2], spheres.Pairs(lambda a, b: a.dot(b), cutoff=0.5)]
)
def test_inertia_that_varies_is_analysed_under_any_potential(potential):
    """In floats, where the potential is no expression that could be written out."""
    gradient = (lambda q, p: np.eye(3)[[2, 0]] * [[1], [0]]) if callable(potential) else None
    s = spheres.SphereSystem(mass=varying(2), potential=potential, gradient=gradient)
    down = ([[0, 0, -1.0]] * 2, np.zeros((2, 3)))
    found = [question(s, down) for question in QUESTIONS]
    assert np.all(np.isfinite(found[0].eigenvalues))
    assert not found[1].verdict.name.startswith("PROVED")
    assert np.array_equal(found[2].q, down[0])


@pytest.mark.parametrize("term", ["expression", "Sites"])
def test_no_derivative_at_a_root(term):
    """(x^2 + y^2)^(3/2) is smooth enough, but its formula is 0/0 at the pole."""

    def root(q):
        return sp.sqrt(q[0] ** 2 + q[1] ** 2) ** 3

    s = spheres.SphereSystem(
        mass=[1.0], potential=root(DIRECTIONS[0]) if term == "expression" else spheres.Sites(root)
    )
    pole = ([[0, 0, 1.0]], [[0, 0, 0.0]])
    for question in (gc.linearize, gc.certify, lambda s, x: gc.find_equilibrium(s, guess=x)):
        with pytest.raises(gc.EquilibriumError, match="no finite derivative at this point"):
            question(s, pole)


def test_positional_and_unknown_arguments():
    with pytest.raises(TypeError):
        spheres.SphereSystem([1.0])
    with pytest.raises(TypeError, match="inertia"):
        spheres.SphereSystem(inertia=[1.0])


@pytest.mark.parametrize("n", [0, -1, 1.0, True, "2"])
def test_bad_number_of_symbols(n):
    with pytest.raises(ValueError, match="n must be a whole number from 1 to"):
        spheres.symbols(n)


def test_inertia_that_loses_definiteness():
    """Where q1.q2 = 1 the inertia is singular; nearby it is indefinite."""
    q, _ = spheres.symbols(2)
    c = q[0].dot(q[1])
    s = spheres.SphereSystem(mass=sp.Matrix([[1, 2 * c], [2 * c, 1]]))
    apart, near = [[1, 0, 0], [0.1, 0.995, 0]], [[1, 0, 0], [0.8, 0.6, 0]]
    still = np.zeros((2, 3))
    assert integrate(*spheres.project(apart, still), system=s).success
    for method in ("variational", "rk4"):
        with pytest.raises(ConvergenceError, match="inertia is not positive definite"):
            integrate(near, still, system=s, method=method)
    with pytest.raises(SingularMassError, match="not positive definite"):
        s.rhs(0.0, s.pack(near, still))


# -- initial values ---------------------------------------------------------------------------------------


def test_rounding_is_accepted_as_it_is():
    q = Q * (1 + 3e-13)
    r = integrate(q=q)
    assert np.array_equal(r.q[0], q)


def test_small_defects_are_repaired_with_a_warning():
    q = Q.copy()
    q[1] *= 1 + 5e-4
    with pytest.warns(ProjectionWarning, match=r"body 1: \|q\| - 1 was 0.0005; q0 and omega0 were projected"):
        r = integrate(q=q)
    assert np.linalg.norm(r.q[0], axis=1) == pytest.approx(1, abs=1e-15)
    assert r.q[0] == pytest.approx(Q, abs=1e-15)
    with pytest.warns(ProjectionWarning, match=r"body 2: q.omega/\|omega\| was"):
        r = integrate(omega=OMEGA + 1e-5 * Q * [[0], [0], [1]])
    assert r.omega[0] == pytest.approx(OMEGA, abs=1e-14)


def test_larger_defects_are_refused():
    q = Q.copy()
    q[2] *= 1.01
    with pytest.raises(ConstraintError, match=r"body 2: \|q\| - 1 is 0.01.*geoctrl.spheres.project"):
        integrate(q=q)
    with pytest.raises(ConstraintError, match=r"body 0: q.omega/\|omega\| is"):
        integrate(omega=OMEGA + 0.1 * Q * [[1], [0], [0]])
    with pytest.raises(ConstraintError, match=r"q0\[1\] is zero and has no direction; give"):
        integrate(q=Q * [[1], [0], [1]])
    with pytest.raises(ValueError, match="should be zero"):  # whoever knows nothing of geoctrl's exceptions
        integrate(q=2 * Q)


def test_projection():
    q, omega = spheres.project(1.7 * Q, OMEGA + 0.3 * Q)
    assert q == pytest.approx(Q, abs=1e-15)
    assert omega == pytest.approx(OMEGA, abs=1e-14)
    for arguments, words in (
        (([1, 0, 0], [0, 0, 0]), r"q must have shape \(n, 3\)"),
        ((Q, OMEGA[:1]), "omega must have shape"),
        ((np.diag([1.0, 0, 2]), OMEGA), r"q\[1\] is zero"),
        ((Q, np.full((3, 3), np.inf)), "omega must be finite"),
    ):
        with pytest.raises(ValueError, match=words):
            spheres.project(*arguments)


# -- steps that cannot be taken ---------------------------------------------------------------------------


def failing():
    """A step, method and system for each way in which a step can fail; all start well."""
    q, omega = spheres.symbols(2)
    stiff = spheres.SphereSystem(
        mass=[1.0, 1.0], forces=[-30 * w.cross(v) for v, w in zip(q, omega, strict=True)]
    )
    coupled = stiff.replace(mass=[[1.0, 0.4], [0.4, 1.0]])
    pair = random_state(2, seed=2)
    return {
        "Newton": (free_chain(), hanging(3, seed=2, speed=3.0), 0.3, "Newton's iteration did not converge"),
        "domain": (rotating_bodies(), (Q, OMEGA), 1.5, "leaves the method's domain"),
        "forces": (stiff, pair, 0.1, "forces at the end of the step"),
        "forces, coupled": (coupled, pair, 0.1, "forces at the end of the step"),
    }


@pytest.mark.parametrize("name", ["Newton", "domain", "forces", "forces, coupled"])
def test_a_step_that_cannot_be_taken(name):
    system, state, h, words = failing()[name]
    with pytest.raises(ConvergenceError, match=words) as caught:
        spheres.integrate(system, *state, h, 1000)
    error = caught.value
    assert isinstance(error, RuntimeError)
    done = error.trajectory
    assert error.step == len(done)  # the step after those recorded
    assert error.time == pytest.approx((len(done) - 1) * h)
    assert f"step {error.step} from t = " in str(error)
    assert not error.residual <= 1e-12
    assert np.all(np.isfinite(done.states))
    assert not done.success
    r = spheres.integrate(system, *state, h, 1000, throw=False)
    assert r.status.startswith("failed: step ")
    assert words in r.status
    assert np.array_equal(r.states, done.states)


@pytest.mark.parametrize("method", ["variational", "rk4"])
@pytest.mark.parametrize("mass", [[1.0, 1.0, 1.0], [[1.0, 0.4, 0.0], [0.4, 1.0, 0.0], [0.0, 0.0, 1.0]]])
def test_a_potential_that_is_not_finite(mass, method):
    """The third body, coupled to none, reaches the plane where its potential ends; the rest must stop too."""
    q, _ = spheres.symbols(3)
    s = spheres.SphereSystem(mass=mass, potential=sp.sqrt(q[2][2]) / 100)
    start = [[1, 0, 0], [0, 1, 0], [0.6, 0, 0.8]]
    turning = [[0, 0, 0.1], [0.2, 0, 0], [0, 1, 0]]
    r = spheres.integrate(s, start, turning, 0.01, 200, method=method, throw=False)
    assert r.status.startswith("failed")
    assert 0.9 < r.time[-1] < 0.95  # arcsin(0.8) = 0.927 at unit rate
    assert np.all(np.isfinite(r.states))


def test_runge_kutta_that_runs_away():
    s = spheres.SphereSystem(mass=[1.0], potential=spheres.Sites(lambda q: 1e6 * q[0] * q[1]))
    with pytest.raises(ConvergenceError, match="no longer finite"):
        spheres.integrate(s, [[1, 0, 0]], [[0, 0, 1]], 0.5, 1000, method="rk2")


# -- interruption and progress ----------------------------------------------------------------------------


class Stop:
    """Stops a run as a person would at the keyboard, once a share of it is done."""

    def __init__(self, share):
        self.share = share

    def __call__(self, fraction):
        if fraction >= self.share:
            raise KeyboardInterrupt


@pytest.mark.parametrize("method", ["variational", "rk4"])
def test_an_interruption_keeps_what_was_computed(method):
    with pytest.raises(KeyboardInterrupt) as caught:
        integrate(steps=10**8, record=100, method=method, progress=Stop(1e-9))
    r = caught.value.trajectory
    assert 0 < len(r) < 10**5
    assert r.status.startswith("interrupted after t = ")
    assert not r.success
    again = integrate(steps=100 * (len(r) - 1), record=100, method=method)
    assert r.time == pytest.approx(again.time, abs=1e-12)
    assert r.states == pytest.approx(again.states, abs=1e-9)


def test_progress_increases_to_one():
    seen = []
    integrate(steps=300_000, record=1000, progress=seen.append, system=rotating_bodies())
    assert seen[-1] == 1.0
    assert all(a < b or b == 1.0 for a, b in pairwise(seen))
    assert all(0 < fraction <= 1 for fraction in seen)


def test_progress_of_a_run_that_fails_says_how_far_it_came():
    seen = []
    system, state, h, _ = failing()["domain"]
    r = spheres.integrate(system, *state, h, 1000, throw=False, progress=seen.append)
    assert seen[-1] == pytest.approx((len(r) - 1) / 1000)


def test_records_are_multiples():
    s = rotating_linkage()
    every = spheres.integrate(s, *random_state(2, seed=4), 0.01, 100)
    some = spheres.integrate(s, *random_state(2, seed=4), 0.01, 100, record=30)
    assert some.time == pytest.approx([0, 0.3, 0.6, 0.9], abs=1e-15)
    assert some.states == pytest.approx(every.states[:, ::30], abs=1e-13)
    assert len(every) == 101
    none = spheres.integrate(s, *random_state(2, seed=4), 0.01, 100, record=1000)
    assert len(none) == 1
