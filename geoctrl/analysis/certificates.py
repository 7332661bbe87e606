"""Certificates of stability: a verdict, what it rests on, and a file that can be checked without a search."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl._scalars import NotRationalError
from geoctrl.analysis.energy_casimir import Pencil
from geoctrl.analysis.entry import require_system
from geoctrl.analysis.float_jets import jets_at
from geoctrl.analysis.linearization import Linearization, linearize, resolve_equilibrium
from geoctrl.analysis.manifolds import matrix_question, natural_question, resolve_on_manifold
from geoctrl.analysis.natural import MatrixProblem, NaturalProblem, judge_numerically, prove_natural
from geoctrl.analysis.problem import Problem
from geoctrl.analysis.proof import Outcome, Verdict, is_exact_equilibrium, prove
from geoctrl.manifolds import ManifoldModel
from geoctrl.systems import Equilibrium, ReducedSystem

__all__ = ["Certificate", "certify", "claim_of", "digest_of", "readable"]

FORMAT = "geoctrl-certificate"
VERSION = 1

GROWTH = 1e-6
"""Real part, relative to the linearisation's size, from which floats speak of instability."""
_DEFINITE = 1e-8
"""Least eigenvalue, relative to the largest, from which floats speak of a definite Hessian."""

_CLAIMS = {
    Verdict.PROVED_STABLE: "is Lyapunov stable within the leaf",
    Verdict.PROVED_ASYMPTOTICALLY_STABLE: "is asymptotically stable within the leaf",
    Verdict.PROVED_UNSTABLE: "is unstable: its linearisation has an eigenvalue with a positive real part",
    Verdict.NUMERICALLY_STABLE: "appears stable: definite Hessian or damped spectrum in floats, no proof",
    Verdict.NUMERICALLY_UNSTABLE: "appears unstable: numerically positive real part, no proof",
    Verdict.SPECTRALLY_STABLE_ONLY: (
        "has no eigenvalue with a positive real part; nonlinear stability is open"
    ),
    Verdict.UNDECIDED: "is undecided by the spectrum and by the energy-Casimir test",
}


@dataclass(frozen=True, eq=False)
class Certificate:
    """A claim about an equilibrium with its evidence.

    ``bool(certificate)`` raises: ask for the verdict.

    Attributes
    ----------
    verdict : Verdict
    method : str
        "spectrum" or "energy-Casimir", followed by "in floats" where nothing is proved.
    claim : str
        The claim in words.
    evidence : dict
        Invariants used, polynomial, multipliers, kernel, restricted Hessian: exact numbers as strings
        ``p/q``, floats otherwise.
    reason : str
        Why the point is not proved stable or unstable, where it is not.
    data : dict
        Everything that the file holds.
    """

    verdict: Verdict
    method: str
    claim: str
    evidence: dict[str, Any]
    reason: str
    data: dict[str, Any]

    def __bool__(self) -> bool:
        raise TypeError("a Certificate is not a bool: compare certificate.verdict with a gc.Verdict")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready content of the file, digest included."""
        return {**self.data, "digest": digest_of(self.data)}

    def to_json(self, path: str | Path | None = None) -> str:
        """JSON text; written to ``path`` where one is given."""
        text = json.dumps(self.to_dict(), indent=1)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def __repr__(self) -> str:
        lines = [f"<Certificate {self.verdict}>", f"  {self.claim}", f"  method: {self.method}"]
        if self.reason:
            lines.append(f"  reason: {self.reason}")
        for key in ("zero_modes", "multipliers", "restricted_hessian", "eigenvalues"):
            if key in self.evidence:
                lines.append(f"  {key}: {readable(self.evidence[key])}")
        return "\n".join(lines)


def digest_of(data: Mapping[str, Any]) -> str:
    """SHA-256 of the content without its digest, in canonical form."""
    body = {k: v for k, v in data.items() if k != "digest"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def certify(sys: ReducedSystem, eq: Any, params: Mapping[str, float] | None = None) -> Certificate:
    """Decide the stability of an equilibrium, by proof where its coordinates are exact.

    Instability is decided by the linearisation on the leaf, stability by the energy-Casimir test with all
    invariants that are proved conserved (see `geoctrl.analysis.energy_casimir`), or by a linearisation of
    which all eigenvalues but the zeros of invariants have negative real parts. Points of a declared
    family, rationals and doubles, taken as the rationals they are, are treated in rational arithmetic;
    where the field does not vanish exactly, or a value is irrational, the same tests run in floats and the
    verdict says so.

    Parameters
    ----------
    sys : ReducedSystem, SphereSystem or RotationSystem
    eq : Equilibrium, state ``x`` or pair ``(x, u)``
    params : dict, optional

    Returns
    -------
    Certificate

    Raises
    ------
    EquilibriumError
        If the point is not an equilibrium (residual in the message).
    ParameterError
        For an unknown parameter.

    Examples
    --------
    >>> import geoctrl as gc
    >>> skate = gc.models.get("pendulum-skate")().reduce()
    >>> gc.certify(skate, skate.equilibrium("sliding", Y0=1.0)).verdict
    <Verdict.PROVED_UNSTABLE: 'PROVED_UNSTABLE'>
    """
    require_system(sys, "certify")
    if isinstance(sys, ManifoldModel):
        place = resolve_on_manifold(sys, eq, params)
        natural = natural_question(sys, place)
        if natural is not None:
            return _certificate(sys, natural, _naturally(natural))
        matrices = matrix_question(sys, place)
        return _certificate(sys, matrices, matrices.judge())
    point = resolve_equilibrium(sys, eq, params)
    problem = Problem.of(sys, point)
    try:
        exact = is_exact_equilibrium(problem)
        outcome = prove(problem) if exact else None
    except (NotRationalError, ZeroDivisionError):
        outcome = None
    if outcome is None:
        outcome = _numerically(sys, point)
    return _certificate(sys, problem, outcome)


def _naturally(problem: NaturalProblem) -> Outcome:
    """The outcome for a natural system, by proof where the point is exact."""
    try:
        outcome = prove_natural(problem)
    except (NotRationalError, ZeroDivisionError):
        outcome = None
    return judge_numerically(problem) if outcome is None else outcome


def _certificate(
    sys: Any, problem: Problem | NaturalProblem | MatrixProblem, outcome: Outcome
) -> Certificate:
    from geoctrl import __version__

    claim = claim_of(sys.name, problem, outcome.verdict)
    data = {
        "format": FORMAT,
        "version": VERSION,
        "software": f"geoctrl {__version__}",
        "system": sys.name,
        "verdict": outcome.verdict.value,
        "method": outcome.method,
        "claim": claim,
        "problem": problem.to_dict(),
        "evidence": outcome.evidence,
    }
    return Certificate(outcome.verdict, outcome.method, claim, outcome.evidence, _reason(outcome), data)


def claim_of(system: str, problem: Problem | NaturalProblem | MatrixProblem, verdict: Verdict) -> str:
    """The claim of a certificate in words."""
    values = zip(problem.states, map(float, problem.point), strict=True)
    where = ", ".join(f"{k} = {v:.12g}" for k, v in values if v) or "x = 0"
    if any(problem.spin):
        where += f", turning with ({', '.join(f'{v:.12g}' for v in problem.spin)}) rad/s,"
    return f"The equilibrium {where} of {system or 'the system'} {_CLAIMS[verdict]}."


def _reason(outcome: Outcome) -> str:
    evidence = outcome.evidence
    parts = []
    if outcome.verdict in (Verdict.UNDECIDED, Verdict.SPECTRALLY_STABLE_ONLY):
        kind = evidence.get("hessian")
        if kind == "no multipliers":
            parts.append("no combination of the invariants is critical at the point (no multipliers)")
        elif kind:
            parts.append(f"the restricted Hessian is {kind}")
    if evidence.get("dependent_gradients"):
        parts.append(f"dependent gradients: {', '.join(evidence['dependent_gradients'])}")
    return "; ".join(parts)


def readable(value: Any) -> str:
    """Evidence in words: exact numbers as decimals."""
    if isinstance(value, dict):
        return ", ".join(f"{k}: {readable(v)}" for k, v in value.items())
    if isinstance(value, list):
        return "[" + ", ".join(readable(v) for v in value) + "]"
    if isinstance(value, str):
        try:
            return f"{float(Fraction(value)):.6g}"
        except ValueError:
            return value
    return f"{value:.6g}" if isinstance(value, float) else str(value)


# -- the same questions in floats -------------------------------------------------------------------


def _numerically(sys: ReducedSystem, point: Equilibrium) -> Outcome:
    return decide_numerically(linearize(sys, point), Pencil.of(jets_at(sys, point)))


def decide_numerically(lin: Linearization, pencil: Pencil) -> Outcome:
    """Spectrum first, then the energy-Casimir test, both with stated tolerances."""
    values = lin.eigenvalues[len([k for k in lin.zero_modes if k != "family"]) :]
    size = max(1.0, float(np.linalg.norm(lin.A_leaf)))
    evidence: dict[str, Any] = {
        "eigenvalues": [[float(v.real), float(v.imag)] for v in np.asarray(lin.eigenvalues, dtype=complex)],
        "zero_modes": list(lin.zero_modes),
        "equilibrium_residual": lin.equilibrium.residual,
        "leaf_residual": lin.equilibrium.leaf_residual,
    }
    if values.size and float(np.max(values.real)) > GROWTH * size:
        return Outcome(Verdict.NUMERICALLY_UNSTABLE, "spectrum in floats", evidence)
    attracting = float(np.max(values.real, initial=-np.inf)) < -GROWTH * size
    if attracting and (values.size or not lin.zero_modes) and "family" not in lin.zero_modes:
        return Outcome(Verdict.NUMERICALLY_STABLE, "spectrum in floats", evidence)
    found = pencil.search()
    evidence["functions"] = pencil.names
    if found is None:
        evidence["hessian"] = "no multipliers"
    else:
        multipliers, spectrum = found
        evidence["multipliers"] = dict(zip(pencil.names, map(float, multipliers), strict=True))
        evidence["hessian_eigenvalues"] = [float(v) for v in spectrum]
        scale = float(np.max(np.abs(spectrum), initial=1e-300))
        if np.all(spectrum > _DEFINITE * scale) or np.all(spectrum < -_DEFINITE * scale):
            evidence["hessian"] = "definite"
            return Outcome(Verdict.NUMERICALLY_STABLE, "energy-Casimir in floats", evidence)
        mixed = np.any(spectrum > _DEFINITE * scale) and np.any(spectrum < -_DEFINITE * scale)
        evidence["hessian"] = "indefinite" if mixed else "semidefinite"
    bounded = values.size == 0 or float(np.max(values.real)) <= GROWTH * size
    away = values.size == 0 or float(np.min(np.abs(values))) > GROWTH * size
    verdict = Verdict.SPECTRALLY_STABLE_ONLY if bounded and away else Verdict.UNDECIDED
    return Outcome(verdict, "energy-Casimir in floats", evidence)
