"""Units behind what is printed: of laws, runs, sampled loops, axes of maps; none where nothing tells them."""

from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

mpl.use("Agg")


@cache
def cart():
    return gc.models.get("cart-pendulum")().reduce()


@cache
def law():
    return gc.lqr(cart(), cart().equilibrium("upright"))


@cache
def wheel(unit):
    """A wheel on a bearing: its torque has no parameter beside it."""
    J = gc.Parameter("J", 0.2, unit, positive=True)
    phi, u = gc.Coordinate("phi", angle=True), sp.Symbol("u", real=True)
    return gc.EulerPoincare(
        shape=[phi], lagrangian=J * phi.rate**2 / 2, forces=[u], inputs=[u], parameters=[J], name="wheel"
    ).reduce()


def test_a_law_and_its_sampled_loop_tell_the_units_of_inputs():
    assert "  u (N) = " in repr(law())
    motor = law().sampled(limits={"u": 6}, rate_limits={"u": 40}, quantisation={"phi": 0.01})
    words = repr(motor)
    assert "limits u in [-6, 6] N\n" in words
    assert "rate limits u: 40 N/s" in words
    assert "quantisation phi: 0.01 rad" in words


def test_a_run_and_its_system_tell_units_of_states_and_inputs():
    run = gc.simulate(cart(), np.linspace(0, 0.1, 5), cart().state(phi=0.1))
    assert "  states: x_dot (m/s); phi_dot (rad/s); phi (rad)" in repr(run)
    assert "  inputs (1): u (N)" in repr(cart())
    assert [panel.get_ylabel() for panel in gc.viz.states(run, ["phi"])] == [r"$\phi$ (rad)"]
    rows = gc.viz.scene(run, signals=["x_dot", "phi"]).data()["signals"]
    assert [row["unit"] for row in rows] == ["m/s", "deg"]


def test_axes_of_a_map_have_the_units_of_parameters_and_of_states_of_the_family():
    skate = gc.models.get("pendulum-skate")().reduce()
    found = gc.certify_region(skate, "spinning", {"Omega0": (4.5, 5), "l": (0.9, 1.0)}, depth=1)
    ax = gc.viz.stability_map(found)
    assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\Omega_{0}$ (rad/s)", "$l$ (m)")
    box = gc.certify(skate, skate.equilibrium("spinning", Omega0=5.0), over={"Omega0": 0.01, "l": 0.01})
    ticks = [label.get_text() for label in gc.viz.box(box).get_yticklabels()]
    assert ticks == [r"$\Omega_{0}$ in [4.95, 5.05] rad/s", "$l$ in [0.792, 0.808] m"]
    assert "l in [0.792, 0.808] m" in repr(box)


def test_a_motor_between_two_links_is_a_torque():
    a, b, x = (gc.Coordinate(n, angle=n != "x", unit="m" if n == "x" else "") for n in "abx")
    u, v, w, f = sp.symbols("u v w f", real=True)
    forces = [u - v + w, v + f, f - 2 * w]  # f turns a link and pushes a slide
    told = gc.EulerPoincare(
        shape=[a, b, x], inertia=sp.eye(3), forces=forces, inputs=[u, v, w, f]
    ).reduce().told_units  # fmt: skip
    assert [told.get(k) for k in "uvwf"] == ["N m", "N m", None, None]


@pytest.mark.parametrize(("unit", "told"), [("kg m^2", "N m"), ("", "N m"), ("g mm^2", None)])
def test_a_force_along_an_angle_is_a_torque_but_for_numbers_of_other_units(unit, told):
    assert wheel(unit).told_units.get("u") == told
