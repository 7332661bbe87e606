"""Doubles in a description are the rationals that they are, from the first line on."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

CART = (0.77, 0.51, 0.23, 2.51)
QUBE = (0.095, 0.085, 0.024, 0.129, 9.81)
u = sp.Symbol("u", real=True)


def cart(number):
    """Masses and coupling of a cart, and the pendulum's weight."""
    M, J, c, w = map(number, CART)
    group, phi = gc.rn(1).relabelled(["v"], ["p"]), gc.Coordinate("phi", angle=True)
    v, (s, rate) = group.xi[0], (phi.symbol, phi.rate)
    return gc.EulerPoincare(
        name="cart",
        algebra=group,
        shape=[phi],
        lagrangian=M * v**2 / 2 + J * rate**2 / 2 + c * sp.cos(s) * v * rate - w * sp.cos(s),
        forces=[u, 0],
        inputs=["u"],
        equilibria={"upright": gc.Family({})},
        invariants={"half": number(0.1) * s},
        domain={"above": sp.cos(s) > number(0.1)},
        outputs={"angle": number(0.3) * s},
    )


def qube(number):
    """A rotary pendulum with the dimensions of a data sheet, in SI units.

    Products of them are doubles too, before they come here.
    """
    mr, Lr, mp, Lp, g = QUBE
    arm, alpha = gc.Coordinate("arm", angle=True), gc.Coordinate("alpha", angle=True)
    a = alpha.symbol
    own = mr * Lr**2 / 12 + mp * Lr**2 + mp * Lp**2 / 4 * sp.sin(a) ** 2
    T = own * arm.rate**2 / 2 + mp * Lp**2 / 3 * alpha.rate**2 / 2
    T -= mp * Lr * Lp / 2 * sp.cos(a) * arm.rate * alpha.rate
    L = T - mp * g * Lp / 2 * sp.cos(a)
    return gc.EulerPoincare(
        name="qube",
        shape=[arm, alpha],
        lagrangian=L.xreplace({f: number(f) for f in L.atoms(sp.Float)}),
        forces=[u, 0],
        inputs=["u"],
        equilibria={"up": gc.Family({})},
    )


def expressions(mech):
    parts = [*mech.inertia, mech.potential, *mech.forces, *mech.invariants.values(), *mech.leaf]
    return [*parts, *mech.outputs.values(), *(side.margin for side in mech.domain.values())]


@pytest.mark.parametrize("describe", [cart, qube])
def test_no_float_is_left(describe):
    assert not any(e.atoms(sp.Float) for e in expressions(describe(float)))


def test_doubles_and_their_rationals_are_the_same_cart():
    doubles, rationals = cart(float), cart(sp.Rational)
    assert expressions(doubles) == expressions(rationals)
    for shaping in ("both", "kinetic"):
        designs = [gc.match(m, shaping=shaping).design("upright") for m in (doubles, rationals)]
        assert designs[0].bounds == designs[1].bounds
    matchings = [gc.match(m, shaping="both") for m in (doubles, rationals)]
    # kappa > M J/c^2 - 1 (rationals of thirty digits, shown as a decimal)
    bounds = matchings[0].design("upright").bounds
    M, J, c = map(sp.Rational, CART[:3])
    assert bounds["kappa"].lhs == sp.Symbol("kappa", real=True)
    assert bounds["kappa"].rhs == M * J / c**2 - 1
    assert f"kappa > {float(M * J / c**2 - 1):.9g}" in repr(matchings[0].design("upright"))
    laws = [m.law(kappa=20.5, rho=-0.02, K=-0.6) for m in matchings]
    assert laws[0].expr == laws[1].expr
    assert not laws[0].expr.atoms(sp.Float)
    claims = [gc.certify(law.loop, law.loop.equilibrium("upright")).claim for law in laws]
    assert claims[0] == claims[1]


def test_binary_fractions_have_short_bounds():
    group, phi = gc.rn(1).relabelled(["v"], ["p"]), gc.Coordinate("phi", angle=True)
    v, (s, rate) = group.xi[0], (phi.symbol, phi.rate)
    mech = gc.EulerPoincare(
        algebra=group,
        shape=[phi],
        lagrangian=0.75 * v**2 / 2 + 0.25 * rate**2 + 0.25 * sp.cos(s) * v * rate - 2.5 * sp.cos(s),
        forces=[u, 0],
        inputs=["u"],
        equilibria={"upright": gc.Family({})},
    )
    kappa, rho, K = (sp.Symbol(k, real=True) for k in ("kappa", "rho", "K"))
    found = gc.match(mech, shaping="both").design("upright").bounds
    assert found == {"kappa": kappa > 5, "rho": rho < 0, "K": K < 0}


@pytest.mark.long(reason="doubles and their rationals are the same cart beside it")
def test_the_qube_in_doubles():
    doubles, rationals = (gc.match(qube(kind), shaping="both") for kind in (float, sp.Rational))
    assert doubles.design("up").bounds == rationals.design("up").bounds
    law = doubles.law(delta=6.5e-5, m22=-2.6e-4, K=-1e-3)
    cert = gc.certify(law.loop, law.loop.equilibrium("up"))
    assert cert.verdict is gc.Verdict.PROVED_STABLE
    # Negative control: on the other side of a bound.
    wrong = doubles.law(delta=6.5e-5, m22=-2.6e-4, K=1e-3)
    assert gc.certify(wrong.loop, wrong.loop.equilibrium("up")).verdict is gc.Verdict.PROVED_UNSTABLE


def test_manifold_systems_keep_no_floats():
    (q,), (omega,) = gc.spheres.symbols(1)
    system = gc.spheres.SphereSystem(mass=[0.7], potential=0.1 * q[2], forces=[-0.3 * omega])
    mech = system.euler_poincare()
    assert not any(e.atoms(sp.Float) for e in (mech.potential, *mech.inertia, *mech.forces))
    (R,), _ = gc.rotations.symbols(1)
    body = gc.rotations.RotationSystem(inertias=np.diag([1.0, 2.0, 3.0]), potential=0.1 * R[2, 2])
    assert not body.euler_poincare().potential.atoms(sp.Float)
