"""Discovered invariants against those of the literature, given by hand; and systems that have none."""

import math

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc


def bare(name, **options):
    """A mechanism of the catalogue without the invariants that it declares."""
    return gc.models.get(name)(**options).replace(invariants={}).reduce()


def same_functions(system, found, expected, params=None):
    """Whether two lists of functions have gradients that span the same space, at random states."""
    numbers = {p.symbol: v for p, v in zip(system.mechanism.parameters, values(system, params), strict=True)}
    rng = np.random.default_rng(5)
    for _ in range(2):
        state = dict(zip(system.states, system.random_state(rng, params), strict=True))

        def rows(functions, point):
            symbols = list(point)
            table = [[sp.diff(f, s).subs(numbers).subs(point) for s in symbols] for f in functions]
            return np.array(table, dtype=float)

        leaf = rows([r.expr for r in system.leaf.relations], state)
        mine, known = (np.vstack([leaf.reshape(-1, len(state)), rows(e, state)]) for e in (found, expected))
        sizes = [np.linalg.matrix_rank(m, tol=1e-8) for m in (mine, known, np.vstack([mine, known]))]
        if len(set(sizes)) != 1:
            return False
    return True


def values(system, params):
    given = system.parameters(params)
    return [given[p.name] for p in system.mechanism.parameters]


def parameter(system, name):
    return next(p.symbol for p in system.mechanism.parameters if p.name == name)


def test_the_skate_has_nothing_of_degree_two_its_momentum_of_three_and_energy_of_four():
    skate = bare("pendulum-skate")
    none = gc.discover_invariants(skate, max_degree=2, quadrature=False)
    assert (len(none), none.degree, none.note) == (0, 2, "")
    C1, energy = gc.discover_invariants(skate, quadrature=False)
    v2, s, c = (skate.states[i] for i in (1, 3, 4))
    I2, I3 = parameter(skate, "I2"), parameter(skate, "I3")
    assert sp.expand((C1.expr - (I2 * s**2 + I3 * c**2) * v2).subs(c**2, 1 - s**2)) == 0
    assert (C1.kind, C1.degree, C1.parameters) == ("polynomial", 3, "all")
    assert (energy.name, energy.degree) == ("energy", 4)


def test_linear_in_velocities_and_of_degree_eight_the_skate_has_its_momentum_alone():
    """C2 is no polynomial: an arctangent."""
    found = gc.discover_invariants(bare("pendulum-skate"), max_degree=8, velocity_degree=1, quadrature=False)
    assert [i.degree for i in found] == [3]
    assert found.degree == 8


def test_the_second_integral_of_the_skate_is_a_quadrature():
    """(37): l Gamma2 v2 + v3 + l C1 int ds/((I2 - I3) s^2 + I3), for all parameters."""
    skate, declared = bare("pendulum-skate"), gc.models.get("pendulum-skate")().reduce()
    C1, C2 = gc.discover_invariants(skate, max_degree=3)
    assert (C2.kind, C2.degree, C2.parameters) == ("quadrature", 0, "all")
    program = declared.mechanism.replace(invariants={"C1": C1.expr, "C2": C2.expr}).reduce()
    rng = np.random.default_rng(3)
    for params in ({"I2": 0.35, "I3": 0.004}, {"I2": 0.31, "I3": 0.31}, {"I2": 0.11, "I3": 0.35}):
        states = np.array([declared.random_state(rng, declared.parameters(params)) for _ in range(4)]).T
        mine, known = (s.invariants(states, params) for s in (program, declared))
        assert mine["C2"] == pytest.approx(known["C2"], rel=1e-11)


def test_where_the_equations_over_the_shape_are_coupled_nothing_is_closed():
    """The rolling disk's integrals are hypergeometric functions of the lean."""
    disk = bare("rolling-disk").despun()
    assert len(gc.discover_invariants(disk, max_degree=1)) == 0


def test_kovalevskaya_for_all_parameters():
    top = bare("kovalevskaya-top")
    w1, w2, _, g1, g2, _ = top.states
    # Omega1^2 - Omega2^2 - c Gamma1, 2 Omega1 Omega2 - c Gamma2: the sum of their squares, c = m g l / I3.
    c = sp.Mul(*(parameter(top, k) for k in ("m", "g", "l"))) / parameter(top, "I3")
    fourth = (w1**2 - w2**2 - c * g1) ** 2 + (2 * w1 * w2 - c * g2) ** 2
    found = gc.discover_invariants(top)
    assert [i.name for i in found][:2] == ["energy", "Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3"]
    assert found[2].parameters == "all"
    ratio = sp.cancel(found[2].expr / fourth)
    assert not ratio.free_symbols & set(top.states)


def test_a_top_of_other_moments_has_the_third_integral_at_these_numbers_alone():
    """Kovalevskaya's moments are I1 = I2 = 2 I3, as doubles too; Euler and Lagrange as well."""
    top = bare("heavy-top")
    assert len(gc.discover_invariants(top)) == 2
    given = {"I1": 0.26, "I2": 0.26}
    (lagrange, *_) = found = gc.discover_invariants(top, max_degree=2, params=given)
    assert len(found) == 3
    assert lagrange.parameters == "given"
    assert [i.name for i in found][1:] == ["energy", "Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3"]
    assert found[0].expr == top.states[2]
    # Three doubles of which none is another: nothing more.
    assert len(gc.discover_invariants(top, params={"I1": 0.26, "I2": 0.27, "I3": 0.31})) == 2


@pytest.mark.parametrize(
    ("model", "degree"), [("veselova", 4), ("chaplygin-sphere", 4), ("tippe-top", 4), ("top-on-sphere", 4)]
)
def test_what_the_catalogue_declares_is_found_without_it(model, degree):
    """Veselova's momentum squared, Chaplygin's |K|^2 and K.Gamma, Jellett's and Routh's integrals."""
    declared = gc.models.get(model)().reduce()
    found = gc.discover_invariants(bare(model), max_degree=degree)
    names = [k for k in declared.mechanism.invariants if gc.check_invariant(declared, k).proved]
    assert names
    expected = [declared.to_sympy([declared.conservation.nodes[k]])[0] for k in names]
    mine = [i.expr for i in found]
    assert all(i.parameters == "all" for i in found)
    assert same_functions(declared, mine, mine + expected)


def test_suslov_has_its_energy_alone_and_the_free_body_its_momentum():
    assert [i.name for i in gc.discover_invariants(bare("suslov"))] == ["energy"]
    body = gc.discover_invariants(bare("free-rigid-body"))
    assert [i.name for i in body] == ["energy", "Pi1**2 + Pi2**2 + Pi3**2"]


def test_negative_what_loses_its_energy_has_none():
    damped = gc.models.get("free-rigid-body")().replace(invariants={}, forces=list(-gc.so3().xi)).reduce()
    assert len(gc.discover_invariants(damped)) == 0


def test_what_is_conserved_to_rounding_alone_is_not_found():
    """Pi3 of a top whose moments differ by 1e-15: its rate is below what floats see."""
    top = bare("heavy-top")
    given = {"I1": 0.26, "I2": 0.26 * (1 + 1e-15), "I3": 0.11}
    assert given["I1"] != given["I2"]
    declared = top.mechanism.replace(invariants={"Pi3": gc.so3().mu[2]}).reduce()
    assert "Pi3" in declared.conservation.likely(given, False)
    assert "Pi3" not in declared.conserved(given)
    assert not gc.check_invariant(declared, "Pi3", params=given).proved
    found = gc.discover_invariants(declared, max_degree=2, params=given)
    assert [i.name for i in found] == ["energy", "Gamma1*Pi1 + Gamma2*Pi2 + Gamma3*Pi3"]


def test_angles_enter_by_sine_and_cosine():
    """Cart and pendulum: p_x and the energy; with friction of the cart its momentum is p_x + d x."""
    found = gc.discover_invariants(bare("cart-pendulum"))
    assert [i.name for i in found] == ["p_x", "energy"]


def test_results_go_back_into_a_description():
    top = gc.models.get("kovalevskaya-top")().replace(invariants={})
    found = gc.discover_invariants(top.reduce())
    again = top.replace(invariants={k: e for k, e in found.named().items() if k.startswith("invariant")})
    assert "invariant3" in again.reduce().conserved()


def test_a_budget_ends_the_search_with_what_there_is():
    found = gc.discover_invariants(bare("heavy-top"), max_degree=8, budget=0.5)
    assert found.degree < 8
    assert "not finished within the budget" in found.note


def test_a_degree_with_too_many_monomials_is_not_searched_and_said(monkeypatch):
    monkeypatch.setattr("geoctrl.analysis.invariants.discovery._MONOMIALS", 30)
    top = bare("heavy-top")
    found = gc.discover_invariants(top)
    assert (len(found), found.degree) == (2, 2)
    assert "degree 3 has more than 30 monomials" in found.note
    # Six states: 28 monomials up to degree two, 84 up to three; in the three components alone 20 and 35.
    assert gc.discover_invariants(top, velocity_degree=0).degree == 3


def test_progress_is_told():
    told = []
    gc.discover_invariants(bare("suslov"), max_degree=3, progress=told.append)
    assert told[-1] == 1.0


def test_what_cannot_be_searched_is_refused_in_words():
    top = bare("heavy-top")
    assert len(gc.discover_invariants(top, max_degree=np.int64(2))) == 2
    for wrong in (0, 13, 2.0, True, "4", None):
        with pytest.raises(gc.InputError, match="max_degree"):
            gc.discover_invariants(top, max_degree=wrong)
    with pytest.raises(gc.InputError, match="velocity_degree"):
        gc.discover_invariants(top, velocity_degree=-1)
    with pytest.raises(gc.InputError, match="quadrature"):
        gc.discover_invariants(top, quadrature=1)
    with pytest.raises(gc.ParameterError, match="I11"):
        gc.discover_invariants(top, params={"I11": 1})
    for wrong in (0, -1, math.nan, "1"):
        with pytest.raises(gc.ParameterError, match="budget"):
            gc.discover_invariants(top, budget=wrong)
    with pytest.raises(TypeError, match="progress"):
        gc.discover_invariants(top, progress=1)
    with pytest.raises(TypeError, match=r"mechanism\.reduce"):
        gc.discover_invariants(top.mechanism)
    with pytest.raises(TypeError, match="needs a system"):
        gc.discover_invariants("top")
    with pytest.raises(TypeError, match="needs a reduced system"):
        gc.discover_invariants(gc.models.get("chain-pendulum")())
    timed = top.mechanism.replace(forces=[sp.sin(gc.time), 0, 0]).reduce()
    with pytest.raises(gc.InputError, match="time"):
        gc.discover_invariants(timed)
    with pytest.raises(gc.ConstraintError, match="no random points of the leaf"):
        gc.discover_invariants(bare("whipple-bicycle"))
