"""Competitors of the benchmark of table learning, each tuned within a budget of seconds.

`compete(name, train, test, task, seconds, cores, seed, kern)` fits one competitor to the frame `train`, whose column
`target` is the answer, and returns its predictions for `test`, its class probabilities or None, the classes in the
order of their columns, and what it chose. `kern` is the path of the program, which only the competitor of that name
needs.

All but kern are tuned by a random search: the default configuration first, then draws from the spaces of Grinsztajn et
al. (2022) and McElfresh et al. (2023), with learning rates of at least 0.01, as lower ones need more seconds than a
budget has. A configuration is scored by 5 folds up to 1000 rows, by 3 folds up to 5000 rows, and by a held-out quarter
beyond: by RMSE, or by accuracy with the log loss as the tie breaker. The search ends when the next trial and the final
fit are predicted to exceed the budget; the final fit is of the best configuration on all training rows. Boosting
stops early on the held-out rows, and fits again with the mean number of rounds. Boosting and forests that run out of
time keep the trees that they have.
"""
import importlib
import json
import os
import pathlib
import subprocess
import tempfile
import time
import warnings

import numpy as np
import pandas as pd

MOST_TRIALS, MOST_ROUNDS, PATIENCE = 200, 2000, 50
MOST_TREES = 300
MOST_CATEGORIES = 250


# Encodings


def text_columns(x):
    return [column for column in x.columns if x[column].dtype == object]


class Coded:
    """Text as pandas categories, at most MOST_CATEGORIES each; other values are missing. Columns get plain names."""

    def __init__(self, x):
        self.known = {c: x[c].value_counts().index[:MOST_CATEGORIES].tolist() for c in text_columns(x)}

    def __call__(self, x):
        made = {}
        for k, column in enumerate(x.columns):
            known = self.known.get(column)
            if known is None:
                made[f"c{k}"] = x[column].astype(float)
            else:
                values = x[column].where(x[column].isin(known), None)
                made[f"c{k}"] = pd.Series(pd.Categorical(values, categories=known), index=x.index)
        return pd.DataFrame(made)


class Words:
    """Text with a word for missing values, for CatBoost."""

    def __init__(self, x):
        self.text = text_columns(x)

    def __call__(self, x):
        made = {}
        for column in x.columns:
            text = column in self.text
            made[column] = x[column].fillna("missing").astype(str) if text else x[column].astype(float)
        return pd.DataFrame(made)


class Dense:
    """Numbers with medians for missing values, and one-hot categories; `scaling` is none, standard or quantile."""

    def __init__(self, x, scaling="none"):
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler

        text = text_columns(x)
        steps = [SimpleImputer(strategy="median", add_indicator=True)]
        if scaling == "standard":
            steps.append(StandardScaler())
        if scaling == "quantile":
            quantiles = min(1000, len(x))
            steps.append(QuantileTransformer(n_quantiles=quantiles, output_distribution="normal", random_state=0))
        numbers = [column for column in x.columns if column not in text]
        hot = OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False)
        parts = [("numbers", make_pipeline(*steps), numbers), ("text", hot, text)]
        self.text = text
        self.transformer = ColumnTransformer([part for part in parts if part[2]])
        self.transformer.fit(self.filled(x))

    def filled(self, x):
        return x.assign(**{column: x[column].fillna("missing") for column in self.text})

    def __call__(self, x):
        return np.asarray(self.transformer.transform(self.filled(x)), dtype=np.float64)


def log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def log_integer(rng, low, high):
    return int(round(log_uniform(rng, low, high)))


def in_class_order(probabilities, present, classes):
    """Probabilities of the classes that a fold has, spread to all classes."""
    full = np.zeros((len(probabilities), classes))
    full[:, np.asarray(present, dtype=int)] = probabilities
    return full


class Peer:
    """A competitor: `draw` makes a configuration, `fit` a function from a frame to values or class probabilities.

    `fit(config, x, y, held, until)` ends by the time `until`, where the library has the means; `held` is a pair of rows
    and answers for early stopping, or None. The function that it returns has the attribute `grown`: what the final fit
    has to know beside the configuration, such as the number of rounds.
    """

    modules = ()
    default = {}
    refits = True

    def __init__(self, task, classes, cores, seed, seconds):
        self.classifies, self.classes, self.cores, self.seed = task == "classify", classes, cores, seed
        self.seconds = seconds

    def answers(self, model, x):
        if not self.classifies:
            return np.asarray(model.predict(x), dtype=float).ravel()
        return in_class_order(model.predict_proba(x), model.classes_, self.classes)

    def predictor(self, model, encode, **grown):
        def predict(x):
            return self.answers(model, encode(x))

        predict.grown = grown
        return predict


class CatBoost(Peer):
    """Its default learning rate depends on the number of rounds, so that the final fit is told both."""

    modules = ("catboost",)

    def draw(self, rng):
        return {
            "learning_rate": log_uniform(rng, 0.01, 0.3), "depth": int(rng.integers(3, 11)),
            "l2_leaf_reg": log_uniform(rng, 1, 10), "bagging_temperature": rng.uniform(0, 1),
            "random_strength": log_uniform(rng, 0.1, 20), "leaf_estimation_iterations": int(rng.integers(1, 11)),
        }

    def fit(self, config, x, y, held, until):
        from catboost import CatBoostClassifier, CatBoostRegressor

        class Deadline:
            def after_iteration(self, info):
                return time.perf_counter() < until

        encode = Words(x)
        if config:
            config = {"iterations": MOST_ROUNDS, **config}
        model = (CatBoostClassifier if self.classifies else CatBoostRegressor)(
            **config, random_seed=self.seed, thread_count=self.cores, allow_writing_files=False, verbose=False,
            cat_features=encode.text)
        more = {"callbacks": [Deadline()]}
        if held:
            more |= {"eval_set": (encode(held[0]), held[1]), "early_stopping_rounds": PATIENCE, "use_best_model": True}
        model.fit(encode(x), y, **more)
        return self.predictor(
            model, encode, iterations=max(model.tree_count_, 1), learning_rate=float(model.learning_rate_))


class LightGbm(Peer):
    modules = ("lightgbm",)

    def draw(self, rng):
        return {
            "learning_rate": log_uniform(rng, 0.01, 0.3), "num_leaves": log_integer(rng, 4, 255),
            "min_child_samples": log_integer(rng, 2, 100), "subsample": rng.uniform(0.5, 1), "subsample_freq": 1,
            "colsample_bytree": rng.uniform(0.5, 1), "reg_alpha": log_uniform(rng, 1e-8, 10),
            "reg_lambda": log_uniform(rng, 1e-8, 10),
        }

    def fit(self, config, x, y, held, until):
        import lightgbm

        def deadline(state):
            if time.perf_counter() > until:
                raise lightgbm.callback.EarlyStopException(state.iteration, state.evaluation_result_list or [])

        encode = Coded(x)
        config = {"n_estimators": MOST_ROUNDS, **config}
        model = (lightgbm.LGBMClassifier if self.classifies else lightgbm.LGBMRegressor)(
            **config, random_state=self.seed, n_jobs=self.cores, verbose=-1)
        calls, more = [deadline], {}
        if held:
            more["eval_set"] = [(encode(held[0]), held[1])]
            calls.append(lightgbm.early_stopping(PATIENCE, verbose=False))
        model.fit(encode(x), y, callbacks=calls, **more)
        return self.predictor(model, encode, n_estimators=max(model.best_iteration_ or model.n_estimators_, 1))


class XgBoost(Peer):
    modules = ("xgboost",)

    def draw(self, rng):
        return {
            "learning_rate": log_uniform(rng, 0.01, 0.7), "max_depth": int(rng.integers(1, 12)),
            "min_child_weight": log_integer(rng, 1, 100), "subsample": rng.uniform(0.5, 1),
            "colsample_bytree": rng.uniform(0.5, 1), "colsample_bylevel": rng.uniform(0.5, 1),
            "gamma": log_uniform(rng, 1e-8, 7), "reg_lambda": log_uniform(rng, 1, 4),
            "reg_alpha": log_uniform(rng, 1e-8, 100),
        }

    def fit(self, config, x, y, held, until):
        import xgboost

        class Deadline(xgboost.callback.TrainingCallback):
            def after_iteration(self, model, epoch, evals_log):
                return time.perf_counter() > until

        encode = Coded(x)
        config = {"n_estimators": MOST_ROUNDS, **config}
        more = {"early_stopping_rounds": PATIENCE} if held else {}
        model = (xgboost.XGBClassifier if self.classifies else xgboost.XGBRegressor)(
            **config, **more, random_state=self.seed, n_jobs=self.cores, tree_method="hist", enable_categorical=True,
            callbacks=[Deadline()])
        model.fit(encode(x), y, eval_set=[(encode(held[0]), held[1])] if held else None, verbose=False)
        rounds = model.best_iteration + 1 if held else model.get_booster().num_boosted_rounds()
        return self.predictor(model, encode, n_estimators=max(rounds, 1))


class HistGradientBoosting(Peer):
    """It has no callbacks: it grows by warm starts, each of as many rounds as it has, so that it can end in time."""

    modules = ("sklearn.ensemble",)

    def draw(self, rng):
        return {
            "learning_rate": float(np.clip(rng.lognormal(np.log(0.05), np.log(3)), 0.01, 1)),
            "max_leaf_nodes": max(3, int(rng.normal(31, 5))), "max_depth": [None, None, None, 2, 3, 4][rng.integers(6)],
            "min_samples_leaf": max(2, int(rng.lognormal(np.log(20), np.log(2)))),
            "l2_regularization": [0.0, log_uniform(rng, 1e-6, 10)][rng.integers(2)],
            "max_features": [1.0, rng.uniform(0.3, 1)][rng.integers(2)],
        }

    def fit(self, config, x, y, held, until):
        from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

        encode = Coded(x)
        rows, most = encode(x), config.get("max_iter", MOST_ROUNDS)
        model = (HistGradientBoostingClassifier if self.classifies else HistGradientBoostingRegressor)(
            **{**config, "max_iter": 1}, early_stopping=False, warm_start=True, random_state=self.seed)
        rounds, start, best = min(8, most), time.perf_counter(), None
        while True:
            model.set_params(max_iter=rounds).fit(rows, y)
            if held:
                best = self.best_rounds(model, encode(held[0]), held[1])
            now = time.perf_counter()
            pace = (now - start) / rounds
            more = min(rounds, most - rounds, int((until - now) / pace / 2))
            if more < 1 or (held and best + PATIENCE < rounds):
                break
            rounds += more
        if held and best < rounds:
            # Predictions use these alone.
            model._predictors = model._predictors[:best]
        return self.predictor(model, encode, max_iter=best or rounds)

    def best_rounds(self, model, rows, y):
        """The number of rounds with the least loss on held-out rows."""
        if not self.classifies:
            return 1 + int(np.argmin([np.mean((values - y) ** 2) for values in model.staged_predict(rows)]))
        cells = np.arange(len(y)), np.searchsorted(model.classes_, y)
        gains = [np.log(np.maximum(stage[cells], 1e-12)).mean() for stage in model.staged_predict_proba(rows)]
        return 1 + int(np.argmax(gains))


class Forest(Peer):
    modules = ("sklearn.ensemble",)
    extra = False

    def draw(self, rng):
        criteria = ["gini", "entropy"] if self.classifies else ["squared_error"]
        return {
            "max_depth": [None, 2, 3, 4][rng.choice(4, p=[0.7, 0.1, 0.1, 0.1])],
            "criterion": criteria[rng.integers(len(criteria))],
            "max_features": ["sqrt", "log2", None, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9][rng.integers(12)],
            "min_samples_split": [2, 2, 2, 3][rng.integers(4)], "min_samples_leaf": log_integer(rng, 1, 50),
            "bootstrap": bool(rng.integers(2)), "min_impurity_decrease": [0.0, 0.01, 0.02, 0.05][
                rng.choice(4, p=[0.85, 0.05, 0.05, 0.05])],
        }

    def fit(self, config, x, y, held, until):
        from sklearn import ensemble

        kind = ("ExtraTrees" if self.extra else "RandomForest") + ("Classifier" if self.classifies else "Regressor")
        encode = Dense(x)
        rows = encode(x)
        model = getattr(ensemble, kind)(**config, warm_start=True, n_jobs=self.cores, random_state=self.seed)
        start = time.perf_counter()
        trees, step = 0, 10
        while trees < MOST_TREES:
            trees = min(trees + step, MOST_TREES)
            model.set_params(n_estimators=trees).fit(rows, y)
            now = time.perf_counter()
            step = min(50, int((until - now) / ((now - start) / trees)))
            if step < 1:
                break
        return self.predictor(model, encode)


class ExtraTrees(Forest):
    extra = True


class Linear(Peer):
    """Logistic or ridge regression."""

    modules = ("sklearn.linear_model",)
    default = {"scaling": "standard", "strength": 1.0}

    def draw(self, rng):
        return {"scaling": ["standard", "quantile"][rng.integers(2)], "strength": log_uniform(rng, 1e-4, 1e4)}

    def fit(self, config, x, y, held, until):
        from sklearn.linear_model import LogisticRegression, Ridge

        encode = Dense(x, config["scaling"])
        model = Ridge(config["strength"])
        if self.classifies:
            model = LogisticRegression(C=1 / config["strength"], max_iter=300)
        model.fit(encode(x), y)
        return self.predictor(model, encode)


class Svm(Peer):
    """SVC or SVR with a radial kernel; it fits to a sample of the rows, so that a fit takes a tenth of the budget.

    The search is random over a grid of powers of two. The final fit has as many rows as time is left for. Its
    predictions are classes, not probabilities.
    """

    modules = ("sklearn.svm",)
    default = {"scaling": "standard", "C": 1.0, "spread": 1.0, "epsilon": 0.1}

    def __init__(self, *options):
        super().__init__(*options)
        self.per_square = None

    def draw(self, rng):
        return {
            "scaling": ["standard", "quantile"][rng.integers(2)], "C": 2.0 ** rng.integers(-2, 11),
            "spread": 2.0 ** rng.integers(-6, 4), "epsilon": [0.01, 0.05, 0.1, 0.2][rng.integers(4)],
        }

    def rows_for(self, seconds, rows):
        """As many rows as are predicted to take these seconds; the first fit has at most 1000."""
        if self.per_square is None:
            return min(rows, 1000)
        return int(min(rows, max(200, np.sqrt(max(seconds, 0) / self.per_square))))

    def fit(self, config, x, y, held, until):
        from sklearn.svm import SVC, SVR

        left = until - time.perf_counter()
        count = self.rows_for(self.seconds / 10 if held else left * 0.7, len(x))
        picked = np.random.default_rng(self.seed).permutation(len(x))[:count]
        if self.classifies:
            picked = np.union1d(picked, np.unique(y, return_index=True)[1])
        x, y = x.iloc[picked], y[picked]
        encode = Dense(x, config["scaling"])
        rows = encode(x)
        gamma = config["spread"] / (rows.shape[1] * max(rows.var(), 1e-12))
        shared = {"C": config["C"], "gamma": gamma, "cache_size": 500, "max_iter": max(20_000, 30 * len(x))}
        start = time.perf_counter()
        if self.classifies:
            model, middle, unit = SVC(**shared).fit(rows, y), 0.0, 1.0
        else:
            middle, unit = y.mean(), y.std() or 1.0
            model = SVR(**shared, epsilon=config["epsilon"]).fit(rows, (y - middle) / unit)
        pace = (time.perf_counter() - start) / len(x) ** 2
        self.per_square = max(pace, 0.5 * (self.per_square or 0))

        def predict(x):
            found = model.predict(encode(x))
            return found.astype(int) if self.classifies else found * unit + middle

        predict.grown = {}
        return predict


class Xrfm(Peer):
    """Recursive feature machines of xRFM, which need held-out rows themselves: the best one is not fitted again.

    Its leaves have few enough rows for several fits within the budget.
    """

    modules = ("torch", "xrfm")
    refits = False
    default = {"kernel": "l2", "bandwidth": 10.0, "exponent": 1.0, "norm_p": 2.0, "diag": False, "reg": 1e-3}

    def draw(self, rng):
        exponent = rng.uniform(0.7, 1.4)
        return {
            "kernel": "lpq" if rng.random() < 0.8 else "l2", "bandwidth": log_uniform(rng, 0.5, 200),
            "exponent": exponent, "norm_p": exponent + (2 - exponent) * rng.uniform(0, 0.8),
            "diag": bool(rng.random() < 0.5), "reg": log_uniform(rng, 1e-6, 10),
        }

    def fit(self, config, x, y, held, until):
        import torch
        from xrfm import xRFM

        def tensor(values, kind=torch.float32):
            return torch.tensor(np.asarray(values), dtype=kind)

        torch.set_num_threads(self.cores)
        torch.manual_seed(self.seed)
        encode = Dense(x, "standard")
        middle, unit = (0.0, 1.0) if self.classifies else (y.mean(), y.std() or 1.0)
        kind = torch.long if self.classifies else torch.float32
        model = {**{k: v for k, v in config.items() if k != "reg"}, "bandwidth_mode": "constant"}
        if model["kernel"] == "l2":
            model.pop("norm_p")
        fit = {"reg": config["reg"], "iters": 5, "verbose": False, "early_stop_rfm": True, "early_stop_multiplier": 1.1}
        leaf = int(min(60_000, 500 * np.sqrt(self.seconds * self.cores)))
        machine = xRFM(
            rfm_params={"model": model, "fit": fit}, tuning_metric="accuracy" if self.classifies else "mse",
            max_leaf_size=leaf, device="cpu", n_threads=self.cores, verbose=False,
            time_limit_s=max(1.0, until - time.perf_counter()))
        sides = [tensor(encode(x)), tensor((y - middle) / unit, kind)]
        sides += [tensor(encode(held[0])), tensor((held[1] - middle) / unit, kind)]
        machine.fit(*sides)

        def predict(x):
            rows = tensor(encode(x))
            if self.classifies:
                found = np.asarray(machine.predict_proba(rows), dtype=float)
                return found if np.isfinite(found).all() else np.full_like(found, 1 / self.classes)
            return np.asarray(machine.predict(rows), dtype=float).ravel() * unit + middle

        predict.grown = {}
        return predict


PEERS = {
    "catboost": CatBoost, "lightgbm": LightGbm, "xgboost": XgBoost, "hist_boosting": HistGradientBoosting,
    "random_forest": Forest, "extra_trees": ExtraTrees, "linear": Linear, "svm": Svm, "xrfm": Xrfm,
}
NAMES = ["kern", *PEERS]


def prepare(name):
    """Imports what the competitor uses, so that its seconds are not those of imports."""
    if name != "kern":
        for module in ("sklearn.compose", "sklearn.impute", "sklearn.model_selection", *PEERS[name].modules):
            importlib.import_module(module)


# The search


def folds(y, classifies, seed, single):
    """Pairs of the rows to fit to and those held out."""
    from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

    if single or len(y) > 5000:
        kind = StratifiedShuffleSplit if classifies else ShuffleSplit
        splitter = kind(1, test_size=0.25, random_state=seed)
    else:
        kind = StratifiedKFold if classifies else KFold
        splitter = kind(5 if len(y) <= 1000 else 3, shuffle=True, random_state=seed)
    return list(splitter.split(np.zeros(len(y)), y))


def merit(answers, y, classifies):
    """A pair to be maximal: of accuracy and minus the log loss, or of minus RMSE and 0."""
    if not classifies:
        return -float(np.sqrt(np.mean((answers - y) ** 2))), 0.0
    if answers.ndim == 1:
        return float(np.mean(answers == y)), 0.0
    right = np.maximum(answers[np.arange(len(y)), y], 1e-12)
    return float(np.mean(answers.argmax(axis=1) == y)), float(np.log(right).mean())


def trial(peer, config, x, y, splits, until):
    """The merit of a configuration, what the final fit has to know, the last function, and the seconds of a fit."""
    merits, grown, start = [], [], time.perf_counter()
    for k, (fitted, held) in enumerate(splits):
        now = time.perf_counter()
        share = now + (until - now) / (len(splits) - k)
        sides = x.iloc[held], y[held]
        predict = peer.fit(config, x.iloc[fitted], y[fitted], sides, share)
        merits.append(merit(predict(sides[0]), sides[1], peer.classifies))
        grown.append(predict.grown)
    means = {key: mean_of([one[key] for one in grown]) for key in grown[0]}
    pair = tuple(np.mean(merits, axis=0))
    if not np.isfinite(pair).all():
        raise ValueError("the predictions are not finite")
    return pair, means, predict, (time.perf_counter() - start) / len(splits)


def mean_of(values):
    """The mean, as an integer if the values are."""
    mean = float(np.mean(values))
    return round(mean) if isinstance(values[0], int) else mean


def search(peer, x, y, seconds, seed):
    """The function of the best configuration, and a record of the search."""
    start = time.perf_counter()
    end, rng = start + seconds, np.random.default_rng(seed)
    splits = folds(y, peer.classifies, seed, not peer.refits)
    growth = len(y) / len(splits[0][0])
    best, took, failure = None, [], None
    for turn in range(MOST_TRIALS):
        now = time.perf_counter()
        if turn == 0:
            until = start + 0.4 * seconds
        else:
            reserve = best["fit"] * growth * 1.1 if best and peer.refits else 0
            until = end - reserve
            if now + np.mean(took) > until:
                break
        config = dict(peer.default) if turn == 0 else peer.draw(rng)
        try:
            pair, grown, predict, fit = trial(peer, config, x, y, splits, until)
            if best is None or pair > best["pair"]:
                best = {"pair": pair, "config": config, "grown": grown, "predict": predict, "fit": fit}
        except Exception as error:
            failure = error
        took.append(time.perf_counter() - now)
    if best is None:
        raise failure
    predict = best["predict"]
    if peer.refits:
        until = max(end, time.perf_counter() + 0.1 * seconds)
        predict = peer.fit({**best["config"], **best["grown"]}, x, y, None, until)
    return predict, {"trials": len(took), "config": {**best["config"], **best["grown"]}}


def of_peer(name, train, test, task, seconds, cores, seed):
    """Predictions of a tuned peer."""
    x, classes = train.drop(columns="target"), None
    y = train["target"].to_numpy()
    if task == "classify":
        classes, y = np.unique(y.astype(str), return_inverse=True)
    peer = PEERS[name](task, 0 if classes is None else len(classes), cores, seed, seconds)
    predict, chosen = search(peer, x, y, seconds, seed)
    answers = predict(test.drop(columns="target"))
    chosen = json.loads(json.dumps(chosen, default=float))
    if task == "regress":
        return answers, None, None, chosen
    if answers.ndim == 1:
        return classes[answers], None, classes, chosen
    return classes[answers.argmax(axis=1)], answers, classes, chosen


# The program


def call(command, cores):
    settings = {**os.environ, "RAYON_NUM_THREADS": str(cores), "OMP_NUM_THREADS": str(cores)}
    done = subprocess.run(command, capture_output=True, text=True, env=settings)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-500:] or f"it ended with {done.returncode}")
    return done.stdout


def of_kern(kern, train, test, task, seconds, cores, seed):
    """Predictions of the program, from files and to files."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        train.to_csv(folder / "train.csv", index=False)
        test.drop(columns="target").to_csv(folder / "test.csv", index=False)
        model, rows, found = (str(folder / name) for name in ("model.kern", "test.csv", "found.csv"))
        said = call([kern, "train", str(folder / "train.csv"), "--target", "target", "--task", task, "--budget",
                     f"{seconds:g}s", "--seed", str(seed), "-o", model], cores)
        likely = False
        if task == "classify":
            try:
                call([kern, "predict", "-p", model, rows, "-o", found], cores)
                likely = True
            except RuntimeError:
                pass
        if not likely:
            call([kern, "predict", model, rows, "-o", found], cores)
        table = pd.read_csv(found, dtype=str, keep_default_na=False)
    chosen = {"said": said[-3000:]}
    if len(table) != len(test):
        raise RuntimeError(f"there are {len(table)} predictions for {len(test)} rows")
    if task == "regress":
        return table.iloc[:, 0].to_numpy(dtype=float), None, None, chosen
    labels = table.iloc[:, 0].to_numpy(dtype=object).astype(str)
    if not likely or table.shape[1] < 2:
        return labels, None, None, chosen
    names = [column.removeprefix("p(").removesuffix(")") for column in table.columns[1:]]
    order = np.argsort(names)
    probabilities = table.iloc[:, 1:].to_numpy(dtype=float)[:, order]
    return labels, probabilities, np.asarray(names)[order], chosen


def compete(name, train, test, task, seconds, cores, seed, kern=None):
    """Predictions, class probabilities or None, the classes of their columns or None, and what was chosen."""
    if name == "kern":
        return of_kern(kern, train, test, task, seconds, cores, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return of_peer(name, train, test, task, seconds, cores, seed)
