"""The recipes of the guide for Spark and for MPI, where these are installed; where they are not, a notice says so."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import kernrs
import numpy as np
import pytest
from kernrs import KernelLogisticRegression, KernelRidge, distributed
from rows import ROWS, rows, write

ROOT = pathlib.Path(__file__).parents[3]
RBF = "rbf(gamma=0.3)"
SCRIPT = ROOT / "bindings/python/examples/batch_mpi.py"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write(tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="module")
def spark():
    """Spark in this machine."""
    sql = pytest.importorskip("pyspark.sql", reason="the recipe for Spark was NOT tested: there is no pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("the recipe for Spark was NOT tested: there is no Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def test_spark(spark, files, tmp_path):
    (recipe,) = re.findall(r"```python spark\n(.*?)```", (ROOT / "docs/guide/src/distributed.md").read_text(), re.DOTALL)
    names = {"__name__": "recipe"}
    exec(compile(recipe, "distributed.md", "exec"), names)
    frame = spark.read.parquet(*(str(path) for path in sorted(files.iterdir()))).select("a", "b", "c", "kind")
    estimator = KernelLogisticRegression(C=10.0, kernel=RBF)
    known = {"target": "kind", "features": 30, "max_rounds": 3}
    checkpoint = tmp_path / "fit.checkpoint"
    model = names["fit_frame"](estimator, frame, checkpoint=checkpoint, **known)
    # The same partitions in this process.
    partitions = [frame.sparkSession.createDataFrame(part, frame.schema).toPandas() if part else frame.limit(0).toPandas()
                  for part in frame.coalesce(64).rdd.glom().collect()]
    rounds = distributed.Rounds.of_partitions(estimator, len(partitions), partitions[0], **known)
    while not rounds.is_done:
        task = rounds.task
        rounds.next(distributed.merge(distributed.gather_tables(task, i, [part]) for i, part in enumerate(partitions)))
    assert model.to_bytes() == rounds.model.to_bytes()
    assert names["fit_frame"](estimator, frame, checkpoint=checkpoint, **known).to_bytes() == model.to_bytes()
    table = rows()
    x = {name: table[name] for name in "abc"}
    assert np.mean(model.predict(x) == table["kind"]) > 0.8


@pytest.fixture(scope="module")
def ranks():
    """Runs the script on so many ranks."""
    pytest.importorskip("mpi4py", reason="the script for MPI was NOT tested: there is no mpi4py")
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("the script for MPI was NOT tested: there is no mpiexec")

    def run(count, *arguments):
        command = [mpiexec, "-n", str(count), sys.executable, str(SCRIPT), *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run


def arguments(files, folder, name):
    return [files, "--learn", "logistic", "--target", "kind", "--kernel", RBF, "--features", 30, "--alpha", 0.1, "--rows", ROWS,
            "--checkpoint", folder / f"{name}.checkpoint", "--model", folder / f"{name}.kern"]


def test_ranks_of_mpi(ranks, tmp_path):
    table = {name: values for name, values in rows().items() if name in ("a", "b", "c", "kind")}
    files = write(tmp_path / "rows", table)
    features = kernrs.Nystroem(kernel=RBF, n_components=30, random_state=0)
    expected = distributed.fit(KernelLogisticRegression(C=10.0, kernel=RBF), files, target="kind", features=features, rows=ROWS)
    for count in (1, 3):
        job = ranks(count, *arguments(files, tmp_path, f"of-{count}"))
        told, _ = job.communicate(timeout=300)
        assert job.returncode == 0, told
        assert kernrs.load(tmp_path / f"of-{count}.kern").to_bytes() == expected.to_bytes()
    # One of the ranks is killed: MPI ends the job, which goes on from its checkpoint with another number of ranks.
    job = ranks(3, *arguments(files, tmp_path, "killed"))
    told = ""
    for line in job.stdout:
        told += line
        if "round 3" in line:
            os.kill(rank_of(job.pid), signal.SIGKILL)
            break
    told += job.communicate(timeout=120)[0]
    assert job.returncode != 0 and not (tmp_path / "killed.kern").exists(), told
    job = ranks(2, *arguments(files, tmp_path, "killed"))
    again, _ = job.communicate(timeout=300)
    assert job.returncode == 0, again
    assert "survey" not in again and "rounds, round 0," not in again, again
    assert kernrs.load(tmp_path / "killed.kern").to_bytes() == expected.to_bytes()


def rank_of(mpiexec):
    """A process that runs the script and comes from this one."""
    parents = {}
    for path in pathlib.Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                status, command = (path / "stat").read_text(), (path / "cmdline").read_text()
            except OSError:
                continue
            parents[int(path.name)] = (int(status.rsplit(")", 1)[1].split()[1]), command)
    found = []
    for pid, (parent, command) in parents.items():
        while parent in parents and parent != mpiexec:
            parent = parents[parent][0]
        if parent == mpiexec and command.startswith(sys.executable) and SCRIPT.name in command:
            found.append(pid)
    return max(found)
