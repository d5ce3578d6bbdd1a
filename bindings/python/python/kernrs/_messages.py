"""Advice in warnings and errors, by the names of parameters that an estimator has in Python."""

import contextlib

#: What takes less memory than the kernel matrix, and is there for every kernel.
_LESS = "take fewer samples, or Nystroem features with a linear learner, or allow more memory by kernrs.config"

#: Advice of the native part that names what Python does not have, and the same advice for Python.
_IN_PYTHON = {
    "SGD with the hinge loss and Storage::OnTheFly takes less": _LESS,
    "SGD with the logistic loss and Storage::OnTheFly needs none of it": _LESS,
    "SGD with Storage::OnTheFly needs none of it": _LESS,
    "RidgeSolver::ConjugateGradients needs none of it": _LESS,
    "SearchAlgorithm::Brute needs a copy of the points only": "take fewer samples, or allow more memory by kernrs.config",
    "Ridge::factor takes n² numbers for one lambda": "KernelRidge with one alpha takes less",
    "a lazy Gram matrix would fit": _LESS,
    "a blocked Gram matrix would fit": _LESS,
    "a packed Gram matrix would fit": _LESS,
    "k-means on features keeps no sums": _LESS,
    "hard clusters on features take less": "KernelKMeans takes less",
    "take fewer, or landmarks": _LESS,
    "take a diagonal metric of fewer features": "take metric='diagonal', or fewer features",
    "take fewer landmarks": "take a smaller n_components",
    "ask for variances": "take return_std",
}
_LAMBDA, _SMALLER_C = "use a larger lambda", "take a smaller C"


def advice_of(status, limit, names):
    """Return the ways out of a fit that has not converged, or None if it needs none.

    Parameters
    ----------
    status : str
        Status of the fit.
    limit : str or None
        Parameter that ends a fit before it has converged; None if reaching it is the normal end of a fit.
    names : collection of str
        Names of the parameters: no others are in the advice.
    """
    if status in ("stopped", "other"):
        return "it was interrupted" if status == "stopped" else "see the report"
    if status not in ("iterations_done", "stalled") or (status == "iterations_done" and limit is None):
        return None
    ways = ["scale the features"] if status == "stalled" else [f"increase {limit}"]
    if status == "stalled":
        ways += ["increase alpha"] if "alpha" in names else ["decrease C"] if "C" in names else []
    ways += [f"take a larger {name}" for name in ("tol", "tolerance") if name in names]
    return ("rounding prevents a more accurate result: " if status == "stalled" else "") + ", or ".join(ways)


def in_python(message, names):
    """Return a message of the native part with advice by the names of Python.

    Parameters
    ----------
    message : str
        The message.
    names : collection of str
        Names of the estimator's parameters.
    """
    for native, advice in _IN_PYTHON.items():
        message = message.replace(native, advice)
    if "alpha" in names:
        message = message.replace(_LAMBDA, "use a larger alpha")
    elif "alphas" in names:
        message = message.replace(_LAMBDA, "use larger alphas")
    elif "C" in names:
        message = message.replace(_LAMBDA, "use a smaller C")
    else:
        message = message.replace(_LAMBDA, "add white(noise=1e-6) to the kernel")
    return message if "C" in names else message.replace(f", or {_SMALLER_C}", "")


@contextlib.contextmanager
def advice_in_python(estimator):
    """Context manager that raises errors of the native part with advice by the names of an estimator's parameters."""
    try:
        yield
    except ValueError as error:
        message = in_python(str(error), estimator.get_params(deep=False))
        if message == str(error):
            raise
        raise ValueError(message) from None
