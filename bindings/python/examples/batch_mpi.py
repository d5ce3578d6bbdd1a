"""A job of a batch system that has nothing but MPI: learns from files, and goes on from its checkpoint when it is started again.

    mpiexec -n 16 python batch_mpi.py 'rows/part-*.parquet' --target y --kernel 'rbf(gamma=0.1)' --features 2048 \\
        --checkpoint fit.checkpoint --model fit.kern

All ranks see the files under the same names. MPI ends all of them when one dies; the model does not depend on their number.
"""

import argparse
import os

# One thread for each rank, unless the batch system says otherwise; before the package is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import kernrs  # noqa: E402
from kernrs import distributed  # noqa: E402
from mpi4py import MPI  # noqa: E402

#: Estimators by what is to be learned.
ESTIMATORS = {
    "ridge": lambda given: kernrs.KernelRidge(alpha=given.alpha, kernel=given.kernel),
    "logistic": lambda given: kernrs.KernelLogisticRegression(C=1.0 / given.alpha, kernel=given.kernel),
    "svc": lambda given: kernrs.SVC(C=1.0 / given.alpha, kernel=given.kernel),
    "svr": lambda given: kernrs.SVR(C=1.0 / given.alpha, kernel=given.kernel),
    "kmeans": lambda given: kernrs.KernelKMeans(given.count, kernel=given.kernel),
    "components": lambda given: kernrs.KernelPCA(given.count, kernel=given.kernel),
}


def arguments():
    """What the job is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="files, directories or patterns")
    parser.add_argument("--learn", choices=ESTIMATORS, default="ridge")
    parser.add_argument("--target", help="the column of targets")
    parser.add_argument("--weights", help="the column of weights")
    parser.add_argument("--kernel", default="rbf", help="a formula")
    parser.add_argument("--alpha", type=float, default=1.0, help="the penalty, n times that of a row")
    parser.add_argument("--count", type=int, default=8, help="clusters or components")
    parser.add_argument("--features", type=int, default=500, help="the number of features")
    parser.add_argument("--fourier", action="store_true", help="random Fourier features in the place of landmarks")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, default=65_536, help="rows of a part")
    parser.add_argument("--memory", type=int, help="bytes of a task")
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--model", required=True, help="the file of the model")
    return parser.parse_args()


def main():
    """The job of every rank."""
    given, ranks = arguments(), MPI.COMM_WORLD
    settings = {"n_components": given.features, "random_state": given.seed, "kernel": given.kernel}
    features = kernrs.RBFSampler(**settings, gamma=None) if given.fourier else kernrs.Nystroem(**settings)

    def told(state):
        if state["done"] == 0:
            print(f"{state['seconds']:.0f} s: {state['phase']}, round {state['round']}, objective {state['objective']}, "
                  f"gap {state['gap']}", flush=True)

    model = distributed.fit(ESTIMATORS[given.learn](given), given.files, ranks, target=given.target, weights=given.weights,
                            features=features, rows=given.rows, memory=given.memory, checkpoint=given.checkpoint, callback=told)
    if ranks.Get_rank() == 0:
        kernrs.save(model, given.model)
        print(f"{given.model}: {model!r}", flush=True)


if __name__ == "__main__":
    main()
