r"""Systems on manifolds in LaTeX, read back and evaluated: what is printed is what the library computes."""

import re

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.manifolds import Attitude, Direction, Place, ProductSystem
from geoctrl.manifolds.views.latex_of_systems import is_isotropic, of_product
from geoctrl.systems.typesetting.typesetting import symbol_name
from tests.systems.formulas import Reader


def numbers_at(system, x, params):
    values = dict(zip(map(symbol_name, system.state_labels), map(float, x), strict=True))
    values |= {symbol_name(k): v for k, v in params.items()}
    return values


def line(text, left):
    """Right side of the equation with this left side, its line breaks taken out."""
    match = re.search(rf"^{re.escape(left)} &= (.*(?:\n&\\quad .*)*)", text, re.MULTILINE)
    return re.sub(r"\\\\\n&\\quad", " ", match[1]).removesuffix(r" \\")


def column(text, left):
    return re.search(r"pmatrix\} (.*) \\end", line(text, left))[1].split(r" \\ ")


@pytest.mark.parametrize("name", ["pendulum-3d", "orbiting-body", "body-in-field", "charged-body"])
def test_the_potential_of_attitudes_is_the_one_that_acts(name):
    system = gc.models.get(name)(attitudes=True)
    params = system.parameters_at({p.name: p.default * 1.25 for p in system.parameters})
    R, Omega = system.unpack(system.generic_state(4))
    values = numbers_at(system, system.pack(R, Omega), params)
    text = line(system.latex("lagrangian"), "U")
    assert Reader(text, values).whole() == pytest.approx(system.potential(R, params), rel=1e-9)


def test_inertias_linear_terms_and_the_rate_of_the_frame_are_listed():
    J, a = [2.0, 3.0, 1.5], [[0.1, -0.2, 0.3]]
    n = gc.Parameter("n", 0.5, "rad/s", "rate")
    system = gc.rotations.RotationSystem(
        inertias=np.diag(J), linear=a, frame_rate=[0, n.symbol, 0], parameters=[n]
    )
    text = system.latex()
    assert line(text, r"\mathbb{J}_{1}") == r"\mathrm{diag}(2, 3, \tfrac{3}{2})"
    assert column(text, "a_{1}") == ["0.1", "-0.2", "0.3"]
    assert column(text, "w") == ["0", "n", "0"]
    assert r"\dot a_i" in text


def test_forces_are_the_ones_that_act():
    chain = gc.spheres.chain_pendulum([1.3, 0.7], [0.5, 0.25])
    rng = np.random.default_rng(5)
    q, omega = chain.unpack(chain.generic_state(2))
    u = rng.normal(size=6)
    values = numbers_at(chain, chain.pack(q, omega), {})
    values |= dict(zip(map(symbol_name, chain.input_labels), u, strict=True))
    tau, d = u[:3], u[3:]
    expected = [0.5 * d + np.cross(tau, q[0]), 0.25 * d]
    for i, f in enumerate(expected, 1):
        found = [Reader(entry, values).whole() for entry in column(chain.latex("forces"), f"f_{{{i}}}")]
        assert found == pytest.approx(list(f), rel=1e-12)
    assert chain.replace(forces=None, inputs=()).latex("forces") == ""


def test_inertia_on_spheres_is_a_matrix_or_one_number():
    chain = gc.spheres.chain_pendulum([1.0, 2.0], [0.5, 0.4])
    assert r"m &= \begin{pmatrix} 0.75 & 0.4 \\ 0.4 & 0.32 \end{pmatrix}" in chain.latex("lagrangian")
    text = gc.spheres.particles_on_sphere([2.5, 2.5]).latex("lagrangian")
    assert "m_{ii} &= 2.5" in text
    assert r"m_{ij} &= 0 \quad (i \ne j)" in text


def test_a_term_of_two_directions_becomes_a_function_of_their_product():
    rng = np.random.default_rng(6)
    attraction = gc.spheres.lennard_jones(2, 0.4, 0.8).potential_terms[0].small
    assert is_isotropic(attraction)
    s = sp.Symbol("s", real=True)
    a, b = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    found = of_product(attraction, s).subs(s, a @ b)
    exact = gc.spheres.lennard_jones(2, 0.4, 0.8).potential([a, b])
    assert float(found) == pytest.approx(exact, rel=1e-5)  # six digits are printed
    needles = gc.spheres.dipoles([[0, 0, 0], [0.1, 0, 0]], 0.05, 0.02, 0.1).potential_terms[0].small
    assert not is_isotropic(needles)
    assert r"q_i \cdot q_j" not in gc.models.get("dipoles")().latex("lagrangian")


def test_what_is_given_by_functions_or_fills_a_page_is_said_in_words():
    V = gc.spheres.SphereSystem(
        mass=[1.0], potential=lambda q, p: q[0, 2], gradient=lambda q, p: 0 * q + [0, 0, 1]
    )
    assert r"V &= \text{a function of } q" in V.latex("lagrangian")
    ring = gc.models.get("coupled-bodies")(attitudes=True)
    assert r"\text{an expression of " in ring.latex("lagrangian")
    law = gc.spheres.chain_pendulum([1.0], [1.0]).closed_loop(lambda t, x, params: np.zeros(6))
    assert r"u = u(t, x)" in law.latex("forces")


def test_a_notebook_shows_the_equations_of_motion():
    for system in (gc.models.get("chain-pendulum")(), gc.models.get("heavy-top")(attitudes=True)):
        assert system._repr_latex_() == f"$\\displaystyle {system.latex()}$"


def test_bad_arguments_are_refused():
    chain = gc.models.get("chain-pendulum")()
    with pytest.raises(gc.InputError, match="unknown part 'energy'; known are motion, lagrangian, forces"):
        chain.latex("energy")
    with pytest.raises(gc.InputError, match="width must be positive, got -1"):
        chain.latex(width=-1)
    with pytest.raises(gc.ParameterError, match="budget must be a positive number"):
        chain.latex(budget=0)


def test_a_product_is_written_factor_by_factor():
    """Rates in a turning frame are not those seen from it; forces that vanish are not shown."""
    x, R, q = Place("x"), Attitude("R"), Direction("q1")
    kinetic = x.rate.dot(x.rate) + R.velocity.dot(R.velocity) + q.rate.dot(q.rate)
    push = sp.Symbol("push")
    given = {"kinetic": kinetic, "potential": q.z[2], "forces": {"R": [push, 0, 0]}, "inputs": [push]}
    still = ProductSystem([x, R, q], **given)
    motion, forces = still.latex(), still.latex("forces")
    assert r"\frac{\partial K}{\partial \dot q_{1}}" in motion
    assert r"\times \frac{\partial K}" not in motion
    assert r"\bigl(R^T E - E^T R\bigr)^\vee &= f_{R}, \quad E =" in motion
    assert r"\delta W = f_{R} \cdot \eta_{R}, \quad \delta R = R \hat\eta" in forces
    assert "f_{x}" not in forces
    turning = ProductSystem([x, R, q], frame_rate=[0, 0, 0.5], **given).latex()
    assert r"w \times \frac{\partial K}{\partial u_{q_{1}}}" in turning
    assert "u_{q_{1},3}^{2}" in turning
    assert r"u &= \dot z + w \times z" in turning
    by_function = still.replace(forces=lambda t, z, w, u, p: 0 * w).latex("forces")
    assert r"f_{x} \cdot \delta x + f_{R} \cdot \eta_{R} + f_{q_{1}} \cdot \delta q_{1}" in by_function
