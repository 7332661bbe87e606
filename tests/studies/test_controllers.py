"""The studies that take a law to a computer: what holds is proved, what swells refuted; figures and table."""

from dataclasses import replace

import numpy as np
import pytest

import geoctrl as gc
from studies.controllers import cart, compared, satellite


@pytest.mark.parametrize(
    ("study", "rate", "stable", "figures"),
    [(cart, 100, 4, 2), (satellite, 20, 3, 3)],
    ids=["cart", "satellite"],
)
def test_the_studies_tell_and_draw(study, rate, stable, figures, tmp_path, capsys, monkeypatch):
    columns = 2  # signals with a limit
    made = compared.Line("any", (1.0,) * columns, np.nan, 1.0, 0.5, 0.3, 0.25, False)
    monkeypatch.setattr(compared, "measured", lambda *_: made)
    study.main(["--out", str(tmp_path)])
    told = capsys.readouterr().out
    held = [line for line in told.splitlines() if line.endswith(f"at {rate} Hz") and "PROVED" in line]
    assert sum("STABLE" in line and "UNSTABLE" not in line for line in held) == stable
    assert [line.split("  ")[0] for line in held if "UNSTABLE" in line] == ["matched, undamped"]
    assert len(list(tmp_path.glob("*.png"))) == figures
    assert ">= 1" in (tmp_path / "table.txt").read_text()


def test_the_cart_comes_home():
    """The law's own state is begun at the place of the cart: without that it stops somewhere else."""
    task = cart.task_of(gc.models.get("cart-pendulum")())
    law = next(law for law in cart.laws(task) if law.name == "matched, damped")
    ends = [compared.held(task, each, 40.0)["x"][-1] for each in (law, unaware(law))]
    assert abs(ends[0]) < 2e-3
    assert abs(ends[1]) > 0.1


def unaware(law):
    controller = law.controller
    return replace(law, controller=replace(controller, feedback=replace(controller.feedback, begin={})))


@pytest.mark.long(
    reason="starts from which a law comes to rest are asked beside it, and regions in test_attracted_sets.py"
)
def test_starts_that_are_proved(monkeypatch):
    """The satellite's, on the sphere of its momentum: the next larger one is not in the set."""
    task = satellite.task_of(gc.models.get("body-with-rotor")(axis=3).reduce())
    law = gc.match(task.plant.mechanism).law(sigma=-0.03).with_damping(k=1.5)
    loop = law.closed_loop()
    eq = loop.equilibrium("about2", Omega0=1.0)
    asked = compared.Law("damped", law.sampled(20), loop=(loop, eq))
    region = gc.region_of_attraction(loop, eq)
    monkeypatch.setattr(gc, "region_of_attraction", lambda *given: {(loop, eq): region}[given])  # asked once
    size = compared.proved_reach(task, asked)
    assert 0.3 < size < 0.5
    levels = {k: loop.invariants(eq.x)[k] for k in region.levels}
    step = task.farthest[0] / compared.LEANS
    for across, inside in ((size, True), (size + step, False)):
        start = loop.on_levels(loop.state(Omega1=across, Omega2=1.0, Omega3=across), levels)
        assert region.contains(start) is inside
    assert np.isnan(compared.proved_reach(task, replace(asked, loop=None)))


def test_starts_from_which_a_law_comes_to_rest():
    """Found by bisection, they come to rest and larger ones do not; without damping there are none."""
    task = satellite.task_of(gc.models.get("body-with-rotor")(axis=3).reduce())
    law = gc.match(task.plant.mechanism).law(sigma=-0.03)
    damped, bare = (compared.Law("any", one.sampled(20)) for one in (law.with_damping(k=1.5), law))
    size = compared.reach(task, damped)
    assert 0.3 < size < 0.5
    assert compared.reach(task, bare) < 0.02
    for factor, rests in ((0.99, True), (1.02, False)):
        run = gc.simulate(
            task.plant, np.linspace(0, 60, 601), task.starts(factor * size), controller=damped.controller
        )
        swing = np.ptp(satellite.across(run)[-60:])
        fallen = compared.standing(task, run) < run.time.size
        assert (swing < 0.01 and not fallen) is rests
