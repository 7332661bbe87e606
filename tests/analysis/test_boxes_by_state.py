"""Boxes with a radius for each state: the same proofs in any unit of time."""

import json
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl import Verdict, checker
from tests.analysis.slow_pendulum import slow


@pytest.mark.parametrize("eps", [1e-40, 1e-12, 1.0, 1e10, 1e40])
def test_a_damped_pendulum_is_proved_in_any_unit_of_time(eps, tmp_path):
    certificate = gc.certify(slow(eps), [0.0, float(np.arcsin(0.3))])
    assert certificate.verdict is Verdict.PROVED_ASYMPTOTICALLY_STABLE
    certificate.to_json(tmp_path / "c.json")
    report = gc.verify(tmp_path / "c.json")
    assert report.claim == certificate.claim
    if eps == 1e-40:  # rates have the size 1e-20
        assert "within 2^-130 of phi_dot = 0, 2^-64 of phi = 0.3046926540153975" in report.claim


@pytest.mark.parametrize(("digits", "method"), [(300, "energy-Casimir"), (900, "energy-Casimir in balls")])
def test_points_whose_numbers_are_too_long_for_a_file_are_proved_in_a_box(digits, method, tmp_path):
    """Of two masses and two lengths the inverse has thrice the digits; a file holds numbers of 2,000."""
    entry = gc.models.get("double-planar-pendulum")()
    lengths = [sp.Rational(10**digits + 2 * i + 7, 10**digits + 6 * i + 21) for i in range(4)]
    long = [
        gc.Parameter(p.name, value, positive=True)
        for p, value in zip(entry.parameters, lengths, strict=False)
    ]
    system = entry.replace(parameters=[*long, *entry.parameters[4:]]).reduce()
    certificate = gc.certify(system, system.equilibrium("hanging"))
    assert (certificate.verdict, certificate.method) == (Verdict.PROVED_STABLE, method)
    certificate.to_json(tmp_path / "c.json")
    assert gc.verify(tmp_path / "c.json").verdict is Verdict.PROVED_STABLE


@pytest.mark.parametrize("n", [1.0, 7.292115e-5, 1e-7])
def test_an_aligned_body_in_orbit_is_unstable_at_any_rate(n):
    """Moments 190, 130, 80 with the largest about the radius (Debra and Delp), 1e-17 beside the point."""
    body = gc.models.get("orbiting-body")().reduce()
    params = {"n": n, "J1": 190.0, "J2": 130.0, "J3": 80.0}
    x = np.array(body.equilibrium("aligned", params=params).x)
    x[0] += 1e-17
    certificate = gc.certify(body, x, params)
    assert certificate.verdict is Verdict.PROVED_UNSTABLE
    assert "in balls" in certificate.method


@pytest.mark.parametrize(("mass", "time"), [(1, 1), (1, 1000), (10**6, sp.Rational(1, 1024))])
@pytest.mark.parametrize("damping", [0, 1])
def test_a_multiple_root_to_the_right_is_proved(mass, time, damping, tmp_path):
    """Three equal pendulums that lean upwards: phi'' + d phi' = 0.3 - sin phi at pi - asin 0.3."""
    shape = [gc.Coordinate(f"phi{i}", angle=True) for i in range(3)]
    energy = sp.Rational(mass) / sp.Rational(time) ** 2
    system = gc.EulerPoincare(
        shape=shape,
        inertia=mass * sp.eye(3),
        potential=energy * sum(-sp.cos(phi.symbol) - sp.Rational(3, 10) * phi.symbol for phi in shape),
        forces=[-damping * mass * phi.rate / time for phi in shape],
    ).reduce()
    certificate = gc.certify(system, [0.0] * 3 + [np.pi - np.arcsin(0.3)] * 3)
    assert certificate.verdict is Verdict.PROVED_UNSTABLE
    certificate.to_json(tmp_path / "c.json")
    assert gc.verify(tmp_path / "c.json").verdict is Verdict.PROVED_UNSTABLE


def test_radii_belong_to_the_proof_and_to_the_claim():
    data = json.loads(gc.certify(slow(1e-12), [0.0, float(np.arcsin(0.3))]).to_json())
    radii = data["theorem"]["box"]["radii"]
    tight, near = map(Fraction, radii)
    assert near == Fraction(1, 2**64) > tight

    def report(*changed):
        other = json.loads(json.dumps(data))
        other["theorem"]["box"]["radii"] = [str(r) for r in changed]
        return checker.check(other | {"digest": checker.digest_of(other)})

    def refused(words, *changed):
        with pytest.raises(checker.Refusal, match=words):
            report(*changed)

    assert "within 2^-84 of phi_dot = 0, 2^-64 of phi" in report(*radii).claim
    assert report(tight / 2, near).claim != report(*radii).claim  # another box, another statement
    refused("not proved", tight, Fraction(1, 2**400))  # the root lies not so near to the middle
    refused("as many as the unknowns", tight)
    refused("as many as the unknowns", *radii, near)
    refused("belongs here", tight, "x")
    refused("not proved", -tight, -near)
    refused("not bounded|not proved|may be", 2**1000, 2**1000)


def rods(n, mass=1, length=1, time=1, table=False):
    """Rods on each other that constant torques hold at angles of many roots, each damped; on a turntable, or
    not.

    In units of mass, length and time of one's own.
    """
    mass, length, time = map(sp.Rational, (mass, length, time))
    own = [gc.Coordinate(f"q{i}", angle=True) for i in range(n)]
    size = [length * sp.Rational(10 + 3 * i % 7, 10) for i in range(n)]
    heavy = [mass * sp.Rational(5 + 2 * i % 5, 5) for i in range(n)]
    above = [sum(heavy[i + 1 :]) for i in range(n)]
    arm = [(above[i] + heavy[i] / 2) * size[i] for i in range(n)]
    swing = [(above[i] + heavy[i] / 3) * size[i] ** 2 for i in range(n)]

    def entry(i, j):
        i, j = min(i, j), max(i, j)
        return swing[i] if i == j else arm[j] * size[i] * sp.cos(own[i].symbol - own[j].symbol)

    fall, turn = length / time**2, mass * length**2 / time  # gravity is one
    forces = [
        sp.Rational(1 + i % 3, 20) * arm[i] * fall - sp.Rational(1 + i % 4, 10) * turn * phi.rate
        for i, phi in enumerate(own)
    ]
    inertia = sp.Matrix(n, n, entry)
    shape = own
    if table:
        psi = gc.Coordinate("psi", angle=True)
        shape, forces = [psi, *own], [-turn * psi.rate / 3, *forces]
        ahead = mass * length**2 * (2 + sum(sp.sin(phi.symbol) for phi in own) / 7)
        inertia = sp.diag(ahead, inertia)
    potential = -sum(a * fall * sp.cos(phi.symbol) for a, phi in zip(arm, own, strict=True))
    system = gc.EulerPoincare(shape=shape, inertia=inertia, potential=potential, forces=forces).reduce()
    angles = {f"q{i}": float(np.arcsin((1 + i % 3) / 20)) for i in range(n)} | ({"psi": 0.7} if table else {})
    return system, system.state(**angles)


MANY = [
    (9, {}, Verdict.PROVED_ASYMPTOTICALLY_STABLE),
    (9, {"mass": 10**6, "length": sp.Rational(1, 1000), "time": 3000}, Verdict.PROVED_ASYMPTOTICALLY_STABLE),
    (9, {"table": True}, Verdict.PROVED_STABLE),
]


@pytest.mark.parametrize(("n", "given", "verdict"), MANY)
def test_eighteen_states_and_more_are_proved_in_a_box(n, given, verdict, tmp_path):
    """By the table of Routh alone, over the smallest box, this was open."""
    certificate = gc.certify(*rods(n, **given))
    assert certificate.verdict is verdict
    assert "in balls" in certificate.method
    certificate.to_json(tmp_path / "c.json")
    report = gc.verify(tmp_path / "c.json")
    assert (report.verdict, report.claim) == (verdict, certificate.claim)
    assert ("family of equilibria of dimension 1" in report.claim) is ("table" in given)
