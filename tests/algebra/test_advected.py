"""Advected parameters: the direction of the motion, representations, the momentum map."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from geoctrl.algebra import AdvectedParameter, AdvectedVector, momentum_map, product, rn, se2, se3, so2, so3
from geoctrl.errors import DescriptionError

from .samples import heisenberg

ROUNDING = 1e-13


def dense(entries, d, n):
    kappa = np.zeros((d, n, d))
    for i, j, k, value in entries:
        kappa[i, j, k] = value
    return kappa


@pytest.mark.parametrize(
    ("algebra", "of"),
    [(so3(), None), (se3(), None), (so2(), None), (se2(), None), (product(rn(1), se2(), so3(), se3()), None)]
    + [(product(rn(1), se2(), so3(), se3()), of) for of in (2, 3, 4)],
)
def test_vector_moves_as_a_vector_fixed_in_space(algebra, of):
    rng = np.random.default_rng(31)
    vector = AdvectedVector("Gamma", reference=(0.3, -1.2, 0.8), of=of)
    reference = np.array(vector.reference, dtype=float)
    factor_index = next(i for i, f in enumerate(algebra.factors) if f.spin) if of is None else of - 1
    place = algebra.matrix_slices[factor_index]
    spin = np.array(algebra.factors[factor_index].spin)
    x0, xi = rng.uniform(-1, 1, (2, algebra.n))
    g0 = algebra.exp(x0)
    size = 2 if algebra.factors[factor_index].name in ("so2", "se2") else 3

    def gamma(t):
        rotation = np.eye(3)
        rotation[:size, :size] = (g0 @ algebra.exp(t * xi))[place, place][:size, :size]
        return rotation.T @ reference

    h = 1e-5
    rate = (gamma(h) - gamma(-h)) / (2 * h)
    moved = -np.einsum("ijk,j,k->i", dense(vector.action(algebra), 3, algebra.n), xi, gamma(0))
    # Central difference: h^2 truncation and 1e-16/h rounding, both below 1e-9.
    assert np.allclose(rate, moved, atol=1e-9)
    assert np.allclose(moved, np.cross(gamma(0), spin @ xi), atol=ROUNDING)
    assert not np.allclose(rate, -moved, atol=1e-3)


def test_action_of_so3_is_the_cross_product():
    omega, gamma = np.random.default_rng(32).normal(size=(2, 3))
    kappa = dense(AdvectedVector("Gamma").action(so3()), 3, 3)
    assert np.allclose(np.einsum("ijk,j,k->i", kappa, omega, gamma), np.cross(omega, gamma), atol=ROUNDING)


@pytest.mark.parametrize("algebra", [so3(), se3(), se2(), product(so2(), se3())])
def test_action_of_a_vector_is_a_representation(algebra):
    entries = AdvectedVector("Gamma").action(algebra)
    kappa = dense(entries, 3, algebra.n)
    assert AdvectedParameter("a", kappa, (1, 2, 3)).action(algebra) == entries


@pytest.mark.parametrize(("algebra", "pair"), [(so3(), "Omega1 and Omega2"), (se3(), "Omega1 and Omega2")])
def test_wrong_sign_is_no_representation(algebra, pair):
    kappa = -dense(AdvectedVector("Gamma").action(algebra), 3, algebra.n)
    with pytest.raises(DescriptionError, match=rf"not a representation.*basis elements {pair}"):
        AdvectedParameter("a", kappa, (1, 2, 3)).action(algebra)


def test_representation_of_any_dimension():
    # Heisenberg, c = 5/3, by strictly upper triangular matrices; exact fractions are needed to pass.
    kappa = np.full((3, 3, 3), 0, dtype=object)
    kappa[0, 0, 1], kappa[1, 1, 2], kappa[0, 2, 2] = 1, Fraction(1), Fraction(3, 5)
    parameter = AdvectedParameter("a", kappa, reference=(1, Fraction(1, 3), 0.5))
    assert parameter.action(heisenberg()) == ((0, 0, 1, 1), (0, 2, 2, Fraction(3, 5)), (1, 1, 2, 1))
    assert parameter.reference == (1, Fraction(1, 3), Fraction(1, 2))
    kappa[0, 2, 2] = 0.6
    with pytest.raises(DescriptionError, match="basis elements p and q"):
        AdvectedParameter("a", kappa, (1, 2, 3)).action(heisenberg())


def test_affine_action_of_se2():
    # A point fixed in space as coordinates (x, 1) in the body: hat itself acts.
    kappa = np.stack([se2().hat(e) for e in np.eye(3)], axis=1)
    point = AdvectedParameter("q", kappa, reference=(2, 3, 1))
    assert point.dimension == 3
    x, q = np.random.default_rng(33).normal(size=(2, 3))
    moved = np.einsum("ijk,j,k->i", dense(point.action(se2()), 3, 3), x, q)
    assert np.allclose(moved, se2().hat(x) @ q, atol=ROUNDING)


def test_momentum_map_on_se3():
    y, gamma = np.random.default_rng(34).normal(size=(2, 3))
    entries = AdvectedVector("Gamma").action(se3())
    assert np.allclose(momentum_map(entries, 6, y, gamma), np.r_[np.cross(y, gamma), 0, 0, 0], atol=ROUNDING)
    assert not np.allclose(momentum_map(entries, 6, y, gamma)[:3], np.cross(gamma, y), atol=1e-3)


@pytest.mark.parametrize("algebra", [so2(), se2(), product(rn(2), so3(), se3())])
def test_momentum_map_is_dual_to_the_action(algebra):
    rng = np.random.default_rng(35)
    entries = AdvectedVector("Gamma").action(algebra)
    xi = rng.normal(size=algebra.n)
    x, gamma = rng.normal(size=(2, 3))
    moved = np.einsum("ijk,j,k->i", dense(entries, 3, algebra.n), xi, gamma)
    assert momentum_map(entries, algebra.n, x, gamma) @ xi == pytest.approx(-moved @ x, abs=ROUNDING)


def test_momentum_map_of_symbols():
    vector = AdvectedVector("Gamma")
    entries = vector.action(so3())
    gradient = sp.Matrix(sp.symbols("x1:4", real=True))
    result = momentum_map(entries, 3, gradient, vector.symbols)
    assert isinstance(result, sp.ImmutableMatrix)
    assert sp.expand(result - gradient.cross(vector.symbols)) == sp.zeros(3, 1)
    assert momentum_map(entries, 3, [0, 0, 2], vector.symbols) == sp.Matrix(
        [-2 * vector.symbols[1], 2 * vector.symbols[0], 0]
    )


def test_momentum_map_refuses_what_does_not_fit():
    entries = AdvectedVector("Gamma").action(se3())
    with pytest.raises(DescriptionError, match="a has shape"):
        momentum_map(entries, 6, [1.0, 2.0, 3.0], [1.0, 2.0])
    with pytest.raises(DescriptionError, match="action_entries has index"):
        momentum_map(entries, 2, [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])


def test_vectors_are_values():
    vector = AdvectedVector("g", (0, 0.1, sp.Rational(1, 3)), of=2)
    assert vector.reference == (0, Fraction(0.1), Fraction(1, 3))
    assert all(type(number) is Fraction for number in vector.reference)
    assert pickle.loads(pickle.dumps(vector)) == vector
    assert [str(symbol) for symbol in vector.symbols] == ["g1", "g2", "g3"]
    assert vector.symbols[0] == sp.Symbol("g1", real=True)
    assert AdvectedVector("g", sp.Matrix([0, 0, 1])) == AdvectedVector("g")
    parameter = AdvectedParameter("a", dense(vector.action(product(so3(), so3())), 3, 6), (1, 2, 3))
    assert pickle.loads(pickle.dumps(parameter)) == parameter
    assert hash(parameter) == hash(pickle.loads(pickle.dumps(parameter)))
    for frozen in (vector, parameter):
        with pytest.raises(AttributeError):
            frozen.name = "b"


@pytest.mark.parametrize(
    "reference", [(0, 0, 0), (0, 0), (0, 0, np.nan), (0, 0, np.inf), ("a", 0, 0), 3, (0, 0, sp.Symbol("x"))]
)
def test_bad_references_are_refused(reference):
    with pytest.raises(DescriptionError, match=r"^reference"):
        AdvectedVector("Gamma", reference)


@pytest.mark.parametrize("of", [0, -1, 1.5, "1"])
def test_number_of_a_factor_counts_from_one(of):
    with pytest.raises(DescriptionError, match="a whole number of at least 1"):
        AdvectedVector("Gamma", of=of)


@pytest.mark.parametrize("name", ["", "a b", "1a", 3, "for"])
def test_names_are_identifiers(name):
    with pytest.raises(DescriptionError, match="not an identifier"):
        AdvectedVector(name)


def test_factor_that_turns_a_vector():
    algebra = product(rn(1), so3(), se3())
    assert AdvectedVector("Gamma").factor_index(algebra) == 1
    assert AdvectedVector("Gamma", of=3).factor_index(algebra) == 2


def test_factor_must_exist_and_turn():
    with pytest.raises(DescriptionError, match="of = 3, but"):
        AdvectedVector("Gamma", of=3).action(product(so3(), so3()))
    with pytest.raises(DescriptionError, match=r"factor 2 \(rn\) has no rotations"):
        AdvectedVector("Gamma", of=2).action(product(so3(), rn(2)))
    with pytest.raises(DescriptionError, match=r"no factor of .* has rotations"):
        AdvectedVector("Gamma").action(product(rn(2), heisenberg()))


def test_shapes_of_actions_are_checked():
    with pytest.raises(DescriptionError, match=r"\(d, n, d\) is needed"):
        AdvectedParameter("a", np.zeros((3, 3, 2)), (1, 2, 3))
    with pytest.raises(DescriptionError, match="3 axes"):
        AdvectedParameter("a", np.zeros((3, 3)), (1, 2, 3))
    with pytest.raises(DescriptionError, match="reference has 2 entries"):
        AdvectedParameter("a", np.zeros((3, 3, 3)), (1, 2))
    with pytest.raises(DescriptionError, match=r"\(3, 6, 3\) is needed"):
        AdvectedParameter("a", np.zeros((3, 3, 3)), (1, 2, 3)).action(se3())
