"""Decompositions of a table: sparse components, outliers, chosen rows and columns, dictionaries of views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, OneToOneFeatureMixin, TransformerMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ._base import COUNT, NOT_NEGATIVE, Constraints, GCGEstimator, checked
from ._bridge import File, Outcome
from ._model import Floats, Model

FLOATS = [np.float64, np.float32]


class SparsePCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GCGEstimator):  # type: ignore[misc]
    r"""Principal components of few variables, with a certificate for each.

    A component is the leading direction of the X that minimises, with the covariance C,

    .. math:: \lambda \|X\|_1 - \langle C, X \rangle, \quad X \succeq 0, \ \mathrm{tr} X = 1

    the convex relaxation of d'Aspremont et al. (2007). The next one is of what it leaves of C.

    Parameters
    ----------
    n_components : int, default=1
        How many, at most the number of features.
    lam : float or "auto", default="auto"
        The weight λ > 0 of ‖X‖₁: the larger, the fewer variables. "auto": each component keeps 90 % of the variance that it
        could have.
    nonzeros : int, default=None
        Find the λ for so many variables in each component, instead of ``lam``.
    standardize : bool, default=False
        Components of the correlation instead of the covariance.
    tol, max_iter, max_time, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`; ``tol`` is 1e-4 by default. There is no ``warm_start``: the steps are for a dual matrix,
        which components do not tell, and a start at the last X saves none of them.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Loadings of length 1.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The part of the total variance along each component, less what those before have.
    mean_, scale_ : ndarrays of shape (n_features,)
    certificates_ : list of float
        The relative gap of each component.
    lam_, certificate_, dual_gap_, n_iter_, status_
        Of the first component.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from gcg import SparsePCA
    >>> X, _ = load_wine(return_X_y=True)
    >>> model = SparsePCA(n_components=2, nonzeros=4, standardize=True).fit(X)
    >>> (model.components_ != 0).sum(axis=1).tolist()
    [4, 4]
    """

    warm_start = False

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "n_components": [COUNT],
        "nonzeros": [COUNT, None],
        "standardize": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 1,
        *,
        lam: float | str = "auto",
        nonzeros: int | None = None,
        standardize: bool = False,
        tol: float = 1e-4,
        max_iter: int | None = None,
        max_time: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_components = n_components
        self.lam = lam
        self.nonzeros = nonzeros
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @checked
    def fit(self, X: Any, y: Any = None) -> SparsePCA:
        """Fit the components.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Not used.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=FLOATS, ensure_min_samples=2)
        if not 1 <= self.n_components <= X.shape[1]:
            raise ValueError(f"n_components={self.n_components} must be between 1 and n_features={X.shape[1]}")
        self.mean_: Floats = X.mean(axis=0, dtype=np.float64)
        deviation = X.std(axis=0, dtype=np.float64)
        self.scale_: Floats = np.where(deviation > 0, deviation, 1.0) if self.standardize else np.ones(X.shape[1])
        command = ["fit", "spca", f"--components={int(self.n_components)}"]
        if self.standardize:
            command.append("--standardize")
        if self.nonzeros is not None:
            command.append(f"--nonzeros={int(self.nonzeros)}")
        self._call([*command, *self._arguments("auto" if self.nonzeros is not None else self.lam)], [File("features", X, "X")])
        return self

    def _keep(self, outcome: Outcome) -> None:
        found = outcome.result["components"]
        self.components_: Floats = np.zeros((len(found), self.n_features_in_))
        for loadings, c in zip(self.components_, found, strict=True):
            loadings[np.array(c["support"], dtype=int) - 1] = c["loadings"]
        at = np.abs(self.components_).argmax(axis=1)
        self.components_ *= np.sign(self.components_[np.arange(len(found)), at])[:, None]
        self.explained_variance_ratio_: Floats = np.array([c.get("explained_adjusted", 0.0) for c in found])
        self.certificates_ = [float(c.get("relative_gap", 0.0)) for c in found]

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def transform(self, X: Any) -> Floats:
        """The samples along the components, of shape (n_samples, n_components_)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=FLOATS)
        return ((X - self.mean_) / self.scale_) @ self.components_.T


Prox = Callable[[Floats, Floats, float], Floats]


def fold(X: Floats, known: NDArray[np.bool_], basis: Floats, ridge: float, prox: Prox, rho: float) -> Floats:
    """The minimisers a of ridge/2 ‖a‖² + g(x; Ba) of each row x of X, by ADMM, each row until it is met.

    ``prox(x, e, 1/ρ)`` is the proximity operator of g at e, entry by entry; entries that are not known have g = 0.
    """
    codes = np.zeros((len(X), basis.shape[1]))
    if basis.shape[1] == 0:
        return codes
    inverse = np.linalg.inv(basis.T @ basis + ridge / rho * np.eye(basis.shape[1]))
    e, dual = np.where(known, X, 0.0), np.zeros(X.shape)
    active = np.arange(len(X))
    size = np.maximum(np.linalg.norm(e, axis=1), np.finfo(float).tiny)
    for _ in range(5000):
        a = (e[active] - dual[active]) @ basis @ inverse
        fitted = a @ basis.T
        at = fitted + dual[active]
        fresh = np.where(known[active], prox(X[active], at, 1.0 / rho), at)
        moved = np.linalg.norm(fresh - e[active], axis=1)
        missed = np.linalg.norm(fitted - fresh, axis=1)
        e[active], dual[active], codes[active] = fresh, at - fresh, a
        active = active[np.maximum(moved, missed) > 1e-9 * size[active]]
        if len(active) == 0:
            break
    return codes


def soft(x: Floats, t: float) -> Floats:
    """Soft thresholding: x less t, towards 0."""
    return np.sign(x) * np.maximum(np.abs(x) - t, 0.0)


class _TableOfParts(OneToOneFeatureMixin, TransformerMixin, GCGEstimator):  # type: ignore[misc]
    """A table with gaps to one of low rank, and new rows alike."""

    components_: Floats
    _shape: tuple[int, int]

    def _table(self, X: Any, reset: bool) -> tuple[Floats, NDArray[np.bool_]]:
        X = validate_data(self, X, reset=reset, dtype=FLOATS, ensure_all_finite="allow-nan")
        known = ~np.isnan(X)
        if reset:
            self._shape = X.shape
        return np.where(known, X, 0.0).astype(np.float64), known

    def _warms(self, warm: Model) -> bool:
        return self._low.shape == self._shape

    def _keep(self, outcome: Outcome) -> None:
        assert outcome.model is not None
        self.components_ = outcome.model.right().T.copy()
        self._low: Floats = outcome.model.dense()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class RobustPCA(_TableOfParts):
    r"""A table as one of low rank plus one of few entries.

    It minimises over L and S, at the known entries of D,

    .. math:: \tfrac12 \|D - L - S\|_F^2 + \lambda \|L\|_* + \lambda_1 \|S\|_1

    or, with ``equal``, λ‖L‖_* + λ₁‖S‖₁ with L + S = D: principal component pursuit of Candès et al. (2011). ``transform`` gives
    the table without its outliers; of a new row it finds the part in the row space of L.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0 of the trace norm. "auto" is 1 with ``equal``; else it follows from the noise that is found, or with
        ``l1`` is what predicts held-out entries best.
    l1 : float, default=None
        The weight λ₁ > 0 of the sparse part; None is λ/√max(n_samples, n_features), or follows from the noise where λ does:
        three standard deviations.
    equal : bool, default=True
        Both parts add up to the table; False leaves dense noise between them.
    tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`; ``tol`` is 1e-4 by default. A table of another shape begins anew.

    Attributes
    ----------
    low_rank_, sparse_ : ndarrays of shape (n_samples, n_features)
        L and S.
    components_ : ndarray of shape (rank_, n_features)
        The row space of L, times the roots of its singular values.
    noise_ : float or None
        The standard deviation of the noise that λ and λ₁ follow from, 0 for none; None where they are given.
    rank_, lam_, l1_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from gcg import RobustPCA
    >>> rng = np.random.default_rng(0)
    >>> low = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 40))
    >>> D = low.copy()
    >>> D[rng.random(D.shape) < 0.05] += 10
    >>> model = RobustPCA().fit(D)
    >>> model.rank_, bool(np.abs(model.low_rank_ - low).max() < 0.05)
    (2, True)
    >>> noisy = RobustPCA(equal=False).fit(D + 0.1 * rng.normal(size=D.shape))
    >>> noisy.rank_, round(noisy.noise_, 1)
    (2, 0.1)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "l1": [NOT_NEGATIVE, None],
        "equal": ["boolean"],
    }

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        l1: float | None = None,
        equal: bool = True,
        tol: float = 1e-4,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.l1 = l1
        self.equal = equal
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @checked
    def fit(self, X: Any, y: Any = None) -> RobustPCA:
        """Fit both parts.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The table D; NaN is a missing entry.
        y : None
            Not used.

        Returns
        -------
        self
        """
        D, known = self._table(X, reset=True)
        command = ["fit", "rpca"]
        if self.equal:
            command.append("--equal")
        if self.l1 is not None:
            command.append(f"--l1={float(self.l1)!r}")
        lam: float | str = 1.0 if self.equal and self.lam == "auto" else self.lam
        self._call([*command, *self._arguments(lam)], [File("features", np.where(known, D, np.nan), "X")])
        said = self.result_ if isinstance(self.result_, dict) else {}
        self.l1_ = float(said.get("l1") or self.l1 or self.lam_ / np.sqrt(max(D.shape)))
        parts = said.get("parts") or {}
        self._equal = bool(parts.get("equal", self.equal))
        self.noise_ = parts.get("noise")
        self.low_rank_ = self._low
        left = np.where(known, D - self._low, 0.0)
        self.sparse_ = left if self._equal else soft(left, self.l1_)
        return self

    def transform(self, X: Any) -> Floats:
        """The table without outliers and with its gaps filled, of shape (n_samples, n_features)."""
        check_is_fitted(self)
        D, known = self._table(X, reset=False)
        basis = self.components_.T
        l1 = self.l1_
        if self._equal:
            rho = l1 / self._typical()

            def pursue(x: Floats, at: Floats, t: float) -> Floats:
                return x - soft(x - at, l1 * t)

            return fold(D, known, basis, self.lam_, pursue, rho) @ basis.T

        def huber(x: Floats, at: Floats, t: float) -> Floats:
            return x - np.where(np.abs(x - at) <= l1 * (1 + t), (x - at) / (1 + t), soft(x - at, l1 * t))

        return fold(D, known, basis, self.lam_, huber, 1.0) @ basis.T

    def _typical(self) -> float:
        """The size of an entry of L."""
        return max(float(np.sqrt((self.low_rank_**2).mean())), np.finfo(float).tiny)


class SparseLowRank(_TableOfParts):
    r"""A table as one matrix that is sparse and of low rank at once.

    It minimises over X, at the N known entries of D,

    .. math:: \tfrac{1}{2N} \|X - D\|_\Omega^2 + \lambda \|X\|_* + \lambda_1 \|X\|_1

    as for covariances and graphs of blocks (Richard et al. 2012, Argyriou et al. 2014). ``transform`` gives the estimate; of a
    new row it finds the part in the row space of X.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0 of the trace norm. "auto" takes a path and what predicts held-out entries best.
    l1 : float, default=0.0
        The weight λ₁ ≥ 0 of the ℓ1 norm.
    tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`; ``tol`` is 1e-4 by default. A table of another shape begins anew.

    Attributes
    ----------
    matrix_ : ndarray of shape (n_samples, n_features)
        X.
    components_ : ndarray of shape (rank_, n_features)
        Its row space, times the roots of its singular values.
    rank_, lam_, lambdas_, mse_path_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from gcg import SparseLowRank
    >>> rng = np.random.default_rng(0)
    >>> blocks = np.kron(np.eye(3), np.ones((8, 8)))
    >>> D = blocks + 0.3 * rng.normal(size=blocks.shape)
    >>> model = SparseLowRank(lam=0.002, l1=2e-4).fit(D)
    >>> bool(np.abs(model.matrix_ - blocks).mean() < 0.6 * np.abs(D - blocks).mean())
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "l1": [NOT_NEGATIVE],
    }

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        l1: float = 0.0,
        tol: float = 1e-4,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.l1 = l1
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @checked
    def fit(self, X: Any, y: Any = None) -> SparseLowRank:
        """Fit the matrix.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            The table D; NaN is a missing entry.
        y : None
            Not used.

        Returns
        -------
        self
        """
        D, known = self._table(X, reset=True)
        if known.sum() < 2 or (self.lam == "auto" and len(D) < 2):
            raise ValueError(f"n_samples={len(D)} with {int(known.sum())} known entries are too few to fit")
        row, col = np.nonzero(known)
        entries = {"row": row.astype(np.int32), "col": col.astype(np.int32), "data": D[known]}
        shape = f"--shape={D.shape[0]},{D.shape[1]}"
        self._count = int(known.sum())
        command = ["fit", "recovery", shape, f"--l1={float(self.l1)!r}", *self._arguments()]
        self._call(command, [File("train", {**entries, "shape": np.array(D.shape)}, "X")])
        self.matrix_ = self._low
        return self

    def transform(self, X: Any) -> Floats:
        """The estimate of the rows, of shape (n_samples, n_features)."""
        check_is_fitted(self)
        D, known = self._table(X, reset=False)
        basis, weight, l1 = self.components_.T, 1.0 / self._count, float(self.l1)

        def shrink(x: Floats, at: Floats, t: float) -> Floats:
            return soft((weight * t * x + at) / (1 + weight * t), l1 * t / (1 + weight * t))

        return fold(D, known, basis, self.lam_, shrink, weight) @ basis.T


class CUR(SelectorMixin, GCGEstimator):  # type: ignore[misc]
    r"""Rows and columns of a table that explain the rest: a selector of features, and of samples.

    Of the table D it minimises over W (n_features × n_samples)

    .. math:: \tfrac12 \|D - D W D\|_F^2 + \lambda \big( \sum_i \|W_{i:}\|_\infty + \sum_j \|W_{:j}\|_\infty \big)

    of Mairal et al. (2011) and Cheung and Li (2015): the rows of W that are not 0 are the columns of D to take, and its columns
    the rows. ``transform`` keeps the columns.

    Parameters
    ----------
    n_columns, n_rows : int, default=None
        How many to take, by the largest λ with as many; None are at most 10 of those selected.
    lam : float or "auto", default="auto"
        The weight λ > 0; "auto" is that of ``n_columns`` and ``n_rows``, or 0.002 of the smallest with W = 0.
    tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`; ``tol`` is 1e-3 by default. A table of another shape begins anew.

    Attributes
    ----------
    columns_, rows_ : ndarrays of int
        What was taken, best first.
    C_, U_, R_ : ndarrays
        D[:, columns_], the U that fits best, and D[rows_]: D ≈ C U R.
    error_ : float
        ‖D - C U R‖ / ‖D‖.
    lam_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from gcg import CUR
    >>> X, _ = load_wine(return_X_y=True)
    >>> model = CUR(n_columns=4, n_rows=6).fit(scale(X))
    >>> model.transform(scale(X)).shape
    (178, 4)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "n_columns": [COUNT, None],
        "n_rows": [COUNT, None],
    }

    def __init__(
        self,
        n_columns: int | None = None,
        n_rows: int | None = None,
        *,
        lam: float | str = "auto",
        tol: float = 1e-3,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.n_columns = n_columns
        self.n_rows = n_rows
        self.lam = lam
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @checked
    def fit(self, X: Any, y: Any = None) -> CUR:
        """Choose rows and columns.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Not used.

        Returns
        -------
        self
        """
        D = validate_data(self, X, dtype=FLOATS)
        self._shape: tuple[int, int] = D.shape
        for name, n, limit in (("n_columns", self.n_columns, D.shape[1]), ("n_rows", self.n_rows, D.shape[0])):
            if n is not None and not 1 <= n <= limit:
                raise ValueError(f"{name}={n} must be between 1 and {limit}")
        command = ["fit", "cur"]
        if self.n_columns is not None:
            command.append(f"--columns={int(self.n_columns)}")
        if self.n_rows is not None:
            command.append(f"--rows={int(self.n_rows)}")
        self._call([*command, *self._arguments()], [File("features", D, "X")])
        D = D.astype(np.float64)
        self.C_, self.R_ = D[:, self.columns_], D[self.rows_]
        self.U_: Floats = np.linalg.pinv(self.C_) @ D @ np.linalg.pinv(self.R_)
        norm = float(np.linalg.norm(D))
        self.error_ = float(np.linalg.norm(D - self.C_ @ self.U_ @ self.R_)) / norm if norm else 0.0
        return self

    def _warms(self, warm: Model) -> bool:
        return (len(warm.v), len(warm.u)) == self._shape

    def _keep(self, outcome: Outcome) -> None:
        chosen = outcome.result["selection"]
        rows, columns = chosen.get("taken", [len(chosen["rows"]), len(chosen["columns"])])
        self.columns_: NDArray[np.int64] = np.array([int(c["name"]) - 1 for c in chosen["columns"]], dtype=np.int64)[:columns]
        self.rows_: NDArray[np.int64] = np.array([int(r["name"]) - 1 for r in chosen["rows"]], dtype=np.int64)[:rows]

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.columns_] = True
        return mask


class MultiViewDictionary(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GCGEstimator):  # type: ignore[misc]
    r"""What several views of the same samples share: a dictionary for each view, and codes for the samples.

    With views X⁽ᵛ⁾ (n_samples × n_features of the view) it minimises

    .. math:: \tfrac12 \sum_v \|W^{(v)} - X^{(v)}\|_F^2 + \lambda \kappa(W)

    where κ is the gauge of two views of White et al. (2012): W = D H with dictionary columns of length at most 1 in each view.
    With more views κ is the trace norm, or the convex model of any number of views.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0. "auto" takes a path and what predicts held-out entries best.
    views : sequence of int, default=None
        How many features each view has where X is one table; None is two halves. A list of tables needs no ``views``.
    gauge : {"auto", "multiview", "views", "trace"}, default="auto"
        "auto" is "multiview" of two views, "views" of more.
    tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`; ``tol`` is 1e-4 by default. A table of another shape begins anew.

    Attributes
    ----------
    dictionaries_ : list of ndarrays of shape (n_features of the view, n_components_)
    n_components_ : int
        The rank of W.
    view_sizes_ : list of int
    rank_, lam_, lambdas_, score_path_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from gcg import MultiViewDictionary
    >>> rng = np.random.default_rng(0)
    >>> shared = rng.normal(size=(50, 2))
    >>> first = shared @ rng.normal(size=(2, 6)) + 0.1 * rng.normal(size=(50, 6))
    >>> second = shared @ rng.normal(size=(2, 4)) + 0.1 * rng.normal(size=(50, 4))
    >>> model = MultiViewDictionary(lam=5.0).fit([first, second])
    >>> model.transform([first, second]).shape
    (50, 2)
    >>> model.reconstruct([first, None])[1].shape
    (50, 4)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "views": ["array-like", None],
        "gauge": [StrOptions({"auto", "multiview", "views", "trace"})],
    }

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        views: Sequence[int] | None = None,
        gauge: str = "auto",
        tol: float = 1e-4,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.views = views
        self.gauge = gauge
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @checked
    def fit(self, X: Any, y: Any = None) -> MultiViewDictionary:
        """Fit the dictionaries.

        Parameters
        ----------
        X : list of arrays of shape (n_samples, n_features of the view), or array of shape (n_samples, n_features)
        y : None
            Not used.

        Returns
        -------
        self
        """
        sizes: list[int] | None = None
        if isinstance(X, (list, tuple)) and X and np.ndim(X[0]) == 2:
            sizes = [int(np.shape(x)[1]) for x in X]
            X = np.hstack([np.asarray(x) for x in X])
        X = validate_data(self, X, dtype=FLOATS, ensure_min_features=2)
        if sizes is None:
            half = X.shape[1] // 2
            sizes = [X.shape[1] - half, half] if self.views is None else [int(n) for n in self.views]
        if len(sizes) < 2 or min(sizes) < 1 or sum(sizes) != X.shape[1]:
            raise ValueError(f"views={sizes} are two numbers or more that add up to the {X.shape[1]} features")
        self._same = [len(X), *sizes] == [getattr(self, "_samples", None), *getattr(self, "view_sizes_", [])]
        self.view_sizes_, self._samples = sizes, len(X)
        gauge = ("multiview" if len(sizes) == 2 else "views") if self.gauge == "auto" else self.gauge
        parts = np.split(X, np.cumsum(sizes)[:-1], axis=1)
        files = [File("view", np.ascontiguousarray(part), f"view {k + 1}") for k, part in enumerate(parts)]
        self._call(["fit", "multiview", f"--gauge={gauge}", *self._arguments()], files)
        return self

    def _warms(self, warm: Model) -> bool:
        return self._same

    def _keep(self, outcome: Outcome) -> None:
        assert outcome.model is not None
        self._dictionary: Floats = outcome.model.left()
        if outcome.model.u.shape[1] == 0:
            self._dictionary = np.zeros((self.n_features_in_, 1))  # a code of one 0
        self.n_components_ = self._dictionary.shape[1]
        self.dictionaries_ = np.split(self._dictionary, np.cumsum(self.view_sizes_)[:-1])

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _codes(self, X: Floats, given: NDArray[np.bool_]) -> Floats:
        D = self._dictionary[given]
        gram = D.T @ D + max(self.lam_, np.finfo(float).tiny) * np.eye(D.shape[1])
        return np.asarray(np.linalg.solve(gram, D.T @ X[:, given].T).T, dtype=np.float64)

    def transform(self, X: Any) -> Floats:
        """The codes of samples, of shape (n_samples, n_components_)."""
        check_is_fitted(self)
        if isinstance(X, (list, tuple)) and X and np.ndim(X[0]) == 2:
            X = np.hstack([np.asarray(x) for x in X])
        X = validate_data(self, X, reset=False, dtype=FLOATS)
        return self._codes(X, np.ones(X.shape[1], dtype=bool))

    def reconstruct(self, views: Sequence[Any]) -> list[Floats]:
        """All views, from those that are given: the others are None."""
        check_is_fitted(self)
        if len(views) != len(self.view_sizes_) or all(x is None for x in views):
            raise ValueError(f"views are {len(self.view_sizes_)} tables, of which one is given at least")
        count = next(len(x) for x in views if x is not None)
        tables = [np.zeros((count, n)) if x is None else np.asarray(x) for x, n in zip(views, self.view_sizes_, strict=True)]
        given = np.repeat([x is not None for x in views], self.view_sizes_)
        codes = self._codes(np.hstack(tables), given)
        return [codes @ d.T for d in self.dictionaries_]


__all__ = ["CUR", "MultiViewDictionary", "RobustPCA", "SparseLowRank", "SparsePCA"]
