"""The command line: tables, one JSON object, exit statuses, lazy imports."""

import copy
import json
import re
import subprocess
import sys

import pytest

import geoctrl as gc
from geoctrl._pages import catalogue_entries
from geoctrl.analysis.witnesses.content import content_with_witnesses
from geoctrl.cli import main
from tests import catalogue_table
from tests.attack.forge.by_hand import decided


def run(capsys, *argv):
    status = main(list(argv))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_models_lists_the_catalogue(capsys):
    status, out, _ = run(capsys, "models", "--json")
    listed = json.loads(out)
    assert status == 0
    assert list(listed) == gc.models.names()
    assert listed["pendulum-skate"]["families"] == {"spinning": ["Omega0"], "sliding": ["Y0"]}
    assert listed["pendulum-skate-rotor"]["inputs"] == ["u_theta"]
    assert listed["heavy-top"]["parameters"]["l"]["unit"] == "m"
    assert all(entry["source"] for entry in listed.values())


def test_the_table_of_the_catalogue_is_what_the_descriptions_say():
    assert catalogue_entries() == catalogue_table.entries(), "python -m tests.catalogue_table writes it anew"


def test_the_list_of_models_loads_no_library():
    listed = (
        "import sys; from geoctrl.cli import main; main(['models']); "
        "sys.exit(bool({'numpy', 'sympy', 'heyoka'} & {*sys.modules}))"
    )
    subprocess.run([sys.executable, "-c", listed], check=True, capture_output=True)


@pytest.mark.parametrize("name", gc.models.names("reduced"))
def test_models_lists_the_states_and_inputs_that_the_system_has(capsys, name):
    entry = json.loads(run(capsys, "models", name, "--json")[1])[name]
    system = gc.models.get(name)().reduce()
    assert entry["states"] == list(system.state_labels)
    assert entry["inputs"] == list(system.input_labels)
    assert "energy" in entry["conserved"] or "energy" not in system.conserved()


def test_models_prints_a_block_for_each_mechanism(capsys):
    text = run(capsys, "models")[1]
    blocks = {block.split()[0]: block for block in re.split(r"\n(?=\S)", text)}
    assert sorted(blocks) == gc.models.names()
    numbers_alone = gc.models.names("files")  # those of a file have no parameters, and not all have families
    for key in ("states", "parameters", "inputs", "families", "source"):
        for name, block in blocks.items():
            assert f"\n  {key} " in block or (name in numbers_alone and key in ("parameters", "families")), (
                key
            )
    assert max(map(len, text.splitlines())) <= 100


def test_models_describes_one_mechanism_in_full(capsys):
    status, out, _ = run(capsys, "models", "rolling-disk")
    assert status == 0
    for words in ("rolling(Omega0)", "conserved   energy", "Neimark", "m/s^2", "hoop", "radius"):
        assert words in out
    status, _, err = run(capsys, "models", "rolling-disc")
    assert (status, "rolling-disk" in err) == (2, True)


def test_law_of_actuated_directions(capsys, tmp_path):
    status, out, _ = run(capsys, "law", "cart-pendulum", "--shaping", "both", "--at", "upright", "--json")
    data = json.loads(out)
    assert status == 0
    assert data["admissible"]["upright"]["bounds"] == {"kappa": "kappa > M/m", "rho": "rho < 0", "K": "K < 0"}
    gains = ["--set", "kappa=20", "rho=-0.02", "K=-0.6"]
    file = tmp_path / "loop.json"
    arguments = ["law", "cart-pendulum", "--shaping", "both", "--at", "upright", *gains, "--out", str(file)]
    status, out, _ = run(capsys, *arguments, "--json")
    data = json.loads(out)
    assert (status, data["verdict"]) == (0, "PROVED_STABLE")
    assert "u" in data["law"]
    assert run(capsys, "verify", str(file))[0] == 0
    assert data["performance"]["frequency"] == pytest.approx(14.62, abs=0.01)
    assert "regular for -1.11 < phi < 1.11" in run(capsys, *arguments)[1]
    falling = ["law", "cart-pendulum", "--shaping", "both", "--at", "upright", "--json"]
    out = run(capsys, *falling, "--set", "kappa=20", "rho=0.02", "K=-0.6")[1]
    assert json.loads(out, parse_constant=pytest.fail)["performance"]["effort"]["u"]["phi"] is None
    status, out, _ = run(capsys, "law", "cart-pendulum", "--set", "kappa=20")
    assert (status, "kappa > M/m" in out) == (0, True)
    assert run(capsys, "law", "cart-pendulum", "--set", "kapa=20")[0] == 2
    assert run(capsys, "law", "cart-pendulum", "--out", str(file))[0] == 2


def test_law_names_families_that_belong_to_the_open_loop(capsys):
    status, out, _ = run(capsys, "law", "body-with-rotor")
    assert status == 0
    assert "no family 'dual-spin' in the closed loop" in out
    assert "u_theta = " in out


def test_certify_writes_what_verify_confirms_and_a_change_is_refused(capsys, tmp_path):
    file = tmp_path / "spin.json"
    arguments = ["certify", "pendulum-skate", "--at", "spinning", "--set", "Omega0=5", "--set", "I2=0.3"]
    status, out, _ = run(capsys, *arguments, "--out", str(file), "--json")
    data = json.loads(out)
    assert (status, data["verdict"], data["file"]) == (0, "PROVED_STABLE", str(file))
    assert len(data["eigenvalues"]) == 4
    status, out, _ = run(capsys, "verify", str(file))
    assert (status, out.splitlines()[0].split(":")[0]) == (0, "PROVED_STABLE")
    file.write_text(file.read_text().replace("energy-Casimir", "attraction"))
    status, out, _ = run(capsys, "verify", str(file), "--json")
    assert (status, json.loads(out)["confirmed"]) == (1, False)
    status, _, err = run(capsys, "verify", str(file))
    assert (status, err.startswith("REFUSED")) == (1, True)
    assert run(capsys, "verify", str(tmp_path / "missing.json"))[0] == 2


def test_linearize_gives_eigenvalues_zeros_and_the_matrix(capsys):
    status, out, _ = run(
        capsys, "linearize", "pendulum-skate", "--at", "spinning", "--set", "Omega0=5", "--json"
    )
    found, skate = json.loads(out), gc.models.get("pendulum-skate")().reduce()
    lin = gc.linearize(skate, skate.equilibrium("spinning", Omega0=5.0))
    assert status == 0
    assert found["eigenvalues"] == [[v.real, v.imag] for v in lin.eigenvalues]
    assert found["zero_modes"] == ["C1", "C2"]
    assert found["A_leaf"] == lin.A_leaf.tolist()
    assert found["equilibrium"]["v2"] == 5.0
    status, out, _ = run(capsys, "linearize", "pendulum-skate", "--at", "spinning", "--set", "Omega0=5")
    assert status == 0
    assert "zero modes: C1, C2" in out
    assert "where w" not in out  # all its coordinates are states
    header, *rows = out.splitlines()[-5:]
    assert header.split() == found["coordinates"] == [row.split()[0] for row in rows]
    assert [float(c) for c in rows[0].split()[1:]] == pytest.approx(found["A_leaf"][0], rel=1e-5)
    assert found["inputs"] == [] == found["B_leaf"][0]
    # What an input adds stands below the matrix, as central differences of the equations say.
    status, out, _ = run(capsys, "linearize", "cart-pendulum", "--at", "upright")
    cart = gc.models.get("cart-pendulum")().reduce()
    adds = [(cart.rhs(0, cart.state(), [h]) - cart.rhs(0, cart.state(), [-h])) / (2 * h) for h in [0.5]]
    header, *rows = out.splitlines()[-4:]
    assert header.split() == ["u"]
    shown = {row.split()[0].removeprefix("d_"): float(row.split()[1]) for row in rows}
    assert shown == pytest.approx(dict(zip(cart.state_labels, adds[0], strict=True)), rel=1e-5)
    # Rolling straight ahead turns the vertical in the body: seen from axes that do not follow.
    status, out, _ = run(capsys, "linearize", "rolling-disk", "--at", "rolling", "--set", "Omega0=4")
    assert (status, "rolling-disk, despun" in out) == (0, True)
    status, _, err = run(capsys, "linearize", "pendulum-skate", "--at", "spining")
    assert (status, "did you mean 'spinning'" in err) == (2, True)
    assert run(capsys, "linearize", "pendulum-skate", "--at", "spinning", "--set", "Omega=5")[0] == 2


def test_a_report_is_told_and_not_written(capsys, tmp_path):
    """Debra and Delp's region: no growth, and nothing proved."""
    file = tmp_path / "report.json"
    numbers = [a for q in ("J1=1.4", "J2=0.98", "J3=1.05", "n=0.7") for a in ("--set", q)]
    arguments = ["certify", "orbiting-body", "--at", "aligned", *numbers]
    status, out, _ = run(capsys, *arguments, "--json")
    assert (status, json.loads(out)["verdict"]) == (0, "SPECTRALLY_STABLE_ONLY")
    status, out, err = run(capsys, *arguments, "--out", str(file))
    assert (status, out, file.exists()) == (1, "", False)
    assert "SPECTRALLY_STABLE_ONLY is a report and no proof" in err


def test_certify_over_a_box_writes_what_verify_confirms_or_tells_a_point_against_it(
    capsys, tmp_path, monkeypatch
):
    """The skate's upright spinning: stable between 9/2 and 11/2 rad/s, unstable at 1/2."""
    monkeypatch.chdir(tmp_path)
    file = "over.json"
    arguments = ["certify", "pendulum-skate", "--at", "spinning", "--set", "Omega0=5", "--over", "m=0.1"]
    status, out, _ = run(capsys, *arguments, "Omega0=4.5:5.5", "--out", file)
    assert (status, out.splitlines()[0]) == (0, "PROVED_STABLE")
    assert max(map(len, out.splitlines())) <= 79
    assert "Of constants that vary in time nothing is said" in " ".join(out.split())
    status, out, _ = run(capsys, "verify", file, "--json")
    assert (status, json.loads(out)["verdict"]) == (0, "PROVED_STABLE")
    status, out, _ = run(capsys, *arguments, "--over", "Omega0=0.9", "--json")
    found = json.loads(out)
    assert (status, found["verdict"], found["counterexample"]["verdict"]) == (
        0,
        "UNDECIDED",
        "PROVED_UNSTABLE",
    )
    assert found["against"]["Omega0"] == "1/2"
    assert 0 < found["inside"] < 1
    status, out, err = run(capsys, *arguments, "--over", "Omega0=0.9", "--out", "none.json")
    assert (status, "is a report and no proof of the box" in err) == (1, True)
    assert not (tmp_path / "none.json").exists()


def test_certify_takes_the_despun_system_where_only_there_it_is_steady(capsys):
    status, out, _ = run(capsys, "certify", "rolling-disk", "--at", "rolling", "--set", "Omega0=5", "--json")
    assert (status, json.loads(out)["verdict"]) == (0, "PROVED_STABLE")


def test_simulate_reports_drift_and_writes_files(capsys, tmp_path):
    file, picture = tmp_path / "run.npz", tmp_path / "run.png"
    arguments = ["simulate", "pendulum-skate", "--at", "spinning", "--set", "Omega0=6", "--time", "2"]
    arguments += ["--x0", "v1=0.01", "--points", "21", "--out", str(file), "--plot", str(picture), "--json"]
    status, out, _ = run(capsys, *arguments)
    data = json.loads(out)
    assert (status, data["status"], data["initial"]["v1"]) == (0, "completed", 0.01)
    assert max(data["drift"].values()) < 1e-12
    assert file.stat().st_size > 0
    assert picture.stat().st_size > 0


def test_law_prints_branches_condition_law_and_verdict(capsys):
    arguments = ["law", "pendulum-skate-rotor", "--at", "sliding", "--set", "sigma=-1e-5", "Y0=1"]
    status, out, _ = run(capsys, *arguments, "--json")
    data = json.loads(out)
    assert (status, data["verdict"], data["branches"]) == (0, "PROVED_STABLE", ["no control", "full"])
    assert data["admissible"]["sliding"]["feasible"] is True
    assert "sigma" in data["law"]["u_theta"]
    status, outside, _ = run(capsys, "law", "pendulum-skate-rotor", "--set", "sigma=-2e-5", "--json")
    assert json.loads(outside)["warnings"]
    assert status == 1
    assert run(capsys, "law", "heavy-top")[0] == 1  # no rotors: it cannot be done


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["certify", "pendulm-skate", "--at", "spinning"], "pendulum-skate"),
        (["certify", "pendulum-skate", "--at", "spining"], "spinning"),
        (["certify", "pendulum-skate", "--at", "spinning", "--set", "Omga0=5"], "Omega0"),
        (["certify", "pendulum-skate", "--at", "spinning", "--set", "Omega0=fast"], "Omega0=fast"),
        (["certify", "pendulum-skate", "--at", "spinning"], "Omega0"),
        (["certify", "pendulum-skate", "--at", "sliding", "--set", "Y0=1", "m=-1"], "positive"),
        (["certify", "planar-pendulum", "--at", "hanging", "--over", "m"], "NAME=PART or NAME=LOW:HIGH"),
        (["certify", "planar-pendulum", "--at", "hanging", "--over", "m=1:2:3"], "m=1:2:3"),
        (["certify", "planar-pendulum", "--at", "hanging", "--over", "m=0.1", "m=0.2"], "gives m twice"),
        (["certify", "planar-pendulum", "--at", "hanging", "--over", "mm=0.1"], "did you mean 'm'"),
        (["simulate", "pendulum-skate", "--x0", "v9=1"], "v9"),
        (["simulate", "pendulum-skate", "--time", "-1"], "--time"),
        (["law", "pendulum-skate-rotor", "--out", "cert.json"], "--at"),
        (["certify", "pendulum-skate", "--at", "spinning", "--set", "Omega0=5", "--params", "7.9"], "7.2"),
        (["certify", "heavy-top", "--at", "hanging", "--set", "Omega0=1", "Omega0=2"], "Omega0 twice"),
        (["certify", "heavy-top", "--at", "hanging", "--set", "Omega0=1", "--set", "Omega0=2"], "twice"),
        (["simulate", "heavy-top", "--x0", "Omega1=1", "Omega1=1"], "Omega1 twice"),
        (["simulate", "heavy-top", "--points", "1000000000000"], "--points must be at most"),
        (["simulate", "heavy-top", "--out", "x.json"], "npz"),
    ],
)
def test_mistakes_in_the_command_exit_with_2_and_say_what_is_wrong(capsys, argv, words):
    status, out, err = run(capsys, *argv)
    assert (status, out) == (2, "")
    assert words in err


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom geoctrl.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as done:\n    assert done.code == 0\n"
        "heavy = {'sympy', 'heyoka', 'control', 'numpy', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "certify" in done.stdout


def test_no_command_prints_help_and_exits_with_2(capsys):
    status, _, err = run(capsys)
    assert (status, "usage" in err) == (2, True)
    assert run(capsys, "--version")[1].startswith("geoctrl ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "pendulum-skate", "--time", "inf"], "positive and finite"),
        (["simulate", "pendulum-skate", "--x0", "v1=nan"], "finite numbers"),
        (["certify", "pendulum-skate", "--at", "spinning", "--set", "Omega0=inf"], "finite numbers"),
    ],
)
def test_numbers_that_are_not_finite_are_misuse(capsys, arguments, words):
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert words in err


def test_a_missing_certificate_is_named_in_words_and_as_data(capsys, tmp_path):
    file = str(tmp_path / "nothing.json")
    status, out, err = run(capsys, "verify", file)
    assert (status, out) == (2, "")
    assert f"{file}: No such file" in err
    status, out, _ = run(capsys, "verify", file, "--json")
    assert status == 2
    assert json.loads(out) == {"file": file, "confirmed": False, "error": "No such file or directory"}


def test_failures_are_one_line_each(capsys, tmp_path):
    status, out, err = run(capsys, "certify", "heavy-top", "--at", "hanging", "--set", "Omega0=1e300")
    assert (status, out) == (1, "")
    assert "exceeds the doubles" in err
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000, encoding="utf-8")
    assert run(capsys, "verify", str(deep))[0] == 1
    assert run(capsys, "verify", str(tmp_path))[0] == 2
    assert run(capsys, "law", "pendulum-skate-rotor", "--set", "sigma=1e-5")[0] == 1


@pytest.mark.parametrize(
    ("model", "family", "values"),
    [
        ("pendulum-skate", "sliding", ["--set", "Y0=1.25"]),
        ("rolling-disk", "rolling", ["--set", "Omega0=5"]),
        ("double-spherical-pendulum", "hanging", []),
    ],
)
def test_a_certificate_is_compared_with_the_mechanism_derived_anew(capsys, tmp_path, model, family, values):
    file = str(tmp_path / "cert.json")
    assert run(capsys, "certify", model, "--at", family, *values, "--out", file)[0] == 0
    status, out, _ = run(capsys, "verify", file, "--rebuild")
    assert status == 0
    assert "the same, derived anew: field, mass matrix and forces" in out
    assert "derived anew" not in run(capsys, "verify", file)[1]
    status, out, _ = run(capsys, "verify", file, "--rebuild", "--json")
    assert status == 0
    assert "invariants" in " ".join(json.loads(out)["derived_anew"])


def renamed(file, certificate, name, parameters):
    """A certificate that follows from its equations, under the name of another system."""
    problem = copy.deepcopy(certificate.proof["problem"])
    problem["parameters"] |= parameters
    proof = decided(problem, **certificate.evidence) | {"system": name}
    file.write_text(json.dumps(content_with_witnesses(proof)))


@pytest.mark.parametrize(
    ("name", "parameters", "words"),
    [
        ("heavy-top", {}, "the file has the states"),
        ("my skate", {}, "no mechanism of the catalogue"),
        ("", {}, "no mechanism of the catalogue"),
        ("pendulum-skate, closed loop", {}, "feedback law"),
        ("chain-pendulum", {}, "the file has the parameters"),
        ("pendulum-skate", {"l": "-1/2", "g": "-10"}, "does not admit the parameters"),
    ],
)
def test_equations_of_something_else_are_refused(capsys, tmp_path, name, parameters, words):
    file = tmp_path / "cert.json"
    skate = gc.models.get("pendulum-skate")().reduce()
    renamed(file, gc.certify(skate, skate.equilibrium("sliding", Y0=1.25)), name, parameters)
    assert run(capsys, "verify", str(file))[0] == 0  # it proves what it claims, of whatever it is
    status, _, err = run(capsys, "verify", str(file), "--rebuild")
    assert status == 1
    assert words in err
    status, out, _ = run(capsys, "verify", str(file), "--rebuild", "--json")
    assert status == 1
    assert json.loads(out)["confirmed"] is False


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (
            MemoryError("Unable to allocate 7 TiB"),
            1,
            "not enough memory: Unable to allocate 7 TiB; ask for fewer points",
        ),
        (OverflowError("too large"), 1, "internal error, please report it: OverflowError: too large"),
        (RecursionError("deep"), 1, "internal error"),
        (ValueError("two\nlines"), 1, "internal error, please report it: ValueError: two lines"),
        (OSError("no file name here"), 1, "no file name here"),
        (gc.InputError("x is wrong"), 1, "x is wrong"),
        (gc.ParameterError("m is wrong"), 2, "m is wrong"),
    ],
)
def test_no_exception_is_shown_as_a_traceback(capsys, monkeypatch, error, status, words):
    def fail(name):
        raise error

    monkeypatch.setattr("geoctrl.models.get", fail)
    found, out, err = run(capsys, "certify", "heavy-top", "--at", "hanging")
    assert (found, out) == (status, "")
    assert err == f"geoctrl certify: {words}\n" or (words == "internal error" and len(err.splitlines()) == 1)


def test_the_second_catalogue_is_reached(capsys):
    status, out, _ = run(capsys, "certify", "chain-pendulum", "--at", "standing")
    assert (status, out.splitlines()[0]) == (0, "PROVED_UNSTABLE")
    status, out, err = run(
        capsys, "simulate", "coupled-pendula", "--at", "hanging", "--x0", "q1_1=0.3", "--time", "1"
    )
    assert status == 0
    assert "coupled-pendula: completed" in out
    assert "initial state moved onto the leaf: q1_1=0.2873" in err
    for arguments, words in (
        (
            ("certify", "lennard-jones", "--at", "rest"),
            "lennard-jones has no family 'rest'; none is declared",
        ),
        (("simulate", "dipoles", "--time", "1"), "give --at FAMILY (none is declared), or all directions"),
        (("law", "dipoles"), "dipoles is a system on spheres: it has no actuated directions, which"),
        (
            ("certify", "chain-pendulum", "--at", "hanging", "--set", "g=3"),
            "no parameter or family symbol: 'g'",
        ),
        (("models", "chain-pendulums"), "did you mean 'chain-pendulum'"),
    ):
        status, _, err = run(capsys, *arguments)
        assert (status, words in err) == (2, True), err


def test_warm_compiles_the_loops_of_all_solvers(capsys):
    status, out, _ = run(capsys, "warm")
    lines = out.splitlines()
    assert status == 0
    solvers = ["explicit", "tensions", "sparse tensions", "apart", "coupled"]
    assert [" ".join(line.split()[:-2]) for line in lines] == solvers
    assert all(line.split()[-1] == "s" and float(line.split()[-2]) >= 0 for line in lines)
    seconds = json.loads(run(capsys, "warm", "--json")[1])
    assert max(seconds.values()) < 0.1  # compiled above


# -- orbits and jumps ------------------------------------------------------------------------------------

STEP = ("--x0", "st_dot=1.0918", "sw_dot=.3772", "st=-.2187", "sw=.3234", "--period", ".7347")


def test_an_orbit_through_jumps_is_found_told_and_shown(capsys, tmp_path):
    status, out, _ = run(
        capsys, "orbit", "compass-walker", *STEP, "--json", "--run", str(tmp_path / "step.npz")
    )
    told = json.loads(out)
    assert (status, told["verdict"], told["neutral"]) == (0, "NUMERICALLY_STABLE", ["strike"])
    assert told["period"] == pytest.approx(0.734720962155, abs=1e-11)
    assert told["lost"] == pytest.approx([5.49251737515626])
    assert [phase["jump"] for phase in told["phases"]] == ["heel strike"]
    status, out, _ = run(capsys, "view", str(tmp_path / "step.npz"), "--json")
    assert status == 0
    assert json.loads(out)["bodies"] == ["ground", "stance leg", "hip", "swing leg"]
    status, _, said = run(capsys, "orbit", "compass-walker", *STEP, "--jumps", "toe strike")
    assert status == 1
    assert "no jump 'toe strike'" in said


FREE = ("orbit", "free-rigid-body", "--x0", "Omega1=.2", "Omega3=1", "--period", "8")


def test_an_orbit_of_a_field_and_what_is_none(capsys):
    status, out, _ = run(capsys, "orbit", "van-der-pol", "--x0", "x=2", "--period", "6.6")
    assert status == 0
    assert out.startswith("orbit of van-der-pol: NUMERICALLY_STABLE\n  period: 6.66328685932 s\n")
    for more, words in (
        (("--jumps", "hit"), "are about what jumps"),
        (("--mode", "air"), "--mode names a mode of what jumps"),
        (("--run", "orbit.csv"), "writes an .npz archive"),
    ):
        status, _, said = run(capsys, *FREE, *more)
        assert status == 2
        assert words in said
    for more, words in (
        (("--period", "-8"), "must be positive"),
        (("--forcing", "-8"), "must be positive"),
        ((), "--period, or the --forcing of its equations"),
    ):
        status, _, said = run(capsys, *FREE[:-2], *more)
        assert (status, words in said) == (2, True)


@pytest.mark.long(reason="files of orbits are written and confirmed in tests/orbits")
def test_an_orbit_is_proved(capsys, tmp_path):
    path = tmp_path / "orbit.json"
    status, out, _ = run(capsys, *FREE, "--out", str(path), "--json")
    assert (status, json.loads(out)["verdict"]) == (0, "PROVED_STABLE")
    assert gc.verify(path).verdict.name == "PROVED_STABLE"
    hop = ("--x0", "theta_dot=1.6", "theta=-.22", "--period", ".39")
    status, out, _ = run(capsys, "orbit", "rimless-wheel", *hop, "--out", str(path), "--json")
    assert (status, json.loads(out)["verdict"]) == (0, "PROVED_ASYMPTOTICALLY_STABLE")
    assert gc.verify(path).verdict.name == "PROVED_ASYMPTOTICALLY_STABLE"


def test_a_run_through_jumps_is_told(capsys):
    begun = ("simulate", "rocking-block", "--x0", "theta=.2", "--time", "1")
    status, out, _ = run(capsys, *begun)
    assert status == 0
    assert "jumps: left corner at 0.589192 s" in out
    told = json.loads(run(capsys, *begun, "--json", "--mode", "right")[1])
    assert [jump["mode"] for jump in told["jumps"]] == ["left"]
    status, _, said = run(capsys, *begun, "--mode", "middle")
    assert status == 1
    assert "no mode 'middle'" in said
    status, _, said = run(capsys, "certify", "rocking-block")
    assert status == 1
    assert "each with equations of its own" in said
