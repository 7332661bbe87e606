"""The same verdict and the same exact numbers for a number of any type, wherever one enters."""

from decimal import Decimal
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres

KINDS = {
    "int64": np.int64, "int32": np.int32, "int8": np.int8, "uint8": np.uint8, "float16": np.float16,
    "float32": np.float32, "float64": np.float64, "longdouble": np.longdouble, "Decimal": Decimal,
    "Fraction": Fraction, "Integer": sp.Integer, "Float": lambda v: sp.Float(v, 40), "mpf": mpmath.mpf,
    "array": np.array, "bool": lambda v: bool(v) if v == 1 else v,
    "bool_": lambda v: np.bool_(v) if v == 1 else np.int64(v),
}  # fmt: skip
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def same(certificate, expected):
    """Verdict, and point and parameters as they stand in the file, to the last digit."""
    assert certificate.verdict == expected.verdict
    for key in ("states", "inputs", "parameters"):
        assert certificate.proof["problem"].get(key) == expected.proof["problem"].get(key)


def top(kind=lambda v: v, at=lambda v: v):
    """A heavy top whose every number is made by ``kind``."""
    m, g, i1, i3 = (
        gc.Parameter(n, kind(v), positive=True) for n, v in (("m", 1), ("g", 3), ("I1", 100), ("I3", 120))
    )
    gamma = gc.AdvectedVector("Gamma", reference=(kind(0), kind(0), kind(1)))
    xi = gc.so3().xi
    return gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[gamma],
        inertia=sp.diag(i1.symbol, i1.symbol, i3.symbol),
        potential=m.symbol * g.symbol * gamma.symbols[2],
        invariants={"Pi3": i3.symbol * xi[2]},
        symmetry=gc.Axis((kind(0), kind(0), kind(1))),
        parameters=[m, g, i1, i3],
        parameter_sets={"heavy": {"m": kind(7)}},
        equilibria={
            "sleeping": gc.Family({"Omega3": sp.Symbol("w"), "Gamma3": kind(1)}, symbols=[sp.Symbol("w")])
        },
        name="top",
    )


@pytest.fixture(scope="module")
def plain_top():
    return top().reduce()


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


PARAMS = {"m": 1, "l": 1, "g": 19, "I1": 1, "I2": 1, "I3": 2}


@kinds
def test_parameters_and_family_symbols(kind, skate):
    expected = gc.certify(skate, skate.equilibrium("spinning", params=PARAMS, Omega0=27))
    params = {k: kind(v) for k, v in PARAMS.items()}
    point = skate.equilibrium("spinning", params=params, Omega0=kind(27))
    assert all(type(v) in (int, float) for v in point.params.values())
    same(gc.certify(skate, point), expected)
    same(gc.certify(skate, point.x, params=params), expected)
    assert skate.rhs(kind(0), point.x, params=params).dtype == float


def test_integers_of_numpy_do_not_wrap(skate):
    """27 m**2 l**2 g and its like exceed 64 bits in the minors of a Hessian."""
    unstable = {"m": 1, "l": 1, "g": 19, "I1": 1, "I2": 1, "I3": 0.002}
    one = np.int64(1)
    mixed = {"m": one, "l": one, "g": 19 * one, "I1": one, "I2": one, "I3": 0.002}
    for params, rate in ((unstable, 27), (mixed, 27 * one)):
        point = skate.equilibrium("spinning", params=params, Omega0=rate)
        assert gc.certify(skate, point).verdict == gc.Verdict.PROVED_UNSTABLE
    pendulum = gc.models.get("planar-pendulum")().reduce()
    for length in (1.0, np.int64(1), np.int8(1), np.bool_(True)):
        params = {"m": 0.977, "l": length, "J": 0.42, "g": 9.371}
        point = pendulum.equilibrium("hanging", params=params)
        assert gc.certify(pendulum, point).verdict == gc.Verdict.PROVED_STABLE


@pytest.mark.parametrize(("model", "family"), [("pendulum-skate", "spinning"), ("heavy-top", "hanging")])
def test_sweeps_over_integers(model, family):
    system = gc.models.get(model)().reduce()
    for w in np.arange(1, 60, 4):
        assert system.equilibrium(family, Omega0=w).exact == system.equilibrium(family, Omega0=int(w)).exact


@kinds
def test_descriptions(kind, plain_top):
    system = top(kind).reduce()
    assert all(type(v) in (int, float) for v in system.params.values())
    assert type(system.mechanism.parameter_set("heavy")["m"]) in (int, float)
    expected = gc.certify(plain_top, plain_top.equilibrium("sleeping", w=50))
    same(gc.certify(system, system.equilibrium("sleeping", w=kind(50))), expected)
    assert system.mechanism.symmetry.direction == (0, 0, 1)
    assert all(type(q) is Fraction for q in system.mechanism.advected[0].reference)


@kinds
def test_points_guesses_and_held_values(kind, plain_top):
    x = [kind(v) for v in (0, 0, 50, 0, 0, 1)]
    expected = gc.certify(plain_top, [0, 0, 50, 0, 0, 1])
    same(gc.certify(plain_top, x), expected)
    np.testing.assert_array_equal(
        gc.linearize(plain_top, x).A, gc.linearize(plain_top, [0, 0, 50, 0, 0, 1]).A
    )
    same(gc.certify(plain_top, gc.find_equilibrium(plain_top, guess=x)), expected)
    found = gc.find_equilibrium(plain_top, fixed={"Omega3": kind(50), "Gamma3": kind(1)})
    same(gc.certify(plain_top, found), expected)


def test_points_and_parameters_are_the_numbers_given(plain_top):
    """A Decimal the decimal, single precision the binary number; not what a double makes of them."""
    third = gc.certify(plain_top, [0, 0, Fraction(1, 3), 0, 0, -1], params={"m": Decimal("0.1")})
    assert third.proof["problem"]["states"]["Omega3"] == "1/3"
    assert third.proof["problem"]["parameters"]["m"] == "1/10"
    single = gc.certify(plain_top, [0, 0, np.float32(0.1), 0, 0, -1], params={"m": np.float32(0.1)})
    assert single.proof["problem"]["states"]["Omega3"] == "13421773/134217728"
    assert single.proof["problem"]["parameters"]["m"] == "13421773/134217728"


@cache
def skates_matching():
    return gc.match(gc.models.get("pendulum-skate-rotor")())


def sliding(gain):
    """The loop of a gain and what is proved of it."""
    loop = skates_matching().law(sigma=gain).closed_loop()
    return loop, gc.certify(loop, loop.equilibrium("sliding", Y0=1))


@cache
def sliding_by_integer(gain):
    return sliding(gain)[1]


@kinds
@pytest.mark.filterwarnings("ignore::geoctrl.errors.LawWarning")  # the numbers are what counts, not the loops
def test_gains(kind):
    gain = -kind(1) if kind not in (KINDS["uint8"], KINDS["bool"], KINDS["bool_"]) else kind(1)
    loop, certificate = sliding(gain)
    assert type(loop.params["sigma"]) in (int, float)
    same(certificate, sliding_by_integer(int(gain)))


@kinds
def test_representations(kind):
    action = [[[0, kind(1)]], [[0, 0]]]
    moving = gc.AdvectedParameter("a", action, reference=(kind(0), kind(1)))
    assert moving == gc.AdvectedParameter("a", [[[0, 1]], [[0, 0]]], reference=(0, 1))


def certified_chain(number):
    m = gc.Parameter("m", number(2), positive=True)
    q = spheres.symbols(1)[0][0]
    chain = spheres.SphereSystem(mass=[[number(2)]], potential=m.symbol * number(3) * q[2], parameters=[m])
    rest = ([[number(0), number(0), -number(1) if number(1) > 0 else -1]], [[number(0)] * 3])
    return gc.certify(chain, rest, params={"m": number(4)})


def certified_body(number):
    J = [[number(i if i == j else 0) for j in (1, 2, 3)] for i in (1, 2, 3)]
    system = rotations.RotationSystem(inertias=[J])
    spun = gc.find_equilibrium(
        system,
        (np.eye(3)[None], [[number(0), number(0), number(2)]]),
        spin=[number(0), number(0), number(2)],
    )
    return gc.certify(system, spun)


@pytest.fixture(scope="module")
def by_integers():
    return certified_chain(int), certified_body(int)


@kinds
def test_systems_on_manifolds(kind, by_integers):
    chain, body = by_integers
    signed = (lambda v: int(kind(v))) if kind in (KINDS["uint8"], KINDS["bool"], KINDS["bool_"]) else kind
    assert chain.verdict == gc.Verdict.PROVED_STABLE
    same(certified_chain(signed), chain)
    same(certified_body(kind), body)


def test_fractions_are_not_rounded_before_a_proof_on_manifolds():
    """Of 2/3 something may be false that is true of the nearest double: a proof names what was given."""
    q = spheres.symbols(2)[0]
    a = gc.Parameter("a", positive=True)
    system = spheres.SphereSystem(
        mass=[[2, 0], [0, 3]], potential=a.symbol * (q[0][2] + q[1][2]), parameters=[a]
    )
    rest = ([[0, 0, -1], [0, 0, -1]], [[0, 0, 0], [0, 0, 0]])
    for given, named in ((Fraction(2, 3), "2/3"), (Decimal("0.1"), "1/10")):
        certificate = gc.certify(system, rest, params={"a": given})
        assert certificate.verdict == gc.Verdict.PROVED_STABLE
        assert f'"{named}"' in certificate.to_json()
        assert gc.find_equilibrium(system, rest, params={"a": given}).params["a"] == Fraction(named)
    assert '"2/3"' not in gc.certify(system, rest, params={"a": 2 / 3}).to_json()


@pytest.mark.parametrize(("away", "stable"), [(Fraction(1, 10**20), True), (-Fraction(1, 10**20), False)])
def test_members_of_families_on_manifolds_are_those_of_the_fraction(away, stable):
    """Both sides of a threshold nearer than the doubles about it."""
    q = spheres.symbols(1)[0]
    a = gc.Parameter("a", positive=True)
    system = spheres.SphereSystem(
        mass=[[2]],
        potential=(a.symbol - sp.Rational(2, 3)) * q[0][2],
        parameters=[a],
        equilibria={"hanging": gc.Family({"q1_3": -1})},
    )
    member = system.equilibrium("hanging", {"a": Fraction(2, 3) + away})
    assert member.params["a"] == Fraction(2, 3) + away
    expected = gc.Verdict.PROVED_STABLE if stable else gc.Verdict.PROVED_UNSTABLE
    assert gc.certify(system, member).verdict is expected
