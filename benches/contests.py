"""Contests of `kern train --budget` beside boosting and forests of scikit-learn on the same rows.

    python contests.py KERN FOLDER SECONDS NAME...

KERN is the program, FOLDER has NAME.csv.gz with the target in the last column. A quarter of the rows is tested on, by each of the
seeds; at most MOST rows are used. Prints R^2 or accuracy, and the seconds of a fit.
"""
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas
from sklearn.ensemble import (
    ExtraTreesClassifier, ExtraTreesRegressor, HistGradientBoostingClassifier, HistGradientBoostingRegressor,
    RandomForestClassifier, RandomForestRegressor)
from sklearn.metrics import accuracy_score, r2_score

MOST, SEEDS = 6000, (1,)


def friedman(rows=6000, columns=32):
    """Thirty-two inputs of which four matter."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (rows, columns))
    y = np.sin(3 * x[:, 0]) * x[:, 1] + np.exp(x[:, 2]) * x[:, 3] + 0.1 * rng.standard_normal(rows)
    return pandas.DataFrame(x, columns=[f"x{k}" for k in range(columns)]).assign(target=y)


def of_kern(kern, seconds, train, test, target, classifies):
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{name}.csv" for name in ("train", "test")]
        train.to_csv(paths[0], index=False)
        test.drop(columns=target).to_csv(paths[1], index=False)
        task = "classify" if classifies else "regress"
        model = f"{folder}/model.kern"
        command = [kern, "train", paths[0], "--target", target, "--task", task, "--budget", f"{seconds}s", "-o", model]
        subprocess.run(command, check=True, capture_output=True)
        answers = subprocess.run([kern, "predict", model, paths[1]], check=True, capture_output=True, text=True).stdout
        answers = [line.split(",")[-1] for line in answers.splitlines()]
        answers = answers[-len(test):]
        return answers if classifies else [float(answer) for answer in answers]


def main():
    kern, folder, seconds, *names = sys.argv[1:]
    print("| set | rows | " + " | ".join(("contest", "boosting", "forest", "extra trees")) + " |")
    for name in names:
        table = friedman() if name == "friedman" else pandas.read_csv(f"{folder}/{name}.csv.gz")
        table = table.sample(frac=1, random_state=0).head(MOST)
        target = table.columns[-1]
        kind = table[target]
        whole = kind.dtype != object and kind.dtype.kind in "if" and (kind % 1 == 0).all()
        classifies = kind.dtype.kind not in "if" or (whole and kind.nunique() <= 26 and name != "pol")
        scores = {}
        for seed in SEEDS:
            mixed = table.sample(frac=1, random_state=seed)
            cut = len(mixed) // 4
            test, train = mixed.iloc[:cut], mixed.iloc[cut:]
            peers = {
                "boosting": HistGradientBoostingClassifier if classifies else HistGradientBoostingRegressor,
                "forest": RandomForestClassifier if classifies else RandomForestRegressor,
                "extra trees": ExtraTreesClassifier if classifies else ExtraTreesRegressor,
            }
            truth = test[target].astype(str) if classifies else test[target]
            for way in ("contest", *peers):
                start = time.perf_counter()
                if way == "contest":
                    found = of_kern(kern, seconds, train, test, target, classifies)
                else:
                    more = {} if way == "boosting" else {"n_estimators": 300, "n_jobs": -1}
                    x = train.drop(columns=target)
                    model = peers[way](random_state=seed, **more).fit(x, train[target])
                    found = model.predict(test.drop(columns=target))
                    found = found.astype(str) if classifies else found
                took = time.perf_counter() - start
                score = accuracy_score(truth, found) if classifies else r2_score(truth, found)
                scores.setdefault(way, []).append((score, took))
        cells = []
        for way in scores.values():
            mean, took = np.mean(way, axis=0)
            cells.append(f"{mean:.4f} ({took:.1f} s)")
        print(f"| {name} | {len(table)} | " + " | ".join(cells) + " |", flush=True)


main()
