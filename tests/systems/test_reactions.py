"""Forces of constraints: Newton's and Euler's laws for bodies of the catalogue; names, events, the domain.

The force at a contact is what changes the momentum besides the weight. Momenta are written down here from
mass, moments and the place of the centre of mass; their rates are complex steps along the motion.
"""

import pickle

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import brentq

import geoctrl as gc
from geoctrl.simulation.reconstruction import smallest_rotation
from tests.oracles.contact import Disk, Ellipsoid, RollingBody, Sphere
from tests.systems.comparisons import along, points

AGREES = 1e-10  # forces of ten newtons, rates by complex steps: rounding of 1e-13


def skate_centre(p, _gamma):
    return np.array([p.get("b", 0.0), 0.0, p["l"]])


def none(_p, _gamma):
    return np.zeros(3)


def diagonal(*names):
    return lambda p: np.diag([p[n] for n in names])


def disk_moments(p):
    return np.diag([p["A"], p["A"], p["C"]]) * p["m"] * p["a"] ** 2


def celt_moments(p):
    return np.array([[p["J1"], p["D"], 0], [p["D"], p["J2"], 0], [0, 0, p["J3"]]])


BODIES = {  # centre of mass from the frame's origin, moments about it
    "rolling-disk": (none, disk_moments),
    "rattleback": (none, celt_moments),
    "top-on-sphere": (none, diagonal("J1", "J1", "J3")),
    "chaplygin-sphere": (none, diagonal("J1", "J2", "J3")),
    "pendulum-skate": (skate_centre, diagonal("I1", "I2", "I3")),
    "pendulum-skate-offset": (skate_centre, diagonal("I1", "I2", "I3")),
}


def force_and_moment(system, x, centre, moments):
    """Force of the contact, and its moment about the centre of mass, in body axes."""
    p, xdot = system.params, system.rhs(0.0, x)
    vertical, rho, J = system.advected(x)[:3], centre(system.params, None), moments(system.params)

    def momenta(z):
        omega, velocity = np.split(system.velocity(z), 2)
        return np.concatenate([p["m"] * (velocity + np.cross(omega, rho)), J @ omega])

    omega = system.velocity(x)[:3]
    P, H = np.split(momenta(x), 2)
    rate_P, rate_H = np.split(along(momenta, x, xdot), 2)
    return rate_P + np.cross(omega, P) + p["m"] * p["g"] * vertical, rate_H + np.cross(omega, H)


@pytest.mark.parametrize("name", BODIES)
def test_reactions_are_the_forces_of_newton_and_euler(name):
    system = gc.models.get(name)().reduce()
    centre, moments = BODIES[name]
    for _, x, _ in points(system, 3, 4):
        found, vertical = system.reactions(x), system.advected(x)[:3]
        force, moment = force_and_moment(system, x, centre, moments)
        rho = centre(system.params, None)
        if name.startswith("pendulum-skate"):
            lateral = np.cross([1.0, 0, 0], vertical)
            expected = {
                "normal": force @ vertical,
                "sideways": force @ lateral,
                "pitching": (moment + np.cross(rho, force)) @ lateral,
            }
            assert abs(force[0]) < AGREES  # the blade slides freely
        else:
            symbols = [
                *system.mechanism.configuration_symbols,
                *(q.symbol for q in system.mechanism.parameters),
            ]
            contact = sp.lambdify(symbols, list(system.mechanism.contact))(
                *system.configuration(x), *system.params.values()
            )
            expected = {f"no slip along E{i + 1}": c for i, c in enumerate(force)} | {
                "normal": force @ vertical
            }
            np.testing.assert_allclose(np.cross(np.array(contact) - rho, force), moment, atol=AGREES)
        for key, value in expected.items():
            assert found[key] == pytest.approx(value, abs=AGREES), key


SHAPES = {
    "rolling-disk": (lambda p: Disk(p["a"], np.array([0.0, 0, 1])), disk_moments),
    "rattleback": (
        lambda p: Ellipsoid(np.array([p["a"], p["b"], p["c"]]), np.array([0, 0, p["d"]]), np.eye(3)),
        celt_moments,
    ),
    "top-on-sphere": (
        lambda p: Sphere(p["a"], np.array([0, 0, -p["b"]])),
        diagonal("J1", "J1", "J3"),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_reactions_are_those_of_a_body_that_rolls(name):
    """Nine equations for accelerations and the force at the contact, in space."""
    system = gc.models.get(name)().reduce()
    shape, moments = SHAPES[name]
    p = system.params
    body = RollingBody(p["m"], moments(p), shape(p), p["g"])
    for _, x, _ in points(system, 8, 4):
        R = smallest_rotation(system.advected(x)[:3], np.array([0.0, 0, 1]))
        force = body.accelerations(R, R @ system.velocity(x)[:3])[2]
        found = system.reactions(x)
        assert found["normal"] == pytest.approx(force[2], abs=AGREES)
        np.testing.assert_allclose(
            [found[f"no slip along E{i}"] for i in (1, 2, 3)], R.T @ force, atol=AGREES
        )


def test_the_disk_at_rest_stands_on_its_weight():
    disk = gc.models.get("rolling-disk")().reduce()
    found = disk.reactions(disk.state(Gamma=(0, 1, 0)))
    assert found["normal"] == pytest.approx(1.7 * 9.81, rel=1e-15)
    assert found["forward"] == found["sideways"] == 0.0
    # Leaning, in circles: m times the centripetal acceleration of the centre is the friction.
    eq = disk.despun().equilibrium("circling", omega=2.0, t=0.9)
    x = disk.state(**dict(zip(disk.despun().state_labels, eq.x, strict=True)))
    v = disk.velocity(x)
    found = disk.reactions(x)
    assert found["normal"] == pytest.approx(1.7 * 9.81, rel=1e-12)  # the centre stays at its height
    assert abs(found["sideways"]) == pytest.approx(1.7 * 2.0 * np.linalg.norm(v[3:]), rel=1e-12)


def test_without_a_height_the_weight_is_no_force_at_the_contact():
    """What the docstring of `Height` says: the same motion, no normal force."""
    disk = gc.models.get("rolling-disk")()
    contact, G = sp.Matrix(disk.contact), sp.Matrix(disk.advected[0].symbols)
    m, g = disk.parameters[0].symbol, disk.parameters[2].symbol
    other = disk.replace(advected=disk.advected[:1], leaf=[], potential=-m * g * contact.dot(G)).reduce()
    system = disk.reduce()
    for t, x, _ in points(system, 5, 3):
        np.testing.assert_allclose(other.rhs(t, x), system.rhs(t, x), rtol=0, atol=1e-12)
    assert other.reactions(other.state(Gamma=(0, 1, 0)))["normal"] == 0.0


def test_reactions_of_a_run_are_those_of_its_states():
    skate = gc.models.get("pendulum-skate")().reduce()
    start = skate.state(Gamma=(0, np.sin(0.1), np.cos(0.1)), Y1=1.0, v2=0.3)
    traj = gc.simulate(skate, np.linspace(0, 0.8, 9), start)
    found = traj.reactions()
    assert set(found) == {"pitching", "normal", "sideways"}
    for i, x in enumerate(traj.states.T):
        assert found["normal"][i] == pytest.approx(skate.reactions(x)["normal"], rel=1e-13)
    with pytest.raises(gc.InputError, match="x must have shape"):
        skate.reactions([1.0])


def test_reactions_with_inputs_rotors_and_time():
    sleigh = gc.models.get("pendulum-skate-rotor")().reduce()
    x = sleigh.state(Gamma=(0, 0.6, 0.8), Y1=1.0)
    held, free = sleigh.reactions(x, u=[2.0]), sleigh.reactions(x)
    # A torque on the rotor turns the skate the other way: the blade must bear the difference.
    assert abs(held["sideways"] - free["sideways"]) > 0.1
    form = sleigh.unreduced()
    xi = np.append(sleigh.velocity(x), 0.0)
    np.testing.assert_allclose(
        list(held.values()), form.multipliers(0.0, (xi, sleigh.configuration(x)), [2.0]), atol=1e-12
    )


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_events_on_reactions_are_located(engine):
    """A skate that falls presses less and less on the ice; half the weight is passed at one time."""
    skate = gc.models.get("pendulum-skate")().reduce()
    start = skate.state(Gamma=(0, np.sin(0.1), np.cos(0.1)), Y1=1.0)
    half = gc.Event(gc.reaction("normal") - 9.8, terminal=True, direction=-1)
    traj = gc.simulate(skate, np.linspace(0, 5, 51), start, events={"half": half}, engine=engine)
    assert traj.status.startswith("stopped by the event 'half'")
    assert traj.reactions()["normal"][-1] == pytest.approx(9.8, abs=1e-9)


def test_reactions_by_wrong_names_are_refused():
    skate = gc.models.get("pendulum-skate")().reduce()
    with pytest.raises(gc.ExpressionError, match=r"no reaction 'nrmal'; did you mean 'normal'\?"):
        skate.expression(gc.reaction("nrmal"))
    with pytest.raises(gc.InputError, match="which is text"):
        gc.reaction(3)
    mechanism = gc.models.get("pendulum-skate")()
    with pytest.raises(gc.DescriptionError, match="which a constraint row has"):
        mechanism.replace(reactions={"normal": [0] * 6})
    with pytest.raises(gc.DescriptionError, match="6 entries"):
        mechanism.replace(reactions={"up": [0] * 5})
    with pytest.raises(gc.DescriptionError, match="give constraints= as well"):
        gc.models.get("heavy-top")().replace(reactions={"up": [0, 0, 1]})
    with pytest.raises(gc.ConstraintError, match="'normal' must have length 6"):
        mechanism.replace(constraints={"normal": [0, 0, 1]}, frame=None, velocities=None)
    with pytest.raises(gc.ConstraintError, match="must be text"):
        mechanism.replace(constraints={1: [0] * 6}, frame=None)


def test_heights_need_a_vector_and_translations():
    gamma = gc.AdvectedVector("Gamma")
    with pytest.raises(gc.DescriptionError, match="no translations"):
        gc.EulerPoincare(
            algebra=gc.so3(), advected=[gamma, gc.Height("h", gamma)], inertia=sp.diag(1, 2, 2) * sp.eye(3)
        )
    with pytest.raises(gc.DescriptionError, match="not among advected"):
        gc.EulerPoincare(algebra=gc.se3(), advected=[gc.Height("h", gamma)], inertia=2 * sp.eye(6))
    with pytest.raises(TypeError, match="AdvectedVector"):
        gc.Height("h", along="Gamma")


def test_a_body_that_falls_has_its_height_as_a_state():
    """Nothing holds it: h is a state, m g h falls as it must."""
    gamma = gc.AdvectedVector("Gamma")
    h = gc.Height("h", gamma)
    g = gc.Parameter("g", 9.81)
    body = gc.EulerPoincare(
        algebra=gc.se3(),
        advected=[gamma, h],
        inertia=sp.diag(0.3, 0.5, 0.7, 2, 2, 2),
        potential=2 * g.symbol * h.symbol,
        parameters=[g],
        domain={"above the floor": h.symbol > 0},
    ).reduce()
    assert body.state_labels[-1] == "h"
    x = body.state(Omega=(1, 2, 0.5), Gamma=(0, 0.6, 0.8), h=3.0)
    traj = gc.simulate(body, np.linspace(0, 2, 21), x)
    assert traj.time[-1] == pytest.approx(np.sqrt(2 * 3.0 / 9.81), rel=1e-12)
    assert "left the domain 'above the floor'" in traj.status
    assert not traj.success
    assert max(traj.drift.values()) < 1e-12


def test_every_row_of_the_catalogue_goes_by_what_it_holds():
    constrained = 0
    for name in gc.models.names("reduced"):
        rows = gc.models.get(name)().row_names
        constrained += bool(rows)
        assert not [row for row in rows if row.startswith("constraint")], name
    assert constrained >= 17
    assert gc.models.get("suslov")(potential="heavy").row_names == ("no turn about E3",)
    assert gc.models.get("rigid-body-planar-pendulum")(axis=(1, 5, 2)).row_names == ("hinge1", "hinge3")


def test_rows_in_the_plane_bear_what_turns_the_velocity():
    """A force across the edge is m times the acceleration of the centre of mass across it."""
    sleigh = gc.models.get("chaplygin-sleigh")().reduce()
    x, p = sleigh.state(Omega=0.7, Y1=1.3), sleigh.params
    across = p["m"] * (0.7 * 1.3 + p["a"] * sleigh.rhs(0.0, x)[sleigh.state_labels.index("Omega")])
    assert sleigh.reactions(x) == {"blade": pytest.approx(across, rel=1e-14)}
    disk = gc.models.get("vertical-rolling-disk")().reduce()
    p, u_roll = disk.params, 0.6
    found = disk.reactions(disk.state(heading=0.7, rolling=4.0), u=[0.0, u_roll])
    forwards = p["m"] * p["R"] * u_roll / (p["I"] + p["m"] * p["R"] ** 2)
    assert found["rolling"] == pytest.approx(forwards, rel=1e-14)
    assert found["sideways"] == pytest.approx(p["m"] * 0.7 * p["R"] * 4.0, rel=1e-14)
    body = gc.models.get("suslov")().reduce()
    x, defaults = (
        body.state(Omega1=0.4, Omega2=-0.9),
        {p.symbol: p.default for p in body.mechanism.parameters},
    )
    J = np.array(body.mechanism.inertia.subs(defaults), dtype=float)
    W, dW = body.velocity(x), np.append(body.rhs(0.0, x), 0.0)
    moment = (J @ dW + np.cross(W, J @ W))[2]
    assert body.reactions(x) == {"no turn about E3": pytest.approx(moment, rel=1e-14)}


# -- the domain -------------------------------------------------------------------------------------


def test_a_skate_that_falls_ends_at_the_ice():
    skate = gc.models.get("pendulum-skate")().reduce()
    start = skate.state(Gamma=(0, np.sin(0.1), np.cos(0.1)), Y1=1.0)
    times = np.linspace(0, 5, 51)
    for engine in ("heyoka", "scipy"):
        traj = gc.simulate(skate, times, start, engine=engine)
        assert not traj.success
        assert traj.status.startswith("left the domain 'above the ice', Gamma3 > 0, at t = 1.129")
        assert abs(traj["Gamma3"][-1]) < 1e-12
        assert not traj.events  # nobody asked for one
    assert gc.simulate(skate, times, start, domain=False).status == "completed"
    # An event of the user at the same place comes first.
    fall = gc.Event(skate.states[4], terminal=True)
    traj = gc.simulate(skate, times, start, events={"fall": fall})
    assert traj.success
    assert traj.status.startswith("stopped by the event 'fall'")


@pytest.mark.parametrize(
    ("name", "lean", "edge"),
    [("unicycle-with-rotor", "theta", np.pi / 2), ("getz-bicycle", "alpha", np.pi / 2)],
)
@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_what_leans_falls_to_the_ground_and_no_further(name, lean, edge, engine):
    system = gc.models.get(name)().reduce()
    run = gc.simulate(system, np.linspace(0, 5, 51), system.state(**{lean: 0.05}), engine=engine)
    assert run.status.startswith("left the domain 'above the ground', cos(")
    assert run[lean][-1] == pytest.approx(edge, abs=1e-11)


@pytest.mark.parametrize("engine", ["heyoka", "scipy"])
def test_a_disk_let_go_at_rest_falls_flat(engine):
    """Its centre goes straight down: the energy gives the rate of the lean, a quadrature the time."""
    disk = gc.models.get("rolling-disk")().reduce()
    start = disk.state(Gamma=(0, np.cos(0.1), np.sin(0.1)))
    run = gc.simulate(disk, np.linspace(0, 3, 301), start, engine=engine)
    assert run.status.startswith("left the domain 'on its rim'")
    a, g, A = (disk.params[k] for k in ("a", "g", "A"))

    def slowness(angle):  # the contact rests: (A + 1) a lean'^2/2 = g (height lost)
        return np.sqrt((A + 1) * a / (2 * g * (np.cos(0.1) - np.cos(angle))))

    end = np.arccos(1e-3)
    # Put lean = 0.1 + s^2, which takes the pole at the start away.
    expected = quad(lambda s: 2 * s * slowness(0.1 + s * s), 0, np.sqrt(end - 0.1), epsabs=1e-11)[0]
    assert run.time[-1] == pytest.approx(expected, abs=1e-9)
    flat = disk.state(Gamma=(0, np.sin(5e-4), np.cos(5e-4)))
    with pytest.raises(gc.InputError, match="outside the domain 'on its rim'"):
        gc.simulate(disk, [0, 1], flat)


def test_the_bicycle_does_not_ride_below_the_ground():
    bicycle = gc.models.get("whipple-bicycle")().reduce()

    def leaning(phi, pitch):
        def gap(theta):
            return bicycle.leaf_residual(np.array([0, 0, 0, phi, theta, 0]))[0]

        return [0, 4, 0, phi, brentq(gap, pitch - 0.5, pitch + 0.5), 0]

    assert gc.simulate(bicycle, [0, 0.05], leaning(1.4, 0.0)).success
    with pytest.raises(gc.InputError, match=r"outside the domain 'above the ground' .*: cos\(phi\) > 0"):
        gc.simulate(bicycle, [0, 0.05], leaning(1.8, -0.7))


def test_questions_outside_the_domain_are_refused():
    skate = gc.models.get("pendulum-skate")().reduce()
    below = skate.state(Gamma=(0, 0, -1))
    for ask in (gc.certify, gc.linearize):
        with pytest.raises(gc.EquilibriumError, match=r"'above the ice': Gamma3 > 0"):
            ask(skate, below)
    with pytest.raises(gc.EquilibriumError, match="outside the domain"):
        gc.find_equilibrium(skate, guess=below)
    with pytest.raises(gc.InputError, match="start inside, or take domain=False"):
        gc.simulate(skate, [0, 1], below)
    free = skate.mechanism.replace(domain={}).reduce()
    assert gc.certify(free, below).verdict.value.endswith("STABLE")


@pytest.mark.parametrize(
    ("domain", "error", "words"),
    [
        ([1], TypeError, "dict of name -> inequality"),
        ({"a": 3}, gc.DescriptionError, "must be an inequality"),
        ({"a": True}, gc.DescriptionError, "holds everywhere"),
        ({"a": sp.false}, gc.DescriptionError, "holds nowhere"),
        ({1: sp.Symbol("Gamma3", real=True) > 0}, gc.DescriptionError, "must be text"),
        ({"a": sp.Symbol("m", positive=True) > 3}, gc.DescriptionError, "nothing that moves"),
        ({"a": sp.Symbol("nobody", real=True) > 3}, gc.DescriptionError, "nobody"),
    ],
)
def test_a_domain_is_a_dict_of_inequalities(domain, error, words):
    with pytest.raises(error, match=words):
        gc.models.get("pendulum-skate")().replace(domain=domain)


def test_names_survive_copies():
    skate = gc.models.get("pendulum-skate")()
    for copy in (skate.replace(name="other"), pickle.loads(pickle.dumps(skate))):
        assert list(copy.reduce().reactions(skate.reduce().state(Gamma=(0, 0, 1)))) == [
            "pitching",
            "normal",
            "sideways",
        ]
        assert copy.domain == skate.domain
    assert "normal" in gc.models.get("rolling-disk")().reduce().despun().assembly.reactions


def test_several_times_at_one_state_give_several_values():
    disk = gc.models.get("rolling-disk")().reduce()
    x = disk.state(Gamma=(0, 1, 0))
    one, several = disk.reactions(x), disk.reactions(x, t=np.array([0.0, 0.5, 1.0]))
    for name, value in one.items():
        np.testing.assert_array_equal(several[name], [value] * 3)
