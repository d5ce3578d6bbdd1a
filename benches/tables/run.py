"""The benchmark of table learning: competitors of peers.py on the tables of sets.py.

    python run.py --kern PROGRAM --data FOLDER --seconds 60 --cores 1 --splits 3 --out results.jsonl

appends a line of JSON to the output for each table, split and competitor that it has no line of. It can be stopped and
started again. A competitor runs in a process of its own, and is ended after three times the budget and 30 seconds: a
crash or an endless fit is a line with an error.
"""
import argparse
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

import sets
from peers import NAMES, compete, prepare


def parts(table, task, split):
    """Three quarters to fit to and a quarter to test on; classes are in proportion."""
    from sklearn.model_selection import train_test_split

    classes = table["target"] if task == "classify" else None
    return train_test_split(table, test_size=0.25, random_state=1000 + split, stratify=classes)


def measures(test, task, found, probabilities, classes):
    """The score, the loss and the log loss of predictions."""
    import numpy as np

    truth = test["target"].to_numpy()
    if task == "regress":
        error = float(np.mean((truth - found) ** 2))
        if not np.isfinite(error):
            raise ValueError("the predictions are not finite")
        return {"score": 1 - error / float(np.var(truth)), "loss": error**0.5}
    right = float(np.mean(truth == found))
    result = {"score": right, "loss": 1 - right}
    if probabilities is not None:
        place = {name: k for k, name in enumerate(classes)}
        each = [probabilities[row, place[name]] if name in place else 0 for row, name in enumerate(truth)]
        result["log_loss"] = float(-np.log(np.clip(each, 1e-6, 1)).mean())
    return result


def processor_seconds():
    """The seconds of a processor that this process and those that it waited for have used."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def one(options):
    """Runs one competitor on one split, and prints its line."""
    name, split, peer = options.one
    task = sets.ENTRIES[name].task
    table = sets.load(name, options.data)
    train, test = parts(table, task, int(split))
    line = {"set": name, "task": task, "rows": len(table), "columns": table.shape[1] - 1, "split": int(split)}
    line |= {"competitor": peer, "budget": options.seconds, "cores": options.cores}
    try:
        prepare(peer)
    except ImportError as error:
        print("\n" + json.dumps(line | {"seconds": 0.0, "error": f"{type(error).__name__}: {error}"[:500]}), flush=True)
        return
    start, used = time.perf_counter(), processor_seconds()
    try:
        *found, chosen = compete(peer, train, test, task, options.seconds, options.cores, int(split), options.kern)
        line["seconds"], line["processor"] = round(time.perf_counter() - start, 2), round(processor_seconds() - used, 2)
        line |= measures(test, task, *found)
        line["chosen"] = chosen
    except Exception as error:
        line["seconds"] = round(time.perf_counter() - start, 2)
        line["error"] = f"{type(error).__name__}: {error}"[:500]
    print("\n" + json.dumps(line), flush=True)


def apart(options, name, split, peer):
    """The line of a competitor that runs in a process of its own."""
    command = [sys.executable, __file__, "--one", name, str(split), peer, "--data", options.data]
    command += ["--seconds", str(options.seconds), "--cores", str(options.cores), "--kern", options.kern or ""]
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
    settings = {**os.environ, **{key: str(options.cores) for key in threads}}
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=settings, start_new_session=True)
    try:
        said, complaint = process.communicate(timeout=3 * options.seconds + 30)
        lines = said.strip().splitlines()
        if process.returncode == 0 and lines:
            return json.loads(lines[-1])
        error = f"it ended with {process.returncode}: {complaint.strip()[-400:]}"
    except subprocess.TimeoutExpired:
        error = "it was ended after three times the budget and 30 seconds"
    finally:
        end_group(process)
    line = {"set": name, "task": sets.ENTRIES[name].task, "split": split, "competitor": peer}
    line |= {"budget": options.seconds, "cores": options.cores, "seconds": round(time.perf_counter() - start, 2)}
    return line | {"error": error}


def end_group(process):
    """Ends the process and those that it started, as far as they still run."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def done_before(path):
    """Set, split and competitor of each line of the output, with its budget and cores."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return {(line["set"], line["split"], line["competitor"]): (line["budget"], line["cores"]) for line in lines}


def main():
    parser = argparse.ArgumentParser(description="Run competitors on tables, and append a line for each to a file.")
    parser.add_argument("--kern", help="the program kern")
    parser.add_argument("--data", required=True, help="the folder of shared data")
    parser.add_argument("--seconds", type=float, default=60, help="the budget of each competitor on each split")
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--sets", help="names with commas; all by default")
    parser.add_argument("--peers", help="names with commas; all by default")
    parser.add_argument("--out", type=pathlib.Path, help="the file of results")
    parser.add_argument("--one", nargs=3, metavar=("SET", "SPLIT", "PEER"), help="run one, and print its line")
    options = parser.parse_args()
    if options.one:
        return one(options)
    if options.out is None:
        parser.error("--out is needed")
    names, competitors = sets.chosen(options.sets), options.peers.split(",") if options.peers else NAMES
    for peer in competitors:
        if peer not in NAMES:
            parser.error(f"no competitor `{peer}`; there are {', '.join(NAMES)}")
    if "kern" in competitors and not options.kern:
        parser.error("--kern is needed for the competitor kern")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    done = done_before(options.out)
    if any(each != (options.seconds, options.cores) for each in done.values()):
        parser.error(f"{options.out} has lines of another budget or number of cores")
    for split in range(options.splits):
        for name in names:
            for peer in competitors:
                if (name, split, peer) in done:
                    continue
                line = apart(options, name, split, peer)
                with open(options.out, "a") as file:
                    file.write(json.dumps(line) + "\n")
                said = line.get("error") or f"{line['score']:.4f}"
                print(f"{name} {split} {peer}: {said} in {line['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main()
