"""Certificates of stability: a verdict, what it rests on, and a file that can be checked without a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from geoctrl import decisions
from geoctrl._calls.long_calls import long_call, under_way
from geoctrl._checks import saved_text
from geoctrl._printing.markup import beginning, card, facts, fold, paragraph, verdict_badge
from geoctrl._printing.printed_lines import full_text, short_form
from geoctrl._scalars import shown
from geoctrl.analysis.certificates.proof_file import ProofFile, heading
from geoctrl.analysis.certificates.questions import outcome_of
from geoctrl.analysis.certificates.sampled_loop_proof import held_outcome, loop_point
from geoctrl.analysis.certificates.sentences import claim_of, reason_of
from geoctrl.analysis.proofs.proof import Outcome
from geoctrl.checker.words.refused_files import REPORT
from geoctrl.checker.words.texts import short
from geoctrl.decisions.arithmetic.tower import RATIONALS, Surds
from geoctrl.decisions.questions.problem_in_words import number_of_checker
from geoctrl.decisions.reading.problem_reader import terms
from geoctrl.errors import CertificateError, InputError
from geoctrl.sampling import SampledController
from geoctrl.systems import System, as_system
from geoctrl.systems.contract.points import resolve_equilibrium
from geoctrl.verification import Verdict

__all__ = ["Certificate", "certify", "readable"]

_TOLD = ("zero_modes", "multipliers", "restricted_hessian", "rounded_polynomial")
"""Evidence that a certificate prints."""


@dataclass(frozen=True, eq=False)
class Certificate(ProofFile):
    """A claim about an equilibrium with its evidence.

    ``bool(certificate)`` raises: ask for the verdict.

    Attributes
    ----------
    verdict : Verdict
    method : str
        "spectrum" (perhaps "on the level sets of the invariants"), "energy-Casimir" or, for functions,
        "second variation"; followed by "in balls" where the equilibrium is known up to a box, by
        "in floats" where nothing is proved.
    claim : str
        The claim in words.
    evidence : dict
        Invariants used, polynomial, multipliers, kernel, restricted Hessian: exact numbers as strings
        ``p/q``, floats otherwise.
    reason : str
        Why the point is not proved stable or unstable, where it is not.
    proof : dict
        The problem as it was decided, with verdict, method and evidence.
    in_floats : bool
        Whether it is a report in floats, of which nothing is proved.
    dissipation_induced : int
        Negative directions of the energy at a point at rest that gyroscopic terms alone hold up, so that
        every friction that opposes all velocities makes it unstable; 0 where that is not shown.
    """

    verdict: Verdict
    method: str
    claim: str
    evidence: dict[str, Any]
    reason: str
    proof: dict[str, Any]
    in_floats: bool = False
    _indent: ClassVar[int | None] = 1

    @cached_property
    def data(self) -> dict[str, Any]:
        """Everything that the file holds: equations, witnesses and the name of a theorem.

        The checker confirms it here, and finds verdict and claim by itself. Of a report, in which nothing is
        proved, what was found.

        Raises
        ------
        CertificateError
            If the search finds no witnesses, or the checker does not confirm them: a fault of the library.
        """
        if not self.verdict.proved:
            return self.proof
        from geoctrl.analysis.witnesses.content import confirmed_content

        return confirmed_content(self.proof)

    @property
    def dissipation_induced(self) -> int:
        """Negative directions of the energy that friction would let grow."""
        return self.evidence.get("dissipation_induced", 0)

    def __bool__(self) -> bool:
        raise TypeError("a Certificate is not a bool: compare certificate.verdict with a gc.Verdict")

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text of a proof; written to ``path`` where one is given.

        Raises
        ------
        CertificateError
            If nothing is proved: `to_dict` has the report. It says what would make it provable.
        TypeError
            If ``path`` is no path.
        """
        if not self.verdict.proved:
            raise CertificateError(
                f"{self.verdict} is a report and no proof, and no file holds it"
                f"{f' ({self.reason})' if self.reason else ''}; {self._provable}; to_dict() has the report",
                key="report-no-proof",
            )
        return super().to_json(path)

    @property
    def _provable(self) -> str:
        """What would make a point provable that is not proved."""
        problem = self.proof["problem"]
        if "functions" in problem:
            return "it may be proved where forces and laws are expressions instead of functions"
        if len(problem["states"]) > decisions.STATES:
            return f"it may be proved of parts with {decisions.STATES} states at most"
        if self.in_floats:
            return (
                "it may be proved at an exact point: a member of a family, or numbers that are rational or "
                "square roots, under parameters and functions that have exact values there"
            )
        return (
            "it may be proved with another conserved function (invariants=), with friction that leaves "
            "nothing undamped, or away from the border of stability"
        )

    def to_rocq(self, path: str | Path | None = None) -> str:
        """The verdict as a theorem of Rocq in plain real numbers; written to ``path`` if given.

        The file holds the equations as data, what shows that they prove the verdict, and the statement with
        the mechanism's names. Rocq accepts it with the library that ``geoctrl export --library`` writes, and
        rests on the axioms of its real numbers alone. The statement is of every motion as long as it lasts:
        that there are motions is proved of drifts only.

        Raises
        ------
        CertificateError
            If the library has no theorem for this proof; it says what is missing.
        TypeError
            If ``path`` is no path.

        Examples
        --------
        >>> import geoctrl as gc
        >>> skate = gc.models.get("pendulum-skate")().reduce()
        >>> text = gc.certify(skate, skate.equilibrium("spinning", Omega0=9)).to_rocq()
        >>> [line.split()[1] for line in text.splitlines() if line.startswith("Theorem")]
        ['equilibrium', 'stability']
        """
        if not self.verdict.proved:
            raise CertificateError(
                f"there is no theorem of Rocq for this proof: {self.verdict} is a report and no proof"
            )
        from geoctrl.rocq import rocq_text

        return saved_text(rocq_text(self.data), path)

    def _lines(self) -> list[str]:
        lines = [f"<Certificate {self.verdict}>", f"  {self.claim}", f"  method: {self.method}"]
        if self.reason:
            lines.append(f"  reason: {self.reason}")
        return lines + [f"  {key}: {self._readable(key)}" for key in _TOLD if key in self.evidence]

    full = full_text
    __repr__ = short_form

    def _readable(self, key: str) -> str:
        field = Surds.of(map(terms, self.proof["problem"].get("roots", [])))
        return readable(self.evidence[key], field)

    def _repr_html_(self) -> str:
        evidence = {key: beginning(self._readable(key)) for key in self.evidence}
        return card(
            f"Certificate of {self.proof['system'] or 'a system'}",
            paragraph(self.claim),
            paragraph(self.reason, quiet=True),
            fold(f"evidence, by {self.method}", facts(evidence)),
            badge=verdict_badge(self.verdict),
        )


@long_call
def certify(
    sys: System,
    eq: Any,
    params: Mapping[str, float] | None = None,
    modulo: str | None = None,
    controller: SampledController | None = None,
    *,
    over: Mapping[str, Any] | None = None,
    progress: bool | Callable[..., object] = False,  # noqa: ARG001
    seconds: float | None = None,  # noqa: ARG001
) -> Certificate:
    """Decide the stability of an equilibrium, by proof where its coordinates are exact.

    Instability is decided by the linearisation on the leaf, stability by the energy-Casimir test with all
    invariants that are proved conserved (see `geoctrl.analysis.proofs.energy_casimir`), or by a linearisation
    of which all eigenvalues but the zeros of invariants have negative real parts. Points of a declared
    family, rationals and doubles, taken as the rationals they are, and numbers with square roots are treated
    in exact arithmetic. Where the field does not vanish exactly, or a value is no such number, the point
    stands for the equilibrium next to it: that there is one in a box of the half width 2^-64 is proved in
    balls, and its stability over the whole box; the claim says so. Where this fails too, as where equilibria
    come in families that no invariant explains, the same tests run in floats and the verdict says so.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem or RotationSystem
    eq : Equilibrium, state ``x`` or pair ``(x, u)``
    params : dict, optional
    modulo : "orbit", optional
        Ask for the stability of the orbit of the point under the symmetries of system and leaf that are
        found (isometries of the states): PROVED_STABLE_MODULO, or PROVED_UNSTABLE of the orbit. Where the
        point itself is proved stable, that is said. Without it a point that drifts along its orbit is not
        stable.
    controller : SampledController, optional
        Ask for the stability of the loop that it closes with the plant ``sys``, as a fixed point of one
        hold: for holds and delays of exactly that length, limits that are not met nearby, and the law in
        exact arithmetic. Nothing is said in floats there: what is not proved is UNDECIDED.
    over : mapping of name -> part or (low, high), optional
        Ask for one verdict for a box of parameters, and symbols of the family that ``eq`` is a member of: a
        number r between 0 and 1 is a part of the value that the point has, to both sides. The members for
        each choice of constants are asked about; the law's numbers stay. A `BoxCertificate` is returned, with
        the verdict if it holds on the whole closed box, else UNDECIDED with a point that contradicts, or the
        part that is proved.
    progress : bool or callable
        Told (stage, best, elapsed), or the fraction done if it takes one argument. A line is shown on a
        terminal after two seconds, with True from the start.
    seconds : float, optional
        Time for the call. Of a search that is ended what was proved up to then is returned, or the report in
        floats where the spectrum decides, with ``.reason``; else `BudgetError` is raised.

    Returns
    -------
    Certificate
        With ``over`` a `BoxCertificate`.

    Raises
    ------
    InputError
        With ``over``, for parts that are not between 0 and 1, pairs that are reversed or leave out the value
        of the point, names that do not occur, ``modulo`` or a controller. If ``modulo`` is neither None nor
        "orbit"; with a controller, if it is not None, the plant's equations are not recorded, or the
        controller rounds, is noisy or rests at a limit.
    EquilibriumError
        If the point is not an equilibrium (residual in the message), or the law asks for another
        torque there.
    CertificateError
        If the equations cannot be put before the checker, or a loop does not rest exactly at the point.
    LabelError
        If the controller does not fit the plant.
    ParameterError
        For an unknown parameter.
    TypeError
        If ``sys`` is no system, or ``controller`` no sampled controller.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> gc.certify(skate, skate.equilibrium("sliding", Y0=1.0)).verdict
    <Verdict.PROVED_UNSTABLE: 'PROVED_UNSTABLE'>

    A law on a computer, which is stable at 100 Hz with damping, and unstable without:

    >>> mech = gc.models.get("pendulum-skate-rotor")()
    >>> law, plant = gc.match(mech).law(sigma=-1e-5), mech.reduce()
    >>> eq = plant.equilibrium("sliding", Y0=1.0)
    >>> for one in (law, law.with_damping(k=0.27)):
    ...     print(gc.certify(plant, eq, controller=one.sampled(rate=100)).verdict)
    PROVED_UNSTABLE
    PROVED_STABLE
    """
    system = as_system(sys, "certify", recorded=over is not None)
    if over is not None:
        if modulo is not None or controller is not None:
            raise InputError("over= asks about members of a family, without modulo= and controller=")
        boxes = import_module("geoctrl.analysis.maps.stability_over_box")  # maps are a floor above
        return boxes.certify_over(system, eq, over, params)
    if modulo is not None and not (isinstance(modulo, str) and modulo == "orbit"):
        raise InputError(f'modulo must be None or "orbit", got {shown(modulo)}')
    if controller is not None:
        if modulo is not None:
            raise InputError("modulo is for a system, not for the loop of a sampled controller")
        point = loop_point(system, controller, eq, params)
        return _certificate(system.seen_from(None).name, held_outcome(system, controller, point))
    point = resolve_equilibrium(system, eq, params)
    seen, call = system.seen_from(point.spin), under_way()

    def so_far(made: Callable[[], Outcome | None]) -> None:
        call.otherwise = lambda: _late_certificate(seen.name, made(), call.late)

    return _certificate(seen.name, outcome_of(seen, point, modulo, so_far), seen.hint)


def _late_certificate(name: str, outcome: Outcome | None, late: str) -> Certificate | None:
    """The certificate of a search that was ended, with the reason; None where it has nothing."""
    return None if outcome is None else replace(_certificate(name, outcome), reason=late)


def _certificate(name: str, outcome: Outcome, hint: str = "") -> Certificate:
    claim = claim_of(name, outcome)
    proof = {
        **heading(REPORT, name),
        "verdict": outcome.verdict.value,
        "method": outcome.method,
        "claim": claim,
        "problem": outcome.problem.data,
        "evidence": outcome.evidence,
    }
    reason = reason_of(outcome, hint)
    return Certificate(
        outcome.verdict, outcome.method, claim, outcome.evidence, reason, proof, outcome.in_floats
    )


def readable(value: Any, field: Surds = RATIONALS) -> str:
    """Evidence in words: exact numbers as decimals, with the roots of a field."""
    if isinstance(value, dict):
        return ", ".join(f"{k}: {readable(v, field)}" for k, v in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(readable(v, field) for v in value) + "]"
    if isinstance(value, str):
        return short(number_of_checker(field.read(value))) if terms(value) is not None else value
    return f"{value:.6g}" if isinstance(value, float) else str(value)
