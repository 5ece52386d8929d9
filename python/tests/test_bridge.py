"""How the command is called: what it leaves, how it ends, what it refuses."""

import inspect
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, LogisticRegression, MultiTaskLasso
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import gcg
from gcg import _bridge

X, Y = load_diabetes(return_X_y=True)


def test_the_command_gives_the_same_numbers(tmp_path):
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", Y)
    command = [_bridge.binary(), "fit", "regression", "--features", "X.npy", "--targets", "y.npy", "--lambda", "30"]
    command += ["--intercept", "--tol", "1e-6", "--json", "--model", "m.gcg", "--quiet"]
    said = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout)
    model = gcg.SparseRegressor(lam=30).fit(X, Y)
    assert model.certificate_.objective == said["objective"]
    assert model.certificate_.lower_bound == said["lower_bound"]
    saved = _bridge.Model((tmp_path / "m.gcg").read_bytes())
    np.testing.assert_array_equal(model.coef_, saved.dense()[:, 0])


def test_lasso_and_multi_task_lasso_are_met():
    ours, theirs = gcg.SparseRegressor(alpha=0.5).fit(X, Y), Lasso(alpha=0.5, tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-6)
    T = np.column_stack([Y, Y[::-1], X @ np.arange(10.0)])
    multi, kin = gcg.MultiTaskRegressor(alpha=0.3, penalty="group").fit(X, T), MultiTaskLasso(alpha=0.3, tol=1e-10).fit(X, T)
    np.testing.assert_allclose(multi.coef_, kin.coef_, atol=1e-2)


@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_regression_is_met(classes):
    A, b = load_iris(return_X_y=True)
    A, b = A[b < classes], b[b < classes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kin = LogisticRegression(penalty="elasticnet", C=1.0, l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=100_000).fit(
            StandardScaler().fit_transform(A), b
        )
    ours = gcg.SparseClassifier(C=1.0, tol=1e-8).fit(StandardScaler().fit_transform(A), b)
    z = StandardScaler().fit_transform(A)
    np.testing.assert_allclose(ours.predict_proba(z), kin.predict_proba(z), atol=1e-3)


def test_elastic_net_weights_and_sparse_features_agree():
    from sklearn.linear_model import ElasticNet

    w = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)
    ours = gcg.SparseRegressor(alpha=0.1, l1_ratio=0.5, tol=1e-9).fit(X, Y, sample_weight=w)
    kin = ElasticNet(alpha=0.1, l1_ratio=0.5, tol=1e-12, max_iter=100_000).fit(X, Y, sample_weight=w)
    np.testing.assert_allclose(ours.coef_, kin.coef_, rtol=1e-5, atol=1e-5)
    thin = gcg.SparseRegressor(alpha=0.1, l1_ratio=0.5, tol=1e-9).fit(sparse.csr_array(X), Y, sample_weight=w)
    np.testing.assert_allclose(ours.coef_, thin.coef_, rtol=1e-6, atol=1e-6)


def test_ridges_and_elastic_nets_are_those_of_scikit_learn():
    from sklearn.linear_model import MultiTaskElasticNet, Ridge

    ours = gcg.SparseRegressor(lam=3.0, l1_ratio=0, tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, Ridge(alpha=3.0).fit(X, Y).coef_, rtol=1e-4, atol=1e-4)
    both = np.column_stack([Y, Y[::-1]])
    ours = gcg.MultiTaskRegressor(alpha=0.1, l1_ratio=0.4, penalty="group", tol=1e-10).fit(X, both)
    kin = MultiTaskElasticNet(alpha=0.1, l1_ratio=0.4, tol=1e-12, max_iter=100_000).fit(X, both)
    np.testing.assert_allclose(ours.coef_, kin.coef_, rtol=1e-4, atol=1e-5)
    A, b = load_iris(return_X_y=True)
    z, b = StandardScaler().fit_transform(A)[b < 2], b[b < 2]
    for ratio in (0, 0.5):
        kin = LogisticRegression(C=2.0, l1_ratio=ratio, solver="saga", tol=1e-10, max_iter=100_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kin.set_params(penalty="elasticnet").fit(z, b)
        ours = gcg.SparseClassifier(C=2.0, l1_ratio=ratio, tol=1e-9).fit(z, b)
        np.testing.assert_allclose(ours.coef_, kin.coef_, rtol=1e-3, atol=1e-4)
    low = gcg.LowRankClassifier(lam=0.01, l1_ratio=0.5, tol=1e-6).fit(X, np.median(Y) < Y)
    assert low.certificate_.relative_gap <= 1e-6
    auto = gcg.SparseRegressor(l1_ratio=0.5).fit(X, Y)
    assert auto.lam_ > 0 and len(auto.lambdas_) == len(auto.mse_path_) > 5
    assert auto.lam_min_ == auto.lam_ == auto.lambdas_[auto.mse_path_.argmin()] <= auto.lam_1se_


def test_counts_and_amounts_are_those_of_scikit_learn():
    from sklearn.linear_model import GammaRegressor, PoissonRegressor

    rng = np.random.default_rng(4)
    A = rng.normal(size=(200, 5))
    mean = np.exp(A @ [0.5, -0.4, 0.2, 0, 0] + 0.3)
    exposure = rng.uniform(0.5, 2, size=200)
    counts, amounts = rng.poisson(exposure * mean), rng.gamma(2.0, mean / 2)
    for loss, kin, target, weight in (
        ("poisson", PoissonRegressor(alpha=0.02, tol=1e-9, max_iter=10_000), counts / exposure, exposure),
        ("gamma", GammaRegressor(alpha=0.02, tol=1e-9, max_iter=10_000), amounts, None),
    ):
        kin.fit(A, target, sample_weight=weight)
        total = 200.0 if weight is None else weight.sum()
        ours = gcg.SparseRegressor(lam=0.02 * total, l1_ratio=0, loss=loss, tol=1e-9).fit(A, target, sample_weight=weight)
        np.testing.assert_allclose(ours.coef_, kin.coef_, atol=2e-4)
        np.testing.assert_allclose(ours.predict(A), kin.predict(A), rtol=1e-3)
    assert gcg.SparseRegressor(loss="poisson").fit(A, counts).lam_ > 0
    with pytest.raises(ValueError, match="below 0"):
        gcg.SparseRegressor(lam=1, loss="poisson").fit(A, counts - 5)


def test_groups_are_taken_or_left_together():
    groups = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    model = gcg.SparseRegressor(lam=150, groups=groups).fit(X, Y)
    taken = model.coef_.reshape(5, 2) != 0
    assert (taken[:, 0] == taken[:, 1]).all() and 0 < taken[:, 0].sum() < 5
    over = gcg.SparseRegressor(lam=150, groups=[[0, 1, 2], [2, 3, 4], [5, 6, 7, 8, 9]]).fit(X, Y)
    assert over.certificate_.relative_gap <= 1e-6


def test_the_path_of_auto_is_kept():
    model = gcg.SparseRegressor().fit(X, Y)
    assert len(model.lambdas_) == len(model.mse_path_) > 5
    folds = gcg.SparseRegressor(folds=3, select="1se").fit(X, Y)
    assert folds.lam_ in folds.lambdas_ or folds.lam_ > 0
    assert len(folds.mse_path_) == len(folds.lambdas_)


def test_pickle_clone_pipeline_and_grid():
    model = gcg.SparseRegressor(alpha=0.1).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).alpha == 0.1
    search = GridSearchCV(
        make_pipeline(StandardScaler(), gcg.SparseRegressor()), {"sparseregressor__alpha": [0.1, 1]}, n_jobs=2
    )
    assert search.fit(X, Y).best_score_ > 0.3
    assert cross_val_score(gcg.LowRankClassifier(lam=0.01), *load_iris(return_X_y=True), n_jobs=2).min() > 0.9


def test_set_output_and_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:, :4].copy(), columns=list("abcd"))
    frame.iloc[::7, 2] = np.nan
    filled = gcg.LowRankImputer(lam=1.0).set_output(transform="pandas").fit_transform(frame)
    assert list(filled.columns) == list("abcd") and not filled.isna().any().any()


def test_an_open_gap_is_a_warning_that_says_it():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(200, 60))
    B = A @ rng.normal(size=(60, 20)) + rng.normal(size=(200, 20))
    with pytest.warns(ConvergenceWarning, match="relative gap of"):
        model = gcg.MultiTaskRegressor(lam=30.0, tol=1e-12, max_iter=1).fit(A, B)
    assert model.status_ == "max_iterations"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (gcg.SparseRegressor(lam="much"), "auto"),
        (gcg.SparseRegressor(alpha=-1), "'alpha' parameter of SparseRegressor .* Got -1"),
        (gcg.SparseRegressor(lam=1, groups="foo"), "'groups' parameter of SparseRegressor"),
        (gcg.SparseRegressor(lam=1, loss="cubic"), "loss"),
        (gcg.SparseRegressor(lam=1, groups=[["a"]]), "neither a label for each of 10"),
        (gcg.SparseRegressor(lam=1, groups=[[0, 10]]), "from 0 to 9"),
        (gcg.SparseRegressor(lam=1, tol=0), "tol"),
        (gcg.SparseRegressor(lam=1, l1_ratio=1.5), "l1_ratio"),
        (gcg.SparseRegressor(lam=1, l1_ratio=0, positive=True), "ridge alone"),
    ],
)
def test_bad_parameters_are_value_errors(model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(X, Y)


ESTIMATORS = [
    getattr(gcg, name) for name in gcg.__all__ if isinstance(getattr(gcg, name), type) and hasattr(getattr(gcg, name), "fit")
]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_each_parameter_is_refused_by_name(estimator):
    """A value of no use is refused before the data are looked at."""
    for name in inspect.signature(estimator).parameters:
        with pytest.raises(ValueError, match=f"'{name}' parameter of {estimator.__name__} must be"):
            estimator(**{name: object()}).fit(None)


def test_errors_of_the_command_name_parameters_and_no_paths():
    with pytest.raises(ValueError, match="loss") as caught:
        gcg.SparseRegressor(lam=1, loss="huber:-1").fit(X, Y)
    assert "/proc" not in str(caught.value) and "--" not in str(caught.value)


def test_a_missing_binary_says_how_to_get_one(monkeypatch):
    monkeypatch.setenv("GCG_BINARY", "/nowhere/gcg")
    with pytest.raises(FileNotFoundError, match="pip install"):
        gcg.SparseRegressor(lam=1).fit(X, Y)


def test_verbose_is_one_live_line(capsys):
    gcg.SparseRegressor(verbose=True).fit(X, Y)
    out = capsys.readouterr().out
    assert out.count("\n") == 1 and out.count("\r") > 3


def test_threads_follow_limits():
    with threadpool_limits(limits=1):
        assert _bridge.threads(None) == 1
    assert _bridge.threads(1) == 1
    counts = joblib.Parallel(n_jobs=2, backend="threading")(joblib.delayed(_bridge.threads)(None) for _ in range(4))
    assert set(counts) == {1}
    counts = joblib.Parallel(n_jobs=os.cpu_count())(joblib.delayed(_bridge.threads)(None) for _ in range(2))
    assert set(counts) == {1}


def test_tables_start_from_the_last_fit_of_their_shape():
    rng = np.random.default_rng(4)
    D = rng.normal(size=(30, 3)) @ rng.normal(size=(3, 20)) + 0.1 * rng.normal(size=(30, 20))
    for model in (
        gcg.RobustPCA(lam=1.0, l1=0.3, equal=False, warm_start=True),
        gcg.SparseLowRank(lam=0.002, l1=2e-4, warm_start=True),
        gcg.MultiViewDictionary(lam=2.0, warm_start=True),
        gcg.CUR(lam=2.0, warm_start=True),
    ):
        first = model.fit(D).certificate_
        steps = model.n_iter_
        again = model.fit(D).certificate_
        assert again.relative_gap <= model.tol
        assert again.lower_bound <= first.objective
        assert first.lower_bound <= again.objective
        assert (again.objective, model.n_iter_) != (first.objective, steps)  # it did begin elsewhere
        other = model.fit(D[:25, :16]).certificate_
        fresh = type(model)(**{**model.get_params(), "warm_start": False}).fit(D[:25, :16]).certificate_
        assert other == fresh


def test_warm_start_begins_where_the_last_fit_ended():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(100, 30))
    B = A @ rng.normal(size=(30, 3)) @ rng.normal(size=(3, 8)) + rng.normal(size=(100, 8))
    model = gcg.MultiTaskRegressor(lam=10.0, warm_start=True).fit(A, B)
    first = model.coef_
    model.fit(A, B)
    np.testing.assert_allclose(model.coef_, first, atol=1e-3)
    assert model.n_iter_ == 1


LONG = """
import sys, numpy as np, gcg
rng = np.random.default_rng(0)
rows, cols = 3000, 2000
from scipy import sparse
R = sparse.random_array((rows, cols), density=0.05, rng=rng, format="csr")
model = gcg.Recommender(lam=1e-3, tol=1e-12, center="global", weights="none")
print("start", flush=True)
try:
    model.fit(R)
except KeyboardInterrupt:
    print(getattr(model, "status_", "nothing"), getattr(model, "rank_", -1), flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_keeps_what_was_found():
    child = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "start\n"
    time.sleep(4)
    child.send_signal(signal.SIGINT)
    out = child.communicate(timeout=120)[0]
    assert out.startswith("interrupted ") and int(out.split()[1]) > 0


@pytest.mark.skipif(not _bridge.IN_MEMORY, reason="files in memory")
def test_a_kill_leaves_nothing(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert child.stdout.readline() == "start\n"
    time.sleep(1)
    child.kill()
    child.wait()
    child.stdout.close()
    assert not list(tmp_path.iterdir())


def test_nothing_selected_is_no_error():
    model = gcg.CUR(lam=1e9).fit(X)
    assert model.columns_.size == 0 and model.rows_.size == 0


def test_files_instead_of_memory(monkeypatch, tmp_path):
    expected = gcg.SparseRegressor(lam=30).fit(X, Y).coef_
    monkeypatch.setattr(_bridge, "IN_MEMORY", False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tempfile.mkdtemp(prefix=f"{_bridge.PREFIX}999999999-")  # of a process that is no more
    model = gcg.SparseRegressor(lam=30).fit(sparse.csr_array(X), Y)
    np.testing.assert_allclose(model.coef_, expected, rtol=1e-6)
    assert not list(tmp_path.iterdir())
