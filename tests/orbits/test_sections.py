"""Poincare sections against the integral of Kovalevskaya, runs, and periodic orbits."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

I3, LEVEL = 0.5, 6.0
K = 1.3 * 9.81 * 0.6 / I3


@pytest.fixture(scope="module")
def top():
    return gc.models.get("kovalevskaya-top")().reduce()


def starts(*tilts):
    """With Omega2 = Gamma2 = 0 and Pi.Gamma = 0 on the level E = LEVEL of the energy.

    Pi.Gamma = I3 (2 Omega1 Gamma1 + Omega3 Gamma3), E = I3 (Omega1^2 + Omega3^2/2 + K Gamma1).
    """
    found = []
    for a in tilts:
        G1, G3 = np.sin(a), np.cos(a)
        W1 = np.sqrt((LEVEL / I3 - K * G1) / (1 + 2 * (G1 / G3) ** 2))
        found.append([W1, 0, -2 * W1 * G1 / G3, G1, 0, G3])
    return np.array(found)


@pytest.fixture(scope="module")
def section(top):
    return gc.poincare_section(top, {"Gamma2": 0}, starts(-0.9, -0.4, 0.2), 120.0)


def test_points_lie_on_the_curves_of_kovalevskayas_integral(section):
    assert set(section.shared) == {"energy", "Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3"}
    values = []
    for found in section.crossings:
        W1, W2, W3, G1, G2, G3 = found.states
        assert found.time.size > 60
        np.testing.assert_allclose(G2, 0, atol=1e-13)
        energy = I3 * (W1**2 + W2**2 + W3**2 / 2 + K * G1)
        np.testing.assert_allclose(energy, LEVEL, rtol=1e-10)
        np.testing.assert_allclose(2 * W1 * G1 + 2 * W2 * G2 + W3 * G3, 0, atol=1e-9)
        integral = (W1**2 - W2**2 - K * G1) ** 2 + (2 * W1 * W2 - K * G2) ** 2
        np.testing.assert_allclose(integral, integral[0], rtol=1e-9)
        values.append(integral[0])
        # On the way up: the rate of Gamma is Gamma x Omega.
        assert (G3 * W1 - G1 * W3 > 0).all()
    assert np.ptp(values) > 1.0


def test_crossings_are_where_runs_are_at_these_times(top, section):
    found = section.crossings[1]
    run = gc.simulate(top, np.concatenate([[0.0], found.time[:9]]), section.starts[1])
    np.testing.assert_allclose(run.states[:, 1:], found.states[:, :9], atol=1e-11)


def test_directions_part_the_crossings(top, section):
    down = gc.poincare_section(top, {"Gamma2": 0}, section.starts[1], 20.0, direction=-1)
    both = gc.poincare_section(top, top.states[4], section.starts[1], 20.0, direction=0)
    up = section.crossings[1].time
    merged = np.sort(np.concatenate([up[up < 20.0], down.crossings[0].time]))
    np.testing.assert_allclose(both.crossings[0].time, merged, atol=1e-12)
    assert np.all(np.diff(both["Gamma1"][0]) != 0)


def test_a_periodic_orbit_is_a_fixed_point():
    top = gc.models.get("heavy-top")().reduce()
    params = {"I1": 0.8, "I2": 0.8, "I3": 0.5, "m": 1.3, "l": 0.6}
    # A steady precession, rate w, tilt th: I1 w^2 cos th - I3 n w + m g l = 0.
    w, th = 2.5, 0.7
    n = (0.8 * w**2 * np.cos(th) + 1.3 * 9.81 * 0.6) / (0.5 * w)
    x = np.array([w * np.sin(th), 0, n, np.sin(th), 0, np.cos(th)])
    orbit = gc.find_periodic(top, x, 2 * np.pi / (n - w * np.cos(th)), params=params)
    found = gc.poincare_section(top, {"Gamma2": 0.0}, orbit.x, 8.2 * orbit.period, params).crossings[0]
    assert found.time.size == 8
    np.testing.assert_allclose(np.diff(found.time), orbit.period, rtol=1e-11)
    np.testing.assert_allclose(found.states, found.states[:, :1] * np.ones(8), atol=1e-9)
    other = gc.poincare_section(top, {"Gamma2": 0.0}, orbit.x + 0.3 * np.eye(6)[0], 20.0, params)
    assert np.ptp(other["Omega3"][0]) < 1e-9  # symmetric: Omega3 stays
    assert np.ptp(other["Gamma3"][0]) > 1e-2


def test_figures_and_words(top, section):
    import matplotlib.pyplot as plt

    ax = section.plot("Gamma1", "Omega3")
    assert ax.get_xlabel() == r"$\Gamma_{1}$"
    assert ax.get_ylabel() == r"$\Omega_{3}$ (rad/s)"
    assert [len(line.get_xdata()) for line in ax.lines] == [len(found) for found in section.crossings]
    assert len({line.get_color() for line in ax.lines}) == 3
    np.testing.assert_array_equal(ax.lines[2].get_ydata(), section["Omega3"][2])
    assert gc.viz.poincare(section, title="all").get_title() == "all"
    assert "kovalevskaya differs" in repr(section)
    assert "Gamma2 = 0, upwards" in repr(section)
    plt.close("all")


def test_a_system_on_a_sphere_has_sections():
    pendulum = gc.models.get("double-spherical-pendulum")()
    rest = pendulum.equilibrium("hanging")
    x = np.array(pendulum.start(rest, None), dtype=float)
    label = pendulum.state_labels[-2]
    x[-2] = 0.4
    found = gc.poincare_section(pendulum, {label: 0.0}, x, 12.0)
    assert found.crossings[0].time.size > 2
    np.testing.assert_allclose(found[label][0], 0, atol=1e-10)


BAD = {
    "label": (lambda s, x: gc.poincare_section(s, {"Gama2": 0}, x, 1.0), gc.LabelError, "Gamma2"),
    "two": (
        lambda s, x: gc.poincare_section(s, {"Gamma2": 0, "Gamma1": 0}, x, 1.0),
        gc.InputError,
        "one state",
    ),
    "level": (
        lambda s, x: gc.poincare_section(s, {"Gamma2": "top"}, x, 1.0),
        gc.InputError,
        "level of Gamma2",
    ),
    "word": (lambda s, x: gc.poincare_section(s, "Gamma2", x, 1.0), TypeError, "event"),
    "constant": (
        lambda s, x: gc.poincare_section(s, sp.Integer(0), x, 1.0),
        gc.ExpressionError,
        "depends on no",
    ),
    "time": (
        lambda s, x: gc.poincare_section(s, {"Gamma2": 0}, x, -1.0),
        gc.InputError,
        "time must be positive",
    ),
    "sense": (
        lambda s, x: gc.poincare_section(s, {"Gamma2": 0}, x, 1.0, direction=2),
        gc.InputError,
        "direction",
    ),
    "shape": (lambda s, x: gc.poincare_section(s, {"Gamma2": 0}, x[:5], 1.0), gc.InputError, "6 numbers"),
    "none": (
        lambda s, x: gc.poincare_section(s, {"Gamma2": 0}, np.zeros((0, 6)), 1.0),
        gc.InputError,
        "6 numbers",
    ),
    "leaf": (
        lambda s, x: gc.poincare_section(s, {"Gamma2": 0}, [x, 2 * x], 1.0),
        gc.ConstraintError,
        "violates",
    ),
    "axes": (
        lambda s, x: gc.viz.poincare(gc.poincare_section(s, {"Gamma2": 3}, x, 1.0)),
        gc.InputError,
        "no run",
    ),
    "kind": (lambda s, x: gc.viz.poincare(x), TypeError, "section of poincare_section"),
}


@pytest.mark.parametrize(("ask", "error", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_asked_is_refused_in_words(top, ask, error, words):
    with pytest.raises(error, match=words):
        ask(top, starts(0.2)[0])


def test_states_of_a_figure_are_checked(section):
    with pytest.raises(gc.LabelError, match="did you mean"):
        section.plot("Omega")
    with pytest.raises(gc.InputError, match="twice"):
        section.plot("Gamma1", "Gamma1")
