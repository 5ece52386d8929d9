"""Pictures are drawn, and refusals say why."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris

import gcg
import gcg.plot

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
X, Y = load_diabetes(return_X_y=True)


def test_each_picture_has_what_it_says():
    model = gcg.SparseRegressor().fit(X, Y)
    assert len(gcg.plot.path(model).lines[0].get_xdata()) == len(model.lambdas_)
    assert len(gcg.plot.coefficients(model).lines[0].get_xdata()) == (model.coef_ != 0).sum()
    upper, lower = gcg.plot.convergence(model).lines[:2]
    assert (np.array(upper.get_ydata()) >= np.array(lower.get_ydata())).all()
    classes = gcg.LowRankClassifier(lam=0.01).fit(*load_iris(return_X_y=True))
    assert len(gcg.plot.spectrum(classes).lines[0].get_xdata()) == classes.rank_
    assert len(gcg.plot.coefficients(classes).get_legend().get_texts()) == 3


def test_a_path_has_a_score_for_every_estimator_that_chooses():
    rng = np.random.default_rng(0)
    ratings = sparse.csr_array(np.where(rng.random((40, 30)) < 0.5, rng.integers(1, 6, (40, 30)), 0).astype(float))
    for model in (gcg.Recommender().fit(ratings), gcg.ImplicitRecommender().fit(ratings)):
        assert len(model.score_path_) == len(model.lambdas_)
    model = gcg.LowRankClassifier().fit(*load_iris(return_X_y=True))
    assert len(gcg.plot.path(model).lines[0].get_xdata()) == len(model.lambdas_)


def test_no_path_of_a_number():
    with pytest.raises(ValueError, match="number for lam"):
        gcg.plot.path(gcg.SparseRegressor(lam=1).fit(X, Y))


def test_the_representation_is_that_of_scikit_learn():
    assert "SparseRegressor" in gcg.SparseRegressor(lam=3)._repr_html_()
