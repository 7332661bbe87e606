"""Bad input raises before any work, naming argument, value and remedy; equal descriptions, equal systems."""

import pickle
import warnings

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.systems import comparisons
from tests.systems.mechanisms import draw

GAMMA = gc.AdvectedVector("Gamma", reference=(0, sp.Rational(3, 5), sp.Rational(6, 5)))
G1, G2, G3 = GAMMA.symbols
M = gc.Parameter("m", 1.7, positive=True)
K = gc.Parameter("kappa", 0.6)
INERTIA = sp.Matrix([[2, sp.Rational(1, 3), 0], [sp.Rational(1, 3), 3, 0], [0, 0, M.symbol]])
SO3 = gc.so3()
XI = SO3.xi


def body(**changes):
    """A pendulum on so(3), with changes."""
    fields = dict(algebra=SO3, advected=[GAMMA], inertia=INERTIA, potential=K.symbol * G3, parameters=[M, K])
    return gc.EulerPoincare(**{**fields, **changes})


def skate():
    return gc.models.get("pendulum-skate")()


def rotors(**changes):
    return gc.Rotors(**{**dict(coupling=[1, 0, 0], inertia=sp.Rational(3, 2)), **changes})


LATERAL = [0, -G3, G2]  # admits (1, 0, 0) and Gamma on the leaf Gamma1 = 0

# what: (action, exception, words of its message)
DESCRIPTIONS = {
    "constraint row too short": (
        lambda: body(constraints=[[0, 0, 1], [1, 0]]),
        gc.ConstraintError,
        ["constraint row 2", "length 3", "got 2"],
    ),
    "as many constraints as velocities": (
        lambda: body(constraints=sp.eye(3)),
        gc.ConstraintError,
        ["3 constraints leave no motion"],
    ),
    "dependent rows": (
        lambda: body(constraints=[[1, 0, G1], [2, 0, 2 * G1]]).reduce(),
        gc.ConstraintError,
        ["constraint row 2", "2*Gamma1", "leave it out"],
    ),
    "rows that depend on the leaf only": (
        lambda: body(constraints=[[0, 0, 1], [0, 0, GAMMA.symbols.dot(GAMMA.symbols)]]).reduce(),
        gc.ConstraintError,
        ["constraint row 2", "depends on the rows before it", "leave it out"],
    ),
    "inertia not symmetric": (
        lambda: body(inertia=INERTIA + sp.Matrix([[0, 0, 0], [G1, 0, 0], [0, 0, 0]])),
        gc.DescriptionError,
        ["inertia", "symmetric", "(2, 1)", "Gamma1 + 1/3", "(1, 2)"],
    ),
    "inertia of the wrong shape": (
        lambda: body(inertia=sp.eye(4)),
        gc.DescriptionError,
        ["inertia must have 3 x 3", "got 4 x 4"],
    ),
    "no inertia": (lambda: body(inertia=None), gc.DescriptionError, ["inertia", "lagrangian", "needed"]),
    "both inertia and lagrangian": (
        lambda: body(lagrangian=XI.dot(XI)),
        gc.DescriptionError,
        ["either lagrangian, or inertia"],
    ),
    "gyroscopic too long": (
        lambda: body(gyroscopic=[1, 0, 0, 0]),
        gc.DescriptionError,
        ["gyroscopic must have 3 entries", "got 4"],
    ),
    "forces too short": (lambda: body(forces=[1, 0]), gc.DescriptionError, ["forces must have 3", "got 2"]),
    "contact too short": (
        lambda: body(contact=[1, 0]),
        gc.DescriptionError,
        ["contact must have 3", "got 2"],
    ),
    "undeclared symbol": (
        lambda: body(potential=sp.Symbol("kapa", real=True) * G3),
        gc.DescriptionError,
        ["potential", "undeclared symbol kapa", "did you mean 'kappa'?"],
    ),
    "undeclared symbol in the forces": (
        lambda: body(forces=[sp.Symbol("u_1"), 0, 0], inputs=["u1"]),
        gc.DescriptionError,
        ["forces", "u_1", "did you mean 'u1'?"],
    ),
    "undeclared symbol in the rotors": (
        lambda: body(rotors=rotors(inertia=sp.Symbol("J"))),
        gc.DescriptionError,
        ["rotors", "undeclared symbol J"],
    ),
    "velocity in the potential": (
        lambda: body(potential=XI[0] * G1),
        gc.DescriptionError,
        ["potential", "undeclared symbol Omega1"],
    ),
    "symbol with other assumptions": (
        lambda: body(potential=sp.Symbol("m") * G3),
        gc.DescriptionError,
        ["symbol m with other assumptions", "parameter.symbol"],
    ),
    "input that is neither name nor symbol": (
        lambda: body(inputs=[3]),
        gc.DescriptionError,
        ["inputs must be names or sympy symbols", "got 3"],
    ),
    "frame of the wrong shape": (
        lambda: body(frame=sp.eye(3)[:, :2]),
        gc.FrameError,
        ["frame must be 3 x 3", "0 constraints", "got 3 x 2"],
    ),
    "frame that violates the constraints": (
        lambda: body(constraints=[[0, 0, 1]], frame=[[1, 0], [0, 1], [0, G1]]).reduce(),
        gc.FrameError,
        ["frame column 2 violates constraint row 1", "Gamma1", "span the kernel"],
    ),
    "frame with dependent columns": (
        lambda: body(constraints=[[0, 0, 1]], frame=[[1, G1], [1, G1], [0, 0]]).reduce(),
        gc.FrameError,
        ["columns of the frame are linearly dependent", "independent columns"],
    ),
    "singular mass": (
        lambda: body(inertia=sp.diag(3, 3, 0)).reduce(),
        gc.SingularMassError,
        ["mass matrix", "Omega1, Omega2, Omega3", "singular", "inertia"],
    ),
    "singular mass of full pattern": (
        lambda: body(inertia=sp.ones(3, 3)).reduce(),
        gc.SingularMassError,
        ["mass matrix", "singular"],
    ),
    "singular mass of a rotor": (
        lambda: body(inertia=sp.diag(2, 3, 4), rotors=rotors(coupling=[2, 0, 0], inertia=2)).reduce(),
        gc.SingularMassError,
        ["mass matrix", "theta_dot", "singular"],
    ),
    "rotor inertia not symmetric": (
        lambda: rotors(coupling=sp.zeros(3, 2), inertia=[[1, 2], [0, 1]]),
        gc.DescriptionError,
        ["rotors' inertia must be symmetric"],
    ),
    "rotor shapes": (
        lambda: rotors(coupling=sp.zeros(3, 2)),
        gc.DescriptionError,
        ["coupling n x s", "(3, 2)", "(1, 1)"],
    ),
    "rotor names": (lambda: rotors(names=["a", "b"]), gc.DescriptionError, ["1 distinct rotor names", "'b'"]),
    "rotor coupling of another algebra": (
        lambda: body(rotors=rotors(coupling=[1, 0, 0, 0])),
        gc.DescriptionError,
        ["coupling needs 3 rows", "got 4"],
    ),
    "leaf relation that the motion does not keep": (
        lambda: body(leaf=[G1]).reduce(),
        gc.ConstraintError,
        ["leaf relation Gamma1 = 0 is not kept", "rate", "constraint that keeps it"],
    ),
    "leaf relation with a vanishing gradient": (
        lambda: body(constraints=[LATERAL], leaf=[G1**2]).reduce(),
        gc.ConstraintError,
        ["Gamma1**2", "vanishing gradient"],
    ),
    "leaf relation without solutions": (
        lambda: body(leaf=[G1 - 5]).reduce(),
        gc.ConstraintError,
        ["no configuration", "Gamma1 - 5"],
    ),
    "parallel references": (
        lambda: body(
            advected=[
                GAMMA,
                gc.AdvectedVector("Delta", reference=(0, sp.Rational(-1, 5), sp.Rational(-2, 5))),
            ]
        ).reduce(),
        gc.ConstraintError,
        ["references of Gamma and Delta are parallel", "use one vector"],
    ),
    "labels that repeat": (
        lambda: body(advected=[GAMMA, GAMMA]),
        gc.DescriptionError,
        ["labels repeat", "Gamma1", "rename"],
    ),
    "input named as a velocity": (
        lambda: body(inputs=["Omega1"]),
        gc.DescriptionError,
        ["labels repeat: Omega1", "rename"],
    ),
    "parameter named twice": (
        lambda: body(parameters=[M, K, gc.Parameter("m", 2.0)]),
        gc.ParameterError,
        ["parameter names repeat: m"],
    ),
    "parameter named as a label": (
        lambda: body(parameters=[M, K, gc.Parameter("Gamma2", 2.0)]),
        gc.ParameterError,
        ["parameter names meet", "Gamma2"],
    ),
    "parameter named as time": (
        lambda: body(parameters=[M, K, gc.Parameter("t", 2.0)]),
        gc.ParameterError,
        ["parameter names meet", "time", ": t"],
    ),
    "parameter set with an unknown name": (
        lambda: body(parameter_sets={"light": {"mm": 0.4}}),
        gc.ParameterError,
        ["'light'", "unknown parameter 'mm'", "did you mean 'm'?"],
    ),
    "parameter set that is not there": (
        lambda: body(parameter_sets={"light": {"m": 1.4}}).parameter_set("ligth"),
        gc.ParameterError,
        ["no parameter set 'ligth'", "did you mean 'light'?"],
    ),
    "parameter that is no identifier": (
        lambda: gc.Parameter("m l"),
        gc.ParameterError,
        ["identifier", "'m l'"],
    ),
    "default not positive": (
        lambda: gc.Parameter("m", -2.0, positive=True),
        gc.ParameterError,
        ["'m'", "positive", "-2.0"],
    ),
    "default not finite": (lambda: gc.Parameter("m", np.nan), gc.ParameterError, ["'m'", "finite", "nan"]),
    "default no number": (
        lambda: gc.Parameter("m", "heavy"),
        gc.ParameterError,
        ["'m'", "number", "'heavy'"],
    ),
    "lagrangian cubic in the velocities": (
        lambda: body(inertia=None, potential=0, lagrangian=XI.dot(XI) + XI[0] ** 3),
        gc.DescriptionError,
        ["lagrangian must be quadratic"],
    ),
    "lagrangian not polynomial in the velocities": (
        lambda: body(inertia=None, potential=0, lagrangian=XI.dot(XI) + sp.cos(XI[0])),
        gc.DescriptionError,
        ["lagrangian must be quadratic"],
    ),
    "unknown function": (
        lambda: body(potential=sp.besselj(0, G3)).reduce(),
        gc.ExpressionError,
        ["'besselj'", "besselj(0, Gamma3)", "known are"],
    ),
    "fractional exponent": (
        lambda: body(potential=G3 ** sp.Rational(1, 3)).reduce(),
        gc.ExpressionError,
        ["Gamma3**(1/3)", "half-integers"],
    ),
    "advected vector without rotations": (
        lambda: gc.EulerPoincare(algebra=gc.rn(2), advected=[GAMMA], inertia=sp.eye(2)),
        gc.DescriptionError,
        ["Gamma", "rotations"],
    ),
    "no such mechanism": (
        lambda: gc.models.get("pendulum-skat"),
        gc.ParameterError,
        ["'pendulum-skat'", "did you mean 'pendulum-skate'"],
    ),
    "no such option": (
        lambda: gc.models.get("veselova")(potential="liner"),
        gc.ParameterError,
        ["'liner'", "did you mean 'linear'?"],
    ),
}


@pytest.mark.parametrize("what", DESCRIPTIONS)
def test_bad_descriptions_raise(what):
    act, exception, words = DESCRIPTIONS[what]
    with pytest.raises(exception) as caught:
        act()
    assert isinstance(caught.value, gc.GeoctrlError)
    assert isinstance(caught.value, ValueError)
    for word in words:
        assert word in str(caught.value)


SYSTEM = body(forces=[sp.Symbol("u1", real=True), 0, 0], inputs=["u1"]).reduce()
X = SYSTEM.random_state(np.random.default_rng(1))
TURNING = gc.Family({"Omega1": 1, "Gamma2": 0.6, "Gamma3": 1.2})
CALLS = {
    "unknown parameter": (
        lambda: SYSTEM.rhs(0, X, params={"kapa": 2.0}),
        gc.ParameterError,
        ["unknown parameter 'kapa'", "did you mean 'kappa'?"],
    ),
    "parameter that changes": (
        lambda: gc.simulate(SYSTEM, 1.0, X, params={"kappa": lambda t, x, p: 2.0}),
        gc.ParameterError,
        ["parameter 'kappa' must be a number", "inputs="],
    ),
    "unknown parameter that changes": (
        lambda: gc.simulate(SYSTEM, 1.0, X, params={"u1": lambda t, x, p: 2.0}),
        gc.ParameterError,
        ["unknown parameter 'u1'", "inputs="],
    ),
    "missing parameter": (
        lambda: body(parameters=[gc.Parameter("m", positive=True), K]).reduce().rhs(0, X),
        gc.ParameterError,
        ["parameter 'm' has no value", "params={'m': ...}"],
    ),
    "parameter not positive": (
        lambda: SYSTEM.rhs(0, X, params={"m": -1.0}),
        gc.ParameterError,
        ["'m'", "positive", "-1.0"],
    ),
    "parameter NaN": (
        lambda: SYSTEM.energy(X, params={"kappa": np.nan}),
        gc.ParameterError,
        ["'kappa'", "finite", "nan"],
    ),
    "parameter no number": (
        lambda: SYSTEM.jacobian(0, X, params={"kappa": "big"}),
        gc.ParameterError,
        ["'kappa'", "number", "'big'"],
    ),
    "state too short": (
        lambda: SYSTEM.rhs(0, X[:-1]),
        ValueError,
        ["x must have shape (6,) or (6, nt)", "Omega1", "Gamma3", "(5,)"],
    ),
    "state of three dimensions": (
        lambda: SYSTEM.energy(np.zeros((6, 2, 2))),
        ValueError,
        ["(6,)", "(6, 2, 2)"],
    ),
    "states by rows": (lambda: SYSTEM.jacobian(0, np.zeros((4, 6))), ValueError, ["(6, nt)", "(4, 6)"]),
    "inputs too many": (
        lambda: SYSTEM.rhs(0, X, [1.0, 2.0]),
        ValueError,
        ["u must have 1 entries", "u1", "(2,)"],
    ),
    "inputs of another length": (
        lambda: SYSTEM.rhs(0, np.stack([X] * 3, axis=1), np.zeros((1, 4))),
        ValueError,
        [],
    ),
    "multiplier form, state": (
        lambda: SYSTEM.unreduced().rhs(0, (X[:3], X[:2])),
        ValueError,
        ["3 velocities", "3 advected", "(2,)"],
    ),
    "project, velocity too short": (
        lambda: SYSTEM.project([1, 0], {"Gamma": X[3:]}),
        ValueError,
        ["xi must have shape (3,)", "(2,)"],
    ),
    "project, NaN": (
        lambda: SYSTEM.project([1, np.nan, 0], {"Gamma": X[3:]}),
        ValueError,
        ["xi must be finite", "(1,)"],
    ),
    "project, unknown vector": (
        lambda: SYSTEM.project(X[:3], {"Gama": X[3:]}),
        gc.DescriptionError,
        ["'Gama'", "did you mean 'Gamma'?"],
    ),
    "project, missing vector": (lambda: SYSTEM.project(X[:3]), gc.DescriptionError, ["missing: Gamma"]),
    "project, rotor rates of no rotor": (
        lambda: SYSTEM.project(X[:3], {"Gamma": X[3:]}, rotor_rates=[1.0]),
        ValueError,
        ["0 entries", "got 1"],
    ),
    "unknown family": (
        lambda: skate().equilibrium("spining", Omega0=1.0),
        gc.ParameterError,
        ["no equilibrium family 'spining'", "did you mean 'spinning'?"],
    ),
    "unknown symbol of a family": (
        lambda: skate().equilibrium("spinning", Omega=1.0),
        gc.ParameterError,
        ["'spinning'", "no symbol 'Omega'", "did you mean 'Omega0'?"],
    ),
    "missing symbol of a family": (
        lambda: skate().equilibrium("spinning"),
        gc.ParameterError,
        ["needs a value for Omega0"],
    ),
    "family in states that are not there": (
        lambda: body(equilibria={"odd": gc.Family({"v9": 1})}).equilibrium("odd"),
        gc.ParameterError,
        ["'odd'", "'v9'"],
    ),
    "family that is no equilibrium": (
        lambda: body(equilibria={"odd": TURNING}).equilibrium("odd"),
        gc.EquilibriumError,
        ["not an equilibrium", "'odd'", "d/dt Gamma2"],
    ),
    "family off the leaf": (
        lambda: body(potential=0, equilibria={"odd": gc.Family({"Gamma3": 1})}).equilibrium("odd"),
        gc.EquilibriumError,
        ["off the leaf", "Gamma1**2"],
    ),
    "output that is not there": (
        lambda: SYSTEM.to_control(outputs=["Gamma4"]),
        gc.ParameterError,
        ["'Gamma4'", "Gamma3"],
    ),
}


@pytest.mark.parametrize("what", CALLS)
def test_bad_calls_raise(what):
    act, exception, words = CALLS[what]
    with pytest.raises(exception) as caught:
        act()
    for word in words:
        assert word in str(caught.value)


def test_a_family_needs_symbols_or_names():
    with pytest.raises(gc.DescriptionError, match="symbols or names, got 3"):
        gc.Family({"v2": 1}, symbols=[3])


# -- project ------------------------------------------------------------------------------------------


def defect_off_leaf(size):
    return {"Gamma": [size, 0.6, 0.8]}


TURN = [0.3, 0.6 * 2.1, 0.8 * 2.1, 0.7, 0, 0]


def test_project_accepts_rounding_silently():
    sys = skate().reduce()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = sys.project(TURN, defect_off_leaf(1e-13))
    assert x == pytest.approx([0.3, 2.1, 0.7, 0.6, 0.8], abs=1e-12)


def test_project_repairs_small_defects_with_a_warning():
    sys = skate().reduce()
    with pytest.warns(gc.ProjectionWarning, match=r"off the leaf \(Gamma1 = 1e-05 instead of 0\)"):
        x = sys.project(TURN, defect_off_leaf(1e-5))
    assert np.max(np.abs(sys.leaf_residual(x))) < 1e-15
    with pytest.warns(gc.ProjectionWarning, match="Gamma3"):
        x = sys.project([0.3, 0, 0, 0.7, 0, 0], {"Gamma": [0, 0.6, 0.80002]})
    assert np.max(np.abs(sys.leaf_residual(x))) < 1e-15
    with pytest.warns(gc.ProjectionWarning, match="violates the constraints by 1"):
        sys.project([*TURN[:4], 2e-5, 1e-5], {"Gamma": [0, 0.6, 0.8]})


def test_project_refuses_large_defects_with_the_residual_and_the_remedy():
    sys = skate().reduce()
    with pytest.raises(gc.ConstraintError) as caught:
        sys.project(TURN, defect_off_leaf(1e-2))
    for word in ("off the leaf", "Gamma1 = 0.01", "residual 0.01", "nearest=True"):
        assert word in str(caught.value)
    with pytest.raises(gc.ConstraintError) as caught:
        sys.project([*TURN[:5], 0.3], {"Gamma": [0, 0.6, 0.8]})
    for word in ("violates the constraints", "residual", "nearest=True"):
        assert word in str(caught.value)


def test_project_nearest_repairs_any_defect():
    sys = skate().reduce()
    with pytest.warns(gc.ProjectionWarning, match="Gamma1 from 0.2 to 0, .* and 3 more"):
        x = sys.project([*TURN[:5], 0.3], {"Gamma": [0.2, 0.5, 0.9]}, nearest=True)
    assert np.max(np.abs(sys.leaf_residual(x))) < 1e-15
    assert x[3:] == pytest.approx(np.array([0.5, 0.9]) / np.hypot(0.5, 0.9), abs=1e-12)


def test_project_nearest_is_silent_where_nothing_but_rounding_changes():
    sys = skate().reduce()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sys.project(TURN, defect_off_leaf(1e-13), nearest=True)


def test_project_in_multiplier_form_moves_velocities_onto_the_rows():
    sys = gc.models.get("veselova")().reduce()
    assert sys.state_labels[:3] == ("Omega1", "Omega2", "Omega3")
    with pytest.raises(gc.ConstraintError, match="violates the constraints"):
        sys.project([1, 2, 3], {"Gamma": [0, 0.6, 0.8]})
    words = r"nearest=True\) changed Omega3 from 3 to 0.12, Omega2 from 2 to -0.16$"
    with pytest.warns(gc.ProjectionWarning, match=words):
        x = sys.project([1, 2, 3], {"Gamma": [0, 0.6, 0.8]}, nearest=True)
    assert x[:3] == pytest.approx(np.array([1, 2, 3]) - 3.6 * np.array([0, 0.6, 0.8]), abs=1e-14)


def test_a_frame_that_is_singular_at_a_configuration():
    """Omega3 = -Gamma1/Gamma3 Omega1 - ..., cleared of its denominator: the columns meet at Gamma3 = 0."""
    mechanism = body(constraints=[[G1, G2, G3]], frame=[[G3, 0], [0, G3], [-G1, -G2]])
    sys = mechanism.reduce()
    height = float(np.sqrt(1.8))
    with pytest.raises(gc.FrameError) as caught:
        sys.project([0, 0, 1.0], {"Gamma": [height, 0, 0]})
    for word in ("frame is singular", "Gamma3", "another frame", "frame=None"):
        assert word in str(caught.value)
    x = mechanism.replace(frame=None).reduce().project([0, 0, 1.0], {"Gamma": [height, 0, 0]})
    assert x == pytest.approx([0, 0, 1, height, 0, 0], abs=1e-15)


# -- forms of one description -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["so3", "se3"])
def test_lagrangian_form_is_the_matrix_form(kind):
    mechanism = draw(np.random.default_rng(3), kind, "rolling")
    xi = sp.Matrix(mechanism.algebra.xi)
    G, A = sp.Matrix(mechanism.inertia), sp.Matrix(mechanism.gyroscopic)
    lagrangian = (xi.T * G * xi / 2 + A.T * xi)[0] - mechanism.potential
    other = mechanism.replace(inertia=None, gyroscopic=None, potential=0, lagrangian=lagrangian)
    assert (other.inertia - G).applyfunc(sp.expand).is_zero_matrix
    assert (other.gyroscopic - A).applyfunc(sp.expand).is_zero_matrix
    assert sp.expand(other.potential - mechanism.potential) == 0
    assert comparisons.same_motion(mechanism.reduce(), other.reduce()) < 1e-13  # the same equations


def test_parameter_sets_become_defaults():
    mechanism = body(parameter_sets={"light": {"m": 1.4}})
    light = mechanism.with_parameter_set("light")
    assert light.defaults == {"m": 1.4, "kappa": 0.6}
    assert np.array_equal(light.reduce().rhs(0, X), mechanism.reduce().rhs(0, X, params={"m": 1.4}))


def test_inertia_without_a_default_is_checked_with_other_numbers():
    mechanism = body(parameters=[gc.Parameter("m", positive=True), K])
    sys = mechanism.reduce()
    assert np.array_equal(sys.rhs(0, X, params={"m": 1.7}), body().reduce().rhs(0, X))


def test_a_description_and_its_system_survive_pickling():
    sys = skate().reduce()
    again = pickle.loads(pickle.dumps(sys))
    x = sys.random_state(np.random.default_rng(0))
    assert again.state_labels == sys.state_labels
    assert np.array_equal(again.rhs(0, x), sys.rhs(0, x))


def test_reduce_remembers():
    mechanism = body()
    assert mechanism.reduce() is mechanism.reduce()
    assert mechanism.replace(potential=0).reduce() is not mechanism.reduce()


def test_frames_made_from_constant_rows_keep_no_multiplier():
    fixed = body(constraints=[[M.symbol, 0, 2]]).reduce()
    assert fixed.state_labels == ("Omega1", "Omega2", "Gamma1", "Gamma2", "Gamma3")
    varying = body(constraints=[[0, G1, 1 + G2**2]]).reduce()
    assert varying.leaf.names[-1] == "constraint1"
    assert varying.nstates == 6


def test_an_input_by_name_needs_no_assumptions():
    """`sp.Symbol("u1")` is what comes to mind first, and nothing else goes by that name."""
    plain, proper = sp.Symbol("u1"), sp.Symbol("u1", real=True)
    written = [
        body(forces=[G1 * u, u**2, 0], inputs=["u1"], outputs={"moment": 2 * u}).reduce()
        for u in (plain, proper)
    ]
    rng = np.random.default_rng(4)
    x = written[0].random_state(rng)
    for system in written:
        assert system.inputs == (proper,)
    rates = [system.rhs(0.0, x, [0.7]) for system in written]
    assert np.array_equal(*rates)
    assert np.max(np.abs(rates[0] - written[0].rhs(0.0, x, [0.0]))) > 0.1
    assert np.array_equal(*(system.outputs(0.0, x, [0.7]) for system in written))
    again = written[0].mechanism.replace(forces=[0, plain, 0]).reduce()
    assert again.rhs(0.0, x, [0.7])[1] != again.rhs(0.0, x, [0.0])[1]


def test_a_parameter_keeps_its_assumptions_and_an_input_given_as_a_symbol_its_own():
    with pytest.raises(gc.DescriptionError, match="symbol m with other assumptions"):
        body(potential=sp.Symbol("m") * G3)
    with pytest.raises(gc.DescriptionError, match="u1 with other assumptions"):
        body(forces=[sp.Symbol("u1"), 0, 0], inputs=[sp.Symbol("u1", positive=True)])
