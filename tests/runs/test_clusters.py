"""The same bits from a Dask cluster of two workers and an MPI pool of two, where these are installed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import geoctrl as gc
from tests.runs.killed import answers


@pytest.fixture(scope="module")
def alone():
    return answers()


def told(*command):
    """Workers and SHAs that a program tells at its end."""
    root = Path(gc.__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=True)
    count, *found = done.stdout.split()[-3:]
    return int(count), *found


def test_dask(alone):
    pytest.importorskip("distributed")
    assert told(sys.executable, "-m", "tests.runs.killed", "dask") == (2, *alone)


def test_mpi(alone):
    """The first rank asks, the two others work."""
    pytest.importorskip("mpi4py")
    mpiexec = Path(sys.executable).with_name("mpiexec")
    mpiexec = str(mpiexec) if mpiexec.exists() else shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("there is no mpiexec")
    command = [sys.executable, "-m", "mpi4py.futures", "-m", "tests.runs.killed", "mpi"]
    assert told(mpiexec, "-n", "3", *command) == (2, *alone)
