"""Vectors of a plane have two components: the same motions as with three, of which the third is constant."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc


def pendulum(*reference):
    gamma, u = gc.AdvectedVector("Gamma", reference=reference), sp.Symbol("u", real=True)
    return gc.EulerPoincare(
        algebra=gc.so2(),
        advected=[gamma],
        inertia=[[sp.Rational("0.8")]],
        potential=-8 * gamma[0],
        forces=[u],
        inputs=[u],
        equilibria={"hanging": gc.Family({"Gamma1": 1}), "inverted": gc.Family({"Gamma1": -1})},
    ).reduce()


def raft(*reference):
    """A body in the plane, pulled towards the line through the origin across a direction."""
    along = gc.AdvectedVector("a", reference=reference)
    height = gc.Height("x", along=along)
    return gc.EulerPoincare(
        algebra=gc.se2(),
        advected=[along, height],
        inertia=sp.diag(2, 3, 5),
        potential=3 * height.symbol**2 / 2,
    ).reduce()


@pytest.mark.parametrize(("made", "reference"), [(pendulum, (1, 0)), (raft, (3, 4))])
def test_motions_are_those_with_three_components(made, reference):
    plane, space = made(*reference), made(*reference, 0)
    third = next(i for i, label in enumerate(space.state_labels) if label not in plane.state_labels)
    x = plane.random_state(np.random.default_rng(4))
    times = np.linspace(0, 3, 7)
    here, there = (gc.simulate(s, times, q) for s, q in ((plane, x), (space, np.insert(x, third, 0.0))))
    assert here.states == pytest.approx(np.delete(there.states, third, axis=0), abs=1e-12)
    assert max(np.max(np.abs(q)) for q in here.drift.values()) < 1e-12
    assert here.attitude() == pytest.approx(there.attitude(), abs=1e-9)
    assert "|" in plane.leaf.names[0]
    assert len(plane.leaf.names) == len(space.leaf.names) - 1


def test_verdicts_and_laws_are_those_with_three_components():
    plane = pendulum(1, 0)
    assert gc.certify(plane, plane.equilibrium("hanging")).verdict is gc.Verdict.PROVED_STABLE
    up = plane.equilibrium("inverted")
    assert gc.certify(plane, up).verdict is gc.Verdict.PROVED_UNSTABLE
    law = gc.lqr(plane, up)
    assert gc.certify(law.closed_loop(), up).verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE
    assert list(gc.discover_invariants(plane).named()) == ["energy"]


def test_a_vector_of_the_plane_goes_with_the_first_planar_factor():
    both = gc.product(gc.so3(), gc.so2())
    vectors = [gc.AdvectedVector("G"), gc.AdvectedVector("a", reference=(1, 0))]
    system = gc.EulerPoincare(algebra=both, advected=vectors, inertia=sp.diag(1, 2, 3, 4)).reduce()
    assert system.state_labels[4:] == ("G1", "G2", "G3", "a1", "a2")
    with pytest.raises(gc.DescriptionError, match="turns it out of its plane; 3 components are needed"):
        gc.AdvectedVector("a", reference=(1, 0), of=1).action(both)
    with pytest.raises(gc.DescriptionError, match="rotations of a plane to turn its 2 components"):
        gc.AdvectedVector("a", reference=(1, 0)).action(gc.so3())
    with pytest.raises(gc.DescriptionError, match="reference has 1 entries; 2 or 3 are needed"):
        gc.AdvectedVector("a", reference=(1,))


def test_vectors_of_two_and_three_components_keep_their_product():
    vectors = [gc.AdvectedVector("a", reference=(1, 0)), gc.AdvectedVector("b", reference=(1, 1, 2))]
    system = gc.EulerPoincare(algebra=gc.so2(), advected=vectors, inertia=[[1]]).reduce()
    x = system.random_state(np.random.default_rng(1))
    assert np.max(np.abs(system.leaf_residual(x))) < 1e-12
    assert set(system.leaf.names) == {"|a|^2", "a.b", "|b|^2", "b3"}
