"""Names that would be more than names: refused where they cannot be printed, and words in every export."""

import ast
import re

import matplotlib.pyplot as plt
import pytest
import sympy as sp

import geoctrl as gc
from geoctrl.manifolds import Direction
from geoctrl.synthesis.export import law_outputs
from geoctrl.systems.typesetting.typesetting import plain_text, symbol_name
from geoctrl.viz.style import mathtext, quiet

EVIL = 'm -/ axiom bad : False /- */ int evil; /* """, evil(), """ \\input{evil} $\\evil$ <script> %'
BREAKS = ["a\nb", "a\rb", "a\0b", "a\x1b[31mb", "a\u202eb", "a\u2028b"]


def spring(**given):
    q = gc.Coordinate("q")
    potential = q.symbol**2 / 2
    return gc.EulerPoincare(algebra=None, shape=[q], inertia=[[1]], potential=potential, **given)


DESCRIBED = {
    "name": lambda name: spring(name=name),
    "inputs": lambda name: spring(inputs=[name], forces=[sp.Symbol(name, real=True)]),
    "equilibria": lambda name: spring(equilibria={name: gc.Family({})}),
    "symbol of a family": lambda name: spring(equilibria={"rest": gc.Family({"q": 0}, symbols=[name])}),
    "domain": lambda name: spring(domain={name: sp.Symbol("q", real=True) > -1}),
    "leaf": lambda name: spring(leaf={name: sp.Symbol("q", real=True)}),
    "invariants": lambda name: spring(invariants={name: sp.Symbol("q", real=True)}),
    "outputs": lambda name: spring(outputs={name: sp.Symbol("q", real=True)}),
    "sets": lambda name: spring(parameters=[gc.Parameter("k", 1.0)], parameter_sets={name: {"k": 2.0}}),
    "rows": lambda name: gc.EulerPoincare(algebra=gc.rn(2), inertia=sp.eye(2), constraints={name: [1, 0]}),
    "unit": lambda name: gc.Parameter("k", 1.0, name),
    "unit of a coordinate": lambda name: gc.Coordinate("q", unit=name),
    "spheres": lambda name: gc.spheres.SphereSystem(mass=[1.0], name=name),
    "rotations": lambda name: gc.rotations.RotationSystem(inertias=[sp.eye(3)], name=name),
    "a direction": Direction,
}


@pytest.mark.parametrize("describe", DESCRIBED.values(), ids=DESCRIBED)
def test_names_that_cannot_be_printed_are_refused(describe):
    for name in BREAKS:
        with pytest.raises(gc.DescriptionError, match="cannot be printed"):
            describe(name)


def test_names_are_bounded():
    assert spring(name="m" * 500).name
    made = (lambda name: spring(name=name), gc.Coordinate, gc.Parameter, gc.AdvectedVector, Direction)
    for make in made:
        with pytest.raises(gc.DescriptionError, match="500"):
            make("m" * 501)


def test_prose_may_have_lines_but_no_control_characters():
    assert spring(source="Author, A.\n\tTitle").source
    with pytest.raises(gc.DescriptionError, match="source"):
        spring(source="Author \x1b[31m")


def without_comments(text, begin, end, nested):
    """A text without its comments, which nest or do not."""
    kept, depth, i = [], 0, 0
    while i < len(text):
        if text.startswith(begin, i) and (nested or not depth):
            depth, i = depth + 1, i + len(begin)
        elif depth and text.startswith(end, i):
            depth, i = depth - 1, i + len(end)
        else:
            kept += [text[i]] if not depth else []
            i += 1
    return "".join(kept)


def test_rocq_has_no_axiom_by_a_name():
    evil = f"*) axiom bad : False. (* {EVIL}"
    system = spring(name=evil, invariants={f"{evil} of motion": (sp.Symbol("q", real=True)) * 0 + 1}).reduce()
    text = gc.certify(system, [0, 0]).to_rocq()
    bare = without_comments(text, "(*", "*)", nested=True)
    assert "Theorem stability" in bare
    assert "axiom" not in bare
    assert "axiom" in without_comments(f"(* {evil} *)", "(*", "*)", nested=True)  # negative control


@pytest.fixture(scope="module")
def law():
    """A cart and its pendulum, of which system and input have such names."""
    model = gc.models.get("cart-pendulum")()
    plant = model.replace(name=EVIL).reduce()
    return gc.lqr(plant, plant.equilibrium("upright"))


def test_c_has_no_code_by_a_name(law, tmp_path):
    for path in (
        law.to_c(tmp_path, name="law")
        if hasattr(law, "to_c")
        else law.sampled(rate=100).to_c(tmp_path, "law")
    ):
        bare = without_comments(path.read_text(encoding="utf-8"), "/*", "*/", nested=False)
        assert "double" in bare
        assert "evil" not in bare


def test_comments_of_c_end_where_they_end():
    from geoctrl._scalars.text.c_text import comment

    text = comment([EVIL, "*/*", "/*/", "**//", "x\r\ny\\", "/"])
    assert without_comments(text, "/*", "*/", nested=False) == ""
    assert text.count("*/") == 1
    assert re.fullmatch(r"[ -~\n]*", text)


def test_a_function_of_python_has_no_code_by_a_name():
    text = law_outputs.docstring_text([EVIL, "back\\"], ["x", '"'])
    (statement,) = ast.parse(text).body
    assert ast.literal_eval(text) == f'{EVIL}, back\\ at x = (x, ").'
    assert isinstance(statement.value, ast.Constant)


def test_latex_has_no_command_by_a_name():
    for text in (plain_text(EVIL), symbol_name(EVIL), spring(name=EVIL)._repr_latex_()):
        assert r"\input" not in text
        assert r"\evil" not in text
        assert "<script>" not in text
        unescaped = re.sub(r"\\[\\{}$%&#_]", "", text.strip("$"))
        assert "%" not in unescaped
        assert "$" not in unescaped
        assert unescaped.count("{") == unescaped.count("}")


def test_pictures_show_names_as_text():
    figure, ax = plt.subplots()
    name = r"$\evil{$ and \$ too"
    quiet(ax, xlabel=mathtext(name))
    figure.canvas.draw()  # of matplotlib: a formula that it cannot set is an error
    plt.close(figure)
    bad, ax = plt.subplots()
    quiet(ax, xlabel=name)
    with pytest.raises(ValueError, match="evil"):
        bad.canvas.draw()
    plt.close(bad)
