"""Matching for actuated directions: the laws that a class of controlled Lagrangians gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import sympy as sp

from geoctrl._calls.budget import BUDGET
from geoctrl._calls.long_calls import long_call
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import expression, plain
from geoctrl.errors import MatchingError
from geoctrl.synthesis.contract.matched import Matched
from geoctrl.synthesis.gains.shaped_design import ShapedDesign
from geoctrl.synthesis.shaped_laws.shaped_law import ShapedLaw
from geoctrl.synthesis.shaping.controlled_lagrangian import Controlled, Further
from geoctrl.synthesis.shaping.gain_matrices import by_entry
from geoctrl.synthesis.shaping.matching_class import Shaping, as_dict, require_class
from geoctrl.synthesis.shaping.plant import Plant
from geoctrl.systems import EulerPoincare, Parameter, as_mechanism

__all__ = ["ShapedMatching"]


class ShapedMatching(Matched):
    """Controlled Lagrangians of a mechanism with actuated directions; made by `match`.

    Attributes
    ----------
    mechanism : EulerPoincare
    shaping : Shaping
        The class that solves the matching conditions.
    refused : dict of class -> reason
        Classes that were tried before, and what keeps the mechanism out of them.

    Raises
    ------
    TypeError
        If it is not made of a mechanism and a class that it is in.
    """

    def __init__(
        self, mechanism: EulerPoincare, shaping: Shaping, refused: Mapping[str, str] | None = None
    ) -> None:
        require_class(shaping, "matching")
        as_mechanism(mechanism, "matching")
        self.mechanism, self.shaping, self.refused = mechanism, shaping, as_dict(refused or {}, "refused")

    @property
    def plant(self) -> Plant:
        """The mechanism with rotors as velocities, and the directions of its inputs."""
        return self.shaping.plant

    @property
    def notes(self) -> tuple[str, ...]:
        """What the class says of its solution besides: functions without closed form, say."""
        return self.shaping.notes

    @property
    def gains(self) -> dict[str, sp.Symbol]:
        """Symbols of the free gains by name."""
        return {g.name: g.symbol for g in self.shaping.gains}

    @cached_property
    def controlled(self) -> Controlled:
        """The controlled Lagrangian with every gain a symbol, proved to be matched.

        Raises
        ------
        MatchingError
            If the conditions leave a remainder.
        """
        return self.shaping.proved(*self._read(self.gains))

    @property
    def positions(self) -> dict[str, sp.Expr]:
        """What the laws hold, by the name that stands for it in a potential; empty where they hold none."""
        symbols = self.controlled.position_symbols
        return {z.name: e for z, e in zip(symbols, self.controlled.positions, strict=True)}

    def law(self, potential: Any = 0, inertia: Any = None, **gains: Any) -> ShapedLaw:
        r"""Feedback law for gains.

        Parameters
        ----------
        potential : expression, optional
            F(z), added to K z^2/2: any function of the `positions`, in real symbols of their names and in
            parameters of the plant, with its slope zero at home. Also a function of advected parameters and
            coordinates, if the unactuated motion (the fields w) leaves it alone.
        inertia : expression, or symmetric matrix of them, optional
            N(z): :math:`\tfrac12 \dot z^T N(z)\, \dot z` is added to the controlled Lagrangian, N a function
            as the potential is. In the notation of Bloch, Leonard and Marsden the inertia rho of a law then
            varies with the position.
        **gains : numbers or symbols
            All of `gains`. A number is the default of a parameter of the loop; a symbol stays one without a
            value, under its own name. Of a matching made with ``gains="matrices"`` or ``"diagonal"`` also
            symmetric matrices ``Lambda``, ``rho``, ``K`` in place of their entries.

        Returns
        -------
        ShapedLaw

        Raises
        ------
        MatchingError
            If a gain is missing, unknown, not finite, or one at which there is no controlled Lagrangian;
            if a matrix has the wrong shape, is not symmetric, or is given with one of its entries; if the
            potential or the inertia is no such function.

        Examples
        --------
        >>> import geoctrl as gc, sympy as sp
        >>> matching = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
        >>> z = sp.Symbol("z", real=True)
        >>> law = matching.law(kappa=20, rho=-0.02, K=-0.6, potential=-(z**4) / 4)
        >>> gc.certify(law.loop, law.loop.equilibrium("upright")).verdict
        <Verdict.PROVED_STABLE: 'PROVED_STABLE'>
        """
        further = Further.of(potential, inertia)
        return ShapedLaw(self.shaping, self.mechanism, *self._read(gains), further=further)

    def _read(self, gains: Mapping[str, Any]) -> tuple[dict[str, sp.Expr], tuple[Parameter, ...]]:
        """Symbols of the gains by name, and the parameters that they are."""
        known, gains = {g.name: g for g in self.shaping.gains}, by_entry(self.shaping, gains)
        missing = [name for name in known if name not in gains]
        if missing:
            raise MatchingError(
                f"a law needs a value, or a symbol, for {', '.join(missing)}; "
                "design(family).recommend() finds numbers"
            )
        parameters = []
        for name, gain in known.items():
            value = expression(gains[name], f"the gain {name}", MatchingError)
            if value.is_Symbol:
                parameter = Parameter(value.name, None, gain.unit, gain.description)
            elif value.free_symbols:
                raise MatchingError(f"the gain {name} must be a number or a plain symbol, got {value}")
            elif not (value.is_finite and value.is_real):
                raise MatchingError(f"the gain {name} must be finite and real, got {value}")
            else:
                number = plain(value, f"the gain {name}", MatchingError)
                parameter = Parameter(name, number, gain.unit, gain.description)
            if parameter.name in self.plant.mechanism.taken:
                raise MatchingError(
                    f"the gain's name {parameter.name!r} is taken in the mechanism; rename the symbol"
                )
            parameters.append(parameter)
        return dict(zip(known, (p.symbol for p in parameters), strict=True)), tuple(parameters)

    @long_call
    def design(
        self,
        eq: Any,
        budget: float = BUDGET,
        potential: Any = 0,
        inertia: Any = None,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> ShapedDesign:
        """Gains for which an equilibrium of the closed loop is stable.

        Parameters
        ----------
        eq : name of a declared family, Equilibrium, or state of the closed loop
            For a family the set is derived in symbols.
        budget : float
            Seconds for each search in symbols.
        potential, inertia : optional
            As in `law`.
        progress, seconds
            As of `certify`, of deriving the loop.

        Raises
        ------
        ParameterError
            If the closed loop has no such family.
        MatchingError
            If the potential or the inertia is no function of the positions.
        """
        make = partial(self.law, potential, inertia)
        return ShapedDesign(make, self.shaping, eq, budget, tuple(self.refused.values()))

    def _lines(self) -> list[str]:
        title = f"<ShapedMatching of {self.mechanism.name or 'a mechanism'}: {self.shaping.title}>"
        return [title, *(f"  {g.name}: {g.description}" for g in self.shaping.gains)]

    full = full_text
    __repr__ = short_form
