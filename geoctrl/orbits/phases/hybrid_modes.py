"""Modes of an orbit through jumps as its file has them: equations, guards, resets, and what these keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from geoctrl import checker
from geoctrl._scalars import Node, exact
from geoctrl.analysis.certificates.proof_file import heading
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.analysis.question.motion import EquationsOfMotion
from geoctrl.analysis.question.table import Stored
from geoctrl.analysis.set_witnesses.sublevel_witnesses import in_balls
from geoctrl.analysis.witnesses.box_witnesses import BallWitnesses
from geoctrl.analysis.witnesses.content import content_of_file, parts_as_read
from geoctrl.checker.hybrid_orbits.phase import MODE, Mode
from geoctrl.checker.reader import FORMAT, conform

__all__ = ["ModeContent", "WrittenOrbit", "mode_contents", "promised_reactions"]


class WrittenOrbit(NamedTuple):
    """An orbit as a file is about it, closed up to whole turns by labels, with what is positive at jumps and
    along modes, by their names, besides what these promise.
    """

    orbit: Any
    turns: Mapping[str, int] = MappingProxyType({})
    promises: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    kept: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


class ModeContent(NamedTuple):
    """A mode as a file has it.

    Attributes
    ----------
    content : dict
        What a file about this mode alone has besides its theorem.
    part : dict
        That of the theorem: what is positive along the mode, and its jumps.
    rows : list of str
        Relations of the leaf, then what is conserved.
    point : BallWitnesses
    mode : Mode
        As the checker reads it, without cofactors.
    ones : list of int
        Places of one and -1.
    """

    content: dict[str, Any]
    part: dict[str, Any]
    rows: list[str]
    point: BallWitnesses
    mode: Mode
    ones: list[int]

    @property
    def theorem(self) -> dict[str, Any]:
        """Its part of the theorem of a file about another mode."""
        return self.part | {k: self.content[k] for k in ("problem", "witness")}


def promised_reactions(system: Any, mode: str) -> dict[str, Node]:
    """Reactions of the rows of a mode that can only push, by name."""
    reactions = system.modes[mode].assembly.reactions
    return {f"reaction of {row}": reactions[row] for row in system.pushing_rows(mode)}


def mode_contents(written: WrittenOrbit, params: Mapping[str, Mapping[str, float]]) -> dict[str, ModeContent]:
    """Those of an orbit by their names, with the cofactors of their jumps."""
    modes = dict.fromkeys(written.orbit.modes)
    found = {name: _mode_content(written, name, params[name]) for name in modes}
    for here in found.values():
        for name, jump in here.part["jumps"].items():
            if name in written.orbit.jumps:
                _fill_cofactors(here, name, jump, found[jump["to"]].mode)
    return found


def _mode_content(written: WrittenOrbit, name: str, params: Mapping[str, float]) -> ModeContent:
    """A mode at the state of its first phase."""
    orbit = written.orbit
    system = orbit.system.modes[name]
    motion, x = EquationsOfMotion.of(system), orbit.states[orbit.modes.index(name)]
    values = {k: exact(v) for k, v in (dict(zip(motion.states, x, strict=True)) | dict(params)).items()}
    names = [k for k in orbit.neutral if k not in ("strike", "impact")]
    conserved = system.conserved(params, u=np.zeros(0))
    kept = {k: conserved[k] for k in names}
    for further in (False, True):
        data, table = motion.equations_data(kept, {}, {}, further)
        part = _part_of_theorem(written, name, table.places)
        ones = table.places([system.graph.number(c) for c in (1, -1)])
        numbers = {k: {s: str(values[s]) for s in data[k]} for k in ("states", "inputs", "parameters")}
        problem = data | numbers | {"nodes": table.rows}
        q = in_balls(Stored.of(problem).read)
        if all(map(q.conserved, [*motion.leaf, *kept])):
            break
    else:
        raise NotSolved
    point, rows = BallWitnesses(problem), [*motion.leaf, *kept]
    title = {k: v for k, v in heading(FORMAT, orbit.system.name).items() if k != "version"}
    content = content_of_file(title, point, {}, rows, q)
    return ModeContent(content, part, rows, point, Mode(*parts_as_read(content), conform(part, MODE)), ones)


def _part_of_theorem(
    written: WrittenOrbit, name: str, places: Callable[[Sequence[Node]], list[int]]
) -> dict[str, Any]:
    """What is positive along a mode, and all its jumps, those of the orbit with their resets."""
    orbit = written.orbit
    hybrid, system = orbit.system, orbit.system.modes[name]
    kept = {label: system.expression(side.margin) for label, side in system.domain.items()}
    kept |= promised_reactions(hybrid, name)
    kept |= {k: system.expression(e) for k, e in written.kept.get(name, {}).items()}
    jumps = {}
    for t in hybrid.leaving(name):
        further = {k: system.expression(e) for k, e in written.promises.get(t.name, {}).items()}
        promises = t.promises | further if t.name in orbit.jumps else {}
        jumps[t.name] = {
            "guard": places([t.guard])[0],
            "direction": int(t.jump.direction),
            "to": t.target.name,
            "reset": places(t.reset) if t.name in orbit.jumps else [],
            "asked": dict(zip(promises, places(list(promises.values())), strict=True)),
            "guards": {},
            "rows": {},
        }
    return {"kept": dict(zip(kept, places(list(kept.values())), strict=True)), "jumps": jumps}


def _fill_cofactors(here: ModeContent, name: str, jump: dict[str, Any], there: Mode) -> None:
    """By which guards vanish after a jump, where they do, and rows keep their values."""
    functions = there.question.functions_by_name
    asked = [("rows", k, functions[k]) for k in here.rows]
    asked += [("guards", k, other["guard"]) for k, other in there.jumps.items()]
    read = here.mode.jumps[name]
    for part, key, function in asked:
        for proposal in ([], *([[name, one]] for one in here.ones)):
            read[part] = {key: proposal}
            try:
                here.mode.require_image(name, part, key, there.question, function)
            except (checker.Refusal, ArithmeticError, LookupError, TypeError, ValueError):
                continue
            jump[part][key] = proposal
            break
        read[part] = {}
    if {*here.rows} - {*jump["rows"]}:
        raise NotSolved
