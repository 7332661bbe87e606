"""What is no jump is refused before anything runs, in words that say what to do."""

import warnings

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.jumps.jumping_mechanisms import ball, block, bouncing_ball, hill, sliding_ball, walker

Z = gc.Coordinate("z").symbol
ROW = {"rows": [[1]]}

ALONE = [
    (lambda: gc.Impact("hit", when=1, rows=[[1]]), gc.DescriptionError, "constant 1"),
    (lambda: gc.Impact("hit", when="z", rows=[[1]]), gc.DescriptionError, "text is not read as one"),
    (lambda: gc.Impact(3, when=Z, rows=[[1]]), TypeError, "goes by a name"),
    (lambda: gc.Impact("hit", when=Z, rows=[[1]], direction=2), gc.InputError, "-1, 0 or 1"),
    (lambda: gc.Impact("hit", when=Z, rows=[[1]], restitution=1.01), gc.InputError, "between 0"),
    (lambda: gc.Impact("hit", when=Z, rows=[[1]], restitution=[0, 0]), gc.InputError, "each of 1 rows"),
    (lambda: gc.Impact("hit", when=Z, rows=[]), gc.ConstraintError, "one covector or more"),
    (lambda: gc.Impact("hit", when=Z, rows="ground"), TypeError, "list of covectors"),
    (lambda: gc.Impact("hit", when=Z, rows=[[1]], normal=1), gc.InputError, "counts rows from 0"),
    (lambda: gc.Impact("hit", when=Z, rows=[[1]], releases="ground"), TypeError, "list of names"),
    (lambda: gc.Impact("hit", when=Z, rows=[[1]], relabel={"a": "b"}), gc.ConstraintError, "no exchange"),
    (lambda: gc.Impact("hit", when=Z, rows=[[1]], rest=3), TypeError, "name of a mode"),
    (lambda: gc.Jump("hit", when=Z, reset=[1]), TypeError, "dict of label"),
    (lambda: gc.Jump("hit", when=Z, to=3), TypeError, "name of a mode"),
]


@pytest.mark.parametrize(("made", "error", "words"), ALONE)
def test_a_jump_alone(made, error, words):
    with pytest.raises(error, match=words):
        made()


def falling(*jumps, **more):
    x, z = gc.Coordinate("x"), gc.Coordinate("z")
    return gc.EulerPoincare(
        algebra=None,
        shape=[x, z],
        inertia=[[1, 0], [0, 1]],
        constraints={"ground": [0, 1], "wall": [1, 0]} if more.pop("both", False) else {"ground": [0, 1]},
        jumps=jumps,
        **more,
    )


def hit(**changes):
    return gc.Impact("hit", **{"when": Z, "rows": [[0, 1]], "of": "air"} | changes)


TWO = {"modes": {"air": (), "ground": ("ground",)}}

DESCRIBED = [
    (lambda: falling(hit(), hit(), **TWO), gc.InputError, "hit is given twice"),
    (lambda: falling(3), TypeError, "gc.Jump or gc.Impact"),
    (
        lambda: falling(hit(), modes={"air": ("grund",)}),
        gc.InputError,
        "no row 'grund'; did you mean 'ground'",
    ),
    (lambda: falling(hit(), modes=["air"]), TypeError, "modes must be a dict"),
    (lambda: falling(**TWO).hybrid(), gc.DescriptionError, "has no jumps"),
    (lambda: falling(hit(of=None), **TWO).hybrid(), gc.InputError, "must name a mode"),
    (lambda: falling(hit(of="ar"), **TWO).hybrid(), gc.InputError, "no mode: 'ar'; did you mean 'air'"),
    (lambda: falling(hit(rest="gruond"), **TWO).hybrid(), gc.InputError, "rest of the jump 'hit'"),
    (lambda: falling(hit(rows=["grund"], to="ground"), **TWO).hybrid(), gc.InputError, "no row 'grund'"),
    (lambda: falling(hit(releases=["ground"]), **TWO).hybrid(), gc.InputError, "in force in the mode 'air'"),
    (lambda: falling(hit(rows=[[1]]), **TWO).hybrid(), gc.ConstraintError, "must have length 2"),
    (lambda: falling(hit(when=sp.Symbol("q")), **TWO).hybrid(), gc.ExpressionError, "when of 'hit'"),
    (lambda: falling(hit(relabel={"y": sp.Symbol("y", real=True)}), **TWO).hybrid(), gc.InputError, "'y'"),
    # The ground is entered, and what it holds still moves.
    (
        lambda: falling(hit(to="ground", restitution=0.5), **TWO).hybrid(),
        gc.ConstraintError,
        "kinetic energy",
    ),
    (
        lambda: falling(gc.Jump("go", when=Z, reset={"q": 1}, of="air"), **TWO).hybrid(),
        gc.InputError,
        "has no state 'q'",
    ),
    (
        lambda: falling(gc.Jump("go", when=gc.Parameter("p", 1.0).symbol, of="air"), **TWO).hybrid(),
        gc.ExpressionError,
        "when of 'go'",
    ),
]


@pytest.mark.parametrize(("made", "error", "words"), DESCRIBED)
def test_a_mechanism_with_jumps(made, error, words):
    with pytest.raises(error, match=words):
        made()


def test_a_guard_that_no_state_changes():
    p = gc.Parameter("p", 1.0)
    with pytest.raises(gc.DescriptionError, match="which no state of the mode 'air' changes"):
        falling(hit(when=p.symbol), parameters=[p], **TWO).hybrid()


def test_a_reset_that_leaves_a_state_undefined():
    a, b = gc.Coordinate("a"), gc.Coordinate("b")
    one, two = gc.VectorField([a], {"a": 1}).reduce(), gc.VectorField([b], {"b": 1}).reduce()
    go = gc.Jump("go", when=a.symbol - 1, of="one", to="two")
    with pytest.raises(gc.DescriptionError, match="does not say what 'b' is in the mode 'two'"):
        gc.HybridSystem(modes={"one": one, "two": two}, jumps=[go])
    with pytest.raises(gc.InputError, match="the impact 'hit' needs the inertia"):
        gc.HybridSystem(modes={"one": one}, jumps=[gc.Impact("hit", when=a.symbol, rows=[[1]])])
    with pytest.raises(TypeError, match=r"\.reduce\(\)"):
        gc.HybridSystem(modes={"one": gc.VectorField([a], {"a": 1})}, jumps=[])


def test_legs_that_do_not_swap():
    with pytest.raises(gc.ConstraintError, match="kinetic energy"):
        walker(relabel={}).hybrid()
    with pytest.raises(gc.ConstraintError, match="kinetic energy"):
        walker(relabel={"st": "sw", "sw": "st"}).hybrid()
    with pytest.raises(gc.ConstraintError, match="no motion of the mode 'motion'"):
        block(relabel={}).hybrid()


def test_a_guard_that_tells_another_distance_than_the_row_is_warned_of():
    x, z = gc.Coordinate("x"), gc.Coordinate("z")

    def mechanism(when):
        return gc.EulerPoincare(
            algebra=None,
            shape=[x, z],
            inertia=[[1, 0], [0, 1]],
            jumps=[gc.Impact("hit", when=when, rows=[[0, 1]])],
        )

    with pytest.warns(UserWarning, match="no multiple of row 0"):
        mechanism(z.symbol + x.symbol).hybrid()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mechanism(sp.sin(z.symbol)).hybrid()
        mechanism(z.symbol * (2 + x.symbol**2)).hybrid()


def test_questions_about_equations_name_a_mode():
    h = sliding_ball().hybrid()
    asked = [
        lambda: gc.certify(h, None),
        lambda: gc.linearize(h, None),
        lambda: gc.find_equilibrium(h, None),
        lambda: gc.follow(h, None, "p", (0, 1)),
        lambda: gc.simulate_ensemble(h, [0, 1], None),
        lambda: gc.robustness(h, None, None, [0, 1]),
        lambda: gc.region_of_attraction(h, None),
    ]
    for ask in asked:
        with pytest.raises(gc.GeoctrlError, match=r"h\.modes\['flight'\]"):
            ask()
    with pytest.raises(gc.DescriptionError, match=r"mech\.hybrid\(\)\.modes\['flight'\]"):
        sliding_ball().reduce()
    one = bouncing_ball(0.5)
    assert one.modes["motion"] is ball_of(one).reduce()
    assert ball_of(one).reduce().jumps == one.jumps
    with pytest.raises(gc.UnitsError, match="without jumps="):
        ball(0.5).in_units(length=1000)


def ball_of(h):
    return h.modes["motion"].mechanism


def test_arguments_of_runs():
    h = bouncing_ball(0.5)
    with pytest.raises(gc.InputError, match="no mode 'air'"):
        gc.simulate(h, 1.0, [0, 1], mode="air")
    with pytest.raises(gc.InputError, match="mode= is one of a system with jumps"):
        gc.simulate(h.modes["motion"], 1.0, [0, 1], mode="air")
    with pytest.raises(gc.InputError, match="max_jumps"):
        gc.simulate(h, 1.0, [0, 1], max_jumps=-1)
    with pytest.raises(gc.ParameterError, match="no mode has a parameter"):
        gc.simulate(h, 1.0, [0, 1], params={"q": 1})
    e = gc.Parameter("e", 0.5)
    free = ball(e.symbol).replace(parameters=[e]).hybrid()
    assert np.isclose(
        gc.simulate(free, 0.6, [0, 1], params={"e": 0.8}).jumps[0].after[0], 0.8 * np.sqrt(2 * 9.81)
    )
    with pytest.raises(gc.InputError, match="between 0"):
        gc.simulate(free, 0.6, [0, 1], params={"e": 1.2})
    with pytest.raises(gc.InputError, match="times must lie within the run"):
        gc.simulate(h, 0.6, [0, 1]).resample([0.7])


def test_a_state_belongs_to_a_mode():
    """On the slope of a hill one velocity tells the other; in flight there are two."""
    h = hill().hybrid()
    along = h.state(x=0.6, x_dot=0.4)
    assert along == pytest.approx([0.4, 0.6, 0.0], abs=1e-15)
    assert h.state(mode="flight", x=0.6, x_dot=0.4) == pytest.approx([0.4, 0.0, 0.6, 0.0], abs=1e-15)
    with pytest.raises(gc.InputError, match="no mode 'air'"):
        h.state(mode="air", x=0.6)
    with pytest.raises(gc.LabelError):
        h.state(y=0.6)
    with pytest.raises(gc.ParameterError, match="no mode has a parameter"):
        h.state({"m": 1.0}, x=0.6)


def test_a_table_of_runs_through_jumps():
    """After the first impact of a ball that falls from z the speed is e sqrt(2 g z)."""
    h = bouncing_ball(0.5)
    told = gc.sweep(lambda z: gc.simulate(h, 1.0, [0, z]).jumps[0].after[0], {"z": [0.5, 1.0, 2.0]})
    assert told["value"] == pytest.approx(0.5 * np.sqrt(2 * 9.81 * np.array([0.5, 1.0, 2.0])), rel=1e-12)
