"""The search for the parameters of kernels of scikit-learn within their bounds."""

import re
import warnings

import numpy as np
from scipy.optimize import minimize

from ._kernels import Kernel

#: The step of a difference quotient, in logarithms of parameters.
_STEP = 1e-4
#: What a point without a likelihood is worth: large, and finite, since a line search goes on from it.
_NO_LIKELIHOOD = 1e25
#: The slope of the objective, relative to it, below which a search that gives up has found an optimum.
_FLAT = 1e-4


def white_of(kernel):
    """Split a kernel of scikit-learn into the kernel without the white noise of its sum, and that noise, or None."""
    if type(kernel).__name__ != "Sum":
        return kernel, None
    for first, second in ((kernel.k1, kernel.k2), (kernel.k2, kernel.k1)):
        if type(second).__name__ == "WhiteKernel":
            return first, second
        rest, found = white_of(first)
        if found is not None:
            return rest + second, found
    return kernel, None


class Bounded:
    """The free parameters of a kernel of scikit-learn, and the variance of the noise of its WhiteKernel and of alpha.

    Parameters
    ----------
    kernel : kernel of scikit-learn
        The kernel, with bounds for its parameters.
    known : float, default=0.0
        The variance alpha.
    learns : bool, default=False
        Learns alpha, too, starting at ``known``.
    """

    def __init__(self, kernel, known=0.0, learns=False):
        self._kernel, self._known, self._learns = kernel, known, learns
        self.start, self.bounds = kernel.theta, np.asarray(kernel.bounds, dtype=np.float64).reshape(-1, 2)
        if learns:
            # As wide as the native search has them.
            start = np.log(known)
            self.start = np.append(self.start, start)
            self.bounds = np.vstack([self.bounds, [min(np.log(1e-5), start), max(np.log(1e5), start)]])
        self.start = np.clip(self.start, *self.bounds.T)

    @property
    def is_free(self):
        """bool: whether there is anything to learn."""
        return len(self.start) > 0

    def at(self, theta):
        """Formula, variance of all noise, and alpha, at logarithms of the free parameters."""
        own = len(theta) - self._learns
        known = float(np.exp(theta[-1])) if self._learns else self._known
        with warnings.catch_warnings():
            # Of bounds that are close, which is what they are for.
            warnings.simplefilter("ignore")
            plain, white = white_of(self._kernel.clone_with_theta(theta[:own]))
        return Kernel.from_sklearn(plain).formula, known + (0.0 if white is None else float(white.noise_level)), known

    def hull(self):
        """Smallest and largest native parameter within the bounds; None if a native search could violate them.

        That is so where some parameter is fixed, or a DotProduct squares one.
        """
        kernel = white_of(self._kernel)[0]
        if any(part.fixed for part in kernel.hyperparameters) or "DotProduct" in repr(kernel):
            return None
        (low, noise_low, _), (high, noise_high, _) = (self.at(end) for end in self.bounds.T)
        ends = [(a, b) for a, b in zip(_numbers(low), _numbers(high)) if a != b] + [(noise_low, noise_high)] * (noise_low < noise_high)
        # A native search needs a range.
        return (min(map(min, ends)), max(map(max, ends))) if ends else None

    def has(self, formula, noise):
        """Whether parameters that a native search has found are within the bounds."""
        (low, noise_low, _), (high, noise_high, _) = (self.at(end) for end in self.bounds.T)
        low, high, found = (np.array([*_numbers(text), value]) for text, value in
                            ((low, noise_low), (high, noise_high), (formula, noise)))
        if not len(low) == len(high) == len(found):
            return False
        slack = 1 + 1e-9
        return bool(np.all((np.minimum(low, high) <= found * slack) & (found <= np.maximum(low, high) * slack)))


def search(bounded, likelihood, restarts, seed, spread=50.0, most=200):
    """Maximise the likelihood over logarithms of the parameters, within their bounds.

    The likelihood has no native gradient in the parameters of scikit-learn's kernels, so difference quotients take its
    place.

    Returns
    -------
    theta, iterations, status : ndarray, int, str
        The best parameters, the iterations of all searches, and the status in the words of a report.
    """
    def objective(theta):
        try:
            return -likelihood(theta)
        except ValueError:
            return _NO_LIKELIHOOD

    def slope(theta):
        steps = _STEP * np.eye(len(theta))
        return np.array([(objective(theta + step) - objective(theta - step)) / (2 * _STEP) for step in steps])

    # The error of a start that has no likelihood is for the caller.
    likelihood(bounded.start)
    rng, best, iterations = np.random.default_rng(seed), None, 0
    low, high = bounded.bounds.T
    for number in range(restarts + 1):
        start, reach = bounded.start, np.log(spread)
        if number > 0:
            start = rng.uniform(np.maximum(low, start - reach), np.minimum(high, start + reach))
        found = minimize(objective, start, jac=slope, method="L-BFGS-B", bounds=bounded.bounds,
                         options={"maxiter": most, "ftol": 2e-9})
        # SciPy reports no iterations if the bounds fix all parameters.
        iterations += int(found.get("nit", 0))
        if best is None or found.fun < best.fun:
            best = found
    return best.x, iterations, _status(best, bounded.bounds)


def _status(found, bounds):
    """The status of a search, in the words of a native report."""
    if found.get("status", 0) < 2:
        return "converged" if found.get("status", 0) == 0 else "iterations_done"
    # Round-off ends a line search where the slope is nothing but that.
    inner = np.clip(found.x - found.jac, *bounds.T) - found.x
    return "converged" if np.max(np.abs(inner), initial=0.0) <= _FLAT * max(1.0, abs(found.fun)) else "stalled"


def _numbers(formula):
    """The values in a formula, in their order; digits in names do not count."""
    return [float(text) for text in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])", formula)]
