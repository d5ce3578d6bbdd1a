"""Engines that do the tasks of a round: this process, an executor, or a cluster of Dask."""

import os
import queue
import uuid
import weakref
from dataclasses import dataclass
from typing import Any

from . import _native
from ._ranks import Ranks
from ._tasks import NEEDS_DASK, VersionError, gather, gather_tables, tree, version


@dataclass
class Round:
    """The work of a round: its task, the number of groups, the memory of each, and the partitions if the caller holds them."""

    task: bytes
    groups: int
    memory: int | None
    #: The delayed partitions of each group; None for files.
    tables: list[list[Any]] | None = None


def engine_of(client):
    """The engine of what was given as the client."""
    if client is None:
        return Here()
    if type(client).__module__.split(".")[0] == "distributed":
        return Cluster(client)
    if hasattr(client, "bcast") and hasattr(client, "Get_rank"):
        return Ranks(client)
    if hasattr(client, "submit"):
        return Pool(client)
    raise TypeError("client must be None, a client of dask.distributed, an executor with submit, or a communicator of "
                    f"mpi4py, got {client!r}")


class Here:
    """This process."""

    def sums(self, work, done):
        """The sums of all groups; ``done`` is told about each."""
        def leaf(group):
            if work.tables is None:
                sums = gather(work.task, group, memory=work.memory)
            else:
                import dask
                tables = dask.compute(*work.tables[group], scheduler="threads")
                sums = gather_tables(work.task, group, tables, memory=work.memory)
            done(group)
            return sums
        return tree(0, work.groups, leaf)

    def map(self, function, shared, items):
        """The results of a function of what all share and of each item, in order."""
        return (function(shared, _computed(item)) for item in items)


class Pool:
    """An executor, as those of ``concurrent.futures``: sums are merged by the driver, and few wait for it at a time."""

    def __init__(self, executor):
        self._executor = executor
        self._ahead = 2 * (getattr(executor, "_max_workers", None) or os.cpu_count() or 1)

    def sums(self, work, done):
        """The sums of all groups; ``done`` is told about each."""
        if work.tables is not None:
            raise TypeError(NEEDS_DASK)
        found = self._submitted(lambda group: (gather, (work.task, group), {"memory": work.memory}), range(work.groups))

        def leaf(group):
            sums = next(found)
            done(group)
            return sums
        return tree(0, work.groups, leaf)

    def map(self, function, shared, items):
        """The results of a function of what all share and of each item, in order."""
        if any(hasattr(part, "__dask_graph__") for _, part in items):
            raise TypeError(NEEDS_DASK)
        return self._submitted(lambda item: (function, (shared, item), {}), items)

    def _submitted(self, call, items):
        """Results in order, of calls that run some steps ahead."""
        waiting, items = [], iter(items)
        try:
            while True:
                for item in items:
                    function, given, named = call(item)
                    waiting.append(self._executor.submit(function, *given, **named))
                    if len(waiting) >= self._ahead:
                        break
                if not waiting:
                    return
                yield waiting.pop(0).result()
        finally:
            for future in waiting:
                future.cancel()


class Cluster:
    """A cluster of Dask. A round is a graph of pure tasks, so what a lost worker had is computed again by others."""

    def __init__(self, client):
        self._client = client
        if getattr(client, "asynchronous", False):
            raise TypeError("the client is asynchronous: make one without asynchronous=True")
        self._check_versions()

    def _check_versions(self):
        """Refuses workers with another version of the package, or without it; those that come later are refused by the task."""
        # By value, since the other version may have nothing of this one.
        found = self._client.run(lambda: str(__import__("kernrs").__version__), on_error="return")
        others = [f"{worker} has {known if isinstance(known, str) else f'none ({known})'}"
                  for worker, known in sorted(found.items()) if known != version()]
        if others:
            raise VersionError(f"the driver has kernrs {version()}, and of the workers {'; '.join(others)}: "
                               "sums of two versions must not be added")

    def sums(self, work, done):
        """The sums of all groups; ``done`` is told about each."""
        name, events, alive = f"kernrs-{uuid.uuid4().hex}", queue.SimpleQueue(), weakref.WeakSet()

        def submit(function, *given, **named):
            future = self._client.submit(function, *given, **named, pure=False)
            alive.add(future)
            return future

        # A task as all others: who has lost it gets it again.
        task = self._held(submit, work.task, f"{name}-task")
        leaves = None if work.tables is None else self._of_tables(task, work, name)

        def leaf(group):
            if leaves is None:
                found = submit(gather, task, group, memory=work.memory, key=f"{name}-group-{group}")
            else:
                found, leaves[group] = leaves[group], None
                alive.add(found)
            found.add_done_callback(lambda _: events.put(group))
            return found

        def join(left, right):
            # Before other groups, so that few sums wait in the memory of workers.
            return submit(_native.merge, left, right, key=f"{name}-merge-{uuid.uuid4().hex}", priority=1)

        try:
            # Nothing else refers to the futures of groups: the cluster drops their sums when they are merged.
            root = tree(0, work.groups, leaf, join)
            root.add_done_callback(lambda _: events.put(None))
            self._watch(events, done)
            return root.result()
        except BaseException:
            # What has not begun is not done.
            for future in list(alive):
                future.release()
            raise

    def _watch(self, events, done):
        """Waits for the root, which is told as None."""
        while True:
            try:
                group = events.get(timeout=5)
            except queue.Empty:
                if self._client.status not in ("running", "connecting", "newly-created"):
                    raise ConnectionError("the client has lost the scheduler of Dask; with checkpoint= the fit goes on later") from None
                continue
            if group is None:
                return
            done(group)

    def _held(self, submit, task, key):
        import dask
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TiB"}):
            return submit(_same, task, key=key)

    def _of_tables(self, task, work, name):
        """The futures of groups of partitions that Dask holds, or computes in each round."""
        import dask
        lazy = dask.delayed(_gather_lists, pure=False)
        return self._client.compute([lazy(task, group, tables, work.memory, dask_key_name=f"{name}-group-{group}")
                                     for group, tables in enumerate(work.tables)])

    def map(self, function, shared, items):
        """The results of a function of what all share and of each item, in order."""
        import dask
        held = self._held(lambda *given, **named: self._client.submit(*given, **named, pure=False), shared, f"kernrs-{uuid.uuid4().hex}")
        lazy = dask.delayed(function, pure=False)
        futures = self._client.compute([lazy(held, item) for item in items])
        try:
            while futures:
                yield futures.pop(0).result()
        finally:
            for future in futures:
                future.release()


def _computed(item):
    """A numbered part, or a numbered partition that is computed here."""
    place, part = item
    return (place, part.compute(scheduler="threads")) if hasattr(part, "__dask_graph__") else item


def _same(task):
    return task


def _gather_lists(task, group, tables, memory):
    return gather_tables(task, group, tables, memory=memory)
