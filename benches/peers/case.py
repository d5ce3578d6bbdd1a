"""A case as the runner describes it: names, parameters, and inputs in files."""

import dataclasses
import json
import os
import pathlib

import numpy as np


@dataclasses.dataclass(frozen=True)
class Case:
    """One variant of a task in a number type."""

    folder: pathlib.Path
    task: str
    variant: str
    dtype: str
    threads: int
    params: dict

    @staticmethod
    def load(folder):
        folder = pathlib.Path(folder)
        return Case(folder=folder, **json.loads((folder / "case.json").read_text()))

    def limit_threads(self):
        """Environment variables bind most libraries; this binds the others, too."""
        if hasattr(os, "sched_setaffinity"):
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, cores[: self.threads])

    def input(self, name):
        """An input."""
        return np.load(self.folder / f"{name}.npy")

    def size(self):
        """The numbers of points and features, of dense rows or of sparse ones."""
        if "dim" in self.params:
            return len(self.input("starts")) - 1, int(self.params["dim"])
        return self.input("x").shape

    def memory(self, shape):
        """A function that gives memory for a result: fresh or written before, as the variant says."""
        dtype = self.input("x").dtype
        if "fresh" in self.variant:
            return lambda: np.empty(shape, dtype)
        memory = np.zeros(shape, dtype)
        return lambda: memory

    def workers(self):
        """Threads for parts of the work, with a BLAS of one thread each."""
        import gram

        return gram.Threads(self.threads)

    def torch(self):
        """The package torch, with the right number of threads."""
        import torch

        torch.set_num_threads(self.threads)
        return torch

    def row(self, implementation, peak_mib, note):
        """The row of a report, without times and figures."""
        n, d = self.size()
        return {
            "task": self.task,
            "impl": implementation,
            "variant": self.variant,
            "dtype": self.dtype,
            "n": n,
            "d": d,
            "threads": self.threads,
            "params": self.params,
            "peak_rss_mib": peak_mib,
            "limit": None,
            "note": note,
        }
