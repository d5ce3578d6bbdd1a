"""Tables in Markdown of the results of run.py.

    python summary.py results.jsonl [--peers x,y]

A set counts if all competitors of the file, or those named, have a result for it; its scores are means over the splits
that all of them have.
"""
import argparse
import collections
import json
import statistics

TREES = ["catboost", "lightgbm", "xgboost", "hist_boosting", "random_forest", "extra_trees"]
SHORT = {
    "catboost": "CatBoost", "lightgbm": "LightGBM", "xgboost": "XGBoost", "hist_boosting": "HGB", "random_forest": "RF",
    "extra_trees": "ET", "xrfm": "xRFM", "svm": "SVM",
}


def short(peer):
    return SHORT.get(peer, peer)


def row(cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def read(path, peers):
    """Lines by set, split and competitor, and the competitors in the order of the file."""
    lines = {}
    with open(path) as file:
        for text in file:
            if text.strip():
                line = json.loads(text)
                if peers is None or line["competitor"] in peers:
                    lines[line["set"], line["split"], line["competitor"]] = line
    found = list(dict.fromkeys(key[2] for key in lines))
    missing = [peer for peer in peers or [] if peer not in found]
    if missing:
        raise SystemExit(f"no results of {', '.join(missing)}")
    return lines, found


def common(lines, competitors):
    """For each set the splits of which all competitors have a score; for other sets, the competitors that lack one."""
    splits, left = collections.defaultdict(list), {}
    for name, split in dict.fromkeys(key[:2] for key in lines):
        lacking = [p for p in competitors if "score" not in lines.get((name, split, p), {})]
        if lacking:
            left.setdefault(name, set()).update(lacking)
        else:
            splits[name].append(split)
    return splits, {name: peers for name, peers in left.items() if name not in splits}


def means(lines, splits, competitors, key):
    """The mean of a measure over the splits of each set, by competitor; None where a line lacks it."""
    table = {}
    for name, those in splits.items():
        values = {p: [lines[name, split, p].get(key) for split in those] for p in competitors}
        table[name] = {p: None if None in v else statistics.fmean(v) for p, v in values.items()}
    return table


def ranks(scores):
    """Ranks of competitors, 1 for the greatest score; equal scores share the mean of their ranks."""
    order = sorted(scores.values(), reverse=True)
    first = {score: order.index(score) + 1 for score in order}
    return {peer: first[score] + (order.count(score) - 1) / 2 for peer, score in scores.items()}


def normalised(scores):
    """0 for the worst competitor and 1 for the best."""
    low, high = min(scores.values()), max(scores.values())
    return {peer: (score - low) / (high - low) if high > low else 1.0 for peer, score in scores.items()}


def print_scores(lines, splits, competitors, scores):
    print(row(["set", "task", "rows", "columns", "splits", *map(short, competitors)]))
    print("|---|---|" + "---:|" * (3 + len(competitors)))
    for name, those in splits.items():
        line = lines[name, those[0], competitors[0]]
        best = max(scores[name].values())
        cells = [f"{scores[name][p]:.4f}" for p in competitors]
        cells = [f"**{cell}**" if scores[name][p] == best else cell for cell, p in zip(cells, competitors)]
        print(row([name, line["task"], line["rows"], line["columns"], len(those), *cells]))


def print_ranking(title, tasks, lines, competitors, scores):
    """Competitors in the order of their mean rank on the sets of some tasks; failures on sets left out count too."""
    of_task = {name: line["task"] for (name, *_), line in lines.items()}
    names = [name for name in scores if of_task[name] in tasks]
    if not names:
        return
    rank = {name: ranks(scores[name]) for name in names}
    scaled = {name: normalised(scores[name]) for name in names}
    print(f"\n{title}, {len(names)} set{'s' if len(names) > 1 else ''}\n")
    print(row(["competitor", "mean rank", "mean normalised score", "wins", "median seconds", "failures"]))
    print("|---|" + "---:|" * 5)
    for p in sorted(competitors, key=lambda p: statistics.fmean(rank[name][p] for name in names)):
        own = [line for (name, _, peer), line in lines.items() if peer == p and of_task[name] in tasks]
        wins = sum(scores[name][p] == max(scores[name].values()) for name in names)
        seconds = statistics.median(line["seconds"] for line in own)
        cells = [f"{statistics.fmean(rank[name][p] for name in names):.2f}"]
        cells += [f"{statistics.fmean(scaled[name][p] for name in names):.3f}", wins, f"{seconds:.1f}"]
        print(row([short(p), *cells, sum("error" in line for line in own)]))


def print_beside_trees(lines, splits, competitors, losses):
    """How often kern is at least as good as boosting and forests."""
    trees = [peer for peer in TREES if peer in competitors]
    if "kern" not in competitors or not trees:
        return
    print(f"\n## kern beside boosting and forests ({', '.join(map(short, trees))})\n")
    print(row(["task", "sets", "at least the best", "error within 5 % of it", "farther", "median ratio of errors"]))
    print("|---|" + "---:|" * 5)
    for task in ("classify", "regress", "all"):
        ratios = {}
        for name, those in splits.items():
            if task in (lines[name, those[0], "kern"]["task"], "all"):
                best = min(losses[name][p] for p in trees)
                own = losses[name]["kern"]
                ratios[name] = own / best if best > 0 else (1.0 if own == 0 else float("inf"))
        if ratios:
            least = sum(ratio <= 1 for ratio in ratios.values())
            near = sum(ratio <= 1.05 for ratio in ratios.values())
            middle = statistics.median(ratios.values())
            print(row([task, len(ratios), least, near, len(ratios) - near, f"{middle:.3f}"]))
        if task == "all":
            far = sorted((ratio, name) for name, ratio in ratios.items() if ratio > 1.05)
            if far:
                print("\nFarther: " + ", ".join(f"{name} {ratio:.2f}" for ratio, name in reversed(far)) + ".")


def print_log_losses(lines, splits, competitors):
    """Mean log losses of the competitors that have probabilities, by set of classification."""
    table = means(lines, splits, competitors, "log_loss")
    table = {name: row for name, row in table.items() if any(value is not None for value in row.values())}
    if not table:
        return
    print("\n## Log loss\n")
    print(row(["set", *map(short, competitors)]))
    print("|---|" + "---:|" * len(competitors))
    for name, values in table.items():
        best = min(value for value in values.values() if value is not None)
        cells = ["" if values[p] is None else f"{values[p]:.4f}" for p in competitors]
        print(row([name, *(f"**{cell}**" if values[p] == best else cell for cell, p in zip(cells, competitors))]))


def print_failures(lines, left):
    errors = [line for line in lines.values() if "error" in line]
    if left:
        print("\nLeft out, as some have no result: " + "; ".join(
            f"{name} ({', '.join(sorted(map(short, peers)))})" for name, peers in left.items()) + ".")
    if errors:
        print("\n## Failures\n")
        print(row(["set", "split", "competitor", "seconds", "error"]))
        print("|---|---:|---|---:|---|")
        for line in errors:
            error = " ".join(line["error"].split()).replace("|", "\\|")[:200]
            print(row([line["set"], line["split"], short(line["competitor"]), line["seconds"], error]))


def main():
    parser = argparse.ArgumentParser(description="Print tables in Markdown of the results of run.py.")
    parser.add_argument("results", help="the file that run.py writes")
    parser.add_argument("--peers", help="names with commas; all of the file by default")
    options = parser.parse_args()
    lines, competitors = read(options.results, options.peers.split(",") if options.peers else None)
    splits, left = common(lines, competitors)
    budgets = sorted({(line["budget"], line["cores"]) for line in lines.values()})
    said = "; ".join(f"{seconds:g} s on {cores} core{'s' if cores > 1 else ''}" for seconds, cores in budgets)
    print(f"# Learning of tables: a budget of {said}\n")
    print("Accuracy or R² on a quarter of the rows; the best is bold.\n")
    scores = means(lines, splits, competitors, "score")
    print_scores(lines, splits, competitors, scores)
    print("\n## Ranking")
    print_ranking("All", ("classify", "regress"), lines, competitors, scores)
    print_ranking("Classification", ("classify",), lines, competitors, scores)
    print_ranking("Regression", ("regress",), lines, competitors, scores)
    print("\nThe normalised score is 0 for the worst competitor on a set and 1 for the best.")
    print_beside_trees(lines, splits, competitors, means(lines, splits, competitors, "loss"))
    print_log_losses(lines, splits, competitors)
    print_failures(lines, left)


if __name__ == "__main__":
    main()
