r"""LaTeX of systems, read back and evaluated: what is printed has to be what the library computes."""

import re
import time

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.systems.printing import latex_parts
from geoctrl.systems.typesetting.typesetting import Typesetter, symbol_name, width
from tests.systems.formulas import Reader, equations_in

READ_BACK = (
    "heavy-top",
    "pendulum-skate-rotor",
    "rolling-disk",
    "orbiting-body",
    "veselova",
    "chaplygin-sleigh",
)


def values_at(system, x, params):
    """Values of all names that may be printed, rates included."""
    rate = system.rhs(0.0, x, params=params)
    xi = system.velocity(x, params)
    values = {symbol_name(k): float(v) for k, v in params.items()}
    values |= {symbol_name(str(s)): 0.0 for s in system.inputs}
    values |= dict(zip(map(symbol_name, system.mechanism.algebra.labels), xi, strict=True))
    for label, v, vdot in zip(system.state_labels, x, rate, strict=True):
        values |= {symbol_name(label): v, symbol_name(f"{label}_dot"): vdot}
    if system.mechanism.contact is not None:
        step = 1e-30
        moved = system.configuration(x + 1j * step * rate, params)
        symbols = [*system.mechanism.configuration_symbols, *(p.symbol for p in system.mechanism.parameters)]
        contact = sp.lambdify(symbols, list(system.mechanism.contact), "numpy")(*moved, *params.values())
        for i, s in enumerate(contact, start=1):
            values |= {f"s_{{{i}}}": np.real(s), rf"\dot{{s}}_{{{i}}}": np.imag(s) / step}
    return values


@pytest.mark.parametrize("name", READ_BACK)
@pytest.mark.parametrize("columns", [25.0, 38.0, 200.0])
def test_the_equations_of_motion_hold_as_they_are_printed(name, columns):
    system = gc.models.get(name)().reduce()
    rng = np.random.default_rng(3)
    params = {k: float(rng.uniform(0.4, 1.6)) for k in system.params}
    x = system.random_state(rng, params)
    values = values_at(system, x, params)
    equations = equations_in(system.latex(width=columns))
    # Names that are defined in a line of their own come last: the most basic at the end.
    for left, right in reversed(equations):
        if left not in values and re.fullmatch(r"\\varrho\S*", left):
            values[left] = Reader(right, values).whole()
    a = system.assembly
    if a.rows:
        (multiplier,) = system.program(a.multipliers)(system.arguments_at(0.0, x, None), params)
        values[r"\lambda_{1}"] = float(multiplier)
    assert len(equations) >= system.nstates
    for left, right in equations:
        sides = Reader(left, values).whole(), Reader(right, values).whole()
        assert np.isclose(*sides, rtol=1e-9, atol=1e-11), (left, right, sides)


def test_the_reader_sees_a_wrong_sign():
    """Negative control."""
    system = gc.models.get("heavy-top")().reduce()
    params = dict(system.params)
    x = system.random_state(np.random.default_rng(0), params)
    values = values_at(system, x, params)
    left, right = equations_in(system.latex())[0]
    assert np.isclose(Reader(left, values).whole(), Reader(right, values).whole())
    assert not np.isclose(Reader(left, values).whole(), Reader(right.replace("+", "-"), values).whole())


@pytest.mark.parametrize("name", READ_BACK)
def test_the_lagrangian_as_printed_is_kinetic_less_potential_energy(name):
    system = gc.models.get(name)().reduce()
    mechanism = system.mechanism
    rng = np.random.default_rng(5)
    params = {k: float(rng.uniform(0.4, 1.6)) for k in system.params}
    x = system.random_state(rng, params)
    values = values_at(system, x, params)
    lines = dict(equations_in(system.latex("lagrangian")))
    values |= {left: Reader(right, values).whole() for left, right in lines.items() if left == r"\varrho"}
    table = dict(zip(mechanism.configuration_symbols, system.configuration(x, params), strict=True))
    values |= {symbol_name(str(s)): float(v) for s, v in table.items()}
    table |= {p.symbol: params[p.name] for p in mechanism.parameters}
    rates = list(system.velocity(x, params))
    inertia = sp.Matrix(mechanism.inertia)
    if mechanism.rotors:
        rates.append(x[system.state_labels.index("theta_dot")])
        coupling = mechanism.rotors.coupling
        inertia = sp.Matrix(sp.BlockMatrix([[inertia, coupling], [coupling.T, mechanism.rotors.inertia]]))
    xi = sp.Matrix(rates)
    expected = (xi.T * inertia * xi)[0] / 2 - mechanism.potential
    if mechanism.gyroscopic is not None:
        expected += mechanism.gyroscopic.dot(xi[: mechanism.algebra.n, :])
    assert np.isclose(Reader(lines[r"\ell"], values).whole(), float(expected.subs(table)), rtol=1e-10)


def test_dots_stand_over_letters_and_no_matrix_is_printed():
    text = gc.models.get("pendulum-skate-rotor")().reduce().latex()
    assert r"\dot{\Gamma}_{2}" in text
    assert r"\ddot{\theta}" in text
    assert r"\dot{v}_{1}" in text
    assert "matrix" not in text


def test_long_entries_get_names_that_are_explained():
    text = gc.models.get("rolling-disk")().reduce().latex()
    for line in (
        r"s_{1} &= -\frac{a \Gamma_{1}}{\varrho}",
        r"\varrho &= \sqrt{\Gamma_{1}^{2} + \Gamma_{2}^{2}}",
    ):
        assert line in text
    assert "sqrt" not in gc.models.get("chaplygin-sleigh")().reduce().latex()


def test_lines_fit_the_width_asked_for():
    text = gc.models.get("orbiting-body")().reduce().latex(width=30)
    lines = text.splitlines()[1:-1]
    assert max(width(line.removesuffix(r" \\")) for line in lines) < 33


def test_parts_that_a_system_does_not_have_are_empty_and_unknown_ones_are_refused():
    body = gc.models.get("free-rigid-body")().reduce()
    assert body.latex("constraints") == body.latex("leaf") == body.latex("frame") == ""
    assert r"\Pi_{1}^{2}" in body.latex("invariants")
    with pytest.raises(ValueError, match="did you mean 'leaf'"):
        body.latex("leav")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Omega1", r"\Omega_{1}"),
        ("Omega1_2", r"\Omega_{1,2}"),
        ("theta_dot", r"\dot{\theta}"),
        ("theta1_dot_dot", r"\ddot{\theta}_{1}"),
        ("heading_dot", r"\dot{\mathrm{heading}}"),
        ("u_theta", r"u_{\theta}"),
        ("Jt", "J_{t}"),
        ("K.Gamma", r"K \cdot \Gamma"),
        ("|K|^2", "|K|^{2}"),
        ("rotor_momentum", r"\text{rotor momentum}"),
        ("roll_left_dot", r"\dot{\text{roll left}}"),
        ("wheel2_rear_dot_dot", r"\ddot{\text{wheel 2 rear}}"),
        ("wheel2_rear", r"\text{wheel 2 rear}"),
    ],
)
def test_names_in_latex(name, expected):
    assert symbol_name(name) == expected


def test_relations_have_their_negative_terms_on_the_other_side():
    a, b, x = sp.symbols("a b x", positive=True)
    setter = Typesetter([a, b, x], [x], fixed=[a, b])
    assert setter.relation(a * x**2 - b > 0) == "a x^{2} > b"
    assert setter.relation(-(a - b) * x**2 - b < 0) in ("b x^{2} < a x^{2} + b", "(b - a) x^{2} < b")
    assert setter.relation(sp.And(a > b, sp.Ne(x, 1))).count(r"\text{ and }") == 1


def links_in_a_row(n):
    algebra = gc.product(*[gc.so2()] * n)
    links = [gc.AdvectedVector(f"q{i}_", reference=(1, 0, 0), of=i + 1) for i in range(n)]
    directions = [sp.Matrix(v.symbols) for v in links]
    inertia = sp.Matrix(n, n, lambda i, j: (n - max(i, j)) * directions[i].dot(directions[j]) + int(i == j))
    return gc.EulerPoincare(algebra=algebra, advected=links, inertia=inertia).reduce()


@pytest.mark.long(reason="test_long_calls.py cuts the typesetting of four bodies")
def test_the_budget_ends_the_typesetting_and_is_said():
    begun = time.monotonic()
    whole = links_in_a_row(7).latex()
    assert "not typeset" not in whole
    # A third of what it takes, however busy the machine.
    budget, chain = round((time.monotonic() - begun) / 3, 2), links_in_a_row(7)
    start = time.process_time()
    text = chain.latex(budget=budget)
    assert time.process_time() - start < budget + 4.0
    assert rf"\text{{not typeset within the budget of {budget:g} s}}" in text
    assert len(text) < len(whole)
    with pytest.raises(gc.ParameterError, match="budget must be a positive number"):
        chain.latex(budget=0)


def test_what_is_long_is_shown_by_parts(monkeypatch):
    system = gc.models.get("pendulum-skate-rotor")().reduce()
    whole = system.latex()
    assert "left out" not in whole
    monkeypatch.setattr(latex_parts, "LONGEST", 800)
    short = system.latex()
    assert re.search(r"\d+ of \d+ equations are left out, some [\d,]+ characters", short)
    assert f'latex("{system.state_labels[0]}")'.replace("_", r"\_") in short
    assert len(short) < len(whole)
    # Whatever is left out is there by its label, as in the whole.
    for label in system.state_labels:
        for line in system.latex(label).splitlines()[1:-1]:
            assert line.replace("&", "").replace(r" \\", "").split("=")[0].strip() in whole.replace("&", "")


def test_a_multiple_of_a_relation_is_told_by_factors():
    x, y, z, k = sp.symbols("x y z k")
    setter = Typesetter([k, x, y, z], relations=[x**2 + y**2 - 1])
    assert setter.text(k * x**2 * z + k * y**2 * z + 2 * x) == setter.text(k * z + 2 * x)
    # No two terms in common, and a symbol below: nothing is taken off.
    assert setter.text(k * x**2 + 2 * y**3) == "k x^{2} + 2 y^{3}"
