"""Gains that are matrices: laws against the plant, thresholds by eigenvalues, what is refused."""

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.errors import InputError, MatchingError
from geoctrl.synthesis.shaping.gain_matrices import drawn_definite
from geoctrl.verification import Verdict
from tests.synthesis.test_shaped import apart

pytestmark = pytest.mark.filterwarnings("ignore:.*these gains hold no family")

PUCK = "spherical-pendulum-on-puck"
MATCHED, DESIGNED = {}, {}


def matched(name, shaping, gains):
    """Made once: every law of a matching is proved in the same symbols."""
    key = name, shaping, gains
    if key not in MATCHED:
        MATCHED[key] = gc.match(gc.models.get(name)(), shaping=shaping, gains=gains)
    return MATCHED[key]


def entries(**matrices):
    """Entries by name on and above the diagonal."""
    return {
        f"{stem}{a + 1}{b + 1}": float(matrix[a][b])
        for stem, matrix in matrices.items()
        for a in range(len(matrix))
        for b in range(a, len(matrix))
    }


def turned(first, second, angle=0.6):
    """The symmetric matrix with these eigenvalues."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s], [s, c]])
    return R @ np.diag([first, second]) @ R.T


def designed(name, shaping, family):
    """Made once: the conditions of a family take seconds."""
    key = name, shaping, family
    if key not in DESIGNED:
        DESIGNED[key] = matched(name, shaping, "matrices").design(family)
    return DESIGNED[key]


HELD = {"rho": turned(-0.1, -0.03, 1.0), "K": turned(-0.6, -0.2, 0.2)}


def test_entries_are_named():
    assert list(matched(PUCK, "both", "matrices").gains) == [
        f"{stem}{place}" for stem in ("Lambda", "rho", "K") for place in ("11", "12", "22")
    ]
    assert list(matched("body-with-rotors", "kinetic", "diagonal").gains) == [
        "Lambda11",
        "Lambda22",
        "Lambda33",
    ]
    one = gc.match(gc.models.get("cart-pendulum")(), shaping="both", gains="matrices")
    assert list(one.gains) == ["Lambda", "rho", "K"]


@pytest.mark.parametrize(
    ("name", "shaping", "form"),
    [
        (PUCK, "kinetic", "matrices"),
        (PUCK, "potential", "matrices"),
        (PUCK, "both", "matrices"),
        ("body-with-rotors", "kinetic", "matrices"),
        ("body-with-rotors", "both", "matrices"),
        ("body-with-rotors", "kinetic", "diagonal"),
    ],
)
def test_the_plant_moves_as_the_controlled_lagrangian(name, shaping, form):
    matching = matched(name, shaping, form)
    row = matching.shaping.drawn(np.random.default_rng(7), 1, 0.5)[0]
    assert apart(matching.law(**dict(zip(matching.gains, map(float, row), strict=True)))) < 1e-12


@pytest.mark.long(reason="a matrix is what its entries say, and the plant moves so")
def test_another_entry_is_another_law():
    """Control of the test above: the plant under one law against the Lagrangian of the other."""
    matching = matched(PUCK, "both", "matrices")
    gains = entries(Lambda=turned(9.0, 4.0), **HELD)
    law, other = (matching.law(**{**gains, "Lambda12": sign * gains["Lambda12"]}) for sign in (1, -1))
    x = law.controlled.system.random_state(np.random.default_rng(3), law.controlled.system.mechanism.generic)
    found, expected, differs = law.full.rhs(0.0, x), law.controlled.system.rhs(0.0, x), other.full.rhs(0.0, x)
    assert np.max(np.abs(found - expected)) < 1e-12 * np.max(np.abs(expected))
    assert np.max(np.abs(found - differs)) > 1e-3 * np.max(np.abs(expected))


def test_a_matrix_says_what_its_entries_say():
    matching = matched(PUCK, "both", "matrices")
    given = {"Lambda": turned(9.0, 4.0), **HELD}
    by_entry = matching.law(**entries(**given))
    x = by_entry.full.random_state(np.random.default_rng(8), by_entry.full.mechanism.generic)
    for write in (lambda m: m, lambda m: m.tolist(), sp.Matrix):
        law = matching.law(**{name: write(matrix) for name, matrix in given.items()})
        np.testing.assert_allclose(law.full.rhs(0.0, x), by_entry.full.rhs(0.0, x), rtol=1e-13)
    defaults = {p.name: p.default for p in by_entry.gain_parameters}
    beside = {k: v for k, v in entries(**given).items() if not k.startswith("K")}
    law = matching.law(**beside, K=given["K"])
    assert {p.name: p.default for p in law.gain_parameters} == pytest.approx(defaults, rel=1e-15)


def test_a_matrix_of_symbols():
    matching = matched(PUCK, "kinetic", "matrices")
    a, b, c = sp.symbols("a b c", real=True)
    law = matching.law(Lambda=sp.Matrix([[a, b], [b, c]]))
    assert [p.name for p in law.gain_parameters] == ["a", "b", "c"]
    half = matching.law(Lambda=[[a, 0.5], [0.5, 4]])
    assert {p.name: p.default for p in half.gain_parameters} == {"a": None, "Lambda12": 0.5, "Lambda22": 4}


def test_a_matrix_on_the_diagonal():
    matching = matched("body-with-rotors", "kinetic", "diagonal")
    law = matching.law(Lambda=np.diag([1.0, 0.3, 0.2]))
    assert {p.name: p.default for p in law.gain_parameters} == {
        "Lambda11": 1.0,
        "Lambda22": 0.3,
        "Lambda33": 0.2,
    }
    with pytest.raises(MatchingError, match=r'entry 1, 3 of Lambda is 0.1,.*gains="matrices"'):
        matching.law(Lambda=[[1, 0, 0.1], [0, 0.3, 0], [0.1, 0, 0.2]])


def test_one_actuated_direction_takes_a_matrix_of_one_entry():
    one = matched("cart-pendulum", "both", "matrices")
    law = one.law(Lambda=[[25.0]], rho=-0.03, K=sp.Matrix([[-0.6]]))
    assert [p.default for p in law.gain_parameters] == [25.0, -0.03, -0.6]


def test_designs_take_matrices():
    design = designed("cart-pendulum", "both", "upright")
    by_entry = {"Lambda": 12.0, "rho": -0.02, "K": -0.6}
    given = {name: [[value]] for name, value in by_entry.items()}
    assert design.contains(**given) is True
    assert design.contains(**{**given, "Lambda": np.array([[-12.0]])}) is False
    np.testing.assert_allclose(design.eigenvalues(**given), design.eigenvalues(**by_entry), rtol=1e-12)
    assert design.best_damping(**given) == pytest.approx(design.best_damping(**by_entry), rel=1e-12)
    assert [p.default for p in design.law(**given).gain_parameters] == [12.0, -0.02, -0.6]


def test_rounding_of_a_symmetric_matrix_is_none():
    """R diag R^T in floats: entries that face one another may differ in the last digit."""
    matching = matched(PUCK, "kinetic", "matrices")
    law = matching.law(Lambda=[[9.0, 0.1 + 0.2], [0.3, 4.0]])
    assert {p.name: p.default for p in law.gain_parameters}["Lambda12"] == pytest.approx(0.3, abs=1e-15)
    with pytest.raises(MatchingError, match="must be symmetric"):
        matching.law(Lambda=[[9.0, 0.3 + 1e-9], [0.3, 4.0]])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"Lambda": np.eye(3)}, r"Lambda must be a symmetric 2 x 2 matrix.*got \(3, 3\)"),
        ({"Lambda": [[1, 2]]}, r"Lambda must be a symmetric 2 x 2 matrix.*got \(1, 2\)"),
        ({"Lambda": [[1, 2], [3]]}, "Lambda must be a symmetric 2 x 2 matrix"),
        ({"Lambda": 3.0}, "Lambda must be a symmetric 2 x 2 matrix, .* got 3.0"),
        ({"Lambda": sp.Symbol("a", real=True)}, "Lambda must be a symmetric 2 x 2 matrix"),
        ({"Lambda": [1, 2]}, "Lambda must be a symmetric 2 x 2 matrix"),
        ({"Lambda": "eye"}, "Lambda must be a symmetric 2 x 2 matrix"),
        ({"Lambda": None}, "Lambda must be a symmetric 2 x 2 matrix"),
        ({"Lambda": [[1, 2], [3, 4]]}, "Lambda must be symmetric: entry 1, 2 is 2, entry 2, 1 is 3"),
        ({"Lambda": [[1, np.nan], [np.nan, 4]]}, "an entry of Lambda must be finite"),
        ({"Lambda": [[1, 2j], [-2j, 4]]}, "an entry of Lambda must be a real number"),
        ({"Lambda": sp.Matrix([[1, sp.I], [-sp.I, 4]])}, "entries of Lambda must be finite and real"),
        ({"Lambda": [["a", 0], [0, 4]]}, "an entry of Lambda"),
        ({"Lambda": np.eye(2), "Lambda12": 0.0}, "Lambda and Lambda12"),
        ({"Lamda": np.eye(2)}, "no gain 'Lamda'; did you mean 'Lambda'"),
        ({"Lambda": np.zeros((2, 2))}, "Lambda must be invertible"),
    ],
)
def test_matrices_that_are_refused(given, message):
    matching, design = matched(PUCK, "kinetic", "matrices"), designed(PUCK, "kinetic", "upright")
    for take in (matching.law, design.contains, design.law):
        with pytest.raises(MatchingError, match=message):
            take(**given)


def test_multiples_of_gamma_are_the_scalar_gains():
    scalars = matched(PUCK, "both", "scalars")
    p = scalars.mechanism.defaults
    gamma = (p["M"] + p["m"]) * np.eye(2)
    law = scalars.law(kappa=20, rho=-0.02, K=-0.6)
    matrices = matched(PUCK, "both", "matrices").law(
        **entries(Lambda=21 * gamma, rho=-0.02 * gamma, K=-0.6 * np.eye(2))
    )
    x = law.full.random_state(np.random.default_rng(5), law.full.mechanism.generic)
    expected = law.full.rhs(0.0, x)
    np.testing.assert_allclose(matrices.full.rhs(0.0, x), expected, rtol=0, atol=1e-12 * abs(expected).max())


@pytest.mark.long(reason="every matrix has to be definite, beside it; multiples are scalar gains")
@pytest.mark.parametrize(
    ("away", "expected"), [(-1e-6, Verdict.PROVED_UNSTABLE), (1e-6, Verdict.PROVED_STABLE)]
)
def test_the_puck_is_held_above_an_eigenvalue(away, expected):
    """At the top k is l m/(M + m) times an isometry and g = m l^2: every eigenvalue of Lambda has to be
    above (M + m)^2/m, whatever the directions."""
    matching = matched(PUCK, "both", "matrices")
    p = matching.mechanism.defaults
    threshold = (p["M"] + p["m"]) ** 2 / p["m"]
    gains = entries(Lambda=turned((1 + away) * threshold, 3 * threshold), **HELD)
    loop = matching.law(**gains).loop
    assert gc.certify(loop, loop.equilibrium("upright")).verdict is expected
    assert designed(PUCK, "both", "upright").contains(**gains) is (expected is Verdict.PROVED_STABLE)


def test_every_matrix_has_to_be_definite():
    design = designed(PUCK, "both", "upright")
    p = design.plant.mechanism.defaults
    high = turned(3.0, 5.0) * (p["M"] + p["m"]) ** 2 / p["m"]
    assert design.contains(**entries(Lambda=high, **HELD))
    for name in ("rho", "K"):
        indefinite = {**HELD, name: turned(-0.5, 1e-6)}
        assert design.contains(**entries(Lambda=high, **indefinite)) is False
    assert {str(e) for e in design.bounds["K12"].free_symbols} == {"K11", "K12", "K22"}


@pytest.mark.parametrize("side", [-1, 1])
def test_three_rotors_have_their_own_gains(side):
    """About the second axis the body is one with a_i = I_i + J_i - Lambda_i about the other two, of which the
    third changes sides with a_2 = I_2 + J_2 at rotors at rest."""
    matching = matched("body-with-rotors", "kinetic", "diagonal")
    design, p = matching.design("about2"), matching.mechanism.defaults
    locked = [p[f"I{i}"] + p[f"J{i}"] for i in (1, 2, 3)]
    a3 = locked[1] * (1 + side * 1e-6)
    # a_1 on one side of a_2: where a_3 joins it, a_2 is an extreme moment.
    a1 = locked[1] * 0.8
    gains = {"Lambda11": locked[0] - a1, "Lambda22": 0.3, "Lambda33": locked[2] - a3}
    at = {"Omega0": 1.0, "rate0": 0.0}
    assert design.contains(at, **gains) is (side < 0)
    loop = matching.law(**gains).loop
    verdict = gc.certify(loop, loop.equilibrium("about2", **at)).verdict
    assert verdict is (Verdict.PROVED_STABLE if side < 0 else Verdict.PROVED_UNSTABLE)


def test_matrices_are_recommended_as_the_scalar_gains_are():
    """Two frequencies of the loop, in closed form: multiples of gamma, each pair of modes twice."""
    design = designed(PUCK, "both", "upright")
    gains = design.recommend(frequencies=(3.0, 8.0))
    scalars = matched(PUCK, "both", "scalars").design("upright").recommend(frequencies=(3.0, 8.0))
    p = design.plant.mechanism.defaults
    gamma = (p["M"] + p["m"]) * np.eye(2)
    expected = entries(
        Lambda=(1 + scalars["kappa"]) * gamma, rho=scalars["rho"] * gamma, K=scalars["K"] * np.eye(2)
    )
    assert gains == pytest.approx(expected, rel=1e-12)
    found = np.sort(np.abs(design.eigenvalues(**gains)))
    np.testing.assert_allclose(found, [3.0] * 4 + [8.0] * 4, rtol=1e-6)


@pytest.mark.long(reason="matrices are recommended as the scalar gains are, beside it")
def test_gains_are_recommended_about_a_motion():
    """Damping would brake it: the loop is looked at without, its modes near the pace of the plant."""
    matching = matched("body-with-rotors", "kinetic", "scalars")
    design, at = matching.design("about2"), {"Omega0": 1.0, "rate0": 0.0}
    gains = design.recommend(at)
    assert design.contains(at, **gains) is True
    assert design.best_damping(at, **gains) == 0.0
    loop = matching.law(**gains).loop
    assert gc.certify(loop, loop.equilibrium("about2", **at)).verdict is Verdict.PROVED_STABLE
    # The plant falls with (L2 - I3)(I1 - L2)/(I1 I3), L2 = I2 + J2.
    v = matching.mechanism.defaults
    L2 = v["I2"] + v["J2"]
    falls = np.sqrt((L2 - v["I3"]) * (v["I1"] - L2) / (v["I1"] * v["I3"]))
    assert max(np.abs(design.eigenvalues(at, **gains))) == pytest.approx(falls, rel=1e-3)


def test_draws_are_definite():
    rows = drawn_definite(np.random.default_rng(2), 200, [2, 3], 2.0)
    assert rows.shape == (200, 9)
    for row in rows:
        upper = np.zeros((3, 3))
        upper[np.triu_indices(3)] = row[3:]
        matrix = upper + np.triu(upper, 1).T
        assert len(set(np.sign(np.linalg.eigvalsh(matrix)))) == 1


def test_what_is_refused():
    matching = matched("body-with-rotors", "kinetic", "matrices")
    singular = dict.fromkeys(matching.gains, 1.0)
    with pytest.raises(MatchingError, match="Lambda must be invertible"):
        matching.law(**singular)
    with pytest.raises(MatchingError, match="no gain 'kappa'"):
        matching.law(kappa=3)
    with pytest.raises(MatchingError, match='gains="matrices" needs abelian actuated directions'):
        gc.match(gc.models.get("furuta-pendulum")(), shaping="both", gains="matrices")
    with pytest.raises(MatchingError, match="leave it out"):
        gc.match(gc.models.get("cart-pendulum")(), direction=[1], gains="matrices")
    with pytest.raises(InputError, match="gains"):
        gc.match(gc.models.get("cart-pendulum")(), gains="matrix")


@pytest.mark.parametrize(("sign", "expected"), [(1, Verdict.PROVED_STABLE), (-1, Verdict.PROVED_UNSTABLE)])
def test_conditions_that_are_too_long_are_asked_at_numbers(sign, expected):
    """Full matrices of three rotors: nothing is written, which is not to say that no gains are admissible."""
    matching = matched("body-with-rotors", "kinetic", "matrices")
    design = matching.design("about2")
    assert design.condition is None
    assert set(design.bounds.values()) == {None}
    own = np.array([[0.9, 0.2, -0.1], [0.2, 1.7, 0.3], [-0.1, 0.3, 0.6]])
    gains = entries(Lambda=sign * own)
    member = {"Omega0": 1.0, "rate0": 0.5}
    assert design.contains(**gains) is None  # the family's symbols have no numbers
    loop = matching.law(**gains).loop
    verdict = gc.certify(loop, loop.equilibrium("about2", **member)).verdict
    assert verdict is expected
    assert design.contains(params=member, **gains) is (expected is Verdict.PROVED_STABLE)
