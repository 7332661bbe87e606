"""Families of relative equilibria: every one of the catalogue has members, and relations are named."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product

import pytest
import sympy as sp

import geoctrl as gc
from geoctrl._pages import catalogue_entries

VALUES = (1.0, 0.0, 0.3, 2.5, 9.0)
"""Numbers tried for the symbols of a family, from those that most families have members at."""

FAMILIES = [
    (name, family) for name in gc.models.names("reduced") for family in catalogue_entries()[name]["families"]
]


@pytest.mark.parametrize(("model", "family"), FAMILIES)
def test_every_family_of_the_catalogue_has_a_member_at_its_defaults(model, family):
    system = gc.models.get(model)().reduce()
    names = system.families[family].names
    refused = []
    for values in product(VALUES, repeat=len(names)):
        for seen in (system, system.despun() if system.mechanism.symmetry is not None else None):
            try:
                if seen is not None and seen.equilibrium(family, **dict(zip(names, values, strict=True))):
                    return
            except gc.GeoctrlError as error:
                refused.append(error)
    pytest.fail(f"no member: {refused[0]}")


def test_values_that_violate_a_relation_are_refused_with_it():
    body = gc.models.get("orbiting-body")()
    assert body.equilibrium("yaw1-pitch3", radius=-1, normal=1)["a1"] == -1.0
    with pytest.raises(
        gc.EquilibriumError, match=r"members satisfy radius\*\*2 - 1 = 0, and here it is -0.75"
    ):
        body.equilibrium("yaw1-pitch3", radius=0.5, normal=1)
    pulled = gc.models.get("body-with-spatial-force")()
    assert pulled.equilibrium("pulled", Omega0=0).residual < 1e-12
    with pytest.raises(gc.EquilibriumError, match=r"Omega0 = 2: members satisfy Omega0\*.* = 0"):
        pulled.equilibrium("pulled", Omega0=2)
    principal = {"r1": 0.0, "r2": 0.0, "r3": 0.5}
    with pytest.raises(gc.EquilibriumError, match=r"Omega0 = 0.333333333: members satisfy"):
        pulled.equilibrium("pulled", Omega0=Fraction(1, 3))
    assert pulled.equilibrium("pulled", params=principal, Omega0=2)["Omega3"] == 2.0


def test_conditions_in_symbols_need_symbols_that_are_free():
    """A body that hangs in a force at r turns about r, if that is a principal axis."""
    pulled = gc.models.get("body-with-spatial-force")().reduce()
    found = gc.stability_conditions(pulled, "pulled")
    assert "conditions in symbols would take them as free" in found.note
    assert found.evaluate(Omega0=0) == 1
    assert found.evaluate(Omega0=2) == 0  # none of the family
    along = {"r1": 0, "r2": 0, "r3": 0.5}
    speeds = [0.5, 40.0]
    verdicts = [gc.certify(pulled, pulled.equilibrium("pushed", along, Omega0=w)).verdict for w in speeds]
    pushed = gc.stability_conditions(pulled, "pushed")
    assert pushed.evaluate(along, Omega0=speeds).tolist() == [
        {"PROVED_STABLE": 1, "PROVED_UNSTABLE": -1}.get(v.name, 0) for v in verdicts
    ]
    assert gc.stability_conditions(pulled, "pushed", params={"r1": 0, "r2": 0}).unstable
    assert gc.stability_conditions(gc.models.get("orbiting-body")().reduce(), "yaw3-pitch2").unstable


def test_relations_go_with_copies():
    k = sp.Symbol("k", real=True)
    family = gc.Family({"Omega1": k}, symbols=[k], relations=[k**2 - 4])
    assert pickle.loads(pickle.dumps(family)).relations == (k**2 - 4,)
