"""Hostile files about sampled loops: what they would prove is false, or has no value, or takes for ever.

Of every loop here the truth is known by hand, and is said beside it.
"""

from __future__ import annotations

import json
import time

import numpy as np
import pytest
from scipy.linalg import expm, solve_discrete_lyapunov

from geoctrl import checker
from tests.attack.forge.by_hand import Equations, consistent, verdict

SECONDS = 2.0
IDENTITY = {n: [[str(int(i == j)) for j in range(n)] for i in range(n)] for n in range(1, 5)}


def loop(e, field, law, own=None, leaf=None, invariants=None, rest=(), **held):
    """x of the plant, the command c of one law, states of the controller by name of their rates."""
    problem = e.problem(field, leaf, invariants)
    asked = {"hold": "1/2", "late": 0, "part": "0", "commands": law, "own": own or {}, "rest": list(rest)}
    return problem | {"kind": "held", "held": asked | held}


def integrator(gain, **held):
    """x' = c, c = gain x: M = 1 + gain h, h = 1/2."""
    e = Equations(x=0, c=0)
    return loop(e, [e.places["c"], e.number(0)], {"c": e.monomial(gain, x=1)}, **held)


def test_an_integrator():
    """Stable if and only if -4 < gain < 0; P = 1 shows it, or nothing does."""
    assert verdict(integrator(-1), lyapunov=IDENTITY[1]) == "PROVED_ASYMPTOTICALLY_STABLE"
    assert verdict(integrator("-3999/1000"), lyapunov=IDENTITY[1]) == "PROVED_ASYMPTOTICALLY_STABLE"
    assert verdict(integrator("-4001/1000"), multiplier=[-1.0005, 0.0]) == "PROVED_UNSTABLE"
    assert verdict(integrator(-1)) == "UNDECIDED"
    for gain in (0, -4, 1, -5):
        for size in ("1", "-1", "1/1000000", "100000000"):
            assert verdict(integrator(gain), lyapunov=[[size]]) == "refused"
    for gain in (-1, 0, -4, "-3999/1000"):
        for near in ([1.0, 0.0], [-1.0, 0.0], [1.5, 0.0], [0.5, 3.0], [1e200, 1e200], [0.0, 0.0]):
            assert verdict(integrator(gain), multiplier=near) == "refused"


@pytest.mark.parametrize(
    "matrix", [[], [["1"], ["1"]], [["1", "0"], ["0", "1"]], [["0"]], [["-1"]], [["1", "0"]]]
)
def test_matrices_that_are_none(matrix):
    assert verdict(integrator(-1), lyapunov=matrix) == "refused"


def test_a_matrix_is_symmetric():
    """x'' = c, c = 0: grows. Its lower part alone would be that of a proof for another loop."""
    e = Equations(x=0, v=0, c=0)
    free = loop(e, [e.places["v"], e.places["c"], e.number(0)], {"c": e.number(0)})
    assert verdict(free, lyapunov=[["1", "-1000000"], ["0", "1"]]) == "refused"
    assert verdict(free, lyapunov=IDENTITY[2]) == "refused"


@pytest.mark.parametrize(
    "held",
    [
        {"hold": "0"},
        {"hold": "-1/2"},
        {"part": "1"},
        {"part": "-1/2"},
        {"late": -1},
        {"late": 65},
        {"late": 64},  # as many states as commands wait
        {"commands": {}},
        {"commands": {"y": 0}},
        {"commands": {"c": 10**4}},
        {"own": {"c": 0}},
        {"own": {"y": 0}},
        {"rest": [[[], []]]},
        {"rest": [[[0, 10**4], []]]},
        {"hold": "1e-3"},
    ],
    ids=str,
)
def test_what_is_no_loop(held):
    assert verdict(integrator(-1, **held), lyapunov=IDENTITY[1]) == "refused"


def test_a_delay_is_counted():
    """A command -2 g x that acts r holds later, r <= 1: the determinant is g r, stable for g r < 1."""
    for g, late, r, stable in (
        (0.95, 1, 0, True),
        (1.05, 1, 0, False),
        (1.95, 0, 0.5, True),
        (2.05, 0, 0.5, False),
    ):
        problem = integrator(_fraction(-2 * g), late=late, part=_fraction(r))
        r = r or late
        M = np.array([[1 - g * (1 - r), r / 2], [-2 * g, 0]])
        assert (np.abs(np.linalg.eigvals(M)).max() < 1) == stable
        assert (verdict(problem, lyapunov=_lyapunov(M)) == "PROVED_ASYMPTOTICALLY_STABLE") == stable
        if not stable:
            roots = np.linalg.eigvals(M)
            root = roots[np.argmax(np.abs(roots))]
            assert verdict(problem, multiplier=[float(root.real), float(root.imag)]) == "PROVED_UNSTABLE"


def _lyapunov(M):
    P = solve_discrete_lyapunov(M.T, np.eye(len(M)))
    return [[_fraction(v) for v in row] for row in (P + P.T) / 2]


def _fraction(v):
    p, q = float(v).as_integer_ratio()
    return f"{p}/{q}"


# -- who knows of whom ------------------------------------------------------------------------------------


def test_a_command_rests_between_samples():
    """x' = c with c' = x as well is no hold: at gain -1 it would be another loop."""
    e = Equations(x=0, c=0)
    assert verdict(loop(e, [e.places["c"], e.places["x"]], {"c": e.monomial(-1, x=1)}), lyapunov=[["1"]]) == (
        "refused"
    )


def test_a_law_does_not_read_its_command():
    """c = -x + c is no law."""
    e = Equations(x=0, c=0)
    law = e.total(e.monomial(-1, x=1), e.places["c"])
    assert verdict(loop(e, [e.places["c"], e.number(0)], {"c": law}), lyapunov=[["1"]]) == "refused"


def test_a_plant_does_not_read_the_controller():
    """x' = c + 5 z, z+ = z - z h... : M would leave 5 z out."""
    e = Equations(x=0, c=0, z=0)
    field = [e.total(e.places["c"], e.monomial(5, z=1)), e.number(0), e.number(0)]
    problem = loop(e, field, {"c": e.monomial(-1, x=1)}, {"z": e.monomial(-1, z=1)})
    assert verdict(problem, lyapunov=IDENTITY[2]) == "refused"
    e = Equations(x=0, c=0, z=0)
    field = [e.places["c"], e.number(0), e.number(0)]
    honest = loop(e, field, {"c": e.monomial(-1, x=1)}, {"z": e.monomial(-1, z=1)})
    assert verdict(honest, lyapunov=IDENTITY[2]) == "PROVED_ASYMPTOTICALLY_STABLE"


@pytest.mark.parametrize("place", ["leaf", "invariants"])
def test_what_changes_at_a_sample_is_not_conserved(place):
    """x' = x + c, c = x: grows. c and z are kept between samples; a leaf c = 0 would leave nothing moving."""
    for held in ("c", "z"):
        e = Equations(x=0, c=0, z=0)
        field = [e.total(e.places["x"], e.places["c"]), e.number(0), e.number(0)]
        parts = {place: {"kept": e.places[held]}}
        problem = loop(e, field, {"c": e.monomial(1, x=1)}, {"z": e.monomial(-1, z=1)}, **parts)
        names = {"conserved": ["kept"]} if place == "invariants" else {}
        for n in (1, 2):
            assert verdict(problem, lyapunov=IDENTITY[n], **names) == "refused"


def test_a_function_is_conserved_under_every_command():
    """x' = y, y' = -x + c, c = 0 x: x^2 + y^2 is kept at the command zero, not at others."""
    e = Equations(x=1, y=0, c=1)
    field = [e.places["y"], e.total(e.monomial(-1, x=1), e.places["c"]), e.number(0)]
    energy = e.total(e.monomial(1, x=2), e.monomial(1, y=2))
    problem = loop(e, field, {"c": e.monomial(1, x=1)}, invariants={"energy": energy})
    assert verdict(problem, conserved=["energy"], lyapunov=IDENTITY[1]) == "refused"


def test_the_point_rests():
    """x' = c at x = 1 with c = -x asked and c = 0 written, or a controller whose state grows."""
    e = Equations(x=1, c=0)
    assert verdict(loop(e, [e.places["c"], e.number(0)], {"c": e.monomial(-1, x=1)}), lyapunov=[["1"]]) == (
        "refused"
    )
    e = Equations(x=0, c=0, z=0)
    growing = loop(e, [e.places["c"], *[e.number(0)] * 2], {"c": e.monomial(-1, x=1)}, {"z": e.number(1)})
    assert verdict(growing, lyapunov=IDENTITY[2]) == "refused"


def test_a_law_with_a_kink():
    """c = -|x| has no derivative: x < 0 runs away."""
    e = Equations(x=0, c=0)
    size = e.function("select", e.places["x"], e.places["x"], e.monomial(-1, x=1))
    law = e.total(e._add("prod", "-1", [[size, 1]]))
    assert verdict(loop(e, [e.places["c"], e.number(0)], {"c": law}), lyapunov=[["1"]]) == "refused"


# -- families ---------------------------------------------------------------------------------------------


def cart(power=1, rate=1, **more):
    """x' = v, v' = c, c = -v^1 or -v + x^power: at rest anywhere, or at x = 0 alone."""
    e = Equations(x=0, v=0, c=0)
    law = e.monomial(-1, v=1) if power == 1 else e.total(e.monomial(-1, v=1), e.monomial(rate, x=power))
    e.law = law
    return e, [e.places["v"], e.places["c"], e.number(0)], {"c": law}, more


def row(e, *weights):
    return [[e.number(w) if not isinstance(w, str) else e.places[w] for w in weights], []]


def test_a_cart_rests_anywhere():
    """Truth: M = 1 and 1 - h. R = (v, c, -v - c): R1 + R2 + R3 = 0."""
    e, field, law, _ = cart()
    good = row(e, 1, 1, 1)
    assert verdict(loop(e, field, law, rest=[good]), lyapunov=[["1"]]) == "PROVED_STABLE"
    for bad in ([], [row(e, 0, 0, 0)], [row(e, 1, 1, 2)], [row(e, "x", "x", "x")], [good, good]):
        assert verdict(loop(e, field, law, rest=bad), lyapunov=[["1"]]) == "refused"
        assert verdict(loop(e, field, law, rest=bad), lyapunov=IDENTITY[2]) == "refused"
    # held for 5/2 it swings up
    assert verdict(loop(e, field, law, rest=[good], hold="5/2"), lyapunov=[["1"]]) == "refused"
    assert verdict(loop(e, field, law, rest=[good], hold="5/2"), multiplier=[-1.5, 0.0]) == "PROVED_UNSTABLE"


@pytest.mark.parametrize(("power", "rate"), [(2, 1), (3, 1), (3, -1)])
def test_a_kernel_is_no_family(power, rate):
    """c = -v + x^p has the same linearisation, and rests at x = 0 alone; x^2 and x^3 run away."""
    e, field, law, _ = cart(power, rate)
    koszul = [[e.places["c"], e.monomial(-1, v=1), e.number(0)], []]  # vanishes, and so do its weights
    for rows in ([row(e, 1, 1, 1)], [koszul], [row(e, 1, 1, 1), koszul]):
        for n in (1, 2):
            assert verdict(loop(e, field, law, rest=rows), lyapunov=IDENTITY[n]) == "refused"


def test_a_position_that_drifts():
    """x' = v, v' = 0, y' = c, c = -y: v is conserved, and x leaves."""
    e = Equations(x=0, v=0, y=0, c=0)
    field = [e.places["v"], e.number(0), e.places["c"], e.number(0)]
    law, kept = {"c": e.monomial(-1, y=1)}, {"v": e.places["v"]}
    for rows in ([], [row(e, 0, 1, 0, 0)], [row(e, 0, "v", 0, 0)], [row(e, 1, 0, 0, 0)]):
        for names in ([], ["v"]):
            problem = loop(e, field, law, invariants=kept, rest=rows)
            for n in (1, 2, 3):
                assert verdict(problem, conserved=names, lyapunov=IDENTITY[n]) == "refused"


def test_level_sets():
    """y' = (c - y) p, p' = 0 at p = 1: each level of p has its fixed point y = 0."""
    e = Equations(y=0, p=1, c=0)
    field = [e.total(e.monomial(1, c=1, p=1), e.monomial(-1, y=1, p=1)), e.number(0), e.number(0)]
    problem = loop(e, field, {"c": e.monomial("1/2", y=1)}, invariants={"p": e.places["p"]})
    assert verdict(problem, conserved=["p"], lyapunov=[["1"]]) == "PROVED_STABLE"
    assert verdict(problem, lyapunov=IDENTITY[2]) == "refused"


# -- files ------------------------------------------------------------------------------------------------


def test_a_file_is_about_its_hold_and_its_law(tmp_path):
    """M = 1 - h at h = 1/2: a file with another hold, delay or law is one about another loop."""
    path = consistent(tmp_path / "c.json", integrator(-1), {"lyapunov": [["1"]]})
    report = checker.check_file(path)
    assert report.verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    assert "computes c = -x every 0.5 s, sets it at once and holds it, without limits" in report.claim
    data = json.loads(path.read_text())

    def checked(**change):
        other = data | {"theorem": data["theorem"] | {"loop": data["theorem"]["loop"] | change}}
        with pytest.raises(checker.Refusal, match="digest"):
            checker.check(other)
        return checker.check(other | {"digest": checker.digest_of(other)})

    faster = checked(hold="1/4")
    assert faster.verdict == report.verdict
    assert faster.claim == report.claim.replace("every 0.5 s", "every 0.25 s")
    for change in ({"hold": "5/2"}, {"late": 1}, {"part": "1/2"}, {"commands": {"c": 0}}):
        with pytest.raises(checker.Refusal, match=r"fall from hold|do not fit"):
            checked(**change)
    assert verdict(integrator("-9/10"), lyapunov=[["1"]]) == report.verdict


def test_it_ends():
    """A stiff plant, a long number, sixty commands that wait."""
    e = Equations(x=0, c=0)
    stiff = loop(e, [e.total(e.monomial(10**900, x=1), e.places["c"]), e.number(0)], {"c": e.number(0)})
    begin = time.monotonic()
    assert verdict(stiff, lyapunov=IDENTITY[1]) == "refused"
    assert verdict(integrator(-1, hold=f"1/{10**900}"), lyapunov=IDENTITY[1]) in (
        "refused",
        "PROVED_ASYMPTOTICALLY_STABLE",
    )
    assert verdict(integrator(-1, late=60), lyapunov=[["1"] * 61] * 61) == "refused"
    assert time.monotonic() - begin < SECONDS


# -- against floats ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_random_linear_loops(seed):
    """Never another verdict than the eigenvalues of M, made by other hands."""
    rng = np.random.default_rng(seed)
    n, late, part = int(rng.integers(1, 4)), int(rng.integers(0, 3)), int(rng.integers(0, 3))
    A, B = rng.integers(-3, 4, (n, n)), rng.integers(-2, 3, n)
    K, h, r = rng.integers(-2, 3, n), int(rng.integers(1, 5)), part / 3
    names = [f"x{i}" for i in range(n)]
    e = Equations(**dict.fromkeys([*names, "c"], 0))
    rows = [
        e.total(*(e.monomial(int(a), **{k: 1}) for a, k in zip(row, [*names, "c"], strict=True)))
        for row in np.column_stack([A, B])
    ]
    law = e.total(*(e.monomial(int(k), **{x: 1}) for k, x in zip(K, names, strict=True)))
    options = {"hold": f"{h}/10", "late": late, "part": f"{part}/3"}
    problem = loop(e, [*rows, e.number(0)], {"c": law}, **options)
    M = _by_hand(A, B, K, h / 10, late, r)
    roots = np.linalg.eigvals(M)
    root = roots[np.argmax(np.abs(roots))]
    multiplier = [float(root.real), float(root.imag)]
    if abs(root) < 1 - 1e-9:
        assert verdict(problem, lyapunov=_lyapunov(M)) == "PROVED_ASYMPTOTICALLY_STABLE"
        assert verdict(problem, multiplier=multiplier) == "refused"
    else:
        P = solve_discrete_lyapunov(M.T / 2 / abs(root), np.eye(len(M)))  # of M made smaller
        forged = [[_fraction(v) for v in row] for row in (P + P.T) / 2]
        assert verdict(problem, lyapunov=forged) == "refused"
        if abs(root) > 1 + 1e-6:
            assert verdict(problem, multiplier=multiplier) == "PROVED_UNSTABLE"


def _by_hand(A, B, K, h, late, r):
    """Commands as states of one long linear system, run piece by piece."""
    n, waiting = len(A), late + (r > 0)
    columns = []
    for k in range(n + waiting):
        state = np.eye(n + waiting)[k]
        x, queue = state[:n], [state[:n] @ K, *state[n:]]
        for s, u in ((r * h, queue[min(late + 1, waiting)]), ((1 - r) * h, queue[late])):
            block = np.zeros((n + 1, n + 1))
            block[:n] = np.column_stack([A, B])
            x = (expm(block * s) @ [*x, u])[:n]
        columns.append([*x, *queue[:waiting]])
    return np.array(columns).T
