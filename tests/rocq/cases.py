"""Certificates of all kinds that become theorems."""

import json
from functools import cache

import sympy as sp

import geoctrl as gc
from geoctrl.checker import digest_of
from geoctrl.checker.reader import FORMAT, VERSION


@cache
def certificate(name):
    """The certificate of a case."""
    made = CASES[name]
    if callable(made):
        return gc.certify(*made())
    model, family, symbols = made
    system = gc.models.get(model)().reduce()
    return gc.certify(system, system.equilibrium(family, **symbols))


def content(name):
    """The content of a case's file, with witnesses."""
    return json.loads(certificate(name).to_json())


@cache
def _skate():
    return gc.models.get("pendulum-skate-rotor")(set="7.3")


def _open_skate():
    system = _skate().reduce()
    return system, system.equilibrium("sliding", Y0=1.0)


def _law_of_skate():
    return gc.match(_skate()).law(sigma=-1e-5)


def _controlled_skate():
    loop = _law_of_skate().closed_loop()
    return loop, loop.equilibrium("sliding", Y0=1.0)


def _damped_skate():
    loop = _law_of_skate().with_damping(k=0.27).closed_loop()
    return loop, loop.equilibrium("sliding", Y0=1.0)


def _law_of_cart():
    return gc.match(gc.models.get("cart-pendulum")(), shaping="both").law(kappa=4, rho=-0.02, K=-0.6)


def _controlled_cart():
    loop = _law_of_cart().loop
    return loop, loop.equilibrium("upright")


def _damped_cart():
    loop = _law_of_cart().with_damping(k=0.7).closed_loop()
    return loop, loop.equilibrium("upright")


def pendulum(**changes):
    """A plane pendulum, of which parts are changed."""
    phi = gc.Coordinate("phi", angle=True)
    parts = {"inertia": [[2]], "potential": -3 * sp.cos(phi.symbol), "name": "pendulum"} | changes
    return gc.EulerPoincare(algebra=None, shape=[phi], **parts).reduce()


def _pendulum():
    system = pendulum()
    return system, system.state()


def signed(data):
    """The content with the digest that fits it."""
    return data | {"digest": digest_of(data)}


def two_states():
    """Content of a file by hand: states at rest, and functions that leave nothing else near the point."""
    symbols = [["sym", k, "state"] for k in ("x", "y")]
    nodes = [*symbols, ["num", "0"], ["num", "1"], ["sum", [[0, 1], [3, 0]]]]
    parts = {"unknowns": [], "matrix": [], "right": [], "leaf": {}, "weights": {}, "inputs": {}}
    at = {"states": {"x": "1", "y": "2"}, "parameters": {}, "field": [2, 2], "invariants": {"a": 4, "b": 1}}
    basis = {"rows": ["a", "b"], "free": [], "inverse": [["1/3", "-1/3"], ["0", "1"]]}
    return {
        "format": FORMAT,
        "version": VERSION,
        "software": "by hand",
        "system": "two states",
        "problem": {"nodes": nodes, **parts, **at},
        "witness": {"roots": [], "inverse": [], "cofactors": {}},
        "theorem": {"name": "attraction", **basis, "P": []},
        "digest": "",
    }


CASES = {
    "open skate": _open_skate,
    "controlled skate": _controlled_skate,
    "damped skate": _damped_skate,
    "cart with law": _controlled_cart,
    "cart with damping": _damped_cart,
    "snakeboard": ("snakeboard", "coasting", {"V": 1.0}),
    "sleeping top": ("heavy-top", "sleeping", {"Omega0": 1.95}),
    "leaning top": ("kovalevskaya-top", "staude", {"Omega0": 6.0}),
    "dual spin": ("body-with-rotor", "dual-spin", {"Omega0": 2.0, "rate0": 60.0}),
    "sleigh": ("chaplygin-sleigh", "straight", {"V": 1.0}),
    "skate that spins": ("pendulum-skate", "spinning", {"Omega0": 9.0}),
    "pendulum": _pendulum,
}
"""A model with family and symbols, or a function that makes the question."""

MUTATED = ("controlled skate", "damped skate", "cart with damping", "open skate", "snakeboard", "pendulum")
"""One of each theorem, and one without a leaf: what is changed in them is to be refused."""
