"""Peers of the study of learned kernels: learned_kernels.py FOLDER.

A line `FUNCTION SEED` on standard input asks for predictions of that function, tuned on `x.npy` and `y.npy` alone, at
`x_test.npy`; they are written to `predicted.npy`, and a line of JSON tells the seconds and the choice.
"""

import json
import os
import pathlib
import sys
import time

import numpy as np


def gradient_boosting(x, y, x_test, seed, threads):
    """Histogram gradient boosting of scikit-learn: 30 draws, judged by three folds."""
    from scipy.stats import loguniform, randint
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.model_selection import KFold, RandomizedSearchCV

    space = {
        "learning_rate": loguniform(0.02, 0.3),
        "max_iter": randint(50, 500),
        "max_leaf_nodes": randint(4, 40),
        "min_samples_leaf": randint(2, 40),
        "l2_regularization": loguniform(1e-3, 10),
        "max_features": [0.5, 1.0],
    }
    search = RandomizedSearchCV(
        HistGradientBoostingRegressor(early_stopping=False, random_state=seed),
        space,
        n_iter=30,
        cv=KFold(3, shuffle=True, random_state=seed),
        scoring="neg_mean_squared_error",
        random_state=seed,
        n_jobs=threads,
    )
    search.fit(x, y)
    return search.predict(x_test), search.best_params_


def xrfm(x, y, x_test, seed, threads):
    """xRFM: 30 draws from the space that its authors search by default, judged by a fifth of the points."""
    import torch
    from xrfm import xRFM

    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    held_out, used = order[: len(y) // 5], order[len(y) // 5 :]

    def tensor(values):
        return torch.tensor(values, dtype=torch.float32)

    best = None
    for _ in range(30):
        exponent, share = rng.uniform(0.7, 1.4), rng.uniform(0, 0.8)
        model = {
            "kernel": "lpq" if rng.random() < 0.8 else "l2",
            "bandwidth": float(np.exp(rng.uniform(np.log(0.5), np.log(200)))),
            "exponent": exponent,
            "norm_p": exponent + (2 - exponent) * share,
            "diag": bool(rng.random() < 0.5),
            "bandwidth_mode": "constant",
        }
        fit = {
            "reg": float(np.exp(rng.uniform(np.log(1e-6), np.log(10)))),
            "iters": 5,
            "verbose": False,
            "early_stop_rfm": True,
            "early_stop_multiplier": 1.1,
        }
        machine = xRFM(
            rfm_params={"model": model, "fit": fit},
            device="cpu",
            tuning_metric="mse",
            min_subset_size=60_000,
            verbose=False,
        )
        data = [tensor(values) for values in (x[used], y[used], x[held_out], y[held_out])]
        machine.fit(*data)
        predicted = np.asarray(machine.predict(data[2])).ravel()
        error = float(np.mean((predicted - y[held_out]) ** 2))
        if np.isfinite(error) and (best is None or error < best[0]):
            best = error, machine, {**model, "reg": fit["reg"]}
    return np.asarray(best[1].predict(tensor(x_test))).ravel(), best[2]


def main():
    folder = pathlib.Path(sys.argv[1])
    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threads = int(os.environ["KERN_THREADS"])
    for line in sys.stdin:
        function, seed = line.split()
        x, y, x_test = (np.load(folder / f"{name}.npy") for name in ("x", "y", "x_test"))
        start = time.perf_counter()
        predicted, chosen = globals()[function](x, y, x_test, int(seed), threads)
        seconds = time.perf_counter() - start
        np.save(folder / "predicted.npy", np.asarray(predicted, dtype=np.float64))
        said = {"seconds": seconds, "chosen": json.dumps(chosen, default=float)}
        print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    main()
