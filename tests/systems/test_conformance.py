"""The first test of the project: mechanisms drawn at random, and every entry of the catalogue, in every form.

Reduced motion = multiplier form = Lagrange's equations in coordinates; energy rate = input power; analytic
Jacobian = complex step; one motion in all frames; leaf relations kept; tensor form = projected form. The last
tests flip signs in the assembly and demand that these comparisons notice.
"""

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import geoctrl as gc
from geoctrl._pages import catalogue_entries
from geoctrl.systems.equations.matrix_assembly import MatrixAssembly
from geoctrl.systems.reduced import ReducedSystem
from geoctrl.systems.states.differential import Differential
from tests.systems import comparisons
from tests.systems.mechanisms import (
    ALGEBRAS,
    AXES,
    CONSTRAINTS,
    SHAPED,
    SPECIAL,
    draw,
    frames,
    turned,
    with_random_parameters,
)

# All quantities compared are of order one to a hundred, and computed twice in double precision. What is seen
# is a few 1e-16, times the condition of a frame with small pivots: 2e-14 at worst. A wrong sign gives 1e-2.
TOLERANCE = 1e-11
ORACLE_TOLERANCE = 1e-10  # Euler angles, up to an elevation with sine 0.95: the oracle's own error is larger
SKATE_TOLERANCE = 1e-12

KINDS = [kind for kind in ALGEBRAS if kind not in ("r2", "alone")]
SEEDS = range(28)  # 7 algebras, 5 kinds of constraints, 0-2 rotors: the steps are coprime, so all of them mix
OPTIONS = {  # of catalogue builders
    "body-with-point-force": [{"axes": a} for a in ("space", "body")],
    "body-with-rotor": [{"axis": i} for i in (1, 2, 3)],
    "cart-pendulum": [{"incline": i} for i in (False, True)],
    "charged-body": [{"fields": f} for f in ("crossed", "parallel")],
    "coupled-bodies": [{"couplings": c} for c in ("ring", "chain")],
    "magnetic-satellite": [{"field": f} for f in ("dipole", "none")],
    "rigid-body-planar-pendulum": [{"group": "so3"}, {"axis": (2, -3, 6)}, {"group": "so2"}],
    "suslov": [{"potential": p} for p in ("zero", "heavy")],
    "top-on-sphere": [{}, {"gyrostat": True}],
    "underwater-vehicle": [
        {"centres": "noncoincident"},
        {"centres": "coincident"},
        {"centres": "noncoincident", "rotors": True},
    ],
    "veselova": [{"potential": p} for p in ("zero", "linear", "quadratic")],
    "whipple-bicycle": [{"tilt": t} for t in ("lam", "tau")],
}

SETS_WITH = {
    ("suslov", (("potential", "heavy"),)): ["generic", "kharlamova"],
    ("veselova", (("potential", "quadratic"),)): ["clebsch", "generic"],
}
"""Parameter sets that come with options; the others are those of the defaults."""


@cache
def entry(name, options):
    return gc.models.get(name)(**dict(options))


def catalogue():
    """(name, options, parameter set): the named sets, the defaults, and defaults changed at random.

    No description is built for it, as every process of the tests lists the cases.
    """
    for name in gc.models.names("reduced"):
        for options in OPTIONS.get(name, [{}]):
            given = tuple(options.items())
            sets = SETS_WITH.get((name, given), catalogue_entries()[name]["parameter_sets"])
            for chosen in [*sets, *([] if sets else [None]), "random"]:
                yield name, given, chosen


SHAPES = range(20)  # 5 groups, 5 kinds of constraints, one or two coordinates, 0-2 rotors
DRAWN = (
    [("drawn", seed) for seed in SEEDS]
    + [("shaped", seed) for seed in SHAPES]
    + [("special", name) for name in SPECIAL]
)
ENTRIES = list(catalogue())


def label(case):
    if case[0] == "drawn":
        return f"{case[1]}-{KINDS[case[1] % 7]}-{CONSTRAINTS[case[1] % 5]}-{case[1] % 3}"
    if case[0] == "shaped":
        return f"{case[1]}-{SHAPED[case[1] % 5]}-shaped"
    if case[0] == "special":
        return case[1].replace(" ", "-")
    name, options, chosen = case
    return "-".join([name, *(str(v) for _, v in options), str(chosen)])


@cache
def mechanism_of(case):
    if case[0] == "drawn":
        seed = case[1]
        kind = KINDS[seed % len(KINDS)]
        large = ALGEBRAS[kind]().n >= 6
        return draw(
            np.random.default_rng(seed),
            kind,
            CONSTRAINTS[seed % len(CONSTRAINTS)],
            rotors=seed % 3,
            forces=seed % 4 != 0,
            quick=large,
        )
    if case[0] == "shaped":
        seed = case[1]
        kind = SHAPED[seed % 5]
        rows = CONSTRAINTS[(seed // 2) % 5]
        if kind == "alone":  # two velocities are too few for two rows
            rows = "rolling" if seed % 2 else "none"
        return draw(
            np.random.default_rng(1000 + seed),
            kind,
            rows,
            rotors=seed % 3,
            forces=seed % 4 != 0,
            quick=kind == "so2*so3",
            shape=2 if kind == "alone" else 1 + seed % 2,
        )
    if case[0] == "special":
        return SPECIAL[case[1]]()
    name, options, chosen = case
    if chosen == "random":
        return with_random_parameters(entry(name, options), np.random.default_rng(1))
    return gc.models.get(name)(set=chosen, **dict(options))


def built_for(case):
    """The case whose system serves this one too: of an entry's parameter sets, the first."""
    return (
        case if case[0] in ("drawn", "shaped", "special") else next(c for c in ENTRIES if c[:2] == case[:2])
    )


@cache
def system_of(case, frame="own"):
    mechanism = mechanism_of(case)
    if case != built_for(case):  # numbers differ, symbols do not
        return comparisons.AtParameters(system_of(built_for(case), frame), mechanism)
    if frame == "own":
        return mechanism.reduce()
    other = frames(mechanism, np.random.default_rng(5))[frame]
    return mechanism.replace(frame=other, velocities=None).reduce()  # names belong to the frame given


@cache
def multiplier_form_of(case):
    if case != built_for(case):
        return comparisons.AtParameters(multiplier_form_of(built_for(case)), mechanism_of(case))
    return system_of(case).unreduced()


def tolerance_of(case):
    return SKATE_TOLERANCE if case[0].startswith("pendulum-skate") else TOLERANCE


def is_further_draw(case):
    """Of mechanisms drawn at random, those after the first two of each algebra; with shapes, the first."""
    return (case[0] == "drawn" and case[1] >= 2 * len(KINDS)) or (
        case[0] == "shaped" and case[1] >= len(SHAPED)
    )


def over(cases, every_set=False):
    """Parametrised by cases; the tests of one mechanism run in one process, which builds it once.

    What is written in symbols once for all numbers is asked at the random ones of an entry.
    """
    params = []
    for case in cases:
        marks = [pytest.mark.xdist_group(label(built_for(case)))]
        if is_further_draw(case):
            marks.append(pytest.mark.long(reason="mechanisms of each algebra are drawn before"))
        if case[0] == "whipple-bicycle":
            marks.append(pytest.mark.long(reason="literature/ compares it with four bodies and multipliers"))
        if not every_set and case in ENTRIES and case[2] != "random":
            marks.append(pytest.mark.long(reason="the entry is asked at random numbers"))
        params.append(pytest.param(case, marks=marks, id=label(case)))
    return pytest.mark.parametrize("case", params)


def over_frames(cases):
    """The same in two frames: an entry in its own, of which others give the same motion."""
    params = []
    for param in over(cases).args[1]:
        [case] = param.values
        for frame in ("own", "made"):
            marks = list(param.marks)
            if case in ENTRIES and frame != "own":
                marks.append(pytest.mark.long(reason="mechanisms that are drawn are asked in this frame"))
            params.append(pytest.param(case, frame, marks=marks, id=f"{frame}-{param.id}"))
    return pytest.mark.parametrize(("case", "frame"), params)


every_case_in_frames = over_frames(DRAWN + ENTRIES)


@over([case for case in ENTRIES if case[2] == "random"])
def test_every_set_of_an_entry_is_there(case):
    there = [chosen for *of, chosen in ENTRIES if tuple(of) == case[:2]]
    assert there == [*(entry(*case[:2]).parameter_sets or [None]), "random"]


@every_case_in_frames
def test_reduced_motion_is_the_multiplier_form(case, frame):
    form = multiplier_form_of(case)
    assert comparisons.multiplier_form(system_of(case, frame), form=form) < tolerance_of(case)


@over([c for c in DRAWN + ENTRIES if c[1] != "heisenberg"])
def test_multiplier_form_is_lagrange_in_coordinates(case):
    assert comparisons.coordinates(system_of(case), form=multiplier_form_of(case)) < ORACLE_TOLERANCE


@every_case_in_frames
def test_energy_rate_is_input_power(case, frame):
    assert comparisons.power_balance(system_of(case, frame)) < TOLERANCE


@over(DRAWN[:14] + DRAWN[28:] + ENTRIES, every_set=False)  # each algebra twice: slow to build
def test_analytic_jacobians_are_complex_steps(case):
    assert comparisons.jacobians(system_of(case)) < TOLERANCE


@over([("drawn", 1), ("drawn", 4), ("drawn", 9), *ENTRIES])
def test_batch_evaluation_is_columnwise(case):
    sys = system_of(case)
    samples = list(comparisons.points(sys, 3, 4))
    t = np.array([s[0] for s in samples])
    x, u = np.stack([s[1] for s in samples], axis=1), np.stack([s[2] for s in samples], axis=1)
    batches = {
        "rhs": (sys.rhs(t, x, u), lambda i: sys.rhs(t[i], x[:, i], u[:, i]), -1),
        "jacobian": (sys.jacobian(t, x, u), lambda i: sys.jacobian(t[i], x[:, i], u[:, i]), 0),
        "input_jacobian": (
            sys.input_jacobian(t, x, u),
            lambda i: sys.input_jacobian(t[i], x[:, i], u[:, i]),
            0,
        ),
        "energy": (sys.energy(x), lambda i: sys.energy(x[:, i]), -1),
        "velocity": (sys.velocity(x), lambda i: sys.velocity(x[:, i]), -1),
        "advected": (sys.advected(x), lambda i: sys.advected(x[:, i]), -1),
        "leaf_residual": (sys.leaf_residual(x), lambda i: sys.leaf_residual(x[:, i]), -1),
    }
    for name, (batch, single, axis) in batches.items():
        columns = np.stack([single(i) for i in range(4)], axis=axis)
        # Floats and numpy arrays run the same program; only their elementary functions may round differently.
        assert comparisons.deviation(batch, columns) < 1e-14, name


# A bicycle in six frames is slow to build.
@over([c for c in DRAWN + ENTRIES if c[1] != (("tilt", "tau"),)])
def test_all_frames_give_the_same_motion(case):
    own, second = (system_of(case, frame) for frame in ("own", "second"))
    assert comparisons.same_motion(own, second) < TOLERANCE
    if case in ENTRIES:  # what the library makes of rows is asked of mechanisms that are drawn
        return
    made = system_of(case, "made")
    assert comparisons.same_motion(second, made) < TOLERANCE
    assert comparisons.same_motion(made, own) < TOLERANCE


@every_case_in_frames
def test_leaf_relations_are_kept(case, frame):
    assert comparisons.leaf_rates(system_of(case, frame)) < TOLERANCE


def answers(sys, t, x, u):
    state = (comparisons.full_velocity(sys, x), sys.configuration(x))
    return [sys.rhs(t, x, u), sys.jacobian(t, x, u), sys.energy(x), sys.unreduced().rhs(t, state, u)[0]]


@pytest.mark.parametrize("name", ["heavy-top", "pendulum-skate-rotor"])
def test_parameters_given_are_those_that_a_mechanism_is_built_with(name):
    """What lets one system stand for all sets of an entry."""
    case = (name, (), "random")
    built = mechanism_of(case).reduce()
    for t, x, u in comparisons.points(built, 6):
        expected, given = answers(built, t, x, u), answers(system_of(case), t, x, u)
        first = answers(system_of(built_for(case)), t, x, u)
        for a, b, other in zip(expected, given, first, strict=True):
            assert comparisons.deviation(b, a) < 1e-14  # the same program, the same numbers
            assert comparisons.deviation(other, a) > 1e-3


TENSORS = [
    (0, "so3", "none"),
    (1, "so3", "rolling"),
    (2, "so3", "affine"),
    (3, "se2", "rolling"),
    (4, "se2", "affine"),
    (5, "se2", "suslov"),
    (6, "so2*so3", "suslov"),
    (7, "se2", "none"),
]


@cache
def tensor_system(seed, kind, constraints):
    return draw(np.random.default_rng(100 + seed), kind, constraints, forces=False).reduce()


@pytest.mark.parametrize("case", TENSORS, ids=lambda c: f"{c[1]}-{c[2]}")
def test_tensor_form_is_the_projected_form(case):
    assert comparisons.tensor_form(tensor_system(*case)) < TOLERANCE


@cache
def tensor_functions_of(case, frame):
    """Compiled once for all parameter sets of an entry; `case` is the first of them."""
    system = system_of(case, frame)
    return comparisons.tensor_functions(system.mechanism, system.tensors())


@over([c for c in ENTRIES if not entry(*c[:2]).rotors])
def test_tensor_form_of_the_catalogue(case):
    frame = "own"
    if system_of(case).frame.rows is not None:
        with pytest.raises(ValueError, match="keeps multipliers"):
            system_of(case).tensors()
        frame = "second"
    functions = tensor_functions_of(built_for(case), frame)
    assert comparisons.tensor_form(system_of(case, frame), functions=functions) < TOLERANCE


# -- the skate --------------------------------------------------------------------------------------


def published_skate(v1, v2, v3, G2, G3, m, l, g, I1, I2, I3):  # noqa: E741
    """[GO] (38)."""
    lateral = I2 * G2**2 + I3 * G3**2
    roll = ((I2 + m * l**2 - I3) * G3 * v2**2 + m * g * l) * G2 + m * l * G3 * v2 * v3
    return [
        roll / (I1 + m * l**2),
        2 * (I3 - I2) * G2 * G3 * v1 * v2 / lateral,
        -2 * l * I3 * G3 * v1 * v2 / lateral,
        v1 * G3,
        -v1 * G2,
    ]


def test_the_reduced_skate_is_the_published_one_symbolically():
    sys = gc.models.get("pendulum-skate")().reduce()
    assert sys.state_labels == ("v1", "v2", "v3", "Gamma2", "Gamma3")
    G2, G3 = sys.states[3:]
    expected = published_skate(*sys.states, *(p.symbol for p in sys.mechanism.parameters))
    for computed, published in zip(sys.equations().rhs, expected, strict=True):
        # The paper uses |Gamma| = 1: the difference is a multiple of |Gamma|^2 - 1.
        numerator = sp.numer(sp.together(computed - published))
        assert sp.rem(sp.expand(numerator), G2**2 + G3**2 - 1, G3) == 0
        assert (
            sp.simplify(
                (computed - published).subs(G2, sp.sin(sp.Symbol("a"))).subs(G3, sp.cos(sp.Symbol("a")))
            )
            == 0
        )


def test_turned_axes_change_nothing_in_the_quasivelocities():
    """The relation Gamma1 = 0 removes a coordinate; in turned axes it is a relation among three."""
    mechanism = mechanism_of(("pendulum-skate", (), "random"))
    sys, other = mechanism.reduce(), turned(mechanism).reduce()
    assert (sys.nstates, other.nstates) == (5, 6)
    for t, x, _ in comparisons.points(sys, 4):
        back = np.array(AXES.T, dtype=float)
        xdot = np.concatenate([sys.rhs(t, x)[:3], back @ sys.advected(sys.rhs(t, x))])
        y = np.concatenate([x[:3], back @ sys.advected(x)])
        assert comparisons.deviation(other.rhs(t, y), xdot) < SKATE_TOLERANCE


def test_frames_give_one_motion_of_the_skate_over_five_seconds():
    """A leaning, turning skate whose spin keeps it up, in three frames; the last one with multipliers.

    DOP853 at rtol 1e-13 makes a global error below 1e-12 on this motion, another one in every frame.
    """
    case = ("pendulum-skate", (), "random")
    first = system_of(case)
    x0 = first.project(*steady_turn(np.sin(0.2), np.cos(0.2)))
    times = np.linspace(0, 5, 51)
    motions = {}
    for frame in ("own", "second", "made"):
        sys = system_of(case, frame)
        start = comparisons.converted(first, x0, sys)
        run = solve_ivp(sys.rhs, (0, 5), start, "DOP853", times, rtol=1e-13, atol=1e-14)
        assert run.success
        motions[frame] = np.vstack([sys.velocity(run.y), sys.advected(run.y)])
    assert np.ptp(motions["own"][7]) > 0.1  # it does move: the lateral lean changes
    for frame in ("second", "made"):
        assert comparisons.deviation(motions[frame], motions["own"]) < 1e-11, frame


def steady_turn(g2, g3, roll=0.3, spin=6.0, speed=0.8):
    """A velocity that satisfies the skate's constraints, with the vertical (0, g2, g3)."""
    return [roll, spin * g2, spin * g3, speed, 0, 0], {"Gamma": [0, g2, g3]}


# -- negative controls --------------------------------------------------------------------------------


def negated(original):
    return lambda self, *args: [-node for node in original(self, *args)]


def on_call(original, which):
    """The n-th call of a method for one assembly gets a wrong sign: 1 Edot, 2 Gdot, 3 Adot, 4- rows."""
    calls = {}

    def method(self, *args):
        calls[id(self)] = calls.get(id(self), 0) + 1
        answer = original(self, *args)
        return [-node for node in answer] if which(calls[id(self)]) else answer

    return method


def without_rotor_coupling_in_columns(original):
    def method(self):
        original(self)
        n = self.mechanism.algebra.n
        self._G = [
            [-e if (i < n) != (j < n) else e for j, e in enumerate(row)] for i, row in enumerate(self._G)
        ]

    return method


def advection_reversed(original):
    def method(self):
        original(self)
        self.advection = [-node for node in self.advection]

    return method


ASSEMBLY_ERRORS = {
    "coadjoint": ("_coadjoint", negated, "own"),
    "diamond": ("_diamond", negated, "own"),
    "gradient": ("_advected_gradient", negated, "own"),
    "forces": ("_generalised_forces", negated, "own"),
    "advection": ("_kinematics", advection_reversed, "own"),
    "rotor coupling": ("_inertia", without_rotor_coupling_in_columns, "own"),
    "Edot": ("_along_motion", lambda f: on_call(f, lambda call: call == 1), "own"),
    "Gdot": ("_along_motion", lambda f: on_call(f, lambda call: call == 2), "own"),
    "Adot": ("_along_motion", lambda f: on_call(f, lambda call: call == 3), "own"),
    "drift of the rows": ("_along_motion", lambda f: on_call(f, lambda call: call > 3), "made"),
}


@cache
def control_mechanism(shape=0, frame="own"):
    drawn = draw(np.random.default_rng(77), "se2" if shape else "so2*so3", "affine", rotors=1, shape=shape)
    return drawn if frame == "own" else drawn.replace(frame=None)


@cache
def deviation_of_control(shape, frame):
    return comparisons.multiplier_form(ReducedSystem(control_mechanism(shape, frame)))


@pytest.mark.parametrize("shape", [0, 2])
@pytest.mark.parametrize("error", ASSEMBLY_ERRORS)
def test_a_wrong_sign_in_the_assembly_is_noticed(error, shape, monkeypatch):
    method, wrong, frame = ASSEMBLY_ERRORS[error]
    assert deviation_of_control(shape, frame) < TOLERANCE
    owner = next(kind for kind in MatrixAssembly.__mro__ if method in vars(kind))
    monkeypatch.setattr(owner, method, wrong(getattr(owner, method)))
    assert comparisons.multiplier_form(ReducedSystem(control_mechanism(shape, frame))) > 1e-3


@pytest.mark.parametrize("part", ["potential", "gyroscopic", "forces", "inertia", "rotors"])
def test_a_mechanism_with_one_part_changed_is_noticed(part):
    mechanism = control_mechanism()
    rotors = mechanism.rotors
    changed = {
        "potential": lambda: -mechanism.potential,
        "gyroscopic": lambda: -mechanism.gyroscopic,
        "forces": lambda: -mechanism.forces,
        "inertia": lambda: mechanism.inertia.applyfunc(  # the Gamma-dependent part off the diagonal
            lambda e: e.xreplace({s: -s for s in mechanism.configuration_symbols})
        ),
        "rotors": lambda: gc.Rotors(-rotors.coupling, rotors.inertia, rotors.names),
    }[part]()
    other = mechanism.replace(**{part: changed}).reduce()
    assert comparisons.multiplier_form(other, form=mechanism.reduce().unreduced()) > 1e-3


@pytest.mark.parametrize("shape", [0, 2])
@pytest.mark.parametrize("part", ["c", "kappa", "F", "dG", "dA", "dU", "dpsi"])
def test_a_wrong_sign_in_the_multiplier_form_is_noticed_by_the_oracle(part, shape):
    sys = control_mechanism(shape).reduce()
    assert comparisons.coordinates(sys) < ORACLE_TOLERANCE
    form = sys.unreduced()
    if part in ("c", "kappa"):
        setattr(form, f"_{part}", -getattr(form, f"_{part}"))
    elif part == "F":
        original = form._F
        form._F = lambda *args: -np.asarray(original(*args))
    else:
        original = form._parts

        def parts(*args):
            values, slopes = original(*args)
            slopes[("dG", "dA", "dU", "dpsi").index(part)] *= -1
            return values, slopes

        form._parts = parts
    assert comparisons.coordinates(sys, form=form) > 1e-3


@pytest.mark.parametrize("error", ["forces", "Gdot", "diamond", "Edot"])
def test_a_wrong_sign_breaks_the_power_balance(error, monkeypatch):
    method, wrong, _ = ASSEMBLY_ERRORS[error]
    owner = next(kind for kind in MatrixAssembly.__mro__ if method in vars(kind))
    monkeypatch.setattr(owner, method, wrong(getattr(owner, method)))
    assert comparisons.power_balance(ReducedSystem(control_mechanism())) > 1e-3


def test_a_wrong_drift_breaks_the_leaf(monkeypatch):
    method, wrong, _ = ASSEMBLY_ERRORS["drift of the rows"]
    owner = next(kind for kind in MatrixAssembly.__mro__ if method in vars(kind))
    monkeypatch.setattr(owner, method, wrong(getattr(owner, method)))
    assert comparisons.leaf_rates(ReducedSystem(control_mechanism(frame="made"))) > 1e-3


def test_a_wrong_frame_derivative_makes_frames_differ(monkeypatch):
    mechanism = control_mechanism()
    method, wrong, _ = ASSEMBLY_ERRORS["Edot"]
    owner = next(kind for kind in MatrixAssembly.__mro__ if method in vars(kind))
    monkeypatch.setattr(owner, method, wrong(getattr(owner, method)))
    other = ReducedSystem(mechanism.replace(frame=frames(mechanism, np.random.default_rng(5))["second"]))
    assert comparisons.same_motion(ReducedSystem(mechanism), other) > 1e-3


@pytest.mark.parametrize("part", ["saddle", "residual_x", "advection_x"])
def test_a_wrong_derivative_is_noticed(part, monkeypatch):
    """The nodes of one block of the differential with the wrong sign."""
    original = Differential.split

    def split(self, values):
        blocks = dict(
            zip(("saddle", "residual_x", "residual_u", "advection_x"), original(self, values), strict=True)
        )
        blocks[part] = [[-e for e in row] for row in blocks[part]]
        return tuple(blocks.values())

    monkeypatch.setattr(Differential, "split", split)
    assert comparisons.jacobians(ReducedSystem(control_mechanism())) > 1e-3


@pytest.mark.parametrize("tensor", ["C", "F"])
def test_a_wrong_sign_in_a_tensor_is_noticed(tensor):
    sys = tensor_system(*TENSORS[4])
    tensors = sys.tensors()
    parts = {"C": tensors.C, "F": tensors.F}
    parts[tensor] = -parts[tensor]
    wrong = type(tensors)(tensors.frame, **parts)
    functions = comparisons.tensor_functions(sys.mechanism, wrong)
    assert comparisons.tensor_form(sys, functions=functions) > 1e-3


@over([case for case in ENTRIES if case == built_for(case)], every_set=True)
def test_units_of_the_catalogue_go_together(case):
    gc.check_units(mechanism_of(case))
    system = system_of(case)
    assert set(system.units()) == {*system.state_labels, *system.input_labels}
