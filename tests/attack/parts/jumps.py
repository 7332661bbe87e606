"""Impacts, guards and resets: states after impacts, impulses and energies, and which jump comes when."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import sympy as sp

import geoctrl as gc
from tests.attack.draw.dice import Dice
from tests.attack.draw.drawing_jumps import Jumping, Struck, draw_jumping, draw_struck
from tests.attack.forge.hybrid_orbits import forged
from tests.attack.oracle.jumping import WORST, Hit, Matrices, OwnRun, StruckNumbers, full_velocity
from tests.attack.outcome import Outcome, refusal

STREAM = 720491
"""Of random numbers, of their own."""
CLOSE = 1e-10
"""Part of the largest that states, impulses and energies may differ by, at a condition of a thousand."""
SURE = 1e-9
"""Part of W by which an eigenvalue of W - E W E has a sign."""
STARTS, PLACES = 3, 400
SPAN, MOST, BESIDE = 4.0, 20, 1e-8
"""Time and jumps of a run, and how far another one begins beside it, to see what motions make of that."""
SLACK = 1e-7


def prepare(seed: int, options: dict[str, Any]) -> int:
    del seed, options
    return 0


def case(seed: int, index: int, options: dict[str, Any]) -> Outcome:
    """One of ten is a bad description, one a file with other witnesses, four of ten are fields."""
    del options
    dice, place = Dice(seed + STREAM, index), index % 10
    kind = {9: "bad jumps", 8: "files of orbits"}.get(place, "guards and resets" if place % 2 else "impacts")
    begun = time.process_time()
    asked = {
        "bad jumps": bad_description,
        "files of orbits": forged,
        "guards and resets": run_of_fields,
        "impacts": impact,
    }
    try:
        outcome = asked[kind](dice)
    except Exception as error:
        outcome = refusal(kind, error)
        if kind != "bad jumps" and outcome.result == "refused":
            outcome.result = "contradiction"
    outcome.kind, outcome.seconds = kind, time.process_time() - begun
    return outcome


# -- impacts ---------------------------------------------------------------------------------------------


def impact(dice: Dice) -> Outcome:
    """States on the guard of a drawn mechanism that are struck, and runs into them."""
    return judged_impact(draw_struck(dice), dice)


def judged_impact(drawn: Struck, dice: Dice) -> Outcome:
    """What the impact makes of states, against the saddle system in full velocities."""
    numbers, detail = StruckNumbers(drawn), {"kind": drawn.kind, "e": list(map(str, drawn.restitution))}
    try:
        system = drawn.mechanism.hybrid()
    except gc.ConstraintError as error:
        return _refused_at_once(drawn, numbers, dice, str(error), detail)
    except gc.GeoctrlError as error:
        return _raised(error, detail)
    mode, judged, words = system.modes[drawn.of], 0, ""
    for _ in range(STARTS):
        q = numbers.on_guard(dice.rng.normal(size=len(drawn.coordinates) - 1))
        found = numbers.at(q)
        xi = _allowed(dice.rng.normal(size=len(drawn.labels)), found.before)
        if np.linalg.cond(numbers.saddle(found)) > WORST:
            continue
        x = _state(mode.state_labels, drawn, xi, q)
        known = {
            label: value for label, value in zip(mode.state_labels, x, strict=True) if label in drawn.labels
        }
        if full_velocity(drawn.labels, found.before, known) is None:
            continue
        fault, told = _fault_of_landing(drawn, numbers, system, found, xi, q, x)
        if fault == "refused":
            words = told
        elif fault:
            return Outcome("", "contradiction", f"{fault}: {told} at {x.tolist()}", detail=detail)
        else:
            fault = _fault_of_run(drawn, numbers, system, xi, q)
            if fault:
                return Outcome("", "contradiction", f"{fault}, run to {x.tolist()}", detail=detail)
        judged += 1
    if not judged:
        return Outcome("", "unjudged", "rows that are next to dependent", detail=detail)
    return Outcome("", "refused" if words else "held", words[:150], detail=detail)


def _raised(error: Exception, detail: dict[str, Any]) -> Outcome:
    return Outcome("", "contradiction", f"{type(error).__name__}: {str(error)[:200]}", detail=detail)


def _allowed(xi: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return xi - np.linalg.pinv(rows) @ (rows @ xi) if len(rows) else xi


def _state(labels: Any, drawn: Struck, xi: np.ndarray, q: np.ndarray) -> np.ndarray:
    known = dict(zip(drawn.labels, xi, strict=True)) | dict(zip(map(str, drawn.coordinates), q, strict=True))
    return np.array([known[label] for label in labels])


def _refused_at_once(
    drawn: Struck, numbers: StruckNumbers, dice: Dice, words: str, detail: dict[str, Any]
) -> Outcome:
    """Whether somewhere on the guard there is the reason that was given."""
    gains, conditions, changes, dependent = [], [], [], []
    for _ in range(PLACES):
        q = numbers.on_guard(3 * dice.rng.normal(size=len(drawn.coordinates) - 1))
        found = numbers.at(q)
        dependent.append(
            np.linalg.matrix_rank(found.before) < len(found.before) if len(found.before) else False
        )
        saddle = numbers.saddle(found)
        conditions.append(np.linalg.cond(saddle))
        if conditions[-1] < WORST:
            gains.append(numbers.gain(found))
            changes.append(_change_by_names(drawn, numbers, found, q, dice))
    detail["words"] = words.split(" impact ")[0][:40]
    true = {
        "gain energy": bool(gains) and min(gains) < 0 and len(set(drawn.restitution)) > 1,
        "not independent": max(conditions) > WORST,
        "kinetic energy": bool(changes) and max(changes) > CLOSE,
        "on the rows before it": all(dependent),
    }
    reason = next((reason for reason in true if reason in words), "")
    if reason and true[reason]:
        return Outcome("", "refused", words[:150], detail=detail)
    return Outcome("", "contradiction", f"refused without a reason: {words[:200]}", detail=detail)


def _change_by_names(
    drawn: Struck, numbers: StruckNumbers, found: Matrices, q: np.ndarray, dice: Dice
) -> float:
    """Part of the energy by which an exchange of names changes it."""
    if not drawn.flipped:
        return 0.0
    xi = numbers.hit(found, dice.rng.normal(size=len(drawn.labels))).after
    one, other = xi @ found.inertia @ xi, xi @ numbers.at(-q).inertia @ xi
    return abs(one - other) / max(one, 1e-300)


def _fault_of_landing(
    drawn: Struck, numbers: StruckNumbers, system: Any, found: Matrices, xi: np.ndarray, q: np.ndarray,
    x: np.ndarray,
) -> tuple[str, str]:  # fmt: skip
    """What is wrong about one state that is struck; "refused" where it is refused rightly."""
    (transition,) = system.transitions
    gain = numbers.gain(found) if len(set(drawn.restitution)) > 1 else 0.0
    try:
        landing = transition.landing(0.0, x, np.zeros(0), {})
    except gc.ConstraintError as error:
        if "gain energy" in str(error) and gain < 0:
            return "refused", str(error)
        if drawn.flipped and _changes(found, numbers.at(-q), numbers.hit(found, xi).after):
            return "refused", str(error)
        return "refused without a reason", str(error)
    if gain < -SURE:
        return "not refused", f"W - E W E has the eigenvalue {gain:.3g}"
    hit = numbers.hit(found, xi)
    if fault := _difference(drawn, hit, q, landing.state, landing.impulse, landing.lost, system, found):
        return "another impact", fault
    return _fault_of_promise(drawn, hit, landing.broken), landing.broken or "nothing was said"


def _changes(before: Matrices, after: Matrices, xi: np.ndarray) -> bool:
    one, other = xi @ before.inertia @ xi, xi @ after.inertia @ xi
    return bool(abs(one - other) > CLOSE * (one + other))


def _difference(
    drawn: Struck, hit: Hit, q: np.ndarray, state: np.ndarray, impulse: np.ndarray, lost: float, system: Any,
    found: Matrices,
) -> str:  # fmt: skip
    """In words what state, impulses or energy differ in; empty where they are the same."""
    (transition,) = system.transitions
    sign = -1 if drawn.flipped else 1
    own = _state(transition.target.system.state_labels, drawn, sign * hit.after, sign * q)
    held = np.vstack([found.rows, found.stay])
    slack = CLOSE * max(1.0, np.linalg.cond(held @ np.linalg.solve(found.inertia, held.T)) / 1e3)
    speed = np.linalg.norm(hit.after) + np.linalg.norm(hit.before)
    if np.max(np.abs(state - own)) > slack * (speed + np.linalg.norm(q)):
        return f"state {state.tolist()}, by the saddle system {own.tolist()}"
    size = np.max(np.abs(hit.impulse)) + np.linalg.norm(found.inertia @ hit.before)
    if np.max(np.abs(impulse - hit.impulse)) > slack * size:
        return f"impulses {impulse.tolist()}, by the saddle system {hit.impulse.tolist()}"
    if abs(lost - hit.lost) > slack * hit.energy:
        return f"energy lost {lost}, by the saddle system {hit.lost}"
    return ""


def _fault_of_promise(drawn: Struck, hit: Hit, broken: str) -> str:
    """Whether a contact was said to move apart or to pull where it does not, or the other way round."""
    if "would pull after" in broken:
        return ""  # about forces of the mode entered
    k = drawn.normal
    if k is None:
        return "a promise that nobody gave" if broken else ""
    size = np.max(np.abs(hit.impulse))
    margins = (hit.approach[k] / np.linalg.norm(hit.before), -hit.impulse[k] / max(size, 1e-300))
    if any(abs(margin) < SURE for margin in margins):
        return ""
    if bool(broken) != any(margin > 0 for margin in margins):
        return f"promise {'' if broken else 'not '}broken with {margins}"
    return ""


def _fault_of_run(
    drawn: Struck, numbers: StruckNumbers, system: Any, xi: np.ndarray, q: np.ndarray
) -> str:  # fmt: skip
    """The same of a jump that a run meets shortly; empty where it meets none."""
    rate = float(np.dot(numbers.slopes(q.tolist()), xi[len(xi) - len(q) :]))
    way = np.sign(rate) if not drawn.direction else drawn.direction
    if rate * way < 0.1:
        return ""
    start = q.copy()
    start[0] -= way * 1e-3
    found = numbers.at(start)
    mode = system.modes[drawn.of]
    x = _state(mode.state_labels, drawn, _allowed(xi, found.before), start)
    try:
        run = gc.simulate(system, [0.0, 4e-3 / abs(rate)], x, mode=drawn.of, max_jumps=1)
    except gc.ConstraintError as error:
        at = numbers.gain(found) if len(set(drawn.restitution)) > 1 else 1.0
        renamed = drawn.flipped and "kinetic energy" in str(error)
        return (
            "" if (renamed or ("gain energy" in str(error) and at < 1e-2)) else f"refused in a run: {error}"
        )
    except gc.SimulationError as error:
        run = error.trajectory
    if not run.jumps:
        return "" if abs(rate) < 0.3 else f"no jump at the rate {rate:.3g}: {run.status}"
    record = run.jumps[0]
    before = dict(zip(mode.state_labels, record.before, strict=True))
    q = np.array([before[str(s)] for s in drawn.coordinates])
    found = numbers.at(q)
    if abs(drawn.guard.subs(dict(zip(drawn.coordinates, q, strict=True)))) > 1e-12:
        return f"a jump off its guard at {q.tolist()}"
    known = {label: before[label] for label in drawn.labels if label in before}
    full = full_velocity(drawn.labels, found.before, known)
    if full is None or np.linalg.cond(numbers.saddle(found)) > WORST:
        return ""
    hit = numbers.hit(found, full)
    return _difference(drawn, hit, q, record.after, record.impulse, record.lost, system, found)


# -- fields that jump ------------------------------------------------------------------------------------


def run_of_fields(dice: Dice) -> Outcome:
    """A run of drawn fields through drawn jumps."""
    return judged_run(draw_jumping(dice), dice)


def judged_run(drawn: Jumping, dice: Dice) -> Outcome:
    """Which jumps come when, against steps of scipy with dense events."""
    own = OwnRun(drawn)
    one = own.run(drawn.start, SPAN, MOST)
    beside = own.run(drawn.start + BESIDE * dice.rng.normal(size=2), SPAN, MOST)
    detail: dict[str, Any] = {"jumps": len(one.jumps), "unsure": one.unsure}
    run = gc.simulate(drawn.system, [0.0, SPAN], drawn.start, max_jumps=MOST, rtol=1e-11)
    for i, (t, name, after) in enumerate(one.jumps):
        if i >= len(beside.jumps) or beside.jumps[i][1] != name:
            return Outcome("", "unjudged", "a motion beside it jumps elsewhere", detail=detail)
        apart = max(abs(beside.jumps[i][0] - t), float(np.max(np.abs(beside.jumps[i][2] - after))))
        slack = SLACK + apart
        if slack > 1e-4:
            return Outcome("", "unjudged", "motions that part", detail=detail)
        told = run.jumps[i] if i < len(run.jumps) else None
        if told is None or told.name != name or abs(told.time - t) > slack:
            got = f"{told.name} at {told.time:.12g}" if told else f"no jump ({run.status})"
            return Outcome("", "contradiction", f"{name} at {t:.12g}, but {got}", detail=detail)
        if np.max(np.abs(told.after - after)) > slack * (1 + np.max(np.abs(after))):
            note = f"after {name} {told.after.tolist()}, by scipy {after.tolist()}"
            return Outcome("", "contradiction", note, detail=detail)
    if one.unsure:
        return Outcome("", "held" if one.jumps else "unjudged", one.unsure, detail=detail)
    if len(run.jumps) != len(one.jumps):
        note = f"{len(run.jumps)} jumps instead of {len(one.jumps)}: {run.status}"
        return Outcome("", "contradiction", note, detail=detail)
    if not one.jumps:
        return Outcome("", "held", "no jump", detail=detail)
    return Outcome("", "held", detail=detail)


# -- bad descriptions ------------------------------------------------------------------------------------

_Z = gc.Coordinate("z")


def bad_description(dice: Dice) -> Outcome:
    """What is no jump must be refused in words."""
    name, changes, more = dice.pick(BAD)
    number = float(np.round(1 + abs(dice.rng.normal()), 3))
    changes = {key: value(number) if callable(value) else value for key, value in changes.items()}
    given = {"when": _Z.symbol - number, "rows": [[1]]} | changes
    impact = gc.Impact("hit", **given)
    system = gc.EulerPoincare(
        algebra=None, shape=[_Z], inertia=[[number]], potential=number * _Z.symbol, jumps=[impact], **more
    ).hybrid()
    return Outcome("", "accepted", f"{name}: {system!r}")


BAD: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("a guard that is a number", {"when": lambda v: v}, {}),
    ("a guard that is text", {"when": "z"}, {}),
    ("a guard in a stranger", {"when": sp.Symbol("stranger", real=True)}, {}),
    ("a guard of nan", {"when": sp.nan}, {}),
    ("another direction", {"direction": lambda v: 1 + v}, {}),
    ("more than elastic", {"restitution": lambda v: v + 1e-9}, {}),
    ("less than plastic", {"restitution": lambda v: -v}, {}),
    ("nan of restitution", {"restitution": float("nan")}, {}),
    ("too many restitutions", {"restitution": [0, 0.5]}, {}),
    ("no rows", {"rows": []}, {}),
    ("rows too long", {"rows": lambda v: [[1, v]]}, {}),
    ("rows twice", {"rows": lambda v: [[1], [v]]}, {}),
    ("rows of zeros", {"rows": [[0]]}, {}),
    ("rows of infinity", {"rows": [[float("inf")]]}, {}),
    ("a row that is not there", {"rows": ["ground"]}, {}),
    ("a row that is released from nothing", {"releases": ["ground"]}, {}),
    ("a normal beyond", {"normal": 1}, {}),
    ("a normal that is none", {"normal": -1}, {}),
    ("names that meet", {"relabel": {"z": 0}}, {}),
    ("names of nothing", {"relabel": {"w": "w"}}, {}),
    ("a mode that is not there", {"to": "ground"}, {}),
    ("a rest that is not there", {"rest": "ground"}, {}),
    ("modes of rows that are not there", {}, {"modes": {"air": ("ground",)}}),
    ("energy from names", {"restitution": 0.5, "relabel": {"z_dot": 2 * _Z.rate}}, {}),
    ("what leaves and is not there", {"leaving": "ground"}, {}),
    ("what leaves and is too long", {"leaving": [1, 0]}, {}),
]
"""In words, what of an impact is put in another way, and of its mechanism."""
