"""Principal moments that violate the triangle inequality are warned of, and nothing that is right is."""

import warnings

import numpy as np
import pytest
import sympy as sp

import geoctrl as gc
from tests.systems.test_conformance import OPTIONS


def body(moments, **changes):
    return gc.EulerPoincare(**{"algebra": gc.so3(), "inertia": sp.diag(*moments), "name": "stone", **changes})


@pytest.mark.parametrize(
    "make", [lambda: body((10, 1, 1)), lambda: body((1, 1, 1)).replace(inertia=sp.diag(1, 1, 10))]
)
def test_moments_of_no_body_are_told_at_the_users_line(make):
    with pytest.warns(gc.InertiaWarning, match=r"^stone: no body has .* 1, 1, 10: the largest") as told:
        make()
    assert [w.filename for w in told] == [__file__]


def test_principal_moments_count_and_not_the_diagonal():
    """A turned body: the diagonal keeps the inequality, the principal moments do not."""
    axis = np.array([1.0, 2.0, 2.0]) / 3
    inertia = 2.0 * np.eye(3) + 3.0 * np.outer(axis, axis)  # moments 2, 2, 5
    diagonal = np.sort(np.diag(inertia))
    assert diagonal[2] < diagonal[0] + diagonal[1]
    with pytest.warns(gc.InertiaWarning, match="2, 2, 5"):
        gc.EulerPoincare(algebra=gc.so3(), inertia=inertia)


def test_defaults_are_judged():
    I3 = gc.Parameter("I3", 3.5, positive=True)
    with pytest.warns(gc.InertiaWarning, match="1, 2, 3.5"):
        body((1, 2, I3.symbol), parameters=[I3])
    silent(lambda: body((1, 2, I3.symbol), parameters=[gc.Parameter("I3", positive=True)]))


def silent(make):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return make()


def test_flat_bodies_and_what_is_no_single_body_are_silent():
    silent(lambda: body((1, 2, 3)))
    silent(lambda: body((0.1, 0.2, 0.1 + 0.2)))  # a plate, up to rounding
    silent(lambda: body((10, 1, 1), indefinite=True))
    silent(lambda: body((10, 1, 1), rotors=gc.Rotors([1, 0, 0], 1)))
    silent(lambda: body((10, 1, 1), constraints=[[0, 0, 1]]))
    silent(lambda: body((10, 1, 1), gyroscopic=[0, 0, 1]))
    silent(lambda: gc.EulerPoincare(algebra=gc.se3(), inertia=sp.diag(10, 1, 1, 2, 2, 2)))
    silent(lambda: gc.EulerPoincare(algebra=gc.rn(3), inertia=sp.diag(10, 1, 1)))


@pytest.mark.parametrize("name", gc.models.names("reduced"))
def test_no_mechanism_of_the_catalogue_is_warned_of(name):
    for options in OPTIONS.get(name, [{}]):
        mechanism = silent(lambda o=options: gc.models.get(name)(**o))
        for chosen in mechanism.parameter_sets:
            silent(lambda m=mechanism, c=chosen: m.with_parameter_set(c))
