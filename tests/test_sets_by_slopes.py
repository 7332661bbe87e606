"""Sets by slopes: against closed forms, simulated starts, other arithmetic and changed files."""

import copy
import json
import math

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq
from scipy.integrate import solve_ivp

import geoctrl as gc
from geoctrl import checker
from geoctrl.checker.slopes.fall import SlopesFall
from geoctrl.checker.slopes.field import BITS
from geoctrl.cli import main
from studies.basins import WHEELS, two_wheels

G = 9.81


def rates(x, u):
    """Of the same machine, from equations of its own: yaw, speed and pitch by Lagrange's equations."""
    M, m, R, d, l, Ix, Iy, Iz, Jw, Jd = WHEELS.values()  # noqa: E741
    W, V, ad, a = x
    s, c = math.sin(a), math.cos(a)
    yaw = Ix * s * s + Iz * c * c + M * l * l * s * s + 2 * (m * d * d + Jw * d * d / R**2 + Jd)
    change = 2 * s * c * (Ix - Iz + M * l * l)
    turn = (-(u[0] - u[1]) * d / R - change * ad * W - M * l * s * V * W) / yaw
    A = [[M + 2 * m + 2 * Jw / R**2, M * l * c], [M * l * c, Iy + M * l * l]]
    b = [(u[0] + u[1]) / R + M * l * s * (ad**2 + W * W), -(u[0] + u[1]) + change / 2 * W * W + M * G * l * s]
    return np.array([turn, *np.linalg.solve(A, b), ad])


@pytest.fixture(scope="module")
def wheels():
    loop, eq, K = two_wheels()
    return loop, eq, K, gc.region_of_attraction(loop, eq, by="slopes", seconds=8)


def edge(roa, count, seed):
    """States at the edge of an ellipsoid of all states."""
    way = np.random.default_rng(seed).normal(size=(len(roa.matrix), count))
    return way / np.sqrt(np.einsum("in,ij,jn->n", way, roa.matrix, way)) * (1 - 1e-6)


def states_on_rays(roa, count, seed):
    """States of a set about zero, next to its edge, in drawn directions."""
    sizes = np.array([high for _, high in roa.extent.values()])
    for way in np.random.default_rng(seed).normal(size=(count, len(sizes))) * sizes:
        inside, outside = 0.0, 10.0
        for _ in range(30):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if roa.contains(middle * way) else (inside, middle)
        assert 0 < inside < 10
        yield inside * way


# -- what is proved holds ---------------------------------------------------------------------------------


def test_two_wheels_have_a_set_in_seconds(wheels, tmp_path):
    """Squares of degree two show nothing there, at any level."""
    _, _, _, roa = wheels
    assert roa.verdict is gc.Verdict.PROVED_ATTRACTED
    assert roa.method == "slopes"
    assert roa.extent["pitch"][1] >= 0.02
    assert roa.extent["Omega"][1] >= 0.2
    assert "the leaf of all states, of dimension 4" in roa.claim
    path = tmp_path / "wheels.json"
    roa.to_json(path)
    report = gc.verify(path)
    assert report.verdict is gc.Verdict.PROVED_ATTRACTED
    assert report.claim == roa.claim
    assert main(["verify", str(path)]) == 0


def test_starts_at_the_edge_come_home_by_other_equations(wheels):
    _, _, K, roa = wheels
    P, starts = roa.matrix, edge(roa, 8, 1)
    assert np.all(roa.contains(starts))
    assert not np.any(roa.contains(starts * 1.001))
    for x in starts.T:
        run = solve_ivp(lambda _, y: rates(y, -K @ y), (0, 20), x, rtol=1e-9, atol=1e-12)
        V = np.einsum("in,ij,jn->n", run.y, P, run.y)
        assert np.all(np.diff(V) < 0)
        assert np.abs(run.y[:, -1]).max() < 1e-4


def cubic(sense=1):
    """x' = -x + sense x^3 beside a damped coordinate: for the first the slopes are below zero to 1/sqrt 3."""
    x = gc.Coordinate("x")
    return gc.EulerPoincare(
        algebra=None,
        shape=[x],
        inertia=[[2]],
        potential=x.symbol**2 - sense * x.symbol**4 / 4,
        forces=[-3 * x.rate],
        name="cubic",
    ).reduce()


def test_a_set_keeps_within_the_saddles():
    """U = x^2 - x^4/4 has them at x^2 = 2; slopes of -2 x + x^3 are negative to x^2 = 2/3."""
    system = cubic()
    roa = gc.region_of_attraction(system, system.state(), by="slopes", seconds=1)
    assert 0.4 < roa.extent["x"][1] < math.sqrt(2 / 3)
    for x in edge(roa, 12, 2).T:
        assert np.abs(gc.simulate(system, np.linspace(0, 40, 41), x).states[:, -1]).max() < 1e-4


def test_functions_that_are_no_polynomials():
    """Roots, exponentials, arctangents and rates with divisors: what squares refuse by name."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    a, b = x.symbol, y.symbol
    system = gc.EulerPoincare(
        algebra=None,
        shape=[x, y],
        inertia=[[2 + a**2, 0], [0, sp.exp(b)]],
        potential=sp.sqrt(1 + a**2) + sp.log(1 + b**2) + a * b / 4,
        forces=[-x.rate / sp.sqrt(1 + x.rate**2), -sp.atan(y.rate) - sp.tanh(y.rate) / 2],
        name="smooth",
    ).reduce()
    roa = gc.region_of_attraction(system, system.state(), by="slopes", seconds=1)
    assert min(high for _, high in roa.extent.values()) > 0.05
    for start in edge(roa, 6, 3).T:
        run = gc.simulate(system, np.linspace(0, 80, 81), start)
        assert np.abs(run.states[:, -1]).max() < 1e-4


def test_switches_end_the_cells():
    """A spring that bends at 1/4: a switch has no slopes, and no cell may touch it."""
    x, bend = gc.Coordinate("x"), sp.Rational(1, 4)
    extra = sp.Piecewise((0, x.symbol < bend), ((x.symbol - bend) ** 3, True))
    system = gc.EulerPoincare(
        algebra=None,
        shape=[x],
        inertia=[[1]],
        potential=x.symbol**2,
        forces=[-2 * x.rate - extra],
        name="bends",
    ).reduce()
    roa = gc.region_of_attraction(system, system.state(), by="slopes", seconds=1)
    assert 0.2 < roa.extent["x"][1] < 0.25
    without = system.mechanism.replace(forces=[-2 * x.rate]).reduce()
    assert gc.region_of_attraction(without, without.state(), by="slopes", seconds=1).extent["x"][1] > 1


def test_limits_and_the_domain_hold():
    """A linear output is bounded by the ellipsoid itself: u_0 + sqrt(c k.P^-1 k)."""
    cart = gc.models.get("cart-pendulum")().reduce()
    loop = gc.lqr(cart, cart.equilibrium("upright")).closed_loop()
    eq = loop.equilibrium("upright")
    free = gc.region_of_attraction(loop, eq, by="slopes", seconds=1)
    roa = gc.region_of_attraction(loop, eq, by="slopes", limits={"u": 0.5}, seconds=1)
    assert roa.limits == {"u": 0.5}
    assert "|u| <= 0.5" in roa.claim
    assert roa.extent["phi"][1] < free.extent["phi"][1]
    largest = max(np.abs(gc.simulate(loop, np.linspace(0, 5, 51), x)["u"]).max() for x in edge(roa, 6, 4).T)
    assert 0.1 < largest <= 0.5
    with pytest.raises(checker.Refusal, match="limit"):
        checker.check(signed(roa.to_dict(), lambda d: d["theorem"]["limits"]["u"].update(bound="1/20")))


def test_loops_with_an_estimator():
    cart = gc.models.get("cart-pendulum")().reduce()
    eq = cart.equilibrium("upright")
    loop = gc.lqr(cart, eq).closed_loop(gc.lqe(cart, eq, ["x_dot", "phi"]))
    rest = loop.equilibrium(next(iter(loop.families)))
    roa = gc.region_of_attraction(loop, rest, by="slopes", seconds=1)
    assert len(roa.measured) == 6
    for x in edge(roa, 3, 5).T:
        assert np.abs(gc.simulate(loop, np.linspace(0, 40, 41), x).states[:, -1]).max() < 1e-3


@pytest.mark.long(reason="a search of half a minute")
def test_squares_hold_a_larger_set_of_a_loop_with_an_estimator():
    """The first function is shown in coordinates in which the last one is a ball: its ellipsoid is thin."""
    cart = gc.models.get("cart-pendulum")().reduce()
    eq = cart.equilibrium("upright")
    loop = gc.lqr(cart, eq).closed_loop(gc.lqe(cart, eq, ["x_dot", "phi"]))
    rest = loop.equilibrium(next(iter(loop.families)))
    roa = gc.region_of_attraction(loop, rest, by="squares", monomials=2, seconds=120)
    assert roa.extent["phi"][1] > 0.1
    for x in states_on_rays(roa, 12, 6):
        assert np.abs(gc.simulate(loop, np.linspace(0, 40, 41), x).states[:, -1]).max() < 1e-3


# -- slopes -----------------------------------------------------------------------------------------------


def test_slopes_hold_the_jacobian_at_points_of_the_cell(wheels):
    loop, _, _, roa = wheels
    field = roa._finding.fall.field
    rng = np.random.default_rng(6)
    with ctx.workprec(BITS):
        for size in (0.05, 0.01):
            middle = rng.uniform(-0.2, 0.2, 4)
            cell = [arb(float(m), size) for m in middle]
            plain, bent = field.over(cell).rates, field.over(cell, bent=True).rates
            for _ in range(20):
                J = loop.jacobian(0.0, middle + rng.uniform(-size, size, 4))
                for i in range(4):
                    for j in range(4):
                        near = arb(float(J[i, j]), 1e-11 * (1 + abs(J[i, j])))
                        assert plain[i, j].overlaps(near)
                        assert bent[i, j].overlaps(near)
            assert max(float(c.rad()) for c in bent.entries()) < max(float(c.rad()) for c in plain.entries())


def test_cells_are_left_out_by_the_least_value_over_the_other_states():
    """P = [[1, 9/10], [9/10, 1]]: with y_1 = 1/2 V is as low as 19/400, far below V(1/2, 0) = 1/4."""
    system = cubic()
    roa = gc.region_of_attraction(system, system.state(), by="slopes", seconds=1)
    ninth = fmpq(9, 10)
    fall = SlopesFall(roa._finding.fall.field, [[fmpq(1)], [ninth, fmpq(1)]], fmpq(1, 8))
    _, upper = fall.whole.halves(0)
    _, outer = upper.halves(0)  # y_1 above half its largest value, which is sqrt(1/8/(19/100))
    with ctx.workprec(BITS):
        assert fall.whole.radius[0] ** 2 > fmpq(1, 8) / (1 - ninth**2)
        assert not fall.is_outside(outer)
        assert fall.least(outer) <= (1 - ninth**2) * (fall.whole.radius[0] / 2) ** 2


# -- files ------------------------------------------------------------------------------------------------


def signed(data, change):
    body = {k: v for k, v in copy.deepcopy(data).items() if k != "digest"}
    change(body)
    return body | {"digest": checker.digest_of(body)}


def larger_level(data):
    data["theorem"]["level"] = "2"


def smaller_function(data):
    rows = data["theorem"]["function"]
    data["theorem"]["function"] = [[str(fmpq(c) / 2) for c in row] for row in rows]


def changed_entry(data):
    row = data["theorem"]["function"][-1]
    row[-1] = str(fmpq(row[-1]) / 3)


def negative(data):
    data["theorem"]["function"][0][0] = "-1"


def short(data):
    data["theorem"]["function"].pop()


def one_cell(data):
    data["theorem"]["cells"] = "."


def open_tree(data):
    data["theorem"]["cells"] += "0."


def cut_tree(data):
    data["theorem"]["cells"] = data["theorem"]["cells"][:-1]


def other_side(data):
    data["theorem"]["cells"] = data["theorem"]["cells"].replace(data["theorem"]["cells"][0], "9")


def moved_point(data):
    data["problem"]["states"]["pitch"] = "1/1000"


def other_field(data):
    field = data["problem"]["field"]
    field[0], field[1] = field[1], field[0]


def other_number(data):
    data["problem"]["parameters"]["M"] = "25"


def other_node(data):
    nodes = data["problem"]["nodes"]
    k = next(i for i, node in enumerate(nodes) if node[0] == "num" and node[1] not in ("0", "1", "-1", "2"))
    nodes[k] = ["num", "7"]


def with_a_leaf(data):
    data["problem"]["leaf"] = {"one": data["problem"]["field"][0]}


def with_a_claim(data):
    data["claim"] = "Everywhere."


def with_names(data):
    data["theorem"]["measured"] = list(data["problem"]["states"])


def other_theorem(data):
    data["theorem"]["name"] = "attraction"


def without_a_matrix(data):
    data["problem"]["matrix"] = []


@pytest.mark.parametrize(
    "change",
    [
        larger_level,
        smaller_function,
        changed_entry,
        negative,
        short,
        one_cell,
        open_tree,
        cut_tree,
        other_side,
        moved_point,
        other_field,
        other_number,
        other_node,
        with_a_leaf,
        with_a_claim,
        with_names,
        other_theorem,
        without_a_matrix,
    ],
)
def test_changed_files_are_refused(wheels, tmp_path, change):
    _, _, _, roa = wheels
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(signed(roa.to_dict(), change)))
    with pytest.raises(gc.CertificateError):
        gc.verify(path)


def test_a_function_that_is_not_definite_attracts_nothing():
    """x'' = x + x': P = -1 makes P J + J^T P negative as well; that P > 0 is asked first."""
    x = gc.Coordinate("x")
    system = gc.EulerPoincare(
        algebra=None, shape=[x], inertia=[[1]], potential=-(x.symbol**2) / 2, forces=[3 * x.rate], name="away"
    ).reduce()
    with pytest.raises(gc.CertificateError, match="does not decay"):
        gc.region_of_attraction(system, system.state(), by="slopes", seconds=1)
    stable = cubic()
    data = gc.region_of_attraction(stable, stable.state(), by="slopes", seconds=1).to_dict()
    rows = [[str(-fmpq(c)) for c in row] for row in data["theorem"]["function"]]
    with pytest.raises(checker.Refusal, match="positive definite"):
        checker.check(signed(data, lambda d: d["theorem"].update(function=rows)))


# -- in time ----------------------------------------------------------------------------------------------


def test_a_search_that_is_cut_gives_the_best_and_says_so(wheels):
    loop, eq, _, _ = wheels
    told = []
    roa = gc.region_of_attraction(loop, eq, seconds=1.5, progress=lambda *a: told.append(a))
    assert roa.method == "slopes"
    assert checker.check(roa.to_dict()).verdict == "PROVED_ATTRACTED"
    assert "not finished within 1.5 s: " in roa.reason
    assert "squares of degree 3" in roa.reason
    assert told[0][0] == "slopes"
    assert all(len(a) == 3 for a in told)
    fractions = []
    gc.region_of_attraction(loop, eq, seconds=1.0, progress=fractions.append)
    assert all(0 <= f <= 1 for f in fractions)


@pytest.mark.long(reason="a search that is cut gives the best beside it")
def test_an_interrupt_gives_the_best(wheels):
    loop, eq, _, _ = wheels

    def stop(stage, best, elapsed):
        if stage.startswith("squares"):
            raise KeyboardInterrupt

    roa = gc.region_of_attraction(loop, eq, seconds=4, progress=stop)
    assert roa.method == "slopes"
    assert "interrupt" in roa.reason
    with pytest.raises(KeyboardInterrupt):
        gc.region_of_attraction(loop, eq, by="squares", progress=stop)


def test_the_larger_set_is_returned():
    """Of a damped pendulum the energy holds all below the saddle, slopes a part of that."""
    phi = gc.Coordinate("phi", angle=True)
    system = gc.EulerPoincare(
        algebra=None,
        shape=[phi],
        inertia=[[2]],
        potential=-3 * sp.cos(phi.symbol),
        forces=[-phi.rate],
        name="pendulum",
    ).reduce()
    roa = gc.region_of_attraction(system, system.state())
    assert roa.method == "energy"
    small = gc.region_of_attraction(system, system.state(), by="slopes", seconds=1)
    assert np.all(roa.contains(edge(small, 20, 8)))


@pytest.mark.parametrize("seconds", [0, -1, "soon", math.nan])
def test_bad_seconds_are_told(seconds):
    system = cubic()
    with pytest.raises(gc.InputError, match="seconds"):
        gc.region_of_attraction(system, system.state(), seconds=seconds)
    with pytest.raises(TypeError, match="progress"):
        gc.region_of_attraction(system, system.state(), progress=3)
