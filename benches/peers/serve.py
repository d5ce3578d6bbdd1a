"""Serves one peer of a task to the runner: serve.py TASK FUNCTION PACKAGE FOLDER.

The protocol, lines of JSON on standard input and output, is described in `src/protocol.rs`. The
function FUNCTION of `TASK.py` gets the case and returns what is run under the clock; `figures` of
the same file judges the last result, by the formulas of the library's own task. A file may have a
remark on it, too, its `note`, and its own time of a run, `seconds`, if only a part of it counts. Of a case
with a number of `predictions`, the times are per prediction.
"""

import importlib
import json
import os
import statistics
import sys
import time
from importlib.metadata import version

from case import Case


def main():
    task, function, package, folder = sys.argv[1:]
    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**what):
        print(json.dumps(what), file=answers, flush=True)

    case = Case.load(folder)
    case.limit_threads()
    script = importlib.import_module(task)
    body = getattr(script, function)(case)
    reset_peak()
    answer(ready=True)
    result, seconds, foreign, total = None, [], 0.0, 0.0
    for line in sys.stdin:
        if line.strip() == "finish":
            break
        result = None
        busy, start = foreign_seconds(), time.perf_counter()
        result = body()
        elapsed = time.perf_counter() - start
        is_part = hasattr(script, "seconds")
        seconds.append(script.seconds(case, result) if is_part else elapsed)
        if len(seconds) > 1:
            foreign += foreign_seconds() - busy
            total += elapsed
        answer(seconds=seconds[-1])
    remarks = [note(foreign, total)]
    if hasattr(script, "note"):
        remarks.append(script.note(case, result))
    row = case.row(f"{package} {version(package)}", peak_mib(), "; ".join(filter(None, remarks)))
    repeats = [run / case.params.get("predictions", 1) for run in seconds[1:]]
    row["seconds"] = {
        "median": statistics.median(repeats),
        "min": min(repeats),
        "max": max(repeats),
        "repeats": len(repeats),
        "times": repeats,
    }
    row["quality"] = script.figures(case, result)
    answer(row=row)


def reset_peak():
    """Forgets the peak memory so far, where the system can (Linux)."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


def peak_mib():
    """The peak memory of this process, where the system tells."""
    try:
        with open("/proc/self/status") as file:
            lines = [line for line in file if line.startswith("VmHWM:")]
        return int(lines[0].split()[1]) / 1024
    except OSError:
        return None


def foreign_seconds():
    """Processor time of all other processes, without children that have ended; 0 where the system does
    not tell."""
    try:
        with open("/proc/stat") as file:
            ticks = [int(field) for field in file.readline().split()[1:9]]
    except OSError:
        return 0.0
    own = os.times()
    busy = sum(ticks) - ticks[3] - ticks[4]
    return busy / os.sysconf("SC_CLK_TCK") - sum(own[:4])


def note(foreign, total):
    """What a reader has to know: whether others were at work during the repeats.

    The system counts in steps that are too coarse for short ones.
    """
    cores = max(foreign, 0.0) / total if total > 0.25 else 0.0
    return f"other processes used {cores:.1f} cores" if cores > 0.05 else ""


if __name__ == "__main__":
    main()
