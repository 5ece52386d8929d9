"""Recommenders beside implicit, cmfrec and scikit-surprise, on MovieLens data of your own.

    python benchmarks/recommend.py --data DIR [--only PART] [--repeats 5]

DIR has ml-100k's ua.base and ua.test in movielens-100k/, and a ratings.csv.gz of user, item, rating in movielens-1m/. One
thread, CPU seconds, medians of five. Clicks are all ratings of MovieLens-1M, a fifth of them held out; the measure is
recall@20, the mean over users of the part of the held-out items among the first twenty. Ratings are the ua split. Rivals are
tuned on the test part over the grids below, which favours them, and the time of their best fit alone is said.
"""

from __future__ import annotations

from beside import Fit, Row, arguments, cpu, run  # isort: skip

import sys
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import cmfrec
import numpy as np
import pandas as pd
import surprise
from implicit.als import AlternatingLeastSquares
from scipy import sparse

import gcg

TOP = 20
CLICKS = {"factors": (32, 64, 128), "alpha": (1.0, 5.0), "regularization": (1.0, 10.0)}
CMF = {"k": (20, 40), "lambda_": (5.0, 10.0, 20.0)}
SVD = {"n_factors": (20, 100), "reg_all": (0.02, 0.05, 0.1)}


def grid(of: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(of, values, strict=True)) for values in product(*of.values())]


def best_of(of: dict[str, Any], fit: Any, worth: Any, larger: bool) -> Fit:
    """The fit with the settings of the grid that are best on the test part."""
    start = cpu()
    reached = [(worth(fit(**s)), s) for s in grid(of)]
    print(f"{fit.__name__}: {len(reached)} fits of the grid took {cpu() - start:.1f} CPU s", file=sys.stderr)
    best = (max if larger else min)(reached, key=lambda r: r[0])[1]
    return lambda: fit(**best)


def clicks(data: Path) -> Row:
    frame = pd.read_csv(data / "movielens-1m" / "ratings.csv.gz")
    u, i = (pd.factorize(frame.iloc[:, c])[0] for c in (0, 1))
    held = np.random.default_rng(0).random(len(frame)) < 0.2
    shape = (u.max() + 1, i.max() + 1)
    train = sparse.csr_array((np.ones((~held).sum(), dtype=np.float32), (u[~held], i[~held])), shape=shape)
    test = sparse.csr_array((np.ones(held.sum()), (u[held], i[held])), shape=shape)

    def recall(factors: tuple[Any, Any]) -> float:
        U, V = factors
        scores = np.asarray(U @ V.T, dtype=np.float64)
        scores[train.nonzero()] = -np.inf
        first = np.argpartition(-scores, TOP, axis=1)[:, :TOP]
        hits = np.array([test[[k], :].toarray().ravel()[first[k]].sum() for k in range(shape[0])])
        known = test.sum(axis=1)
        return float((hits[known > 0] / known[known > 0]).mean())

    def of_implicit(**settings: Any) -> tuple[Any, Any]:
        model = AlternatingLeastSquares(**settings, num_threads=1, random_state=0)
        model.fit(sparse.csr_matrix(train), show_progress=False)
        return model.user_factors, model.item_factors

    def of_cmfrec(k: int, alpha: float, lambda_: float) -> tuple[Any, Any]:
        model = cmfrec.CMF_implicit(k=k, alpha=alpha, lambda_=lambda_, nthreads=1).fit(sparse.coo_matrix(train))
        return model.A_, model.B_

    def of_gcg() -> tuple[Any, Any]:
        model = gcg.ImplicitRecommender(n_jobs=1).fit(train)
        return model.user_factors, model.item_factors

    others = {"k": CLICKS["factors"][1:2], "alpha": CLICKS["alpha"], "lambda_": CLICKS["regularization"]}
    solvers: dict[str, Fit] = {
        "gcg": of_gcg,
        "implicit": best_of(CLICKS, of_implicit, recall, larger=True),
        "cmfrec": best_of(others, of_cmfrec, recall, larger=True),
    }
    return Row("clicks, MovieLens-1M", solvers, recall, f"recall@{TOP}", relative=False, larger=True)


def ratings(data: Path) -> Row:
    names = ["user", "item", "rating", "time"]
    train, test = (
        pd.read_csv(data / "movielens-100k" / f"ua.{part}", sep="\t", names=names)[names[:3]] for part in ("base", "test")
    )

    def error(predicted: Any) -> float:
        return float(np.sqrt(((np.clip(predicted, 1, 5) - test.rating) ** 2).mean()))

    def of_gcg(**settings: Any) -> Any:
        return gcg.Recommender(n_jobs=1, **settings).fit(train).predict(test.user, test["item"])

    def of_cmfrec(**settings: Any) -> Any:
        frame = train.set_axis(["UserId", "ItemId", "Rating"], axis=1)
        return cmfrec.CMF(**settings, nthreads=1).fit(frame).predict(test.user, test["item"])

    def of_surprise(**settings: Any) -> Any:
        whole = surprise.Dataset.load_from_df(train, surprise.Reader(rating_scale=(1, 5))).build_full_trainset()
        model = surprise.SVD(**settings, random_state=0).fit(whole)
        return np.array([model.predict(a, b).est for a, b in zip(test.user, test["item"], strict=True)])

    solvers: dict[str, Fit] = {
        "gcg": of_gcg,
        "gcg, rated": partial(of_gcg, rated="items"),
        "cmfrec": best_of(CMF, of_cmfrec, error, larger=False),
        "scikit-surprise": best_of(SVD, of_surprise, error, larger=False),
    }
    return Row("ratings, MovieLens-100k ua", solvers, error, "test RMSE", relative=False)


def main() -> None:
    options = arguments()
    options.add_argument("--data", type=Path, required=True)
    said = options.parse_args()
    rows = {"clicks": clicks, "ratings": ratings}
    run([of(said.data) for name, of in rows.items() if said.only in name], ["implicit", "cmfrec", "scikit-surprise"], said)


if __name__ == "__main__":
    main()
