"""Rows of first uses: whole programs in fresh processes, with nothing compiled before and once more."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from studies.bench.measure import Bench, Cost, Program, Row, load, timed

ROOT = Path(__file__).resolve().parents[2]

RATTLEBACK = """
import numpy as np, geoctrl as gc
body = gc.models.get("rattleback")().reduce()
start = body.project([0.01, 0.02, 1, 0, 0, 0], {"Gamma": (0.01, 0.02, -1)}, nearest=True)
gc.simulate(body, np.linspace(0, 1, 11), start)
"""

BICYCLE = """
import numpy as np, geoctrl as gc
bicycle = gc.models.get("whipple-bicycle")().reduce()
point = bicycle.equilibrium("upright", v=5.0)
gc.linearize(bicycle, point)
gc.certify(bicycle, point)
gc.simulate(bicycle, np.linspace(0, 1, 11), point.x)
"""

CHAIN = """
import numpy as np, geoctrl as gc
chain = gc.spheres.chain_pendulum(np.full(5, 0.2), np.full(5, 0.2)).replace(forces=None, inputs=())
q, omega = gc.spheres.project(np.tile([0.3, 0.1, -1.0], (5, 1)), np.zeros((5, 3)))
gc.spheres.integrate(chain, q, omega, 1e-3, 1000)
"""

HEAD = """
import warnings; warnings.simplefilter("ignore")
"""
TAIL = """
import time as _time
print("\\nprocessor seconds", _time.process_time())
"""


def readme_example() -> str:
    """The example that README begins with."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- ci: example -->\n+```python\n(.*?)```", text, re.DOTALL)
    if found is None:
        raise ValueError("README holds no example of Python that is marked for ci")
    return found[1]


def first_use(bench: Bench, key: str, title: str, code: str) -> Row:
    """Processor seconds of a whole program, imports included."""
    row = Row(f"first-{key}", f"first use: {title}", "s")
    before = load()
    seconds: dict[str, list[float]] = {"nothing compiled before": [], "once more": []}
    for _ in range(max(1, min(bench.repeat, 3))):
        with tempfile.TemporaryDirectory() as folder:
            for times in seconds.values():
                times.append(processor_seconds(code, Path(folder)))
    row.costs = [
        Cost("geoctrl" if i == 0 else f"geoctrl, {name}", "ours", name, min(times))
        for i, (name, times) in enumerate(seconds.items())
    ]
    row.load = max(before, load())
    return row


def processor_seconds(code: str, folder: Path) -> float:
    """Of a fresh process that keeps compiled code in a folder, and works in it."""
    # An installed package is compiled to bytecode once.
    left_out = {"NUMBA_CACHE_DIR", "MPLCONFIGDIR", "PYTHONDONTWRITEBYTECODE"}
    environment = {k: v for k, v in os.environ.items() if k not in left_out}
    own = str(Path(__import__("geoctrl").__file__).parents[1])
    paths = os.pathsep.join(filter(None, [own, os.environ.get("PYTHONPATH", "")]))
    environment |= {"XDG_CACHE_HOME": str(folder), "PYTHONPATH": paths, "MPLBACKEND": "Agg"}
    command = [sys.executable, "-c", HEAD + code + TAIL]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout.rsplit(maxsplit=1)[1])


def imports(bench: Bench) -> Row:
    """What importing costs in a fresh process, beside numpy's."""
    row, repeat = Row("imports", "import", "ms"), max(5, bench.repeat)
    names = {"geoctrl": "import geoctrl", "numpy": "import numpy"}
    with tempfile.TemporaryDirectory() as folder:
        bare = min(processor_seconds_of_import("pass", Path(folder)) for _ in range(repeat))
        programs = [
            Program(
                who,
                code,
                lambda c=code: processor_seconds_of_import(c, Path(folder)) - bare,
                "ours" if who == "geoctrl" else "peer",
                seconds=float,
            )
            for who, code in names.items()
        ]
        best = [min(timed(program, 1)[1] for _ in range(repeat)) for program in programs]
    row.costs = [Cost(p.who, p.kind, p.setting, s) for p, s in zip(programs, best, strict=True)]
    row.load = load()
    return row


def processor_seconds_of_import(code: str, folder: Path) -> float:
    """Of a fresh process with that line alone."""
    command = [sys.executable, "-c", f"{code}\nimport time; print(time.process_time())"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return float(done.stdout)
