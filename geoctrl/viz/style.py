"""What all figures share: colours that colour-blind readers can tell apart, quiet axes, labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from geoctrl.systems import EulerPoincare

__all__ = [
    *("COLOURS", "DASHES", "axis_label", "mathtext", "new_axes", "parameter_text", "plain_text", "quiet"),
    "require_trajectory",
]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's palette without its yellow, which is too light for lines."""

DASHES = ("-", "--", "-.", ":")
"""Second code next to the colour, for print without colours and for lines beyond the palette."""

_GREEK = {
    *(
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "phi",
        "psi",
        "omega",
        "mu",
        "xi",
        "rho",
        "sigma",
        "tau",
    ),
    *("epsilon", "zeta", "iota", "upsilon"),
    *("Gamma", "Delta", "Theta", "Phi", "Psi", "Omega", "Xi", "Pi", "Sigma", "lambda", "kappa", "nu", "chi"),
}


def mathtext(label: str) -> str:
    """A label in mathematical type: ``Gamma3`` and ``theta_dot``; anything else as the text that it is."""
    match = re.fullmatch(r"(\|?)([A-Za-z]+?)(\d*)(?:_(dot|\d+|[A-Za-z]+))?(\|\^2)?", label)
    if match is None or bool(match[1]) != bool(match[5]):
        return plain_text(label)
    name = (
        rf"\{match[2]}"
        if match[2] in _GREEK
        else match[2]
        if len(match[2]) == 1
        else rf"\mathrm{{{match[2]}}}"
    )
    last = match[4] or ""
    if last == "dot":
        name, last = rf"\dot{{{name}}}", ""
    elif last in _GREEK:
        last = rf"\{last}"
    index = ",".join(part for part in (match[3], last) if part)
    text = rf"{name}_{{{index}}}" if index else name
    return rf"$|{text}|^2$" if match[1] else f"${text}$"


def axis_label(label: str, units: Mapping[str, str]) -> str:
    """A label in mathematical type with its unit, where that is known."""
    return mathtext(label) + (f" ({plain_text(units[label])})" if label in units else "")


def plain_text(name: str) -> str:
    """A name as text, whatever it is made of: dollars do not begin formulas."""
    return name.replace("$", r"\$")


def parameter_text(mechanism: EulerPoincare, columns: int = 110) -> str:
    """Values of the parameters with their units, for below the title of a figure."""
    units = {p.name: p.unit.replace("^2", "²") for p in mechanism.parameters}
    named = (f"{name} = {value:g} {units[name]}".strip() for name, value in mechanism.defaults.items())
    return fill(", ".join(named), columns)


def require_trajectory(traj: Any) -> None:
    """TypeError for what is no trajectory."""
    if not hasattr(traj, "time") or not hasattr(traj, "state_labels"):
        raise TypeError(f"traj must be a trajectory, as simulate gives it, got {type(traj).__name__}")


def new_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes given, or those of a new figure; TypeError if they are none."""
    if ax is not None:
        if not hasattr(ax, "plot"):
            raise TypeError(f"ax must be matplotlib axes, got {type(ax).__name__}")
        return ax
    import matplotlib.pyplot as plt

    _, made = plt.subplots(figsize=size, layout="constrained")
    return made


def quiet(ax: Axes, title: str | None = None, **labels: Any) -> None:
    """Grid behind the data, two spines, labels and title."""
    ax.grid(True, color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.set(**labels)
    if title is not None:
        ax.set_title(title)
