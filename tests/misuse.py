"""Calls that a user may make by mistake: (what is wrong, call, class of the error that says so).

Data for `tests/test_misuse.py` and for attacks that go on from here. Each call takes a folder to write to.
"""

import json
from functools import cache

import numpy as np
import sympy as sp

import geoctrl as gc
from geoctrl import rotations, spheres
from geoctrl.manifolds import Direction
from geoctrl.manifolds import propositions as on_products

U = sp.Symbol("u1", real=True)


@cache
def skate():
    return gc.models.get("pendulum-skate")()


@cache
def system():
    return skate().reduce()


@cache
def top():
    return gc.models.get("heavy-top")().reduce()


@cache
def rotor():
    return gc.models.get("pendulum-skate-rotor")()


@cache
def point():
    return system().equilibrium("sliding", Y0=1.0)


@cache
def driven():
    return body(forces=[U, 0, 0], inputs=["u1"]).reduce()


@cache
def pendulum():
    return spheres.chain_pendulum([1.0], [1.0])


@cache
def pushed():
    u = [sp.Symbol(f"u{i}", real=True) for i in (1, 2, 3)]
    return spheres.SphereSystem(mass=[1.0], forces=[u], inputs=u)


PROGRAM = "__import__('os').getcwd()"
"""Text that sympy would run."""
LINK = Direction("q")
ON_PRODUCTS = {
    name: getattr(on_products, name)
    for name in ("legendre", "lagrange", "hamilton", "energy", "momentum", "field")
}
HANGING = ([[0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0]])
GAMMA = gc.AdvectedVector("Gamma")
X0 = [0.0, 0.0, 0.0, 0.0, 1.0]
T = [0.0, 0.1]
REST = [0.0, 0.0, 0.0]


@cache
def damped():
    return gc.match(rotor()).law(sigma=-5e-6).with_damping(k=8)


@cache
def gliding():
    return rotor().reduce().equilibrium("sliding", Y0=1.0)


@cache
def loop():
    return gc.linearize_held(rotor().reduce(), damped().sampled(100), gliding())


def holding(**options):
    return gc.linearize_held(rotor().reduce(), damped().sampled(**options), gliding())


def motor(**options):
    design = gc.match(rotor()).design(gliding())
    return design.recommend(**{"limits": {"u_theta": 8}, "tilt": 0.1, **options})


NO_RATES = (0, -1, True, np.True_, float("nan"), float("inf"), 1e-309, "100", None, [100.0])
"""What is no rate of samples."""


def held_calls():
    """Sampled controllers and what is asked about them."""
    rows = []
    for r in NO_RATES:
        rows += [
            (f"a law sampled at {r!r}", lambda d, r=r: damped().sampled(rate=r), gc.InputError),
            (f"a law compensated at {r!r}", lambda d, r=r: damped().compensated(r, gliding()), gc.InputError),
            (f"gains for a motor at {r!r}", lambda d, r=r: motor(rate=r), gc.InputError),
        ]
        if r is not None:  # of the loop's own time
            rows.append(
                (f"holds from {r!r} on", lambda d, r=r: loop().largest_hold(shortest=r), gc.InputError)
            )
    for v in (True, np.True_, -1, float("nan"), "1"):
        rows += [
            (f"a delay of {v!r}", lambda d, v=v: damped().sampled(delay=v), gc.InputError),
            (f"a lag of {v!r}", lambda d, v=v: damped().sampled(lag=v), gc.InputError),
            (f"a limit of {v!r}", lambda d, v=v: damped().sampled(limits={"u_theta": v}), gc.InputError),
            (f"a motor's limit of {v!r}", lambda d, v=v: motor(limits={"u_theta": v}), gc.InputError),
            (f"a bracket as wide as {v!r}", lambda d, v=v: loop().bracket(width=v), gc.InputError),
            (f"holds up to {v!r}", lambda d, v=v: loop().largest_hold(longest=v), gc.InputError),
        ]
    slow, fast = 1e-6, 1e300
    return [
        *rows,
        (
            "a generator without noise",
            lambda d: damped().sampled(rng=np.random.default_rng(1)),
            gc.InputError,
        ),
        ("noise of a seed", lambda d: damped().sampled(noise={"v1": 1.0}, rng=3), gc.InputError),
        ("a delay of endless holds", lambda d: damped().sampled(delay=1e5), gc.InputError),
        ("a delay beyond doubles", lambda d: damped().sampled(rate=fast, delay=1e10), gc.InputError),
        ("a lag of no time", lambda d: damped().sampled(lag=1e-300), gc.InputError),
        ("a hold beyond doubles", lambda d: holding(rate=slow), gc.InputError),
        ("a compensation beyond doubles", lambda d: damped().compensated(slow, gliding()), gc.InputError),
        ("a delay of too many short holds", lambda d: holding(delay=0.5).largest_hold(1e-9), gc.InputError),
        (
            "a hold shorter than times are told",
            lambda d: gc.simulate(rotor().reduce(), T, gliding().x, controller=damped().sampled(rate=fast)),
            gc.InputError,
        ),
        (
            "a held loop of no plant",
            lambda d: gc.linearize_held(3, damped().sampled(100), gliding()),
            TypeError,
        ),
        (
            "a held loop of a law",
            lambda d: gc.linearize_held(rotor().reduce(), damped(), gliding()),
            TypeError,
        ),
        (
            "a held loop on spheres",
            lambda d: gc.linearize_held(pendulum(), damped().sampled(100), HANGING),
            gc.GeoctrlError,
        ),
        ("gains that are a number", lambda d: damped().compensated(10, gliding(), gains=3), gc.InputError),
        ("an unknown gain", lambda d: damped().compensated(10, gliding(), gains=["q"]), gc.LabelError),
        ("a limit of an unknown input", lambda d: damped().sampled(limits={"u": 1}), gc.LabelError),
        ("limits in a list", lambda d: damped().sampled(limits=[8]), gc.InputError),
        ("a motor's limits in a list", lambda d: motor(limits=[8]), gc.InputError),
    ]


def body(**changes):
    return gc.EulerPoincare(**{"algebra": gc.so3(), "inertia": sp.diag(1, 2, 2.5), "name": "body", **changes})


def heavy(**changes):
    return body(**{"advected": [GAMMA], "potential": GAMMA.symbols[2], **changes})


def sweep(value):
    """Every place that takes one number, with a value that is none."""
    k = gc.Parameter("k", 1.0)
    family = {"f": gc.Family({"Omega3": sp.Symbol("w", real=True)}, symbols=["w"])}
    return {
        "a parameter's default": (lambda: gc.Parameter("k", value), gc.ParameterError),
        "params of rhs": (lambda: system().rhs(0.0, X0, params={"m": value}), gc.ParameterError),
        "params of certify": (lambda: gc.certify(system(), point(), params={"m": value}), gc.ParameterError),
        "params of linearize": (lambda: gc.linearize(system(), X0, params={"m": value}), gc.ParameterError),
        "params of find_equilibrium": (
            lambda: gc.find_equilibrium(system(), params={"m": value}),
            gc.ParameterError,
        ),
        "params of simulate": (lambda: gc.simulate(system(), T, X0, {"m": value}), gc.ParameterError),
        "params of a family": (
            lambda: system().equilibrium("sliding", params={"m": value}, Y0=1),
            gc.ParameterError,
        ),
        "params of a sphere": (
            lambda: gc.certify(pendulum(), HANGING, params={"g": value}),
            gc.ParameterError,
        ),
        "a parameter set": (
            lambda: body(parameters=[k], parameter_sets={"a": {"k": value}}),
            gc.ParameterError,
        ),
        "a family's symbol": (lambda: system().equilibrium("sliding", Y0=value), gc.ParameterError),
        "a family's state": (lambda: body(equilibria=family).equilibrium("f", w=value), gc.ParameterError),
        "a reference": (lambda: gc.AdvectedVector("a", reference=(0, 0, value)), gc.DescriptionError),
        "a representation": (
            lambda: gc.AdvectedParameter("a", [[[0, value]], [[1, 0]]], reference=(1, 0)),
            gc.DescriptionError,
        ),
        "an axis": (lambda: gc.Axis((0, 0, value)), gc.DescriptionError),
        "a structure constant": (
            lambda: gc.LieAlgebra([[[value]]], labels=["a"]),
            gc.DescriptionError,
        ),
        "a held state": (lambda: gc.find_equilibrium(system(), fixed={"v2": value}), gc.InputError),
        "a state of certify": (lambda: gc.certify(system(), [*X0[:4], value]), gc.InputError),
        "a state of linearize": (lambda: gc.linearize(system(), [*X0[:4], value]), gc.InputError),
        "a guess": (lambda: gc.find_equilibrium(system(), [*X0[:4], value]), gc.InputError),
        "an initial state": (lambda: gc.simulate(system(), T, [*X0[:4], value]), gc.InputError),
        "a time": (lambda: gc.simulate(system(), [0.0, value], X0), gc.InputError),
        "a tolerance": (lambda: gc.simulate(system(), T, X0, rtol=value), gc.InputError),
        "a projected velocity": (
            lambda: system().project([0, 0, 0, value, 0, 0], {"Gamma": (0, 0, 1)}),
            gc.InputError,
        ),
        "a projected vector": (
            lambda: system().project([0, 0, 0, 1, 0, 0], {"Gamma": (0, 0, value)}),
            gc.InputError,
        ),
        "an input held by label": (
            lambda: gc.simulate(driven(), T, [0, 0, 0], inputs={"u1": value}),
            (gc.GeoctrlError, TypeError),
        ),
        "samples of an input": (
            lambda: gc.simulate(driven(), T, [0, 0, 0], inputs=[[0.0, value]]),
            gc.InputError,
        ),
        "a gain": (lambda: gc.match(rotor()).law(sigma=value), gc.MatchingError),
        "a weight": (lambda: gc.lqr(driven(), REST, Q={"Omega1": value}), gc.InputError),
        "a weight of inputs": (lambda: gc.lqr(driven(), REST, R=[value]), gc.InputError),
        "a pole": (lambda: gc.place(driven(), REST, [value]), gc.InputError),
        "a horizon": (
            lambda: gc.linearize(driven(), REST).controllable().gramian(value),
            gc.InputError,
        ),
        "a gain of damping": (
            lambda: gc.match(rotor()).law(sigma=-1e-5).with_damping(k=value),
            gc.MatchingError,
        ),
        "a momentum": (
            lambda: gc.match(rotor()).law(sigma=-1e-5).closed_loop(momentum=value),
            gc.InputError,
        ),
        "a state on a sphere": (
            lambda: gc.linearize(pendulum(), ([[0, 0, value]], HANGING[1])),
            gc.InputError,
        ),
        "a spin": (
            lambda: gc.find_equilibrium(pendulum(), HANGING, spin=[0, 0, value]),
            gc.InputError,
        ),
        "masses of a chain": (lambda: spheres.chain_pendulum([value], [1.0]), gc.GeoctrlError),
        "an inertia on rotations": (
            lambda: rotations.RotationSystem(inertias=[[1, 2, value]]),
            (gc.GeoctrlError, TypeError),
        ),
        "a threshold of an event": (lambda: gc.Event(system().states[0], direction=value), gc.GeoctrlError),
    }


NO_NUMBERS = {
    "text": "1.0",
    "complex": 1.0 + 0j,
    "complex of numpy": np.complex128(1),
    "complex of sympy": 2 * sp.I,
    "nan": float("nan"),
    "infinity": np.inf,
    "a list": [1.0, 2.0],
    "a date": np.datetime64("2020-01-01"),
    "an object": object(),
}

NUMBERS = [
    (f"{kind} as {place}", (lambda folder, call=call: call()), error)
    for kind, value in NO_NUMBERS.items()
    for place, (call, error) in sweep(value).items()
]


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def archive(folder, **arrays):
    path = folder / "some.npz"
    np.savez(path, **arrays)
    return path


def header(**changes):
    content = {
        "format": "geoctrl trajectory", "version": 1, "name": "", "state_labels": ["x"], "input_labels": [],
        "output_labels": [], "params": {}, "engine": "", "status": "", "success": True, "events": [],
        "invariants": [], "leaf": [],
    }  # fmt: skip
    return np.array(json.dumps(content | changes))


def stored(folder, **changes):
    arrays = {
        "header": header(), "time": np.arange(2.0), "states": np.zeros((1, 2)), "inputs": np.zeros((0, 2)),
        "outputs": np.zeros((0, 2)), "energy": np.zeros(2),
    }  # fmt: skip
    return gc.load_trajectory(
        archive(folder, **{k: v for k, v in (arrays | changes).items() if v is not None})
    )


CALLS = [
    # a description in place of a system
    ("certify a description", lambda d: gc.certify(skate(), X0), TypeError),
    ("linearize a description", lambda d: gc.linearize(skate(), X0), TypeError),
    ("equilibrium of a description", lambda d: gc.find_equilibrium(skate()), TypeError),
    ("conditions of a description", lambda d: gc.stability_conditions(skate(), "sliding"), TypeError),
    ("an energy law of a description", lambda d: gc.energy_law(skate(), X0), TypeError),
    ("switch between numbers", lambda d: gc.switching(1.0, 2.0, 3.0), TypeError),
    ("catch with no law", lambda d: gc.prove_catch(driven(), None, REST), TypeError),
    ("follow a description", lambda d: gc.follow(skate(), X0, "v2", (0, 1)), TypeError),
    ("follow nothing there is", lambda d: gc.follow(system(), point(), "v22", (0, 1)), gc.LabelError),
    (
        "follow with a word for a choice",
        lambda d: gc.follow(system(), point(), "v3", (0, 2), certify="yes"),
        gc.InputError,
    ),
    ("follow over no span", lambda d: gc.follow(system(), point(), "v3", (1, 1)), gc.InputError),
    ("schedule through nothing", lambda d: gc.schedule(system(), [], "v3", design=len), TypeError),
    ("schedule one point", lambda d: gc.schedule(system(), [point()], "v3", design=len), gc.InputError),
    ("schedule without design", lambda d: gc.schedule(system(), [point()], "v3"), gc.InputError),
    ("follow a name", lambda d: gc.follow(system(), "sliding", "v3", (0, 2)), TypeError),
    ("draw what is no branch", lambda d: gc.viz.branches(point()), TypeError),
    ("draw no branch of orbits", lambda d: gc.viz.orbit_branches(point()), TypeError),
    ("invariant of a description", lambda d: gc.check_invariant(skate(), "energy"), TypeError),
    ("simulate a description", lambda d: gc.simulate(skate(), T, X0), TypeError),
    ("certify None", lambda d: gc.certify(None, X0), TypeError),
    ("certify the name of a model", lambda d: gc.certify("heavy-top", X0), TypeError),
    ("conditions of a sphere", lambda d: gc.stability_conditions(pendulum(), "hanging"), TypeError),
    ("match a system", lambda d: gc.match(system()), TypeError),
    # points
    ("certify at a dict", lambda d: gc.certify(system(), {"v1": 0.0}), TypeError),
    ("certify at a name", lambda d: gc.certify(system(), "sliding"), TypeError),
    ("certify at None", lambda d: gc.certify(system(), None), gc.InputError),
    ("certify at a short state", lambda d: gc.certify(system(), [0, 0, 1]), gc.InputError),
    ("certify at ragged rows", lambda d: gc.certify(system(), [[1], [1, 2]]), gc.InputError),
    ("certify at a matrix", lambda d: gc.certify(system(), np.zeros((5, 2))), gc.InputError),
    ("certify with a wrong number of inputs", lambda d: gc.certify(system(), (X0, [1.0])), gc.InputError),
    ("certify off the leaf", lambda d: gc.certify(system(), [0, 0, 0, 0, 2]), gc.EquilibriumError),
    ("certify what moves", lambda d: gc.certify(system(), [1, 1, 1, 0, 1]), gc.EquilibriumError),
    ("fixed as a list", lambda d: gc.find_equilibrium(system(), fixed=["Gamma3"]), TypeError),
    ("fixed with an unknown label", lambda d: gc.find_equilibrium(system(), fixed={"a": 1}), gc.InputError),
    ("a guess by name", lambda d: gc.find_equilibrium(system(), "sliding"), TypeError),
    ("a spin of a reduced system", lambda d: gc.find_equilibrium(system(), spin=[0, 0, 1]), gc.InputError),
    (
        "fixed outside the leaf",
        lambda d: gc.find_equilibrium(system(), fixed={"Gamma3": 2}),
        gc.EquilibriumError,
    ),
    ("the equilibrium of another system", lambda d: gc.certify(driven(), point()), gc.InputError),
    ("a state of an equilibrium by a wrong label", lambda d: point()["v9"], gc.LabelError),
    ("a pair on a sphere by name", lambda d: gc.certify(pendulum(), "hanging"), (TypeError, gc.GeoctrlError)),
    ("a dict on a sphere", lambda d: gc.certify(pendulum(), {"q": 1}), (TypeError, gc.GeoctrlError)),
    # parameters
    ("params as a list", lambda d: gc.certify(system(), point(), params=[1, 2]), gc.ParameterError),
    ("params as a list, of linearize", lambda d: gc.linearize(system(), X0, params=[1]), gc.ParameterError),
    ("params as a number", lambda d: system().rhs(0, X0, params=3.0), gc.ParameterError),
    ("params as text", lambda d: gc.simulate(system(), T, X0, params="m=1"), gc.ParameterError),
    ("an unknown parameter", lambda d: gc.certify(system(), point(), params={"M": 1}), gc.ParameterError),
    ("a parameter that must be positive", lambda d: system().rhs(0, X0, params={"m": 0}), gc.ParameterError),
    ("an unknown family", lambda d: system().equilibrium("slide"), gc.ParameterError),
    ("a family that is no name", lambda d: system().equilibrium(["sliding"]), gc.ParameterError),
    (
        "an unknown family of conditions",
        lambda d: gc.stability_conditions(system(), "slide"),
        gc.ParameterError,
    ),
    ("a family without its symbol", lambda d: system().equilibrium("sliding"), gc.ParameterError),
    (
        "a rate whose square is no double",
        lambda d: top().equilibrium("hanging", Omega0=1e300),
        gc.GeoctrlError,
    ),
    (
        "a family's symbol of 400 digits",
        lambda d: system().equilibrium("sliding", Y0=10**400),
        gc.ParameterError,
    ),
    ("a parameter's name", lambda d: gc.Parameter("2a"), gc.ParameterError),
    ("a parameter named by a symbol", lambda d: gc.Parameter(sp.Symbol("a")), gc.ParameterError),
    # descriptions
    ("an algebra without brackets", lambda d: body(algebra=gc.so3), TypeError),
    ("an algebra by name", lambda d: body(algebra="so3"), TypeError),
    ("advected without a list", lambda d: body(advected=GAMMA), TypeError),
    ("advected by name", lambda d: body(advected=["Gamma"]), TypeError),
    ("parameters by name", lambda d: body(parameters=["m"]), gc.DescriptionError),
    ("a link in the place of a tree", lambda d: gc.EulerPoincare(tree=gc.Link("a")), TypeError),
    ("links by name", lambda d: gc.Tree(["a"]), gc.DescriptionError),
    ("a joint by name", lambda d: gc.Link("a", joint="q"), gc.DescriptionError),
    ("a turn by an angle alone", lambda d: gc.turn(angle=1.0), gc.DescriptionError),
    ("inputs as text", lambda d: body(inputs="u1"), TypeError),
    ("an input that is a number", lambda d: body(inputs=[1]), gc.DescriptionError),
    ("invariants as a list", lambda d: body(invariants=[U]), TypeError),
    ("equilibria that are dicts", lambda d: body(equilibria={"a": {"Omega1": 0}}), gc.DescriptionError),
    ("a parameter set that is a list", lambda d: body(parameter_sets={"a": [1]}), gc.ParameterError),
    ("rotors as a list", lambda d: body(rotors=[1, 2]), TypeError),
    ("an axis of symmetry as a tuple", lambda d: heavy(symmetry=(0, 0, 1)), TypeError),
    ("a view of a name", lambda d: body(view_of="body"), TypeError),
    ("a word for indefinite", lambda d: body(indefinite="no"), gc.InputError),
    ("a name that is a number", lambda d: body(name=3), TypeError),
    ("a potential as text", lambda d: heavy(potential="Gamma3"), gc.DescriptionError),
    ("a program as text", lambda d: heavy(potential=PROGRAM), gc.DescriptionError),
    ("a Lagrangian as text", lambda d: body(inertia=None, lagrangian="Omega1**2"), gc.DescriptionError),
    ("an invariant as text", lambda d: body(invariants={"C": "Omega1"}), gc.DescriptionError),
    ("an output as text", lambda d: body(outputs={"C": "Omega1"}), gc.DescriptionError),
    ("an inertia as text", lambda d: body(inertia="eye"), gc.DescriptionError),
    (
        "an inertia with text",
        lambda d: body(inertia=[["1", 0, 0], [0, 1, 0], [0, 0, 1]]),
        gc.DescriptionError,
    ),
    (
        "an inertia that is ragged",
        lambda d: body(inertia=[[1, 0], [0, 1, 0], [0, 0, 1]]),
        gc.DescriptionError,
    ),
    ("an inertia that is a number", lambda d: body(inertia=1.0), gc.DescriptionError),
    ("an inertia that is complex", lambda d: body(inertia=np.eye(3) * 1j), gc.DescriptionError),
    ("no inertia", lambda d: body(inertia=None), gc.DescriptionError),
    ("forces with text", lambda d: body(forces=["u1", 0, 0], inputs=["u1"]), gc.DescriptionError),
    ("forces that are one number", lambda d: body(forces=1.0), gc.DescriptionError),
    ("constraints that are no rows", lambda d: body(constraints=[1, 0, 0]), gc.ConstraintError),
    ("a constraint as text", lambda d: body(constraints=["abc"]), gc.ConstraintError),
    ("a constraint that is a number", lambda d: body(constraints=5), gc.ConstraintError),
    (
        "a frame with text",
        lambda d: body(constraints=[[0, 0, 1]], frame=[["a"], ["b"], ["c"]]),
        gc.FrameError,
    ),
    ("a coupling of rotors as text", lambda d: gc.Rotors([PROGRAM, 0, 0], 1), gc.DescriptionError),
    ("an inertia of rotors as text", lambda d: gc.Rotors([1, 0, 0], PROGRAM), gc.DescriptionError),
    ("an inertia of rotors with text", lambda d: gc.Rotors([1, 0, 0], [[PROGRAM]]), gc.DescriptionError),
    *(
        (f"{name} of a text on products", lambda d, f=function: f(PROGRAM, [LINK]), gc.DescriptionError)
        for name, function in ON_PRODUCTS.items()
    ),
    (
        "a force of text on products",
        lambda d: on_products.lagrange(0, [LINK], {"q": [PROGRAM, 0, 0]}),
        gc.DescriptionError,
    ),
    ("the power of a text", lambda d: on_products.power(PROGRAM, [LINK]), gc.DescriptionError),
    ("propositions without factors", lambda d: on_products.lagrange(0, PROGRAM), gc.DescriptionError),
    ("momenta of text", lambda d: on_products.momenta([LINK], PROGRAM), gc.InputError),
    (
        "an inertia of text beside a matrix",
        lambda d: rotations.RotationSystem(inertias=[sp.eye(3), [[PROGRAM, 0, 0], [0, 1, 0], [0, 0, 1]]]),
        gc.DescriptionError,
    ),
    (
        "a mass point of text",
        lambda d: gc.models.get("body-in-field")(points=[(PROGRAM, (1, 0, 0))]),
        gc.DescriptionError,
    ),
    (
        "a mass point at a place of text",
        lambda d: gc.models.get("body-in-field")(points=[(1, (PROGRAM, 0, 0))]),
        gc.DescriptionError,
    ),
    ("a leaf relation as text", lambda d: heavy(leaf=["Gamma1"]), gc.DescriptionError),
    (
        "a coefficient beyond the doubles",
        lambda d: gc.certify(heavy(potential=10**400 * GAMMA.symbols[2]).reduce(), [0, 0, 0, 0, 0, 1]),
        gc.ExpressionError,
    ),
    ("a potential that is a list", lambda d: heavy(potential=[1]), gc.DescriptionError),
    ("a potential that is a relation", lambda d: heavy(potential=GAMMA.symbols[0] > 0), gc.DescriptionError),
    ("an unknown symbol", lambda d: heavy(potential=sp.Symbol("a")), gc.DescriptionError),
    ("a family's state as text", lambda d: gc.Family({"Omega1": "w"}, symbols=["w"]), gc.DescriptionError),
    ("a family's states as a list", lambda d: gc.Family([1, 2]), gc.DescriptionError),
    ("a family's symbol as a number", lambda d: gc.Family({}, symbols=[1]), gc.DescriptionError),
    (
        "a family's symbol twice",
        lambda d: body(equilibria={"a": gc.Family({}, ["w", "w"])}),
        gc.DescriptionError,
    ),
    (
        "a family's symbol named as a parameter",
        lambda d: body(
            parameters=[gc.Parameter("k", 1.0)],
            equilibria={"f": gc.Family({"Omega3": sp.Symbol("k")}, symbols=["k"])},
        ),
        gc.DescriptionError,
    ),
    (
        "a family's symbol named as a state",
        lambda d: body(equilibria={"f": gc.Family({"Omega3": sp.Symbol("Omega3")}, symbols=["Omega3"])}),
        gc.DescriptionError,
    ),
    (
        "a family's symbol named as an input",
        lambda d: body(forces=[U, 0, 0], inputs=["u1"], equilibria={"f": gc.Family({}, symbols=["u1"])}),
        gc.DescriptionError,
    ),
    ("an axis that is zero", lambda d: gc.Axis((0, 0, 0)), gc.DescriptionError),
    ("an axis that is a number", lambda d: gc.Axis(3), gc.DescriptionError),
    ("a reference that is text", lambda d: gc.AdvectedVector("a", reference="abc"), gc.DescriptionError),
    (
        "a step in a force",
        lambda d: body(forces=[sp.Heaviside(U), 0, 0], inputs=[U]).reduce(),
        gc.ExpressionError,
    ),
    ("an invariant that is text", lambda d: gc.check_invariant(system(), "nothing"), gc.GeoctrlError),
    (
        "an invariant of another system",
        lambda d: gc.check_invariant(system(), sp.Symbol("z")),
        gc.ExpressionError,
    ),
    # the catalogue
    ("the model None", lambda d: gc.models.get(None), gc.ParameterError),
    ("the model 3", lambda d: gc.models.get(3), gc.ParameterError),
    ("the model of a list", lambda d: gc.models.get(["heavy-top"]), gc.ParameterError),
    ("a model misspelt", lambda d: gc.models.get("heavy-topp"), gc.ParameterError),
    ("a set by its number", lambda d: gc.models.get("pendulum-skate")(set=7.2), gc.ParameterError),
    ("an unknown set", lambda d: gc.models.get("pendulum-skate")(set="9"), gc.ParameterError),
    ("an unknown option", lambda d: gc.models.get("heavy-top")(foo=1), gc.ParameterError),
    # runs
    ("an unknown engine", lambda d: gc.simulate(system(), T, X0, engine="rk4"), gc.InputError),
    ("one time", lambda d: gc.simulate(system(), [0.0], X0), gc.InputError),
    ("times that fall", lambda d: gc.simulate(system(), [1.0, 0.0], X0), gc.InputError),
    ("times as text", lambda d: gc.simulate(system(), "soon", X0), gc.InputError),
    ("complex times", lambda d: gc.simulate(system(), np.array([0, 1j]), X0), gc.InputError),
    ("a complex start", lambda d: gc.simulate(system(), T, np.array(X0) + 0j), gc.InputError),
    ("a start by name", lambda d: gc.simulate(system(), T, "sliding"), gc.InputError),
    ("inputs of a system without any", lambda d: gc.simulate(system(), T, X0, inputs=[1.0]), gc.InputError),
    ("an unknown input", lambda d: gc.simulate(driven(), T, [0, 0, 0], inputs={"v": 1}), gc.InputError),
    (
        "an input as text",
        lambda d: gc.simulate(driven(), T, [0, 0, 0], inputs={"u1": "t"}),
        (gc.GeoctrlError, TypeError),
    ),
    (
        "inputs of no arguments",
        lambda d: gc.simulate(driven(), T, [0, 0, 0], inputs=lambda: 1),
        (gc.GeoctrlError, TypeError),
    ),
    (
        "inputs that return text",
        lambda d: gc.simulate(driven(), T, [0, 0, 0], inputs=lambda t, x, p: "a"),
        gc.GeoctrlError,
    ),
    (
        "inputs that return None",
        lambda d: gc.simulate(driven(), T, [0, 0, 0], inputs=lambda t, x, p: None),
        gc.GeoctrlError,
    ),
    (
        "inputs that return two",
        lambda d: gc.simulate(driven(), T, [0, 0, 0], inputs=lambda t, x, p: [1, 2]),
        gc.GeoctrlError,
    ),
    (
        "inputs that return complex numbers",
        lambda d: gc.simulate(driven(), T, [0, 0, 0], inputs=lambda t, x, p: [1j]),
        gc.GeoctrlError,
    ),
    ("events as a list", lambda d: gc.simulate(system(), T, X0, events=[system().states[0]]), TypeError),
    (
        "an event as text",
        lambda d: gc.simulate(system(), T, X0, events={"fall": "Gamma3"}),
        (gc.GeoctrlError, TypeError),
    ),
    ("an event as text in a dict", lambda d: gc.Event({"a": "print(1)"}), TypeError),
    ("an event as text in a tuple", lambda d: gc.Event(("print(1)",)), TypeError),
    ("an event that ends a run in an array", lambda d: gc.Event(1, terminal=np.zeros(2)), gc.InputError),
    (
        "an event of an unknown symbol",
        lambda d: gc.simulate(system(), T, X0, events={"a": sp.Symbol("z")}),
        gc.ExpressionError,
    ),
    ("no event of that name", lambda d: gc.simulate(system(), T, X0).events["fall"], gc.LabelError),
    ("no state of that name", lambda d: gc.simulate(system(), T, X0)["z"], gc.LabelError),
    ("a field at a wrong shape", lambda d: system().rhs(0.0, [1, 2]), gc.InputError),
    ("a field at text", lambda d: system().rhs(0.0, ["a"] * 5), gc.InputError),
    ("a field with too many inputs", lambda d: system().rhs(0.0, X0, u=[1.0]), gc.InputError),
    ("a field at a text of inputs", lambda d: driven().rhs(0.0, [0, 0, 0], u=["a"]), gc.InputError),
    ("a turn that is text", lambda d: pendulum().view(spin="abc"), gc.InputError),
    ("a turn of two numbers", lambda d: pendulum().view(spin=[1, 2]), gc.InputError),
    ("a system of no mechanism", lambda d: gc.ReducedSystem(np.zeros(3)), TypeError),
    ("a random state of no generator", lambda d: system().random_state(7), TypeError),
    (
        "a random state of no scale",
        lambda d: system().random_state(np.random.default_rng(1), scale="1"),
        gc.InputError,
    ),
    ("all advected components of a short state", lambda d: system().advected([0, 1]), gc.InputError),
    (
        "what is conserved at an unknown parameter",
        lambda d: system().conserved({"no": 1.0}),
        gc.ParameterError,
    ),
    ("what is conserved at text", lambda d: system().conserved({"m": "1"}), gc.ParameterError),
    ("what is conserved at too many inputs", lambda d: driven().conserved(u=[1.0, 2.0]), gc.InputError),
    ("what is conserved for an array of inputs", lambda d: system().conserved(all_inputs=T), gc.InputError),
    (
        "an invariant within no time",
        lambda d: gc.check_invariant(system(), "energy", budget=float("nan")),
        gc.ParameterError,
    ),
    (
        "an invariant within an endless number",
        lambda d: gc.check_invariant(system(), "energy", budget=10**400),
        gc.ParameterError,
    ),
    (
        "an invariant at parameters in an array",
        lambda d: gc.check_invariant(system(), "energy", params=T),
        gc.ParameterError,
    ),
    (
        "conditions at parameters in an array",
        lambda d: gc.stability_conditions(system(), "sliding", params=T),
        gc.ParameterError,
    ),
    (
        "conditions of a family in a list",
        lambda d: gc.stability_conditions(system(), ["sliding"]),
        gc.ParameterError,
    ),
    (
        "a trajectory written to an open file's number",
        lambda d: gc.simulate(system(), T, X0).save(99),
        TypeError,
    ),
    ("a certificate written to a number", lambda d: gc.certify(system(), point()).to_json(99), TypeError),
    ("LaTeX of no width", lambda d: system().latex(width=0), gc.InputError),
    ("LaTeX of a width in text", lambda d: system().latex(width="10"), gc.InputError),
    (
        "a system of python-control with a number as name",
        lambda d: system().to_control(name=3),
        gc.InputError,
    ),
    (
        "a system of python-control with a dot in its name",
        lambda d: system().to_control(name="a.b"),
        gc.InputError,
    ),
    (
        "a pair of python-control with an array as name",
        lambda d: gc.linearize(system(), point()).to_control(name=T),
        gc.InputError,
    ),
    ("outputs that are a number", lambda d: system().to_control(outputs=3), gc.ParameterError),
    ("an unknown output", lambda d: system().to_control(outputs=["no"]), gc.ParameterError),
    ("an axis of a factor in text", lambda d: gc.Axis([0, 0, 1], of="1"), gc.DescriptionError),
    ("an axis of factor 0", lambda d: gc.Axis([0, 0, 1], of=0), gc.DescriptionError),
    ("translations of endless dimension", lambda d: gc.rn(10**400), gc.DescriptionError),
    ("labels that are a number", lambda d: gc.so3().relabelled(3), gc.DescriptionError),
    ("symbols of a family that are a number", lambda d: gc.Family({}, symbols=3), gc.DescriptionError),
    ("relations of a family that are a number", lambda d: gc.Family({}, relations=3), gc.DescriptionError),
    ("rotors without numbers", lambda d: gc.Rotors(np.zeros(0), 1.0), gc.DescriptionError),
    ("rotors with numbers as names", lambda d: gc.Rotors([0, 0, 1], 1.0, names=[1]), gc.DescriptionError),
    (
        "ragged masses on spheres",
        lambda d: spheres.SphereSystem(mass=[[1.0, 2.0], [3.0]]),
        gc.DescriptionError,
    ),
    ("complex masses on spheres", lambda d: spheres.SphereSystem(mass=sp.Matrix([[sp.I]])), gc.InputError),
    (
        "inputs on spheres that are a number",
        lambda d: spheres.SphereSystem(mass=[1.0], inputs=3),
        gc.DescriptionError,
    ),
    (
        "parameters on spheres that are a number",
        lambda d: spheres.SphereSystem(mass=[1.0], parameters=3),
        gc.DescriptionError,
    ),
    (
        "invariants on spheres in a list",
        lambda d: spheres.SphereSystem(mass=[1.0], invariants=["energy"]),
        TypeError,
    ),
    ("ragged pairs", lambda d: spheres.Pairs(lambda a, b: a.dot(b), pairs=[[1, 2], [3]]), gc.InputError),
    ("endlessly many symbols", lambda d: spheres.symbols(10**400), gc.InputError),
    ("one body for two", lambda d: rotations.coupled_bodies(3.0, 1.0), gc.InputError),
    ("a geodesic of text", lambda d: rotations.Geodesic("a", "b", "c", "d"), gc.InputError),
    ("a law of no matching", lambda d: gc.FeedbackLaw(3, 1.0), TypeError),
    ("signals of no trajectory", lambda d: gc.viz.states(3), TypeError),
    ("no signals", lambda d: gc.viz.states(gc.simulate(system(), T, X0), []), gc.InputError),
    ("drift of no trajectory", lambda d: gc.viz.drift("run"), TypeError),
    ("axes that are none", lambda d: gc.viz.drift(gc.simulate(system(), T, X0), ax=3), TypeError),
    ("a way of no trajectory", lambda d: gc.viz.path(None), TypeError),
    ("a way in no plane", lambda d: gc.viz.path(gc.simulate(system(), T, X0), plane=3), gc.InputError),
    ("eigenvalues of text", lambda d: gc.viz.eigenvalues({"a": 1}), gc.InputError),
    ("an unknown part in LaTeX", lambda d: system().latex("all"), gc.InputError),
    ("a projection of a short velocity", lambda d: system().project([1, 2], {}), gc.InputError),
    (
        "a projection of an unknown vector",
        lambda d: system().project([0] * 6, {"g": (0, 0, 1)}),
        gc.GeoctrlError,
    ),
    ("a velocity of a short state", lambda d: system().velocity([1]), gc.InputError),
    (
        "an attitude of a factor that is not there",
        lambda d: gc.simulate(system(), T, X0).attitude(of=5),
        gc.InputError,
    ),
    (
        "an attitude from a matrix that is none",
        lambda d: gc.simulate(system(), T, X0).attitude(R0=np.ones((3, 3))),
        gc.InputError,
    ),
    ("an attitude from text", lambda d: gc.simulate(system(), T, X0).attitude(R0="I"), gc.InputError),
    (
        "inputs of any number of arguments",
        lambda d: gc.simulate(pushed(), T, HANGING, inputs=lambda *a: [0.0, 0.0, 0.0]),
        TypeError,
    ),
    # laws
    ("an unknown form of a law", lambda d: gc.match(rotor()).law(sigma=-1e-5, form="pid"), gc.InputError),
    ("a gain of a wrong shape", lambda d: gc.match(rotor()).law(sigma=np.eye(2)), gc.MatchingError),
    ("a gain that is ragged", lambda d: gc.match(rotor()).law(sigma=[[1], [1, 2]]), gc.MatchingError),
    ("a gain of zero", lambda d: gc.match(rotor()).law(sigma=0), gc.MatchingError),
    ("a mechanism without rotors", lambda d: gc.match(skate()), gc.MatchingError),
    ("a law at a short state", lambda d: gc.match(rotor()).law(sigma=-1e-5)(0, [1.0]), gc.InputError),
    ("a law at text", lambda d: gc.match(rotor()).law(sigma=-1e-5)(0, "here"), gc.InputError),
    ("a design for an unknown family", lambda d: gc.match(rotor()).design_sigma("slide"), gc.ParameterError),
    # certificates
    ("a certificate as a bool", lambda d: bool(gc.certify(system(), point())), TypeError),
    # files
    ("no trajectory", lambda d: gc.load_trajectory(d / "nothing.npz"), (gc.GeoctrlError, FileNotFoundError)),
    ("a trajectory that is text", lambda d: gc.load_trajectory(write(d, "a.npz", "hello")), gc.GeoctrlError),
    ("a trajectory that is empty", lambda d: gc.load_trajectory(write(d, "a.npz", "")), gc.GeoctrlError),
    ("a trajectory that is a folder", lambda d: gc.load_trajectory(d), gc.GeoctrlError),
    (
        "a trajectory that is broken off",
        lambda d: gc.load_trajectory(
            write(d, "b.npz", archive(d, header=header(), time=np.arange(9.0)).read_bytes()[:-40])
        ),
        gc.GeoctrlError,
    ),
    (
        "a trajectory with a pickle",
        lambda d: gc.load_trajectory(archive(d, header=np.array([{}], dtype=object))),
        gc.GeoctrlError,
    ),
    ("a trajectory without states", lambda d: stored(d, states=None), gc.GeoctrlError),
    ("a trajectory of another shape", lambda d: stored(d, states=np.zeros((3, 2))), gc.GeoctrlError),
    ("a trajectory of text", lambda d: stored(d, states=np.array([["a", "b"]])), gc.GeoctrlError),
    ("a trajectory with a deep header", lambda d: stored(d, header=np.array("[" * 100_000)), gc.GeoctrlError),
    ("a trajectory with a list as header", lambda d: stored(d, header=np.array("[1]")), gc.GeoctrlError),
    ("a trajectory without labels", lambda d: stored(d, header=header(state_labels=3)), gc.GeoctrlError),
    (
        "a trajectory of numbers as labels",
        lambda d: stored(d, header=header(state_labels=[3])),
        gc.GeoctrlError,
    ),
    ("a trajectory of the future", lambda d: stored(d, header=header(version=99)), gc.GeoctrlError),
    (
        "a trajectory whose version is text",
        lambda d: stored(d, header=header(version="new")),
        gc.GeoctrlError,
    ),
    (
        "a trajectory with events that are not there",
        lambda d: stored(d, header=header(events=["fall"])),
        gc.GeoctrlError,
    ),
    ("a trajectory with wrong params", lambda d: stored(d, header=header(params=[1])), gc.GeoctrlError),
]

CALLS += held_calls()

BODY = '<mujoco><worldbody><body name="b"><joint/>{}</body></worldbody></mujoco>'
CALLS += [
    ("a model file that is not there", lambda d: gc.from_mjcf(d / "robot.xml"), gc.ModelFileError),
    ("a model file that is a number", lambda _: gc.from_urdf(3.5), gc.ModelFileError),
    ("a folder as a model file", lambda d: gc.from_urdf(d), gc.ModelFileError),
    ("a model file in the wrong format", lambda _: gc.from_urdf(BODY.format("")), gc.ModelFileError),
    ("a robot without inertia", lambda _: gc.from_mjcf(BODY.format("")), gc.ModelFileError),
    ("a model with a slip of the pen", lambda _: gc.from_mjcf(BODY.format("<inertal/>")), gc.ModelFileError),
    ("a model of another kind", lambda _: gc.from_mujoco("robot.xml"), gc.ModelFileError),
    ("a base of another kind", lambda _: gc.from_urdf("<robot/>", base="wheeled"), gc.InputError),
    ("gravity in two entries", lambda _: gc.from_mjcf("<mujoco/>", gravity=(0, 9.81)), gc.InputError),
    ("rolling of text", lambda _: gc.from_mjcf("<mujoco/>", rolling=3), gc.InputError),
    ("a program of no links", lambda _: skate().as_code(), gc.DescriptionError),
    ("something else as imported", lambda _: skate().replace(imported={"limits": {}}), TypeError),
]

CALLS += [
    (
        "an integral of a state on a sphere",
        lambda _: gc.lqr(pendulum(), pendulum().equilibrium("hanging"), integral=["q1_1"]),
        gc.InputError,
    ),
    (
        "too few poles on a sphere",
        lambda _: gc.place(pendulum(), pendulum().equilibrium("hanging"), [-1]),
        gc.InputError,
    ),
]

X1, X2 = sp.symbols("x1 x2", real=True)
STRUCK = gc.Impact("hit", X1, [[1]])
I3 = sp.eye(3)


def field(states, rates, **entries):
    return gc.VectorField(states, rates, **entries).reduce()


CALLS += [
    ("a field without states", lambda _: field([], []), gc.DescriptionError),
    ("fewer rates than states", lambda _: field([X1, X2], [X1]), gc.DescriptionError),
    ("rates of another name", lambda _: field([X1], {"x2": X1}), gc.DescriptionError),
    ("rates of some states", lambda _: field([X1, X2], {"x2": X1}), gc.DescriptionError),
    ("rates of text", lambda _: field(["x1"], [PROGRAM]), gc.DescriptionError),
    ("one text for all rates", lambda _: field(["x1"], PROGRAM), TypeError),
    ("one text for all states", lambda _: field("x1", [X1]), TypeError),
    ("a number as a state", lambda _: field([3], [X1]), TypeError),
    ("a state that is a program", lambda _: field([PROGRAM], [X1]), gc.DescriptionError),
    ("one state twice", lambda _: field([X1, "x1"], [X1, X1]), gc.DescriptionError),
    ("a state that is the time", lambda _: field(["t"], [1]), gc.DescriptionError),
    ("a state that is an input", lambda _: field([X1], [X1], inputs=["x1"]), gc.DescriptionError),
    (
        "a state that is a parameter",
        lambda _: field([X1], [X1], parameters=[gc.Parameter("x1", 1.0)]),
        gc.ParameterError,
    ),
    ("a rate of what is not declared", lambda _: field([X1], [X1 * X2]), gc.DescriptionError),
    ("a rate that is no number", lambda _: field([X1], [float("nan")]), gc.GeoctrlError),
    ("a leaf that is left", lambda _: field([X1], [1], leaf=[X1**2 - 1]), gc.ConstraintError),
    ("a jump that is none", lambda _: gc.EulerPoincare(algebra=gc.so3(), inertia=I3, jumps=[3]), TypeError),
    ("modes without rows", lambda _: skate().replace(modes={"free": ["none"]}), gc.InputError),
    ("a mechanism that does not jump", lambda _: skate().hybrid(), gc.DescriptionError),
    ("modes that are descriptions", lambda _: gc.HybridSystem(modes={"a": skate()}, jumps=[]), TypeError),
    ("an impact of a field", lambda _: gc.HybridSystem(modes={"a": system()}, jumps=[STRUCK]), gc.InputError),
    ("an impact that gains", lambda _: gc.Impact("hit", X1, [[1]], restitution=2), gc.InputError),
    ("a guard that is a program", lambda _: gc.Impact("hit", PROGRAM, [[1]]), gc.DescriptionError),
    ("a field with an inertia", lambda _: gc.VectorField([X1], [X1]).replace(inertia=1), gc.DescriptionError),
    ("a field that is matched", lambda _: gc.match(gc.VectorField([X1], [X1])), TypeError),
    ("a field that is no system", lambda _: gc.certify(gc.VectorField([X1], [X1]), [0]), TypeError),
    ("a field's state that is none", lambda _: field([X1], [X1]).state(x2=1), gc.LabelError),
    ("a field's state of text", lambda _: field([X1], [X1]).project({"x1": PROGRAM}), gc.GeoctrlError),
    ("a field's state of no name", lambda _: field([X1], [X1]).project({"x2": 1}), gc.DescriptionError),
    ("a field's state as a list", lambda _: field([X1], [X1]).project([1.0]), gc.InputError),
]

PLANE = gc.rn(2)


@cache
def going():
    return field([X1, X2], [X2, 0])


@cache
def turning_back():
    """A point that goes to and fro between two ends."""
    ends = [gc.Jump(f"end {k}", X1 - k, direction=k, reset={"x2": -X2}) for k in (-1, 1)]
    return gc.HybridSystem(modes={"motion": going()}, jumps=ends)


@cache
def pushed_to_and_fro():
    """The same with a speed that the time changes."""
    go = field([X1, X2], [X2 + sp.sin(gc.time), 0])
    return gc.HybridSystem(modes={"motion": go}, jumps=[gc.Jump("end", X1 - 1, 1, reset={"x2": -X2})])


def viscous(drag):
    return gc.Connection.viscous(drag, [gc.Coordinate("z")], gc.rn(1))


def stepping(step, algebra=PLANE):
    """A walker's impact on a group, with the way to the point where it goes on."""
    rows = sp.eye(1 + algebra.n)[-1:, :]
    return gc.EulerPoincare(
        algebra=algebra,
        shape=[gc.Coordinate("z")],
        inertia=sp.eye(1 + algebra.n),
        jumps=[gc.Impact("hit", gc.Coordinate("z").symbol, rows, step=step)],
    ).hybrid()


def loaded(folder, run_of, system):
    """A run of what jumps, or of its mode alone, loaded for a system."""
    gc.simulate(run_of, T, [0, 1], engine="scipy").save(folder / "run.npz")
    return gc.load_trajectory(folder / "run.npz", system=system)


def swimming(**given):
    return gc.optimal_gait(viscous([[1, 0], [0, 1]]), harmonics=1, starts=1, **given)


def to_and_fro(**given):
    return gc.find_periodic(turning_back(), [0, 1], **{"period": 4, "jumps": ["end 1", "end -1"]} | given)


@cache
def hurried():
    """The orbit of such a point, with a rate, and a parameter that nothing depends on."""
    rate, idle = gc.Parameter("rate", 1.0), gc.Parameter("idle", 1.0)
    go = field([X1, X2], [rate * X2, 0], parameters=[rate, idle])
    ends = [gc.Jump(f"end {k}", X1 - k, direction=k, reset={"x2": -X2}) for k in (-1, 1)]
    return gc.find_periodic(gc.HybridSystem(modes={"motion": go}, jumps=ends), [0, 1], 4)


def hurrying(along="rate", span=(0.5, 2), **given):
    return gc.follow(hurried().system, hurried(), along, span, **given)


def forced(**given):
    return gc.find_periodic(pushed_to_and_fro(), [0, 1], **{"forcing": 2 * sp.pi} | given)


CALLS += [
    ("a step that is text", lambda _: stepping("step"), gc.InputError),
    ("a step that is a number", lambda _: stepping(5), gc.InputError),
    ("a step of too few entries", lambda _: stepping([1]), gc.InputError),
    ("a step of no finite number", lambda _: stepping([float("nan"), 0]), gc.InputError),
    ("drag of one number", lambda _: viscous(1.0), gc.DescriptionError),
    ("drag of text", lambda _: viscous("water"), gc.DescriptionError),
    ("drag that is not symmetric", lambda _: viscous([[1, 0.5], [0, 1]]), gc.DescriptionError),
    ("drag that leaves the group free", lambda _: viscous([[0, 0], [0, 1]]), gc.DescriptionError),
    ("drag that gives power", lambda _: viscous([[1, 0], [0, -1]]), gc.DescriptionError),
    ("drag that is not a number", lambda _: viscous([[float("nan"), 0], [0, 1]]), gc.DescriptionError),
    ("drag by the time", lambda _: viscous([[1 + gc.time**2, 0], [0, 1]]), gc.DescriptionError),
    ("drag of links on a line", lambda _: viscous([gc.SlenderLink((0, 0), 0, 1)]), gc.DescriptionError),
    ("a link of no length", lambda _: gc.SlenderLink((0, 0), 0, 0), gc.DescriptionError),
    ("a link at a number", lambda _: gc.SlenderLink(0, 0, 1), gc.DescriptionError),
    ("a link with an angle of text", lambda _: gc.SlenderLink((0, 0), "a", 1), gc.DescriptionError),
    ("a step by a velocity", lambda _: stepping([gc.Coordinate("z").rate, 0]), gc.InputError),
    ("a step by what nobody declared", lambda _: stepping([X1, 0]), gc.InputError),
    ("a step in a group of turns", lambda _: stepping([1, 1, 1], gc.so3()), gc.InputError),
    ("a run with jumps of one mode", lambda d: loaded(d, turning_back(), going()), gc.InputError),
    ("a run of one mode with jumps", lambda d: loaded(d, going(), turning_back()), gc.InputError),
    (
        "a run with jumps of other states",
        lambda d: loaded(d, turning_back(), stepping([0, 0])),
        gc.InputError,
    ),
    ("a run with jumps of a number", lambda d: loaded(d, turning_back(), 5), TypeError),
    ("a forcing that is text", lambda _: forced(forcing="2 pi"), gc.InputError),
    ("a forcing that is negative", lambda _: forced(forcing=-2 * np.pi), gc.InputError),
    ("a forcing that is no number", lambda _: forced(forcing=float("nan")), gc.InputError),
    ("a forcing that is a list", lambda _: forced(forcing=[6.0]), gc.InputError),
    ("a forcing that is no period", lambda _: forced(forcing=6), gc.InputError),
    ("no forcing where the time stands", lambda _: forced(forcing=None, period=6), gc.InputError),
    ("a period between those of the forcing", lambda _: forced(period=9), gc.InputError),
    ("a forced jump that is none", lambda _: forced(jumps=["and"]), gc.InputError),
    ("a forced orbit of no mode", lambda _: forced(mode="rest"), gc.InputError),
    ("a symmetry through jumps", lambda _: forced(symmetry=np.eye(2)), gc.InputError),
    ("turns through jumps", lambda _: forced(winding={"x1": 1}), gc.InputError),
    (
        "a forcing without the time",
        lambda _: gc.find_periodic(turning_back(), [0, 1], 4, forcing=4),
        gc.InputError,
    ),
    ("gaits drawn by a text", lambda _: swimming(rng="a"), gc.InputError),
    ("a gait to what is no number", lambda _: swimming(goal=lambda g: "far", engine="scipy"), gc.InputError),
    ("periods of more phases than jumps", lambda _: to_and_fro(period=[1, 2, 1]), gc.InputError),
    ("many runs of what jumps", lambda _: gc.simulate_ensemble(turning_back(), T, [[0, 1]]), gc.GeoctrlError),
    ("tolerances of what jumps", lambda _: gc.robustness(turning_back(), None, [0, 1], T), gc.GeoctrlError),
    ("a table of what jumps", lambda _: gc.sweep(turning_back(), {"x1": [0, 1]}), TypeError),
    ("a branch of what jumps", lambda _: gc.follow(turning_back(), [0, 1], "p", (0, 1)), gc.GeoctrlError),
    ("jumps along a state", lambda _: hurrying("x1"), gc.LabelError),
    ("jumps along what nothing depends on", lambda _: hurrying("idle"), gc.LabelError),
    ("jumps along a number", lambda _: hurrying(3), gc.LabelError),
    ("jumps over a span without them", lambda _: hurrying(span=(2, 3)), gc.InputError),
    ("jumps with other parameters", lambda _: hurrying(params={"rate": 2}), gc.InputError),
    ("jumps that are certified", lambda _: hurrying(certify=True), gc.InputError),
    (
        "sections of what jumps",
        lambda _: gc.poincare_section(turning_back(), {"x1": 0}, [[0, 1]], 1),
        gc.GeoctrlError,
    ),
    (
        "units of what jumps",
        lambda _: stepping([0, 0]).modes["motion"].mechanism.in_units(length=1000),
        gc.UnitsError,
    ),
]

P1 = gc.Parameter("p1", 1.0, positive=True)


@cache
def decaying():
    """x1' = -p1 x1."""
    return field([X1], [-P1.symbol * X1], parameters=[P1], outputs={"y": X1})


def boxed(**over):
    return gc.certify(decaying(), [0], over=over)


def region(**asked):
    return gc.region_of_attraction(decaying(), [0], **asked)


def mapped(**asked):
    """Members of x1' = -p1 x1 over p1."""
    system = field([X1], [-P1.symbol * X1], parameters=[P1], equilibria={"rest": gc.Family({})})
    return gc.certify_region(system, **{"family": "rest", "axes": {"p1": (1, 2)}, "by": "forms"} | asked)


CALLS += [
    ("a map by another word", lambda _: mapped(by="form"), gc.InputError),
    ("a map by nothing", lambda _: mapped(by=None), gc.InputError),
    ("a map by two words", lambda _: mapped(by=["signs", "forms"]), gc.InputError),
    ("forms in a folder", lambda _: mapped(out="folder"), gc.InputError),
    ("forms with workers", lambda _: mapped(executor=object()), gc.InputError),
    ("forms of no depth", lambda _: mapped(depth=0), gc.InputError),
    ("forms over no axes", lambda _: mapped(axes={}), gc.GeoctrlError),
    ("forms over an axis that ends first", lambda _: mapped(axes={"p1": (2, 1)}), gc.InputError),
    ("forms over an axis that is none", lambda _: mapped(axes={"q": (1, 2)}), gc.ParameterError),
    ("forms of no family", lambda _: mapped(family="rests"), gc.ParameterError),
]


CALLS += [
    ("a box that is a list", lambda _: gc.certify(decaying(), [0], over=["p1"]), gc.InputError),
    ("a box of nothing", lambda _: boxed(), gc.InputError),
    ("a box over a name that is none", lambda _: boxed(p2=0.1), gc.ParameterError),
    ("a box over a number", lambda _: gc.certify(decaying(), [0], over={1: 0.1}), gc.ParameterError),
    ("a box over a state", lambda _: boxed(x1=0.1), gc.ParameterError),
    ("a box of a whole", lambda _: boxed(p1=1), gc.InputError),
    ("a box of a negative part", lambda _: boxed(p1=-0.1), gc.InputError),
    ("a box of what is no number", lambda _: boxed(p1=float("nan")), gc.GeoctrlError),
    ("a box of infinite sides", lambda _: boxed(p1=(0.5, float("inf"))), gc.GeoctrlError),
    ("a box of a program", lambda _: boxed(p1=PROGRAM), gc.GeoctrlError),
    ("a box of three numbers", lambda _: boxed(p1=(0.5, 1, 2)), gc.InputError),
    ("a box that is turned about", lambda _: boxed(p1=(2, 0.5)), gc.InputError),
    ("a box beside the value", lambda _: boxed(p1=(2, 3)), gc.InputError),
    ("a box in which a parameter is negative", lambda _: boxed(p1=(-1, 2)), gc.ParameterError),
    (
        "a box of a held loop",
        lambda _: gc.certify(driven(), [0] * 3, controller=gc.linear_law, over={"m": 0.1}),
        gc.InputError,
    ),
    ("a function of text", lambda _: region(lyapunov="x1**2"), gc.InputError),
    ("a function that is a program", lambda _: region(lyapunov=PROGRAM), gc.InputError),
    ("a function that is a number", lambda _: region(lyapunov=1.0), gc.InputError),
    ("a function that is constant", lambda _: region(lyapunov=sp.Integer(1)), gc.CertificateError),
    ("a function that is negative", lambda _: region(lyapunov=-(X1**2)), gc.CertificateError),
    ("a function that is infinite", lambda _: region(lyapunov=sp.oo * X1**2), gc.GeoctrlError),
    ("a function of another state", lambda _: region(lyapunov=X1**2 + X2**2), gc.ExpressionError),
    ("a function with a degree", lambda _: region(lyapunov=X1**2, degree=4), gc.InputError),
    ("a function by slopes", lambda _: region(lyapunov=X1**2, by="slopes"), gc.InputError),
    ("a degree that is odd", lambda _: region(degree=3), gc.InputError),
    ("a degree of ten", lambda _: region(degree=10), gc.InputError),
    ("a degree of zero", lambda _: region(degree=0), gc.InputError),
    ("a degree of text", lambda _: region(degree="4"), gc.InputError),
    ("a degree that is a half", lambda _: region(degree=4.5), gc.InputError),
    ("degrees as a list", lambda _: region(degree=[2, 4]), gc.InputError),
    ("degrees as an array", lambda _: region(degree=np.array([2, 4])), gc.InputError),
    ("a degree by energy", lambda _: region(degree=4, by="energy"), gc.InputError),
    ("monomials of no degree", lambda _: region(monomials=0), gc.InputError),
    ("multipliers without a degree", lambda _: region(multiplier_degree=4), gc.InputError),
    ("a set in no time", lambda _: region(seconds=0), gc.InputError),
    ("a limit of what is no output", lambda _: region(limits={"z": 1.0}), gc.ParameterError),
    ("a limit that is zero", lambda _: region(limits={"y": 0.0}), gc.InputError),
]
