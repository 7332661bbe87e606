"""Verdicts at the members of a family, and on both sides of a threshold."""

import geoctrl as gc


def verdict(system, family, params=None, **values):
    """Name of the verdict at one member of a family."""
    return gc.certify(system, system.equilibrium(family, params=params, **values)).verdict.name


def assert_flips(system, family, symbol, critical, below, above, params=None, relative=1e-6, **values):
    """One verdict just below the critical value of ``symbol`` (in size) and another just above.

    ``symbol`` is a symbol of the family or a parameter.
    """
    for factor, expected in ((1 - relative, below), (1 + relative, above)):
        changed = {symbol: float(critical * factor)}
        if symbol in system.params:
            seen = verdict(system, family, params={**(params or {}), **changed}, **values)
        else:
            seen = verdict(system, family, params=params, **values, **changed)
        assert seen == expected, f"{symbol} = {changed[symbol]:.9g}: {seen}, expected {expected}"
