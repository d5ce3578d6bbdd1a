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
    k, rows = params["k"], np.arange(len(x))

    def body():
        values = gram.rbf(x, x.copy(), params["gamma"])
        diagonal, labels = np.diag(values).copy(), start
        for iteration in range(params["max_iterations"]):
            member = np.zeros((len(x), k), x.dtype)
            member[rows, labels] = 1
            counts, sums = member.sum(0), values @ member
            norms = (member * sums).sum(0) / counts**2
            new = (diagonal[:, None] - 2 * sums / counts + norms).argmin(1)
            if (new == labels).all():
                break
            labels = new
        return labels, iteration

    return body


def torch_lloyd(case):
    torch = case.torch()
    x, start, params = torch.from_numpy(case.input("x")), case.input("labels"), case.params
    k, gamma, start = params["k"], params["gamma"], torch.from_numpy(start)

    def body():
        squares = (x * x).sum(1)
        both = squares[None, :].add(squares[:, None])
        values = torch.addmm(both, x, x.T, beta=-gamma, alpha=2 * gamma).clamp_(max=0).exp_()
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


def tslearn_kernel_kmeans(case):
    """It starts from labels of its own."""
    from tslearn.clustering import KernelKMeans

    x, params = case.input("x"), case.params
    options = {"kernel": "rbf", "kernel_params": {"gamma": params["gamma"]}, "n_init": 1}
    options |= {"max_iter": params["max_iterations"], "random_state": 0, "n_jobs": case.threads}

    def body():
        model = KernelKMeans(n_clusters=params["k"], **options).fit(x[:, :, None])
        return model.labels_, model.n_iter_

    return body
