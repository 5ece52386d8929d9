"""Gaps in tables, and sparse components, beside scikit-learn and fancyimpute.

    python benchmarks/decompositions.py [--only PART] [--repeats 5]

One thread, medians of five, CPU seconds. A table of 1000 × 100 of rank 5 with noise has a fifth of its entries missing; the
measure is the root of the mean squared error at these. Components of four variables each are of 200 × 100 samples; the
measure is the part of the variance that they explain together.
"""

from __future__ import annotations

from beside import Row, run  # isort: skip

from typing import Any

import fancyimpute
import numpy as np
from sklearn import decomposition
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

import gcg


def gaps() -> Row:
    rng = np.random.default_rng(0)
    full = rng.standard_normal((1000, 5)) @ rng.standard_normal((5, 100)) + 0.5 * rng.standard_normal((1000, 100))
    missing = rng.random(full.shape) < 0.2
    X = np.where(missing, np.nan, full)

    def error(filled: Any) -> float:
        return float(np.sqrt(((filled - full)[missing] ** 2).mean()))

    return Row(
        "gaps, 1000 × 100",
        {
            "gcg": lambda: gcg.LowRankImputer(n_jobs=1).fit_transform(X),
            "IterativeImputer": lambda: IterativeImputer(random_state=0).fit_transform(X),
            "SoftImpute": lambda: fancyimpute.SoftImpute(verbose=False).fit_transform(X),
        },
        error,
        "RMSE of the gaps",
        relative=False,
    )


def components() -> Row:
    rng = np.random.default_rng(1)
    directions = np.zeros((3, 100))
    for k in range(3):
        directions[k, 4 * k : 4 * k + 4] = 0.5
    X = rng.standard_normal((200, 3)) * [5, 4, 3] @ directions + rng.standard_normal((200, 100))
    X -= X.mean(axis=0)

    def explained(loadings: Any) -> float:
        loadings = loadings * (np.argsort(np.argsort(-np.abs(loadings), axis=1), axis=1) < 4)  # the four largest of each
        scores = X @ np.linalg.pinv(loadings)
        fitted = np.linalg.lstsq(scores, X, rcond=None)[0]
        return float(((scores @ fitted) ** 2).sum() / (X**2).sum())

    return Row(
        "three components of four variables, 200 × 100",
        {
            "gcg": lambda: gcg.SparsePCA(3, nonzeros=4, n_jobs=1).fit(X).components_,
            "SparsePCA": lambda: decomposition.SparsePCA(3, alpha=4, random_state=0).fit(X).components_,
            "MiniBatchSparsePCA": lambda: decomposition.MiniBatchSparsePCA(3, alpha=4, random_state=0).fit(X).components_,
        },
        explained,
        "variance explained",
        relative=False,
        larger=True,
    )


if __name__ == "__main__":
    run([gaps(), components()], ["scikit-learn", "fancyimpute"])
