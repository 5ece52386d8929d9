"""Regression and classification on rows of features."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.preprocessing import LabelEncoder
from sklearn.utils._param_validation import Interval, Options, StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from ._base import NOT_NEGATIVE, POSITIVE, Constraints, GCGEstimator, checked, features
from ._bridge import File, Outcome
from ._model import Floats


def group_lines(groups: Any, width: int) -> str:
    """Groups of features as a file of the command has them: features counted from 1, a line for each group.

    Parameters
    ----------
    groups : array of shape (n_features,), or sequence of sequences of int
        The label of each feature's group, or the features of each group, which may share some.
    width : int
        The number of features.
    """
    listed = groups if _are_labels(groups) else list(groups)
    members: list[NDArray[Any]]
    if len(listed) == width and (listed is groups or not any(_is_list(g) for g in listed)):
        _, at, counts = np.unique(np.asarray(listed), return_inverse=True, return_counts=True)
        members = np.split(np.argsort(at.ravel(), kind="stable"), np.cumsum(counts)[:-1])
    else:
        try:
            members = [np.unique(np.asarray(g, dtype=np.int64).ravel()) for g in listed]
        except (TypeError, ValueError):
            raise ValueError(
                f"groups: {groups!r} is neither a label for each of {width} features nor lists of features"
            ) from None
    for group in members:
        if len(group) == 0 or group[0] < 0 or group[-1] >= width:
            raise ValueError(f"groups: a group is a set of features from 0 to {width - 1}, not {group.tolist()}")
    return "".join(" ".join(map(str, (group + 1).tolist())) + "\n" for group in members)


def overlap(groups: Any, width: int) -> bool:
    """Whether a feature is in two groups."""
    if _are_labels(groups):
        return False
    seen = [i for g in groups if _is_list(g) for i in g]
    return len(set(seen)) < len(seen)


def _are_labels(groups: Any) -> bool:
    """Whether groups are an array of labels, which need not be looked at one by one."""
    return isinstance(groups, np.ndarray) and groups.ndim == 1 and groups.dtype != object


def _is_list(group: Any) -> bool:
    return isinstance(group, Iterable) and not isinstance(group, str)


class _Linear(GCGEstimator):
    """Fits of weights on features."""

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "l1_ratio": [Interval(Real, 0, 1, closed="both")],
        "fit_intercept": ["boolean"],
        "standardize": ["boolean"],
        "folds": [Interval(Integral, 2, None, closed="left"), None],
        "select": [StrOptions({"min", "1se"})],
    }

    folds: int | None
    select: str
    fit_intercept: bool
    standardize: bool
    l1_ratio: float
    coef_: Floats
    intercept_: Any

    def _gauge(self, width: int) -> tuple[list[str], list[File]]:
        raise NotImplementedError

    def _fit(
        self, problem: str, X: Any, answers: File, lam: float | str, extra: Sequence[str], weight: Floats | None = None
    ) -> Outcome:
        arguments, files = self._gauge(X.shape[1])
        arguments, files = self._mixed(arguments, files)
        command = self._command(problem, lam, self.fit_intercept)
        inputs = [File("features", features(X), "X"), answers, *files, *weights(weight)]
        return self._call([*command, *arguments, *extra, *self._arguments(lam)], inputs)

    def _mixed(self, arguments: list[str], files: list[File]) -> tuple[list[str], list[File]]:
        """The norm with its part of λ; a ridge alone has no other norm."""
        if self.l1_ratio == 1:
            return arguments, files
        if self.l1_ratio > 0:
            return [*arguments, f"--l1-ratio={float(self.l1_ratio)!r}"], files
        if files or any(not word.startswith("--gauge=") or word == "--gauge=positive-l1" for word in arguments):
            raise ValueError("l1_ratio=0 is a ridge alone, without groups, fused or positive weights")
        return ["--l1-ratio=0"], []

    def _command(self, problem: str, lam: float | str, intercept: bool) -> list[str]:
        """The verb, the problem, and the flags that all problems on rows have."""
        command = ["fit", problem]
        if lam == "auto" and self.folds is not None:
            command = ["cv", problem, f"--folds={int(self.folds)}", f"--select={self.select}"]
            command += ["--points=40", "--ratio=1e-4"]
        if intercept:
            command.append("--intercept")
        command.append("--standardize" if self.standardize else "--standardize=false")
        return command

    def _warms(self, warm: Any) -> bool:
        return warm.u.shape[0] == self.n_features_in_ and not self.standardize

    def _keep(self, outcome: Outcome) -> None:
        assert outcome.model is not None
        self._weights = outcome.model.dense().T  # outputs × features
        self._offsets = outcome.model.offset("col") + outcome.model.tensors["global"][0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _features(self, X: Any) -> Any:
        """X of the width of the fit."""
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", reset=False, dtype=[np.float64, np.float32])

    def _scores(self, X: Any) -> Floats:
        X = self._features(X)
        return np.asarray(X @ np.atleast_2d(self.coef_).T) + np.atleast_1d(self.intercept_)


def weights(weight: Floats | None) -> list[File]:
    """Weights of samples as the command reads them."""
    return [] if weight is None else [File("sample-weights", weight.reshape(-1, 1), "sample_weight")]


def checked_weight(sample_weight: Any, X: Any) -> Floats | None:
    """Weights of samples: not negative, and some positive; None without any."""
    if sample_weight is None:
        return None
    weight = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True))
    if not (weight > 0).any():
        raise ValueError("sample_weight: at least one weight must be positive")
    return weight


def merged(X: Any, Y: Floats, weight: Floats | None) -> tuple[Any, Floats, Floats | None]:
    """Equal rows as one with the sum of their weights, in an order that depends on the content alone.

    The parts that choose λ are then the same whether a row is repeated or weighs more. Rows without a twin stay as they are.
    """
    draws = np.random.default_rng(0).standard_normal(X.shape[1] + Y.shape[1])
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        X.sum_duplicates()
    mix = _mix(X, draws[: X.shape[1]]) + _mix(Y, draws[X.shape[1] :])
    if weight is None:
        if len(np.unique(mix)) == len(mix):
            return X, Y, None
        weight = np.ones(len(mix))
    kept = np.flatnonzero(weight > 0)
    _, first, at = np.unique(mix[kept], return_index=True, return_inverse=True)
    rows = kept[first]
    return X[rows], Y[rows], np.asarray(np.bincount(at.ravel(), weight[kept], len(rows)), dtype=np.float64)


def _mix(X: Any, draws: Floats) -> Floats:
    """X @ draws, whose rows do not depend on their place, as those of a threaded product do."""
    return np.asarray(X @ draws) if sparse.issparse(X) else np.ascontiguousarray(X * draws).sum(axis=1)


class _Regression(_Linear):
    """Loss of one or several targets by the command's regression, with weights of samples."""

    _parameter_constraints: ClassVar[Constraints] = {**_Linear._parameter_constraints, "alpha": [POSITIVE, None], "loss": [str]}

    alpha: float | None
    loss: str
    normalize: str = "sum"

    def _regress(self, X: Any, Y: Floats, sample_weight: Any) -> Outcome:
        if self.alpha is None and self.lam == "auto" and X.shape[0] < 2:
            raise ValueError(f"lam='auto' holds out rows, for which n_samples={X.shape[0]} are too few: give lam")
        weight = checked_weight(sample_weight, X)
        lam: float | str = self.lam
        if self.alpha is None and lam == "auto":
            X, Y, weight = merged(X, Y, weight)
        if self.alpha is not None:
            lam = self.alpha * float(len(Y) if weight is None else weight.sum())
        extra = [] if self.loss == "squared" else [f"--loss={self.loss}"]
        return self._fit("regression", X, File("targets", Y, "y"), lam, extra, weight)


class SparseRegressor(RegressorMixin, _Regression):  # type: ignore[misc]
    r"""Linear regression with few features: lasso, groups, fused weights, with a certificate.

    It minimises, over weights w and an intercept b,

    .. math:: \sum_i \ell(x_i^T w + b, y_i) + \lambda \kappa(w)

    with the squared loss ½(z - y)² and the ℓ1 norm unless said otherwise.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0 of the penalty beside a sum of losses. "auto" takes a path and what predicts held-out rows best:
        a tenth of the rows, or by cross-validation where ``folds`` are given.
    alpha : float, default=None
        The penalty of scikit-learn's ``Lasso`` and ``ElasticNet``, beside a mean of losses, instead of ``lam``:
        λ = n_samples · alpha. With ``sample_weight`` their sum stands for n_samples.
    l1_ratio : float, default=1.0
        In [0, 1]. The penalty is λ(l1_ratio · κ(w) + (1 - l1_ratio)/2 · ‖w‖₂²): below 1 the elastic net, that of scikit-learn's
        ``ElasticNet`` with the same ``alpha`` and ``l1_ratio``; at 0 a ridge alone, that of ``Ridge`` with its alpha = λ.
    groups : array of shape (n_features,) or list of lists of int, default=None
        Groups of features to take or leave together, by the label of each feature, or by the features of each group.
        Groups that share features penalise unions of groups by their largest weights; features in no group stay 0.
    group_norm : {"l2", "inf"}, default="l2"
        The norm of a group's weights; groups that overlap have "inf".
    group_weight : {"one", "size"}, default="one"
        The price of a group: 1, or the root of its size.
    fused : float, default=0.0
        The weight of Σ|w_j - w_{j+1}| beside λ‖w‖₁.
    trend : float, default=0.0
        The weight of the ℓ1 norm of higher differences of w, of order ``trend_order``, beside λ‖w‖₁.
    trend_order : {1, 2, 3}, default=1
        1 penalises changes of slope.
    positive : bool, default=False
        Weights of at least 0.
    loss : str, default="squared"
        "squared", "huber:M", "absolute:M", "quantile:T" or "quantile:T,M": M > 0 smooths, T in (0, 1) is the quantile.
        "poisson" and "gamma" are half the deviance of counts and of positive amounts, whose mean is exp(Xw + b): those of
        ``PoissonRegressor`` and ``GammaRegressor``, whose alpha is λ/n_samples with ``l1_ratio=0``. Of rates, counts over an
        exposure, ``sample_weight`` is the exposure.
    fit_intercept : bool, default=True
        An unpenalised constant.
    standardize : bool, default=False
        Penalise the weights of features over their standard deviations; ``coef_`` is for features as they are.
    folds : int, default=None
        Folds by which lam="auto" chooses, instead of a held-out tenth.
    select : {"min", "1se"}, default="min"
        With ``folds``: the smallest error, or the largest λ within one standard error of it.
    tol : float, default=1e-6
        The relative gap of the certificate to reach.
    max_iter : int, default=None
        Steps at most; None is no limit.
    max_time : float, default=None
        Seconds at most; None is no limit.
    warm_start : bool, default=False
        Start from the weights of the last fit.
    n_jobs : int, default=None
        Processors; None takes those that threadpoolctl and joblib leave to this process. The result is the same.
    random_state : int, RandomState or None, default=None
        Of the held-out rows; None is 1.
    verbose : bool, default=False
        Show a live line of progress.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    lam_ : float
        The λ of the fit.
    lambdas_, mse_path_ : ndarrays of shape (n_lambdas,)
        What lam="auto" tried, and the mean squared error of the held-out rows.
    lam_min_, lam_1se_ : float
        Of what lam="auto" tried, the λ of the smallest error, and of folds the largest within one standard error of it.
    certificate_ : Certificate
        The objective, its lower bound and the relative gap.
    dual_gap_ : float
        The absolute gap, of the sum of losses.
    n_iter_, status_, n_features_in_, feature_names_in_
        Steps, how it ended, and the features as scikit-learn counts them.

    See Also
    --------
    sklearn.linear_model.Lasso : the same problem with lam = n_samples * alpha.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from gcg import SparseRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SparseRegressor(alpha=1.0).fit(X, y)
    >>> model.coef_.round(1).tolist()
    [0.0, 0.0, 367.7, 6.3, 0.0, 0.0, 0.0, 0.0, 307.6, 0.0]
    >>> model.certificate_.relative_gap < 1e-6
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **_Regression._parameter_constraints,
        "groups": ["array-like", None],
        "group_norm": [StrOptions({"l2", "inf"})],
        "group_weight": [StrOptions({"one", "size"})],
        "fused": [NOT_NEGATIVE],
        "trend": [NOT_NEGATIVE],
        "trend_order": [Options(Integral, {1, 2, 3})],
        "positive": ["boolean"],
    }

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        alpha: float | None = None,
        l1_ratio: float = 1.0,
        groups: Any = None,
        group_norm: str = "l2",
        group_weight: str = "one",
        fused: float = 0.0,
        trend: float = 0.0,
        trend_order: int = 1,
        positive: bool = False,
        loss: str = "squared",
        fit_intercept: bool = True,
        standardize: bool = False,
        folds: int | None = None,
        select: str = "min",
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.groups = groups
        self.group_norm = group_norm
        self.group_weight = group_weight
        self.fused = fused
        self.trend = trend
        self.trend_order = trend_order
        self.positive = positive
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.folds = folds
        self.select = select
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _gauge(self, width: int) -> tuple[list[str], list[File]]:
        return gauge_of(self, width)

    @checked
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> SparseRegressor:
        """Fit the weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
            Weights of the samples' losses.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)
        Y = np.asarray(y, dtype=np.float64).reshape(-1, 1)
        self._regress(X, Y, sample_weight)
        self.coef_ = np.array(self._weights[0])
        self.intercept_ = float(self._offsets[0]) if self.fit_intercept else 0.0
        return self

    def predict(self, X: Any) -> Floats:
        """The predictions Xw + b, of shape (n_samples,); of loss "poisson" and "gamma" exp(Xw + b)."""
        scores = self._scores(X)[:, 0]
        return np.asarray(np.exp(scores)) if self.loss in ("poisson", "gamma") else scores


class CoxRegressor(_Regression):
    r"""Times until an event, some of which are only known to be longer, with few features: Cox regression with a certificate.

    It minimises, over weights w,

    .. math:: \sum_{i: \delta_i = 1} \Big(\log \sum_{j: t_j \ge t_i} \exp(x_j^T w) - x_i^T w\Big) + \lambda \kappa(w)

    with the times t, δ = 1 where the event was seen then, and the ℓ1 norm κ unless said otherwise: the negative logarithm of
    the partial likelihood of Cox (1972), with equal times as Breslow (1974) has them. There is no intercept, as a constant
    changes no risk beside another.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0 of the penalty beside the sum over events. "auto" takes a path and what predicts held-out rows best, by
        their partial deviance.
    alpha : float, default=None
        The alpha of scikit-survival's ``CoxnetSurvivalAnalysis``, beside the sum divided by the number of samples, instead of
        ``lam``: λ = n_samples · alpha. With ``sample_weight`` their sum stands for n_samples.
    l1_ratio, groups, group_norm, group_weight, fused, trend, trend_order, positive
        As of :class:`SparseRegressor`.
    standardize, folds, select, tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
        It is 0.
    score_path_ : ndarray of shape (n_lambdas,)
        The partial deviance of the held-out rows, for each of ``lambdas_``: twice what they add to the loss, for each event.
    lam_, lambdas_, lam_min_, lam_1se_, certificate_, dual_gap_, n_iter_, status_, n_features_in_, feature_names_in_
        As of :class:`SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from gcg import CoxRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 10))
    >>> months = rng.exponential(np.exp(-X[:, 0] + X[:, 1]))
    >>> seen = rng.random(200) < 0.7
    >>> model = CoxRegressor(lam=20.0).fit(X, np.column_stack([months, seen]))
    >>> np.flatnonzero(model.coef_).tolist()
    [0, 1]
    >>> round(model.score(X, np.column_stack([months, seen])), 2)
    0.77
    """

    _parameter_constraints: ClassVar[Constraints] = SparseRegressor._parameter_constraints

    loss = "cox"
    fit_intercept = False

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        alpha: float | None = None,
        l1_ratio: float = 1.0,
        groups: Any = None,
        group_norm: str = "l2",
        group_weight: str = "one",
        fused: float = 0.0,
        trend: float = 0.0,
        trend_order: int = 1,
        positive: bool = False,
        standardize: bool = False,
        folds: int | None = None,
        select: str = "min",
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.groups = groups
        self.group_norm = group_norm
        self.group_weight = group_weight
        self.fused = fused
        self.trend = trend
        self.trend_order = trend_order
        self.positive = positive
        self.standardize = standardize
        self.folds = folds
        self.select = select
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _gauge(self, width: int) -> tuple[list[str], list[File]]:
        return gauge_of(self, width)

    @checked
    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> CoxRegressor:
        """Fit the weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : structured array of shape (n_samples,), or array or frame of shape (n_samples, 2)
            The times until the event, not below 0, and whether it was seen then. A structured array has a boolean field of
            events first and then one of times, as ``Surv`` of scikit-survival. An array has the times first and then the
            events, 1 where seen, else 0; so has a frame, unless columns of it are called "time" and "event".
        sample_weight : array of shape (n_samples,), default=None
            What a sample counts for, as an event and among those at risk: 2 is the same sample twice.

        Returns
        -------
        self
        """
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        Y = survival(self, X, y)
        if not Y[:, 1].any():
            raise ValueError("y has no event, of which the partial likelihood is")
        self._regress(X, Y, sample_weight)
        self.coef_, self.intercept_ = np.array(self._weights[0]), 0.0
        return self

    def predict(self, X: Any) -> Floats:
        """The log risks Xw beside that of a sample of zeros, of shape (n_samples,): the larger, the earlier the event."""
        return _mix(self._features(X), self.coef_)

    def score(self, X: Any, y: Any) -> float:
        """Harrell's concordance index of the risks: the part of comparable pairs whose earlier event has the larger risk.

        Equal risks count half. A pair is comparable where the event of one was seen before the time of the other, or at that
        time where the event of the other was not seen then. It is NaN, with a warning, where no pair is comparable.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : structured array of shape (n_samples,), or array or frame of shape (n_samples, 2)
            As of ``fit``.

        Returns
        -------
        float
        """
        Y = survival(self, X, y)
        index = concordance(Y[:, 0], Y[:, 1] == 1, self.predict(X))
        if np.isnan(index):
            warnings.warn("no pair of y is comparable, so that the concordance is NaN", UndefinedMetricWarning, stacklevel=2)
        return index


def survival(estimator: Any, X: Any, y: Any) -> Floats:
    """Times and events of the samples of X, in two columns, of all forms of y that CoxRegressor takes."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    time, event = _survival_columns(y)
    try:
        Y = np.column_stack([np.asarray(time, dtype=np.float64), np.asarray(event, dtype=np.float64)])
    except (TypeError, ValueError):
        raise ValueError("y: times are numbers, and events are 1 where seen, else 0") from None
    check_consistent_length(X, Y)
    if not (np.isfinite(Y[:, 0]) & (Y[:, 0] >= 0)).all():
        raise ValueError(f"y: times are finite and not below 0, which {Y[~(Y[:, 0] >= 0) | np.isinf(Y[:, 0]), 0][0]} is not")
    if not np.isin(Y[:, 1], (0, 1)).all():
        raise ValueError(f"y: an event is 1 where seen, else 0, but not {Y[~np.isin(Y[:, 1], (0, 1)), 1][0]}; times come first")
    return np.abs(Y)  # a time of -0 is 0


def _survival_columns(y: Any) -> tuple[Any, Any]:
    """Times and events."""
    columns = list(getattr(y, "columns", []))
    if {"time", "event"} <= set(columns):
        return y["time"], y["event"]
    if len(columns) == 2:
        return y[columns[0]], y[columns[1]]
    y = np.asarray(y)
    if y.dtype.names is not None:
        if len(y.dtype.names) != 2 or y.dtype[0] != np.bool_ or y.ndim != 1:
            raise ValueError(f"y: a structured array has a boolean field of events and then one of times, not {y.dtype}")
        return y[y.dtype.names[1]], y[y.dtype.names[0]]
    if y.ndim != 2 or y.shape[1] != 2:
        raise ValueError(f"y has two columns, time and event, or is structured, but it has the shape {y.shape}")
    return y[:, 0], y[:, 1]


def concordance(time: Floats, event: NDArray[np.bool_], risk: Floats) -> float:
    """Harrell's concordance index, NaN where no pair is comparable. It takes time in proportion to n log² n.

    In order of descending times, those not seen first where times are equal, an event is compared with all before its equals.
    How many of these have less risk is counted block by block, whose sizes are the powers of 2 that make up their number.
    """
    n = len(time)
    order = np.lexsort((event, -time))
    time, event = time[order], event[order]
    values, rank = np.unique(risk[order], return_inverse=True)
    fresh = np.r_[True, (time[1:] != time[:-1]) | (event[1:] != event[:-1])]
    before = np.maximum.accumulate(np.where(fresh, np.arange(n), 0))[event]
    if not before.any():
        return float("nan")
    rank_of_event, twice = rank[event], 0
    for k in range(n.bit_length()):
        ranks = np.sort((np.arange(n) >> k) * len(values) + rank)  # within each block
        whole = (before >> k) & 1 == 1
        block = (before[whole] >> k) - 1
        at = block * len(values) + rank_of_event[whole]
        twice += int((np.searchsorted(ranks, at) + np.searchsorted(ranks, at, side="right") - 2 * (block << k)).sum())
    return twice / 2 / int(before.sum())


def gauge_of(self: Any, width: int) -> tuple[list[str], list[File]]:
    """The flags of ℓ1, groups and second penalties."""
    second = [
        f"{name}:{weight!r}" for name, weight in (("fused", float(self.fused)), (_trend(self), float(self.trend))) if weight > 0
    ]
    if len(second) > 1:
        raise ValueError("fused and trend: one of them at a time")
    if self.positive and (self.groups is not None or second):
        raise ValueError("positive=True goes with the ℓ1 norm alone, without groups, fused and trend")
    if self.groups is None:
        gauge = ["--gauge=positive-l1"] if self.positive else []
        return gauge + [f"--penalty={word}" for word in second], []
    if second:
        raise ValueError("groups do not go with fused and trend")
    word = {"l2": "group:", "inf": "group-inf:"}[self.group_norm]
    suffix = ",by-size" if self.group_weight == "size" else ""
    if overlap(self.groups, width):
        word, suffix = "overlap-inf:", ""
    return [], [File("gauge", group_lines(self.groups, width), "groups", word, suffix)]


def _trend(self: Any) -> str:
    return "trend" if self.trend_order == 1 else f"trend{self.trend_order}"


class MultiTaskRegressor(MultiOutputMixin, RegressorMixin, _Regression):  # type: ignore[misc]
    r"""Several targets on the same features: a shared subspace, or shared features.

    It minimises, over weights W (n_features × n_targets) and intercepts b,

    .. math:: \tfrac12 \|X W + 1 b^T - Y\|_F^2 + \lambda \kappa(W)

    where κ is the trace norm, or the sum of the ℓ2 norms of the rows of W. With ``task`` each sample is of one task t and has
    one target, ½(x_i^T w_t + b_t - y_i)².

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0 of the penalty beside the sum of squares. "auto" takes a path and what predicts held-out rows best.
    alpha : float, default=None
        The penalty of scikit-learn's ``MultiTaskLasso``, instead of ``lam``: λ = n_samples · alpha.
    l1_ratio : float, default=1.0
        In [0, 1]. The penalty is λ(l1_ratio · κ(W) + (1 - l1_ratio)/2 · ‖W‖_F²), as of :class:`SparseRegressor`; with
        ``penalty="group"`` that of scikit-learn's ``MultiTaskElasticNet``.
    penalty : {"trace", "group", "l1"}, default="trace"
        The trace norm (targets share a subspace), the rows of W (they share features), or single weights.
    task : int or str, default=None
        The column of X that says of which task a sample is, by number or, of a frame, by name: each task has a target of its
        own, and samples of its own. Tasks of a frame are of any type, of an array numbers.
    fit_intercept : bool, default=True
        An unpenalised constant for each target.
    standardize, folds, select, tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_targets, n_features), or (n_features,) of a one-dimensional y
        With ``task`` of shape (n_tasks, n_features - 1), in the order of ``tasks_``.
    intercept_ : ndarray of shape (n_targets,), or float
    tasks_ : ndarray of shape (n_tasks,)
        With ``task``: the tasks, sorted.
    rank_ : int
        The rank of W.
    lam_, lambdas_, mse_path_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from gcg import MultiTaskRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 8))
    >>> Y = X @ rng.normal(size=(8, 1)) @ rng.normal(size=(1, 5)) + 0.1 * rng.normal(size=(60, 5))
    >>> model = MultiTaskRegressor(lam=5.0).fit(X, Y)
    >>> model.rank_
    1
    >>> model.predict(X).shape
    (60, 5)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **_Regression._parameter_constraints,
        "penalty": [StrOptions({"trace", "group", "l1"})],
        "task": [Integral, str, None],
    }

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        alpha: float | None = None,
        l1_ratio: float = 1.0,
        penalty: str = "trace",
        task: int | str | None = None,
        fit_intercept: bool = True,
        standardize: bool = False,
        folds: int | None = None,
        select: str = "min",
        tol: float = 1e-6,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.penalty = penalty
        self.task = task
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.folds = folds
        self.select = select
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    loss = "squared"

    def _gauge(self, width: int) -> tuple[list[str], list[File]]:
        return [f"--gauge={self.penalty}"], []

    @checked
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> MultiTaskRegressor:
        """Fit the weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples, n_targets) or (n_samples,)
        sample_weight : array of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        if self.task is not None:
            return self._fit_tasks(X, y, sample_weight)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], multi_output=True, y_numeric=True)
        Y = np.asarray(y, dtype=np.float64)
        self._single = Y.ndim == 1
        self._regress(X, Y.reshape(len(Y), -1), sample_weight)
        self.coef_ = np.array(self._weights[0] if self._single else self._weights)
        offsets = np.array(self._offsets) if self.fit_intercept else np.zeros(len(self._offsets))
        self.intercept_ = float(offsets[0]) if self._single else offsets
        return self

    def _fit_tasks(self, X: Any, y: Any, sample_weight: Any) -> MultiTaskRegressor:
        """Each sample has a task."""
        X, names, at = self._of_tasks(X)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=True)
        self.tasks_, task = np.unique(X[:, at] if names is None else names, return_inverse=True)
        rest = np.ascontiguousarray(np.delete(X, at, axis=1))
        weight = checked_weight(sample_weight, X)
        lam = self.lam if self.alpha is None else self.alpha * (len(y) if weight is None else weight.sum())
        command = self._command("multitask", lam, self.fit_intercept)
        arguments = [*self._mixed(*self._gauge(rest.shape[1]))[0], "--task=task", "--target=y", "--normalize=sum"]
        samples = {"task": task.astype(np.int32), "y": np.asarray(y, dtype=np.float64), "X": rest}
        inputs = [File("train", samples, "X"), *weights(weight)]
        outcome = self._call([*command, *arguments, *self._arguments(lam)], inputs)
        assert outcome.model is not None
        order = np.array([int(name) for name in outcome.model.ids("col")])
        self._single = True
        self.coef_, self.intercept_ = np.zeros((len(order), rest.shape[1])), np.zeros(len(order))
        self.coef_[order] = self._weights
        if self.fit_intercept:
            self.intercept_[order] = self._offsets
        return self

    def _of_tasks(self, X: Any) -> tuple[Any, NDArray[Any] | None, int]:
        """X with numbers alone, the tasks of its samples where a frame has them, and the number of their column."""
        if sparse.issparse(X):
            raise TypeError("Sparse data was passed; with task X is dense")
        columns = list(getattr(X, "columns", []))
        if isinstance(self.task, str) and self.task not in columns:
            raise ValueError(f"task={self.task!r} is no column of X")
        at = columns.index(self.task) if isinstance(self.task, str) else int(self.task or 0)
        if not columns:
            return X, None, at
        names = np.asarray(X[columns[at]])
        return X.assign(**{columns[at]: 0.0}), names, at

    def predict(self, X: Any) -> Floats:
        """The predictions X Wᵀ + b, of shape (n_samples, n_targets), or as y had; with ``task`` each sample's own."""
        if self.task is not None:
            check_is_fitted(self)
            X, names, at = self._of_tasks(X)
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
            tasks = X[:, at] if names is None else names
            k = np.minimum(np.searchsorted(self.tasks_, tasks), len(self.tasks_) - 1)
            if (wrong := self.tasks_[k] != tasks).any():
                raise ValueError(f"task {tasks[wrong][0]!r} is not among those of the fit")
            return np.asarray(np.einsum("nd,nd->n", np.delete(X, at, axis=1), self.coef_[k]) + self.intercept_[k])
        scores = self._scores(X)
        return scores[:, 0] if self._single else scores


class _Classifier(ClassifierMixin, _Linear):  # type: ignore[misc]
    """Classes by the multinomial logistic loss."""

    _parameter_constraints: ClassVar[Constraints] = {
        **_Linear._parameter_constraints,
        "C": [POSITIVE, None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    C: float | None
    class_weight: Any
    classes_: NDArray[Any]
    normalize: str

    def _weight(self) -> tuple[float | str, list[str]]:
        """λ and its flags: beside the mean of losses, or with C beside their sum."""
        if self.C is None:
            return self.lam, []
        return 1.0 / self.C, ["--normalize=sum"]

    def _classify(self, X: Any, y: Any, signs: bool, sample_weight: Any) -> None:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        weight = checked_weight(sample_weight, X)
        if weight is not None:
            X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        encoder = LabelEncoder()
        codes = encoder.fit_transform(y)
        self.classes_ = encoder.classes_
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data contains only one "
                f"class: {self.classes_[0]!r}"
            )
        if self.class_weight is not None:
            counts = np.bincount(codes, weight)
            of_class = counts.sum() / (len(counts) * counts)  # "balanced"
            if not (isinstance(self.class_weight, str) and self.class_weight == "balanced"):
                of_class = compute_class_weight(self.class_weight, classes=self.classes_, y=y)
            weight = of_class[codes] * (1.0 if weight is None else weight)
        lam, extra = self._weight()
        if lam == "auto":
            X, column, weight = merged(X, codes.reshape(-1, 1).astype(np.float64), weight)
            codes = column.ravel().astype(np.int64)
        if signs and len(self.classes_) == 2:
            target = np.where(codes == 1, 1.0, -1.0).reshape(-1, 1)
            if not extra:
                extra = ["--normalize=mean"]
            self._fit("regression", X, File("targets", target, "y"), lam, ["--loss=logistic", *extra], weight)
            w, offsets = self._weights, self._offsets
        else:
            self._fit("classification", X, File("labels", codes.reshape(-1, 1), "y"), lam, extra, weight)
            order = np.argsort([int(name) for name in self._model.ids("col")])
            w, offsets = self._weights[order], self._offsets[order]
            if len(self.classes_) == 2:
                w, offsets = w[1:] - w[:1], offsets[1:] - offsets[:1]
        self.coef_ = np.array(w)
        self.intercept_ = np.array(offsets) if self.fit_intercept else np.zeros(len(w))

    def decision_function(self, X: Any) -> Floats:
        """Scores of shape (n_samples, n_classes), or (n_samples,) of two classes: above 0 is ``classes_[1]``."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the largest score of each sample."""
        scores = self.decision_function(X)
        at = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[at]

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of shape (n_samples, n_classes)."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return softmax(scores, axis=1)

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class LowRankClassifier(_Classifier):
    r"""Multinomial logistic regression whose weights have low rank.

    It minimises, over W (n_features × n_classes) and b,

    .. math:: \tfrac1n \sum_i -\log p(y_i | x_i) + \lambda \|W\|_*, \quad p(k|x) \propto \exp(x^T w_k + b_k)

    with the trace norm ‖W‖_*: the classes share a subspace of few directions.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0 beside the mean of losses. "auto" takes a path and what predicts held-out rows best.
    C : float, default=None
        The C of ``LogisticRegression``, instead of ``lam``: the penalty is λ = 1/C beside the sum of losses.
    l1_ratio : float, default=1.0
        In [0, 1]. The penalty is λ(l1_ratio · ‖W‖_* + (1 - l1_ratio)/2 · ‖W‖_F²); at 0 that of ``LogisticRegression(C=1/λ)``.
    class_weight : dict or "balanced", default=None
        Weights of the classes, which multiply those of samples; "balanced" gives each class the same sum.
    fit_intercept : bool, default=True
        An unpenalised constant for each class.
    standardize, folds, select, tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) of two classes
    intercept_ : ndarray of shape (n_classes,), or (1,)
    classes_ : ndarray of shape (n_classes,)
    rank_ : int
        The rank of W.
    lam_, lambdas_, score_path_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`; ``score_path_`` has the held-out scores.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gcg import LowRankClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LowRankClassifier(lam=0.01).fit(X, y)
    >>> model.rank_
    1
    >>> round(model.score(X, y), 2)
    0.99
    """

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        C: float | None = None,
        l1_ratio: float = 1.0,
        class_weight: Any = None,
        fit_intercept: bool = True,
        standardize: bool = False,
        folds: int | None = None,
        select: str = "min",
        tol: float = 1e-4,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.C = C
        self.l1_ratio = l1_ratio
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.folds = folds
        self.select = select
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _gauge(self, width: int) -> tuple[list[str], list[File]]:
        return [], []

    @checked
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> LowRankClassifier:
        """Fit the weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels of any type.
        sample_weight : array of shape (n_samples,), default=None
            What the loss of each sample is multiplied by; a mean is divided by their sum.

        Returns
        -------
        self
        """
        self._classify(X, y, signs=False, sample_weight=sample_weight)
        return self


class SparseClassifier(_Classifier):
    r"""Logistic regression with few features, or few groups of them.

    Of two classes it minimises, over w and b,

    .. math:: \tfrac1n \sum_i \log(1 + \exp(-y_i (x_i^T w + b))) + \lambda \kappa(w)

    and of more the multinomial loss over W (n_features × n_classes).

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0 beside the mean of losses. "auto" takes a path and what predicts held-out rows best.
    C : float, default=None
        The C of ``LogisticRegression(l1_ratio=1)``, instead of ``lam``: the penalty is λ = 1/C beside the sum of losses.
    l1_ratio : float, default=1.0
        In [0, 1]. The penalty is λ(l1_ratio · κ(W) + (1 - l1_ratio)/2 · ‖W‖_F²), that of ``LogisticRegression`` with the same
        ``C`` and ``l1_ratio``.
    penalty : {"l1", "group"}, default="l1"
        Single weights, or the weights of a feature in all classes together.
    groups : array of shape (n_features,) or list of lists of int, default=None
        Groups of features, of two classes: as of :class:`SparseRegressor`.
    class_weight : dict or "balanced", default=None
        Weights of the classes, which multiply those of samples; "balanced" gives each class the same sum.
    fit_intercept : bool, default=True
        An unpenalised constant for each class.
    standardize, folds, select, tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) of two classes
    intercept_ : ndarray of shape (n_classes,), or (1,)
    classes_ : ndarray of shape (n_classes,)
    lam_, lambdas_, score_path_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`; ``score_path_`` has the held-out scores.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from gcg import SparseClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SparseClassifier(lam=0.05).fit(scale(X), y)
    >>> int((model.coef_ != 0).sum())
    4
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **_Classifier._parameter_constraints,
        "penalty": [StrOptions({"l1", "group"})],
        "groups": ["array-like", None],
    }

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        C: float | None = None,
        l1_ratio: float = 1.0,
        penalty: str = "l1",
        groups: Any = None,
        class_weight: Any = None,
        fit_intercept: bool = True,
        standardize: bool = False,
        folds: int | None = None,
        select: str = "min",
        tol: float = 1e-4,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.C = C
        self.l1_ratio = l1_ratio
        self.penalty = penalty
        self.groups = groups
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.folds = folds
        self.select = select
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _gauge(self, width: int) -> tuple[list[str], list[File]]:
        if self.groups is None:
            return [f"--gauge={self.penalty}"], []
        word = "overlap-inf:" if overlap(self.groups, width) else "group:"
        return [], [File("gauge", group_lines(self.groups, width), "groups", word)]

    @checked
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> SparseClassifier:
        """Fit the weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels of any type.
        sample_weight : array of shape (n_samples,), default=None
            What the loss of each sample is multiplied by; a mean is divided by their sum.

        Returns
        -------
        self
        """
        self._classify(X, y, signs=True, sample_weight=sample_weight)
        return self
