"""G. K. Suslov, Theoretical Mechanics (1946), and the account of Borisov, Kilin and Mamaev (RCD 16, 2011).

With Omega3 = 0 the steady rotations fill a line; along it the other eigenvalue is
W v.J^-1 v, v = (I13, I23) and J the upper left block of the inertia: one sense attracts, the other repels.
"""

import numpy as np
import pytest

import geoctrl as gc
from tests.literature.thresholds import verdict

HEAVY = {"m": 1.3, "l": 0.6, "g": 9.81}


@pytest.fixture(scope="module")
def body():
    return gc.models.get("suslov")().reduce()


def inertia_of(p):
    return np.array(
        [[p["I11"], p["I12"], p["I13"]], [p["I12"], p["I22"], p["I23"]], [p["I13"], p["I23"], p["I33"]]]
    )


def by_hand(Omega, inertia, torque=(0, 0, 0)):
    """Omegadot from Euler's equations with the reaction about axis 3 as an unknown."""
    A = np.zeros((4, 4))
    A[:3, :3], A[2, 3], A[3, 2] = inertia, -1, 1
    return np.linalg.solve(A, [*(np.cross(inertia @ Omega, Omega) + torque), 0])[:3]


def eigenvalue(p, W):
    """W v.J^-1 v."""
    inertia = inertia_of(p)
    v = inertia[:2, 2]
    return W * v @ np.linalg.solve(inertia[:2, :2], v)


def test_equations(body):
    rng = np.random.default_rng(4)
    inertia = inertia_of(body.params)
    heavy = gc.models.get("suslov")(potential="heavy").reduce()
    weight = HEAVY["m"] * HEAVY["g"] * HEAVY["l"]
    for _ in range(4):
        x = rng.normal(size=2)
        assert body.rhs(0.0, x) == pytest.approx(by_hand(np.array([*x, 0]), inertia)[:2], abs=1e-13)
        x = heavy.random_state(rng)
        torque = -weight * np.cross([1, 0, 0], x[2:])
        assert heavy.rhs(0.0, x)[:2] == pytest.approx(
            by_hand(np.array([*x[:2], 0]), inertia, torque)[:2], abs=1e-12
        )


@pytest.mark.parametrize("W", [1.3, -0.8, 1e-3, -1e-3])
def test_the_sense_of_rotation_decides(body, W):
    """The stable sense attracts on its energy level: no function of the energy has an extremum there."""
    eq = body.equilibrium("rotating", Omega0=W)
    lin = gc.linearize(body, eq)
    assert lin.eigenvalues == pytest.approx([0, eigenvalue(body.params, W)], rel=1e-12)
    assert lin.zero_modes == ("energy",)
    certificate = gc.certify(body, eq)
    if W > 0:
        assert certificate.verdict is gc.Verdict.PROVED_UNSTABLE
    else:
        assert certificate.verdict is gc.Verdict.PROVED_STABLE
        assert certificate.method == "spectrum on the level sets of the invariants"


def test_the_condition_in_symbols(body):
    """Unstable for Omega0 > 0 whatever the inertia, stable for Omega0 < 0: the family attracts."""
    found = gc.stability_conditions(body, "rotating")
    (stable,), (relation,) = found.stable, found.unstable
    symbols = {s.name: s for s in found.symbols}
    rng = np.random.default_rng(5)
    for _ in range(20):
        root = rng.integers(-9, 10, size=(3, 3))
        inertia = root @ root.T + 10 * np.eye(3, dtype=int)
        values = {symbols[f"I{i + 1}{j + 1}"]: int(inertia[i, j]) for i in range(3) for j in range(i, 3)}
        W = int(rng.integers(1, 5)) * (-1) ** int(rng.integers(2))
        assert bool(relation.subs(values).subs(symbols["Omega0"], W)) == (W > 0)
        assert bool(stable.subs(values).subs(symbols["Omega0"], W)) == (W < 0)
        numbers = {str(k): v for k, v in values.items()}
        assert found.evaluate(numbers, Omega0=W) == (-1 if W > 0 else 1)


def test_every_motion_turns_round(body):
    """From the repelling rotation to the attracting one of the same energy: the opposite."""
    p = body.params
    W = 1.0
    before = np.array([W * p["I23"], -W * p["I13"]])
    time = 40 / abs(eigenvalue(p, W))
    run = gc.simulate(body, np.linspace(0, time, 201), before * (1 + 1e-6) + [1e-6, 0])
    end = run.states[:, -1]
    s = np.array([p["I13"], p["I23"]])
    # The start is 1e-6 off, and energy fixes the end as exactly as the start.
    assert end == pytest.approx(-before, rel=1e-5)
    assert abs(s @ end) < 1e-9
    assert run.drift["energy"] < 1e-12
    assert np.max(np.abs(s @ run.states)) > 0.1


def test_a_principal_axis_has_no_preferred_sense(body):
    """I13 = I23 = 0: the angular velocity stays."""
    params = {"I13": 0.0, "I23": 0.0}
    assert not np.any(body.rhs(0.0, [0.7, -0.4], params=params))
    # Every rotation is an equilibrium: two zeros, of which the energy accounts for one.
    lin = gc.linearize(body, [0.7, -0.4], params=params)
    assert lin.zero_modes == ("energy", "family")
    assert verdict(body, "rotating", Omega0=0) == "PROVED_STABLE"


@pytest.mark.parametrize("potential", ["haevy", "", None])
def test_other_potentials_are_refused(potential):
    with pytest.raises(gc.ParameterError, match="potential"):
        gc.models.get("suslov")(potential=potential)
