"""Points and functions at which a question has no answer: singular, without a value, changing with time."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import spheres

GAMMA = gc.AdvectedVector("Gamma")
G1, G2, G3 = GAMMA.symbols
UP = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def body(**changes):
    return gc.EulerPoincare(
        **{
            "algebra": gc.so3(),
            "advected": [GAMMA],
            "inertia": sp.diag(1, 2, 2.5),
            "potential": G3,
            **changes,
        }
    )


def questions(system, x):
    return [
        lambda: gc.certify(system, x),
        lambda: gc.linearize(system, x),
        lambda: gc.find_equilibrium(system, x),
    ]


def refused(system, x, error, words):
    for ask in questions(system, x):
        with pytest.raises(error, match=words):
            ask()


def test_an_inertia_that_is_singular_at_the_point():
    """Its first entry vanishes at Gamma = e3 alone."""
    system = body(inertia=sp.diag(1 - G3, 2, 2.5)).reduce()
    refused(system, UP, (gc.SingularMassError, gc.EquilibriumError), "singular")
    with pytest.raises(gc.SingularMassError, match="Gamma3 = 1"):
        gc.certify(system, UP)
    with pytest.raises(gc.SingularMassError):
        system.jacobian(0.0, UP)
    assert gc.certify(system, [0, 0, 0, 0, 0, -1.0]).verdict


def test_constraint_rows_that_are_dependent_at_the_point():
    system = body(constraints=[[G1, G2, 0]]).reduce()
    refused(system, UP, (gc.ConstraintError, gc.EquilibriumError), "dependent|singular")
    with pytest.raises(gc.ConstraintError, match="dependent"):
        gc.certify(system, UP)


def test_a_frame_that_is_singular_at_the_point():
    system = body(constraints=[[1, 0, 0]], frame=[[0, 0], [G1, 0], [0, 1]]).reduce()
    x = [0.0, 0.0, 0.0, 0.0, 1.0]
    refused(system, x, (gc.FrameError, gc.EquilibriumError), "singular")
    with pytest.raises(gc.FrameError, match="frame=None"):
        gc.certify(system, x)


def test_a_frame_that_hides_a_row_without_rank():
    """At Gamma1 = 0 the row constrains nothing, and E2, E3 span no longer what it allows."""
    system = body(constraints=[[G1, 0, 0]], frame=[[0, 0], [1, 0], [0, 1]]).reduce()
    refused(system, [0, 0, 0, 0, -1.0], gc.ConstraintError, "lose rank at this point")
    # Where the row has rank the same frame is judged: the potential is turned so that e1 is at rest.
    aside = body(constraints=[[G1, 0, 0]], frame=[[0, 0], [1, 0], [0, 1]], potential=-G1).reduce()
    assert gc.certify(aside, [0, 0, 1.0, 0, 0]).verdict == gc.Verdict.PROVED_STABLE


def test_a_field_that_divides_zero_by_zero_is_named():
    W3 = gc.so3().xi[2]
    system = body(forces=[0, 0, W3**3 / (W3**2 + G1**2)]).reduce()
    with pytest.raises(
        gc.EquilibriumError, match="no value at this point: in d/dt Omega3 zero is divided by zero"
    ):
        gc.certify(system, UP)


def test_numbers_that_leave_the_doubles():
    top = gc.models.get("heavy-top")().reduce()
    with pytest.raises(gc.EquilibriumError, match="exceeds the doubles"):
        top.equilibrium("hanging", Omega0=1e300)


def test_parameters_at_which_the_equations_divide_by_zero():
    q, c = gc.Coordinate("q"), gc.Parameter("c")
    system = gc.EulerPoincare(
        algebra=None, shape=[q], inertia=[[1]], potential=q.symbol**2 / (2 * c.symbol), parameters=[c]
    ).reduce()
    for call in (gc.linearize, gc.certify):
        with pytest.raises(gc.GeoctrlError, match=r"singular|divide by zero|cannot be evaluated|no value"):
            call(system, [0.0, 0.0], params={"c": 0.0})


def test_a_function_that_divides_by_zero_is_not_conserved():
    """A gain that equals the rotor's inertia makes the controlled momentum infinite, and no equation."""
    mechanism = gc.models.get("pendulum-skate-rotor")()
    loop = gc.match(mechanism).law(sigma=-1e-5).closed_loop(rotors=True)
    params = {"sigma": mechanism.defaults["J1"]}
    x = loop.equilibrium("sliding", Y0=1).x
    with pytest.warns(RuntimeWarning, match="do not count as conserved: momentum_theta"):
        lin = gc.linearize(loop, x, params=params)
    assert "momentum_theta" not in lin.zero_modes
    # Independent of what is conserved: differences of the rates.
    h = 1e-6 * np.eye(len(x))
    slopes = [(loop.rhs(0.0, x + d, params=params) - loop.rhs(0.0, x - d, params=params)) / 2e-6 for d in h]
    assert lin.A == pytest.approx(np.array(slopes).T, abs=1e-6)


# -- functions of time --------------------------------------------------------------------------------

HANGING = ([[0.0, 0.0, -1.0]], [[0.0, 0.0, 0.0]])


def pendulum():
    u = [sp.Symbol(f"u{i}", real=True) for i in (1, 2, 3)]
    q, _ = spheres.symbols(1)
    return spheres.SphereSystem(mass=[1.0], potential=9.0 * q[0][2], forces=[u], inputs=u)


@pytest.mark.parametrize(
    "law",
    [
        lambda t, x, p: np.array([np.sin(t), 0.0, 0.0]),
        lambda t, x, p: -np.exp(-t) * x[3:],  # seen only away from the point, at which it vanishes
        lambda t, x, p: np.zeros(3) if t < 1 else np.ones(3),
    ],
)
def test_a_law_that_changes_with_time_is_refused(law):
    loop = pendulum().closed_loop(law)
    refused(loop, HANGING, gc.EquilibriumError, "depend on the time explicitly")


def test_a_law_without_time_is_judged():
    loop = pendulum().closed_loop(lambda t, x, p: -x[:3])
    assert gc.linearize(loop, HANGING).eigenvalues.size == 4


def test_forces_that_change_with_time_are_refused():
    def forces(t, q, w, u, p):
        return -0.1 * np.cross(w, q) * (1 + t)

    system = spheres.SphereSystem(mass=[1.0], potential=9.0 * spheres.symbols(1)[0][0][2], forces=forces)
    refused(system, HANGING, gc.EquilibriumError, "depend on the time explicitly")


# -- words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (sp.Heaviside(G1), "Heaviside.*Piecewise"),
    ],
)
def test_functions_that_piecewise_replaces(function, words):
    with pytest.raises(gc.ExpressionError, match=words):
        body(potential=function).reduce()


def test_an_input_with_other_assumptions_is_explained():
    with pytest.raises(gc.DescriptionError, match="Symbol\\(name, real=True\\) of an input"):
        body(forces=[sp.Symbol("u1", positive=True), 0, 0], inputs=["u1"])


def test_a_description_prints_without_addresses():
    text = repr(gc.models.get("pendulum-skate-rotor")())
    assert " at 0x" not in text
    assert len(text.splitlines()) < 12
    assert "spinning" in text


@pytest.mark.parametrize("level", [1.0, 0, 0.0])
def test_an_event_on_a_held_input_is_the_same_by_label_as_by_number(level):
    u = sp.Symbol("u1", real=True)
    system = gc.EulerPoincare(
        algebra=gc.so3(), inertia=sp.diag(1, 2, 3), forces=[u, 0, 0], inputs=[u]
    ).reduce()
    events = {"high": u - 0.5, "turned": system.states[0] - 0.25}
    runs = [
        gc.simulate(system, [0.0, 1.0], [0, 0, 0.1], inputs=inputs, events=events)
        for inputs in ({"u1": level}, np.full((1, 2), level))
    ]
    for run in runs:
        assert len(run.events["high"]) == 0
        assert len(run.events["turned"]) == (1 if level else 0)
