"""The study of [LLM09]: the numbers that must come out, short runs of the rest, its tables and figures."""

import numpy as np
import pytest

from studies.two_spheres import (
    coupled_pendula,
    dipoles,
    double_pendulum,
    elastic_rod,
    molecules,
    three_bodies,
)
from studies.two_spheres.comparison import Row
from studies.two_spheres.figures import save
from studies.two_spheres.table import markdown, text


@pytest.fixture(scope="module")
def studies():
    """Quick runs of all six."""
    examples = (double_pendulum, three_bodies, coupled_pendula, elastic_rod, dipoles, molecules)
    return [example.study(quick=True) for example in examples]


def row(study, quantity):
    (found,) = (r for r in study.rows if r.quantity == quantity)
    return found


@pytest.mark.long(reason="the tables of two bodies are asked beside it")
def test_three_bodies(studies):
    for h, published in ((5e-3, 1.1717e-4), (5e-4, 1.1986e-6)):
        found = row(studies[1], f"variational, h = {h:g} s: energy")
        assert found.published == published
        assert found.computed == pytest.approx(published, rel=5e-5)
        assert found.status == "agrees"


def test_coupled_pendula(studies):
    found = row(studies[2], "variational: energy")
    assert found.computed == pytest.approx(3.617e-5, rel=3e-4)
    plain, projected = (row(studies[2], f"{name}: energy") for name in ("RK2", "RK2, reprojected"))
    assert projected.computed > plain.computed > 20 * found.computed


def test_unit_length_to_rounding_against_runge_kutta(studies):
    for study in studies:
        for r in study.rows:
            if "length" in r.quantity:
                bound = 3e-13 if "variational" in r.quantity or "reprojected" in r.quantity else None
                assert r.computed < bound if bound else r.computed > 1e-8, (study.title, r)


def test_short_runs_have_energy_errors_of_the_published_size(studies):
    for study in studies:
        for r in study.rows:
            if r.published is not None and "variational" in r.quantity and "energy" in r.quantity:
                assert r.status in ("agrees", "same order"), (study.title, r)


def test_printed_inertia_is_not_that_of_uniform_rods():
    import geoctrl as gc

    rod = gc.spheres.elastic_rod(10, 0.005, 0.1, 1000.0)
    right = rod.mass_given
    wrong = elastic_rod.printed(rod).mass_given
    assert np.diag(wrong) == pytest.approx(np.diag(right), rel=1e-14)
    # 1/2 sum_{k >= 2} m_k against m_2/2 + sum_{k > 2} m_k, of nine elements.
    assert wrong[0, 1] / right[0, 1] == pytest.approx(4.5 / 8.5, rel=1e-14)


def test_icosphere():
    points, faces = molecules.icosphere(3)
    assert points.shape == (642, 3)
    assert faces.shape == (1280, 3)
    assert np.linalg.norm(points, axis=1) == pytest.approx(np.ones(642), abs=1e-15)
    assert len(np.unique(points.round(9), axis=0)) == 642
    # Euler: every edge has two faces.
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    assert set(np.unique(edges, axis=0, return_counts=True)[1]) == {2}


def test_heat_is_the_kinetic_energy_around_a_face():
    points, faces = molecules.icosphere(2)
    omega = np.cross(points, [0.0, 0.0, 2.0])
    found = molecules.heat(points, faces, points, omega)
    middle = points[faces].mean(axis=1)
    # |omega|^2/2 = 2 (1 - z^2); averaging over a neighbourhood blurs it.
    assert found == pytest.approx(2 * (1 - middle[:, 2] ** 2), abs=0.3)
    assert molecules.heat(points, faces, points, 0 * omega) == pytest.approx(np.zeros(len(faces)))


def test_faces_far_from_every_molecule_have_no_heat():
    """Of the 5120 faces of [LLM09] a molecule warms its own and those that touch it."""
    points, faces = molecules.icosphere(4)
    assert faces.shape == (5120, 3)
    middle = points[faces[[17, 400]]].mean(axis=1)
    found = molecules.heat(points, faces, middle, np.array([[2.0, 0, 0], [0, 4.0, 0]]))
    warm = np.flatnonzero(np.isfinite(found))
    assert set(found[warm]) == {2.0, 8.0}
    for face, energy in ((17, 2.0), (400, 8.0)):
        touching = np.isin(faces, faces[face]).any(axis=1)
        assert set(np.flatnonzero(found == energy)) == set(np.flatnonzero(touching))


def test_status_of_a_row():
    assert Row("", 1.0, 1.0001).status == "agrees"
    assert Row("", 1.0, 5.0).status == "same order"
    assert Row("", 1.0, 11.0).status == "differs"
    assert Row("", None, 1.0).status == ""


def test_tables(studies):
    assert "1.1717e-04 | 1.1717e-04  agrees" in text(2, studies[1])
    assert markdown(studies).count("\n## Example") == 5


@pytest.mark.long(reason="studies of gaits, walking and regulators draw in the plain run")
def test_figures(studies, tmp_path):
    for number, study in enumerate(studies):
        place = tmp_path / f"{number}.png"
        save(study.draw, place)
        assert place.stat().st_size > 10_000
