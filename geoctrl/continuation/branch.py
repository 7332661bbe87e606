"""A branch of relative equilibria and what changes along it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._calls.long_calls import long_call
from geoctrl._checks import saved_text
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl.analysis.certificates.certificates import Certificate
from geoctrl.analysis.linear.linearization import linearize
from geoctrl.continuation.folds import TurningPoint
from geoctrl.continuation.normal_forms.hopf_normal_form import HopfNormalForm
from geoctrl.errors import CertificateError, EquilibriumError
from geoctrl.systems import Equilibrium
from geoctrl.verification import Verdict

__all__ = ["Branch", "Change"]


@dataclass(frozen=True, eq=False)
class Change:
    """Where a branch turns, meets another or changes its stability.

    Attributes
    ----------
    kind : str
        "fold" (the value turns), "branch point" (another curve of equilibria crosses, with the same states
        held), "Hopf point" (a pair of eigenvalues crosses the imaginary axis), "zero eigenvalue" (one crosses
        zero, or a pair meets there) or "meeting eigenvalues" (two pairs on the axis meet and leave it).
    value : float
        Of what the branch goes along, in floats.
    bracket : tuple of two floats
        An interval of it.
    rigorous : bool
        Whether `proof` says something about the bracket. Else the bracket is of floats.
    proof : str
        What is proved of the bracket, in words.
    eigenvalue : complex or None
        On the imaginary axis there; None where no eigenvalue comes to it.
    before, after : Verdict
        In the order of the branch's points: proved where the ends of the bracket are.
    point : Equilibrium
        In floats.
    certificates : tuple of Certificate or TurningPoint
        At the low and the high end of the bracket, where these prove it; of a fold, that of its turning
        point.
    """

    kind: str
    value: float
    bracket: tuple[float, float]
    rigorous: bool
    proof: str
    eigenvalue: complex | None
    before: Verdict
    after: Verdict
    point: Equilibrium
    certificates: tuple[Certificate | TurningPoint, ...] = ()
    _others: Callable[..., list[Any]] | None = field(default=None, repr=False)
    _normal_form: Callable[..., HopfNormalForm] | None = field(default=None, repr=False)

    @property
    def width(self) -> float:
        """Of the bracket."""
        return self.bracket[1] - self.bracket[0]

    @long_call
    def branches(
        self,
        span: Any = None,
        *,
        progress: bool | Callable[..., object] = False,  # noqa: ARG002
        seconds: float | None = None,  # noqa: ARG002
    ) -> list[Any]:
        """The other curves of equilibria through a branch point, followed like the first; of a Hopf point the
        branch of periodic orbits that leaves it.

        Where equilibria leave a branch point in several dimensions, as by a symmetry, states are held that
        leave one. Orbits begin at the Hopf point, also where that lies outside the span.

        Parameters
        ----------
        span : (low, high), optional
            Of the value; that of the branch by default.
        progress, seconds
            As of `certify`.

        Returns
        -------
        list of Branch or of `geoctrl.orbits.OrbitBranch`

        Raises
        ------
        EquilibriumError
            If this is neither a branch point nor a Hopf point, or nothing is found; at a Hopf point that was
            not met along a parameter.

        Examples
        --------
        The pitchfork of a bead on a hoop that turns: at :math:`W^2 = g/l` the lowest point loses its
        stability to two others.

        >>> import sympy as sp
        >>> import geoctrl as gc
        >>> phi = gc.Coordinate("phi", angle=True)
        >>> q, W = phi.symbol, gc.Parameter("W", 1.0, "rad/s", "rate of the hoop", positive=True)
        >>> L = (phi.rate**2 + W.symbol**2 * sp.sin(q)**2) / 2 + sp.Rational(981, 100) * sp.cos(q)
        >>> bead = gc.EulerPoincare(name="bead", algebra=None, shape=[phi], lagrangian=L, parameters=[W])
        >>> hoop = bead.reduce()
        >>> lowest = gc.follow(hoop, gc.find_equilibrium(hoop), along="W", span=(1, 5))
        >>> pitchfork, = lowest.changes
        >>> print(f"{pitchfork.kind} at {pitchfork.value:.9g}")
        branch point at 3.13209195
        >>> other, = pitchfork.branches()
        >>> sorted(round(abs(point["phi"]), 6) for point in (other.points[0], other.points[-1]))
        [1.167557, 1.167557]
        """
        if self._others is None:
            raise EquilibriumError(f"no other curve of equilibria crosses at a {self.kind}")
        return self._others(span)

    def normal_form(self, state: str | None = None) -> HopfNormalForm:
        r"""The normal form of a Hopf point: frequency, first Lyapunov coefficient, and how value and period
        of the orbits that leave it change with their amplitude.

        Everything is computed in balls. Where Krawczyk's test shows that there is one Hopf point near this
        one, the sign of the coefficient is proved, and `HopfNormalForm.criticality` tells it. There is no
        file of it that the checker reads.

        Parameters
        ----------
        state : str, optional
            In which amplitudes are measured; by default the one that moves most, beside its size.

        Raises
        ------
        EquilibriumError
            If this is no Hopf point, a root zero stands beside the pair, the equations are not recorded, or
            the point is not found.
        LabelError
            For what is no state.

        Notes
        -----
        Yu. A. Kuznetsov, Elements of Applied Bifurcation Theory, 3rd edition (2004), chapters 3 and 5.

        Examples
        --------
        >>> import sympy as sp
        >>> import geoctrl as gc
        >>> x, y = sp.symbols("x y", real=True)
        >>> a, r2 = gc.Parameter("a", -1.0), x**2 + y**2
        >>> field = gc.VectorField([x, y], [a*x - y - 3*x*r2, x + a*y - 3*y*r2], parameters=[a])
        >>> change, = gc.follow(field.reduce(), [0, 0], along="a", span=(-1, 1), points=5).changes
        >>> form = change.normal_form("x")
        >>> form.criticality, round(form.p2, 9)           # the circle r = 2 eps has a = 3 r^2
        ('supercritical', 12.0)
        """
        if self._normal_form is None:
            roots = linearize(self.point.system, self.point).eigenvalues
            near = roots[np.argsort(np.abs(roots.real), kind="stable")][:4]
            raise EquilibriumError(
                f"this is a {self.kind}, and normal forms are those of Hopf points; eigenvalues near the "
                f"axis: {', '.join(f'{v:.6g}' for v in near)}"
            )
        return self._normal_form(state)

    def to_json(self, path: str | Path | None = None) -> str:
        """The file of a turning point, which `geoctrl.verify` confirms, as JSON text; written to ``path``
        where one is given.

        Raises
        ------
        CertificateError
            If nothing is proved of the change, or two certificates prove it, each with a file of its own.
        TypeError
            If ``path`` is no path.

        Examples
        --------
        >>> import geoctrl as gc
        >>> skate = gc.models.get("pendulum-skate")().reduce()
        >>> turn = gc.find_equilibrium(skate, fixed={"v2": 5.0, "Gamma2": 0.3})
        >>> speeds = gc.follow(skate, turn, along="v3", span=(-2.5, -1.5), fixed=["Gamma2"], points=9)
        >>> slowest, = (change for change in speeds.changes if change.kind == "fold")
        >>> print(slowest.certificates[0].verdict)
        PROVED_TURNING_POINT
        >>> text = slowest.to_json()
        """
        if not self.certificates:
            raise CertificateError(f"nothing is proved of this {self.kind}: its bracket is of floats")
        proof, *others = self.certificates
        if others:
            raise CertificateError(
                f"this {self.kind} is proved by the certificates at both ends of its bracket; write these: "
                "change.certificates[0].to_json(path)"
            )
        return proof.to_json(path)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready content."""
        root = self.eigenvalue
        return {
            "kind": self.kind,
            "value": self.value,
            "bracket": list(self.bracket),
            "rigorous": self.rigorous,
            "proof": self.proof,
            "eigenvalue": None if root is None else [root.real, root.imag],
            "before": self.before.value,
            "after": self.after.value,
            "state": self.point.x.tolist(),
            "certificates": [c.to_dict() for c in self.certificates],
        }

    def _lines(self) -> list[str]:
        low, high = self.bracket
        of = self.proof or "of floats"
        return [f"<Change: {self.kind} in [{low:.15g}, {high:.15g}], {of}; {self.before} to {self.after}>"]

    full = full_text
    __repr__ = short_form


@dataclass(frozen=True, eq=False)
class Branch:
    """A curve of relative equilibria; made by `follow`.

    Attributes
    ----------
    system : System
    along : str
        The state, symbol of a family or parameter that it goes along.
    span : tuple of two floats
    held : dict of label -> number
        What has the same value all along: states, or the other symbols of the family.
    values : ndarray (m,)
        Of what it goes along, in the order of the curve: monotone between folds.
    points : tuple of Equilibrium
    eigenvalues : tuple of ndarray
        At each point, on the level sets of the invariants.
    verdicts : tuple of Verdict
        At each point in floats, by the spectrum alone: NUMERICALLY_UNSTABLE, NUMERICALLY_STABLE where all
        eigenvalues on the level sets decay, else SPECTRALLY_STABLE_ONLY. With ``certify=True`` that of the
        point's certificate where this proves one. What is proved else stands with the changes.
    changes : tuple of Change
    ends : tuple of two str
        Why the curve ends where it does.
    certificates : tuple of Certificate or None
        Of the points, with ``certify=True``: of the equilibrium that has the value as the double it is. None
        where none was found or could be made, or the time was up.
    """

    system: Any
    along: str
    span: tuple[float, float]
    held: dict[str, Any]
    values: np.ndarray
    points: tuple[Equilibrium, ...]
    eigenvalues: tuple[np.ndarray, ...]
    verdicts: tuple[Verdict, ...]
    changes: tuple[Change, ...]
    ends: tuple[str, str]
    certificates: tuple[Certificate | None, ...] = ()

    @property
    def states(self) -> np.ndarray:
        """States of the points by column."""
        return np.array([point.x for point in self.points]).T

    def plot(self, state: str | None = None, ax: Any = None) -> Any:
        """The branch as `geoctrl.viz.branch_diagram` draws it."""
        from importlib import import_module

        return import_module("geoctrl.viz").branches(self, state=state, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready content; the changes hold their certificates, and points those that were asked."""
        return {
            "system": self.system.name,
            "along": self.along,
            "span": list(self.span),
            "held": {k: float(v) for k, v in self.held.items()},
            "ends": list(self.ends),
            "labels": list(self.system.state_labels),
            "values": self.values.tolist(),
            "states": [point.x.tolist() for point in self.points],
            "eigenvalues": [[[v.real, v.imag] for v in map(complex, row)] for row in self.eigenvalues],
            "verdicts": [verdict.value for verdict in self.verdicts],
            "changes": [change.to_dict() for change in self.changes],
            "certificates": [None if c is None else c.to_dict() for c in self.certificates],
        }

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text; written to ``path`` where one is given; TypeError if that is no path."""
        return saved_text(json.dumps(self.to_dict(), indent=1), path)

    def _lines(self) -> list[str]:
        held = ", ".join(f"{k} = {float(v):.9g}" for k, v in self.held.items())
        lines = [
            f"<Branch of {self.system.name or 'a system'} along {self.along}: {len(self.points)} points"
            f"{f', {held} held' if held else ''}>",
            f"  from {self.ends[0]} to {self.ends[1]}",
        ]
        if self.certificates:
            words = Counter(verdict.value for verdict in self.verdicts if verdict.proved)
            counts = ", ".join(f"{count} {word}" for word, count in words.most_common())
            lines.append(f"  points by certificate: {counts or 'none proved'}")
        for change in self.changes:
            low, high = change.bracket
            proof = change.proof or "of floats"
            lines.append(f"  {change.kind} at {change.value:.12g}, within {high - low:.2g}: {proof}")
        return lines

    full = full_text
    __repr__ = short_form
