"""Relations of the leaf go by short names, which every copy of a description keeps."""

import pickle

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

A = gc.AdvectedVector("a", reference=(1, 0, 0))
B = gc.AdvectedVector("b", reference=(0, 1, 0))
A1, A2, A3 = A.symbols
B1, B2, B3 = B.symbols
# Functions of |a|^2, |b|^2 and a.b, so that motions keep them; the library takes none for granted.
KEPT = A1 * B1 + A2 * B2 + A3 * B3
LONG = sp.expand((A1**2 + A2**2 + A3**2) ** 2 - (B1**2 + B2**2 + B3**2) ** 3)


def points(leaf, **changes):
    """Two vectors fixed in space as general parameters, so that no relation of theirs is automatic."""
    so3 = gc.so3()
    hat = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        hat[i, j, k], hat[k, j, i] = 1, -1
    vectors = [gc.AdvectedParameter(n, hat, r) for n, r in (("a", (1, 0, 0)), ("b", (0, 1, 0)))]
    fields = dict(
        algebra=so3, advected=vectors, inertia=sp.diag(2, 3, sp.Rational(9, 2)), potential=A3, leaf=leaf
    )
    return gc.EulerPoincare(**{**fields, **changes})


def start(system):
    return system.random_state(np.random.default_rng(1))


def test_a_long_relation_gets_a_short_name():
    system = points([LONG, KEPT]).reduce()
    assert len(str(LONG)) > 40
    assert system.leaf.names == ("leaf1", "a1*b1 + a2*b2 + a3*b3")
    assert system.leaf.relations[0].expr == LONG
    run = gc.simulate(system, np.linspace(0, 1, 5), start(system), engine="scipy")
    assert {"leaf1", "a1*b1 + a2*b2 + a3*b3"} <= set(run.leaf_defects)
    assert {"leaf1", "a1*b1 + a2*b2 + a3*b3"} <= set(run.drift)
    assert max(map(len, run.drift)) <= 40
    assert max(map(len, repr(system).splitlines())) < 200


def test_names_can_be_given():
    mechanism = points({"sizes": LONG, "right angle": KEPT})
    system = mechanism.reduce()
    assert system.leaf.names == ("sizes", "right angle")
    run = gc.simulate(system, np.linspace(0, 1, 5), start(system), engine="scipy")
    assert run.drift["right angle"] < 1e-9
    axes = gc.viz.drift(run)
    drawn = " ".join(t.get_text() for t in axes.get_legend().get_texts())
    assert "sizes" in drawn
    assert "right angle" in drawn
    assert "right angle: a1*b1 + a2*b2 + a3*b3 = 0" in str(mechanism)


def test_copies_keep_the_names():
    mechanism = points({"sizes": LONG, "right angle": KEPT})
    for copy in (mechanism.replace(name="other"), pickle.loads(pickle.dumps(mechanism))):
        assert copy.leaf.names == ("sizes", "right angle")
        assert tuple(copy.leaf) == (LONG, KEPT)
    assert pickle.loads(pickle.dumps(mechanism.reduce())).leaf.names == ("sizes", "right angle")


def test_a_name_of_the_library_avoids_those_that_are_there():
    taken = gc.Parameter("leaf1", 2.0)
    assert points([LONG, 2 * LONG + KEPT], parameters=[taken]).leaf.names == ("leaf2", "leaf3")


def test_a_named_coordinate_is_removed():
    vector = gc.AdvectedVector("g", reference=(0, 0, 1))
    rows = [[0, -vector.symbols[2], vector.symbols[1]]]
    mechanism = gc.EulerPoincare(
        algebra=gc.so3(),
        advected=[vector],
        inertia=sp.diag(1, 2, 2),
        constraints=rows,
        leaf={"upright": vector.symbols[0]},
    )
    assert "g1" not in mechanism.reduce().state_labels


@pytest.mark.parametrize(
    ("leaf", "error", "words"),
    [
        ({"": KEPT}, gc.DescriptionError, "must be text"),
        ({1: KEPT}, gc.DescriptionError, "must be text, got 1"),
        ({"energy": KEPT}, gc.DescriptionError, "'energy' has the name of something else"),
        ({"Omega1": KEPT}, gc.DescriptionError, "'Omega1' has the name of something else"),
        ({"C": KEPT}, gc.DescriptionError, "'C' has the name of something else"),
        ({"right": "a1*b1"}, gc.DescriptionError, "leaf\\['right'\\]"),
        (KEPT, TypeError, "leaf must be a list, or a dict by name"),
        ("a1", TypeError, "leaf must be a list, or a dict by name"),
    ],
)
def test_bad_relations_are_refused(leaf, error, words):
    with pytest.raises(error, match=words):
        points(leaf, invariants={"C": KEPT})


def test_certificates_use_the_names(tmp_path):
    system = points({"sizes": LONG, "right angle": KEPT}, potential=0).reduce()
    rest = np.concatenate([[0.0, 0.0, 0.0], [1, 0, 0], [0, 1, 0]])
    cert = gc.certify(system, rest)
    assert "right angle" in cert.data["problem"]["leaf"]
    cert.to_json(tmp_path / "cert.json")
    assert gc.verify(tmp_path / "cert.json").verdict == cert.verdict


def test_samples_pass_over_places_where_a_relation_has_no_value():
    """y = sqrt(1 - x^2): a draw of x beyond 1 has none, and Newton's steps from some others leave it."""
    x, y = gc.Coordinate("x"), gc.Coordinate("y")
    slope = -x.symbol / sp.sqrt(1 - x.symbol**2)
    system = gc.EulerPoincare(
        shape=[x, y],
        inertia=sp.diag(2, 3),
        constraints=[[-slope, 1]],
        leaf={"circle": y.symbol - sp.sqrt(1 - x.symbol**2)},
    ).reduce()
    for seed in range(30):
        state = system.random_state(np.random.default_rng(seed))
        assert abs(np.hypot(state[-2], state[-1]) - 1) < 1e-12
    with pytest.raises(gc.ConstraintError, match="no configuration reached from the references satisfies"):
        gc.EulerPoincare(
            shape=[x, y], inertia=sp.diag(2, 3), leaf={"none": y.symbol - sp.sqrt(-1 - x.symbol**2)}
        ).reduce()


def test_a_leaf_far_from_the_references_is_reached():
    """f has a maximum below zero near the reference, which Newton's steps from small draws do not leave."""
    a, b = gc.Coordinate("a", angle=True), gc.Coordinate("b", angle=True)
    f = 6 * a - 8 * (a - 3) * sp.cos(a) - 4 * sp.cos(a) + sp.sin(b) / 3 - 29
    rows = [[sp.diff(f, a.symbol), sp.diff(f, b.symbol)]]
    system = gc.EulerPoincare(shape=[a, b], inertia=sp.diag(2, 3), constraints=rows, leaf={"f": f}).reduce()
    for seed in range(3):
        x = system.random_state(np.random.default_rng(seed))
        # Settled to 1e-12 of its terms, eight times the state.
        assert np.abs(system.leaf_residual(x)).max() < 1e-11 * np.abs(x).max()
