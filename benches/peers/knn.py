"""Peers of `knn`: the k nearest neighbours of each query, exactly; the fit is not in the time."""

import numpy as np


def figures(case, result):
    x, queries = case.input("x").astype(np.float64), case.input("queries").astype(np.float64)
    found, k = np.asarray(result), case.params["k"]
    hits, checked = 0, case.input("check")
    for query in checked:
        distances = ((x - queries[query]) ** 2).sum(1)
        nearest = np.argsort(distances, kind="stable")[:k]
        hits += len(set(nearest) & set(found[query]))
    return {"recall": hits / (k * len(checked))}


def _brute(estimator, case):
    model = estimator(n_neighbors=case.params["k"], algorithm="brute").fit(case.input("x"))
    queries = case.input("queries")
    return lambda: model.kneighbors(queries, return_distance=False)


def intelex_brute(case):
    from sklearnex.neighbors import NearestNeighbors

    return _brute(NearestNeighbors, case)


def sklearn_brute(case):
    from sklearn.neighbors import NearestNeighbors

    return _brute(NearestNeighbors, case)


def torch_topk(case):
    torch = case.torch()
    x, queries = (torch.from_numpy(case.input(name)) for name in ("x", "queries"))
    norms, k, rows = (x * x).sum(1)[None, :], case.params["k"], 256

    def body():
        blocks = (queries[i : i + rows] for i in range(0, len(queries), rows))
        distances = (torch.addmm(norms, block, x.T, alpha=-2) for block in blocks)
        return torch.vstack([torch.topk(d, k, dim=1, largest=False)[1] for d in distances])

    return body


def faiss_flat(case):
    import faiss

    faiss.omp_set_num_threads(case.threads)
    x, queries, k = case.input("x"), case.input("queries"), case.params["k"]
    index = faiss.IndexFlatL2(x.shape[1])
    index.add(x)
    return lambda: index.search(queries, k)[1]
