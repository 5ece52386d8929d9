"""scikit-learn's own checks over every estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import gcg

ESTIMATORS = [
    gcg.SparseRegressor(),
    gcg.SparseRegressor(lam=0.1),
    gcg.MultiTaskRegressor(),
    gcg.MultiTaskRegressor(lam=0.1, penalty="group"),
    gcg.LowRankImputer(),
    gcg.LowRankImputer(lam=1.0, scale=False, keep_empty_features=True),
    gcg.LowRankClassifier(),
    gcg.SparseClassifier(),
    gcg.SparseClassifier(C=10.0),
    gcg.SparsePCA(),
    gcg.RobustPCA(),
    gcg.RobustPCA(lam=0.5, equal=False),
    gcg.SparseLowRank(),
    gcg.SparseLowRank(lam=0.01, l1=0.001),
    gcg.CUR(),
    gcg.MultiViewDictionary(),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimators(estimator, check):
    check(estimator)
