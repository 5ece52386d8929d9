"""A table with missing entries to a full one."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import (
    _check_feature_names_in,
    check_is_fitted,
    validate_data,
)

from ._base import Constraints, GCGEstimator, checked
from ._bridge import File, Outcome
from ._model import Floats


class LowRankImputer(OneToOneFeatureMixin, TransformerMixin, GCGEstimator):  # type: ignore[misc]
    r"""Fill in missing entries by a matrix of low rank.

    Columns are centred and scaled by what is known of them. Of the table X so treated, known at the entries Ω,

    .. math:: \tfrac12 \sum_{ij \in \Omega} (W_{ij} - X_{ij})^2 + \lambda \|W\|_*

    is minimised. A row x, of the table or a new one, is filled in by its part u of W = U Vᵀ, which minimises
    ½ Σ (uᵀv_j - x_j)² + λ/2 ‖u‖² over its known entries. Entries that are known stay as they are.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0 of the trace norm beside the sum of squares of the scaled table. "auto" takes a path and what predicts
        held-out entries best.
    scale : bool, default=True
        Divide columns by their standard deviations first.
    max_rank : int, default=None
        The rank at most; None is no limit, and with one there is no certificate of the whole problem.
    missing_values : float, default=nan
        What stands for a missing entry.
    keep_empty_features : bool, default=False
        Fill columns without any known entry with 0, instead of leaving them out.
    tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`; ``tol`` is 1e-5 by default.

    Attributes
    ----------
    components_ : ndarray of shape (rank_, n_known_features)
        Vᵀ, of the scaled columns.
    mean_, scale_ : ndarrays of shape (n_known_features,)
        What was taken off, and divided by.
    rank_ : int
        The rank of W.
    lam_, lambdas_, mse_path_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`; errors are of the scaled table.

    See Also
    --------
    sklearn.impute.IterativeImputer : one regression for each column.

    Examples
    --------
    >>> import numpy as np
    >>> from gcg import LowRankImputer
    >>> rng = np.random.default_rng(0)
    >>> full = 5 + rng.normal(size=(60, 2)) @ rng.normal(size=(2, 10))
    >>> X = np.where(rng.random(full.shape) < 0.2, np.nan, full)
    >>> model = LowRankImputer().fit(X)
    >>> filled = model.transform(X)
    >>> bool(np.abs(filled - full).mean() < 0.03)
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "scale": ["boolean"],
        "missing_values": [Real],
        "keep_empty_features": ["boolean"],
    }

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        scale: bool = True,
        max_rank: int | None = None,
        missing_values: float = np.nan,
        keep_empty_features: bool = False,
        tol: float = 1e-5,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.scale = scale
        self.max_rank = max_rank
        self.missing_values = missing_values
        self.keep_empty_features = keep_empty_features
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _table(self, X: Any, reset: bool) -> tuple[Floats, NDArray[np.bool_]]:
        """The table, and where it is known."""
        marks_nan = isinstance(self.missing_values, float) and bool(np.isnan(self.missing_values))
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if marks_nan else True,
        )
        return X, ~np.isnan(X) if marks_nan else self.missing_values != X

    @checked
    def fit(self, X: Any, y: Any = None) -> LowRankImputer:
        """Fit the matrix.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The table, with ``missing_values``.
        y : None
            Not used.

        Returns
        -------
        self
        """
        X, known = self._table(X, reset=True)
        self._filled: NDArray[np.bool_] = np.asarray(known.any(axis=0))
        X, known = X[:, self._filled].astype(np.float64), known[:, self._filled]
        if known.sum() < 2 or (self.lam == "auto" and len(X) < 2):
            raise ValueError(
                f"n_samples={len(X)} with {int(known.sum())} known entries are too few: two entries are needed, and two rows "
                "to choose lam"
            )
        count = known.sum(axis=0)
        self.mean_: Floats = np.where(known, X, 0.0).sum(axis=0) / count
        centred = np.where(known, X - self.mean_, 0.0)
        self.scale_: Floats = np.ones(len(count))
        if self.scale:
            deviation = np.sqrt((centred**2).sum(axis=0) / count)
            flat = deviation <= 10 * np.finfo(float).eps * np.abs(self.mean_)
            self.scale_ = np.where(flat | (deviation == 0), 1.0, deviation)
        row, col = np.nonzero(known)
        ratings: dict[str, NDArray[Any]] = {
            "row": row.astype(np.int32),
            "col": col.astype(np.int32),
            "data": (centred / self.scale_)[known],
            "shape": np.array(X.shape, dtype=np.int64),
        }
        lam: float | str = self.lam
        if not ratings["data"].any():
            lam = 1.0 if lam == "auto" else lam  # all columns are constant, and W = 0 for every λ
        command = ["fit", "completion", "--center=none", "--weights=none", "--clip=none"]
        if self.max_rank is not None:
            command.append(f"--max-rank={int(self.max_rank)}")
        self._call([*command, *self._arguments(lam)], [File("train", ratings, "X")])
        return self

    def _keep(self, outcome: Outcome) -> None:
        assert outcome.model is not None
        self.components_: Floats = outcome.model.right().T.copy()

    def _fold(self, X: Floats, known: NDArray[np.bool_]) -> Floats:
        """The rows' predictions from what is known of them, all rows of one pattern at once."""
        v = self.components_.T
        predicted = np.zeros(X.shape)
        if v.shape[1] == 0 or len(X) == 0:
            return predicted
        patterns, at = np.unique(known, axis=0, return_inverse=True)
        order = np.argsort(at.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(at.ravel(), minlength=len(patterns)))
        ridge = max(self.lam_, 1e-12 * float((v**2).sum())) * np.eye(v.shape[1])
        for pattern, rows in zip(patterns, np.split(order, ends[:-1]), strict=True):
            seen = v[pattern]
            u = np.linalg.solve(seen.T @ seen + ridge, seen.T @ X[np.ix_(rows, np.flatnonzero(pattern))].T)
            predicted[rows] = np.einsum("kr,jk->rj", u, v)
        return predicted

    def transform(self, X: Any) -> Floats:
        """The table with its missing entries filled in, of shape (n_samples, n_features_out)."""
        check_is_fitted(self)
        X, known = self._table(X, reset=False)
        whole = np.array(X, dtype=np.float64)
        inner, seen = whole[:, self._filled], known[:, self._filled]
        scaled = np.where(seen, (inner - self.mean_) / self.scale_, 0.0)
        inner = np.where(seen, inner, self._fold(scaled, seen) * self.scale_ + self.mean_)
        if not self.keep_empty_features:
            return inner
        whole[~known] = 0.0
        whole[:, self._filled] = inner
        return whole

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the columns that stay."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return names if self.keep_empty_features else names[self._filled]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = isinstance(self.missing_values, float) and bool(np.isnan(self.missing_values))
        return tags
