"""Verdicts from floats: what they rest on is proved where it can be; their claims are no theorems."""

import json

import pytest
import sympy as sp

import geoctrl as gc


def body(force=None, potential=None):
    """A body in a field of strength log(4): no value of it is rational, so that nothing is proved."""
    algebra, Gamma = gc.so3(), gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    w, G = sp.Matrix(algebra.xi), Gamma.symbols
    U = -sp.log(4) * G[2] + (0 if potential is None else potential(G))
    forces = None if force is None else list(force(w))
    return gc.EulerPoincare(
        name="body",
        algebra=algebra,
        advected=[Gamma],
        inertia=sp.diag(1, 2, 3),
        potential=U,
        forces=forces,
    ).reduce()


@pytest.fixture(autouse=True)
def no_boxes(monkeypatch):
    """What floats say where no box is proved."""
    monkeypatch.setattr("geoctrl.analysis.proofs.proof.in_balls", lambda *_: None)


HANGING = [0, 0, 0, 0, 0, 1]


def test_an_energy_that_grows_by_a_trillionth_is_no_evidence(tmp_path):
    """A force 1e-12 Omega1^3: rounding hides it at every sampled state, an identity does not."""
    steady = gc.certify(body(potential=lambda G: G[0] ** 2), HANGING)
    assert steady.verdict is gc.Verdict.NUMERICALLY_STABLE
    assert "energy" in steady.evidence["conserved"]
    pushed = body(lambda w: (1e-12 * w[0] ** 3, 0, 0), lambda G: G[0] ** 2)
    assert "energy" in pushed.conservation.likely(None, False)  # floats do not see it
    assert "energy" not in pushed.conserved()
    growing = gc.certify(pushed, HANGING)
    assert "energy" not in growing.evidence["conserved"]
    assert growing.verdict not in (gc.Verdict.NUMERICALLY_STABLE, gc.Verdict.PROVED_STABLE)
    with pytest.raises(gc.CertificateError, match=r"is a report and no proof.*exact point"):
        growing.to_json(tmp_path / "c.json")
    (tmp_path / "c.json").write_text(json.dumps(growing.to_dict()))
    with pytest.raises(gc.CertificateError, match="is a report and no proof"):
        gc.verify(tmp_path / "c.json")


@pytest.mark.parametrize("push", [1e-9, -1e-9])
def test_a_growth_below_the_tolerance_is_not_denied(push):
    certificate = gc.certify(body(lambda w: (push * w[0], 0, 0)), HANGING)
    assert not certificate.verdict.proved
    assert certificate.verdict is not gc.Verdict.NUMERICALLY_STABLE
    if certificate.verdict is gc.Verdict.SPECTRALLY_STABLE_ONLY:
        assert "in floats no eigenvalue with a real part above" in certificate.claim
        assert "nothing is proved" in certificate.claim
    assert "has no eigenvalue" not in certificate.claim


def test_claims_in_floats_name_their_tolerance():
    for sign, words in ((1, "no proof"), (-1, "largest real part above")):
        certificate = gc.certify(body(), [0, 0, 0, 0, 0, sign])
        assert "in floats" in certificate.method
        assert words in certificate.claim
        assert "no proof" in certificate.claim
    assert certificate.verdict is gc.Verdict.NUMERICALLY_UNSTABLE
    assert certificate.evidence["growth"] > 0


def test_a_stiff_mode_does_not_hide_an_instability_that_a_rational_number_proves():
    """Damping of 1e7 about the vertical beside a growth of 1/s: floats say nothing, exact numbers do."""
    algebra, Gamma = gc.so3(), gc.AdvectedVector("Gamma", reference=(0, 0, 1))
    w, G = algebra.xi, Gamma.symbols

    def upright(strength):
        return gc.EulerPoincare(
            name="stiff",
            algebra=algebra,
            advected=[Gamma],
            inertia=sp.diag(1, 2, 3),
            potential=strength * G[2],
            forces=[0, 0, -(10**7) * w[2]],
        ).reduce()

    proved = gc.certify(upright(sp.Rational(7, 5)), HANGING)
    assert proved.verdict is gc.Verdict.PROVED_UNSTABLE
    floats = gc.certify(upright(sp.log(4)), HANGING)
    assert not floats.verdict.proved
    assert floats.verdict is not gc.Verdict.NUMERICALLY_STABLE


def test_multipliers_that_floats_get_wrong_are_no_error(monkeypatch):
    """What the checker does not call critical counts as no multipliers; nothing is claimed then."""
    from geoctrl.analysis.proofs.energy_casimir import Pencil

    system = body(potential=lambda G: G[0] ** 2)
    true_search = Pencil.search

    def off(pencil):
        found = true_search(pencil)
        return None if found is None else (found[0] + 1e-3, found[1])

    monkeypatch.setattr(Pencil, "search", off)
    certificate = gc.certify(system, HANGING)
    assert certificate.evidence["hessian"] == "no multipliers"
    assert certificate.verdict in (gc.Verdict.UNDECIDED, gc.Verdict.SPECTRALLY_STABLE_ONLY)
