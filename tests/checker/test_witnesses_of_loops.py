"""Sampled loops: what the search proves is confirmed by witnesses, and nothing where one hypothesis fails."""

import copy
import json
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from flint import fmpq
from scipy.linalg import expm, solve_discrete_lyapunov

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.analysis.witnesses.lyapunov_forms import multiplying_form
from geoctrl.checker.limits import Refusal
from geoctrl.checker.numbers import ball as enclosure
from geoctrl.checker.question import Question
from geoctrl.checker.reader import FILE, conform
from geoctrl.checker.theorems.held_loop import INSIDE, hold_matrix
from tests.attack.forge.by_hand import Equations, decided
from tests.checker.test_witnesses import CHANGES, at, changed, numbers
from tests.decisions.test_hostile_loops import IDENTITY, cart, integrator, loop, row
from tests.sampling.test_held_at_exact_points import ball, cube


def on_levels():
    """y' = (c - y) p, p' = 0 at p = 1: each level of p has its fixed point y = 0."""
    e = Equations(y=0, p=1, c=0)
    field = [e.total(e.monomial(1, c=1, p=1), e.monomial(-1, y=1, p=1)), e.number(0), e.number(0)]
    problem = loop(e, field, {"c": e.monomial("1/2", y=1)}, invariants={"p": e.places["p"]})
    return decided(problem, conserved=["p"], lyapunov=[["1"]])


def at_rest(hold="1/2", **proposal):
    """A cart that rests anywhere."""
    e, field, law, _ = cart()
    return decided(loop(e, field, law, rest=[row(e, 1, 1, 1)], hold=hold), **proposal)


def with_a_state_of_its_own():
    e = Equations(x=0, c=0, z=0)
    field = [e.places["c"], e.number(0), e.number(0)]
    problem = loop(e, field, {"c": e.monomial(-1, x=1)}, {"z": e.monomial(-1, z=1)}, late=1)
    M = np.array([[1, 0, 0.5], [0, 0.5, 0], [-1, 0, 0]])
    P = solve_discrete_lyapunov(M.T, np.eye(3))
    return decided(problem, lyapunov=[[str(Fraction(float(c))) for c in row] for row in (P + P.T) / 2])


def skate(sigma=-5e-6, k=8, kappa=1.0, **options):
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    gamma = 1 / (1 + sigma * 2.27 / 0.005**2)
    law = gc.match(mechanism).law(sigma=sigma).with_damping(k=k / (gamma - 1), kappa=kappa)
    return plant, plant.equilibrium("sliding", Y0=1.0), law.sampled(**options)


def upright(rate, **options):
    plant = gc.models.get("cart-pendulum")().reduce()
    eq = plant.equilibrium("upright", **dict.fromkeys(plant.families["upright"].names, 0.5))
    return plant, eq, gc.lqr(plant, eq).sampled(rate=rate, **options)


def sampled(made, rate):
    system, eq, law = made
    return system, eq, law.sampled(rate=rate)


PROOFS = {
    "integrator": lambda: decided(integrator(-1), lyapunov=IDENTITY[1]),
    "integrator held too long": lambda: decided(integrator("-4001/1000"), multiplier=[-1.0005, 0.0]),
    "state of its own": with_a_state_of_its_own,
    "levels": on_levels,
    "cart at rest": lambda: at_rest(lyapunov=[["1"]]),
    "cart that swings": lambda: at_rest("5/2", multiplier=[-1.5, 0.0]),
    "pendulum on a cart": lambda: upright(50, delay=0.005),
    "pendulum on a slow cart": lambda: upright(2),
    "skate": lambda: skate(rate=100),
    "skate with a lag": lambda: skate(lag=0.02),
    "skate with lag and delay": lambda: skate(kappa=0.0, lag=0.01, delay=0.013),
    "skate held too long": lambda: skate(sigma=-1e-5, k=2.7, rate=1),
    "ball": lambda: sampled(ball(), 100),
    "slow ball": lambda: sampled(ball(), 0.2),
    "cube": lambda: sampled(cube(), 100),
}


@cache
def proof(name):
    made = PROOFS[name]()
    return made if isinstance(made, dict) else gc.certify(*made[:2], controller=made[2]).proof


@cache
def content(name):
    return json.loads(json.dumps(content_with_witnesses(proof(name))))


@pytest.mark.parametrize("name", PROOFS)
def test_search_and_checker_agree(name):
    found, given = checker.prove(content(name)), proof(name)
    assert (found.verdict, found.method) == (given["verdict"], given["method"])
    for key, told in found.told.items():
        assert given["evidence"][key] == told


def test_each_theorem_is_met():
    words = "attracts", "repels", "rests on a manifold"
    names = {"loop with fixed points", *(f"loop that {word}" for word in words)}
    by_hand = "integrator", "integrator held too long", "levels", "cart at rest", "ball"
    assert {content(name)["theorem"]["name"] for name in by_hand} == names


@pytest.mark.parametrize(
    "name", ["integrator", "integrator held too long", "levels", "cart at rest", "pendulum on a cart", "ball"]
)
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_witness_proves_the_same_or_nothing(name, change):
    refused = 0
    for part in ("witness", "theorem"):
        for path in numbers(content(name)[part]):
            data = changed(content(name), part, path, CHANGES[change])
            if at(data[part], path) in (at(content(name)[part], path), "-0") or path[:1] == ("loop",):
                continue  # hold and delay are of the loop: another one may well be stable
            try:
                assert checker.prove(data).verdict == proof(name)["verdict"], path
                assert path[0] in ("P", "m", "v"), path
            except Refusal:
                refused += 1
    assert refused or change == "a thousandth more" or name == "integrator"


def refused(data, words, **change):
    with pytest.raises(Refusal, match=words):
        checker.prove(data | {"theorem": data["theorem"] | change})


def attracting(problem, **more):
    """A loop by hand whose multipliers are said to be inside by |x|^2."""
    held, labels = problem["held"], list(problem["states"])
    size = len(labels) - len(held["commands"]) * (held["late"] == 0 and held["part"] == "0")
    given = {k: v for k, v in held.items() if k != "rest"} | {"units": [0] * len(labels)}
    given["cofactors"] = [[] for _ in (*held["commands"], *held["own"])]
    triangle = [[str(int(i == j)) for j in range(i + 1)] for i in range(size)]
    return {
        "format": "geoctrl-certificate",
        "version": 3,
        "software": "by hand",
        "system": "loop",
        "problem": {k: v for k, v in problem.items() if k not in ("kind", "held", "family")},
        "witness": {"roots": [], "inverse": [], "cofactors": {}},
        "theorem": {"name": "loop that attracts", "rows": [], "free": labels, "inverse": [], "loop": given}
        | {"P": triangle}
        | more,
        "digest": "",
    }


# -- forms ------------------------------------------------------------------------------------------------


def test_multipliers_are_inside_or_outside():
    assert checker.prove(attracting(integrator(-1))).verdict == "PROVED_ASYMPTOTICALLY_STABLE"
    for gain in (0, -4, 1, -5):
        for size in ("1", "-1", "1/1000000", "100000000"):
            refused(attracting(integrator(gain)), "fall from hold to hold", P=[[size]])
    refused(attracting(integrator(-1)), "fall from hold to hold", P=[["-1"]])
    refused(attracting(integrator(-1)), "do not fit|fall", P=[])
    data = attracting(integrator(1))
    grows = data["theorem"] | {"name": "loop that repels", "m": "5/4", "v": ["1"]}
    assert checker.prove(data | {"theorem": grows}).verdict == "PROVED_UNSTABLE"
    for m in ("3/2", "2", "-5/4"):
        refused(data | {"theorem": grows}, "grow from hold to hold", m=m)
    refused(data | {"theorem": grows}, "positive there", v=["0"])
    refused(data | {"theorem": grows}, "grow from hold to hold", P=[["-1"]])
    # Of M = 1/2, x^2 less than nothing grows as well, and with m below one so does a form that falls.
    falls = attracting(integrator(-1))
    falls["theorem"] = grows | {"m": "1/4"}
    refused(falls, "grow from hold to hold")
    falls["theorem"] = grows | {"P": [["-1"]]}
    refused(falls, "positive there")


@pytest.mark.parametrize("seed", range(20))
def test_forms_that_multiply_are_those_of_eigenvalues(seed):
    """In units that differ by 2^60 as well."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    M = rng.integers(-9, 10, (n, n)) / 4
    largest = np.max(np.abs(np.linalg.eigvals(M)))
    scale = 2.0 ** rng.integers(-30, 31, n)
    rows = [[Fraction(float(c)) for c in r] for r in M * scale[:, None] / scale]
    exact = [[fmpq(c.numerator, c.denominator) for c in r] for r in rows]
    if largest > 1 + 1e-6:
        m, *_ = multiplying_form(exact)
        assert m > 1
        assert float(enclosure(m).mid()) < largest


@pytest.mark.parametrize("seed", range(12))
def test_a_hold_is_that_of_exponentials(seed):
    """M of random linear loops, by commands as states of one long system run piece by piece."""
    rng = np.random.default_rng(seed)
    A, B, K = rng.integers(-3, 4, (2, 2)), rng.integers(-2, 3, 2), rng.integers(-2, 3, 2)
    late, part, h = int(rng.integers(0, 3)), int(rng.integers(0, 3)), 0.3
    e = Equations(x=0, y=0, c=0)
    rates = [
        e.total(*(e.monomial(int(a), **{k: 1}) for a, k in zip(r, "xyc", strict=True)))
        for r in np.column_stack([A, B])
    ]
    law = e.total(*(e.monomial(int(k), **{x: 1}) for k, x in zip(K, "xy", strict=True)))
    options = {"hold": "3/10", "late": late, "part": f"{part}/3"}
    data = attracting(loop(e, [*rates, e.number(0)], {"c": law}, **options))
    read = conform(data, FILE | checker.theorem_by_name(data["theorem"]["name"])[0])
    found = hold_matrix(Question(read["problem"], read["witness"]), conform(data["theorem"], INSIDE))
    waiting, r = late + (part > 0), part / 3
    for k in range(2 + waiting):
        state = np.eye(2 + waiting)[k]
        x, queue = state[:2], [state[:2] @ K, *state[2:]]
        for s, u in ((r * h, queue[min(late + 1, waiting)]), ((1 - r) * h, queue[late])):
            block = np.zeros((3, 3))
            block[:2] = np.column_stack([A, B])
            x = (expm(block * s) @ [*x, u])[:2]
        column = [float(enclosure(row[k]).mid()) for row in found]
        assert column == pytest.approx([*x, *queue[:waiting]], abs=1e-9)


# -- who knows of whom ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "held",
    [{"hold": "0"}, {"hold": "-1/2"}, {"part": "1"}, {"part": "-1/2"}, {"commands": {}}, {"own": {"c": 0}}],
    ids=str,
)
def test_a_loop_has_a_hold_and_laws(held):
    data = attracting(integrator(-1))
    data["theorem"]["loop"] |= held
    refused(data, "a hold is positive")


def test_a_command_rests_between_samples():
    e = Equations(x=0, c=0)
    data = attracting(loop(e, [e.places["c"], e.places["x"]], {"c": e.monomial(-1, x=1)}))
    refused(data, "rest between samples")
    data["theorem"]["loop"]["cofactors"] = []
    refused(data, "do not fit")


def test_a_law_is_of_plant_and_controller():
    """c = -x + c is no law; nor is one of an unknown."""
    e = Equations(x=0, c=0)
    law = e.total(e.monomial(-1, x=1), e.monomial(1, c=1))
    refused(attracting(loop(e, [e.places["c"], e.number(0)], {"c": law})), "function of plant")


def test_a_plant_does_not_read_the_controller():
    """x' = c + 5 z: M would leave 5 z out."""
    e = Equations(x=0, c=0, z=0)
    field = [e.total(e.places["c"], e.monomial(5, z=1)), e.number(0), e.number(0)]
    problem = loop(e, field, {"c": e.monomial(-1, x=1)}, {"z": e.monomial(-1, z=1)})
    refused(attracting(problem), "by the commands alone")


@pytest.mark.parametrize("kept", ["c", "z"])
def test_what_changes_at_a_sample_is_not_conserved(kept):
    """x' = x + c, c = x: grows. c and z are kept between samples alone."""
    for part in ("leaf", "invariants"):
        e = Equations(x=0, c=0, z=0)
        field = [e.total(e.places["x"], e.places["c"]), e.number(0), e.number(0)]
        law, own = {"c": e.monomial(1, x=1)}, {"z": e.monomial(-1, z=1)}
        data = attracting(loop(e, field, law, own, **{part: {"kept": e.places[kept]}}))
        free = [k for k in ("x", "c", "z") if k != kept]
        words = "must not depend on what changes"
        refused(data, words, rows=["kept"], free=free, inverse=[["1"]])


def test_the_point_rests():
    """At x = 1 with c = -x asked and c = 0 written, or a controller whose state grows."""
    e = Equations(x=1, c=0)
    law = {"c": e.monomial(-1, x=1)}
    refused(attracting(loop(e, [e.places["c"], e.number(0)], law)), "does not give the commands")
    e = Equations(x=0, c=0, z=0)
    problem = loop(e, [e.places["c"], *[e.number(0)] * 2], {"c": e.monomial(-1, x=1)}, {"z": e.number(1)})
    refused(attracting(problem), "does not give the commands, or moves|moves itself")


def test_something_of_the_plant_moves_and_not_too_much():
    e = Equations(x=0, c=0)
    stiff = loop(e, [e.total(e.monomial(10**30, x=1), e.places["c"]), e.number(0)], {"c": e.number(0)})
    refused(attracting(stiff), "too much moves")
    e = Equations(c=0)
    refused(attracting(loop(e, [e.number(0)], {"c": e.number(0)})), "nothing of the plant")
    data = attracting(integrator(-1))
    data["theorem"]["loop"]["late"] = 64
    refused(data, "or too much")
    data = attracting(integrator(-1))
    for units in ([], [0], [0, 0, 0]):
        data["theorem"]["loop"]["units"] = units
        refused(data, "do not fit")


def test_levels_are_those_of_functions_that_are_kept():
    """With y' = (c - y) p and p' = p^2 - 1 the level of p is none."""
    data = copy.deepcopy(content("levels"))
    assert data["theorem"]["rows"] == ["p"]
    refused(data, r"fall from hold|do not fit", rows=[], free=["y", "p", "c"], inverse=[])
    nodes, p = data["problem"]["nodes"], data["problem"]["nodes"].index(["sym", "p", "state"])
    nodes += [["num", "-1"], ["prod", "1", [[p, 2]]], ["num", "1"]]
    nodes.append(["sum", [[len(nodes) - 1, len(nodes) - 2], [len(nodes) - 1, len(nodes) - 3]]])
    data["problem"]["field"][1] = len(nodes) - 1
    refused(data, "motion keeps 'p'")


# -- families ---------------------------------------------------------------------------------------------


def test_a_cart_rests_anywhere():
    data = copy.deepcopy(content("cart at rest"))
    rest = data["theorem"]["rest"]
    good = rest["rows"][0]
    nodes = data["problem"]["nodes"]
    nodes += [["num", "0"], ["num", "2"]]
    zero, two = len(nodes) - 2, len(nodes) - 1
    x = nodes.index(["sym", "x", "state"])
    one = good["weights"][0]

    def with_rows(*rows, **more):
        return rest | {"rows": [good | {"weights": w} for w in rows]} | more

    refused(data, "vanish where the loop moves", rest=with_rows([one, one, two]))
    refused(data, "not the inverse", rest=with_rows([zero] * 3))
    refused(data, "not the inverse", rest=with_rows([x] * 3))
    refused(data, "not the inverse|do not fit", rest=with_rows([one] * 3, [one] * 3))
    refused(
        data,
        r"manifold|do not fit|not the inverse",
        rest=rest | {"rows": [], "inverse": [], "independent": []},
    )
    refused(data, "not the inverse", rest=rest | {"across": [["2"]]})
    refused(data, "not the inverse|do not fit", rest=rest | {"equations": rest["equations"][:-1]})
    refused(data, "do not fit", rest=rest | {"kept": ["nothing"]})
    refused(data, "do not fit", rest=with_rows([one, one]))


@pytest.mark.parametrize(("power", "rate"), [(2, 1), (3, 1), (3, -1)])
def test_a_kernel_is_no_family(power, rate):
    """c = -v + x^p has the same linearisation, and rests at x = 0 alone; x^2 and x^3 run away."""
    e, field, law, _ = cart(power, rate)
    data = attracting(loop(e, field, law))
    honest = content("cart at rest")["theorem"]
    one, zero = e.number(1), e.number(0)
    koszul = [e.places["c"], e.monomial(-1, v=1), zero]  # vanishes, and so do its weights
    for weights, words in (([one] * 3, "vanish where the loop moves"), (koszul, "not the inverse")):
        rest = honest["rest"] | {"rows": [{"weights": weights, "unknowns": [], "cofactors": []}]}
        given = {k: v for k, v in honest.items() if k != "loop"} | {"loop": data["theorem"]["loop"]}
        refused(data | {"theorem": given}, words, rest=rest)
    none = honest["rest"] | {"rows": [], "independent": [], "inverse": []}
    refused(data | {"theorem": given}, "manifold", rest=none)
    # As many rows as there are dimensions, of a function that is not kept: x' = v.
    data["problem"]["invariants"] = {"x": e.places["x"]}
    level = none | {"kept": ["x"], "independent": ["x"], "inverse": [["1"]]}
    refused(data | {"theorem": given}, "motion keeps 'x'", rest=level)


def test_a_weight_is_a_number():
    """The logarithm of two is no number of a file: such a weight shows nothing independent."""
    data = copy.deepcopy(content("cart at rest"))
    nodes, rest = data["problem"]["nodes"], data["theorem"]["rest"]
    nodes += [["num", "2"], ["fun", "log", [len(nodes)]]]
    rows = [rest["rows"][0] | {"weights": [len(nodes) - 1] * 3}]
    refused(data, "no number at the point", rest=rest | {"rows": rows})


def test_members_of_a_family_hold_their_commands():
    """What vanishes along it is shown by cofactors; another law asks for something else."""
    data = copy.deepcopy(content("ball"))
    theorem = data["theorem"]
    assert theorem["name"] == "loop with fixed points"
    refused(data, "do not fit", cofactors=theorem["cofactors"][:-1])
    nodes, commands = data["problem"]["nodes"], theorem["loop"]["commands"]
    turning = nodes.index(["sym", "Omega3", "state"])
    name = next(iter(commands))
    nodes += [["num", "1"]]
    nodes += [["sum", [[len(nodes) - 1, commands[name]], [len(nodes) - 1, turning]]]]
    asked = theorem["loop"] | {"commands": commands | {name: len(nodes) - 1}}
    refused(data, "one of motions", loop=asked)
    family = theorem["family"]
    nodes += [["num", "1"]]
    refused(data, "one of motions|equilibria", family=family | {"rates": [len(nodes) - 1]})
    refused(data, "fall from hold", P=[[str(-Fraction(c)) for c in r] for r in theorem["P"]])


def along_a_line(rate, drift, **more):
    """x' = drift, w' = 0, y' = c - y, c = 0, with the line of x for a family that moves at some rate."""
    e = Equations(x=0, w=0, y=0, c=0)
    zero = e.number(0)
    field = [drift(e), zero, e.total(e.places["c"], e.monomial(-1, y=1)), zero]
    s = e.symbol("s", "family")
    family = {"symbols": {"s": "0"}, "states": [s, zero, zero, zero], "unknowns": [], "rates": rate(e)}
    family |= {"along": ["x"], "inverse": [["1"]], "cofactors": [[]] * 4}
    data = attracting(loop(e, field, {"c": zero}, invariants={"w": e.places["w"]}))
    by = {"name": "loop with fixed points", "family": family, "cofactors": [[]]}
    return data | {"theorem": data["theorem"] | by | more}


def test_members_of_a_family_rest():
    """x' = 0 beside x' = x^2, which leaves: the line is that of a motion."""
    whole = {"P": [["1"], ["0", "1"]]}
    still = along_a_line(lambda e: [], lambda e: e.number(0), **whole)
    refused(still, "fall from hold to hold")  # w is kept, and no multiplier of it is inside
    level = {"rows": ["w"], "free": ["x", "y", "c"], "inverse": [["1"]], "P": [["1"]]}
    moving = along_a_line(lambda e: [e.monomial(1, s=2)], lambda e: e.monomial(1, x=2), **whole)
    refused(moving, "not proved to be equilibria")
    for drift in ({"x": 2}, {"w": 1}):
        data = along_a_line(lambda e: [], lambda e, powers=drift: e.monomial(1, **powers), **level)
        refused(data, "one of motions" if "x" in drift else "whole leaf")


def test_a_family_attracts_within_the_whole_leaf():
    for name in ("ball", "cart at rest"):
        data = copy.deepcopy(content(name))
        label = next(k for k in data["theorem"]["free"] if k not in data["theorem"]["loop"]["commands"])
        place = data["problem"]["nodes"].index(["sym", label, "state"])
        data["problem"]["invariants"] = {"level": place}
        refused(data, "whole leaf|keeps", rows=[*data["theorem"]["rows"], "level"])
