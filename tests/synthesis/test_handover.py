"""Laws as plain functions, LaTeX and C: the same numbers on the robot as in the run."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numba
import numpy as np
import pytest
import sympy as sp

import geoctrl as gc

pytestmark = pytest.mark.filterwarnings("ignore::geoctrl.errors.LawWarning")

STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC"]
CC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(CC is None, reason="gcc is not installed")


def skate():
    return gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-1e-5)


def damped():
    return skate().with_damping(k=8.0, kappa=1.0)


def satellite():
    return gc.match(gc.models.get("body-with-rotors")()).law(sigma=np.diag([-0.1, -0.12, -0.15]))


def cart():
    matching = gc.match(gc.models.get("cart-pendulum")(), shaping="both")
    return matching.law(kappa=20, rho=-0.02, K=-0.6).with_damping(k=1.0, integral=0.1)


def puck():
    matching = gc.match(gc.models.get("spherical-pendulum-on-puck")(), shaping="both")
    return matching.law(kappa=20, rho=-0.02, K=-0.6)


def regulator():
    system = gc.models.get("underwater-vehicle")(thrusters=True).reduce()
    return gc.lqr(system, system.equilibrium("level1", Y0=1.0))


LAWS = {f.__name__: f for f in (skate, damped, satellite, cart, puck, regulator)}


@pytest.fixture(scope="module", params=LAWS)
def law(request):
    return LAWS[request.param]()


def motion(law):
    """States (n, nt) of a run of the loop that begins with random velocities, and its inputs (m, nt)."""
    loop = law.full
    k, x = len(loop.assembly.velocity), loop.state()
    x[:k] = 0.1 * np.random.default_rng(5).normal(size=k)
    x = loop.onto_rows(x, loop.parameters(None))
    run = gc.simulate(loop, np.linspace(0, 0.3, 201), x)
    rows = [loop.output_labels.index(label) for label in law.input_labels]
    return run.states, run.outputs[rows]


def compiled(folder, flags, paths):
    """The shared library of a source."""
    library = folder / "law.so"
    done = subprocess.run(
        [CC, *flags, "-shared", str(paths[1]), "-o", str(library), "-lm"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def called(function, x, count):
    u = np.full(count, np.nan)
    pointer = ctypes.POINTER(ctypes.c_double)
    x = np.ascontiguousarray(x, dtype=float)
    status = function(x.ctypes.data_as(pointer), u.ctypes.data_as(pointer))
    return u, status


def test_a_function_is_the_law_of_the_run(law):
    states, inputs = motion(law)
    f = law.function()
    found = np.array([f(x) for x in states.T.tolist()]).T
    # 1e-12: one formula in two orders of operations, terms of which cancel to a hundredth at most.
    assert found == pytest.approx(inputs, rel=1e-12, abs=1e-12 * np.max(np.abs(inputs)))
    assert np.max(np.abs(inputs)) > 1e-3


@needs_gcc
def test_c_is_python_over_a_run(law, tmp_path):
    """Bit by bit but for sin and cos, of which each library has its own last bit."""
    states, _ = motion(law)
    f = law.function()
    library = compiled(tmp_path, STRICT, law.to_c(tmp_path, name="controller"))
    count = len(law.input_labels)
    expected = np.array([f(x) for x in states.T.tolist()])
    found = np.array([called(library.controller, x, count)[0] for x in states.T])
    assert found == pytest.approx(expected, rel=1e-14, abs=1e-14 * np.max(np.abs(expected)))
    checked = [called(library.controller_checked, x, count) for x in states.T]
    assert [status for _, status in checked] == [0] * len(checked)
    assert np.array_equal(np.array([u for u, _ in checked]), found)


@needs_gcc
def test_nan_and_infinity_give_no_input_and_a_fault(law, tmp_path):
    library = compiled(tmp_path, STRICT, law.to_c(tmp_path, name="controller"))
    count, x0 = len(law.input_labels), motion(law)[0][:, 3]
    source = law.function().source
    for i in range(law.full.nstates):
        for bad in (np.nan, np.inf, -np.inf):
            x = x0.copy()
            x[i] = bad
            u, status = called(library.controller_checked, x, count)
            if f"x[{i}]" in source:
                assert status == 1
                assert np.all(u == 0)
            else:  # the law does not read it
                assert status == 0
                assert np.all(np.isfinite(u))


@needs_gcc
@pytest.mark.parametrize("make", [damped, cart], ids=["damped", "cart"])
def test_a_loop_with_a_fixed_step_follows_the_continuous_one(make, tmp_path):
    """The controller's own states by Euler's steps: an error of the first order in the step."""
    law = make()
    loop, plant = law.full, law.mechanism.reduce()
    library = compiled(tmp_path, STRICT, law.to_c(tmp_path, name="controller"))
    n, own = plant.nstates, loop.nstates - plant.nstates
    assert own in (1, 2)
    states, _ = motion(law)
    x = states[:, 0].copy()
    errors = []
    for steps in (100, 200):
        h, z = 0.3 / steps, x[n:].copy()
        t = np.linspace(0, 0.3, steps + 1)
        dense = gc.simulate(loop, t, x).states
        for k in range(steps):
            rate, _ = called(library.controller_rates, np.concatenate([dense[:n, k], z]), own)
            z = z + h * rate
        errors.append(np.max(np.abs(z - dense[n:, -1])))
    assert errors[1] < 0.6 * errors[0] < 1e-3


def test_numba_compiles_the_function():
    law = damped()
    f = law.function()
    x = motion(law)[0][:, 7]
    assert numba.njit(f)(x) == f(x.tolist())


def test_numbers_of_parameters_and_gains_are_put_in():
    law = gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=sp.Symbol("sigma", real=True))
    x = [0.1, 0.3, 1.0, 0.2, np.sin(0.1), np.cos(0.1)]
    params = {"sigma": -2e-5, "m": 2.5}
    (u,) = law.function(params)(x)
    reduced = [x[i] for i in (0, 1, 2, 4, 5)]
    assert u == pytest.approx(law(0.0, reduced, params)[0], rel=1e-12)
    with pytest.raises(gc.ParameterError, match="sigma"):
        law.function()
    with pytest.raises(gc.ParameterError, match="mass"):
        law.function({"sigma": -2e-5, "mass": 1.0})


def test_what_the_files_say(tmp_path):
    header, source = damped().to_c(tmp_path)
    assert header.name == "law_pendulum_skate_rotor.h"
    text = header.read_text()
    assert "x[3]  theta_dot, rad/s" in text
    assert "x[6]  integral_theta" in text
    assert "u[0]  u_theta, N m" in text
    assert "#define LAW_PENDULUM_SKATE_ROTOR_OWN 1" in text
    text = source.read_text()
    assert "sigma = -1.0000000000000001e-05 kg m^2" in text
    assert "math.h" not in text
    assert "malloc" not in text
    assert '#include "law_pendulum_skate_rotor.h"' in text


def test_text_of_a_user_does_not_leave_its_comment(tmp_path):
    mechanism = gc.models.get("pendulum-skate-rotor")().replace(name="ends */ int x; /* #error\u00e9")
    law = gc.match(mechanism).law(sigma=-1e-5)
    header, source = law.to_c(tmp_path, name="safe")
    first = source.read_text().splitlines()[0]
    assert first.startswith("/* ")
    assert first.endswith(" */")
    assert first.count("*/") == 1
    assert law.to_c(tmp_path)[0].stem.isidentifier()
    if CC:
        compiled(tmp_path, STRICT, (header, source))


@needs_gcc
def test_fast_math_is_refused(tmp_path):
    _, source = skate().to_c(tmp_path, name="law")
    done = subprocess.run(
        [CC, "-ffast-math", "-c", str(source), "-o", str(tmp_path / "x.o")], capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "fast-math" in done.stderr


def test_latex_is_made_of_the_states():
    text = regulator().latex()
    assert all(label in text for label in ("F_{1}", "F_{2}", r"\Gamma_{2}"))
    assert r"\sigma" in skate().latex()


def test_a_folder_is_made(tmp_path):
    header, source = skate().to_c(tmp_path / "made" / "for it")
    assert header.exists()
    assert source.exists()


def test_what_is_refused(tmp_path):
    law = skate()
    with pytest.raises(gc.InputError, match="cannot be made a folder"):
        law.to_c(__file__)
    with pytest.raises(TypeError, match="path"):
        law.to_c(3)
    for name in ("2fast", "double", "a b", "", 5, "law\u00e9"):
        with pytest.raises(gc.InputError, match="identifier of C"):
            law.to_c(tmp_path, name=name)
    assert not list(tmp_path.iterdir())


@needs_gcc
def test_the_loops_of_the_page_compile(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "code.md").read_text(encoding="utf-8")
    loops = re.findall(r"^```c\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    damped().to_c(tmp_path, name="skate_law")
    damped().sampled(rate=100).to_c(tmp_path, name="skate")
    for loop, name in zip(loops, ("skate_law", "skate"), strict=True):
        assert f"{name}.h" in loop
        (tmp_path / "loop.c").write_text(loop)
        done = subprocess.run(
            [CC, *STRICT, "-c", "loop.c", "-o", "loop.o"], capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
