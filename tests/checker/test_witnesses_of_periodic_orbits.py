"""Files of periodic orbits: what is known of them in other ways, and nothing where one hypothesis fails."""

import copy
import json
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb, arb_mat, ctx, fmpq

import geoctrl as gc
from geoctrl import checker as witnesses
from geoctrl.analysis.witnesses.content import parts_as_read
from geoctrl.checker.enclosures.balls import Balls
from geoctrl.checker.flows.flow import axes
from geoctrl.checker.flows.series import Motion, value_at
from geoctrl.checker.limits import Refusal
from geoctrl.checker.question import Question
from tests.checker.test_witnesses import CHANGES, at, changed, numbers
from tests.sweeps import sampled

Q, R = gc.Coordinate("q"), gc.Coordinate("r")


def oscillator(force=0, potential=0, shape=(Q,), **parts):
    forces = {"forces": [force, *[0] * (len(shape) - 1)]} if force != 0 else {}
    potential = {"potential": potential} if potential != 0 else {}
    mechanism = gc.EulerPoincare(
        None, shape=list(shape), inertia=sp.eye(len(shape)), **forces, **potential, **parts
    )
    return mechanism.reduce()


def cycle(sense=1, rate=1, size=1):
    """q'' = e w (1 - q^2/a^2) q' - w^2 q."""
    w, a = sp.Rational(Fraction(rate)), sp.Rational(Fraction(size))
    force = sense * w / 4 * (1 - Q.symbol**2 / a**2) * Q.rate - w**2 * Q.symbol
    return oscillator(force), {"q": 2 * float(a)}, 6.3 / float(rate)


def pendulum():
    return oscillator(potential=-sp.Rational(981, 100) * sp.cos(Q.symbol)), {"q": 1.1}, 2.2


def across_a_mode():
    potential = Q.symbol**2 / 2 + Q.symbol**4 / 4 - R.symbol**2 / 2
    return oscillator(potential=potential, shape=(Q, R)), {"q": 1.1}, 4.5


def body():
    return gc.models.get("free-rigid-body")().reduce(), {"Omega1": 0.2, "Omega3": 1.0}, 8.0


MADE = {
    "cycle": cycle,
    "cycle that repels": lambda: cycle(-1),
    "cycle by microseconds": lambda: cycle(rate=10**5, size=Fraction(1, 1000)),
    "cycle by days": lambda: cycle(rate=Fraction(1, 10**5), size=1000),
    "pendulum": pendulum,
    "across a mode": across_a_mode,
    "body": body,
}
VERDICTS = {
    "cycle": "PROVED_ASYMPTOTICALLY_STABLE",
    "cycle that repels": "PROVED_UNSTABLE",
    "cycle by microseconds": "PROVED_ASYMPTOTICALLY_STABLE",
    "cycle by days": "PROVED_ASYMPTOTICALLY_STABLE",
    "pendulum": "PROVED_STABLE",
    "across a mode": "PROVED_UNSTABLE",
    "body": "PROVED_STABLE",
}


BITS = {"cycle that repels": 64, "across a mode": 72, "body": 64}
"""Of those with which no number to twenty digits is compared."""


UNITS = "the cycle in other units is that by microseconds too"


@cache
def enclosure(name):
    system, values, period = MADE[name]()
    x = np.array([values.get(label, 0.0) for label in system.state_labels])
    return gc.find_periodic(system, x, period).enclose(bits=BITS.get(name, 96))


@cache
def content(name):
    return json.loads(enclosure(name).to_json())


def verdict(data):
    try:
        return witnesses.prove(data).verdict
    except Refusal:
        return None


def with_parts(name, /, **parts):
    data = copy.deepcopy(content(name))
    return data | {"theorem": data["theorem"] | parts}


@pytest.mark.parametrize("name", sampled(MADE, MADE.keys() - {"cycle by days"}, reason=UNITS))
def test_search_and_checker_agree(name):
    found = witnesses.check(content(name))
    assert found.verdict == enclosure(name).verdict.value == VERDICTS[name]
    assert found.claim == enclosure(name).claim


def orbit(name):
    return witnesses.prove(content(name)).told["region"].orbit


CYCLES = ["cycle", "cycle by microseconds", "cycle by days"]


@pytest.mark.parametrize("name", sampled(CYCLES, CYCLES[:2], reason=UNITS))
def test_the_period_and_the_multiplier_of_a_cycle_are_those_of_a_series(name):
    """By Taylor series in 40 digits from the state of the file; Liouville for the multiplier."""
    found = orbit(name)
    with mpmath.workdps(40), ctx.workprec(128):
        rate = {"cycle": 1, "cycle by microseconds": 10**5, "cycle by days": mpmath.mpf(1) / 10**5}[name]
        size = {"cycle": 1, "cycle by microseconds": mpmath.mpf(1) / 1000, "cycle by days": 1000}[name]
        box = [x * d for x, d in zip(found.box, found.motion.sizes, strict=True)]
        T = mpmath.mpf(str(box[-1].mid().str(35, radius=False))) * rate
        q, v, log = mpmath.mpf(str(box[1].mid().str(35, radius=False))) / size, mpmath.mpf(0), mpmath.mpf(0)
        h, first = T / 50, q
        for _ in range(50):
            a, b, c = [q], [v], [log]
            for k in range(30):
                square = [sum(a[i] * a[j - i] for i in range(j + 1)) for j in range(k + 1)]
                damped = [(1 if j == 0 else 0) - square[j] for j in range(k + 1)]
                force = sum(damped[i] * b[k - i] for i in range(k + 1)) / 4 - a[k]
                a, b, c = [*a, b[k] / (k + 1)], [*b, force / (k + 1)], [*c, damped[k] / 4 / (k + 1)]
            q, v, log = (mpmath.polyval(s[::-1], h) for s in (a, b, c))
        assert abs(q - first) < 1e-20
        assert abs(v) < 1e-20
        expected = arb(str(mpmath.exp(log)))
        assert enclosure(name).verdict.value == VERDICTS[name]
        ((multiplier,),) = found.multipliers
        assert abs(multiplier - expected) < 1e-18
        (z,) = enclosure(name).multipliers
        assert z.real.overlaps(expected)
        assert enclosure(name).period.overlaps(box[-1])
        assert float(box[-1].rad() / box[-1]) < 1e-20


def test_the_period_of_a_pendulum_is_the_elliptic_integral():
    found = orbit("pendulum")
    with mpmath.workdps(40), ctx.workprec(128):
        values = {k: mpmath.mpf(int(v.p)) / int(v.q) for k, v in found.question.problem["states"].items()}
        w2 = mpmath.mpf(981) / 100
        m = (values["q_dot"] ** 2 / 2 / w2 - mpmath.cos(values["q"]) + 1) / 2
        exact = arb(str(4 * mpmath.ellipk(m) / mpmath.sqrt(w2)))
        period = found.box[-1] * found.motion.sizes[-1]
        assert abs(period - exact) < 1e-22


@pytest.mark.long(reason="orbits/test_enclosure.py encloses multipliers across a mode")
def test_growth_across_a_mode_is_an_exponential_of_the_period():
    found = orbit("across a mode")
    with ctx.workprec(128):
        T = found.box[-1] * found.motion.sizes[-1]
        M = arb_mat(found.multipliers)
        assert (M[0, 0] + M[1, 1] - T.exp() - (-T).exp()).overlaps(arb(0))
        assert (M.det() - 1).overlaps(arb(0))


def verdicts_of_changes(name, change, besides=()):
    """What is proved with each number of a file changed, but those of some parts of its theorem."""
    for part in ("witness", "theorem"):
        for path in numbers(content(name)[part]):
            data = changed(content(name), part, path, CHANGES[change])
            if path[0] not in besides and at(data[part], path) not in (at(content(name)[part], path), "-0"):
                yield verdict(data)


SOME = sampled(CHANGES, CHANGES.keys() - {"one more"}, reason="numbers are moved by a thousandth too")


@pytest.mark.parametrize("change", SOME)
def test_a_changed_witness_proves_the_same_or_nothing(change):
    assert set(verdicts_of_changes("pendulum", change)) in ({None}, {None, "PROVED_STABLE"})


@pytest.mark.parametrize(("name", "own"), [("cycle", ["P"]), ("cycle that repels", ["m", "v"])])
@pytest.mark.parametrize("change", SOME)
def test_a_changed_form_or_growth_proves_the_same_or_nothing(name, own, change):
    """Numbers that the file of the pendulum does not have."""
    found = set(verdicts_of_changes(name, change, besides=theorem(name).keys() - set(own)))
    assert found
    assert found <= {None, VERDICTS[name]}


@pytest.mark.parametrize("step", [0, -1])
@pytest.mark.parametrize("by", [-(1 << 28), 1 << 28, 1])
def test_changed_steps_and_boxes_prove_the_same_or_nothing(step, by):
    for place in ("h", (0, 0), (0, 1), (1, 0), (1, 1)):
        data = copy.deepcopy(content("pendulum"))
        h, sides = data["theorem"]["steps"][step]
        if place == "h":
            data["theorem"]["steps"][step] = [h + by, sides]
            assert verdict(data) is None
        else:
            sides[place[0]][place[1]] += by
            assert verdict(data) in (None, "PROVED_STABLE")


def theorem(name):
    return content(name)["theorem"]


def steps_backwards(name):
    return [[h, B] for h, B in reversed(theorem(name)["steps"])]


def start(name, place, by):
    found = [Fraction(x) for x in theorem(name)["start"]]
    found[place] = by(found[place])
    return [str(x) for x in found]


FORGED = {
    "half the period": ("pendulum", lambda n: {"start": start(n, -1, lambda T: T / 2)}),
    "a period below zero": ("cycle", lambda n: {"start": start(n, -1, lambda T: -T)}),
    "another state": ("pendulum", lambda n: {"start": start(n, 1, lambda q: q + Fraction(1, 10**6))}),
    "another number across": (
        "pendulum",
        lambda n: {"start": start(n, 0, lambda v: v + Fraction(1, 10**30))},
    ),
    "steps backwards": ("cycle", lambda n: {"steps": steps_backwards(n)}),
    "a step less": ("cycle", lambda n: {"steps": theorem(n)["steps"][:-1]}),
    "no steps": ("cycle", lambda n: {"steps": []}),
    "boxes without width": (
        "cycle",
        lambda n: {"steps": [[h, [[a, a] for a, _ in B]] for h, B in theorem(n)["steps"]]},
    ),
    "long steps": (
        "cycle",
        lambda n: {"steps": [[sum(h for h, _ in theorem(n)["steps"]), [[-(1 << 34), 1 << 34]] * 2]]},
    ),
    "a radius too small": ("pendulum", lambda n: {"radius": str(Fraction(1, 10**40))}),
    "a wide box": ("pendulum", lambda n: {"radius": "1/4"}),
    "an inverse of zero": ("pendulum", lambda n: {"Y": [["0"] * 2] * 2}),
    "no level": ("pendulum", lambda n: {"rows": [], "free": ["q_dot", "q"], "inverse": []}),
    "few digits": ("pendulum", lambda n: {"bits": 32}),
    "a low degree": ("pendulum", lambda n: {"degree": 4}),
    "a form that is none": ("cycle", lambda n: {"P": [["-1"]]}),
    "growth by less than one": ("cycle that repels", lambda n: {"m": "99/100"}),
    "growth by too much": ("cycle that repels", lambda n: {"m": "100"}),
    "growth of nothing": (
        "pendulum",
        lambda n: {"name": "periodic orbit that repels", "m": "2", "v": []},
    ),
    "growth where all falls": (
        "cycle",
        lambda n: {"name": "periodic orbit that repels", "m": "2", "v": ["1"], "P": [["1"]]},
    ),
    "a domain that ends": ("pendulum", lambda n: {"domain": [node(n, "q")]}),
}


def node(name, label):
    return next(i for i, row in enumerate(content(name)["problem"]["nodes"]) if row[:2] == ["sym", label])


@pytest.mark.parametrize("case", FORGED)
def test_nothing_is_proved_where_a_hypothesis_fails(case):
    name, parts = FORGED[case]
    assert verdict(with_parts(name, **parts(name))) is None


def test_a_fall_is_none_where_the_orbit_repels():
    parts = {k: v for k, v in theorem("cycle that repels").items() if k not in ("m", "v")}
    forged = parts | {"name": "periodic orbit that attracts", "P": [["1"]]}
    assert verdict(content("cycle that repels") | {"theorem": forged}) is None


def test_what_is_not_conserved_holds_no_level():
    """The energy of a cycle that its friction drives, held as if it were conserved."""
    data = copy.deepcopy(content("cycle"))
    data["problem"]["invariants"] = {"energy": node("cycle", "q")}
    data["theorem"] |= {"rows": ["energy"], "free": ["q_dot"], "inverse": [["1"]], "P": []}
    with pytest.raises(Refusal, match="motion keeps 'energy'"):
        witnesses.prove(data)


def test_equations_of_another_system_have_no_such_orbit():
    data = copy.deepcopy(content("cycle"))
    for i, row in enumerate(data["problem"]["nodes"]):
        if row[0] == "num" and row[1] not in ("0", "1", "-1"):
            data["problem"]["nodes"][i] = ["num", str(Fraction(row[1]) * Fraction(1001, 1000))]
    assert verdict(data) is None


def test_a_bound_on_what_is_held_at_once():
    data = with_parts("pendulum", bits=4096, degree=200)
    data["theorem"]["steps"] = [[1 << 40, [[-(1 << 33), 1 << 33]] * 2]]
    assert verdict(data) is None


# -- the integrator ---------------------------------------------------------------------------------------


def test_series_of_a_motion_are_those_of_sine_and_cosine():
    """q'' = -q in units of its own: T f over 1."""
    system = oscillator(-Q.symbol)
    data = copy.deepcopy(content("pendulum"))
    from geoctrl.analysis.question.motion import EquationsOfMotion
    from geoctrl.analysis.witnesses.content import content_at_point

    stored = EquationsOfMotion.of(system).question({"q": Fraction(1), "q_dot": Fraction(0)}, {})
    made = content_at_point({k: data[k] for k in ("software", "system")}, stored.data)
    q = Question(*parts_as_read(made), Balls([fmpq(0)] * 2))
    with ctx.workprec(100):
        motion = Motion(q, [0, 0, 0], 30)
        place = q.labels.index("q")
        z = [arb(i == place) for i in range(2)] + [arb(1)]
        found, h = motion.coefficients(z, 30), arb(1) / 3
        end = value_at(found, h)
        assert abs(end[place, 0] - h.cos()) < 1e-25
        assert abs(end[1 - place, 0] + h.sin()) < 1e-25
        change = value_at(motion.derivatives(found, 30), h)
        assert abs(change[place, place] - h.cos()) < 1e-25
        assert abs(change[place, 2] + h * h.sin()) < 1e-25  # by the period: s f


def test_axes_are_about_orthogonal_and_hold_the_longest_edge():
    A = arb_mat([[1, 3, 0], [0, 4, 1], [2, 0, 1]])
    found = axes(A)
    product = found.transpose() * found
    assert all(abs(product[i, j] - (i == j)) < 1e-12 for i in range(3) for j in range(3))
    assert abs(found[0, 0] - 0.6) < 1e-12
    assert abs(found[1, 0] - 0.8) < 1e-12
