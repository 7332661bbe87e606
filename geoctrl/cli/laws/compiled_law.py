"""A law in C as a compiler makes a program of it, beside the law."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from geoctrl.errors import DependencyError, InputError

__all__ = ["difference_at", "states_about"]

_STATES = 1000
"""At which the compiled law is compared."""

_FLAGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")


def states_about(law: Any) -> np.ndarray:
    """States about the point, or the motion, of all sizes, so that limits are met as well."""
    rng = np.random.default_rng(0)
    if hasattr(law, "cycle"):
        x, scale = np.resize(law.cycle, (_STATES, law.cycle.shape[1])), law.sizes
    else:
        point = law.equilibrium
        x, scale = np.asarray(point.x, dtype=float), law.plant.scales(point).state
    sizes = 10.0 ** rng.uniform(-3, 1, size=(_STATES, 1))
    return x + sizes * rng.normal(size=(_STATES, x.shape[-1])) * scale


def difference_at(
    header: Path, source: Path, controller: Any, states: np.ndarray, labels: Sequence[str]
) -> float:
    """The largest difference between inputs of the compiled law and those of the law with its limits.

    Columns of the states have labels; both are given what is measured, in the order of the header, and go on
    from sample to sample with what they keep.
    """
    name, law = header.stem, controller.feedback
    order = list(law.measured_labels(list(law.signals)))
    states = states[:, [list(labels).index(label) for label in order]]
    with tempfile.TemporaryDirectory() as folder:
        main = Path(folder) / "main.c"
        main.write_text(_MAIN.format(name=name, size=name.upper()), encoding="utf-8")
        program = Path(folder) / "compared"
        _compile([str(main), str(source)], header.parent, program)
        text = "\n".join(" ".join(float(v).hex() for v in x) for x in states)
        done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    computed = np.array([[float.fromhex(word) for word in line.split()] for line in done.stdout.splitlines()])
    return float(np.max(np.abs(computed - _inputs_at(controller, states, order))))


def _inputs_at(controller: Any, states: np.ndarray, order: Sequence[str]) -> np.ndarray:
    """Inputs of the law within its limits, sample by sample."""
    law = controller.feedback
    inputs, step = law.law(order), law.step(order)
    kept = np.array([law.begin.get(label, 0.0) for label in law.own])
    found = []
    for y in states:
        u = np.array(inputs([*y, *kept], {}))
        for k, label in enumerate(law.inputs):
            if label in controller.limits:
                u[k] = np.clip(u[k], *controller.limits[label])
        if law.own:
            kept = np.array(step([*y, *kept, *u, controller.hold], {}))
        found.append(u)
    return np.array(found)


def _compile(sources: Sequence[str], include: Path, program: Path) -> None:
    compiler = shutil.which(os.environ.get("CC") or "cc") or shutil.which("gcc")
    if compiler is None:
        raise DependencyError("--check needs a C compiler: install gcc or clang, or name it in CC")
    command = [compiler, *_FLAGS, "-O1", f"-I{include}", *sources, "-o", str(program), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"{compiler} refuses the files: {done.stderr.strip()}")


_MAIN = """\
#include <stdio.h>
#include "{name}.h"

int main(void)
{{
    {name}_state s;
    double y[{size}_SIGNALS], u[{size}_INPUTS];
    int i;

    {name}_init(&s);
    for (;;) {{
        for (i = 0; i < {size}_SIGNALS; i++)
            if (scanf("%la", &y[i]) != 1) return 0;
        if ({name}_step(&s, y, u)) return 1;
        for (i = 0; i < {size}_INPUTS; i++) printf("%a ", u[i]);
        printf("\\n");
    }}
}}
"""
