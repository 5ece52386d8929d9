"""Sparse and low-rank estimators with a certificate of how far they are from the optimum."""

from ._base import Certificate
from ._linear import LowRankClassifier, MultiTaskRegressor, SparseClassifier, SparseRegressor

__version__ = "0.1.0"
__all__ = [
    "Certificate",
    "LowRankClassifier",
    "MultiTaskRegressor",
    "SparseClassifier",
    "SparseRegressor",
]
