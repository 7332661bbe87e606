"""A frame that a user gave may be singular somewhere. A run that gets there stops, says so, and is kept.

The same motion without that frame (the library's own form has no such limit) tells where that is, and that
nothing which was kept is wrong.
"""

from functools import cache

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

TIMES = np.linspace(0.0, 3.0, 301)
ENGINES = pytest.mark.parametrize("engine", ["heyoka", "scipy"])

# Samples before the stop. scipy works at 1e-12, times the condition of the frame at the last sample.
KEPT = 1e-9


def veselova(frame):
    """The constraint Gamma . Omega = 0, with a frame of the tangent plane of the sphere."""
    mechanism = gc.models.get("veselova")(potential="quadratic")
    G = mechanism.advected[0].symbols
    frames = {
        # Dependent columns where Gamma3 = 0, a curve that motions cross.
        "loses rank": [[G[2], 0], [0, G[2]], [-G[0], -G[1]]],
        # No columns at Gamma = +-E3, which only special motions meet.
        "vanishes": [[G[1], G[0] * G[2]], [-G[0], G[1] * G[2]], [0, -(G[0] ** 2) - G[1] ** 2]],
    }
    return mechanism.replace(frame=frames[frame]), "Gamma3" if frame == "loses rank" else "Gamma2"


def chaplygin():
    """A rolling sphere, angular velocity along E1, Gamma and E1 x Gamma: dependent where Gamma = +-E1."""
    m, a = gc.Parameter("m", 1.3, positive=True), gc.Parameter("a", 0.35, positive=True)
    vertical = gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    Gamma, E1 = sp.Matrix(vertical.symbols), sp.Matrix([1, 0, 0])
    J = sp.diag(sp.Rational(3, 100), sp.Rational(1, 20), sp.Rational(7, 100))
    rho = -a.symbol * Gamma
    turns = [E1, Gamma, E1.cross(Gamma)]
    columns = [w.col_join(rho.cross(w)) for w in turns]
    to_matrix = sp.Matrix([[0, -rho[2], rho[1]], [rho[2], 0, -rho[0]], [-rho[1], rho[0], 0]])
    return gc.EulerPoincare(
        algebra=gc.se3(),
        advected=[vertical],
        inertia=sp.diag(J, m.symbol * sp.eye(3)),
        constraints=(-to_matrix).row_join(sp.eye(3)),
        frame=sp.Matrix.hstack(*columns),
        contact=rho,
        parameters=[m, a],
        name="sphere",
    ), "Gamma2"


# Mechanism, component of Gamma that vanishes where the frame is singular, Gamma and Omega at the start.
CASES = {
    "veselova loses rank": lambda: (*veselova("loses rank"), [1 / 3, 2 / 3, 2 / 3], [1.3, -0.9, 0.25]),
    "veselova vanishes": lambda: (*veselova("vanishes"), [0, np.sin(0.5), np.cos(0.5)], [-1.0, 0, 0]),
    # Turning about E3 with the vertical in the plane of E1 and E2.
    "sphere": lambda: (*chaplygin(), [np.cos(0.7), np.sin(0.7), 0], [0, 0, 1.1]),
}


@cache
def case(name):
    """System with the frame, without it, starts of both, and the first time the frame is singular."""
    mechanism, component, gamma, omega = CASES[name]()
    system, free = mechanism.reduce(), mechanism.replace(frame=None).reduce()
    start = np.array([*omega, *gamma], dtype=float)
    i = free.state_labels.index(component)
    if free.rhs(0.0, start)[i] > 0:  # away from the singularity
        start[:3] *= -1
    symbol = free.states[i]
    whole = gc.simulate(free, TIMES, start, events={"singular": symbol})
    x0 = system.project(free.velocity(start), {"Gamma": gamma})
    return system, free, x0, whole, whole.events["singular"].time[0]


@ENGINES
@pytest.mark.parametrize("name", CASES)
def test_a_run_stops_where_the_users_frame_is_singular(name, engine):
    system, free, x0, whole, when = case(name)
    assert 0.2 < when < 2.5
    with pytest.raises(gc.SimulationError, match="frame becomes singular") as caught:
        gc.simulate(system, TIMES, x0, engine=engine)
    part = caught.value.trajectory
    assert not part.success
    # The status tells the cause and the time; rounding errors stop scipy a little earlier.
    assert part.status.startswith("failed: ")
    assert "the frame becomes singular" in part.status
    told = float(part.status.split("at t = ")[1].split(":")[0])
    assert told == pytest.approx(when, abs=1e-3)
    # Every sample before that time is there, and none is wrong.
    assert np.array_equal(part.time, TIMES[TIMES < told])
    count = part.time.size
    difference = system.velocity(part.states) - free.velocity(whole.states[:, :count])
    assert np.max(np.abs(difference)) < KEPT
    assert np.max(np.abs(system.advected(part.states) - free.advected(whole.states[:, :count]))) < KEPT
    assert max(part.drift.values()) < KEPT


@ENGINES
def test_without_throw_the_part_is_returned(engine):
    system, _, x0, _, when = case("veselova loses rank")
    crossed = system.states[system.state_labels.index("Gamma1")] - sp.Rational(1, 2)
    never = system.states[system.state_labels.index("Gamma3")] + sp.Rational(1, 2)
    part = gc.simulate(
        system, TIMES, x0, engine=engine, throw=False, events={"before": crossed, "behind": never}
    )
    assert not part.success
    assert 0 < part.time[-1] < when
    assert part.events["before"].time.size == 1
    assert part.events["before"].time[0] < when
    assert part.events["behind"].time.size == 0
    # What was reached can be used as any trajectory.
    assert part.attitude().shape == (part.time.size, 3, 3)
    again = gc.simulate(system, TIMES, x0, engine=engine, throw=False)
    assert np.array_equal(again.states, part.states)


def test_a_motion_that_passes_by_goes_on():
    """Negative control: past the singular point at a distance of less than 1e-3 the frame is regular."""
    mechanism, _ = veselova("vanishes")
    system, free = mechanism.reduce(), mechanism.replace(frame=None).reduce()
    gamma, xi = np.array([3e-4, np.sin(0.5), np.cos(0.5)]), [1.0, 0, 0]
    gamma /= np.linalg.norm(gamma)
    with pytest.warns(gc.ProjectionWarning, match="Omega3 from 0 to"):
        start = free.project(xi, {"Gamma": gamma}, nearest=True)
    whole = gc.simulate(free, TIMES, start)
    traj = gc.simulate(system, TIMES, system.project(free.velocity(start), {"Gamma": gamma}))
    assert traj.success
    assert np.min(np.hypot(whole["Gamma1"], whole["Gamma2"])) < 1e-3
    # Rounding errors of 1e-16 times the condition number 1e3 of the frame.
    assert np.max(np.abs(system.velocity(traj.states) - free.velocity(whole.states))) < 1e-12
