"""Sparse and low-rank estimators with a certificate of how far they are from the optimum."""

from ._base import Certificate
from ._decomposition import CUR, MultiViewDictionary, RobustPCA, SparseLowRank, SparsePCA
from ._imputer import LowRankImputer
from ._linear import CoxRegressor, LowRankClassifier, MultiTaskRegressor, SparseClassifier, SparseRegressor
from ._recommender import ImplicitRecommender, Recommender

__version__ = "0.2.0"
__all__ = [
    "CUR",
    "Certificate",
    "CoxRegressor",
    "ImplicitRecommender",
    "LowRankClassifier",
    "LowRankImputer",
    "MultiTaskRegressor",
    "MultiViewDictionary",
    "Recommender",
    "RobustPCA",
    "SparseClassifier",
    "SparseLowRank",
    "SparsePCA",
    "SparseRegressor",
]
