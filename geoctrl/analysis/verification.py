"""Check of a certificate file: everything is recomputed from the file itself, nothing is searched for."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl.analysis.certificates import FORMAT, GROWTH, VERSION, claim_of, digest_of, readable
from geoctrl.analysis.energy_casimir import Pencil
from geoctrl.analysis.float_jets import jets_in_floats
from geoctrl.analysis.natural import MatrixProblem, NaturalProblem, judge_numerically, prove_natural
from geoctrl.analysis.problem import Problem
from geoctrl.analysis.proof import Outcome, Verdict, recheck
from geoctrl.analysis.shape import find_shape_integrals
from geoctrl.errors import CertificateError, ExpressionError

__all__ = ["VerificationReport", "verify"]

_KINDS: dict[str, Any] = {"equations": Problem, "natural": NaturalProblem, "matrices": MatrixProblem}
_AGREE = 1e-6
"""Relative agreement asked of recomputed floats (verdicts that are no proofs)."""


@dataclass(frozen=True)
class VerificationReport:
    """What `verify` confirmed.

    Attributes
    ----------
    verdict : Verdict
    claim : str
    checks : tuple of str
        The checks that were repeated, in words.
    """

    verdict: Verdict
    claim: str
    checks: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"{self.verdict}: {self.claim}", *(f"  confirmed: {c}" for c in self.checks)])


def verify(path: str | Path) -> VerificationReport:
    """Recompute a certificate file.

    Parameters
    ----------
    path : str or Path
        A file written by ``Certificate.to_json``.

    Returns
    -------
    VerificationReport

    Raises
    ------
    CertificateError
        If the file is malformed, was changed, or its claim does not follow from its equations.
    FileNotFoundError
        If there is no such file.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise CertificateError(f"{path} is not a JSON file: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise CertificateError(f"{path} is not a certificate of format {FORMAT} version {VERSION}")
    if data.get("digest") != digest_of(data):
        raise CertificateError(
            f"{path} was changed after it was written: its digest does not fit its content"
        )
    try:
        verdict = Verdict(data["verdict"])
        problem = _problem_of(data["problem"])
        evidence, method = dict(data["evidence"]), str(data["method"])
        if data["claim"] != claim_of(data["system"], problem, verdict):
            raise CertificateError("the claim in words does not fit the verdict and the point")
        checks = (
            _verify_natural(problem, method, evidence, verdict)
            if isinstance(problem, (NaturalProblem, MatrixProblem))
            else _verify_exact(problem, method, evidence, verdict)
            if "in floats" not in method
            else _verify_floats(problem, evidence, verdict)
        )
        return VerificationReport(verdict, str(data["claim"]), checks)
    except CertificateError:
        raise
    except (KeyError, ValueError, TypeError, IndexError, ZeroDivisionError, ExpressionError) as error:
        raise CertificateError(f"{path} is malformed: {error!r}") from error


def _problem_of(stored: Any) -> Any:
    if not isinstance(stored, dict):
        raise CertificateError("the problem is not stored as an object")
    return _KINDS[stored.get("kind", "equations")].from_dict(stored)


def _verify_natural(
    problem: NaturalProblem | MatrixProblem, method: str, evidence: dict[str, Any], verdict: Verdict
) -> tuple[str, ...]:
    exactly = "in floats" not in method
    outcome: Outcome | None
    if isinstance(problem, MatrixProblem):
        outcome = problem.judge()
    else:
        outcome = prove_natural(problem) if exactly else judge_numerically(problem)
    if outcome is None:
        raise CertificateError("the point is not an exact equilibrium")
    if outcome.verdict is not verdict or outcome.method != method:
        raise CertificateError(f"the file claims {verdict}, its Lagrangian gives {outcome.verdict}")
    for key in evidence.keys() | outcome.evidence.keys():
        stored: Any = evidence.get(key)
        found: Any = outcome.evidence.get(key)
        numbers = not exactly and isinstance(found, (list, float))
        if numbers and stored is not None and np.shape(stored) == np.shape(found):
            size = max(1e-9, float(np.max(np.abs(found), initial=0.0)))
            fits = bool(np.max(np.abs(np.subtract(stored, found)), initial=0.0) <= _AGREE * size)
        else:
            fits = stored == found
        if not fits:
            raise CertificateError(f"{key} does not fit: the file has {stored}, recomputed is {found}")
    checks = []
    if isinstance(problem, NaturalProblem):
        checks += [
            "the slope of the potential vanishes along the manifold",
            "the inertia is positive definite",
        ]
    if "hessian" in outcome.evidence:
        checks.append(f"the second variation of the potential is {outcome.evidence['hessian']}")
    return (*checks, "the characteristic polynomial or spectrum belongs to the linearisation")


def _verify_exact(
    problem: Problem, method: str, evidence: dict[str, Any], verdict: Verdict
) -> tuple[str, ...]:
    outcome = recheck(problem, method, evidence)
    if outcome.verdict is not verdict:
        raise CertificateError(f"the file claims {verdict}, its evidence gives {outcome.verdict}")
    for key in evidence.keys() | outcome.evidence.keys():
        if evidence.get(key) != outcome.evidence.get(key):
            raise CertificateError(
                f"{key} does not fit: the file has {evidence.get(key)}, "
                f"recomputed is {outcome.evidence.get(key)}"
            )
    checks = ["field and leaf relations vanish exactly at the point"]
    checks.append(f"conserved modulo the leaf: {', '.join(evidence['conserved']) or 'none'}")
    if evidence["shape_integrals"]:
        integrals = ", ".join(evidence["shape_integrals"])
        checks.append(f"linear integrals from the structure of the equations: {integrals}")
    checks.append(
        f"characteristic polynomial without forced zeros: {readable(evidence['reduced_polynomial'])}"
    )
    if "inertia" in evidence:
        positive, negative, zero = evidence["inertia"]
        checks.append(
            f"restricted Hessian has {positive} positive, {negative} negative, {zero} zero eigenvalues"
        )
    return tuple(checks)


def _verify_floats(problem: Problem, evidence: dict[str, Any], verdict: Verdict) -> tuple[str, ...]:
    """Repeat the tests in floats at the stored point, multipliers taken from the file."""
    from scipy.linalg import null_space

    from geoctrl._scalars import Program

    g = problem.graph
    if verdict.proved:
        raise CertificateError(f"{verdict} cannot rest on floats")
    arguments = [*problem.states.values(), *problem.inputs.values()]
    where = [float(q) for q in (*problem.point, *problem.input_point)]
    params = {k: float(q) for k, q in problem.numbers.items()}
    symbols = list(problem.states.values())
    n = len(symbols)

    def values(nodes: list) -> np.ndarray:
        return Program(g, arguments, problem.parameters, nodes)(where, params)

    A = values([e for row in g.jacobian(problem.field, symbols) for e in row]).reshape(n, n)
    scale = max(1.0, float(np.max(np.abs(A)))) * max(1.0, float(np.max(np.abs(where))))
    residual = float(np.max(np.abs(values([*problem.field, *problem.leaf.values()]))))
    if residual > 1e-8 * scale:
        raise CertificateError(f"the point is not an equilibrium: residual {residual:.3g}")
    stored = np.array([complex(*v) for v in evidence["eigenvalues"]])
    claimed_unstable = verdict is Verdict.NUMERICALLY_UNSTABLE
    relations = list(problem.leaf.values())
    gradient = values([e for row in g.jacobian(relations, symbols) for e in row]).reshape(len(relations), n)
    W = null_space(gradient, rcond=1e-12) if relations else np.eye(n)
    on_leaf = W.T @ A @ W
    size = max(1.0, float(np.linalg.norm(on_leaf)))
    # Coefficients of the characteristic polynomial: every eigenvalue with its multiplicity, none left out.
    powers = size ** np.arange(len(stored) + 1)
    if len(stored) != len(on_leaf) or np.any(np.abs(np.poly(stored) - np.poly(on_leaf)) > _AGREE * powers):
        raise CertificateError(f"{stored} are not the eigenvalues of the linearisation on the leaf")
    if claimed_unstable != bool(np.max(stored.real, initial=-np.inf) > GROWTH * size):
        raise CertificateError("the verdict does not fit the stored eigenvalues")
    checks = ["the point is an equilibrium", "the eigenvalues belong to the linearisation"]
    if "multipliers" in evidence:
        checks.append(_verify_float_hessian(problem, evidence, verdict, values))
    elif verdict is Verdict.NUMERICALLY_STABLE:
        # Zeros of invariants come first; a family's stay among those that must lie to the left.
        forced = [name for name in evidence["zero_modes"] if name != "family"]
        rest = stored[len(forced) :]
        if np.any(stored[: len(forced)]) or not np.max(rest.real, initial=-np.inf) < -GROWTH * size:
            raise CertificateError(
                "numerical stability needs multipliers or eigenvalues to the left of the axis"
            )
    return tuple(checks)


def _verify_float_hessian(problem: Problem, evidence: dict[str, Any], verdict: Verdict, values: Any) -> str:
    g = problem.graph
    symbols = list(problem.states.values())
    named = {**problem.invariants, **problem.leaf}
    shape = None
    if set(evidence["multipliers"]) - set(named):
        leaf = list(problem.leaf.values())
        shape = find_shape_integrals(g, problem.states, problem.field_with_inputs, leaf)
    point = np.array([float(q) for q in problem.point])
    pencil = Pencil.of(jets_in_floats(g, symbols, named, shape, point, values))
    if list(evidence["multipliers"]) != pencil.names:
        raise CertificateError(
            "the multipliers do not belong to the invariants and leaf relations of the file"
        )
    y = np.array([float(v) for v in evidence["multipliers"].values()])
    size = float(np.max(np.abs(y[:, None] * pencil.gradients), initial=1e-300))
    if np.max(np.abs(y @ pencil.gradients)) > _AGREE * size:
        raise CertificateError("the multipliers do not make the combination critical")
    W = pencil.kernel
    spectrum = np.linalg.eigvalsh(W.T @ np.tensordot(y, pencil.hessians, 1) @ W)
    stored = np.array(evidence["hessian_eigenvalues"], dtype=float)
    if spectrum.shape != stored.shape or np.max(np.abs(spectrum - stored), initial=0.0) > _AGREE * np.max(
        np.abs(spectrum), initial=1e-300
    ):
        raise CertificateError(f"the restricted Hessian's eigenvalues are {spectrum}, the file has {stored}")
    definite = np.all(spectrum > 0) or np.all(spectrum < 0)
    if (verdict is Verdict.NUMERICALLY_STABLE) != bool(definite and evidence["hessian"] == "definite"):
        raise CertificateError("the verdict does not fit the restricted Hessian")
    return f"restricted Hessian eigenvalues {[f'{v:.4g}' for v in spectrum]}"
