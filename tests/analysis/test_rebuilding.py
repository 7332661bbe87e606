"""Certificates against the mechanism that they name: the same equations, or the change is noticed."""

import json

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.analysis.certificates import questions
from geoctrl.analysis.certificates.same_equations import require_same_equations
from geoctrl.decisions import problem_kinds as kinds
from tests.checker.test_files import field_nodes, forged

CASES = [
    ("heavy-top", "hanging", {"Omega0": 3.0}),
    ("pendulum-skate", "sliding", {"Y0": 1.25}),
    ("rattleback", "spinning", {"Omega0": 2.5}),
    ("veselova", "resting", {}),
    ("rolling-disk", "circling", {"Omega0": 4.0}),
]


def certificate(model, family, values):
    mechanism = gc.models.get(model)()
    names = mechanism.equilibria[family].names
    system = mechanism.reduce()
    numbers = dict(zip(names, [*values.values(), 1.5, 2.0][: len(names)], strict=True))
    try:
        point = system.equilibrium(family, **numbers)
    except gc.EquilibriumError:
        system = system.despun()
        point = system.equilibrium(family, **numbers)
    return system, gc.certify(system, point).to_dict()


@pytest.mark.parametrize(("model", "family", "values"), CASES)
def test_a_system_derived_anew_has_the_equations_of_the_file(model, family, values):
    seen, data = certificate(model, family, values)
    anew = gc.models.get(model)().reduce()
    require_same_equations(anew if seen.name == anew.name else anew.despun(), json.loads(json.dumps(data)))


@pytest.mark.parametrize("lag", [0.0, 0.01])
def test_the_plant_of_a_sampled_loop(lag):
    mechanism = gc.models.get("pendulum-skate-rotor")()
    plant = mechanism.reduce()
    ctl = gc.match(mechanism).law(sigma=-5e-6).with_damping(k=8, kappa=1).sampled(lag=lag)
    eq = plant.equilibrium("sliding", Y0=1.0)
    data = json.loads(gc.certify(plant, eq, controller=ctl).to_json())
    anew = gc.models.get("pendulum-skate-rotor")().reduce()
    require_same_equations(anew, data)
    nodes, noticed = data["problem"]["nodes"], 0
    for i in sorted(field_nodes(data["problem"])):
        if nodes[i][0] == "prod" and nodes[i][1] != "0" and not lag:
            changed = forged(data, ("problem", "nodes", i, 1), "7/3")
            with pytest.raises(gc.CertificateError, match="of the file"):
                require_same_equations(anew, changed)
            noticed += 1
    assert lag or noticed > 5
    with pytest.raises(gc.CertificateError, match="parameters"):
        require_same_equations(gc.models.get("cart-pendulum")().reduce(), data)


def test_other_equations_are_noticed():
    skate, data = certificate("pendulum-skate", "sliding", {"Y0": 1.25})
    data = json.loads(json.dumps(data))
    nodes = data["problem"]["nodes"]
    noticed = 0
    for i in sorted(field_nodes(data["problem"])):
        if nodes[i][0] == "prod" and nodes[i][1] != "0":
            changed = forged(data, ("problem", "nodes", i, 1), "7/3")
            with pytest.raises(gc.CertificateError, match="of the file"):
                require_same_equations(skate, changed)
            noticed += 1
    assert noticed > 10
    with pytest.raises(gc.CertificateError, match="states"):
        require_same_equations(gc.models.get("heavy-top")().reduce(), data)


def pendulums(lengths=(0.5, 0.25)):
    return gc.spheres.chain_pendulum([1.0, 2.0], list(lengths))


@pytest.mark.parametrize("rate", [0.0, 1.25])
def test_equations_of_a_lagrangian_are_derived_anew_in_their_axes(rate):
    hanging = np.tile([0, 0, -1.0], (2, 1)), np.zeros((2, 3))
    point = gc.find_equilibrium(pendulums(), hanging, spin=(0, 0, rate))
    stored = json.loads(json.dumps(gc.certify(pendulums(), point).to_dict()))
    require_same_equations(pendulums(), stored)
    with pytest.raises(gc.CertificateError, match="of the file"):
        require_same_equations(pendulums((0.5, 0.75)), stored)
    with pytest.raises(gc.CertificateError, match="states"):
        require_same_equations(gc.spheres.chain_pendulum([1.0], [0.5]), stored)
    body = gc.EulerPoincare(algebra=gc.so3(), inertia=sp.diag(1, 2, 2.5)).reduce()
    with pytest.raises(gc.CertificateError, match="spin" if rate else "states"):
        require_same_equations(body, stored)


def test_matrices_hold_no_equations():
    q = gc.spheres.symbols(1)[0][0]
    wind = gc.spheres.SphereSystem(
        mass=[2.0], potential=9.0 * q[2], forces=lambda t, q, w, u, p: np.array([[0, 0, -1.0]])
    )
    stored = gc.certify(wind, ([[0, 0, -1.0]], [[0, 0, 0.0]])).to_dict()
    assert stored["problem"]["kind"] == "matrices"
    with pytest.raises(gc.CertificateError, match="matrices holds no equations"):
        require_same_equations(wind, stored)


def test_search_and_checker_know_the_same_kinds():
    assert [k for k, kind in questions.KINDS.items() if kind.derived] == list(kinds.KINDS)
    assert questions.KINDS["matrices"].derived is False
