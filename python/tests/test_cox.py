"""Times until an event."""

import json
import pickle
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import gcg
from gcg import _bridge


def times(n=120):
    """Features, of which the last is one of three levels, times with ties, and whether the event was seen."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(n, 6))
    x[:, 5] = rng.integers(0, 3, n)
    t = np.ceil(5 * rng.exponential(np.exp(-x @ [1.0, -1.0, 0.5, 0.0, 0.0, 0.3])))
    return x, t, rng.random(n) < 0.7


X, TIME, SEEN = times()
Y = np.column_stack([TIME, SEEN])


def partial_likelihood(w, x, t, seen):
    """The negative log of Breslow's partial likelihood and its gradient, from the definition: an event at a time."""
    loss, gradient = 0.0, np.zeros(len(w))
    for i in np.flatnonzero(seen):
        at_risk = x[t >= t[i]]
        e = np.exp(at_risk @ w)
        loss += np.log(e.sum()) - x[i] @ w
        gradient += e @ at_risk / e.sum() - x[i]
    return loss, gradient


def pairs(t, seen, z):
    """Harrell's concordance, pair by pair."""
    right = comparable = 0.0
    for i in np.flatnonzero(seen):
        for j in range(len(t)):
            if t[i] < t[j] or (t[i] == t[j] and not seen[j]):
                comparable += 1
                right += 1.0 if z[i] > z[j] else 0.5 if z[i] == z[j] else 0.0
    return right / comparable


def command(folder, *arguments):
    """What the command says in JSON, and its model."""
    line = [_bridge.binary(), *arguments, "--loss=cox", "--json", "--model=m.gcg", "--quiet"]
    out = subprocess.run(line, cwd=folder, capture_output=True, check=True).stdout
    return json.loads(out), _bridge.Model((folder / "m.gcg").read_bytes())


@pytest.mark.parametrize("weighted", [False, True])
def test_the_command_gives_the_same_numbers(tmp_path, weighted):
    weight = np.random.default_rng(0).integers(1, 4, len(Y)).astype(float) if weighted else None
    flags = ["fit", "regression", "--features=X.npy", "--targets=y.npy", "--lambda=4", "--tol=1e-6"]
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", Y)
    if weight is not None:
        np.save(tmp_path / "w.npy", weight.reshape(-1, 1))
        flags.append("--sample-weights=w.npy")
    said, saved = command(tmp_path, *flags)
    model = gcg.CoxRegressor(lam=4).fit(X, Y, sample_weight=weight)
    assert model.certificate_.objective == said["objective"]
    assert model.certificate_.lower_bound == said["lower_bound"]
    np.testing.assert_array_equal(model.coef_, saved.dense()[:, 0])
    assert model.score(X, Y) == said["training"]["concordance"]


@pytest.mark.parametrize("folds", [None, 3])
def test_the_choice_of_lambda_is_that_of_the_command(tmp_path, folds):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", Y)
    files = ["regression", "--features=X.npy", "--targets=y.npy", "--tol=1e-6"]
    if folds is None:
        said, saved = command(tmp_path, "fit", *files)
        tried = said["tried"]
    else:
        tried, saved = command(tmp_path, "cv", *files, "--folds=3", "--select=min", "--points=40", "--ratio=1e-4")
    model = gcg.CoxRegressor(folds=folds).fit(X, Y)
    assert model.score_name_ == "partial deviance"
    assert model.lambdas_.tolist() == [t["lambda"] for t in tried]
    assert model.score_path_.tolist() == [t["partial_deviance"] for t in tried]
    assert model.lam_ == model.lam_min_ == model.lambdas_[model.score_path_.argmin()]
    np.testing.assert_array_equal(model.coef_, saved.dense()[:, 0])


def test_new_rows_are_scored_as_by_the_command(tmp_path):
    for name, rows in (("train.csv", slice(0, 80)), ("test.csv", slice(80, None))):
        frame = pd.DataFrame(X[rows], columns=list("abcdef")).assign(time=TIME[rows], event=SEEN[rows].astype(int))
        frame.to_csv(tmp_path / name, index=False)
    flags = ["--train=train.csv", "--target=time,event", "--test=test.csv", "--lambda=4", "--tol=1e-6"]
    said, _ = command(tmp_path, "fit", "regression", *flags)
    model = gcg.CoxRegressor(lam=4).fit(X[:80], Y[:80])
    assert model.score(X[80:], Y[80:]) == said["test"]["concordance"]
    line = [_bridge.binary(), "predict", "--model=m.gcg", "--data=test.csv", "--output=risks.csv", "--quiet"]
    subprocess.run(line, cwd=tmp_path, check=True)
    risks = pd.read_csv(tmp_path / "risks.csv").iloc[:, -1]
    np.testing.assert_allclose(model.predict(X[80:]), risks, atol=1e-6)  # of six digits


@pytest.mark.parametrize(("columns", "levels"), [(range(6), 0), ([5], 3)])
def test_concordance_is_that_of_the_pairs(columns, levels):
    x = X[:, list(columns)]
    model = gcg.CoxRegressor(lam=0.5).fit(x, Y)
    z = model.predict(x)
    assert not levels or len(np.unique(z)) == levels
    assert model.score(x, Y) == pairs(TIME, SEEN, z)
    assert model.score(x, np.column_stack([TIME, np.ones(len(x))])) == pairs(TIME, np.ones(len(x), bool), z)


def test_the_lasso_is_optimal_within_its_certificate():
    lam = 4.0
    model = gcg.CoxRegressor(lam=lam, tol=1e-9).fit(X, Y)
    w = model.coef_
    assert 0 < (w != 0).sum() < len(w)
    assert len(np.unique(TIME[SEEN])) < SEEN.sum()
    loss, gradient = partial_likelihood(w, X, TIME, SEEN)
    objective = loss + lam * np.abs(w).sum()
    assert model.certificate_.objective == pytest.approx(objective, rel=1e-11)
    assert -1e-11 * objective <= objective - model.certificate_.lower_bound <= 1e-9 * objective
    np.testing.assert_allclose(gradient[w != 0], -lam * np.sign(w[w != 0]), atol=1e-3)
    assert (np.abs(gradient[w == 0]) <= lam + 1e-3).all()
    for j in range(len(w)):
        for by in (-1e-2, 1e-2):
            other = w + by * np.eye(len(w))[j]
            assert partial_likelihood(other, X, TIME, SEEN)[0] + lam * np.abs(other).sum() > objective


def test_forms_of_y_and_of_features_give_the_same_model():
    surv = np.array(list(zip(SEEN, TIME, strict=True)), dtype=[("died", bool), ("months", float)])
    forms = [
        surv,
        Y.tolist(),
        pd.DataFrame({"event": SEEN, "time": TIME}),
        pd.DataFrame({"months": TIME, "died": SEEN.astype(int)}),
        pd.DataFrame({"name": "x", "event": SEEN.astype(float), "time": TIME.astype(int)}),
    ]
    model = gcg.CoxRegressor(lam=4).fit(X, Y)
    for y in forms:
        other = gcg.CoxRegressor(lam=4).fit(X, y)
        np.testing.assert_array_equal(other.coef_, model.coef_)
        assert other.score(X, y) == model.score(X, Y)
    thin = gcg.CoxRegressor(lam=4).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(thin.coef_, model.coef_, rtol=1e-6)
    assert thin.score(sparse.csr_array(X), surv) == pytest.approx(model.score(X, Y), abs=1e-3)
    scores = cross_val_score(gcg.CoxRegressor(lam=4), X, surv, cv=3)
    np.testing.assert_array_equal(scores, cross_val_score(gcg.CoxRegressor(lam=4), X, Y, cv=3))
    assert scores.mean() > 0.7


@pytest.mark.parametrize("lam", ["auto", 4.0])
def test_a_weight_of_two_is_the_sample_twice(lam):
    weight = np.random.default_rng(1).integers(0, 3, len(Y))
    one = gcg.CoxRegressor(lam=lam, tol=1e-9).fit(X, Y, sample_weight=weight)
    other = gcg.CoxRegressor(lam=lam, tol=1e-9).fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight, axis=0))
    assert one.lam_ == pytest.approx(other.lam_, rel=1e-9)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-4)


def test_norms_and_scales():
    groups = gcg.CoxRegressor(lam=12, groups=[[0, 1], [2, 5], [3, 4]]).fit(X, Y)
    assert np.flatnonzero(groups.coef_).tolist() == [0, 1, 2, 5]
    assert (gcg.CoxRegressor(lam=1, positive=True).fit(X, Y).coef_ >= 0).all()
    assert len(np.unique(gcg.CoxRegressor(lam=1, fused=40).fit(X, Y).coef_.round(6))) < 6
    assert (gcg.CoxRegressor(lam=1, l1_ratio=0).fit(X, Y).coef_ != 0).all()
    assert gcg.CoxRegressor(alpha=0.1).fit(X, Y).lam_ == 0.1 * len(X)
    scaled = X * [1, 10, 100, 1, 0.1, 1]
    one, other = (gcg.CoxRegressor(lam=4, standardize=True, tol=1e-9).fit(x, Y) for x in (X, scaled))
    np.testing.assert_allclose(one.predict(X), other.predict(scaled), atol=1e-4)


def with_first(value, column=0):
    y = Y.copy()
    y[0, column] = value
    return y


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (np.column_stack([TIME, 0 * TIME]), "no event"),
        (with_first(-1.0), "not below 0, which -1.0 is not"),
        (with_first(np.nan), "finite and not below 0, which nan is not"),
        (with_first(np.inf), "finite and not below 0, which inf is not"),
        (with_first(2.0, 1), "1 where seen, else 0, but not 2.0"),
        (with_first(np.nan, 1), "1 where seen, else 0, but not nan"),
        (TIME, r"two columns, time and event, .* shape \(120,\)"),
        (np.column_stack([Y, TIME]), r"shape \(120, 3\)"),
        (Y[:-1], "inconsistent numbers of samples"),
        (np.array(list(zip(TIME, SEEN, strict=True)), dtype=[("t", float), ("e", bool)]), "a boolean field of events and then"),
        (pd.DataFrame({"time": ["soon"] * 120, "event": SEEN}), "times are numbers"),
        (None, "requires y to be passed"),
    ],
)
def test_answers_that_are_none_are_refused(y, said):
    with pytest.raises(ValueError, match=said) as refused:
        gcg.CoxRegressor(lam=4).fit(X, y)
    assert "\n" not in str(refused.value)


def test_refusals_and_what_has_no_score():
    with pytest.raises(ValueError, match="no event was seen"):
        gcg.CoxRegressor(lam=4).fit(X, Y, sample_weight=1 - Y[:, 1])
    with pytest.raises(ValueError, match="The 'lam' parameter of CoxRegressor"):
        gcg.CoxRegressor(lam=0.0).fit(X, Y)
    with pytest.raises(TypeError, match="fit_intercept"):
        gcg.CoxRegressor(fit_intercept=True)
    model = gcg.CoxRegressor(lam=4).fit(X, Y)
    with pytest.warns(UndefinedMetricWarning, match="no pair of y is comparable"):
        assert np.isnan(model.score(X, np.column_stack([TIME, 0 * TIME])))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        zero = np.column_stack([np.where(SEEN, -0.0, 1.0), SEEN])  # a time of -0 is 0, and its event is seen
        assert model.score(X, zero) == pairs(zero[:, 0], SEEN, model.predict(X))


def test_pickles_clones_and_warm_starts():
    model = gcg.CoxRegressor(lam=4, warm_start=True).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "coef_")
    np.testing.assert_array_equal(fresh.fit(X, Y).coef_, model.coef_)
    w = model.coef_
    assert again.fit(X, Y).n_iter_ <= model.n_iter_
    np.testing.assert_allclose(again.coef_, w, atol=1e-3)


class AllSeen(gcg.CoxRegressor):
    """Takes the y of scikit-learn's checks, numbers, as times of events that were all seen."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, as_seen(y), sample_weight)

    def score(self, X, y):
        return super().score(X, as_seen(y))


def as_seen(y):
    if y is None:
        return None
    at = np.abs(np.asarray(y, dtype=float))
    return np.column_stack([at, np.ones(len(at))])


@parametrize_with_checks([AllSeen(), AllSeen(lam=0.1)])
def test_estimators_whose_events_are_all_seen(estimator, check):
    check(estimator)
