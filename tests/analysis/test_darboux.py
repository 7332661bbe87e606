"""Darboux polynomials and rational integrals against systems whose own are known in closed form."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.algebra import AdvectedVector, rn, so3
from geoctrl.systems import EulerPoincare, Parameter

MOMENTS = tuple(
    Parameter(f"I{i}", v, "kg m^2", "moment", positive=True) for i, v in ((1, 0.9), (2, 0.8), (3, 0.5))
)
DRAG = Parameter("c", 0.1, "1/s", "drag over inertia", positive=True)


def body_in_oil(*more):
    """Pi' = Pi x Omega - c Pi, with further drags about the axes."""
    algebra = so3()
    forces = [-DRAG.symbol * p.symbol * w for p, w in zip(MOMENTS, algebra.xi, strict=True)]
    forces = [f - d * w for f, d, w in zip(forces, [*more, 0, 0, 0][:3], algebra.xi, strict=True)]
    inertia = sp.diag(*(p.symbol for p in MOMENTS))
    return EulerPoincare(
        algebra, inertia=inertia, parameters=(*MOMENTS, DRAG), forces=forces, name="in oil"
    ).reduce()


def hess_top(broken=0):
    """Hess's: the section of the ellipsoid of gyration across the axis of the centre of mass is round."""
    a, b, d = (Parameter(n, v, positive=True) for n, v in (("A1", 1.1), ("A13", 0.3), ("A33", 1.7)))
    inverse = sp.Matrix([[a.symbol, 0, b.symbol], [0, a.symbol + broken, 0], [b.symbol, 0, d.symbol]])
    weight, gamma = Parameter("w", 2.0, positive=True), AdvectedVector("Gamma", reference=(0, 0, 1))
    return EulerPoincare(
        so3(),
        advected=[gamma],
        inertia=inverse.inv(),
        potential=weight.symbol * gamma.symbols[2],
        parameters=(a, b, d, weight),
        name="Hess's top",
    ).reduce()


def same_up_to_a_constant(found, expected, states):
    ratio = sp.cancel(found / expected)
    return not ratio.free_symbols & set(states)


def numbers(system, rng):
    """Random values of all states and parameters."""
    names = [*system.states, *(p.symbol for p in system.mechanism.parameters)]
    return {s: sp.Rational(int(rng.integers(1, 60)), 7) for s in names}


@pytest.mark.long(reason="two decays, one twice as fast, leave a ratio in the test beside it")
def test_drag_in_proportion_to_momentum_keeps_the_ratio_of_energy_and_momentum_squared():
    """Both decay as exp(-2 c t): what is conserved is none of them."""
    body = body_in_oil()
    (ratio,) = found = gc.discover_invariants(body, max_degree=2, darboux=True)
    assert (ratio.kind, ratio.degree, ratio.parameters) == ("rational", 2, "all")
    w, moments = body.states, [p.symbol for p in MOMENTS]
    energy = sum(i * v**2 for i, v in zip(moments, w, strict=True))
    squared = sum((i * v) ** 2 for i, v in zip(moments, w, strict=True))
    # A function of (squared / energy): gradients are parallel at any state.
    rng = np.random.default_rng(2)
    for _ in range(3):
        at = numbers(body, rng)
        rows = [[sp.diff(f, v).subs(at) for v in w] for f in (ratio.expr, squared / energy)]
        assert sp.Matrix(rows).rank() == 1
        assert any(rows[0])
    assert [P.cofactor for P in found.darboux] == [-2 * DRAG.symbol] * 2
    run = gc.simulate(body, np.linspace(0, 5, 11), [1.0, -0.7, 0.4], rtol=1e-11)
    values = [
        ratio.expr.subs({p.symbol: p.default for p in (*MOMENTS, DRAG)}).subs(dict(zip(w, x, strict=True)))
        for x in np.asarray(run.states).reshape(3, -1).T
    ]
    assert np.ptp(np.array(values, dtype=float)) < 1e-9 * abs(float(values[0]))


def test_another_drag_about_one_axis_leaves_nothing():
    found = gc.discover_invariants(body_in_oil(sp.Rational(1, 5)), max_degree=2, darboux=True)
    assert (len(found), found.darboux) == (0, ())


def test_two_decays_of_which_one_is_twice_as_fast():
    """v' = -c v, w' = -2 c w: v^2 / w is conserved."""
    algebra = rn(2)
    m = [Parameter(f"m{i}", v, "kg", "mass", positive=True) for i, v in ((1, 1.5), (2, 2.5))]
    forces = [-n * DRAG.symbol * p.symbol * v for n, p, v in zip((1, 2), m, algebra.xi, strict=True)]
    two = EulerPoincare(
        algebra, inertia=sp.diag(*(p.symbol for p in m)), parameters=(*m, DRAG), forces=forces
    )
    (ratio,) = found = gc.discover_invariants(two.reduce(), max_degree=1, darboux=True)
    v, w = algebra.xi
    assert any(same_up_to_a_constant(ratio.expr, e, (v, w)) for e in (v**2 / w, w / v**2))
    assert {(P.expr, P.cofactor) for P in found.darboux} == {(v, -DRAG.symbol), (w, -2 * DRAG.symbol)}


@pytest.mark.long(reason="planes that part motions are found of a free body")
def test_the_relation_of_hess():
    """Pi3 = 0 is kept: Pi3' = -A13 Pi2 Pi3, for all parameters that meet his condition, and no others."""
    top = hess_top()
    (P,) = gc.discover_invariants(top, max_degree=1, darboux=True).darboux
    Pi = sp.Matrix(top.mechanism.inertia) * sp.Matrix(top.mechanism.algebra.xi)
    assert same_up_to_a_constant(P.expr, Pi[2], top.states)
    assert sp.cancel(P.cofactor + top.mechanism.parameters[1].symbol * Pi[1]) == 0
    assert P.parameters == "all"
    assert gc.discover_invariants(hess_top(sp.Rational(1, 9)), max_degree=1, darboux=True).darboux == ()


def test_planes_that_part_the_motions_of_a_free_body():
    """They hold the separatrices; their slope is a square root, rational at these: Omega3 = +-2 Omega1."""
    body = gc.models.get("free-rigid-body")().reduce()
    found = gc.discover_invariants(body, max_degree=1, params={"I1": 3, "I2": 2, "I3": 1.5}, darboux=True)
    w1, _, w3 = body.states
    planes = {sp.expand(P.expr / P.expr.coeff(w3)) for P in found.darboux}
    assert planes == {w3 - 2 * w1, w3 + 2 * w1}
    assert {P.parameters for P in found.darboux} == {"given"}
    assert gc.discover_invariants(body, max_degree=1, darboux=True).darboux == ()


@pytest.mark.parametrize(
    ("model", "factor", "params"),
    [
        ("chaplygin-sleigh", "Omega", {}),
        pytest.param(
            "suslov",
            "I13*Omega1 + I23*Omega2",
            {"I11": 2, "I22": 3, "I12": 0.5},
            marks=pytest.mark.long(
                reason="the sleigh has such a line; given numbers are asked of the free body"
            ),
        ),
    ],
)
def test_lines_of_rest_are_kept(model, factor, params):
    system = gc.models.get(model)().reduce()
    (P,) = gc.discover_invariants(system, max_degree=1, params=params, darboux=True).darboux
    assert str(P.expr) == factor
    field = zip(system.states, system.to_sympy(system.field_nodes), strict=True)
    given = {
        p.symbol: sp.Rational(str(params[p.name])) for p in system.mechanism.parameters if p.name in params
    }
    rate = sum(sp.diff(P.expr, s) * f for s, f in field)
    assert sp.cancel((rate - P.cofactor * P.expr).subs(given)) == 0
    assert "cofactor" in repr(P)


def test_what_is_not_searched_is_said():
    top = gc.models.get("heavy-top")().reduce()
    assert "monomials are not searched" in gc.discover_invariants(top, max_degree=2, darboux=True).note
    assert gc.discover_invariants(top, max_degree=2).note == ""
    with pytest.raises(gc.InputError, match="darboux"):
        gc.discover_invariants(top, darboux=1)
