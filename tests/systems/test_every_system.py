"""What every system answers, asked of one of each kind: one list of invariants over all of them."""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres
from geoctrl.systems import System, as_system
from geoctrl.systems.contract.points import read_point

RATE = 3e-6
"""Derivatives by central differences of 1e-6: rounding of the field, relative to its size."""
T = np.linspace(0.0, 0.5, 11)


def skate():
    return gc.models.get("pendulum-skate")().reduce()


def pushed():
    u = sp.Symbol("u", real=True)
    return gc.EulerPoincare(
        algebra=gc.so3(), inertia=sp.diag(1.1, 2.3, 3.1), forces=[u, 0, 0], inputs=["u"], name="pushed"
    ).reduce()


def loop():
    return gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5).closed_loop()


def despun():
    return gc.models.get("rolling-disk")().reduce().despun()


def chain():
    q, _ = spheres.symbols(2)
    c = gc.Parameter("c", 1.3)
    return spheres.SphereSystem(
        mass=[[2.0, 0.4], [0.4, 1.1]],
        potential=c.symbol * (q[0][2] + 2 * q[1][2]),
        parameters=[c],
        name="pair",
    )


def pushed_chain():
    q, omega = spheres.symbols(1)
    u = sp.Symbol("u", real=True)
    return spheres.SphereSystem(
        mass=[1.7], potential=2.1 * q[0][2], forces=[[u, -0.3 * omega[0][0], 0]], inputs=["u"], name="pushed"
    )


def chain_loop():
    _, omega = spheres.symbols(1)
    return pushed_chain().closed_loop([0.4 * omega[0][1]])


def function_loop():
    return pushed_chain().closed_loop(lambda t, x, params: [0.4 * x[4]])


def varying():
    """Inertia that depends on the configuration."""
    q, _ = spheres.symbols(2)
    coupling = 0.3 * q[0].dot(q[1])
    return spheres.SphereSystem(mass=sp.Matrix([[2.0, coupling], [coupling, 1.5]]), potential=1.2 * q[1][2])


def top():
    R, _ = rotations.symbols(1)
    return rotations.RotationSystem(inertias=np.diag([1.0, 2.0, 2.5]), potential=1.4 * R[0][2, 2], name="top")


def car():
    """A field whose input enters no acceleration, and not linearly."""
    v = gc.Parameter("v", 1.5, positive=True)
    y, theta = gc.Coordinate("y"), gc.Coordinate("theta", angle=True)
    rates = [v * sp.sin(theta), v * sp.tan(sp.Symbol("delta", real=True))]
    return gc.VectorField(states=[y, theta], rates=rates, inputs=["delta"], parameters=[v]).reduce()


def turning():
    """A field on a sphere."""
    x, y, z = sp.symbols("x y z", real=True)
    rates = [-y * z / 2, x * z, -x * y / 2]
    return gc.VectorField(
        [x, y, z], rates, leaf=[x**2 + y**2 + z**2 - 1], invariants={"E": x**2 + 2 * y**2 + 3 * z**2}
    ).reduce()


SYSTEMS = {
    "reduced": skate,
    "vector field": car,
    "vector field on a leaf": turning,
    "with inputs": pushed,
    "closed loop": loop,
    "despun": despun,
    "spheres": chain,
    "spheres with inputs": pushed_chain,
    "spheres, law of expressions": chain_loop,
    "spheres, law of a function": function_loop,
    "spheres, varying inertia": varying,
    "form qdot": lambda: chain().in_form("qdot"),
    "form mu": lambda: chain().in_form("mu"),
    "form pi": lambda: varying().in_form("pi"),
    "rotations": top,
    "form of rotations": lambda: top().in_form(top().in_form("Pi").form),
}


@cache
def made(kind):
    return SYSTEMS[kind]()


@cache
def state(kind):
    """A state with all velocities, on the leaf."""
    system, rng = made(kind), np.random.default_rng(4)
    if system.recorded:
        return system.random_state(rng)
    inner = getattr(system, "system", system)
    x = inner.generic_state(3)
    return x if inner is system else system.convert(x, inner.pair[1], system.form)


def has_energy(system):
    """First-order fields have none."""
    return not isinstance(getattr(system, "mechanism", None), gc.VectorField)


every = pytest.mark.parametrize("kind", SYSTEMS)


@every
def test_names_and_numbers(kind):
    system = made(kind)
    assert as_system(system, "this test") is system
    assert isinstance(system.name, str)
    assert system.state_labels == tuple(map(str, system.states))
    assert system.input_labels == tuple(map(str, system.inputs))
    assert (system.nstates, system.ninputs) == (len(system.states), len(system.inputs))
    labels = [*system.state_labels, *system.input_labels, *system.output_labels, *system.params]
    assert len(set(labels)) == len(labels)
    assert set(system.parameters_at(None)) == set(system.params)
    assert list(system.families) == [] or system.recorded
    for wrong in ({"no": 1.0}, {"no": "text"}, [1.0]):
        with pytest.raises(gc.ParameterError):
            system.parameters_at(wrong)


@every
def test_the_field_and_its_derivatives(kind):
    system, x = made(kind), state(kind)
    u, t = np.full(system.ninputs, 0.3), 0.2
    rate = system.rhs(t, x, u)
    assert rate.shape == x.shape == (system.nstates,)
    both = system.rhs(t, np.stack([x, system.start(x)], axis=1), u)
    assert np.allclose(both[:, 0], rate, rtol=1e-13, atol=1e-13)
    size = max(1.0, float(np.max(np.abs(rate))))
    step = 1e-6

    def quotient(values, function):
        rows = [
            (function(values + e) - function(values - e)) / (2 * step) for e in step * np.eye(values.size)
        ]
        return np.array(rows).reshape(values.size, system.nstates).T

    A = system.jacobian(t, x, u)
    assert A.shape == (system.nstates, system.nstates)
    # Where inertia varies, field and derivative are extended off the spheres in two ways.
    varies = isinstance(system, gc.spheres.SphereSystem) and system.inertia_varies
    along = system.seen_from().leaf_basis(x, {}) if varies else np.eye(x.size)
    expected = quotient(x, lambda y: system.rhs(t, y, u)) @ along
    assert np.allclose(A @ along, expected, rtol=1e-5, atol=RATE * size * 10)
    B = system.input_jacobian(t, x, u)
    assert B.shape == (system.nstates, system.ninputs)
    assert np.allclose(B, quotient(u, lambda v: system.rhs(t, x, v)), rtol=1e-5, atol=RATE * size * 10)
    for wrong in (x[:-1], "text", [None] * x.size):
        with pytest.raises(gc.InputError):
            system.rhs(t, wrong, u)
    with pytest.raises(gc.InputError):
        system.rhs(t, x, np.zeros(system.ninputs + 2))


@every
def test_the_leaf_is_kept(kind):
    system, x = made(kind), state(kind)
    defects = system.leaf_residual(x)
    assert defects.shape == (len(system.leaf.names),)
    assert len(set(system.leaf.names)) == len(system.leaf.names)
    assert np.max(np.abs(defects), initial=0.0) < 1e-12
    assert system.leaf_residual(np.stack([x, x], axis=1)).shape == (len(defects), 2)
    step = 1e-6
    rate = system.rhs(0.0, x, np.full(system.ninputs, 0.3))
    change = (system.leaf_residual(x + step * rate) - system.leaf_residual(x - step * rate)) / (2 * step)
    assert np.max(np.abs(change), initial=0.0) < 1e-7 * max(1.0, float(np.max(np.abs(rate))))


@every
def test_it_is_seen_from_axes_in_which_it_may_rest(kind):
    """Field, derivatives, leaf and gradients of what is conserved belong together; forms refuse in words."""
    system, x = made(kind), state(kind)
    if "form" in kind:
        with pytest.raises(gc.DescriptionError, match="the attribute system of the form"):
            system.seen_from()
        return
    seen, u, params = system.seen_from(), np.zeros(system.ninputs), system.parameters_at(None)
    assert seen.system is system
    assert not np.any(seen.spin)
    assert not np.any(system.seen_from([0, 0, 0]).spin)
    read, inputs, *_ = read_point(seen, (x, u), "x")
    assert np.array_equal(read, x)
    assert np.array_equal(inputs, u)
    rate = seen.rate(x, u, params)
    assert np.allclose(rate, system.rhs(0.0, x, u), rtol=0, atol=1e-13)
    A, B = seen.derivatives(x, u, params)
    assert np.array_equal(A, system.jacobian(0.0, x, u))
    assert np.array_equal(B, system.input_jacobian(0.0, x, u))
    step, relations = 1e-6, seen.leaf_gradient(x, params)
    rows = [system.leaf_residual(x + e) - system.leaf_residual(x - e) for e in step * np.eye(x.size)]
    assert np.allclose(relations, np.array(rows).reshape(x.size, -1).T / (2 * step), rtol=0, atol=1e-8)
    W = seen.leaf_basis(x, params)
    assert np.allclose(W.T @ W, np.eye(W.shape[1]), rtol=0, atol=1e-13)
    assert np.allclose(relations @ W, 0, rtol=0, atol=1e-12)
    assert W.shape[1] == x.size - np.linalg.matrix_rank(relations)
    assert np.allclose(W @ (W.T @ rate), rate, rtol=0, atol=1e-10 * max(1.0, float(np.max(np.abs(rate)))))
    for row in seen.conserved_gradients(x, u, params).values():
        assert abs(row @ rate) < 1e-10 * max(1.0, float(np.linalg.norm(row) * np.linalg.norm(rate)))
    for places, length in seen.vectors():
        assert len(places) < 3 or np.linalg.norm(x[places]) == pytest.approx(length, abs=1e-12)
    for wrong in ([0, 1], "about", [0, 0, np.nan]):
        with pytest.raises(gc.InputError, match="spin"):
            system.seen_from(wrong)
    if system.recorded:
        with pytest.raises(gc.InputError, match="despun"):
            system.seen_from([0, 0, 1])
    else:
        turned = system.seen_from([0, 0, 1]).rate(x, u, params)
        carried = seen.rate(x, u, params) - turned
        assert np.max(np.abs(seen.leaf_gradient(x, params) @ carried)) < 1e-12
        assert np.linalg.norm(carried) > 0.1


@every
def test_a_start_is_on_the_leaf(kind):
    system, x = made(kind), state(kind)
    assert np.allclose(system.start(x), x, rtol=1e-12, atol=1e-12)
    if len(system.leaf.names):
        with pytest.raises((gc.InputError, gc.ConstraintError)):
            system.start(1.5 * x + 0.2)
    with pytest.raises(gc.InputError):
        system.start(x[:-1])


@every
def test_what_is_conserved_has_no_rate(kind):
    system, x = made(kind), state(kind)
    names = tuple(system.conserved())
    assert all(isinstance(name, str) for name in names)
    if not has_energy(system):
        assert "energy" not in names
        with pytest.raises(gc.DescriptionError, match="a vector field has no energy; declare"):
            system.energy(x)
        return
    value = system.energy(x)
    assert np.ndim(value) == 0
    assert system.energy(np.stack([x, x], axis=1)) == pytest.approx([value, value])
    step = 1e-5
    rate = system.rhs(0.0, x)
    change = (system.energy(x + step * rate) - system.energy(x - step * rate)) / (2 * step)
    small = abs(change) < 1e-7 * max(1.0, abs(float(value)), float(np.max(np.abs(rate))) ** 2)
    assert small == ("energy" in names)


@every
def test_a_run_leaves_the_same_things(kind, tmp_path):
    system, x = made(kind), state(kind)
    run = gc.simulate(system, T, x, rtol=1e-10, domain=False)
    assert run.success
    assert run.time.tolist() == T.tolist()
    assert run.states.shape == (system.nstates, T.size)
    assert np.allclose(run.states[:, 0], x, atol=1e-12)
    assert run.state_labels == system.state_labels
    assert run.input_labels == system.input_labels
    assert run.output_labels == system.output_labels
    assert run.inputs.shape == (system.ninputs, T.size)
    assert run.outputs.shape == (len(system.output_labels), T.size)
    if has_energy(system):
        assert run.energy == pytest.approx(system.energy(run.states), rel=1e-9)
    assert set(run.invariants) == set(system.conserved())
    assert set(run.drift) == {*run.invariants, *run.leaf_defects}
    assert max(run.drift.values(), default=0.0) < 1e-6
    table = run.to_pandas()
    assert list(table.columns[: system.nstates]) == list(system.state_labels)
    assert np.array_equal(table.to_numpy()[:, : system.nstates].T, run.states)
    middle = 0.5 * (T[1] + T[2])
    between = run.resample([T[1], middle])
    assert type(between) is type(run)
    assert np.array_equal(between.states[:, 0], run.states[:, 1])
    expected = gc.simulate(system, [T[0], middle], x, rtol=1e-10).states[:, 1]
    # Both runs are at 1e-10; a line between the samples would miss by 1e-3.
    assert np.allclose(between.states[:, 1], expected, rtol=1e-8, atol=1e-8)
    run.save(tmp_path / "run.npz")
    again = gc.load_trajectory(tmp_path / "run.npz")
    assert np.array_equal(again.states, run.states)
    assert again.drift == pytest.approx(run.drift)
    assert again.status == run.status


@every
def test_a_run_is_drawn(kind):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    run = gc.simulate(made(kind), T, state(kind), rtol=1e-9)
    assert gc.viz.drift(run).get_yscale() == "log"
    assert len(gc.viz.states(run, run.state_labels[:2])) == 2
    plt.close("all")


@every
def test_python_control_gets_the_same_field(kind):
    system, x = made(kind), state(kind)
    plant = system.to_control(name="plant")
    u = np.full(max(1, system.ninputs), 0.3)[: system.ninputs]
    given = u if system.ninputs else np.zeros(1)
    assert plant.dynamics(0.1, x, given) == pytest.approx(system.rhs(0.1, x, u), rel=1e-12, abs=1e-12)


def test_python_control_gets_the_linearisation_of_a_field():
    """y' = 3/2 sin(theta), theta' = 3/2 tan(delta), by hand."""
    linear = gc.linearize(made("vector field"), [0.0, 0.0]).to_control()
    assert np.allclose(linear.A, [[0, 1.5], [0, 0]], rtol=1e-14, atol=0)
    assert np.allclose(linear.B, [[0], [1.5]], rtol=1e-14, atol=0)


@every
def test_questions_are_answered_or_refused_in_words(kind):
    system, x = made(kind), state(kind)
    for ask in (
        lambda: gc.find_equilibrium(system, x),
        lambda: gc.linearize(system, x),
        lambda: gc.certify(system, x),
        lambda: gc.check_invariant(system, "energy"),
        lambda: gc.stability_conditions(system, "none"),
    ):
        refusal = None
        try:
            ask()
        except (gc.GeoctrlError, TypeError) as error:
            refusal = error
        words = str(refusal)
        assert refusal is None or len(words.split()) > 4
        assert "needs" in words or isinstance(refusal, gc.GeoctrlError | None)


QUESTIONS = {
    "find_equilibrium": lambda s: gc.find_equilibrium(s),
    "linearize": lambda s: gc.linearize(s, [0.0]),
    "certify": lambda s: gc.certify(s, [0.0]),
    "check_invariant": lambda s: gc.check_invariant(s, "energy"),
    "stability_conditions": lambda s: gc.stability_conditions(s, "hanging"),
    "simulate": lambda s: gc.simulate(s, T, [0.0]),
}


@pytest.mark.parametrize("asked", QUESTIONS)
def test_what_is_no_system_is_refused_at_the_gate(asked):
    mechanism = gc.models.get("heavy-top")()
    with pytest.raises(TypeError, match=rf"{asked} needs a system, .*take mechanism\.reduce\(\)"):
        QUESTIONS[asked](mechanism)
    for wrong in (3, None, "heavy-top", np.zeros(3), gc.models, System):
        with pytest.raises(TypeError, match=f"{asked} needs a system"):
            QUESTIONS[asked](wrong)
