"""Structure constants: exactness, layouts, and what is refused."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from geoctrl.algebra import LieAlgebra, product, rn, se2, se3, so2, so3
from geoctrl.errors import DescriptionError

from .samples import GROUPS, heisenberg, heisenberg_constants


@pytest.mark.parametrize("name", GROUPS)
def test_standard_constants_pass_the_checks_of_given_ones(name):
    algebra = GROUPS[name]
    rebuilt = LieAlgebra(algebra.structure_constants, algebra.labels, name, algebra.momentum_labels)
    assert rebuilt.brackets == algebra.brackets
    assert rebuilt.xi == algebra.xi


@pytest.mark.parametrize("algebra", [se2(), heisenberg()], ids=["se2", "heisenberg"])
def test_both_layouts_give_the_same_algebra(algebra):
    constants = np.full((3, 3, 3), 0, dtype=object)
    for i, j, k, value in algebra.brackets:
        constants[i, j, k] = value
    leading = constants.transpose(2, 0, 1)
    assert not np.array_equal(leading, constants)
    assert LieAlgebra(leading).brackets == LieAlgebra(constants).brackets == algebra.brackets


def test_layouts_of_so3_coincide():
    constants = so3().structure_constants
    assert np.array_equal(np.einsum("ijk->kij", constants), constants)
    assert LieAlgebra(constants).brackets == so3().brackets


def test_numbers_are_kept_exactly():
    value = LieAlgebra(heisenberg_constants()).brackets[0][3]
    assert value == Fraction(5, 3)
    assert type(value) is Fraction
    for number, exact in [
        (0.1, Fraction(0.1)),
        (np.float64(0.3), Fraction(0.3)),
        (np.int32(-7), Fraction(-7)),
        (sp.Rational(2, 7), Fraction(2, 7)),
        (sp.Float(0.1), Fraction(0.1)),
    ]:
        constants = np.full((3, 3, 3), 0, dtype=object)
        constants[0, 1, 2], constants[1, 0, 2] = number, -number
        assert LieAlgebra(constants.tolist()).brackets == ((0, 1, 2, exact), (1, 0, 2, -exact))


def test_sympy_array_is_accepted():
    assert LieAlgebra(sp.Array(heisenberg_constants().tolist())).brackets == heisenberg().brackets


def test_jacobi_identity_is_required():
    # [E0, E1] = 3 E0, [E1, E2] = 2 E0, [E0, E2] = 5 E2: the cyclic sum is not zero.
    constants = np.zeros((3, 3, 3))
    for i, j, k, c in ((0, 1, 0, 3), (1, 2, 0, 2), (0, 2, 2, 5)):
        constants[i, j, k], constants[j, i, k] = c, -c
    with pytest.raises(DescriptionError, match=r"Jacobi identity for \(i, j, k\) = \(0, 1, 2\)"):
        LieAlgebra(constants)


def test_one_flipped_bracket_of_se3_is_refused():
    constants = se3().structure_constants.copy()
    constants[0, 4] *= -1
    constants[4, 0] *= -1
    with pytest.raises(DescriptionError, match="Jacobi"):
        LieAlgebra(constants)


def test_asymmetric_constants_are_refused_with_their_indices():
    constants = se2().structure_constants.copy()
    constants[0, 2, 1] = 4
    with pytest.raises(DescriptionError, match=r"c\[0, 2, 1\] = 4 but c\[2, 0, 1\] = 1"):
        LieAlgebra(constants)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "finite"),
        (np.inf, "finite"),
        (sp.oo, "finite"),
        (sp.nan, "finite"),
        (sp.Float("inf"), "finite"),
        (sp.sqrt(2), "must be rational"),
        (sp.Symbol("c"), "must be a number"),
        ("1", "without quotes"),
        (1j, "must be a real number"),
    ],
)
def test_entries_that_are_not_rationals_are_refused(value, message):
    constants = heisenberg_constants()
    constants[0, 1, 2] = value
    with pytest.raises(DescriptionError, match=rf"structure_constants\[0, 1, 2\].*{message}"):
        LieAlgebra(constants)


@pytest.mark.parametrize(
    "constants", [np.zeros((3, 3)), np.zeros((2, 3, 3)), np.zeros((0, 0, 0)), [[[0], [0, 1]]], 3.0]
)
def test_wrong_shapes_are_refused(constants):
    with pytest.raises(DescriptionError, match=r"shape|ragged"):
        LieAlgebra(constants)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (("a", "b"), "2 entries"),
        (("a", "b", "a"), "repeat a"),
        (("a", "b c", "d"), "not an identifier"),
        (("a", "lambda", "d"), "not an identifier"),
        (("a", 2, "d"), "not an identifier"),
        (("a", "mu2", "d"), "repeat mu2"),
        ("abc", "must be a sequence"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(DescriptionError, match=message):
        LieAlgebra(heisenberg_constants(), labels)


def test_default_labels_and_symbols():
    algebra = LieAlgebra(heisenberg_constants())
    assert algebra.labels == ("xi1", "xi2", "xi3")
    assert algebra.mu == sp.ImmutableMatrix(sp.symbols("mu1:4", real=True))
    assert all(symbol.is_real for symbol in algebra.xi)


def test_algebras_are_immutable_values():
    algebra = product(se3(), heisenberg())
    with pytest.raises(AttributeError, match="immutable"):
        algebra.n = 2
    with pytest.raises(AttributeError, match="immutable"):
        del algebra.n
    with pytest.raises(ValueError, match="read-only"):
        algebra.structure_constants[0, 0, 0] = 1
    again = pickle.loads(pickle.dumps(algebra))
    assert again == algebra == copy.deepcopy(algebra)
    assert hash(again) == hash(algebra)
    assert again.factors == algebra.factors
    assert again.xi == algebra.xi
    assert not again.structure_constants.flags.writeable
    assert so3() != LieAlgebra(so3().structure_constants, so3().labels, "so3", so3().momentum_labels)
    assert so3() != se3()
    assert so3() != "so3"


@pytest.mark.parametrize("k", [0, -1, 1.5, "2", None])
def test_rn_needs_a_positive_integer(k):
    with pytest.raises(DescriptionError, match="k must be a whole number from 1 to"):
        rn(k)


def test_labels_of_products():
    algebra = product(so3(), rn(1), se3(), so2(), so2())
    assert algebra.labels == (
        *("Omega1", "Omega2", "Omega3", "Y1"),
        *("Omega1_3", "Omega2_3", "Omega3_3", "Y1_3", "Y2", "Y3"),
        *("Omega", "Omega_5"),
    )
    assert [str(symbol) for symbol in algebra.mu][3:5] == ["P1", "Pi1_3"]
    assert algebra.name == "so3 x rn x se3 x so2 x so2"


def test_labels_of_ones_own_are_kept_in_products():
    wheels = rn(2).relabelled(["Omega1", "w2"])
    assert product(so3(), wheels).labels == ("Omega1_1", "Omega2", "Omega3", "Omega1", "w2")
    assert product(wheels, so3()).labels == ("Omega1", "w2", "Omega1_2", "Omega2", "Omega3")
    assert product(product(wheels), so3(), rn(1)).labels[-1] == "Y1"
    back = wheels.relabelled(["Y1", "Y2"])
    assert back == rn(2)
    other = rn(1).relabelled(["w2"], ["p"])
    with pytest.raises(DescriptionError, match=r"'w2' was given to two factors, 1 \(rn\) and 3 \(rn\)"):
        product(wheels, so3(), other)
    with pytest.raises(DescriptionError, match=r"'p' was given to two factors"):
        product(other, rn(1).relabelled(["v"], ["p"]))


def test_nested_products_flatten():
    flat = product(so3(), se2(), so3())
    for nested in (product(product(so3(), se2()), so3()), product(so3(), product(se2(), so3()))):
        assert nested == flat
    assert product(se3()) == se3()


def test_factors_of_a_product():
    algebra = product(rn(2), se2(), heisenberg(), so3(), se3())
    assert [factor.name for factor in algebra.factors] == ["rn", "se2", "heisenberg", "so3", "se3"]
    x = np.random.default_rng(5).normal(size=algebra.n)
    plane, custom, body, rigid = algebra.factors[1:]
    assert np.array_equal(np.array(plane.spin) @ x, [0, 0, x[2]])
    assert np.array_equal(np.array(plane.velocity) @ x, [x[3], x[4], 0])
    assert np.array_equal(np.array(body.spin) @ x, x[body.xi_slice])
    assert np.array_equal(np.array(rigid.spin) @ x, x[11:14])
    assert np.array_equal(np.array(rigid.velocity) @ x, x[14:17])
    assert body.velocity is None
    for still in (algebra.factors[0], custom):
        assert (still.spin, still.velocity) == (None, None)


@pytest.mark.parametrize("arguments", [(), (so3(), "so3"), (None,)])
def test_product_refuses_what_is_no_algebra(arguments):
    with pytest.raises(DescriptionError, match=r"Lie ?[aA]lgebra"):
        product(*arguments)


def test_product_refuses_labels_that_clash_with_a_suffix():
    plane = LieAlgebra(np.zeros((2, 2, 2)), ("Omega", "Omega_2"))
    with pytest.raises(DescriptionError, match="repeat Omega_2"):
        product(plane, so2())
