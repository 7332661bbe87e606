"""Parameters, coordinates and vectors in expressions, as what they are; names of products; how to declare."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

Q = gc.Coordinate("q", angle=True)
M = gc.Parameter("m", 2.0, "kg", positive=True)
GAMMA = gc.AdvectedVector("Gamma")
X = sp.Symbol("x", real=True)
q, m, g = Q.symbol, M.symbol, GAMMA.symbols
A = sp.Matrix(3, 3, range(9))

SCALARS = [
    (lambda: sp.cos(Q), sp.cos(q)),
    (lambda: M * X, m * X),
    (lambda: X * M, m * X),
    (lambda: M * Q, m * q),
    (lambda: (2 / M, M / 2, Q / M), (2 / m, m / 2, q / m)),
    (lambda: (M**2, 2**M, -Q, +Q, abs(Q)), (m**2, 2**m, -q, q, sp.Abs(q))),
    (lambda: (Q - 1, 1 - Q, Q + 1, 1 + Q, Q - Q), (q - 1, 1 - q, q + 1, 1 + q, 0)),
    (lambda: (Q < 1, Q >= M), (q < 1, q >= m)),
    (lambda: np.float64(0.5) * M, 0.5 * m),
    (lambda: list(np.array([1, 2]) * M), [m, 2 * m]),
    (lambda: sp.Piecewise((Q, Q > 0), (0, True)), sp.Piecewise((q, q > 0), (0, True))),
    (lambda: (M * X).subs(M, 3).diff(X), 3),
    (lambda: sp.diag(M, Q), sp.diag(m, q)),
    (lambda: sp.eye(2) * M, sp.eye(2) * m),
    (lambda: M * sp.eye(2), sp.eye(2) * m),
    (lambda: sp.hessian(M * Q.rate**2, [Q.rate]), sp.Matrix([[2 * m]])),
]
VECTORS = [
    (lambda: A * GAMMA, A * g),
    (lambda: A @ GAMMA, A * g),
    (lambda: GAMMA.T * A * GAMMA, g.T * A * g),
    (lambda: (2 * GAMMA, GAMMA * X, M * GAMMA, GAMMA * M, GAMMA / 2), (2 * g, g * X, m * g, m * g, g / 2)),
    (lambda: GAMMA + sp.Matrix([1, 2, 3]), g + sp.Matrix([1, 2, 3])),
    (lambda: sp.Matrix([1, 2, 3]) - GAMMA, sp.Matrix([1, 2, 3]) - g),
    (lambda: GAMMA.dot([1, 2, 3]), g[0] + 2 * g[1] + 3 * g[2]),
    (lambda: sp.Matrix([1, 2, 3]).dot(GAMMA), g[0] + 2 * g[1] + 3 * g[2]),
    (lambda: GAMMA.cross([0, 0, 1]), g.cross(sp.Matrix([0, 0, 1]))),
    (lambda: (GAMMA[2], list(GAMMA), len(GAMMA)), (g[2], list(g), 3)),
    (lambda: sp.Matrix(GAMMA), g),
    (lambda: -GAMMA, -g),
]


@pytest.mark.parametrize(("written", "meant"), SCALARS + VECTORS)
def test_in_expressions(written, meant):
    assert written() == meant


def test_a_mechanism_without_symbols():
    """The same equations with and without ``.symbol``, parts given bare or in expressions."""
    length = gc.Parameter("l", 0.5, positive=True)
    u = sp.Symbol("u", real=True)
    base = {"algebra": None, "shape": [Q], "parameters": [M, length], "inputs": [u]}
    bare = gc.EulerPoincare(
        **base, inertia=[[M * length**2]], potential=-M * length * sp.cos(Q), forces=[u - length * Q.rate]
    ).reduce()
    by_symbols = gc.EulerPoincare(
        **base,
        inertia=[[m * length.symbol**2]],
        potential=-m * length.symbol * sp.cos(q),
        forces=[u - length.symbol * Q.rate],
    ).reduce()
    assert bare.equations() == by_symbols.equations()
    top = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[GAMMA],
        inertia=sp.diag(M, M, 3),
        potential=GAMMA.dot([0, 0, 5]),
        parameters=[M],
    )
    assert top.reduce().energy([0, 0, 0, 0, 0, 1.0]) == 5.0
    single = gc.EulerPoincare(algebra=None, shape=[Q], inertia=[[M]], potential=Q, parameters=[M]).reduce()
    assert single.rhs(0.0, [0.0, 0.0])[0] == -0.5


def test_descriptions_stay_what_they_are():
    for given in (Q, M, GAMMA):
        assert pickle.loads(pickle.dumps(given)) == given
        assert hash(given) == hash(pickle.loads(pickle.dumps(given)))
    assert gc.Coordinate("q") != Q


def test_undeclared_symbols_say_how_to_declare_them():
    u = sp.Symbol("u", real=True)
    base = {"algebra": None, "shape": [Q], "inertia": [[1]]}
    with pytest.raises(gc.DescriptionError, match=r"an input is declared by inputs=\['u'\], a parameter by"):
        gc.EulerPoincare(**base, forces=[u])
    with pytest.raises(gc.DescriptionError, match=r"symbol m; known are q; a parameter by parameters=\[gc"):
        gc.EulerPoincare(**base, potential=M * Q)


def test_products_keep_names():
    plane = gc.rn(2).relabelled(["w1", "w2"], ["p1", "p2"])
    both = gc.product(gc.so3(), plane)
    assert both.labels == ("Omega1", "Omega2", "Omega3", "w1", "w2")
    assert both.momentum_labels[3:] == ("p1", "p2")
    assert gc.product(gc.so3(), gc.rn(2)).labels[3:] == ("Y1", "Y2")
    with pytest.raises(gc.DescriptionError, match=r"was given to two factors, 1 \(rn\) and 2 \(rn\)"):
        gc.product(plane, plane, gc.so2())
    thrice = gc.product(plane, gc.rn(2), gc.rn(2))
    assert thrice.labels == ("w1", "w2", "Y1", "Y2", "Y1_3", "Y2_3")
    renamed = both.relabelled(["a", "b", "c", "d", "e"])
    assert gc.product(renamed, gc.so3()).labels == ("a", "b", "c", "d", "e", "Omega1", "Omega2", "Omega3")
    # Suffixes that a product gave are no names of a user: nesting makes no difference.
    twice = gc.product(gc.so3(), gc.so3())
    again = twice.relabelled(twice.labels)
    assert gc.product(gc.so3(), again).labels == gc.product(gc.so3(), gc.so3(), gc.so3()).labels
    with pytest.raises(gc.DescriptionError, match="repeat Pi1"):
        gc.product(gc.so3(), gc.rn(1).relabelled(["Pi1"]))


def test_a_run_to_an_end():
    s = gc.EulerPoincare(algebra=None, shape=[Q], inertia=[[1]], potential=Q.symbol**2 / 2).reduce()
    run = gc.simulate(s, 10, [0.0, 1.0])
    assert run.time.shape == (501,)
    assert (run.time[0], run.time[-1]) == (0.0, 10.0)
    assert run["q"][-1] == pytest.approx(np.cos(10.0), abs=1e-12)
    for end in (0, -1.0):
        with pytest.raises(gc.errors.InputError, match="the end of a run that begins at 0, must be positive"):
            gc.simulate(s, end, [0.0, 1.0])
    with pytest.raises(gc.errors.InputError, match="must be"):
        gc.simulate(s, True, [0.0, 1.0])


@pytest.mark.parametrize(
    "other", ["x", ["x", "y", "z"], None, {"a": 1}, [[1], [2, 3]], np.array(["x", "y", "z"])]
)
def test_products_with_a_vector_read_no_text(other):
    """sympy would run what it is given as text; the conftest refuses that as well."""
    vector = gc.AdvectedVector("Gamma")
    for product in (vector.dot, vector.cross, vector.__matmul__, vector.__rmatmul__):
        with pytest.raises(gc.DescriptionError, match="text is not read"):
            product(other)
    assert vector.dot(np.array([1, 2, 3])) == vector[0] + 2 * vector[1] + 3 * vector[2]
