"""Weights of samples and of classes."""

import numpy as np
import pytest
from sklearn import datasets
from sklearn.base import clone

import gcg


@pytest.mark.parametrize("folds", [None, 3])
@pytest.mark.parametrize("signs", [True, False])
def test_weights_of_samples_repeat_them(folds, signs):
    X, y = datasets.load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    estimators = [gcg.SparseRegressor(loss="huber:0.5", tol=1e-9), gcg.SparseRegressor(alpha=0.01, tol=1e-9)]
    if signs:
        y = (y > 0).astype(int)
        estimators = [gcg.SparseClassifier(C=1.0, tol=1e-9), gcg.LowRankClassifier(lam=0.01, tol=1e-8)]
    for model in estimators:
        if folds is not None and "folds" in model.get_params():
            model.set_params(folds=folds)
        one = clone(model).fit(X, y, sample_weight=weight)
        other = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
        np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-3)


def test_balanced_classes():
    X, y = datasets.load_iris(return_X_y=True)
    X, y = X[30:], y[30:]
    for make in (gcg.SparseClassifier, gcg.LowRankClassifier):
        balanced = make(C=1.0, class_weight="balanced", tol=1e-8).fit(X, y)
        by_hand = make(C=1.0, tol=1e-8).fit(X, y, sample_weight=len(y) / (3 * np.bincount(y)[y]))
        np.testing.assert_allclose(balanced.coef_, by_hand.coef_, atol=1e-6)
        assert not np.allclose(balanced.coef_, make(C=1.0, tol=1e-8).fit(X, y).coef_, atol=1e-3)
