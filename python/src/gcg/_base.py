"""What all estimators share: how a fit is run, and what it leaves."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from ._bridge import File, Interrupted, Outcome, call, threads
from ._model import Floats, Model


@dataclass(frozen=True)
class Certificate:
    """How far the fitted model can be from the optimum at most.

    Attributes
    ----------
    objective : float
        Loss plus penalty of the fitted model.
    lower_bound : float
        No model has a smaller objective than this; -inf where a run was interrupted before any bound.
    gap : float
        ``objective - lower_bound``.
    relative_gap : float
        The gap over the size of the objective: what ``tol`` is compared with.
    kind : str
        "proven", or "probable" where the bound holds but with a tiny probability.
    """

    objective: float
    lower_bound: float
    gap: float
    relative_gap: float
    kind: str = "proven"


Fit = TypeVar("Fit", bound=Callable[..., Any])

# What a parameter may be, in scikit-learn's form, whose words an error has then.
Constraints = dict[str, list[Any]]
POSITIVE = Interval(Real, 0, None, closed="neither")
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
COUNT = Interval(Integral, 1, None, closed="left")


def checked(fit: Fit) -> Fit:
    """A fit that refuses parameters of no use before it looks at the data."""
    return cast(Fit, _fit_context(prefer_skip_nested_validation=True)(fit))


class GCGEstimator(BaseEstimator):  # type: ignore[misc]
    """Runs the command and keeps what it says. The estimators are made of it."""

    _parameter_constraints: ClassVar[Constraints] = {
        "lam": [StrOptions({"auto"}), POSITIVE],
        "tol": [POSITIVE],
        "max_iter": [COUNT, None],
        "max_time": [POSITIVE, None],
        "max_rank": [COUNT, None],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    lam: float | str
    tol: float
    max_iter: int | None
    max_time: float | None
    warm_start: bool
    n_jobs: int | None
    random_state: Any
    verbose: bool | int

    certificate_: Certificate
    n_iter_: int
    status_: str
    lam_: float

    def _arguments(self, lam: float | str | None = None) -> list[str]:
        """The flags of the parameters that all estimators have, with these λ."""
        lam = self.lam if lam is None else lam
        arguments: list[str] = []
        if lam != "auto":
            arguments += [f"--lambda={float(lam)!r}"]
        arguments += [f"--tol={float(self.tol)!r}"]
        if self.max_iter is not None:
            arguments += [f"--max-iter={int(self.max_iter)}"]
        if self.max_time is not None:
            arguments += [f"--max-time={float(self.max_time):f}s"]
        seed = 1
        if self.random_state is not None:
            seed = (
                int(self.random_state)
                if isinstance(self.random_state, (int, np.integer))
                else int(check_random_state(self.random_state).randint(1, 2**31 - 1))
            )
        return [*arguments, f"--seed={seed}"]

    def _call(self, arguments: Sequence[str], files: Sequence[File]) -> Outcome:
        """Runs the command and keeps the certificate. After Ctrl-C what was found is kept before the exception goes on."""
        files = list(files)
        warm = getattr(self, "_model", None)
        if self.warm_start and warm is not None and self._warms(warm):
            files.append(File("warm", warm.data, "the model to start from"))
        try:
            outcome = call(arguments, files, processors=threads(self.n_jobs), verbose=bool(self.verbose))
        except Interrupted as stopped:
            if stopped.outcome is not None and stopped.outcome.model is not None:
                self._certify(stopped.outcome)
                self._keep(stopped.outcome)
            raise KeyboardInterrupt from None
        self._certify(outcome)
        self._keep(outcome)
        return outcome

    def _warms(self, warm: Model) -> bool:
        return True

    def _keep(self, outcome: Outcome) -> None:
        """Sets the fitted attributes."""
        raise NotImplementedError

    def _certify(self, outcome: Outcome) -> None:
        model, result = outcome.model, outcome.result
        assert model is not None
        said: dict[str, Any] = {**model.info, **(result if isinstance(result, dict) else {})}
        self._model = model
        self.result_ = result
        self.history_ = outcome.trace
        objective = float(said["objective"])
        bound = float(said["lower_bound"]) if said.get("lower_bound") is not None else -math.inf
        relative = float(said["relative_gap"]) if said.get("relative_gap") is not None else math.inf
        self.certificate_ = Certificate(objective, bound, objective - bound, relative, said.get("certificate") or "proven")
        self.dual_gap_ = self.certificate_.gap
        self.n_iter_ = max(1, int(said.get("iterations", 0)))
        self.status_ = str(said.get("status", "converged"))
        self.rank_ = int(said.get("rank", len(model.s)))
        self.lam_ = float(said.get("lambda", 0.0))
        self._tried(result if isinstance(result, list) else said.get("tried") or [])
        if self.status_ != "converged" and not relative <= self.tol:
            warnings.warn(
                f"{type(self).__name__} stopped ({self.status_.replace('_', ' ')}) at a relative gap of "
                f"{relative:.3g}, above tol={self.tol:g}: raise max_iter or max_time, or tol",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _tried(self, path: Sequence[dict[str, Any]]) -> None:
        """Keeps the curve by which λ was chosen."""
        for name in ("lambdas_", "mse_path_", "score_path_", "score_name_", "lam_min_", "lam_1se_"):
            self.__dict__.pop(name, None)
        if not path:
            return
        self.lambdas_: Floats = np.array([t["lambda"] for t in path], dtype=float)
        for t in path:
            for rule in t.get("selected", []):
                setattr(self, f"lam_{rule}_", float(t["lambda"]))
        if all("rmse" in t for t in path):
            self.mse_path_: Floats = np.array([t["rmse"] for t in path], dtype=float) ** 2
        for name in ("deviance", "pinball", "rmse", "log_loss", "error", "accuracy", "ndcg", "held_loss", "value"):
            if all(name in t for t in path):
                self.score_name_ = name.replace("_", " ")
                self.score_path_: Floats = np.array([t[name] for t in path], dtype=float)
                return
        known = {"lambda", "relative_gap", "rank", "nonzeros", "iterations", "seconds", "standard_error"}
        for name, value in path[0].items():
            if name not in known and isinstance(value, (int, float)) and all(name in t for t in path):
                self.score_name_ = name.replace("_", " ")
                self.score_path_ = np.array([t[name] for t in path], dtype=float)
                return


def sparse_arrays(X: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a sparse matrix as the command reads them: those of CSR."""
    X = sparse.csr_array(X)
    X.sum_duplicates()
    return {
        "indptr": X.indptr,
        "indices": X.indices,
        "data": X.data,
        "shape": np.array(X.shape, dtype=np.int64),
    }


def features(X: Any) -> Any:
    """Features as they are handed over: the array itself, or the arrays of CSR."""
    return sparse_arrays(X) if sparse.issparse(X) else np.asarray(X)
