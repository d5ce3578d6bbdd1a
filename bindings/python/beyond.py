"""Measures fits beyond one machine, on two workers of one thread on loopback: time, memory, and what a lost worker costs.

Run it on a machine that does nothing else: ``python beyond.py speed``, ``python beyond.py lost``, ``python beyond.py memory``. The last one
writes 8 GB of Parquet into a folder, ``--folder``, unless they are there. ``--small`` shows that all of this runs.
"""

import argparse
import hashlib
import os
import pathlib
import signal
import statistics
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from dask.distributed import Client, LocalCluster
from kernrs import KernelRidge, RBFSampler, distributed

#: What a worker may take in all, and what a task may take beside the process that it runs in.
LIMIT, BUDGET = 500 * 10**6, 200 * 2**20


def write(folder, files, groups, rows, columns):
    """Files of so many row groups of so many rows of random numbers, unless they are there; their bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        path = folder / f"part-{number:04}.parquet"
        if path.exists():
            continue
        rng = np.random.default_rng(number)
        schema = pa.schema([(f"x{j}", pa.float64()) for j in range(columns)] + [("y", pa.float64())])
        beside = path.with_suffix(".new")
        with pq.ParquetWriter(beside, schema, compression="none", use_dictionary=False) as writer:
            for _ in range(groups):
                x = rng.normal(size=(columns, rows))
                y = np.sin(x[0] + x[1]) + x[2] * x[3] / 2 + 0.1 * rng.normal(size=rows)
                writer.write_table(pa.table([*x, y], schema=schema), row_group_size=rows)
        beside.rename(path)
    return sum(path.stat().st_size for path in folder.glob("*.parquet"))


def fit(folder, client, dim, columns, **settings):
    """Ridge regression on random Fourier features: the model's bytes in short, and the seconds."""
    features = RBFSampler(gamma=1.0 / columns, n_components=dim, random_state=0)
    start = time.perf_counter()
    model = distributed.fit(KernelRidge(alpha=1e-3), str(folder), client, target="y", features=features, **settings)
    taken = time.perf_counter() - start
    return hashlib.sha256(model.to_bytes()).hexdigest()[:16], taken


def clients(workers, **settings):
    """A cluster of so many workers of one thread."""
    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, **settings)
    return cluster, Client(cluster)


def load():
    """The mean number of processes that run on this machine."""
    return f"load {os.getloadavg()[0]:.1f}"


def speed(given):
    """T1/T2: the time of one worker over that of two, taking turns."""
    columns, dim = 20, 256 if given.small else 2048
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder, 8, 4, 500 if given.small else 8000, columns)
        found, busy, digests = {1: [], 2: []}, {1: [], 2: []}, set()
        pairs = {workers: clients(workers) for workers in found}
        for _ in range(1 if given.small else given.turns):
            for workers, (_, client) in pairs.items():
                here, before = time.process_time(), client.run(time.process_time)
                digest, taken = fit(folder, client, dim, columns, rows=8000)
                after = client.run(time.process_time)
                found[workers].append(taken)
                # What a machine would take that does nothing else: the busiest worker, and the driver.
                busiest = max(after[worker] - before[worker] for worker in after)
                busy[workers].append(busiest + time.process_time() - here)
                digests.add(digest)
        for cluster, client in pairs.values():
            client.close()
            cluster.close()
    for what, times in (("time", found), ("time of processors, the busiest worker's and the driver's", busy)):
        one, two = (statistics.median(times[workers]) for workers in (1, 2))
        print(f"ridge, D = {dim}, {load()}, {what}: one worker {one:.2f} s, two {two:.2f} s, T1/T2 = {one / two:.2f}, "
              f"{'the same bits' if len(digests) == 1 else 'OTHER BITS'}")


def lost(given):
    """The time that a worker costs that is killed at half time."""
    columns, dim = 20, 256 if given.small else 2048
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder, 8, 4, 500 if given.small else 4000, columns)
        cluster, client = clients(2)
        digest, whole = fit(folder, client, dim, columns, rows=4000)
        killed = []

        def kill(state):
            if not killed and state["phase"] == "rounds" and 2 * state["done"] >= state["groups"]:
                killed.append(list(client.run(os.getpid).values())[0])
                os.kill(killed[0], signal.SIGKILL)

        again, taken = fit(folder, client, dim, columns, rows=4000, callback=kill)
        client.close()
        cluster.close()
    print(f"ridge, D = {dim}, {load()}: {whole:.2f} s, with a worker killed at half time {taken:.2f} s, lost {taken - whole:.2f} s, "
          f"{'the same bits' if digest == again else 'OTHER BITS'}")


def memory(given):
    """The greatest memory of workers that have 500 MB each, for 8 GB of Parquet."""
    columns, dim = 100, 256
    folder = pathlib.Path(given.folder)
    size = write(folder, 2 if given.small else 50, 10, 2000 if given.small else 20_000, columns)
    cluster, client = clients(2, memory_limit=LIMIT)
    pids = client.run(os.getpid)
    digest, taken = fit(folder, client, dim, columns, rows=20_000, memory=BUDGET)
    assert client.run(os.getpid) == pids, "a worker was killed, since it took too much memory"
    most = max(client.run(_greatest).values())
    client.close()
    cluster.close()
    print(f"ridge, D = {dim}, {load()}: {size / 1e9:.1f} GB in {taken:.0f} s, two workers of at most {most / 1e6:.0f} MB each "
          f"(limit {LIMIT / 1e6:.0f})")
    if given.alone:
        alone, taken = fit(folder, None, dim, columns, rows=20_000, memory=BUDGET)
        print(f"one process: {taken:.0f} s, {'the same bits' if digest == alone else 'OTHER BITS'}")


def _greatest():
    """The greatest memory that this process has had, in bytes."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    return 0


def main():
    """What is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=["speed", "lost", "memory"])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--turns", type=int, default=3, help="with speed: how often")
    parser.add_argument("--alone", action="store_true", help="with memory: the same in one process as well")
    parser.add_argument("--folder", default=str(pathlib.Path(tempfile.gettempdir()) / "kernrs-beyond"))
    given = parser.parse_args()
    for what in given.what:
        {"speed": speed, "lost": lost, "memory": memory}[what](given)


if __name__ == "__main__":
    main()
