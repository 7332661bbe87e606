"""The result of a run with jumps: its samples, the pieces between jumps, and the jumps."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from geoctrl._checks import finite_array
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl.errors import GeoctrlError, InputError
from geoctrl.runs import EventRecord, Events, SampleRecord, Samples, storage
from geoctrl.simulation.jumps.places_of_pieces import Way, ways_of_pieces

__all__ = ["HybridTrajectory", "JumpRecord", "RunPiece"]

_FIRST_JUMPS = 6


@dataclass(frozen=True, eq=False)
class JumpRecord:
    """One jump of a run.

    Attributes
    ----------
    time : float
    name : str
    mode : str
        The one that is entered.
    before, after : ndarray
        States of the mode that is left, and of the one entered.
    impulse : ndarray
        One for each row that an impact struck, none of a jump that is given.
    lost : float
        Kinetic energy lost (J), by the impulses; nan where no inertia says it.
    """

    time: float
    name: str
    mode: str
    before: np.ndarray
    after: np.ndarray
    impulse: np.ndarray
    lost: float

    def _lines(self) -> list[str]:
        lost = "" if np.isnan(self.lost) else f", {self.lost:.6g} J lost"
        return [f"JumpRecord({self.name!r} at t = {self.time:.6g}, into {self.mode!r}{lost})"]

    full = full_text
    __repr__ = short_form


@dataclass(frozen=True, eq=False)
class RunPiece:
    """A motion between two jumps: the mode that it is in, its run, and which samples were asked for."""

    mode: str
    run: Samples
    columns: np.ndarray


class HybridTrajectory(Samples):
    """Samples of one run with jumps, made by `simulate` of a `HybridSystem` or read by `load_trajectory`.

    Besides the attributes of `Trajectory` it has the following. A sample at the time of a jump is the state
    before it.

    Attributes
    ----------
    states : ndarray, shape (n, nt)
        States of all modes; nan where the mode has no such state.
    mode : ndarray of str, shape (nt,)
    jumps : tuple of JumpRecord
        Each with ``.time``, ``.name``, ``.mode``, ``.before``, ``.after``, ``.impulse`` and ``.lost``.
    accumulation : float
        The time that infinitely many jumps never pass; nan where none do.
    pieces : tuple of Trajectory
        The motions between jumps, ends included; none of a trajectory that was read from a file.

    Examples
    --------
    >>> import geoctrl as gc
    >>> z = gc.Coordinate("z")
    >>> bounce = gc.Impact("bounce", when=z.symbol, rows=[[1]], restitution=0.5)
    >>> ball = gc.EulerPoincare(algebra=None, shape=[z], inertia=[[2]], potential=20 * z.symbol,
    ...                         jumps=[bounce])
    >>> run = gc.simulate(ball.hybrid(), [0.0, 0.5, 1.0], [0, 1])
    >>> run.status, len(run.pieces), len(run.jumps)
    ('completed', 3, 2)
    >>> round(run.jumps[0].lost, 6), run["z"].round(6)
    (15.0, array([1.      , 0.104102, 0.062306]))
    """

    def __init__(
        self,
        time: np.ndarray,
        states: np.ndarray,
        *,
        labels: Mapping[str, tuple[str, ...]],
        params: Mapping[str, float],
        engine: str,
        status: str,
        success: bool,
        events: Events,
        mode: np.ndarray,
        jumps: Sequence[JumpRecord],
        accumulation: float = np.nan,
        name: str = "",
    ) -> None:
        self.time, self.states, self.params, self.name = time, states, dict(params), name
        self.engine, self.status, self.success, self.events = engine, status, success, events
        self.state_labels = tuple(labels["states"])
        self.input_labels = tuple(labels["inputs"])
        self.output_labels = tuple(labels["outputs"])
        self.mode, self.jumps, self.accumulation = mode, tuple(jumps), accumulation
        self.system: Any = None
        self._parts: tuple[RunPiece, ...] = ()
        self._ways: dict[tuple, tuple[Way, ...]] = {}

    @classmethod
    def of_pieces(
        cls, system: Any, pieces: Sequence[RunPiece], jumps: Sequence[JumpRecord], params: Any, **rest: Any
    ) -> HybridTrajectory:
        """Samples of the pieces that a hybrid system was run in."""
        outputs = dict.fromkeys(label for piece in pieces for label in piece.run.output_labels)
        labels = {"states": system.state_labels, "inputs": system.input_labels, "outputs": tuple(outputs)}
        made = cls(
            np.concatenate([piece.run.time[piece.columns] for piece in pieces]),
            np.hstack(
                [_rows(p.run.states, p.run.state_labels, system.state_labels)[:, p.columns] for p in pieces]
            ),
            labels=labels,
            params=params,
            engine=pieces[0].run.engine,
            events=_joined_events(pieces, system),
            mode=np.concatenate([np.full(piece.columns.size, piece.mode) for piece in pieces]),
            jumps=jumps,
            name=system.name,
            **rest,
        )
        made.system, made._parts = system, tuple(pieces)
        return made

    @property
    def pieces(self) -> tuple[Any, ...]:
        """The motions between jumps, ends included."""
        return tuple(piece.run for piece in self._parts)

    @property
    def columns_of_pieces(self) -> tuple[np.ndarray, ...]:
        """Which samples of each piece are samples of the run."""
        return tuple(piece.columns for piece in self._parts)

    # -- signals ----------------------------------------------------------------------------------

    def _signal(self, signal: Callable[[Samples], np.ndarray]) -> np.ndarray:
        return np.concatenate([signal(piece.run)[..., piece.columns] for piece in self._parts], axis=-1)

    @cached_property
    def inputs(self) -> np.ndarray:
        """Inputs applied, (m, nt)."""
        return self._signal(lambda run: run.inputs)

    @cached_property
    def outputs(self) -> np.ndarray:
        """Output signals, (p, nt); nan where the mode has none."""
        return self._signal(lambda run: _rows(run.outputs, run.output_labels, self.output_labels))

    @property
    def samples(self) -> SampleRecord | None:
        """What a sampled controller did, sample by sample, through the jumps; None where none was at work.

        Raises
        ------
        GeoctrlError
            For a trajectory that was read from a file: it holds what was applied, and not the samples.
        """
        self._require_parts()
        first: Any = self._parts[0].run
        return first.samples

    @cached_property
    def energy(self) -> np.ndarray:
        """Energy of the mode (J), (nt,)."""
        return self._signal(lambda run: run.energy)

    @cached_property
    def invariants(self) -> dict[str, np.ndarray]:
        """Empty: a jump keeps nothing that is known beforehand; pieces tell what they keep."""
        return {}

    @cached_property
    def leaf_defects(self) -> dict[str, np.ndarray]:
        """Values (nt,) of the leaf relations that all modes have, by name."""
        parts = [piece.run.leaf_defects for piece in self._parts]
        shared = [name for name in parts[0] if all(name in part for part in parts)]

        def defect(name: str) -> np.ndarray:
            return self._signal(lambda run: run.leaf_defects[name])

        return {name: defect(name) for name in shared}

    @property
    def drift(self) -> dict[str, float]:
        """Largest change of what a piece conserves, and largest defect of its relations, over the pieces."""
        found: dict[str, float] = {}
        for piece in self._parts:
            for name, value in piece.run.drift.items():
                found[name] = max(found.get(name, 0.0), value)
        return found

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Units by label of states and inputs, as far as the modes tell them."""
        found: dict[str, str] = {}
        for mode in self.system.modes.values() if self.system is not None else ():
            found |= mode.told_units
        return found

    # -- configuration --------------------------------------------------------------------------

    def ways_of_pieces(
        self, x0: Any = None, of: int = 1, R0: Any = None, moving: bool = True
    ) -> tuple[Way, ...]:
        """Attitudes and places of the frame of a factor along each piece, at all of its samples."""
        self._require_parts()
        kept = ("ways", shown(of), moving)
        if x0 is None and R0 is None and kept in self._ways:
            return self._ways[kept]
        by_name = {t.name: t for t in self.system.transitions}
        passed = [by_name[jump.name] for jump in self.jumps if jump.name in by_name]
        found = tuple(ways_of_pieces(self.pieces, passed, x0, of, R0, moving))
        if x0 is None and R0 is None:
            self._ways[kept] = found
        return found

    def attitude(self, R0: Any = None, of: int = 1) -> np.ndarray:
        """Rotation matrices (nt, 3, 3), body to space, through the jumps; see `Trajectory.attitude`."""
        ways = self.ways_of_pieces(None, of, R0, moving=False)
        return np.concatenate([way.attitude[p.columns] for way, p in zip(ways, self._parts, strict=True)])

    def position(self, x0: Any = None, of: int = 1, R0: Any = None) -> np.ndarray:
        r"""Position of the frame's origin in space through the jumps; see `Trajectory.position`.

        Where an impact names things anew the origin moves on by its ``step``. At a jump the place before it.

        Raises
        ------
        InputError
            If the factor has no translations; if an impact names the frame anew and has no ``step``.
        GeoctrlError
            For a trajectory that was read from a file without its system.

        Examples
        --------
        A walker goes down its slope from foot to foot:

        >>> import numpy as np, geoctrl as gc
        >>> h = gc.models.get("compass-walker")().hybrid()
        >>> run = gc.simulate(h, [0, 1, 2], [1.0928, 0.3782, -0.2177, 0.3244])
        >>> np.round(np.diff(run.position(), axis=0), 3)
        array([[ 0.539, -0.028],
               [ 0.532, -0.028]])
        """
        ways = self.ways_of_pieces(x0, of, R0)
        return np.concatenate([way.place[p.columns] for way, p in zip(ways, self._parts, strict=True)])

    def _require_parts(self) -> None:
        if not self._parts:
            raise GeoctrlError(
                "this trajectory was read from a file or unpickled and knows no equations of motion; read it "
                "with its system, load_trajectory(path, system=...), or run simulate again"
            )

    def resample(self, times: Any) -> HybridTrajectory:
        """The run at other times; see `geoctrl.runs.Samples.resample`. At a jump the state before it.

        Examples
        --------
        >>> import numpy as np, geoctrl as gc
        >>> z = gc.Coordinate("z")
        >>> bounce = gc.Impact("bounce", when=z.symbol, rows=[[1]], restitution=0.5)
        >>> ball = gc.EulerPoincare(algebra=None, shape=[z], inertia=[[1]], potential=10 * z.symbol,
        ...                         jumps=[bounce])
        >>> run = gc.simulate(ball.hybrid(), 1.0, [0, 1])
        >>> bool(run.resample(np.linspace(0, 1, 1001))["z"].min() >= 0)
        True
        """
        self._require_parts()
        asked = finite_array("times", times)
        if asked.ndim != 1 or not asked.size or np.any(np.diff(asked) <= 0):
            raise InputError("times must be increasing numbers, one at least")
        ends = np.array([piece.run.time[-1] for piece in self._parts])
        if asked[0] < self.time[0] or asked[-1] > ends[-1]:
            raise InputError(f"times must lie within the run, {self.time[0]:.9g} to {ends[-1]:.9g} s")
        place = np.searchsorted(ends, asked, side="left")
        parts = []
        for k, piece in enumerate(self._parts):
            own, mine = piece.run.time, asked[place == k]
            grid = np.unique(np.concatenate([own[[0, -1]], mine]))
            run = piece.run.resample(grid) if mine.size else piece.run
            parts.append(RunPiece(piece.mode, run, np.searchsorted(run.time, mine)))
        made = HybridTrajectory.of_pieces(
            self.system,
            parts,
            self.jumps,
            self.params,
            status=self.status,
            success=self.success,
            accumulation=self.accumulation,
        )
        made.events, made.engine = self.events, self.engine
        return made

    def _lines(self) -> list[str]:
        lines = super()._lines()
        told = ", ".join(f"{jump.name} at {jump.time:.6g}" for jump in self.jumps[:_FIRST_JUMPS])
        more = f" and {len(self.jumps) - _FIRST_JUMPS} more" if len(self.jumps) > _FIRST_JUMPS else ""
        return [*lines, f"  jumps: {told or 'none'}{more}"]

    # -- files ------------------------------------------------------------------------------------

    def columns(self, samples: np.ndarray, outputs: Sequence[str]) -> SimpleNamespace:
        """What is told at some samples: inputs, these outputs, and the energy as files have it."""
        rows = [self.output_labels.index(label) for label in outputs]
        return SimpleNamespace(
            input_labels=self.input_labels,
            inputs=self.inputs[:, samples],
            outputs=self.outputs[rows][:, samples],
            written_energy=self.written_energy[samples],
        )

    def _arrays(self) -> dict[str, np.ndarray]:
        arrays = super()._arrays()
        modes = list(dict.fromkeys([*map(str, self.mode), *(jump.mode for jump in self.jumps)]))
        header = json.loads(str(arrays["header"]))
        header |= {"jumps": [jump.name for jump in self.jumps], "modes": modes}
        numbers = [(jump.time, jump.lost) for jump in self.jumps]
        vectors = [(jump.before, jump.after, jump.impulse) for jump in self.jumps]
        arrays |= {
            "header": np.array(json.dumps(header)),
            "mode": np.array([modes.index(mode) for mode in map(str, self.mode)], dtype=np.int64),
            "accumulation": np.array([self.accumulation]),
            "jump_modes": np.array([modes.index(jump.mode) for jump in self.jumps], dtype=np.int64),
            "jump_numbers": np.array(numbers, dtype=float).reshape(-1, 2),
            "jump_sizes": np.array([[v.size for v in each] for each in vectors], dtype=np.int64).reshape(
                -1, 3
            ),
            "jump_vectors": np.concatenate([np.zeros(0), *(v for each in vectors for v in each)]),
        }
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> HybridTrajectory:
        """The samples of a file, its jumps, and what was computed from them."""
        given, computed = storage.read_arrays(arrays)
        header = json.loads(str(arrays["header"]))
        names, modes = header["jumps"], header["modes"]
        _require_jumps(arrays, names, modes, given["time"].size)
        sizes = arrays["jump_sizes"].ravel()
        vectors = iter(np.split(arrays["jump_vectors"], np.cumsum(sizes)[:-1]) if names else [])
        jumps = [
            JumpRecord(
                time=float(time),
                name=name,
                mode=modes[mode],
                before=next(vectors),
                after=next(vectors),
                impulse=next(vectors),
                lost=float(lost),
            )
            for name, mode, (time, lost) in zip(
                names, arrays["jump_modes"], arrays["jump_numbers"], strict=True
            )
        ]
        end = float(arrays["accumulation"][0])
        made = cls(**given, mode=np.array(modes)[arrays["mode"]], jumps=jumps, accumulation=end)
        made.__dict__.update(computed)
        return made

    def __reduce__(self):
        return HybridTrajectory.from_arrays, (self._arrays(),)


def _rows(values: np.ndarray, labels: Sequence[str], wanted: Sequence[str]) -> np.ndarray:
    """Rows by label, nan where there is none of that label."""
    found = np.full((len(wanted), values.shape[1]), np.nan)
    for row, label in zip(values, labels, strict=True):
        found[wanted.index(label)] = row
    return found


def _joined_events(pieces: Sequence[RunPiece], system: Any) -> Events:
    """Events that were asked for, over all pieces."""
    joined, labels = Events(), system.state_labels
    guards = {jump.name for jump in system.jumps}
    for name in (name for name in pieces[0].run.events if name not in guards):
        records = [(piece.run.events[name], piece.run.state_labels) for piece in pieces]
        times = np.concatenate([record.time for record, _ in records])
        joined[name] = EventRecord(
            times, np.hstack([_rows(record.states, own, labels) for record, own in records])
        )
    return joined


def _require_jumps(arrays: Mapping[str, np.ndarray], names: Any, modes: Any, count: int) -> None:
    """Refuse arrays about jumps that do not fit the header."""
    k, wrong = len(names), "this is no run with jumps that geoctrl has written"
    if not all(isinstance(text, str) for text in [*names, *modes]):
        raise InputError(f"{wrong}: names must be text")
    shapes = {"mode": (count,), "jump_modes": (k,), "jump_numbers": (k, 2), "jump_sizes": (k, 3)}
    shapes["accumulation"] = (1,)
    for name, shape in shapes.items():
        if name not in arrays or arrays[name].shape != shape or arrays[name].dtype.kind not in "if":
            raise InputError(f"{wrong}: {name} must have shape {shape}")
    places = np.concatenate([arrays["mode"], arrays["jump_modes"]])
    if places.dtype.kind != "i" or np.any((places < 0) | (places >= len(modes))):
        raise InputError(f"{wrong}: a mode has no name")
    sizes, vectors = arrays["jump_sizes"], arrays.get("jump_vectors")
    fits = sizes.dtype.kind == "i" and np.all(sizes >= 0) and vectors is not None
    if not fits or vectors.dtype.kind != "f" or vectors.shape != (int(sizes.sum()),):  # type: ignore[union-attr]
        raise InputError(f"{wrong}: states and impulses of the jumps do not fit their sizes")
