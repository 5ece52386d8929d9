"""Ratings and clicks to recommendations, by the habits of the package implicit."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from ._base import POSITIVE, Constraints, GCGEstimator, checked
from ._bridge import File, Outcome
from ._model import Floats, Model

Ints = NDArray[np.int64]


class _Ratings:
    """Ratings as arrays, and the ids that their rows and columns stand for."""

    def __init__(
        self,
        user_items: Any,
        default: float | None = None,
        known: tuple[NDArray[Any], NDArray[Any]] | None = None,
        name: str = "user_items",
    ) -> None:
        self.name = name
        self.users: NDArray[Any]
        self.items: NDArray[Any]
        self.extra: dict[str, NDArray[Any]] = {}
        if sparse.issparse(user_items):
            X = sparse.csr_array(user_items)
            X.sum_duplicates()
            self.csr = X
            self.users, self.items = np.arange(X.shape[0]), np.arange(X.shape[1])
            self.frame = False
        elif hasattr(user_items, "columns"):
            self._read(user_items, default, known or (np.array([]), np.array([])))
            self.frame = True
        else:
            raise ValueError(
                f"{name} is a sparse matrix of users × items, or a frame with the columns user, item, rating, "
                f"not {type(user_items).__name__}"
            )
        if self.csr.nnz == 0:
            raise ValueError(f"{name} has no rating; one is needed at least")
        if not np.isfinite(self.csr.data).all():
            raise ValueError(f"{name}: Input contains NaN, infinity or a value too large: ratings are finite")

    def _read(self, frame: Any, default: float | None, known: tuple[NDArray[Any], NDArray[Any]]) -> None:
        """Columns by name in any order, or the first ones: user, item, rating[, weight, time]. Known ids keep their numbers."""
        names = [str(c).lower() for c in frame.columns]
        named = {c: names.index(c) for c in ("user", "item", "rating", "weight", "time") if c in names}
        if "user" not in named or "item" not in named:
            named = dict(zip(("user", "item", "rating", "weight", "time"), range(len(names)), strict=False))
        columns = list(frame.columns)
        values = {name: np.asarray(frame[columns[at]]) for name, at in named.items()}
        if "item" not in values or ("rating" not in values and default is None):
            raise ValueError(f"{self.name} has the columns {columns}; user, item and rating are needed")
        self.users, row = _numbered(values["user"], known[0])
        self.items, col = _numbered(values["item"], known[1])
        data = np.asarray(values.get("rating", np.full(len(row), default)), dtype=np.float64)
        shape = (len(self.users), len(self.items))
        key = row.astype(np.int64) * shape[1] + col
        if len(np.unique(key)) < len(key):
            if default is None:
                raise ValueError(f"{self.name} has a rating of the same user and item twice: keep the last, or their mean")
            _, first, at = np.unique(key, return_index=True, return_inverse=True)
            data = np.asarray(np.bincount(at, data), dtype=np.float64)
            row, col = row[first], col[first]
            values = {name: v[first] for name, v in values.items()}
        self.csr = sparse.csr_array((data, (row, col)), shape=shape)
        self.extra = {name: values[name][np.lexsort((col, row))] for name in ("weight", "time") if name in values}
        self.csr.sort_indices()

    def beside(self, also_seen: Any) -> dict[str, NDArray[Any]]:
        """Pairs without ratings, whose users and items have numbers here from then on, behind those of the ratings."""
        if hasattr(also_seen, "columns") != self.frame:
            raise ValueError("also_seen and user_items are of one kind: two sparse matrices, or two frames")
        pairs = _Ratings(also_seen, 1.0, (self.users, self.items), "also_seen")
        shape = tuple(max(n) for n in zip(self.csr.shape, pairs.csr.shape, strict=True))
        if self.frame:
            self.users, self.items = pairs.users, pairs.items
        else:
            self.users, self.items = np.arange(shape[0]), np.arange(shape[1])
        for X in (self.csr, pairs.csr):
            X.resize(shape)
        return pairs.arrays()

    def arrays(self) -> dict[str, NDArray[Any]]:
        X = self.csr
        shape = np.array(X.shape, dtype=np.int64)
        return {"indptr": X.indptr, "indices": X.indices, "data": X.data, "shape": shape, **self.extra}


def _numbered(ids: NDArray[Any], known: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """The different ids, those that are known first, and the place of each of ids among them."""
    found, at = np.unique(ids, return_inverse=True)
    if len(known) == 0:
        return found, np.asarray(at, dtype=np.int64)
    fresh = found[~np.isin(found, known)]
    every = np.concatenate([known, fresh])
    order = np.argsort(every, kind="stable")
    place = order[np.searchsorted(every[order], found)]
    return every, np.asarray(place[at], dtype=np.int64)


def _table(frame: Any, ids: NDArray[Any]) -> str:
    """Features as CSV, whose first column has the numbers of the ids; those that are not among them are left out."""
    if not hasattr(frame, "columns"):
        raise ValueError("features of users and items are a frame: the ids in the first column, or in the index")
    columns = list(frame.columns)
    named = getattr(getattr(frame, "index", None), "name", None)
    keys = np.asarray(frame.index) if named is not None else np.asarray(frame[columns.pop(0)])
    number = {key: str(at) for at, key in enumerate(ids.tolist())}
    fresh = iter(range(len(ids), len(ids) + len(keys)))
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["id", *columns])
    series = [np.asarray(frame[c]).tolist() for c in columns]
    for key, *row in zip(keys.tolist(), *series, strict=True):
        out.writerow([number.get(key) or str(next(fresh)), *("" if _gap(x) else x for x in row)])
    return text.getvalue()


def _gap(x: Any) -> bool:
    return x is None or (isinstance(x, float) and math.isnan(x))


class _Factors(GCGEstimator):
    """What recommendations are made of: score(u, i) = global + bias_u + bias_i + x_u·y_i."""

    user_factors: Floats
    item_factors: Floats
    users_: NDArray[Any]
    items_: NDArray[Any]
    _framed: bool

    def _fit(
        self, user_items: Any, arguments: list[str], default: float | None, tables: dict[str, Any], also_seen: Any = None
    ) -> None:
        warm = self.warm_start and hasattr(self, "_model") and self._framed == hasattr(user_items, "columns")
        ratings = _Ratings(user_items, default, (self.users_, self.items_) if warm else None)
        if self.warm_start and not warm:
            self.__dict__.pop("_model", None)
        files = [File("train", ratings.arrays(), "user_items")]
        if also_seen is not None:
            files.append(File("also-seen", ratings.beside(also_seen), "also_seen"))
        self.users_, self.items_ = ratings.users, ratings.items
        for flag, (frame, ids) in {
            "user-features": (tables.get("user"), ratings.users),
            "item-features": (tables.get("item"), ratings.items),
        }.items():
            if frame is not None:
                files.append(File(flag, _table(frame, ids), flag.replace("-", "_")))
        self._user_items = ratings.csr
        self._framed = ratings.frame
        self._call([*arguments, *self._arguments()], files)

    def _keep(self, outcome: Outcome) -> None:
        model = outcome.model
        assert model is not None
        rows, cols = _places(model, "row", len(self.users_)), _places(model, "col", len(self.items_))
        self._column = np.full(len(self.items_), -1)  # of the model, of each item
        self._column[cols[cols < len(self.items_)]] = np.flatnonzero(cols < len(self.items_))
        self.user_factors = _put(model.left(), rows, len(self.users_))
        self.item_factors = _put(model.right(), cols, len(self.items_))
        self.user_bias_ = _put(model.offset("row"), rows, len(self.users_))
        self.item_bias_ = _put(model.offset("col"), cols, len(self.items_))
        self.global_bias_ = float(model.tensors["global"][0])
        clip = model.tensors["clip"]
        self.clip_ = (float(clip[1]), float(clip[2])) if clip[0] else None
        self.center_ = str(model.info.get("center", "none"))
        self.weights_ = str(model.info.get("weights", "none"))
        self.rated_ = str(model.info.get("rated", "none"))
        self._gram = self.item_factors.T @ self.item_factors

    def _index(self, ids: Any, what: str, unknown: bool = False) -> Ints:
        """The rows that ids stand for: of a matrix they are rows themselves. Where unknown ids may be they are -1."""
        check_is_fitted(self)
        known = self.users_ if what == "user" else self.items_
        ids = np.atleast_1d(np.asarray(ids))
        order = np.argsort(known, kind="stable")
        at = np.searchsorted(known[order], ids)
        found = order[np.minimum(at, len(known) - 1)]
        wrong = known[found] != ids
        if unknown:
            found[wrong] = -1
        elif np.any(wrong):
            raise ValueError(f"{what} {ids[wrong][0]!r} is not in the model")
        return np.asarray(found, dtype=np.int64)

    def _baseline(self) -> Floats:
        return self.global_bias_ + self.item_bias_

    def predict(self, users: ArrayLike, items: ArrayLike) -> Floats:
        """The scores of pairs of users and items, of shape (n_pairs,).

        Of users or items that are not in the model they are the biases of what is known of the pair, or the mean of the
        ratings where nothing was taken off them; in a model with features, what all users or items have in common.
        """
        u, i = np.broadcast_arrays(self._index(users, "user", unknown=True), self._index(items, "item", unknown=True))
        known = (u >= 0) & (i >= 0)
        z = self.global_bias_ + np.where(u >= 0, self.user_bias_[u], 0) + np.where(i >= 0, self.item_bias_[i], 0)
        if known.all():
            left, right = self.user_factors[u], self.item_factors[i]
        else:
            left = np.where((u >= 0)[:, None], self.user_factors[u], self._constant("row"))
            right = np.where((i >= 0)[:, None], self.item_factors[i], self._constant("col"))
            if (
                self._model.info.get("mean") is not None
                and self.center_ in ("", "none")
                and "row_features" not in self._model.meta
            ):
                z = np.where(known, z, self._model.info["mean"])
        z = z + np.einsum("nk,nk->n", left, right)
        return np.asarray(z if self.clip_ is None else np.clip(z, *self.clip_), dtype=np.float64)

    def _constant(self, side: str) -> Floats:
        """The factor of a row or column of which nothing is known: 0 without features."""
        features = self._model.get(f"{side}_features")
        if features is None:
            return np.zeros(self.item_factors.shape[1])
        # the constant is the last of the features
        scale = json.loads(self._model.meta[f"{side}_features"])["scale"]
        return np.asarray(scale * features[-1] * np.sqrt(self._model.s), dtype=np.float64)

    def recalculate_user(self, userid: Any, user_items: Any, also_seen: Any = None) -> Floats:
        """The factors of users from ratings, with those of the items fixed: new users, or old ones with new ratings.

        Parameters
        ----------
        userid : scalar or array
            As many as ``user_items`` has rows; they need not be known.
        user_items : sparse matrix of shape (n_users, n_items)
        also_seen : sparse matrix of shape (n_users, n_items), default=None
            Items without ratings that join their lists of what was rated, where the model has lists of users.

        Returns
        -------
        ndarray of shape (n_users, n_factors), or (n_factors,) of one user
        """
        check_is_fitted(self)
        X = self._rows(user_items)
        if X.shape[1] != len(self.items_):
            raise ValueError(f"user_items has {X.shape[1]} columns, and the model {len(self.items_)} items")
        if X.shape[0] != np.atleast_1d(np.asarray(userid)).shape[0]:
            raise ValueError(f"user_items has {X.shape[0]} rows for {np.atleast_1d(np.asarray(userid)).shape[0]} users")
        factors = np.array([factor for factor, _ in self._new_users(X, also_seen)])
        return factors[0] if np.ndim(userid) == 0 else factors

    @staticmethod
    def _rows(user_items: Any) -> Any:
        """The ratings of some users as a sparse array."""
        if not sparse.issparse(user_items) and np.ndim(user_items) != 2:
            raise ValueError(
                f"user_items={user_items!r} is no matrix with a row for each user and a column for each item; "
                "N is how many items to recommend"
            )
        return sparse.csr_array(user_items)

    def _new_users(self, X: Any, also_seen: Any) -> list[tuple[Floats, float]]:
        """The factors of the rows of X, and their biases."""
        if also_seen is None:
            return [self._new_user(X, i, X.indices[:0]) for i in range(X.shape[0])]
        if "row_rated" not in self._model.meta:
            raise ValueError("also_seen: the model has no lists of what users have rated")
        seen = self._rows(also_seen)
        if seen.shape != X.shape:
            raise ValueError(f"also_seen has the shape {seen.shape}, and user_items {X.shape}")
        return [self._new_user(X, i, seen.indices[seen.indptr[i] : seen.indptr[i + 1]]) for i in range(X.shape[0])]

    def _new_user(self, X: Any, i: int, seen: Ints) -> tuple[Floats, float]:
        """The factor of row i of X, who has also seen some items, and its bias."""
        raise NotImplementedError

    def _of_clicks(self, cols: Ints, counts: Floats) -> Floats:
        """The factor of a user of so many clicks on some items."""
        if len(cols) == 0:
            return np.zeros(self.item_factors.shape[1])
        info, scale = self._model.info, self._scale(len(cols))
        v, more = self.item_factors[cols] * scale, info["implicit"] * counts
        gram = info["background"] * scale**2 * self._gram + (v * more[:, None]).T @ v
        return self._ridge(gram, v.T @ (info["background"] + more)) * scale

    def _scale(self, n: int) -> float:
        """The scale of a row of n ratings in the weighted trace norm."""
        info = self._model.info
        if self._model.get("row_scale") is None:
            return 1.0
        p = (n * info.get("row_weight", 0.0)) ** info.get("row_power", 0.0) + info.get("row_floor", 0.0)
        return 1.0 / math.sqrt(p)

    def _ridge(self, gram: Floats, rhs: Floats) -> Floats:
        info = self._model.info
        slope = info.get("slope")
        lam = float(info.get("lambda", 0.0) if slope is None else slope)
        if info.get("normalize") == "mean":
            lam *= info["observations"]
        lam = max(lam, 1e-10 * float(np.trace(gram)))
        if lam == 0:
            return np.zeros(len(rhs))
        return np.asarray(np.linalg.solve(gram + lam * np.eye(len(rhs)), rhs), dtype=np.float64)

    def recommend(
        self,
        userid: Any,
        user_items: Any = None,
        N: int = 10,
        filter_already_liked_items: bool = True,
        filter_items: ArrayLike | None = None,
        recalculate_user: bool = False,
        items: ArrayLike | None = None,
        also_seen: Any = None,
    ) -> tuple[NDArray[Any], Floats]:
        """The best items of users.

        Parameters
        ----------
        userid : scalar or array
            Ids of the fit.
        user_items : sparse matrix with a row for each user of userid, default=None
            What they have rated already; None takes that of the fit.
        N : int, default=10
            Items for each user.
        filter_already_liked_items : bool, default=True
            Leave out what is in ``user_items``.
        filter_items, items : array, default=None
            Leave these out; or take these alone.
        also_seen : sparse matrix with a row for each user of userid, default=None
            As of :meth:`recalculate_user`, with ``recalculate_user``.
        recalculate_user : bool, default=False
            Find the users' factors from ``user_items``.

        Returns
        -------
        ids, scores : arrays of shape (N,), or (n_users, N) for an array of users
            Where fewer items are left, scores end in -inf.
        """
        check_is_fitted(self)
        single = np.ndim(userid) == 0
        if recalculate_user:
            if user_items is None:
                raise ValueError("recalculate_user needs user_items")
            X = self._rows(user_items)
            new = self._new_users(X, also_seen)
            users, bias = np.array([factor for factor, _ in new]), np.array([bias for _, bias in new])
        else:
            if also_seen is not None:
                raise ValueError("also_seen goes with recalculate_user=True")
            at = self._index(userid, "user")
            users, bias = self.user_factors[at], self.user_bias_[at]
            X = self._user_items[at] if user_items is None else self._rows(user_items)
        if X.shape != (len(users), len(self.items_)):
            raise ValueError(f"user_items is {X.shape[0]} × {X.shape[1]}; it is {len(users)} users × {len(self.items_)} items")
        scores = users @ self.item_factors.T + self._baseline() + bias[:, None]
        if filter_already_liked_items:
            row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            scores[row, X.indices] = -np.inf
        if filter_items is not None:
            scores[:, self._index(filter_items, "item")] = -np.inf
        if items is not None:
            others = np.ones(len(self.items_), dtype=bool)
            others[self._index(items, "item")] = False
            scores[:, others] = -np.inf
        ids, best = _top(scores, N)
        return (self.items_[ids[0]], best[0]) if single else (self.items_[ids], best)

    def _similar(self, factors: Floats, known: NDArray[Any], at: Ints, n: int, single: bool) -> tuple[NDArray[Any], Floats]:
        length = np.linalg.norm(factors, axis=1)
        unit = factors / np.where(length > 0, length, 1.0)[:, None]
        ids, best = _top(unit[at] @ unit.T, n)
        return (known[ids[0]], best[0]) if single else (known[ids], best)

    def similar_items(self, itemid: Any, N: int = 10) -> tuple[NDArray[Any], Floats]:
        """The items whose factors have the largest cosine with those of an item, itself first: ids and cosines."""
        at = self._index(itemid, "item")
        return self._similar(self.item_factors, self.items_, at, N, np.ndim(itemid) == 0)

    def similar_users(self, userid: Any, N: int = 10) -> tuple[NDArray[Any], Floats]:
        """The users whose factors have the largest cosine with those of a user, itself first: ids and cosines."""
        at = self._index(userid, "user")
        return self._similar(self.user_factors, self.users_, at, N, np.ndim(userid) == 0)

    def partial_fit(self, user_items: Any, y: Any = None, **known: Any) -> Any:
        """Fit again with all ratings, old and new, from where the last fit ended, with its λ, centre and weights.

        Parameters
        ----------
        user_items : sparse matrix or frame
            All ratings. Users and items that are new are fitted from nothing, those that are gone keep their ids.
        **known
            What else ``fit`` takes, such as features or ``also_seen``: what the last fit had is not kept.
        """
        if not hasattr(self, "_model"):
            return self.fit(user_items, **known)
        again = self.get_params()
        chosen = {"lam": self.lam_, "warm_start": True}
        chosen.update({name: getattr(self, name + "_") for name in ("center", "weights") if name in again})
        chosen["weights"] = self._again(chosen.get("weights"))
        try:
            self.set_params(**{name: value for name, value in chosen.items() if name in again})
            return self.fit(user_items, **known)
        finally:
            self.set_params(**{name: again[name] for name in chosen if name in again})

    @staticmethod
    def _again(weights: Any) -> Any:
        return weights or "none"

    def fit(self, user_items: Any, y: Any = None) -> Any:
        raise NotImplementedError


def _places(model: Model, side: str, count: int) -> Ints:
    """The places of a model's rows or columns among those of the fit."""
    ids = model.ids(side)
    if len(ids) == count and ids[:1] == ["0"] and ids[-1:] == [str(count - 1)]:
        return np.array(ids, dtype=np.int64)
    return np.array([int(i) for i in ids], dtype=np.int64) if ids else np.arange(count)


def _put(values: Floats, at: Ints, count: int) -> Floats:
    out = np.zeros((count, *values.shape[1:]))
    kept = at < count  # those that features alone describe come after
    out[at[kept]] = values[kept]
    return out


def _top(scores: Floats, n: int) -> tuple[Ints, Floats]:
    """The n largest of each row, equal ones by their place."""
    n = max(0, min(int(n), scores.shape[1]))
    order = np.argsort(-scores, axis=1, kind="stable")[:, :n]
    return order, np.take_along_axis(scores, order, axis=1)


class Recommender(_Factors):
    r"""Ratings to a matrix of low rank, and recommendations from it.

    Of ratings R known at the entries Ω it minimises

    .. math:: \tfrac12 \sum_{ui \in \Omega} (c_{ui} + W_{ui} - R_{ui})^2 + \lambda \|W\|

    with means c taken off and the trace norm, weighted by how many ratings users and items have.

    Parameters
    ----------
    lam : float or "auto", default="auto"
        The weight λ > 0. "auto" chooses it with ``center`` and ``weights`` by what predicts held-out ratings best.
    center : {"auto", "none", "global", "rows", "cols", "both", "shrunk"}, default="auto"
        The means to take off: of all ratings, users, items, or both. "auto" is "none" where ``lam`` is a number.
    weights : str, default="auto"
        The weights of the trace norm: "none", "empirical", "power:P" or "smoothed:P". "auto" as of ``center``.
    rated : {"none", "auto", "users", "items", "both"}, default="auto"
        Lists of what was rated as features: "users" the items of each user, "items" the users of each item. "auto" tries
        them where ``lam``, ``center`` and ``weights`` are "auto", of 20,000 to 1,000,000 ratings. They say who rates, whatever
        the ratings.
    purpose : {"rating", "ranking"}, default="rating"
        "ranking" chooses the model whose lists are best for ratings that are held out, instead of the one whose predictions
        are; ratings taken for clicks are among the candidates. It chooses center, weights and rated itself.
    clip : {"auto", "none"} or str, default="auto"
        Keep predictions in the range of the ratings, in none, or in "LO,HI".
    max_rank : int, default=None
        The rank at most; None is no limit.
    tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`; ``tol`` is 1e-3 by default.

    Attributes
    ----------
    user_factors, item_factors : ndarrays of shape (n_users, rank_), (n_items, rank_)
    user_bias_, item_bias_ : ndarrays of shape (n_users,), (n_items,)
    global_bias_ : float
    users_, items_ : ndarrays
        The ids of rows and columns: numbers from 0 where a sparse matrix was fitted.
    clip_ : tuple of float, or None
    center_, weights_, rated_ : str
        What was chosen.
    rank_, lam_, lambdas_, mse_path_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from gcg import Recommender
    >>> rng = np.random.default_rng(0)
    >>> full = 3 + rng.normal(size=(40, 2)) @ rng.normal(size=(2, 30))
    >>> ratings = sparse.csr_array(np.where(rng.random(full.shape) < 0.6, full, 0))
    >>> model = Recommender(lam=1.0, center="global").fit(ratings)
    >>> ids, scores = model.recommend(0, N=3)
    >>> len(ids), bool(scores[0] >= scores[1] >= scores[2])
    (3, True)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "center": [StrOptions({"auto", "none", "global", "rows", "cols", "both", "shrunk"})],
        "weights": [str],
        "rated": [StrOptions({"auto", "none", "users", "items", "both"})],
        "purpose": [StrOptions({"rating", "ranking"})],
        "clip": [str],
    }

    def __init__(
        self,
        lam: float | str = "auto",
        *,
        center: str = "auto",
        weights: str = "auto",
        rated: str = "auto",
        purpose: str = "rating",
        clip: str = "auto",
        max_rank: int | None = None,
        tol: float = 1e-3,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.lam = lam
        self.center = center
        self.weights = weights
        self.rated = rated
        self.purpose = purpose
        self.clip = clip
        self.max_rank = max_rank
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @checked
    def fit(
        self, user_items: Any, y: Any = None, *, user_features: Any = None, item_features: Any = None, also_seen: Any = None
    ) -> Recommender:
        """Fit the matrix.

        Parameters
        ----------
        user_items : sparse matrix of shape (n_users, n_items), or frame
            Ratings; of a frame the columns user, item, rating[, weight, time], by name or in this order, ids of any type.
        y : None
            Not used.
        user_features, item_features : frame, default=None
            What is known of users and items: ids in the first column or in a named index, then numbers and categories.
        also_seen : sparse matrix or frame, as user_items, default=None
            Pairs without ratings, such as clicks, whose values are not used: they join the lists of ``rated``, which is then
            "both" where it is "auto". Users and items that only they have come after those of the ratings.

        Returns
        -------
        self
        """
        arguments = ["fit", "completion"]
        chosen = {"center": "auto", "weights": "auto", "rated": "auto", "clip": "auto"}
        for name, usual in chosen.items():
            stated = self.purpose == "rating" and name != "rated"  # unsaid, lists are tried as the command tries them
            if stated or getattr(self, name) != usual:
                arguments.append(f"--{name}={getattr(self, name)}")
        if self.purpose != "rating":
            arguments.append(f"--for={self.purpose}")
        if self.max_rank is not None:
            arguments.append(f"--max-rank={int(self.max_rank)}")
        self._fit(user_items, arguments, None, {"user": user_features, "item": item_features}, also_seen)
        return self

    def _new_user(self, X: Any, i: int, seen: Ints) -> tuple[Floats, float]:
        cols = X.indices[X.indptr[i] : X.indptr[i + 1]]
        values = np.asarray(X.data[X.indptr[i] : X.indptr[i + 1]], dtype=float)
        if "background" in self._model.info:  # clicks were best for ranking: ratings from a number on
            liked = values >= self._model.info.get("positive", -np.inf)
            return self._of_clicks(cols[liked], np.ones(liked.sum())), 0.0
        info, mean = self._model.info, self._towards(np.union1d(cols, seen))
        if len(cols) == 0:
            return mean, 0.0
        bias = 0.0
        if self._model.get("row_offset") is not None:
            left = values - self.global_bias_ - self.item_bias_[cols]
            bias = float(left.sum() / (len(cols) + info.get("row_shrink", 0.0)))
        scale = self._scale(len(cols))
        v = self.item_factors[cols] * scale
        target = values - self.global_bias_ - bias - self.item_bias_[cols] - self.item_factors[cols] @ mean
        return self._ridge(v.T @ v, v.T @ target) * scale + mean, bias

    def _towards(self, cols: Ints) -> Floats:
        """What the penalty of a new user pulls to: the mean user, or what features and the list of what was rated say."""
        model, root = self._model, np.sqrt(self._model.s)
        rated, mean = model.get("row_rated"), self._constant("row")
        if "row_features" not in model.meta and self.center_ in ("", "none"):
            mean = self.user_factors.mean(axis=0)
        if rated is None or len(cols) == 0:
            return np.asarray(mean, dtype=np.float64)
        of = json.loads(model.meta["row_rated"])
        columns = self._column[cols]
        known = rated[columns[(columns >= 0) & (columns < len(rated))]]
        return np.asarray(mean + of["weight"] * len(cols) ** -of["power"] * known.sum(axis=0) * root, dtype=np.float64)


class ImplicitRecommender(_Factors):
    r"""Clicks, plays or purchases to a matrix of low rank over all cells, and recommendations from it.

    Where a user has r clicks on an item the target is 1, with weight :math:`w_0 + \alpha r`, elsewhere 0 with weight
    :math:`w_0`, of Hu, Koren and Volinsky (2008); the penalty is λ times the trace norm, so that the problem is convex.

    Parameters
    ----------
    alpha : float, default=5.0
        The weight α > 0 of a click.
    lam : float or "auto", default="auto"
        The weight λ > 0 of the trace norm. "auto" chooses what ranks held-out clicks best.
    background : float, default=1.0
        The weight w₀ > 0 of a cell without clicks.
    max_rank : int, default=None
        The rank at most; None is no limit. It is what ``factors`` is of implicit.
    tol, max_iter, max_time, warm_start, n_jobs, random_state, verbose
        As of :class:`SparseRegressor`; ``tol`` is 1e-3 by default.

    Attributes
    ----------
    user_factors, item_factors : ndarrays of shape (n_users, rank_), (n_items, rank_)
    users_, items_ : ndarrays
        The ids of rows and columns: numbers from 0 where a sparse matrix was fitted.
    rank_, lam_, lambdas_, score_path_, certificate_, dual_gap_, n_iter_, status_
        As of :class:`SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from gcg import ImplicitRecommender
    >>> rng = np.random.default_rng(0)
    >>> likes = rng.random((60, 3)) @ rng.random((3, 40)) > 1.0
    >>> clicks = sparse.csr_array((likes & (rng.random(likes.shape) < 0.7)).astype(float))
    >>> model = ImplicitRecommender(lam=5.0).fit(clicks)
    >>> ids, scores = model.recommend([0, 1], N=4)
    >>> ids.shape
    (2, 4)
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **GCGEstimator._parameter_constraints,
        "alpha": [POSITIVE],
        "background": [POSITIVE],
    }

    def __init__(
        self,
        alpha: float = 5.0,
        *,
        lam: float | str = "auto",
        background: float = 1.0,
        max_rank: int | None = None,
        tol: float = 1e-3,
        max_iter: int | None = None,
        max_time: float | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        self.alpha = alpha
        self.lam = lam
        self.background = background
        self.max_rank = max_rank
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @checked
    def fit(self, user_items: Any, y: Any = None) -> ImplicitRecommender:
        """Fit the matrix.

        Parameters
        ----------
        user_items : sparse matrix of shape (n_users, n_items), or frame
            Counts of clicks; of a frame the columns user, item[, count], ids of any type. Clicks given twice add up.
        y : None
            Not used.

        Returns
        -------
        self
        """
        arguments = ["fit", "completion", f"--implicit={float(self.alpha)!r}", f"--background={float(self.background)!r}"]
        if self.max_rank is not None:
            arguments.append(f"--max-rank={int(self.max_rank)}")
        self._fit(user_items, arguments, 1.0, {})
        return self

    def _new_user(self, X: Any, i: int, seen: Ints) -> tuple[Floats, float]:
        row = slice(X.indptr[i], X.indptr[i + 1])
        return self._of_clicks(X.indices[row], np.asarray(X.data[row], dtype=float)), 0.0
