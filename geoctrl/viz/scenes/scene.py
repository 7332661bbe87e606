"""A run as a scene that moves: its data, its file, its picture."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from geoctrl._checks import finite_array
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl._scalars.text.numbers import real
from geoctrl.errors import InputError
from geoctrl.systems.picture import Solid
from geoctrl.systems.picture.shapes import turns_to
from geoctrl.viz.scenes.bodies_of_runs import bodies_of, contact_of, up_of
from geoctrl.viz.scenes.page import page
from geoctrl.viz.scenes.poses import Moving
from geoctrl.viz.scenes.signals import Row, signal_rows
from geoctrl.viz.scenes.still import still_figure
from geoctrl.viz.style import COLOURS, require_trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Scene", "scene"]

_RATE = 50
"""Frames in a second of the run as it is played."""

_MOST = 5000
"""Frames of a scene; longer runs are played faster."""

_LOOKS = 60
"""Frames from which the first view is chosen."""

_SHORTEST = 200
"""Frames of a scene at least, for runs of parts of a second."""


def _text(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")


class Scene:
    """A run that moves in a browser; made by `geoctrl.viz.scene`.

    In a notebook it shows itself.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._data = dict(data)

    def _lines(self) -> list[str]:
        d = self._data
        end = d["start"] + d["step"] * (d["count"] - 1)
        bodies = f"{len(d['bodies'])} " + ("body" if len(d["bodies"]) == 1 else "bodies")
        return [f"<Scene {d['title']}: {bodies}, {d['start']:g} to {end:g} s, {d['count']} frames>"]

    full = full_text
    __repr__ = short_form

    def data(self) -> dict[str, Any]:
        """All that the viewer is given.

        Returns
        -------
        dict
            ``bodies`` with ``name``, ``shapes`` and ``poses``: ``count`` times x, y, z and the quaternion,
            scalar last, as base64 of little-endian float32, ``step`` seconds apart from ``start`` on;
            ``trails`` and ``signals`` likewise.
        """
        return dict(self._data)

    def poses(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Places (count, 3) and quaternions (count, 4), scalar last, of a body by its name.

        Raises
        ------
        InputError
            For a name of none.
        """
        for body in self._data["bodies"]:
            if body["name"] == name:
                poses = np.frombuffer(base64.b64decode(body["poses"]), "<f4").reshape(-1, 7).astype(float)
                return poses[:, :3], poses[:, 3:]
        known = ", ".join(body["name"] for body in self._data["bodies"])
        raise InputError(f"the scene has no body {shown(name)}; known are {known}")

    def save(self, path: str | PathLike, script: str | None = None) -> Path:
        """Write a page that opens in every browser, without a connection.

        Parameters
        ----------
        path : path
            Of the file, ``.html``.
        script : str, optional
            Address of ``viewer.min.js`` relative to the page, where many pages share it; else it is within.

        Returns
        -------
        Path
        """
        target = Path(path)
        target.write_text(self.html(script), encoding="utf-8")
        return target

    def html(self, script: str | None = None) -> str:
        """The page as text; see `save`."""
        image = io.BytesIO()
        self.thumbnail().savefig(image, format="png", dpi=110)
        still = "data:image/png;base64," + base64.b64encode(image.getvalue()).decode("ascii")
        return page(self._data, script, still)

    def _repr_html_(self) -> str:
        inner = html.escape(self.html(), quote=True)
        style = "width:100%;height:520px;border:1px solid #dde5ea;border-radius:6px"
        return (
            f'<iframe srcdoc="{inner}" style="{style}" title="{html.escape(self._data["title"])}"></iframe>'
        )

    def thumbnail(self, t: float | None = None) -> Figure:
        """One moment as a figure, drawn without a browser.

        Parameters
        ----------
        t : float, optional
            Time (s); a third of the run by default.

        Raises
        ------
        InputError
            For a time outside the run.
        """
        d = self._data
        last = d["count"] - 1
        frame = last / 3 if t is None else (float(t) - d["start"]) / d["step"]
        if not -0.5 <= frame <= last + 0.5:
            raise InputError(
                f"t must lie between {d['start']:g} and {d['start'] + last * d['step']:g} s, got {t:g}"
            )
        return still_figure(d, int(np.clip(round(frame), 0, last)))


def scene(
    run: Any,
    parts: Sequence[Solid] | None = None,
    signals: Sequence[str] | Mapping[str, Any] | None = None,
    trail: str | None = "contact",
    compare: Any = None,
    apart: Any = None,
    names: Sequence[str] = ("", "compared"),
    speed: float | None = None,
) -> Scene:
    """A run as a scene that moves in a browser.

    Bodies are those of the description's ``picture=``. Without one a frame stands for each factor of the
    group, a dial for each angle, a block for each length, an arrow for each direction. Poses come from
    `attitude` and `position` of the run at equal steps of time.

    Parameters
    ----------
    run : Trajectory
        Of any system; one that was read from a file needs its system.
    parts : sequence of Solid, optional
        Instead of the description's picture.
    signals : sequence of labels, or mapping of name -> label, labels or (nt,) array, optional
        What is drawn over time below, a row each; by default coordinates, or directions and velocities.
    trail : "contact" or None
        Whether the way over the ground is drawn.
    compare : Trajectory, optional
        A second run in the same scene, in another colour.
    apart : three numbers, optional
        Where the second run is drawn (m); beside the first by default.
    names : two texts
        Of the runs in the legend.
    speed : float, optional
        How many seconds of the run are played in one; by default such that it takes between 4 and 20 s.

    Returns
    -------
    Scene

    Raises
    ------
    TypeError
        If ``run`` is no trajectory.
    InputError
        If a part does not fit the mechanism, or ``signals`` is of another length than the run.
    LabelError
        For a label that is none.
    GeoctrlError
        For a run that was read from a file without its system.

    Examples
    --------
    >>> import numpy as np, geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> start = skate.state(v2=3.0, Gamma=(0, 0.28, 0.96))
    >>> run = gc.simulate(skate, np.linspace(0, 0.5, 26), start)
    >>> gc.viz.scene(run)
    <Scene pendulum-skate: 1 body, 0 to 0.5 s, 200 frames>
    """
    require_trajectory(run)
    if compare is not None:
        require_trajectory(compare)
    if trail not in ("contact", None):
        raise InputError(f"trail must be 'contact' or None, got {shown(trail)}")
    times = _times(run, compare)
    runs = [r.resample(times[times <= r.time[-1]]) for r in (run, compare) if r is not None]
    groups = [
        [_to_the_end(body, times.size) for body in bodies_of(r, COLOURS[k], parts)]
        for k, r in enumerate(runs)
    ]
    low, high = _box(groups[0], 0)
    reach = float(np.linalg.norm(high - low)) / 2
    if len(groups) > 1:
        beside = np.array([0.0, 2.6 * reach, 0.0]) if apart is None else finite_array("apart", apart, (3,))
        groups[1] = [Moving(b.name, b.shapes, b.places + beside, b.turns) for b in groups[1]]
    else:
        beside = np.zeros(3)
    ways = [contact_of(r) for r in runs] if trail else []
    trails = [
        {"colour": COLOURS[k], "points": _text(way + k * beside)}
        for k, way in enumerate(ways)
        if way is not None and np.ptp(way, axis=0).max() > 1e-3 * reach
    ]
    bodies = [body for group in groups for body in group]
    duration = float(times[-1] - times[0])
    return Scene(
        {
            "title": run.name or "run",
            "start": float(times[0]),
            "step": duration / (times.size - 1),
            "count": int(times.size),
            "time_unit": "s",
            "speed": _speed(duration, speed),
            "loop": True,
            "autoplay": True,
            "bodies": [_body(body) for body in bodies],
            "trails": trails,
            "signals": [_row(row) for row in signal_rows(run, runs, times, signals)],
            "legend": [{"name": names[k] or run.name, "colour": COLOURS[k]} for k in range(len(runs))],
            **_view(bodies, ways, reach, up_of(run, parts)),
        }
    )


def _times(run: Any, compare: Any) -> np.ndarray:
    """Equal steps of time over the longer run."""
    longer = run if compare is None or run.time[-1] >= compare.time[-1] else compare
    start, end = float(longer.time[0]), float(longer.time[-1])
    if not end > start:
        raise InputError("the run has a single moment: nothing moves; give simulate a later end time")
    return np.linspace(start, end, int(np.clip(np.ceil((end - start) * _RATE) + 1, _SHORTEST, _MOST)))


def _to_the_end(body: Moving, count: int) -> Moving:
    """A body that stays where its run ended."""
    more = ((0, count - len(body.places)), (0, 0), (0, 0))
    return Moving(
        body.name, body.shapes, np.pad(body.places, more[:2], "edge"), np.pad(body.turns, more, "edge")
    )


def _speed(duration: float, asked: Any) -> float:
    """The speed asked for, or of those that the viewer offers one that plays a run in 4 to 20 s."""
    if asked is not None:
        speed = real(asked, "speed")
        if not speed > 0:
            raise InputError(f"speed must be positive, got {shown(asked)}")
        return speed
    for speed in (1.0, 0.5, 0.25, 0.1, 2.0, 5.0):
        if 4 <= duration / speed <= 20:
            return speed
    return 0.1 if duration < 4 else 5.0


def _body(body: Moving) -> dict[str, Any]:
    poses = np.hstack([body.places, Rotation.from_matrix(body.turns).as_quat()])
    return {"name": body.name, "shapes": body.shapes, "poses": _text(poses)}


def _row(row: Row) -> dict[str, Any]:
    lines = [{"colour": colour, "values": _text(values)} for colour, values in row["lines"]]
    return {"name": row["name"], "unit": row["unit"], "lines": lines}


def _box(bodies: Sequence[Moving], frame: int) -> np.ndarray:
    """Lowest and highest corner of all shapes at a frame, (2, 3)."""
    corners = []
    for body in bodies:
        for shape in body.shapes:
            size = shape.get("size") or (2 * shape["radius"], 2 * shape["radius"], shape["length"])
            turn = body.turns[frame] @ Rotation.from_quat(shape["turn"]).as_matrix()
            middle = body.places[frame] + body.turns[frame] @ np.array(shape["place"], dtype=float)
            half = np.abs(turn) @ (np.array(size, dtype=float) / 2)
            corners += [middle - half, middle + half]
    return np.array([np.min(corners, axis=0), np.max(corners, axis=0)])


def _view(
    bodies: Sequence[Moving], ways: Sequence[np.ndarray | None], reach: float, up: np.ndarray
) -> dict[str, Any]:
    """Where the eye begins, what it follows, and the ground."""
    away = [float(np.linalg.norm(b.places - b.places[0], axis=1).max()) for b in bodies]
    nearest = int(np.argmin(away))
    follow = nearest if away[nearest] > 3 * reach else None
    frames = np.linspace(0, len(bodies[0].places) - 1, _LOOKS).astype(int)
    boxes = np.array([_box(bodies, k) for k in frames])
    if follow is not None:  # as the eye sees them that goes along
        places = bodies[follow].places
        boxes -= (places[frames] - places[0])[:, None]
    low, high = boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)
    radius = 0.6 * float((high - low).max())
    way = next((w for w in ways if w is not None), None)
    step = float(10.0 ** np.floor(np.log10(2 * radius)) / 2)
    size = float(min(max(4 * radius, 1.2 * max(away)), 60 * step))
    ground = (
        None if way is None else {"height": float(way[0] @ up), "size": size, "step": step, "centre": [0, 0]}
    )
    centre = ((low + high) / 2).tolist()
    view = {"centre": centre, "radius": radius, "azimuth": -62.0, "elevation": 18.0}
    view["turn"] = turns_to(up[None])[0].as_quat().tolist()
    return {"view": view, "follow": follow, "ground": ground}
