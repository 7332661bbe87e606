"""Members of an ensemble: starts, parameters and inputs as arrays, read once and cut into parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from geoctrl._checks import named_parameters, nearest, parameter_value, real_array, shape_of
from geoctrl._scalars import shown
from geoctrl.errors import InputError, ParameterError
from geoctrl.simulation.members.draws import BLOCK, Draws
from geoctrl.systems import System

__all__ = ["EnsembleMembers", "MembersPart", "read_members"]


@dataclass(frozen=True)
class MembersPart:
    """Members from one on, with their numbers.

    Attributes
    ----------
    starts : ndarray (k, n)
    params : dict of name -> float or ndarray (k,)
        All parameters.
    inputs : dict of label -> ndarray (k,)
        Of inputs that differ from member to member.
    """

    starts: np.ndarray
    params: dict[str, Any]
    inputs: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.starts)

    def params_of(self, i: int) -> dict[str, float]:
        """Parameters of one member by name."""
        return {k: float(v[i]) if np.ndim(v) else v for k, v in self.params.items()}

    def inputs_of(self, i: int) -> dict[str, float]:
        """The inputs of one member that are its own."""
        return {label: float(values[i]) for label, values in self.inputs.items()}

    def subset(self, places: np.ndarray) -> MembersPart:
        """Some of the members."""
        params = {k: v[places] if np.ndim(v) else v for k, v in self.params.items()}
        return MembersPart(self.starts[places], params, {u: v[places] for u, v in self.inputs.items()})


@dataclass(frozen=True)
class EnsembleMembers:
    """Members of an ensemble as they were given.

    Attributes
    ----------
    count : int
    starts : ndarray (count, n) or (1, n), or Draws
    params : dict of name -> float or ndarray (count,), or Draws
        Those that were given.
    defaults : dict of name -> float
        The others.
    inputs : dict of label -> ndarray (count,)
    """

    count: int
    starts: np.ndarray | Draws
    params: dict[str, Any] | Draws
    defaults: dict[str, Any]
    inputs: dict[str, np.ndarray]

    labels: tuple[str, ...]
    first: int = 0
    """Place of the first of them in the ensemble, on which draws depend."""

    def part(self, first: int, last: int) -> MembersPart:
        """Members from ``first`` up to ``last`` of these."""
        place, at = slice(first, last), (self.first + first, self.first + last)
        if isinstance(self.starts, Draws):
            starts = _drawn_starts(self.starts, *at, len(self.labels))
        elif len(self.starts) == 1:
            starts = np.repeat(self.starts, last - first, axis=0)
        else:
            starts = self.starts[place]
        params = self.params
        if isinstance(params, Draws):
            cut: dict[str, Any] = _drawn_params(params, *at, self.defaults)
        else:
            cut = {k: v[place] if np.ndim(v) else v for k, v in params.items()}
        inputs = {label: values[place] for label, values in self.inputs.items()}
        return MembersPart(np.ascontiguousarray(starts), {**self.defaults, **cut}, inputs)

    @property
    def common_params(self) -> dict[str, Any]:
        """Parameters that all members have."""
        given = {} if isinstance(self.params, Draws) else self.params
        return {k: v for k, v in {**self.defaults, **given}.items() if not np.ndim(v)}

    def arrays_and_rest(self) -> tuple[dict[str, np.ndarray], EnsembleMembers]:
        """Arrays with a row a member, and all else, which parts share."""
        arrays: dict[str, np.ndarray] = {f"input {label}": v for label, v in self.inputs.items()}
        starts, params = self.starts, self.params
        if isinstance(starts, np.ndarray) and len(starts) > 1:
            arrays["x0s"], starts = starts, starts[:1]
        if isinstance(params, dict):
            arrays |= {f"parameter {k}": v for k, v in params.items() if np.ndim(v)}
            params = {k: v for k, v in params.items() if not np.ndim(v)}
        inputs = {label: values[:1] for label, values in self.inputs.items()}
        return arrays, replace(self, starts=starts, params=params, inputs=inputs)

    def of_part(self, first: int, count: int, arrays: Mapping[str, np.ndarray]) -> EnsembleMembers:
        """The members of a part, of what is `arrays_and_rest` and their rows of the arrays."""
        own = {k.partition(" ")[2]: v for k, v in arrays.items() if k.startswith("parameter ")}
        params = {**self.params, **own} if isinstance(self.params, dict) else self.params
        inputs = {label: arrays[f"input {label}"] for label in self.inputs}
        starts = arrays.get("x0s", self.starts)
        return replace(
            self, count=count, starts=starts, params=params, inputs=inputs, first=self.first + first
        )


def _blocks(first: int, last: int) -> list[tuple[int, slice]]:
    """Blocks of draws with the members of them that lie in a part."""
    numbers = range(first // BLOCK, (last - 1) // BLOCK + 1)
    return [(b, slice(max(first - b * BLOCK, 0), min(last - b * BLOCK, BLOCK))) for b in numbers]


def _drawn_starts(draws: Draws, first: int, last: int, n: int) -> np.ndarray:
    """States (k, n) that are drawn."""
    found = []
    for number, inside in _blocks(first, last):
        states = real_array("what Draws made for x0s", draws.block(number, 0))
        if states.shape != (BLOCK, n):
            raise InputError(f"Draws for x0s must make states of shape (k, {n}), got {states.shape}")
        found.append(states[inside])
    return np.concatenate(found)


def _drawn_params(draws: Draws, first: int, last: int, known: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Parameters that are drawn, (k,) each."""
    found: dict[str, list[np.ndarray]] = {}
    for number, inside in _blocks(first, last):
        given = named_parameters(draws.block(number, 1))
        for name, values in given.items():
            _require_known(name, known)
            array = real_array(f"what Draws made for parameter {name!r}", values)
            if array.shape != (BLOCK,):
                raise InputError(f"Draws for params must make arrays (k,), got {array.shape} for {name!r}")
            found.setdefault(name, []).append(array[inside])
    return {name: np.concatenate(parts) for name, parts in found.items()}


def _require_known(name: str, known: Mapping[str, Any]) -> None:
    if name not in known:
        raise ParameterError(f"unknown parameter {name!r}{nearest(name, known)}")


# -- reading ------------------------------------------------------------------------------------------


def read_members(system: System, x0s: Any, params: Any, inputs: Any) -> tuple[EnsembleMembers, Any]:
    """Members, and the inputs that all of them have: names, shapes and types are checked, values are not."""
    counts: dict[str, int] = {}
    starts = _read_starts(system, x0s, counts)
    given, defaults = _read_params(system, params, counts)
    own, common = _read_inputs(system, inputs, counts)
    several = {what: k for what, k in counts.items() if k != 1}
    if len(set(several.values())) > 1:
        told = ", ".join(f"{what} {k}" for what, k in several.items())
        raise InputError(f"the numbers of members must agree, or be one; got {told}")
    count = next(iter(several.values()), 1)
    if isinstance(given, dict):
        given = {k: v[0] if np.ndim(v) and len(v) < count else v for k, v in given.items()}
    own = {label: np.broadcast_to(values, (count,)) for label, values in own.items()}
    return EnsembleMembers(count, starts, given, defaults, own, tuple(system.state_labels)), common


def _read_starts(system: System, x0s: Any, counts: dict[str, int]) -> np.ndarray | Draws:
    """States (N, n), or (1, n) where all members start alike."""
    if isinstance(x0s, Draws):
        counts["x0s"] = x0s.N
        return x0s
    n = system.nstates
    x0s = getattr(x0s, "x", x0s)
    shape = shape_of(x0s)
    if shape is None or len(shape) not in (1, 2):
        return system.start(x0s)[None, :]  # a pair (q, omega), as `simulate` takes it
    array = real_array("x0s", x0s)
    if array.shape[-1] != n or not array.size:
        raise InputError(
            f"x0s must have shape (N, {n}) for the states {', '.join(system.state_labels)}, or ({n},) for "
            f"one start of all; got {array.shape}"
        )
    counts["x0s"] = len(np.atleast_2d(array))
    return np.array(np.atleast_2d(array))


def _read_params(
    system: System, params: Any, counts: dict[str, int]
) -> tuple[dict[str, Any] | Draws, dict[str, Any]]:
    """Parameters that were given, and the defaults."""
    defaults = dict(system.params)
    if isinstance(params, Draws):
        counts["params"] = params.N
        return params, defaults
    found: dict[str, Any] = {}
    for name, value in named_parameters(params).items():
        _require_known(name, defaults)
        if shape_of(value) == ():
            found[name] = float(parameter_value(f"parameter {name!r}", value))
            continue
        array = real_array(f"parameter {name!r}", value)
        if array.ndim != 1 or not array.size:
            raise InputError(
                f"parameter {name!r} must be a number or have shape (N,), one for each member; got "
                f"{array.shape}"
            )
        counts[f"parameter {name!r}"] = array.size
        found[name] = array.copy()
    for name, default in defaults.items():
        if default is None and name not in found:
            raise ParameterError(
                f"parameter {name!r} has no value; give it in params={{{name!r}: ...}}, a number or an array"
            )
    if not any(map(np.ndim, found.values())):
        system.parameters_at(found)  # what is wrong for all members is an error
    return found, defaults


def _read_inputs(system: System, inputs: Any, counts: dict[str, int]) -> tuple[dict[str, np.ndarray], Any]:
    """Inputs that differ from member to member, and the others as `simulate` takes them."""
    if not isinstance(inputs, Mapping):
        return {}, inputs
    own, common = {}, {}
    for key, value in inputs.items():
        label = str(key)
        if shape_of(value) in ((), None) or not isinstance(value, list | tuple | np.ndarray):
            common[label] = value
            continue
        if label not in system.input_labels:
            raise InputError(f"unknown input {label!r}{nearest(label, system.input_labels)}")
        array = real_array(f"input {label!r}", value)
        if array.ndim != 1 or not array.size:
            raise InputError(
                f"input {label!r} must be a number, an expression or an array (N,), one number for each "
                f"member; got {shown(array.shape)}"
            )
        counts[f"input {label!r}"] = array.size
        own[label] = array.copy()
    return own, common
