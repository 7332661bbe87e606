"""What is refused on rotations, and what is said; interruption, failure, progress."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations
from geoctrl.rotations.attitudes import exp, symbols
from tests.rotations.systems import J, general, top

R0, OMEGA0 = np.eye(3)[None], np.array([[0.3, 0.2, 1.0]])
R, OMEGA = symbols(1)


def steps(**changes):
    given = {"R0": R0, "Omega0": OMEGA0, "h": 0.01, "steps": 10} | changes
    return rotations.integrate(top(), **given)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"R0": np.eye(2)}, "R0 must have shape"),
        ({"Omega0": [1.0, 2.0]}, "Omega0 must have shape"),
        ({"R0": np.full((1, 3, 3), np.nan)}, "R0 must be finite"),
        ({"h": 0.0}, "h must be positive"),
        ({"h": [0.1]}, "h must have shape"),
        ({"steps": 10.0}, "steps must be a whole number"),
        ({"record": 0}, "record must be a whole number"),
        ({"method": "variatonal"}, "did you mean 'variational'"),
        ({"method": ["rk4"]}, "unknown method"),
        ({"order": 3}, "order must be one of 2, 4, 6, 8"),
        ({"order": [2]}, "order must be one of 2, 4, 6, 8"),
        ({"method": "rk4", "order": 4}, "order is chosen for method='variational' only"),
        ({"params": {"m": 1.0}}, "unknown parameter 'm'"),
        ({"inputs": [1.0]}, "this system has none"),
    ],
)
def test_bad_arguments_of_integrate_are_named(changes, message):
    with pytest.raises(ValueError, match=message):
        steps(**changes)


def test_unknown_keywords_and_systems_are_refused():
    with pytest.raises(TypeError, match="project"):
        steps(project=True)
    with pytest.raises(TypeError, match="RotationSystem"):
        rotations.integrate(gc.models.get("heavy-top")().reduce(), R0, OMEGA0, 0.1, 1)


def test_attitudes_are_repaired_or_refused_by_the_size_of_their_defect():
    steps(R0=R0 * (1 + 1e-13))
    with pytest.warns(gc.ProjectionWarning, match=r"body 0: .* was 2e-05; R0 was projected"):
        r = steps(R0=R0 * (1 + 1e-5))
    assert r.orthogonality_error[0] < 1e-15
    with pytest.raises(gc.ConstraintError, match=r"body 0: \|R\^T R - I\| is .*geoctrl.rotations.project"):
        steps(R0=R0 * 1.01)
    with pytest.raises(
        gc.ConstraintError, match=r"body 0: det R0 is -1.* reflection.* reverse one or exchange two"
    ):
        steps(R0=-R0)
    with pytest.raises(gc.ConstraintError, match=r"det R0 is 0, .* which is singular"):
        steps(R0=0 * R0)


def test_project_gives_the_nearest_rotations():
    near = exp([[0.1, 0.2, 0.3]]) + 1e-2 * np.random.default_rng(0).normal(size=(1, 3, 3))
    Q = rotations.project(near)
    assert np.abs(np.swapaxes(Q, 1, 2) @ Q - np.eye(3)).max() < 1e-15
    S = np.swapaxes(Q, 1, 2) @ near
    np.testing.assert_allclose(S, np.swapaxes(S, 1, 2), rtol=0, atol=1e-15)  # polar decomposition
    with pytest.raises(gc.ConstraintError, match="must be positive"):
        rotations.project(-np.eye(3))


def system(**changes):
    return rotations.RotationSystem(**({"inertias": J} | changes))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"inertias": np.eye(2)}, gc.DescriptionError, r"inertias must be \(3, 3\)"),
        ({"inertias": np.diag([1.0, 2.0, 0.0])}, ValueError, "body 0 must be positive definite"),
        ({"inertias": J + np.triu(J, 1)}, ValueError, "must be symmetric"),
        ({"potential": lambda R, p: 0.0}, gc.DescriptionError, "needs gradient"),
        ({"potential": R[0][0, 0], "gradient": lambda R, p: R}, gc.DescriptionError, "goes with a callable"),
        ({"potential": OMEGA[0][0]}, gc.DescriptionError, "potential holds the undeclared symbol Omega1_1"),
        ({"potential": sp.Symbol("c")}, gc.DescriptionError, "potential holds the undeclared symbol c"),
        ({"potential": gc.time * R[0][0, 0]}, gc.DescriptionError, "potential holds the undeclared symbol t"),
        ({"potential": sp.Symbol("R1_11")}, gc.DescriptionError, "R1_11 with other assumptions"),
        ({"parameters": [gc.Parameter("a"), gc.Parameter("a")]}, gc.ParameterError, "names repeat: a"),
        (
            {"parameters": [gc.Parameter("R1_23")]},
            gc.ParameterError,
            "meet state, input or time labels: R1_23",
        ),
        (
            {"inertias": sp.diag(1, 1, sp.Symbol("c"))},
            gc.DescriptionError,
            "inertias holds the undeclared symbol c",
        ),
        (
            {"inertias": [1.0, 2.0, 3.0]},
            gc.DescriptionError,
            r"inertias must be \(3, 3\) .* got shapes \(3,\)",
        ),
        ({"inertias": 3.0}, gc.DescriptionError, r"inertias must be \(3, 3\)"),
        ({"inertias": np.ones((2, 2, 2, 2))}, gc.DescriptionError, r"inertias must be \(3, 3\)"),
        ({"inertias": [sp.eye(3), 3]}, gc.DescriptionError, r"got shapes \(3, 3\), \(\)"),
        ({"inertias": []}, gc.DescriptionError, r"inertias must be \(3, 3\)"),
        ({"inertias": sp.diag(1, 1, sp.oo)}, gc.DescriptionError, "inertias must be finite, got oo"),
        ({"linear": [[1.0, 2.0]]}, gc.DescriptionError, "linear must be 1 vectors of 3"),
        ({"linear": 1.0}, gc.DescriptionError, "linear must be 1 vectors of 3"),
        ({"linear": [np.nan, 0, 0]}, gc.DescriptionError, "linear must be finite, got nan"),
        ({"frame_rate": [1.0, 2.0]}, gc.DescriptionError, "frame_rate must be 1 vectors of 3"),
        ({"frame_rate": 1.0}, gc.DescriptionError, "frame_rate must be 1 vectors of 3"),
        ({"frame_rate": [0, np.nan, 0]}, gc.DescriptionError, "frame_rate must be finite, got nan"),
        ({"frame_rate": [0, 0, np.inf]}, gc.DescriptionError, "frame_rate must be finite, got oo"),
        ({"frame_rate": [None] * 3}, gc.DescriptionError, "frame_rate must be 1 vectors of 3 expressions"),
        ({"forces": [[1, 2]]}, gc.DescriptionError, "forces must be 1 vectors of 3"),
        ({"forces": 3}, gc.DescriptionError, "forces must be 1 vectors of 3"),
        ({"potential": [lambda R, p: 0.0, R[0][0, 0]]}, gc.DescriptionError, "a function must be alone"),
        (
            {"potential": "3 *"},
            gc.DescriptionError,
            "potential must be an expression, Sites, Pairs or callable",
        ),
        (
            {"potential": rotations.Pairs(lambda A, B: A[0, 0] * B[0, 0], pairs=[[0, 1]])},
            gc.InputError,
            "pairs holds the index 1, but there are 1 bodies",
        ),
        (
            {"potential": rotations.Sites(lambda q: q.dot(q))},
            gc.DescriptionError,
            "the function of Sites fails for attitudes, each a 3 x 3 matrix",
        ),
        ({"potential": sp.nan}, gc.DescriptionError, "potential must be finite"),
        ({"parameters": ["a"]}, gc.DescriptionError, "parameters must be gc.Parameter objects"),
        (
            {"forces": [[1, 2, 3]], "inputs": [3.0]},
            gc.DescriptionError,
            "inputs must be names or sympy symbols",
        ),
        ({"inputs": ["u"]}, gc.DescriptionError, "inputs act through forces"),
        ({"forces": [[sp.Symbol("z"), 0, 0]]}, gc.DescriptionError, "undeclared symbol z"),
    ],
)
def test_bad_descriptions_are_refused(changes, error, message):
    with pytest.raises(error, match=message):
        system(**changes)


def test_a_frame_rate_that_parameters_make_infinite():
    k = gc.Parameter("k", 1.0)
    b = system(frame_rate=[0, 0, 1 / k.symbol], parameters=[k])
    state = b.pack(R0, OMEGA0)
    assert np.all(np.isfinite(b.rhs(0.0, state)))
    with pytest.raises(ValueError, match=r"frame_rate\[2, 0\] must be"):
        b.rhs(0.0, state, params={"k": 0.0})


def test_no_derivative_at_a_root():
    """(x^2 + y^2)^(3/2) is smooth enough, but its formula is 0/0 at the pole."""
    b = system(potential=sp.sqrt(R[0][0, 0] ** 2 + R[0][0, 1] ** 2) ** 3)
    pole = ([[[0, 0, 1.0], [1, 0, 0], [0, 1, 0]]], [[0, 0, 0.0]])
    for question in (gc.linearize, gc.certify, lambda b, x: gc.find_equilibrium(b, guess=x)):
        with pytest.raises(gc.EquilibriumError, match=r"no (value|finite derivative) at this point"):
            question(b, pole)


def potential(R, p):
    return R[0, 2, 1] ** 2


def test_a_wrong_gradient_is_found():
    def right(R, p):
        G = np.zeros((1, 3, 3))
        G[0, 2, 1] = 2 * R[0, 2, 1]
        return G

    assert system(potential=potential, gradient=right).potential(R0) == 0
    with pytest.raises(gc.GradientError, match="along a direction"):
        system(potential=potential, gradient=lambda R, p: -right(R, p))
    with pytest.raises(gc.DescriptionError, match=r"gradient must return .* \(1, 3, 3\), got shape \(3, 3\)"):
        system(potential=potential, gradient=lambda R, p: np.zeros((3, 3)))


@pytest.mark.long(reason="a law that cannot be compiled is run as it is in spheres/test_inputs.py")
def test_a_function_that_cannot_be_compiled_is_run_as_it_is():
    table = {"stiffness": 2.0}  # numba knows no such dictionary

    def U(R, p):
        return table["stiffness"] * R[0, 2, 1]

    def dU(R, p):
        G = np.zeros((1, 3, 3))
        G[0, 2, 1] = table["stiffness"]
        return G

    by_function = system(potential=U, gradient=dU)
    by_expression = system(potential=2 * R[0][2, 1])
    slow = rotations.integrate(by_function, R0, OMEGA0, 0.02, 20)
    fast = rotations.integrate(by_expression, R0, OMEGA0, 0.02, 20)
    assert (slow.engine, fast.engine) == ("python", "numba")
    np.testing.assert_allclose(slow.R, fast.R, rtol=0, atol=1e-13)
    np.testing.assert_allclose(slow.energy, fast.energy, rtol=0, atol=1e-13)


@pytest.mark.parametrize("speed", [200.0, 60.0])
def test_a_step_too_large_is_named_and_what_was_done_is_kept(speed):
    with pytest.raises(gc.ConvergenceError, match="take a smaller h") as caught:
        steps(Omega0=[[0.0, 0.0, speed]], h=0.05)
    error = caught.value
    assert (error.step, error.time, len(error.trajectory)) == (1, 0.0, 1)
    part = steps(Omega0=[[0.0, 0.0, speed]], h=0.05, throw=False)
    assert not part.success
    assert "step 1 from t = 0" in part.status


def test_interruption_keeps_what_was_done():
    def stop(fraction):
        if fraction > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        steps(steps=2_000_000, progress=stop, record=1000)
    part = caught.value.trajectory
    assert 1 < len(part) < 2001
    assert "interrupted" in part.status
    assert np.all(np.isfinite(part.states))


def test_progress_rises_to_one():
    told = []
    steps(steps=500_000, record=1000, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_state_vectors_are_packed_and_checked():
    b = general()
    x = np.arange(24.0)
    Q, w = b.unpack(x)
    np.testing.assert_array_equal(Q[1, 2], [15, 16, 17])
    np.testing.assert_array_equal(w[1], [21, 22, 23])
    np.testing.assert_array_equal(b.pack(Q, w), x)
    assert b.state_labels[9 + 5] == "R2_23"
    assert b.state_labels[-1] == "Omega2_3"
    with pytest.raises(ValueError, match=r"x must have shape \(24,\)"):
        b.rhs(0.0, x[:-1])
    with pytest.raises(ValueError, match="R and Omega must have shapes"):
        b.pack(Q[:1], w)
    with pytest.raises(ValueError, match="u must have 0 entries"):
        b.rhs(0.0, x, [1.0])
    with pytest.raises(gc.ParameterError, match=r"did you mean|known are"):
        b.energy(x, {"kk": 1.0})


@pytest.mark.parametrize("n", [0, -1, 1.0, True])
def test_symbols_want_a_number_of_bodies(n):
    with pytest.raises(ValueError, match="n must be a whole number from 1 to"):
        symbols(n)


def test_forms_are_named():
    with pytest.raises(ValueError, match="unknown form 'pi'"):
        top().in_form("pi")
    with pytest.raises(ValueError, match="unknown form"):
        top().convert(np.zeros(12), "Omega", "omega")


def test_trajectories_are_read_by_label():
    r = steps()
    np.testing.assert_array_equal(r["R1_23"], r.R[:, 0, 1, 2])
    np.testing.assert_array_equal(r["Omega1_2"], r.Omega[:, 0, 1])
    with pytest.raises(KeyError, match="Omega1_4"):
        r["Omega1_4"]
    assert set(r.drift) == {"energy", "momentum3", "R^T R - I"}
    assert r.states.shape == (12, 11)


@pytest.mark.parametrize("method", ["variational", "rk4"])
def test_moments_that_are_not_finite_end_the_run(method):
    late = system(forces=lambda t, R, W, u, p: np.full((1, 3), np.nan if t > 0.0295 else 0.0))
    r = rotations.integrate(late, np.eye(3), [0.1, 0, 0], 0.01, 3, method=method, throw=False)
    assert not r.success
    assert "no longer finite" in r.status
    assert np.all(np.isfinite(r.Omega))
