"""Peers of `gp_likelihood`: the marginal likelihood and its gradient in the logarithms of all parameters."""

import gram
import numpy as np


def figures(case, result):
    value, gradient = result
    reference = case.input("reference")
    error = np.linalg.norm(gradient - reference[1:]) / np.linalg.norm(reference[1:])
    return {
        "value": float(value),
        "value_error": float(abs(value / reference[0] - 1)),
        "gradient_error": float(error),
    }


def sklearn_likelihood(case):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    x, y, params = case.input("x"), case.input("y"), case.params
    scales = (2 * np.array(params["gamma"])) ** -0.5
    kernel = ConstantKernel(params["variance"]) * RBF(scales) + WhiteKernel(params["noise"])
    # What a fit would add to the diagonal is in the noise.
    process = GaussianProcessRegressor(kernel, alpha=0, optimizer=None).fit(x, y)
    theta = process.kernel_.theta

    def body():
        value, gradient = process.log_marginal_likelihood(
            theta, eval_gradient=True, clone_kernel=False
        )
        # ln γ = −2 ln ℓ − ln 2.
        gradient[1:-1] *= -0.5
        return value, gradient

    return body


def scipy_likelihood(case):
    """The formulas of a textbook, with one inverse, and one product for the gradient in all widths."""
    from scipy.linalg import lapack

    x, y, params, threads = case.input("x"), case.input("y"), case.params, case.workers()
    gamma, variance, noise = np.array(params["gamma"]), params["variance"], params["noise"]
    n, scaled = len(x), x * np.sqrt(gamma)

    def body():
        # Factorisation and inverse read and write one triangle, which Fortran takes for the lower one.
        values = gram.symmetric_rbf(scaled, 1.0, threads, mirrored=False)
        values *= variance
        covariance = values.copy()
        covariance.flat[:: n + 1] += noise
        factor, failed = lapack.dpotrf(covariance.T, lower=True, clean=False, overwrite_a=True)
        assert not failed
        alpha = lapack.dpotrs(factor, y, lower=True)[0]
        value = -0.5 * y @ alpha - np.log(factor.diagonal()).sum() - 0.5 * n * np.log(2 * np.pi)
        inverse = lapack.dpotri(factor, lower=True, overwrite_c=True)[0].T

        def part(rows):
            # The rows of the symmetric matrix ½(ααᵀ − C⁻¹)∘K on and right of the diagonal, doubled there.
            height = rows.stop - rows.start
            tile = np.multiply.outer(alpha[rows], alpha[rows.start :])
            tile -= inverse[rows, rows.start :]
            tile *= values[rows, rows.start :]
            corner = tile[:, :height]
            corner[np.tril_indices(height, -1)] = 0
            tile[np.arange(height), np.arange(height)] *= 0.5
            own, others = tile.sum(1), tile.sum(0)
            here, rest = scaled[rows], scaled[rows.start :]
            squares = own @ (here * here) + others @ (rest * rest)
            return own.sum(), squares - 2 * np.einsum("ik,ik->k", here, tile @ rest)

        parts = threads.map(part, gram.blocks(n, 256))
        weights, widths = (sum(found) for found in zip(*parts))
        diagonal = alpha @ alpha - inverse.diagonal().sum()
        return value, np.r_[weights, -widths, 0.5 * noise * diagonal]

    return body


def gpytorch_likelihood(case):
    torch = case.torch()
    import gpytorch

    class Process(gpytorch.models.ExactGP):
        def __init__(self, x, y, likelihood):
            super().__init__(x, y, likelihood)
            self.mean_module = gpytorch.means.ZeroMean()
            rbf = gpytorch.kernels.RBFKernel(ard_num_dims=x.shape[1])
            self.covar_module = gpytorch.kernels.ScaleKernel(rbf)

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    params = case.params
    x, y = torch.from_numpy(case.input("x")), torch.from_numpy(case.input("y"))
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    process = Process(x, y, likelihood).double()

    # A plain number would be rounded to single precision on its way to a parameter.
    def double(value):
        return torch.tensor(value, dtype=torch.float64)

    process.covar_module.outputscale = double(params["variance"])
    process.covar_module.base_kernel.lengthscale = (2 * double(params["gamma"])) ** -0.5
    likelihood.noise = double(params["noise"])
    process.train()
    objective = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, process)

    def logarithmic(raw, value):
        """The derivative in ln θ, of θ = softplus(raw) + a bound."""
        return (raw.grad / torch.sigmoid(raw) * value).detach().numpy().ravel()

    def body():
        process.zero_grad()
        exact = gpytorch.settings.fast_computations(
            covar_root_decomposition=False, log_prob=False, solves=False
        )
        with exact, gpytorch.settings.max_cholesky_size(10 * len(x)):
            value = objective(process(x), y) * len(x)
            value.backward()
        covariance, noise = process.covar_module, likelihood.noise_covar
        parts = [
            logarithmic(covariance.raw_outputscale, covariance.outputscale),
            -0.5 * logarithmic(
                covariance.base_kernel.raw_lengthscale, covariance.base_kernel.lengthscale
            ),
            logarithmic(noise.raw_noise, noise.noise),
        ]
        return value.item(), np.concatenate(parts)

    return body
