"""Settings that concern runs and not their results: threads, memory, and who watches."""

import contextlib
import contextvars
import os

from . import _native

_SETTINGS = contextvars.ContextVar("kernrs", default={"memory": None, "callback": None})


def get_config():
    """The settings of this thread: ``memory`` in bytes, and ``callback(iteration, total, loss)``."""
    return dict(_SETTINGS.get())


@contextlib.contextmanager
def config(*, memory=None, callback=None):
    """Settings for all fits inside of the ``with`` block.

    ``memory`` bounds the bytes that a fit takes beyond its data. ``callback(iteration, total, loss)`` is called about ten
    times a second; an exception that it raises ends the fit.

    >>> import kernrs
    >>> with kernrs.config(memory=2**30):
    ...     kernrs.get_config()["memory"]
    1073741824
    """
    token = _SETTINGS.set({"memory": memory, "callback": callback})
    try:
        yield
    finally:
        _SETTINGS.reset(token)


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
