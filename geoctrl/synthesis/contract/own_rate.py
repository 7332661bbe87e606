"""Laws that are made for one rate, with what waits or counts from sample to sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geoctrl._checks import quantity
from geoctrl._scalars import shown
from geoctrl.errors import InputError
from geoctrl.sampling import Controls, SampledController
from geoctrl.systems import ReducedSystem

__all__ = ["OwnRate"]


class OwnRate(Controls):
    """A law for a controller of one rate and one delay.

    Attributes
    ----------
    rate, delay : float
        Hz, s.
    """

    rate: float
    delay: float
    plant: ReducedSystem

    @property
    def units(self) -> Mapping[str, str]:
        """Units by label of states and inputs, as far as the plant tells them."""
        return self.plant.told_units

    def sampled(  # type: ignore[override]
        self, rate: float | None = None, delay: float | None = None, *args: Any, **options: Any
    ) -> SampledController:
        """The law as a computer runs it, at its own rate and delay; see `Controls.sampled`.

        Raises
        ------
        InputError
            For another rate or delay than it was designed for; else as `Controls.sampled`.
        """
        for name, given, own in (("rate", rate, self.rate), ("delay", delay, self.delay)):
            if given is not None and quantity(name, given) != own:
                raise InputError(
                    f"the law was designed for {name}={own:g}, got {name}={shown(given)}: design one for that"
                )
        return super().sampled(self.rate, self.delay, *args, **options)

    def closed_loop(self, *_: Any) -> ReducedSystem:
        """Refused: what such a controller keeps from sample to sample is no state in continuous time.

        Raises
        ------
        InputError
            With what to do instead.
        """
        raise InputError(
            "the loop of this law is one of samples: certify(plant, eq, controller=law.sampled()) "
            "proves it, simulate(plant, ..., controller=law.sampled()) runs it"
        )
