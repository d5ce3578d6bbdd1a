"""Settings that concern runs and not their results: threads, memory, and callbacks."""

import contextlib
import contextvars
import os

from . import _native
from ._validation import checked

_SETTINGS = contextvars.ContextVar("kernrs", default={"memory": None, "callback": None, "interrupt": "raise"})


def get_config():
    """Returns the current settings.

    Returns
    -------
    settings : dict
        ``memory`` in bytes or None, ``callback`` or None, and ``interrupt``, as :func:`config` has set them in this
        thread or context; a copy.

    See Also
    --------
    config : Sets them.

    Examples
    --------
    >>> import kernrs
    >>> kernrs.get_config()
    {'memory': None, 'callback': None, 'interrupt': 'raise'}
    """
    return dict(_SETTINGS.get())


@contextlib.contextmanager
def config(*, memory=None, callback=None, interrupt="raise"):
    """Context manager for the settings of all fits inside of the ``with`` block.

    The settings concern memory, progress and interrupts, not results: they are those of this thread or context, and the
    previous ones come back after the block. What is not given has its default, also within another block.

    Parameters
    ----------
    memory : int or None, default=None
        The bytes that a fit may take beyond its data, >= 0. None is 80 % of the memory that is free, which takes the
        limits of containers into account. Work that does not fit raises ValueError before it begins; some learners take
        a slower way that fits.
    callback : callable or None, default=None
        Called as ``callback(iteration, total, loss, violation=v, tolerance=t, fraction=f)`` about ten times a second; an
        exception that it raises ends the fit. A callback that needs only the first three takes ``**more`` as well.
        ``violation`` is what the stopping rule of a solver compares with ``tolerance``, such as the largest violation of
        the optimality conditions of an SVM; both are None for solvers without such a rule. ``fraction`` is the
        completed fraction of the fit, from 0 to 1, as estimated from the violation, or else iteration/total; None if
        there is no estimate.
    interrupt : {"raise", "keep"}, default="raise"
        What Ctrl-C does: "raise" ends the fit by KeyboardInterrupt; "keep" ends it with the model that was reached, and
        a ConvergenceWarning.

    Yields
    ------
    None
        Nothing; :func:`get_config` returns the settings.

    Raises
    ------
    ValueError
        If a setting is not allowed.

    See Also
    --------
    get_config : Returns the settings.
    progress : Shows a bar of tqdm.

    Notes
    -----
    The number of threads is not a setting: fits take all cores, or as many threads as ``OMP_NUM_THREADS`` or
    ``RAYON_NUM_THREADS`` said when kernrs was imported, with the same bits for any number. Ctrl-C is noticed between
    steps; a step that is one factorisation is finished first.

    Examples
    --------
    >>> import kernrs
    >>> with kernrs.config(memory=2**30):
    ...     kernrs.get_config()["memory"]
    1073741824

    A fit that does not fit:

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> with kernrs.config(memory=1000):
    ...     try:
    ...         kernrs.gram("rbf", X)
    ...     except ValueError as error:
    ...         print(str(error).split(";")[0])
    an array of kernel values needs 180000 bytes, the memory budget is 1000
    """
    if interrupt not in ("raise", "keep"):
        raise ValueError(f"interrupt must be 'raise' or 'keep', got {interrupt!r}")
    checked("memory", memory)
    token = _SETTINGS.set({"memory": None if memory is None else int(memory), "callback": callback, "interrupt": interrupt})
    try:
        yield
    finally:
        _SETTINGS.reset(token)


@contextlib.contextmanager
def progress(bar=None, **settings):
    """Context manager that shows a bar of tqdm for all fits inside of the ``with`` block.

    A search shows its fits, a solver its iterations, and :func:`kernrs.distributed.fit` its groups, each with the loss.
    For solvers that end at a tolerance, the bar shows the estimated per cent of the fit, and the violation.

    Parameters
    ----------
    bar : tqdm.tqdm or None, default=None
        The bar, which is closed after the block. None is a new one that suits where this runs, a terminal or a
        notebook; it needs the package tqdm.
    **settings : dict
        ``memory`` and ``interrupt`` of :func:`config`.

    Yields
    ------
    bar : tqdm.tqdm
        The bar.

    See Also
    --------
    config : Takes any callback.

    Examples
    --------
    >>> import io, kernrs, tqdm
    >>> with kernrs.progress(tqdm.tqdm(file=io.StringIO())) as bar:
    ...     model = kernrs.SVC().fit([[0.0], [1.0]], [0, 1])
    """
    if bar is None:
        from tqdm.auto import tqdm
        bar = tqdm()

    def show(iteration, total, loss, *, violation=None, tolerance=None, fraction=None):
        shown = {"loss": f"{loss:.6g}"}
        if violation is not None:
            # The total is a limit that most fits do not come near.
            iteration, total = round(100 * (fraction or 0.0)), 100
            shown["violation"] = f"{violation:.1e} of {tolerance:.0e}"
        bar.total = total
        bar.n = iteration
        bar.set_postfix(shown, refresh=False)
        bar.refresh()

    with bar, config(callback=show, **settings):
        yield bar


def _threads():
    """The least of what the variables of the environment and the processor allow.

    joblib's workers are given theirs in OMP_NUM_THREADS, so they do not take more threads than there are cores.
    """
    given = (os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"))
    known = [int(number) for number in given if number.isdigit() and int(number) > 0]
    return min([*known, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1])


if os.environ.get("OMP_NUM_THREADS"):
    _native.set_threads(_threads())
if hasattr(os, "register_at_fork"):
    # The threads of the parent are not there in the child, which would wait for them.
    os.register_at_fork(after_in_child=lambda: _native.after_fork(_threads()))
