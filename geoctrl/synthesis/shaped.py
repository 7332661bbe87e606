"""Matching for actuated directions: the laws that a class of controlled Lagrangians gives."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from geoctrl._checks import flag, named_parameters, nearest, number_array, user_level
from geoctrl._scalars import Node, expression, plain
from geoctrl._scalars.budget import BUDGET
from geoctrl.errors import InputError, LawWarning, MatchingError, ParameterError
from geoctrl.synthesis.controlled import Controlled
from geoctrl.synthesis.formula import law_latex, with_numbers
from geoctrl.synthesis.gains import read_damping
from geoctrl.synthesis.plant import Plant
from geoctrl.synthesis.shaping import Shaping
from geoctrl.systems import EulerPoincare, Family, Parameter, ReducedSystem
from geoctrl.systems.equations import collected
from geoctrl.systems.notebook import displayed

__all__ = ["ShapedLaw", "ShapedMatching"]


class ShapedMatching:
    """Controlled Lagrangians of a mechanism with actuated directions; made by `match`.

    Attributes
    ----------
    mechanism : EulerPoincare
    shaping : Shaping
        The class that solves the matching conditions.
    """

    def __init__(self, mechanism: EulerPoincare, shaping: Shaping) -> None:
        self.mechanism, self.shaping = mechanism, shaping

    @property
    def plant(self) -> Plant:
        """The mechanism with rotors as velocities, and the directions of its inputs."""
        return self.shaping.plant

    @property
    def gains(self) -> dict[str, sp.Symbol]:
        """Symbols of the free gains by name."""
        return {g.name: g.symbol for g in self.shaping.gains}

    def law(self, **gains: Any) -> ShapedLaw:
        """Feedback law for gains.

        Parameters
        ----------
        **gains : numbers or symbols
            All of `gains`. A symbol stays a parameter of the loop, under its own name.

        Raises
        ------
        MatchingError
            If a gain is missing, unknown, not finite, or one at which there is no controlled Lagrangian.
        """
        return ShapedLaw(self, gains)

    @cached_property
    def symbolic(self) -> ShapedLaw:
        """The law with every gain a symbol."""
        return self.law(**self.gains)

    @property
    def controlled(self) -> Controlled:
        """The controlled Lagrangian with every gain a symbol, proved to be matched."""
        return self.symbolic.controlled

    def __repr__(self) -> str:
        gains = "\n".join(f"  {g.name}: {g.description}" for g in self.shaping.gains)
        return f"<ShapedMatching of {self.mechanism.name or 'a mechanism'}: {self.shaping.title}>\n{gains}"


class ShapedLaw:
    r"""Inputs that realise a controlled Lagrangian, made by ``ShapedMatching.law``.

    .. math:: B u = G\,\dot v_c + h(v), \qquad \dot v_c = -G_c^{-1}(h_c + F)

    a function of the state: the accelerations are those of the loop without friction.

    Attributes
    ----------
    matching : ShapedMatching
    gain_parameters : tuple of Parameter
        The gains as parameters of the loop.
    controlled : Controlled
    damping : sympy matrix, m x m, or None
        K of the added :math:`-K y`; see `with_damping`.
    """

    def __init__(
        self, matching: ShapedMatching, gains: Mapping[str, Any], damping: Any = None, sign: int | None = None
    ) -> None:
        self.matching, self.mechanism = matching, matching.mechanism
        self._given = dict(gains)
        values, self.gain_parameters = _read(matching, gains)
        self.controlled = matching.shaping.controlled(values, self.gain_parameters)
        self.sign, self.damping = sign, None
