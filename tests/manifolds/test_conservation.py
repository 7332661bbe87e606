"""What runs keep: never something that a force changes somewhere or some time, whatever it hides behind."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres

G = 9.81
ALL = {"energy", "momentum1", "momentum2", "momentum3"}
J = np.array([[2.0, 0.1, 0.2], [0.1, 1.5, -0.1], [0.2, -0.1, 1.0]])
PULL = [0.0, 0.0, 1.0]


def pendulum(**more):
    q, _ = spheres.symbols(1)
    return spheres.SphereSystem(**({"mass": [1.7], "potential": 1.7 * G * q[0][2]} | more))


def body(**more):
    R, _ = rotations.symbols(1)
    return rotations.RotationSystem(**({"inertias": J, "potential": 3.1 * R[0][2, 1]} | more))


def cap(value, height):
    """Something that acts in a small region alone: where the height is beyond 0.999."""
    return sp.Piecewise((value, height > sp.Rational(999, 1000)), (0, True))


def rising(height):
    """The same without a jump."""
    return cap(height - sp.Rational(999, 1000), height)


def after(value, instant):
    return sp.Piecewise((value, gc.time > instant), (0, True))


def by_sign(value, height):
    return value * (1 + sp.sign(height - sp.Rational(999, 1000)))


def by_modulus(value, height):
    edge = height - sp.Rational(999, 1000)
    return value * (edge + sp.Abs(edge))


@pytest.mark.parametrize("region", [cap, by_sign, by_modulus])
def test_a_brake_in_a_small_region_is_seen(region):
    q, omega = spheres.symbols(1)
    v = omega[0].cross(q[0])
    assert pendulum(forces=[sp.Matrix([region(-e, q[0][0]) for e in v])]).conserved() == ()
    R, Omega = rotations.symbols(1)
    assert body(forces=[sp.Matrix([region(-e, R[0][0, 0]) for e in Omega[0]])]).conserved() == ()


def test_a_potential_in_a_small_region_is_seen():
    q, _ = spheres.symbols(1)
    assert pendulum(potential=q[0][2] + rising(q[0][0])).conserved() == ("energy",)
    assert pendulum(potential=q[0][2] + cap(q[0][0], q[0][0])).conserved() == ()
    R, _ = rotations.symbols(1)
    assert body(potential=R[0][2, 1] + rising(R[0][0, 0])).conserved() == ("energy",)
    assert body(potential=R[0][2, 1], linear=[[cap(R[0][0, 0], R[0][0, 0]), 0, 0]]).conserved() == ("energy",)


@pytest.mark.parametrize("instant", [1.0, 300.0])
def test_what_begins_later_is_seen(instant):
    assert pendulum(forces=[[after(1, instant), 0, 0]]).conserved() == ()
    assert body(forces=[[0, after(2, instant), 1]]).conserved() == ()


def test_a_force_that_vanishes_at_one_time_is_seen():
    hidden = sp.sin(gc.time - sp.Rational(37, 100))
    assert pendulum(forces=[[hidden, 0, 0]]).conserved() == ()
    assert body(forces=[[0, hidden, 0]]).conserved() == ()


def test_a_force_that_undoes_the_potential_gives_the_momentum_back():
    """By hand: -dU/dq1 + f = 0; and the moment of U = c e2.G, G = R^T e3, is G x c e2."""
    q, _ = spheres.symbols(1)
    lifted = pendulum(potential=4 * q[0][0], forces=[[4, 0, 0]])
    assert lifted.conserved() == ("momentum1", "momentum2", "momentum3")
    R, _ = rotations.symbols(1)
    vertical, arm = R[0].row(2).T, sp.Matrix([0, 3.1, 0])
    assert body(forces=[-vertical.cross(arm)]).conserved() == ("momentum1", "momentum2", "momentum3")
    assert body(forces=[vertical.cross(arm)]).conserved() == ("momentum3",)


def test_a_force_across_the_motion_in_a_turning_frame_does_no_work_there():
    """The Jacobi integral's rate is f.xi, xi = Omega - R^T w: zero for f = xi x c, not for f = Omega x c."""
    R, Omega = rotations.symbols(1)
    w, c = sp.Matrix([0.4, -0.3, 0.9]), sp.Matrix([1.0, 2.0, -0.5])
    across = {"xi": Omega[0] - R[0].T * w, "Omega": Omega[0], "sum": Omega[0] + R[0].T * w}
    kept = {k: body(frame_rate=list(w), forces=[v.cross(c)]).conserved() for k, v in across.items()}
    assert kept == {"xi": ("energy",), "Omega": (), "sum": ()}


def test_switches_that_keep_a_symmetry_keep_its_momentum():
    q, _ = spheres.symbols(1)
    bump = sp.Abs(q[0][2] - sp.Rational(1, 3)) + sp.Piecewise((q[0][2] ** 2, q[0][2] > 0), (0, True))
    assert pendulum(potential=bump).conserved() == ("energy", "momentum3")
    a, b = spheres.symbols(2)[0]
    soft = sp.Piecewise(((a.dot(b) - 0.5) ** 2, a.dot(b) > 0.5), (0, True))
    masses = [[2.0, 0.3], [0.3, 1.1]]
    assert set(spheres.SphereSystem(mass=masses, potential=sp.Abs(a.dot(b))).conserved()) == ALL
    assert set(spheres.SphereSystem(mass=masses, potential=soft).conserved()) == ALL
    R, _ = rotations.symbols(1)
    assert body(potential=sp.Abs(R[0][2, 1]) + R[0][2, 0]).conserved() == ("energy", "momentum3")


@pytest.mark.long(
    reason="switches in sums over attitudes are seen in test_sums.py, and those of one body beside it"
)
def test_switches_in_sums_are_seen():
    pair = spheres.Pairs(lambda a, b: sp.Abs(a.dot(b) - sp.Rational(1, 2)))
    site = spheres.Sites(lambda q, c: c * sp.Abs(q[2]), c=[1.0, 2.0, 0.5])
    hidden = spheres.Sites(lambda q: rising(q[0]) * q[1])
    masses = [1.0, 2.0, 3.0]
    assert set(spheres.SphereSystem(mass=masses, potential=pair).conserved()) == ALL
    both = spheres.SphereSystem(mass=masses, potential=[pair, site])
    assert both.conserved() == ("energy", "momentum3")
    assert both.any_branch.potential_terms[1].domain.c is site.c
    assert both.potential_terms[1].small.expr.has(sp.Abs)
    assert spheres.SphereSystem(mass=masses, potential=[pair, hidden]).conserved() == ("energy",)


def test_the_freed_system_takes_every_branch():
    """With the numbers of one branch it is the system there."""
    q, omega = spheres.symbols(1)
    z, w = q[0][2], omega[0][1]
    system = pendulum(
        potential=sp.Abs(z) + 2 * sp.sign(w * 0 + q[0][0]) * z,
        forces=[[sp.Piecewise((1, z > 0), (w, z > -0.5), (3 * w, True)), 0, 0]],
    )
    free = system.any_branch
    assert len(free.parameters) == 4
    assert system.any_branch is free
    for z0, value in ((0.6, [1, 0]), (-0.28, [0, 1]), (-0.6, [0, 0])):
        x = system.pack([[np.sqrt(1 - z0**2), 0, z0]], [[0, 1.3, 0]])
        choices = {}
        for p in free.parameters:
            choices[p.name] = 0.0
        for names in _orders(list(choices)):
            numbers = dict(zip(names, [np.sign(z0), 1.0, *value], strict=True))
            if np.allclose(free.rhs(0.0, x, None, numbers), system.rhs(0.0, x), rtol=0, atol=1e-13):
                break
        else:
            pytest.fail(f"no choice of the free numbers gives the system at z = {z0}")


def _orders(names):
    """The free numbers by name, whichever was met first."""
    from itertools import permutations

    return permutations(names)


def test_functions_are_judged_along_the_run():
    """A brake that a function hides until t = 5, and in a region that random states may miss."""

    def late(t, q, omega, u, p):  # entry by entry: a product of arrays takes seconds to compile
        out = np.zeros((1, 3))
        if t > 5:
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                out[0, i] = omega[0, k] * q[0, j] - omega[0, j] * q[0, k]
        return out

    system = pendulum(forces=late)
    times, start = np.linspace(0, 8, 17), ([[0.6, 0, -0.8]], [[0.4, 0.5, 0.3]])
    braked = gc.simulate(system, times, start)
    assert braked.conserved == ()
    before = gc.simulate(system, times[times < 5], start)
    assert {"energy", "momentum3"} <= set(before.drift)
    steps = spheres.integrate(system, *start, h=0.01, steps=800, record=50)
    assert steps.conserved == ()
    assert "energy" not in steps.drift


def test_rest_keeps_everything():
    """Forces that are rounding along the run are no moments: two bodies that attract, in one line."""
    a, b = spheres.symbols(2)[0]
    pair = spheres.SphereSystem(mass=[1.0, 2.0], potential=-3 * a.dot(b))
    along = spheres.project(np.array([[0.3, 0.5, -0.8]] * 2), np.zeros((2, 3)))
    assert pair.gradient(along[0]).any()
    assert set(gc.simulate(pair, np.linspace(0, 3, 7), along).conserved) == ALL
    run = gc.simulate(pendulum(), np.linspace(0, 3, 7), ([[0, 0, -1.0]], [[0, 0, 0.0]]))
    assert run.drift["momentum3"] == 0
    assert run.drift["energy"] == 0


def test_inputs_leave_nothing():
    u = sp.Symbol("u", real=True)
    system = pendulum(forces=[[u, 0, 0]], inputs=[u])
    start = ([[0.6, 0, -0.8]], [[0.4, 0.5, 0.3]])
    assert gc.simulate(system, np.linspace(0, 1, 5), start, inputs=[0.0]).conserved == ()
    assert gc.simulate(system, np.linspace(0, 1, 5), start).conserved == ("energy", "momentum3")


def kowalevski(**more):
    """Principal inertias 2c, 2c, c, and the centre of mass in the plane of the equal ones."""
    R, Omega = rotations.symbols(1)
    c, m, length = 1.7, 0.9, 0.4
    z, gamma = Omega[0][0] + sp.I * Omega[0][1], R[0][2, 0] + sp.I * R[0][2, 1]
    pull = Fraction(m * G * length) / Fraction(c)  # exact, for the weight that the pendulum has
    value = z**2 - sp.Rational(*pull.as_integer_ratio()) * gamma
    declared = {"kowalevski": sp.expand(sp.re(value)) ** 2 + sp.expand(sp.im(value)) ** 2}
    top = rotations.pendulum3d(c * np.diag([2.0, 2.0, 1.0]), m, [length, 0, 0])
    return top.replace(**({"invariants": declared} | more))


def test_declared_invariants_reach_the_drift():
    """Kowalevski's integral, of degree four, and one that is none."""
    top = kowalevski()
    assert top.conserved() == ("energy", "momentum3", "kowalevski")
    run = gc.simulate(top, np.linspace(0, 20, 101), (np.eye(3)[None], [[1.0, 0.7, -2.0]]))
    size = np.ptp(run["Omega1_1"]) ** 4
    assert 0 < run.drift["kowalevski"] < 1e-10 * size
    assert "kowalevski" in top.reduced.conserved()
    heavier = top.replace(inertias=np.diag([3.4, 3.4, 1.8]))
    assert heavier.conserved() == ("energy", "momentum3")
    q, omega = spheres.symbols(1)
    spins = {"spin": (q[0].cross(omega[0].cross(q[0])))[2], "side": omega[0][0]}
    assert pendulum(invariants=spins).conserved() == ("energy", "momentum3", "spin")
    run = spheres.integrate(
        pendulum(invariants=spins), [[0.6, 0, -0.8]], [[0.4, 0.5, 0.3]], h=0.01, steps=1000
    )
    assert run.drift["spin"] < 1e-13
    assert "side" not in run.drift


def test_declared_invariants_are_read():
    q, _omega = spheres.symbols(1)
    with pytest.raises(gc.DescriptionError, match="energy of its own"):
        pendulum(invariants={"energy": q[0][2]})
    with pytest.raises(gc.DescriptionError, match="stranger"):
        body(invariants={"K": sp.Symbol("stranger")})
    with pytest.raises(gc.ExpressionError, match="gamma"):
        body(invariants={"K": sp.gamma(rotations.symbols(1)[1][0][0])})


def test_declared_invariants_in_a_turning_frame():
    """An expression in Omega is one in xi + R^T w for the reduced equations."""
    R, Omega = rotations.symbols(1)
    w = gc.Parameter("w", 0.8)
    total = (R[0] * sp.Matrix(J) * Omega[0])[2]
    system = rotations.RotationSystem(
        inertias=J, potential=2.0 * R[0][2, 0], frame_rate=[0, 0, w.symbol], parameters=[w],
        invariants={"vertical": total},
    )  # fmt: skip
    assert "vertical" in system.conserved()
    assert "vertical" in system.reduced.conserved()
    assert "vertical" in system.conserved({"w": -2.3})


# -- what freed switches must not break --------------------------------------------------------------------


def test_switches_of_parameters_take_the_branch_that_they_choose():
    m = gc.Parameter("m", 1.0)
    R, _ = rotations.symbols(1)
    J1 = sp.Piecewise((1, m.symbol > 2), (2, True))
    top = rotations.RotationSystem(
        inertias=sp.diag(J1, 2, 3 * sp.Abs(m.symbol)), potential=R[0][2, 2], parameters=[m]
    )
    assert top.any_branch is top
    assert top.conserved() == ("energy", "momentum3")


def test_inertia_with_switches_stays_definite():
    q, _ = spheres.symbols(1)
    mass = sp.Matrix([[1 + sp.Abs(q[0][2]) + sp.Piecewise((q[0][2] ** 2, q[0][2] > 0), (0, True))]])
    declared = {"height": q[0][2]}
    assert pendulum(mass=mass, invariants=declared).conserved() == ("energy", "momentum3")


def test_branches_that_are_undefined_elsewhere():
    """Powers of a modulus, roots on either side: freed, they would be roots of negative numbers."""
    q, _ = spheres.symbols(1)
    z = q[0][2]
    sides = sp.Piecewise((sp.sqrt(z), z > 0), (sp.sqrt(-z), True))
    for potential in (sp.Abs(z) ** sp.Rational(3, 2), sides):
        system = pendulum(potential=potential)
        assert system.conserved() == ("energy", "momentum3")
        assert np.allclose(system.gradient([[0.6, 0, 0.8]])[0][:2], 0)
    pairs = spheres.Pairs(lambda a, b: sp.Abs(a.dot(b) - 2) ** sp.Rational(3, 2))
    assert set(spheres.SphereSystem(mass=[1.0, 2.0, 3.0], potential=pairs).conserved()) == ALL
    steep = pendulum(potential=G * z + sp.Abs(z - sp.Rational(1, 4)) ** sp.Rational(3, 2) / 10)
    assert gc.find_equilibrium(steep, ([[0.6, 0, -0.8]], [[0, 0, 0.0]]), spin=[0, 0, 3.0]).residual < 1e-12


# -- small among large -------------------------------------------------------------------------------------


def test_a_weak_brake_beside_a_stiff_spring_is_seen():
    q, omega = spheres.symbols(2)
    gap = q[0] - q[1]
    brakes = [-omega[i].cross(q[i]) / 1000 for i in range(2)]
    system = spheres.SphereSystem(mass=[1.0, 1.0], potential=1e8 * gap.dot(gap), forces=brakes)
    assert system.conserved() == ()
    start = ([[1.0, 0, 0], [1.0, 0, 0]], [[0, 0, 1.0], [0, 0, 1.0]])
    assert gc.simulate(system, np.linspace(0, 0.2, 5), start).conserved == ()


def test_compensation_that_is_written_otherwise_is_recognised():
    q, _ = spheres.symbols(1)
    u = sp.symbols("u1:4", real=True)
    z = q[0][2]
    opened = pendulum(potential=G * sp.sin(z), forces=[list(u)], inputs=u)
    held = opened.closed_loop([0, 0, G * (sp.cos(z / 2) ** 2 - sp.sin(z / 2) ** 2)])
    assert held.conserved() == ("momentum1", "momentum2", "momentum3")


def test_invariants_that_jump_are_refused():
    q, _ = spheres.symbols(1)
    for jump in (sp.sign(q[0][0]), sp.Piecewise((1, q[0][2] > 0), (2, True))):
        with pytest.raises(gc.DescriptionError, match="may jump"):
            pendulum(invariants={"side": jump})


def test_a_loop_closed_by_a_function_is_replaced_with_its_law():
    u = sp.Symbol("u", real=True)
    opened = pendulum(forces=[[u, 0, 0]], inputs=[u])
    loop = opened.closed_loop(lambda t, x, p: np.array([1.0 + t]))
    renamed = loop.replace(name="renamed")
    x = loop.pack([[0.6, 0.0, -0.8]], [[0.0, 1.0, 0.0]])
    assert renamed.name == "renamed"
    assert renamed.inputs == ()
    assert np.array_equal(renamed.rhs(0.5, x), opened.rhs(0.5, x, [1.5]))
    assert loop.replace(law=None).input_labels == ("u",)
    for wrong in (3, "text", lambda: 0.0):
        with pytest.raises(gc.DescriptionError, match="law"):
            opened.replace(law=wrong)


def test_states_where_a_formula_has_no_value_are_drawn_again():
    # sqrt(q3) has no value on half of the sphere: the energy is kept wherever there is one.
    q, omega = spheres.symbols(1)
    rooted = pendulum(potential=sp.sqrt(q[0][2]))
    assert rooted.conserved() == ("energy", "momentum3")
    # Negative control: a brake is seen on the other half.
    v = omega[0].cross(q[0])
    assert pendulum(potential=sp.sqrt(q[0][2]), forces=[-v]).conserved() == ()
    R, _ = rotations.symbols(1)
    assert body(potential=sp.sqrt(R[0][2, 1])).conserved() == ("energy", "momentum3")


def test_what_can_be_judged_nowhere_is_said_and_not_kept():
    q, _ = spheres.symbols(1)
    nowhere = pendulum(potential=sp.sqrt(q[0][2] - 2))
    with pytest.warns(RuntimeWarning, match="not count as conserved: momentum1, momentum2, momentum3"):
        # The potential's own part of the power needs no value: it is the rate of the potential.
        assert nowhere.conserved() == ("energy",)


@pytest.mark.parametrize("weak", [1e-12, 1e-20])
def test_what_is_weak_beside_a_potential_is_told_where_expressions_say_it(weak):
    """A slope across the vertical takes its momentum, a brake what was declared."""
    (q,), (w,) = gc.spheres.symbols(1)
    q, w = sp.Matrix(q), sp.Matrix(w)
    energy = {"E": w.dot(w) / 4 + 9.81 * q[2]}
    free = gc.spheres.SphereSystem(mass=[0.5], potential=9.81 * q[2], invariants=energy)
    assert free.conserved() == ("energy", "momentum3", "E")
    assert free.replace(potential=9.81 * q[2] + weak * q[0], invariants={}).conserved() == ("energy",)
    assert free.replace(forces=[-sp.Float(weak) * w.cross(q)]).conserved() == ()
