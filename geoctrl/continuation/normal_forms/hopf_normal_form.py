r"""The normal form of a Hopf point on its leaf, in balls, and whether its orbits attract.

With :math:`A q = i\omega q`, :math:`A^T p = -i\omega p`, :math:`\langle p, q\rangle = \bar p \cdot q = 1` and
second and third derivatives B and C of the rates,

.. math::

    G = \langle p,\; C(q, q, \bar q) + 2 B(q, h_{11}) + B(\bar q, h_{20})\rangle, \qquad
    h_{20} = (2 i\omega - A)^{-1} B(q, q),

    \begin{pmatrix} A \\ Dg \end{pmatrix} h_{11} =
    \begin{pmatrix} -B(q, \bar q) \\ -D^2 g\,(q, \bar q) \end{pmatrix}, \qquad
    \mu = \langle p, \tfrac{dA}{ds}\, q\rangle ,

where g are the relations of the leaf and the conserved functions, and s is what the curve of equilibria goes
along. On the centre manifold :math:`\dot z = (i\omega + \mu\,\delta s) z + \tfrac12 G\, z|z|^2`, so that an
orbit with :math:`|z| = \varepsilon` has

.. math::

    s = s^* + p_2 \varepsilon^2, \quad T = \frac{2\pi}{\omega} + T_2\varepsilon^2, \quad
    p_2 = -\frac{\mathrm{Re}\,G}{2\,\mathrm{Re}\,\mu}, \quad
    T_2 = -\frac{2\pi}{\omega^2}\Bigl(\mathrm{Im}\,\mu\,p_2 + \tfrac12\mathrm{Im}\,G\Bigr),

to that order, and attracts on the manifold where :math:`l_1 = \mathrm{Re}\,G/(2\omega)` is negative
(Kuznetsov 2004, chapter 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nextafter
from typing import Any

import numpy as np
from flint import arb, ctx

from geoctrl._checks import nearest
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars.arithmetic.ball_matrices import middles
from geoctrl._scalars.arithmetic.magnitudes import binary
from geoctrl.analysis.invariants.invariants import check_invariant
from geoctrl.analysis.linear.linearization import linearization_at
from geoctrl.analysis.linear.subspaces import kernel, pivot_columns
from geoctrl.continuation.normal_forms.field_series import FieldSeries
from geoctrl.continuation.normal_forms.hopf_coefficients import HopfCoefficients
from geoctrl.continuation.normal_forms.hopf_point import (
    CurveEquations,
    HopfPair,
    enclosed_pair,
    motion_on_level,
    pair_in_middles,
    rows_of_length_one,
)
from geoctrl.errors import EquilibriumError, GeoctrlError, LabelError
from geoctrl.orbits.enclosures.enclosure import eigenvalue_balls
from geoctrl.orbits.enclosures.expressions_in_balls import Given, UnprovedError, ball
from geoctrl.systems import Equilibrium, System
from geoctrl.systems.contract.tolerances import INDEPENDENT

__all__ = ["HopfNormalForm", "hopf_normal_form"]

_BITS = 192
_SECONDS = 20.0
"""For the proof that a function is conserved."""
_NOT_DECIDED = "nothing is proved of it, and these numbers are of floats"


@dataclass(frozen=True, eq=False)
class HopfNormalForm:
    r"""The normal form of a Hopf point; made by `Change.normal_form`.

    To first order its orbits are :math:`x = x^* + 2\varepsilon\,\mathrm{Re}(q\,e^{i\theta})`, with the value
    :math:`s^* + p_2\varepsilon^2` of what the branch goes along and the period
    :math:`2\pi/\omega + T_2\varepsilon^2`.

    Attributes
    ----------
    system : System
    along : str
        The state or parameter s that the value is of.
    value : float
        s at the Hopf point.
    point : Equilibrium
    omega : float
        Frequency of the pair (rad/s).
    l1 : float
        First Lyapunov coefficient. Its sign alone does not depend on the scale of q.
    p2, T2 : float
        By which value and period change with :math:`\varepsilon^2`.
    q : ndarray (n,)
        The vector of the pair, complex, with the entry one in the state of `amplitude`.
    adjoint : ndarray (n,)
        p, with :math:`\bar p \cdot q = 1`.
    tangent : ndarray (n,)
        By which the equilibrium moves with s.
    amplitude : (str, float)
        A state and the factor, two, with which :math:`\varepsilon` is its amplitude. States have units, and a
        vector of several of them no norm: q is one in this state.
    criticality : str
        "supercritical": the orbits attract on the centre manifold; "subcritical": they repel there; both
        proved. Else "undecided".
    bounds : dict of name -> (low, high)
        Of value, omega, l1, p2 and T2, where they are proved; else empty.
    unproved : str
        Why nothing is proved; empty where it is.
    claim : str
        What holds, in words.
    """

    system: Any
    along: str
    value: float
    point: Equilibrium
    omega: float
    l1: float
    p2: float
    T2: float
    q: np.ndarray
    adjoint: np.ndarray
    tangent: np.ndarray
    amplitude: tuple[str, float]
    criticality: str
    bounds: dict[str, tuple[float, float]]
    unproved: str
    claim: str

    @property
    def period(self) -> float:
        """Of the orbits as they vanish (s)."""
        return 2 * np.pi / self.omega

    def _lines(self) -> list[str]:
        state, factor = self.amplitude
        return [
            f"<HopfNormalForm at {self.along} = {self.value:.12g}: {self.criticality}>",
            f"  l1 = {self.l1:.9g}, period {self.period:.9g} s",
            f"  orbits with {state} of amplitude {factor:g} eps: {self.along} {self.p2:+.9g} eps^2, "
            f"period {self.T2:+.9g} eps^2",
            f"  {self.claim}",
        ]

    full = full_text
    __repr__ = short_form


def hopf_normal_form(
    system: System,
    point: Equilibrium,
    curve: tuple[str, Sequence[str], float],
    omega: float,
    state: str | None,
) -> HopfNormalForm:
    """The normal form at a point in floats with a pair next to the axis, on a curve of equilibria: the state
    or parameter that it goes along, states that are held, and the width of its span.
    """
    if not system.recorded:
        raise EquilibriumError(
            "a normal form needs third derivatives, and the equations of this system are not recorded as "
            "expressions; describe it by gc.EulerPoincare or gc.VectorField"
        )
    if np.any(point.spin):
        raise EquilibriumError(
            "the point rests in axes that turn; take the reduced system, in which it rests"
        )
    if state is not None and state not in system.state_labels:
        raise LabelError(f"no state {state!r}{nearest(str(state), system.state_labels)}")
    with ctx.workprec(_BITS):
        try:
            at = _HopfPoint(system, point, curve, omega)
        except UnprovedError as error:  # functions that are not analytic
            raise EquilibriumError(f"no normal form: {error}") from None
        return at.normal_form(state)


class _HopfPoint:
    """The equations at a Hopf point in floats, in sizes of states, time and parameter."""

    def __init__(
        self, system: Any, point: Equilibrium, curve: tuple[str, Sequence[str], float], omega: float
    ) -> None:
        self._system, self._point = system, point
        self._along, held, width = curve
        labels, seen, params = list(system.state_labels), system.seen_from(None), dict(point.params)
        parameter = None if self._along in labels else self._along
        self._time = float(binary([2 * np.pi / omega])[0])
        self.sizes = list(map(float, seen.scales(point.x, point.u, params).unit))
        self._start = [float(v) for v in point.x]
        if parameter is not None:
            self.sizes.append(float(binary([width])[0]))
            self._start.append(float(params[parameter]))
        self._index = labels.index(self._along) if parameter is None else len(labels)
        self._omega = omega
        self._kept = self._conserved_functions()
        nodes = [*system.leaf.nodes, *self._kept.values()]
        given = Given(tuple(point.u), params, tuple(map(ball, self.sizes)))
        field = FieldSeries(system, nodes, given, ball(self._time), parameter)
        self._curve = self._chosen_curve(field, [labels.index(k) for k in held if k in labels], len(nodes))

    def _conserved_functions(self) -> dict[str, Any]:
        """Nodes of those that hold the levels, by name; EquilibriumError where a root zero is left."""
        system, point = self._system, self._point
        found = linearization_at(system.seen_from(None), point)
        if found.families:
            raise EquilibriumError(
                f"a root zero stands beside the pair, along {found.families[0]}: the theorem on Hopf points "
                "has none; leave that state out of the description, or hold it by a conserved function"
            )
        known = system.conserved(dict(point.params), u=point.u)
        foreign = [name for name in found.zero_modes if name not in known]
        if foreign:
            raise EquilibriumError(
                f"{foreign[0]} is conserved and has no formula; normal forms need second derivatives of what "
                "holds the levels"
            )
        return {name: known[name] for name in found.zero_modes}

    def _scaled_start(self) -> list[arb]:
        return [ball(v) / ball(d) for v, d in zip(self._start, self.sizes, strict=True)]

    def _chosen_curve(self, field: FieldSeries, held: list[int], functions: int) -> CurveEquations:
        """As many states held as leave a curve; rates left out that relations and functions tell."""
        n, relations, index = self._system.nstates, len(self._system.leaf.nodes), self._index
        try:
            J = middles(field.jacobian(self._scaled_start()).tolist())
        except UnprovedError as error:
            raise EquilibriumError(f"no normal form: {error}") from None
        K = kernel(rows_of_length_one(J[: n + relations]), INDEPENDENT)
        if not K.shape[1] or not np.linalg.norm(K[index]) > INDEPENDENT:
            raise EquilibriumError(f"no curve of equilibria goes along {self._along} here")
        if len(held) != K.shape[1] - 1:
            rest = K - np.outer(K @ K[index], K[index]) / (K[index] @ K[index])
            basis = np.linalg.svd(rest)[0][:, : K.shape[1] - 1]
            held = pivot_columns(basis.T)
        D = rows_of_length_one(J[n:, :n])
        omitted = pivot_columns(D) if functions else []
        return CurveEquations(field, n, relations, functions, index, tuple(held), tuple(omitted))

    def _pair_in_floats(self, state: str | None) -> HopfPair:
        n, x = self._system.nstates, self._scaled_start()
        A = middles(self._curve.field.jacobian(x).tolist())[:n, :n]
        roots, vectors = np.linalg.eig(A)
        i = int(np.argmin(np.abs(roots - 1j * self._omega * self._time)))
        q = vectors[:, i]
        k = int(np.argmax(np.abs(q))) if state is None else self._system.state_labels.index(state)
        if not abs(q[k]) > INDEPENDENT * float(np.max(np.abs(q))):
            raise EquilibriumError(f"{state} does not move with the pair; measure orbits by another state")
        q = q / q[k]
        return HopfPair(
            x,
            ball(float(roots[i].imag)),
            [ball(float(c.real)) for c in q],
            [ball(float(c.imag)) for c in q],
            k,
        )

    def normal_form(self, state: str | None) -> HopfNormalForm:
        """In balls where the point is proved, else the same numbers in floats."""
        middle = pair_in_middles(self._curve, self._pair_in_floats(state))
        try:
            pair = enclosed_pair(self._curve, middle)
            coefficients = HopfCoefficients(self._curve, pair)
            growing = self._roots_to_the_right(pair)
            self._require_kept()
            if not (coefficients.G.real != 0 and coefficients.mu.real != 0):
                raise UnprovedError("the first Lyapunov coefficient may be zero")
            return self._result(pair, coefficients, growing, "")
        except ZeroDivisionError:
            why = "a matrix may be singular"
        except (UnprovedError, GeoctrlError) as error:
            why = str(error)
        try:
            return self._result(middle, HopfCoefficients(self._curve, middle), 0, why)
        except (UnprovedError, ZeroDivisionError) as error:
            raise EquilibriumError(f"no normal form: {error}") from None

    def _require_kept(self) -> None:
        """Refuse relations and conserved functions that are so in floats alone."""
        system, point = self._system, self._point
        given = {k: v for k, v in point.params.items() if k != self._along}
        relations = dict(zip(system.leaf.names, system.leaf.nodes, strict=True))
        for name, node in (relations | self._kept).items():
            proof = check_invariant(
                system, node, params=given, for_all_inputs=bool(np.any(point.u)), budget=_SECONDS
            )
            if not proof.proved:
                raise UnprovedError(f"that {name} is kept along motions is not proved")

    def _roots_to_the_right(self, pair: HopfPair) -> int:
        """How many there are on the level; UnprovedError where others than the pair may lie on the axis."""
        roots = eigenvalue_balls(motion_on_level(self._curve, self._curve.field.jacobian(pair.X)))
        if sum(bool(z.real.contains(0)) for z in roots) != 2:
            raise UnprovedError("that no other root lies on the axis is not shown")
        return sum(bool(z.real > 0) for z in roots)

    def _result(self, pair: HopfPair, found: HopfCoefficients, growing: int, unproved: str) -> HopfNormalForm:
        n, k, value_size = self._system.nstates, pair.k, self.sizes[self._index]
        unit, time = ball(self.sizes[k]) ** 2, ball(self._time)
        p2 = -found.G.real / (2 * found.mu.real)
        T2 = -2 * arb.pi() * (found.mu.imag * p2 + found.G.imag / 2) / (pair.omega * pair.omega)
        numbers = {
            "value": pair.X[self._index] * ball(value_size),
            "omega": pair.omega / time,
            "l1": found.G.real / (2 * pair.omega) / unit,
            "p2": p2 * ball(value_size) / unit,
            "T2": T2 * time / unit,
        }
        floats = {name: float(c.mid()) for name, c in numbers.items()}
        kind = "undecided"
        if not unproved:
            kind = "supercritical" if found.G.real < 0 else "subcritical"
        # q is one in its state in all units; the left vector and the tangent go over as they have to.
        to_unit = np.array(self.sizes[:n]) / self.sizes[k]
        q = np.array([complex(c) for c in pair.vector]) * to_unit
        return HopfNormalForm(
            system=self._system,
            along=self._along,
            point=self._point,
            **floats,
            q=q,
            adjoint=np.array([complex(c.mid()) for c in found.p]) / to_unit,
            tangent=np.array([float(c.mid()) for c in found.tangent[:n]])
            * np.array(self.sizes[:n])
            / value_size,
            amplitude=(self._system.state_labels[k], 2.0),
            criticality=kind,
            bounds={} if unproved else {name: _outward(c) for name, c in numbers.items()},
            unproved=unproved,
            claim=self._claim(kind, p2, growing, unproved),
        )

    def _claim(self, kind: str, p2: arb, growing: int, unproved: str) -> str:
        if unproved:
            return f"{_NOT_DECIDED}: {unproved}"
        side = "above" if p2 > 0 else "below"
        leaf = " on the leaf" if self._system.leaf.names else ""
        level = f" on the level of {', '.join(self._kept)}" if self._kept else leaf
        attracts = kind == "supercritical"
        orbits = f"are asymptotically stable{level}" if attracts and not growing else "are unstable"
        return (
            "one Hopf point lies in a box about this one (Krawczyk): a simple pair of roots crosses the axis "
            f"there, and no other root{level} lies on it; the first Lyapunov coefficient is "
            f"{'negative' if attracts else 'positive'}: periodic orbits leave it for {self._along} {side} "
            f"the value, and near it they {orbits}"
        )


def _outward(c: arb) -> tuple[float, float]:
    """Doubles around a ball."""
    return nextafter(float(c.lower()), -inf), nextafter(float(c.upper()), inf)
