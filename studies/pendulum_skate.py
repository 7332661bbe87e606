"""The pendulum skate from its description to a certified closed loop.

Derives the equations, finds the equilibria, compares every figure of the paper with what is computed here
(misprints included), synthesises the rotor's law, certifies it, simulates 100 s, and writes figures (PNG),
tables (text) and the certificate (JSON).

    python studies/pendulum_skate.py --out results

[GO] is J. S. Garcia and T. Ohsawa, Controlled Lagrangians and stabilization of Euler-Poincare equations with
symmetry breaking nonholonomic constraints (2024).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sympy as sp

import geoctrl as gc
from geoctrl.viz.style import COLOURS, parameter_text, quiet

TILT = 0.1
"""Initial tilt of [GO] (59), rad."""


class Row(NamedTuple):
    """One line of the comparison."""

    item: str
    published: str
    computed: str
    agrees: bool


class Report:
    """What is printed, kept for the file; the section at work is shown on a terminal."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.started = time.perf_counter()

    def line(self, text: str = "") -> None:
        print(text)
        self.text.append(text)

    @contextmanager
    def section(self, title: str) -> Iterator[None]:
        if sys.stderr.isatty():
            print(f"\033[2m... {title} ({time.perf_counter() - self.started:.1f} s)\033[0m", file=sys.stderr)
        self.line()
        self.line(title)
        self.line("=" * len(title))
        yield

    def table(self, rows: list[Row]) -> None:
        """``published | computed``, every line marked."""
        head = Row("", "published", "computed", True)
        widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(3)]
        for r in [head, *rows]:
            mark = " " if r is head else "=" if r.agrees else "!"
            cells = [str(c).ljust(w) for c, w in zip(r[:3], widths, strict=True)]
            self.line(f" {mark} {cells[0]}  {cells[1]} | {cells[2]}".rstrip())
            if r is head:
                self.line("   " + "-" * widths[0] + "  " + "-" * widths[1] + " | " + "-" * widths[2])


def initial_state(system: gc.ReducedSystem) -> np.ndarray:
    """[GO] (59): a small perturbation of sliding at 1 m/s."""
    omega = (0.1, 0.1 * np.tan(TILT), 0.1)
    return system.project([*omega, 1, 0, 0], {"Gamma": (0, np.sin(TILT), np.cos(TILT))})


def fall(system: gc.ReducedSystem, horizon: float = 3.0) -> gc.Trajectory:
    """Run until the skate lies on the ice, Gamma3 = 0."""
    event = gc.Event(sp.Symbol("Gamma3", real=True), terminal=True)
    grid = np.linspace(0.0, horizon, 601)
    return gc.simulate(system, grid, initial_state(system), events={"fall": event})


# -- the parts --------------------------------------------------------------------------------------


def equations(report: Report, skate: gc.ReducedSystem, plant: gc.ReducedSystem) -> None:
    with report.section("Equations of motion"):
        report.line("Free skate, [GO] (38):")
        report.line(str(skate.equations()))
        report.line()
        report.line("Energy: " + str(skate.equations().energy))
        report.line("Invariants, proved modulo the leaf |Gamma| = 1:")
        for name in skate.candidate_invariants:
            proof = gc.check_invariant(skate, name)
            report.line(f"  {name}: {'proved for all parameters' if proof.proved else proof.remainder}")
        report.line()
        report.line("With a rotor about the blade (theta_dot its rate, u_theta the torque on it):")
        report.line(str(plant.equations()))


def equilibria(report: Report, skate: gc.ReducedSystem, quick: bool) -> list[tuple[float, float, bool]]:
    """Sliding, spinning, and the family of leaning turns with its stability: (tilt, yaw rate, unstable)."""
    with report.section("Relative equilibria"):
        report.line(f"  sliding   {gc.find_equilibrium(skate, fixed={'v3': 1.0, 'v2': 0.0, 'Gamma3': 1.0})}")
        report.line(f"  spinning  {gc.find_equilibrium(skate, fixed={'v2': 5.0, 'Gamma3': 1.0})}")
        report.line("  leaning turns: tilt phi and yaw rate v2 held, speed v3 found")
        for rate in (4.0, 5.0, 6.0):
            turn = leaning_turn(skate, 0.2, rate)
            verdict = gc.certify(skate, turn).verdict
            report.line(f"    phi = 0.20 rad, v2 = {rate:.0f} rad/s: v3 = {turn['v3']: .6f} m/s, {verdict}")
        turns = []
        count = 6 if quick else 16
        for rate in np.linspace(2.0, 9.0, count):
            for tilt in np.linspace(0.03, 0.63, count):
                lin = gc.linearize(skate, leaning_turn(skate, tilt, rate))
                turns.append((tilt, rate, bool(np.max(lin.eigenvalues.real) > 1e-6)))
        unstable = sum(u for *_, u in turns)
        report.line(f"    on a grid of {len(turns)}, {unstable} are unstable (figure leaning_turns.png)")
    return turns


def leaning_turn(skate: gc.ReducedSystem, tilt: float, rate: float) -> gc.Equilibrium:
    """Steady motion on a circle, the blade turning at the given rate while the skate leans."""
    guess = [0.0, rate, -tilt * rate, np.sin(tilt), np.cos(tilt)]
    return gc.find_equilibrium(skate, guess, fixed={"v2": rate, "Gamma2": float(np.sin(tilt))})


def published_numbers(report: Report, skate: gc.ReducedSystem, mech: gc.EulerPoincare) -> gc.Trajectory:
    """Eigenvalues, propositions, bound, fall time."""
    with report.section("Published and computed ('=' agree, '!' differ)"):
        p = dict(skate.params)
        m, l, g, I1, I2, I3 = (p[k] for k in ("m", "l", "g", "I1", "I2", "I3"))  # noqa: E741
        rows = []
        sliding = gc.linearize(skate, skate.equilibrium("sliding", Y0=1.0))
        formula = np.sqrt(m * g * l / (I1 + m * l**2))
        rows.append(
            Row(
                "sliding: eigenvalues, Prop. 15",
                f"0, 0, 0, +-sqrt(mgl/(I1+ml^2)) = +-{formula:.6f}",
                f"0 (leaf), 0, 0 ({', '.join(sliding.zero_modes)}), +-{max(sliding.eigenvalues.real):.6f}",
                bool(np.isclose(max(sliding.eigenvalues.real), formula, rtol=1e-12)),
            )
        )
        spin = gc.linearize(skate, skate.equilibrium("spinning", Omega0=5.0))
        square = (m * g * l - (I3 + m * l**2 - I2) * 25.0) / (I1 + m * l**2)
        rows.append(
            Row(
                "spinning at 5 rad/s: eigenvalues",
                f"0, 0, 0, +-sqrt({square:.6f})",
                f"0, 0, 0, +-{max(spin.eigenvalues.imag):.6f} i",
                bool(np.isclose(-(max(spin.eigenvalues.imag) ** 2), square, rtol=1e-12)),
            )
        )
        spinning = gc.stability_conditions(skate, "spinning")
        Omega0 = spinning.family_symbols[0]
        symbol = {s.name: s for s in spinning.symbols}
        published = (symbol["I3"] + symbol["m"] * symbol["l"] ** 2 - symbol["I2"]) * Omega0**2
        published -= symbol["m"] * symbol["g"] * symbol["l"]
        same = len(spinning.stable) == 1 and sp.expand(spinning.stable[0].lhs - published) == 0
        rows.append(
            Row(
                "Prop. 14 (ii): spinning stable if",
                "I3+ml^2 > I2, |Omega0| > sqrt(mgl/(I3+ml^2-I2))",
                str(spinning.solve_for("Omega0")).replace("&", "and"),
                same,
            )
        )
        rows.append(
            Row(
                "Prop. 14 (i): spinning unstable if",
                "I3+ml^2 < I2",
                " or ".join(map(str, spinning.unstable)) + " (slow spin too)",
                True,
            )
        )
        threshold = float(np.sqrt(m * g * l / (I3 + m * l**2 - I2)))
        flips = [
            gc.certify(skate, skate.equilibrium("spinning", Omega0=threshold * f)).verdict.name
            for f in (1 - 1e-6, 1 + 1e-6)
        ]
        rows.append(
            Row(
                "  threshold with the data of 7.2",
                f"{threshold:.7f} rad/s",
                f"{flips[0]} below, {flips[1]} above (1e-6)",
                flips == ["PROVED_UNSTABLE", "PROVED_STABLE"],
            )
        )
        always = gc.stability_conditions(skate, "sliding")
        rows.append(
            Row(
                "Prop. 15: sliding",
                "always unstable",
                f"unstable: {always.unstable[0]}",
                always.unstable[0] == sp.true,
            )
        )
        design = gc.match(mech).design_sigma("sliding")
        lower = -(symbol_like(mech, "J1") ** 2) / (
            symbol_like(mech, "I1") + symbol_like(mech, "m") * symbol_like(mech, "l") ** 2
        )
        rows.append(
            Row(
                "Prop. 19: controlled sliding stable if",
                "-J1^2/(I1+ml^2) < sigma < 0",
                str(design.condition).replace("&", "and"),
                design.bounds is not None
                and sp.simplify(design.bounds[0] - lower) == 0
                and design.bounds[1] == 0,
            )
        )
        number = float(lower.subs({q.symbol: q.default for q in mech.parameters}))
        rows.append(
            Row("  bound with the data of 7.3", "-1.10e-5", f"{number:.6e}", round(number * 1e7) == -110)
        )
        free = fall(skate)
        rows.append(
            Row(
                "Figure 4: free skate falls (Gamma3 = 0) at",
                "1.025 s",
                f"{free.events['fall'].time[0]:.11f} s",
                abs(free.events["fall"].time[0] - 1.025) < 5e-4,
            )
        )
        report.table(rows)
    return free


def symbol_like(mech: gc.EulerPoincare, name: str) -> sp.Symbol:
    return next(p.symbol for p in mech.parameters if p.name == name)


def errata(report: Report, skate: gc.ReducedSystem, mech: gc.EulerPoincare, law: gc.FeedbackLaw) -> None:
    """Misprints of [GO], each with the computation that shows it."""
    with report.section("Errata of [GO]"):
        rows = []
        values = {p.name: p.symbol for p in mech.parameters}
        m, l, I1, J1 = (values[k] for k in ("m", "l", "I1", "J1"))  # noqa: E741
        numerator = law.expr[0] * (I1 + m * l**2 + J1**2 / sp.Symbol("sigma", real=True))
        numerator = sp.simplify(numerator * sp.Symbol("sigma", real=True) / J1**2)
        printed = J1**2 / sp.Symbol("sigma", real=True) * numerator / (I1 + m * l**2)
        printed = printed.subs(sp.Symbol("sigma", real=True), sp.Rational(-1, 100000))
        loops = {
            "law (56) as printed": mech.replace(feedback={"u_theta": printed}),
            "u = 0, m = 3 kg": mech.replace(feedback={"u_theta": 0}),
        }
        times = {k: float(fall(v.reduce()).events["fall"].time[0]) for k, v in loops.items()}
        rows.append(
            Row(
                "(56): denominator",
                "I1+ml^2",
                f"I1+ml^2+J1^2/sigma; as printed it falls at {times['law (56) as printed']:.4f} s, "
                f"without control at {times['u = 0, m = 3 kg']:.4f} s",
                False,
            )
        )
        declared = skate.mechanism.invariants
        body = {p.name: p.symbol for p in skate.mechanism.parameters}
        G2, p1 = sp.Symbol("Gamma2", real=True), skate.mechanism.algebra.mu[3]
        ratio = (body["I2"] - body["I3"]) / body["I3"]
        angle = declared["C1"] * sp.atan(sp.sqrt(ratio) * G2)
        right = p1 / body["m"] + body["l"] / sp.sqrt(body["I3"] * (body["I2"] - body["I3"])) * angle
        wrong = p1 / body["m"] + body["l"] / (body["I3"] * (body["I2"] - body["I3"])) * angle
        numbers = {"I2": 0.4, "I3": 0.1}
        proofs = [gc.check_invariant(skate, e, params=numbers).proved for e in (right, wrong)]
        rows.append(
            Row(
                "(37): prefactor",
                "l/(I3 (I2-I3))",
                f"l/sqrt(I3 (I2-I3)): proved {proofs[0]}; as printed: {proofs[1]}",
                False,
            )
        )
        velocity = sp.Matrix(mech.algebra.xi)
        kinetic = (velocity.T * mech.inertia * velocity)[0] / 2
        coefficient = sp.expand(kinetic).coeff(velocity[3], 2)
        rows.append(Row("(55): term in |Y|^2", "m |Y|^2", f"({coefficient}) |Y|^2", False))
        W, p = 5.0, skate.params
        spin = gc.linearize(skate, skate.equilibrium("spinning", Omega0=W))
        centre = p["m"] * p["l"] ** 2
        right_entry = (p["m"] * p["g"] * p["l"] + (p["I2"] + centre - p["I3"]) * W**2) / (p["I1"] + centre)
        printed_entry = (p["m"] * p["g"] * p["l"] - (p["I3"] + centre - p["I2"]) * W**2) / (p["I1"] + centre)
        rows.append(
            Row(
                "A.1: Df[1, 4] at 5 rad/s",
                f"{printed_entry:.6f}",
                f"{spin.A[0, 3]:.6f} = (mgl+(I2+ml^2-I3)W^2)/(I1+ml^2)",
                bool(np.isclose(spin.A[0, 3], printed_entry)) or not np.isclose(spin.A[0, 3], right_entry),
            )
        )
        kernel = gc.certify(skate, skate.equilibrium("spinning", Omega0=W)).evidence["kernel"]
        rows.append(
            Row(
                "A.1: kernel of the gradients",
                "span{e1, e4}",
                " and ".join(_vector(w) for w in kernel),
                False,
            )
        )
        slow = gc.certify(skate, skate.equilibrium("spinning", Omega0=1.0)).verdict
        rows.append(Row("Prop. 14: slow spin, I3+ml^2 > I2", "silent", f"{slow}", False))
        rate = off_leaf_rate(skate)
        rows.append(
            Row(
                "5.2: rate of E along (38) at |Gamma| = 1.2",
                "0 (an invariant)",
                f"{rate:.4f}; zero only on the leaf",
                False,
            )
        )
        report.table(rows)


def _vector(entries: list[str]) -> str:
    return "(" + ", ".join(f"{float(sp.Rational(e)):g}" for e in entries) + ")"


def off_leaf_rate(skate: gc.ReducedSystem) -> float:
    """Rate of the energy (30) along the published field (38) at a state off the leaf."""
    p = skate.params
    v1, v2, v3 = 0.3, 0.7, 0.9
    G2, G3 = 1.2 * np.sin(0.4), 1.2 * np.cos(0.4)
    weight = p["m"] * p["g"] * p["l"]
    I1bar, I2bar = p["I1"] + p["m"] * p["l"] ** 2, p["I2"] + p["m"] * p["l"] ** 2
    D = p["I2"] * G2**2 + p["I3"] * G3**2
    field = np.array(
        [
            (((I2bar - p["I3"]) * G3 * v2**2 + weight) * G2 + p["m"] * p["l"] * G3 * v2 * v3) / I1bar,
            2 * (p["I3"] - p["I2"]) * G2 * G3 * v1 * v2 / D,
            -2 * p["l"] * p["I3"] * G3 * v1 * v2 / D,
            v1 * G3,
            -v1 * G2,
        ]
    )
    x = np.array([v1, v2, v3, G2, G3])
    return float(np.imag(skate.energy(x + 1e-30j * field)) / 1e-30)


def control(report: Report, mech: gc.EulerPoincare, law: gc.FeedbackLaw, out: Path, horizon: float):
    """Certificate of the closed loop, 100 s of it in both forms."""
    with report.section("Controlled skate"):
        report.line(str(gc.match(mech)))
        report.line("Law, [GO] (53) with the closed loop's accelerations eliminated:")
        report.line(f"  u_theta = {law.expr[0]}")
        loop, full = law.closed_loop(), law.closed_loop(rotors=True)
        certificate = gc.certify(loop, loop.equilibrium("sliding", Y0=1.0))
        file = out / "sliding_closed_loop.json"
        certificate.to_json(file)
        report.line(str(certificate))
        report.line(f"verified from the file: {gc.verify(file).verdict}")
        grid = np.linspace(0.0, horizon, int(100 * horizon) + 1)
        run = gc.simulate(loop, grid, initial_state(loop), progress=True)
        start = run.states[:, 0]
        rate = run["theta_dot"][0]
        free_start = np.concatenate([start[:3], [rate], start[3:]])
        whole = gc.simulate(full, grid, free_start)
        wrong = gc.simulate(full, grid, free_start + np.array([0, 0, 0, 40.0, 0, 0]))
        report.line()
        report.line(f"{horizon:g} s with {run.engine}:")
        report.line(f"  least Gamma3               {run['Gamma3'].min():.6f}   (Figure 5: stays close to 1)")
        report.line(f"  largest torque             {np.abs(run['u_theta']).max():.3f} N m")
        report.line(f"  largest rotor rate         {np.abs(run['theta_dot']).max():.1f} rad/s")
        report.line(
            "  (the law costs that: it swings for ever, and the motor with it; a law that a motor can do is"
        )
        report.line("  found by studies/skate_controller.py)")
        report.line("  drift, relative to the larger of |value at 0| and its largest term:")
        for name, value in relative_drift(loop, run).items():
            report.line(f"    {name:<12} {value:.1e}")
        labels = [*run.state_labels, "u_theta", "theta_dot"]
        worst = max(np.max(np.abs(run[k] - whole[k])) / np.max(np.abs(run[k])) for k in labels)
        report.line(
            "  reduced loop against full rotor model, "
            f"largest difference of any signal: {worst:.1e} of its size"
        )
        worst = max(np.max(np.abs(run[k] - wrong[k])) / np.max(np.abs(run[k])) for k in run.state_labels)
        report.line(f"  rotor started 40 rad/s faster: the skate's states differ by {worst:.1e}")
    return run, certificate


def relative_drift(system: gc.ReducedSystem, run: gc.Trajectory) -> dict[str, float]:
    """Drift of each invariant over the larger of its initial value and its largest term at the start."""
    x = run.states[:, 0]
    scales = {}
    for name, node in system.conserved(run.params).items():
        (expr,) = system.to_sympy([node])
        terms = sp.Add.make_args(sp.expand(expr.doit() if name == "energy" else expr))
        values = dict(zip(system.states, x, strict=True))
        values |= {p.symbol: run.params[p.name] for p in system.mechanism.parameters}
        sizes = [abs(complex(sp.N(t.subs(values).doit()))) for t in terms]
        scales[name] = max([*sizes, abs(float(system.invariants(x, run.params)[name]))])
    return {name: value / scales.get(name, 1.0) for name, value in run.drift.items()}


def figures(
    skate: gc.ReducedSystem, free: gc.Trajectory, run: gc.Trajectory, loop_lin, turns, out: Path
) -> None:
    """Figures 4 and 5 of the paper, drift, spectra, path on the ice, leaning turns."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    def save(figure, name: str) -> None:
        figure.savefig(out / name, dpi=150)
        plt.close(figure)

    figure, axes = plt.subplots(3, 1, figsize=(7.5, 7), sharex=True, layout="constrained")
    draw_motion(axes, free, free.time <= free.time[-1])
    axes[0].set_title("Free skate: it lies on the ice at t = 1.025 s")
    figure.suptitle(parameter_text(skate.mechanism), fontsize=9)
    save(figure, "figure4_free.png")

    figure, axes = plt.subplots(3, 2, figsize=(12, 7), sharex="col", sharey="row", layout="constrained")
    draw_motion(axes[:, 0], run, run.time <= 4.0)
    draw_motion(axes[:, 1], run, run.time >= run.time[-1] - 4.0)
    axes[0, 0].set_title("Controlled skate: its first 4 s")
    axes[0, 1].set_title(f"the last 4 of {run.time[-1]:g} s")
    figure.suptitle(parameter_text(run.system.mechanism), fontsize=9)
    save(figure, "figure5_controlled.png")

    figure, axes = plt.subplots(2, 1, figsize=(7.5, 4.6), sharex=True, layout="constrained")
    for axis, label, name in zip(
        axes, ("u_theta", "theta_dot"), ("torque (N m)", "rotor rate (rad/s)"), strict=True
    ):
        first = run.time <= 4.0
        axis.plot(run.time[first], run[label][first], color="#0072B2", linewidth=1.0)
        quiet(axis, ylabel=name)
    axes[0].set_title("What the law costs: the motor of the controlled skate")
    axes[1].set_xlabel("t (s)")
    save(figure, "torque_and_rotor.png")

    figure, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
    gc.viz.drift(run, ax=axes[0], title="Drift of the invariants, closed loop")
    gc.viz.path(run, ax=axes[1], title="Path of the contact point, closed loop")
    save(figure, "drift_and_path.png")

    figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.2), layout="constrained")
    gc.viz.eigenvalues(
        gc.linearize(skate, skate.equilibrium("sliding", Y0=1.0)), ax=axes[0], title="Sliding, free"
    )
    gc.viz.eigenvalues(loop_lin, ax=axes[1], title="Sliding, closed loop")
    save(figure, "spectra.png")

    figure, axis = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
    for unstable, marker, colour in ((False, "o", "#0072B2"), (True, "x", "#D55E00")):
        points = [(np.degrees(tilt), rate) for tilt, rate, u in turns if u is unstable]
        axis.plot(
            *zip(*points, strict=True),
            marker,
            color=colour,
            label="unstable" if unstable else "no unstable mode",
            ms=4,
        )
    tilt = np.linspace(0.0, 0.66, 200)
    border = stability_boundary(skate.params, tilt)
    axis.plot(np.degrees(tilt), border, color="black", linewidth=1.2, label="closed form")
    quiet(axis, title="Leaning turns of the free skate", xlabel="lean (degrees)", ylabel="yaw rate (rad/s)")
    figure.suptitle(parameter_text(skate.mechanism), fontsize=9)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    save(figure, "leaning_turns.png")


def signals(traj: gc.Trajectory) -> list[tuple[str, dict[str, np.ndarray]]]:
    """Body rates, speed and lean by name, with the words of their axes."""
    omega = traj.system.velocity(traj.states, traj.params)
    lean = np.degrees(np.arctan2(traj["Gamma2"], traj["Gamma3"]))
    return [
        ("body rates (rad/s)", {rf"$\Omega_{i + 1}$": omega[i] for i in range(3)}),
        ("speed (m/s)", {"$Y_1$": omega[3]}),
        ("lean (degrees)", {"lean": lean}),
    ]


def draw_motion(axes, traj: gc.Trajectory, window: np.ndarray) -> None:
    """Body rates, speed and lean, as in Figures 4 and 5."""
    for axis, (words, rows) in zip(axes, signals(traj), strict=True):
        for style, colour, (name, values) in zip(("-", "--", "-."), COLOURS, rows.items(), strict=False):
            axis.plot(traj.time[window], values[window], style, color=colour, label=name, linewidth=1.0)
        quiet(axis, ylabel=words, xlabel="t (s)" if axis is axes[-1] else "")
        if len(rows) > 1:
            axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)


def stability_boundary(params: dict[str, float], tilt: np.ndarray) -> np.ndarray:
    """Yaw rate w at which a leaning turn changes stability, from the energy-Casimir form by hand:

    w^2 c^3 (I3 (m l^2 - D) + A D s^2) = m g l (I3 + D s^2 (1 + 2 c^2)), D = I2 - I3, A = I2 + m l^2 - I3.
    """
    m, l, g, I2, I3 = (params[k] for k in ("m", "l", "g", "I2", "I3"))  # noqa: E741
    s, c = np.sin(tilt), np.cos(tilt)
    D, A = I2 - I3, I2 + m * l**2 - I3
    return np.sqrt(
        m * g * l * (I3 + D * s**2 * (1 + 2 * c**2)) / (c**3 * (I3 * (m * l**2 - D) + A * D * s**2))
    )


def run(out: Path, quick: bool = False) -> gc.Certificate:
    """The whole study; returns the closed loop's certificate."""
    out.mkdir(parents=True, exist_ok=True)
    report = Report()
    skate = gc.models.get("pendulum-skate")(set="7.2").reduce()
    mech = gc.models.get("pendulum-skate-rotor")(set="7.3")
    equations(report, skate, mech.reduce())
    turns = equilibria(report, skate, quick)
    free = published_numbers(report, skate, mech)
    law = gc.match(mech).law(sigma=-1e-5)
    errata(report, skate, mech, law)
    trajectory, certificate = control(report, mech, law, out, 20.0 if quick else 100.0)
    loop = law.closed_loop()
    with report.section("Files"):
        lin = gc.linearize(loop, loop.equilibrium("sliding", Y0=1.0))
        figures(skate, free, trajectory, lin, turns, out)
        seen = trajectory.resample(np.linspace(0, 4, 201))
        rows, names = {"lean (cosine)": "Gamma3"}, ("rotor free", "rotor driven")
        gc.viz.scene(free, compare=seen, names=names, signals=rows, speed=0.5).save(out / "skate.html")
        for path in sorted({*out.iterdir(), out / "report.txt"}):
            report.line(f"  {path}")
        report.line(f"finished in {time.perf_counter() - report.started:.1f} s")
    (out / "report.txt").write_text("\n".join(report.text) + "\n", encoding="utf-8")
    return certificate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--out", type=Path, default=Path("results"), help="folder for figures, tables, certificate"
    )
    parser.add_argument("--quick", action="store_true", help="20 s instead of 100 s, fewer leaning turns")
    args = parser.parse_args()
    run(args.out, args.quick)


if __name__ == "__main__":
    main()
