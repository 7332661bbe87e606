"""``geoctrl import`` prints the program of a model file."""

import json

import numpy as np
import pytest

import geoctrl as gc
from geoctrl.cli import main
from tests.robots.models import ACROBOT, ARM, CART_POLE


def test_the_program_that_is_printed_builds_the_mechanism(capsys, tmp_path):
    file = tmp_path / "robot.xml"
    file.write_text(CART_POLE, encoding="utf-8")
    assert main(["import", str(file)]) == 0
    told = capsys.readouterr()
    assert "geoctrl import: cart-pole: left out are keyframes" in told.err
    scope = {}
    exec(told.out, scope)
    x, u = np.array([0.1, 0.2, 0.3, 0.4]), [0.5]
    with pytest.warns(gc.ModelFileWarning):
        given = gc.from_mjcf(file).reduce()
    assert np.array_equal(scope["mech"].reduce().rhs(0.0, x, u), given.rhs(0.0, x, u))


def test_what_is_said_of_a_file_in_json_and_in_a_file(capsys, tmp_path):
    file, program = tmp_path / "arm.urdf", tmp_path / "arm.py"
    file.write_text(ARM, encoding="utf-8")
    assert main(["import", str(file), "--base", "free", "--json", "--out", str(program)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["limits"] == {"u_j2": [-20.0, 20.0], "u_j3": [-5.0, 5.0]}
    assert said["left_out"] == ["velocity limits: j2, j3", "contact of bodies: upper"]
    assert "gc.Free('base')" in program.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "options", "status", "words"),
    [
        (CART_POLE, ["--base", "free"], 2, "--base is that of a URDF file"),
        (ACROBOT, ["--refuse-contact"], 1, "contact is not read"),
        ("<mujoco><include/></mujoco>", [], 1, "line 1, <include>: no other file is opened"),
    ],
)
def test_what_cannot_be_imported_is_one_line(capsys, tmp_path, text, options, status, words):
    file = tmp_path / "robot.xml"
    file.write_text(text, encoding="utf-8")
    assert main(["import", str(file), *options]) == status
    told = capsys.readouterr().err
    assert words in told
    assert "Traceback" not in told
    assert main(["import", str(tmp_path / "none.xml")]) == 1
