"""Peers of `kernel_kmeans`: Lloyd's algorithm on the RBF Gram matrix, from the labels that are given."""

import gram
import numpy as np


def figures(case, result):
    labels, iterations = result
    labels, x = np.asarray(labels), case.input("x").astype(np.float64)
    inertia = 0.0
    for cluster in range(case.params["k"]):
        members = x[labels == cluster]
        if len(members):
            values = gram.exact_rbf(members, members, case.params["gamma"])
            inertia += len(members) - values.sum() / len(members)
    return {"inertia": float(inertia), "iterations": float(iterations)}


def numpy_lloyd(case):
    x, start, params = case.input("x"), case.input("labels"), case.params
    k, rows, threads = params["k"], np.arange(len(x)), case.workers()

    def member(labels):
        out = np.zeros((len(labels), k), x.dtype)
        out[np.arange(len(labels)), labels] = 1
        return out

    def body():
        values = gram.symmetric_rbf(x, params["gamma"], threads)
        labels, counts = start, np.bincount(start, minlength=k)
        sums = values @ member(labels)
        for iteration in range(params["max_iterations"]):
            norms = np.bincount(labels, weights=sums[rows, labels], minlength=k) / counts**2
            # The values on the diagonal are the same for all clusters.
            new = (norms - 2 * sums / counts).argmin(1)
            moved = np.flatnonzero(new != labels)
            if not len(moved):
                break
            # Rows of the points that moved are their columns, too.
            change = member(new[moved]) - member(labels[moved])
            sums += values[moved].T @ change
            labels, counts = new, np.bincount(new, minlength=k)
        return labels, iteration

    return body


def torch_lloyd(case):
    torch = case.torch()
    x, start, params = torch.from_numpy(case.input("x")), case.input("labels"), case.params
    k, gamma, start = params["k"], params["gamma"], torch.from_numpy(start)

    def body():
        values = gram.torch_rbf(torch, x, gamma)
        diagonal, labels = values.diagonal(), start
        for iteration in range(params["max_iterations"]):
            member = torch.nn.functional.one_hot(labels, k).to(x.dtype)
            counts, sums = member.sum(0), values @ member
            norms = (member * sums).sum(0) / counts**2
            new = (diagonal[:, None] - 2 * sums / counts + norms).argmin(1)
            if bool((new == labels).all()):
                break
            labels = new
        return labels.numpy(), iteration

    return body
