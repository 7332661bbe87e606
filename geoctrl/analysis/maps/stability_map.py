"""Maps of stability over axes: cells, each with what is proved of all members in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

from flint import fmpq

from geoctrl._calls.long_calls import paced_call, under_way
from geoctrl._checks import file_path, nearest, require_choice
from geoctrl._printing.markup import card, figure_image, paragraph
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import exact, shown
from geoctrl.analysis.certificates.proof_file import ProofFile, heading
from geoctrl.analysis.maps.drifts_over_axes import drift_proposals
from geoctrl.analysis.maps.family_over_axes import REGION, FamilyOverAxes
from geoctrl.analysis.maps.map_witnesses import content_of_map, read_proofs
from geoctrl.analysis.maps.region_cells import Tiles
from geoctrl.analysis.maps.region_problem import axes_of, region_problem
from geoctrl.analysis.maps.region_proofs import Proposals, proposals
from geoctrl.analysis.question.generators import NotSolved
from geoctrl.checker.maps.file import CLASSES, DEPTH, MAP, PROBLEM, claim_of_map
from geoctrl.checker.maps.region import LETTERS, halves
from geoctrl.checker.ranges.cells_by_forms import FORMS, VERDICTS, claim_by_forms
from geoctrl.checker.reader import FORMAT, conform
from geoctrl.decisions.reading.problem_reader import Refusal
from geoctrl.decisions.reading.problem_reader import conform as conform_old
from geoctrl.errors import CertificateError, EquilibriumError, InputError, ParameterError, WorkerError
from geoctrl.runs.part_folder import OtherQuestionError
from geoctrl.systems import ReducedSystem, System, with_recorded_families

__all__ = ["AreaShares", "MapCell", "StabilityMap", "axis_units", "certify_region", "problem_and_proofs"]


class MapCell(NamedTuple):
    """A closed box of the axes: intervals by name, and what is proved of all members in it.

    ``verdict`` is "stable", "unstable", "spectrum" (no eigenvalue with a positive real part; nonlinear
    stability open) or "undecided".
    """

    sides: dict[str, tuple[float, float]]
    verdict: str


class AreaShares(ABC):
    """Parts of the area of a map, by what is proved there."""

    @abstractmethod
    def _part(self, name: str) -> float:
        """Of a class."""

    @property
    def stable(self) -> float:
        """Part of the area that is proved stable."""
        return self._part("stable")

    @property
    def unstable(self) -> float:
        """Part of the area that is proved unstable."""
        return self._part("unstable")

    @property
    def spectrum(self) -> float:
        """Part of the area without eigenvalues to the right of the axis where nothing else is proved."""
        return self._part("spectrum")

    @property
    def undecided(self) -> float:
        """Part of the area of which nothing is proved."""
        return self._part("undecided")

    @property
    def _shares(self) -> str:
        """Those that are not zero, in words."""
        named = {k: self._part(k) for k in (*CLASSES, "undecided")}
        return ", ".join(f"{100 * v:.4g} % {k}" for k, v in named.items() if v)


@dataclass(frozen=True, eq=False)
class StabilityMap(AreaShares, ProofFile):
    """What is proved of a family over a box of axes.

    Attributes
    ----------
    axes : dict of name -> (low, high)
    stable, unstable, spectrum, undecided : float
        Fractions of the area. "spectrum": no eigenvalue with a positive real part, nonlinear stability open.
    cells : list of MapCell
    claim : str
    data : dict
        Everything that the file holds.
    """

    data: dict[str, Any] = field(repr=False)
    verdicts: Sequence[str] = field(repr=False)
    """What is proved where a proof of the file holds, in their order."""
    units: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Of axes, where the description tells them; the file holds numbers alone."""

    @cached_property
    def axes(self) -> dict[str, tuple[float, float]]:
        """Intervals by name."""
        return {k: (float(a), float(b)) for k, (a, b) in self._axes.items()}

    @cached_property
    def _axes(self) -> dict[str, tuple[Fraction, Fraction]]:
        return {k: (Fraction(a), Fraction(b)) for k, (a, b) in self.data["theorem"]["axes"].items()}

    @cached_property
    def _area(self) -> dict[str, Fraction]:
        return _area(self.data["theorem"]["cells"], self.verdicts, len(self._axes))

    def _part(self, name: str) -> float:
        return float(self._area[name])

    @cached_property
    def claim(self) -> str:
        """What is claimed, in words."""
        schema, words = (FORMS, claim_by_forms) if self.kind == "forms" else (MAP, claim_of_map)
        problem, given = (conform(self.data[k], s) for k, s in (("problem", PROBLEM), ("theorem", schema)))
        area = {k: fmpq(v.numerator, v.denominator) for k, v in self._area.items()}
        return words(self.data["system"], problem, given, area)

    @property
    def kind(self) -> str:
        """What decides cells: "signs" of functions of the axes, or "forms", one for each."""
        return "signs" if self.data["theorem"]["name"] == "map" else "forms"

    @cached_property
    def cells(self) -> list[MapCell]:
        """All cells, in the order of the file."""
        found: list[MapCell] = []

        def read(node: Any, sides: tuple) -> None:
            if isinstance(node, str):
                named = zip(self._axes, sides, strict=True)
                verdict = self._verdicts[node]
                found.append(MapCell({k: (float(a), float(b)) for k, (a, b) in named}, verdict))
                return
            for part, child in zip(halves(sides), node, strict=True):
                read(child, part)

        read(self._tree, tuple(self._axes.values()))
        return found

    @cached_property
    def _tree(self) -> Any:
        """Letters of cells, in lists where a box is halved."""
        text, parts = iter(self.data["theorem"]["cells"]), range(2 ** len(self._axes))

        def read() -> Any:
            letter = next(text)
            return [read() for _ in parts] if letter == "+" else letter

        return read()

    @cached_property
    def _verdicts(self) -> dict[str, str]:
        return dict(zip(LETTERS, self.verdicts, strict=False)) | {".": "undecided"}

    def at(self, **values: Any) -> str:
        """What is proved at values of all axes: the verdict of a cell that holds the point.

        On a border of cells, which are closed, that of a decided one.

        Raises
        ------
        ParameterError
            For an unknown or missing axis, or a value outside of it.
        """
        for name in values:
            if name not in self._axes:
                raise ParameterError(f"no axis {shown(name)}{nearest(name, self._axes)}")
        if missing := [k for k in self._axes if k not in values]:
            raise ParameterError(f"a value is needed for {', '.join(missing)}")
        point = [exact(values[k], f"{k!r}", InputError) for k in self._axes]
        for value, (name, (low, high)) in zip(point, self._axes.items(), strict=True):
            if not low <= value <= high:
                raise ParameterError(f"{name!r} is outside of its axis [{float(low):g}, {float(high):g}]")
        met = set[str]()

        def read(node: Any, sides: Any) -> None:
            if isinstance(node, str):
                met.add(self._verdicts[node])
                return
            for part, child in zip(cast(Any, halves(sides)), node, strict=True):
                if all(a <= x <= b for x, (a, b) in zip(point, part, strict=True)):
                    read(child, part)

        read(self._tree, tuple(self._axes.values()))
        return next(k for k in (*CLASSES, "undecided") if k in met)

    def plot(self, ax: Any = None, title: str | None = None) -> Any:
        """The map as a filled picture: `geoctrl.viz.stability_map`."""
        return import_module("geoctrl.viz").stability_map(self, ax, title)  # figures are a floor above

    def _lines(self) -> list[str]:
        named = f"{self.data['theorem']['family']!r} of {self.data['system']}"
        return [f"<StabilityMap of {named}: {self._shares}>"]

    full = full_text
    __repr__ = short_form

    def _repr_html_(self) -> str:
        title, shares = self._lines()[0].strip("<>").split(": ", 1)
        if len(self.axes) != 2:
            return card(title, paragraph(shares))
        ax = import_module("matplotlib.figure").Figure(figsize=(6.0, 4.5)).subplots()
        picture = import_module("geoctrl.viz").stability_map(self, ax)  # figures are a floor above
        return card(title, paragraph(shares), figure_image(picture, shares))


@paced_call
def certify_region(
    sys: System,
    family: str,
    axes: Mapping[str, tuple[float, float]],
    depth: int = 9,
    params: Mapping[str, Any] | None = None,
    executor: Any = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    out: str | Path | None = None,
    *,
    by: str = "signs",
    seconds: float | None = None,  # noqa: ARG001
) -> StabilityMap:
    r"""Prove where the members of a family are stable, and where unstable, over a box of axes.

    States, their linearisation on the leaf and its characteristic polynomial, gradients and second
    variations are reduced exactly, to rational functions of the axes; the tests of `stability_conditions`
    are signs of these. The whole box is asked first, and halved along all axes until one of the tests holds
    on all of a closed cell, as exact Bernstein coefficients show (functions that are not rational are
    enclosed by balls).

    Of loops with many states these functions are too large. ``by="forms"`` looks for symmetric matrices P
    instead, each of which has :math:`-(P B + B^T P) > 0` for the linearisations B of all members in a cell:
    they attract where P is positive definite, and are unstable where it is not. Eigenvalues on the axis,
    which what is conserved brings along, are not decided so.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem, RotationSystem or ProductSystem
    family : str
        A key of ``sys.families``.
    axes : dict of name -> (low, high)
        Parameters, and symbols of the family; one to twelve.
    depth : int
        Halvings of each axis, at most; each makes 2^n parts of a box of n axes.
    params : dict, optional
        Other parameters and symbols of the family: numbers, and for parameters also names of others or
        expressions in them, as in `stability_conditions`. Defaults stand for parameters not given.
    executor : concurrent.futures.Executor, optional
        Computes the tiles of the region.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    out : str or Path, optional
        A folder, written as tiles are done: a map that was interrupted goes on from there.
    by : "signs" or "forms"
        What decides a cell. Forms are looked for here and at once, without an executor or a folder, for as
        many cells as a check has time for.
    seconds : float, optional
        Time for the cells; those that are not reached are undecided.

    Returns
    -------
    StabilityMap

    Raises
    ------
    ParameterError
        For an unknown family, axis, parameter or symbol, one given twice, or a missing value.
    InputError
        For axes that are no intervals, a depth that is no whole number from 1 to 24, an unknown ``by``, or
        forms with an executor or a folder.
    DescriptionError
        For a system on a manifold that is given by functions.
    EquilibriumError
        If the members are not proved to be equilibria on the leaf for all values of the axes (of
        `ReducedSystem.despun`, perhaps), or the equations hold the time.
    CertificateError
        If the equations are too large to be reduced, or ``out`` holds another map; by forms also where the
        leaf's relations depend on each other.
    FolderError
        If ``out`` cannot be written.
    WorkerError
        If a worker of the executor dies.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> found = gc.certify_region(skate, "spinning", {"Omega0": (0, 10), "l": (0.1, 1.5)}, depth=5)
    >>> found.at(Omega0=9.0, l=0.8), found.at(Omega0=1.0, l=1.0)
    ('stable', 'unstable')
    """
    plant: ReducedSystem = with_recorded_families(sys, "certify_region")
    require_choice("by", by, ("signs", "forms"))
    if not isinstance(family, str) or family not in plant.families:
        raise ParameterError(f"no equilibrium family {shown(family)}{nearest(family, plant.families)}")
    if not isinstance(depth, int) or isinstance(depth, bool) or not 1 <= depth <= DEPTH:
        raise InputError(f"depth must be a whole number from 1 to {DEPTH}, got {shown(depth)}")
    folder = None if out is None else file_path(out)
    if by == "forms":
        return _map_by_forms(plant, family, axes, depth, params, executor, folder)
    data, members, proofs = problem_and_proofs(plant, family, axes_of(plant, family, axes), params)
    try:
        content = content_of_map(data, members, proofs, list(axes))
    except NotSolved:
        raise CertificateError("what is conserved over these axes is not seen to be") from None
    except Refusal:
        raise CertificateError(
            "the tests over these axes are too large for a file: give numbers for some of the axes, or ask "
            "by='forms'"
        ) from None
    content["theorem"]["family"] = family
    tiles = Tiles(content, depth, folder)
    try:
        tiles.compute(executor, under_way())
    except OtherQuestionError as error:
        raise CertificateError(f"out holds another map: {error}") from None
    except WorkerError as error:
        error.result = _map_of(plant, content, tiles)
        raise
    return _map_of(plant, content, tiles)


def _map_by_forms(
    sys: ReducedSystem,
    family: str,
    axes: Mapping[str, tuple[float, float]],
    depth: int,
    params: Mapping[str, Any] | None,
    executor: Any,
    folder: Path | None,
) -> StabilityMap:
    """The map of which each cell has a form of its own."""
    if executor is not None or folder is not None:
        raise InputError(
            "by='forms' looks for all cells one after the other: give no executor= and no out=, and "
            "seconds= for an end"
        )
    search = import_module("geoctrl.analysis.forms.forms_over_axes")  # a floor above
    content = search.content_by_forms(sys, family, axes_of(sys, family, axes), depth, params)
    units = axis_units(sys, family)
    return StabilityMap({**heading(FORMAT, sys.name), **content}, [*VERDICTS.values()], units)


def _map_of(sys: ReducedSystem, content: dict[str, Any], tiles: Tiles) -> StabilityMap:
    """The map of the tiles that are known."""
    content["theorem"]["cells"] = tiles.tree()
    verdicts = tuple(proof.verdict for proof in read_proofs(content).proofs)
    units = axis_units(sys, content["theorem"]["family"])
    return StabilityMap({**heading(FORMAT, sys.name), **content}, verdicts, units)


def axis_units(sys: ReducedSystem, family: str) -> dict[str, str]:
    """Units of parameters, and of symbols of a family that are the value of a state."""
    told = sys.told_units
    values = {str(e): told[label] for label, e in sys.families[family].states.items() if label in told}
    return values | {p.name: p.unit for p in sys.mechanism.parameters if p.unit}


def problem_and_proofs(
    sys: ReducedSystem, family: str, axes: dict[str, tuple[Fraction, Fraction]], params: Any
) -> tuple[dict[str, Any], FamilyOverAxes, list[dict[str, Any]]]:
    """The problem, with what is conserved in it, and the proofs that may hold somewhere."""
    try:
        data, members = region_problem(sys, family, axes, params)
    except Refusal as refusal:
        raise EquilibriumError(
            f"the members of {family!r} are not proved to be equilibria on the leaf for all values of the "
            f"axes ({refusal}); seen in other axes they may be (sys.despun())"
        ) from None
    try:
        data, members, found = _with_proposals(data, members)
    except Refusal as refusal:
        raise CertificateError(f"the tests cannot be reduced over these axes: {refusal}") from None
    further: list[dict[str, Any]] = [{"is_over_shape": True}]
    further += [{"manifold": found.manifold}] if found.manifold else []
    for kind in further if found.undecided else ():
        with suppress(Refusal):
            other = _with_proposals(*region_problem(sys, family, axes, params, **kind))
            if other[2].undecided < found.undecided:
                data, members, found = other
    found_drifts = drift_proposals(members) if found.undecided and not members.integrals else []
    return data, members, [*found.proofs[: len(LETTERS) - len(found_drifts)], *found_drifts]


def _with_proposals(
    data: dict[str, Any], members: FamilyOverAxes
) -> tuple[dict[str, Any], FamilyOverAxes, Proposals]:
    """A problem without what is not proved to be conserved, and the proofs that may hold somewhere."""
    for name in list(data["invariants"]):
        if not _proves_conservation(members, name):
            for part in (data["invariants"], data["weights"], members.invariants):
                part.pop(name, None)
    found = proposals(members)
    if data["symbols"] and any("tangents" in proof for proof in found.proofs):
        # The family's tangents are derivatives by all of its symbols: those with numbers move as well.
        moving = {k: [q, q] for k, q in data["symbols"].items()}
        data |= {"axes": data["axes"] | moving, "symbols": {}}
        members = FamilyOverAxes(conform_old(data, REGION))
        members.develop_integrals()
        found = proposals(members)
    return data, members, found


def _proves_conservation(members: Any, name: str) -> bool:
    try:
        return members.question.conserved(name)
    except Refusal:
        return False


def _area(cells: str, verdicts: Sequence[str], axes: int) -> dict[str, Fraction]:
    """Parts of the area by class."""
    area = dict.fromkeys((*CLASSES, "undecided"), Fraction(0))
    sizes, share = [Fraction(1)], 2**axes
    for letter in cells:
        size = sizes.pop()
        if letter == "+":
            sizes += [size / share] * share
        else:
            area["undecided" if letter == "." else verdicts[LETTERS.index(letter)]] += size
    return area
