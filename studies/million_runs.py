"""A million runs of a controlled skate: what they cost, by which workers, and that they are the same.

    python studies/million_runs.py --out million                 10^6 members in this process
    python studies/million_runs.py --out million --by processes --workers 8
    python studies/million_runs.py --out million --by dask --workers 8 --members 10000
    mpiexec -n 9 python -m mpi4py.futures studies/million_runs.py --out million --by mpi

The skate with a rotor under the matched law, each with a mass, a height, a tilt, rates and a speed of its
own, runs for 20 s. Starts and parameters are drawn where they are needed: the folder holds their seed. A
study that is interrupted, or killed, goes on where it was. Printed are the members by status, seconds of
processor and of the clock, megabytes, and the SHA-256 of all last states: it is the same for all workers.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import resource
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import geoctrl as gc

END = 20.0


def starts(rng: np.random.Generator, count: int) -> np.ndarray:
    """Rates of three velocities and a tilt: states v1, v2, v3, Gamma2, Gamma3."""
    tilt = rng.uniform(-0.1, 0.1, count)
    rates = [rng.uniform(-0.05, 0.05, count), rng.uniform(-0.05, 0.05, count), rng.uniform(0.5, 1.5, count)]
    return np.stack([*rates, np.sin(tilt), np.cos(tilt)], axis=1)


def parameters(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """Masses and heights within a fifth of the nominal ones."""
    return {"m": 3.0 * rng.uniform(0.8, 1.2, count), "l": 0.8 * rng.uniform(0.8, 1.2, count)}


def loop() -> Any:
    """The skate under its law."""
    return gc.match(gc.models.get("pendulum-skate-rotor")()).law(sigma=-5e-6).closed_loop()


@contextmanager
def executor(by: str, workers: int) -> Any:
    """None for this process, a pool of processes, a Dask cluster or a pool of MPI."""
    if by == "dask":
        from dask.distributed import Client, LocalCluster

        with (
            LocalCluster(n_workers=workers, threads_per_worker=1) as cluster,
            Client(cluster) as client,
            client.get_executor() as pool,
        ):
            yield pool
    elif by == "mpi":
        from mpi4py.futures import MPIPoolExecutor

        with MPIPoolExecutor() as pool:
            yield pool
    elif by == "processes":
        with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
            yield pool
    else:
        yield None


def processor_seconds() -> float:
    """Of this process and of those that it started and that ended."""
    own, other = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + other.ru_utime + other.ru_stime


def run(members: int, out: Path | None, by: str = "none", workers: int = 2, seed: int = 38) -> dict[str, Any]:
    """The ensemble in numbers."""
    system = loop()
    drawn = gc.Draws(starts, members, seed=seed), gc.Draws(parameters, members, seed=seed)
    begun, clock = processor_seconds(), time.monotonic()
    with executor(by, workers) as pool:
        # What is last is kept alone: at 0 and 20 s there would be two samples of each state.
        kept = {label: ("last", label) for label in system.state_labels}
        found = gc.simulate_ensemble(
            system, [0.0, END], drawn[0], drawn[1], executor=pool, out=out, record=kept, progress=True
        )
    last = np.array([found[label] for label in system.state_labels])
    seconds = processor_seconds() - begun
    files = [] if out is None else list(out.glob("part-*.npz"))
    return {
        "members": members,
        "status": dict(Counter(found.status.tolist()).most_common(4)),
        "processor, s": round(seconds, 1),
        "processor, us a member": round(1e6 * seconds / members, 1),
        "clock, s": round(time.monotonic() - clock, 1),
        "memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000,
        "on disk, MB": round(sum(path.stat().st_size for path in files) / 1e6, 1),
        "parts": len(files),
        "SHA-256": hashlib.sha256(np.ascontiguousarray(last).tobytes()).hexdigest(),
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--members", type=int, default=10**6)
    parser.add_argument("--by", choices=["none", "processes", "dask", "mpi"], default="none")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    for name, value in run(args.members, args.out, args.by, args.workers).items():
        print(f"{name:24s} {value}")


if __name__ == "__main__":
    main()
