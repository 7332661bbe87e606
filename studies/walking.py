"""Walking down a slope: gaits of the compass walker, where they double, and known numbers of such machines.

A table of what is known of a rimless wheel, a hopper, a rocking block and the walker against what is computed
here; its gait at three degrees with the height of the swing foot over the ground; gaits of one, two and four
steps over the slope, with their multipliers. Three gaits of one step are proved, two of them on both sides of
the slope where its period doubles, and their files confirmed. No impact is typed in: each follows from the
inertia of its machine. Two pictures (PNG).

    python studies/walking.py --out results/walking

Sources: A. Goswami, B. Thuilot, B. Espiau, Int. J. Robotics Research 17 (1998), 1282-1301 (the walker);
T. McGeer, Int. J. Robotics Research 9 (1990), 62-82 (the wheel); G. W. Housner, Bull. Seismological Society
of America 53 (1963), 403-417 (the block).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.optimize import brentq

import geoctrl as gc
from geoctrl.viz.style import COLOURS, quiet

STRIKE = "heel strike"
PUBLISHED_STEP = (1.0918, 0.3772, -0.2187, 0.3234)
"""The walker after a strike at three degrees, as published; on the guard to the digits shown."""
PUBLISHED_TIME = 0.7347
DEGREES = 3.0
DOUBLING = (4.3908, 4.3910)
"""Slopes (degrees) between which the gait of one step doubles."""
SPAN = (0.5, 5.0)
"""Slopes (degrees) over which the gait of one step is followed."""

Row = tuple[str, float, float]
"""A number by its name, as it is known and as it is computed."""


def machine(name: str) -> gc.EulerPoincare:
    """A machine of the catalogue."""
    return gc.models.get(name)()


def wheel_rows() -> list[Row]:
    """The wheel against its closed form, and its period against a quadrature in thirty digits."""
    wheel = machine("rimless-wheel")
    p = wheel.defaults
    D = p["I"] + p["m"] * p["l"] ** 2
    mu = (p["I"] + p["m"] * p["l"] ** 2 * np.cos(2 * p["a"])) / D
    gained = 4 * p["m"] * p["g"] * p["l"] * np.sin(p["slope"]) * np.sin(p["a"]) / D
    rate = mu * np.sqrt(gained / (1 - mu**2))
    orbit = gc.find_periodic(wheel.hybrid(), [rate + 0.1, p["slope"] - p["a"]], 0.4)
    return [
        ("wheel: rate after a strike (rad/s)", rate, orbit.x[0]),
        ("wheel: period (s)", 0.39365235427507460992, orbit.period),
        ("wheel: multiplier", mu**2, orbit.others[0].real),
    ]


def hopper_rows() -> list[Row]:
    """The hopper against its balance of energy."""
    hopper = machine("hopper")
    p, h = hopper.defaults, hopper.hybrid()
    r = p["m"] / (p["m"] + p["mf"])
    orbit = gc.find_periodic(h, h.modes["stance"].state(z_dot=-1.4, z=p["l"], k=p["k1"]), 0.42)
    return [
        (
            "hopper: depth (m)",
            2 * p["m"] * p["g"] * (1 - r**2) / (p["k1"] - r**2 * p["k2"]),
            p["l"] - orbit.states[1][1],
        ),
        ("hopper: speed before take off (m/s)", 1.71639245547878, orbit.states[2][0] / r),
        ("hopper: multiplier", 0.890434782608696, orbit.others[0].real),
    ]


def block_rows() -> list[Row]:
    """The part of its rate that a block keeps, against Housner's."""
    block = machine("rocking-block")
    b, h = block.defaults["b"], block.defaults["h"]
    (rock, *_) = gc.simulate(block.hybrid(), 2.5, [0, 0.15]).jumps
    return [("block: part of the rate kept", 1 - 1.5 * b**2 / (b**2 + h**2), rock.after[0] / rock.before[0])]


def walker_rows(step: gc.HybridOrbit) -> list[Row]:
    """The gait at three degrees against the published one, and multipliers at two slopes against enclosures.

    The loss was computed apart, from two descriptions in twenty digits.
    """
    labels = step.system.state_labels
    rows = [
        (f"walker: {name} after a strike", known, value)
        for name, known, value in zip(labels, PUBLISHED_STEP, step.x, strict=True)
    ]
    rows += [
        ("walker: period (s)", PUBLISHED_TIME, step.period),
        ("walker: energy lost (J)", 5.49251737515626, step.lost[0]),
    ]
    for degrees, known in zip(DOUBLING, (-0.99990005805, -1.00010349374), strict=True):
        rows.append((f"walker: multiplier at {degrees:.4f} deg", known, least(gait_on(step, degrees))))
    return rows


def gait_on(near: gc.HybridOrbit, degrees: float) -> gc.HybridOrbit:
    """The gait on a slope near one of as many steps on another."""
    return gc.find_periodic(
        near.system, near.x, near.periods, params={"slope": np.radians(degrees)}, jumps=near.jumps
    )


def gaits_over(near: gc.HybridOrbit, slopes: Iterable[float]) -> list[gc.HybridOrbit]:
    """Gaits on slopes, each found from the one before."""
    found = []
    for degrees in slopes:
        near = gait_on(near, degrees)
        found.append(near)
    return found


def slope_of(gait: gc.HybridOrbit) -> float:
    """Degrees."""
    return float(np.degrees(gait.params["slope"]))


def least(gait: gc.HybridOrbit) -> float:
    """The least real part of the multipliers."""
    return float(gait.others.real.min())


def doubling_between(low: gc.HybridOrbit, high: gc.HybridOrbit) -> float:
    """The slope (degrees) at which a multiplier of the gait passes -1."""
    return float(brentq(lambda degrees: least(gait_on(low, degrees)) + 1, slope_of(low), slope_of(high)))


def doubled_gait(near: gc.HybridOrbit) -> gc.HybridOrbit:
    """The gait of twice as many steps to which the walker settles beside one that is unstable."""
    steps = 2 * len(near.jumps)
    run = gc.simulate(near.system, [0, 60], near.x * 1.001, params=near.params)
    last = run.jumps[-steps - 1 :]
    times = np.diff([jump.time for jump in last])
    return gc.find_periodic(near.system, last[0].after, times, params=near.params, jumps=[STRIKE] * steps)


def followed_gaits(step: gc.HybridOrbit, points: int) -> tuple[list[list[gc.HybridOrbit]], list[float]]:
    """Gaits of one, two and four steps over the slope, and the slopes at which the first two double."""
    down, up = (gaits_over(step, np.linspace(DEGREES, end, 3 * points)) for end in SPAN)
    families, doublings = [[*down[:0:-1], *up]], []
    for start, end in ((4.5, 5.0), (4.95, 5.0)):
        parents = families[-1]
        high = next(gait for gait in parents if least(gait) < -1)
        low = parents[parents.index(high) - 1]
        born = doubling_between(low, high)
        settled = doubled_gait(gait_on(high, start))
        roots = np.linspace(np.sqrt(start - born), 0.02, points)
        below = gaits_over(settled, born + roots**2)
        above = gaits_over(settled, np.linspace(start, end, points))
        families.append([*below[:0:-1], *above])
        doublings.append(born)
    return families, doublings


def foot_height(step: gc.HybridOrbit, points: int = 401) -> tuple[np.ndarray, np.ndarray, Any]:
    """Times, distances (m) of the swing foot from the ground, and the run of a step."""
    run = gc.simulate(step.system, np.linspace(0, step.period, points)[:-1], step.x, params=step.params)
    slope = np.radians(slope_of(step))
    return run.time, np.cos(run["st"] - slope) - np.cos(run["sw"] - slope), run


def proofs(near: gc.HybridOrbit) -> dict[float, gc.orbits.HybridOrbitEnclosure]:
    """The gait of one step at three degrees and on both sides of its doubling, proved, by slopes."""
    gaits = gaits_over(near, (DEGREES, 3.7, *DOUBLING))
    return {slope_of(gait): gait.enclose() for gait in gaits if gait is not gaits[1]}


def told(rows: Sequence[Row]) -> None:
    """A line for each number: known, computed, and their difference."""
    print(f"{'':38}{'known':>18}{'computed':>18}{'difference':>12}")
    for name, known, value in rows:
        print(f"{name:38}{known:18.12g}{value:18.12g}{value - known:12.1e}")


def draw_gait(step: gc.HybridOrbit) -> Figure:
    """The legs over one step, their motion in the phase plane, and the foot that scrapes."""
    time, height, run = foot_height(step)
    figure = Figure(figsize=(10.4, 6.4), layout="constrained")
    axes = figure.subplot_mosaic([["legs", "legs"], ["phase", "foot"]], height_ratios=[1, 1.5])
    _draw_legs(axes["legs"], run["st"], run["sw"], np.radians(slope_of(step)))
    _draw_phase(axes["phase"], run)
    foot = axes["foot"]
    foot.plot(time, 1e3 * height, color=COLOURS[0])
    foot.fill_between(time, 1e3 * height, 0, where=height < 0, color=COLOURS[1], alpha=0.35)
    foot.axhline(0, color="black", linewidth=0.8)
    foot.annotate(
        f"{-1e3 * height.min():.1f} mm under the ground",
        (time[height.argmin()], 1e3 * height.min()),
        (0.42, 0.03),
        textcoords="axes fraction",
        color=COLOURS[1],
        fontsize=9,
    )
    quiet(foot, title="swing foot over a step", xlabel="time (s)", ylabel="distance h from the ground (mm)")
    figure.suptitle(
        f"Gait of the compass walker on a slope of {slope_of(step):g} degrees: a step of "
        f"{step.period:.4f} s, {step.lost[0]:.4f} J lost at each strike",
        fontsize=10,
    )
    return figure


def _draw_legs(axes: Axes, st: np.ndarray, sw: np.ndarray, slope: float) -> None:
    """Both legs at some instants of a step, one beside the other, down the slope."""
    apart, shown = 0.75, np.linspace(0, st.size - 1, 9).astype(int)
    down = np.array([np.cos(slope), -np.sin(slope)])
    for place, k in enumerate(shown):
        foot = apart * place * down
        hip = foot + np.array([np.sin(st[k]), np.cos(st[k])])
        swing = hip - np.array([np.sin(sw[k]), np.cos(sw[k])])
        axes.plot(*np.transpose([hip, swing]), color=COLOURS[1], label=None if place else "swing leg")
        axes.plot(*np.transpose([foot, hip]), color=COLOURS[0], label=None if place else "stance leg")
        axes.plot(*hip, "o", color="black", markersize=6)
    ground = np.outer([-0.8, apart * (len(shown) - 1) + 0.8], down)
    axes.plot(*ground.T, color="black", linewidth=0.8)
    axes.set_aspect("equal")
    quiet(axes, title="nine instants of a step, moved apart", xlabel="(m)", ylabel="(m)")
    axes.legend(fontsize=8, loc="lower left")


def _draw_phase(axes: Axes, run: Any) -> None:
    """One leg through its step on the ground and its step in the air; strikes are dotted."""
    angles, rates = (
        [np.degrees(run[name]) for name in names] for names in (("st", "sw"), ("st_dot", "sw_dot"))
    )
    for k, name in enumerate(("stance", "swing")):
        axes.plot(angles[k], rates[k], color=COLOURS[k], label=name)
        ends = [(row[k][-1], row[1 - k][0]) for row in (angles, rates)]
        axes.plot(*ends, ":", color="black", label=None if k else "strike")
    quiet(
        axes,
        title="both steps of one leg",
        xlabel="angle to the vertical (degrees)",
        ylabel="rate (degrees/s)",
    )
    axes.legend(fontsize=8, loc="lower left")


def draw_slopes(families: list[list[gc.HybridOrbit]], doublings: list[float]) -> Figure:
    """Times of the steps and multipliers over the slope."""
    figure = Figure(figsize=(10.4, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for k, family in enumerate(families):
        slopes = np.array([slope_of(gait) for gait in family])
        stable = np.array([gait.verdict is gc.Verdict.NUMERICALLY_STABLE for gait in family])
        times = np.array([np.sort(gait.periods) for gait in family])
        name = f"{2**k} step{'s' * (k > 0)}"
        left.plot(slopes, times, "--", color=COLOURS[k], linewidth=0.9)
        left.plot(slopes, np.where(stable[:, None], times, np.nan), color=COLOURS[k], linewidth=1.6)
        left.plot([], [], color=COLOURS[k], label=name)
        largest = [max(gait.others, key=abs) for gait in family]
        right.plot(slopes, np.abs(largest), color=COLOURS[k], linewidth=1.3, label=name)
    right.axhline(1, color="black", linewidth=0.8)
    for axes in (left, right):
        for born in doublings:
            axes.axvline(born, color="black", linestyle=":", linewidth=0.8)
        axes.legend(fontsize=8, loc="upper left", title="gait of", title_fontsize=8)
    quiet(left, title="dashed where unstable", xlabel="slope (degrees)", ylabel="time of a step (s)")
    quiet(
        right,
        title="largest multiplier of the gait",
        xlabel="slope (degrees)",
        ylabel="modulus of the multiplier",
    )
    figure.suptitle(
        f"Gaits of the compass walker over the slope: they double at {doublings[0]:.4f} "
        f"and {doublings[1]:.4f} degrees",
        fontsize=10,
    )
    return figure


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=Path("results/walking"), help="folder for the figures")
    parser.add_argument("--points", type=int, default=11, help="gaits on each side of a start")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    walker = machine("compass-walker").hybrid()
    step = gc.find_periodic(walker, PUBLISHED_STEP, PUBLISHED_TIME, jumps=[STRIKE])
    step = gait_on(step, DEGREES)
    told([*wheel_rows(), *hopper_rows(), *block_rows(), *walker_rows(step)])
    print(step)
    for degrees, proof in proofs(step).items():
        path = args.out / f"walker_{degrees:.4f}.json"
        proof.to_json(path)
        print(f"{degrees:.4f} degrees, {gc.verify(path).verdict} by {path.name}: {proof.period.str(30)} s")
        print("  multipliers:", ", ".join(z.str(12) for z in proof.multipliers))
    draw_gait(step).savefig(args.out / "walking_gait.png", dpi=160)
    families, doublings = followed_gaits(step, args.points)
    for k, born in enumerate(doublings):
        print(f"gaits of {2**k} step{'s' * (k > 0)} double at {born:.9f} degrees")
    draw_slopes(families, doublings).savefig(args.out / "walking_slopes.png", dpi=160)
    print(f"figures in {args.out}")


if __name__ == "__main__":
    main()
