"""The catalogue lists systems of every kind, and a mechanism is described once for all of them."""

import inspect
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.rotations import RotationSystem

FREE = gc.models.names("rotations")


def test_kinds_make_up_the_catalogue():
    kinds = ("reduced", "fields", "jumping", "files", "spheres", "products")
    reduced, fields, jumping, files, spheres, products = (gc.models.names(kind) for kind in kinds)
    assert sorted(reduced + fields + jumping + files + spheres + products) == gc.models.names()
    assert set(FREE) < set(reduced)
    assert all(isinstance(gc.models.get(name)(), gc.EulerPoincare) for name in reduced)
    assert all(isinstance(gc.models.get(name)(), gc.VectorField) for name in fields)
    assert all(gc.models.get(name)().jumps for name in jumping)
    with pytest.raises(gc.ParameterError, match="unknown kind 'tori'; known are reduced, fields, jumping, "):
        gc.models.names("tori")


@pytest.mark.parametrize("name", [*gc.models.names("spheres"), *gc.models.names("products")])
def test_mechanisms_on_manifolds_are_systems_with_a_source(name):
    system = gc.models.get(name)()
    assert (system.name, bool(system.source)) == (name, True)
    assert "energy" in system.conserved()
    with pytest.raises(gc.ParameterError, match=f"{name} has no parameter sets, got 'heavy'"):
        gc.models.get(name)(set="heavy")
    with pytest.raises(gc.ParameterError, match="has no option 'attitudes'; known are set, "):
        gc.models.get(name)(attitudes=True)


def test_options_are_those_of_the_builder():
    chain = gc.models.get("chain-pendulum")(masses=[1.0, 2.0], lengths=[0.5, 0.25])
    assert chain.n == 2
    assert list(inspect.signature(gc.models.get("concentric-shells")).parameters) == ["set", "attitudes"]
    with pytest.raises(gc.ParameterError, match="has no option 'attitudes'; it takes set alone"):
        gc.models.get("rattleback")(attitudes=True)
    with pytest.raises(gc.InputError, match="attitudes must be True or False, got 'yes'"):
        gc.models.get("heavy-top")(attitudes="yes")


def test_every_mechanism_of_free_attitudes_is_listed_as_one():
    for name in gc.models.names("reduced"):
        mechanism = gc.models.get(name)()
        if name in FREE:
            assert RotationSystem.of(mechanism).n == len(mechanism.algebra.factors)
        else:
            with pytest.raises(gc.DescriptionError, match="is no system of free attitudes: it has"):
                RotationSystem.of(mechanism)


@pytest.mark.parametrize("name", FREE)
def test_attitudes_move_as_the_reduced_mechanism_does(name):
    mechanism, system = gc.models.get(name)(), gc.models.get(name)(attitudes=True)
    reduced, n = mechanism.reduce(), system.n
    rng = np.random.default_rng(3)
    params = {p.name: p.default * rng.uniform(0.95, 1.05) for p in mechanism.parameters}
    R, Omega = system.unpack(system.generic_state(5))
    x, u = system.pack(R, Omega), rng.normal(size=system.ninputs)
    seen = dict(zip(map(str, mechanism.algebra.xi), Omega.ravel(), strict=True))
    for vector in mechanism.advected:
        direction = R[vector.factor_index(mechanism.algebra)].T @ np.array(vector.reference, dtype=float)
        seen |= dict(zip(map(str, vector.symbols), direction, strict=True))
    y = np.array([seen[label] for label in reduced.state_labels])
    rate = dict(zip(reduced.state_labels, reduced.rhs(0.3, y, u, params), strict=True))
    expected = [rate[str(k)] for k in mechanism.algebra.xi]
    size = max(1.0, np.max(np.abs(expected)))
    assert system.rhs(0.3, x, u, params)[9 * n :] == pytest.approx(expected, rel=0, abs=1e-13 * size)
    assert system.energy(x, params) == pytest.approx(reduced.energy(y, params), rel=1e-13, abs=1e-13)
    declared = {k for k in mechanism.invariants if not k.startswith("momentum")}
    assert declared & set(system.conserved(params)) == declared & set(reduced.conserved(params))


@pytest.mark.parametrize(
    ("entry", "numbers", "params"),
    [
        (
            "pendulum-3d",
            lambda p: gc.rotations.pendulum3d(
                [p["J1"], p["J2"], p["J3"]], p["m"], [p["rho1"], p["rho2"], p["rho3"]], (0, 0, -p["g"])
            ),
            {},
        ),
        ("free-rigid-body", lambda p: gc.rotations.free_body([p["I1"], p["I2"], p["I3"]]), {}),
        (
            "concentric-shells",
            lambda p: gc.rotations.coupled_bodies(
                [[p[f"J{i}{k}"] for k in (1, 2, 3)] for i in (1, 2)], p["K"]
            ),
            {},
        ),
        (
            "orbiting-body",
            lambda p: gc.rotations.body_in_orbit([p["J1"], p["J2"], p["J3"]], p["n"]),
            {"n": 0.4},
        ),
    ],
)
def test_builders_of_numbers_agree_with_the_catalogue(entry, numbers, params):
    catalogue = gc.models.get(entry)(attitudes=True)
    system = numbers(catalogue.parameters_at(params))
    R, relative = catalogue.unpack(catalogue.generic_state(8))
    turning = np.swapaxes(R, 1, 2) @ system.frame_rate_at({})
    # Of the builder of the orbit the velocities are inertial, of the catalogue relative to the frame.
    ours = catalogue.rhs(0.0, catalogue.pack(R, relative), None, params)
    theirs = system.rhs(0.0, system.pack(R, relative + turning))
    n = system.n
    Rdot = ours[: 9 * n].reshape(n, 3, 3)
    theirs[9 * n :] -= (np.swapaxes(Rdot, 1, 2) @ system.frame_rate_at({})).ravel()
    assert theirs == pytest.approx(ours, rel=0, abs=1e-13 * np.max(np.abs(ours)))


def test_what_is_no_mechanism_has_no_attitudes():
    with pytest.raises(TypeError, match=r"RotationSystem\.of takes a mechanism .*, got 3"):
        RotationSystem.of(3)
    with pytest.raises(gc.DescriptionError, match="rolling-disk is no system of free attitudes"):
        RotationSystem.of(gc.models.get("rolling-disk")())


@pytest.mark.parametrize("name", gc.models.names("spheres"))
def test_families_on_spheres_hang_stably_and_stand_unstably(name):
    system = gc.models.get(name)()
    verdicts = {key: gc.certify(system, system.equilibrium(key)).verdict.value for key in system.families}
    upright = {"hanging": "PROVED_STABLE", "standing": "PROVED_UNSTABLE"}
    assert verdicts == (upright if "pendul" in name else {})


def test_families_on_spheres_follow_gravity():
    chain = gc.spheres.chain_pendulum([1.0], [0.5], gravity=(0, 3, -4))
    hanging = chain.equilibrium("hanging")
    assert hanging.exact[:3] == (0, Fraction(3, 5), Fraction(-4, 5))
    assert hanging.q.tolist() == [[0.0, 0.6, -0.8]]
    assert gc.spheres.chain_pendulum([1.0], [0.5], gravity=(0, 0, 0)).families == {}
    with pytest.raises(gc.ParameterError, match="no equilibrium family 'hangin'; did you mean 'hanging'"):
        chain.equilibrium("hangin")


def test_families_are_declared_like_those_of_mechanisms():
    (q,), _ = gc.spheres.symbols(1)
    w = gc.Parameter("w", 2.0, "N m", "weight")
    family = gc.Family(
        {"q1_1": sp.sin(sp.Symbol("a")), "q1_3": -sp.cos(sp.Symbol("a"))}, symbols=[sp.Symbol("a")]
    )
    system = gc.spheres.SphereSystem(
        mass=[1.0], potential=w.symbol * q[2], parameters=[w], equilibria={"at": family}
    )
    assert system.equilibrium("at", a=0)["q1_3"] == -1.0
    assert system.replace(name="other").families == system.families
    with pytest.raises(gc.EquilibriumError):
        system.equilibrium("at", a=0.3)
    with pytest.raises(gc.ParameterError, match="family 'at' needs a value for a"):
        system.equilibrium("at")
    with pytest.raises(
        gc.DescriptionError, match="the symbol 'w' of the family 'at' has the name of a parameter"
    ):
        system.replace(equilibria={"at": gc.Family({"q1_3": -1}, symbols=["w"])})
    with pytest.raises(gc.DescriptionError, match=r"equilibria must be gc\.Family objects, got 3"):
        system.replace(equilibria={"at": 3})
    with pytest.raises(TypeError, match="equilibria must be a dict by name, got 3"):
        system.replace(equilibria=3)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("free-body", "free-rigid-body"),
        ("pendulum3d", "pendulum-3d"),
        ("body-in-orbit", "orbiting-body"),
        ("double-pendulum", "double-spherical-pendulum"),
    ],
)
def test_builders_go_by_the_names_of_their_functions_too(alias, name):
    assert gc.models.get(alias)().name == name
    assert alias not in gc.models.names()


@pytest.mark.parametrize("name", gc.models.names("fields"))
def test_fields_have_no_energy_and_answer_without_one(name):
    """Members rest, derivatives are those of complex steps, and what asks for an energy is refused."""
    field = gc.models.get(name)()
    system = field.reduce()
    assert (system.name, bool(field.source)) == (name, True)
    assert "energy" not in system.conserved()
    with pytest.raises(gc.DescriptionError, match="a vector field has no energy"):
        system.energy(np.zeros(system.nstates))
    assert field.equilibria
    for family in field.equilibria:
        member = system.equilibrium(family)
        assert np.abs(system.rhs(0.0, member.x, member.u)).max() < 1e-15
        assert gc.certify(system, member).verdict.name != "NUMERICALLY_STABLE"
    x, u = system.random_state(np.random.default_rng(2)), np.full(system.ninputs, 0.3)
    moved = (x[:, None] + 1e-30j * np.eye(x.size)).T
    columns = [np.imag(system.rhs(0.0, row, u)) / 1e-30 for row in moved]
    assert np.stack(columns, axis=1) == pytest.approx(system.jacobian(0.0, x, u), rel=1e-13, abs=1e-13)


def test_verdicts_of_fields_flip_where_they_are_known_to():
    """Zonal wind at F = 1 (Lorenz); both edges of the cubic; van der Pol's rest by the sense of time."""
    weather = gc.models.get("lorenz-84")().reduce()
    for F, word in ((1 - 1e-9, "PROVED_ASYMPTOTICALLY_STABLE"), (1 + 1e-9, "PROVED_UNSTABLE")):
        assert gc.certify(weather, weather.equilibrium("zonal", params={"F": F})).verdict.name == word
    told = {"van-der-pol": "PROVED_UNSTABLE", "van-der-pol-reversed": "PROVED_ASYMPTOTICALLY_STABLE"}
    for name, word in told.items():
        system = gc.models.get(name)().reduce()
        assert gc.certify(system, system.equilibrium("rest")).verdict.name == word
    with pytest.raises(gc.EquilibriumError, match="members satisfy G = 0"):
        gc.models.get("lorenz-84")(set="1984").equilibrium("zonal")
