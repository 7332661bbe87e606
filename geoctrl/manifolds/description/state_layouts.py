"""How the states of a system are given and read: as two arrays of bodies that are alike, or by names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from geoctrl._checks import entries, finite_array, nearest, real_array, shape_of
from geoctrl.errors import DescriptionError, InputError
from geoctrl.manifolds.factors import Factor, bodies_alike
from geoctrl.manifolds.product.product import Product
from geoctrl.manifolds.vectors.entries import needs_repair

__all__ = ["Alike", "Face", "Named"]

State = tuple[np.ndarray, np.ndarray]


class Face(ABC):
    """The form in which states are given.

    Attributes
    ----------
    form : str
        In words.
    shape : tuple of int
        Shape in which the configuration is given, and functions are given it.
    pair : tuple of str
        What the two parts of a state go by.
    names : list of pairs of str
        Names of the two parts of each body, as relations are told.
    """

    form: str
    shape: tuple[int, ...]
    pair: tuple[str, str]

    @property
    @abstractmethod
    def names(self) -> list[tuple[str, str]]:
        """Names of the two parts of each body."""

    @abstractmethod
    def is_start(self, given: Any) -> bool:
        """Whether something is a start in this form, and no state."""

    @abstractmethod
    def pack(self, *parts: Any) -> np.ndarray:
        """States (size,) or (size, nt) of their parts; InputError for a wrong shape."""

    @abstractmethod
    def unpack(self, z: np.ndarray, w: np.ndarray) -> Any:
        """The parts of nt states, z (nt, N, 3) and w (nt, n, 3), or of one without nt in front."""

    @abstractmethod
    def read(self, start: Any, second: str) -> State:
        """z (N, 3) and w (n, 3) of a start, on the manifold to rounding; InputError for a wrong shape.

        The second part goes by the name ``second`` in messages.

        Warns
        -----
        ProjectionWarning
            If a defect above 1e-12 was repaired.
        """

    @abstractmethod
    def by_name(self, parts: Any) -> dict[str, np.ndarray]:
        """What `unpack` gives of one state, by name."""


class Alike(Face):
    """Two arrays with a row for each body, of bodies that are all alike.

    Parameters
    ----------
    kind : type of the bodies
        Its letters are what the two arrays go by.
    repair, remedy : str
        What is done about small defects, and what to do about large ones; ``{0}`` is the name of the second
        part.
    """

    def __init__(self, kind: type[Factor], n: int, repair: str, remedy: str) -> None:
        self.product, self.pair, self.words = Product(bodies_alike(kind, n)), kind.letters, (repair, remedy)
        self.form = f"({self.pair[0]}, {self.pair[1]})"
        self.shape = (n, *kind.shape)

    @property
    def names(self) -> list[tuple[str, str]]:
        """Those of the pair, numbered where there are more bodies than one."""
        n = self.product.bodies
        numbers = [""] if n == 1 else [str(i + 1) for i in range(n)]
        return [(self.pair[0] + i, self.pair[1] + i) for i in numbers]

    def is_start(self, given: Any) -> bool:
        """Whether something is a pair."""
        return isinstance(given, tuple) and len(given) == 2

    def pack(self, *parts: Any) -> np.ndarray:
        """States of both: (n, ...), (n, 3) -> (size,), and with nt in front of both -> (size, nt)."""
        if len(parts) != 2:
            raise TypeError(f"pack takes two arrays, {self.form}; got {len(parts)}")
        first, second = map(real_array, self.pair, parts)
        outer, n = second.shape[:-2], self.product.bodies
        if len(outer) > 1 or second.shape[-2:] != (n, 3) or first.shape != (*outer, *self.shape):
            raise InputError(
                f"{self.pair[0]} and {self.pair[1]} must have shapes {self.shape} and {(n, 3)}, or both with "
                f"the number of samples in front; got {first.shape} and {second.shape}"
            )
        return self.product.state(first, second).T.copy()

    def unpack(self, z: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both arrays."""
        return z.reshape(*z.shape[:-2], *self.shape), w

    def read(self, start: Any, second: str) -> State:
        """Both of a pair, of one body without the leading axis too."""
        (first, other), names, entry = start, (self.pair[0], second or self.pair[1]), self.shape[1:]
        if self.shape[0] == 1:
            first = [first] if len(shape_of(first) or ()) == len(entry) else first
            other = [other] if len(shape_of(other) or ()) == 1 else other
        f, n = self.product.factors[0], self.shape[0]
        z = finite_array(f"{names[0]}0", first, self.shape).reshape(n, f.rows, 3)
        w = finite_array(f"{names[1]}0", other, (n, 3))
        z, w = _repaired_state(f, z, w, names, *(text.format(names[1]) for text in self.words))
        return np.ascontiguousarray(z.reshape(-1, 3)), np.ascontiguousarray(w)

    def by_name(self, parts: Any) -> dict[str, np.ndarray]:
        """Both by the names of the pair."""
        return dict(zip(self.pair, parts, strict=True))


class Named(Face):
    """``{name: (configuration, velocity)}`` of the factors of a product."""

    form = "{name: (configuration, velocity)}"
    pair = ("z", "velocity")

    def __init__(self, product: Product) -> None:
        self.product, self.shape = product, (product.rows, 3)

    @property
    def names(self) -> list[tuple[str, str]]:
        """Those of the factors."""
        return [(f.name, f.velocity_name) for f in self.product.factors]

    def is_start(self, given: Any) -> bool:
        """Whether something is a dict."""
        return isinstance(given, Mapping)

    def pack(self, *parts: Any) -> np.ndarray:
        """States of ``{name: (configuration, velocity)}``: (size,), or (size, nt) of nt samples of each."""
        if len(parts) != 1:
            raise TypeError(f"pack takes one dict, {self.form}; got {len(parts)} arguments")
        (start,) = parts
        pairs = self._pairs(start)
        samples = {(shape_of(w) or ())[:-1] for _, w in pairs}
        outer = samples.pop() if len(samples) == 1 else ()
        z, w = [], []
        for f, (first, second) in zip(self.product.factors, pairs, strict=True):
            z.append(finite_array(f.name, first, (*outer, *f.shape)).reshape(*outer, -1))
            w.append(finite_array(f.velocity_name, second, (*outer, 3)))
        return np.concatenate([*z, *w], axis=-1).T.copy()

    def unpack(self, z: np.ndarray, w: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Configurations and velocities."""
        found = {}
        for b, (f, row) in enumerate(zip(self.product.factors, self.product.first, strict=True)):
            rows = z[..., int(row) : int(row) + f.rows, :]
            found[f.name] = rows.reshape(*z.shape[:-2], *f.shape), w[..., b, :]
        return found

    def _pairs(self, start: Any) -> list[tuple[Any, Any]]:
        """Configuration and velocity of each factor, of a start by name."""
        if not isinstance(start, Mapping):
            raise InputError(f"a state must be given as {self.form}, got {start!r}")
        names = [f.name for f in self.product.factors]
        for name in start:
            if name not in names:
                raise DescriptionError(f"there is no factor {name!r}{nearest(str(name), names)}")
        missing = [name for name in names if name not in start]
        if missing:
            raise DescriptionError(f"the state lacks {', '.join(missing)}: (configuration, velocity) of each")
        return [entries(name, start[name]) for name in names]  # type: ignore[misc]

    def read(self, start: Any, second: str) -> State:
        """Configurations and velocities, repaired factor by factor; ``second`` names no part here."""
        del second
        z, w = self.product.parts(self.pack(start))
        remedy = "project(start) of the system gives the nearest state that is on the manifold"
        beside = {turns: self._largest(z, w, turns) for turns in (False, True)}
        for b, (f, row) in enumerate(zip(self.product.factors, self.product.first, strict=True)):
            body, names = slice(row, row + f.rows), (f.name, f.velocity_name)
            repair = f"{f.name} was projected onto the manifold"
            (z[body],), (w[b],) = _repaired_state(
                f, z[body][None], w[b][None], names, repair, remedy, f.name, beside=beside[bool(f.kind)]
            )
        return z, w

    def _largest(self, z: np.ndarray, w: np.ndarray, turns: bool) -> tuple[float, float]:
        """Largest configuration and velocity of the factors that turn, or of those that are places."""
        bodies = [b for b, f in enumerate(self.product.factors) if bool(f.kind) == turns]
        parts = z[[self.product.first[b] for b in bodies]], w[bodies]
        first, second = (float(np.max(np.linalg.norm(a, axis=-1), initial=0.0)) for a in parts)
        return first, second

    def by_name(self, parts: Any) -> dict[str, np.ndarray]:
        """Configurations and velocities of all factors, by their names."""
        names = {f.name: f.velocity_name for f in self.product.factors}
        return {k: v for name, pair in parts.items() for k, v in zip((name, names[name]), pair, strict=True)}


def _repaired_state(
    f: Factor,
    z: np.ndarray,
    w: np.ndarray,
    names: tuple[str, str],
    repair: str,
    remedy: str,
    who: str = "",
    *,
    beside: tuple[float, float] = (0.0, 0.0),
) -> State:
    """A stack of starts (n, rows, 3) and (n, 3) with their defects taken away; raises as `Face.read`."""
    defects = f.defects(z, w, names, beside)
    found = defects and needs_repair(defects, repair, remedy, who)
    return f.project(z, w) if found else (z.copy(), w.copy())
