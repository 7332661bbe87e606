"""What a command's MODEL names: a mechanism of the catalogue, of a file, or the loop of a law in a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from geoctrl.cli.reading.law_file import SavedLaw, SavedPeriodicLaw, is_law_file, read_law
from geoctrl.cli.reading.mechanism_files import (
    is_model_file,
    is_program,
    mechanism_in_file,
    mechanism_of_model_file,
)
from geoctrl.cli.reading.usage import UsageError

__all__ = ["MODEL_WORDS", "GivenModel", "given_model", "mechanism_by_name"]

MODEL_WORDS = (
    "a name of the catalogue (geoctrl models); FILE.py or FILE.py:NAME, a program with a mechanism, which is "
    "run; a model file, MJCF or URDF"
)


@dataclass
class GivenModel:
    """What is asked about.

    Attributes
    ----------
    name : str
        As it was given.
    given : EulerPoincare or System
        Of a law, what it holds.
    saved : SavedLaw, SavedPeriodicLaw or None
    """

    name: str
    given: Any
    saved: SavedLaw | SavedPeriodicLaw | None = None

    @cached_property
    def system(self) -> Any:
        """The system, without the law."""
        return self.given.reduce() if self.is_description else self.given

    @cached_property
    def hybrid(self) -> Any:
        """The system with jumps, None where there are none."""
        from geoctrl.systems import HybridSystem

        if isinstance(self.given, HybridSystem):
            return self.given
        return self.given.hybrid() if self.is_description and self.given.jumps else None

    @property
    def modes(self) -> Mapping[str, Any]:
        """Systems by the names of their modes; the system alone where nothing jumps."""
        return {"": self.system} if self.hybrid is None else self.hybrid.modes

    @property
    def is_description(self) -> bool:
        """Whether a description is given, to be reduced; else it is a system."""
        from geoctrl.systems import EulerPoincare, VectorField

        return isinstance(self.given, EulerPoincare | VectorField)

    @property
    def mechanism(self) -> Any:
        """The description, of a system that it was reduced to as well; None of one that has none."""
        if self.is_description:
            return self.given
        return self.given.mechanism if self.given.recorded else None

    @property
    def of_the_catalogue(self) -> bool:
        """Whether it goes by a name of the catalogue."""
        return not (is_program(self.name) or is_model_file(self.name) or is_law_file(self.name))


def given_model(args: argparse.Namespace) -> GivenModel:
    """The model of a command."""
    if is_law_file(args.model):
        if args.params:
            raise UsageError("--params belongs to the mechanism; the law of a file is of one set already")
        saved = read_law(args.model)
        return GivenModel(args.model, mechanism_by_name(args.command, saved.model, saved.params), saved)
    return GivenModel(args.model, mechanism_by_name(args.command, args.model, args.params))


def mechanism_by_name(command: str, name: str, params: str | None) -> Any:
    """A description or system by name, with the numbers of one of its sets."""
    if is_program(name):
        found = mechanism_in_file(name)
    elif is_model_file(name):
        found = mechanism_of_model_file(
            name, lambda words: print(f"geoctrl {command}: {words}", file=sys.stderr)
        )
    else:
        return _of_the_catalogue(name)(set=params)
    if params is None:
        return found
    if not hasattr(found, "with_parameter_set"):
        raise UsageError(f"{name} is reduced already: --params needs its description")
    return found.with_parameter_set(params)


def _of_the_catalogue(name: str) -> Any:
    import geoctrl
    from geoctrl._checks import nearest

    try:
        return geoctrl.models.get(name)
    except geoctrl.ParameterError:
        known = geoctrl.models.names()
        if name in known:
            raise
        near = nearest(name, known)
        if not near.startswith("; did you mean"):
            near = "; geoctrl models lists them, and a mechanism of your own is FILE.py"
        raise UsageError(f"no mechanism {name!r} in the catalogue{near}") from None
