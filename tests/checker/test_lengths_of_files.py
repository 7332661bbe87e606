"""Files are as short as their proofs: cofactors are written in factors, and by powers of roots."""

import json

import pytest

import geoctrl as gc
from geoctrl import checker
from geoctrl.analysis.witnesses.content import _rows_by_roots, content_with_witnesses

OLD = {("rattleback", "spinning"): 7555, ("top-on-sphere", "sleeping"): 8311}
"""Letters of files before they held witnesses, without blanks."""


@pytest.mark.parametrize(("name", "family"), OLD)
def test_a_file_is_hardly_longer_than_one_without_witnesses(name, family):
    system = gc.models.get(name)().reduce()
    symbols = dict.fromkeys(system.families[family].names, 5)
    certificate = gc.certify(system, system.equilibrium(family, **symbols))
    data = certificate.to_dict()
    assert checker.check(data).claim == certificate.claim
    assert len(json.dumps(data, separators=(",", ":"))) < 1.1 * OLD[name, family]
    if name == "rattleback":
        assert len(json.dumps(content_with_witnesses(certificate.proof))) > 2 * len(json.dumps(data))


def test_what_is_divided_by_is_divided_by_the_root_behind_its_row():
    nodes = [
        ["sym", "x", "state"],
        ["prod", "2", [[0, -1]]],
        ["fun", "sqrt", [0]],
        ["prod", "3", [[0, -1], [2, 1]]],
        ["prod", "5", [[0, 2], [2, -1]]],
        ["sum", [[1, 3]]],
    ]
    assert _rows_by_roots(nodes) == [*nodes[:3], ["prod", "3", [[2, -1]]], *nodes[4:]]
