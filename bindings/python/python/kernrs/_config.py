"""Settings that concern runs and not their results: threads, memory, and who watches."""

import contextlib
import contextvars
import os

from . import _native
from ._parameters import checked

_SETTINGS = contextvars.ContextVar("kernrs", default={"memory": None, "callback": None, "interrupt": "raise"})


def get_config():
    """The settings of this thread: ``memory`` in bytes, ``callback(iteration, total, loss)``, and ``interrupt``."""
    return dict(_SETTINGS.get())


@contextlib.contextmanager
def config(*, memory=None, callback=None, interrupt="raise"):
    """Settings for all fits inside of the ``with`` block.

    ``memory`` bounds the bytes that a fit takes beyond its data. ``callback(iteration, total, loss)`` is called about ten
    times a second; an exception that it raises ends the fit. Ctrl-C ends a fit, too: with ``interrupt="raise"`` by an
    exception, with ``interrupt="keep"`` the estimator has what was reached, and a warning says so.

    >>> import kernrs
    >>> with kernrs.config(memory=2**30):
    ...     kernrs.get_config()["memory"]
    1073741824
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
    """A bar of tqdm for all fits inside of the ``with`` block: one that is given, or one that suits where this runs.

    ``settings`` are those of :func:`config`. A search shows its fits, a solver its iterations.

    >>> import io, kernrs, tqdm
    >>> with kernrs.progress(tqdm.tqdm(file=io.StringIO())) as bar:
    ...     model = kernrs.SVC().fit([[0.0], [1.0]], [0, 1])
    """
    if bar is None:
        from tqdm.auto import tqdm
        bar = tqdm()

    def show(iteration, total, loss):
        bar.total = total
        bar.n = iteration
        bar.set_postfix(loss=f"{loss:.6g}", refresh=False)
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
