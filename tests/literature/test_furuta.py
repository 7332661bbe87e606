"""K. Furuta, M. Yamakita and S. Kobayashi (1992): a rod on a turning arm."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.literature.thresholds import verdict
from tests.oracles.positions import Positions, t


@pytest.fixture(scope="module")
def pendulum():
    return gc.models.get("furuta-pendulum")()


def test_it_moves_as_two_halves_of_a_rod_on_an_arm(pendulum):
    J, R, m, l, inertia, g = (p.symbol for p in pendulum.parameters)  # noqa: E741
    u = sp.Symbol("u", real=True)
    theta, phi = sp.Function("theta")(t), sp.Function("phi")(t)
    outward = sp.Matrix([sp.cos(theta), sp.sin(theta), 0])
    sideways = sp.Matrix([-sp.sin(theta), sp.cos(theta), 0])
    rod = sp.sin(phi) * sideways + sp.cos(phi) * sp.Matrix([0, 0, 1])
    spread = sp.sqrt(inertia / m)  # two points on the rod with its moment of inertia
    points = [R * outward + (l + sign * spread) * rod for sign in (-1, 1)]
    kinetic = J * theta.diff(t) ** 2 / 2 + sum(m / 2 * p.diff(t).dot(p.diff(t)) / 2 for p in points)
    potential = sum(m / 2 * g * p[2] for p in points)
    system = pendulum.reduce()
    values = {p.symbol: p.default for p in pendulum.parameters}
    rng = np.random.default_rng(3)
    for _ in range(4):
        x, torque = system.random_state(rng), rng.normal()
        oracle = Positions([theta, phi], kinetic, potential, values | {u: torque}, [u, 0])
        expected = oracle.accelerations([0.3, x[2]], x[:2])
        size = np.max(np.abs(expected))
        assert system.rhs(0, x, [torque])[:2] == pytest.approx(expected, rel=0, abs=1e-12 * size)


def test_hanging_is_lost_where_the_rod_is_thrown_out(pendulum):
    # The amended potential p^2/(2 K(phi)) + m g l cos(phi) with K = J + m R^2 + (I + m l^2) sin(phi)^2.
    system = pendulum.reduce()
    p = system.params
    critical = np.sqrt(p["m"] * p["g"] * p["l"] / (p["I"] + p["m"] * p["l"] ** 2))
    below, above = (verdict(system, "hanging", Omega0=critical * f) for f in (1 - 1e-6, 1 + 1e-6))
    # pi is no rational number: verdicts at it are numerical where they are not of conditions.
    assert (below.rpartition("_")[2], above.rpartition("_")[2]) == ("STABLE", "UNSTABLE")
    found = gc.stability_conditions(system, "hanging").solve_for("Omega0")
    inside = [
        bool(
            found.subs(
                {
                    **{sp.Symbol(k, positive=True): v for k, v in p.items()},
                    sp.Symbol("Omega0", real=True): critical * f,
                }
            )
        )
        for f in (0.999, 1.001)
    ]
    assert inside == [True, False]


@pytest.mark.parametrize("rate", [0.0, 3.0, 40.0])
def test_upright_falls_at_all_rates_of_the_arm(pendulum, rate):
    assert verdict(pendulum.reduce(), "upright", Omega0=rate) == "PROVED_UNSTABLE"
