"""Peers of `krr_large`: ridge regression on m landmarks that are given, RBF kernel."""

import gram
import numpy as np

CHUNK = 4000

# The loosest residual, as a share of the right-hand side, with which the error is within the bar.
RESIDUAL = 7e-3

# What makes a factorisation in double precision succeed, as a share of the diagonal's mean.
JITTER = 1e-8


def figures(case, result):
    gamma, c = case.params["gamma"], case.input("centres")
    queries = case.input("x_test")
    if callable(result):
        predicted = result(queries)
    else:
        parts = np.array_split(queries, max(1, len(queries) // CHUNK))
        predicted = np.concatenate([gram.rbf(part, c, gamma) @ result for part in parts])
    error = np.asarray(predicted, float).ravel() - case.input("y_test")
    return {"test_rmse": float(np.sqrt(np.mean(error**2)))}


def _inner(case):
    """The kernel's values between landmarks, in double precision."""
    c = case.input("centres").astype(np.float64)
    return gram.rbf(c, c.copy(), case.params["gamma"])


def scipy_normal_equations(case):
    """(K_mn K_nm + nλK_mm)a = K_mn y, chunk by chunk, of which one triangle is enough. Kernel values
    have the precision of the points; sums of products in single precision would need a jitter that
    costs too much accuracy."""
    from scipy.linalg import blas, cho_factor, cho_solve

    x, y, c, threads = case.input("x"), case.input("y"), case.input("centres"), case.workers()
    gamma, shift = case.params["gamma"], case.params["lambda"] * len(x)

    def body():
        # Fortran's order, so that sums are in place.
        a, r = np.asfortranarray(_inner(case) * shift), np.zeros(len(c))
        values = np.empty((CHUNK, len(c)), x.dtype)
        for part in gram.blocks(len(x), CHUNK):
            k = gram.tiled_rbf(x[part], c, gamma, threads, values[: part.stop - part.start])
            k = k.astype(np.float64, copy=False)
            a = blas.dsyrk(1.0, k.T, beta=1.0, c=a, overwrite_c=True, lower=True)
            r += k.T @ y[part]
        a.flat[:: len(c) + 1] += JITTER * np.trace(a) / len(c)
        factor = cho_factor(a, lower=True, overwrite_a=True, check_finite=False)
        return cho_solve(factor, r, check_finite=False)

    return body


def torch_normal_equations(case):
    """The same; products are of blocks of landmarks on and below the diagonal."""
    torch = case.torch()
    x, y, c = (torch.from_numpy(case.input(name)) for name in ("x", "y", "centres"))
    gamma, shift, m = case.params["gamma"], case.params["lambda"] * len(x), len(c)

    def body():
        a, r = torch.from_numpy(_inner(case) * shift), torch.zeros(m, dtype=torch.float64)
        left, right = gram.torch_factors(torch, x, c, gamma)
        for part in gram.blocks(len(x), CHUNK):
            k = torch.mm(left[part], right).exp_().double()
            for own in gram.blocks(m, 256):
                a[own.start :, own] += k[:, own.start :].T @ k[:, own]
            r += k.T @ y[part].double()
        diagonal = a.diagonal()
        diagonal += JITTER * diagonal.mean()
        factor = torch.linalg.cholesky_ex(a, check_errors=True)[0]
        return torch.cholesky_solve(r[:, None], factor)[:, 0].numpy()

    return body


def scipy_falkon(case):
    """Conjugate gradients with the preconditioner of Rudi, Carratino & Rosasco (2017). Kernel values
    are kept in single precision, which is enough for the bar; each step reads them once."""
    from scipy.linalg import blas, cholesky, solve_triangular

    x, y, c, threads = case.input("x"), case.input("y"), case.input("centres"), case.workers()
    gamma, shift, m = case.params["gamma"], case.params["lambda"], len(c)
    parts = gram.blocks(len(x), 128)

    def body():
        single = x.astype(np.float32, copy=False), c.astype(np.float32, copy=False)
        values = gram.tiled_rbf(*single, gamma, threads)
        targets = y.astype(np.float32, copy=False)
        inner = _inner(case)
        inner.flat[:: m + 1] += JITTER
        outer = cholesky(inner, overwrite_a=True, check_finite=False)
        own = blas.dsyrk(1.0 / m, outer)
        own.flat[:: m + 1] += shift
        own = cholesky(own, overwrite_a=True, check_finite=False)

        def solve(factor, v, trans=0):
            return solve_triangular(factor, v, trans=trans, check_finite=False)

        def moments(weights):
            """K_mn of targets that are given, or of K_nm·weights."""

            def part(rows):
                block = values[rows]
                return (targets[rows] if weights is None else block @ weights) @ block

            def some(first):
                return sum(map(part, parts[first::16]), np.zeros(m))

            sums = threads.map(some, range(16))
            return sum(sums) / len(x)

        def step(v):
            inside = solve(own, v)
            found = moments(solve(outer, inside).astype(np.float32))
            return solve(own, solve(outer, found, "T") + shift * inside, "T")

        residual = solve(own, solve(outer, moments(None), "T"), "T")
        z, direction, square = np.zeros(m), residual.copy(), residual @ residual
        enough = RESIDUAL**2 * square
        while square > enough:
            image = step(direction)
            length = square / (direction @ image)
            z += length * direction
            residual -= length * image
            square, before = residual @ residual, square
            direction = residual + square / before * direction
        return solve(outer, solve(own, z))

    return body


def falkon_fit(case):
    torch = case.torch()
    import falkon

    x, y, c = (torch.from_numpy(case.input(name)) for name in ("x", "y", "centres"))
    options = falkon.FalkonOptions(use_cpu=True, keops_active="no")
    sigma = (2 * case.params["gamma"]) ** -0.5

    def body():
        kernel = falkon.kernels.GaussianKernel(sigma=sigma, opt=options)
        # The method needs 24 steps for the bar of the case at full size.
        model = falkon.Falkon(
            kernel=kernel,
            penalty=case.params["lambda"],
            M=len(c),
            center_selection=falkon.center_selection.FixedSelector(c),
            maxiter=24,
            options=options,
        )
        model.fit(x, y[:, None])
        return lambda queries: model.predict(torch.from_numpy(queries)).numpy()

    return body


def sklearn_features(case):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge

    x, y, c = case.input("x"), case.input("y"), case.input("centres")
    features = Nystroem(gamma=case.params["gamma"], n_components=len(c), random_state=0)
    ridge = Ridge(alpha=case.params["lambda"] * len(x), fit_intercept=False, solver="cholesky")

    def body():
        # It draws as many points as it is given: all of them.
        features.fit(c)
        model = ridge.fit(features.transform(x), y)
        return lambda queries: model.predict(features.transform(queries))

    return body
