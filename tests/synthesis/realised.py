"""Whether inputs make the loop that a controlled Lagrangian says, at random states."""

import geoctrl as gc


def with_values(shaping, **values):
    """The Lagrangian with every gain a parameter, the given values its default."""
    gains = tuple(gc.Parameter(name, value) for name, value in values.items())
    return shaping.controlled({g.name: g.symbol for g in shaping.gains}, gains)


def defect(controlled, rng, count=10, params=None):
    """Largest difference of the rates, plant with law against controlled Lagrangian, by their size."""
    loop, plant = controlled.system, controlled.plant.mechanism
    open_ = plant.replace(
        quasicoordinates=controlled.quasicoordinates, parameters=controlled.parameters, equilibria={}
    ).reduce()
    law = loop.program(controlled.inputs)
    worst = 0.0
    for _ in range(count):
        x = loop.random_state(rng)
        u = law(loop.arguments_at(0, x, params), loop.parameters(params))
        rates = loop.rhs(0, x, params=params)
        worst = max(worst, abs(open_.rhs(0, x, u, params=params) - rates).max() / abs(rates).max())
    return worst
