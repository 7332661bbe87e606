"""A sweep for whoever kills it, and who does.

python -m tests.runs.killed run FOLDER PROCESSES    prints the SHA of its values
python -m tests.runs.killed kill TIMES              kills it at random moments, as often, and calls it again
python -m tests.runs.killed dask                    on a cluster: workers, SHAs
mpiexec -n 3 python -m mpi4py.futures -m tests.runs.killed mpi
"""

import hashlib
import multiprocessing
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import numpy as np

import geoctrl as gc
from tests.runs.functions import pendulum, slow

AXES = {"length": np.linspace(0.1, 1.5, 15).round(3), "g": np.linspace(1.0, 10.0, 14)}


def sha(result):
    """Of all values of a sweep."""
    arrays = (np.ascontiguousarray(result.values[name]) for name in sorted(result.values))
    return hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()


def answers(pool=None):
    """SHAs of a sweep and of an ensemble."""
    top = gc.models.get("heavy-top")().reduce()
    spins = np.linspace(1.0, 20.0, 100)
    starts = [[0.3, 0.1, spin, 0.0, 0.6, 0.8] for spin in spins]
    runs = gc.simulate_ensemble(top, [0.0, 1.0], starts, {"m": np.linspace(0.5, 2.0, 100)}, executor=pool)
    assert runs.success.all()
    swept = sha(gc.sweep(pendulum, AXES, executor=pool, part=20))
    return swept, hashlib.sha256(np.ascontiguousarray(runs.states).tobytes()).hexdigest()


def cluster(kind):
    """The answers of a cluster of two workers, after how many there are."""
    if kind == "mpi":
        from mpi4py.futures import MPIPoolExecutor

        with MPIPoolExecutor() as pool:
            return pool.num_workers, *answers(pool)
    from dask.distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local,
        Client(local) as client,
        client.get_executor() as pool,
    ):
        return len(client.nthreads()), *answers(pool)


def run(folder, processes):
    """The SHA of a slow sweep in parts of four points."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, spawn) if processes else nullcontext() as pool:
        return sha(gc.sweep(slow, AXES, executor=pool, out=folder, part=4))


def children(pid):
    """Processes that a process started, of this machine."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if fields[1] == str(pid) and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def is_alive(pid):
    """Whether a process has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_once(folder, parts):
    """Kill a sweep of two processes once it has so many parts: (parts, processes that it started, seconds
    that these lived on).
    """
    command = [sys.executable, "-m", "tests.runs.killed", "run", str(folder), "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and len(list(Path(folder).glob("part-*.npz"))) < parts:
        time.sleep(0.01)
    time.sleep(0.2 * random.random())
    workers = children(process.pid)
    process.send_signal(signal.SIGKILL)
    process.wait()
    killed = time.monotonic()
    while any(map(is_alive, workers)) and time.monotonic() - killed < 20:
        time.sleep(0.05)
    return len(list(Path(folder).glob("part-*.npz"))), len(workers), time.monotonic() - killed


def kill(times):
    """Kill and resume, each time in a fresh folder; all SHAs are the undisturbed one."""
    with tempfile.TemporaryDirectory() as folder:
        undisturbed = run(folder, 0)
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            done, workers, seconds = kill_once(folder, random.randrange(1, 50))
            left = {path.name: path.stat().st_mtime_ns for path in Path(folder).glob("part-*.npz")}
            same = run(folder, 0) == undisturbed
            kept = all(Path(folder, name).stat().st_mtime_ns == when for name, when in left.items())
            print(
                f"{done} parts, {workers} workers gone in {seconds:.2f} s, SHA same {same}, parts kept {kept}"
            )


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "run":
        print(run(given[0], int(given[1])), flush=True)
    elif what == "kill":
        kill(int(given[0]))
    else:
        print(*cluster(what), flush=True)
