"""scikit-learn's own checks over every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import gcg

ESTIMATORS = [
    gcg.SparseRegressor(),
    gcg.SparseRegressor(lam=0.1),
    gcg.MultiTaskRegressor(),
    gcg.MultiTaskRegressor(lam=0.1, penalty="group"),
    gcg.LowRankClassifier(),
    gcg.SparseClassifier(),
    gcg.SparseClassifier(C=10.0),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimators(estimator, check):
    check(estimator)
