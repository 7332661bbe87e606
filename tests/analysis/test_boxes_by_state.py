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
