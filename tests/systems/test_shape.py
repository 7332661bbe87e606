"""Coordinates of a shape: what is refused, and that everything a system is asked takes them by name."""

import pickle

import matplotlib as mpl
import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.cli import main
from geoctrl.systems.promises.declared_symmetry import despun_state

mpl.use("Agg")

phi = gc.Coordinate("phi", angle=True)
x, z = gc.Coordinate("x", unit="m"), gc.Coordinate("z", unit="m")
LINE = gc.rn(1).relabelled(["v"], ["p"])
PAIR = {"algebra": LINE, "shape": [phi], "inertia": sp.diag(2, 3)}


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        (
            {"algebra": gc.so3(), "inertia": sp.eye(4), "shape": [gc.Coordinate("G1")]}
            | {"advected": [gc.AdvectedVector("G", reference=(0, 0, 1))]},
            gc.DescriptionError,
            "labels repeat: G1; rename a vector, coordinate, rotor or input",
        ),
        (
            {"shape": [gc.Coordinate("v")]},
            gc.DescriptionError,
            "the coordinate 'v' brings the label 'v', which is taken; rename it",
        ),
        (
            {"parameters": [gc.Parameter("phi", 1.0)]},
            gc.ParameterError,
            "parameter names meet state, input or time labels: phi",
        ),
        (
            {"parameters": [gc.Parameter("phi_dot", 1.0)]},
            gc.ParameterError,
            "parameter names meet state, input or time labels: phi_dot",
        ),
        (
            {"parameters": [gc.Parameter("p_phi", 1.0)]},
            gc.DescriptionError,
            "p_phi: momenta go by these names",
        ),
        (
            {"rotors": gc.Rotors([1, 0], 2, names=["phi"])},
            gc.DescriptionError,
            "labels repeat: phi_dot; rename a vector, coordinate, rotor or input",
        ),
        (
            {"inputs": ["phi"], "forces": [0, phi.symbol]},
            gc.DescriptionError,
            "labels repeat: phi; rename",
        ),
        (
            {"shape": [phi, gc.Coordinate("phi_dot")], "algebra": None},
            gc.DescriptionError,
            "the coordinate 'phi' brings the label 'phi_dot', which is taken; rename it",
        ),
        (
            {"shape": [phi, phi], "algebra": None},
            gc.DescriptionError,
            "the coordinate 'phi' is given twice",
        ),
        (
            {"shape": [gc.Coordinate("t")]},
            gc.DescriptionError,
            "the label 't' is that of the time; rename a vector, coordinate, rotor or input",
        ),
        (
            {"shape": [], "inertia": [[2]], "forces": [phi.rate]},
            gc.DescriptionError,
            r"forces holds the undeclared symbol phi_dot; known are t, v; a rate is that of a coordinate, "
            r"shape=\[gc.Coordinate\('phi'\)\], or a rotor",
        ),
        (
            {"potential": sp.cos(sp.Symbol("phi"))},
            gc.DescriptionError,
            "potential holds a symbol phi with other assumptions .* symbol and rate of a coordinate",
        ),
        (
            {"inertia": [[2]]},
            gc.DescriptionError,
            "inertia must have 2 x 2, got 1 x 1; an entry for each velocity, in the order v, phi_dot",
        ),
        (
            {"constraints": [[1]]},
            gc.ConstraintError,
            "constraint row 1 must have length 2, got 1; an entry for each velocity, in the order v, phi_dot",
        ),
        (
            {"forces": [1]},
            gc.DescriptionError,
            "forces must have 2 entries, got 1 entries; an entry for each velocity, in the order v, phi_dot",
        ),
        (
            {"gyroscopic": [1, 2, 3]},
            gc.DescriptionError,
            "gyroscopic must have 2 entries, got 3 entries; .* in the order v, phi_dot",
        ),
        (
            {"rotors": gc.Rotors([1], 2)},
            gc.DescriptionError,
            "the rotors' coupling needs 2 rows, got 1; .* in the order v, phi_dot",
        ),
        ({"frame": [[1]]}, gc.FrameError, "frame must be 2 x 2 .*, got 1 x 1; .* in the order v, phi_dot"),
        (
            {"algebra": None, "inertia": [[2]], "advected": [gc.AdvectedVector("G", reference=(0, 0, 1))]},
            gc.DescriptionError,
            "G: there is no group to carry it; give algebra=",
        ),
        ({"shape": ["phi"]}, TypeError, r"shape must hold gc\.Coordinate objects, got 'phi'"),
        ({"shape": "phi"}, TypeError, "shape must be a list, got 'phi'"),
        ({"shape": phi}, TypeError, "shape must be a list, got Coordinate"),
        (
            {"algebra": None, "shape": []},
            gc.DescriptionError,
            r"a mechanism needs an algebra .* or coordinates, shape=\[gc\.Coordinate\(\.\.\.\)\]",
        ),
    ],
)
def test_a_description_says_what_is_wrong_with_its_shape(changes, error, message):
    with pytest.raises(error, match=message):
        gc.EulerPoincare(**(PAIR | changes))


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"name": 3}, gc.DescriptionError, "the name of a coordinate 3 is not an identifier"),
        ({"name": "2x"}, gc.DescriptionError, "'2x' is not an identifier"),
        ({"name": "lambda"}, gc.DescriptionError, "'lambda' is not an identifier"),
        ({"name": "phi", "angle": "yes"}, gc.InputError, "angle of 'phi' must be True or False, got 'yes'"),
        ({"name": "phi", "unit": 3}, gc.DescriptionError, "unit of the coordinate 'phi' must be text"),
        ({"name": "phi", "description": None}, gc.DescriptionError, "description of the coordinate 'phi'"),
    ],
)
def test_a_coordinate_says_what_is_wrong_with_it(given, error, message):
    with pytest.raises(error, match=message):
        gc.Coordinate(**given)


def circle(relation, rows=((x.symbol, z.symbol),)):
    return gc.EulerPoincare(
        shape=[x, z], inertia=sp.diag(2, 2), potential=z.symbol, constraints=rows, leaf=[relation]
    )


def test_loop_closures_have_a_gradient_and_are_kept():
    relation = x.symbol**2 + z.symbol**2 - 1
    assert circle(relation).reduce().nstates == 3 + 1
    with pytest.raises(gc.ConstraintError, match="vanishing gradient on the leaf; give a relation of which"):
        circle(relation**2).reduce()
    with pytest.raises(
        gc.ConstraintError, match=r"is not kept by the motion .* add the constraint that keeps"
    ):
        circle(relation, None).reduce()


def test_a_closed_loop_of_angles_has_certificates(tmp_path):
    """sin p cos q + sin^2 p = 2 sin q: p = 2 q near rest, where 7/2 q'^2 and p^2/2 give the square 4/7.

    The rate of the loop is the row that holds it; division by the loop first leaves something else of it.
    """
    angles = [gc.Coordinate(name, angle=True) for name in "pq"]
    p, q = (c.symbol for c in angles)
    closed = sp.sin(p) * sp.cos(q) + sp.sin(p) ** 2 - 2 * sp.sin(q)
    system = gc.EulerPoincare(
        shape=angles,
        inertia=sp.diag(1, 3),
        potential=-sp.cos(p),
        constraints={"loop": [sp.diff(closed, p), sp.diff(closed, q)]},
        leaf={"closed": closed},
        equilibria={"rest": gc.Family({})},
    ).reduce()
    certificate = gc.certify(system, system.equilibrium("rest"))
    assert certificate.verdict is gc.Verdict.PROVED_STABLE
    eigenvalues = gc.linearize(system, system.equilibrium("rest")).eigenvalues
    assert sorted(eigenvalues.imag) == pytest.approx([-((4 / 7) ** 0.5), (4 / 7) ** 0.5], rel=1e-12)
    certificate.to_json(tmp_path / "loop.json")
    assert gc.verify(tmp_path / "loop.json").verdict is certificate.verdict


def test_a_bead_on_a_circle_is_a_pendulum():
    """Two coordinates and a closed loop against one angle."""
    bead = circle(x.symbol**2 + z.symbol**2 - 1).reduce()
    pendulum = gc.EulerPoincare(shape=[phi], inertia=[[2]], potential=sp.cos(phi.symbol)).reduce()
    time = np.linspace(0, 3, 31)
    swung = gc.simulate(pendulum, time, pendulum.state(phi=2.0, phi_dot=0.7))
    start = {"x": np.sin(2.0), "z": np.cos(2.0)}
    run = gc.simulate(bead, time, bead.project([0.7 * np.cos(2.0), -0.7 * np.sin(2.0)], start))
    assert run["x"] == pytest.approx(np.sin(swung["phi"]), abs=1e-10)
    assert run["z"] == pytest.approx(np.cos(swung["phi"]), abs=1e-10)


# -- what takes a system -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cart():
    return gc.models.get("cart-pendulum")(incline=True)


@pytest.fixture(scope="module")
def run(cart):
    system = cart.reduce()
    side = gc.Event(system.states[system.state_labels.index("phi")] - 0.4)
    push = {"u": sp.cos(2 * gc.time)}
    start = system.state(phi=0.3, x_dot=0.2)
    return gc.simulate(system, np.linspace(0, 1, 51), start, inputs=push, events={"aside": side})


def test_states_by_name(cart):
    system = cart.reduce()
    assert system.state_labels == ("x_dot", "phi_dot", "x", "phi")
    assert system.state(phi=0.3, x_dot=2).tolist() == [2, 0, 0, 0.3]
    assert system.project([2, 1], {"phi": 0.3, "x": -1}).tolist() == [2, 1, -1, 0.3]
    with pytest.raises(gc.LabelError, match="no velocity, vector or state 'ph'; did you mean 'phi'"):
        system.state(ph=0.3)
    with pytest.raises(
        gc.DescriptionError, match="no advected vector or coordinate 'ph'; did you mean 'phi'"
    ):
        system.project([0, 0], {"ph": 0.3})
    for wrong, message in (((0.1, 2), "single number"), (float("nan"), "finite"), ("a", "text 'a'")):
        with pytest.raises(gc.InputError, match=rf"phi must be .*{message}"):
            system.state(phi=wrong)


def test_events_happen_at_values_of_a_coordinate(run):
    (time,) = run.events["aside"].time
    assert np.interp(time, run.time, run["phi"]) == pytest.approx(0.4, abs=1e-3)


def test_everything_can_be_pickled(cart, run):
    system = cart.reduce()
    point = system.equilibrium("upright", x0=0.4)
    for thing in (cart, system, point, run, gc.linearize(system, point), gc.certify(system, point)):
        again = pickle.loads(pickle.dumps(thing))
        assert type(again) is type(thing)
    again = pickle.loads(pickle.dumps(cart))
    assert again.shape == cart.shape
    state = [0.1, 0.2, 0.3, 0.4]
    assert again.reduce().rhs(0, state, [0.3]).tolist() == system.rhs(0, state, [0.3]).tolist()
    assert pickle.loads(pickle.dumps(run))["phi"].tolist() == run["phi"].tolist()


def test_runs_are_saved_and_loaded(run, tmp_path):
    run.save(tmp_path / "run.npz")
    again = gc.load_trajectory(tmp_path / "run.npz")
    assert again["phi"].tolist() == run["phi"].tolist()
    assert again["x_dot"].tolist() == run["x_dot"].tolist()


def test_formulas_name_coordinates(cart):
    system = cart.reduce()
    for part in ("lagrangian", "motion", "momentum"):
        try:
            text = system.latex(part)
        except gc.GeoctrlError:
            continue
        assert r"\phi" in text, part
    assert r"\ddot{\phi}" in system.latex("motion")
    assert r"\dot{x}" in system.latex("lagrangian")


def test_control_systems_go_by_the_same_names(cart):
    pytest.importorskip("control")
    block = cart.reduce().to_control()
    assert block.state_labels == ["x_dot", "phi_dot", "x", "phi"]
    assert block.input_labels == ["u"]


def test_runs_are_drawn(run):
    axes = gc.viz.states(run)
    labels = [a.get_ylabel() for a in np.ravel(axes if np.iterable(axes) else axes.axes)]
    assert labels
    mpl.pyplot.close("all")


def test_equilibria_are_found_and_linearised(cart):
    system = cart.reduce()
    weight = (0.44 + 0.14) * 9.81 * np.sin(0.3)
    held = cart.replace(forces=[cart.input_symbols[0] + sp.Rational(weight), 0]).reduce()
    found = gc.find_equilibrium(held, [0, 0, 1, 0.1], fixed={"x": 1.0})
    assert found.x == pytest.approx([0, 0, 1, 0], abs=1e-12)
    assert found["x"] == pytest.approx(1.0)
    found = system.equilibrium("upright", x0=1.0)
    assert found.u == pytest.approx([weight], rel=1e-12)
    lin = gc.linearize(system, found)
    step = 1e-30j * np.eye(4)
    assert lin.A == pytest.approx(
        np.stack([system.rhs(0, found.x + h, found.u).imag / 1e-30 for h in step], axis=1), abs=1e-9
    )


def test_an_axisymmetric_top_with_a_sliding_mass_is_seen_without_its_spin():
    """A mass on a spring along the axis of a heavy top, in axes that do not follow the spin."""
    r = gc.Coordinate("r", unit="m")
    algebra, gamma = gc.so3(), gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    k, m = sp.Rational(180), sp.Rational(3, 10)
    weight, W = sp.Rational(981, 100), sp.Symbol("W", real=True)
    Omega, place = sp.Matrix(algebra.xi), (sp.Rational(2, 5) + r.symbol) * sp.Matrix([0, 0, 1])
    slid = Omega.cross(place) + r.rate * sp.Matrix([0, 0, 1])
    body = sp.diag(sp.Rational(2, 5), sp.Rational(2, 5), sp.Rational(1, 4))
    height = place.dot(gamma.symbols)
    top = gc.EulerPoincare(
        algebra=algebra,
        advected=[gamma],
        shape=[r],
        lagrangian=(Omega.dot(body * Omega) + m * slid.dot(slid) - k * r.symbol**2) / 2 - m * weight * height,
        symmetry=gc.Axis((0, 0, 1)),
        invariants={"Pi3": algebra.mu[2]},
        equilibria={"sleeping": gc.Family({"Omega3": W, "Gamma3": 1, "r": -m * weight / k}, symbols=[W])},
    )
    fixed, despun = top.reduce(), top.reduce().despun()
    assert {*fixed.state_labels} - {*despun.state_labels} == {"Gamma1"}  # which the axes hold at zero
    time = np.linspace(0, 2, 41)
    start = fixed.state(Gamma=(0.6, 0, 0.8), Omega=(0.3, 0, 7.0), r=0.05, r_dot=-0.4)
    one, other = (
        gc.simulate(fixed, time, start),
        gc.simulate(despun, time, despun_state(fixed, despun, start)),
    )
    for name in ("Omega3", "Gamma3", "r", "r_dot"):
        assert other[name] == pytest.approx(one[name], abs=1e-9)
    assert np.abs(other["Gamma2"]) == pytest.approx(np.hypot(one["Gamma1"], one["Gamma2"]), abs=1e-9)
    # Sleeping: I3^2 W^2 > 4 I1 m g l with what the spring leaves of l.
    length = 0.4 - 0.3 * 9.81 / 180
    critical = np.sqrt(4 * (0.4 + 0.3 * length**2) * 0.3 * 9.81 * length) / 0.25
    verdicts = [
        gc.certify(fixed, fixed.equilibrium("sleeping", W=critical * f)).verdict.name
        for f in (1 - 1e-6, 1 + 1e-6)
    ]
    assert verdicts == ["PROVED_UNSTABLE", "PROVED_STABLE"]


def test_an_asymmetric_shape_is_refused_an_axis():
    r = gc.Coordinate("r")
    algebra = gc.so3()
    with pytest.raises(gc.DescriptionError, match="axis"):
        gc.EulerPoincare(
            algebra=algebra,
            shape=[r],
            inertia=sp.diag(2 + sp.sin(r.symbol), 2, 1, 1),
            symmetry=gc.Axis((0, 0, 1)),
        ).reduce().despun()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["simulate", "furuta-pendulum", "--time", "0.5", "--x0", "phi=0.3", "--json"], '"phi"'),
        (["certify", "cart-pendulum", "--at", "upright"], "PROVED_UNSTABLE"),
        (["models", "unicycle-with-rotor"], "theta: lean of the disk, about the heading (rad)"),
        (["law", "unicycle-with-rotor", "--at", "upright"], "sigma"),
    ],
)
def test_the_command_line_takes_coordinates(words, said, capsys):
    main(words)
    assert said in capsys.readouterr().out


def test_the_command_line_refuses_a_coordinate_that_there_is_not(capsys):
    assert main(["simulate", "furuta-pendulum", "--x0", "psi=0.3"]) == 2
    assert "psi" in capsys.readouterr().err
