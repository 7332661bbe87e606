"""What is raised on purpose: errors of geoctrl, which refine a builtin, or a TypeError with a remedy."""

import ast
import builtins
import pickle

import pytest

import geoctrl
from geoctrl import errors
from tests.test_architecture import FILES, PACKAGE, READ_TOGETHER, nodes, tree

pytestmark = READ_TOGETHER

BUILTINS = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
ALLOWED = {"TypeError", "NotImplementedError", "StopIteration", "SystemExit"}
# What Python asks for: looking up a name that is not there must raise an AttributeError of its own.
PROTOCOL = {"__getattr__": "AttributeError"}


def raised(tree):
    """(class, function it is raised in, line) of all exceptions that are raised by name."""

    def walk(node, function):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node.name
        if isinstance(node, ast.Raise) and node.exc is not None:
            exc = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(exc, ast.Name | ast.Attribute):
                yield (exc.id if isinstance(exc, ast.Name) else exc.attr), function, node.lineno
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function)

    return walk(tree, "")


def plain_errors(tree):
    for name, function, line in raised(tree):
        foreign = name in BUILTINS - ALLOWED or name == "LinAlgError"
        if foreign and PROTOCOL.get(function) != name:
            yield name, line


def test_the_walk_finds_plain_errors():
    text = (
        "def f():\n    raise ValueError('x')\ndef __getattr__(n):\n    raise AttributeError\nraise KeyError"
    )
    assert list(plain_errors(ast.parse(text))) == [("ValueError", 2), ("KeyError", 5)]
    text = "raise TypeError('x')\nraise np.linalg.LinAlgError"
    assert list(plain_errors(ast.parse(text))) == [("LinAlgError", 2)]


def test_errors_on_purpose_are_those_of_geoctrl():
    assert not [
        f"{path.relative_to(PACKAGE)}:{line} raises {name}"
        for path in FILES
        for name, line in plain_errors(tree(path))
    ]


EXCEPTIONS = [v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, errors.GeoctrlError)]


@pytest.mark.parametrize("error", EXCEPTIONS, ids=lambda e: e.__name__)
def test_each_error_refines_a_builtin_is_public_and_shows_its_words(error):
    assert getattr(geoctrl, error.__name__) is error
    if error is not errors.GeoctrlError:
        assert issubclass(
            error, tuple(getattr(builtins, name) for name in BUILTINS - {"Exception", "BaseException"})
        )
    assert str(error("no state 'x'")) == "no state 'x'"  # a KeyError would put it in quotes
    assert str(pickle.loads(pickle.dumps(error("words")))) == "words"


# The one cause that is shown: what a user's own function raised.
SHOWN = {("manifolds/energies/potentials.py", "form")}


def chained(nodes):
    """(cause, line) of exceptions that are raised from another, which a user would be shown first."""
    for node in nodes:
        if isinstance(node, ast.Raise) and isinstance(node.cause, ast.Name):
            yield node.cause.id, node.lineno


def test_the_walk_finds_chained_errors():
    text = (
        "try:\n    f()\nexcept KeyError as e:\n    raise InputError('x') from e\nraise A from None\nraise B"
    )
    assert list(chained(ast.walk(ast.parse(text)))) == [("e", 4)]


def test_no_internal_error_is_shown_before_the_words():
    """Inside the checker and the decisions of the search, whose refusals never leave them, causes stay."""
    assert not [
        f"{path.relative_to(PACKAGE)}:{line} raises from {cause}"
        for path in FILES
        if not {"checker", "decisions"} & {*path.parts}
        for cause, line in chained(nodes(path))
        if (str(path.relative_to(PACKAGE)), cause) not in SHOWN
    ]


def test_what_was_being_handled_is_not_shown():
    with pytest.raises(errors.LabelError) as refusal:
        try:
            {}["x"]
        except KeyError:
            raise errors.LabelError("no state 'x'")  # noqa: B904
    assert refusal.value.__context__ is not None
    assert refusal.value.__suppress_context__
