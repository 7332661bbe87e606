"""One verdict for a box of constants: the search for its parts, and for a point that contradicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import Any

import numpy as np
from flint import fmpq

from geoctrl._calls.long_calls import under_way
from geoctrl._checks import nearest
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact, plain, shown
from geoctrl.analysis.certificates.certificates import Certificate, certify
from geoctrl.analysis.certificates.proof_file import ProofFile, heading
from geoctrl.analysis.maps.map_witnesses import content_of_map, read_proofs
from geoctrl.analysis.maps.region_problem import axes_of
from geoctrl.analysis.maps.stability_map import axis_units, problem_and_proofs
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.checker import Refusal, check, digest_of
from geoctrl.checker.maps.bernstein import AxesBox, BernsteinForm, Side, to_bernstein
from geoctrl.checker.maps.region import Signs, analytic, whole
from geoctrl.checker.ranges.file import AXES
from geoctrl.checker.reader import FORMAT
from geoctrl.errors import CertificateError, InputError, ParameterError
from geoctrl.systems import Equilibrium, Family
from geoctrl.systems.contract.points import resolve_equilibrium
from geoctrl.verification import Verdict

__all__ = ["BoxCertificate", "certify_over"]

BOXES, BISECTIONS, TRIED = 2_000, 14, 6
"""Boxes that are looked at, halvings of the part that is proved, and points asked exactly, at most."""
COEFFICIENTS = 500_000
"""Exact numbers of which signs over boxes are made, at most: polynomials of many axes have thousands each."""
GIVEN = "the point that is given"
Box = tuple[Side, ...]


@dataclass(frozen=True, eq=False)
class BoxCertificate(ProofFile):
    """One verdict for all constants in a box, or why there is none: `certify` with ``over=`` makes it.

    ``bool(certificate)`` raises: ask for the verdict.

    Attributes
    ----------
    verdict : Verdict
        PROVED_STABLE, PROVED_ASYMPTOTICALLY_STABLE or PROVED_UNSTABLE where that holds on the whole closed
        box; else UNDECIDED.
    over : dict of name -> (low, high)
        The box, exactly.
    claim : str
        For each choice of constants in the box; of constants that vary in time nothing is said.
    inside : float
        The part of the box about its centre, 1 being all of it, that is proved to have one verdict.
    against : dict of name -> Fraction, or None
        A point of the box where another verdict than at the centre is proved.
    counterexample : Certificate or None
        The proof of that, with a file of its own.
    parts : float
        The part of the volume that is proved by halving.
    reason : str
        Why nothing is proved of the whole box.
    units : dict of name -> str
        Of the axes, as far as the description tells them.
    """

    verdict: Verdict
    over: dict[str, tuple[Fraction, Fraction]]
    claim: str
    inside: float
    against: dict[str, Fraction] | None
    counterexample: Certificate | None
    parts: float
    reason: str
    content: dict[str, Any] = field(repr=False, default_factory=dict)
    units: Mapping[str, str] = field(repr=False, default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """Everything that the file holds.

        Raises
        ------
        CertificateError
            If nothing is proved of the whole box.
        """
        if not self.verdict.proved:
            raise CertificateError(
                f"{self.verdict} is a report and no proof of the box, and no file holds it ({self.reason}); "
                f"ask for a smaller box, {self.inside:.4g} of this one about its centre, or take the file of "
                ".counterexample"
            )
        return self.content

    @property
    def evidence(self) -> dict[str, Any]:
        """What is known of parts of the box, JSON-ready."""
        against = None if self.against is None else {k: str(v) for k, v in self.against.items()}
        return {"inside": self.inside, "against": against, "parts": self.parts}

    def __bool__(self) -> bool:
        raise TypeError("a certificate is not a bool: compare .verdict with a gc.Verdict")

    def plot(self, ax: Any = None, title: str | None = None) -> Any:
        """Its axes, what is proved, and the point against it: `geoctrl.viz.box`."""
        return import_module("geoctrl.viz").box(self, ax, title)  # figures are a floor above

    def _lines(self) -> list[str]:
        sides = ", ".join(
            f"{k} in [{float(a):.6g}, {float(b):.6g}] {self.units.get(k, '')}".rstrip()
            for k, (a, b) in self.over.items()
        )
        lines = [f"<BoxCertificate {self.verdict}>", f"  over {sides}"]
        lines.append(f"  {self.reason or self.claim}")
        if not self.verdict.proved:
            lines.append(f"  proved: {self.inside:.5g} of the box about its centre")
        if self.against is not None and self.counterexample is not None:
            at = ", ".join(f"{k} = {float(v):.6g}" for k, v in self.against.items())
            lines.append(f"  {self.counterexample.verdict} at {at}")
        return lines

    full = full_text
    __repr__ = short_form


def certify_over(sys: Any, eq: Any, over: Any, params: Mapping[str, Any] | None) -> BoxCertificate:
    """One verdict for the members of a family over a box; see `certify`."""
    point = resolve_equilibrium(sys, eq, params)
    symbols = dict(getattr(eq, "symbols", {}))
    family = point.name
    if family not in sys.families or set(symbols) != set(sys.families[family].names):
        sys, family, symbols = _with_point(sys, point), GIVEN, {}
    sides = _box(sys, family, over, {**point.params, **symbols})
    rest = {k: v for k, v in {**point.params, **symbols}.items() if k not in sides}
    if missing := [k for k in sides if k not in _occurring(sys, family)]:
        raise InputError(f"{missing[0]!r} does not occur in the equations of {sys.name or 'the system'}")
    data, members, proposed = problem_and_proofs(sys, family, sides, rest)
    if not proposed:
        return _report(sides, "no test decides at any point of the box that was tried")
    try:
        content = content_of_map(data, members, proposed, list(sides))
    except (NotSolved, Refusal):
        raise CertificateError("functions kept over this box are not seen to be, or are too large") from None
    content["theorem"] = {k: v for k, v in content["theorem"].items() if k != "cells"}
    content["theorem"] |= {"family": family, "name": "over", "parts": []}
    found = _BoxSearch(sys, family, sides, rest, content).certificate()
    return replace(found, units=axis_units(sys, family))


def _with_point(sys: Any, point: Equilibrium) -> Any:
    """The system with a point as its family, as it is exactly, whatever the parameters are."""
    if (
        point.exact is None
        or point.exact_u is None
        or not all(isinstance(q, Fraction | int) for q in (*point.exact, *point.exact_u))
    ):
        raise InputError(
            "over= takes a member of a declared family, or a point of rationals that rests for all of the "
            "box; give it as a family, equilibria={name: gc.Family(...)}"
        )
    states = dict(zip(sys.state_labels, point.exact, strict=True))
    inputs = dict(zip(sys.input_labels, point.exact_u, strict=True))
    return sys.mechanism.replace(equilibria={GIVEN: Family(states, inputs=inputs)}).reduce()


def _box(
    sys: Any, family: str, over: Any, nominal: Mapping[str, Any]
) -> dict[str, tuple[Fraction, Fraction]]:
    """Intervals by name: numbers r are parts of the value that the point has, to both sides."""
    if not isinstance(over, Mapping) or not over:
        raise InputError(f"over is a dict of name -> part or (low, high), got {shown(over)}")
    found: dict[str, Any] = {}
    for name, given in over.items():
        if name not in nominal:
            raise ParameterError(
                f"over: no parameter or symbol of the family {shown(name)}{nearest(str(name), list(nominal))}"
            )
        value = exact(nominal[name])
        if hasattr(given, "__len__"):
            found[name] = given
            continue
        part = _as_written(plain(given, f"over[{name!r}]", InputError))
        if not 0 < part < 1:
            raise InputError(f"over[{name!r}] is a part of the value between 0 and 1, got {shown(given)}")
        if not value:
            raise InputError(f"over[{name!r}] is a part of 0, which is nothing; give a pair (low, high)")
        found[name] = sorted((value * (1 - part), value * (1 + part)))
    sides = axes_of(sys, family, found, AXES)
    for name, (low, high) in sides.items():
        if not low <= exact(nominal[name]) <= high:
            raise InputError(f"over[{name!r}] = {shown(found[name])} leaves out its value {nominal[name]}")
    return sides


def _as_written(number: Any) -> Fraction:
    """The decimal that a double is written as: 0.15 is 3/20, as whoever writes it means."""
    return Fraction(repr(number)) if isinstance(number, float) else exact(number)


def _occurring(sys: Any, family: str) -> set[str]:
    """Names in the equations, and in what the members are."""
    of = sys.families[family]
    members = (*of.states.values(), *of.inputs.values(), *of.relations)
    held = {node.payload for node in sys.graph.symbols([*sys.field_nodes, *sys.leaf.nodes])}
    return held | {*of.names} | {s.name for e in members for s in e.free_symbols}


def _report(sides: dict[str, tuple[Fraction, Fraction]], reason: str) -> BoxCertificate:
    return BoxCertificate(
        Verdict.UNDECIDED, sides, f"Nothing is proved: {reason}.", 0.0, None, None, 0.0, reason
    )


class _BoxSearch:
    """Parts of a box with proofs, a point against them, and the largest box about the centre."""

    def __init__(
        self, sys: Any, family: str, sides: dict[str, Any], rest: dict[str, Any], content: dict[str, Any]
    ) -> None:
        self._sys, self._family, self._sides, self._rest, self._content = sys, family, sides, rest, content
        read = read_proofs({**content, "theorem": _map_theorem(content["theorem"])})
        self._proofs, self._region = read.proofs, read.members.region
        self._analytic = analytic(self._region, read.members.field.positive)
        self._n, self._left, self._values = len(sides), TRIED, dict[int, np.ndarray]()
        self._found_between: tuple[dict[str, Fraction], Certificate] | None = None

    def certificate(self) -> BoxCertificate:
        """What comes out."""
        centre = ((fmpq(1, 2),) * 2,) * self._n
        all_signs = Signs(self._region, self._proofs)
        here = all_signs.on(centre, {})
        kinds = {p.verdict for p in self._proofs if p.holds(here)} - {"spectrum"}
        if len(kinds) != 1:
            return _report(self._sides, "no test decides at the centre of the box")
        (self._kind,) = kinds
        wanted = [(k, p) for k, p in enumerate(self._proofs) if p.verdict == self._kind]
        self._wanted, self._signs = wanted, Signs(self._region, [p for _, p in wanted])
        self._asked = {k for _, p in wanted for c in p.conditions for k, _ in c.factors}
        letter = self._covering_proof(self._signs.on(whole(self._n), {}), whole(self._n))
        if letter is not None:
            return self._certificate_of([-1 - letter])
        found = self._against(here)
        tree, volume = ([], 0.0) if found else self._tree_of_halves()
        if tree:
            return self._certificate_of(tree)
        if found := found or self._found_between:
            return self._report_against(*found)
        report = _report(self._sides, "the box has parts that no test decides in the boxes looked at")
        return replace(report, inside=self._inside(), parts=volume)

    def _covering_proof(self, here: dict[int, int], box: Box) -> int | None:
        for k, proof in self._wanted:
            if proof.holds(here):
                try:
                    self._analytic(box)
                except Refusal:
                    return None
                return k
        return None

    def _certificate_of(self, tree: list[int]) -> BoxCertificate:
        theorem = self._content["theorem"] | {"parts": tree}
        content = {**heading(FORMAT, self._sys.name), **self._content, "theorem": theorem}
        try:
            report = check(content | {"digest": digest_of(content)})
        except Refusal as refusal:
            raise CertificateError(
                f"the checker does not confirm the box ({refusal}): please report it"
            ) from None
        return BoxCertificate(
            Verdict(report.verdict), self._sides, report.claim, 1.0, None, None, 1.0, "", content
        )

    # -- a point against it -----------------------------------------------------------------------

    def _against(self, centre: dict[int, int]) -> tuple[dict[str, Fraction], Certificate] | None:
        """A vertex of the box, in those axes that a test holds, where the other verdict is proved."""
        open_ = self._signs.on(whole(self._n), {})
        vertices = (self._vertex(self._form(k), centre.get(k, 0)) for k in self._asked - open_.keys())
        worst = [found for found in vertices if found]
        places = [place for _, place in sorted(dict.fromkeys(worst), key=lambda pair: pair[0])[:TRIED]]
        return next(filter(None, map(self._contradiction_at, places)), None)

    def _contradiction_at(self, place: Sequence[fmpq]) -> tuple[dict[str, Fraction], Certificate] | None:
        """A place of the box as a point, with its certificate, if that contradicts the centre."""
        at = {
            name: low + (high - low) * Fraction(int(s.p), int(s.q))
            for (name, (low, high)), s in zip(self._sides.items(), place, strict=True)
        }
        certificate = self._certificate_at(at)
        return (at, certificate) if _contradicts(self._kind, certificate.verdict) else None

    def _vertex(self, form: BernsteinForm, sign: int) -> tuple[float, tuple[fmpq, ...]] | None:
        """The vertex at which a polynomial is most of the other sign, over its largest value at vertices."""
        if not sign or any(k >= self._n for k in form.places):
            return None
        largest = max(map(abs, form.coefficients), default=1) or 1  # they may be beyond the doubles
        parts = [float(Fraction(int(c), int(largest))) for c in form.coefficients]
        values = np.array(parts).reshape([d + 1 for d in form.degrees])
        for axis in range(values.ndim):
            first, total = np.take(values, 0, axis=axis), values.sum(axis=axis)
            values = np.stack([first, total], axis=axis)
        least = sign * values / float(np.max(np.abs(values)) or 1.0)
        where = np.unravel_index(int(np.argmin(least)), least.shape)
        if least[where] >= 0:
            return None
        place = [fmpq(1, 2)] * self._n
        for k, end in zip(form.places, where, strict=True):
            place[k] = fmpq(int(end))
        return float(least[where]), tuple(place)

    def _certificate_at(self, at: Mapping[str, Fraction]) -> Certificate:
        """The certificate of a member."""
        names = self._sys.families[self._family].names
        numbers = {**self._rest, **{k: plain(v) for k, v in at.items()}}
        params = {k: v for k, v in numbers.items() if k not in names}
        symbols = {k: v for k, v in numbers.items() if k in names}
        member = self._sys.equilibrium(self._family, params=params, **symbols)
        return certify(self._sys, member, params=params)

    def _report_against(self, at: dict[str, Fraction], certificate: Certificate) -> BoxCertificate:
        other = "unstable" if self._kind == "stable" else "stable"
        reason = f"at the centre of the box it is {self._kind}, at a point of the box {other}"
        return BoxCertificate(
            Verdict.UNDECIDED, self._sides, f"Nothing holds on the whole box: {reason}.", self._inside(), at,
            certificate, 0.0, reason,
        )  # fmt: skip

    def _inside(self) -> float:
        """The largest part t of the box about its centre, by halving, on all of which a proof holds."""

        def holds(t: fmpq) -> bool:
            box = (((1 - t) / 2, (1 + t) / 2),) * self._n
            return self._covering_proof(self._signs.on(box, {}), box) is not None

        low, high = fmpq(0), fmpq(1)
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return float(int(low.p) / int(low.q))

    # -- parts ------------------------------------------------------------------------------------

    def _tree_of_halves(self) -> tuple[list[int], float]:
        """The tree of halves in preorder, and the volume that proofs cover; the largest box is halved first,
        along the axis whose halves narrow the open signs most.
        """
        call, volume, looked_at = under_way(), 0.0, 0
        root: dict[str, Any] = {"box": whole(self._n), "known": {}, "volume": 1.0}
        todo = [root]
        for count in range(BOXES):
            if not todo or looked_at > COEFFICIENTS:
                break
            node = todo.pop(0)
            here = self._signs.on(node["box"], node["known"])
            looked_at += sum(len(self._form(k).coefficients) for k in self._asked - node["known"].keys())
            found = self._covering_proof(here, node["box"])
            if found is None and self._fails_within(node["box"]):
                return [], volume
            if found is not None:
                node["turn"], volume = -1 - found, volume + node["volume"]
            else:
                turn = node["turn"] = self._axis(node["box"], here)
                node["halves"] = [
                    {"box": half, "known": here, "volume": node["volume"] / 2}
                    for half in _halves(node["box"], turn)
                ]
                todo += node["halves"]
            if not count % 50:
                call.tell("halving the box", f"{100 * volume:.3g} % proved", volume)
        return ([], volume) if todo else (list(_preorder(root)), 1.0)

    def _fails_within(self, box: Box) -> bool:
        """Whether no test holds at the middle of a box, and the other verdict is proved there."""
        middle = [(a + b) / 2 for a, b in box]
        there = self._signs.on(tuple((m, m) for m in middle), {})
        if not self._left or any(proof.holds(there) is not False for _, proof in self._wanted):
            return False
        self._left -= 1
        self._found_between = self._contradiction_at(middle)
        return self._found_between is not None

    def _form(self, k: int) -> BernsteinForm:
        """A factor by its number."""
        return self._region.form(self._region.field.factors[k])

    def _axis(self, box: Box, here: dict[int, int]) -> int:
        """That along which halves narrow the open factors most, as doubles tell."""
        gains = [0.0] * self._n
        for k in self._asked - here.keys():
            if not (width := self._width(k, box)):
                continue
            for i in self._form(k).places:
                if i < self._n:
                    gains[i] += sum(1.0 - self._width(k, half) / width for half in _halves(box, i))
        return int(np.argmax(gains))

    def _width(self, k: int, box: Box) -> float:
        """Of the range of a factor's coefficients on a box, over its largest one in the whole; zero where a
        function has no value everywhere.
        """
        form, sides = self._form(k), AxesBox(self._region, box)
        if k not in self._values:
            largest = max(map(abs, form.coefficients), default=1) or 1  # they may be beyond the doubles
            parts = [float(Fraction(int(c), int(largest))) for c in form.coefficients]
            self._values[k] = np.array(parts).reshape([d + 1 for d in form.degrees])
        found = self._values[k]
        for axis, (place, degree) in enumerate(zip(form.places, form.degrees, strict=True)):
            try:
                matrix = _bernstein_in_doubles(*sides.side(place), degree)
            except Refusal:
                return 0.0
            found = np.moveaxis(np.tensordot(matrix, found, axes=(1, axis)), 0, axis)
        return float(np.ptp(found))


@lru_cache(maxsize=5_000)
def _bernstein_in_doubles(low: fmpq, high: fmpq, degree: int) -> np.ndarray:
    """From coefficients of powers to those of Bernstein on an interval."""
    matrix, common = to_bernstein(low, high, degree)
    return np.array([[int(c) / int(common) for c in row] for row in matrix.tolist()])


def _halves(box: Box, axis: int) -> list[Box]:
    low, high = box[axis]
    middle = (low + high) / 2
    return [(*box[:axis], half, *box[axis + 1 :]) for half in ((low, middle), (middle, high))]


def _preorder(node: dict[str, Any]) -> Iterator[int]:
    yield node["turn"]
    for half in node.get("halves", ()):
        yield from _preorder(half)


def _contradicts(kind: str, verdict: Verdict) -> bool:
    stable = verdict in (Verdict.PROVED_STABLE, Verdict.PROVED_ASYMPTOTICALLY_STABLE)
    return verdict is Verdict.PROVED_UNSTABLE if kind == "stable" else stable


def _map_theorem(theorem: dict[str, Any]) -> dict[str, Any]:
    """The theorem of a box as that of a map without cells, of which the proofs are read."""
    return {k: v for k, v in theorem.items() if k != "parts"} | {"name": "map", "cells": ""}
