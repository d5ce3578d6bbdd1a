"""Whether the score that a contest tells is that of new rows, on simulated tables.

    python honesty.py --kern PROGRAM --tables 200 --seconds 3

draws tables of 150 to 600 rows with 3 to 12 columns, of which some do not matter: smooth, additive and stepwise
functions with noise, and two or three classes by such functions. A contest learns each; its score, told with an
interval of two standard errors, is compared with the score on 4000 new rows. Prints how often the interval contains the
latter, and the mean difference.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np
import pandas

NEW = 4000


def table(seed):
    """Rows of a random function; the first ones are to fit to, the last ones are new."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(150, 600)), int(rng.integers(3, 13))
    x = rng.standard_normal((rows + NEW, columns))
    if rng.random() < 0.3:
        x = np.exp(x)
    relevant = int(rng.integers(1, min(columns, 5) + 1))
    z, weights = x[:, :relevant], rng.standard_normal(relevant)
    kind = rng.choice(["smooth", "additive", "steps"])
    if kind == "smooth":
        f = np.sin(z @ weights) + 0.5 * (z @ rng.standard_normal(relevant))
    elif kind == "additive":
        f = (np.tanh(2 * z) * weights).sum(axis=1)
    else:
        f = ((z > 0) * weights).sum(axis=1) * np.where(z[:, 0] > 0.5, 2, 1)
    f = (f - f.mean()) / f.std() + rng.choice([0.1, 0.5, 1.5]) * rng.standard_normal(rows + NEW)
    frame = pandas.DataFrame(x, columns=[f"x{k}" for k in range(columns)])
    classes = int(rng.choice([0, 2, 3]))
    if classes == 0:
        return frame.assign(target=f), rows, "regress"
    edges = np.quantile(f, {2: [rng.choice([0.5, 0.8])], 3: [0.3, 0.7]}[classes])
    return frame.assign(target=np.array(["a", "b", "c"])[np.searchsorted(edges, f)]), rows, "classify"


def told_and_found(kern, seconds, seed, folder):
    """The score that the contest tells, its interval, and the score on new rows."""
    frame, rows, task = table(seed)
    train, new, model = (folder / name for name in ("train.csv", "new.csv", "model.kern"))
    frame[:rows].to_csv(train, index=False)
    frame[rows:].to_csv(new, index=False)
    command = [kern, "train", train, "--target", "target", "--task", task, "--budget", f"{seconds}s", "-o", model]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    value, interval = re.search(r"^score: \S+ (-?[0-9.]+) ± ([0-9.]+)", said, re.MULTILINE).groups()
    found = subprocess.run([kern, "evaluate", model, new, "--json"], check=True, capture_output=True, text=True).stdout
    found = json.loads(found)
    return task, float(value), float(interval), found["r2" if task == "regress" else "accuracy"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kern", required=True)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    results = []
    for seed in range(options.tables):
        with tempfile.TemporaryDirectory() as folder:
            result = told_and_found(options.kern, options.seconds, seed, pathlib.Path(folder))
        results.append(result)
        print(seed, *result, flush=True)
    for task in ("classify", "regress"):
        told, interval, found = np.array([result[1:] for result in results if result[0] == task]).T
        inside = np.abs(found - told) <= interval
        print(f"{task}: {inside.sum()} of {len(inside)} within the interval; told minus found: mean "
              f"{np.mean(told - found):.4f}, deviation {np.std(told - found):.4f}, in half intervals mean "
              f"{np.mean(2 * (told - found) / interval):.2f}")


main()
