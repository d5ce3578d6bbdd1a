"""The arithmetic of the guide's page on more machines: it is the planner's, and what a simulation of the tree of sums takes."""

import functools
import heapq
import math
import pathlib
import re

import pytest
from kernrs import KernelRidge, _native, distributed
from kernrs._rounds import ROWS

PAGE = pathlib.Path(__file__).parents[3] / "docs/guide/src/distributed.md"

#: Flops a second of a worker, bytes a second of files and between machines, seconds until a task starts: those of the page.
FLOPS, READING, NETWORK, LATENCY = 2e10, 1e9, 1.1e9, 0.01
#: Columns of rows.
COLUMNS = 20


def planned(n, dim, workers, descends=False):
    """Seconds of a fit by the planner, and the number of workers that pays."""
    seconds, pays, _, _ = _native.rounds_cost(n, COLUMNS, dim, 1.0, descends, [float(w) for w in workers], FLOPS, NETWORK)
    return seconds, pays


@functools.lru_cache
def groups(n):
    """The number of groups of so many rows."""
    parts, sample = math.ceil(n / ROWS), {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    return distributed.Rounds.of_partitions(KernelRidge(), parts, sample, target="y").groups


def rounds(dim, descends):
    """The flops of a row, and the bytes of sums, in each round."""
    make = dim * (2 * COLUMNS + 40)
    slopes = [(make + 4 * dim, 8 * dim)] * 25 if descends else []
    return [(0, 8 * COLUMNS), (make + dim**2, 4 * dim**2), *slopes]


def simulated(n, dim, workers, descends=False):
    """The time of a fit: workers take groups in order, and merges before groups, on the worker that has the left side.

    A worker does one thing at a time. A task starts a while after what it needs is there; what is elsewhere is sent first.
    """
    return sum(_round(n, workers, groups(n), *work, job=8 * dim * COLUMNS) for work in rounds(dim, descends))


@functools.lru_cache
def _round(n, workers, count, flops, size, job):
    gather, send = n / count * (flops / FLOPS + 8 * COLUMNS / READING), size / NETWORK
    parents = {}

    def tree(low, high):
        if high - low > 1:
            middle = low + (high - low) // 2
            for child in ((low, middle), (middle, high)):
                parents[child] = (low, high)
                tree(*child)

    tree(0, count)
    place, missing = {}, dict.fromkeys(parents.values(), 2)
    ready, left = [[] for _ in range(workers)], list(range(count))[::-1]
    events, idle = [], set()

    def start(worker, now):
        """The next thing of a worker that has nothing to do."""
        idle.discard(worker)
        if ready[worker]:
            since, (low, high) = ready[worker].pop(0)
            middle = low + (high - low) // 2
            took = send * (place[(middle, high)] != worker)
            heapq.heappush(events, (max(now, since + LATENCY) + took, worker, (low, high)))
        elif left:
            group = left.pop()
            heapq.heappush(events, (now + gather, worker, (group, group + 1)))
        else:
            idle.add(worker)

    for worker in range(workers):
        start(worker, LATENCY + job / NETWORK)
    while events:
        now, worker, node = heapq.heappop(events)
        place[node] = worker
        if node == (0, count):
            return now + send + LATENCY
        parent = parents[node]
        missing[parent] -= 1
        if missing[parent] == 0:
            low, high = parent
            owner = place[(low, low + (high - low) // 2)]
            ready[owner].append((now, parent))
            if owner in idle:
                start(owner, now)
        start(worker, now)
    raise AssertionError("the tree has a root")


@pytest.mark.parametrize("dim", [512, 2048, 8192])
@pytest.mark.parametrize("descends", [False, True])
def test_the_planner_says_what_a_simulation_takes(dim, descends):
    for n in (1e6, 1e7, 1e8, 1e9):
        for workers in (2, 4, 16, 64, 1000):
            (expected,), _ = planned(n, dim, [workers], descends)
            found = simulated(n, dim, workers, descends)
            assert 0.6 < found / expected < 1.7, (n, dim, workers, expected, found)


def test_a_worker_alone_needs_no_network():
    for n in (1e6, 1e9):
        (alone,), _ = planned(n, 2048, [1])
        work = sum(n * (flops / FLOPS + 8 * COLUMNS / READING) for flops, _ in rounds(2048, False))
        assert abs(alone - work) < 1e-6 * work


def table():
    """The rows of the page's table: the numbers of rows and of features, and what it says about them."""
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if re.fullmatch(r"10[⁰¹²³⁴⁵⁶⁷⁸⁹]+", cells[0]):
            power = int("".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".index(digit)) for digit in cells[0][2:]))
            yield 10.0**power, int(cells[1]), cells[2:]


def written(seconds):
    """Seconds as the page has them."""
    for unit, size in (("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= 2 * size or unit == "s":
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    raise AssertionError(seconds)


def test_the_table_of_the_page_is_the_planners():
    found = list(table())
    assert len(found) >= 5
    for n, dim, cells in found:
        seconds, pays = planned(n, dim, [1, 16, 1000])
        assert cells == [*map(written, seconds), f"{pays:g}"], (n, dim, [*map(written, seconds), f"{pays:g}"])
