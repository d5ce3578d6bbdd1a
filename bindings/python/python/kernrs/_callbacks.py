"""scikit-learn's callbacks, which versions from 1.9 on have: a step of a solver is a task of the fit."""

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:
    class CallbackSupportMixin:
        """Nothing: this version of scikit-learn has no callbacks."""

    def with_callbacks(method):
        """The method itself."""
        return method


class _Enough(KeyboardInterrupt):
    """A callback wants no more steps: the fit ends with what was reached, as at Ctrl-C."""


class Steps:
    """The steps of a fit, told to the callbacks of an estimator about ten times a second."""

    @staticmethod
    def are_watched(estimator):
        """Tells whether there is anybody to tell."""
        return hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")

    def __init__(self, estimator, callback):
        self._estimator, self._callback, self._is_enough = estimator, callback, False
        self._context = estimator._init_callback_context(max_subtasks=None)
        self._context.call_on_fit_task_begin(estimator=estimator)

    def __call__(self, iteration, total, loss):
        if self._callback is not None:
            self._callback(iteration, total, loss)
        step = self._context.subcontext("step").call_on_fit_task_begin(estimator=self._estimator)
        metadata = {"iteration": iteration, "total": total, "loss": loss}
        if step.call_on_fit_task_end(estimator=self._estimator, metadata=metadata):
            self._is_enough = True
            raise _Enough

    def end(self, *, must_raise):
        """Tells that the fit has ended; Ctrl-C that nobody wants to be kept is raised."""
        if must_raise and not self._is_enough:
            raise KeyboardInterrupt
        self._context.call_on_fit_task_end(estimator=self._estimator)
