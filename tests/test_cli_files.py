"""Commands on mechanisms of one's own, from a description to C; what shells are told; pipes and widths."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.cli import main
from geoctrl.cli.laws.tilted_runs import displaced_groups, time_back
from geoctrl.cli.reading.text import matrix_text, text_in_width
from tests.test_cli import run

ONE = """
import geoctrl as gc
print("this goes to standard error")
q = gc.Coordinate("q")
ball = gc.EulerPoincare(shape=[q], inertia=[[2]], potential=3 * q.symbol**2, name="ball",
                        equilibria={"rest": gc.Family({})})
"""
CART = """
<mujoco model="cart-pole">
  <worldbody>
    <body name="cart">
      <joint name="x" type="slide" axis="1 0 0" damping="0.3"/>
      <inertial pos="0 0 0" mass="0.8" diaginertia="0.01 0.01 0.01"/>
      <body name="pole">
        <joint name="phi" axis="0 1 0" damping="0.01"/>
        <inertial pos="0 0 0.3" mass="0.2" diaginertia="0.006 0.006 0.0001"/>
      </body>
    </body>
    <geom type="plane" size="1 1 1"/>
  </worldbody>
  <actuator><motor name="force" joint="x"/></actuator>
  <keyframe><key name="upright" qpos="0 0"/></keyframe>
</mujoco>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a program that ``geoctrl new`` wrote, and a law for it."""
    there = tmp_path_factory.mktemp("own")
    before = Path.cwd()
    os.chdir(there)
    try:
        assert main(["new", "arm"]) == 0
        law = ["--Q", "phi=100", "phi_dot=1", "--rate", "100", "--limit", "u=2", "--tilt", "5deg"]
        assert (
            main(["lqr", "arm.py", *law, "--save", "law.json", "--out", "held.json", "--run", "run.npz"]) == 0
        )
    finally:
        os.chdir(before)
    return there


@pytest.fixture
def inside(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


# -- programs ---------------------------------------------------------------------------------------


def test_the_program_to_begin_with_is_short_runs_and_ends_with_a_verdict(inside, capsys):
    lines = Path("arm.py").read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 30
    assert max(map(len, lines)) <= 79
    runpy.run_path("arm.py", run_name="__main__")
    out = capsys.readouterr().out.splitlines()
    assert out[0].split() == ["alone:", "PROVED_UNSTABLE"]
    assert out[-1].split() == ["held:", "PROVED_ASYMPTOTICALLY_STABLE"]
    status, out, err = run(capsys, "new", "arm")
    assert (status, out, "--force" in err) == (2, "", True)
    assert run(capsys, "new", "lambda")[0] == 2
    assert run(capsys, "new", "gc")[0] == 2


def test_the_only_mechanism_of_a_program_is_meant_and_its_words_go_elsewhere(tmp_path, capsys):
    file = tmp_path / "one.py"
    file.write_text(ONE)
    status, out, err = run(capsys, "certify", str(file), "--json")
    assert (status, json.loads(out)["verdict"]) == (0, "PROVED_STABLE")
    assert err == "this goes to standard error\n"
    assert "ball  [q]" in run(capsys, "models", str(file))[1]
    assert (
        json.loads(run(capsys, "certify", f"{file}:ball", "--json")[1])["claim"] == json.loads(out)["claim"]
    )
    file.write_text(f"{ONE}\nsame = ball.reduce()\n")  # a description and its system are one
    assert run(capsys, "certify", str(file), "--json")[1] == out


@pytest.mark.parametrize(
    ("added", "name", "status", "words"),
    [
        ("other = ball.replace(name='other')", "", 2, "holds several mechanisms: ball, other; say which"),
        ("del ball", "", 2, "holds no mechanism when it has run"),
        ("", ":bal", 2, "there is no 'bal'; a mechanism, a system, or a function that returns one is needed"),
        ("", ":bal", 2, "did you mean 'ball'?"),
        ("", ":q", 2, "'q' is of type Coordinate"),
        ("\nball / 0", "", 1, "line 9: TypeError"),
        ("def f(:", "", 1, "line 8: "),
        ("gc.Parameter('1')", "", 1, "line 8: a parameter name must be an identifier"),
        ("raise SystemExit(3)", "", 1, "line 8: SystemExit: 3"),
    ],
)
def test_what_is_wrong_with_a_program_is_said_in_one_line(tmp_path, capsys, added, name, status, words):
    file = tmp_path / "own.py"
    file.write_text(f"{ONE}\n{added}\n")
    found, out, err = run(capsys, "certify", f"{file}{name}")
    assert (found, out) == (status, "")
    assert words in err.splitlines()[-1]


def test_a_function_that_returns_a_mechanism_is_called_when_it_is_named(tmp_path, capsys):
    file = tmp_path / "own.py"
    file.write_text(f"{ONE}\ndef heavy():\n    return ball.replace(inertia=[[8]])\n")
    eigenvalues = json.loads(run(capsys, "linearize", f"{file}:heavy", "--json")[1])["eigenvalues"]
    assert np.sort([v[1] for v in eigenvalues]) == pytest.approx([-np.sqrt(6 / 8), np.sqrt(6 / 8)])
    assert run(capsys, "certify", str(tmp_path / "nothing.py"))[0] == 2


WALL = """import sympy as sp
import geoctrl as gc
q = gc.Coordinate("q")
wall = gc.Impact("wall", when=q.symbol, rows=[[1]], restitution=sp.Rational(4, 5))
force = -sp.Rational(9, 25) * q.symbol + sp.cos(gc.time)
oscillator = gc.EulerPoincare(shape=[q], inertia=[[1]], forces=[force], jumps=[wall])
"""


@pytest.mark.long(reason="a mode with a clock is compiled")
def test_a_forced_orbit_is_found_by_its_forcing(tmp_path, capsys):
    file = tmp_path / "wall.py"
    file.write_text(WALL)
    asked = "orbit", str(file), "--x0", "q_dot=2", "q=.5"
    status, out, _ = run(capsys, *asked, "--forcing", "6.283185307179586", "--json")
    found = json.loads(out)
    assert (status, found["verdict"]) == (0, "NUMERICALLY_STABLE")
    assert found["state"] == pytest.approx({"q_dot": 2.5123975117322263, "q": 0}, abs=1e-11)
    assert found["begin"] == pytest.approx(np.pi - np.arctan(np.tan(0.6 * np.pi) * 0.6 / 9))
    status, _, said = run(capsys, *asked, "--period", "6.28")
    assert status == 1
    assert "tell its period by forcing=" in said


# -- laws -------------------------------------------------------------------------------------------


def test_a_law_is_designed_proved_and_run_from_a_tilt(inside, capsys):
    """The numbers are those of the same steps in Python."""
    arguments = ["lqr", "arm.py", "--Q", "phi=100", "phi_dot=1", "--rate", "100", "--limit", "u=2"]
    status, out, _ = run(capsys, *arguments, "--tilt", "5deg", "--json")
    found = json.loads(out)
    assert status == 0
    arm = runpy.run_path("arm.py")["arm"]
    law = gc.lqr(arm, arm.equilibrium("upright"), Q={"phi": 100, "phi_dot": 1}, rate=100)
    assert list(found["gains"]["u"].values()) == pytest.approx(law.K[0])
    assert found["loop"]["verdict"] == found["held"]["verdict"] == "PROVED_ASYMPTOTICALLY_STABLE"
    assert "every 1/100 s" in found["held"]["claim"]
    times = np.linspace(0, found["tilt"]["time"], 2 + round(100 * found["tilt"]["time"]))
    start = arm.state(phi=np.radians(5))
    motion = gc.simulate(arm, times, start, controller=law.sampled(rate=100, limits={"u": 2}))
    assert found["tilt"]["largest"]["u"] == pytest.approx(np.max(np.abs(motion.inputs)))
    assert found["tilt"]["returned"] is True
    assert found["tilt"]["starts"] == 2
    weak = [*arguments[:-1], "u=1", "--tilt", "phi=80deg", "--time", "2"]
    text = run(capsys, *weak)[1]
    assert "u 1 of 1, at its limit" in text.replace(" N m", "")
    assert "1 of 1 runs are not back" in text


def test_a_law_that_was_saved_is_a_model_for_other_commands(inside, capsys, tmp_path):
    assert run(capsys, "verify", "held.json")[0] == 0
    held = json.loads(run(capsys, "certify", "law.json", "--json")[1])
    assert held["verdict"] == "PROVED_ASYMPTOTICALLY_STABLE"
    assert max(np.hypot(*v) for v in held["multipliers"]) < 1
    status, out, _ = run(capsys, "simulate", "law.json", "--x0", "phi=5deg", "--time", "2", "--json")
    moved = json.loads(out)
    assert (status, moved["status"]) == (0, "completed")
    assert moved["initial"]["phi"] == pytest.approx(np.radians(5))
    assert abs(moved["final"]["phi"]) < 1e-3
    samples = gc.load_trajectory("run.npz")
    arm = runpy.run_path("arm.py")["arm"]
    motion = gc.load_trajectory("run.npz", system=arm, inputs=samples.inputs)
    assert motion.attitude is not None
    assert np.all(motion["u"] == samples["u"])
    with pytest.raises(gc.InputError, match="these inputs"):
        gc.load_trajectory("run.npz", system=arm, inputs=2 * samples.inputs)
    status, out, _ = run(capsys, "view", "run.npz", "--model", "law.json", "--json")
    assert (status, json.loads(out)["file"]) == (0, "run.html")
    status, out, _ = run(capsys, "region", "law.json", "--by", "slopes", "--seconds", "10", "--json")
    region = json.loads(out)
    assert (status, region["verdict"]) == (0, "PROVED_ATTRACTED")
    assert region["extent"]["phi"][1] > 0.01
    shutil.copy("law.json", tmp_path / "moved.json")
    for arguments, words in (
        (["region", "law.json", "--limit", "u=-3:0"], "to one side: give --limit u=MOST"),
        (["region", "arm.py"], "a region is that of a loop; design a law by geoctrl lqr"),
        (["code", "arm.py"], "is no law: geoctrl lqr arm.py --save law.json"),
        (["code", "held.json"], "no law that geoctrl lqr --save wrote"),
        (["certify", "law.json", "--at", "upright"], "stand in its file"),
        (["lqr", "law.json"], "a law already"),
        (["certify", str(tmp_path / "moved.json")], "no such file"),
    ):
        status, out, err = run(capsys, *arguments)
        assert (status > 0, out, words in err) == (True, "", True), err


def test_a_law_of_a_mechanism_that_has_changed_is_refused(inside, capsys, tmp_path, monkeypatch):
    for name in ("arm.py", "law.json"):
        shutil.copy(name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    text = Path("arm.py").read_text()
    Path("arm.py").write_text(text.replace('"phi"', '"psi"').replace("phi_dot", "psi_dot"))
    status, _, err = run(capsys, "certify", "law.json")
    assert (status, "arm.py has changed since the law was saved" in err) == (2, True)


@pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="no C compiler")
def test_a_law_is_written_as_c_compiled_and_compared(inside, capsys):
    status, out, _ = run(capsys, "code", "law.json", "--out", "firmware", "--check", "--json")
    found = json.loads(out)
    assert status == 0
    assert found["largest_difference"] == 0
    assert found["limits"] == {"u": [-2.0, 2.0]}
    source = Path("firmware/controller.c")
    assert "a step every 0.01 s" in source.read_text()
    status, out, _ = run(
        capsys, "code", "law.json", "--rate", "200", "--limit", "u=-1:3", "--name", "arm_law"
    )
    assert (status, "arm_law_step(&state, y, u), 200 times a second" in " ".join(out.split())) == (0, True)
    assert "u within [-1, 3]" in out


def test_a_difference_of_the_compiled_law_is_seen(inside, tmp_path):
    """A sign turned in the file fails the comparison."""
    from geoctrl.cli.laws.compiled_law import difference_at, states_about

    arm = runpy.run_path("arm.py")["arm"]
    law = gc.lqr(arm, arm.equilibrium("upright"))
    controller = law.sampled(rate=100, limits={"u": 2})
    header, source = controller.to_c(tmp_path)
    states = states_about(law)
    assert difference_at(header, source, controller, states, arm.state_labels) == 0
    source.write_text(re.sub(r"return 0;", "u[0] = -u[0]; return 0;", source.read_text()))
    assert difference_at(header, source, controller, states, arm.state_labels) > 1
    rates = gc.linear_law(arm, arm.equilibrium("upright"), {"u": {"phi_dot": 3}})  # of two states one is read
    one = rates.sampled(rate=100)
    assert difference_at(*one.to_c(tmp_path, "one"), one, states_about(rates), arm.state_labels) == 0


DRIFTING = """
import sympy as sp
import geoctrl as gc
x, w = sp.symbols("x w", real=True)
u, m = sp.Symbol("u", real=True), gc.Parameter("m", 1.0)
drift = gc.VectorField(
    [x, w], [sp.sin(x) * sp.cos(m) + u, w * x], inputs=[u], parameters=[m], name="drift",
    equilibria={"rest": gc.Family({})})
"""


def test_a_held_loop_without_a_certificate_is_told_in_floats(inside, capsys):
    """A cosine of a parameter is no rational number, and in a box the loop rests at more than one place: the
    law is told, and written, all the same.
    """
    Path("drift.py").write_text(DRIFTING, encoding="utf-8")
    ask = ["lqr", "drift.py", "--rate", "100"]
    assert "cos is not rational" in run(capsys, *ask, "--out", "drift_held.json")[2]
    status, out, _ = run(capsys, *ask, "--save", "drift_law.json", "--json")
    held = json.loads(out)["held"]
    assert (status, held["verdict"], "cos is not" in held["reason"]) == (0, "NUMERICALLY_STABLE", True)
    assert (Path("drift_law.json").exists(), Path("drift_held.json").exists()) == (True, False)


def test_a_held_loop_with_a_cosine_of_a_parameter_is_proved_in_a_box(inside, capsys):
    program = Path("arm.py").read_text(encoding="utf-8")
    Path("slope.py").write_text(program.replace("sp.cos(phi)", "sp.cos(phi) * sp.cos(m)"), encoding="utf-8")
    ask = ["lqr", "slope.py", "--Q", "phi=100", "phi_dot=1", "--rate", "100"]
    status, out, _ = run(capsys, *ask, "--out", "slope_held.json", "--json")
    assert (status, json.loads(out)["held"]["verdict"]) == (0, "PROVED_ASYMPTOTICALLY_STABLE")
    assert gc.verify("slope_held.json").verdict is gc.Verdict.PROVED_ASYMPTOTICALLY_STABLE


FLOATING = """
import sympy as sp
import geoctrl as gc
z, v, i = sp.symbols("z v i", real=True)
u = sp.Symbol("u", real=True)
L, R = gc.Parameter("L", 0.4, "V s/A"), gc.Parameter("R", 11, "V/A")
k, g = gc.Parameter("k", 4, "m^3/(s^2 A^2)"), gc.Parameter("g", 16, "m/s^2")
Z = sp.Symbol("Z", real=True)
i0 = Z * sp.sqrt(g.symbol / k.symbol)
ball = gc.VectorField(
    [z, v, i], [v, g - k * i**2 / z**2, (u - R * i) / L], inputs=[u], parameters=[L, R, k, g], name="ball",
    equilibria={"floating": gc.Family({"z": Z, "i": i0}, symbols=[Z], inputs={"u": R.symbol * i0})})
"""


def test_what_was_displaced_comes_back_whatever_units_other_states_have():
    """Of two states the first is displaced; the second goes far, as a current beside a gap does."""
    system = SimpleNamespace(state_labels=("z", "i"))
    run_of = SimpleNamespace(
        states=np.array([[1.001, 1.0002, 1.00004, 1.00001], [2.0, 9.0, 7.0, 6.0]]),
        time=np.arange(4.0), success=True,
    )  # fmt: skip
    groups = displaced_groups(system, {"z": 0.001, "i": 0.0})
    assert time_back(run_of, np.array([1.0, 2.0]), groups) == 2.0
    assert time_back(run_of, np.array([1.0, 1.0]), displaced_groups(system, {"z": 0.001, "i": 1.0})) is None


@pytest.mark.long(reason="a design, a proof and a run for what the test above says of two rows")
def test_a_ball_that_floats_comes_back(tmp_path, capsys):
    """A gap of a millimetre takes currents of many milliamperes: of these none is five percent of it."""
    file = tmp_path / "ball.py"
    file.write_text(FLOATING)
    weights = ["--Q", "z=1e4", "v=1", "i=1e-4", "--set", "Z=0.0078125"]
    status, out, _ = run(capsys, "lqr", str(file), *weights, "--tilt", "z=0.001")
    assert (status, "runs are not back" in out, "back within 5 %" in out, "u (V)" in out) == (
        0,
        False,
        True,
        True,
    )


def test_a_model_file_is_a_model(tmp_path, capsys):
    file = tmp_path / "cart.xml"
    file.write_text(CART)
    status, out, err = run(capsys, "lqr", str(file), "--rate", "100", "--tilt", "phi=3deg", "--json")
    assert (status, json.loads(out)["held"]["verdict"]) == (0, "PROVED_ASYMPTOTICALLY_STABLE")
    assert err.startswith("geoctrl lqr: ")  # what is left out: the floor
    status, _, err = run(capsys, "lqr", str(file), "--tilt", "3deg")
    assert (status, "x, phi" in err, "STATE=VALUE" in err) == (2, True, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--save", "law.txt"], "ends so"),
        (["--run", "run.npz"], "give --tilt too"),
        (["--rate", "-1"], "positive"),
        (["--tilt", "4"], "between 0 and pi"),
        (["--tilt", "phy=1"], "did you mean 'phi'?"),
        (["--limit", "u=0"], "NAME=MOST"),
        (["--limit", "u=1", "u=2"], "twice"),
        (["--Q", "phi=x"], "NAME=VALUE"),
        (["--at", "upwright"], "did you mean 'upright'?"),
    ],
)
def test_mistakes_in_a_design_are_said(inside, capsys, arguments, words):
    status, out, err = run(capsys, "lqr", "arm.py", *arguments)
    assert (status, out, words in err) == (2, "", True), err


def test_an_error_that_is_explained_says_where(inside, capsys):
    status, _, err = run(capsys, "lqr", "inertia-wheel-pendulum", "--at", "upright", "--Q", "phi=1")
    assert (status, err.endswith("(geoctrl explain lqr-unseen)\n")) == (1, True)
    status, out, _ = run(capsys, "explain", "lqr-unseen")
    assert (status, "Usual causes" in out, "Before" in out) == (0, True, True)
    assert "lqr-unseen" in run(capsys, "explain")[1]
    status, _, err = run(capsys, "explain", "lqr-unsen")
    assert (status, "did you mean 'lqr-unseen'?" in err) == (2, True)


# -- terminals and shells ---------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["models"], ["--help"], ["completion", "bash"]])
def test_a_reader_that_has_enough_is_no_error(arguments):
    command = [sys.executable, "-m", "geoctrl", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        told = process.stderr.read()
        assert process.wait() == (0 if arguments == ["--help"] else 141)  # argparse hides it
    assert told == b""


def test_what_is_printed_stays_within_the_terminal(capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    for arguments in (
        ["models"],
        ["certify", "heavy-top", "--at", "hanging", "--set", "Omega0=1"],
        ["linearize", "heavy-top", "--at", "hanging", "--set", "Omega0=1"],
        ["explain", "lqr-unseen"],
    ):
        assert max(map(len, run(capsys, *arguments)[1].splitlines())) <= 80, arguments
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, run(capsys, "explain", "off-leaf")[1].splitlines())) <= 76  # the programs
    assert text_in_width("name  a word and more words", 16) == "name  a word and\n      more words"
    assert text_in_width("  - one two", 8) == "  - one\n    two"


def test_a_matrix_that_is_too_wide_comes_in_parts():
    matrix = np.array([[1.5, -2.25, 3e-20], [4.0, 5.0, 60000.0], [0.0, 8.0, 9.0]])
    assert len(matrix_text("abc", matrix, 79).splitlines()) == 4
    parts = matrix_text("abc", matrix, 22).split("\n\n")
    assert len(parts) == 2
    assert max(len(line) for part in parts for line in part.splitlines()) <= 22
    rows = [[line.split()[1:] for line in part.splitlines()[1:]] for part in parts]
    told = [[float(word) for part in rows for word in part[k]] for k in range(3)]
    assert told == [[1.5, -2.25, 0.0], [4.0, 5.0, 60000.0], [0.0, 8.0, 9.0]]  # 3e-20 is rounding beside 2


def test_a_command_that_there_is_not_is_told_with_the_nearest(capsys):
    with pytest.raises(SystemExit) as done:
        main(["certfy", "heavy-top"])
    err = capsys.readouterr().err
    assert (done.value.code, err) == (2, "geoctrl: no command 'certfy'; did you mean 'certify'?\n")


def test_no_error_lists_the_catalogue(capsys):
    for name in ("xyz", "pendulum-skat"):
        assert len(run(capsys, "certify", name)[2]) < 130


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes(tmp_path, capsys):
    """Words that bash would offer at the end of a line, with the text that is printed for it."""
    for name in ("own.py", "law.json", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "complete.sh").write_text(run(capsys, "completion", "bash")[1])
    asked = {
        "ce": ["certify"],
        "certify pendulum-skate-o": ["pendulum-skate-offset"],
        "certify ow": ["own.py"],
        "certify pendulum-skate --at s": ["spinning", "sliding"],
        "certify pendulum-skate --set m=1 Om": ["Omega0="],
        "certify pendulum-skate --over m=0.1 Om": ["Omega0="],
        "lqr own.py --li": ["--limit"],
        "code ": ["law.json", "sub/"],
        "explain lqr-uns": ["lqr-unseen"],
        "simulate heavy-top --engine l": ["lanes"],
        "map pendulum-skate --keep ": ["sub/"],
    }
    lines = ["set -e", "source ./complete.sh"]
    for line in asked:
        words = " ".join(f"'{word}'" for word in ["geoctrl", *line.split(" ")])
        lines += [f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))"]
        lines += ["_geoctrl geoctrl || true", 'echo "${COMPREPLY[*]}"']
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stderr == ""
    assert [sorted(line.split()) for line in done.stdout.splitlines()] == list(map(sorted, asked.values()))


def test_texts_for_other_shells_name_all_commands(capsys):
    for shell in ("zsh", "fish"):
        text = run(capsys, "completion", shell)[1]
        for command in ("certify", "lqr", "completion"):
            assert command in text
        assert "Omega0=" in text


ROD = """
import sympy as sp
import geoctrl as gc
q, u, m = gc.Coordinate("q", angle=True), sp.Symbol("u", real=True), gc.Parameter("m", 1.0)
rod = gc.EulerPoincare(
    shape=[q], inertia=[[m]], potential=9.81 * m * sp.cos(q), forces=[u - q.rate / 10], inputs=["u"],
    parameters=[m], name="rod").reduce()
"""


@pytest.fixture
def led(tmp_path_factory, monkeypatch):
    """A folder with a rod that is to swing about the upright, and its way of four holds."""
    monkeypatch.chdir(tmp_path_factory.mktemp("led"))
    Path("rod.py").write_text(ROD)
    t = np.linspace(0, 1, 5)
    rows = np.array([t, 0.4 * np.pi * np.cos(2 * np.pi * t), 0.2 * np.sin(2 * np.pi * t)]).T
    np.savetxt("way.csv", rows, delimiter=",", header="time, q_dot, q", comments="", fmt="%.17g")


def test_a_law_along_a_motion_is_designed_proved_run_and_written(led, capsys):
    asked = ["lqr", "rod.py", "--along", "way.csv", "--Q", "q=10", "q_dot=1", "--limit", "u=8"]
    status, out, _ = run(capsys, *asked, "--save", "law.json", "--out", "proof.json", "--json")
    told = json.loads(out)
    assert (status, told["loop"]["verdict"]) == (0, "PROVED_ASYMPTOTICALLY_STABLE")
    assert np.allclose(told["multipliers"], [[0.0393563, 0], [0.0424610, 0]], atol=1e-6)
    assert gc.verify("proof.json").claim == told["loop"]["claim"]
    status, out, _ = run(capsys, "simulate", "law.json", "--x0", "q=0.3", "--time", "5", "--json")
    assert json.loads(out)["final"]["q"] == pytest.approx(-0.007367, abs=1e-5)
    status, out, _ = run(capsys, "code", "law.json", "--out", "firmware", "--check", "--json")
    told = json.loads(out)
    assert (status, told["largest_difference"], told["rate"]) == (0, 0, 4)
    from geoctrl.cli.laws.compiled_law import difference_at, states_about
    from geoctrl.cli.reading.law_file import read_law

    rod, saved = runpy.run_path("rod.py")["rod"], read_law("law.json")
    law = saved.law_of(rod)
    source = Path("firmware/controller.c")
    source.write_text(source.read_text().replace("next(x, s->z);", "next(x, s->z); s->z[0] = 0;"))
    files = (Path("firmware/controller.h"), source)
    apart = difference_at(*files, saved.controller_of(law), states_about(law), rod.state_labels)
    assert apart > 1e-3  # the first law alone
    Path("rod.py").write_text(ROD.replace("9.81", "9.8"))
    assert "rod.py has changed" in run(capsys, "certify", "law.json")[2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("region law.json", "asks about a point; certify, simulate and code take it"),
        ("linearize law.json", "asks about a point"),
        ("code law.json --rate 3", "has the rate of its holds, 4 Hz"),
        ("simulate law.json --set m=2", "stand in its file"),
        ("lqr law.json", "a law already"),
        ("lqr rod.py --along way.csv --tilt 5deg", "--tilt is of a law about a point"),
        ("lqr rod.py --along way.csv --holds 3", "does not divide the times"),
        ("lqr rod.py --holds 3", "--along FILE"),
        ("lqr rod.py --along rod.py", "no table of numbers"),
        ("lqr rod.py --along none.csv", "no such file"),
        ("lqr rod.py --along short.csv", "no column q: a motion is a table with the columns time, q_dot, q"),
    ],
)
def test_mistakes_with_a_motion_are_said(led, capsys, words, message):
    Path("short.csv").write_text("time,q_dot\n0,1\n1,1\n")
    numbers = {"hold": 0.25, "labels": ["q_dot", "q"], "states": [[0.0, 0.0]], "inputs": [[0.0]]}
    law = {"model": "rod.py", "params": None, "values": {}, "gains": [[[1.0, 20.0]]], **numbers}
    Path("law.json").write_text(json.dumps({"format": "geoctrl law along a motion", "version": 1, **law}))
    status, _, err = run(capsys, *words.split())
    assert status in (1, 2)
    assert message in err


def test_a_run_of_other_parameters_is_no_motion_of_these(led, capsys):
    hanging = ["simulate", "rod.py", "--set", "m=2", "--x0", f"q={np.pi}", "--time", "2", "--points", "5"]
    assert run(capsys, *hanging, "--out", "rest.npz")[0] == 0
    assert "give --set m=2" in run(capsys, "lqr", "rod.py", "--along", "rest.npz", "--holds", "2")[2]
