"""Maps of stability: what cells claim, against closed forms; and that no change of a file goes through."""

import copy
import json
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor, wait
from fractions import Fraction
from math import prod

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.maps.map_quotients import Quotients
from geoctrl.analysis.maps.map_quotients import characteristic as polynomial_of_quotients
from geoctrl.analysis.maps.minor_formulas import formulas_of_parts, parts_of_polynomial
from geoctrl.checker.maps.axes import Axes
from geoctrl.checker.maps.bernstein import AxesBox, Region
from geoctrl.checker.maps.charts import characteristic, hermite, hurwitz, leading_minors
from geoctrl.checker.maps.region import LETTERS
from geoctrl.cli import main
from tests.attack.parts.claims import leaf_of_set_at_odds

AXES = {"Omega0": (0, 10), "l": (0.1, 1.5)}


@pytest.fixture(scope="module")
def skate():
    return gc.models.get("pendulum-skate")().reduce()


@pytest.fixture(scope="module")
def small(skate):
    return gc.certify_region(skate, "spinning", AXES, depth=5)


def margin(rate, length, m=2.0, g=9.8, I2=0.35, I3=0.004):
    """Positive where the spinning skate is stable, negative where it is unstable."""
    return rate**2 * (I3 - I2 + m * length**2) - m * g * length


def verified(data, path):
    """What the checker says of a map's data with the digest made anew."""
    body = {k: v for k, v in data.items() if k != "digest"}
    path.write_text(json.dumps(body | {"digest": checker.digest_of(body)}))
    return gc.verify(path)


# -- what is claimed ---------------------------------------------------------------------------------------


def test_map_of_the_spinning_skate_is_the_closed_form(skate):
    found = gc.certify_region(skate, "spinning", AXES, depth=9)
    assert found.undecided < 0.005
    assert found.stable == pytest.approx(0.441, abs=1e-3)
    assert found.unstable == pytest.approx(0.556, abs=1e-3)
    assert found.stable + found.unstable + found.spectrum + found.undecided == pytest.approx(1)
    sense = {"stable": 1, "unstable": -1}
    for cell in found.cells:
        if cell.verdict in sense:
            corners = [margin(w, x) for w in cell.sides["Omega0"] for x in cell.sides["l"]]
            assert all(sense[cell.verdict] * value > 0 for value in corners)


def test_no_point_contradicts_the_conditions_in_symbols(skate, small):
    rng = np.random.default_rng(3)
    values = {k: rng.uniform(*side, 2000) for k, side in AXES.items()}
    names = {p.name: p.default for p in skate.mechanism.parameters if p.name not in AXES}
    expected = gc.stability_conditions(skate, "spinning").evaluate(params=names, **values)
    said = [small.at(Omega0=w, l=x) for w, x in zip(values["Omega0"], values["l"], strict=True)]
    for verdict, sign in zip(said, expected, strict=True):
        assert {"stable": 1, "unstable": -1}.get(verdict, sign) == sign
    assert sum(v in ("stable", "unstable") for v in said) > 1800


def test_cells_tile_the_axes(small):
    areas = [np.prod([b - a for a, b in cell.sides.values()]) for cell in small.cells]
    assert sum(areas) == pytest.approx(10 * 1.4)
    decided = sum(a for a, cell in zip(areas, small.cells, strict=True) if cell.verdict == "stable")
    assert decided / 14 == pytest.approx(small.stable)


def test_a_border_of_cells_belongs_to_the_decided_one(small):
    cell = next(c for c in small.cells if c.verdict == "stable")
    corner = {k: Fraction(side[1]) for k, side in cell.sides.items() if k == "Omega0"}
    assert small.at(**corner, l=sum(map(Fraction, cell.sides["l"])) / 2) == "stable"


def test_stability_by_attraction_and_growth_of_the_sleigh():
    sleigh = gc.models.get("chaplygin-sleigh")().reduce()
    found = gc.certify_region(sleigh, "straight", {"V": (-3, 3), "a": (0.1, 1)}, depth=4)
    assert found.at(V=2, a=0.5) == "stable"
    assert found.at(V=-2, a=0.5) == "unstable"
    assert found.at(V=0, a=0.5) == "undecided"


def test_spectrum_alone_is_a_class_of_its_own():
    """A top of three different inertias sleeps without growth: its energy has no minimum."""
    top = gc.models.get("heavy-top")().reduce()
    found = gc.certify_region(top, "sleeping", {"Omega0": (12, 20), "l": (0.1, 0.5)}, depth=2)
    assert found.spectrum > 0.3
    assert found.stable == 0


def test_map_over_a_shape_is_the_closed_form(tmp_path):
    """An upright disk rolls without falling where Omega^2 > A g/(C (C + 1) a), by integrals over its lean
    that have no closed form; A = 1/4, C = 1/2.
    """
    disk = gc.models.get("rolling-disk")().reduce().despun()
    found = gc.certify_region(disk, "rolling", {"Omega0": (0, 12), "a": (0.1, 1)}, depth=8)
    assert found.undecided < 0.01
    assert found.spectrum == 0
    sense = {"stable": 1, "unstable": -1}
    for cell in found.cells:
        if cell.verdict in sense:
            for rate in cell.sides["Omega0"]:
                for a in cell.sides["a"]:
                    assert sense[cell.verdict] * (rate**2 - 9.81 / (3 * a)) > 0
    found.to_json(tmp_path / "disk.json")
    assert gc.verify(tmp_path / "disk.json").verdict is gc.Verdict.PROVED_BY_CELLS
    assert main(["verify", str(tmp_path / "disk.json"), "--rebuild"]) == 0


def test_a_map_takes_the_points_of_rest_beside_its_family(tmp_path):
    """The racer rests on circles as well: two dimensions of rest, one of the family, as `certify` finds at a
    point. Straight on it is stable where the steered axle trails.
    """
    racer = gc.models.get("roller-racer")().reduce()
    found = gc.certify_region(racer, "straight", {"V": (-3, 3), "d1": (0.2, 1)}, depth=4)
    assert found.spectrum == 0
    assert found.stable == found.unstable == 7 / 16  # all but the cells that meet V = 0
    for cell in found.cells:
        if cell.verdict != "undecided":
            sign = {"stable": 1, "unstable": -1}[cell.verdict]
            assert all(sign * speed > 0 for speed in cell.sides["V"])
    file = tmp_path / "racer.json"
    found.to_json(file)
    assert main(["verify", str(file), "--rebuild"]) == 0
    for part, value in (("phi", "Y1"), ("Omega", "phi")):
        data = copy.deepcopy(found.data)
        data["problem"]["states"][part] = data["problem"]["states"][value]
        with pytest.raises(gc.CertificateError):
            verified(data, file)
    data = copy.deepcopy(found.data)
    data["theorem"]["symbols"] |= data["theorem"].pop("moving")
    with pytest.raises(gc.CertificateError):
        verified(data, file)


def test_symbols_with_numbers_move_beside_axes():
    """Two dimensions of rest, of which one is an axis and one has a number."""
    x, y, z = sp.symbols("x y z", real=True)
    A, B = sp.symbols("A B", real=True)
    plane = gc.VectorField(
        states=["x", "y", "z"],
        rates=[x * z, -y * z, -(1 + x**2 + y**2) * z],
        equilibria={"plane": gc.Family({"x": A, "y": B}, symbols=[A, B])},
    ).reduce()
    assert gc.certify_region(plane, "plane", {"A": (1, 2)}, depth=2, params={"B": 3}).stable == 1
    assert gc.certify_region(plane, "plane", {"B": (1, 2)}, depth=2, params={"A": 3}).stable == 1


def test_roots_of_the_axes_are_enclosed(tmp_path):
    """Staude's rotations hold a square root of the axes."""
    top = gc.models.get("kovalevskaya-top")().reduce()
    found = gc.certify_region(top, "staude", {"Omega0": (4, 20), "l": (0.2, 0.4)}, depth=4)
    assert any(row[0] == "fun" for row in found.data["problem"]["nodes"])
    assert found.stable > 0.8
    found.to_json(tmp_path / "top.json")
    gc.verify(tmp_path / "top.json")
    for cell in found.cells:
        if cell.verdict == "stable":
            middle = {k: sum(side) / 2 for k, side in cell.sides.items()}
            params = {"l": middle.pop("l")}
            eq = top.equilibrium("staude", params, **middle)
            assert gc.certify(top, eq, params).verdict is gc.Verdict.PROVED_STABLE
            break


def test_free_multipliers_of_the_sleeping_top():
    """Lagrange's top sleeps stably where (I3 w)^2 > 4 I1 m g l."""
    top = gc.models.get("heavy-top")().reduce()
    found = gc.certify_region(
        top, "sleeping", {"Omega0": (0, 30), "l": (0.1, 1.5)}, depth=6, params={"I2": "I1"}
    )
    assert found.undecided < 0.05
    sense = {"stable": 1, "unstable": -1}
    for cell in found.cells:
        if cell.verdict in sense:
            for w in cell.sides["Omega0"]:
                for length in cell.sides["l"]:
                    assert sense[cell.verdict] * ((0.5 * w) ** 2 - 4 * 0.9 * 1.3 * 9.81 * length) > 0


def test_one_axis_and_three(skate):
    one = gc.certify_region(skate, "spinning", {"Omega0": (0, 10)}, depth=8)
    edge = max(c.sides["Omega0"][1] for c in one.cells if c.verdict == "unstable")
    assert margin(edge, 0.8) < 0 < margin(edge + 10 / 2**7, 0.8)
    three = gc.certify_region(skate, "spinning", AXES | {"I3": (0.001, 0.3)}, depth=4)
    assert three.at(Omega0=9, l=0.4, I3=0.29) == "stable"
    assert three.at(Omega0=1, l=0.4, I3=0.002) == "unstable"


# -- files -------------------------------------------------------------------------------------------------


def test_a_map_is_verified_cell_by_cell(small, tmp_path):
    small.to_json(tmp_path / "map.json")
    report = gc.verify(tmp_path / "map.json")
    assert report.verdict is gc.Verdict.PROVED_BY_CELLS
    assert report.verdict.proved
    assert report.claim == small.claim
    assert "Omega0 in [0, 10]" in report.claim
    assert not leaf_of_set_at_odds(small.data, small.claim, np.random.default_rng(0))


def test_no_cell_can_be_given_another_proof(small, tmp_path):
    """Every decided cell with another proof, and every undecided one with any: none of them is believed."""
    letters, cells = LETTERS[: len(small.verdicts)], small.data["theorem"]["cells"]
    places = [i for i, letter in enumerate(cells) if letter != "+"]
    rng = np.random.default_rng(5)
    for i in rng.choice(places, 25, replace=False):
        old = cells[i]
        for letter in letters:
            if letter == old or (
                old != "."
                and small.verdicts[LETTERS.index(old)] == "stable"
                and small.verdicts[LETTERS.index(letter)] == "spectrum"
            ):
                continue  # what is stable by the energy has no eigenvalue to the right
            data = copy.deepcopy(small.data)
            data["theorem"]["cells"] = cells[:i] + letter + cells[i + 1 :]
            with pytest.raises(gc.CertificateError, match="does not hold on all of the cell"):
                verified(data, tmp_path / "map.json")


def test_a_cell_that_is_left_open_takes_its_part_of_what_is_told(small, tmp_path):
    data = copy.deepcopy(small.data)
    cells = data["theorem"]["cells"]
    place = cells.index(LETTERS[small.verdicts.index("stable")])
    data["theorem"]["cells"] = cells[:place] + "." + cells[place + 1 :]
    report = verified(data, tmp_path / "map.json")
    assert report.verdict is gc.Verdict.PROVED_BY_CELLS
    assert report.claim != small.claim


@pytest.mark.parametrize("cells", ["", "+", "a+", "+...", "+.....", "é", "+a", "zz"])
def test_what_is_no_tree_is_refused(small, tmp_path, cells):
    data = copy.deepcopy(small.data)
    data["theorem"]["cells"] = cells
    with pytest.raises(gc.CertificateError):
        verified(data, tmp_path / "map.json")


def test_wider_axes_are_refused(small, tmp_path):
    data = copy.deepcopy(small.data)
    data["theorem"]["axes"]["Omega0"] = ["0", "9"]
    with pytest.raises(gc.CertificateError, match="does not hold on all of the cell"):
        verified(data, tmp_path / "map.json")


def by(data, name):
    """A proof of a map's file."""
    return next(proof for proof in data["theorem"]["proofs"] if proof["by"] == name)


def test_another_multiplier_is_refused(small, tmp_path):
    for name, place in by(small.data, "energy")["multipliers"].items():
        data = copy.deepcopy(small.data)
        multipliers = by(data, "energy")["multipliers"]
        multipliers[name] = next(v for v in multipliers.values() if v != place)
        with pytest.raises(gc.CertificateError, match="not critical"):
            verified(data, tmp_path / "map.json")


def test_an_energy_proof_of_the_other_sense_is_refused(small, tmp_path):
    data = copy.deepcopy(small.data)
    by(data, "energy")["sense"] *= -1
    with pytest.raises(gc.CertificateError, match="does not hold on all of the cell"):
        verified(data, tmp_path / "map.json")


def test_changed_equations_are_refused(small, tmp_path):
    """Each coefficient of the table doubled: the map of another mechanism, or of none."""
    refused = 0
    nodes = small.data["problem"]["nodes"]
    places = [i for i, row in enumerate(nodes) if row[0] == "prod" and row[1] not in ("0",)]
    for i in places:
        data = copy.deepcopy(small.data)
        data["problem"]["nodes"][i][1] = str(2 * Fraction(nodes[i][1]))
        try:
            verified(data, tmp_path / "map.json")
        except gc.CertificateError:
            refused += 1
    assert refused >= 0.8 * len(places)


def test_a_changed_parameter_is_refused_or_told(small, tmp_path):
    data = copy.deepcopy(small.data)
    data["problem"]["parameters"]["g"] = "98/10"
    with pytest.raises(gc.CertificateError):
        verified(data, tmp_path / "map.json")


def test_a_file_claims_nothing(small):
    """Verdict, parts of the area and sentence are what the checker finds."""
    assert {"verdict", "claim", "area"}.isdisjoint(small.to_dict().keys() | small.data["theorem"].keys())


def test_a_changed_file_is_refused_by_its_digest(small, tmp_path):
    path = tmp_path / "map.json"
    path.write_text(small.to_json().replace('"family":"spinning"', '"family":"sliding"'))
    with pytest.raises(gc.CertificateError, match="digest"):
        gc.verify(path)


@pytest.fixture(scope="module")
def sleeping():
    top = gc.models.get("heavy-top")().reduce()
    return gc.certify_region(top, "sleeping", {"Omega0": (0.5, 9), "l": (0.4, 0.9)}, depth=3)


def test_minors_are_formulas_of_coefficients_where_these_are_shorter(sleeping):
    rows = sleeping.data["problem"]["nodes"]
    (block,) = sleeping.data["theorem"]["charts"][0]["blocks"]
    _, q1, _, q2 = block["coefficients"]
    kind, terms = rows[block["minors"][1]]
    assert kind == "sum"
    assert {rows[c][1]: rows[p] for c, p in terms} == {"1": ["prod", "1", [[q1, 2]]], "-4": rows[q2]}
    assert len(sleeping.to_json()) < 5000


def test_a_block_that_commutes_with_a_rotation_has_a_sum_of_two_squares():
    F = Quotients(["a", "b"], 0)
    a, b = F.variables
    half = [[(a, b), (F.one, a * b)], [(b / a, F.zero), (a + b, F.one)]]
    A = [
        row
        for pairs in half
        for row in ([e for x, y in pairs for e in (x, -y)], [e for x, y in pairs for e in (y, x)])
    ]
    parts = parts_of_polynomial(F, A)
    for wanted, formula in zip(polynomial_of_quotients(F, A)[1:], formulas_of_parts(2), strict=True):
        terms = (
            prod((p for p, e in zip(parts, row, strict=True) for _ in range(int(e))), start=F.number(c))
            for row, c in formula.terms()
        )
        assert not sum(terms, F.zero) - wanted
    A[0][1] += F.one
    assert parts_of_polynomial(F, A) is None


def test_a_formula_of_another_minor_proves_nothing(sleeping, tmp_path):
    data = sleeping.to_dict()
    (block,) = data["theorem"]["charts"][0]["blocks"]
    rows = data["problem"]["nodes"]
    rows.append(["sum", rows[block["minors"][1]][1][:1]])
    block["minors"][1] = len(rows) - 1
    with pytest.raises(gc.CertificateError, match="they are not the minors of the polynomial"):
        verified(data, tmp_path / "map.json")


# -- runs --------------------------------------------------------------------------------------------------


class Dying(ThreadPoolExecutor):
    """An executor whose workers are killed after some jobs."""

    def __init__(self, jobs):
        super().__init__(1)
        self.jobs = jobs

    def submit(self, function, *job):
        if not self.jobs:
            raise BrokenExecutor("a worker was killed")
        self.jobs -= 1
        future = super().submit(function, *job)
        wait([future])
        return future


def test_a_killed_map_goes_on_with_nothing_lost(skate, tmp_path):
    with pytest.raises(gc.WorkerError, match="20 of 64 tiles are done and kept"):
        gc.certify_region(skate, "spinning", AXES, depth=5, out=tmp_path / "run", executor=Dying(20))
    done = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "run").glob("part-*")}
    assert len(done) == 20
    found = gc.certify_region(skate, "spinning", AXES, depth=5, out=tmp_path / "run")
    after = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "run").glob("part-*")}
    assert len(after) == 64
    assert all(after[k] == v for k, v in done.items())
    assert found.data == gc.certify_region(skate, "spinning", AXES, depth=5).data
    with pytest.raises(gc.CertificateError, match="another map"):
        gc.certify_region(skate, "spinning", AXES, depth=6, out=tmp_path / "run")
    (tmp_path / "run" / "question.json").write_text('["{}", 5]')
    with pytest.raises(gc.CertificateError, match="an earlier version of geoctrl"):
        gc.certify_region(skate, "spinning", AXES, depth=5, out=tmp_path / "run")


def test_any_executor(skate, small):
    with ProcessPoolExecutor(1) as pool:
        assert gc.certify_region(skate, "spinning", AXES, depth=5, executor=pool).data == small.data


def test_the_picture_says_its_parts(small):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = small.plot()
    texts = [t.get_text() for t in ax.get_legend().get_texts()]
    assert f"proved stable ({100 * small.stable:.3g} %)" in texts
    drawn = sum(len(c.get_paths()) for c in ax.collections)
    assert drawn == len(small.cells)
    matplotlib.pyplot.close(ax.figure)


# -- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"axes": {}}, gc.InputError),
        ({"axes": [("l", 0, 1)]}, gc.InputError),
        ({"axes": {"nothing": (0, 1)}}, gc.ParameterError),
        ({"axes": {"l": (0, 1)}}, gc.ParameterError),
        ({"axes": {"l": (1, 0.5)}}, gc.InputError),
        ({"axes": {"l": (0.1, float("nan"))}}, gc.InputError),
        ({"axes": {"l": 3}}, gc.InputError),
        ({"axes": {"l": (0.1, 1)}}, gc.ParameterError),  # no value of Omega0
        ({"axes": AXES, "params": {"l": 0.3}}, gc.ParameterError),
        ({"axes": AXES, "depth": 0}, gc.InputError),
        ({"axes": AXES, "depth": 2.0}, gc.InputError),
        ({"axes": AXES, "family": "none"}, gc.ParameterError),
        ({"axes": AXES, "progress": 3}, TypeError),
        ({"axes": AXES, "out": 3}, TypeError),
    ],
)
def test_bad_input_is_refused_before_any_work(skate, given, error):
    with pytest.raises(error):
        gc.certify_region(skate, **{"family": "spinning"} | given)


def test_points_outside_are_refused(small):
    for values in ({"Omega0": 11, "l": 1}, {"Omega0": 1}, {"Omega0": 1, "l": 1, "m": 2}):
        with pytest.raises(gc.ParameterError):
            small.at(**values)


def test_a_family_that_moves_is_refused():
    disk = gc.models.get("rolling-disk")().reduce()
    with pytest.raises(gc.EquilibriumError, match="despun"):
        gc.certify_region(disk, "circling", {"omega": (0.5, 1), "t": (0.2, 0.3)})


# -- the checker's own arithmetic --------------------------------------------------------------------------


def axes(count, functions=0):
    return Axes(count, [("fun", "atan", [0])] * functions, {})


def test_bernstein_coefficients_enclose_a_polynomial():
    field = axes(2, 2)
    x, y = field.functions.variables
    rng = np.random.default_rng(1)
    root = field.function("sqrt", None, x * x + y * y + 1)
    for _ in range(20):
        c = [fmpq(int(v), 7) for v in rng.integers(-9, 9, 6)]
        p = (x * c[0] + y * c[1]) * (x * y * c[2] + c[3]) * x + y * y * c[4] + root * c[5] * y
        region = Region(field.functions, [(fmpq(-2), fmpq(3)), (fmpq(1, 3), fmpq(2))])
        box = AxesBox(region, [(fmpq(1, 4), fmpq(1, 2)), (fmpq(5, 8), fmpq(3, 4))])
        low, high = (float(int(v.p) / int(v.q)) for v in box.bounds(region.form(p.top)))
        a, b = np.meshgrid(np.linspace(-0.75, 0.5, 15), 1 / 3 + 5 / 3 * np.linspace(0.625, 0.75, 15))
        k = [float(int(v.p) / int(v.q)) for v in c]
        values = (
            (k[0] * a + k[1] * b) * (k[2] * a * b + k[3]) * a
            + k[4] * b**2
            + k[5] * b * np.sqrt(a**2 + b**2 + 1)
        )
        assert low - 1e-9 <= values.min()
        assert values.max() <= high + 1e-9


def numbers(field, values):
    return [field.number(fmpq(int(v))) for v in values]


def floats(ratios):
    """Values of functions that are numbers."""
    numerators = (getattr(q, "top", None) for q in ratios)
    found = (p.leading_coefficient() if p else fmpq(0) for p in numerators)
    return [int(q.p) / int(q.q) for q in found]


@pytest.mark.parametrize("seed", range(8))
def test_minors_place_the_roots_as_numpy_does(seed):
    field, rng = axes(1), np.random.default_rng(seed)
    zero = field.number(0)
    c = [1, *rng.integers(-4, 9, 4)]
    roots = np.roots(c)
    value = floats(leading_minors(hurwitz(numbers(field, c[1:]), zero), 4))
    assert all(v > 0 for v in value) == bool(np.all(roots.real < -1e-9))
    minors = floats(leading_minors(hermite(numbers(field, c[1:]), zero), 4))
    distinct = np.min(np.abs(roots[:, None] - roots + 9 * np.eye(4))) > 1e-6
    assert all(v > 0 for v in minors) == bool(np.all(np.abs(roots.imag) < 1e-9) and distinct)
    A = rng.integers(-3, 4, (4, 4))
    found = characteristic([numbers(field, row) for row in A])
    assert floats([field.number(q) for q in found]) == pytest.approx(np.poly(A))
    S = A + A.T + 9 * np.eye(4, dtype=int)
    diagonal = floats(leading_minors([numbers(field, row) for row in S], 4))
    assert diagonal == pytest.approx([np.linalg.det(S[:k, :k]) for k in range(1, 5)])


def test_cosines_of_arctangents_are_rational():
    for field in (Quotients(["t"], 4), axes(1, 4)):
        place = [] if isinstance(field, Quotients) else [None]
        (t,) = getattr(field, "functions", field).variables
        angle = field.function("atan", *place, t)
        for times in (-4, -2, 2, 4):
            pair = [field.function(name, *place, angle * fmpq(times)) for name in ("cos", "sin")]
            tangent = fmpq(1, 3)
            for q, expected in zip(pair, (np.cos, np.sin), strict=True):
                below = q.below if place == [] else q.field.multiple(q.field.constant(1), q.below)
                got = [p.subs({0: tangent}).leading_coefficient() for p in (q.top, below)]
                assert int(got[0].p) * int(got[1].q) / int(got[0].q) / int(got[1].p) == pytest.approx(
                    expected(times * np.arctan(1 / 3))
                )
        odd = field.function("sin", *place, angle)
        assert not (odd * odd * (t * t + 1) - t * t).top


def test_squares_of_roots_and_sines_are_put_in():
    field = axes(2, 6)
    x, y = field.functions.variables
    root = field.function("sqrt", None, (x * x + 1) * (1 / (y * y + 1)))
    assert root * root == (x * x + 1) * (1 / (y * y + 1))
    sine, cosine = (field.function(name, None, x * y) for name in ("sin", "cos"))
    assert sine * sine * sine == sine - sine * cosine * cosine
    assert sine != cosine


# -- the command -------------------------------------------------------------------------------------------


def test_the_command_draws_writes_and_verifies(tmp_path, capsys):
    picture, file = tmp_path / "map.png", tmp_path / "map.json"
    asked = ["map", "pendulum-skate", "--at", "spinning", "--x", "Omega0=0:10", "--y", "l=0.1:1.5"]
    asked += ["--depth", "4", "--out", str(picture), "--certificate", str(file), "--json"]
    assert main(asked) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["stable"] + data["unstable"] + data["undecided"] == pytest.approx(1)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["verify", str(file), "--rebuild"]) == 0
    assert "members of the family" in capsys.readouterr().out


def test_other_equations_are_not_those_of_the_catalogue(small, tmp_path, capsys):
    """A map whose domain was changed holds for its own equations, and is none of the catalogue's skate."""
    data = copy.deepcopy(small.data)
    data["theorem"]["domain"] = [data["theorem"]["domain"][0] + 1]
    verified(data, tmp_path / "map.json")
    assert main(["verify", str(tmp_path / "map.json"), "--rebuild"]) == 1
    assert "not those of pendulum-skate" in capsys.readouterr().err


@pytest.mark.parametrize("axis", ["Omega0", "Omega0=1", "Omega0=a:b", "l=0.1:1"])
def test_a_bad_axis_is_a_mistake_in_the_command(axis, capsys):
    asked = ["map", "pendulum-skate", "--at", "spinning", "--x", axis, "--y", "l=0.1:1.5"]
    assert main(asked) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.long(reason="an identity with products of 120,326 terms")
def test_all_integrals_of_a_top_on_a_sphere_are_in_its_map():
    """Routh's integral and the energy alone leave this box open."""
    top = gc.models.get("top-on-sphere")().reduce()
    found = gc.certify_region(top, "sleeping", {"Omega0": (4.1, 4.3), "b": (0.04, 0.05)}, depth=3)
    assert {"Jellett", "Routh"} <= set(found.data["problem"]["invariants"])
    assert found.stable == 1
